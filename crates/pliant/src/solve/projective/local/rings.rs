//! Forces of vertices that bend from a rest curvature: A x is their mean curvature, and its projection has the length at rest.
//!
//! Rings have different numbers of corners, and their curvature is a small difference of large numbers, so they go one by one in f64. What is wide
//! here is a point: its four numbers are one vector, and loops over them without conditions become one instruction each.

use std::ops::Range;

use super::corners::SlotCounter;
use super::element_blocks::{ElementBlocks, place_of};
use super::simplex::{LaneBatch, VisitBlock};
use super::{Order, Point};
use crate::energy::{Curvature, Memory, Operator};
use crate::math::lanes::{InstructionSet, Kernel, LaneNumber, Lanes};
use crate::parallel::Team;

/// Vertices with their neighbours, of one batch.
#[derive(Debug)]
pub(super) struct Rings {
    /// Its number among the model's energies.
    batch: [usize; 1],
    /// Element of each ring.
    elements: Vec<u32>,
    /// First corner of each ring; the first corner is the vertex.
    starts: Vec<u32>,
    /// First block of each ring: one for each pair of corners.
    block_starts: Vec<u32>,
    /// Place of each corner.
    places: Vec<u32>,
    /// Slot of each corner.
    slots: Vec<u32>,
    /// A of each corner.
    coefficients: Vec<f64>,
    /// Weight, and curvature at rest.
    numbers: Vec<[f64; 2]>,
}

impl Rings {
    pub(super) fn new(
        batch: usize,
        operator: &Operator,
        scale: f64,
        lengths: &[f64],
        order: &Order,
        slots: &mut SlotCounter<'_>,
    ) -> Self {
        let mut elements: Vec<u32> = (0..operator.len() as u32).collect();
        // In the order of vertices, so that rings side by side share their points.
        elements.sort_by_key(|&e| order.places[operator.stencil(e as usize)[0] as usize]);
        let mut rings = Self {
            batch: [batch],
            starts: vec![0],
            block_starts: vec![0],
            places: Vec::new(),
            slots: Vec::new(),
            coefficients: Vec::new(),
            numbers: Vec::new(),
            elements,
        };
        for &e in &rings.elements {
            let e = e as usize;
            for place in operator.stencil(e).iter().map(|&v| order.places[v as usize]) {
                rings.places.push(place);
                rings.slots.push(slots.next(place));
            }
            rings.coefficients.extend_from_slice(operator.coefficients(e));
            rings.numbers.push([scale * operator.weight(e), lengths[e]]);
            rings.starts.push(rings.places.len() as u32);
            let corners = operator.stencil(e).len() as u32;
            rings.block_starts.push(rings.block_starts[rings.starts.len() - 2] + corners * (corners + 1) / 2);
        }
        rings
    }
}

impl Rings {
    /// A x, as seen from the vertex, so that nothing is lost far from the origin.
    #[inline(always)]
    fn curvature(&self, ring: usize, points: &[Point]) -> [f64; 4] {
        let corners = self.starts[ring] as usize..self.starts[ring + 1] as usize;
        let (places, coefficients) = (&self.places[corners.clone()], &self.coefficients[corners]);
        let own = points[places[0] as usize];
        let mut curvature = [0.0; 4];
        for k in 1..places.len() {
            let other = &points[places[k] as usize];
            for c in 0..4 {
                curvature[c] += coefficients[k] * (other[c] - own[c]);
            }
        }
        curvature
    }

    /// Second derivative of the energy over A x: w n nᵀ along it and w (1 − l/‖A x‖) across; projected, where that is not negative. Without a direction it
    /// is held.
    fn stiffness(&self, ring: usize, points: &[Point], curvature: Curvature) -> [[f64; 3]; 3] {
        let [x, y, z, _] = self.curvature(ring, points);
        let [weight, length] = self.numbers[ring];
        let (v, squared) = ([x, y, z], x * x + y * y + z * z);
        let is_long = squared > SHORTEST_SQUARED;
        let mut across = if is_long { weight * (1.0 - length / squared.sqrt()) } else { weight };
        if curvature == Curvature::Projected {
            across = across.max(0.0);
        }
        let along = if is_long { (weight - across) / squared } else { 0.0 };
        std::array::from_fn(|c| std::array::from_fn(|r| along * v[c] * v[r] + if c == r { across } else { 0.0 }))
    }
}

impl<S: LaneNumber> LaneBatch<S> for Rings {
    /// One ring each.
    fn groups(&self) -> usize {
        self.numbers.len()
    }

    fn resolve(&mut self, slot: &dyn Fn(u32, u32) -> u32) {
        self.slots.iter_mut().zip(&self.places).for_each(|(number, &place)| *number = slot(place, *number));
    }

