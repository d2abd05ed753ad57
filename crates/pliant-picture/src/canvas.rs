//! Flat drawing on a picture: lines, boxes and text with smooth edges.

use crate::{Color, Image, font};

/// Where a text lies about its point, along the line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

/// Which way a text runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Run {
    Right,
    Up,
}

/// How lines are drawn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Pen {
    pub(crate) color: Color,
    /// \[px\]
    pub(crate) width: f64,
    pub(crate) opacity: f64,
}

pub(crate) struct Canvas<'a> {
    image: &'a mut Image,
    /// Coverage of what is being drawn, so that overlapping pieces of one line count once.
    coverage: Vec<f32>,
}

impl<'a> Canvas<'a> {
    pub(crate) fn new(image: &'a mut Image) -> Self {
        let coverage = vec![0.0; image.width() * image.height()];
        Self { image, coverage }
    }

    /// Draws polylines as one shape. Coordinates in pixels from the top left corner.
    pub(crate) fn strokes(&mut self, strokes: &[Vec<[f64; 2]>], pen: Pen) {
        let (width, height) = (self.image.width(), self.image.height());
        let reach = 0.5 * pen.width + 0.5;
        let mut touched = [width, height, 0, 0];
        for stroke in strokes {
            let single = [stroke.first().copied().unwrap_or_default(); 2];
            let pieces: Box<dyn Iterator<Item = &[[f64; 2]]>> = match stroke.len() {
                0 => continue,
                1 => Box::new(std::iter::once(&single[..])),
                _ => Box::new(stroke.windows(2)),
            };
            for ends in pieces {
                let [a, b] = [ends[0], ends[1]];
                if !a.iter().chain(&b).all(|x| x.is_finite()) {
                    continue;
                }
                let range = |k: usize, limit: usize| {
                    let low = (a[k].min(b[k]) - reach).floor().clamp(0.0, limit as f64) as usize;
                    let high = (a[k].max(b[k]) + reach).ceil().clamp(0.0, limit as f64) as usize;
                    (low, high)
                };
                let ((left, right), (top, bottom)) = (range(0, width), range(1, height));
                if left >= right || top >= bottom {
                    continue;
                }
                touched = [touched[0].min(left), touched[1].min(top), touched[2].max(right), touched[3].max(bottom)];
                let axis = [b[0] - a[0], b[1] - a[1]];
                let length = axis[0] * axis[0] + axis[1] * axis[1];
                for row in top..bottom {
                    for column in left..right {
                        let p = [column as f64 + 0.5 - a[0], row as f64 + 0.5 - a[1]];
                        let along = if length > 0.0 { (p[0] * axis[0] + p[1] * axis[1]) / length } else { 0.0 };
                        let along = along.clamp(0.0, 1.0);
                        let distance = (p[0] - along * axis[0]).hypot(p[1] - along * axis[1]);
                        let covered = (reach - distance).clamp(0.0, pen.width.min(1.0)) as f32;
                        let cell = &mut self.coverage[row * width + column];
                        *cell = cell.max(covered);
                    }
                }
            }
        }
        for row in touched[1]..touched[3] {
            for column in touched[0]..touched[2] {
                let covered = std::mem::take(&mut self.coverage[row * width + column]);
                self.blend(column, row, pen.color, f64::from(covered) * pen.opacity);
            }
        }
    }

    /// Fills a box from its upper left to its lower right corner.
    pub(crate) fn fill(&mut self, from: [f64; 2], to: [f64; 2], color: Color, opacity: f64) {
        let overlap = |k: usize, cell: usize| (to[k].min(cell as f64 + 1.0) - from[k].max(cell as f64)).clamp(0.0, 1.0);
        let range = |k: usize, limit: usize| {
            from[k].floor().clamp(0.0, limit as f64) as usize..to[k].ceil().clamp(0.0, limit as f64) as usize
        };
        for row in range(1, self.image.height()) {
            for column in range(0, self.image.width()) {
                self.blend(column, row, color, overlap(0, column) * overlap(1, row) * opacity);
            }
        }
    }

    /// Writes a text whose baseline passes through a point.
    pub(crate) fn text(&mut self, text: &str, at: [f64; 2], size: f64, anchor: Anchor, run: Run, color: Color) {
        let (mut strokes, width) = font::layout(text, size);
        let shift = match anchor {
            Anchor::Start => 0.0,
            Anchor::Middle => -0.5 * width,
            Anchor::End => -width,
        };
        for point in strokes.iter_mut().flatten() {
            let [x, y] = [point[0] + shift, point[1]];
            *point = match run {
                Run::Right => [at[0] + x, at[1] + y],
                Run::Up => [at[0] + y, at[1] - x],
            };
        }
        self.strokes(&strokes, Pen { color, width: font::weight(size), opacity: 1.0 });
    }

    fn blend(&mut self, column: usize, row: usize, color: Color, share: f64) {
        if share <= 0.0 {
            return;
        }
        let width = self.image.width();
        let pixel = &mut self.image.pixels_mut()[row * width + column];
        for (channel, &new) in pixel.iter_mut().zip(&color.0) {
            *channel = (f64::from(*channel) + share.min(1.0) * (f64::from(new) - f64::from(*channel))).round() as u8;
        }
    }
}
