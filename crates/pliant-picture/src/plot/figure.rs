//! Several plots in one picture.

use std::path::Path;

use super::layout::Mark;
use super::{Plot, draw, svg};
use crate::image::write_file;
use crate::{Image, ViewError};

/// Plots in rows.
///
/// ```
/// use pliant_picture::plot::{Figure, Plot};
///
/// let figure = Figure { plots: vec![Plot::default(), Plot::default(), Plot::default()], columns: 2 };
/// let image = figure.to_image()?;
/// assert_eq!((image.width(), image.height()), (1600, 1000));
/// # Ok::<(), pliant_picture::ViewError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    /// The plots, row by row.
    pub plots: Vec<Plot>,
    /// Number of plots in a row.
    pub columns: usize,
}

impl Figure {
    /// All marks in their places, and the size of the whole.
    fn marks(&self) -> Result<(Vec<Mark>, usize, usize), ViewError> {
        if self.plots.is_empty() {
            return Err(ViewError::Empty("plots"));
        }
        let columns = self.columns.clamp(1, self.plots.len());
        let (mut marks, mut width, mut top) = (Vec::new(), 0, 0);
        for row in self.plots.chunks(columns) {
            let mut left = 0;
            for plot in row {
                let shift = [left as f64, top as f64];
                marks.extend(plot.marks()?.into_iter().map(|mark| mark.shifted(shift)));
                left += plot.width;
            }
            width = width.max(left);
            top += row.iter().map(|plot| plot.height).max().unwrap_or(0);
        }
        Ok((marks, width, top))
    }

    /// The figure as an SVG document.
    pub fn to_svg(&self) -> Result<String, ViewError> {
        let (marks, width, height) = self.marks()?;
        Ok(svg::write(&marks, width, height))
    }

    /// The figure as pixels.
    pub fn to_image(&self) -> Result<Image, ViewError> {
        let (marks, width, height) = self.marks()?;
        Ok(draw(&marks, width, height))
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
