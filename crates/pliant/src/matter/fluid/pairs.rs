//! Sums over the neighbours of particles, eight pairs at a time.
//!
//! These loops are where a fluid's time goes. A neighbour's numbers lie in quads, so that one load fetches four of them; lists are padded to whole
//! vectors with a place that is far away and weighs nothing ([`Neighbours`]). Sums run over a list in its own order, so neither threads
//! nor chunks change a bit. Where two particles are at one place the direction between them is made up, pair by pair, in plain numbers.

#![allow(unsafe_code)] // Lanes read through pointers; every index is in a list that `Neighbours` made for these very arrays.

use std::ops::Range;

use super::KERNEL;
use super::kernels::{self, COINCIDENT};
use super::neighbours::{Neighbours, Place};
use crate::math::lanes::{InstructionSet, Kernel, LaneNumber, Lanes};

/// What a neighbour needs to know of a place besides where it is.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[repr(C)]
pub(super) struct Manner {
    /// Inverse mass, times as many as share a surface's.
    pub(super) softness: f32,
    /// Volume on which a neighbour's pressure acts.
    pub(super) pressed: f32,
    /// Change of −λ in the last iteration.
    pub(super) change: f32,
    /// Coefficient of the artificial pressure, over the stiffness at rest.
    pub(super) separation: f32,
}

/// Distance at which the artificial pressure is what its coefficient says, over the kernel's radius [Macklin 2013, §4].
pub(super) const SEPARATED: f32 = 0.3;
/// Distance from which on there is none: that of neighbours at rest. A block on a lattice would part by itself otherwise.
pub(super) const AT_REST: f32 = (1.0 / KERNEL) as f32;

/// Places with their neighbours. `places` and `manners` have one entry more than there are: the far place that fills lists.
#[derive(Clone, Copy)]
pub(super) struct Rows<'a> {
    pub(super) neighbours: &'a Neighbours,
    pub(super) places: &'a [Place],
    pub(super) manners: &'a [Manner],
}

/// Sums over the neighbours of a particle, itself included in the density.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Sums {
    pub(super) density: f32,
    pub(super) gradient: [f32; 3],
    /// Σ w ‖∇C‖² of the neighbours.
    pub(super) resistance: f32,
}

/// What a step finds at its start.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct First {
    pub(super) density: f32,
    /// What the movement of the step has added to the density.
    pub(super) gained: f32,
    /// Σ a r² of the weights a of its pairs.
    pub(super) spread: f32,
}

