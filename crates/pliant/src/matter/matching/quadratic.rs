//! Quadratic modes: regions that bend and twist without resistance [Müller 2005, §4.3].

use super::fit::{FLAT, products};
use crate::math::{Mat3, Vec3, symmetric_eigen};

/// What the squares and products of r − centre add: columns for x², y², z², xy, yz, zx less their means.
pub(super) type Squares = [Vec3; 6];

/// What quadratic modes need of a region.
#[derive(Debug, Clone)]
pub(super) struct Quadratic {
    /// Means of squares and products.
    means: [f64; 6],
    /// (Σ m̃ r̃ r̃ᵀ)⁻¹ of places with their squares and products, row by row.
    inverse_square: [f64; 81],
}

impl Quadratic {
    pub(super) fn new(members: impl Iterator<Item = (Vec3, f64)> + Clone, centre: Vec3) -> Self {
        let mass: f64 = members.clone().map(|(_, m)| m).sum();
        let mut means = [0.0; 6];
        for (r, m) in members.clone() {
            let numbers = products(r - centre);
            (0..6).for_each(|k| means[k] += m * numbers[k] / mass);
        }
        // Departure: [Müller 2005] takes squares as they are. Less their means the goals have the centre of the particles, so that
        // momentum is kept.
        let mut this = Self { means, inverse_square: [0.0; 81] };
        let mut square = [0.0; 81];
        for (r, m) in members {
            let all = this.numbers(r - centre);
            (0..81).for_each(|k| square[k] += m * all[k / 9] * all[k % 9]);
        }
        // Lengths and areas differ in size: in units of the region's own size what is small is what cannot be seen.
        let size = ((square[0] + square[10] + square[20]) / mass).sqrt();
        let size = if size > 0.0 { size } else { 1.0 };
        let scales: [f64; 9] = std::array::from_fn(|k| mass.sqrt() * if k < 3 { size } else { size * size });
        (0..81).for_each(|k| square[k] /= scales[k / 9] * scales[k % 9]);
        let mut vectors = [0.0; 81];
        symmetric_eigen(&mut square, &mut vectors, 9);
        for k in (0..9).filter(|k| square[10 * k] > FLAT) {
            for entry in 0..81 {
                let (row, column) = (entry / 9, entry % 9);
                let pair = vectors[9 * row + k] * vectors[9 * column + k];
                this.inverse_square[entry] += pair / (square[10 * k] * scales[row] * scales[column]);
            }
        }
        this
    }

    /// A place with its squares and products less their means.
    fn numbers(&self, r: Vec3) -> [f64; 9] {
        let squares = products(r);
        std::array::from_fn(|k| if k < 3 { r[k] } else { squares[k - 3] - self.means[k - 3] })
    }

    /// The linear part of the best map, and its columns for squares and products, from places at rest and weighted movements.
    pub(super) fn fit(
        &self,
        members: impl Iterator<Item = (Vec3, Vec3)>,
        flat: Mat3,
        rotation: Mat3,
    ) -> (Mat3, Squares) {
        let mut moments = [Vec3::ZERO; 9];
        for (r, d) in members {
            let numbers = self.numbers(r);
            (0..9).for_each(|k| moments[k] += d * numbers[k]);
        }
        let column = |k: usize| (0..9).fold(Vec3::ZERO, |sum, j| sum + moments[j] * self.inverse_square[9 * j + k]);
        let linear = Mat3::from_cols(column(0), column(1), column(2)) + rotation * flat;
        (linear, std::array::from_fn(|k| column(3 + k)))
    }

    /// What squares and products add at a place, from the region's centre.
    pub(super) fn bend(&self, squares: &Squares, r: Vec3) -> Vec3 {
        let numbers = products(r);
        (0..6).fold(Vec3::ZERO, |sum, k| sum + squares[k] * (numbers[k] - self.means[k]))
    }
}
