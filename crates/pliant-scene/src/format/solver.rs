//! `[solver]`.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;

/// Which solver: `[solver.auto]`, `[solver.projective]`, `[solver.two-metric]`, `[solver.newton]`, `[solver.position-based]`,
/// `[solver.follow-leader]`, `[solver.explicit]` or `[solver.gpu]`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SolverSection {
    /// Chooses a solver and the number of substeps from what the scene contains.
    Auto {},
    /// Local/global iterations with a prefactored matrix.
    Projective(ProjectiveSection),
    /// Newton's method with few linear iterations and the prefactored matrix: for stiff bodies, thin bodies and contact.
    TwoMetric(TwoMetricSection),
    /// Newton's method: exact and slow.
    Newton(NewtonSection),
    /// Position-based dynamics: cheap iterations; few of them make stiff bodies soft.
    PositionBased(PositionBasedSection),
    /// Inextensible hair: each strand is solved in one pass from its pinned root.
    FollowLeader(FollowLeaderSection),
    /// Explicit integration: cheap and accurate at short time steps; elements that are too small for the step use shape
    /// matching.
    Explicit(ExplicitSection),
    /// `auto`, `projective`, `two-metric`, `position-based` or `follow-leader` on a graphics processor.
    Gpu(GpuSection),
}

/// Which method runs on which graphics processor. Without a method it is what `auto` would choose.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GpuSection {
    /// A part of the name of the adapter, in any case; `pliant gpu` lists them. By default the fastest kind that there is.
    pub adapter: Option<String>,
    /// Local/global iterations. The acceleration is any but `lbfgs`; the precision is `single`.
    pub projective: Option<ProjectiveSection>,
    /// Newton's method with few linear iterations and the prefactored matrix.
    #[serde(rename = "two-metric")]
    pub two_metric: Option<TwoMetricSection>,
    /// Position-based dynamics, for worlds whose state stays on the processor alone.
    #[serde(rename = "position-based")]
    pub position_based: Option<Box<PositionBasedSection>>,
    /// Inextensible hair, for worlds whose state stays on the processor alone.
    #[serde(rename = "follow-leader")]
    pub follow_leader: Option<FollowLeaderSection>,
    /// Whether the state stays on the processor from frame to frame, which is faster. True: a scene for which that cannot be is an error. False: it comes back after every solve.
    /// By default it stays where that is possible.
    pub resident: Option<bool>,
    /// Whether the factored matrix is stored with half the digits (f16): large scenes are solved faster, and a solve is off by about a thousandth of itself, which iterations make
    /// good. False by default.
    #[serde(rename = "half-precision-factor")]
    pub half_precision_factor: Option<bool>,
}

/// Parameters of explicit integration.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExplicitSection {
    /// Whether elements that are too stiff for the step use shape matching; otherwise the scene explodes. True by default.
    pub stabilise: Option<bool>,
    /// An element is matched if the step is above this share of the longest step that it allows, up to 1; 0.9 by default.
    pub safety: Option<f64>,
}

/// Parameters of follow-the-leader. The world may contain only strands, each with a pinned vertex.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FollowLeaderSection {
    /// How much of a follower's correction slows its leader, 0 to below 1; 0.9 by default.
    pub correction: Option<f64>,
    /// Interaction of hair with hair.
    pub grid: Option<HairGridSection>,
    /// The hair style.
    pub style: Option<HairStyleSection>,
}

/// Interaction of hair with hair, through a grid.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HairGridSection {
    /// Side of a cell (m).
    pub cell: f64,
    /// Rate at which velocities approach those of the surrounding hair (1/s); 0 by default.
    #[serde(default)]
    pub friction: f64,
    /// How strongly dense hair spreads out (m²/s²); 0 by default.
    #[serde(default)]
    pub repulsion: f64,
}

/// How hair keeps its rest shape. Shares are per step, as in position-based dynamics.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HairStyleSection {
    /// Share by which an iteration turns a segment towards its rest direction relative to the segment before it, 0 to
    /// 1; keeps curls and waves; 0 by default.
    #[serde(default)]
    pub local: f64,
    /// Number of these iterations per step; 3 by default.
    pub iterations: Option<usize>,
    /// Share by which vertices are pulled towards their rest positions, which follow the pins, 0 to 1; 0 by default.
    #[serde(default)]
    pub global: f64,
    /// Share of each strand, from the root, that is pulled towards its rest position, 0 to 1; 1 by default.
    pub global_range: Option<f64>,
}

/// Parameters of local/global iterations.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProjectiveSection {
    /// Maximum number of iterations per step; 10 by default.
    pub iterations: Option<usize>,
    /// Stops when the largest unbalanced force on a vertex is at most this share of the largest force of the step.
    pub tolerance: Option<f64>,
    /// Acceleration; Anderson with a window of 5 by default.
    pub acceleration: Option<AccelerationSection>,
    /// Precision of the linear solve and of projections; single by default. Both converge to the same result.
    pub precision: Option<PrecisionSection>,
    /// The positions from which iterations start; predicted by default.
    pub start: Option<StartName>,
}

/// Floating-point precision of a solver.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PrecisionSection {
    /// Single precision where later iterations correct the error; about twice as fast.
    Single,
    /// Double precision everywhere.
    Double,
}

/// How iterations are accelerated.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum AccelerationSection {
    /// Plain local/global.
    None {},
    /// Anderson acceleration.
    Anderson {
        /// Number of remembered iterates, 1 to 16.
        window: usize,
    },
    /// Chebyshev semi-iteration.
    Chebyshev {
        /// Estimate of the spectral radius, below 1.
        rho: f64,
        /// Number of plain iterations before it starts.
        delay: usize,
    },
    /// L-BFGS with a line search; contacts must be constraints.
    Lbfgs {
        /// Number of remembered changes of positions and forces, 1 to 16.
        history: usize,
    },
}

