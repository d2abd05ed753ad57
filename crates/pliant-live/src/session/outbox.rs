//! What is to be told to the view.

use crate::protocol::{Event, Frame, Notice, Severity};

/// Frames that may be under way: one that is drawn, and one that waits.
const MOST_UNDER_WAY: u64 = 2;

/// What is to be told to the view.
#[derive(Debug, Default)]
pub(super) struct Outbox {
    events: Vec<Event>,
    sent: u64,
    shown: u64,
    is_due: bool,
}

impl Outbox {
    pub(super) fn say(&mut self, event: Event) {
        self.events.push(event);
    }

    pub(super) fn notice(&mut self, severity: Severity, text: impl ToString) {
        let notice = Notice { severity, text: text.to_string(), place: None, hint: None };
        self.say(Event::Notice(notice));
    }

    /// Something has moved.
    pub(super) fn frame_is_due(&mut self) {
        self.is_due = true;
    }

    /// The view has taken a frame in.
    pub(super) fn shown(&mut self, number: u64) {
        // A number that was never sent is no reason to send more.
        self.shown = self.shown.max(number.min(self.sent));
    }

    /// Whether a frame is due, and the view is ready for it.
    pub(super) fn wants_frame(&self) -> bool {
        self.is_due && self.sent - self.shown < MOST_UNDER_WAY
    }

    pub(super) fn next_number(&self) -> u64 {
        self.sent + 1
    }

    pub(super) fn send(&mut self, frame: Frame) {
        self.sent = frame.number;
        self.is_due = false;
        self.say(Event::Frame(Box::new(frame)));
    }

    /// Another view has come: what was sent before was for another.
    pub(super) fn forget_sent(&mut self) {
        self.shown = self.sent;
    }

    /// The frame that is due cannot be had.
    #[cfg(feature = "runs")]
    pub(super) fn frame_is_lost(&mut self) {
        self.is_due = false;
    }

    pub(super) fn take(&mut self) -> Vec<Event> {
        std::mem::take(&mut self.events)
    }
}
