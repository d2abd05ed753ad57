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

use super::hinge_frames::{Inverse, corner_forces, inverse, newton_step, one_by_one, sums_of, turned};
use super::simplex::Law;
use crate::energy::Curvature;
use crate::math::lanes::nearest::{columns_of, constant, cross, dot};
use crate::math::lanes::{LaneNumber, Lanes};

/// Hinges of any rest angle.
#[derive(Debug)]
pub(super) struct HingeLaw;

/// Numbers of a hinge: a₁, b₁, b₂, g₁…₃, h₁…₃, sine and cosine of the rest angle, scales of the four corners, weight.
pub(super) const NUMBERS: usize = 16;
pub(super) const ROWS: usize = 9;
pub(super) const SINE: usize = ROWS;
pub(super) const SCALES: usize = 11;
pub(super) const WEIGHT: usize = NUMBERS - 1;

/// Steps of Newton's method before a lane is done by itself.
const MOST_STEPS: usize = 6;

/// A wing whose reach is below this share of its length may cross the edge.
const NEAR_EDGE: f64 = 0.2;

/// How the misfit of a frame changes over rotations.
pub(super) struct Slope<L> {
    pub(super) gradient: [L; 3],
    /// xx, yy, zz, xy, xz, yz.
    pub(super) hessian: [L; 6],
}

/// Sums of edges that residuals are made of; the same in a frame.
pub(super) struct Sums<L> {
    pub(super) e: [L; 3],
    pub(super) c: [L; 3],
    pub(super) p: [L; 3],
    pub(super) q: [L; 3],
}

#[inline(always)]
fn in_frame<L: Lanes>(r: &[[L; 3]; 3], v: [L; 3]) -> [L; 3] {
    [dot(r[0], v), dot(r[1], v), dot(r[2], v)]
}

#[inline(always)]
fn half_squared<L: Lanes>(r: &[L; 4]) -> L {
    let sum = r[0].mul_add(r[0], r[1].mul(r[1])).add(r[2].mul_add(r[2], r[3].mul(r[3])));
    constant::<L>(0.5).mul(sum)
}

impl<L: Lanes> Sums<L> {
    #[inline(always)]
    fn turned(&self, r: &[[L; 3]; 3]) -> Self {
        Self { e: in_frame(r, self.e), c: in_frame(r, self.c), p: in_frame(r, self.p), q: in_frame(r, self.q) }
    }

    /// Residuals in a frame, without what only slopes need.
    #[inline(always)]
    fn residuals(&self, r: &[[L; 3]; 3]) -> [L; 4] {
        [dot(r[1], self.e), dot(r[2], self.e), dot(r[2], self.c), dot(r[1], self.p).add(dot(r[2], self.q))]
    }

    /// Slopes n × y of the residuals, of sums in a frame: (y₃, 0, −y₁) for the second axis, (−y₂, y₁, 0) for the third.
    #[inline(always)]
    fn slopes(&self) -> [[L; 3]; 4] {
        let (zero, Self { e, c, p, q }) = (L::zero(), self);
        [
            [e[2], zero, zero.sub(e[0])],
            [zero.sub(e[1]), e[0], zero],
            [zero.sub(c[1]), c[0], zero],
            [p[2].sub(q[1]), q[0], zero.sub(p[0])],
        ]
    }

    /// Gradient Σ r s and curvature Σ s sᵀ + r (½(y nᵀ + n yᵀ) − (n·y) I) of ½Σr², of sums in a frame, and the residuals. Written out, most of
    /// the terms of the edge cancel.
    #[inline(always)]
    fn slope(&self) -> (Slope<L>, [L; 4]) {
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
        // SAFETY: there are `NUMBERS` vectors, and four kept ones, as the caller promises.
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
        // SAFETY: there are `NUMBERS` vectors, and four kept ones, as the caller promises.
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
        // SAFETY: there are `NUMBERS` vectors, and four kept ones, as the caller promises.
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
fn true_blocks<L: Lanes>(n: &[L; ROWS], weight: L, turned: &Sums<L>, r: &[[L; 3]; 3], blocks: &mut [[[L; 3]; 3]; 6]) {
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
