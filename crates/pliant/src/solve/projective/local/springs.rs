//! Forces of springs on the vertices that they hang on, and the sum of all that acts on a vertex.
//!
//! A vertex adds up w (1 − l'/‖e‖) e over its springs, with e towards the other end and l' = clamp(‖e‖, low, high); of plain
//! springs l' is the rest length.

use std::mem::MaybeUninit;
use std::ops::Range;

use super::planes::Planes;
use super::quadratic::Quadratic;
use super::{Inertia, Order, PADDING, Point};
use crate::energy::Operator;
use crate::math::lanes::{Kernel, LaneNumber, Lanes, Real};

/// Slots whose edges are found before their forces.
const SLOTS_AT_ONCE: usize = 16;

/// Springs of a batch: ends, lengths without energy, weights.
type Batch<'a> = (&'a Operator, Vec<[f64; 2]>, Vec<f64>);

/// Springs around all vertices, vertices in groups of a vector's width, with `N` numbers for each. Pinned vertices have them too,
/// for the energy.
#[derive(Debug)]
pub(super) struct Around<S, const N: usize> {
    /// First spring slot of each group, and the end: a group has as many as its vertex of most springs.
    starts: Vec<u32>,
    /// First numbers of the other ends' points, a vector for each slot; a point far away where a vertex has no more springs.
    others: Vec<u32>,
    /// `N` vectors for each slot; zero where a vertex has no more springs.
    numbers: Vec<S>,
}

/// Springs of one rest length: weight, weight · length.
pub(super) type PlainSprings<S> = Around<S, 2>;
/// Springs with a range of lengths: least, largest, weight.
pub(super) type LimitedSprings<S> = Around<S, 3>;

