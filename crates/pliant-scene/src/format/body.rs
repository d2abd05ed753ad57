//! `[[body]]` and what refers to bodies.

use schemars::JsonSchema;
use serde::Deserialize;

use super::{EnergySection, Keyframe, MaterialSection, Rotation, Select, ShapeSection, TearSection};

/// A body.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BodySection {
    /// Its name, by which other sections refer to it.
    pub name: String,
    /// Its shape at rest.
    pub shape: ShapeSection,
    /// Where it stands.
    pub transform: Option<TransformSection>,
    /// What it is made of.
    pub material: MaterialSection,
    /// More energies.
    #[serde(default)]
    pub energy: Vec<EnergySection>,
    /// Vertices that stay, or follow keyframes exactly.
    #[serde(default)]
    pub pin: Vec<PinSection>,
    /// Vertices that are pulled by springs to where keyframes say.
    #[serde(default)]
    pub handle: Vec<HandleSection>,
    /// Threads from every vertex to pinned ones, so that the body keeps its length at few iterations of the position-based solver.
    pub long_range: Option<LongRangeSection>,
    /// A finer surface that follows this one, wrinkles where it is pressed together, and is what pictures and exports show.
    pub wrinkles: Option<WrinklesSection>,
    /// How it tears; it does not without.
    pub tear: Option<TearSection>,
    /// Velocity at the start (m/s).
    #[serde(default)]
    pub velocity: [f64; 3],
    /// Angular velocity at the start about its centre of mass (rad/s).
    #[serde(default)]
    pub spin: [f64; 3],
    /// Whether it is kept from passing through itself, where the scene has self-collision; true by default.
    pub self_collision: Option<bool>,
    /// Overpressure inside its surface (Pa).
    #[serde(default)]
    pub pressure: f64,
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
    /// Which vertices.
    pub select: Select,
    /// How they move; they stay without.
    #[serde(default)]
    pub keyframe: Vec<Keyframe>,
}

/// Threads from every vertex of a body to its pinned vertices (long-range attachments).
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LongRangeSection {
    /// How long threads are; geodesic by default.
    pub lengths: Option<ThreadLengthsName>,
    /// Threads of each vertex, to the nearest pinned vertices, 1 to 64; 1 by default.
    pub points: Option<usize>,
    /// Fraction by which threads are longer than that; 0 by default.
    pub slack: Option<f64>,
}

/// A finer surface on a coarse one (wrinkle mesh).
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WrinklesSection {
    /// How often each triangle is cut in four, 1 to 6.
    pub subdivisions: u32,
    /// How far a fine vertex may go from the coarse surface (m); three fine edges by default.
    pub reach: Option<f64>,
    /// Whether fine vertices stay on the side that the normals point to; true by default.
    pub one_sided: Option<bool>,
    /// Share of the way, 0 to 1, that vertices across an edge go back to their distance in an iteration: more makes wider wrinkles; 0.9 by default.
    pub bending: Option<f64>,
    /// Iterations in a step, at least; 100 by default.
    pub iterations: Option<usize>,
    /// Strain of an edge that a step goes on for; 0.008 by default.
    pub tolerance: Option<f64>,
    /// Iterations in a step, at most; 1000 by default.
    pub most_iterations: Option<usize>,
}

/// How long threads are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ThreadLengthsName {
    /// The way over the body at rest; a folded rest shape can unfold.
    #[default]
    Geodesic,
    /// The straight distance at rest.
    Euclidean,
}

/// Vertices pulled by springs.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HandleSection {
    /// Which vertices.
    pub select: Select,
    /// Stiffness of each spring (N/m).
    pub stiffness: f64,
    /// How their goals move; they stay without.
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
    /// Length of the springs; zero by default.
    pub length: Option<LengthName>,
    /// Joins only what is at most this far apart at rest (m).
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
    /// The first with the first, and so on; both ends have the same number.
    #[default]
    InOrder,
    /// Each vertex of `from` with the vertex of `to` nearest to it at rest.
    Nearest,
}

/// Length of attachments.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LengthName {
    /// None: vertices are pulled together.
    #[default]
    Zero,
    /// That at rest: vertices keep their distance.
    Rest,
}
