//! Forces of hinges with rest angles, from the nearest frame, which continues from the last one.
//!
//! The distance of a hinge to those of its rest angle is ‖N Rᵀz‖ over frames R (`energy/hinge_projection.rs`). The rows N are constant: two
//! keep the edge along the first axis of the frame, one each keeps c and d in its half-plane. So with three sums of edges,
//!
//! ```text
//! r₁ = (RᵀE)₂   r₂ = (RᵀE)₃   r₃ = (RᵀC)₃   r₄ = (RᵀP)₂ + (RᵀQ)₃      E = a₁e₁, C = b₁e₁ + b₂e₂, P = Σ gᵢ eᵢ, Q = Σ hᵢ eᵢ
//! ```
//!
//! the misfit is ½Σr², and Newton's method over rotations R ← R exp ω minimises it. A functional n·Rᵀv with y = Rᵀv has the slope n × y and the second
//! derivative ½(y nᵀ + n yᵀ) − (n·y) I. Lanes that have no frame yet, whose curvature is not positive, that do not settle, or where a wing is about
//! to cross its edge are done one by one.

use super::simplex::Law;
use crate::energy::{Curvature, hinge_residual};
use crate::math::Vec3;
use crate::math::lanes::nearest::{columns_of, constant, cross, dot};
use crate::math::lanes::{LaneNumber, Lanes, Real};

/// Hinges of any rest angle.
#[derive(Debug)]
pub(super) struct HingeLaw;

/// Numbers of a hinge: a₁, b₁, b₂, g₁…₃, h₁…₃, sine and cosine of the rest angle, scales of the four corners, weight.
pub(super) const NUMBERS: usize = 16;
const ROWS: usize = 9;
const SINE: usize = ROWS;
const SCALES: usize = 11;
const WEIGHT: usize = NUMBERS - 1;

/// Steps of Newton's method before a lane is done by itself.
const MOST_STEPS: usize = 6;

/// A wing whose reach is below this share of its length may cross the edge.
const NEAR_EDGE: f64 = 0.2;

/// How the misfit of a frame changes over rotations.
struct Slope<L> {
    gradient: [L; 3],
    /// xx, yy, zz, xy, xz, yz.
    hessian: [L; 6],
}

/// Sums of edges that residuals are made of; the same in a frame.
struct Sums<L> {
    e: [L; 3],
    c: [L; 3],
    p: [L; 3],
    q: [L; 3],
}

#[inline(always)]
unsafe fn in_frame<L: Lanes>(r: &[[L; 3]; 3], v: [L; 3]) -> [L; 3] {
    unsafe { [dot(r[0], v), dot(r[1], v), dot(r[2], v)] }
}

#[inline(always)]
unsafe fn half_squared<L: Lanes>(r: &[L; 4]) -> L {
    unsafe {
        let sum = r[0].mul_add(r[0], r[1].mul(r[1])).add(r[2].mul_add(r[2], r[3].mul(r[3])));
        constant::<L>(0.5).mul(sum)
    }
}

impl<L: Lanes> Sums<L> {
    #[inline(always)]
    unsafe fn turned(&self, r: &[[L; 3]; 3]) -> Self {
        unsafe {
            Self { e: in_frame(r, self.e), c: in_frame(r, self.c), p: in_frame(r, self.p), q: in_frame(r, self.q) }
        }
    }

    /// Residuals in a frame, without what only slopes need.
    #[inline(always)]
    unsafe fn residuals(&self, r: &[[L; 3]; 3]) -> [L; 4] {
        unsafe { [dot(r[1], self.e), dot(r[2], self.e), dot(r[2], self.c), dot(r[1], self.p).add(dot(r[2], self.q))] }
    }

