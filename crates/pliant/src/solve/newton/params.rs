//! What can be chosen of Newton's method.

use super::super::Start;

/// How Newton's linear systems are solved.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum LinearSolver {
    /// Sparse Cholesky factorisation.
    #[default]
    Direct,
    /// Conjugate gradients with block-diagonal preconditioning.
    ConjugateGradient {
        /// Relative residual to stop at.
        tolerance: f64,
        /// Most iterations.
        max_iterations: usize,
    },
}

/// What Newton's method does where the second derivative of g is not positive definite.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum NewtonCurvature {
    /// Negative eigenvalues of elements become zero; near the solution the true matrix is tried first. Robust, and the fastest.
    #[default]
    Projected,
    /// Nothing: an error, as semi-implicit methods have it.
    Raw,
    /// A multiple of the identity is added to the true matrix, more and more until it is positive definite [Martin 2011]: the method that [Liu 2013,
    /// Figure 2] compares with. Each trial costs a factorisation.
    Shifted,
}

/// Parameters of Newton's method.
#[derive(Debug, Clone, PartialEq)]
pub struct NewtonParams {
    /// Most iterations in a stage.
    pub iterations: usize,
    /// Stops when the largest unbalanced force on a vertex is at most this share of the largest force in the stage, or when a full step moves
    /// nothing; 0 never stops early.
    pub tolerance: f64,
    /// Linear solver.
    pub linear_solver: LinearSolver,
    /// Whether to shorten steps until g falls; off only for the semi-implicit step.
    pub line_search: bool,
    /// Treatment of negative curvature.
    pub curvature: NewtonCurvature,
    /// Plain local/global iterations before the first Newton iteration [Liu 2013, §5]. On crumpled cloth 30 of them were seen to
    /// save hardly any Newton iteration (2 % over five states).
    pub warm_start: usize,
    /// Where to start.
    pub start: Start,
    /// Whether to record g on the way.
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
    /// The semi-implicit step [Baraff 1998]: one linearisation at the positions of the last step, taken in full.
    pub fn semi_implicit() -> Self {
        Self { iterations: 1, line_search: false, start: Start::Previous, ..Self::default() }
    }
}
