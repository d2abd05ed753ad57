//! Projections of principal stretches, a vector of matrices at a time, without singular vectors.
//!
//! With F = R S, R the nearest rotation and S symmetric, the eigenvalues σ of S are the signed singular values of F, and a
//! projection that moves σ to s(σ) is R s(S). A function of S is a polynomial of second degree in S that takes the right values at σ (Newton's
//! divided differences), so the residual is F − p = a R + F (b I + c S), of which only three numbers are needed.
//!
//! Eigenvalues come in closed form from the invariants of S: with q = tr S/3, D = S − q I, p² = tr D²/6 and r = det D/(2p³) they are
//! q + p t, t³ − 3t = 2r. The largest t is 2 cos(⅔ acos u) with u² = (1 + r)/2, an analytic function of u ∈ [0, 1], here a
//! polynomial. Of a nearly double eigenvalue the two are off by the root of the rounding, in opposite directions; their sum and
//! product, which is what functions of S depend on, are not.
//!
//! Stretches with a given product (area and volume): sᵢ² − σᵢ sᵢ = μ for all i, so σᵢ − sᵢ = −μ/sᵢ and the residual is −μ R P⁻¹ with P = s(S).
//! ln Πsᵢ is concave in μ with the slope Σ 1/(sᵢ rᵢ), rᵢ = √(σᵢ² + 4μ): Newton's method stays on one side of the root after
//! the first step. The divided differences of 1/s are −1/(s₁s₂ + μ) and s₁s₂s₃/((s₁s₂ + μ)(s₂s₃ + μ)(s₁s₃ + μ)), without
//! any difference that could cancel.

pub(crate) use super::plane_stretches::{
    beyond_area, beyond_area_one_by_one, beyond_plane_limits, beyond_plane_limits_one_by_one, held_product,
    plane_stretch,
};

use super::nearest::{constant, dot};
use super::{Lanes, Real};
use crate::math::functions::pow;
use crate::math::{Mat3, NEARLY_RIGHT, Vec3, project_product, svd_3x3};

/// F − p = `rotation` R + F (`plain` I + `stretched` S).
#[derive(Clone, Copy)]
pub(crate) struct Combination<L> {
    pub(crate) rotation: L,
    pub(crate) plain: L,
    pub(crate) stretched: L,
}

impl<L: Lanes> Combination<L> {
    /// The matrices, by columns.
    #[inline(always)]
    pub(crate) fn apply(&self, r: &[[L; 3]; 3], f: &[[L; 3]; 3], s: &[L; 6]) -> [[L; 3]; 3] {
        let c = self.stretched;
        let (xy, xz, yz) = (c.mul(s[3]), c.mul(s[4]), c.mul(s[5]));
        let m = [
            [c.mul_add(s[0], self.plain), xy, xz],
            [xy, c.mul_add(s[1], self.plain), yz],
            [xz, yz, c.mul_add(s[2], self.plain)],
        ];
        let mut d = [[L::zero(); 3]; 3];
        for column in 0..3 {
            for row in 0..3 {
                let sum = f[1][row].mul_add(m[1][column], f[2][row].mul(m[2][column]));
                d[column][row] = f[0][row].mul_add(m[0][column], self.rotation.mul_add(r[column][row], sum));
            }
        }
        d
    }
}

/// A residual with its squared length, and the lanes where it could not be had.
pub(crate) struct Residual<L> {
    pub(crate) combination: Combination<L>,
    pub(crate) squared: L,
    pub(crate) failed: u32,
}

