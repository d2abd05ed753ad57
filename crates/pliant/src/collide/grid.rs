//! Signed distances on a regular grid, interpolated linearly along each axis.

use super::error::{ColliderError, finite, positive};
use crate::math::Vec3;
use crate::math::functions::hypot;
use crate::mesh::Bounds;
use crate::mesh::sdf::Nearby;
use crate::mesh::sdf::SignedDistance;
use crate::parallel;

/// Interpolation of distances that change by at most 1 m per metre may change faster along diagonals, by this factor.
pub(super) const STEEPEST: f64 = 1.7320508075688772;

/// Signed distances at the corners of cubic cells.
#[derive(Debug, Clone, PartialEq)]
pub struct DistanceGrid {
    /// First corner \[m\].
    origin: Vec3,
    /// Side of a cell \[m\].
    spacing: f64,
    /// Corners along x, y and z.
    counts: [usize; 3],
    /// Distances \[m\], x fastest.
    values: Vec<f64>,
}

impl DistanceGrid {
    /// Makes a grid from distances \[m\] at corners `origin + spacing·(i, j, k)`, with i running fastest.
    pub fn new(origin: Vec3, spacing: f64, counts: [usize; 3], values: Vec<f64>) -> Result<Self, ColliderError> {
        positive("spacing", spacing)?;
        finite("coordinate of the origin", &origin.to_array())?;
        if let Some(&few) = counts.iter().find(|&&count| count < 2) {
            return Err(ColliderError::LengthMismatch { name: "an axis of the grid", found: few, expected: 2 });
        }
        let expected = counts.iter().try_fold(1_usize, |product, &n| product.checked_mul(n)).unwrap_or(usize::MAX);
        if values.len() != expected {
            return Err(ColliderError::LengthMismatch { name: "list of distances", found: values.len(), expected });
        }
        finite("distance", &values)?;
        Ok(Self { origin, spacing, counts, values })
    }

    /// Samples a solid with cells of a size \[m\], with two cells of margin around it.
    pub fn sampled(solid: &impl SignedDistance, spacing: f64) -> Result<Self, ColliderError> {
        positive("spacing", spacing)?;
        let bounds = solid.bounds();
        let origin = bounds.min - 2.0 * spacing;
        let counts = bounds.size().to_array().map(|side| (side / spacing).ceil() as usize + 5);
        let [nx, ny, nz] = counts;
        let corner = |i: usize, j: usize, k: usize| origin + spacing * Vec3::new(i as f64, j as f64, k as f64);
        let places = (0..nz).flat_map(|k| (0..ny).flat_map(move |j| (0..nx).map(move |i| (i, j, k))));
        let places: Vec<_> = places.collect();
        let distance = |place: usize| {
            let (i, j, k) = places[place];
            Some(solid.distance(corner(i, j, k)))
        };
        let values = parallel::filter_map(places.len(), &distance);
        Self::new(origin, spacing, counts, values)
    }

    pub(super) fn nearby(&self, p: Vec3) -> Nearby {
        let inside = (p - self.origin).clamp(Vec3::ZERO, self.size());
        let beyond = p - self.origin - inside;
        let (value, gradient) = self.interpolate(inside / self.spacing);
        let outside = beyond.length();
        if outside > 0.0 {
            // Seen from beyond a box, what lies in it is at least as far as from the nearest point of the box, and across.
            let offset = beyond + gradient.normalize_or_zero() * value.max(0.0);
            let normal = offset.normalize_or_zero();
            return Nearby::new(p, hypot(outside, value.max(0.0)), if normal == Vec3::ZERO { Vec3::Y } else { normal });
        }
        let normal = gradient.normalize_or_zero();
        Nearby::new(p, value, if normal == Vec3::ZERO { Vec3::Y } else { normal })
    }

    fn size(&self) -> Vec3 {
        Vec3::from_array(self.counts.map(|count| (count - 1) as f64)) * self.spacing
    }

    /// Side of a cell \[m\].
    pub fn spacing(&self) -> f64 {
        self.spacing
    }

    /// The first corner \[m\].
    pub fn origin(&self) -> Vec3 {
        self.origin
    }

    /// Number of corners along x, y and z.
    pub fn counts(&self) -> [usize; 3] {
        self.counts
    }

    /// Distances at the corners \[m\], x fastest.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// Value and gradient at a place in cells.
    fn interpolate(&self, at: Vec3) -> (f64, Vec3) {
        let mut cell = [0; 3];
        let mut part = [0.0; 3];
        for axis in 0..3 {
            cell[axis] = (at[axis] as usize).min(self.counts[axis] - 2);
            part[axis] = at[axis] - cell[axis] as f64;
        }
        let [nx, ny, _] = self.counts;
        let (mut value, mut gradient) = (0.0, Vec3::ZERO);
        for corner in 0..8 {
            let bits = [corner & 1, corner >> 1 & 1, corner >> 2];
            let entry = (cell[2] + bits[2]) * ny * nx + (cell[1] + bits[1]) * nx + cell[0] + bits[0];
            let weight = |axis: usize| if bits[axis] == 1 { part[axis] } else { 1.0 - part[axis] };
            let sign = |axis: usize| if bits[axis] == 1 { 1.0 } else { -1.0 };
            let (x, y, z) = (weight(0), weight(1), weight(2));
            value += self.values[entry] * x * y * z;
            gradient += self.values[entry] * Vec3::new(sign(0) * y * z, x * sign(1) * z, x * y * sign(2));
        }
        (value, gradient / self.spacing)
    }
}

impl SignedDistance for DistanceGrid {
    fn distance(&self, p: Vec3) -> f64 {
        self.nearby(p).distance
    }

    fn bounds(&self) -> Bounds {
        Bounds { min: self.origin, max: self.origin + self.size() }
    }

    fn clearance(&self, p: Vec3) -> f64 {
        self.distance(p).abs() / STEEPEST
    }
}
