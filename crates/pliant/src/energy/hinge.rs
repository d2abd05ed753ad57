//! Bending by hinge angles [Bouaziz 2014, §6, "More constraints"].
//!
//! ```text
//!        c
//!      ╱   ╲          E = w/2 ‖A x − p‖²,   θ(p) = θ₀
//!    a ───▶ b         θ: signed angle from the normal of a b c to that of b a d
//!      ╲   ╱
//!        d
//! ```
//!
//! The projection onto {p : θ(p) = θ₀} is in `hinge_projection.rs`; it is stationary, but need not be the nearest of all.
//!
//! The weight is w = k ‖∇θ‖² at rest, so that small angles cost ½ k (θ − θ₀)². From a plate of bending stiffness D \[N·m\],
//! k = D l²/(A₁ + A₂) with the edge length l and the two areas: the piecewise linear surface through a cylinder's points then
//! has the plate's energy ½D κ² per area, on equilateral meshes rolled in any direction and on right-angled ones rolled along
//! their grid. Other directions of right-angled meshes are too stiff, at 45° threefold with parallel diagonals and by one
//! half with alternating ones. That is of surfaces forced onto a cylinder: a free strip of right-angled cells also bends between its
//! hinges. On squares its sag over the plate's is 1.20 along the grid; 0.47 along and 1.19 across parallel diagonals, 0.74 across
//! alternating ones; 0.94 to 1.04 on cells cut along both; 1.01 on an irregular mesh. Twist is 0.5 of the plate's where cells are cut
//! along one diagonal. One number for each edge cannot be right in all directions: weights that fit twist let strips
//! sag by 1.9. Where the rest shape is flat, [`super::PlateBending`] is exact on all of these.
//!
//! Departure: with A = M^½ as in position-based dynamics the static stiffness would depend on masses. Mean-subtracted
//! coordinates are the default; the others can be chosen with the same small-angle energy.

use super::error::{require, require_non_negative};
use super::hinge_projection::HingedPair;
use super::rest::stencil_positions;
use super::{Batch, ElementBatch, EnergyError, EnergyInfo, Metric, Operator, Specimen};
use crate::math::Vec3;
use crate::math::functions::{atan2, cos, sin};

pub(super) const KIND: &str = "hinge";

/// Triangles flatter than this (height over longest edge) have no usable normal.
const DEGENERATE: f64 = 1e-9;

/// Entry in the list of energies.
pub(super) const INFO: EnergyInfo = EnergyInfo {
    key: KIND,
    summary: "bending of surfaces by the signed angles between triangles",
    citation: "[Bouaziz 2014, §6; Grinspun 2003]",
    specimens: &[specimen, folded_specimen],
};

/// Stiffness of hinges.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum HingeStiffness {
    /// Bending stiffness D of the plate \[N·m\].
    Plate(f64),
    /// k of each hinge in ½ k (θ − θ₀)² \[N·m\]: a raw weight; its effect depends on the mesh.
    Uniform(f64),
}

/// Recipe for hinge bending.
#[derive(Debug, Clone, PartialEq)]
pub struct HingeBending {
    /// Each hinge as [edge start, edge end, left, right]; see [`TriangleMesh::hinges`](crate::mesh::TriangleMesh::hinges).
    pub hinges: Vec<[u32; 4]>,
    /// Stiffness.
    pub stiffness: HingeStiffness,
    /// Rest angle of all hinges \[rad\]; those of the rest positions if absent.
    pub rest_angle: Option<f64>,
    /// Coordinates in which the distance is measured.
    pub metric: Metric,
}

impl HingeBending {
    /// Hinges with the angles of the rest positions.
    pub fn new(hinges: Vec<[u32; 4]>, stiffness: HingeStiffness) -> Self {
        Self { hinges, stiffness, rest_angle: None, metric: Metric::MeanSubtracted }
    }

    /// Builds the batch for vertices with these rest positions.
    pub fn build(&self, rest: &[Vec3]) -> Result<Box<dyn Batch>, EnergyError> {
        self.metric.check(KIND, rest.len())?;
        self.build_from(|element, hinge| stencil_positions(KIND, element, hinge, rest))
    }

