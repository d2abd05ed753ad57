//! Local frames: two tangents made orthonormal without preferring one, and the normal.
//!
//! ```text
//!   a = t₁/‖t₁‖, b = t₂/‖t₂‖;   p = (a + b)/‖a + b‖, m = (a − b)/‖a − b‖ are orthogonal;
//!   x = (p + m)/√2,  y = (p − m)/√2,  n = x × y
//! ```
//!
//! Shear turns x and y by the same angle in opposite directions. Where the tangents vanish or are parallel there is no frame; then columns
//! come out shorter than one, or zero, so that detail vanishes there instead of becoming NaN.

use crate::math::lanes::Lanes;
use crate::math::{Mat3, Vec3};

/// Squared lengths below this count as zero \[m²\]: their inverse would overflow.
const TINY: f64 = 1e-200;

/// The frame of two tangents; its columns are x, y and n.
#[inline(always)]
pub(super) fn frame_lanes<L: Lanes<Scalar = f64>>(first: [L; 3], second: [L; 3]) -> [[L; 3]; 3] {
    let (a, b) = (unit(first), unit(second));
    let p = unit([0, 1, 2].map(|k| a[k].add(b[k])));
    let m = unit([0, 1, 2].map(|k| a[k].sub(b[k])));
    let half = L::splat(std::f64::consts::FRAC_1_SQRT_2);
    let x = [0, 1, 2].map(|k| p[k].add(m[k]).mul(half));
    let y = [0, 1, 2].map(|k| p[k].sub(m[k]).mul(half));
    [x, y, cross(x, y)]
}

/// The frame of two tangents.
pub(super) fn frame(first: Vec3, second: Vec3) -> Mat3 {
    let unit = |v: Vec3| v / v.length_squared().max(TINY).sqrt();
    let (a, b) = (unit(first), unit(second));
    let (p, m) = (unit(a + b), unit(a - b));
    let (x, y) = ((p + m) * std::f64::consts::FRAC_1_SQRT_2, (p - m) * std::f64::consts::FRAC_1_SQRT_2);
    Mat3::from_cols(x, y, x.cross(y))
}

/// The frame of a triangle; its first tangents are its sides at the first corner, turned to the middle of an equilateral triangle's.
pub(super) fn triangle_frame([a, b, c]: [Vec3; 3]) -> Mat3 {
    // Along the first side, and across it: the map from an equilateral triangle.
    frame(b - a, (c - a) * 2.0 - (b - a))
}

#[inline(always)]
fn unit<L: Lanes<Scalar = f64>>(v: [L; 3]) -> [L; 3] {
    let square = v[2].mul_add(v[2], v[1].mul_add(v[1], v[0].mul(v[0])));
    let inverse = L::splat(1.0).div(square.max(L::splat(TINY)).sqrt());
    v.map(|c| c.mul(inverse))
}

#[inline(always)]
fn cross<L: Lanes<Scalar = f64>>(a: [L; 3], b: [L; 3]) -> [L; 3] {
    [0, 1, 2].map(|k| {
        let (i, j) = ((k + 1) % 3, (k + 2) % 3);
        a[j].sub_mul(b[i], a[i].mul(b[j]))
    })
}

/// R d.
#[inline(always)]
pub(super) fn turned<L: Lanes<Scalar = f64>>(frame: &[[L; 3]; 3], d: [L; 3]) -> [L; 3] {
    [0, 1, 2].map(|k| frame[2][k].mul_add(d[2], frame[1][k].mul_add(d[1], frame[0][k].mul(d[0]))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_rotations_that_shear_does_not_prefer_a_side_of() {
        let frame_of = |angle: f64| frame(Vec3::X, Vec3::new(angle.cos(), angle.sin(), 0.0) * 3.0);
        for angle in [0.3_f64, 1.0, 1.8] {
            let r = frame_of(angle);
            assert!((r.determinant() - 1.0).abs() < 1e-14);
            assert!((r * r.transpose() - Mat3::IDENTITY).to_cols_array().iter().all(|e| e.abs() < 1e-14));
            let turned = (angle - std::f64::consts::FRAC_PI_2) / 2.0;
            assert!((r.x_axis - Vec3::new(turned.cos(), turned.sin(), 0.0)).length() < 1e-14);
        }
        assert_eq!(frame(Vec3::ZERO, Vec3::ZERO), Mat3::ZERO);
        assert!(frame(Vec3::X, Vec3::X).is_finite() && triangle_frame([Vec3::ONE; 3]).is_finite());
    }
}
