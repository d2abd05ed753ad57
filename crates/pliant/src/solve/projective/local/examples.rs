//! Forces of tets that are drawn to blends of example poses, each with weights of its own.
//!
//! The projection R H(ω), H = I + Σ ωᵢ Eᵢ, alternates R = polar(F H) with the linear system for ω, from the last ω. Each half lowers
//! the energy, and iterations of the solver continue where the last left off, so a few rounds are enough.

use super::free_turns::FreeTurn;
use super::simplex::{Law, apply, apply_transposed};
use crate::energy::Curvature;
use crate::math::lanes::nearest::{columns_of, constant, nearest_rotation};
use crate::math::lanes::{LaneNumber, Lanes};

/// Examples at most.
pub(super) const MOST_EXAMPLES: usize = 16;

/// Tets with so many examples.
#[derive(Debug)]
pub(super) struct ExampleLaw {
    pub(super) examples: usize,
}

/// Vectors of A, then six for each symmetric Eᵢ (xx, yy, zz, xy, xz, yz), the inverse Gram matrix, ε, weight.
pub(super) const A: usize = 9;

/// Rounds of alternation in one projection.
const MOST_ROUNDS: usize = 12;

impl<S: LaneNumber> Law<S, 3> for ExampleLaw {
    fn numbers(&self) -> usize {
        A + 6 * self.examples + self.examples * self.examples + 2
    }

    /// Weights of examples.
    fn warm(&self) -> usize {
        self.examples
    }

    /// The rotation as a quaternion.
    fn spare(&self) -> usize {
        4
    }

    fn fresh(&self, k: usize) -> f64 {
        if k == 3 { 1.0 } else { 0.0 }
    }

    #[inline(always)]
    unsafe fn gradients<L: Lanes<Scalar = S>>(
        &self,
        edges: &[[L; 3]; 3],
        numbers: *const S,
        kept: *mut S,
        _failed: u32,
    ) -> ([[L; 3]; 3], L) {
        let (w, n) = (S::WIDTH, self.examples);
        // SAFETY: there are as many vectors as `numbers`, `warm` and `spare` say, as the caller promises; examples are
        // at most as many as `omega` has places, or this panics.
        unsafe {
            let f = apply::<L, 3, 3>(numbers, edges);
            let stretches = numbers.add(A * w);
            let inverse = stretches.add(6 * n * w);
            let epsilon = L::load(inverse.add(n * n * w));
            let weight = L::load(inverse.add((n * n + 1) * w));
            let mut omega = [L::zero(); MOST_EXAMPLES];
            for i in 0..n {
                omega[i] = L::load(kept.add(i * w));
            }
            let mut q = [L::zero(); 4];
            for k in 0..4 {
                q[k] = L::load(kept.add((n + k) * w));
            }
            let still = constant::<L>(if size_of::<S>() == 4 { 1e-10 } else { 1e-24 });
            let mut h = blend::<L>(stretches, &omega, n);
            nearest_rotation::<L>(&times(&f, &h), &mut q);
            for _ in 0..MOST_ROUNDS {
                let r = columns_of(q);
                // The symmetric part of RᵀF − I.
                let s = relative(&r, &f);
                let mut rhs = [L::zero(); MOST_EXAMPLES];
                for i in 0..n {
                    let e = stretches.add(6 * i * w);
                    for k in 0..6 {
                        let entry = L::load(e.add(k * w));
                        let entry = if k < 3 { entry } else { entry.add(entry) };
                        rhs[i] = entry.mul_add(s[k], rhs[i]);
                    }
                }
                let mut moved = L::zero();
                for i in 0..n {
                    let mut next = L::zero();
                    for j in 0..n {
                        next = L::load(inverse.add((n * i + j) * w)).mul_add(rhs[j], next);
                    }
                    let gap = next.sub(omega[i]);
                    moved = moved.max(gap.mul(gap));
                    omega[i] = next;
                }
                h = blend::<L>(stretches, &omega, n);
                nearest_rotation::<L>(&times(&f, &h), &mut q);
                if moved.less_mask(still) == (1 << L::WIDTH) - 1 {
                    break;
                }
            }
            for i in 0..n {
                omega[i].store(kept.add(i * w));
            }
            for k in 0..4 {
                q[k].store(kept.add((n + k) * w));
            }
            let target = times(&columns_of(q), &h);
            let (mut d, mut squared) = (f, L::zero());
            for column in 0..3 {
                for c in 0..3 {
                    let gap = f[column][c].sub(target[column][c]);
                    squared = gap.mul_add(gap, squared);
                    d[column][c] = weight.mul(gap);
                }
            }
            for i in 0..n {
                squared = epsilon.mul(omega[i]).mul_add(omega[i], squared);
            }
            (apply_transposed::<L, 3, 3>(numbers, &d), weight.mul(squared))
        }
    }

