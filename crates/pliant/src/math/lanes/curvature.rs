//! Second derivatives of energies of principal stretches, made positive semi-definite, a vector of elements at a time.
//!
//! With F = U Σ Vᵀ and an energy e(σ), the second derivative in M = Uᵀ dF V falls apart: a matrix ∂²e/∂σ² for the diagonal of M, and for each
//! pair a < b the stiffness (eₐ + e_b)/(σₐ + σ_b) against twist, ½(M_ab − M_ba)², and (eₐ − e_b)/(σₐ − σ_b) against flip, ½(M_ab + M_ba)².
//! So clamping these to zero from below is the projection to positive semi-definite matrices. Rows of M along the normal of a
//! triangle are like a third stretch of zero.
//!
//! The part of a product of stretches (area and volume): with μ as in `stretches.rs`, u = 1/s and D = I + μ diag(u²) the matrix is
//! I − D⁻¹ + D⁻¹u (D⁻¹u)ᵀ/(uᵀD⁻¹u), positive for μ ≥ 0; for μ < 0 what is positive of it is u uᵀ/‖u‖².

use super::Lanes;
use super::nearest::{constant, cross, dot};

impl<L: Lanes> Modes<L> {
    #[inline(always)]
    pub(crate) fn none() -> Self {
        Self { stretch: [L::zero(); 6], twist: [L::zero(); 3], flip: [L::zero(); 3] }
    }
}

/// Pairs of stretches.
const PAIRS: [(usize, usize); 3] = [(0, 1), (0, 2), (1, 2)];
/// Sweeps of Jacobi's method: each squares the relative size of what is off the diagonal.
const SWEEPS: usize = 3;

/// Stiffness against changes of principal stretches (xx, yy, zz, xy, xz, yz), twists and flips (01, 02, 12).
pub(crate) struct Modes<L> {
    pub(crate) stretch: [L; 6],
    pub(crate) twist: [L; 3],
    pub(crate) flip: [L; 3],
}

/// Eigenvalues of symmetric matrices (xx, yy, zz, xy, xz, yz), descending, and their eigenvectors, by Jacobi's method.
#[inline(always)]
pub(crate) fn eigenframes<L: Lanes>(s: [L; 6]) -> ([L; 3], [[L; 3]; 3]) {
    let (zero, one, tiny) = (L::zero(), constant::<L>(1.0), constant::<L>(1e-30));
    let mut diagonal = [s[0], s[1], s[2]];
    // off[k] is the entry of the pair that leaves out k.
    let mut off = [s[5], s[4], s[3]];
    let mut v = [[one, zero, zero], [zero, one, zero], [zero, zero, one]];
    for _ in 0..SWEEPS {
        for (p, q) in PAIRS {
            let out = 3 - p - q;
            let (gap, entry) = (diagonal[q].sub(diagonal[p]), off[out]);
            let twice = entry.add(entry);
            let root = gap.mul_add(gap, twice.mul(twice)).sqrt();
            let size = gap.max(zero.sub(gap)).add(root).max(tiny);
            let tangent = gap.select_less(zero, zero.sub(twice), twice).div(size);
            let cosine = tangent.mul_add(tangent, one).inverse_sqrt();
            let sine = tangent.mul(cosine);
            diagonal[p] = diagonal[p].sub(tangent.mul(entry));
            diagonal[q] = diagonal[q].add(tangent.mul(entry));
            off[out] = zero;
            // The entry of p with `out` stands at q, and the other way round.
            let (at_p, at_q) = (off[q], off[p]);
            off[q] = cosine.mul(at_p).sub(sine.mul(at_q));
            off[p] = sine.mul_add(at_p, cosine.mul(at_q));
            for c in 0..3 {
                let (x, y) = (v[p][c], v[q][c]);
                v[p][c] = cosine.mul(x).sub(sine.mul(y));
                v[q][c] = sine.mul_add(x, cosine.mul(y));
            }
        }
    }
    for (p, q) in [(0, 1), (1, 2), (0, 1)] {
        let (x, y) = (diagonal[p], diagonal[q]);
        diagonal[p] = x.select_less(y, y, x);
        diagonal[q] = x.select_less(y, x, y);
        for c in 0..3 {
            let (a, b) = (v[p][c], v[q][c]);
            v[p][c] = x.select_less(y, b, a);
            v[q][c] = x.select_less(y, a, b);
        }
    }
    (diagonal, v)
}

