//! The local step on vectors: forces and energy of elements, eight or four at a time.
//!
//! What a solver needs of the local step is w Aᵀ(A x − p) for each vertex, never p itself. So elements are projected and turned
//! into forces in one pass. Springs are visited from each of their ends, and a vertex adds up its own: each spring is
//! projected twice, which costs less than writing its force down and finding it again. Other elements write the forces on their
//! corners to slots that lie side by side for each vertex, which then adds them up. What has a constant projection is a product with a sparse
//! matrix. Nothing is shared between threads, and all sums have a fixed order.
//!
//! Edges are subtracted in f64 and rounded to the lanes' numbers after: a short edge far from the origin is as exact as one at
//! the origin.
//!
//! Energies that users write go through [`Batch`](crate::energy::Batch) one by one, in f64.

#![allow(unsafe_code)] // Kernels on raw pointers: each item of a stage writes to its own elements' slots or its own vertices.

mod corners;
mod curvature;
mod damping;
mod damping_blocks;
mod element_blocks;
mod examples;
mod fibres;
mod free_turns;
mod gather;
mod general;
mod global_examples;
mod hinge_frames;
mod hinges;
mod planes;
mod quadratic;
mod rings;
mod simplex;
mod simplex_blocks;
mod springs;
mod tets;
mod triangles;

use crate::energy::{Arrays, Memory};
use crate::math::Vec3;
use crate::math::lanes::{InstructionSet, LaneNumber, Real};
use crate::parallel::{Shared, Team};
use crate::solve::Objective;
use crate::world::model::Model;

pub(in crate::solve) use curvature::CurvatureRows;
pub(in crate::solve) use element_blocks::{At, BlockPlace, ElementBlocks};
use examples::MOST_EXAMPLES;
use gather::Gathering;
pub(in crate::solve) use general::General;
use planes::Planes;
use quadratic::Quadratic;
use simplex::LaneBatch;
use springs::{LimitedSprings, PlainSprings, VertexSums};

/// Vertices in the order of the linear solve: free ones as they are eliminated, then pinned ones and those of other groups.
#[derive(Debug)]
pub(in crate::solve) struct Order {
    /// Vertex at each place.
    pub(in crate::solve) vertices: Vec<u32>,
    /// Place of each vertex.
    pub(in crate::solve) places: Vec<u32>,
    /// Number of free vertices.
    pub(in crate::solve) free: usize,
}

impl Order {
    /// From the order of elimination of the unknowns.
    pub(in crate::solve) fn new(model: &Model, elimination: &[u32]) -> Self {
        Self::with_free(model, elimination.iter().map(|&k| model.free()[k as usize]).collect())
    }

    /// From the free vertices in their order.
    pub(in crate::solve) fn with_free(model: &Model, mut vertices: Vec<u32>) -> Self {
        let free = vertices.len();
        if free < model.rest().len() {
            vertices.extend((0..model.rest().len() as u32).filter(|&v| model.free_index(v).is_none()));
        }
        let mut places = vec![0u32; vertices.len()];
        vertices.iter().enumerate().for_each(|(place, &v)| places[v as usize] = place as u32);
        Self { free, vertices, places }
    }
}

/// A point with one unused number, so that points can be loaded as vectors.
pub(in crate::solve) type Point = [f64; 4];

/// Points after the last vertex, so that vectors may look beyond it.
pub(in crate::solve) const PADDING: usize = 8;

/// Those points: far from any vertex and from each other, so that nothing coincides with them.
pub(in crate::solve) fn padding() -> impl Iterator<Item = Point> {
    (1..=PADDING).map(|k| [1e9 * k as f64, 0.0, 0.0, 0.0])
}

pub(in crate::solve) fn point(v: Vec3) -> Point {
    [v.x, v.y, v.z, 0.0]
}

/// Whether a batch has kernels here.
pub(in crate::solve) fn has_lanes(arrays: &Arrays) -> bool {
    !matches!(arrays, Arrays::Opaque | Arrays::Rigid(_))
}

/// Groups of elements, or of vertices, that a thread takes at a time.
const GROUPS_PER_ITEM: usize = 32;

/// Rounds of a coupled projection; it ends earlier when nothing moves.
const MOST_ROUNDS: usize = 8;

