//! Why a picture cannot be made.

use std::path::PathBuf;

use pliant::math::Vec3;
use thiserror::Error;

/// What is wrong with a scene, a plot or a file.
#[derive(Debug, Error)]
pub enum ViewError {
    /// An image without pixels, or with too many.
    #[error(
        "an image of {width}×{height} pixels with {samples}×{samples} samples each cannot be drawn (at most {limit} samples, at least one pixel)"
    )]
    ImageSize {
        /// Width \[px\].
        width: usize,
        /// Height \[px\].
        height: usize,
        /// Samples along one side of a pixel.
        samples: usize,
        /// Most samples of an image.
        limit: usize,
    },
    /// A setting is out of range.
    #[error("{name} is {value}, but must be {need}")]
    BadParameter {
        /// Which one.
        name: &'static str,
        /// The given value.
        value: f64,
        /// The required range.
        need: &'static str,
    },
    /// The camera has no direction.
    #[error("the camera at {eye} cannot look at {target}: the points must be finite and apart")]
    BadCamera {
        /// Its position \[m\].
        eye: Vec3,
        /// What it looks at \[m\].
        target: Vec3,
    },
    /// A position is not finite.
    #[error("vertex {vertex} of {kind} {object} is at {value}, which is not finite")]
    NonFinitePosition {
        /// Mesh, line or point set.
        kind: &'static str,
        /// Which one of them.
        object: usize,
        /// Its vertex.
        vertex: usize,
        /// The position.
        value: Vec3,
    },
    /// An element refers to a vertex that does not exist.
    #[error("element {element} of {kind} {object} names vertex {vertex}, but there are only {count} vertices")]
    IndexOutOfRange {
        /// Mesh, line or point set.
        kind: &'static str,
        /// Which one of them.
        object: usize,
        /// Its element.
        element: usize,
        /// The vertex.
        vertex: u32,
        /// Number of vertices.
        count: usize,
    },
    /// A list has the wrong length.
    #[error("{what} has {found} entries, but {expected} are needed")]
    LengthMismatch {
        /// Name of the list.
        what: String,
        /// Its length.
        found: usize,
        /// The length needed.
        expected: usize,
    },
    /// Frames of one animation differ in size.
    #[error("frame {frame} has {found_width}×{found_height} pixels, but the first has {width}×{height}")]
    FrameSize {
        /// The frame.
        frame: usize,
        /// Its width \[px\].
        found_width: usize,
        /// Its height \[px\].
        found_height: usize,
        /// Width of the first frame \[px\].
        width: usize,
        /// Height of the first frame \[px\].
        height: usize,
    },
    /// An animation or a plot with nothing in it.
    #[error("there are no {0}")]
    Empty(&'static str),
    /// The program that writes MP4 is not installed.
    #[error("ffmpeg was not found; install it, or write a GIF or APNG instead")]
    FfmpegNotFound,
    /// The program that writes MP4 failed.
    #[error("ffmpeg failed ({status}): {message}")]
    Ffmpeg {
        /// How it ended.
        status: String,
        /// Its last message.
        message: String,
    },
    /// A picture could not be encoded.
    #[error("the {format} could not be encoded: {message}")]
    Encode {
        /// File format.
        format: &'static str,
        /// Why.
        message: String,
    },
    /// A file could not be written.
    #[error("{path}: {error}")]
    File {
        /// Which file.
        path: PathBuf,
        /// The error.
        error: std::io::Error,
    },
    /// A thread pool could not be started.
    #[error("the thread pool could not be started: {0}")]
    Threads(String),
}
