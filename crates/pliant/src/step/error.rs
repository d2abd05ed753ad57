//! Why a step failed: errors name the body and the value.

use thiserror::Error;

use crate::math::Vec3;
use crate::solve::SolveError;
use crate::step::change::ChangeError;
use crate::world::error::ModelError;
use crate::world::topology::TopologyError;

/// Why a step failed. The simulation stays at its last good state.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum StepError {
    /// A position is not finite after the step.
    #[error("vertex {vertex} of body {body:?} went to {position} in step {step} (near {element})")]
    NonFinite {
        /// Step that failed.
        step: u64,
        /// Body.
        body: String,
        /// Vertex within the body.
        vertex: usize,
        /// Where it went.
        position: Vec3,
        /// The element of largest energy at that vertex.
        element: String,
    },
    /// A vertex moved farther than the runaway limit.
    #[error(
        "vertex {vertex} of body {body:?} moved by {distance:.3e} m in step {step}, more than the limit of {limit:.3e} m \
         (near {element})"
    )]
    Runaway {
        /// Step that failed.
        step: u64,
        /// Body.
        body: String,
        /// Vertex within the body.
        vertex: usize,
        /// How far it moved \[m\].
        distance: f64,
        /// The limit \[m\].
        limit: f64,
        /// The element of largest energy at that vertex.
        element: String,
    },
    /// A body has burst: its material cannot withstand its pressure, which inflates it without end.
    #[error(
        "body {body:?} burst in step {step}: {pressure:.3e} Pa have inflated it to {times:.1} times its volume, and there is no equilibrium"
    )]
    Burst {
        /// Step that failed.
        step: u64,
        /// Body.
        body: String,
        /// Its pressure \[Pa\].
        pressure: f64,
        /// Its volume over that at rest.
        times: f64,
    },
    /// The step is complete, but torn parts could not be separated.
    #[error("step {step}: {error}")]
    Tearing {
        /// The step.
        step: u64,
        /// The error.
        error: TopologyError,
    },
    /// The solver failed.
    #[error("step {step}: {error}")]
    Solve {
        /// Step that failed.
        step: u64,
        /// The error.
        error: SolveError,
    },
    /// A body could not come or go before the step.
    #[error("bodies could not come or go before step {step}: {error}")]
    Change {
        /// The step.
        step: u64,
        /// The error.
        error: ChangeError,
    },
    /// The solver for this step does not support the world.
    #[error(transparent)]
    Refused(Box<ModelError>),
}