    /// Slopes n × y of the residuals, of sums in a frame: (y₃, 0, −y₁) for the second axis, (−y₂, y₁, 0) for the third.
    #[inline(always)]
    unsafe fn slopes(&self) -> [[L; 3]; 4] {
        unsafe {
            let (zero, Self { e, c, p, q }) = (L::zero(), self);
            [
                [e[2], zero, zero.sub(e[0])],
                [zero.sub(e[1]), e[0], zero],
                [zero.sub(c[1]), c[0], zero],
                [p[2].sub(q[1]), q[0], zero.sub(p[0])],
            ]
        }
    }

    /// Gradient Σ r s and curvature Σ s sᵀ + r (½(y nᵀ + n yᵀ) − (n·y) I) of ½Σr², of sums in a frame, and the residuals. Written out, most of
    /// the terms of the edge cancel.
    #[inline(always)]
    unsafe fn slope(&self) -> (Slope<L>, [L; 4]) {
        unsafe {
            let (half, Self { e, c, p, q }) = (constant::<L>(0.5), self);
            let r = [e[1], e[2], c[2], p[1].add(q[2])];
            // The slope of the last residual about the edge.
            let s = p[2].sub(q[1]);
            let (zero, cc, ee) = (L::zero(), c[2].mul(c[2]), e[0].mul(e[0]));
            let gradient = [
                r[3].mul_sub(s, c[2].mul(c[1])),
                r[3].mul_add(q[0], c[2].mul_add(c[0], e[2].mul(e[0]))),
                zero.sub(r[3].mul_add(p[0], e[1].mul(e[0]))),
            ];
            let hessian = [
                s.mul_add(s, c[1].mul_sub(c[1], cc)).sub(r[3].mul(r[3])),
                q[0].mul_add(q[0], c[0].mul_add(c[0], ee)).sub(r[3].mul_add(q[2], e[2].mul_add(e[2], cc))),
                p[0].mul_add(p[0], ee).sub(r[3].mul_add(p[1], e[1].mul(e[1]))),
                half.mul_add(r[3].mul_sub(p[0], e[0].mul(e[1])), s.mul_sub(q[0], c[0].mul(c[1]))),
                half.mul_add(r[3].mul_add(q[0], c[2].mul_sub(c[0], e[0].mul(e[2]))), zero.sub(s.mul(p[0]))),
                half.mul_add(r[3].mul_add(p[2].add(q[1]), c[2].mul(c[1])), e[1].mul_sub(e[2], q[0].mul(p[0]))),
            ];
            (Slope { gradient, hessian }, r)
        }
    }
}

impl<S: LaneNumber> Law<S, 3> for HingeLaw {
    fn numbers(&self) -> usize {
        NUMBERS
    }

    /// The last frame as a quaternion (x, y, z, w); zero when there is none.
    fn warm(&self) -> usize {
        4
    }

    const SEARCHES: bool = true;

    /// Newton's method over frames.
    #[inline(always)]
    unsafe fn search<L: Lanes<Scalar = S>>(&self, edges: &[[L; 3]; 3], numbers: *const S, kept: *mut S) -> u32 {
        let w = S::WIDTH;
        unsafe {
            let sums = sums_of::<L>(edges, numbers).1;
            let mut q = [L::zero(); 4];
            for k in 0..4 {
                q[k] = L::load(kept.add(k * w));
            }
            let all = (1u32 << L::WIDTH) - 1;
            let single = size_of::<S>() == 4;
            let short = constant::<L>(if single { 1e-6 } else { 1e-16 });
            let length = q[0].mul_add(q[0], q[1].mul_add(q[1], q[2].mul_add(q[2], q[3].mul(q[3]))));
            let mut failed = length.less_mask(constant::<L>(0.5));
            let mut pending = all & !failed;
            let (mut steps, mut first) = (0, L::zero());
            while pending != 0 && steps < MOST_STEPS {
                let (slope, residuals) = sums.turned(&columns_of(q)).slope();
                if steps == 0 {
                    first = half_squared(&residuals);
                }
                let (turn, indefinite) = newton_step(&slope);
                failed |= indefinite & pending;
                turned(&mut q, turn);
                pending &= !dot(turn, turn).less_mask(short) & !failed;
                steps += 1;
            }
            failed |= pending;
            for k in 0..4 {
                q[k].store(kept.add(k * w));
            }
            // Long turns must not lead away; a single short one cannot. Misfits below the rounding of the sums that they are made of do not compare.
            if steps > 1 {
                let misfit = half_squared(&sums.residuals(&columns_of(q)));
                let size =
                    dot(sums.e, sums.e).add(dot(sums.c, sums.c)).add(dot(sums.p, sums.p).add(dot(sums.q, sums.q)));
                let noise = constant::<L>(if single { 1e-12 } else { 1e-28 }).mul(size);
                failed |= first.mul_add(constant::<L>(1.0 + 1e-5), noise).less_mask(misfit);
            }
            failed
        }
    }

