//! Singular value decompositions of deformation gradients.
//!
//! One-sided Jacobi (Hestenes): columns are rotated in pairs until they are orthogonal. Unlike an eigen-decomposition of
//! FᵀF it keeps small singular values to full relative accuracy, which crushed and inverted elements need. Signs follow
//! the convention of invertible elements [Irving 2004]: both factors are rotations and the last singular value carries
//! the sign of det F, so that clamping singular values yields the *nearest* admissible matrix also for inverted elements.

use super::{Mat3, Quat, Vec3};
use crate::math::functions::{hypot, rotation_about};

/// F = U diag(σ) Vᵀ of a 3×3 matrix, with rotations U and V and σ₀ ≥ σ₁ ≥ |σ₂|, sign σ₂ = sign det F.
#[derive(Debug, Clone, Copy)]
pub struct Svd3 {
    /// Left rotation.
    pub u: Mat3,
    /// Singular values, descending; the last is negative when det F < 0.
    pub sigma: Vec3,
    /// Right rotation.
    pub v: Mat3,
}

/// F = U diag(σ) Vᵀ of a 3×2 matrix given by its columns, with orthonormal U and a rotation V by `angle`.
#[derive(Debug, Clone, Copy)]
pub struct Svd2 {
    /// The two left singular vectors; `u[0].cross(u[1])` is the normal.
    pub u: [Vec3; 2],
    /// Singular values, σ₀ ≥ σ₁ ≥ 0.
    pub sigma: [f64; 2],
    /// Right singular vectors as columns: `v[c]` belongs to σ_c.
    pub v: [[f64; 2]; 2],
}

impl Svd3 {
    /// U diag(s) Vᵀ with other singular values.
    pub fn with_sigma(&self, s: Vec3) -> Mat3 {
        Mat3::from_cols(self.u.x_axis * s.x, self.u.y_axis * s.y, self.u.z_axis * s.z) * self.v.transpose()
    }
}

impl Svd2 {
    /// Columns of U diag(s) Vᵀ with other singular values.
    pub fn with_sigma(&self, s: [f64; 2]) -> [Vec3; 2] {
        [0, 1].map(|row| self.u[0] * (s[0] * self.v[0][row]) + self.u[1] * (s[1] * self.v[1][row]))
    }
}

/// A unit vector perpendicular to `direction` (which need not be a unit vector, but not zero).
pub fn perpendicular_to(direction: Vec3) -> Vec3 {
    direction.try_normalize().map_or(Vec3::X, |unit| unit.any_orthonormal_vector())
}

/// Cosine and sine of the rotation that makes two columns orthogonal, from their squared lengths and inner product.
/// None when they are orthogonal to working precision already.
fn orthogonalising_rotation(alpha: f64, beta: f64, gamma: f64) -> Option<(f64, f64)> {
    if gamma == 0.0 || gamma.abs() <= 1e-16 * (alpha * beta).sqrt() {
        return None;
    }
    let zeta = (beta - alpha) / (2.0 * gamma);
    let tangent = zeta.signum() / (zeta.abs() + hypot(zeta, 1.0));
    let cosine = 1.0 / hypot(tangent, 1.0);
    Some((cosine, cosine * tangent))
}

