//! Pictures as pixels.

use std::path::Path;

use crate::ViewError;

/// A picture: rows of sRGB pixels from the top.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Image {
    width: usize,
    height: usize,
    pixels: Vec<[u8; 3]>,
}

impl Image {
    /// A picture of one colour.
    ///
    /// ```
    /// let image = pliant_picture::Image::new(4, 3, [255, 0, 0]);
    /// assert_eq!(image.pixel(3, 2), [255, 0, 0]);
    /// ```
    pub fn new(width: usize, height: usize, color: [u8; 3]) -> Self {
        Self { width, height, pixels: vec![color; width * height] }
    }

    /// A picture of given pixels, row by row from the top left.
    pub fn from_pixels(width: usize, height: usize, pixels: Vec<[u8; 3]>) -> Result<Self, ViewError> {
        if pixels.len() != width * height {
            let need = "width times height";
            return Err(ViewError::BadParameter { name: "number of pixels", value: pixels.len() as f64, need });
        }
        Ok(Self { width, height, pixels })
    }

    /// Width \[px\].
    pub fn width(&self) -> usize {
        self.width
    }

    /// Height \[px\].
    pub fn height(&self) -> usize {
        self.height
    }

    /// All pixels, row by row from the top left.
    pub fn pixels(&self) -> &[[u8; 3]] {
        &self.pixels
    }

    pub(crate) fn pixels_mut(&mut self) -> &mut [[u8; 3]] {
        &mut self.pixels
    }

    /// The pixel in a column and a row.
    ///
    /// # Panics
    /// If there is no such pixel.
    pub fn pixel(&self, x: usize, y: usize) -> [u8; 3] {
        assert!(x < self.width && y < self.height, "no pixel ({x}, {y}) in {}×{}", self.width, self.height);
        self.pixels[y * self.width + x]
    }

    /// The bytes R, G, B of all pixels.
    pub fn bytes(&self) -> &[u8] {
        self.pixels.as_flattened()
    }

    /// The picture as a PNG file in memory.
    pub fn to_png(&self) -> Result<Vec<u8>, ViewError> {
        crate::animation::encode_png(self)
    }

    /// The picture as a PNG file of at most 256 colours, dithered: smaller, for pages with many pictures.
    pub fn to_indexed_png(&self) -> Result<Vec<u8>, ViewError> {
        crate::animation::encode_indexed_png(self)
    }

    /// Writes a PNG file, and creates its folder if necessary.
    pub fn save_png(&self, path: impl AsRef<Path>) -> Result<(), ViewError> {
        write_file(path.as_ref(), &self.to_png()?)
    }
}

/// Writes a file, making its folder where there is none.
pub(crate) fn write_file(path: &Path, bytes: &[u8]) -> Result<(), ViewError> {
    let failed = |error| ViewError::File { path: path.to_owned(), error };
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(failed)?;
    }
    std::fs::write(path, bytes).map_err(failed)
}
