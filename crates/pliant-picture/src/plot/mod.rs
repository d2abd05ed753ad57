//! Plots of series, to SVG and to pixels.
//!
//! `axis` chooses ticks, `layout` turns a plot into marks (lines, boxes, texts), which `svg` writes and `canvas` draws.

mod axis;
mod figure;
mod layout;
mod svg;

use std::path::Path;

use crate::canvas::{Canvas, Pen};
use crate::image::write_file;
use crate::{Color, Image, ViewError};

pub(crate) use axis::number;
pub use axis::{Axis, Scale};
pub use figure::Figure;
use layout::Mark;

/// How a series is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Style {
    /// A line through the points.
    #[default]
    Line,
    /// A dashed line: references and predictions.
    Dashed,
    /// Dots.
    Dots,
}

/// Points with a name.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// Its name in the legend; not listed if empty.
    pub name: String,
    /// Pairs of x and y. Values that cannot be shown (NaN, or not positive on a logarithmic axis) interrupt the line.
    pub points: Vec<[f64; 2]>,
    /// How it is drawn.
    pub style: Style,
    /// Its colour; by default from the palette.
    pub color: Option<Color>,
}

impl Series {
    /// A line with a name.
    pub fn new(name: impl Into<String>, points: Vec<[f64; 2]>) -> Self {
        Self { name: name.into(), points, style: Style::default(), color: None }
    }
}

/// Series over two axes.
///
/// ```
/// use pliant_picture::plot::{Axis, Plot, Series};
///
/// let decay = (0..50).map(|k| [k as f64, 0.7f64.powi(k)]).collect();
/// let plot = Plot {
///     title: "Convergence".to_owned(),
///     x: Axis::linear("iteration"),
///     y: Axis::log("residual [N]"),
///     series: vec![Series::new("projective", decay)],
///     ..Plot::default()
/// };
/// assert!(plot.to_svg()?.starts_with("<svg"));
/// assert_eq!(plot.to_image()?.width(), 800);
/// # Ok::<(), pliant_picture::ViewError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Plot {
    /// What it shows.
    pub title: String,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// The series; later ones are drawn over earlier ones.
    pub series: Vec<Series>,
    /// Width \[px\].
    pub width: usize,
    /// Height \[px\].
    pub height: usize,
}

impl Default for Plot {
    fn default() -> Self {
        let axis = || Axis::linear("");
        Self { title: String::new(), x: axis(), y: axis(), series: Vec::new(), width: 800, height: 500 }
    }
}

const PAPER: Color = Color::hex(0xffffff);

impl Plot {
    /// The plot as an SVG document.
    pub fn to_svg(&self) -> Result<String, ViewError> {
        Ok(svg::write(&self.marks()?, self.width, self.height))
    }

    /// The plot as pixels.
    pub fn to_image(&self) -> Result<Image, ViewError> {
        Ok(draw(&self.marks()?, self.width, self.height))
    }

    /// Writes an SVG file, and creates its folder if necessary.
    pub fn save_svg(&self, path: impl AsRef<Path>) -> Result<(), ViewError> {
        write_file(path.as_ref(), self.to_svg()?.as_bytes())
    }

    /// Writes a PNG file, and creates its folder if necessary.
    pub fn save_png(&self, path: impl AsRef<Path>) -> Result<(), ViewError> {
        self.to_image()?.save_png(path)
    }
}

/// Marks as pixels.
fn draw(marks: &[Mark], width: usize, height: usize) -> Image {
    let mut image = Image::new(width, height, PAPER.0);
    let mut canvas = Canvas::new(&mut image);
    for mark in marks {
        match mark {
            Mark::Lines { strokes, pen, dash } => match dash {
                Some(dash) => canvas.strokes(&dashed(strokes, *dash), *pen),
                None => canvas.strokes(strokes, *pen),
            },
            Mark::Dots { middles, radius, color } => {
                let strokes: Vec<Vec<[f64; 2]>> = middles.iter().map(|&middle| vec![middle]).collect();
                canvas.strokes(&strokes, Pen { color: *color, width: 2.0 * radius, opacity: 1.0 });
            }
            Mark::Box { from, to, color, opacity } => canvas.fill(*from, *to, *color, *opacity),
            Mark::Text { text, at, size, anchor, run, color } => {
                canvas.text(text, *at, *size, *anchor, *run, *color);
            }
        }
    }
    image
}

/// Pieces of polylines: drawn for the first length, left out for the second, and so on \[px\].
fn dashed(strokes: &[Vec<[f64; 2]>], dash: [f64; 2]) -> Vec<Vec<[f64; 2]>> {
    let mut pieces = Vec::new();
    for stroke in strokes {
        let (mut drawn, mut left) = (true, dash[0]);
        let mut piece: Vec<[f64; 2]> = stroke.first().copied().into_iter().collect();
        for ends in stroke.windows(2) {
            let (from, to) = (ends[0], ends[1]);
            let length = (to[0] - from[0]).hypot(to[1] - from[1]);
            let mut done = 0.0;
            while length - done > left {
                done += left;
                let t = done / length;
                let at = [from[0] + t * (to[0] - from[0]), from[1] + t * (to[1] - from[1])];
                piece.push(at);
                if drawn {
                    pieces.push(std::mem::take(&mut piece));
                }
                piece = vec![at];
                drawn = !drawn;
                left = if drawn { dash[0] } else { dash[1] };
            }
            left -= length - done;
            piece.push(to);
        }
        if drawn && piece.len() > 1 {
            pieces.push(piece);
        }
    }
    pieces
}