    /// Builds the batch for hinges that each have a rest shape of their own.
    pub(crate) fn build_from(
        &self,
        rest: impl Fn(usize, &[u32; 4]) -> Result<[Vec3; 4], EnergyError>,
    ) -> Result<Box<dyn Batch>, EnergyError> {
        let (HingeStiffness::Plate(value) | HingeStiffness::Uniform(value)) = self.stiffness;
        require_non_negative(KIND, "stiffness", value)?;
        if let Some(angle) = self.rest_angle {
            require(KIND, "rest angle", angle, "between −π and π", angle.abs() <= std::f64::consts::PI)?;
        }
        let mut operator = Operator::new(4);
        let mut elements = Vec::with_capacity(self.hinges.len());
        for (element, hinge) in self.hinges.iter().enumerate() {
            let corners = rest(element, hinge)?;
            let Some(angle) = SignedAngle::of(&corners) else {
                let value = flatness(&corners);
                return Err(EnergyError::Degenerate {
                    kind: KIND,
                    element,
                    measure: "height over longest edge",
                    value,
                });
            };
            let (scale, coefficients) = self.coordinates(hinge);
            let mut own = HingedPair { rest_angle: self.rest_angle.unwrap_or(angle.theta), scale };
            if self.metric == Metric::VertexSubtracted {
                own.scale[0] = f64::INFINITY;
            }
            let stiffness = match self.stiffness {
                HingeStiffness::Uniform(k) => k,
                HingeStiffness::Plate(d) => d * angle.edge_squared / angle.areas,
            };
            let squared: f64 = (0..4).map(|i| (angle.gradient[i] / own.scale[i]).length_squared()).sum();
            operator.push(stiffness * squared, hinge, &coefficients);
            elements.push(own);
        }
        Ok(Box::new(ElementBatch::new(operator, elements, Vec::new())))
    }

    /// Factor between rows of A x and positions, and A itself.
    fn coordinates(&self, hinge: &[u32; 4]) -> ([f64; 4], [f64; 16]) {
        let mut a = [0.0; 16];
        let mut scale = [1.0; 4];
        if let Metric::Mass(masses) = &self.metric {
            scale = hinge.map(|v| masses[v as usize].sqrt());
        }
        for row in 0..4 {
            a[5 * row] = scale[row];
            match self.metric {
                Metric::MeanSubtracted => (0..4).for_each(|corner| a[4 * row + corner] -= 0.25),
                Metric::VertexSubtracted => a[4 * row] -= 1.0,
                Metric::Identity | Metric::Mass(_) => {}
            }
        }
        (scale, a)
    }
}

/// The angle of a hinge and what its derivative needs.
pub(crate) struct SignedAngle {
    /// θ \[rad\].
    pub(crate) theta: f64,
    /// ∂θ/∂x of the four corners \[rad/m\].
    pub(crate) gradient: [Vec3; 4],
    edge_squared: f64,
    areas: f64,
}

/// The smaller of the two triangles' heights over their longest edge.
fn flatness([a, b, c, d]: &[Vec3; 4]) -> f64 {
    let of = |p: Vec3| {
        let longest = (*b - *a).length_squared().max((p - *a).length_squared()).max((p - *b).length_squared());
        (*b - *a).cross(p - *a).length() / longest
    };
    of(*c).min(of(*d))
}

impl SignedAngle {
    /// None where a triangle has no normal.
    pub(crate) fn of(corners: &[Vec3; 4]) -> Option<Self> {
        let flatness = flatness(corners);
        if flatness.is_nan() || flatness < DEGENERATE {
            return None;
        }
        let [a, b, c, d] = *corners;
        let edge = b - a;
        let (left, right) = (edge.cross(c - a), (d - a).cross(edge));
        let edge_squared = edge.length_squared();
        let length = edge_squared.sqrt();
        let theta = atan2(left.cross(right).dot(edge) / length, left.dot(right));
        let at_c = left * (-length / left.length_squared());
        let at_d = right * (-length / right.length_squared());
        // The feet of the heights share the reaction between the ends of the edge.
        let (foot_c, foot_d) = ((c - a).dot(edge) / edge_squared, (d - a).dot(edge) / edge_squared);
        let at_a = at_c * (foot_c - 1.0) + at_d * (foot_d - 1.0);
        let at_b = -(at_c * foot_c + at_d * foot_d);
        let areas = 0.5 * (left.length() + right.length());
        Some(Self { theta, gradient: [at_a, at_b, at_c, at_d], edge_squared, areas })
    }
}

