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
    /// Which pictures are drawn when done; animation by default.
    pub preview: Option<Preview>,
    /// What the colours of pictures show; body by default.
    pub color: Option<ColorBy>,
}

/// Which pictures of a run are drawn.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
pub enum Preview {
    /// None.
    Off,
    /// The frame of the largest elastic energy: preview.png.
    Poster,
    /// Also the motion, in at most 30 small pictures: preview.gif, and preview.mp4 where ffmpeg is installed.
    #[default]
    Animation,
    /// Also every frame, large: preview/000000.png and so on, of which preview.mp4 is then made.
    Frames,
}

/// What the colours of a picture show.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
pub enum ColorBy {
    /// Which body it is.
    #[default]
    Body,
    /// The largest principal strain.
    Strain,
    /// The speed.
    Speed,
}
