//! The angle between two triangles: bending [Bender 2014, §3.4.2].
//!
//! ```text
//!        c
//!      ╱   ╲          C = θ − θ₀
//!    a ───▶ b         θ: signed angle from the normal of a b c to that of b a d
//!      ╲   ╱
//!        d
//! ```
//!
//! Departure: the survey uses θ = acos(n₁·n₂), which does not distinguish to which side a hinge is bent and has no
//! gradient when it is flat. The signed angle from atan2 has neither problem, and its gradient is as simple.

use super::{Constraint, ConstraintArrays, ConstraintSet};
use crate::energy::{EnergyError, SignedAngle, stencil_positions};
use crate::math::Vec3;

/// Keeps the angle of a hinge.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Dihedral {
    /// θ₀ \[rad\].
    pub angle: f64,
}

impl Dihedral {
    /// Hinges ([edge start, edge end, left, right], see [`TriangleMesh::hinges`](crate::mesh::TriangleMesh::hinges))
    /// with their rest angles and one compliance \[rad²/J\].
    pub fn at_rest(hinges: &[[u32; 4]], rest: &[Vec3], compliance: f64) -> Result<ConstraintSet<Self, 4>, EnergyError> {
        let mut elements = Vec::with_capacity(hinges.len());
        for (element, hinge) in hinges.iter().enumerate() {
            let corners = stencil_positions(Self::KIND, element, hinge, rest)?;
            let Some((angle, _)) = Self { angle: 0.0 }.evaluate(0, &corners) else {
                let (kind, measure) = (Self::KIND, "area of a triangle");
                return Err(EnergyError::Degenerate { kind, element, measure, value: 0.0 });
            };
            elements.push((*hinge, Self { angle }, compliance));
        }
        ConstraintSet::new(elements)
    }
}

/// The angle between −π and π with the same sine and cosine.
fn wrapped(angle: f64) -> f64 {
    let turn = std::f64::consts::TAU;
    angle - turn * (angle / turn).round()
}

impl Constraint<4> for Dihedral {
    const KIND: &'static str = "dihedral";
    /// A vertex moves straight where it should turn about the edge: by a large angle that makes its triangle larger, and with
    /// soft edges larger in every visit. Cloth of stiff hinges and soft edges was seen to grow without end.
    const MOST: f64 = 0.05;

    fn arrays<'a>(constraints: &[Self], compliances: &'a [f64]) -> ConstraintArrays<'a> {
        let angles = constraints.iter().map(|constraint| constraint.angle).collect();
        ConstraintArrays::Dihedral { angles, compliances }
    }

    fn evaluate(&self, _row: usize, x: &[Vec3; 4]) -> Option<(f64, [Vec3; 4])> {
        let SignedAngle { theta, gradient, .. } = SignedAngle::of(x)?;
        Some((wrapped(theta - self.angle), gradient))
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Block, ConstraintBatch, Rule};
    use super::*;

    #[test]
    fn a_hinge_at_rest_below_crosses_over_from_above() {
        let bent = |angle: f64| {
            let side = |sign: f64| Vec3::new(0.5, sign * (0.5 * angle).cos(), -(0.5 * angle).sin());
            [Vec3::ZERO, Vec3::X, side(1.0), side(-1.0)]
        };
        let angle_of = |x: &[Vec3; 4]| Dihedral { angle: 0.0 }.evaluate(0, x).expect("an angle").0;
        let (down, up) = (-30.0_f64.to_radians(), 30.0_f64.to_radians());
        assert!((angle_of(&bent(down)) - down).abs() < 1e-12, "{}", angle_of(&bent(down)));
        let set = Dihedral::at_rest(&[[0, 1, 2, 3]], &bent(down), 0.0).expect("a hinge");
        let mut x = bent(up);
        for _ in 0..60 {
            let (elements, inverse_masses, multipliers) = (&[0][..], &[1.0; 4][..], &mut [0.0][..]);
            let mut block = Block { elements, corners: &mut x, before: &[], inverse_masses, multipliers };
            set.correct(&mut block, &Rule::Share(1.0));
        }
        assert!((angle_of(&x) - down).abs() < 1e-9, "{} for {down}", angle_of(&x));
    }
}