/// Adds to modes what stretches beyond limits cost. `count` of them are stretches.
#[inline(always)]
pub(crate) fn add_limits<L: Lanes>(
    modes: &mut Modes<L>,
    weight: L,
    sigma: &[L; 3],
    count: usize,
    [low, high]: [f64; 2],
) {
    let (zero, tiny) = (L::zero(), constant::<L>(1e-30));
    let (low_lanes, high_lanes) = (constant::<L>(low), constant::<L>(high));
    let mut gaps = [zero; 3];
    let mut slopes = [weight; 3];
    for i in 0..count {
        gaps[i] = sigma[i].sub(sigma[i].max(low_lanes).min(high_lanes));
        if low < high {
            slopes[i] = gaps[i].mul(gaps[i]).select_less(tiny, zero, weight);
        }
        modes.stretch[i] = modes.stretch[i].add(slopes[i]);
    }
    for (k, (a, b)) in PAIRS.into_iter().enumerate() {
        if b < count {
            modes.twist[k] = weight.mul_add(gaps[a].add(gaps[b]), modes.twist[k]);
            let difference = sigma[a].sub(sigma[b]);
            let slope = weight.mul(gaps[a].sub(gaps[b])).div(difference.max(constant::<L>(1e-6)));
            let slope = if low < high { difference.select_less(constant::<L>(1e-6), slopes[b], slope) } else { weight };
            modes.flip[k] = modes.flip[k].add(slope);
        } else if a < count {
            modes.twist[k] = weight.mul_add(gaps[a], modes.twist[k]);
        }
    }
}

/// Adds to modes what a product of `count` stretches costs, with its multiplier and the stretches that it leads to; `weight` is zero where
/// nothing is asked of the product. `positive` leaves out what is negative.
#[inline(always)]
pub(crate) fn add_product<L: Lanes>(modes: &mut Modes<L>, weight: L, mu: L, s: &[L; 3], count: usize, positive: bool) {
    let (zero, one, tiny) = (L::zero(), constant::<L>(1.0), constant::<L>(1e-30));
    // Where stretches along the product's surface could lower the energy.
    let along = if positive { mu.max(zero) } else { mu };
    let (mut u, mut over) = ([zero; 3], [zero; 3]);
    let mut sum = zero;
    for i in 0..count {
        u[i] = one.div(s[i].max(constant::<L>(1e-6)));
        let pulled = along.mul(u[i]).mul(u[i]);
        let inverse = one.div(one.add(pulled).max(constant::<L>(1e-6)));
        over[i] = u[i].mul(inverse);
        sum = over[i].mul_add(u[i], sum);
        modes.stretch[i] = weight.mul_add(pulled.mul(inverse), modes.stretch[i]);
    }
    let share = weight.div(sum.max(tiny));
    for i in 0..count {
        modes.stretch[i] = share.mul_add(over[i].mul(over[i]), modes.stretch[i]);
    }
    let minus = zero.sub(weight.mul(mu));
    for (k, (a, b)) in PAIRS.into_iter().enumerate() {
        if b < count {
            modes.stretch[3 + k] = share.mul_add(over[a].mul(over[b]), modes.stretch[3 + k]);
            modes.twist[k] = minus.mul_add(u[a].add(u[b]), modes.twist[k]);
            let under = s[a].mul_add(s[b], mu).max(tiny);
            modes.flip[k] = modes.flip[k].sub(minus.div(under));
        } else if a < count {
            modes.twist[k] = minus.mul_add(u[a], modes.twist[k]);
        }
    }
}

/// From sums of forces to stiffness against twist; where `positive`, without what is negative. Against turning out of a plane flips are as stiff as twists.
#[inline(always)]
pub(crate) fn finish<L: Lanes>(modes: &mut Modes<L>, sigma: &[L; 3], count: usize, positive: bool) {
    let zero = L::zero();
    for (k, (a, b)) in PAIRS.into_iter().enumerate() {
        let sum = sigma[a].add(sigma[b]).max(constant::<L>(1e-6));
        modes.twist[k] = modes.twist[k].div(sum);
        if positive {
            modes.twist[k] = modes.twist[k].max(zero);
            modes.flip[k] = modes.flip[k].max(zero);
        }
        if b >= count {
            modes.flip[k] = modes.twist[k];
        }
    }
}