/// Coefficients of 2 cos(⅔ acos u) on [0, 1], highest power first: within 6e-8, and within 3e-15.
const ANGLE_SINGLE: [f64; 8] = [
    0.002255272478083362,
    -0.012178691359401254,
    0.03209456074283031,
    -0.06047079513948226,
    0.10568281828395985,
    -0.22207702249413985,
    1.1546938347392,
    1.0000000520516616,
];
const ANGLE_DOUBLE: [f64; 17] = [
    -2.0927084521380707e-5,
    0.0002019159673343959,
    -0.0009215641707070429,
    0.00267457959366082,
    -0.005632932065160118,
    0.009394195319704481,
    -0.013342235669379896,
    0.017239120254035276,
    -0.0214303690448989,
    0.026682607261858327,
    -0.034131305433514274,
    0.04573541373317025,
    -0.06584352682438213,
    0.10691671188688129,
    -0.22222222210209416,
    1.1547005383780098,
    1.000000000000002,
];

/// Steps of Newton's method for a multiplier before a lane is done by itself.
const MOST_STEPS: usize = 10;

/// S = RᵀF as (xx, yy, zz, xy, xz, yz), from columns.
#[inline(always)]
pub(crate) fn stretch_of<L: Lanes>(r: &[[L; 3]; 3], f: &[[L; 3]; 3]) -> [L; 6] {
    [dot(r[0], f[0]), dot(r[1], f[1]), dot(r[2], f[2]), dot(r[0], f[1]), dot(r[0], f[2]), dot(r[1], f[2])]
}

/// Eigenvalues of symmetric matrices, descending.
#[inline(always)]
pub(crate) fn eigenvalues<L: Lanes>(s: &[L; 6]) -> [L; 3] {
    let (half, one, two) = (constant::<L>(0.5), constant::<L>(1.0), constant::<L>(2.0));
    let q = s[0].add(s[1]).add(s[2]).mul(constant::<L>(1.0 / 3.0));
    let (x, y, z) = (s[0].sub(q), s[1].sub(q), s[2].sub(q));
    let off = s[3].mul_add(s[3], s[4].mul_add(s[4], s[5].mul(s[5])));
    let diagonal = x.mul_add(x, y.mul_add(y, z.mul(z)));
    let squared = two.mul_add(off, diagonal).mul(constant::<L>(1.0 / 6.0));
    let p = squared.sqrt();
    let (yz, xz) = (y.mul(z).sub(s[5].mul(s[5])), s[3].mul(z).sub(s[5].mul(s[4])));
    let xy = s[3].mul(s[5]).sub(y.mul(s[4]));
    let determinant = x.mul(yz).sub(s[3].mul(xz)).add(s[4].mul(xy));
    // Where all are equal there is no angle, and any will do.
    let r = half.mul(determinant).div(squared.mul(p).max(constant::<L>(1e-36)));
    let u = half.mul(one.add(r.max(constant::<L>(-1.0)).min(one))).sqrt();
    let mut t;
    if size_of::<L::Scalar>() == 4 {
        t = constant::<L>(ANGLE_SINGLE[0]);
        for k in 1..ANGLE_SINGLE.len() {
            t = t.mul_add(u, constant::<L>(ANGLE_SINGLE[k]));
        }
    } else {
        t = constant::<L>(ANGLE_DOUBLE[0]);
        for k in 1..ANGLE_DOUBLE.len() {
            t = t.mul_add(u, constant::<L>(ANGLE_DOUBLE[k]));
        }
    }
    // The other two are −t/2 ± √3 sin.
    let sine = constant::<L>(4.0).sub(t.mul(t)).max(L::zero()).mul(constant::<L>(0.75)).sqrt();
    let middle = half.mul(t);
    let largest = p.mul_add(t, q);
    [largest, p.mul_add(sine.sub(middle), q).min(largest), q.sub(p.mul(sine.add(middle)))]
}