impl Rows<'_> {
    fn check(&self, range: &Range<usize>) {
        let places = self.neighbours.order.len();
        assert!(range.end <= places && self.places.len() == places + 1 && self.manners.len() == places + 1);
    }

    /// Sums of all places in a range that flow.
    pub(super) fn measure(&self, range: Range<usize>, flows: &[bool], then: impl FnMut(usize, Sums)) {
        self.check(&range);
        f32::dispatch(InstructionSet::detect(), Measure { rows: *self, range, flows, then });
    }

    /// Densities of a range's places, what movements have added to them, and the weights V_i V_j |W'/r| (w_i V_i + w_j V_j) of all their
    /// pairs, padded as lists are. `moves` holds movements and, last, w V of a place, 0 for what has no pressure.
    pub(super) fn begin(
        &self,
        range: Range<usize>,
        moves: &[Place],
        weights: &mut [f32],
        then: impl FnMut(usize, First),
    ) {
        self.check(&range);
        let starts = &self.neighbours.starts;
        assert_eq!(moves.len(), self.places.len());
        assert_eq!(weights.len(), (starts[range.end] - starts[range.start]) as usize);
        f32::dispatch(InstructionSet::detect(), Begin { rows: *self, range, moves, weights, then });
    }

    /// Σ (Δλ_i V_j + Δλ_j V_i + s_corr) ∇W of a range's places, without the sign of λ, along the directions between `starts`, where places were when
    /// the step began; its last number is 1 for what flows and 0 for what does not. Of s_corr it takes a share,
    /// `separation`, less what it would be at rest.
    pub(super) fn push(
        &self,
        range: Range<usize>,
        starts: &[Place],
        separation: f32,
        then: impl FnMut(usize, [f32; 3]),
    ) {
        self.check(&range);
        assert_eq!(starts.len(), self.places.len());
        f32::dispatch(InstructionSet::detect(), Push { rows: *self, range, starts, separation, then });
    }

    /// Σ_j c V_j W n (n·(v_j − v_i)) 2 w_i/(w_i + w_j) of a range's places, n the direction between them. `speeds` holds velocities and, last,
    /// coefficients c, of which a pair has the mean but no more than `most`; below zero for what does not take part.
    pub(super) fn mix(&self, range: Range<usize>, speeds: &[Place], most: f32, then: impl FnMut(usize, [f32; 3])) {
        self.check(&range);
        assert_eq!(speeds.len(), self.places.len());
        f32::dispatch(InstructionSet::detect(), Mix { rows: *self, range, speeds, most, then });
    }

    fn measure_one(&self, k: usize) -> Sums {
        let own = &self.places[k];
        let mut sums = Sums { density: own[3] * kernels::PEAK, ..Sums::default() };
        for &j in self.neighbours.of(k) {
            let other = &self.places[j as usize];
            let (offset, squared) = apart(k, own, j as usize, other);
            let factor = other[3] * kernels::slope_over_distance(squared);
            sums.density += other[3] * kernels::density(squared);
            (0..3).for_each(|c| sums.gradient[c] += factor * offset[c]);
            sums.resistance += self.manners[j as usize].softness * factor * factor * squared;
        }
        sums
    }

    fn push_one(&self, k: usize, separation: f32) -> [f32; 3] {
        let (own, manner) = (&self.places[k], &self.manners[k]);
        let mut sum = [0.0_f32; 3];
        for &j in self.neighbours.of(k) {
            let (other, its) = (&self.places[j as usize], &self.manners[j as usize]);
            let (offset, squared) = apart(k, own, j as usize, other);
            let ratio = |squared: f32| (kernels::density(squared) / kernels::density(SEPARATED * SEPARATED)).powi(4);
            let near = (ratio(squared) - ratio(AT_REST * AT_REST)).max(0.0) * separation;
            let spread = manner.separation.min(its.separation) * (own[3] + other[3]) * near;
            let both = manner.change * its.pressed + its.change * manner.pressed + spread;
            let factor = both * kernels::slope_over_distance(squared);
            (0..3).for_each(|c| sum[c] += factor * offset[c]);
        }
        sum
    }
}

/// Offset from j to i and its squared length. Particles at one place part along an axis, in the order of their numbers.
fn apart(i: usize, own: &Place, j: usize, other: &Place) -> ([f32; 3], f32) {
    let offset: [f32; 3] = std::array::from_fn(|c| own[c] - other[c]);
    let squared = offset[0] * offset[0] + offset[1] * offset[1] + offset[2] * offset[2];
    if squared < COINCIDENT * COINCIDENT {
        let side = if i < j { -COINCIDENT } else { COINCIDENT };
        return ([0.0, side, 0.0], COINCIDENT * COINCIDENT);
    }
    (offset, squared)
}

/// A vector of pairs: offsets from neighbours, squared distance, W'/r, 1 − r or 0, and the neighbours' volumes.
pub(super) struct Pairs<L> {
    pub(super) offset: [L; 3],
    pub(super) squared: L,
    pub(super) inverse_distance: L,
    pub(super) slope: L,
    pub(super) nearness: L,
    pub(super) volume: L,
    /// Whether some are at one place.
    pub(super) coincident: bool,
}