impl<S: LaneNumber> PlainSprings<S> {
    pub(super) fn new(batches: &[Batch<'_>], order: &Order) -> Self {
        Self::gather(batches, order, |[low, high], weight| (low == high).then_some([weight, weight * low]))
    }
}

impl<S: LaneNumber> LimitedSprings<S> {
    pub(super) fn new(batches: &[Batch<'_>], order: &Order) -> Self {
        Self::gather(batches, order, |[low, high], weight| (low < high).then_some([low, high, weight]))
    }
}

impl<S: LaneNumber, const N: usize> Around<S, N> {
    /// Takes the springs for which `numbers` has some.
    fn gather(batches: &[Batch<'_>], order: &Order, numbers: impl Fn([f64; 2], f64) -> Option<[f64; N]>) -> Self {
        let mut around: Vec<Vec<(u32, [f64; N])>> = vec![Vec::new(); order.vertices.len()];
        for (operator, lengths, weights) in batches {
            for (e, (&bounds, &weight)) in lengths.iter().zip(weights).enumerate() {
                let Some(numbers) = numbers(bounds, weight) else { continue };
                let stencil = operator.stencil(e);
                let [a, b] = [0, 1].map(|corner| order.places[stencil[corner] as usize]);
                for (own, other) in [(a, b), (b, a)] {
                    around[own as usize].push((other, numbers));
                }
            }
        }
        let count = order.vertices.len();
        let mut springs = Self { starts: vec![0], others: Vec::new(), numbers: Vec::new() };
        for lists in around.chunks(S::WIDTH) {
            let most = lists.iter().map(Vec::len).max().unwrap_or(0);
            for slot in 0..most {
                let spring = |lane: usize| lists.get(lane).and_then(|list| list.get(slot));
                let far_away = (count + PADDING - 1) as u32;
                springs.others.extend((0..S::WIDTH).map(|lane| 4 * spring(lane).map_or(far_away, |s| s.0)));
                for k in 0..N {
                    let number = |lane: usize| S::from_f64(spring(lane).map_or(0.0, |s| s.1[k]));
                    springs.numbers.extend((0..S::WIDTH).map(number));
                }
            }
            springs.starts.push((springs.others.len() / S::WIDTH) as u32);
        }
        springs
    }

    fn slots(&self, group: usize) -> Range<usize> {
        self.starts[group] as usize..self.starts[group + 1] as usize
    }
}

/// Adds up everything that acts on the vertices of some groups.
pub(super) struct VertexSums<'a, S, R> {
    pub(super) springs: &'a PlainSprings<S>,
    pub(super) limited: &'a LimitedSprings<S>,
    pub(super) quadratic: &'a Quadratic,
    pub(super) planes: &'a Planes,
    pub(super) groups: Range<usize>,
    /// All vertices in order, padded to full groups by points far away.
    pub(super) points: &'a [Point],
    /// Whether anybody asks for the energy.
    pub(super) with_energy: bool,
    pub(super) inertia: &'a Inertia<'a>,
    pub(super) slots: &'a [[S; 4]],
    pub(super) slot_starts: &'a [u32],
    pub(super) rows: *mut R,
    pub(super) energy: &'a mut f64,
}

/// Forces on the vertices of a group, and their share of the springs' energy.
struct Sums<L> {
    force: [L; 3],
    energy: L,
}

impl<S: LaneNumber, R: Real> Kernel<S> for VertexSums<'_, S, R> {
    #[inline(always)]
    fn run<L: Lanes<Scalar = S>>(self) {
        let w = S::WIDTH;
        let free = self.inertia.target.len();
        let mut energy = 0.0;
        for group in self.groups.start..self.groups.end {
            let first = group * w;
            let mut forces = [[S::default(); 4]; 8];
            // SAFETY: groups are below those of all vertices, so points go on for a vector from `first` on (`PADDING`);
            // `forces` has eight points, as many as lanes at most.
            unsafe {
                let mut sums = Sums { force: [L::zero(); 3], energy: L::zero() };
                if self.with_energy {
                    self.plain_forces::<L, true>(first, self.springs.slots(group), &mut sums);
                } else {
                    self.plain_forces::<L, false>(first, self.springs.slots(group), &mut sums);
                }
                let limited = self.limited.slots(group);
                if !limited.is_empty() {
                    self.limited_forces(first, limited, &mut sums);
                }
                L::store_points(sums.force, forces.as_mut_ptr().cast());
                if self.with_energy {
                    let mut lanes = [S::default(); 8];
                    sums.energy.write_to(&mut lanes);
                    for lane in &lanes[..w] {
                        // Each end counts half of ½ w (‖e‖ − l')².
                        energy += 0.25 * lane.to_f64();
                    }
                }
            }
            // Pinned vertices and padding have no rows.
            let present = free.saturating_sub(first).min(w);
            // Not a closure: those are compiled without the kernel's instructions.
            let mut constant = None;
            if self.has_constant() {
                constant = Some(self.constant_gradients(first, w, &mut energy));
            }
            if present == 0 {
                continue;
            }
            // SAFETY: the first `present` vertices of the group are free, so there are targets, weights and rows for
            // them (`evaluate`); their rows are this kernel's alone.
            unsafe {
                if !self.slots.is_empty() {
                    self.subtract_slots(first, present, &mut forces);
                }
                let mut totals = self.add_inertia(first, present, &forces, &mut energy);
                if let Some(constant) = &constant {
                    for k in 0..present {
                        for c in 0..4 {
                            totals[k][c] -= constant[k][c];
                        }
                    }
                }
                let rows = self.rows.add(4 * first);
                for k in 0..4 * present {
                    *rows.add(k) = R::from_f64(totals[k / 4][k % 4]);
                }
            }
        }
        *self.energy = energy;
    }
}

impl<S: LaneNumber, R> VertexSums<'_, S, R> {
    /// Whether there are energies that act on vertices without elements.
    fn has_constant(&self) -> bool {
        !self.quadratic.is_empty() || !self.planes.is_empty()
    }

    /// Their gradients at the vertices of a group. Pinned vertices have a share of the energy too.
    #[inline(always)]
    fn constant_gradients(&self, first: usize, width: usize, energy: &mut f64) -> [[f64; 4]; 8] {
        let mut gradients = [[0.0; 4]; 8];
        let vertices = self.points.len() - PADDING;
        for k in 0..width.min(vertices.saturating_sub(first)) {
            if !self.quadratic.is_empty() {
                gradients[k] = match self.with_energy {
                    true => self.quadratic.at::<true>(first + k, self.points, energy),
                    false => self.quadratic.at::<false>(first + k, self.points, energy),
                };
            }
            if !self.planes.is_empty() {
                self.planes.add(first + k, &self.points[first + k], &mut gradients[k], energy);
            }
        }
        gradients
    }

