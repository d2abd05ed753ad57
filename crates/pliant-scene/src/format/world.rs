//! `[world]` and `[solver]`.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;

/// Time, gravity, wind and damping.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WorldSection {
    /// Frames per second of the result (1/s); 60 by default.
    pub frame_rate: Option<f64>,
    /// Equal steps per frame, 1 to 10000; by default one, or as many as the solver `auto` chooses. What moves is where it is at each; two to four follow fast motion that one damps.
    pub substeps: Option<u32>,
    /// Frames to simulate; 120 by default.
    pub frames: Option<u32>,
    /// Acceleration of free fall (m/s²); [0, -9.81, 0] by default.
    pub gravity: Option<[f64; 3]>,
    /// Time integrator. By default `solver.auto` chooses it, bdf2 for worlds of solids alone without self-collision; with every other solver it is implicit-euler.
    pub integrator: Option<IntegratorName>,
    /// Air that moves past surfaces.
    pub wind: Option<WindSection>,
    /// Damping; none by default.
    pub damping: Option<DampingSection>,
}

impl WorldSection {
    /// This section with the values of another on top.
    pub(crate) fn overlaid(self, above: Self) -> Self {
        Self {
            frame_rate: above.frame_rate.or(self.frame_rate),
            substeps: above.substeps.or(self.substeps),
            frames: above.frames.or(self.frames),
            gravity: above.gravity.or(self.gravity),
            integrator: above.integrator.or(self.integrator),
            wind: above.wind.or(self.wind),
            damping: above.damping.or(self.damping),
        }
    }
}

/// How time advances.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum IntegratorName {
    /// First order, most robust.
    ImplicitEuler,
    /// Second order, two-step.
    Bdf2,
    /// Second order, two stages; little damping of slow motion.
    TrBdf2,
    /// Second order, keeps energy; rings on stiff scenes.
    ImplicitMidpoint,
}

/// Air that moves past surfaces, strands and oriented particles. Give `velocity` or `keyframe`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WindSection {
    /// Velocity of the air (m/s).
    pub velocity: Option<[f64; 3]>,
    /// How the velocity changes.
    #[serde(default)]
    pub keyframe: Vec<WindKeyframe>,
    /// Rise and fall of the velocity.
    pub gust: Option<GustSection>,
    /// Density of the air (kg/m³); 1.2 by default.
    pub air_density: Option<f64>,
    /// Drag coefficient of surfaces; 1 by default.
    pub drag: Option<f64>,
    /// Drag coefficient of strands across the flow, on their width × length; 1.1 by default.
    pub strand_drag: Option<f64>,
    /// The same along them; 0.05 by default.
    pub strand_friction: Option<f64>,
    /// Eddies; none by default.
    pub turbulence: Option<TurbulenceSection>,
}

/// Eddies that the wind carries along: smooth, and without sources.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TurbulenceSection {
    /// Root mean square of each component of the eddies' velocity, as a share of the wind's speed: 0.1 over open water, 0.3 among houses.
    pub strength: f64,
    /// Size of the largest eddies (m); 1 by default. The smallest have a sixth of it.
    pub length: Option<f64>,
    /// Other numbers, other eddies; 0 by default.
    pub seed: Option<u64>,
}

/// A velocity at a moment. Between keyframes velocities are interpolated; before the first and after the last they stay.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WindKeyframe {
    /// When (s).
    pub time: f64,
    /// Velocity of the air (m/s).
    pub velocity: [f64; 3],
}

/// The velocity is multiplied by 1 + strength · sin(2π time / period).
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GustSection {
    /// Share of the velocity that comes and goes.
    pub strength: f64,
    /// From gust to gust (s).
    pub period: f64,
}

/// Damping rates.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DampingSection {
    /// Ether drag (1/s).
    pub drag: Option<f64>,
    /// Decay of motion other than rigid (1/s).
    pub deformation: Option<f64>,
    /// Stiffness-proportional damping (s).
    pub stiffness: Option<f64>,
    /// Decay of the rate at which edges grow or shrink, edge by edge (1/s).
    pub spring: Option<f64>,
    /// Decay of motion towards and away from the centre of mass of each cluster (1/s).
    pub radial: Option<f64>,
    /// Vertices of a cluster, about; 0, the default, for whole bodies.
    pub cluster: Option<usize>,
}

