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
//! In a frame with its first axis along the edge, hinges of the angle θ₀ make a linear cone: the ends of the edge lie on a line
//! along the first axis, c and d each in a fixed half-plane beyond it. So the set is that cone in all frames R, and with the
//! orthonormal normals N of the cone the distance is ‖N Rᵀz‖, of which Newton's method over rotations finds a minimum. It
//! need not be the least of all.
//!
//! Departure: sequential quadratic programming, which the paper proposes where there is no closed form,
//! p ← z − ∇C [C(p) + ∇C·(z − p)]/‖∇C‖², converges only while the residual is small against the curvature of the set. Beyond
//! an angle of about one radian it ended beside the minimum, where w Aᵀ(z − p) is no gradient. Its first step, the
//! position-based update (eq. 13), agrees with this projection for small angles.
//!
//! The weight is w = k ‖∇θ‖² at rest, so that small angles cost ½ k (θ − θ₀)². From a plate of bending stiffness D \[N·m\],
//! k = D l²/(A₁ + A₂) with the edge length l and the two areas: the piecewise linear surface through a cylinder's points then
//! has the plate's energy ½D κ² per area, on right-angled and on equilateral meshes alike.
//!
//! Departure: with A = M^½ as in position-based dynamics the static stiffness would depend on masses. Mean-subtracted
//! coordinates are the default; the others can be chosen with the same small-angle energy.

use super::error::{require, require_non_negative};
use super::rest::stencil_positions;
use super::{Batch, Element, ElementBatch, EnergyError, EnergyInfo, Metric, Operator, Properties, Specimen};
use crate::math::{Mat3, Vec3, perpendicular_to, symmetric_eigen};
use glam::{DQuat, DVec2};

const KIND: &str = "hinge";

/// Triangles flatter than this (height over longest edge) have no usable normal.
const DEGENERATE: f64 = 1e-9;

/// Newton steps over frames in one projection; it ends earlier, mostly after four to eight.
const MAX_STEPS: usize = 60;

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
    /// k of each hinge in ½ k (θ − θ₀)² \[N·m\]: a raw weight, whose effect depends on the mesh.
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
    /// Coordinates of the distance.
    pub metric: Metric,
}

impl HingeBending {
    /// Hinges with the angles of the rest positions.
    pub fn new(hinges: Vec<[u32; 4]>, stiffness: HingeStiffness) -> Self {
        Self { hinges, stiffness, rest_angle: None, metric: Metric::MeanSubtracted }
    }