/// Signed singular value decomposition of a 3×3 matrix.
///
/// ```
/// use pliant::math::{svd_3x3, Mat3, Vec3};
/// let reflected = Mat3::from_diagonal(Vec3::new(2.0, 1.0, -0.5));
/// let svd = svd_3x3(reflected);
/// assert!((svd.sigma - Vec3::new(2.0, 1.0, -0.5)).length() < 1e-14);
/// assert!((svd.u.determinant() - 1.0).abs() < 1e-14);
/// ```
pub fn svd_3x3(f: Mat3) -> Svd3 {
    // Scaling keeps the squared lengths away from underflow and overflow.
    let scale = f.to_cols_array().iter().fold(0.0_f64, |m, c| m.max(c.abs()));
    if scale == 0.0 || !scale.is_finite() {
        let sigma = if scale == 0.0 { Vec3::ZERO } else { Vec3::NAN };
        return Svd3 { u: Mat3::IDENTITY, sigma, v: Mat3::IDENTITY };
    }
    let mut b = [f.x_axis / scale, f.y_axis / scale, f.z_axis / scale];
    let mut v = [Vec3::X, Vec3::Y, Vec3::Z];
    // Convergence is quadratic; random matrices need four or five sweeps, the bound only guards against cycling.
    for _ in 0..20 {
        let mut rotated = false;
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            let gamma = b[p].dot(b[q]);
            if let Some((c, s)) = orthogonalising_rotation(b[p].length_squared(), b[q].length_squared(), gamma) {
                rotated = true;
                (b[p], b[q]) = (b[p] * c - b[q] * s, b[p] * s + b[q] * c);
                (v[p], v[q]) = (v[p] * c - v[q] * s, v[p] * s + v[q] * c);
            }
        }
        if !rotated {
            break;
        }
    }
    for (p, q) in [(0, 1), (0, 2), (1, 2)] {
        if b[p].length_squared() < b[q].length_squared() {
            // A swap with a sign change is a rotation, so V stays one.
            (b[p], b[q]) = (b[q], -b[p]);
            (v[p], v[q]) = (v[q], -v[p]);
        }
    }
    let u0 = b[0].normalize();
    let second = b[1] - u0 * u0.dot(b[1]);
    let u1 = second.try_normalize().unwrap_or_else(|| perpendicular_to(u0));
    let u2 = u0.cross(u1);
    let sigma = Vec3::new(b[0].length(), u1.dot(b[1]), u2.dot(b[2])) * scale;
    Svd3 { u: Mat3::from_cols(u0, u1, u2), sigma, v: Mat3::from_cols(v[0], v[1], v[2]) }
}

/// Singular value decomposition of the 3×2 matrix with columns `a` and `b`. There is no reflection in 3×2: a triangle
/// turned over is a rotation in space.
pub fn svd_3x2(a: Vec3, b: Vec3) -> Svd2 {
    let (mut p, mut q) = (a, b);
    let (mut c, mut s) = (1.0, 0.0);
    if let Some(rotation) = orthogonalising_rotation(a.length_squared(), b.length_squared(), a.dot(b)) {
        (c, s) = rotation;
        (p, q) = (a * c - b * s, a * s + b * c);
    }
    let mut v = [[c, -s], [s, c]];
    if p.length_squared() < q.length_squared() {
        (p, q) = (q, -p);
        v = [v[1], [-v[0][0], -v[0][1]]];
    }
    let u0 = p.try_normalize().unwrap_or(Vec3::X);
    let second = q - u0 * u0.dot(q);
    let u1 = second.try_normalize().unwrap_or_else(|| perpendicular_to(u0));
    Svd2 { u: [u0, u1], sigma: [p.length(), u1.dot(q)], v }
}

/// The rotation nearest to `f` in the Frobenius norm: U Vᵀ of the signed decomposition.
pub fn nearest_rotation(f: Mat3) -> Mat3 {
    let svd = svd_3x3(f);
    svd.u * svd.v.transpose()
}

/// A second singular value below this share of the first is that of points on a line: how they turn about it cannot be seen.
const ON_A_LINE: f64 = 1e-10;

/// Whether a moment is that of points on a line.
pub(super) fn is_on_a_line(svd: &Svd3) -> bool {
    svd.sigma.y <= ON_A_LINE * svd.sigma.x || svd.sigma.y.is_nan()
}

