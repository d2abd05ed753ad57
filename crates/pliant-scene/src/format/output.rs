//! `[output]`.

use schemars::JsonSchema;
use serde::Deserialize;

/// What `pliant run` makes of the frames; the command line decides where it says something else.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OutputSection {
    /// Formats to export to when done: obj, ply, vtu, npy, glb, pc2, mdd, usda.
    #[serde(default)]
    pub formats: Vec<String>,
    /// Exports every n-th frame; 1 by default.
    pub every: Option<u64>,
    /// Whether pictures are drawn when done.
    pub preview: Option<bool>,
    /// What colours in pictures mean; body by default.
    pub colour_by: Option<ColourBy>,
}

/// What colours mean.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ColourBy {
    /// Each body has one.
    #[default]
    Body,
    /// Speed (m/s).
    Speed,
    /// Largest ratio of an edge's length to its rest length at each vertex.
    Stretch,
}