    /// Forces of elements with slots.
    #[inline(always)]
    fn subtract_slots(&self, first: usize, present: usize, forces: &mut [[S; 4]; 8]) {
        for (k, force) in forces[..present].iter_mut().enumerate() {
            for slot in &self.slots[self.slot_starts[first + k] as usize..self.slot_starts[first + k + 1] as usize] {
                for c in 0..4 {
                    force[c] = force[c] - slot[c];
                }
            }
        }
    }

    /// Forces with that of inertia and of other energies, for the first `present` vertices of a group. Loops of four numbers
    /// without conditions, the last of them zero, for the compiler to make vectors of.
    ///
    /// # Safety
    /// These vertices are free, and there are targets, weights and points for all of them.
    #[inline(always)]
    unsafe fn add_inertia(
        &self,
        first: usize,
        present: usize,
        forces: &[[S; 4]; 8],
        energy: &mut f64,
    ) -> [[f64; 4]; 8] {
        let mut totals = [[0.0; 4]; 8];
        // SAFETY: there are targets, weights and points for `present` vertices from `first` on, as the caller promises.
        unsafe {
            let (target, weight) = (self.inertia.target.as_ptr().add(first), self.inertia.weight.as_ptr().add(first));
            let points = self.points.as_ptr().add(first);
            for k in 0..present {
                let (x, target, weight) = (*points.add(k), *target.add(k), *weight.add(k));
                for c in 0..4 {
                    totals[k][c] = weight * (target[c] - x[c]) + forces[k][c].to_f64();
                }
            }
            if self.with_energy {
                for k in 0..present {
                    let (x, target) = (*points.add(k), *target.add(k));
                    let mut squared = 0.0;
                    for c in 0..3 {
                        squared += (target[c] - x[c]) * (target[c] - x[c]);
                    }
                    *energy += 0.5 * *weight.add(k) * squared;
                }
            }
        }
        if !self.inertia.other.is_empty() {
            for (total, other) in totals.iter_mut().zip(&self.inertia.other[first..first + present]) {
                for c in 0..3 {
                    total[c] -= other[c];
                }
            }
        }
        totals
    }

    /// # Safety
    /// Points go on for a vector from `first` on.
    #[inline(always)]
    unsafe fn plain_forces<L: Lanes<Scalar = S>, const ENERGY: bool>(
        &self,
        first: usize,
        slots: Range<usize>,
        sums: &mut Sums<L>,
    ) {
        let w = S::WIDTH;
        // SAFETY: `gather` has made a vector of other ends and two of numbers for each slot; other ends are vertices or
        // padding, and points go on for a vector from `first` on. Edges are written before they are read.
        unsafe {
            let points = self.points.as_ptr().cast::<f64>();
            let own = points.add(4 * first);
            let tiny = L::splat(S::from_f64(SHORTEST_SQUARED));
            let mut shortest = L::splat(S::from_f64(1.0));
            let mut slot = slots.start;
            while slot < slots.end {
                // Edges of several slots first, then what follows from them: the second loop is one long chain of operations for each
                // slot, and the processor has more of these chains under way where they are short of other work.
                let mut edges = [const { MaybeUninit::<[L; 4]>::uninit() }; SLOTS_AT_ONCE];
                let count = SLOTS_AT_ONCE.min(slots.end - slot);
                for k in 0..count {
                    let [x, y, z] = L::edges(own, points, self.springs.others.as_ptr().add((slot + k) * w));
                    let squared = x.mul_add(x, y.mul_add(y, z.mul(z)));
                    shortest = shortest.min(squared);
                    edges[k].write([x, y, z, squared.max(tiny)]);
                }
                for k in 0..count {
                    let [x, y, z, squared] = edges[k].assume_init();
                    let numbers = self.springs.numbers.as_ptr().add(2 * (slot + k) * w);
                    let (weight, pull) = (L::load(numbers), L::load(numbers.add(w)));
                    let inverse = squared.inverse_sqrt();
                    // w (1 − l/‖e‖)
                    let factor = weight.sub(pull.mul(inverse));
                    sums.force[0] = factor.mul_add(x, sums.force[0]);
                    sums.force[1] = factor.mul_add(y, sums.force[1]);
                    sums.force[2] = factor.mul_add(z, sums.force[2]);
                    if ENERGY {
                        // w (‖e‖ − l)² = (w‖e‖ − wl)²/w, and 0 where there is no spring.
                        let tension = weight.mul(squared.mul(inverse)).sub(pull);
                        sums.energy = tension.mul(tension).div(weight.max(tiny)).add(sums.energy);
                    }
                }
                slot += count;
            }
            if shortest.less_mask(tiny) != 0 {
                self.part_coincident::<L, 2>(self.springs, first, slots, &mut sums.force[0], |numbers| numbers[1]);
            }
        }
    }

