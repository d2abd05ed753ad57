//! The projection of a hinge onto the hinges of its rest angle.
//!
//! In a frame with its first axis along the edge, hinges of the angle θ₀ make a linear cone: the ends of the edge lie on a line
//! along the first axis, c and d each in a fixed half-plane beyond it. So the set is that cone in all frames R, and with the
//! orthonormal normals N of the cone the distance is ‖N Rᵀz‖, of which Newton's method over rotations finds a minimum. It
//! need not be the least of all.
//!
//! Departure: sequential quadratic programming ([`super::project_by_sqp`]), which the paper proposes where there is no closed
//! form, converges only while the residual is small against the curvature of the set. From
//! about 130° in a regular hinge, and earlier in a crushed one, it ended beside the minimum, where w Aᵀ(z − p) is no
//! gradient. Its first step, the position-based update (eq. 13), agrees with this projection for small angles.

use super::hinge::KIND;
use super::{Arrays, Element, Properties};
use crate::math::functions::{rotation_by, sin_cos};
use crate::math::{Mat3, Vec3, perpendicular_to, symmetric_eigen};
use glam::{DQuat, DVec2};

/// Newton steps over frames in one projection; it ends earlier, mostly after two to eight.
const MAX_STEPS: usize = 60;

/// One hinge of the batch.
#[derive(Debug, Clone, Copy)]
pub(super) struct HingedPair {
    /// θ₀ \[rad\].
    pub(super) rest_angle: f64,
    /// Factor between a row of A x and the position of its corner; infinite for a corner that does not move.
    pub(super) scale: [f64; 4],
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

    /// Directions of the two triangles across the edge, in the frame.
    fn wings(&self) -> [DVec2; 2] {
        let (sine, cosine) = sin_cos(self.rest_angle);
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
                let turn = rotation_by(step * scale);
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

    fn arrays(elements: &[Self]) -> Arrays {
        Arrays::Hinge(elements.iter().map(|hinge| (hinge.rest_angle, hinge.scale)).collect())
    }

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

/// What keeps a hinge with these factors between rows and positions from its rest angle, as factors of the edges from corner a to b, c and d: one for
/// both rows of the edge, two for that of c, then three each for the components of the last row along the second and the third axis.
///
/// Solvers with a local step of their own find in them all that depends on the rest shape; see [`Arrays::Hinge`].
pub fn hinge_rows(rest_angle: f64, scale: [f64; 4]) -> [f64; 9] {
    let normals = HingedPair { rest_angle, scale }.normals([false, false]);
    let at = |row: usize, corner: usize| normals.rows[row][corner] * scale[corner];
    let (edge, wing, last) = (at(0, 1).x, [at(2, 1).y, at(2, 2).y], [at(3, 1), at(3, 2), at(3, 3)]);
    [edge, wing[0], wing[1], last[0].x, last[1].x, last[2].x, last[0].y, last[1].y, last[2].y]
}

/// z − p of a hinge with these edges from its first corner, row by row. The last frame becomes the new one.
pub(crate) fn hinge_residual(rest_angle: f64, scale: [f64; 4], edges: [Vec3; 3], frame: &mut [f64; 4]) -> [Vec3; 4] {
    // The residual does not change with a common translation, so the first corner may be the origin.
    let z = [Vec3::ZERO, edges[0] * scale[1], edges[1] * scale[2], edges[2] * scale[3]];
    let p = HingedPair { rest_angle, scale }.project(&z, &[], frame);
    std::array::from_fn(|row| z[row] - p[row])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::energy::{hinge::SignedAngle, project_by_sqp};

    const FLAT: HingedPair = HingedPair { rest_angle: 0.0, scale: [1.0; 4] };

    fn bent(angle: f64) -> [Vec3; 4] {
        let wing = |side: f64| Vec3::new(side * (0.5 * angle).cos(), 0.5 + 0.1 * side, (0.5 * angle).sin());
        [Vec3::ZERO, Vec3::Y, wing(-1.0), wing(1.0)]
    }

    fn dot(a: &[Vec3; 4], b: &[Vec3; 4]) -> f64 {
        (0..4).map(|i| a[i].dot(b[i])).sum()
    }

    /// p ← z − ∇C [C(p) + ∇C·(z − p)]/‖∇C‖².
    fn sqp(z: &[Vec3; 4], steps: usize) -> [Vec3; 4] {
        let mut p = *z;
        for _ in 0..steps {
            let Some(SignedAngle { theta, gradient, .. }) = SignedAngle::of(&p) else { break };
            let ahead = theta + (0..4).map(|i| gradient[i].dot(z[i] - p[i])).sum::<f64>();
            p = std::array::from_fn(|i| z[i] - gradient[i] * (ahead / dot(&gradient, &gradient)));
        }
        p
    }

    /// Angle that is left, and the part of z − p that is not along ∇θ.
    fn defects(z: &[Vec3; 4], p: &[Vec3; 4]) -> Option<(f64, f64)> {
        let SignedAngle { theta, gradient, .. } = SignedAngle::of(p)?;
        let residual: [Vec3; 4] = std::array::from_fn(|i| z[i] - p[i]);
        let along = dot(&residual, &gradient).powi(2) / dot(&gradient, &gradient);
        Some((theta, (1.0 - along / dot(&residual, &residual)).max(0.0).sqrt()))
    }

    #[test]
    fn projection_has_the_rest_angle_and_a_normal_residual_where_plain_sqp_diverges() {
        for degrees in [10.0, 60.0, 120.0, 140.0, 150.0] {
            let z = bent(f64::to_radians(degrees));
            let (left, aside) = defects(&z, &FLAT.project(&z, &[], &mut [0.0; 4])).expect("a hinge");
            assert!(left.abs() < 1e-14 && aside < 1e-7, "{degrees}°: {left} rad left, {aside} aside");
            let plain = defects(&z, &sqp(&z, 60));
            let converged = plain.is_some_and(|(left, aside)| left.abs() < 1e-9 && aside < 1e-6);
            assert_eq!(converged, degrees < 130.0, "{degrees}°: {plain:?}");
        }
    }

    #[test]
    fn the_general_sqp_projection_agrees_up_to_a_right_angle() {
        let constraint = |p: &[Vec3; 4]| SignedAngle::of(p).map(|angle| (angle.theta, angle.gradient));
        for degrees in [1.0, 30.0, 60.0, 90.0] {
            let z = bent(f64::to_radians(degrees));
            let general = project_by_sqp(&z, constraint).expect("it settles");
            let own = FLAT.project(&z, &[], &mut [0.0; 4]);
            let gap = (0..4).map(|i| (general[i] - own[i]).length()).fold(0.0, f64::max);
            assert!(gap < 1e-9, "{degrees}°: {gap:e}");
        }
    }

    #[test]
    fn the_position_based_update_is_the_projection_of_small_angles() {
        for angle in [1e-2, 1e-3] {
            let z = bent(angle);
            let (p, update) = (FLAT.project(&z, &[], &mut [0.0; 4]), sqp(&z, 1));
            let gap = (0..4).map(|i| (update[i] - p[i]).length()).sum::<f64>();
            let way = (0..4).map(|i| (z[i] - p[i]).length()).sum::<f64>();
            assert!(gap < angle * way, "{gap} of {way} at {angle} rad");
        }
    }
}
