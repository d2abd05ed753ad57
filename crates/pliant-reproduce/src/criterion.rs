//! Criteria, stated before anything is measured, and verdicts, given after.

use std::fmt;

use serde::Serialize;

/// What a measured number must be.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Bound {
    /// Below this.
    Below(f64),
    /// At most this.
    AtMost(f64),
    /// At least this.
    AtLeast(f64),
}

impl Bound {
    /// Whether a number satisfies it; what is not a number does not.
    pub fn holds(self, measured: f64) -> bool {
        match self {
            Self::Below(limit) => measured < limit,
            Self::AtMost(limit) => measured <= limit,
            Self::AtLeast(limit) => measured >= limit,
        }
    }
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Below(limit) => write!(f, "< {}", number(*limit)),
            Self::AtMost(limit) => write!(f, "≤ {}", number(*limit)),
            Self::AtLeast(limit) => write!(f, "≥ {}", number(*limit)),
        }
    }
}

/// What a criterion is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// A claim about errors or shapes: the same number on every machine.
    Shape,
    /// A claim about time: it depends on the machine and on what else runs there.
    Timing,
    /// A stricter comparison than the paper's, reported whichever way it comes out; it does not decide the exit code.
    Beyond,
}

/// A number that an experiment measures and the bound that the paper's claim sets it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Criterion {
    /// A short name, unique within the experiment.
    pub name: &'static str,
    /// What is measured, in words.
    pub statement: &'static str,
    /// What it must be.
    pub bound: Bound,
    /// What it is about.
    pub kind: Kind,
}

/// How a criterion came out.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Verdict {
    /// The criterion.
    pub criterion: Criterion,
    /// The number found.
    pub measured: f64,
    /// Whether the bound holds.
    pub holds: bool,
    /// What the number does not say by itself.
    pub note: String,
}

impl Verdict {
    /// Whether it fails a claim of the paper.
    pub fn fails(&self) -> bool {
        !self.holds && self.criterion.kind != Kind::Beyond
    }

    /// One word for tables.
    pub fn word(&self) -> &'static str {
        match (self.holds, self.criterion.kind) {
            (true, _) => "holds",
            (false, Kind::Beyond) => "does not hold (beyond the paper)",
            (false, _) => "FAILS",
        }
    }
}

/// A number with three or four digits, in powers of ten where it is very large or small.
pub fn number(value: f64) -> String {
    let size = value.abs();
    if value == 0.0 || !value.is_finite() {
        format!("{value}")
    } else if !(1e-3..1e5).contains(&size) {
        format!("{value:.2e}")
    } else if size >= 100.0 {
        trimmed(format!("{value:.1}"))
    } else if size >= 1.0 {
        trimmed(format!("{value:.3}"))
    } else {
        trimmed(format!("{value:.5}"))
    }
}

fn trimmed(text: String) -> String {
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_hold_on_their_side_only_and_never_for_nan() {
        assert!(Bound::Below(1.0).holds(0.5) && !Bound::Below(1.0).holds(1.0));
        assert!(Bound::AtMost(1.0).holds(1.0) && !Bound::AtMost(1.0).holds(1.1));
        assert!(Bound::AtLeast(1.0).holds(1.0) && !Bound::AtLeast(1.0).holds(0.9));
        for bound in [Bound::Below(1.0), Bound::AtMost(1.0), Bound::AtLeast(1.0)] {
            assert!(!bound.holds(f64::NAN));
        }
    }

    #[test]
    fn numbers_are_short() {
        let shown = [0.0, 1.0, 0.0331, 1234.56, 1e-7, 20.0, 3e6].map(number);
        assert_eq!(shown, ["0", "1", "0.0331", "1234.6", "1.00e-7", "20", "3.00e6"]);
    }
}
