//! Forces of springs on the vertices that they hang on, and the sum of all that acts on a vertex.
//!
//! A vertex adds up w (1 − l'/‖e‖) e over its springs, with e towards the other end and l' = clamp(‖e‖, low, high).

use std::ops::Range;

use super::{Inertia, Order, Point};
use crate::energy::Operator;
use crate::math::lanes::{Kernel, LaneNumber, Lanes, Real};

/// Springs around all vertices, vertices in groups of a vector's width. Pinned vertices have them too, for the energy.
#[derive(Debug)]
pub(super) struct Springs<S> {
    /// First spring slot of each group, and the end: a group has as many as its vertex of most springs.
    starts: Vec<u32>,
    /// Other ends, a vector for each slot; the vertex itself where it has no more springs.
    others: Vec<u32>,
    /// Lengths without energy and weights, vectors for each slot: least, largest, weight.
    numbers: Vec<S>,
}

impl<S: LaneNumber> Springs<S> {
    pub(super) fn new(batches: &[(&Operator, Vec<[f64; 2]>, f64)], order: &Order) -> Self {
        let mut around: Vec<Vec<(u32, [f64; 3])>> = vec![Vec::new(); order.vertices.len()];
        for (operator, lengths, scale) in batches {
            for (e, &[low, high]) in lengths.iter().enumerate() {
                let stencil = operator.stencil(e);
                let [a, b] = [0, 1].map(|corner| order.places[stencil[corner] as usize]);
                for (own, other) in [(a, b), (b, a)] {
                    around[own as usize].push((other, [low, high, scale * operator.weight(e)]));
                }
            }
        }
        let mut springs = Self { starts: vec![0], others: Vec::new(), numbers: Vec::new() };
        for (group, lists) in around.chunks(S::WIDTH).enumerate() {
            let most = lists.iter().map(Vec::len).max().unwrap_or(0);
            for slot in 0..most {
                let spring = |lane: usize| lists.get(lane).and_then(|list| list.get(slot));
                // A lane without a vertex looks at the group's first one.
                let own = |lane: usize| (group * S::WIDTH + if lane < lists.len() { lane } else { 0 }) as u32;
                springs.others.extend((0..S::WIDTH).map(|lane| spring(lane).map_or(own(lane), |s| s.0)));
                for k in 0..3 {
                    let number = |lane: usize| S::from_f64(spring(lane).map_or(0.0, |s| s.1[k]));
                    springs.numbers.extend((0..S::WIDTH).map(number));
                }
            }
            springs.starts.push((springs.others.len() / S::WIDTH) as u32);
        }
        springs
    }
}

/// Adds up everything that acts on the vertices of some groups.
pub(super) struct VertexSums<'a, S, R> {
    pub(super) springs: &'a Springs<S>,
    pub(super) groups: Range<usize>,
    pub(super) points: &'a [Point],
    pub(super) inertia: &'a Inertia<'a>,
    pub(super) slots: &'a [[S; 4]],
    pub(super) slot_starts: &'a [u32],
    pub(super) rows: *mut R,
    pub(super) energy: &'a mut f64,
}

