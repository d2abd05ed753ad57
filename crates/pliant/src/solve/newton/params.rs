//! Parameters of Newton's method.

use super::super::Start;

/// How Newton's linear systems are solved.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum LinearSolver {
    /// Sparse Cholesky factorisation.
    #[default]
    Direct,
    /// Conjugate gradients with block-diagonal preconditioning.
    ConjugateGradient {
        /// Relative residual to stop at.
        tolerance: f64,
        /// Maximum number of iterations.
        max_iterations: usize,
    },
}

/// What Newton's method does if the second derivative of g is not positive definite.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum NewtonCurvature {
    /// Negative eigenvalues of elements are set to zero; near the solution the true matrix is tried first. Robust, and
    /// the fastest.
    #[default]
    Projected,
    /// Nothing; the solve is an error, as in semi-implicit methods.
    Raw,
    /// A growing multiple of the identity is added to the true matrix until it is positive definite [Martin 2011]: the
    /// method that [Liu 2013, Figure 2] compares with. Each trial costs a factorisation.
    Shifted,
}

/// Parameters of Newton's method.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct NewtonParams {
    /// Maximum number of iterations in a stage.
    pub iterations: usize,
    /// Stops when the largest unbalanced force on a vertex is at most this share of the largest force in the stage, or
    /// when a full step moves nothing; with 0 it never stops early.
    pub tolerance: f64,
    /// Linear solver.
    pub linear_solver: LinearSolver,
    /// Whether to shorten steps until g falls; off only for the semi-implicit step.
    pub line_search: bool,
    /// Treatment of negative curvature.
    pub curvature: NewtonCurvature,
    /// Plain local/global iterations before the first Newton iteration [Liu 2013, §5]. On crumpled cloth, 30 of them
    /// saved hardly any Newton iterations (2 % over five states).
    pub warm_start: usize,
    /// Where to start.
    pub start: Start,
    /// Whether to record g at each iteration.
    pub record: bool,
}

impl Default for NewtonParams {
    fn default() -> Self {
        Self {
            iterations: 200,
            tolerance: 1e-9,
            linear_solver: LinearSolver::Direct,
            line_search: true,
            curvature: NewtonCurvature::Projected,
            warm_start: 0,
            start: Start::Predicted,
            record: false,
        }
    }
}

impl NewtonParams {
    /// The semi-implicit step [Baraff 1998]: one linearised step from the last positions, without line search.
    pub fn semi_implicit() -> Self {
        Self { iterations: 1, line_search: false, start: Start::Previous, ..Self::default() }
    }
}
