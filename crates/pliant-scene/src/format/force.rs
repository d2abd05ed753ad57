//! `[[force]]`.

use schemars::JsonSchema;
use serde::Deserialize;

use super::Select;

/// A force on vertices. Give `total` or `keyframe`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ForceSection {
    /// Name of the body.
    pub body: String,
    /// Which vertices; all by default.
    pub select: Option<Select>,
    /// Force on all of them together (N), shared equally.
    pub total: Option<[f64; 3]>,
    /// How the force changes.
    #[serde(default)]
    pub keyframe: Vec<ForceKeyframe>,
    /// When it sets in (s); at the start by default.
    pub from: Option<f64>,
    /// When it ends (s); never by default.
    pub until: Option<f64>,
}

/// A force at a moment. Between keyframes forces are interpolated; before the first and after the last they stay.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ForceKeyframe {
    /// When (s).
    pub time: f64,
    /// Force on all vertices together (N).
    pub total: [f64; 3],
}