    fn has_blocks(&self, curvature: Curvature) -> bool {
        curvature == Curvature::Projected
    }

    /// The rotation follows; the blend of examples is held, so that this is never less than the true derivative.
    #[inline(always)]
    unsafe fn blocks<L: Lanes<Scalar = S>>(
        &self,
        _edges: &[[L; 3]; 3],
        numbers: *const S,
        kept: *const S,
        _curvature: Curvature,
        blocks: &mut [[[L; 3]; 3]; 6],
    ) {
        let (w, n) = (S::WIDTH, self.examples);
        // SAFETY: there are as many vectors as `numbers`, `warm` and `spare` say, as the caller promises.
        unsafe {
            let stretches = numbers.add(A * w);
            let weight = L::load(stretches.add((6 * n + n * n + 1) * w));
            let mut omega = [L::zero(); MOST_EXAMPLES];
            for i in 0..n {
                omega[i] = L::load(kept.add(i * w));
            }
            let mut q = [L::zero(); 4];
            for k in 0..4 {
                q[k] = L::load(kept.add((n + k) * w));
            }
            let shape = times(&columns_of(q), &blend::<L>(stretches, &omega, n));
            FreeTurn::<L, 3>::new(shape, weight).edge_blocks(numbers, blocks);
        }
    }
}

/// H(ω), symmetric.
///
/// # Safety
/// There are six vectors at `stretches` for each of `n` examples.
#[inline(always)]
pub(super) unsafe fn blend<L: Lanes>(stretches: *const L::Scalar, omega: &[L; MOST_EXAMPLES], n: usize) -> [L; 6] {
    // SAFETY: there are six vectors for each example, as the caller promises.
    unsafe {
        let (zero, one) = (L::zero(), constant::<L>(1.0));
        let mut h = [one, one, one, zero, zero, zero];
        for i in 0..n {
            for k in 0..6 {
                h[k] = L::load(stretches.add((6 * i + k) * L::WIDTH)).mul_add(omega[i], h[k]);
            }
        }
        h
    }
}

/// The product of a matrix, by columns, with a symmetric one.
#[inline(always)]
pub(super) fn times<L: Lanes>(f: &[[L; 3]; 3], h: &[L; 6]) -> [[L; 3]; 3] {
    let columns = [[h[0], h[3], h[4]], [h[3], h[1], h[5]], [h[4], h[5], h[2]]];
    let mut product = [[L::zero(); 3]; 3];
    for column in 0..3 {
        for c in 0..3 {
            let sum = f[1][c].mul_add(columns[column][1], f[2][c].mul(columns[column][2]));
            product[column][c] = f[0][c].mul_add(columns[column][0], sum);
        }
    }
    product
}

/// The symmetric part of RᵀF − I.
#[inline(always)]
pub(super) fn relative<L: Lanes>(r: &[[L; 3]; 3], f: &[[L; 3]; 3]) -> [L; 6] {
    let (one, half) = (constant::<L>(1.0), constant::<L>(0.5));
    let mut b = [[L::zero(); 3]; 3];
    for i in 0..3 {
        for j in 0..3 {
            b[i][j] = r[i][0].mul_add(f[j][0], r[i][1].mul_add(f[j][1], r[i][2].mul(f[j][2])));
        }
    }
    [
        b[0][0].sub(one),
        b[1][1].sub(one),
        b[2][2].sub(one),
        half.mul(b[0][1].add(b[1][0])),
        half.mul(b[0][2].add(b[2][0])),
        half.mul(b[1][2].add(b[2][1])),
    ]
}
