//! Parts of the step of hinges: inverses, turns, lanes that are done one by one.

use super::hinges::{ROWS, SCALES, SINE, Slope, Sums, WEIGHT};
use crate::energy::hinge_residual;
use crate::math::Vec3;
use crate::math::functions::atan2;
use crate::math::lanes::nearest::{constant, dot};
use crate::math::lanes::{Lanes, Real};

/// The inverse of symmetric matrices (xx, yy, zz, xy, xz, yz): adjugate in the same order, and 1/determinant.
pub(super) struct Inverse<L> {
    pub(super) adjugate: [L; 6],
    pub(super) scale: L,
    /// Below 0 in lanes that are not positive definite.
    pub(super) singular: L,
}

#[inline(always)]
pub(super) fn inverse<L: Lanes>([h00, h11, h22, h01, h02, h12]: &[L; 6]) -> Inverse<L> {
    let (zero, one) = (L::zero(), constant::<L>(1.0));
    let c00 = h11.mul_sub(*h22, h12.mul(*h12));
    let c01 = h02.mul_sub(*h12, h01.mul(*h22));
    let c02 = h01.mul_sub(*h12, h02.mul(*h11));
    let c11 = h00.mul_sub(*h22, h02.mul(*h02));
    let c12 = h01.mul_sub(*h02, h00.mul(*h12));
    let c22 = h00.mul_sub(*h11, h01.mul(*h01));
    let determinant = h00.mul_add(c00, h01.mul_add(c01, h02.mul(c02)));
    let trace = h00.add(*h11).add(*h22);
    let least = constant::<L>(if size_of::<L::Scalar>() == 4 { 1e-6 } else { 1e-11 });
    let size = trace.mul(trace).mul(trace).mul(least).max(zero);
    let scale = one.div(determinant.select_less(size.max(constant::<L>(1e-36)), one, determinant));
    // The least of what must not be negative; a determinant that only rounding makes positive is not.
    let singular = h00.min(c22).min(size.select_less(determinant, one, zero.sub(one)));
    Inverse { adjugate: [c00, c11, c22, c01, c02, c12], scale, singular }
}

/// The rows of a group, and its sums of edges.
///
/// # Safety
/// There are [`ROWS`] vectors at `numbers`.
#[inline(always)]
pub(super) unsafe fn sums_of<L: Lanes>(edges: &[[L; 3]; 3], numbers: *const L::Scalar) -> ([L; ROWS], Sums<L>) {
    // SAFETY: there are `ROWS` vectors at least, as the caller promises.
    unsafe {
        let zero = L::zero();
        let mut n = [zero; ROWS];
        for k in 0..ROWS {
            n[k] = L::load(numbers.add(k * L::WIDTH));
        }
        let mut sums = Sums { e: [zero; 3], c: [zero; 3], p: [zero; 3], q: [zero; 3] };
        for i in 0..3 {
            let [x, y, z] = [edges[0][i], edges[1][i], edges[2][i]];
            sums.e[i] = n[0].mul(x);
            sums.c[i] = n[1].mul_add(x, n[2].mul(y));
            sums.p[i] = n[3].mul_add(x, n[4].mul_add(y, n[5].mul(z)));
            sums.q[i] = n[6].mul_add(x, n[7].mul_add(y, n[8].mul(z)));
        }
        (n, sums)
    }
}

/// What forces on the four residuals are at corners but the first.
#[inline(always)]
pub(super) fn corner_forces<L: Lanes>(n: &[L; ROWS], rho: &[L; 4], r: &[[L; 3]; 3]) -> [[L; 3]; 3] {
    // Components along the second and third axis of the frame, for each corner.
    let second = [n[0].mul_add(rho[0], n[3].mul(rho[3])), n[4].mul(rho[3]), n[5].mul(rho[3])];
    let third = [
        n[0].mul_add(rho[1], n[1].mul_add(rho[2], n[6].mul(rho[3]))),
        n[2].mul_add(rho[2], n[7].mul(rho[3])),
        n[8].mul(rho[3]),
    ];
    let mut forces = [[L::zero(); 3]; 3];
    for corner in 0..3 {
        for i in 0..3 {
            forces[corner][i] = second[corner].mul_add(r[1][i], third[corner].mul(r[2][i]));
        }
    }
    forces
}