    /// # Safety
    /// Points go on for a vector from `first` on.
    #[inline(always)]
    unsafe fn limited_forces<L: Lanes<Scalar = S>>(&self, first: usize, slots: Range<usize>, sums: &mut Sums<L>) {
        let w = S::WIDTH;
        // SAFETY: `gather` has made a vector of other ends and three of numbers for each slot; other ends are vertices
        // or padding, and points go on for a vector from `first` on.
        unsafe {
            let points = self.points.as_ptr().cast::<f64>();
            let own = points.add(4 * first);
            let (one, tiny) = (L::splat(S::from_f64(1.0)), L::splat(S::from_f64(SHORTEST_SQUARED)));
            let mut shortest = one;
            for slot in slots.start..slots.end {
                let e = L::edges(own, points, self.limited.others.as_ptr().add(slot * w));
                let numbers = self.limited.numbers.as_ptr().add(3 * slot * w);
                let (low, high) = (L::load(numbers), L::load(numbers.add(w)));
                let weight = L::load(numbers.add(2 * w));
                let squared = e[0].mul_add(e[0], e[1].mul_add(e[1], e[2].mul(e[2])));
                shortest = shortest.min(squared);
                let bounded = squared.max(tiny);
                let inverse = bounded.inverse_sqrt();
                let length = bounded.mul(inverse);
                let target = length.max(low).min(high);
                let factor = weight.mul(one.sub(target.mul(inverse)));
                for c in 0..3 {
                    sums.force[c] = factor.mul_add(e[c], sums.force[c]);
                }
                let excess = length.sub(target);
                sums.energy = weight.mul(excess).mul_add(excess, sums.energy);
            }
            if shortest.less_mask(tiny) != 0 {
                let push = |numbers: [f64; 3]| numbers[0] * numbers[2];
                self.part_coincident::<L, 3>(self.limited, first, slots, &mut sums.force[0], push);
            }
        }
    }

    /// Pushes coincident ends apart along the x axis, the one of lower place to the left: a spring of no length has no direction,
    /// and this one is as good as any. `push` gives the force of a spring from its numbers.
    #[cold]
    #[inline(never)]
    fn part_coincident<L: Lanes<Scalar = S>, const N: usize>(
        &self,
        springs: &Around<S, N>,
        first: usize,
        slots: Range<usize>,
        force: &mut L,
        push: impl Fn([f64; N]) -> f64,
    ) {
        let w = S::WIDTH;
        let mut forces = [S::default(); 8];
        (*force).write_to(&mut forces);
        for (slot, lane) in slots.flat_map(|slot| (0..w).map(move |lane| (slot, lane))) {
            let other = springs.others[slot * w + lane] as usize / 4;
            let (a, b) = (&self.points[first + lane], &self.points[other]);
            let squared: f64 = (0..3).map(|c| (a[c] - b[c]).powi(2)).sum();
            if squared < SHORTEST_SQUARED && first + lane != other {
                let numbers = std::array::from_fn(|k| springs.numbers[(N * slot + k) * w + lane].to_f64());
                let sign = if first + lane < other { -1.0 } else { 1.0 };
                forces[lane] = S::from_f64(forces[lane].to_f64() + sign * push(numbers));
            }
        }
        *force = L::from_slice(&forces);
    }
}

/// Squared length below which an edge counts as having none \[m²\].
const SHORTEST_SQUARED: f64 = 1e-30;
