//! MP4 by an ffmpeg that is installed.

use std::io::{ErrorKind, Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use crate::{Image, ViewError};

pub(super) fn save(frames: &[Image], rate: f64, program: &str, path: &Path) -> Result<(), ViewError> {
    let file_failed = |error| ViewError::File { path: path.to_owned(), error };
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(file_failed)?;
    }
    let size = format!("{}x{}", frames[0].width(), frames[0].height());
    let rate = rate.to_string();
    let started = Command::new(program)
        .args(["-loglevel", "error", "-y", "-f", "rawvideo", "-pix_fmt", "rgb24", "-s", &size, "-r", &rate, "-i", "-"])
        // Players want even sizes and this sampling of colours.
        .args(["-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2", "-pix_fmt", "yuv420p", "-movflags", "+faststart"])
        .arg(path)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn();
    let mut child = match started {
        Ok(child) => child,
        Err(error) if error.kind() == ErrorKind::NotFound => return Err(ViewError::FfmpegNotFound),
        Err(error) => return Err(ViewError::Ffmpeg { status: "not started".to_owned(), message: error.to_string() }),
    };
    let mut complaint = String::new();
    if let Some(mut input) = child.stdin.take() {
        // If it stops reading, its exit status says why.
        let _ = frames.iter().try_for_each(|frame| input.write_all(frame.bytes()));
    }
    if let Some(mut errors) = child.stderr.take() {
        let _ = errors.read_to_string(&mut complaint);
    }
    let status = child.wait().map_err(file_failed)?;
    if status.success() {
        return Ok(());
    }
    Err(ViewError::Ffmpeg { status: status.to_string(), message: complaint.trim().to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_ffmpeg_is_named() {
        let path = std::env::temp_dir().join("pliant-view-missing-ffmpeg.mp4");
        let frames = [Image::new(2, 2, [0; 3])];
        let result = save(&frames, 25.0, "pliant-has-no-such-program", &path);
        assert!(matches!(result, Err(ViewError::FfmpegNotFound)), "{result:?}");
    }
}
