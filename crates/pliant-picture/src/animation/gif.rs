//! GIF: one palette, a fixed dither, and only the changed box of each frame.

use ::gif::{DisposalMethod, Encoder, EncodingError, Frame, Repeat};

use super::palette::Palette;
use crate::{Image, ViewError};

/// The last number of the palette means "as before".
const UNCHANGED: u8 = 255;
/// Amplitude of the dither: about half the distance of neighbouring colours in a gradient.
const DITHER: f64 = 7.0;

pub(super) fn encode(frames: &[Image], frames_per_second: f64) -> Result<Vec<u8>, ViewError> {
    let failed = |error: EncodingError| ViewError::Encode { format: "GIF", message: error.to_string() };
    let (width, height) = (frames[0].width(), frames[0].height());
    let limit = u16::MAX as usize;
    let (Ok(screen_width), Ok(screen_height)) = (u16::try_from(width), u16::try_from(height)) else {
        return Err(ViewError::ImageSize { width, height, samples: 1, limit });
    };
    let mut palette = Palette::of(frames, usize::from(UNCHANGED));
    let mut table: Vec<[u8; 3]> = palette.colors.clone();
    table.resize(256, [0; 3]);
    let mut bytes = Vec::new();
    let mut encoder = Encoder::new(&mut bytes, screen_width, screen_height, table.as_flattened()).map_err(failed)?;
    encoder.set_repeat(Repeat::Infinite).map_err(failed)?;

    let mut shown: Vec<u8> = Vec::new();
    for (number, frame) in frames.iter().enumerate() {
        let indices = dithered(frame, &mut palette);
        let [left, top, right, bottom] = changed(&shown, &indices, width, height);
        let mut pixels = Vec::with_capacity((right - left) * (bottom - top));
        for row in top..bottom {
            for at in row * width + left..row * width + right {
                pixels.push(if shown.get(at) == Some(&indices[at]) { UNCHANGED } else { indices[at] });
            }
        }
        // Rounded so that the sum is right; no frame shorter than viewers show it.
        let hundredths = |k: usize| (100.0 * k as f64 / frames_per_second).round();
        let mut part =
            Frame::from_indexed_pixels((right - left) as u16, (bottom - top) as u16, pixels, Some(UNCHANGED));
        part.left = left as u16;
        part.top = top as u16;
        part.delay = (hundredths(number + 1) - hundredths(number)).clamp(2.0, 65535.0) as u16;
        part.dispose = DisposalMethod::Keep;
        encoder.write_frame(&part).map_err(failed)?;
        shown = indices;
    }
    drop(encoder);
    Ok(bytes)
}

/// Ordered dither [Bayer 1973]: the same pixel gets the same offset in every frame.
pub(super) fn dithered(frame: &Image, palette: &mut Palette) -> Vec<u8> {
    let width = frame.width();
    let mut offsets = [0i16; 64];
    for (cell, offset) in offsets.iter_mut().enumerate() {
        let (x, y) = (cell % 8, cell / 8);
        let rank = (0..3).fold(0, |rank, bit| {
            let (a, b) = (x >> bit & 1, y >> bit & 1);
            rank | ((a ^ b) << 1 | b) << (2 * (2 - bit))
        });
        *offset = (DITHER * ((rank as f64 + 0.5) / 64.0 - 0.5)).round() as i16;
    }
    let color = |(at, pixel): (usize, &[u8; 3])| {
        let offset = offsets[(at / width % 8) * 8 + at % width % 8];
        palette.index(pixel.map(|x| (i16::from(x) + offset).clamp(0, 255) as u8))
    };
    frame.pixels().iter().enumerate().map(color).collect()
}

/// The smallest box around what differs, never empty: left, top, right, bottom.
fn changed(old: &[u8], new: &[u8], width: usize, height: usize) -> [usize; 4] {
    let mut found = [width, height, 0, 0];
    for (at, index) in new.iter().enumerate() {
        if old.get(at) != Some(index) {
            let (x, y) = (at % width, at / width);
            found = [found[0].min(x), found[1].min(y), found[2].max(x + 1), found[3].max(y + 1)];
        }
    }
    if found[2] == 0 { [0, 0, 1, 1] } else { found }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_box_that_changed_is_written() {
        let old = vec![0u8; 12];
        let mut new = old.clone();
        new[5] = 1;
        new[6] = 1;
        assert_eq!(changed(&old, &new, 4, 3), [1, 1, 3, 2]);
        assert_eq!(changed(&[], &new, 4, 3), [0, 0, 4, 3]);
        assert_eq!(changed(&new, &new, 4, 3), [0, 0, 1, 1]);
    }

    #[test]
    fn few_colours_survive_a_gif_within_the_dither() {
        let mut frame = Image::new(32, 32, [250, 10, 30]);
        frame.pixels_mut()[..512].fill([20, 200, 90]);
        let mut palette = Palette::of(std::slice::from_ref(&frame), 255);
        let indices = dithered(&frame, &mut palette);
        for (pixel, &index) in frame.pixels().iter().zip(&indices) {
            let found = palette.colors[usize::from(index)];
            for k in 0..3 {
                assert!(pixel[k].abs_diff(found[k]) <= 2, "{pixel:?} became {found:?}");
            }
        }
    }
}
