//! Forces of tets that are drawn to one blend of example poses of the whole body.
//!
//! The weights ω of the blend solve a small system whose right-hand side is a sum over all tets, Σ w ⟨Eᵢ, RᵀF − I⟩, with R = polar(F H(ω)) of each. So a
//! projection has rounds: all tets turn to the blend and add up, then the weights follow. It continues from the last weights, and a few
//! rounds are enough.

use std::ops::Range;

use super::Point;
use super::corners::{Corners, SlotCounter};
use super::examples::{A, MOST_EXAMPLES, blend, relative, times};
use super::free_turns::FreeTurn;
use super::simplex::{LaneBatch, VisitBlock, apply, apply_transposed, edge_coefficient, inverse_gram};
use crate::energy::{Curvature, Memory, Operator};
use crate::math::Mat3;
use crate::math::lanes::nearest::{columns_of, nearest_rotation};
use crate::math::lanes::{InstructionSet, Kernel, LaneNumber, Lanes};
use crate::parallel::Team;

/// Tets of one body, with one set of weights.
#[derive(Debug)]
pub(super) struct GlobalExamples<S> {
    /// Its number among the model's energies.
    batch: [usize; 1],
    corners: Corners<4>,
    examples: usize,
    /// A (nine vectors), the symmetric Eᵢ (six each), weight, of each group.
    numbers: Vec<S>,
    /// (Σ w Gram + ε I)⁻¹, without the factor on weights.
    inverse: Vec<f64>,
    epsilon: f64,
    scale: f64,
}

impl<S: LaneNumber> GlobalExamples<S> {
    pub(super) fn new(
        batch: usize,
        operator: &Operator,
        scale: f64,
        stretches: &[Mat3],
        epsilon: f64,
        slots: &mut SlotCounter<'_>,
    ) -> Self {
        let corners = Corners::new(S::WIDTH, operator, slots);
        let n = stretches.len() / operator.len().max(1);
        let mut numbers = Vec::new();
        for group in 0..corners.groups() {
            for k in 0..A {
                numbers.extend(corners.per_lane::<S>(group, false, |e| edge_coefficient(operator, e, k)));
            }
            for k in 0..6 * n {
                let (row, column) = [(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)][k % 6];
                let entry = |e: usize| stretches[n * e + k / 6].col(column)[row];
                numbers.extend(corners.per_lane::<S>(group, false, entry));
            }
            numbers.extend(corners.per_lane::<S>(group, true, |e| scale * operator.weight(e)));
        }
        let inverse = inverse_gram(
            n,
            |i, j| {
                (0..operator.len())
                    .map(|e| operator.weight(e) * inner(&stretches[n * e + i], &stretches[n * e + j]))
                    .sum()
            },
            epsilon,
            0.0,
        );
        Self { batch: [batch], corners, examples: n, numbers, inverse, epsilon, scale }
    }

    fn numbers_of_group(&self) -> usize {
        (A + 6 * self.examples + 1) * S::WIDTH
    }

    /// Where the weights are among what is kept: after the quaternions.
    fn weights(&self) -> usize {
        4 * S::WIDTH * self.corners.groups()
    }
}

/// ⟨a, b⟩.
pub(super) fn inner(a: &Mat3, b: &Mat3) -> f64 {
    (0..3).map(|c| a.col(c).dot(b.col(c))).sum()
}

impl<S: LaneNumber> LaneBatch<S> for GlobalExamples<S> {
    fn groups(&self) -> usize {
        self.corners.groups()
    }

    fn resolve(&mut self, slot: &dyn Fn(u32, u32) -> u32) {
        self.corners.resolve(slot);
    }

    fn kept_len(&self) -> usize {
        self.weights() + self.examples
    }

    fn load_warm(&self, _team: &Team<'_>, memory: &[Memory], kept: &mut [S]) {
        let (quaternions, weights) = kept.split_at_mut(self.weights());
        for group in quaternions.chunks_exact_mut(4 * S::WIDTH) {
            group.fill(S::default());
            group[3 * S::WIDTH..].fill(S::from_f64(1.0));
        }
        weights.iter_mut().zip(&memory[self.batch[0]].warm).for_each(|(own, warm)| *own = S::from_f64(*warm));
    }