impl<L: Lanes<Scalar = f32>> Pairs<L> {
    /// Pairs of a point with a vector's width of neighbours.
    ///
    /// # Safety
    /// There is a vector's width of entries in `list`, and `places` has all that it names.
    #[inline(always)]
    pub(super) unsafe fn of(own: [L; 3], places: *const Place, list: *const u32) -> Self {
        // SAFETY: a place is four numbers, and there are all that the list names, as the caller promises.
        let [x, y, z, volume] = unsafe { L::gather_quads(places.cast(), list) };
        let offset = [own[0].sub(x), own[1].sub(y), own[2].sub(z)];
        let squared = offset[0].mul_add(offset[0], offset[1].mul_add(offset[1], offset[2].mul(offset[2])));
        let least = L::splat(COINCIDENT * COINCIDENT);
        let coincident = squared.less_mask(least) != 0;
        let inverse_distance = squared.max(least).inverse_sqrt();
        let nearness = L::splat(1.0).sub(squared.mul(inverse_distance)).max(L::zero());
        let slope = L::splat(-kernels::STEEPEST).mul(nearness.mul(nearness)).mul(inverse_distance);
        Self { offset, squared, inverse_distance, slope, nearness, volume, coincident }
    }
}

struct Measure<'a, F> {
    rows: Rows<'a>,
    range: Range<usize>,
    flows: &'a [bool],
    then: F,
}

impl<F: FnMut(usize, Sums)> Kernel<f32> for Measure<'_, F> {
    #[inline(always)]
    fn run<L: Lanes<Scalar = f32>>(mut self) {
        let Rows { neighbours, places, manners } = self.rows;
        for k in self.range {
            if !self.flows[k] {
                (self.then)(k, Sums::default());
                continue;
            }
            // SAFETY: lists name places that there are, or the far one after them (`check`).
            let (sums, coincident) = unsafe {
                let own: [L; 3] = std::array::from_fn(|c| L::splat(places[k][c]));
                let (mut cubes, mut resistance, mut coincident) = (L::zero(), L::zero(), false);
                let mut gradient = [L::zero(); 3];
                for list in neighbours.padded(k).chunks_exact(L::WIDTH) {
                    let pairs = Pairs::<L>::of(own, places.as_ptr(), list.as_ptr());
                    let [softness, ..] = L::gather_quads(manners.as_ptr().cast(), list.as_ptr());
                    coincident |= pairs.coincident;
                    let nearness = pairs.nearness;
                    cubes = nearness.mul(nearness).mul(nearness).mul_add(pairs.volume, cubes);
                    let factor = pairs.volume.mul(pairs.slope);
                    for c in 0..3 {
                        gradient[c] = factor.mul_add(pairs.offset[c], gradient[c]);
                    }
                    resistance = softness.mul(factor.mul(factor)).mul_add(pairs.squared, resistance);
                }
                let (mut first, mut second) = ([0.0; 4], [0.0; 4]);
                L::store_sums(gradient, first.as_mut_ptr());
                L::store_sums([cubes, resistance, L::zero()], second.as_mut_ptr());
                let [x, y, z, _] = first;
                let density = kernels::PEAK * (places[k][3] + second[0]);
                (Sums { density, gradient: [x, y, z], resistance: second[1] }, coincident)
            };
            (self.then)(k, if coincident { self.rows.measure_one(k) } else { sums });
        }
    }
}

struct Begin<'a, F> {
    rows: Rows<'a>,
    range: Range<usize>,
    moves: &'a [Place],
    weights: &'a mut [f32],
    then: F,
}