    /// The last direction of each, for a curvature of zero.
    fn kept_len(&self) -> usize {
        3 * self.numbers.len()
    }

    fn load_warm(&self, _team: &Team<'_>, memory: &[Memory], kept: &mut [S]) {
        for (kept, &e) in kept.chunks_exact_mut(3).zip(&self.elements) {
            (0..3).for_each(|c| kept[c] = S::from_f64(memory[self.batch[0]].warm[3 * e as usize + c]));
        }
    }

    fn store_warm(&self, _team: &Team<'_>, kept: &[S], memory: &mut [Memory]) {
        for (kept, &e) in kept.chunks_exact(3).zip(&self.elements) {
            (0..3).for_each(|c| memory[self.batch[0]].warm[3 * e as usize + c] = kept[c].to_f64());
        }
    }

    fn batches_with_blocks(&self, _curvature: Curvature) -> &[usize] {
        &self.batch
    }

    fn list_blocks(&self, start: usize, visit: &mut VisitBlock<'_>) -> usize {
        for e in 0..self.numbers.len() {
            let places = &self.places[self.starts[e] as usize..self.starts[e + 1] as usize];
            let mut block = self.block_starts[e] as usize;
            for i in 0..places.len() {
                for j in i..places.len() {
                    visit(i == j, places[i], places[j], place_of::<S>(start, block));
                    block += 1;
                }
            }
        }
        place_of::<S>(start, (self.block_starts[self.numbers.len()] as usize).next_multiple_of(S::WIDTH))
    }

    unsafe fn blocks(
        &self,
        _instructions: InstructionSet,
        groups: Range<usize>,
        points: &[Point],
        _kept: *const S,
        curvature: Curvature,
        out: *mut S,
    ) {
        for e in groups {
            let corners = self.starts[e] as usize..self.starts[e + 1] as usize;
            let stiffness = self.stiffness(e, points, curvature);
            let coefficients = &self.coefficients[corners];
            let mut block = self.block_starts[e] as usize;
            for i in 0..coefficients.len() {
                for j in i..coefficients.len() {
                    let (place, product) = (place_of::<S>(0, block), coefficients[i] * coefficients[j]);
                    for c in 0..3 {
                        for r in 0..3 {
                            // SAFETY: `list_blocks` has made room for all blocks of rings, three points each, a column
                            // of all lanes apart; those of these rings are the caller's.
                            let number = unsafe { &mut *out.add(place + ElementBlocks::<S>::COLUMN * c + r) };
                            *number = S::from_f64(product * stiffness[c][r]);
                        }
                    }
                    block += 1;
                }
            }
        }
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
        S::dispatch(
            instructions,
            RingForces { rings: self, elements: groups, points, slots, kept, energy: &mut energy },
        );
        energy
    }
}

/// Writes the forces of some rings to their slots.
struct RingForces<'a, S> {
    rings: &'a Rings,
    elements: Range<usize>,
    points: &'a [Point],
    slots: *mut [S; 4],
    kept: *mut S,
    energy: &'a mut f64,
}

/// Squared curvature below which it has no direction.
const SHORTEST_SQUARED: f64 = 1e-30;

impl<S: LaneNumber> Kernel<S> for RingForces<'_, S> {
    #[inline(always)]
    fn run<L: Lanes<Scalar = S>>(self) {
        let rings = self.rings;
        let mut energy = 0.0;
        for e in self.elements.start..self.elements.end {
            let corners = rings.starts[e] as usize..rings.starts[e + 1] as usize;
            let coefficients = &rings.coefficients[corners.clone()];
            let curvature = rings.curvature(e, self.points);
            let [weight, length] = rings.numbers[e];
            let squared = curvature[0] * curvature[0] + curvature[1] * curvature[1] + curvature[2] * curvature[2];
            let mut force = [0.0; 4];
            let mut excess = 0.0;
            for c in 0..3 {
                // SAFETY: there are three kept numbers for each ring (`kept_len`), and those of these rings are the
                // caller's.
                let kept = unsafe { &mut *self.kept.add(3 * e + c) };
                let direction = if squared > SHORTEST_SQUARED { curvature[c] / squared.sqrt() } else { kept.to_f64() };
                *kept = S::from_f64(direction);
                let residual = curvature[c] - length * direction;
                excess += residual * residual;
                force[c] = weight * residual;
            }
            energy += 0.5 * weight * excess;
            for (k, &slot) in rings.slots[corners].iter().enumerate() {
                for c in 0..4 {
                    // SAFETY: `resolve` has given each corner one of the slots for itself.
                    unsafe { (*self.slots.add(slot as usize))[c] = S::from_f64(coefficients[k] * force[c]) }
                }
            }
        }
        *self.energy = energy;
    }
}
