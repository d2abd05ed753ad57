//! Forces of strained triangles.

use std::ops::Range;

use super::{Corners, Point, SlotCounter};
use crate::energy::Operator;
use crate::math::lanes::nearest::nearest_within;
use crate::math::lanes::{Kernel, LaneNumber, Lanes};

/// Triangles of one batch.
#[derive(Debug)]
pub(super) struct Triangles<S> {
    pub(super) corners: Corners<3>,
    /// Vectors for each group: A of corners 1 and 2 (row by row), weight.
    numbers: Vec<S>,
    bounds: [f64; 2],
}

const NUMBERS: usize = 5;

impl<S: LaneNumber> Triangles<S> {
    pub(super) fn new(operator: &Operator, bounds: [f64; 2], scale: f64, slots: &mut SlotCounter<'_>) -> Self {
        let corners = Corners::new(S::WIDTH, operator, slots);
        let mut numbers = Vec::new();
        for group in 0..corners.groups() {
            for row in 0..2 {
                for corner in 1..3 {
                    let entry = |e: usize| operator.coefficients(e)[3 * row + corner];
                    numbers.extend(corners.per_lane::<S>(group, false, entry));
                }
            }
            numbers.extend(corners.per_lane::<S>(group, true, |e| scale * operator.weight(e)));
        }
        Self { corners, numbers, bounds }
    }

    pub(super) fn groups(&self) -> usize {
        self.corners.groups()
    }
}

/// Writes the forces of some groups to their slots.
pub(super) struct TriangleForces<'a, S> {
    pub(super) triangles: &'a Triangles<S>,
    pub(super) groups: Range<usize>,
    pub(super) points: &'a [Point],
    pub(super) slots: *mut [S; 4],
    pub(super) energy: &'a mut f64,
}

impl<S: LaneNumber> Kernel<S> for TriangleForces<'_, S> {
    /// SAFETY: corners' places are those of points, and each has a slot of its own.
    #[inline(always)]
    unsafe fn run<L: Lanes<Scalar = S>>(self) {
        let w = S::WIDTH;
        let points = self.points.as_ptr().cast::<f64>();
        let corners = &self.triangles.corners;
        let bounds = self.triangles.bounds;
        unsafe {
            let half = L::splat(S::from_f64(0.5));
            let mut energy = L::zero();
            for group in self.groups {
                let first = corners.first(group);
                let places = corners.places.as_ptr().add(first);
                let edges = L::edges_of_simplex::<2>(points, places);
                let numbers = self.triangles.numbers.as_ptr().add(group * NUMBERS * w);
                let mut a = [[L::zero(); 2]; 2];
                let mut z = [[L::zero(); 3]; 2];
                for row in 0..2 {
                    for k in 0..2 {
                        a[row][k] = L::load(numbers.add((2 * row + k) * w));
                    }
                    for c in 0..3 {
                        z[row][c] = a[row][0].mul_add(edges[0][c], a[row][1].mul(edges[1][c]));
                    }
                }
                let weight = L::load(numbers.add(4 * w));
                let p = nearest_within::<L>(&z, bounds);
                let mut d = [[L::zero(); 3]; 2];
                let mut squared = L::zero();
                for row in 0..2 {
                    for c in 0..3 {
                        d[row][c] = z[row][c].sub(p[row][c]);
                        squared = d[row][c].mul_add(d[row][c], squared);
                    }
                }
                energy = weight.mul(squared).mul_add(half, energy);
                let mut forces = [[L::zero(); 3]; 3];
                for c in 0..3 {
                    let weighted = [weight.mul(d[0][c]), weight.mul(d[1][c])];
                    forces[1][c] = a[0][0].mul_add(weighted[0], a[1][0].mul(weighted[1]));
                    forces[2][c] = a[0][1].mul_add(weighted[0], a[1][1].mul(weighted[1]));
                    forces[0][c] = L::zero().sub(forces[1][c]).sub(forces[2][c]);
                }
                store_forces::<L, 3>(forces, corners.slots.as_ptr().add(first), self.slots);
            }
            let mut lanes = [S::default(); 8];
            energy.store(lanes.as_mut_ptr());
            *self.energy = lanes[..w].iter().map(|e| e.to_f64()).sum();
        }
    }
}

/// Writes the forces on `N` corners of a group to their slots.
///
/// SAFETY: slots are those of the group.
#[inline(always)]
pub(super) unsafe fn store_forces<L: Lanes, const N: usize>(
    forces: [[L; 3]; N],
    slots: *const u32,
    out: *mut [L::Scalar; 4],
) {
    unsafe {
        for corner in 0..N {
            L::scatter(out.cast(), slots.add(corner * L::WIDTH), forces[corner]);
        }
    }
}
