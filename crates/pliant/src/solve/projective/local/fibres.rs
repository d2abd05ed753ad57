//! Forces of triangles and tets whose stretch along fibres has limits: each column of F on its own.

use super::simplex::{Law, apply, apply_transposed};
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
            ) -> ([[L; 3]; $rows], L) {
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
        }
    };
}

fibre_law!(2);
fibre_law!(3);
