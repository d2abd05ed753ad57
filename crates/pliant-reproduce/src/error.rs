//! Why an experiment has no outcome.

use std::path::PathBuf;

use pliant::energy::EnergyError;
use pliant::mesh::{MeshError, TetrahedraliseError};
use pliant::solve::SolveError;
use pliant::{InputError, ModelError, RegionError, StepError, WrinkleError};
use pliant_picture::ViewError;
use thiserror::Error;

/// What went wrong in an experiment, or in writing it down.
#[derive(Debug, Error)]
pub enum ReproduceError {
    /// A scene of the project is wrong.
    #[error(transparent)]
    Scene(Box<pliant_scene::SceneError>),
    /// Detail could not be learnt.
    #[error(transparent)]
    Train(#[from] pliant_scene::train::TrainError),
    /// A model could not be fitted or shown.
    #[error(transparent)]
    Upsample(#[from] pliant::upsample::UpsampleError),
    /// There is no experiment of that name.
    #[error("there is no experiment {name:?}; there are {known}")]
    NoSuchExperiment {
        /// The name asked for.
        name: String,
        /// The names that there are.
        known: String,
    },
    /// An experiment states a criterion and does not measure it.
    #[error("experiment {experiment} measured nothing for its criterion {criterion:?}")]
    Unmeasured {
        /// The experiment.
        experiment: &'static str,
        /// The criterion.
        criterion: &'static str,
    },
    /// An experiment measures something that it has no criterion for.
    #[error("experiment {experiment} measured {measure:?} without a criterion of that name")]
    Unstated {
        /// The experiment.
        experiment: &'static str,
        /// What was measured.
        measure: &'static str,
    },
    /// A state that should come about did not.
    #[error("{what} within {steps} steps")]
    NotReached {
        /// What did not come about.
        what: String,
        /// Steps taken.
        steps: usize,
    },
    /// A fine mesh cannot follow a coarse one.
    #[error(transparent)]
    Wrinkles(#[from] WrinkleError),
    /// Data that is not part of the project is not there.
    #[error("it needs {}, which is not part of this project; PLIANT_DATA names the folder where it is looked for", path.display())]
    NoData {
        /// What was looked for.
        path: PathBuf,
    },
    /// Such data is there, but not as it should be.
    #[error("{}: {reason}", path.display())]
    BadData {
        /// Where.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// Such data could not be read.
    #[error(transparent)]
    Read(#[from] pliant_io::read::ReadError),
    /// A thread pool could not be started.
    #[error("the thread pool could not be started: {0}")]
    Threads(String),
    /// A mesh could not be made.
    #[error(transparent)]
    Mesh(#[from] MeshError),
    /// A solid could not be filled.
    #[error(transparent)]
    Fill(#[from] TetrahedraliseError),
    /// An energy could not be made.
    #[error(transparent)]
    Energy(#[from] EnergyError),
    /// A world could not be built.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// Regions cannot be made.
    #[error(transparent)]
    Regions(#[from] RegionError),
    /// An input was refused.
    #[error(transparent)]
    Input(#[from] InputError),
    /// A step was refused.
    #[error(transparent)]
    Step(#[from] StepError),
    /// A solve failed.
    #[error(transparent)]
    Solve(#[from] SolveError),
    /// A picture or plot could not be drawn.
    #[error(transparent)]
    View(#[from] ViewError),
    /// A file could not be written.
    #[error("cannot write {}: {error}", path.display())]
    File {
        /// Which file.
        path: PathBuf,
        /// Why.
        error: std::io::Error,
    },
}