/// Elements of all batches that have kernels, in lanes of `S`.
#[derive(Debug)]
pub(in crate::solve) struct LocalStep<S: LaneNumber> {
    springs: PlainSprings<S>,
    limited: LimitedSprings<S>,
    quadratic: Quadratic,
    planes: Planes,
    batches: Vec<Box<dyn LaneBatch<S>>>,
    /// What elements keep from one projection to the next, batch by batch.
    kept: Vec<S>,
    kept_starts: Vec<usize>,
    /// (batch, first group) of each item of work on elements.
    items: Vec<(usize, usize)>,
    /// First item of each batch, and the end.
    item_starts: Vec<usize>,
    /// What items add up in rounds of coupled projections.
    sums: Vec<[f64; MOST_EXAMPLES]>,
    /// Forces on corners, four numbers each; those of free vertex k at `slot_starts[k]..slot_starts[k + 1]`.
    slots: Vec<[S; 4]>,
    slot_starts: Vec<u32>,
    /// Energy of each item of elements, then of vertices \[J\].
    energies: Vec<f64>,
    instructions: InstructionSet,
    /// Number of vertices: all places are below it.
    vertices: usize,
}

/// What the vertices of a step are given besides elements.
pub(in crate::solve) struct Inertia<'a> {
    /// s at each free vertex, in order.
    pub(in crate::solve) target: &'a [Point],
    /// m/τ² at each free vertex, in order \[N/m\].
    pub(in crate::solve) weight: &'a [f64],
    /// Gradient of other energies at each free vertex, in order; empty for none \[N\].
    pub(in crate::solve) other: &'a [Vec3],
}

impl<S: LaneNumber> LocalStep<S> {
    /// Gathers the elements of all batches with kernels, or of none.
    pub(in crate::solve) fn new(objective: &Objective<'_>, order: &Order, none: bool) -> Self {
        let mut gathering = Gathering::<S>::new(objective, order);
        let (mut springs, mut forms, mut goals, mut planes) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        if !none {
            let energies = objective.model.energies();
            let mut taken = vec![false; energies.len()];
            for b in 0..energies.len() {
                if std::mem::replace(&mut taken[b], true) {
                    continue;
                }
                let (operator, scale) = (energies[b].batch.operator(), objective.scales[b]);
                match energies[b].batch.arrays() {
                    arrays if !has_lanes(&arrays) => {}
                    Arrays::EdgeSpring(lengths) => {
                        springs.push((operator, lengths, operator.weights().iter().map(|w| scale * w).collect()));
                    }
                    Arrays::SpringPair(pairs) => {
                        let (lengths, factors): (Vec<_>, Vec<_>) = pairs.into_iter().unzip();
                        let weights = operator.weights().iter().zip(factors).map(|(w, factor)| scale * w / factor);
                        springs.push((operator, lengths, weights.collect()));
                    }
                    Arrays::MeanCurvature(lengths) if lengths.iter().all(|length| *length == 0.0) => {
                        forms.push((operator, scale));
                    }
                    Arrays::Quadratic => forms.push((operator, scale)),
                    Arrays::Goals => goals.push((b, operator, scale)),
                    Arrays::HalfSpace => planes.push((b, operator, scale)),
                    arrays => {
                        // Strain and volume of the same elements are done together.
                        let partner = (b + 1..energies.len()).find(|&other| {
                            !taken[other]
                                && arrays.is_strain_with(&energies[other].batch.arrays())
                                && operator.has_the_rows_of(energies[other].batch.operator())
                        });
                        partner.into_iter().for_each(|other| taken[other] = true);
                        gathering.push(b, arrays, partner);
                    }
                }
            }
        }
        let Gathering { mut batches, slots, .. } = gathering;
        let (slot_starts, slot_count) = slots.finish(|slot| batches.iter_mut().for_each(|batch| batch.resolve(slot)));
        let mut items = Vec::new();
        let (mut item_starts, mut kept_starts) = (vec![0], vec![0]);
        for (b, batch) in batches.iter().enumerate() {
            items.extend((0..batch.groups()).step_by(GROUPS_PER_ITEM).map(|group| (b, group)));
            kept_starts.push(kept_starts[b] + batch.kept_len());
            item_starts.push(items.len());
        }
        let couples = batches.iter().any(|batch| batch.sums() > 0);
        let vertex_items = order.vertices.len().div_ceil(S::WIDTH * GROUPS_PER_ITEM);
        Self {
            springs: PlainSprings::new(&springs, order),
            limited: LimitedSprings::new(&springs, order),
            quadratic: Quadratic::new(&forms, &goals, order),
            planes: Planes::new(&planes, order),
            energies: vec![0.0; items.len() + vertex_items],
            kept: vec![S::default(); kept_starts[batches.len()]],
            kept_starts,
            batches,
            sums: vec![[0.0; MOST_EXAMPLES]; if couples { items.len() } else { 0 }],
            items,
            item_starts,
            slots: vec![[S::default(); 4]; slot_count],
            slot_starts,
            instructions: InstructionSet::detect(),
            vertices: order.vertices.len(),
        }
    }