    #[inline(always)]
    unsafe fn gradients<L: Lanes<Scalar = S>>(
        &self,
        edges: &[[L; 3]; 3],
        numbers: *const S,
        kept: *mut S,
        mut failed: u32,
    ) -> ([[L; 3]; 3], L) {
        let w = S::WIDTH;
        unsafe {
            let zero = L::zero();
            let (n, sums) = sums_of::<L>(edges, numbers);
            let weight = L::load(numbers.add(WEIGHT * w));
            let mut q = [zero; 4];
            for k in 0..4 {
                q[k] = L::load(kept.add(k * w));
            }
            let r = columns_of(q);
            let residuals = sums.residuals(&r);
            let misfit = half_squared(&residuals);
            // Wings stay on their side of the edge.
            let (sine, cosine) = (L::load(numbers.add(SINE * w)), L::load(numbers.add((SINE + 1) * w)));
            let (c, d) = ([dot(r[1], edges[1]), dot(r[2], edges[1])], [dot(r[1], edges[2]), dot(r[2], edges[2])]);
            // On the edge's other side, or with a reach below a share of the length: compared by squares.
            let near = constant::<L>(NEAR_EDGE * NEAR_EDGE);
            let reach_c = c[0].max(zero);
            let reach_d = zero.sub(cosine.mul_add(d[0], sine.mul(d[1]))).max(zero);
            let (length_c, length_d) = (c[0].mul_add(c[0], c[1].mul(c[1])), d[0].mul_add(d[0], d[1].mul(d[1])));
            failed |= reach_c.mul(reach_c).less_mask(near.mul(length_c));
            failed |= reach_d.mul(reach_d).less_mask(near.mul(length_d));
            let rho = [
                weight.mul(residuals[0]),
                weight.mul(residuals[1]),
                weight.mul(residuals[2]),
                weight.mul(residuals[3]),
            ];
            let mut gradients = corner_forces(&n, &rho, &r);
            let mut twice = weight.mul(misfit.add(misfit));
            failed &= (1 << L::WIDTH) - 1;
            if failed != 0 {
                one_by_one::<L>(failed, edges, numbers, &mut q, &mut gradients, &mut twice);
                for k in 0..4 {
                    q[k].store(kept.add(k * w));
                }
            }
            (gradients, twice)
        }
    }

    fn has_blocks(&self, _curvature: Curvature) -> bool {
        true
    }