/// Which solver: `[solver.auto]`, `[solver.projective]`, `[solver.two-metric]`, `[solver.newton]`, `[solver.position-based]` or `[solver.follow-leader]`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SolverSection {
    /// What suits the scene, by a rule on what it contains; also in how many parts each step is taken.
    Auto {},
    /// Local/global iterations with a prefactored matrix.
    Projective(ProjectiveSection),
    /// Newton's method by few linear iterations over the prefactored matrix: stiff, thin and touching bodies.
    TwoMetric(TwoMetricSection),
    /// Newton's method: exact and slow.
    Newton(NewtonSection),
    /// Position-based dynamics: cheap iterations that soften what is stiff.
    PositionBased(PositionBasedSection),
    /// Each strand in one pass from its pinned root: inextensible hair.
    FollowLeader(FollowLeaderSection),
    /// Explicit integration: cheap and exact at short time steps; elements too small for the step are matched to their shape.
    Explicit(ExplicitSection),
}

/// Parameters of explicit integration.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExplicitSection {
    /// Whether elements that allow no step as long are matched to their shape; otherwise the scene explodes. Yes by default.
    pub stabilise: Option<bool>,
    /// They are where the step is above this share of the longest that they allow, up to 1; 0.9 by default.
    pub safety: Option<f64>,
}

/// Parameters of follow-the-leader. The world may have strands only, each with a pinned vertex.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FollowLeaderSection {
    /// How much of a follower's correction slows its leader, 0 to below 1; 0.9 by default.
    pub correction: Option<f64>,
    /// Hair against hair.
    pub grid: Option<HairGridSection>,
    /// What hair keeps of its rest shape.
    pub style: Option<HairStyleSection>,
}

/// Hair against hair, through a grid.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HairGridSection {
    /// Side of a cell (m).
    pub cell: f64,
    /// Rate at which velocities become those of the hair around (1/s); 0 by default.
    #[serde(default)]
    pub friction: f64,
    /// How strongly dense hair spreads (m²/s²); 0 by default.
    #[serde(default)]
    pub repulsion: f64,
}

/// What hair keeps of its rest shape. Shares are per step, as in position-based dynamics.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HairStyleSection {
    /// Share of the way to the locally right direction in an iteration, 0 to 1; keeps curls and waves; 0 by default.
    #[serde(default)]
    pub local: f64,
    /// Iterations of that in a step; 3 by default.
    pub iterations: Option<usize>,
    /// Share of the way to the place at rest, carried along by the pins, 0 to 1; 0 by default.
    #[serde(default)]
    pub global: f64,
    /// Share of each strand, from the root, that is drawn to its place at rest, 0 to 1; 1 by default.
    pub global_range: Option<f64>,
}

/// Parameters of local/global iterations.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProjectiveSection {
    /// Most iterations in a step; 10 by default.
    pub iterations: Option<usize>,
    /// Stops when the largest unbalanced force on a vertex is at most this share of the largest force of the step.
    pub tolerance: Option<f64>,
    /// Acceleration; Anderson with a window of 5 by default.
    pub acceleration: Option<AccelerationSection>,
    /// Numbers of the linear solve and of projections; single by default. Both converge to the same result.
    pub precision: Option<PrecisionSection>,
}

/// Numbers that a solver works with.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PrecisionSection {
    /// Single where iterations correct it, about twice as fast.
    Single,
    /// Double throughout.
    Double,
}

/// How iterations build on each other.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum AccelerationSection {
    /// Plain local/global.
    None {},
    /// Anderson acceleration.
    Anderson {
        /// Iterates remembered, 1 to 16.
        window: usize,
    },
    /// Chebyshev semi-iteration.
    Chebyshev {
        /// Estimate of the spectral radius, below 1.
        rho: f64,
        /// Plain iterations before it sets in.
        delay: usize,
    },
    /// L-BFGS with a line search; contacts must be constraints.
    Lbfgs {
        /// Changes of positions and forces remembered, 1 to 16.
        history: usize,
    },
}

