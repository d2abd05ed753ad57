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
    /// Which frame preview.png shows, as a share of the run: 0 for the start, 1 for the end; by default the frame with the
    /// largest elastic energy.
    pub poster: Option<f64>,
    /// Where pictures are seen from; by default the camera looks from the front, a little from the side and above, and
    /// sees all bodies.
    pub camera: Option<CameraSection>,
}

/// The camera of pictures. Give `direction`, and it moves back until it sees everything, or give `eye` and `target`.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CameraSection {
    /// Direction in which it looks, of any non-zero length; [-0.45, -0.3, -1] by default.
    pub direction: Option<[f64; 3]>,
    /// Where it stands (m).
    pub eye: Option<[f64; 3]>,
    /// The point in the middle of the picture (m).
    pub target: Option<[f64; 3]>,
    /// Direction that is up in the picture, of any non-zero length; [0, 1, 0] by default.
    pub up: Option<[f64; 3]>,
    /// Vertical angle that it sees (°), above 0 and at most 170; 35 by default.
    pub field_of_view: Option<f64>,
}

/// Which pictures of a run are drawn.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
pub enum Preview {
    /// None.
    Off,
    /// One frame: preview.png. It is the one that `poster` names, or the frame with the largest elastic energy.
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
