//! `[[body]]` and the sections that refer to bodies.

use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    ConstraintSection, EnergySection, Keyframe, MaterialSection, Rotation, Select, ShapeSection, SolverSection,
    TearSection, UpsampleSection,
};

/// A body.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BodySection {
    /// Its name; other sections use it to refer to this body.
    pub name: String,
    /// Its shape at rest.
    pub shape: ShapeSection,
    /// Where it is placed.
    pub transform: Option<TransformSection>,
    /// What it is made of.
    pub material: MaterialSection,
    /// Additional energies.
    #[serde(default)]
    pub energy: Vec<EnergySection>,
    /// Additional constraints, which only the position-based solver has.
    #[serde(default)]
    pub constraint: Vec<ConstraintSection>,
    /// Vertices that are fixed, or follow keyframes exactly.
    #[serde(default)]
    pub pin: Vec<PinSection>,
    /// Vertices that springs pull towards goals, which may follow keyframes.
    #[serde(default)]
    pub handle: Vec<HandleSection>,
    /// Threads from every vertex to pinned vertices, which keep the body from stretching with few iterations of the
    /// position-based solver.
    pub long_range: Option<LongRangeSection>,
    /// A finer surface that follows this one and wrinkles where it is compressed; pictures and exports show it.
    pub wrinkles: Option<WrinklesSection>,
    /// A finer surface that follows this one, with detail that was learnt; pictures and exports show it.
    pub upsample: Option<UpsampleSection>,
    /// How it tears; without this key it does not tear.
    pub tear: Option<TearSection>,
    /// Velocity at the start (m/s).
    #[serde(default)]
    pub velocity: [f64; 3],
    /// Angular velocity at the start about its centre of mass (rad/s).
    #[serde(default)]
    pub spin: [f64; 3],
    /// Whether it is kept from passing through itself, if the scene has self-collision; true by default.
    pub self_collision: Option<bool>,
    /// Whether fluid flows through it, as a world with a fluid needs to know of strands, rods, hair and other bodies without a surface; false by default.
    #[serde(default)]
    pub permeable: bool,
    /// Overpressure inside its surface (Pa).
    #[serde(default)]
    pub pressure: f64,
    /// When it comes into the world (s), at the beginning of a frame; at the start by default. It comes with its shape,
    /// place and velocity of the start.
    pub from: Option<f64>,
    /// When it leaves the world (s), at the beginning of a frame; never by default.
    pub until: Option<f64>,
    /// The solver that moves it, such as `solver.projective = {}`; by default that of the scene. Bodies that are attached
    /// to each other share a solver, unless each names its own.
    pub solver: Option<SolverSection>,
    /// Its colour in pictures, as "#rrggbb"; by default from a palette, by its number.
    pub color: Option<String>,
}

/// Scale, then rotation, then translation.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TransformSection {
    /// Factor on all lengths; 1 by default.
    pub scale: Option<f64>,
    /// Rotation.
    pub rotate: Option<Rotation>,
    /// Translation (m).
    #[serde(default)]
    pub translate: [f64; 3],
}

/// Pinned vertices.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PinSection {
    /// The vertices.
    pub select: Select,
    /// How they move; without keyframes they are fixed.
    #[serde(default)]
    pub keyframe: Vec<Keyframe>,
}

/// Threads from every vertex of a body to its pinned vertices (long-range attachments).
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LongRangeSection {
    /// How the length of threads is measured; geodesic by default.
    pub lengths: Option<ThreadLengthsName>,
    /// Number of threads per vertex, to the nearest pinned vertices, 1 to 64; 1 by default.
    pub points: Option<usize>,
    /// Fraction by which threads are longer than this length; 0 by default.
    pub slack: Option<f64>,
}

/// A finer surface on a coarse one (wrinkle mesh).
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WrinklesSection {
    /// How many times each triangle is divided into four, 1 to 6.
    pub subdivisions: u32,
    /// How far a fine vertex may move from the coarse surface (m); three fine edges by default.
    pub reach: Option<f64>,
    /// Whether fine vertices stay on the side that the normals point to; true by default.
    pub one_sided: Option<bool>,
    /// Share, 0 to 1, of the bending error across an edge that each iteration corrects: larger values make wider
    /// wrinkles; 0.9 by default.
    pub bending: Option<f64>,
    /// Minimum number of iterations per step; 100 by default.
    pub iterations: Option<usize>,
    /// Iterations continue while an edge is strained by more than this; 0.008 by default.
    pub tolerance: Option<f64>,
    /// Maximum number of iterations per step; 1000 by default.
    pub most_iterations: Option<usize>,
}

/// How the length of threads is measured.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ThreadLengthsName {
    /// Along the body at rest; a folded rest shape can unfold.
    #[default]
    Geodesic,
    /// The straight-line distance at rest.
    Euclidean,
}

/// Vertices that are pulled by springs.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HandleSection {
    /// The vertices.
    pub select: Select,
    /// Stiffness of each spring (N/m).
    pub stiffness: f64,
    /// How the goals move; without keyframes they are the rest positions.
    #[serde(default)]
    pub keyframe: Vec<Keyframe>,
}

/// Springs between vertices of two bodies.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Attachment {
    /// One end.
    pub from: AttachmentEnd,
    /// The other.
    pub to: AttachmentEnd,
    /// Stiffness of each spring (N/m).
    pub stiffness: f64,
    /// Which vertices are joined; in-order by default.
    pub join: Option<JoinName>,
    /// Rest length of the springs; zero by default.
    pub length: Option<LengthName>,
    /// Joins only vertices that are at most this far apart at rest (m).
    pub within: Option<f64>,
}

/// The vertices of a body at one end of attachments.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AttachmentEnd {
    /// Name of the body.
    pub body: String,
    /// Which vertices; all by default.
    pub select: Option<Select>,
}

/// Which vertices are joined.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum JoinName {
    /// The first with the first, and so on; both ends must have the same number of vertices.
    #[default]
    InOrder,
    /// Each vertex of `from` with the vertex of `to` nearest to it at rest.
    Nearest,
}

/// Rest length of attachments.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LengthName {
    /// Zero: vertices are pulled together.
    #[default]
    Zero,
    /// The distance at rest: vertices keep their distance.
    Rest,
}
