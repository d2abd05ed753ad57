//! Solvers of one implicit stage: all minimise the same objective.

mod auto;
mod check;
mod custom;
mod drift;
pub mod explicit;
pub mod follow_leader;
pub(crate) mod limit;
pub mod newton;
mod objective;
pub mod pbd;
pub mod projective;
mod report;
mod turning;
pub mod two_metric;

pub(crate) use auto::{Chosen, Touchable, choose};
pub(crate) use check::has_shape;
pub use custom::{CustomSolver, SolverRecipe};
pub use explicit::{Explicit, ExplicitParams, stable_time_step};
pub use follow_leader::{FollowLeader, FollowLeaderError, FollowLeaderParams, HairChains};
pub use newton::{LinearSolver, Newton, NewtonCurvature, NewtonParams};
pub use objective::Objective;
pub use pbd::{DensityTolerance, PositionBased, PositionBasedParams, Stiffness, StretchLevels, SweepKind, SweepOrder};
pub use projective::{Acceleration, Projective, ProjectiveParams};
pub use report::{ForceBalance, SetupSeconds, SolveError, SolveReport};
pub use two_metric::{Preconditioner, TwoMetric, TwoMetricParams};

use crate::clock::Clock;
use crate::contact::Contacts;
use crate::energy::Memory;
use crate::math::Vec3;
use crate::matter::fluid::FluidReadings;
use crate::world::model::Model;
use crate::world::state::State;
use crate::world::state::Substep;

/// The positions from which the iterations of a stage start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Start {
    /// s: inertia and external forces [Bouaziz 2014, Algorithm 1]. Least damped at few iterations. If few iterations do
    /// not undo the predicted fall completely, the rest remains as stretch, so the elastic forces of a stiff world at
    /// rest are too large.
    #[default]
    Predicted,
    /// y = q + h v: inertia alone [Liu 2013, §4].
    Inertial,
    /// q: the positions of the last step. For statics: iterations accumulate over the steps until forces balance.
    Previous,
}

/// A solver with its parameters.
#[derive(Debug, Clone, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum SolverChoice {
    /// Chooses a solver that suits what the world contains, and the number of substeps unless you set it. See
    /// docs/solvers.md; [`Simulation::solver_choice`](crate::Simulation::solver_choice) returns the choice.
    #[default]
    Auto,
    /// Local/global iterations with a constant matrix.
    Projective(ProjectiveParams),
    /// Newton's method with few iterations of conjugate gradients, preconditioned by the projective factor and the
    /// diagonal blocks.
    TwoMetric(TwoMetricParams),
    /// Newton's method: the exact reference.
    Newton(NewtonParams),
    /// Inextensible hair: each strand is solved in one pass.
    FollowLeader(FollowLeaderParams),
    /// Position-based dynamics, classic or with physical stiffness.
    PositionBased(PositionBasedParams),
    /// Explicit integration, with shape matching for elements that would be unstable.
    Explicit(ExplicitParams),
    /// A solver from another crate. It cannot be serialised.
    #[cfg_attr(feature = "serde", serde(skip))]
    Custom(CustomSolver),
}

impl std::fmt::Display for SolverChoice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Auto => write!(f, "what suits the world"),
            Self::Projective(params) => {
                let acceleration = match params.acceleration {
                    Acceleration::None => "plain",
                    Acceleration::Anderson { .. } => "Anderson",
                    Acceleration::Chebyshev { .. } => "Chebyshev",
                    Acceleration::Lbfgs { .. } => "L-BFGS",
                };
                write!(f, "projective, {acceleration}, at most {} iterations", params.iterations)
            }
            Self::TwoMetric(TwoMetricParams { iterations, linear_iterations, .. }) => {
                write!(f, "two-metric Newton, at most {iterations} × {linear_iterations} iterations")
            }
            Self::Newton(params) => write!(f, "Newton, at most {} iterations", params.iterations),
            Self::FollowLeader(_) => write!(f, "follow the leader"),
            Self::PositionBased(params) => write!(f, "position-based, {} iterations", params.iterations),
            Self::Explicit(_) => write!(f, "explicit"),
            Self::Custom(own) => write!(f, "{}", own.recipe().name()),
        }
    }
}

