//! Parameters of the local/global solver.

use super::super::Start;
use crate::sparse::Precision;

/// How iterations are accelerated.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Acceleration {
    /// Plain local/global: g never rises, not even between half-steps.
    None,
    /// Anderson acceleration over the last `window` iterates [Peng 2018]; an iterate that raises g is replaced by the plain one.
    Anderson {
        /// Number of remembered iterates, 1 to 16.
        window: usize,
    },
    /// Chebyshev semi-iteration [Wang 2015]: no inner products, but no guarantee of descent.
    Chebyshev {
        /// Estimate of the spectral radius of the iteration, below 1.
        rho: f64,
        /// Number of plain iterations before it starts.
        delay: usize,
        /// Factor on the plain step, usually 1.
        relaxation: f64,
    },
    /// L-BFGS over the constant matrix [Liu 2017], with a line search: g never rises. Contacts must be constraints.
    Lbfgs {
        /// Number of remembered changes of positions and forces, 1 to 16; the paper uses 5.
        history: usize,
    },
}

/// Parameters of local/global iterations.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ProjectiveParams {
    /// Maximum number of iterations in a stage. Most scenes look right with the default of 10.
    pub iterations: usize,
    /// Stops when the largest unbalanced force on a vertex is at most this share of the largest force in the stage;
    /// with 0 it never stops early. If contacts only displace vertices, it stops when no vertex moved by more than this
    /// share of the world's diagonal in an iteration.
    pub tolerance: f64,
    /// Acceleration; by default Anderson with a window of 5.
    pub acceleration: Acceleration,
    /// Where to start.
    pub start: Start,
    /// Whether to record g at each iteration; energies are then evaluated one by one in f64, which takes several times
    /// longer.
    pub record: bool,
    /// Precision of the factor and of projections. Both converge to the same result; f32 is about twice as fast.
    pub precision: Precision,
}

impl Default for ProjectiveParams {
    fn default() -> Self {
        Self {
            iterations: 10,
            tolerance: 1e-6,
            acceleration: Acceleration::Anderson { window: 5 },
            start: Start::Predicted,
            record: false,
            precision: Precision::Single,
        }
    }
}

impl ProjectiveParams {
    /// Plain local/global with a fixed number of iterations, as in the papers.
    pub fn plain(iterations: usize) -> Self {
        Self { iterations, tolerance: 0.0, acceleration: Acceleration::None, ..Self::default() }
    }

    /// Parameters to iterate to convergence, for comparisons with the exact solution.
    pub fn converged() -> Self {
        let acceleration = Acceleration::Anderson { window: 10 };
        Self { iterations: 20_000, tolerance: 1e-10, acceleration, ..Self::default() }
    }
}