    fn store_warm(&self, _team: &Team<'_>, kept: &[S], memory: &mut [Memory]) {
        let weights = &kept[self.weights()..];
        memory[self.batch[0]].warm.iter_mut().zip(weights).for_each(|(warm, own)| *warm = own.to_f64());
    }

    fn sums(&self) -> usize {
        self.examples
    }

    unsafe fn add_up(
        &self,
        instructions: InstructionSet,
        groups: Range<usize>,
        points: &[Point],
        kept: *mut S,
        sums: &mut [f64],
    ) {
        let mut unused = 0.0;
        let slots = std::ptr::null_mut();
        S::dispatch(
            instructions,
            Blended { tets: self, groups, points, slots, kept, energy: &mut unused, sums: Some(sums) },
        );
    }

    fn settle(&self, sums: &[f64], kept: &mut [S]) -> bool {
        let n = self.examples;
        let weights = &mut kept[self.weights()..];
        let mut moved = 0.0_f64;
        for i in 0..n {
            // Sums have the factor on weights, the inverse has not.
            let next: f64 = (0..n).map(|j| self.inverse[n * i + j] * sums[j] / self.scale).sum();
            moved = moved.max((next - weights[i].to_f64()).abs());
            weights[i] = S::from_f64(next);
        }
        moved > if size_of::<S>() == 4 { 1e-5 } else { 1e-12 }
    }

    fn extra_energy(&self, kept: &[S]) -> f64 {
        let squared: f64 = kept[self.weights()..].iter().map(|w| w.to_f64().powi(2)).sum();
        0.5 * self.scale * self.epsilon * squared
    }

    fn batches_with_blocks(&self, curvature: Curvature) -> &[usize] {
        if curvature == Curvature::Projected { &self.batch } else { &[] }
    }

    fn list_blocks(&self, start: usize, visit: &mut VisitBlock<'_>) -> usize {
        self.corners.list_blocks(start, visit)
    }

    unsafe fn blocks(
        &self,
        instructions: InstructionSet,
        groups: Range<usize>,
        _points: &[Point],
        kept: *const S,
        _curvature: Curvature,
        out: *mut S,
    ) {
        S::dispatch(instructions, Blocks { tets: self, groups, kept, out });
    }

    unsafe fn forces(
        &self,
        instructions: InstructionSet,
        groups: Range<usize>,
        points: &[Point],
        slots: *mut [S; 4],
        kept: *mut S,
    ) -> f64 {
        let mut energy = 0.0;
        S::dispatch(instructions, Blended { tets: self, groups, points, slots, kept, energy: &mut energy, sums: None });
        energy
    }
}

/// Turns some groups to the blend; then adds up ⟨Eᵢ, RᵀF − I⟩, or writes forces.
struct Blended<'a, S> {
    tets: &'a GlobalExamples<S>,
    groups: Range<usize>,
    points: &'a [Point],
    slots: *mut [S; 4],
    kept: *mut S,
    energy: &'a mut f64,
    sums: Option<&'a mut [f64]>,
}

