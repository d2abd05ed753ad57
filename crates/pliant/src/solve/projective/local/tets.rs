//! Forces of tets that resist strain, from the nearest rotation, which continues from the last one.

use std::ops::Range;

use super::triangles::store_forces;
use super::{Corners, Point, SlotCounter};
use crate::energy::Operator;
use crate::math::lanes::nearest::{columns_of, nearest_rotation};
use crate::math::lanes::{Kernel, LaneNumber, Lanes};

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
