//! Energies ψ(σ) of the signed singular values of a deformation gradient: second derivatives.
//!
//! With F = U Σ Vᵀ the Hessian of ψ has closed-form modes [Smith 2019, Irving 2004]: scalings uᵢvᵢᵀ coupled by ∂²ψ/∂σᵢ∂σⱼ,
//! flips (uᵢvⱼᵀ + uⱼvᵢᵀ)/√2 with eigenvalue (ψᵢ − ψⱼ)/(σᵢ − σⱼ) and twists (uᵢvⱼᵀ − uⱼvᵢᵀ)/√2 with (ψᵢ + ψⱼ)/(σᵢ + σⱼ).
//! For ψ = ½Σ(σᵢ−1)² these are 1 and 1 − 2/(σᵢ+σⱼ).

use super::Curvature;
use crate::math::{Svd2, Svd3, Vec3, symmetric_eigen};

/// First and second derivatives of ψ = ½Σ(σᵢ − sᵢ(σ))², where s is the projection of the singular values.
pub(super) struct Derivatives<const D: usize> {
    /// σᵢ − sᵢ.
    pub(super) first: [f64; D],
    /// δᵢⱼ − ∂sᵢ/∂σⱼ.
    pub(super) second: [[f64; D]; D],
}

/// Two singular values closer than this fraction of the larger count as equal: the difference quotient is then rounding.
const EQUAL: f64 = 1e-7;

/// Adds eigenvalue · m mᵀ, where the mode m is given as columns of a matrix in the space of F.
fn add_mode<const R: usize>(out: &mut [f64], eigenvalue: f64, a: &[Vec3; R], b: &[Vec3; R]) {
    let n = 3 * R;
    for i in 0..n {
        for j in 0..n {
            out[i * n + j] += eigenvalue * a[i / 3][i % 3] * b[j / 3][j % 3];
        }
    }
}

fn quotient(numerator: f64, denominator: f64, scale: f64, limit: f64) -> f64 {
    if denominator.abs() > EQUAL * scale { numerator / denominator } else { limit }
}

/// Hessian in F, given D singular values and the matrices uᵢvⱼᵀ as columns of F by `outer(i, j)`.
fn assemble<const D: usize, const R: usize>(
    sigma: [f64; D],
    derivatives: &Derivatives<D>,
    outer: impl Fn(usize, usize) -> [Vec3; R],
    curvature: Curvature,
    out: &mut [f64],
) {
    let clamp = |eigenvalue: f64| if curvature == Curvature::Projected { eigenvalue.max(0.0) } else { eigenvalue };
    let scale = sigma.iter().fold(f64::MIN_POSITIVE, |m, s| m.max(s.abs()));
    let (first, second) = (&derivatives.first, &derivatives.second);
    // Scalings: eigen-decompose the small coupled block, so that it can be clamped.
    let (mut block, mut vectors) = ([0.0; 9], [0.0; 9]);
    for i in 0..D {
        (0..D).for_each(|j| block[i * D + j] = 0.5 * (second[i][j] + second[j][i]));
    }
    symmetric_eigen(&mut block, &mut vectors, D);
    for k in 0..D {
        let mut mode = [Vec3::ZERO; R];
        for i in 0..D {
            let scaling = outer(i, i);
            (0..R).for_each(|r| mode[r] += scaling[r] * vectors[i * D + k]);
        }
        add_mode(out, clamp(block[k * D + k]), &mode, &mode);
    }
    for i in 0..D {
        for j in i + 1..D {
            let equal = 0.5 * (second[i][i] + second[j][j]) - second[i][j];
            let flip = quotient(first[i] - first[j], sigma[i] - sigma[j], scale, equal);
            let twist = quotient(first[i] + first[j], sigma[i] + sigma[j], scale, 0.0);
            let (p, q) = (outer(i, j), outer(j, i));
            let mut modes = [[Vec3::ZERO; R]; 2];
            for r in 0..R {
                modes[0][r] = (p[r] + q[r]) * std::f64::consts::FRAC_1_SQRT_2;
                modes[1][r] = (p[r] - q[r]) * std::f64::consts::FRAC_1_SQRT_2;
            }
            add_mode(out, clamp(flip), &modes[0], &modes[0]);
            add_mode(out, clamp(twist), &modes[1], &modes[1]);
        }
    }
}

/// Hessian for a tet, 9×9.
pub(super) fn hessian_3x3(svd: &Svd3, derivatives: &Derivatives<3>, curvature: Curvature, out: &mut [f64]) {
    out.fill(0.0);
    let outer = |i: usize, j: usize| [0, 1, 2].map(|column| svd.u.col(i) * svd.v.col(j)[column]);
    assemble::<3, 3>(svd.sigma.to_array(), derivatives, outer, curvature, out);
}

/// Hessian for a triangle in space, 6×6: the in-plane modes, and the two that bend out of the plane.
pub(super) fn hessian_3x2(svd: &Svd2, derivatives: &Derivatives<2>, curvature: Curvature, out: &mut [f64]) {
    out.fill(0.0);
    let outer = |i: usize, j: usize| [0, 1].map(|column| svd.u[i] * svd.v[j][column]);
    assemble::<2, 2>(svd.sigma, derivatives, outer, curvature, out);
    let normal = svd.u[0].cross(svd.u[1]);
    for i in 0..2 {
        let eigenvalue = quotient(derivatives.first[i], svd.sigma[i], svd.sigma[0].max(f64::MIN_POSITIVE), 0.0);
        let eigenvalue = if curvature == Curvature::Projected { eigenvalue.max(0.0) } else { eigenvalue };
        let mode = [0, 1].map(|column| normal * svd.v[i][column]);
        add_mode(out, eigenvalue, &mode, &mode);
    }
}

/// Derivatives for singular values that are clamped one by one.
pub(super) fn clamped<const D: usize>(sigma: [f64; D], low: f64, high: f64) -> Derivatives<D> {
    let mut second = [[0.0; D]; D];
    for i in 0..D {
        second[i][i] = f64::from(u8::from(low == high || sigma[i] < low || sigma[i] > high));
    }
    Derivatives { first: sigma.map(|s| s - s.clamp(low, high)), second }
}
