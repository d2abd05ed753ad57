//! How a solve went.

use thiserror::Error;

use crate::sparse::FactorError;

/// What a solver says of one stage; of a step with several stages, the sums.
#[derive(Debug, Clone, Default)]
pub struct SolveReport {
    /// Iterations taken.
    pub iterations: usize,
    /// Largest movement of a vertex in the last iteration, relative to the diagonal of the world.
    pub residual: f64,
    /// Whether the residual fell below the tolerance.
    pub converged: bool,
    /// The objective g at the result \[J\]; of plain iterations that are not recorded at the iterate before it, where it was not
    /// lower. [`Problem::solve`](crate::Problem::solve) always gives the value at the result.
    pub objective: f64,
    /// Values of g \[J\] on the way, if recorded: at the start, then after each half-step (plain local/global) or iteration.
    pub history: Vec<f64>,
    /// Accelerated iterates that were refused because g rose.
    pub rejected: usize,
    /// Iterations of inner linear solves, where they are iterative.
    pub linear_iterations: usize,
    /// Contacts that press at the end.
    pub contacts: usize,
    /// Numeric factorisations because of contacts that came or went; other changes went through conjugate gradients.
    pub refactorisations: usize,
    /// Seconds in projections, in right-hand sides and linear solves, and in factorisations.
    pub seconds_local: f64,
    /// See `seconds_local`.
    pub seconds_global: f64,
    /// See `seconds_local`.
    pub seconds_factor: f64,
}

impl SolveReport {
    /// Adds a later stage.
    pub(crate) fn add(&mut self, other: Self) {
        self.iterations += other.iterations;
        self.residual = self.residual.max(other.residual);
        self.converged &= other.converged;
        self.objective = other.objective;
        self.history.extend(other.history);
        self.rejected += other.rejected;
        self.linear_iterations += other.linear_iterations;
        self.contacts = other.contacts;
        self.refactorisations += other.refactorisations;
        self.seconds_local += other.seconds_local;
        self.seconds_global += other.seconds_global;
        self.seconds_factor += other.seconds_factor;
    }
}

/// Why a solve failed.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum SolveError {
    /// The system matrix could not be factored.
    #[error("the system matrix cannot be factored: {0}")]
    Factor(#[from] FactorError),
    /// The objective is not a number at the start.
    #[error("the objective is {value} at the start of the solve")]
    NonFiniteObjective {
        /// Its value.
        value: f64,
    },
}
