//! Pictures and films as files: in a folder, with a number that is free.

use std::path::PathBuf;

use pliant_picture::{Animation, Image, VideoWriter, ViewError};

use crate::app::{Film, SavePicture};

/// Frames of a film without ffmpeg at most: more make files that nobody wants to load.
const MOST_IN_GIF: usize = 120;

/// Saves pictures as PNG.
pub(super) fn pictures(folder: PathBuf, name: String) -> SavePicture {
    Box::new(move |width, height, rgba| {
        let path = free(&folder, &name, "png");
        image(width, height, rgba)?.save_png(&path).map_err(|error| error.to_string())?;
        Ok(format!("saved {}", path.display()))
    })
}

/// The first of `name-1.png`, `name-2.png` and so on that is not there yet.
fn free(folder: &std::path::Path, name: &str, ending: &str) -> PathBuf {
    let path = |number: u32| folder.join(format!("{name}-{number}.{ending}"));
    (1..).map(path).find(|path| !path.exists()).unwrap_or_else(|| path(0))
}

fn image(width: u32, height: u32, rgba: &[u8]) -> Result<Image, String> {
    let pixels = rgba.as_chunks::<4>().0.iter().map(|&[red, green, blue, _]| [red, green, blue]);
    Image::from_pixels(width as usize, height as usize, pixels.collect()).map_err(|error| error.to_string())
}

/// Films of stored runs: MP4 where ffmpeg is installed, a GIF of some of the frames elsewhere.
#[derive(Debug)]
pub struct Films {
    folder: PathBuf,
    name: String,
    film: Option<Making>,
}

#[derive(Debug)]
struct Making {
    path: PathBuf,
    size: (u32, u32),
    tape: Tape,
}

#[derive(Debug)]
enum Tape {
    Video(VideoWriter),
    /// Every so many frames, and how many have come.
    Gif(Animation, usize, usize),
}

impl Films {
    /// Films with a name in a folder.
    pub fn new(folder: PathBuf, name: String) -> Self {
        Self { folder, name, film: None }
    }
}

impl Film for Films {
    fn begin(&mut self, width: u32, height: u32, frames: usize, rate: f64) -> Result<(), String> {
        let path = free(&self.folder, &self.name, "mp4");
        let (path, tape) = match VideoWriter::create(&path, width as usize, height as usize, rate) {
            Ok(video) => (path, Tape::Video(video)),
            Err(ViewError::FfmpegNotFound) => {
                let stride = frames.div_ceil(MOST_IN_GIF).max(1);
                let path = free(&self.folder, &self.name, "gif");
                (path, Tape::Gif(Animation::new(rate / stride as f64), stride, 0))
            }
            Err(error) => return Err(error.to_string()),
        };
        self.film = Some(Making { path, size: (width, height), tape });
        Ok(())
    }

    fn frame(&mut self, rgba: &[u8]) -> Result<(), String> {
        let Some(Making { size, tape, .. }) = &mut self.film else { return Ok(()) };
        let picture = image(size.0, size.1, rgba)?;
        let pushed = match tape {
            Tape::Video(video) => video.push(&picture),
            Tape::Gif(animation, stride, come) => {
                *come += 1;
                if (*come - 1).is_multiple_of(*stride) { animation.push(picture) } else { Ok(()) }
            }
        };
        pushed.map_err(|error| error.to_string())
    }

    fn end(&mut self, is_complete: bool) -> Result<String, String> {
        let Some(Making { path, tape, .. }) = self.film.take() else { return Err("there is no film".to_owned()) };
        let ended = match tape {
            Tape::Video(video) => video.finish(),
            Tape::Gif(animation, ..) if is_complete => animation.save_gif(&path),
            Tape::Gif(..) => Ok(()),
        };
        ended.map_err(|error| error.to_string())?;
        if !is_complete {
            // Half a film would be taken for a whole one.
            let _ = std::fs::remove_file(&path);
            return Ok("the film was given up".to_owned());
        }
        Ok(format!("saved {}", path.display()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_get_numbers_that_are_free() -> Result<(), Box<dyn std::error::Error>> {
        let folder = std::env::temp_dir().join(format!("pliant-view-files-{}", std::process::id()));
        std::fs::create_dir_all(&folder)?;
        let mut save = pictures(folder.clone(), "curtain".to_owned());
        let red = [255, 0, 0, 255].repeat(6);
        assert!(save(3, 2, &red)?.ends_with("curtain-1.png"));
        assert!(save(3, 2, &red)?.ends_with("curtain-2.png"));
        assert!(save(3, 3, &red).is_err(), "six pixels are no picture of nine");
        std::fs::remove_dir_all(folder)?;
        Ok(())
    }
}
