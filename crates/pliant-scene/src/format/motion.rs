//! Keyframes.

use schemars::JsonSchema;
use serde::Deserialize;

/// A pose at a moment. Between keyframes poses are interpolated; before the first and after the last they stand still.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Keyframe {
    /// When (s).
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
    /// Axis; any length but zero.
    pub axis: [f64; 3],
    /// Angle (°), counter-clockwise seen against the axis.
    pub degrees: f64,
    /// A point on the axis (m); the origin by default.
    #[serde(default)]
    pub about: [f64; 3],
}
