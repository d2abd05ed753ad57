//! Poses of a body as examples: deformations of its rest shape, or a file.

use schemars::JsonSchema;
use serde::Deserialize;

use super::UpName;

/// An example pose. Give `deform`, or `file`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PoseSection {
    /// Deformations of the rest shape, one after the other.
    #[serde(default)]
    pub deform: Vec<Deformation>,
    /// A mesh file whose vertices correspond, in order, to those of the body's file; relative to the scene file. Units, up
    /// axis and the body's transform apply to it too.
    pub file: Option<String>,
    /// Metres per unit of the file; 1 by default.
    pub metres_per_unit: Option<f64>,
    /// The axis that points up in the file; y by default.
    pub up: Option<UpName>,
}

/// A deformation of a body in its place. Along an axis, the body has a length: from its first vertex in that direction
/// to its last. The part between `from` and `to`, as fractions of that length, is deformed; the rest follows rigidly.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Deformation {
    /// Scales lengths along x, y and z about the middle of the body.
    Stretch {
        /// Factors along x, y and z.
        factors: [f64; 3],
    },
    /// Rotates one end against the other.
    Twist {
        /// The axis; it passes through the middle of the body.
        axis: [f64; 3],
        /// Angle between the two ends (°).
        degrees: f64,
        /// Where it begins; 0 by default.
        from: Option<f64>,
        /// Where it ends; 1 by default.
        to: Option<f64>,
    },
    /// Bends the body to an arc.
    Bend {
        /// The axis that is bent.
        axis: [f64; 3],
        /// The direction in which it bends; its component along the axis is ignored.
        towards: [f64; 3],
        /// Angle between the two ends (°).
        degrees: f64,
        /// Where it begins; 0 by default.
        from: Option<f64>,
        /// Where it ends; 1 by default.
        to: Option<f64>,
    },
}
