//! Forces of vertices that bend from flat: A x is their mean curvature, and its projection is 0.
//!
//! Rings have different numbers of corners, so lanes would be of little use. What is wide here is a point: its four numbers are one vector, and
//! loops over them without conditions become one instruction each.

use std::ops::Range;

use super::{Point, SlotCounter};
use crate::energy::Operator;
use crate::math::lanes::{Kernel, LaneNumber, Lanes};

/// Vertices with their neighbours, of one batch.
#[derive(Debug)]
pub(super) struct Rings {
    /// First corner of each ring; the first corner is the vertex.
    starts: Vec<u32>,
    /// Place of each corner.
    places: Vec<u32>,
    /// Slot of each corner.
    slots: Vec<u32>,
    /// A of each corner.
    coefficients: Vec<f64>,
    weights: Vec<f64>,
}

impl Rings {
    pub(super) fn new(operator: &Operator, scale: f64, slots: &mut SlotCounter<'_>) -> Self {
        let order = slots.order;
        let mut elements: Vec<usize> = (0..operator.len()).collect();
        // In the order of vertices, so that rings side by side share their points.
        elements.sort_by_key(|&e| order.places[operator.stencil(e)[0] as usize]);
        let mut rings = Self {
            starts: vec![0],
            places: Vec::new(),
            slots: Vec::new(),
            coefficients: Vec::new(),
            weights: Vec::new(),
        };
        for e in elements {
            for place in operator.stencil(e).iter().map(|&v| order.places[v as usize]) {
                rings.places.push(place);
                rings.slots.push(slots.next(place));
            }
            rings.coefficients.extend_from_slice(operator.coefficients(e));
            rings.weights.push(scale * operator.weight(e));
            rings.starts.push(rings.places.len() as u32);
        }
        rings
    }

    pub(super) fn len(&self) -> usize {
        self.weights.len()
    }

    /// Turns numbers within vertices into places among all slots.
    pub(super) fn resolve(&mut self, slot: impl Fn(u32, u32) -> u32) {
        self.slots.iter_mut().zip(&self.places).for_each(|(number, &place)| *number = slot(place, *number));
    }
}

/// Writes the forces of some rings to their slots.
pub(super) struct RingForces<'a, S> {
    pub(super) rings: &'a Rings,
    pub(super) elements: Range<usize>,
    pub(super) points: &'a [Point],
    pub(super) slots: *mut [S; 4],
    pub(super) energy: &'a mut f64,
}

impl<S: LaneNumber> Kernel<S> for RingForces<'_, S> {
    /// SAFETY: each corner has a slot of its own.
    #[inline(always)]
    unsafe fn run<L: Lanes<Scalar = S>>(self) {
        let rings = self.rings;
        let mut energy = 0.0;
        for e in self.elements {
            let corners = rings.starts[e] as usize..rings.starts[e + 1] as usize;
            let (places, coefficients) = (&rings.places[corners.clone()], &rings.coefficients[corners.clone()]);
            // As seen from the vertex, so that nothing is lost far from the origin.
            let own = self.points[places[0] as usize];
            let mut curvature = [0.0; 4];
            for (&place, &coefficient) in places[1..].iter().zip(&coefficients[1..]) {
                let other = &self.points[place as usize];
                for c in 0..4 {
                    curvature[c] += coefficient * (other[c] - own[c]);
                }
            }
            let weight = rings.weights[e];
            let squared = curvature[0] * curvature[0] + curvature[1] * curvature[1] + curvature[2] * curvature[2];
            energy += 0.5 * weight * squared;
            let force = curvature.map(|number| weight * number);
            for (&slot, &coefficient) in rings.slots[corners].iter().zip(coefficients) {
                // SAFETY: the slot is this corner's.
                unsafe { *self.slots.add(slot as usize) = force.map(|number| S::from_f64(coefficient * number)) }
            }
        }
        *self.energy = energy;
    }
}
