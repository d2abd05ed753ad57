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

/// A deformation of a body as it stands. Along an axis the body has a length: from the first of its vertices that way to the
/// last. The part between `from` and `to`, as fractions of that length, is deformed; what lies beyond follows rigidly.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Deformation {
    /// Lengths along x, y and z change by factors, about the middle of the body.
    Stretch {
        /// Factors along x, y and z.
        factors: [f64; 3],
    },
    /// One end turns against the other.
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
    /// The body becomes an arc.
    Bend {
        /// The axis that is bent.
        axis: [f64; 3],
        /// The direction it bends towards; its part along the axis does not count.
        towards: [f64; 3],
        /// Angle between the two ends (°).
        degrees: f64,
        /// Where it begins; 0 by default.
        from: Option<f64>,
        /// Where it ends; 1 by default.
        to: Option<f64>,
    },
}
