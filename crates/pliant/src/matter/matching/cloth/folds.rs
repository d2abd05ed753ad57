//! Regions that resist bending: two triangles with a common edge.
//!
//! ```text
//!          c                u = Σ γᵢ xᵢ with Σ γᵢ = 0 and Σ γᵢ qᵢ = 0, qᵢ the two triangles laid flat:
//!         ╱ ╲               what the best affine image of the flat pair leaves over
//!        ╱   ╲              Δxᵢ = −k (1/mᵢ) γᵢ (u − ‖ū‖ u/‖u‖) / Σ (1/mⱼ) γⱼ²
//!       a ─── b
//!        ╲   ╱              Σ mᵢ Δxᵢ ∝ Σ γᵢ = 0,   Σ mᵢ xᵢ × Δxᵢ ∝ u × u = 0
//!         ╲ ╱
//!          d
//! ```
//!
//! Stretch and shear within the planes are affine, so a pair has nothing against them: bending is resisted apart from them. A pair that is
//! bent at rest goes back to its angle, on whichever side of flat it is.
//!
//! Departure: regions of [Stumpp 2008] are the outer corners of the triangles around a triangle. Their distances change with the square of
//! an angle, so that small angles are hardly resisted.

use super::region::{Region, Shares};
use crate::math::Vec3;
use crate::mesh::Edge;

#[derive(Debug, Clone, Copy)]
pub(super) struct Fold {
    vertices: [u32; 4],
    /// γ; those of c and d add up to 1.
    coefficients: [f64; 4],
    /// (1/mᵢ) γᵢ / Σ (1/mⱼ) γⱼ².
    steps: [f64; 4],
    can_move: [bool; 4],
    /// ‖u‖ at rest \[m\].
    rest: f64,
}

impl Fold {
    /// None where a triangle is a line, and if no vertex can move.
    fn new(vertices: [u32; 4], rest: &[Vec3], inverse_masses: &[f64]) -> Option<Self> {
        let [a, b, c, d] = vertices.map(|v| rest[v as usize]);
        let length = (b - a).length();
        let along = (b - a).try_normalize()?;
        let place = |p: Vec3| {
            let x = along.dot(p - a);
            (x, (p - a - along * x).length())
        };
        let [(cx, cy), (dx, dy)] = [place(c), place(d)];
        if cy.min(dy) <= 1e-9 * length {
            return None;
        }
        let [far_c, far_d] = [dy / (cy + dy), cy / (cy + dy)];
        let near_b = -(far_c * cx + far_d * dx) / length;
        let coefficients = [-(near_b + 1.0), near_b, far_c, far_d];
        let own = vertices.map(|v| inverse_masses[v as usize]);
        let total: f64 = (0..4).map(|k| own[k] * coefficients[k].powi(2)).sum();
        let steps = [0, 1, 2, 3].map(|k| own[k] * coefficients[k] / total);
        let at_rest = bend(coefficients, [a, b, c, d]).length();
        // Flat up to rounding is flat.
        let rest = if at_rest > 1e-9 * length { at_rest } else { 0.0 };
        (total > 0.0).then(|| Self { vertices, coefficients, steps, can_move: own.map(|w| w > 0.0), rest })
    }
}

fn bend(coefficients: [f64; 4], x: [Vec3; 4]) -> Vec3 {
    // From the first vertex: far from the origin sums of places would round.
    (1..4).fold(Vec3::ZERO, |sum, k| sum + (x[k] - x[0]) * coefficients[k])
}

impl Region<4> for Fold {
    fn vertices(&self) -> [u32; 4] {
        self.vertices
    }

    fn can_move(&self) -> [bool; 4] {
        self.can_move
    }

    #[inline]
    fn movements(&self, x: [Vec3; 4], shares: Shares) -> Option<[Vec3; 4]> {
        let u = bend(self.coefficients, x);
        let left = if self.rest > 0.0 {
            let length = u.length();
            // Flat, there is no side to bend to.
            if length == 0.0 {
                return None;
            }
            u * (1.0 - self.rest / length)
        } else {
            u
        };
        Some(self.steps.map(|step| left * (-shares.stretch * step)))
    }
}

/// All pairs of triangles with a common edge; where more than two meet, none.
pub(super) fn folds(triangles: &[[u32; 3]], rest: &[Vec3], inverse_masses: &[f64]) -> Vec<Fold> {
    let mut sides: Vec<(Edge, u32)> = Vec::with_capacity(3 * triangles.len());
    for &[a, b, c] in triangles {
        sides.extend([(a, b, c), (b, c, a), (c, a, b)].map(|(a, b, far)| ([a.min(b), a.max(b)], far)));
    }
    sides.sort_unstable();
    let pairs = sides.chunk_by(|first, second| first.0 == second.0).filter_map(|sharing| match *sharing {
        [([a, b], c), (_, d)] if c != d => Some([a, b, c, d]),
        _ => None,
    });
    pairs.filter_map(|vertices| Fold::new(vertices, rest, inverse_masses)).collect()
}
