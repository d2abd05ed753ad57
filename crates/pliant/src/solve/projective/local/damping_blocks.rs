//! The second derivative of damping in proportion to stiffness, of a vector of elements at a time.

use std::ops::Range;

use super::Point;
use super::damping::{Fit, Stars};
use super::fibres::length_stiffness;
use super::free_turns::FreeTurn;
use crate::energy::Curvature;
use crate::math::lanes::nearest::{columns_of, dot};
use crate::math::lanes::{Kernel, LaneNumber, Lanes};

/// Writes the blocks of some groups.
pub(super) struct Blocks<'a, S, W, const R: usize> {
    pub(super) stars: &'a Stars<S, W, R>,
    pub(super) groups: Range<usize>,
    pub(super) points: &'a [Point],
    pub(super) kept: *const S,
    pub(super) out: *mut S,
}

impl<S: LaneNumber, W: Fit<S, R>, const R: usize> Kernel<S> for Blocks<'_, S, W, R> {
    /// A single row is a length, whose second derivative is known; several turn freely.
    #[inline(always)]
    fn run<L: Lanes<Scalar = S>>(self) {
        let (w, stars) = (S::WIDTH, self.stars);
        let points = self.points.as_ptr().cast::<f64>();
        // SAFETY: as for forces; `list_blocks` has made room for the blocks of each group from its start on.
        unsafe {
            for group in self.groups.start..self.groups.end {
                let weight = L::load(stars.weights.as_ptr().add(group * w));
                let kept = self.kept.add(group * (3 * R + W::ROTATION) * w);
                let mut last = [[L::zero(); 3]; R];
                for row in 0..R {
                    for c in 0..3 {
                        last[row][c] = L::load(kept.add((3 * row + c) * w));
                    }
                }
                let mut stretch = [[L::zero(); 3]; 3];
                let mut shape = last;
                if R == 1 {
                    let length = dot(last[0], last[0]).sqrt();
                    let z = stars.measure::<L>(group, points);
                    stretch = length_stiffness(z[0], [length, length], weight, Curvature::Projected);
                } else {
                    let mut q = [L::zero(); 4];
                    for k in 0..4 {
                        q[k] = L::load(kept.add((3 * R + k) * w));
                    }
                    let r = columns_of(q);
                    for row in 0..R {
                        let l = last[row];
                        for k in 0..3 {
                            shape[row][k] = r[0][k].mul_add(l[0], r[1][k].mul_add(l[1], r[2][k].mul(l[2])));
                        }
                    }
                }
                let turn = FreeTurn::new(shape, weight);
                let first = stars.starts[group] as usize;
                let count = stars.starts[group + 1] as usize - first + 1;
                let mut at_first = [L::zero(); R];
                for corner in first..first + count - 1 {
                    let a = stars.coefficients_of::<L>(corner);
                    for row in 0..R {
                        at_first[row] = at_first[row].sub(a[row]);
                    }
                }
                let mut out = self.out.add(stars.block_starts[group] as usize);
                for i in 0..count {
                    let a = if i == 0 { at_first } else { stars.coefficients_of::<L>(first + i - 1) };
                    let arm = turn.arm(&a);
                    for j in i..count {
                        let b = if j == 0 { at_first } else { stars.coefficients_of::<L>(first + j - 1) };
                        let mut block = stretch;
                        if R == 1 {
                            let product = a[0].mul(b[0]);
                            for c in 0..3 {
                                for row in 0..3 {
                                    block[c][row] = product.mul(stretch[c][row]);
                                }
                            }
                        } else {
                            block = turn.block((&a, arm), (&b, turn.arm(&b)));
                        }
                        for c in 0..3 {
                            L::store_points(block[c], out);
                            out = out.add(4 * w);
                        }
                    }
                }
            }
        }
    }
}
