//! The stiffness of elements that are drawn to a shape which turns with them: w/2 Σ ‖zᵣ − R lᵣ‖² over rows, R the best rotation.
//!
//! With the rows pᵣ = R lᵣ of the projection and their inertia J = Σ ‖pᵣ‖² I − pᵣ pᵣᵀ, a turn by ω moves them by ω × pᵣ, and of a movement δ of the rows the turn
//! J⁻¹ Σ pᵣ × δᵣ costs nothing. So the second derivative is w (1 − T J⁻¹ Tᵀ) with T of columns (ω × pᵣ): that of the energy where z = p, and never
//! negative. What the residual itself adds, as with hinges, is left out. Between corners with coefficients aᵢ and cᵢ = Σ aᵣᵢ pᵣ that is
//! w (aᵢ·aⱼ I + [cᵢ]× J⁻¹ [cⱼ]×).

use crate::math::lanes::Lanes;
use crate::math::lanes::nearest::{constant, cross, dot};

/// A shape that turns freely.
pub(super) struct FreeTurn<L, const R: usize> {
    /// Rows of the projection.
    rows: [[L; 3]; R],
    /// J⁻¹: xx, yy, zz, xy, xz, yz.
    inverse: [L; 6],
    weight: L,
}

impl<L: Lanes, const R: usize> FreeTurn<L, R> {
    #[inline(always)]
    pub(super) fn new(rows: [[L; 3]; R], weight: L) -> Self {
        let zero = L::zero();
        let (mut squares, mut products) = ([zero; 3], [zero; 3]);
        for row in 0..R {
            let [x, y, z] = rows[row];
            let next = [x.mul_add(x, squares[0]), y.mul_add(y, squares[1]), z.mul_add(z, squares[2])];
            squares = next;
            products = [x.mul_add(y, products[0]), x.mul_add(z, products[1]), y.mul_add(z, products[2])];
        }
        // Rows along one line have no inertia about it; a little more only holds what turns there.
        let little = constant::<L>(1e-6).mul(squares[0].add(squares[1]).add(squares[2])).add(constant::<L>(1e-30));
        let (xx, yy, zz) = (
            squares[1].add(squares[2]).add(little),
            squares[0].add(squares[2]).add(little),
            squares[0].add(squares[1]).add(little),
        );
        let [xy, xz, yz] = products;
        // Off its diagonal J has these with a minus sign.
        let c00 = yy.mul_sub(zz, yz.mul(yz));
        let c01 = xy.mul_add(zz, xz.mul(yz));
        let c02 = xz.mul_add(yy, xy.mul(yz));
        let determinant = xy.sub_mul(c01, xz.sub_mul(c02, xx.mul(c00)));
        let scale = constant::<L>(1.0).div(determinant.max(constant::<L>(1e-36)));
        let inverse = [
            scale.mul(c00),
            scale.mul(xx.mul_sub(zz, xz.mul(xz))),
            scale.mul(xx.mul_sub(yy, xy.mul(xy))),
            scale.mul(c01),
            scale.mul(c02),
            scale.mul(yz.mul_add(xx, xy.mul(xz))),
        ];
        Self { rows, inverse, weight }
    }

    /// cᵢ of a corner with these coefficients.
    #[inline(always)]
    pub(super) fn arm(&self, a: &[L; R]) -> [L; 3] {
        let mut arm = [L::zero(); 3];
        for row in 0..R {
            for c in 0..3 {
                arm[c] = a[row].mul_add(self.rows[row][c], arm[c]);
            }
        }
        arm
    }

    /// The block between two corners with these coefficients and arms, by columns.
    #[inline(always)]
    pub(super) fn block(&self, (a, c): (&[L; R], [L; 3]), (b, d): (&[L; R], [L; 3])) -> [[L; 3]; 3] {
        let mut plain = L::zero();
        for row in 0..R {
            plain = a[row].mul_add(b[row], plain);
        }
        let (zero, [xx, yy, zz, xy, xz, yz]) = (L::zero(), self.inverse);
        // d × e for the three axes e.
        let moments = [[zero, d[2], zero.sub(d[1])], [zero.sub(d[2]), zero, d[0]], [d[1], zero.sub(d[0]), zero]];
        let mut block = [[zero; 3]; 3];
        for k in 0..3 {
            let m = moments[k];
            let turn = [dot([xx, xy, xz], m), dot([xy, yy, yz], m), dot([xz, yz, zz], m)];
            let back = cross(c, turn);
            for row in 0..3 {
                let own = if row == k { plain } else { zero };
                block[k][row] = self.weight.mul(own.add(back[row]));
            }
        }
        block
    }

    /// Blocks between the edges of an element, i ≤ j, whose coefficients are at `numbers`, row by row.
    ///
    /// # Safety
    /// There are R · R vectors at `numbers`.
    #[inline(always)]
    pub(super) unsafe fn edge_blocks(&self, numbers: *const L::Scalar, blocks: &mut [[[L; 3]; 3]; 6]) {
        // SAFETY: there are R · R vectors, as the caller promises.
        unsafe {
            let (mut a, mut arms) = ([[L::zero(); R]; R], [[L::zero(); 3]; R]);
            for edge in 0..R {
                for row in 0..R {
                    a[edge][row] = L::load(numbers.add((R * row + edge) * L::WIDTH));
                }
                arms[edge] = self.arm(&a[edge]);
            }
            let mut at = 0;
            for i in 0..R {
                for j in i..R {
                    blocks[at] = self.block((&a[i], arms[i]), (&a[j], arms[j]));
                    at += 1;
                }
            }
        }
    }
}