impl From<ProjectiveParams> for SolverChoice {
    fn from(params: ProjectiveParams) -> Self {
        Self::Projective(params)
    }
}

impl From<TwoMetricParams> for SolverChoice {
    fn from(params: TwoMetricParams) -> Self {
        Self::TwoMetric(params)
    }
}

impl From<NewtonParams> for SolverChoice {
    fn from(params: NewtonParams) -> Self {
        Self::Newton(params)
    }
}

impl From<FollowLeaderParams> for SolverChoice {
    fn from(params: FollowLeaderParams) -> Self {
        Self::FollowLeader(params)
    }
}

impl From<ExplicitParams> for SolverChoice {
    fn from(params: ExplicitParams) -> Self {
        Self::Explicit(params)
    }
}

impl From<PositionBasedParams> for SolverChoice {
    fn from(params: PositionBasedParams) -> Self {
        Self::PositionBased(params)
    }
}

impl SolverChoice {
    /// Whether it supports constraints that are not energies, rods and fluids.
    pub fn knows_constraints(&self) -> bool {
        matches!(self, Self::PositionBased(_))
    }

    /// Whether the rule of [`Auto`](Self::Auto) decides what it does.
    pub(crate) fn follows_rule(&self) -> bool {
        match self {
            Self::Auto => true,
            Self::Custom(own) => own.recipe().follows_rule(),
            _ => false,
        }
    }

    /// What a choice that follows the rule comes to, if that has chosen a solver.
    pub(crate) fn in_place_of(&self, chosen: Self) -> Self {
        match self {
            Self::Custom(own) => own.recipe().in_place_of(chosen),
            _ => chosen,
        }
    }

    /// Whether it solves linear systems in which contacts and attachments to other groups have a part.
    pub(crate) fn has_matrix(&self) -> bool {
        matches!(self, Self::Projective(_) | Self::TwoMetric(_) | Self::Newton(_))
    }

    /// Where its iterations start.
    pub fn start(&self) -> Start {
        match self {
            Self::Projective(params) => params.start,
            Self::TwoMetric(params) => params.start,
            Self::Newton(params) => params.start,
            Self::Auto | Self::PositionBased(_) | Self::FollowLeader(_) | Self::Explicit(_) => Start::Predicted,
            Self::Custom(own) => own.recipe().build().start(),
        }
    }

    pub(crate) fn tolerance(&self) -> f64 {
        match self {
            Self::Projective(params) => params.tolerance,
            Self::TwoMetric(params) => params.tolerance,
            Self::Newton(params) => params.tolerance,
            Self::PositionBased(params) => params.tolerance,
            Self::Auto | Self::FollowLeader(_) | Self::Explicit(_) | Self::Custom(_) => 0.0,
        }
    }

    /// A solver with these parameters.
    pub(crate) fn build(&self) -> Box<dyn Solver> {
        match self {
            // A world has replaced it by what suits it.
            Self::Auto => Box::new(Projective::new(ProjectiveParams::default())),
            Self::Projective(params) => Box::new(Projective::new(params.clone())),
            Self::TwoMetric(params) => Box::new(TwoMetric::new(params.clone())),
            Self::Newton(params) => Box::new(Newton::new(params.clone())),
            Self::FollowLeader(params) => Box::new(FollowLeader::new(params.clone())),
            Self::PositionBased(params) => Box::new(PositionBased::new(params.clone())),
            Self::Explicit(params) => Box::new(Explicit::new(params.clone())),
            Self::Custom(own) => own.recipe().build(),
        }
    }
}

/// How far a solve has come.
#[derive(Debug)]
#[allow(clippy::large_enum_variant, reason = "one in a solve, and a box would be an allocation in every step")]
pub enum Progress {
    /// It is not done yet: call [`Solver::advance`] again.
    Busy,
    /// It is done.
    Done(SolveReport),
}

/// Calls of [`Solver::advance`] in a solve, after which one that is still busy counts as hung.
const MOST_CALLS: usize = 1_000_000;

