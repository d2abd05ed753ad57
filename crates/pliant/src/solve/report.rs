//! How a solve went.

use thiserror::Error;

use super::FollowLeaderError;
use super::objective::larger;
use crate::matter::fluid::FluidReport;
use crate::sparse::FactorError;

/// The report of a solver on one stage; for a step with several stages or substeps, the sums.
#[derive(Debug, Clone, Default)]
pub struct SolveReport {
    /// Iterations taken.
    pub iterations: usize,
    /// Largest movement of a vertex in the last iteration, relative to the diagonal of the world.
    pub movement: f64,
    /// How well forces balance at the result; for plain iterations, at the iterate before it. None for methods that do
    /// not compute forces: position-based and explicit ones, follow-the-leader, and contacts that only displace
    /// vertices.
    pub forces: Option<ForceBalance>,
    /// Whether forces balance within the solver's tolerance; if forces are not known, whether the movement is below it.
    pub converged: bool,
    /// The objective g at the result \[J\]. It is 0 for methods that do not minimise, and for the position-based one
    /// unless it is recorded. For plain iterations that are not recorded it is the value at the iterate before the
    /// result, which is not lower. [`Problem::solve`](crate::Problem::solve) always gives the value at the result.
    pub objective: f64,
    /// Values of g \[J\] during the iterations, if recorded: at the start, then after each half-step (plain
    /// local/global) or iteration.
    pub history: Vec<f64>,
    /// Accelerated iterates that were rejected because g rose.
    pub rejected: usize,
    /// Iterations of inner linear solves, if they are iterative.
    pub linear_iterations: usize,
    /// Contacts with colliders that press at the end.
    pub contacts: usize,
    /// Rank-one updates of the factor because contacts started or stopped sticking.
    pub rank_one_updates: usize,
    /// Numeric factorisations because of such changes; contacts of other kinds went through conjugate gradients.
    pub refactorisations: usize,
    /// Elements that the local step of projective dynamics projected one by one: those of energies that users write.
    pub one_by_one: usize,
    /// Elements that explicit integration has replaced by shape matching, because the step is too long for them.
    pub stabilised: usize,
    /// How well fluids keep their density, if there are any.
    pub fluid: Option<FluidReport>,
    /// Seconds in projections, in right-hand sides and linear solves, and in factorisations.
    pub seconds_local: f64,
    /// See `seconds_local`.
    pub seconds_global: f64,
    /// See `seconds_local`.
    pub seconds_factor: f64,
    /// The parts of `seconds_factor`, for the projective solver.
    pub setup: SetupSeconds,
    /// How many matrices were factored before the iterations: one for each body, or for bodies that are attached to
    /// each other. Those of bodies that have not changed are kept.
    pub factored: usize,
}

/// How well the forces on free vertices balance in a stage: those of energies, contacts and inertia add up to zero at
/// the exact solution.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ForceBalance {
    /// Largest sum of forces on a vertex \[N\].
    pub unbalanced: f64,
    /// Largest force on a vertex: of energies and contacts together, or external \[N\].
    pub largest: f64,
}

impl ForceBalance {
    /// The unbalanced force relative to the largest; 0 if there are no forces.
    pub fn relative(&self) -> f64 {
        if self.unbalanced == 0.0 { 0.0 } else { self.unbalanced / self.largest }
    }

    /// Whether what is unbalanced is within a tolerance, or within `rounding` \[N\].
    pub(super) fn holds(&self, tolerance: f64, rounding: f64) -> bool {
        self.unbalanced <= (tolerance * self.largest).max(rounding)
    }

    fn add(&mut self, other: Self) {
        self.unbalanced = larger(self.unbalanced, other.unbalanced);
        self.largest = larger(self.largest, other.largest);
    }
}

/// Time spent on setting up a solver; all zero if an earlier setup could be used.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct SetupSeconds {
    /// Assembling the matrix.
    pub assemble: f64,
    /// Ordering the unknowns and symbolic analysis; not needed again when only weights or the time step change.
    pub analyse: f64,
    /// Numeric factorisation.
    pub factor: f64,
    /// Laying out the factor and the elements for fast iterations.
    pub pack: f64,
}

impl SetupSeconds {
    fn add(&mut self, other: Self) {
        self.assemble += other.assemble;
        self.analyse += other.analyse;
        self.factor += other.factor;
        self.pack += other.pack;
    }
}

impl SolveReport {
    /// The largest unbalanced force relative to the largest force, if forces are known.
    pub fn residual(&self) -> Option<f64> {
        self.forces.map(|forces| forces.relative())
    }

    /// Adds a later stage or substep.
    pub(crate) fn add(&mut self, other: Self) {
        self.iterations += other.iterations;
        self.movement = self.movement.max(other.movement);
        match (&mut self.forces, other.forces) {
            (Some(forces), Some(later)) => forces.add(later),
            (forces, later) => *forces = later,
        }
        self.converged &= other.converged;
        self.objective = other.objective;
        self.history.extend(other.history);
        self.rejected += other.rejected;
        self.linear_iterations += other.linear_iterations;
        self.contacts = other.contacts;
        self.fluid = other.fluid.or(self.fluid);
        self.rank_one_updates += other.rank_one_updates;
        self.refactorisations += other.refactorisations;
        self.stabilised = self.stabilised.max(other.stabilised);
        self.one_by_one = self.one_by_one.max(other.one_by_one);
        self.seconds_local += other.seconds_local;
        self.seconds_global += other.seconds_global;
        self.seconds_factor += other.seconds_factor;
        self.setup.add(other.setup);
        self.factored += other.factored;
    }
}

/// Why a solve failed.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum SolveError {
    /// The system matrix could not be factored.
    #[error("the system matrix cannot be factored: {0}")]
    Factor(#[from] FactorError),
    /// Follow-the-leader does not support the world.
    #[error(transparent)]
    FollowLeader(#[from] FollowLeaderError),
    /// A body has a constraint that the solver does not support.
    #[error("body {body:?} has constraints of kind {kind:?}, which only the position-based solver supports")]
    UnsupportedConstraint {
        /// Body.
        body: String,
        /// Kind of constraints.
        kind: &'static str,
    },
    /// A solver from another crate does not finish.
    #[error("the solver is still not done after {calls} calls")]
    Unfinished {
        /// Number of calls.
        calls: usize,
    },
    /// A solver from another crate failed.
    #[error("the {solver} solver failed: {problem}")]
    Other {
        /// Its name.
        solver: String,
        /// What went wrong.
        problem: String,
    },
    /// The objective is not finite at the start.
    #[error("the objective is {value} at the start of the solve")]
    NonFiniteObjective {
        /// Its value.
        value: f64,
    },
}
