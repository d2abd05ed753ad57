//! Cells one after the other, by the principal stretches of their deformation [Wang 2010].
//!
//! The deformation gradient F = U Σ Vᵀ of a cell takes its rest shape to where it is, up to a translation. With Σ clamped the cell is put
//! back about its centre of mass. Clamping stretches differently turns a cell whose masses are unequal: it is turned back so that
//! Σ m r × r' = 0, which keeps angular momentum.

use crate::math::{Mat3, Vec3, fitted_matrix, perpendicular_to, svd_3x2, svd_3x3};

/// A segment, triangle or tet with its rest shape: places of its corners in its own axes, and the inverse of its edges there.
#[derive(Debug, Clone)]
pub(super) struct Cell {
    vertices: Vec<u32>,
    /// Corners at rest, in axes of which a segment uses one, a triangle two \[m\].
    rest: Vec<Vec3>,
    /// Takes edges from the first corner to columns of F \[1/m\].
    inverse: Mat3,
}

impl Cell {
    /// None for a cell without extent at rest.
    pub(super) fn new(vertices: &[u32], positions: &[Vec3]) -> Option<Self> {
        let at: Vec<Vec3> = vertices.iter().map(|&v| positions[v as usize]).collect();
        let edges: Vec<Vec3> = at.iter().skip(1).map(|p| *p - at[0]).collect();
        let axes = match edges[..] {
            [along] => frame(along, perpendicular_to(along))?,
            [along, across] => frame(along, across)?,
            _ => Mat3::IDENTITY,
        };
        let flat: Vec<Vec3> = edges.iter().map(|e| axes.transpose() * *e).collect();
        // Axes that a cell does not have are filled up with unit vectors, for the inverse.
        let column = |k: usize| flat.get(k).copied().unwrap_or([Vec3::X, Vec3::Y, Vec3::Z][k]);
        let shape = Mat3::from_cols(column(0), column(1), column(2));
        let scale = edges.iter().fold(0.0_f64, |most, e| most.max(e.length()));
        if shape.determinant().abs() <= 1e-12 * scale.powi(edges.len() as i32) {
            return None;
        }
        let rest = std::iter::once(Vec3::ZERO).chain(flat).collect();
        Some(Self { vertices: vertices.to_vec(), rest, inverse: shape.inverse() })
    }

    /// Columns of F.
    fn gradient(&self, x: &[Vec3]) -> [Vec3; 3] {
        let edge = |k: usize| {
            if k < self.rest.len() { x[self.vertices[k] as usize] - x[self.vertices[0] as usize] } else { Vec3::ZERO }
        };
        let edges = Mat3::from_cols(edge(1), edge(2), edge(3));
        let product = edges * self.inverse;
        [product.x_axis, product.y_axis, product.z_axis]
    }

    /// F with its stretches clamped; none where they are within.
    fn clamped(&self, x: &[Vec3], [least, most]: [f64; 2]) -> Option<[Vec3; 3]> {
        let [a, b, c] = self.gradient(x);
        match self.rest.len() {
            2 => {
                let stretch = a.length();
                let allowed = stretch.clamp(least, most);
                (allowed != stretch && stretch > 0.0).then(|| [a * (allowed / stretch), Vec3::ZERO, Vec3::ZERO])
            }
            3 => {
                let svd = svd_3x2(a, b);
                let allowed = svd.sigma.map(|s| s.clamp(least, most));
                (allowed != svd.sigma).then(|| {
                    let [a, b] = svd.with_sigma(allowed);
                    [a, b, Vec3::ZERO]
                })
            }
            _ => {
                let svd = svd_3x3(Mat3::from_cols(a, b, c));
                // An inverted tet has a negative stretch; without a least one it is left as it is.
                let low = if least > 0.0 { least } else { f64::NEG_INFINITY };
                let allowed = svd.sigma.clamp(Vec3::splat(low), Vec3::splat(most));
                (allowed != svd.sigma).then(|| {
                    let f = svd.with_sigma(allowed);
                    [f.x_axis, f.y_axis, f.z_axis]
                })
            }
        }
    }

    /// Puts the corners where the clamped deformation has them; whether they moved.
    fn limit(&self, inverse_masses: &[f64], bounds: [f64; 2], x: &mut [Vec3]) -> bool {
        let Some([a, b, c]) = self.clamped(x, bounds) else { return false };
        let f = Mat3::from_cols(a, b, c);
        let own = || self.vertices.iter().map(|&v| v as usize).zip(&self.rest);
        let is_held = own().any(|(v, _)| inverse_masses[v] <= 0.0);
        // What does not move counts alone.
        let weight = |v: usize| match inverse_masses[v] {
            w if w <= 0.0 => 1.0,
            _ if is_held => 0.0,
            w => 1.0 / w,
        };
        let total: f64 = own().map(|(v, _)| weight(v)).sum();
        let centre = own().fold(Vec3::ZERO, |sum, (v, _)| sum + x[v] * weight(v)) / total;
        let rest_centre = own().fold(Vec3::ZERO, |sum, (v, r)| sum + *r * weight(v)) / total;
        let mut turn = Mat3::IDENTITY;
        if !is_held && self.rest.len() > 2 {
            turn = fitted_matrix(own().map(|(v, rest)| ((x[v] - centre) * weight(v), f * (*rest - rest_centre))));
        }
        for (v, rest) in own() {
            if inverse_masses[v] > 0.0 {
                x[v] = centre + turn * (f * (*rest - rest_centre));
            }
        }
        true
    }
}

/// Orthonormal axes with the first along one vector and the second in its plane with another.
fn frame(along: Vec3, across: Vec3) -> Option<Mat3> {
    let first = along.try_normalize()?;
    let second = across.reject_from_normalized(first).try_normalize()?;
    Some(Mat3::from_cols(first, second, first.cross(second)))
}

/// Limits each cell in turn, there and back in rounds; returns the rounds it took.
pub(super) fn limit_cells(
    cells: &[Cell],
    inverse_masses: &[f64],
    bounds: [f64; 2],
    rounds: usize,
    x: &mut [Vec3],
) -> usize {
    for round in 0..rounds {
        let mut moved = false;
        let mut visit = |cell: &Cell| moved |= cell.limit(inverse_masses, bounds, x);
        if round % 2 == 0 {
            cells.iter().for_each(&mut visit)
        } else {
            cells.iter().rev().for_each(&mut visit)
        }
        if !moved {
            return round;
        }
    }
    rounds
}
