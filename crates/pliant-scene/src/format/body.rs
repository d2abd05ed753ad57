//! `[[body]]` and what refers to bodies.

use schemars::JsonSchema;
use serde::Deserialize;

use super::{EnergySection, Keyframe, MaterialSection, Rotation, Select, ShapeSection};

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
    /// Velocity at the start (m/s).
    #[serde(default)]
    pub velocity: [f64; 3],
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

/// A spring without length between vertices of two bodies.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Attachment {
    /// One end.
    pub from: AttachmentEnd,
    /// The other.
    pub to: AttachmentEnd,
    /// Stiffness (N/m).
    pub stiffness: f64,
}

/// The vertices of a body at one end of attachments; both ends have the same number, and are joined in order.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AttachmentEnd {
    /// Name of the body.
    pub body: String,
    /// Which vertices.
    pub select: Select,
}

/// A constant force.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ForceSection {
    /// Name of the body.
    pub body: String,
    /// Which vertices.
    pub select: Select,
    /// Force on all of them together (N), shared equally.
    pub total: [f64; 3],
}
