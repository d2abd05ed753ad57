//! `[output]`.

use schemars::JsonSchema;
use serde::Deserialize;

/// What `pliant run` produces from the frames; options of the command line take precedence.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OutputSection {
    /// Formats to export to after the run: obj, ply, vtu, npy, glb, pc2, mdd, usda.
    #[serde(default)]
    pub formats: Vec<String>,
    /// Exports every n-th frame; 1 by default.
    pub every: Option<u64>,
    /// Which pictures are drawn after the run; animation by default.
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
    /// The frame with the largest elastic energy: preview.png.
    Poster,
    /// Also the motion, in at most 30 small pictures: preview.gif, and preview.mp4 if ffmpeg is installed.
    #[default]
    Animation,
    /// Also every frame at full size: preview/000000.png and so on; preview.mp4 is then made from these.
    Frames,
}

/// What the colours of a picture show.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
pub enum ColorBy {
    /// The body.
    #[default]
    Body,
    /// The largest principal strain.
    Strain,
    /// The speed.
    Speed,
}
