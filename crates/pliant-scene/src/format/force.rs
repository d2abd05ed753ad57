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
    /// The vertices; all by default.
    pub select: Option<Select>,
    /// Total force (N), divided equally between the vertices.
    pub total: Option<[f64; 3]>,
    /// How the force changes over time.
    #[serde(default)]
    pub keyframe: Vec<ForceKeyframe>,
    /// When it begins (s); at the start by default.
    pub from: Option<f64>,
    /// When it ends (s); never by default.
    pub until: Option<f64>,
}

/// A force at a time. Forces are interpolated between keyframes, and constant before the first and after the last.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ForceKeyframe {
    /// Time (s).
    pub time: f64,
    /// Total force on all vertices (N).
    pub total: [f64; 3],
}
