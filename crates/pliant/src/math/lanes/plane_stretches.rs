//! Projections of principal stretches of matrices of two columns, likewise (see `stretches.rs`).

use super::Lanes;
use super::nearest::{constant, cross, dot, stretch_difference};
use super::stretches::{Combination, Raised, Residual, each_lane, kept, multiplier, wanted};
use crate::math::{project_product, svd_3x2};

/// Matrices of two columns: F = R S, in closed form (see `nearest.rs`).
pub(crate) struct PlaneStretch<L> {
    /// R = F · [[m₀₀, m₀₁], [m₀₁, m₁₁]].
    pub(crate) to_rotation: [L; 3],
    /// Singular values, descending.
    pub(crate) sigma: [L; 2],
    /// Lanes whose columns are nearly parallel: the closed form divides by their area.
    pub(crate) collapsed: u32,
}

#[inline(always)]
pub(crate) fn plane_stretch<L: Lanes>(z: &[[L; 3]; 2]) -> PlaneStretch<L> {
    let (half, two) = (constant::<L>(0.5), constant::<L>(2.0));
    let (c00, c01, c11) = (dot(z[0], z[0]), dot(z[0], z[1]), dot(z[1], z[1]));
    let normal = cross(z[0], z[1]);
    let s = dot(normal, normal).sqrt();
    let trace = c00.add(c11);
    let t = trace.add(two.mul(s)).sqrt();
    let scale = constant::<L>(1.0).div(s.mul(t).max(constant::<L>(1e-30)));
    let difference = stretch_difference(c00, c01, c11, t);
    PlaneStretch {
        to_rotation: [c11.add(s).mul(scale), L::zero().sub(c01.mul(scale)), c00.add(s).mul(scale)],
        sigma: [t.add(difference).mul(half), t.sub(difference).mul(half)],
        collapsed: s.less_mask(trace.mul(constant::<L>(1e-4))),
    }
}

/// As [`beyond_limits`] for two stretches: F − p = `rotation` R + `plain` F.
#[inline(always)]
pub(crate) fn beyond_plane_limits<L: Lanes>([large, small]: [L; 2], [low, high]: [f64; 2]) -> Residual<L> {
    let (zero, one) = (L::zero(), constant::<L>(1.0));
    let (low_lanes, high_lanes) = (constant::<L>(low), constant::<L>(high));
    let (large_target, small_target) = (large.max(low_lanes).min(high_lanes), small.max(low_lanes).min(high_lanes));
    let gaps = [large.sub(large_target), small.sub(small_target)];
    let (mut rotation, mut plain) = (zero.sub(low_lanes), one);
    if low < high {
        let (tiny, difference) = (constant::<L>(1e-30), large.sub(small));
        // Equal stretches: the slope of the clamp.
        let inside = gaps[1].mul(gaps[1]).select_less(tiny, one, zero);
        let slope = large_target.sub(small_target).div(difference.max(tiny));
        let slope = difference.select_less(tiny, inside, slope);
        rotation = slope.mul(large).sub(large_target);
        plain = one.sub(slope);
    }
    let combination = Combination { rotation, plain, stretched: zero };
    Residual { combination, squared: gaps[0].mul_add(gaps[0], gaps[1].mul(gaps[1])), failed: 0 }
}

/// As [`beyond_volume`] for two stretches: F − p = `rotation` R + `plain` F.
#[inline(always)]
pub(crate) fn beyond_area<L: Lanes>(sigma: [L; 2], bounds: [f64; 2]) -> Residual<L> {
    let product = wanted(&sigma, bounds);
    let Raised { mu, values: [a, b], failed } = multiplier(&sigma, &product);
    let mu = kept(mu, failed | product.within);
    let tiny = constant::<L>(1e-36);
    let (area, one) = (a.mul(b), constant::<L>(1.0));
    let (inverse, inverse_area) = (one.div(area.add(mu).max(tiny)), one.div(area.max(tiny)));
    let minus = L::zero().sub(mu);
    let combination = Combination {
        rotation: minus.mul(b.mul_add(inverse_area, sigma[0].mul(inverse))),
        plain: mu.mul(inverse),
        stretched: L::zero(),
    };
    let over = mu.mul(inverse_area);
    Residual { combination, squared: over.mul(over).mul(a.mul_add(a, b.mul(b))), failed }
}

/// Residuals of strained triangles in single lanes, in f64; zero in the others.
#[cold]
#[inline(never)]
pub(crate) fn beyond_plane_limits_one_by_one<L: Lanes>(
    mask: u32,
    z: &[[L; 3]; 2],
    [low, high]: [f64; 2],
) -> ([[L; 3]; 2], L) {
    each_lane::<L, 2>(mask, z, &|columns| {
        let svd = svd_3x2(columns[0], columns[1]);
        let target = svd.with_sigma(svd.sigma.map(|s| s.clamp(low, high)));
        [columns[0] - target[0], columns[1] - target[1]]
    })
}

/// Residuals of areas in single lanes, in f64; zero in the others.
#[cold]
#[inline(never)]
pub(crate) fn beyond_area_one_by_one<L: Lanes>(mask: u32, z: &[[L; 3]; 2], [low, high]: [f64; 2]) -> ([[L; 3]; 2], L) {
    each_lane::<L, 2>(mask, z, &|columns| {
        let svd = svd_3x2(columns[0], columns[1]);
        let target = svd.with_sigma(project_product(svd.sigma, low, high).values);
        [columns[0] - target[0], columns[1] - target[1]]
    })
}

/// The multiplier of a product that is to be within bounds with the stretches that it leads to, and 1 in lanes where the product is held, 0
/// elsewhere; also 0 where no multiplier was found.
#[inline(always)]
pub(crate) fn held_product<L: Lanes, const D: usize>(sigma: &[L; D], bounds: [f64; 2]) -> (L, [L; D], L) {
    let product = wanted(sigma, bounds);
    let Raised { mu, values, failed } = multiplier(sigma, &product);
    let idle = failed | if bounds[0] < bounds[1] { product.within } else { 0 };
    (kept(mu, failed | product.within), values, kept(constant::<L>(1.0), idle))
}
