//! Forces of triangles and tets whose stretch along fibres has limits: each column of F on its own.

use super::simplex::{Law, apply, apply_transposed};
use crate::energy::Curvature;
use crate::math::lanes::nearest::{constant, dot};
use crate::math::lanes::{LaneNumber, Lanes};

/// Elements with limits along `R` fibres.
#[derive(Debug)]
pub(super) struct FibreLaw<const R: usize> {
    /// [least, largest] stretch of each fibre.
    pub(super) limits: [[f64; 2]; R],
}

/// Squared stretch below which a fibre has no direction.
const SHORTEST_SQUARED: f64 = 1e-30;

/// Second derivative of w/2 (‖z‖ − l)² with l = ‖z‖ within limits; projected, without what is negative of it. A vector without length is held.
#[inline(always)]
pub(super) fn length_stiffness<L: Lanes>(
    z: [L; 3],
    [low, high]: [L; 2],
    weight: L,
    curvature: Curvature,
) -> [[L; 3]; 3] {
    let (zero, one, tiny) = (L::zero(), constant::<L>(1.0), constant::<L>(SHORTEST_SQUARED));
    let squared = dot(z, z);
    let inverse = squared.max(tiny).inverse_sqrt();
    let length = squared.mul(inverse);
    let target = length.max(low).min(high);
    // No stiffness within limits that leave room.
    let outside = length.select_less(low, weight, high.select_less(length, weight, zero));
    let along = low.select_less(high, outside, weight);
    let mut across = weight.mul(one.sub(target.mul(inverse)));
    if curvature == Curvature::Projected {
        across = across.max(zero);
    }
    let across = squared.select_less(tiny, weight, across);
    let along = squared.select_less(tiny, weight, along);
    let difference = along.sub(across).mul(inverse).mul(inverse);
    let mut stiffness = [[zero; 3]; 3];
    for c in 0..3 {
        for r in 0..3 {
            stiffness[c][r] = difference.mul(z[c].mul(z[r]));
        }
        stiffness[c][c] = stiffness[c][c].add(across);
    }
    stiffness
}

macro_rules! fibre_law {
    ($rows:literal) => {
        impl<S: LaneNumber> Law<S, $rows> for FibreLaw<$rows> {
            /// A of all corners but the first (row by row), weight.
            fn numbers(&self) -> usize {
                $rows * $rows + 1
            }

            /// Tets of this energy keep a quaternion for the other kinds of strain; triangles nothing.
            fn warm(&self) -> usize {
                if $rows == 3 { 4 } else { 0 }
            }

            #[inline(always)]
            unsafe fn gradients<L: Lanes<Scalar = S>>(
                &self,
                edges: &[[L; 3]; $rows],
                numbers: *const S,
                _kept: *mut S,
                _failed: u32,
            ) -> ([[L; 3]; $rows], L) {
                // SAFETY: there are as many vectors as `numbers` says, as the caller promises.
                unsafe {
                    let z = apply::<L, $rows, $rows>(numbers, edges);
                    let weight = L::load(numbers.add($rows * $rows * S::WIDTH));
                    let (tiny, one) = (constant::<L>(SHORTEST_SQUARED), constant::<L>(1.0));
                    let mut d = z;
                    let mut squared = L::zero();
                    for row in 0..$rows {
                        let (low, high) = (constant::<L>(self.limits[row][0]), constant::<L>(self.limits[row][1]));
                        let length_squared = dot(z[row], z[row]);
                        let bounded = length_squared.max(tiny);
                        let inverse = bounded.inverse_sqrt();
                        let length = bounded.mul(inverse);
                        let target = length.max(low).min(high);
                        let factor = weight.mul(one.sub(target.mul(inverse)));
                        for c in 0..3 {
                            d[row][c] = factor.mul(z[row][c]);
                        }
                        // A fibre without length is stretched along the axis of its place.
                        let push = L::zero().sub(weight.mul(low));
                        d[row][row] = length_squared.select_less(tiny, push, d[row][row]);
                        let gap = length.sub(target);
                        squared = gap.mul_add(gap, squared);
                    }
                    (apply_transposed::<L, $rows, $rows>(numbers, &d), weight.mul(squared))
                }
            }

            fn has_blocks(&self, _curvature: Curvature) -> bool {
                true
            }

            #[inline(always)]
            unsafe fn blocks<L: Lanes<Scalar = S>>(
                &self,
                edges: &[[L; 3]; $rows],
                numbers: *const S,
                _kept: *const S,
                curvature: Curvature,
                blocks: &mut [[[L; 3]; 3]; 6],
            ) {
                // SAFETY: there are as many vectors as `numbers` says, as the caller promises.
                unsafe {
                    let z = apply::<L, $rows, $rows>(numbers, edges);
                    let weight = L::load(numbers.add($rows * $rows * S::WIDTH));
                    for row in 0..$rows {
                        let limits = [constant::<L>(self.limits[row][0]), constant::<L>(self.limits[row][1])];
                        let stiffness = length_stiffness(z[row], limits, weight, curvature);
                        let mut block = 0;
                        for i in 0..$rows {
                            for j in i..$rows {
                                let first = L::load(numbers.add(($rows * row + i) * S::WIDTH));
                                let factor = first.mul(L::load(numbers.add(($rows * row + j) * S::WIDTH)));
                                for c in 0..3 {
                                    for r in 0..3 {
                                        blocks[block][c][r] = factor.mul_add(stiffness[c][r], blocks[block][c][r]);
                                    }
                                }
                                block += 1;
                            }
                        }
                    }
                }
            }
        }
    };
}

fibre_law!(2);
fibre_law!(3);
