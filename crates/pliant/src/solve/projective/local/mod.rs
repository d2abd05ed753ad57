//! The local step on vectors: forces and energy of springs, triangles and tets, eight or four at a time, and of bending one by one.
//!
//! What a solver needs of the local step is w Aᵀ(A x − p) for each vertex, never p itself. So elements are projected and turned
//! into forces in one pass. Springs are visited from each of their ends, and a vertex adds up its own: each spring is
//! projected twice, which costs less than writing its force down and finding it again. Triangles, tets and rings write the forces on their
//! corners to slots that lie side by side for each vertex, which then adds them up. Nothing is shared between threads, and
//! all sums have a fixed order.
//!
//! Edges are subtracted in f64 and rounded to the lanes' numbers after: a short edge far from the origin is as exact as one at
//! the origin.
//!
//! Energies of other kinds go through [`Batch`](crate::energy::Batch) one by one, in f64.

#![allow(unsafe_code)] // Kernels on raw pointers: each item of a stage writes to its own elements' slots or its own vertices.

mod general;
mod rings;
mod springs;
mod tets;
mod triangles;

use crate::energy::{Arrays, Memory};
use crate::math::Vec3;
use crate::math::lanes::{InstructionSet, LaneNumber, Real};
use crate::model::Model;
use crate::parallel::{Shared, Team};
use crate::solve::Objective;

pub(super) use general::General;
use rings::{RingForces, Rings};
use springs::{LimitedSprings, PlainSprings, VertexSums};
use tets::{TetForces, Tets};
use triangles::{TriangleForces, Triangles};

/// Vertices in the order of the linear solve: free ones as they are eliminated, then pinned ones.
#[derive(Debug)]
pub(super) struct Order {
    /// Vertex at each place.
    pub(super) vertices: Vec<u32>,
    /// Place of each vertex.
    pub(super) places: Vec<u32>,
    /// Number of free vertices.
    pub(super) free: usize,
}

impl Order {
    /// From the order of elimination of the unknowns.
    pub(super) fn new(model: &Model, elimination: &[u32]) -> Self {
        let mut vertices: Vec<u32> = elimination.iter().map(|&k| model.free()[k as usize]).collect();
        vertices.extend(model.pinned());
        let mut places = vec![0u32; vertices.len()];
        vertices.iter().enumerate().for_each(|(place, &v)| places[v as usize] = place as u32);
        Self { free: elimination.len(), vertices, places }
    }
}

/// A point with one unused number, so that points can be loaded as vectors.
pub(super) type Point = [f64; 4];

/// Points after the last vertex, so that vectors may look beyond it.
pub(super) const PADDING: usize = 8;

/// Those points: far from any vertex and from each other, so that nothing coincides with them.
pub(super) fn padding() -> impl Iterator<Item = Point> {
    (1..=PADDING).map(|k| [1e9 * k as f64, 0.0, 0.0, 0.0])
}

pub(super) fn point(v: Vec3) -> Point {
    [v.x, v.y, v.z, 0.0]
}

/// Whether a batch has kernels here.
pub(super) fn has_lanes(arrays: &Arrays) -> bool {
    match arrays {
        Arrays::EdgeSpring(_) | Arrays::TriangleStrain(_) => true,
        // Other bounds than rotations need all singular vectors.
        Arrays::TetStrain([low, high]) => low == high,
        Arrays::MeanCurvature(lengths) => lengths.iter().all(|length| *length == 0.0),
        Arrays::Opaque | Arrays::Quadratic | Arrays::Rigid(_) => false,
    }
}

/// Groups of elements, or of vertices, that a thread takes at a time.
const GROUPS_PER_ITEM: usize = 32;

/// Rings that a thread takes at a time.
const RINGS_PER_ITEM: usize = 256;

/// Elements of all batches that have kernels, in lanes of `S`.
#[derive(Debug)]
pub(super) struct LocalStep<S: LaneNumber> {
    springs: PlainSprings<S>,
    limited: LimitedSprings<S>,
    triangles: Vec<Triangles<S>>,
    tets: Vec<Tets<S>>,
    rings: Vec<Rings>,
    /// Rotations of all tets.
    rotations: Vec<S>,
    /// (kind, batch, first group or ring) of each item of work on elements.
    items: Vec<(Kind, usize, usize)>,
    /// Forces on corners, four numbers each; those of free vertex k at `slot_starts[k]..slot_starts[k + 1]`.
    slots: Vec<[S; 4]>,
    slot_starts: Vec<u32>,
    /// Energy of each item of elements, then of vertices \[J\].
    energies: Vec<f64>,
    instructions: InstructionSet,
}

#[derive(Debug, Clone, Copy)]
enum Kind {
    Triangles,
    Tets,
    Rings,
}

/// What the vertices of a step are given besides elements.
pub(super) struct Inertia<'a> {
    /// s at each free vertex, in order.
    pub(super) target: &'a [Point],
    /// m/τ² at each free vertex, in order \[N/m\].
    pub(super) weight: &'a [f64],
    /// Gradient of other energies at each free vertex, in order; empty for none \[N\].
    pub(super) other: &'a [Vec3],
}

