//! Frames into files: PNG, animated PNG, GIF, and MP4 if ffmpeg is installed.

mod gif;
mod mp4;
mod palette;

use std::path::Path;

pub use mp4::VideoWriter;

use palette::Palette;

use crate::image::write_file;
use crate::{Image, ViewError};

/// Frames of one size, shown one after the other in a loop.
///
/// ```
/// use pliant_picture::{Animation, Image};
///
/// let mut animation = Animation::new(25.0);
/// animation.push(Image::new(16, 10, [200, 40, 40]))?;
/// animation.push(Image::new(16, 10, [40, 40, 200]))?;
/// assert_eq!(&animation.to_gif()?[..6], b"GIF89a");
/// # Ok::<(), pliant_picture::ViewError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Animation {
    frames: Vec<Image>,
    frames_per_second: f64,
}

impl Animation {
    /// An animation without frames.
    pub fn new(frames_per_second: f64) -> Self {
        Self { frames: Vec::new(), frames_per_second }
    }

    /// Adds a frame of the same size as the others.
    pub fn push(&mut self, frame: Image) -> Result<(), ViewError> {
        let (width, height) = self.frames.first().map_or((frame.width(), frame.height()), |f| (f.width(), f.height()));
        if (frame.width(), frame.height()) != (width, height) {
            let (found_width, found_height) = (frame.width(), frame.height());
            return Err(ViewError::FrameSize { frame: self.frames.len(), found_width, found_height, width, height });
        }
        self.frames.push(frame);
        Ok(())
    }

    /// The frames.
    pub fn frames(&self) -> &[Image] {
        &self.frames
    }

    /// A GIF that repeats forever. It has one palette for all frames and a dither that does not move, so that nothing
    /// flickers; only the changes of each frame are stored. GIF counts time in hundredths of a second, and viewers show
    /// at most 50 frames per second.
    pub fn to_gif(&self) -> Result<Vec<u8>, ViewError> {
        self.check()?;
        gif::encode(&self.frames, self.frames_per_second)
    }

    /// An animated PNG that repeats forever: all colours, but larger than a GIF.
    pub fn to_apng(&self) -> Result<Vec<u8>, ViewError> {
        self.check()?;
        encode_frames(&self.frames, Some(self.frames_per_second))
    }

    /// Writes a GIF file, and creates its folder if necessary.
    pub fn save_gif(&self, path: impl AsRef<Path>) -> Result<(), ViewError> {
        write_file(path.as_ref(), &self.to_gif()?)
    }

    /// Writes an animated PNG file, and creates its folder if necessary.
    pub fn save_apng(&self, path: impl AsRef<Path>) -> Result<(), ViewError> {
        write_file(path.as_ref(), &self.to_apng()?)
    }

    /// Writes an MP4 file with the `ffmpeg` on the path; [`ViewError::FfmpegNotFound`] if there is none.
    pub fn save_mp4(&self, path: impl AsRef<Path>) -> Result<(), ViewError> {
        self.check()?;
        let (width, height) = (self.frames[0].width(), self.frames[0].height());
        let mut video = VideoWriter::create(path, width, height, self.frames_per_second)?;
        self.frames.iter().try_for_each(|frame| video.push(frame))?;
        video.finish()
    }

    fn check(&self) -> Result<(), ViewError> {
        let value = self.frames_per_second;
        if !(value > 0.0 && value.is_finite()) {
            return Err(ViewError::BadParameter { name: "frames per second", value, need: "finite and positive" });
        }
        let first = self.frames.first().ok_or(ViewError::Empty("frames"))?;
        let (width, height) = (first.width(), first.height());
        if width == 0 || height == 0 {
            return Err(ViewError::ImageSize { width, height, samples: 1, limit: usize::MAX });
        }
        Ok(())
    }
}

pub(crate) fn encode_png(image: &Image) -> Result<Vec<u8>, ViewError> {
    encode_frames(std::slice::from_ref(image), None)
}

/// A PNG of at most 256 colours, dithered: a third of the size, for pages with many pictures.
pub(crate) fn encode_indexed_png(image: &Image) -> Result<Vec<u8>, ViewError> {
    let failed = |error: png::EncodingError| ViewError::Encode { format: "PNG", message: error.to_string() };
    let (width, height) = (image.width(), image.height());
    let (Ok(columns), Ok(rows)) = (u32::try_from(width), u32::try_from(height)) else {
        return Err(ViewError::ImageSize { width, height, samples: 1, limit: u32::MAX as usize });
    };
    let mut palette = Palette::of(std::slice::from_ref(image), 256);
    let indices = gif::dithered(image, &mut palette);
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, columns, rows);
    encoder.set_color(png::ColorType::Indexed);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_palette(palette.colors.as_flattened());
    encoder.set_compression(png::Compression::High);
    // Differences of palette numbers mean nothing, so no filter.
    encoder.set_filter(png::Filter::NoFilter);
    let mut writer = encoder.write_header().map_err(failed)?;
    writer.write_image_data(&indices).map_err(failed)?;
    writer.finish().map_err(failed)?;
    Ok(bytes)
}

fn encode_frames(frames: &[Image], frames_per_second: Option<f64>) -> Result<Vec<u8>, ViewError> {
    let failed = |error: png::EncodingError| ViewError::Encode { format: "PNG", message: error.to_string() };
    let first = frames.first().ok_or(ViewError::Empty("frames"))?;
    let (width, height) = (first.width(), first.height());
    let too_large = |_| ViewError::ImageSize { width, height, samples: 1, limit: u32::MAX as usize };
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(
        &mut bytes,
        u32::try_from(width).map_err(too_large)?,
        u32::try_from(height).map_err(too_large)?,
    );
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    if let Some(rate) = frames_per_second {
        encoder.set_animated(frames.len() as u32, 0).map_err(failed)?;
        // In tenths of a millisecond.
        encoder.set_frame_delay((1e4 / rate).round().clamp(1.0, 65535.0) as u16, 10_000).map_err(failed)?;
    }
    let mut writer = encoder.write_header().map_err(failed)?;
    for frame in frames {
        writer.write_image_data(frame.bytes()).map_err(failed)?;
    }
    writer.finish().map_err(failed)?;
    Ok(bytes)
}
