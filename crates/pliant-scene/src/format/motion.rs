//! Keyframes.

use schemars::JsonSchema;
use serde::Deserialize;

/// A pose at a time. Poses are interpolated between keyframes, and constant before the first and after the last.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Keyframe {
    /// Time (s).
    pub time: f64,
    /// Displacement from the rest position (m).
    #[serde(default)]
    pub translate: [f64; 3],
    /// Rotation about a point.
    pub rotate: Option<Rotation>,
}

/// A rotation about an axis through a point.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Rotation {
    /// Axis, of any non-zero length.
    pub axis: [f64; 3],
    /// Angle (°), counter-clockwise when the axis points at the viewer.
    pub degrees: f64,
    /// A point on the axis (m); the origin by default.
    #[serde(default)]
    pub about: [f64; 3],
}