/// The residual of stretches that may lie between bounds.
#[inline(always)]
pub(crate) fn beyond_limits<L: Lanes>(sigma: [L; 3], [low_bound, high_bound]: [f64; 2]) -> Residual<L> {
    let (low, high, tiny) = (constant::<L>(low_bound), constant::<L>(high_bound), constant::<L>(1e-30));
    let mut target = [L::zero(); 3];
    // Slope of the clamp at each stretch, for equal ones; between equal bounds there is none.
    let sloped = if low_bound < high_bound { constant::<L>(1.0) } else { L::zero() };
    let mut slope = [L::zero(); 3];
    let mut squared = L::zero();
    for i in 0..3 {
        target[i] = sigma[i].max(low).min(high);
        let gap = sigma[i].sub(target[i]);
        squared = gap.mul_add(gap, squared);
        slope[i] = gap.mul(gap).select_less(tiny, sloped, L::zero());
    }
    let gaps = [sigma[0].sub(sigma[1]), sigma[1].sub(sigma[2])];
    let first = gaps[0].select_less(tiny, slope[1], target[0].sub(target[1]).div(gaps[0].max(tiny)));
    let second = gaps[1].select_less(tiny, slope[1], target[1].sub(target[2]).div(gaps[1].max(tiny)));
    let third = first.sub(second).div(sigma[0].sub(sigma[2]).max(tiny));
    // target₀ + first (S − σ₀) + third (S − σ₀)(S − σ₁), in powers of S.
    let constant_term = target[0].sub(first.mul(sigma[0])).add(third.mul(sigma[0].mul(sigma[1])));
    let linear = first.sub(third.mul(sigma[0].add(sigma[1])));
    let combination = Combination {
        rotation: L::zero().sub(constant_term),
        plain: constant::<L>(1.0).sub(linear),
        stretched: L::zero().sub(third),
    };
    Residual { combination, squared, failed: 0 }
}

/// What the multiplier of a product is looked for with.
pub(super) struct Product<L> {
    /// The product that is wanted.
    pub(super) target: L,
    /// The multiplier to start from, and its least value.
    pub(super) start: L,
    pub(super) least: L,
    /// Lanes whose product is within the bounds.
    pub(super) within: u32,
    /// Lanes without a root among plus roots, or where it may not be the nearest.
    pub(super) failed: u32,
}

/// How stretches with this product and this smallest one are to be looked for.
#[inline(always)]
pub(super) fn wanted<L: Lanes, const D: usize>(sigma: &[L; D], [low, high]: [f64; 2]) -> Product<L> {
    let mut product = sigma[0];
    for i in 1..D {
        product = product.mul(sigma[i]);
    }
    let all = (1u32 << L::WIDTH) - 1;
    let (low_lanes, high_lanes) = (constant::<L>(low), constant::<L>(high));
    let too_small = product.less_mask(low_lanes);
    let within = !(too_small | high_lanes.less_mask(product)) & all;
    let target = product.select_less(low_lanes, low_lanes, high_lanes);
    let smallest = sigma[D - 1];
    // From 0 where no stretch is near 0, from above the root elsewhere.
    let size = pow(low, 1.0 / D as f64);
    let raised = smallest.select_less(constant::<L>(0.3 * size), constant::<L>(size * size), L::zero());
    let start = product.select_less(low_lanes, raised, L::zero());
    // Below this the smallest has no plus root. Where the product is too small the multiplier is positive.
    let bound = smallest.mul(smallest).mul(constant::<L>(-0.25));
    let least = product.select_less(low_lanes, L::zero(), bound);
    // Plus roots with the least multiplier.
    let mut at_bound = smallest.mul(constant::<L>(0.5));
    for i in 0..D - 1 {
        let root = sigma[i].sub(smallest).mul(sigma[i].add(smallest)).max(L::zero()).sqrt();
        at_bound = at_bound.mul(sigma[i].add(root).mul(constant::<L>(0.5)));
    }
    let far = constant::<L>(NEARLY_RIGHT * high).less_mask(product) | !at_bound.less_mask(high_lanes);
    Product { target, start, least, within, failed: far & !too_small & !within & all }
}

/// A multiplier with its plus roots.
pub(super) struct Raised<L, const D: usize> {
    pub(super) mu: L,
    pub(super) values: [L; D],
    pub(super) failed: u32,
}