/// −H⁻¹g, at most half a radian long, and the lanes where H is not positive definite.
#[inline(always)]
pub(super) fn newton_step<L: Lanes>(slope: &Slope<L>) -> ([L; 3], u32) {
    let one = constant::<L>(1.0);
    let Inverse { adjugate: [c00, c11, c22, c01, c02, c12], scale, singular } = inverse(&slope.hessian);
    let (inverse, indefinite) = (L::zero().sub(scale), singular.less_mask(L::zero()));
    let g = slope.gradient;
    let mut turn = [
        inverse.mul(c00.mul_add(g[0], c01.mul_add(g[1], c02.mul(g[2])))),
        inverse.mul(c01.mul_add(g[0], c11.mul_add(g[1], c12.mul(g[2])))),
        inverse.mul(c02.mul_add(g[0], c12.mul_add(g[1], c22.mul(g[2])))),
    ];
    // At most half a radian.
    let squared = constant::<L>(4.0).mul(dot(turn, turn));
    if one.less_mask(squared) != 0 {
        let limit = squared.max(one).inverse_sqrt();
        for t in &mut turn {
            *t = t.mul(limit);
        }
    }
    (turn, indefinite)
}

/// Turns frames within themselves: q ← q (ω/2, 1), normalised.
#[inline(always)]
pub(super) fn turned<L: Lanes>(q: &mut [L; 4], turn: [L; 3]) {
    let half = constant::<L>(0.5);
    let t = [half.mul(turn[0]), half.mul(turn[1]), half.mul(turn[2])];
    let [x, y, z, w] = *q;
    let next = [
        z.sub_mul(t[1], y.mul_add(t[2], w.mul_add(t[0], x))),
        x.sub_mul(t[2], z.mul_add(t[0], w.mul_add(t[1], y))),
        y.sub_mul(t[0], x.mul_add(t[1], w.mul_add(t[2], z))),
        z.sub_mul(t[2], y.sub_mul(t[1], x.sub_mul(t[0], w))),
    ];
    let squared = next[3].mul_add(next[3], dot([next[0], next[1], next[2]], [next[0], next[1], next[2]]));
    let scale = squared.max(constant::<L>(1e-30)).inverse_sqrt();
    for k in 0..4 {
        q[k] = next[k].mul(scale);
    }
}

/// Projects single lanes in f64.
///
/// # Safety
/// There are `NUMBERS` vectors at `numbers`.
#[cold]
#[inline(never)]
pub(super) unsafe fn one_by_one<L: Lanes>(
    mask: u32,
    edges: &[[L; 3]; 3],
    numbers: *const L::Scalar,
    q: &mut [L; 4],
    gradients: &mut [[L; 3]; 3],
    twice: &mut L,
) {
    let zero = <L::Scalar as Default>::default();
    let stored = |lanes: &L| {
        let mut numbers = [zero; 8];
        lanes.write_to(&mut numbers);
        numbers
    };
    let at: [[[L::Scalar; 8]; 3]; 3] = std::array::from_fn(|k| std::array::from_fn(|c| stored(&edges[k][c])));
    let mut frames: [[L::Scalar; 8]; 4] = std::array::from_fn(|k| stored(&q[k]));
    let mut out: [[[L::Scalar; 8]; 3]; 3] = std::array::from_fn(|k| std::array::from_fn(|c| stored(&gradients[k][c])));
    let mut energies = stored(twice);
    for lane in (0..L::WIDTH).filter(|lane| mask >> lane & 1 == 1) {
        // SAFETY: there are `NUMBERS` vectors, as the caller promises, and k is below that.
        let number = |k: usize| unsafe { (*numbers.add(k * L::WIDTH + lane)).to_f64() };
        let edges = std::array::from_fn(|k| Vec3::from_array([0, 1, 2].map(|c| at[k][c][lane].to_f64())));
        let angle = atan2(number(SINE), number(SINE + 1));
        let scales = std::array::from_fn(|k| number(SCALES + k));
        let mut frame = [0, 1, 2, 3].map(|k| frames[k][lane].to_f64());
        let residual = hinge_residual(angle, scales, edges, &mut frame);
        let weight = number(WEIGHT);
        (0..4).for_each(|k| frames[k][lane] = L::Scalar::from_f64(frame[k]));
        for k in 0..3 {
            let gradient = residual[k + 1] * (weight * scales[k + 1]);
            (0..3).for_each(|c| out[k][c][lane] = L::Scalar::from_f64(gradient[c]));
        }
        let squared: f64 = residual.iter().map(|d| d.length_squared()).sum();
        energies[lane] = L::Scalar::from_f64(weight * squared);
    }
    for k in 0..3 {
        (0..3).for_each(|c| gradients[k][c] = L::from_slice(&out[k][c]));
    }
    (0..4).for_each(|k| q[k] = L::from_slice(&frames[k]));
    *twice = L::from_slice(&energies);
}