/// Blocks of the second derivative between edges i ≤ j, by columns, one after the other: U B Uᵀ with B from the gradients g = Vᵀ A of edges.
#[inline(always)]
pub(crate) fn blocks_of_modes<L: Lanes, const E: usize>(
    modes: &Modes<L>,
    u: &[[L; 3]; 3],
    g: &[[L; 3]; E],
    out: &mut [[[L; 3]; 3]; 6],
) {
    let half = constant::<L>(0.5);
    let (mut mean, mut half_gap) = ([L::zero(); 3], [L::zero(); 3]);
    for k in 0..3 {
        mean[k] = half.mul(modes.flip[k].add(modes.twist[k]));
        half_gap[k] = half.mul(modes.flip[k].sub(modes.twist[k]));
    }
    let s = modes.stretch;
    let mut block = 0;
    for i in 0..E {
        for j in i..E {
            let (x, y) = (g[i], g[j]);
            let (xx, yy, zz) = (x[0].mul(y[0]), x[1].mul(y[1]), x[2].mul(y[2]));
            // b[a][c] is row a and column c in the frame of U.
            let mut b = [[L::zero(); 3]; 3];
            b[0][0] = s[0].mul_add(xx, mean[0].mul_add(yy, mean[1].mul(zz)));
            b[1][1] = s[1].mul_add(yy, mean[0].mul_add(xx, mean[2].mul(zz)));
            b[2][2] = s[2].mul_add(zz, mean[1].mul_add(xx, mean[2].mul(yy)));
            for k in 0..3 {
                let (a, c) = PAIRS[k];
                b[a][c] = s[3 + k].mul_add(x[a].mul(y[c]), half_gap[k].mul(x[c].mul(y[a])));
                b[c][a] = s[3 + k].mul_add(x[c].mul(y[a]), half_gap[k].mul(x[a].mul(y[c])));
            }
            // Columns of U B, then of U B Uᵀ.
            let mut ub = [[L::zero(); 3]; 3];
            for c in 0..3 {
                for r in 0..3 {
                    ub[c][r] = u[0][r].mul_add(b[0][c], u[1][r].mul_add(b[1][c], u[2][r].mul(b[2][c])));
                }
            }
            for c in 0..3 {
                for r in 0..3 {
                    out[block][c][r] = ub[0][r].mul_add(u[0][c], ub[1][r].mul_add(u[1][c], ub[2][r].mul(u[2][c])));
                }
            }
            block += 1;
        }
    }
}

/// Frames of matrices with two columns, F = R S: the directions U of principal stretches with the normal, and V.
///
/// `r` are the orthonormal columns of R.
#[inline(always)]
pub(crate) fn plane_frames<L: Lanes>(f: &[[L; 3]; 2], r: &[[L; 3]; 2]) -> ([[L; 3]; 3], [[L; 2]; 2]) {
    let (zero, one, half) = (L::zero(), constant::<L>(1.0), constant::<L>(0.5));
    let (xx, yy) = (dot(r[0], f[0]), dot(r[1], f[1]));
    let xy = half.mul(dot(r[0], f[1]).add(dot(r[1], f[0])));
    let (gap, twice) = (xx.sub(yy), xy.add(xy));
    let size = gap.mul_add(gap, twice.mul(twice)).max(constant::<L>(1e-30)).sqrt();
    // Of twice the angle of the larger stretch.
    let cosine = gap.div(size).max(constant::<L>(-1.0)).min(one);
    let c = half.mul(one.add(cosine)).sqrt();
    let plain = half.mul(one.sub(cosine)).sqrt();
    let s = xy.select_less(zero, zero.sub(plain), plain);
    let mut u = [[zero; 3]; 3];
    for k in 0..3 {
        u[0][k] = c.mul_add(r[0][k], s.mul(r[1][k]));
        u[1][k] = c.mul(r[1][k]).sub(s.mul(r[0][k]));
    }
    u[2] = cross(u[0], u[1]);
    (u, [[c, s], [zero.sub(s), c]])
}