/// The plus root s of s² − σ s = μ, and √(σ² + 4μ).
#[inline(always)]
fn plus_root<L: Lanes>(sigma: L, mu: L) -> (L, L) {
    let root = constant::<L>(4.0).mul_add(mu, sigma.mul(sigma)).max(constant::<L>(1e-36)).sqrt();
    (constant::<L>(0.5).mul(sigma.add(root)), root)
}

/// The same for the last stretch, which may be negative: there the sum cancels, and the product of the two roots is −μ.
#[inline(always)]
fn last_plus_root<L: Lanes>(sigma: L, mu: L) -> (L, L) {
    let (plain, root) = plus_root(sigma, mu);
    let negative = constant::<L>(2.0).mul(mu).div(root.sub(sigma).max(constant::<L>(1e-36)));
    (sigma.select_less(L::zero(), negative, plain), root)
}

/// Newton's method on ln Πs(μ) = ln target, the logarithm by its first rational approximation, which only shortens steps.
#[inline(always)]
pub(super) fn multiplier<L: Lanes, const D: usize>(sigma: &[L; D], product: &Product<L>) -> Raised<L, D> {
    let single = size_of::<L::Scalar>() == 4;
    let (relative, tiny) =
        if single { (constant::<L>(1e-4), constant::<L>(3e-7)) } else { (constant::<L>(1e-8), constant::<L>(1e-17)) };
    let mut mu = product.start;
    let mut values = *sigma;
    let mut pending = !(product.failed | product.within) & ((1 << L::WIDTH) - 1);
    let open = pending;
    for _ in 0..MOST_STEPS {
        if pending == 0 {
            break;
        }
        let mut slopes = [L::zero(); D];
        let mut reached = constant::<L>(1.0);
        for i in 0..D {
            let (value, root) = if i + 1 < D { plus_root(sigma[i], mu) } else { last_plus_root(sigma[i], mu) };
            values[i] = value;
            slopes[i] = value.mul(root);
            reached = reached.mul(value);
        }
        // 2 (t − Π)/(t + Π) over Σ 1/(s r), with one division.
        let (over, under) = if D == 2 {
            (slopes[0].mul(slopes[1]), slopes[0].add(slopes[1]))
        } else {
            let pair = slopes[0].mul(slopes[1]);
            (pair.mul(slopes[D - 1]), slopes[0].add(slopes[1]).mul_add(slopes[D - 1], pair))
        };
        let gap = constant::<L>(2.0).mul(product.target.sub(reached));
        let step = gap.mul(over).div(product.target.add(reached).mul(under).max(constant::<L>(1e-36)));
        // Positive multipliers stay so. Negative ones go at most half of the way to their bound, where the slope is infinite and
        // steps would be too short.
        let halfway = constant::<L>(0.5).mul(mu.add(product.least));
        let floor = L::zero().select_less(mu, mu.mul(constant::<L>(0.0625)), halfway);
        let next = mu.add(step).max(floor);
        let taken = next.sub(mu);
        let bound = relative.mul(next.max(L::zero().sub(next))).add(tiny);
        let settled = taken.max(L::zero().sub(taken)).less_mask(bound);
        mu = next;
        pending = open & !settled;
    }
    for i in 0..D {
        values[i] = if i + 1 < D { plus_root(sigma[i], mu).0 } else { last_plus_root(sigma[i], mu).0 };
    }
    Raised { mu, values, failed: pending | product.failed }
}

/// `mu` where lanes are open, zero elsewhere.
#[inline(always)]
pub(super) fn kept<L: Lanes>(mu: L, closed: u32) -> L {
    if closed == 0 {
        return mu;
    }
    let mut numbers = [L::Scalar::default(); 8];
    mu.write_to(&mut numbers);
    for lane in 0..L::WIDTH {
        if closed >> lane & 1 == 1 {
            numbers[lane] = L::Scalar::default();
        }
    }
    L::from_slice(&numbers)
}

