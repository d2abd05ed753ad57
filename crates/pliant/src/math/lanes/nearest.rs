//! Nearest matrices of a kind, a vector of them at a time: rotations, and triangles within bounds of strain.
//!
//! Triangles in closed form. With F = [z₀ z₁] (3×2), C = FᵀF, s = √det C = ‖z₀ × z₁‖ and t = √(tr C + 2s), the nearest matrix with
//! orthonormal columns is R = F·[[C₁₁ + s, −C₀₁], [−C₀₁, C₀₀ + s]]/(s t), and the singular values are (t ± √((C₀₀ − C₁₁)² + 4C₀₁²)/t)/2. Clamping
//! them to σ' gives the projection αR + βF with β = (σ₁' − σ₂')/(σ₁ − σ₂) and α = σ₁' − βσ₁.
//!
//! Rotations by Newton's method on quaternions, from the last one. The nearest rotation R to F maximises tr(RᵀF). With B = RᵀF,
//! turning R by exp[ω] changes it by ω·g − ½ωᵀHω + …, where g is the axial vector of B and H = tr(B) I − sym(B), so a step is
//! ω = H⁻¹g. On rotations tr(RᵀF) has no local maximum besides the global one, also for inverted F: a stationary point with H
//! positive definite is the answer, however it was reached. Lanes that do not get there in a few steps, or where H is nearly
//! singular, are done one by one by a singular value decomposition.

use super::{InstructionSet, Kernel, LaneNumber, Lanes, Real};
use crate::math::{Mat3, Quat, Vec3, best_rotation, svd_3x2};

/// Newton steps before a lane is done by itself.
const MOST_STEPS: usize = 6;

/// The matrices of two columns whose singular values are within bounds, nearest to those with columns `z`.
#[inline(always)]
pub(crate) fn nearest_within<L: Lanes>(z: &[[L; 3]; 2], [low, high]: [f64; 2]) -> [[L; 3]; 2] {
    let (low_lanes, high_lanes) = (constant::<L>(low), constant::<L>(high));
    let (half, two, tiny) = (constant::<L>(0.5), constant::<L>(2.0), constant::<L>(1e-30));
    let (c00, c01, c11) = (dot(z[0], z[0]), dot(z[0], z[1]), dot(z[1], z[1]));
    let normal = cross(z[0], z[1]);
    let s = dot(normal, normal).sqrt();
    let trace = c00.add(c11);
    let t = trace.add(two.mul(s)).sqrt();
    let scale = constant::<L>(1.0).div(s.mul(t).max(tiny));
    let (m00, m01, m11) = (c11.add(s).mul(scale), c01.mul(scale), c00.add(s).mul(scale));
    let (mut alpha, mut beta) = (low_lanes, L::zero());
    if low < high {
        let difference = stretch_difference(c00, c01, c11, t);
        let (large, small) = (t.add(difference).mul(half), t.sub(difference).mul(half));
        let large_target = large.max(low_lanes).min(high_lanes);
        let small_target = small.max(low_lanes).min(high_lanes);
        // Equal singular values are clamped alike: within the bounds nothing moves, beyond them R takes it all.
        let gap = small.sub(small_target);
        let equal = gap.mul(gap).select_less(tiny, constant::<L>(1.0), L::zero());
        let slope = large_target.sub(small_target).div(difference.max(tiny));
        beta = difference.select_less(constant::<L>(1e-6).mul(t), equal, slope);
        alpha = large_target.sub(beta.mul(large));
    }
    let mut p = [[L::zero(); 3]; 2];
    for c in 0..3 {
        let r = [z[0][c].mul(m00).sub(z[1][c].mul(m01)), z[1][c].mul(m11).sub(z[0][c].mul(m01))];
        for row in 0..2 {
            p[row][c] = alpha.mul_add(r[row], beta.mul(z[row][c]));
        }
    }
    // Collapsed triangles: the closed form divides by the area. They are rare, and done one by one.
    let collapsed = s.less_mask(trace.mul(constant::<L>(1e-4)));
    if collapsed != 0 {
        repair(collapsed, z, [low, high], &mut p);
    }
    p
}

/// σ₁ − σ₂ from C and σ₁ + σ₂: (σ₁² − σ₂²)² = (C₀₀ − C₁₁)² + 4C₀₁². The root of tr C − 2s would lose half of the digits.
#[inline(always)]
pub(crate) fn stretch_difference<L: Lanes>(c00: L, c01: L, c11: L, sum: L) -> L {
    let (gap, twice) = (c00.sub(c11), c01.add(c01));
    gap.mul_add(gap, twice.mul(twice)).sqrt().div(sum.max(constant::<L>(1e-30)))
}

