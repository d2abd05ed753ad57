//! MP4, with an installed ffmpeg.

use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use crate::{Image, ViewError};

/// A video that is written frame by frame, so that long ones need little memory. It needs the `ffmpeg` on the path.
///
/// ```no_run
/// use pliant_picture::{Image, VideoWriter};
///
/// let mut video = VideoWriter::create("run.mp4", 640, 400, 60.0)?;
/// for number in 0..120 {
///     video.push(&Image::new(640, 400, [number, 80, 160]))?;
/// }
/// video.finish()?;
/// # Ok::<(), pliant_picture::ViewError>(())
/// ```
#[derive(Debug)]
pub struct VideoWriter {
    path: PathBuf,
    size: (usize, usize),
    frames: usize,
    child: Child,
}

impl VideoWriter {
    /// Starts an MP4 file, and creates its folder if necessary; [`ViewError::FfmpegNotFound`] without ffmpeg.
    pub fn create(path: impl AsRef<Path>, width: usize, height: usize, rate: f64) -> Result<Self, ViewError> {
        Self::with_program("ffmpeg", path.as_ref(), (width, height), rate)
    }

    pub(super) fn with_program(program: &str, path: &Path, size: (usize, usize), rate: f64) -> Result<Self, ViewError> {
        if let Some(folder) = path.parent() {
            let failed = |error| ViewError::File { path: path.to_owned(), error };
            std::fs::create_dir_all(folder).map_err(failed)?;
        }
        let (pixels, rate) = (format!("{}x{}", size.0, size.1), rate.to_string());
        let input = ["-f", "rawvideo", "-pix_fmt", "rgb24", "-s", &pixels, "-r", &rate, "-i", "-"];
        let started = Command::new(program)
            .args(["-loglevel", "error", "-y"])
            .args(input)
            // Players want even sizes and this sampling of colours.
            .args(["-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2", "-pix_fmt", "yuv420p", "-movflags", "+faststart"])
            .arg(path)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn();
        match started {
            Ok(child) => Ok(Self { path: path.to_owned(), size, frames: 0, child }),
            Err(error) if error.kind() == ErrorKind::NotFound => Err(ViewError::FfmpegNotFound),
            Err(error) => Err(ViewError::Ffmpeg { status: "not started".to_owned(), message: error.to_string() }),
        }
    }

    /// Adds a frame.
    pub fn push(&mut self, frame: &Image) -> Result<(), ViewError> {
        let ((width, height), (found_width, found_height)) = (self.size, (frame.width(), frame.height()));
        if (width, height) != (found_width, found_height) {
            return Err(ViewError::FrameSize { frame: self.frames, found_width, found_height, width, height });
        }
        self.frames += 1;
        if let Some(input) = &mut self.child.stdin {
            // If it stops reading, its exit status says why.
            let _ = input.write_all(frame.bytes());
        }
        Ok(())
    }

    /// Waits until the file is complete.
    pub fn finish(mut self) -> Result<(), ViewError> {
        drop(self.child.stdin.take());
        let mut complaint = String::new();
        if let Some(mut errors) = self.child.stderr.take() {
            let _ = errors.read_to_string(&mut complaint);
        }
        let failed = |error| ViewError::File { path: self.path.clone(), error };
        let status = self.child.wait().map_err(failed)?;
        if status.success() {
            return Ok(());
        }
        Err(ViewError::Ffmpeg { status: status.to_string(), message: complaint.trim().to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_ffmpeg_is_named() {
        let path = std::env::temp_dir().join("pliant-picture-missing-ffmpeg.mp4");
        let result = VideoWriter::with_program("pliant-has-no-such-program", &path, (2, 2), 25.0);
        assert!(matches!(result, Err(ViewError::FfmpegNotFound)), "{result:?}");
    }
}