impl<S: LaneNumber> Kernel<S> for Blended<'_, S> {
    #[inline(always)]
    fn run<L: Lanes<Scalar = S>>(self) {
        let (w, tets, n) = (S::WIDTH, self.tets, self.tets.examples);
        let points = self.points.as_ptr().cast::<f64>();
        // SAFETY: `evaluate` gives points of all vertices, and each item groups of its own; a group has numbers, a
        // quaternion and places (`new`, `kept_len`), each corner a slot of its own (`resolve`), and weights follow the
        // quaternions. Sums need no slots.
        unsafe {
            let mut omega = [L::zero(); MOST_EXAMPLES];
            for i in 0..n {
                omega[i] = L::splat(*self.kept.add(tets.weights() + i));
            }
            let (mut energy, mut totals) = (L::zero(), [L::zero(); MOST_EXAMPLES]);
            for group in self.groups.start..self.groups.end {
                let first = tets.corners.first(group);
                let edges = L::edges_of_simplex::<3>(points, tets.corners.places.as_ptr().add(first));
                let numbers = tets.numbers.as_ptr().add(group * tets.numbers_of_group());
                let f = apply::<L, 3, 3>(numbers, &edges);
                let stretches = numbers.add(A * w);
                let weight = L::load(stretches.add(6 * n * w));
                let h = blend::<L>(stretches, &omega, n);
                let kept = self.kept.add(4 * group * w);
                let mut q = [L::zero(); 4];
                for k in 0..4 {
                    q[k] = L::load(kept.add(k * w));
                }
                nearest_rotation::<L>(&times(&f, &h), &mut q);
                for k in 0..4 {
                    q[k].store(kept.add(k * w));
                }
                let r = columns_of(q);
                if self.sums.is_some() {
                    let s = relative(&r, &f);
                    for i in 0..n {
                        let e = stretches.add(6 * i * w);
                        let mut sum = L::zero();
                        for k in 0..6 {
                            let entry = L::load(e.add(k * w));
                            let entry = if k < 3 { entry } else { entry.add(entry) };
                            sum = entry.mul_add(s[k], sum);
                        }
                        totals[i] = weight.mul_add(sum, totals[i]);
                    }
                    continue;
                }
                let target = times(&r, &h);
                let (mut d, mut squared) = (f, L::zero());
                for column in 0..3 {
                    for c in 0..3 {
                        let gap = f[column][c].sub(target[column][c]);
                        squared = gap.mul_add(gap, squared);
                        d[column][c] = weight.mul(gap);
                    }
                }
                energy = weight.mul_add(squared, energy);
                let gradients = apply_transposed::<L, 3, 3>(numbers, &d);
                super::simplex::scatter::<L, 3>(&gradients, tets.corners.slots.as_ptr().add(first), self.slots);
            }
            *self.energy = 0.5 * super::simplex::sum_of_lanes(energy);
            if let Some(sums) = self.sums {
                for i in 0..n {
                    sums[i] = super::simplex::sum_of_lanes(totals[i]);
                }
            }
        }
    }
}

/// Writes the blocks of some groups: rotations follow, the blend is held.
struct Blocks<'a, S> {
    tets: &'a GlobalExamples<S>,
    groups: Range<usize>,
    kept: *const S,
    out: *mut S,
}

impl<S: LaneNumber> Kernel<S> for Blocks<'_, S> {
    #[inline(always)]
    fn run<L: Lanes<Scalar = S>>(self) {
        let (w, tets, n) = (S::WIDTH, self.tets, self.tets.examples);
        // SAFETY: a group has numbers and a quaternion, weights follow the quaternions, and `list_blocks` has made room
        // for ten blocks of each group; those of these groups are the caller's.
        unsafe {
            let mut omega = [L::zero(); MOST_EXAMPLES];
            for i in 0..n {
                omega[i] = L::splat(*self.kept.add(tets.weights() + i));
            }
            for group in self.groups.start..self.groups.end {
                let numbers = tets.numbers.as_ptr().add(group * tets.numbers_of_group());
                let stretches = numbers.add(A * w);
                let weight = L::load(stretches.add(6 * n * w));
                let mut q = [L::zero(); 4];
                for k in 0..4 {
                    q[k] = L::load(self.kept.add((4 * group + k) * w));
                }
                let shape = times(&columns_of(q), &blend::<L>(stretches, &omega, n));
                let mut inner = [[[L::zero(); 3]; 3]; 6];
                FreeTurn::<L, 3>::new(shape, weight).edge_blocks(numbers, &mut inner);
                super::simplex_blocks::write_blocks::<L, 3>(&inner, self.out.add(group * 10 * 3 * 4 * w));
            }
        }
    }
}
