//! What a scene expects, and whether it is so.

use crate::format::{ExpectSection, Moment};

/// An expectation with the value that decides it so far.
#[derive(Debug, Clone)]
pub(crate) struct Check {
    pub(crate) expect: ExpectSection,
    /// NaN before the first look.
    pub(crate) value: f64,
    pub(crate) is_observed: bool,
}

impl Check {
    /// By how much a value is within the bounds; negative outside, and for a NaN.
    fn margin(&self, value: f64) -> f64 {
        let below = self.expect.below.map_or(f64::INFINITY, |bound| bound - value);
        let above = self.expect.above.map_or(f64::INFINITY, |bound| value - bound);
        if value.is_nan() { f64::NEG_INFINITY } else { below.min(above) }
    }

    /// Takes note of the value after a frame: the last, the worst or the best decides.
    pub(crate) fn observe(&mut self, value: f64, first: bool) {
        let decides = match self.expect.at {
            Moment::End => true,
            Moment::Always => self.margin(value) < self.margin(self.value),
            Moment::Once => self.margin(value) > self.margin(self.value),
        };
        if first || decides {
            self.value = value;
        }
        self.is_observed = true;
    }
}

/// Whether an expectation holds.
#[derive(Debug, Clone)]
pub struct Verdict {
    /// The expectation.
    pub expect: ExpectSection,
    /// The deciding value: the last, or the worst or best of all frames.
    pub value: f64,
    /// Whether there was something to look at: not before the first frame, nor before its body comes.
    pub is_observed: bool,
}

impl Verdict {
    /// Whether the value is within the bounds.
    pub fn holds(&self) -> bool {
        self.expect.below.is_none_or(|bound| self.value < bound)
            && self.expect.above.is_none_or(|bound| self.value > bound)
    }
}
