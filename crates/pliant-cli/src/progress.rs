//! How a command tells what it is doing: a bar on a terminal, lines now and then elsewhere, or nothing.

use std::io::IsTerminal;
use std::time::Instant;

use indicatif::{ProgressBar, ProgressStyle};
use serde_json::{Map, Value, json};

use crate::output::say;
use crate::record::{Phases, number};

/// What is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Output {
    /// Text for people.
    Plain,
    /// One JSON object per line on standard output.
    Json,
    /// Errors and failed expectations only.
    Quiet,
}

impl Output {
    pub(crate) fn of(quiet: bool, json: bool) -> Self {
        match (quiet, json) {
            (_, true) => Self::Json,
            (true, false) => Self::Quiet,
            (false, false) => Self::Plain,
        }
    }
}

/// Frames between lines where there is no terminal.
const LINE_EVERY: u32 = 30;

/// Progress over the frames of a run.
pub(crate) struct Progress {
    voice: Output,
    bar: Option<ProgressBar>,
    frames: u32,
    first: u32,
    begun: Instant,
    phases: Phases,
}

impl Progress {
    /// Progress of a run of so many frames, of which the first are done already.
    pub(crate) fn new(voice: Output, frames: u32, first: u32) -> Self {
        let shown = voice == Output::Plain && std::io::stderr().is_terminal();
        let bar = shown.then(|| {
            let bar = ProgressBar::new(u64::from(frames)).with_position(u64::from(first));
            let style = ProgressStyle::with_template("{bar:28.cyan/dim} {pos}/{len} frames, {eta} left  {wide_msg}");
            bar.reset_eta();
            style.map_or(bar.clone(), |style| bar.with_style(style.progress_chars("━━╌")))
        });
        Self { voice, bar, frames, first, begun: Instant::now(), phases: Phases::default() }
    }

    /// A frame is done.
    pub(crate) fn frame(&mut self, frame: u32, entry: &Map<String, Value>) {
        self.phases.add(entry);
        match (&self.bar, self.voice) {
            (Some(bar), _) => {
                bar.set_position(u64::from(frame));
                bar.set_message(self.phases.describe());
            }
            (None, Output::Json) => {
                let mut record = entry.clone();
                record.insert("frame".to_owned(), json!(frame));
                say!("{}", Value::Object(record));
            }
            (None, Output::Plain) if frame.is_multiple_of(LINE_EVERY) || frame == self.frames => {
                let each = self.begun.elapsed().as_secs_f64() / f64::from(frame - self.first).max(1.0);
                say!(
                    "frame {frame:5} of {}  {:7.2} s  kinetic {:10.3e} J  elastic {:10.3e} J  {:6.1} ms/frame, {:.0} s left",
                    self.frames,
                    number(entry, "time"),
                    number(entry, "kinetic"),
                    number(entry, "elastic"),
                    1e3 * each,
                    each * f64::from(self.frames.saturating_sub(frame)),
                );
            }
            _ => {}
        }
    }

    /// Removes the bar.
    pub(crate) fn finish(self) {
        if let Some(bar) = self.bar {
            bar.finish_and_clear();
        }
    }
}

/// Progress of training, in frames of all motions or in percent of a fit.
pub(crate) struct TrainProgress {
    voice: Output,
    bar: Option<ProgressBar>,
    total: u32,
    /// What the last line was about, where there is no terminal.
    last: String,
}

impl TrainProgress {
    /// Nothing is done yet.
    pub(crate) fn new(voice: Output, total: u32) -> Self {
        let shown = voice == Output::Plain && std::io::stderr().is_terminal();
        let bar = shown.then(|| {
            let bar = ProgressBar::new(u64::from(total));
            let style = ProgressStyle::with_template("{bar:28.cyan/dim} {percent} %, {eta} left  {wide_msg}");
            style.map_or(bar.clone(), |style| bar.with_style(style.progress_chars("━━╌")))
        });
        Self { voice, bar, total, last: String::new() }
    }

    /// So many frames of all motions, and of this one, are done.
    pub(crate) fn frame(&mut self, done: u32, motion: &str, frame: u32, frames: u32) {
        if let Some(bar) = &self.bar {
            bar.set_position(u64::from(done));
            bar.set_message(format!("{motion}: frame {frame} of {frames}"));
        } else if self.voice == Output::Plain && (frame.is_multiple_of(LINE_EVERY) || frame == frames) {
            say!("{motion}: frame {frame} of {frames}, {done} of {} in all", self.total);
        }
    }

    /// A share of a fit is done.
    pub(crate) fn share(&mut self, done: f64, method: &str, stage: &str) {
        if let Some(bar) = &self.bar {
            bar.set_position((done * f64::from(self.total)) as u64);
            bar.set_message(format!("{method}: {stage}"));
        } else if self.voice == Output::Plain && self.last != stage {
            stage.clone_into(&mut self.last);
            say!("{method}: {stage}");
        }
    }

    /// Removes the bar.
    pub(crate) fn finish(self) {
        if let Some(bar) = self.bar {
            bar.finish_and_clear();
        }
    }
}
