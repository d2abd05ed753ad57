//! Forces of vertices that bend from a rest curvature: A x is their mean curvature, and its projection has the length at rest.
//!
//! Rings have different numbers of corners, and their curvature is a small difference of large numbers, so they go one by one in f64. What is wide
//! here is a point: its four numbers are one vector, and loops over them without conditions become one instruction each.

use std::ops::Range;

use super::corners::SlotCounter;
use super::simplex::LaneBatch;
use super::{Order, Point};
use crate::energy::{Memory, Operator};
use crate::math::lanes::{InstructionSet, Kernel, LaneNumber, Lanes};

/// Vertices with their neighbours, of one batch.
#[derive(Debug)]
pub(super) struct Rings {
    batch: usize,
    /// Element of each ring.
    elements: Vec<u32>,
    /// First corner of each ring; the first corner is the vertex.
    starts: Vec<u32>,
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
            batch,
            starts: vec![0],
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
        }
        rings
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

    fn load_warm(&self, memory: &[Memory], kept: &mut [S]) {
        for (kept, &e) in kept.chunks_exact_mut(3).zip(&self.elements) {
            (0..3).for_each(|c| kept[c] = S::from_f64(memory[self.batch].warm[3 * e as usize + c]));
        }
    }

    fn store_warm(&self, kept: &[S], memory: &mut [Memory]) {
        for (kept, &e) in kept.chunks_exact(3).zip(&self.elements) {
            (0..3).for_each(|c| memory[self.batch].warm[3 * e as usize + c] = kept[c].to_f64());
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
    /// SAFETY: each corner has a slot of its own, and each ring its last direction.
    #[inline(always)]
    unsafe fn run<L: Lanes<Scalar = S>>(self) {
        let rings = self.rings;
        let mut energy = 0.0;
        for e in self.elements.start..self.elements.end {
            let corners = rings.starts[e] as usize..rings.starts[e + 1] as usize;
            let (places, coefficients) = (&rings.places[corners.clone()], &rings.coefficients[corners.clone()]);
            // As seen from the vertex, so that nothing is lost far from the origin.
            let own = self.points[places[0] as usize];
            let mut curvature = [0.0; 4];
            for k in 1..places.len() {
                let other = &self.points[places[k] as usize];
                for c in 0..4 {
                    curvature[c] += coefficients[k] * (other[c] - own[c]);
                }
            }
            let [weight, length] = rings.numbers[e];
            let squared = curvature[0] * curvature[0] + curvature[1] * curvature[1] + curvature[2] * curvature[2];
            let mut force = [0.0; 4];
            let mut excess = 0.0;
            for c in 0..3 {
                // SAFETY: there are three numbers for each ring.
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
                    // SAFETY: the slot is this corner's.
                    unsafe { (*self.slots.add(slot as usize))[c] = S::from_f64(coefficients[k] * force[c]) }
                }
            }
        }
        *self.energy = energy;
    }
}