fn specimen_of(fold: f64) -> Result<Specimen, EnergyError> {
    let rest = vec![
        Vec3::ZERO,
        Vec3::new(0.0, 1.0, 0.0),
        Vec3::new(-0.9, 0.4, 0.0),
        Vec3::new(1.0 * cos(fold), 0.6, sin(fold)),
    ];
    let batch = HingeBending::new(vec![[0, 1, 2, 3]], HingeStiffness::Plate(2.0)).build(&rest)?;
    Ok(Specimen { batch, rest })
}

fn specimen() -> Result<Specimen, EnergyError> {
    specimen_of(0.0)
}

fn folded_specimen() -> Result<Specimen, EnergyError> {
    specimen_of(0.8)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::energy::Element;

    #[test]
    fn angle_gradient_matches_differences() {
        let corners =
            [Vec3::new(0.1, 0.0, 0.2), Vec3::new(0.0, 1.1, 0.1), Vec3::new(-0.9, 0.4, 0.3), Vec3::new(0.8, 0.7, -0.4)];
        let angle = SignedAngle::of(&corners).expect("a hinge");
        for i in 0..12 {
            let mut ends = [corners; 2];
            ends[0][i / 3][i % 3] += 1e-6;
            ends[1][i / 3][i % 3] -= 1e-6;
            let [plus, minus] = ends.map(|c| SignedAngle::of(&c).expect("a hinge").theta);
            assert!(((plus - minus) / 2e-6 - angle.gradient[i / 3][i % 3]).abs() < 1e-8);
        }
    }

    #[test]
    fn a_hinge_at_minus_thirty_degrees_started_at_plus_thirty_crosses_over() {
        let place = |degrees: f64| {
            let t = f64::to_radians(degrees);
            [Vec3::ZERO, Vec3::Y, Vec3::new(-1.0, 0.5, 0.0), Vec3::new(t.cos(), 0.5, t.sin())]
        };
        let sign = SignedAngle::of(&place(30.0)).expect("a hinge").theta.signum();
        let hinge = HingedPair { rest_angle: -sign * f64::to_radians(30.0), scale: [1.0; 4] };
        let p = hinge.project(&place(30.0), &[], &mut [0.0; 4]);
        let reached = SignedAngle::of(&p).expect("a hinge").theta;
        assert!((reached - hinge.rest_angle).abs() < 1e-9, "angle {}°", reached.to_degrees());
    }

    #[test]
    fn small_angles_cost_half_k_theta_squared_in_every_metric() {
        let rest = [Vec3::ZERO, Vec3::Y, Vec3::new(-1.0, 0.3, 0.0), Vec3::new(0.8, 0.6, 0.0)];
        let k = 3.0;
        let masses = vec![1.0, 2.0, 0.5, 3.0];
        for metric in [Metric::MeanSubtracted, Metric::VertexSubtracted, Metric::Identity, Metric::Mass(masses)] {
            let recipe = HingeBending { metric, ..HingeBending::new(vec![[0, 1, 2, 3]], HingeStiffness::Uniform(k)) };
            let batch = recipe.build(&rest).expect("a batch");
            let mut x = rest;
            x[3].z += 1e-3;
            let theta = SignedAngle::of(&x).expect("a hinge").theta;
            let mut memory = crate::energy::Memory::of(batch.as_ref());
            batch.project(&x, &[], &mut memory);
            let energy = batch.operator().energy(&x, &memory.projections);
            let expected = 0.5 * k * theta * theta;
            assert!((energy / expected - 1.0).abs() < 1e-4, "{:?}: {energy} for {expected}", recipe.metric);
        }
    }
}
