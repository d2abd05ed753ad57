//! What was told to the user, and for how long it is shown.

use crate::protocol::{Notice, Severity};

/// Seconds for which notices are shown.
const SECONDS: f64 = 6.0;
/// Notices at once; older ones give way.
const MOST: usize = 4;

/// A notice that is shown.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Shown {
    pub(crate) notice: Notice,
    /// When it goes; none: when the simulation is reset.
    pub(crate) until: Option<f64>,
}

impl Shown {
    /// The text with the place it is about.
    pub(crate) fn text(&self) -> String {
        let Notice { text, place, .. } = &self.notice;
        match place {
            Some((line, column)) => format!("line {line}, column {column}: {text}"),
            None => text.clone(),
        }
    }

    /// Share of its strength at a time: it fades in its last second.
    pub(crate) fn strength(&self, time: f64) -> f64 {
        self.until.map_or(1.0, |until| (until - time).clamp(0.0, 1.0))
    }
}

/// The notices that are shown, the newest last.
#[derive(Debug, Clone, Default)]
pub(crate) struct Notices(Vec<Shown>);

impl Notices {
    pub(crate) fn add(&mut self, notice: Notice, time: f64) {
        self.0.retain(|shown| shown.notice != notice);
        let until = (notice.severity != Severity::Stopped).then_some(time + SECONDS);
        self.0.push(Shown { notice, until });
        if self.0.len() > MOST {
            // What has stopped the simulation stays longest.
            let index = self.0.iter().position(|shown| shown.until.is_some()).unwrap_or(0);
            self.0.remove(index);
        }
    }

    /// Those that are still shown at a time.
    pub(crate) fn at(&mut self, time: f64) -> &[Shown] {
        self.0.retain(|shown| shown.until.is_none_or(|until| until > time));
        &self.0
    }

    /// The simulation runs again.
    pub(crate) fn restart(&mut self) {
        self.0.retain(|shown| shown.until.is_some());
    }

    pub(crate) fn newest(&self) -> Option<&Notice> {
        self.0.last().map(|shown| &shown.notice)
    }

    /// Removes one, by its place in the list.
    pub(crate) fn close(&mut self, index: usize) {
        if index < self.0.len() {
            self.0.remove(index);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn notice(severity: Severity, text: &str) -> Notice {
        Notice { severity, text: text.to_owned(), place: None, hint: None }
    }

    #[test]
    fn notices_go_by_themselves_but_a_stop_stays_until_a_reset() {
        let mut notices = Notices::default();
        notices.add(notice(Severity::Stopped, "stopped"), 0.0);
        for k in 0..6 {
            notices.add(notice(Severity::Info, &format!("{k}")), 1.0);
        }
        assert_eq!(notices.at(2.0).len(), MOST);
        assert_eq!(notices.at(100.0).len(), 1);
        assert_eq!(notices.newest().map(|notice| &notice.text[..]), Some("stopped"));
        notices.restart();
        assert!(notices.at(100.0).is_empty());
    }

    #[test]
    fn the_same_notice_is_shown_once() {
        let mut notices = Notices::default();
        (0..3).for_each(|k| notices.add(notice(Severity::Refused, "no"), f64::from(k)));
        assert_eq!(notices.at(3.0).len(), 1);
        assert!((notices.at(7.5)[0].strength(7.5) - 0.5).abs() < 1e-9);
    }

    #[test]
    fn a_place_is_told() {
        let notice = Notice { place: Some((3, 7)), ..notice(Severity::Refused, "no body") };
        assert_eq!(Shown { notice, until: None }.text(), "line 3, column 7: no body");
    }
}
