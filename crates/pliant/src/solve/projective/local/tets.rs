//! Forces of tets that resist strain: the nearest rotation by Newton's method on quaternions, from the last one.
//!
//! The nearest rotation R to F maximises tr(RᵀF). With B = RᵀF, turning R by exp[ω] changes it by ω·g − ½ωᵀHω + …, where g is the axial
//! vector of B and H = tr(B) I − sym(B), so a step is ω = H⁻¹g. On rotations tr(RᵀF) has no local maximum besides the global
//! one, also for inverted F: a stationary point with H positive definite is the answer, however it was reached. Lanes that do
//! not get there in a few steps, or where H is nearly singular, are done one by one by a singular value decomposition.

use std::ops::Range;

use super::triangles::{dot, store_forces};
use super::{Corners, Point, SlotCounter};
use crate::energy::Operator;
use crate::math::lanes::{Kernel, LaneNumber, Lanes, Real};
use crate::math::{Mat3, Vec3, svd_3x3};

/// Tets of one batch.
#[derive(Debug)]
pub(super) struct Tets<S> {
    /// Number of the batch among the model's energies.
    pub(super) batch: usize,
    pub(super) corners: Corners<4>,
    /// Vectors for each group: A of corners 1 to 3 (row by row), weight.
    numbers: Vec<S>,
    /// First of its rotations among those of all batches: quaternions (x, y, z, w), a vector for each number.
    first_rotation: usize,
}

const NUMBERS: usize = 10;
/// Newton steps before a lane is done by itself.
const MOST_STEPS: usize = 6;

impl<S: LaneNumber> Tets<S> {
    pub(super) fn new(
        batch: usize,
        first_rotation: usize,
        operator: &Operator,
        scale: f64,
        slots: &mut SlotCounter<'_>,
    ) -> Self {
        let corners = Corners::new(S::WIDTH, operator, slots);
        let mut numbers = Vec::new();
        for group in 0..corners.groups() {
            for row in 0..3 {
                for corner in 1..4 {
                    let entry = |e: usize| operator.coefficients(e)[4 * row + corner];
                    numbers.extend(corners.per_lane::<S>(group, false, entry));
                }
            }
            numbers.extend(corners.per_lane::<S>(group, true, |e| scale * operator.weight(e)));
        }
        Self { batch, corners, numbers, first_rotation }
    }

    pub(super) fn groups(&self) -> usize {
        self.corners.groups()
    }

    /// Its rotations among those of all batches.
    pub(super) fn rotations(&self) -> Range<usize> {
        self.first_rotation..self.first_rotation + 4 * S::WIDTH * self.groups()
    }

    pub(super) fn load_warm(&self, warm: &[f64], rotations: &mut [S]) {
        for group in 0..self.groups() {
            for lane in 0..S::WIDTH {
                let element = self.corners.lane(group, lane).0 as usize;
                for k in 0..4 {
                    rotations[(4 * group + k) * S::WIDTH + lane] = S::from_f64(warm[4 * element + k]);
                }
            }
        }
    }

    pub(super) fn store_warm(&self, rotations: &[S], warm: &mut [f64]) {
        for (lane, &e) in self.corners.elements.iter().enumerate() {
            let (group, lane) = (lane / S::WIDTH, lane % S::WIDTH);
            for k in 0..4 {
                warm[4 * e as usize + k] = rotations[(4 * group + k) * S::WIDTH + lane].to_f64();
            }
        }
    }
}

/// Writes the forces of some groups to their slots, and their rotations.
pub(super) struct TetForces<'a, S> {
    pub(super) tets: &'a Tets<S>,
    pub(super) groups: Range<usize>,
    pub(super) points: &'a [Point],
    pub(super) slots: *mut [S; 4],
    /// Rotations of all batches.
    pub(super) rotations: *mut S,
    pub(super) energy: &'a mut f64,
}