    /// The frame follows, so of the four residuals only what no turning of the frame changes is stiff: one direction n of them, and w v vᵀ with v the
    /// gradient of n·r, which is that of the angle. What the residual itself adds, as it is bent away, can be negative; the true derivative has it.
    #[inline(always)]
    unsafe fn blocks<L: Lanes<Scalar = S>>(
        &self,
        edges: &[[L; 3]; 3],
        numbers: *const S,
        kept: *const S,
        curvature: Curvature,
        blocks: &mut [[[L; 3]; 3]; 6],
    ) {
        let w = S::WIDTH;
        unsafe {
            let (n, sums) = sums_of::<L>(edges, numbers);
            let mut q = [L::zero(); 4];
            for k in 0..4 {
                q[k] = L::load(kept.add(k * w));
            }
            let r = columns_of(q);
            let turned = sums.turned(&r);
            let slopes = turned.slopes();
            // The vector across all three columns of slopes: minors with alternating signs.
            let mut direction = [L::zero(); 4];
            let mut squared = constant::<L>(1e-30);
            for k in 0..4 {
                let [a, b, c] = [slopes[(k + 1) % 4], slopes[(k + 2) % 4], slopes[(k + 3) % 4]];
                let minor = dot(a, cross(b, c));
                direction[k] = if k % 2 == 0 { minor } else { L::zero().sub(minor) };
                squared = minor.mul_add(minor, squared);
            }
            let weight = L::load(numbers.add(WEIGHT * w));
            let scale = weight.div(squared);
            let v = corner_forces(&n, &direction, &r);
            let mut block = 0;
            for i in 0..3 {
                for j in i..3 {
                    for c in 0..3 {
                        for row in 0..3 {
                            blocks[block][c][row] = scale.mul(v[i][row]).mul(v[j][c]);
                        }
                    }
                    block += 1;
                }
            }
            if curvature == Curvature::Raw {
                true_blocks(&n, weight, &turned, &r, blocks);
            }
        }
    }
}

/// The true second derivative in place of its positive part: H_xx − H_xω H_ωω⁻¹ H_ωx with the turning ω of the frame, which minimises the misfit.
/// Lanes without a well-defined frame keep what they have.
#[inline(always)]
unsafe fn true_blocks<L: Lanes>(
    n: &[L; ROWS],
    weight: L,
    turned: &Sums<L>,
    r: &[[L; 3]; 3],
    blocks: &mut [[[L; 3]; 3]; 6],
) {
    unsafe {
        let (zero, slopes, (slope, residuals)) = (L::zero(), turned.slopes(), turned.slope());
        // Of residual k at corner j: components along the second and third axis of the frame.
        let second = [[n[0], zero, zero], [zero; 3], [zero; 3], [n[3], n[4], n[5]]];
        let third = [[zero; 3], [n[0], zero, zero], [n[1], n[2], zero], [n[6], n[7], n[8]]];
        // H_xω in the frame: turning about its axes takes the second to (third, 0, −first) and the third to (−second, first, 0).
        let mut mixed = [[[zero; 3]; 3]; 3];
        for (j, mixed) in mixed.iter_mut().enumerate() {
            let (mut p, mut q) = (zero, zero);
            for k in 0..4 {
                p = residuals[k].mul_add(second[k][j], p);
                q = residuals[k].mul_add(third[k][j], q);
                for a in 0..3 {
                    mixed[a][1] = second[k][j].mul_add(slopes[k][a], mixed[a][1]);
                    mixed[a][2] = third[k][j].mul_add(slopes[k][a], mixed[a][2]);
                }
            }
            mixed[0][2] = mixed[0][2].add(p);
            mixed[0][1] = mixed[0][1].sub(q);
            mixed[1][0] = mixed[1][0].add(q);
            mixed[2][0] = mixed[2][0].sub(p);
        }
        let Inverse { adjugate, scale, singular } = inverse(&slope.hessian);
        let [c00, c11, c22, c01, c02, c12] = adjugate;
        let rows = [[c00, c01, c02], [c01, c11, c12], [c02, c12, c22]];
        let mut block = 0;
        for i in 0..3 {
            for j in i..3 {
                // b[a][c] is row a and column c in the frame.
                let mut b = [[zero; 3]; 3];
                for k in 0..4 {
                    let (x, y) = ([zero, second[k][i], third[k][i]], [zero, second[k][j], third[k][j]]);
                    for a in 1..3 {
                        (1..3).for_each(|c| b[a][c] = x[a].mul_add(y[c], b[a][c]));
                    }
                }
                for c in 0..3 {
                    let column = [mixed[j][0][c], mixed[j][1][c], mixed[j][2][c]];
                    for (row, turned) in rows.iter().zip(&mixed[i]) {
                        let share = scale.mul(dot(*row, column));
                        (0..3).for_each(|a| b[a][c] = b[a][c].sub(turned[a].mul(share)));
                    }
                }
                for c in 0..3 {
                    for row in 0..3 {
                        let mut sum = zero;
                        for a in 0..3 {
                            let inner = b[a][0].mul_add(r[0][c], b[a][1].mul_add(r[1][c], b[a][2].mul(r[2][c])));
                            sum = r[a][row].mul_add(inner, sum);
                        }
                        let before = blocks[block][c][row];
                        blocks[block][c][row] = singular.select_less(zero, before, weight.mul(sum));
                    }
                }
                block += 1;
            }
        }
    }
}