    /// Takes what projections start from, and the goals of a stage.
    pub(in crate::solve) fn begin(&mut self, team: &Team<'_>, memory: &[Memory], goals: &[Vec<Vec3>]) {
        for (b, batch) in self.batches.iter().enumerate() {
            batch.load_warm(team, memory, &mut self.kept[self.kept_starts[b]..self.kept_starts[b + 1]]);
        }
        self.quadratic.set_goals(goals);
        self.planes.set_goals(goals);
    }

    /// Leaves what projections start from for the next solve.
    pub(in crate::solve) fn store_warm(&self, team: &Team<'_>, memory: &mut [Memory]) {
        for (b, batch) in self.batches.iter().enumerate() {
            batch.store_warm(team, &self.kept[self.kept_starts[b]..self.kept_starts[b + 1]], memory);
        }
    }

    /// Sets `rows` to −∇g of the free vertices, four numbers each, and returns g without the energies of other kinds \[J\],
    /// or something less where nobody asks for it.
    ///
    /// `points` holds all vertices in order, padded by [`PADDING`] points.
    pub(in crate::solve) fn evaluate<R: Real>(
        &mut self,
        team: &Team<'_>,
        points: &[Point],
        inertia: &Inertia<'_>,
        rows: &mut [R],
        with_energy: bool,
    ) -> f64 {
        let (count, free) = (self.vertices, inertia.target.len());
        assert_eq!(points.len(), count + PADDING, "all vertices, padded");
        assert!(rows.len() >= 4 * free && inertia.weight.len() >= free, "a row and a weight for each free vertex");
        let (element_items, vertex_items) = (self.items.len(), self.energies.len() - self.items.len());
        let (slots, energies) = (Shared(self.slots.as_mut_ptr()), Shared(self.energies.as_mut_ptr()));
        let (kept, instructions) = (Shared(self.kept.as_mut_ptr()), self.instructions);
        let (batches, kept_starts) = (&self.batches, &self.kept_starts);
        for (b, batch) in batches.iter().enumerate().filter(|(_, batch)| batch.sums() > 0) {
            let items = self.item_starts[b]..self.item_starts[b + 1];
            let (sums, own) = (Shared(self.sums.as_mut_ptr()), Shared(kept.get().wrapping_add(kept_starts[b])));
            for _ in 0..MOST_ROUNDS {
                team.share(items.len(), |k| {
                    let first = self.items[items.start + k].1;
                    let groups = first..batch.groups().min(first + GROUPS_PER_ITEM);
                    // SAFETY: points are all there, as checked above; each item has its own groups of the batch, what
                    // these keep, and its own sums, since there are as many as items.
                    unsafe {
                        let sums = &mut (&mut *sums.get().add(k))[..batch.sums()];
                        batch.add_up(instructions, groups, points, own.get(), sums);
                    }
                });
                let mut totals = [0.0; MOST_EXAMPLES];
                // SAFETY: all items are done, so sums and what this batch keeps are nobody else's.
                let goes_on = unsafe {
                    for k in 0..items.len() {
                        (0..batch.sums()).for_each(|i| totals[i] += (*sums.get().add(k))[i]);
                    }
                    let kept = std::slice::from_raw_parts_mut(own.get(), kept_starts[b + 1] - kept_starts[b]);
                    batch.settle(&totals[..batch.sums()], kept)
                };
                if !goes_on {
                    break;
                }
            }
        }
        team.share(element_items, |item| {
            let (b, first) = self.items[item];
            let batch = &batches[b];
            let groups = first..batch.groups().min(first + GROUPS_PER_ITEM);
            // SAFETY: points are all there, as checked above; each item has its own groups, with slots and kept numbers
            // of their own, and one of the energies, of which the first are the items'.
            unsafe {
                let kept = kept.get().add(kept_starts[b]);
                *energies.get().add(item) = batch.forces(instructions, groups, points, slots.get(), kept);
            }
        });
        let rows = Shared(rows.as_mut_ptr());
        team.share(vertex_items, |item| {
            let first = item * GROUPS_PER_ITEM;
            let mut energy = 0.0;
            let kernel = VertexSums {
                springs: &self.springs,
                limited: &self.limited,
                quadratic: &self.quadratic,
                planes: &self.planes,
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
            // SAFETY: after those of elements there is an energy for each item of vertices.
            unsafe { *energies.get().add(element_items + item) = energy }
        });
        let kept_of = |b: usize| &self.kept[self.kept_starts[b]..self.kept_starts[b + 1]];
        let extra: f64 = self.batches.iter().enumerate().map(|(b, batch)| batch.extra_energy(kept_of(b))).sum();
        self.quadratic.constant() + extra + self.energies.iter().sum::<f64>()
    }
}

#[cfg(test)]
mod curvature_tests;
#[cfg(test)]
mod tests;
