//! Functions that IEEE 754 does not fix to the last bit, from one library on every platform.
//!
//! Sums, products, quotients and roots are the same everywhere. Sines, logarithms and powers are not: what the standard library calls differs between systems, and
//! a browser has another library than its computer. The engine takes them from here, so that a simulation has the same
//! bits wherever its lanes have (see [`instructions`](super::instructions)). Clippy refuses the others in the engine's code (`clippy.toml`).
//!
//! ```
//! use pliant::math::functions::{atan2, sin};
//!
//! assert!((sin(atan2(3.0, 4.0)) - 0.6).abs() < 1e-15);
//! ```

use super::{Mat3, Quat, Vec3};

/// sin x, with x in \[rad\].
pub fn sin(x: f64) -> f64 {
    libm::sin(x)
}

/// cos x, with x in \[rad\].
pub fn cos(x: f64) -> f64 {
    libm::cos(x)
}

/// sin x and cos x, with x in \[rad\].
pub fn sin_cos(x: f64) -> (f64, f64) {
    libm::sincos(x)
}

/// The angle from 0 to π with this cosine \[rad\].
pub fn acos(x: f64) -> f64 {
    libm::acos(x)
}

/// The angle from −π to π of the point (x, y) \[rad\].
pub fn atan2(y: f64, x: f64) -> f64 {
    libm::atan2(y, x)
}

/// eˣ.
pub fn exp(x: f64) -> f64 {
    libm::exp(x)
}

/// 2ˣ.
pub fn exp2(x: f64) -> f64 {
    libm::exp2(x)
}

/// eˣ − 1, to full accuracy for small x.
pub fn exp_m1(x: f64) -> f64 {
    libm::expm1(x)
}

/// The natural logarithm.
pub fn ln(x: f64) -> f64 {
    libm::log(x)
}

/// xʸ.
pub fn pow(x: f64, y: f64) -> f64 {
    libm::pow(x, y)
}

/// ∛x.
pub fn cbrt(x: f64) -> f64 {
    libm::cbrt(x)
}

/// √(x² + y²), without overflow of the squares.
pub fn hypot(x: f64, y: f64) -> f64 {
    libm::hypot(x, y)
}

/// The angle between two vectors, from 0 to π \[rad\].
pub fn angle_between(a: Vec3, b: Vec3) -> f64 {
    acos((a.dot(b) / (a.length_squared() * b.length_squared()).sqrt()).clamp(-1.0, 1.0))
}

/// The rotation about a unit vector by an angle \[rad\].
pub fn rotation_about(axis: Vec3, angle: f64) -> Quat {
    let (sine, cosine) = sin_cos(0.5 * angle);
    let v = axis * sine;
    Quat::from_xyzw(v.x, v.y, v.z, cosine)
}

/// [`rotation_about`] as a matrix.
pub fn matrix_about(axis: Vec3, angle: f64) -> Mat3 {
    Mat3::from_quat(rotation_about(axis, angle))
}

/// The rotation about a vector by its length \[rad\].
pub fn rotation_by(turn: Vec3) -> Quat {
    let angle = turn.length();
    if angle == 0.0 { Quat::IDENTITY } else { rotation_about(turn / angle, angle) }
}

/// The vector about which, and by the length of which, a rotation turns \[rad\]: the inverse of [`rotation_by`].
pub fn turn_of(rotation: Quat) -> Vec3 {
    let v = Vec3::new(rotation.x, rotation.y, rotation.z);
    let sine = v.length();
    // So small an angle is as long as its sine to the last bit.
    if sine < 1e-9 { v * (2.0 * rotation.w.signum()) } else { v * (2.0 * atan2(sine, rotation.w) / sine) }
}

/// By how much the shorter rotation between two orientations turns \[rad\].
pub fn angle_of_turn(from: Quat, to: Quat) -> f64 {
    2.0 * acos(from.dot(to).abs().min(1.0))
}

/// The orientation at a part, from 0 to 1, of the shorter rotation between two.
pub fn interpolate_turn(from: Quat, to: Quat, part: f64) -> Quat {
    // Of the two quaternions of an orientation, the one on this side is nearer.
    let (cosine, to) = if from.dot(to) < 0.0 { (-from.dot(to), -to) } else { (from.dot(to), to) };
    if cosine > 1.0 - 1e-12 {
        return (from * (1.0 - part) + to * part).normalize();
    }
    let angle = acos(cosine);
    let (before, after) = (sin(angle * (1.0 - part)), sin(angle * part));
    (from * before + to * after) * (1.0 / sin(angle))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_agree_with_the_standard_library() {
        let close = |ours: f64, theirs: f64| {
            assert!((ours - theirs).abs() <= 1e-15 * theirs.abs().max(1e-300), "{ours} for {theirs}");
        };
        for k in 1..200 {
            let x = 0.037 * f64::from(k);
            close(sin(x), x.sin());
            close(cos(x), x.cos());
            close(acos(x / 8.0), (x / 8.0).acos());
            close(atan2(-x, 3.0 - x), (-x).atan2(3.0 - x));
            close(exp(-x), (-x).exp());
            close(exp2(x), x.exp2());
            close(exp_m1(-1e-3 * x), (-1e-3 * x).exp_m1());
            close(ln(x), x.ln());
            close(pow(x, -1.0 / 3.0), x.powf(-1.0 / 3.0));
            close(cbrt(x), x.cbrt());
            close(hypot(x, 2.0), x.hypot(2.0));
        }
    }

    #[test]
    fn rotations_agree_with_those_of_glam() {
        for k in 1..60 {
            let t = 0.1 * f64::from(k) - 3.0;
            let (axis, turn) = (Vec3::new(t, 1.0, 2.0 - t).normalize(), Vec3::new(0.3, t, -0.2 * t));
            let close = |ours: Quat, theirs: Quat| assert!((ours - theirs).length() < 1e-14, "{ours} for {theirs}");
            close(rotation_about(axis, t), Quat::from_axis_angle(axis, t));
            close(rotation_by(turn), Quat::from_scaled_axis(turn));
            let (from, to) = (rotation_by(turn), rotation_about(axis, 0.7 * t));
            close(interpolate_turn(from, to, 0.3), from.slerp(to, 0.3));
            assert!((angle_of_turn(from, to) - from.angle_between(to)).abs() < 1e-7);
            assert!((turn_of(from) - from.to_scaled_axis()).length() < 1e-14);
            assert!((angle_between(axis, turn) - axis.angle_between(turn)).abs() < 1e-14);
            assert!((matrix_about(axis, t) - Mat3::from_axis_angle(axis, t)).abs_diff_eq(Mat3::ZERO, 1e-14));
        }
        assert_eq!(rotation_by(Vec3::ZERO), Quat::IDENTITY);
        let tiny = Vec3::new(1e-20, -3e-21, 0.0);
        assert!((turn_of(rotation_by(tiny)) - tiny).length() < 1e-15 * tiny.length(), "{}", turn_of(rotation_by(tiny)));
        assert_eq!(interpolate_turn(Quat::IDENTITY, Quat::IDENTITY, 0.5), Quat::IDENTITY);
    }
}