/// The residual of stretches whose product may lie between positive bounds. Zero in lanes that failed.
#[inline(always)]
pub(crate) fn beyond_volume<L: Lanes>(sigma: [L; 3], bounds: [f64; 2]) -> Residual<L> {
    let product = wanted(&sigma, bounds);
    let Raised { mu, values: [a, b, c], failed } = multiplier(&sigma, &product);
    let mu = kept(mu, failed | product.within);
    let (ab, bc, ac) = (a.mul(b), b.mul(c), a.mul(c));
    let (first, second, third) = (ab.add(mu), bc.add(mu), ac.add(mu));
    let rest = second.mul(third);
    let inverse = constant::<L>(1.0).div(first.mul(rest).max(constant::<L>(1e-36)));
    let inverse_volume = constant::<L>(1.0).div(ab.mul(c).max(constant::<L>(1e-36)));
    let inverse_first = rest.mul(inverse);
    let square_term = ab.mul(c).mul(inverse);
    // 1/s as a polynomial in S, times −μ.
    let minus = L::zero().sub(mu);
    let constant_term =
        bc.mul(inverse_volume).add(sigma[0].mul(inverse_first)).add(square_term.mul(sigma[0].mul(sigma[1])));
    let linear = L::zero().sub(inverse_first).sub(square_term.mul(sigma[0].add(sigma[1])));
    let combination =
        Combination { rotation: minus.mul(constant_term), plain: minus.mul(linear), stretched: minus.mul(square_term) };
    let inverses = bc.mul_add(bc, ac.mul_add(ac, ab.mul(ab)));
    let over = mu.mul(inverse_volume);
    Residual { combination, squared: over.mul(over).mul(inverses), failed }
}

/// Residuals of volumes in single lanes, in f64; zero in the others. Returns them as columns, and their squared lengths.
#[cold]
#[inline(never)]
pub(crate) fn beyond_volume_one_by_one<L: Lanes>(
    mask: u32,
    f: &[[L; 3]; 3],
    [low, high]: [f64; 2],
) -> ([[L; 3]; 3], L) {
    each_lane::<L, 3>(mask, f, &|columns| {
        let svd = svd_3x3(Mat3::from_cols(columns[0], columns[1], columns[2]));
        let projected = project_product(svd.sigma.to_array(), low, high);
        let target = svd.with_sigma(projected.values.into());
        [columns[0] - target.x_axis, columns[1] - target.y_axis, columns[2] - target.z_axis]
    })
}

/// A residual for single lanes, in f64; zero in the others.
#[inline(never)]
pub(super) fn each_lane<L: Lanes, const R: usize>(
    mask: u32,
    f: &[[L; 3]; R],
    residual: &dyn Fn([Vec3; R]) -> [Vec3; R],
) -> ([[L; 3]; R], L) {
    let mut numbers = [[[L::Scalar::default(); 8]; 3]; R];
    let mut out = numbers;
    let mut squares = [L::Scalar::default(); 8];
    for k in 0..R {
        (0..3).for_each(|c| f[k][c].write_to(&mut numbers[k][c]));
    }
    for lane in (0..L::WIDTH).filter(|lane| mask >> lane & 1 == 1) {
        let columns = std::array::from_fn(|k| Vec3::from_array([0, 1, 2].map(|c| numbers[k][c][lane].to_f64())));
        let residual = residual(columns);
        for k in 0..R {
            (0..3).for_each(|c| out[k][c][lane] = L::Scalar::from_f64(residual[k][c]));
        }
        squares[lane] = L::Scalar::from_f64(residual.iter().map(|d| d.length_squared()).sum());
    }
    let mut lanes = [[L::zero(); 3]; R];
    for k in 0..R {
        (0..3).for_each(|c| lanes[k][c] = L::from_slice(&out[k][c]));
    }
    (lanes, L::from_slice(&squares))
}
