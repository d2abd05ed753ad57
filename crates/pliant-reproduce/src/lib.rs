//! The experiments of the papers that Pliant implements: run, measured, judged and written down.
//!
//! An [`Experiment`] states its criteria as constants, before anything is measured; its run yields an [`Outcome`] with one
//! [`Verdict`] for each. What a paper does not give (stiffnesses, frames, meshes) is listed as chosen.
//!
//! ```
//! use pliant_reproduce::{Experiment, Size};
//!
//! let experiment = Experiment::find("bouaziz2014-fig5")?;
//! println!("{}: {}", experiment.figure, experiment.claim);
//! let outcome = experiment.run(Size::Reduced)?;
//! assert!(outcome.verdicts.iter().all(|verdict| verdict.holds));
//! # Ok::<(), pliant_reproduce::ReproduceError>(())
//! ```
//!
//! | file | holds |
//! |---|---|
//! | `experiments/` | one file per figure or table |
//! | `criterion`, `outcome` | what is stated, what is found |
//! | `detail` | detail learnt from a scene |
//! | `race`, `curtain`, `garden/`, `motion`, `picture` | what experiments share: solvers timed on one problem, Liu's curtain, Bouaziz's house and tree, motions against the exact one, pictures |
//! | `one_thread` | processor time, so that verdicts about time do not depend on what else runs |
//! | `write` | the folder with CSV, plots, pictures and verdicts |

mod criterion;
mod curtain;
mod detail;
mod error;
mod experiments;
mod garden;
mod motion;
mod one_thread;
mod outcome;
mod picture;
mod race;
mod write;

pub use criterion::{Bound, Criterion, Kind, Verdict, number};
pub use error::ReproduceError;
pub use experiments::ALL;
pub use outcome::{Outcome, Table};
pub use write::{markdown_table, write};

/// How large an experiment is run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Size {
    /// As in the paper, as far as minutes allow.
    Full,
    /// Small enough for tests: criteria about errors and shapes are the same, those about time mean nothing.
    Reduced,
}

impl Size {
    /// One of two values.
    pub(crate) fn pick<T>(self, full: T, reduced: T) -> T {
        match self {
            Self::Full => full,
            Self::Reduced => reduced,
        }
    }
}

/// A figure or table of a paper that can be run.
#[derive(Debug, Clone, Copy)]
pub struct Experiment {
    /// Name on the command line.
    pub name: &'static str,
    /// Paper and figure.
    pub figure: &'static str,
    /// What the paper claims there.
    pub claim: &'static str,
    /// What is measured and what it must be.
    pub criteria: &'static [Criterion],
    pub(crate) measure: fn(Size) -> Result<Outcome, ReproduceError>,
}

impl Experiment {
    /// An experiment by its name.
    pub fn find(name: &str) -> Result<&'static Self, ReproduceError> {
        ALL.iter().find(|experiment| experiment.name == name).ok_or_else(|| {
            let known: Vec<&str> = ALL.iter().map(|experiment| experiment.name).collect();
            ReproduceError::NoSuchExperiment { name: name.to_owned(), known: known.join(", ") }
        })
    }

    /// Runs it and judges what was measured.
    pub fn run(&self, size: Size) -> Result<Outcome, ReproduceError> {
        let mut outcome = (self.measure)(size)?;
        let measured = std::mem::take(&mut outcome.measured);
        let stated = |name: &str| self.criteria.iter().any(|criterion| criterion.name == name);
        if let Some(stray) = measured.iter().find(|measured| !stated(measured.criterion)) {
            return Err(ReproduceError::Unstated { experiment: self.name, measure: stray.criterion });
        }
        for criterion in self.criteria {
            let found = measured.iter().find(|measured| measured.criterion == criterion.name);
            let found = found.ok_or(ReproduceError::Unmeasured { experiment: self.name, criterion: criterion.name })?;
            outcome.verdicts.push(Verdict {
                criterion: *criterion,
                measured: found.value,
                holds: criterion.bound.holds(found.value),
                note: found.note.clone(),
            });
        }
        Ok(outcome)
    }
}
