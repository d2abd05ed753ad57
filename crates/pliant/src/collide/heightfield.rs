//! Ground given by heights on a grid, with two triangles per cell.

use super::error::{ColliderError, finite, positive};
use super::surface::Triangles;
use crate::math::Vec3;
use crate::mesh::sdf::Nearby;

/// Heights y at points (x, z) of a grid that begins at the origin; everything below is inside. There is nothing outside
/// the grid.
#[derive(Debug, Clone)]
pub struct Heightfield {
    /// Number of heights along x and z.
    counts: [usize; 2],
    /// Distance between them \[m\].
    spacing: [f64; 2],
    heights: Vec<f64>,
    pub(super) triangles: Triangles,
}

impl Heightfield {
    /// Makes a heightfield from heights \[m\], along x fastest, with distances \[m\] along x and z.
    pub fn new(counts: [usize; 2], spacing: [f64; 2], heights: Vec<f64>) -> Result<Self, ColliderError> {
        spacing.into_iter().try_for_each(|distance| positive("spacing", distance))?;
        if let Some(&few) = counts.iter().find(|&&count| count < 2) {
            return Err(ColliderError::LengthMismatch { name: "a side of the heightfield", found: few, expected: 2 });
        }
        let expected = counts[0].saturating_mul(counts[1]);
        if heights.len() != expected {
            return Err(ColliderError::LengthMismatch { name: "list of heights", found: heights.len(), expected });
        }
        finite("height", &heights)?;
        let [nx, nz] = counts;
        let place = |i: usize, j: usize| Vec3::new(i as f64 * spacing[0], heights[j * nx + i], j as f64 * spacing[1]);
        let positions = (0..nz).flat_map(|j| (0..nx).map(move |i| (i, j))).map(|(i, j)| place(i, j)).collect();
        let mut triangles = Vec::new();
        for j in 0..nz - 1 {
            for i in 0..nx - 1 {
                let [a, b, c, d] = [(i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1)].map(|(i, j)| (j * nx + i) as u32);
                triangles.extend([[a, c, b], [a, d, c]]);
            }
        }
        let triangles = Triangles::new(positions, triangles);
        Ok(Self { counts, spacing, heights, triangles })
    }

    /// The height at a point, if there is ground \[m\].
    pub fn height(&self, x: f64, z: f64) -> Option<f64> {
        let (u, v) = (x / self.spacing[0], z / self.spacing[1]);
        let [nx, nz] = self.counts;
        if !(u >= 0.0 && v >= 0.0 && u <= (nx - 1) as f64 && v <= (nz - 1) as f64) {
            return None;
        }
        let (i, j) = ((u as usize).min(nx - 2), (v as usize).min(nz - 2));
        let (u, v) = (u - i as f64, v - j as f64);
        let h = |i: usize, j: usize| self.heights[j * nx + i];
        let (a, b, c, d) = (h(i, j), h(i + 1, j), h(i + 1, j + 1), h(i, j + 1));
        // The diagonal goes from the first corner of a cell to the opposite one.
        Some(if u >= v { a + (b - a) * u + (c - b) * v } else { a + (c - d) * u + (d - a) * v })
    }

    pub(super) fn nearby(&self, p: Vec3) -> Nearby {
        let (triangle, point) = self.triangles.nearest(p);
        let below = self.height(p.x, p.z).is_some_and(|height| p.y < height);
        let (offset, sign) = (p - point, if below { -1.0 } else { 1.0 });
        let distance = offset.length();
        // On the surface itself the triangle says which way is out.
        let normal = if distance > 1e-12 * self.triangles.extent() {
            offset * (sign / distance)
        } else {
            self.triangles.normals[triangle as usize]
        };
        Nearby { distance: sign * distance, point, normal }
    }

    /// Number of heights along x and z.
    pub fn counts(&self) -> [usize; 2] {
        self.counts
    }

    /// Distance between heights along x and z \[m\].
    pub fn spacing(&self) -> [f64; 2] {
        self.spacing
    }

    /// Heights \[m\], along x fastest.
    pub fn heights(&self) -> &[f64] {
        &self.heights
    }

    /// Its triangles, for pictures.
    pub fn surface(&self) -> (&[Vec3], &[[u32; 3]]) {
        (&self.triangles.positions, &self.triangles.triangles)
    }
}