    /// Builds the batch for vertices with these rest positions.
    pub fn build(&self, rest: &[Vec3]) -> Result<Box<dyn Batch>, EnergyError> {
        let (HingeStiffness::Plate(value) | HingeStiffness::Uniform(value)) = self.stiffness;
        require_non_negative(KIND, "stiffness", value)?;
        if let Some(angle) = self.rest_angle {
            require(KIND, "rest angle", angle, "between −π and π", angle.abs() <= std::f64::consts::PI)?;
        }
        self.metric.check(KIND, rest.len())?;
        let mut operator = Operator::new(4);
        let mut elements = Vec::with_capacity(self.hinges.len());
        for (element, hinge) in self.hinges.iter().enumerate() {
            let corners = stencil_positions(KIND, element, hinge, rest)?;
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
            let squared: f64 = own.gradient(&angle).iter().map(|g| g.length_squared()).sum();
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
struct SignedAngle {
    theta: f64,
    /// ∂θ/∂x of the four corners \[rad/m\].
    gradient: [Vec3; 4],
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
    fn of(corners: &[Vec3; 4]) -> Option<Self> {
        let flatness = flatness(corners);
        if flatness.is_nan() || flatness < DEGENERATE {
            return None;
        }
        let [a, b, c, d] = *corners;
        let edge = b - a;
        let (left, right) = (edge.cross(c - a), (d - a).cross(edge));
        let edge_squared = edge.length_squared();
        let length = edge_squared.sqrt();
        let theta = (left.cross(right).dot(edge) / length).atan2(left.dot(right));
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

/// One hinge of the batch.
#[derive(Debug, Clone, Copy)]
struct HingedPair {
    rest_angle: f64,
    /// Factor between a row of A x and the position of its corner; infinite for a corner that does not move.
    scale: [f64; 4],
}

/// A fitted frame: its columns are the edge, the direction across it into the triangle a b c, and the normal of that.
struct Fit {
    frame: Mat3,
    /// ½‖z − p‖².
    misfit: f64,
    /// The projection.
    p: [Vec3; 4],
}

/// What keeps four points in a frame from having the rest angle: at most six orthonormal rows N with N y = 0 on the set.
struct Normals {
    rows: [[DVec2; 4]; 6],
    count: usize,
}

impl Normals {
    /// N y, for the components of y across the edge.
    fn residual(&self, y: &[DVec2; 4]) -> [f64; 6] {
        std::array::from_fn(|k| if k < self.count { (0..4).map(|i| self.rows[k][i].dot(y[i])).sum() } else { 0.0 })
    }
}

/// The components across the first axis.
fn across(v: Vec3) -> DVec2 {
    DVec2::new(v.y, v.z)
}

impl HingedPair {
    fn corners(&self, z: &[Vec3; 4]) -> [Vec3; 4] {
        std::array::from_fn(|i| z[i] / if self.scale[i].is_finite() { self.scale[i] } else { 1.0 })
    }

    /// ∂θ/∂z.
    fn gradient(&self, angle: &SignedAngle) -> [Vec3; 4] {
        std::array::from_fn(|i| angle.gradient[i] / self.scale[i])
    }

    /// Directions of the two triangles across the edge, in the frame.
    fn wings(&self) -> [DVec2; 2] {
        let (sine, cosine) = self.rest_angle.sin_cos();
        [DVec2::X, DVec2::new(-cosine, -sine)]
    }

    /// Rows for hinges of which some wings are `collapsed` onto the edge.
    fn normals(&self, collapsed: [bool; 2]) -> Normals {
        let mut normals = Normals { rows: [[DVec2::ZERO; 4]; 6], count: 0 };
        let mut push = |corner: usize, direction: DVec2| {
            let mut row = [DVec2::ZERO; 4];
            row[0] = -direction / self.scale[0];
            row[corner] = direction / self.scale[corner];
            for other in &normals.rows[..normals.count] {
                let along: f64 = (0..4).map(|i| other[i].dot(row[i])).sum();
                (0..4).for_each(|i| row[i] -= other[i] * along);
            }
            let length = row.iter().map(|r| r.length_squared()).sum::<f64>().sqrt();
            normals.rows[normals.count] = row.map(|r| r / length);
            normals.count += 1;
        };
        push(1, DVec2::X);
        push(1, DVec2::Y);
        for (k, wing) in self.wings().into_iter().enumerate() {
            push(2 + k, wing.perp());
            if collapsed[k] {
                push(2 + k, wing);
            }
        }
        normals
    }

    /// The nearest point with the rest angle in a given frame, and the rows that hold it back.
    fn fit_in(&self, z: &[Vec3; 4], frame: Mat3) -> (Fit, Normals) {
        let y = z.map(|z| frame.transpose() * z);
        let flat = y.map(across);
        let mut collapsed = [false; 2];
        loop {
            let normals = self.normals(collapsed);
            let residual = normals.residual(&flat);
            let mut p = y;
            for (row, r) in normals.rows.iter().zip(residual) {
                (0..4).for_each(|i| p[i] -= Vec3::new(0.0, row[i].x, row[i].y) * r);
            }
            // A triangle on the other side of the edge has another angle; the nearest allowed place is on the edge.
            let corners = self.corners(&p);
            let reach = |k: usize| self.wings()[k].dot(across(corners[2 + k] - corners[0]));
            let wrong = (0..2).filter(|&k| !collapsed[k]).min_by(|&i, &j| reach(i).total_cmp(&reach(j)));
            match wrong {
                Some(k) if reach(k) < 0.0 => collapsed[k] = true,
                _ => {
                    let misfit = 0.5 * residual.iter().map(|r| r * r).sum::<f64>();
                    return (Fit { frame, misfit, p: p.map(|p| frame * p) }, normals);
                }
            }
        }
    }

    /// The frame that suits the edge as it is, and both triangles across it on average.
    fn first_frame(&self, z: &[Vec3; 4]) -> Mat3 {
        let [a, b, c, d] = self.corners(z);
        let edge = (b - a).normalize_or(Vec3::X);
        let up = perpendicular_to(edge);
        let side = up.cross(edge);
        let place = |p: Vec3| DVec2::new((p - a).dot(up), (p - a).dot(side));
        let wings = self.wings();
        // In the plane across the edge, vectors are complex numbers: undo the wing's own angle, then add.
        let turn = place(c) + DVec2::new(wings[1].x, -wings[1].y).rotate(place(d));
        let turn = turn.normalize_or(DVec2::X);
        let second = up * turn.x + side * turn.y;
        Mat3::from_cols(edge, second, edge.cross(second))
    }

    /// Newton's method over frames, from a starting frame.
    fn fit(&self, z: &[Vec3; 4], start: Mat3) -> Fit {
        let (mut fit, mut normals) = self.fit_in(z, start);
        for _ in 0..MAX_STEPS {
            let step = newton_step(z, fit.frame, &normals);
            let after = |scale: f64| {
                let turn = DQuat::from_scaled_axis(step * scale);
                self.fit_in(z, fit.frame * Mat3::from_quat(turn))
            };
            let (mut scale, mut next) = (1.0, after(1.0));
            // Misfits of small steps differ by rounding alone; there Newton's method converges by itself.
            while step.length() > 1e-5 && next.0.misfit >= fit.misfit && scale > 1e-6 {
                scale *= 0.5;
                next = after(scale);
            }
            if step.length() > 1e-5 && next.0.misfit >= fit.misfit {
                break;
            }
            (fit, normals) = next;
            // Convergence is quadratic: after a step this small the next would be rounding.
            if step.length() < 1e-8 {
                break;
            }
        }
        fit
    }
}

/// Newton's step for ½‖N Rᵀz‖² over rotations R ← R exp(ω), downhill where the curvature is negative.
fn newton_step(z: &[Vec3; 4], frame: Mat3, normals: &Normals) -> Vec3 {
    let y = z.map(|z| frame.transpose() * z);
    let residual = normals.residual(&y.map(across));
    let slopes = Vec3::AXES.map(|axis| normals.residual(&y.map(|y| across(y.cross(axis)))));
    let inner = |a: &[f64; 6], b: &[f64; 6]| -> f64 { a.iter().zip(b).map(|(a, b)| a * b).sum() };
    let gradient = slopes.map(|slope| inner(&slope, &residual));
    let (mut hessian, mut vectors) = ([0.0; 9], [0.0; 9]);
    for i in 0..3 {
        for j in 0..3 {
            let (first, second) = (Vec3::AXES[i], Vec3::AXES[j]);
            let bend = y.map(|y| across(0.5 * (y.cross(first).cross(second) + y.cross(second).cross(first))));
            hessian[3 * i + j] = inner(&slopes[i], &slopes[j]) + inner(&residual, &normals.residual(&bend));
        }
    }
    symmetric_eigen(&mut hessian, &mut vectors, 3);
    let stiffest = (0..3).fold(f64::MIN_POSITIVE, |m, k| m.max(hessian[4 * k].abs()));
    let mut step = Vec3::ZERO;
    for k in 0..3 {
        let mode = Vec3::new(vectors[k], vectors[3 + k], vectors[6 + k]);
        let curvature = hessian[4 * k].abs().max(1e-12 * stiffest);
        step -= mode * (mode.dot(Vec3::from_array(gradient)) / curvature);
    }
    step.clamp_length_max(0.5)
}

impl Element<4> for HingedPair {
    const KIND: &'static str = KIND;
    const PROPERTIES: Properties = Properties { nearest: false, ..Properties::INTERNAL };

    /// The last frame as a quaternion; zero when there is none.
    fn warm_len(&self) -> usize {
        4
    }

    fn project(&self, z: &[Vec3; 4], _goals: &[Vec3], warm: &mut [f64]) -> [Vec3; 4] {
        let mut best = self.fit(z, self.first_frame(z));
        let last = DQuat::from_slice(warm);
        if last.length_squared() > 0.5 {
            // Staying at most as far as the last frame leads is what makes the energy descend.
            let (from_last, _) = self.fit_in(z, Mat3::from_quat(last));
            if from_last.misfit < best.misfit {
                best = self.fit(z, from_last.frame);
            }
        }
        warm.copy_from_slice(&DQuat::from_mat3(&best.frame).normalize().to_array());
        best.p
    }
}

fn specimen_of(fold: f64) -> Result<Specimen, EnergyError> {
    let rest = vec![
        Vec3::ZERO,
        Vec3::new(0.0, 1.0, 0.0),
        Vec3::new(-0.9, 0.4, 0.0),
        Vec3::new(1.0 * fold.cos(), 0.6, fold.sin()),
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