/// Projects single lanes in f64.
#[inline(never)]
fn repair<L: Lanes>(mask: u32, z: &[[L; 3]; 2], [low, high]: [f64; 2], p: &mut [[L; 3]; 2]) {
    let mut numbers = [[[L::Scalar::default(); 8]; 3]; 2];
    let mut projected = numbers;
    for row in 0..2 {
        for c in 0..3 {
            z[row][c].write_to(&mut numbers[row][c]);
            p[row][c].write_to(&mut projected[row][c]);
        }
    }
    for lane in (0..L::WIDTH).filter(|lane| mask >> lane & 1 == 1) {
        let column = |row: usize| Vec3::from_array([0, 1, 2].map(|c| numbers[row][c][lane].to_f64()));
        let svd = svd_3x2(column(0), column(1));
        let clamped = svd.with_sigma(svd.sigma.map(|s| s.clamp(low, high)));
        for row in 0..2 {
            (0..3).for_each(|c| projected[row][c][lane] = L::Scalar::from_f64(clamped[row][c]));
        }
    }
    for row in 0..2 {
        for c in 0..3 {
            p[row][c] = L::from_slice(&projected[row][c]);
        }
    }
}

#[inline(always)]
pub(crate) fn dot<L: Lanes>(a: [L; 3], b: [L; 3]) -> L {
    a[0].mul_add(b[0], a[1].mul_add(b[1], a[2].mul(b[2])))
}

#[inline(always)]
pub(crate) fn cross<L: Lanes>(a: [L; 3], b: [L; 3]) -> [L; 3] {
    [a[1].mul(b[2]).sub(a[2].mul(b[1])), a[2].mul(b[0]).sub(a[0].mul(b[2])), a[0].mul(b[1]).sub(a[1].mul(b[0]))]
}

/// Columns of the rotation of a unit quaternion.
#[inline(always)]
pub(crate) fn columns_of<L: Lanes>([x, y, z, w]: [L; 4]) -> [[L; 3]; 3] {
    let one = constant::<L>(1.0);
    let (x2, y2, z2) = (x.add(x), y.add(y), z.add(z));
    let (wx, wy, wz) = (w.mul(x2), w.mul(y2), w.mul(z2));
    let (but_xx, but_yy) = (x.sub_mul(x2, one), y.sub_mul(y2, one));
    [
        [z.sub_mul(z2, but_yy), x.mul_add(y2, wz), x.mul_sub(z2, wy)],
        [x.mul_sub(y2, wz), z.sub_mul(z2, but_xx), y.mul_add(z2, wx)],
        [x.mul_add(z2, wy), y.mul_sub(z2, wx), y.sub_mul(y2, but_xx)],
    ]
}

#[inline(always)]
pub(crate) fn constant<L: Lanes>(value: f64) -> L {
    L::splat(Real::from_f64(value))
}