impl<S: LaneNumber> LocalStep<S> {
    /// Gathers the elements of all batches with kernels, or of none.
    pub(super) fn new(objective: &Objective<'_>, order: &Order, none: bool) -> Self {
        let mut slots = SlotCounter::new(order);
        let (mut springs, mut triangles, mut tets) = (Vec::new(), Vec::new(), Vec::<Tets<S>>::new());
        let (mut rings, mut rotations) = (Vec::new(), 0);
        for (b, (entry, &scale)) in objective.model.energies().iter().zip(objective.scales).enumerate() {
            let (batch, arrays) = (entry.batch.as_ref(), entry.batch.arrays());
            if none || !has_lanes(&arrays) {
                continue;
            }
            match arrays {
                Arrays::EdgeSpring(lengths) => springs.push((batch.operator(), lengths, scale)),
                Arrays::TriangleStrain(bounds) => {
                    triangles.push(Triangles::new(batch.operator(), bounds, scale, &mut slots));
                }
                Arrays::TetStrain(_) => {
                    tets.push(Tets::new(b, rotations, batch.operator(), scale, &mut slots));
                    rotations = tets[tets.len() - 1].rotations().end;
                }
                Arrays::MeanCurvature(_) => rings.push(Rings::new(batch.operator(), scale, &mut slots)),
                Arrays::Opaque | Arrays::Quadratic | Arrays::Rigid(_) => {}
            }
        }
        let (slot_starts, slot_count) = slots.finish(&mut triangles, &mut tets, &mut rings);
        let mut items = Vec::new();
        for (batch, triangles) in triangles.iter().enumerate() {
            items.extend((0..triangles.groups()).step_by(GROUPS_PER_ITEM).map(|g| (Kind::Triangles, batch, g)));
        }
        for (batch, tets) in tets.iter().enumerate() {
            items.extend((0..tets.groups()).step_by(GROUPS_PER_ITEM).map(|g| (Kind::Tets, batch, g)));
        }
        for (batch, rings) in rings.iter().enumerate() {
            items.extend((0..rings.len()).step_by(RINGS_PER_ITEM).map(|first| (Kind::Rings, batch, first)));
        }
        let vertex_items = order.vertices.len().div_ceil(S::WIDTH * GROUPS_PER_ITEM);
        Self {
            springs: PlainSprings::new(&springs, order),
            limited: LimitedSprings::new(&springs, order),
            energies: vec![0.0; items.len() + vertex_items],
            triangles,
            tets,
            rings,
            rotations: vec![S::default(); rotations],
            items,
            slots: vec![[S::default(); 4]; slot_count],
            slot_starts,
            instructions: InstructionSet::detect(),
        }
    }

    /// Takes rotations to start from.
    pub(super) fn load_warm(&mut self, memory: &[Memory]) {
        for tets in &self.tets {
            tets.load_warm(&memory[tets.batch].warm, &mut self.rotations[tets.rotations()]);
        }
    }

    /// Leaves rotations for the next solve.
    pub(super) fn store_warm(&self, memory: &mut [Memory]) {
        for tets in &self.tets {
            tets.store_warm(&self.rotations[tets.rotations()], &mut memory[tets.batch].warm);
        }
    }

    /// Sets `rows` to −∇g of the free vertices, four numbers each, and returns g without the energies of other kinds \[J\],
    /// or something less where nobody asks for it.
    ///
    /// `points` holds all vertices in order, padded by [`PADDING`] points.
    pub(super) fn evaluate<R: Real>(
        &mut self,
        team: &Team<'_>,
        points: &[Point],
        inertia: &Inertia<'_>,
        rows: &mut [R],
        with_energy: bool,
    ) -> f64 {
        assert!(rows.len() >= 4 * inertia.target.len(), "a row for each free vertex");
        let count = points.len() - PADDING;
        let (element_items, vertex_items) = (self.items.len(), self.energies.len() - self.items.len());
        let (slots, energies) = (Shared(self.slots.as_mut_ptr()), Shared(self.energies.as_mut_ptr()));
        let rotations = Shared(self.rotations.as_mut_ptr());
        let (triangles, tets, rings, instructions) = (&self.triangles, &self.tets, &self.rings, self.instructions);
        team.share(element_items, |item| {
            let (kind, batch, first) = self.items[item];
            let mut energy = 0.0;
            match kind {
                Kind::Triangles => {
                    let end = triangles[batch].groups().min(first + GROUPS_PER_ITEM);
                    let (triangles, groups) = (&triangles[batch], first..end);
                    let kernel = TriangleForces { triangles, groups, points, slots: slots.get(), energy: &mut energy };
                    S::dispatch(instructions, kernel);
                }
                Kind::Tets => {
                    let end = tets[batch].groups().min(first + GROUPS_PER_ITEM);
                    let (tets, groups) = (&tets[batch], first..end);
                    let (slots, rotations) = (slots.get(), rotations.get());
                    let kernel = TetForces { tets, groups, points, slots, rotations, energy: &mut energy };
                    S::dispatch(instructions, kernel);
                }
                Kind::Rings => {
                    let elements = first..rings[batch].len().min(first + RINGS_PER_ITEM);
                    let (rings, slots) = (&rings[batch], slots.get());
                    let kernel = RingForces { rings, elements, points, slots, energy: &mut energy };
                    S::dispatch(instructions, kernel);
                }
            }
            // SAFETY: each item has its own place.
            unsafe { *energies.get().add(item) = energy }
        });
        let rows = Shared(rows.as_mut_ptr());
        team.share(vertex_items, |item| {
            let first = item * GROUPS_PER_ITEM;
            let mut energy = 0.0;
            let kernel = VertexSums {
                springs: &self.springs,
                limited: &self.limited,
                groups: first..count.div_ceil(S::WIDTH).min(first + GROUPS_PER_ITEM),
                points,
                with_energy,
                inertia,
                slots: &self.slots,
                slot_starts: &self.slot_starts,
                rows: rows.get(),
                energy: &mut energy,
            };
            S::dispatch(instructions, kernel);
            // SAFETY: each item has its own place.
            unsafe { *energies.get().add(element_items + item) = energy }
        });
        self.energies.iter().sum()
    }
}

