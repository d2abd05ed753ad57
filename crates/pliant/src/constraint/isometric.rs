//! Bending of surfaces that hardly stretch [Bender 2014, §3.4.2; Bergou 2006].
//!
//! C = ½ Σᵢⱼ Qᵢⱼ xᵢ·xⱼ over the four points of a hinge, Q = K Kᵀ/(A₁ + A₂) with cotangents K of the rest shape:
//! quadratic, so gradients are sums of positions and no angle is measured. It is 0 if the hinge is flat, whatever its
//! rest angle was.
//!
//! Departure: [Bergou 2006] has 3/(A₁ + A₂), a third of the area for each of three edges. A surface that is rolled along its grid bends at one
//! edge of three; with 1 it has the energy ½ κ² per area there, as `energy/hinge.rs` has.
//!
//! C itself is an energy for a bending stiffness of 1: it goes to 0 by halves, not in one visit, since its gradient goes to 0 with it.

use super::{Constraint, ConstraintArrays, ConstraintSet};
use crate::energy::{EnergyError, stencil_positions};
use crate::math::Vec3;

/// Keeps a hinge flat.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct IsometricBending {
    /// K/√(A₁ + A₂) \[1/m\], so that C = ½ ‖Σ kᵢ xᵢ‖².
    weights: [f64; 4],
}

/// Cotangent of the angle at `apex`; none if it has none.
fn cotangent(apex: Vec3, a: Vec3, b: Vec3) -> Option<f64> {
    let (u, v) = (a - apex, b - apex);
    let cross = u.cross(v).length();
    (cross > 0.0).then(|| u.dot(v) / cross)
}

impl IsometricBending {
    /// Hinges [edge start, edge end, left, right] with one compliance \[1/J, of a C that counts as an energy per stiffness\].
    pub fn at_rest(hinges: &[[u32; 4]], rest: &[Vec3], compliance: f64) -> Result<ConstraintSet<Self, 4>, EnergyError> {
        let mut elements = Vec::with_capacity(hinges.len());
        for (element, hinge) in hinges.iter().enumerate() {
            let [a, b, c, d] = stencil_positions(Self::KIND, element, hinge, rest)?;
            let of = |apex: Vec3, p: Vec3, q: Vec3| {
                let (kind, measure) = (Self::KIND, "area of a triangle");
                cotangent(apex, p, q).ok_or(EnergyError::Degenerate { kind, element, measure, value: 0.0 })
            };
            // Angles at a and at b, in the triangle of c and in that of d.
            let (ac, ad, bc, bd) = (of(a, b, c)?, of(a, b, d)?, of(b, a, c)?, of(b, a, d)?);
            let area = 0.5 * ((b - a).cross(c - a).length() + (b - a).cross(d - a).length());
            let scale = (1.0 / area).sqrt();
            let weights = [bc + bd, ac + ad, -(ac + bc), -(ad + bd)].map(|k| k * scale);
            elements.push((*hinge, Self { weights }, compliance));
        }
        ConstraintSet::new(elements)
    }
}

impl Constraint<4> for IsometricBending {
    const KIND: &'static str = "isometric_bending";

    fn arrays<'a>(constraints: &[Self], compliances: &'a [f64]) -> ConstraintArrays<'a> {
        let weights = constraints.iter().map(|constraint| constraint.weights).collect();
        ConstraintArrays::Isometric { weights, compliances }
    }

    fn evaluate(&self, _row: usize, x: &[Vec3; 4]) -> Option<(f64, [Vec3; 4])> {
        let bend = x.iter().zip(self.weights).fold(Vec3::ZERO, |sum, (x, k)| sum + *x * k);
        Some((0.5 * bend.length_squared(), self.weights.map(|k| bend * k)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cylinder_has_the_energy_of_its_curvature() {
        // A square hinge of two right triangles, of area h²/2 each, rolled by a small angle across its diagonal's neighbour.
        let (h, curvature) = (0.1, 0.2);
        let rolled = |x: f64, z: f64| Vec3::new(x, -0.5 * curvature * x * x, z);
        let grid: Vec<[f64; 2]> = (0..5).flat_map(|i| (0..5).map(move |j| [h * i as f64, h * j as f64])).collect();
        let at = |i: u32, j: u32| 5 * i + j;
        let cells = (0..4).flat_map(|i| (0..4).map(move |j| (i, j)));
        let triangles: Vec<[u32; 3]> = cells
            .flat_map(|(i, j)| {
                let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
                [[a, c, b], [a, d, c]]
            })
            .collect();
        let flat: Vec<Vec3> = grid.iter().map(|[x, z]| Vec3::new(*x, 0.0, *z)).collect();
        let mesh = crate::mesh::TriangleMesh { positions: flat.clone(), triangles };
        let hinges = mesh.hinges().expect("hinges");
        let set = IsometricBending::at_rest(&hinges, &flat, 0.0).expect("a set");
        let energy: f64 = hinges
            .iter()
            .zip(set.constraints())
            .map(|(hinge, constraint)| {
                let x = hinge.map(|v| rolled(grid[v as usize][0], grid[v as usize][1]));
                constraint.evaluate(0, &x).expect("a value").0
            })
            .sum();
        // ½ κ² over the rows that have hinges on both sides: three of four cells across.
        let expected = 0.5 * curvature * curvature * (3.0 * h) * (4.0 * h);
        assert!((energy / expected - 1.0).abs() < 0.02, "{energy} for {expected}");
    }
}