impl<S: LaneNumber> Kernel<S> for TetForces<'_, S> {
    /// SAFETY: corners' places are those of points, each has a slot of its own, and each group its rotations.
    #[inline(always)]
    unsafe fn run<L: Lanes<Scalar = S>>(self) {
        let w = S::WIDTH;
        let points = self.points.as_ptr().cast::<f64>();
        let corners = &self.tets.corners;
        unsafe {
            let mut energy = L::zero();
            for group in self.groups {
                let first = corners.first(group);
                let places = corners.places.as_ptr().add(first);
                let edges = L::edges_of_simplex::<3>(points, places);
                let numbers = self.tets.numbers.as_ptr().add(group * NUMBERS * w);
                // A, and the columns of F.
                let (mut a, mut z) = ([[L::zero(); 3]; 3], [[L::zero(); 3]; 3]);
                for row in 0..3 {
                    for k in 0..3 {
                        a[row][k] = L::load(numbers.add((3 * row + k) * w));
                    }
                    let [first, second, third] = a[row];
                    for c in 0..3 {
                        z[row][c] = first.mul_add(edges[0][c], second.mul_add(edges[1][c], third.mul(edges[2][c])));
                    }
                }
                let weight = L::load(numbers.add(9 * w));
                let rotation = self.rotations.add(self.tets.first_rotation + 4 * group * w);
                let mut q = [L::zero(); 4];
                for k in 0..4 {
                    q[k] = L::load(rotation.add(k * w));
                }
                nearest_rotation::<L>(&z, &mut q);
                for k in 0..4 {
                    q[k].store(rotation.add(k * w));
                }
                let r = columns_of(q);
                let mut d = [[L::zero(); 3]; 3];
                let mut squared = L::zero();
                for row in 0..3 {
                    for c in 0..3 {
                        d[row][c] = z[row][c].sub(r[row][c]);
                        squared = d[row][c].mul_add(d[row][c], squared);
                    }
                }
                energy = weight.mul(squared).add(energy);
                let mut forces = [[L::zero(); 3]; 4];
                for c in 0..3 {
                    let weighted = [weight.mul(d[0][c]), weight.mul(d[1][c]), weight.mul(d[2][c])];
                    for k in 0..3 {
                        let force =
                            a[0][k].mul_add(weighted[0], a[1][k].mul_add(weighted[1], a[2][k].mul(weighted[2])));
                        forces[k + 1][c] = force;
                        forces[0][c] = forces[0][c].sub(force);
                    }
                }
                store_forces::<L, 4>(forces, corners.slots.as_ptr().add(first), self.slots);
            }
            let mut lanes = [S::default(); 8];
            energy.store(lanes.as_mut_ptr());
            *self.energy = 0.5 * lanes[..w].iter().map(|e| e.to_f64()).sum::<f64>();
        }
    }
}

/// Columns of the rotation of a unit quaternion.
#[inline(always)]
unsafe fn columns_of<L: Lanes>([x, y, z, w]: [L; 4]) -> [[L; 3]; 3] {
    unsafe {
        let (one, two) = (L::splat(Real::from_f64(1.0)), L::splat(Real::from_f64(2.0)));
        let (xx, yy, zz) = (x.mul(x), y.mul(y), z.mul(z));
        let (xy, xz, yz) = (x.mul(y), x.mul(z), y.mul(z));
        let (wx, wy, wz) = (w.mul(x), w.mul(y), w.mul(z));
        [
            [one.sub(two.mul(yy.add(zz))), two.mul(xy.add(wz)), two.mul(xz.sub(wy))],
            [two.mul(xy.sub(wz)), one.sub(two.mul(xx.add(zz))), two.mul(yz.add(wx))],
            [two.mul(xz.add(wy)), two.mul(yz.sub(wx)), one.sub(two.mul(xx.add(yy)))],
        ]
    }
}

#[inline(always)]
unsafe fn constant<L: Lanes>(value: f64) -> L {
    unsafe { L::splat(Real::from_f64(value)) }
}