/// The rotation of least angle from one unit vector to another, to full accuracy for equal and for opposite ones too.
pub(super) fn shortest_arc(from: Vec3, to: Vec3) -> Quat {
    if from.dot(to) < -0.5 {
        // Half a turn first, about whatever is perpendicular; then the rest is short.
        let half_turn = rotation_about(perpendicular_to(from), std::f64::consts::PI);
        return shortest_arc(-from, to) * half_turn;
    }
    let axis = from.cross(to);
    Quat::from_xyzw(axis.x, axis.y, axis.z, 1.0 + from.dot(to)).normalize()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Fixed pseudo-random matrices over many magnitudes, so that a failure repeats.
    fn sample(index: u64) -> Mat3 {
        let mut state = index.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
        let mut next = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 11) as f64 / (1u64 << 53) as f64 * 2.0 - 1.0
        };
        let mut entries = [0.0; 9];
        entries.iter_mut().for_each(|e| *e = next());
        let scale = 10f64.powi((index % 13) as i32 - 6);
        let mut f = Mat3::from_cols_array(&entries) * scale;
        match index % 5 {
            0 => f.z_axis = f.x_axis * 0.3 + f.y_axis * 1e-9, // nearly flat
            1 => f.y_axis = f.x_axis * 2.0,                   // rank two, exactly
            _ => {}
        }
        f
    }

    #[test]
    fn decomposition_multiplies_back_for_regular_flat_and_inverted_matrices() {
        for index in 0..2000 {
            let f = sample(index);
            let svd = svd_3x3(f);
            let scale = svd.sigma.x;
            let error = (svd.with_sigma(svd.sigma) - f).to_cols_array().iter().fold(0.0_f64, |m, e| m.max(e.abs()));
            assert!(error < 1e-14 * scale, "sample {index}: error {error:e} at scale {scale:e}");
            for rotation in [svd.u, svd.v] {
                let defect = rotation.transpose() * rotation - Mat3::IDENTITY;
                assert!(defect.to_cols_array().iter().all(|e| e.abs() < 1e-13));
                assert!((rotation.determinant() - 1.0).abs() < 1e-13);
            }
            assert!(svd.sigma.x >= svd.sigma.y && svd.sigma.y >= svd.sigma.z.abs() - 1e-15 * scale);
        }
    }

    #[test]
    fn sign_of_the_last_singular_value_is_the_sign_of_the_determinant() {
        for index in 0..500 {
            let f = sample(index * 5 + 2);
            assert_eq!(svd_3x3(f).sigma.z.signum(), f.determinant().signum());
        }
    }

    #[test]
    fn zero_and_rank_one_matrices_have_rotations_too() {
        for f in [Mat3::ZERO, Mat3::from_cols(Vec3::ZERO, Vec3::new(0.0, 3.0, 4.0), Vec3::ZERO)] {
            let svd = svd_3x3(f);
            assert!((svd.u.determinant() - 1.0).abs() < 1e-14 && (svd.v.determinant() - 1.0).abs() < 1e-14);
            assert!((svd.with_sigma(svd.sigma) - f).abs_diff_eq(Mat3::ZERO, 1e-14));
        }
    }

    #[test]
    fn triangle_decomposition_multiplies_back_and_stays_non_negative() {
        for index in 0..2000 {
            let f = sample(index);
            let svd = svd_3x2(f.x_axis, f.y_axis);
            let [a, b] = svd.with_sigma(svd.sigma);
            let scale = svd.sigma[0];
            assert!((a - f.x_axis).length() < 1e-14 * scale && (b - f.y_axis).length() < 1e-14 * scale);
            assert!(svd.sigma[1] >= 0.0 && svd.sigma[0] >= svd.sigma[1]);
            assert!(svd.u[0].dot(svd.u[1]).abs() < 1e-14);
        }
    }

    #[test]
    fn nearest_rotation_beats_every_perturbed_rotation() {
        for index in 0..200 {
            let f = sample(index * 5 + 3);
            let nearest = nearest_rotation(f);
            let distance = |r: Mat3| (f - r).to_cols_array().iter().map(|e| e * e).sum::<f64>();
            for k in 0..6 {
                let axis = [Vec3::X, Vec3::Y, Vec3::Z][k % 3];
                let other = nearest * Mat3::from_axis_angle(axis, if k < 3 { 1e-3 } else { -0.4 });
                assert!(distance(nearest) <= distance(other));
            }
        }
    }
}