/// The inverse of symmetric matrices (xx, yy, zz, xy, xz, yz): adjugate in the same order, and 1/determinant.
struct Inverse<L> {
    adjugate: [L; 6],
    scale: L,
    /// Below 0 in lanes that are not positive definite.
    singular: L,
}

#[inline(always)]
unsafe fn inverse<L: Lanes>([h00, h11, h22, h01, h02, h12]: &[L; 6]) -> Inverse<L> {
    unsafe {
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
}

/// The rows of a group, and its sums of edges.
#[inline(always)]
unsafe fn sums_of<L: Lanes>(edges: &[[L; 3]; 3], numbers: *const L::Scalar) -> ([L; ROWS], Sums<L>) {
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
unsafe fn corner_forces<L: Lanes>(n: &[L; ROWS], rho: &[L; 4], r: &[[L; 3]; 3]) -> [[L; 3]; 3] {
    unsafe {
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
}

/// −H⁻¹g, at most half a radian long, and the lanes where H is not positive definite.
#[inline(always)]
unsafe fn newton_step<L: Lanes>(slope: &Slope<L>) -> ([L; 3], u32) {
    unsafe {
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
}

/// Turns frames within themselves: q ← q (ω/2, 1), normalised.
#[inline(always)]
unsafe fn turned<L: Lanes>(q: &mut [L; 4], turn: [L; 3]) {
    unsafe {
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
}

/// Projects single lanes in f64.
#[cold]
#[inline(never)]
unsafe fn one_by_one<L: Lanes>(
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
        unsafe { lanes.store(numbers.as_mut_ptr()) }
        numbers
    };
    let at: [[[L::Scalar; 8]; 3]; 3] = std::array::from_fn(|k| std::array::from_fn(|c| stored(&edges[k][c])));
    let mut frames: [[L::Scalar; 8]; 4] = std::array::from_fn(|k| stored(&q[k]));
    let mut out: [[[L::Scalar; 8]; 3]; 3] = std::array::from_fn(|k| std::array::from_fn(|c| stored(&gradients[k][c])));
    let mut energies = stored(twice);
    for lane in (0..L::WIDTH).filter(|lane| mask >> lane & 1 == 1) {
        // SAFETY: a group has so many vectors of numbers.
        let number = |k: usize| unsafe { (*numbers.add(k * L::WIDTH + lane)).to_f64() };
        let edges = std::array::from_fn(|k| Vec3::from_array([0, 1, 2].map(|c| at[k][c][lane].to_f64())));
        let angle = number(SINE).atan2(number(SINE + 1));
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
    unsafe {
        for k in 0..3 {
            (0..3).for_each(|c| gradients[k][c] = L::load(out[k][c].as_ptr()));
        }
        (0..4).for_each(|k| q[k] = L::load(frames[k].as_ptr()));
        *twice = L::load(energies.as_ptr());
    }
}