/// Improves a quaternion to that of the rotation nearest to the matrix with columns `f`.
#[inline(always)]
pub(crate) fn nearest_rotation<L: Lanes>(f: &[[L; 3]; 3], q: &mut [L; 4]) {
    let (one, zero) = (constant::<L>(1.0), L::zero());
    // A step leaves an error of about its square: of f64 below rounding; of f32 1e-6 at most, which goes away with the
    // movement, since rotations start from the last ones.
    let single = size_of::<L::Scalar>() == 4;
    let short = constant::<L>(if single { 1e-6 } else { 1e-17 });
    let singular = constant::<L>(if single { 1e-5 } else { 1e-10 });
    let mut pending = (1u32 << L::WIDTH) - 1;
    for _ in 0..MOST_STEPS {
        let r = columns_of(*q);
        // b[i][j] = column i of R · column j of F.
        let mut b = [[zero; 3]; 3];
        for i in 0..3 {
            for j in 0..3 {
                b[i][j] = dot(r[i], f[j]);
            }
        }
        let g = [b[2][1].sub(b[1][2]), b[0][2].sub(b[2][0]), b[1][0].sub(b[0][1])];
        // 2H: h on its diagonal, −s off it.
        let (h00, h11, h22) = (b[1][1].add(b[2][2]), b[0][0].add(b[2][2]), b[0][0].add(b[1][1]));
        let (h00, h11, h22) = (h00.add(h00), h11.add(h11), h22.add(h22));
        let (s01, s02, s12) = (b[0][1].add(b[1][0]), b[0][2].add(b[2][0]), b[1][2].add(b[2][1]));
        let c00 = h11.mul_sub(h22, s12.mul(s12));
        let c01 = s01.mul_add(h22, s02.mul(s12));
        let c02 = s02.mul_add(h11, s01.mul(s12));
        let c11 = h00.mul_sub(h22, s02.mul(s02));
        let c12 = s12.mul_add(h00, s01.mul(s02));
        let c22 = h00.mul_sub(h11, s01.mul(s01));
        let determinant = s01.sub_mul(c01, s02.sub_mul(c02, h00.mul(c00)));
        let trace = h00.add(h11).add(h22);
        let size = trace.mul(trace).mul(trace.mul(singular));
        // Positive definite: all leading minors positive, the determinant clearly so.
        let indefinite = h00.min(c22).less_mask(zero) | !size.max(zero).less_mask(determinant);
        // ω/2 = (2H)⁻¹g; where there is none a short way uphill, ½ adj(H) g.
        let least = size.max(constant::<L>(1e-30));
        let inverse = one.div(determinant.select_less(least, constant::<L>(8.0), determinant));
        let mut turn = [
            inverse.mul(c00.mul_add(g[0], c01.mul_add(g[1], c02.mul(g[2])))),
            inverse.mul(c01.mul_add(g[0], c11.mul_add(g[1], c12.mul(g[2])))),
            inverse.mul(c02.mul_add(g[0], c12.mul_add(g[1], c22.mul(g[2])))),
        ];
        let squared = dot(turn, turn);
        // At most a right angle at a time.
        if one.less_mask(squared) != 0 {
            let limit = squared.max(one).inverse_sqrt();
            for t in &mut turn {
                *t = t.mul(limit);
            }
        }
        let [x, y, z, w] = *q;
        let [tx, ty, tz] = turn;
        let turned = [
            z.sub_mul(ty, y.mul_add(tz, w.mul_add(tx, x))),
            x.sub_mul(tz, z.mul_add(tx, w.mul_add(ty, y))),
            y.sub_mul(tx, x.mul_add(ty, w.mul_add(tz, z))),
            z.sub_mul(tz, y.sub_mul(ty, x.sub_mul(tx, w))),
        ];
        let (xx, zz) = (turned[0].mul(turned[0]), turned[2].mul(turned[2]));
        let norm = turned[1].mul_add(turned[1], xx).add(turned[3].mul_add(turned[3], zz));
        let scale = norm.inverse_sqrt();
        for k in 0..4 {
            q[k] = turned[k].mul(scale);
        }
        pending = (!squared.less_mask(short) | indefinite) & ((1 << L::WIDTH) - 1);
        if pending == 0 {
            return;
        }
    }
    decompose::<L>(pending, f, q);
}

/// Single lanes by singular value decomposition in f64.
#[inline(never)]
fn decompose<L: Lanes>(mask: u32, f: &[[L; 3]; 3], q: &mut [L; 4]) {
    let mut numbers = [[[L::Scalar::default(); 8]; 3]; 3];
    let mut quaternions = [[L::Scalar::default(); 8]; 4];
    for k in 0..3 {
        (0..3).for_each(|c| f[k][c].write_to(&mut numbers[k][c]));
    }
    (0..4).for_each(|k| q[k].write_to(&mut quaternions[k]));
    for lane in (0..L::WIDTH).filter(|lane| mask >> lane & 1 == 1) {
        let column = |k: usize| Vec3::from_array([0, 1, 2].map(|c| numbers[k][c][lane].to_f64()));
        let last = Quat::from_array([0, 1, 2, 3].map(|k| quaternions[k][lane].to_f64())).normalize();
        let matrix = Mat3::from_cols(column(0), column(1), column(2));
        let values = best_rotation(matrix, last).to_array();
        (0..4).for_each(|k| quaternions[k][lane] = L::Scalar::from_f64(values[k]));
    }
    *q = [0, 1, 2, 3].map(|k| L::from_slice(&quaternions[k]));
}

/// Four matrices in f64 by their columns, lane by lane, which become their nearest rotations; quaternions (x, y, z, w) to start from, which
/// become those of the rotations.
pub(crate) fn nearest_rotations(set: InstructionSet, columns: &mut [[[f64; 4]; 3]; 3], rotations: &mut [[f64; 4]; 4]) {
    f64::dispatch(set, Rotate { columns, rotations });
}

struct Rotate<'a> {
    columns: &'a mut [[[f64; 4]; 3]; 3],
    rotations: &'a mut [[f64; 4]; 4],
}

impl Kernel<f64> for Rotate<'_> {
    #[inline(always)]
    fn run<L: Lanes<Scalar = f64>>(self) {
        let (columns, rotations) = (self.columns, self.rotations);
        let (mut f, mut q) = ([[L::zero(); 3]; 3], [L::zero(); 4]);
        for k in 0..3 {
            (0..3).for_each(|c| f[k][c] = L::from_slice(&columns[k][c]));
        }
        (0..4).for_each(|k| q[k] = L::from_slice(&rotations[k]));
        nearest_rotation::<L>(&f, &mut q);
        (0..4).for_each(|k| q[k].write_to(&mut rotations[k]));
        let turned = columns_of(q);
        for k in 0..3 {
            (0..3).for_each(|c| turned[k][c].write_to(&mut columns[k][c]));
        }
    }
}