impl<S: LaneNumber, R: Real> Kernel<S> for VertexSums<'_, S, R> {
    /// SAFETY: places of springs are those of points; rows of the groups' vertices are this kernel's alone.
    #[inline(always)]
    unsafe fn run<L: Lanes<Scalar = S>>(self) {
        let w = S::WIDTH;
        let (free, all) = (self.inertia.target.len(), self.points.len());
        let mut energy = 0.0;
        for group in self.groups.clone() {
            let first = group * w;
            let count = w.min(all - first);
            let mut forces = [[S::default(); 4]; 8];
            let slots = self.springs.starts[group] as usize..self.springs.starts[group + 1] as usize;
            if !slots.is_empty() {
                // A group that is not full looks at its first vertex instead.
                let mut own = [first as u32; 8];
                (0..count).for_each(|lane| own[lane] = (first + lane) as u32);
                unsafe {
                    let (sum, springs) = self.spring_forces::<L>(&own, slots);
                    L::store_points(sum, forces.as_mut_ptr().cast());
                    let mut lanes = [S::default(); 8];
                    springs.store(lanes.as_mut_ptr());
                    energy += lanes[..w].iter().map(|e| e.to_f64()).sum::<f64>();
                }
            }
            for lane in 0..count.min(free.saturating_sub(first)) {
                let k = first + lane;
                let mut sum = forces[lane];
                for slot in &self.slots[self.slot_starts[k] as usize..self.slot_starts[k + 1] as usize] {
                    for c in 0..3 {
                        sum[c] = sum[c] - slot[c];
                    }
                }
                let (x, target, weight) = (&self.points[k], &self.inertia.target[k], self.inertia.weight[k]);
                let mut squared = 0.0;
                for c in 0..3 {
                    let offset = target[c] - x[c];
                    squared += offset * offset;
                    let other = self.inertia.other.get(k).map_or(0.0, |other| other[c]);
                    let total = weight * offset + sum[c].to_f64() - other;
                    unsafe { *self.rows.add(4 * k + c) = R::from_f64(total) }
                }
                unsafe { *self.rows.add(4 * k + 3) = R::default() }
                energy += 0.5 * weight * squared;
            }
        }
        *self.energy = energy;
    }
}

impl<S: LaneNumber, R> VertexSums<'_, S, R> {
    /// Forces of springs on a group's vertices, and their share of the springs' energy.
    #[inline(always)]
    unsafe fn spring_forces<L: Lanes<Scalar = S>>(&self, own: &[u32; 8], slots: Range<usize>) -> ([L; 3], L) {
        let w = S::WIDTH;
        let points = self.points.as_ptr().cast::<f64>();
        unsafe {
            let (mut sum, mut energy) = ([L::zero(); 3], L::zero());
            let one = L::splat(S::from_f64(1.0));
            let least = L::splat(S::from_f64(SHORTEST_SQUARED));
            for slot in slots {
                let e = L::edges(points, own.as_ptr(), self.springs.others.as_ptr().add(slot * w));
                let numbers = self.springs.numbers.as_ptr().add(3 * slot * w);
                let (low, high) = (L::load(numbers), L::load(numbers.add(w)));
                let weight = L::load(numbers.add(2 * w));
                let squared = e[0].mul_add(e[0], e[1].mul_add(e[1], e[2].mul(e[2])));
                let length = squared.max(least).sqrt();
                let target = length.max(low).min(high);
                // w (‖e‖ − l')/‖e‖ along e; where ends coincide e is zero, and `part` gives a direction.
                let excess = length.sub(target);
                let factor = weight.mul(one.sub(target.div(length)));
                for c in 0..3 {
                    sum[c] = factor.mul_add(e[c], sum[c]);
                }
                energy = weight.mul(excess).mul_add(excess, energy);
                let coincident = squared.less_mask(least) & L::zero().less_mask(low);
                if coincident != 0 {
                    part::<L>(coincident, own, self.springs.others.as_ptr().add(slot * w), weight.mul(low), &mut sum[0]);
                }
            }
            // Each end counts half of ½ w (‖e‖ − l')².
            (sum, energy.mul(L::splat(S::from_f64(0.25))))
        }
    }
}

/// Pushes coincident ends apart along the x axis, the one of lower place to the left: a spring of no length has no direction,
/// and this one is as good as any.
#[inline(never)]
unsafe fn part<L: Lanes>(mask: u32, own: &[u32; 8], others: *const u32, push: L, sum: &mut L) {
    let (mut pushes, mut sums) = ([L::Scalar::default(); 8], [L::Scalar::default(); 8]);
    unsafe {
        push.store(pushes.as_mut_ptr());
        sum.store(sums.as_mut_ptr());
        for lane in (0..L::WIDTH).filter(|lane| mask >> lane & 1 == 1) {
            let sign = if own[lane] < *others.add(lane) { -1.0 } else { 1.0 };
            sums[lane] = L::Scalar::from_f64(sums[lane].to_f64() + sign * pushes[lane].to_f64());
        }
        *sum = L::load(sums.as_ptr());
    }
}

/// Squared length below which an edge counts as having none \[m²\].
const SHORTEST_SQUARED: f64 = 1e-30;