/// How many times the usual iterations a solver makes that takes care.
const CARE: usize = 5;

impl dyn Solver + '_ {
    /// Calls [`advance`](Solver::advance) until the solve is done.
    pub(crate) fn finish(
        &mut self,
        objective: &Objective<'_>,
        x: &mut [Vec3],
        memory: &mut [Memory],
        contacts: &mut Contacts<'_>,
        clock: &Clock,
    ) -> Result<SolveReport, SolveError> {
        for _ in 0..MOST_CALLS {
            if let Progress::Done(report) = self.advance(objective, x, memory, contacts, clock)? {
                return Ok(report);
            }
            std::thread::yield_now();
        }
        Err(SolveError::Unfinished { calls: MOST_CALLS })
    }
}

/// A method that minimises the objective of one stage.
///
/// [`SolverChoice`] makes those of the engine. A solver from another crate comes with a [`SolverRecipe`], which holds
/// its parameters, checks whether it supports a world, and makes a solver for it. The solver sees the stage as an
/// [`Objective`], and obstacles as [`Contacts`].
pub trait Solver: std::any::Any + Send + Sync + std::fmt::Debug {
    /// Where it starts.
    fn start(&self) -> Start;

    /// Improves `x` from the given start; pinned vertices are at their targets and must not be changed. `memory`
    /// belongs to the energies: on return, its warm values are those to continue from; its projections need not be
    /// those of `x`. `contacts` holds obstacles: on return, the contacts of `x` with their forces.
    ///
    /// A solve may take several calls, for example if results come from a device or another thread: it is called again
    /// with the same objective and with the `x` that it returned, until it returns [`Progress::Done`].
    fn advance(
        &mut self,
        objective: &Objective<'_>,
        x: &mut [Vec3],
        memory: &mut [Memory],
        contacts: &mut Contacts<'_>,
        clock: &Clock,
    ) -> Result<Progress, SolveError>;

    /// Takes the place of another solver, because bodies have come, gone or changed, or came apart. What that one has
    /// prepared for bodies that stay can be used again.
    fn succeed(&mut self, _last: Box<dyn Solver>) {}

    /// Whether its positions are final, even if a vertex ends inside a collider.
    fn keeps_positions(&self) -> bool {
        false
    }

    /// Whether it reads [`Objective::inertial`], the positions from inertia alone, although it starts elsewhere.
    fn reads_inertial(&self) -> bool {
        false
    }

    /// Receives the start of a substep, before its first solve: the state, and the velocities \[m/s\] one substep
    /// earlier with that substep's length \[s\], if they are known.
    fn begin_step(&mut self, _state: &State, _earlier: Option<(&[Vec3], f64)>) {}

    /// Writes what it keeps from step to step, besides positions and velocities, into the state after a successful substep.
    fn finish_step(&mut self, _part: &Substep, _state: &mut State) {}

    /// Corrects the velocities at the end of a step, if the method needs that: x are the positions at its end, `before`
    /// those at its start, h its length \[s\].
    fn correct_velocities(&mut self, _model: &Model, _before: &[Vec3], _x: &[Vec3], _v: &mut [Vec3], _h: f64) {}

    /// Solves with more care than it was asked for, or not any more: a substep that has gained energy is solved once again.
    fn take_care(&mut self, _is_careful: bool) {}

    /// Whether it brings energies down together. Where it meets constraints one by one, or follows forces, they tell little, and are not watched.
    fn lowers_energies(&self) -> bool {
        true
    }

    /// Elastic energy at x \[J\], by what was prepared for the last solve if that is faster: `objective` has x for its target, and `memory` is that of the
    /// last solve.
    fn elastic_energy(&mut self, objective: &Objective<'_>, x: &mut [Vec3], memory: &mut [Memory]) -> f64 {
        objective.elastic_energy(x, memory)
    }

    /// Pressures of fluid particles in the last step, by body; empty if there are none.
    fn fluid_readings(&self) -> Vec<FluidReadings> {
        Vec::new()
    }
}
