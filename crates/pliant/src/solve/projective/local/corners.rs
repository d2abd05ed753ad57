//! Where the corners of elements are: their points, and the slots that their forces go to.

use super::Order;
use super::simplex::VisitBlock;
use crate::energy::Operator;
use crate::math::lanes::Real;

/// Hands out slots for the corners of elements: numbers within their vertex first, places among all slots at the end.
pub(super) struct SlotCounter<'a> {
    order: &'a Order,
    counts: Vec<u32>,
    /// Corners at pinned vertices and of padding: their forces go where nobody looks.
    idle: u32,
}

impl<'a> SlotCounter<'a> {
    pub(super) fn new(order: &'a Order) -> Self {
        Self { order, counts: vec![0; order.free], idle: 0 }
    }

    /// The number within its vertex of the next corner at a place; of a pinned vertex, the number of an idle slot.
    pub(super) fn next(&mut self, place: u32) -> u32 {
        let count = self.counts.get_mut(place as usize).unwrap_or(&mut self.idle);
        *count += 1;
        *count - 1
    }

    /// A slot that nobody looks at.
    pub(super) fn idle(&mut self) -> u32 {
        self.idle += 1;
        self.idle - 1
    }

    /// First slot of each free vertex and the end, and the number of all slots. `resolve` gets what turns the place of a vertex (beyond
    /// all for padding) and a number there into a slot.
    pub(super) fn finish(self, resolve: impl FnOnce(&dyn Fn(u32, u32) -> u32)) -> (Vec<u32>, usize) {
        let mut starts = vec![0u32];
        for &count in &self.counts {
            starts.push(starts[starts.len() - 1] + count);
        }
        let real = starts[self.order.free];
        resolve(&|place, number| starts[..self.order.free].get(place as usize).map_or(real, |s| *s) + number);
        (starts, (real + self.idle) as usize)
    }
}

/// Vertices and slots of the corners of elements with `N` of them, in groups of a vector's width.
#[derive(Debug)]
pub(super) struct Corners<const N: usize> {
    width: usize,
    /// Elements that the lanes stand for, in the order of lanes.
    pub(super) elements: Vec<u32>,
    /// First number of each corner's point: group by group, corner by corner, lane by lane.
    pub(super) places: Vec<u32>,
    /// First number of each corner's slot.
    pub(super) slots: Vec<u32>,
}

impl<const N: usize> Corners<N> {
    /// Elements with these stencils, near ones together; the last group is filled up with copies of the last element.
    pub(super) fn new(width: usize, operator: &Operator, slots: &mut SlotCounter<'_>) -> Self {
        let order = slots.order;
        let mut elements: Vec<u32> = (0..operator.len() as u32).collect();
        let place = |e: u32, corner: usize| order.places[operator.stencil(e as usize)[corner] as usize];
        elements.sort_by_key(|&e| (0..N).map(|corner| place(e, corner)).min());
        let groups = elements.len().div_ceil(width);
        let mut corners = Self { width, places: Vec::new(), slots: Vec::new(), elements };
        for group in 0..groups {
            for corner in 0..N {
                for lane in 0..width {
                    let (element, is_padding) = corners.lane(group, lane);
                    let place = place(element, corner);
                    corners.places.push(4 * place);
                    corners.slots.push(if is_padding { slots.idle() } else { slots.next(place) });
                }
            }
        }
        corners
    }

    /// The element of a lane, and whether it is there to fill up.
    pub(super) fn lane(&self, group: usize, lane: usize) -> (u32, bool) {
        let k = group * self.width + lane;
        (self.elements[k.min(self.elements.len() - 1)], k >= self.elements.len())
    }

    pub(super) fn groups(&self) -> usize {
        self.elements.len().div_ceil(self.width)
    }

    /// Turns numbers within vertices into places among all slots.
    pub(super) fn resolve(&mut self, slot: &dyn Fn(u32, u32) -> u32) {
        for k in 0..self.slots.len() {
            let (group, lane) = (k / (N * self.width), k % self.width);
            let is_padding = self.lane(group, lane).1;
            let place = if is_padding { u32::MAX } else { self.places[k] / 4 };
            self.slots[k] = 4 * slot(place, self.slots[k]);
        }
    }

    /// First corner of a group among all.
    pub(super) fn first(&self, group: usize) -> usize {
        group * N * self.width
    }

    /// Blocks between corners, group by group and lane by lane, as [`LaneBatch::list_blocks`](super::simplex::LaneBatch::list_blocks) tells of them.
    pub(super) fn list_blocks(&self, start: usize, visit: &mut VisitBlock<'_>) -> usize {
        let mut at = start;
        for group in 0..self.groups() {
            for i in 0..N {
                for j in i..N {
                    for lane in (0..self.width).filter(|&lane| !self.lane(group, lane).1) {
                        let [a, b] =
                            [i, j].map(|corner| self.places[self.first(group) + corner * self.width + lane] / 4);
                        visit(i == j, a, b, at + 4 * lane);
                    }
                    at += 3 * 4 * self.width;
                }
            }
        }
        at
    }

    /// One number for each lane of a group from each element, zero for lanes that fill up where `zero_padding`.
    pub(super) fn per_lane<S: Real>(&self, group: usize, zero_padding: bool, value: impl Fn(usize) -> f64) -> Vec<S> {
        (0..self.width)
            .map(|lane| {
                let (element, is_padding) = self.lane(group, lane);
                S::from_f64(if is_padding && zero_padding { 0.0 } else { value(element as usize) })
            })
            .collect()
    }
}