impl<F: FnMut(usize, First)> Kernel<f32> for Begin<'_, F> {
    #[inline(always)]
    fn run<L: Lanes<Scalar = f32>>(mut self) {
        let Rows { neighbours, places, .. } = self.rows;
        let mut weights = self.weights.chunks_exact_mut(L::WIDTH);
        for k in self.range {
            // SAFETY: lists name places that there are, or the far one after them (`check`).
            let sums = unsafe {
                let own: [L; 3] = std::array::from_fn(|c| L::splat(places[k][c]));
                let way: [L; 3] = std::array::from_fn(|c| L::splat(self.moves[k][c]));
                let (volume, ease) = (L::splat(places[k][3]), L::splat(self.moves[k][3]));
                let (mut cubes, mut gained, mut spread) = (L::zero(), L::zero(), L::zero());
                for list in neighbours.padded(k).chunks_exact(L::WIDTH) {
                    let pairs = Pairs::<L>::of(own, places.as_ptr(), list.as_ptr());
                    let [x, y, z, its_ease] = L::gather_quads(self.moves.as_ptr().cast(), list.as_ptr());
                    let apart = [way[0].sub(x), way[1].sub(y), way[2].sub(z)];
                    let offset = pairs.offset;
                    let closer = offset[0].mul_add(apart[0], offset[1].mul_add(apart[1], offset[2].mul(apart[2])));
                    let weight = volume.mul(pairs.volume).mul(L::zero().sub(pairs.slope)).mul(ease.add(its_ease));
                    let weight = L::zero().select_less(its_ease, weight, L::zero());
                    if let Some(weights) = weights.next() {
                        weight.store(weights.as_mut_ptr());
                    }
                    spread = weight.mul_add(pairs.squared, spread);
                    let nearness = pairs.nearness;
                    cubes = nearness.mul(nearness).mul(nearness).mul_add(pairs.volume, cubes);
                    gained = pairs.volume.mul(pairs.slope).mul_add(closer, gained);
                }
                let mut sums = [0.0; 4];
                L::store_sums([cubes, gained, spread], sums.as_mut_ptr());
                sums
            };
            let density = kernels::PEAK * (places[k][3] + sums[0]);
            (self.then)(k, First { density, gained: sums[1], spread: sums[2] });
        }
    }
}

/// Along which pairs part: the offset at the start of the step, as long as that of now. Where the two differ by more than 60° the particles have
/// gone past each other, and part along that of now; so do those of which one does not flow (its last number is 0).
#[inline(always)]
fn direction<L: Lanes<Scalar = f32>>(pairs: &Pairs<L>, began: [L; 4], its: [L; 4]) -> [L; 3] {
    let now = pairs.offset;
    let from = [began[0].sub(its[0]), began[1].sub(its[1]), began[2].sub(its[2])];
    let dot = |a: [L; 3], b: [L; 3]| a[0].mul(b[0]).add(a[1].mul(b[1])).add(a[2].mul(b[2]));
    let inverse = dot(from, from).max(L::splat(COINCIDENT * COINCIDENT)).inverse_sqrt();
    let cosine = dot(from, now).mul(inverse).mul(pairs.inverse_distance).mul(began[3].mul(its[3]));
    let ratio = pairs.squared.mul(pairs.inverse_distance).mul(inverse);
    std::array::from_fn(|c| cosine.select_less(L::splat(0.5), now[c], from[c].mul(ratio)))
}

struct Push<'a, F> {
    rows: Rows<'a>,
    range: Range<usize>,
    starts: &'a [Place],
    separation: f32,
    then: F,
}

impl<F: FnMut(usize, [f32; 3])> Kernel<f32> for Push<'_, F> {
    #[inline(always)]
    fn run<L: Lanes<Scalar = f32>>(mut self) {
        let Rows { neighbours, places, manners } = self.rows;
        let reference = self.separation * (1.0 - SEPARATED).powi(-12);
        let at_rest = L::splat(reference * (1.0 - AT_REST).powi(12));
        for k in self.range {
            // SAFETY: lists name places that there are, or the far one after them (`check`).
            let (sum, coincident) = unsafe {
                let own: [L; 3] = std::array::from_fn(|c| L::splat(places[k][c]));
                let began = self.starts[k].map(|number| L::splat(number));
                let (change, pressed) = (L::splat(manners[k].change), L::splat(manners[k].pressed));
                let (volume, separation) = (L::splat(places[k][3]), L::splat(manners[k].separation));
                let (mut sum, mut coincident) = ([L::zero(); 3], false);
                for list in neighbours.padded(k).chunks_exact(L::WIDTH) {
                    let pairs = Pairs::<L>::of(own, places.as_ptr(), list.as_ptr());
                    let [_, its_pressed, its_change, its_separation] =
                        L::gather_quads(manners.as_ptr().cast(), list.as_ptr());
                    coincident |= pairs.coincident;
                    // Added, not fused: the same from both sides, so that no momentum is lost.
                    let pressure = change.mul(its_pressed).add(its_change.mul(pressed));
                    let cube = pairs.nearness.mul(pairs.nearness).mul(pairs.nearness);
                    let sixth = cube.mul(cube);
                    let near = sixth.mul(sixth).mul(L::splat(reference)).sub(at_rest).max(L::zero());
                    let spread = separation.min(its_separation).mul(volume.add(pairs.volume));
                    let factor = spread.mul_add(near, pressure).mul(pairs.slope);
                    let direction =
                        direction::<L>(&pairs, began, L::gather_quads(self.starts.as_ptr().cast(), list.as_ptr()));
                    for c in 0..3 {
                        sum[c] = factor.mul_add(direction[c], sum[c]);
                    }
                }
                let mut sums = [0.0; 4];
                L::store_sums(sum, sums.as_mut_ptr());
                ([sums[0], sums[1], sums[2]], coincident)
            };
            (self.then)(k, if coincident { self.rows.push_one(k, self.separation) } else { sum });
        }
    }
}

