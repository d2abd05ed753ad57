//! What can go wrong.

use std::path::PathBuf;

use thiserror::Error;

/// Why a measurement could not be taken.
#[derive(Debug, Error)]
pub enum BenchError {
    /// No problem is called so.
    #[error("there is no problem {name:?}; there are {known}")]
    NoSuchProblem {
        /// What was asked for.
        name: String,
        /// What there is.
        known: String,
    },
    /// No kernel is called so.
    #[error("there is no kernel {name:?}; there are {known}")]
    NoSuchKernel {
        /// What was asked for.
        name: String,
        /// What there is.
        known: String,
    },
    /// No energy is called so.
    #[error("there is no energy {name:?}; there are {known}")]
    NoSuchEnergy {
        /// What was asked for.
        name: String,
        /// What there is.
        known: String,
    },
    /// The exact motion could not be computed.
    #[error("{name}: the exact motion could not be computed: {why}")]
    NoReference {
        /// What moves.
        name: String,
        /// What happened.
        why: String,
    },
    /// A file of results could not be written.
    #[error("cannot write {}: {error}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// What happened.
        error: std::io::Error,
    },
    /// A measurement in f32 came to rest, and went on in f64.
    #[error(
        "{name}: nothing moved any more (by {movement:.1e} of the body in an iteration), so that not all was in f32"
    )]
    CameToRest {
        /// What was measured.
        name: String,
        /// Largest movement in the last iteration over the diagonal.
        movement: f64,
    },
    /// Large pages could not be switched off.
    #[error("large pages of memory cannot be switched off here")]
    HugePages,
    /// A mesh could not be made.
    #[error(transparent)]
    Mesh(#[from] pliant::mesh::MeshError),
    /// A fine surface could not be made.
    #[error(transparent)]
    Upsample(#[from] pliant::upsample::UpsampleError),
    /// A solid could not be filled.
    #[error(transparent)]
    Fill(#[from] pliant::mesh::TetrahedraliseError),
    /// A mesh could not be read.
    #[error(transparent)]
    Read(Box<pliant_io::read::ReadError>),
    /// A simulation could not be built.
    #[error(transparent)]
    Model(#[from] pliant::ModelError),
    /// Regions could not be made.
    #[error(transparent)]
    Regions(#[from] pliant::RegionError),
    /// An energy could not be built.
    #[error(transparent)]
    Energy(#[from] pliant::energy::EnergyError),
    /// A matrix could not be factored.
    #[error(transparent)]
    Factor(#[from] pliant::sparse::FactorError),
    /// A factor could not be updated.
    #[error(transparent)]
    Update(#[from] pliant::sparse::UpdateError),
    /// A state was refused.
    #[error(transparent)]
    Input(#[from] pliant::InputError),
    /// A saved state was refused.
    #[error(transparent)]
    Checkpoint(#[from] pliant::CheckpointError),
    /// A step was refused.
    #[error(transparent)]
    Step(Box<pliant::StepError>),
    /// A stage could not be solved.
    #[error(transparent)]
    Solve(#[from] pliant::solve::SolveError),
    /// A reference gave up.
    #[error("{method} could not factor the matrix of {size} rows")]
    Reference {
        /// Which one.
        method: &'static str,
        /// Size of the matrix.
        size: usize,
    },
    /// A pool of threads could not be started.
    #[error("the thread pool could not be started: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
    /// A file could not be read or written.
    #[error("{}: {error}", path.display())]
    File {
        /// Which file.
        path: PathBuf,
        /// What the system says.
        error: std::io::Error,
    },
    /// A file does not hold results.
    #[error("{}: these are not results of `peers`: {error}", path.display())]
    NotResults {
        /// Which file.
        path: PathBuf,
        /// What is wrong with it.
        error: serde_json::Error,
    },
    /// Results could not be written as JSON.
    #[error("results cannot be written as JSON: {0}")]
    Json(#[from] serde_json::Error),
    /// A GPU could not do it.
    #[error(transparent)]
    Gpu(#[from] pliant_gpu::GpuError),
    /// A world cannot stay on a GPU.
    #[error("{0}")]
    NotResident(String),
    /// A world on a GPU failed.
    #[error(transparent)]
    GpuWorld(Box<pliant_gpu::GpuWorldError>),
    /// A plot could not be drawn.
    #[error(transparent)]
    Plot(#[from] pliant_picture::ViewError),
}

impl From<pliant::StepError> for BenchError {
    fn from(error: pliant::StepError) -> Self {
        Self::Step(Box::new(error))
    }
}

impl From<pliant_io::read::ReadError> for BenchError {
    fn from(error: pliant_io::read::ReadError) -> Self {
        Self::Read(Box::new(error))
    }
}

impl From<pliant_gpu::GpuWorldError> for BenchError {
    fn from(error: pliant_gpu::GpuWorldError) -> Self {
        Self::GpuWorld(Box::new(error))
    }
}