/// Parameters of the two-metric Newton.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TwoMetricSection {
    /// Most iterations in a step; 3 by default.
    pub iterations: Option<usize>,
    /// Most linear iterations in each; 16 by default.
    pub linear_iterations: Option<usize>,
    /// Share of the residual that linear iterations may leave, below 1; 0.05 by default.
    pub linear_tolerance: Option<f64>,
    /// Makes another iteration only while the last one has missed what it promised by more than this share of the energy that bodies have, or has left g above what it would be if nothing moved; 0 by default: all iterations.
    pub energy_tolerance: Option<f64>,
    /// Iterations at least, where `energy_tolerance` would end them earlier; 1 by default.
    pub least_iterations: Option<usize>,
    /// The same while something touches; 1 by default.
    pub contact_iterations: Option<usize>,
    /// Stops when the largest unbalanced force on a vertex is at most this share of the largest force of the step.
    pub tolerance: Option<f64>,
    /// What linear systems are preconditioned by: both metrics (`product`, the default, or the cheaper `sum`), or the prefactored matrix
    /// alone (`factor`), which suffices for solids.
    pub preconditioner: Option<PreconditionerName>,
}

/// What the two-metric Newton is preconditioned by.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PreconditionerName {
    /// The prefactored matrix alone.
    Factor,
    /// The prefactored matrix and the blocks on the diagonal, added.
    Sum,
    /// Blocks, matrix, blocks, each on what the one before has left.
    Product,
}

/// Parameters of Newton's method.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NewtonSection {
    /// Most iterations in a step; 200 by default.
    pub iterations: Option<usize>,
    /// Stops when the largest unbalanced force on a vertex is at most this share of the largest force of the step.
    pub tolerance: Option<f64>,
    /// Local/global iterations before the first; 0 by default.
    pub warm_start: Option<usize>,
    /// One linearisation at the last positions, taken in full (Baraff and Witkin).
    #[serde(default)]
    pub semi_implicit: bool,
    /// What is done where the matrix is not positive definite: `projected` by default.
    pub curvature: Option<NewtonCurvatureName>,
}

/// What Newton's method does where its matrix is not positive definite.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum NewtonCurvatureName {
    /// Elements leave out what is negative; near the solution the true matrix is tried first.
    Projected,
    /// Nothing: the step fails.
    Raw,
    /// The diagonal of the true matrix is shifted until it is positive definite (Martin et al. 2011).
    Shifted,
}

/// Parameters of position-based dynamics.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PositionBasedSection {
    /// Iterations in a step; 10 by default.
    pub iterations: Option<usize>,
    /// Stops when an iteration moves no vertex by more than this fraction of the scene's diagonal; 0 by default: all iterations.
    pub tolerance: Option<f64>,
    /// Classic position-based dynamics: the share of an error, 0 to 1, that the iterations of a step take away. Without it the stiffness is
    /// that of the materials (XPBD).
    pub stiffness: Option<f64>,
    /// Shares of single kinds of constraints, by their names.
    #[serde(default)]
    pub stiffness_of: BTreeMap<String, f64>,
    /// How an iteration goes over the constraints; gauss-seidel by default.
    pub sweep: Option<SweepSection>,
    /// Which constraints come first; as-added by default.
    pub order: Option<SweepOrderName>,
    /// Levels of coarser vertices that keep bodies from stretching as a whole, ahead of each iteration; none by default.
    pub levels: Option<StretchLevelsSection>,
}

/// Levels of coarser vertices that keep bodies from stretching as a whole: `levels = {}` has the defaults.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StretchLevelsSection {
    /// Most levels above the mesh, 1 to 16; 8 by default.
    pub levels: Option<usize>,
    /// Rounds on each level in an iteration, 1 to 100; 1 by default.
    pub rounds: Option<usize>,
    /// Stretch that they let pass, as length over rest length, at least 1; 1 by default.
    pub most: Option<f64>,
}

/// How an iteration goes over the constraints.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum SweepSection {
    /// One colour after the other.
    GaussSeidel {},
    /// All at once, each vertex by the mean.
    Jacobi {
        /// Factor on movements, above 0 and below 2.
        relaxation: f64,
    },
}

/// Which constraints come first in an iteration.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SweepOrderName {
    /// As bodies and their energies stand in the scene.
    AsAdded,
    /// The other way.
    Reversed,
    /// There, and back in the next iteration.
    Alternating,
}