/// Parameters of the two-metric Newton's method.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TwoMetricSection {
    /// Maximum number of iterations per step; 3 by default.
    pub iterations: Option<usize>,
    /// Maximum number of linear iterations in each; 16 by default.
    pub linear_iterations: Option<usize>,
    /// Linear iterations end at this share of the residual, below 1; 0.05 by default.
    pub linear_tolerance: Option<f64>,
    /// Adds another iteration only if the objective g differs from what the last one predicted by more than this share
    /// of the energy of the bodies, or if g is higher than it would be if nothing moved. With 0, the default, all
    /// iterations are made.
    pub energy_tolerance: Option<f64>,
    /// Minimum number of iterations with `energy_tolerance`; 1 by default.
    pub least_iterations: Option<usize>,
    /// The same while there are contacts; 1 by default.
    pub contact_iterations: Option<usize>,
    /// Stops when the largest unbalanced force on a vertex is at most this share of the largest force of the step.
    pub tolerance: Option<f64>,
    /// The preconditioner of linear systems: both metrics (`product`, the default, or the cheaper `sum`), or the
    /// prefactored matrix alone (`factor`), which is enough for solids.
    pub preconditioner: Option<PreconditionerName>,
    /// The positions from which iterations start; predicted by default.
    pub start: Option<StartName>,
}

/// Preconditioner of the two-metric Newton's method.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PreconditionerName {
    /// The prefactored matrix alone.
    Factor,
    /// The sum of the prefactored matrix and the diagonal blocks.
    Sum,
    /// Diagonal blocks, matrix, diagonal blocks, each applied to the residual of the one before.
    Product,
}

/// Parameters of Newton's method.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NewtonSection {
    /// Maximum number of iterations per step; 200 by default.
    pub iterations: Option<usize>,
    /// Stops when the largest unbalanced force on a vertex is at most this share of the largest force of the step.
    pub tolerance: Option<f64>,
    /// Number of local/global iterations before the first one; 0 by default.
    pub warm_start: Option<usize>,
    /// Makes one linearised step from the last positions, without line search (Baraff and Witkin).
    #[serde(default)]
    pub semi_implicit: bool,
    /// What to do if the matrix is not positive definite: `projected` by default.
    pub curvature: Option<NewtonCurvatureName>,
    /// The positions from which iterations start; predicted by default.
    pub start: Option<StartName>,
}

/// What Newton's method does if its matrix is not positive definite.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum NewtonCurvatureName {
    /// Removes the negative part of each element's matrix; near the solution the true matrix is tried first.
    Projected,
    /// Nothing; the step fails.
    Raw,
    /// Shifts the diagonal of the true matrix until it is positive definite (Martin et al. 2011).
    Shifted,
}

/// Parameters of position-based dynamics.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PositionBasedSection {
    /// Number of iterations per step; 10 by default.
    pub iterations: Option<usize>,
    /// Stops when an iteration moves no vertex by more than this fraction of the scene's diagonal. With 0, the default,
    /// all iterations are made.
    pub tolerance: Option<f64>,
    /// Classic position-based dynamics: the share of an error, 0 to 1, that the iterations of a step correct. By
    /// default the stiffness is that of the materials (XPBD).
    pub stiffness: Option<f64>,
    /// Shares for some kinds of constraints, by name.
    #[serde(default)]
    pub stiffness_of: BTreeMap<String, f64>,
    /// How an iteration processes the constraints; gauss-seidel by default.
    pub sweep: Option<SweepSection>,
    /// Which constraints come first; as-added by default.
    pub order: Option<SweepOrderName>,
    /// Levels of coarser vertices that keep bodies from stretching as a whole, solved before each iteration; none by
    /// default.
    pub levels: Option<StretchLevelsSection>,
    /// Goes on after the iterations until the mean relative excess of fluids over their rest density is at most this,
    /// such as 0.001. By default the number of iterations is fixed.
    pub density_tolerance: Option<f64>,
    /// With density_tolerance, the most iterations of a step; 200 by default.
    pub density_iterations: Option<usize>,
}

/// Levels of coarser vertices that keep bodies from stretching as a whole: `levels = {}` has the defaults.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StretchLevelsSection {
    /// Maximum number of levels above the mesh, 1 to 16; 8 by default.
    pub levels: Option<usize>,
    /// Number of rounds on each level per iteration, 1 to 100; 1 by default.
    pub rounds: Option<usize>,
    /// Stretch that they allow, as length over rest length, at least 1; 1 by default.
    pub most: Option<f64>,
}

/// How an iteration processes the constraints.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum SweepSection {
    /// One colour of constraints after the other.
    GaussSeidel {},
    /// All constraints at once; each vertex moves by the mean of its corrections.
    Jacobi {
        /// Factor on movements, above 0 and below 2.
        relaxation: f64,
    },
}

/// Which constraints come first in an iteration.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SweepOrderName {
    /// In the order of bodies and their energies in the scene.
    AsAdded,
    /// In the reverse order.
    Reversed,
    /// Forwards and backwards in turn.
    Alternating,
}

/// The positions from which the iterations of a step start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum StartName {
    /// Where inertia and external forces would bring the vertices. Least damped with few iterations.
    Predicted,
    /// Where inertia alone would bring them.
    Inertial,
    /// Where they were before the step: for bodies that come to rest, as iterations add up over the steps.
    Previous,
}