struct Mix<'a, F> {
    rows: Rows<'a>,
    range: Range<usize>,
    speeds: &'a [Place],
    most: f32,
    then: F,
}

impl<F: FnMut(usize, [f32; 3])> Kernel<f32> for Mix<'_, F> {
    #[inline(always)]
    fn run<L: Lanes<Scalar = f32>>(mut self) {
        let Rows { neighbours, places, manners } = self.rows;
        for k in self.range {
            if self.speeds[k][3] < 0.0 {
                (self.then)(k, [0.0; 3]);
                continue;
            }
            // SAFETY: lists name places that there are, or the far one after them (`check`).
            let sums = unsafe {
                let own: [L; 3] = std::array::from_fn(|c| L::splat(places[k][c]));
                let [vx, vy, vz, coefficient] = self.speeds[k].map(|number| L::splat(number));
                let (soft, two) = (L::splat(manners[k].softness), L::splat(2.0 * kernels::PEAK));
                let mut sum = [L::zero(); 3];
                for list in neighbours.padded(k).chunks_exact(L::WIDTH) {
                    let pairs = Pairs::<L>::of(own, places.as_ptr(), list.as_ptr());
                    let [x, y, z, its] = L::gather_quads(self.speeds.as_ptr().cast(), list.as_ptr());
                    let [its_soft, ..] = L::gather_quads(manners.as_ptr().cast(), list.as_ptr());
                    let offset = pairs.offset;
                    let toward = offset[0].mul(x.sub(vx)).add(offset[1].mul(y.sub(vy))).add(offset[2].mul(z.sub(vz)));
                    let mixed = coefficient.add(its).mul(L::splat(0.5)).min(L::splat(self.most));
                    // Of two particles the lighter follows more. Those that nothing moves are not mixed: nothing would be left to divide by.
                    let share = two.mul(soft).div(soft.add(its_soft).max(L::splat(f32::MIN_POSITIVE)));
                    let cube = pairs.nearness.mul(pairs.nearness).mul(pairs.nearness);
                    let inverse = pairs.inverse_distance;
                    let weight = mixed.mul(share).mul(pairs.volume.mul(cube)).mul(toward.mul(inverse)).mul(inverse);
                    let weight = its.select_less(L::zero(), L::zero(), weight);
                    for c in 0..3 {
                        sum[c] = weight.mul_add(offset[c], sum[c]);
                    }
                }
                let mut sums = [0.0; 4];
                L::store_sums(sum, sums.as_mut_ptr());
                [sums[0], sums[1], sums[2]]
            };
            (self.then)(k, sums);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Vec3;

    /// A box full of particles at random.
    fn crowd() -> (Neighbours, Vec<Place>, Vec<Manner>) {
        let mut state = 7u64;
        let mut next = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 11) as f64 / (1u64 << 53) as f64
        };
        let mut points: Vec<Vec3> = (0..300).map(|_| Vec3::new(next(), next(), next()) * 3.0).collect();
        // Two at one place.
        points[17] = points[100];
        let (mut neighbours, mut places) = (Neighbours::default(), Vec::new());
        neighbours.find(1.0, [points.len(); 2], &|k| points[k], &|k| 0.05 + 1e-4 * k as f32, &mut places);
        let manner = |_| {
            let [softness, pressed, change, separation] = std::array::from_fn(|_| next() as f32);
            Manner { softness, pressed, change, separation }
        };
        let mut manners: Vec<Manner> = (0..points.len()).map(manner).collect();
        manners.push(Manner::default());
        (neighbours, places, manners)
    }

    #[test]
    fn eight_pairs_at_a_time_sum_to_what_one_pair_after_the_other_does() {
        let (neighbours, places, manners) = crowd();
        let rows = Rows { neighbours: &neighbours, places: &places, manners: &manners };
        let count = manners.len() - 1;
        let close = |a: f32, b: f32, scale: f32| assert!((a - b).abs() <= 2e-5 * scale.abs().max(1.0), "{a} {b}");
        rows.measure(0..count, &vec![true; count], |k, sums| {
            let one = rows.measure_one(k);
            close(sums.density, one.density, one.density);
            close(sums.resistance, one.resistance, one.resistance);
            (0..3).for_each(|c| close(sums.gradient[c], one.gradient[c], 10.0));
        });
        let starts: Vec<Place> = places.iter().map(|p| [p[0], p[1], p[2], 1.0]).collect();
        rows.push(0..count, &starts, 0.5, |k, sum| {
            let one = rows.push_one(k, 0.5);
            (0..3).for_each(|c| close(sum[c], one[c], one.iter().fold(1e3, |most: f32, x| most.max(x.abs()))));
        });
    }

    #[test]
    fn movement_gains_the_density_that_it_leads_to() {
        let (neighbours, places, manners) = crowd();
        let rows = Rows { neighbours: &neighbours, places: &places, manners: &manners };
        let count = manners.len() - 1;
        // Everything has come closer by a thousandth.
        let mut moves: Vec<Place> = places.iter().map(|p| [-1e-3 * p[0], -1e-3 * p[1], -1e-3 * p[2], 0.0]).collect();
        moves[count] = [0.0; 4];
        let before: Vec<Place> =
            places.iter().zip(&moves).map(|(p, way)| [p[0] - way[0], p[1] - way[1], p[2] - way[2], p[3]]).collect();
        let mut weights = vec![0.0; neighbours.starts[count] as usize];
        rows.begin(0..count, &moves, &mut weights, |k, first| {
            let old = Rows { places: &before, ..rows }.measure_one(k).density;
            let gained = first.density - old;
            assert!((gained - first.gained).abs() < 0.02 * gained.abs().max(0.01), "{gained} {}", first.gained);
        });
    }

    #[test]
    fn weights_of_pairs_are_the_same_from_both_sides_and_none_without_pressure() {
        let (neighbours, places, manners) = crowd();
        let rows = Rows { neighbours: &neighbours, places: &places, manners: &manners };
        let count = manners.len() - 1;
        // Every fifth has no pressure.
        let ease = |k: usize| if k.is_multiple_of(5) || k == count { 0.0 } else { 1.0 + k as f32 };
        let moves: Vec<Place> = (0..=count).map(|k| [0.0, 0.0, 0.0, ease(k)]).collect();
        let mut weights = vec![0.0; neighbours.starts[count] as usize];
        rows.begin(0..count, &moves, &mut weights, |_, _| ());
        let weight = |i: usize, j: usize| {
            let at = neighbours.of(i).iter().position(|&other| other as usize == j);
            weights[neighbours.starts[i] as usize + at.expect("a neighbour of each other")]
        };
        for i in 0..count {
            for &j in neighbours.of(i) {
                let (j, own) = (j as usize, weight(i, j as usize));
                if ease(j) == 0.0 {
                    assert_eq!(own, 0.0);
                } else if ease(i) != 0.0 {
                    assert!(own > 0.0 && own == weight(j, i), "{i} {j}: {own} {}", weight(j, i));
                }
            }
        }
    }
}