/// Hands out slots for the corners of elements: numbers within their vertex first, places among all slots at the end.
pub(super) struct SlotCounter<'a> {
    order: &'a Order,
    counts: Vec<u32>,
    /// Corners at pinned vertices and of padding: their forces go where nobody looks.
    idle: u32,
}

impl<'a> SlotCounter<'a> {
    fn new(order: &'a Order) -> Self {
        Self { order, counts: vec![0; order.free], idle: 0 }
    }

    /// The number within its vertex of the next corner at a place; of a pinned vertex, the number of an idle slot.
    fn next(&mut self, place: u32) -> u32 {
        let count = self.counts.get_mut(place as usize).unwrap_or(&mut self.idle);
        *count += 1;
        *count - 1
    }

    /// A slot that nobody looks at.
    fn idle(&mut self) -> u32 {
        self.idle += 1;
        self.idle - 1
    }

    fn finish<S: LaneNumber>(
        self,
        triangles: &mut [Triangles<S>],
        tets: &mut [Tets<S>],
        rings: &mut [Rings],
    ) -> (Vec<u32>, usize) {
        let mut starts = vec![0u32];
        for &count in &self.counts {
            starts.push(starts[starts.len() - 1] + count);
        }
        let real = starts[self.order.free];
        // Place of a corner's slot, from the place of its vertex (beyond all for padding) and its number there.
        let slot =
            |place: u32, number: u32| starts[..self.order.free].get(place as usize).map_or(real, |s| *s) + number;
        triangles.iter_mut().for_each(|triangles| triangles.corners.resolve(slot));
        tets.iter_mut().for_each(|tets| tets.corners.resolve(slot));
        rings.iter_mut().for_each(|rings| rings.resolve(slot));
        (starts, (real + self.idle) as usize)
    }
}

/// Vertices and slots of the corners of elements with `N` of them, in groups of a vector's width.
#[derive(Debug)]
struct Corners<const N: usize> {
    width: usize,
    /// Elements that the lanes stand for, in the order of lanes.
    elements: Vec<u32>,
    /// First number of each corner's point: group by group, corner by corner, lane by lane.
    places: Vec<u32>,
    /// First number of each corner's slot.
    slots: Vec<u32>,
}

impl<const N: usize> Corners<N> {
    /// Elements with these stencils, near ones together; the last group is filled up with copies of the last element.
    fn new(width: usize, operator: &crate::energy::Operator, slots: &mut SlotCounter<'_>) -> Self {
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
    fn lane(&self, group: usize, lane: usize) -> (u32, bool) {
        let k = group * self.width + lane;
        (self.elements[k.min(self.elements.len() - 1)], k >= self.elements.len())
    }

    fn groups(&self) -> usize {
        self.elements.len().div_ceil(self.width)
    }

    /// Turns numbers within vertices into places among all slots.
    fn resolve(&mut self, slot: impl Fn(u32, u32) -> u32) {
        for k in 0..self.slots.len() {
            let (group, lane) = (k / (N * self.width), k % self.width);
            let is_padding = self.lane(group, lane).1;
            let place = if is_padding { u32::MAX } else { self.places[k] / 4 };
            self.slots[k] = 4 * slot(place, self.slots[k]);
        }
    }

    /// First corner of a group among all.
    fn first(&self, group: usize) -> usize {
        group * N * self.width
    }

    /// One number for each lane of a group from each element, zero for lanes that fill up where `zero_padding`.
    fn per_lane<S: Real>(&self, group: usize, zero_padding: bool, value: impl Fn(usize) -> f64) -> Vec<S> {
        (0..self.width)
            .map(|lane| {
                let (element, is_padding) = self.lane(group, lane);
                S::from_f64(if is_padding && zero_padding { 0.0 } else { value(element as usize) })
            })
            .collect()
    }
}

#[cfg(test)]
mod tests;
