//! Forces of strained triangles in closed form.
//!
//! With F = [z₀ z₁] (3×2), C = FᵀF, s = √det C = ‖z₀ × z₁‖ and t = √(tr C + 2s), the nearest matrix with orthonormal columns is
//! R = F·[[C₁₁ + s, −C₀₁], [−C₀₁, C₀₀ + s]]/(s t), and the singular values are (t ± √(tr C − 2s))/2. Clamping them to σ' gives
//! the projection αR + βF with β = (σ₁' − σ₂')/(σ₁ − σ₂) and α = σ₁' − βσ₁.

use std::ops::Range;

use super::{Corners, Point, SlotCounter};
use crate::energy::Operator;
use crate::math::lanes::{Kernel, LaneNumber, Lanes, Real, dot};
use crate::math::{Vec3, svd_3x2};

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
        let [low, high] = self.triangles.bounds;
        unsafe {
            let (low_lanes, high_lanes) = (L::splat(S::from_f64(low)), L::splat(S::from_f64(high)));
            let (half, two, tiny) =
                (L::splat(S::from_f64(0.5)), L::splat(S::from_f64(2.0)), L::splat(S::from_f64(1e-30)));
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
                let (c00, c01, c11) = (dot(z[0], z[0]), dot(z[0], z[1]), dot(z[1], z[1]));
                let normal = cross(z[0], z[1]);
                let s = dot(normal, normal).sqrt();
                let trace = c00.add(c11);
                let t = trace.add(two.mul(s)).sqrt();
                let scale = L::splat(S::from_f64(1.0)).div(s.mul(t).max(tiny));
                let (m00, m01, m11) = (c11.add(s).mul(scale), c01.mul(scale), c00.add(s).mul(scale));
                let difference = trace.sub(two.mul(s)).max(L::zero()).sqrt();
                let (large, small) = (t.add(difference).mul(half), t.sub(difference).mul(half));
                let large_target = large.max(low_lanes).min(high_lanes);
                let small_target = small.max(low_lanes).min(high_lanes);
                // Equal singular values: both are clamped alike, and R takes it all.
                let slope = large_target.sub(small_target).div(difference.max(tiny));
                let beta = difference.select_less(L::splat(S::from_f64(1e-6)).mul(t), L::zero(), slope);
                let alpha = large_target.sub(beta.mul(large));
                let mut d = [[L::zero(); 3]; 2];
                let mut squared = L::zero();
                for c in 0..3 {
                    let r = [z[0][c].mul(m00).sub(z[1][c].mul(m01)), z[1][c].mul(m11).sub(z[0][c].mul(m01))];
                    for row in 0..2 {
                        let p = alpha.mul_add(r[row], beta.mul(z[row][c]));
                        d[row][c] = z[row][c].sub(p);
                        squared = d[row][c].mul_add(d[row][c], squared);
                    }
                }
                // Collapsed triangles: the closed form divides by the area. They are rare, and done one by one.
                let collapsed = s.less_mask(trace.mul(L::splat(S::from_f64(1e-4))));
                if collapsed != 0 {
                    squared = repair(collapsed, &z, [low, high], &mut d);
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

/// Projects single lanes in f64; returns ‖z − p‖² of all lanes.
#[inline(never)]
unsafe fn repair<L: Lanes>(mask: u32, z: &[[L; 3]; 2], [low, high]: [f64; 2], d: &mut [[L; 3]; 2]) -> L {
    let mut numbers = [[[L::Scalar::default(); 8]; 3]; 2];
    let mut differences = numbers;
    let mut squared = [L::Scalar::default(); 8];
    unsafe {
        for row in 0..2 {
            for c in 0..3 {
                z[row][c].store(numbers[row][c].as_mut_ptr());
                d[row][c].store(differences[row][c].as_mut_ptr());
            }
        }
        for lane in 0..L::WIDTH {
            if mask >> lane & 1 == 1 {
                let column = |row: usize| Vec3::from_array([0, 1, 2].map(|c| numbers[row][c][lane].to_f64()));
                let svd = svd_3x2(column(0), column(1));
                let p = svd.with_sigma(svd.sigma.map(|s| s.clamp(low, high)));
                for row in 0..2 {
                    let difference = column(row) - p[row];
                    (0..3).for_each(|c| differences[row][c][lane] = L::Scalar::from_f64(difference[c]));
                }
            }
            let sum: f64 = (0..6).map(|k| differences[k / 3][k % 3][lane].to_f64().powi(2)).sum();
            squared[lane] = L::Scalar::from_f64(sum);
        }
        for row in 0..2 {
            for c in 0..3 {
                d[row][c] = L::load(differences[row][c].as_ptr());
            }
        }
        L::load(squared.as_ptr())
    }
}

#[inline(always)]
unsafe fn cross<L: Lanes>(a: [L; 3], b: [L; 3]) -> [L; 3] {
    unsafe {
        [a[1].mul(b[2]).sub(a[2].mul(b[1])), a[2].mul(b[0]).sub(a[0].mul(b[2])), a[0].mul(b[1]).sub(a[1].mul(b[0]))]
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