/// Improves a quaternion to that of the rotation nearest to the matrix with columns `f`.
#[inline(always)]
unsafe fn nearest_rotation<L: Lanes>(f: &[[L; 3]; 3], q: &mut [L; 4]) {
    unsafe {
        let (half, one, zero) = (constant::<L>(0.5), constant::<L>(1.0), L::zero());
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
            let (h00, h11, h22) = (b[1][1].add(b[2][2]), b[0][0].add(b[2][2]), b[0][0].add(b[1][1]));
            let h01 = zero.sub(half.mul(b[0][1].add(b[1][0])));
            let h02 = zero.sub(half.mul(b[0][2].add(b[2][0])));
            let h12 = zero.sub(half.mul(b[1][2].add(b[2][1])));
            let c00 = h11.mul(h22).sub(h12.mul(h12));
            let c01 = h02.mul(h12).sub(h01.mul(h22));
            let c02 = h01.mul(h12).sub(h02.mul(h11));
            let c11 = h00.mul(h22).sub(h02.mul(h02));
            let c12 = h01.mul(h02).sub(h00.mul(h12));
            let c22 = h00.mul(h11).sub(h01.mul(h01));
            let determinant = h00.mul_add(c00, h01.mul_add(c01, h02.mul(c02)));
            let trace = h00.add(h11).add(h22);
            let size = trace.mul(trace).mul(trace).mul(singular);
            // Positive definite: all leading minors positive, the determinant clearly so.
            let indefinite = h00.less_mask(zero) | c22.less_mask(zero) | !size.max(zero).less_mask(determinant);
            let inverse = half.div(determinant.select_less(size.max(constant::<L>(1e-30)), one, determinant));
            let mut turn = [
                inverse.mul(c00.mul_add(g[0], c01.mul_add(g[1], c02.mul(g[2])))),
                inverse.mul(c01.mul_add(g[0], c11.mul_add(g[1], c12.mul(g[2])))),
                inverse.mul(c02.mul_add(g[0], c12.mul_add(g[1], c22.mul(g[2])))),
            ];
            // At most a right angle at a time.
            let squared = dot(turn, turn);
            let limit = squared.max(one).inverse_sqrt();
            for t in &mut turn {
                *t = t.mul(limit);
            }
            let [x, y, z, w] = *q;
            let turned = [
                x.add(w.mul_add(turn[0], y.mul(turn[2]).sub(z.mul(turn[1])))),
                y.add(w.mul_add(turn[1], z.mul(turn[0]).sub(x.mul(turn[2])))),
                z.add(w.mul_add(turn[2], x.mul(turn[1]).sub(y.mul(turn[0])))),
                w.sub(dot([x, y, z], turn)),
            ];
            let vector = [turned[0], turned[1], turned[2]];
            let scale = turned[3].mul_add(turned[3], dot(vector, vector)).inverse_sqrt();
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
}

/// Single lanes by singular value decomposition in f64.
#[inline(never)]
unsafe fn decompose<L: Lanes>(mask: u32, f: &[[L; 3]; 3], q: &mut [L; 4]) {
    let mut numbers = [[[L::Scalar::default(); 8]; 3]; 3];
    let mut quaternions = [[L::Scalar::default(); 8]; 4];
    unsafe {
        for k in 0..3 {
            (0..3).for_each(|c| f[k][c].store(numbers[k][c].as_mut_ptr()));
        }
        (0..4).for_each(|k| q[k].store(quaternions[k].as_mut_ptr()));
        for lane in (0..L::WIDTH).filter(|lane| mask >> lane & 1 == 1) {
            let column = |k: usize| Vec3::from_array([0, 1, 2].map(|c| numbers[k][c][lane].to_f64()));
            let rotation = svd_3x3(Mat3::from_cols(column(0), column(1), column(2))).with_sigma(Vec3::ONE);
            let values = glam::DQuat::from_mat3(&rotation).normalize().to_array();
            (0..4).for_each(|k| quaternions[k][lane] = L::Scalar::from_f64(values[k]));
        }
        *q = [0, 1, 2, 3].map(|k| L::load(quaternions[k].as_ptr()));
    }
}
