//! Contacts between deformables as a term of the objective.
//!
//! ```text
//!        a ●
//!          │ n               r = Σ weight·x, from the closest point of one side to that of the other
//!   b ●────┼────● c          gap = n·r, wanted: gap ≥ thickness
//!          │
//!        d ●
//! ```
//!
//! The law of r is that of contacts with colliders (`law`). Its weight w is relative to the pair's effective mass 1/Σ(weight²/m), so it
//! suits any mesh and step.
//!
//! Forces are opposite, so a contact keeps the momentum. The normal force acts along the line between the closest points and keeps the
//! angular momentum too; friction acts across the gap and leaves a couple of ‖f_t‖·gap, as a layer of that thickness would take up.

use super::Coupling;
use super::finish::{Before, REST};
use super::law::{Law, Other};
use crate::math::Vec3;
use crate::parallel;
use crate::proximity::slab::is_further;
use crate::proximity::{Closest, Pair, Primitives, corners};
use crate::world::model::Model;

/// One contact.
#[derive(Debug, Clone, Copy)]
struct Contact {
    pair: Pair,
    vertices: [u32; 4],
    weights: [f64; 4],
    law: Law,
}

/// All contacts of a round, ordered by pair.
#[derive(Debug, Clone, Default)]
pub(crate) struct Layers {
    list: Vec<Contact>,
}

/// The force between a pair, for a contact to go on from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct PairForce {
    pub(crate) pair: Pair,
    /// Along the normal \[N\].
    pub(crate) pressed: f64,
    /// In the plane, against the force on the first side \[N\].
    pub(crate) sliding_force: Vec3,
}

impl Contact {
    /// Σ weight·x.
    fn offset(&self, x: impl Fn(usize) -> Vec3) -> Vec3 {
        self.vertices.iter().zip(self.weights).fold(Vec3::ZERO, |sum, (&v, w)| sum + x(v as usize) * w)
    }
}

impl Layers {
    /// The candidate pairs that may come within the thickness, measured at `safe`; those that were there before keep their forces.
    pub(crate) fn new(place: &Place<'_>, pairs: &[Pair], last: &[PairForce]) -> Self {
        let mut list = parallel::filter_map(pairs.len(), &|k| {
            let mut contact = place.contact(pairs[k])?;
            if let Ok(at) = last.binary_search_by_key(&contact.pair, |other| other.pair) {
                contact.law.resume(last[at].pressed, last[at].sliding_force);
            }
            Some(contact)
        });
        list.sort_unstable_by_key(|contact| contact.pair);
        Self { list }
    }

    /// The forces of all contacts, ordered by pair.
    pub(crate) fn forces(&self) -> impl Iterator<Item = PairForce> {
        self.list.iter().map(|contact| {
            let Law { pressed, sliding_force, .. } = contact.law;
            PairForce { pair: contact.pair, pressed, sliding_force }
        })
    }

    /// Parts of the list; `part` tells the number of the part of a contact by a vertex of each of its sides.
    pub(crate) fn split(self, parts: usize, part: impl Fn([u32; 2]) -> usize) -> Vec<Self> {
        let mut all = vec![Self::default(); parts];
        for contact in self.list {
            all[part([contact.vertices[0], contact.vertices[3]])].list.push(contact);
        }
        all
    }

    /// Lets the vertices that are not `own` give way, from where they are under the forces of now; `gives` tells by how much \[m/N\].
    pub(crate) fn lean(&mut self, own: impl Fn(u32) -> bool, gives: impl Fn(u32) -> f64) {
        for contact in &mut self.list {
            let others = contact.vertices.iter().zip(contact.weights).filter(|(v, _)| !own(**v));
            let gives: f64 = others.map(|(&v, weight)| weight * weight * gives(v)).sum();
            let Law { pressed, sliding_force, .. } = contact.law;
            if gives > 0.0 {
                // As stiff as it takes for the other side's inertia to count, not only that of the lighter one.
                contact.law.weight = contact.law.weight.max(STIFF_TO_OTHER / gives);
                contact.law.other = Some(Other { gives, pressed, sliding_force });
            }
        }
    }

    /// The force of each contact on its first side \[N\].
    pub(crate) fn vectors(&self) -> impl Iterator<Item = Vec3> {
        self.list.iter().map(|contact| contact.law.normal * contact.law.pressed - contact.law.sliding_force)
    }

    /// Takes forces on first sides \[N\], as far as they press and friction holds.
    pub(crate) fn take_vectors(&mut self, forces: &mut impl Iterator<Item = Vec3>) {
        self.list.iter_mut().zip(forces).for_each(|(contact, force)| contact.law.settle(force));
    }

    /// Takes the forces of the same contacts in another list.
    pub(crate) fn take_forces(&mut self, solved: &Self) {
        for (own, other) in self.list.iter_mut().zip(&solved.list) {
            (own.law.pressed, own.law.sliding_force) = (other.law.pressed, other.law.sliding_force);
        }
    }

    /// Adds the contacts of another list after its own.
    pub(crate) fn append(&mut self, mut others: Self) {
        self.list.append(&mut others.list);
    }

    /// Takes off the contacts after the first so many.
    pub(crate) fn split_off(&mut self, count: usize) -> Self {
        Self { list: self.list.split_off(count) }
    }

    pub(crate) fn len(&self) -> usize {
        self.list.len()
    }

    /// How much nearer than a share of their distance contacts are: the first vertex, and the way back \[m\].
    pub(crate) fn too_near(&self, share: f64, x: &[Vec3]) -> impl Iterator<Item = (u32, Vec3)> {
        self.list.iter().filter_map(move |contact| {
            let missing = share * contact.law.target - contact.law.normal.dot(contact.offset(|v| x[v]));
            (missing > 0.0).then_some((contact.vertices[0], contact.law.normal * missing))
        })
    }

    /// Adds the forces of all contacts to those on vertices \[N\].
    pub(crate) fn add_forces(&self, loads: &mut [Vec3]) {
        for contact in &self.list {
            let force = contact.law.normal * contact.law.pressed - contact.law.sliding_force;
            for (&v, weight) in contact.vertices.iter().zip(contact.weights) {
                loads[v as usize] += force * weight;
            }
        }
    }

    /// Vertices of surfaces that press on each other.
    pub(crate) fn pressed_vertices(&self) -> impl Iterator<Item = u32> {
        self.list.iter().filter(|contact| contact.law.pressed > 0.0).flat_map(|contact| contact.vertices)
    }

    /// All contacts, with what they do at x.
    pub(super) fn couplings(&self, x: &impl Fn(usize) -> Vec3) -> impl Iterator<Item = Coupling> {
        self.list.iter().map(move |contact| Coupling {
            vertices: contact.vertices,
            weights: contact.weights,
            corners: 4,
            response: contact.law.respond(contact.offset(x)),
        })
    }

    /// Takes the forces that the last linear solve came to \[N\].
    pub(super) fn settle(&mut self, forces: impl Iterator<Item = Vec3>) {
        self.list.iter_mut().zip(forces).for_each(|(contact, force)| contact.law.settle(force));
    }

    /// Multiplies all weights, for a solver that can do with stiffer contacts.
    pub(crate) fn stiffen(&mut self, factor: f64) {
        self.list.iter_mut().for_each(|contact| contact.law.weight *= factor);
    }

    /// Forgets the forces of earlier rounds.
    pub(super) fn reset_forces(&mut self) {
        self.list.iter_mut().for_each(|contact| contact.law.resume(0.0, Vec3::ZERO));
    }

    /// One step of Gauss–Seidel over all contacts, in their order.
    pub(crate) fn relax(
        &mut self,
        x: &mut impl FnMut(usize, Option<Vec3>) -> Vec3,
        compliance: &impl Fn(usize) -> f64,
    ) {
        for contact in &mut self.list {
            let terms = contact.vertices.iter().zip(contact.weights);
            let gives: f64 = terms.clone().map(|(&v, weight)| weight * weight * compliance(v as usize)).sum();
            if gives > 0.0 {
                let offset = terms.clone().fold(Vec3::ZERO, |sum, (&v, w)| sum + x(v as usize, None) * w);
                let force = contact.law.relax(offset, gives);
                for (&v, weight) in terms {
                    let at = x(v as usize, None);
                    x(v as usize, Some(at + force * (weight * compliance(v as usize))));
                }
            }
        }
    }

    /// Notes the vertices of contacts that press and were met faster than by what forces add in a step.
    pub(crate) fn note_struck(&self, before: &Before<'_>, struck: &mut Vec<u32>) {
        for contact in self.list.iter().filter(|contact| contact.law.pressed > 0.0) {
            let gained = contact.vertices.iter().map(|&v| before.accelerations[v as usize].length());
            let approach = -contact.law.normal.dot(contact.offset(|v| before.velocities[v]));
            if approach > REST * before.h * gained.fold(0.0, f64::max) {
                struck.extend(contact.vertices);
            }
        }
    }

    /// How many contacts press.
    pub(crate) fn pressing(&self) -> usize {
        self.list.iter().filter(|contact| contact.law.pressed > 0.0).count()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }
}

/// Where contacts are looked for.
pub(crate) struct Place<'a> {
    pub(crate) model: &'a Model,
    pub(crate) primitives: &'a Primitives,
    /// Positions at the beginning of the step \[m\].
    pub(crate) before: &'a [Vec3],
    /// Positions without intersections \[m\].
    pub(crate) safe: &'a [Vec3],
    /// Where vertices want to be \[m\].
    pub(crate) wanted: &'a [Vec3],
    /// 1/τ² \[1/s²\].
    pub(crate) inertia: f64,
    /// Distance that layers keep \[m\].
    pub(crate) thickness: f64,
    /// Radii of vertices by which they keep more \[m\]; empty where none has one.
    pub(crate) radii: &'a [f64],
    /// μ between them.
    pub(crate) friction: f64,
    /// Weight of a contact relative to the inertia of what touches.
    pub(crate) stiffness: f64,
}

/// Share of the thickness by which layers that are too near move apart in a step: enough to recover, too little to throw them.
const RECOVERY: f64 = 0.25;
/// Share of the thickness that the rims of a crack keep: well above the gap at which movements are cut, and little enough for the parts
/// to go together again.
const BETWEEN_RIMS: f64 = 0.1;
/// Sine of the angle by which a neighbour must rise towards the vertex to be nearer.
const SLANT: f64 = 1e-3;
/// Weight of a contact with what gives way, over the weight at which both would give way alike.
const STIFF_TO_OTHER: f64 = 10.0;
/// Contacts within this many times the thickness are kept ready even if nothing moves.
pub(crate) const READY: f64 = 1.5;

impl Place<'_> {
    fn contact(&self, pair: Pair) -> Option<Contact> {
        let vertices = pair.vertices(self.primitives);
        let near = corners(self.safe, vertices);
        let radius = |v: u32| self.radii.get(v as usize).copied().unwrap_or(0.0);
        let most = |side: &[u32]| side.iter().fold(0.0_f64, |most, &v| most.max(radius(v)));
        let (first, second) = vertices.split_at(pair.first_side());
        let reach = READY * self.thickness + most(first) + most(second) + self.approach(pair, vertices, &near);
        if is_further(&near, pair.first_side(), reach) {
            return None;
        }
        let closest = pair.closest(&near);
        let distance = closest.distance();
        if distance > reach {
            return None;
        }
        if !self.is_facing(pair, vertices, &closest) {
            return None;
        }
        let masses = self.model.contact_masses();
        let yielding = |(&v, w): (&u32, f64)| match self.model.free_index(v) {
            Some(_) => w * w / masses[v as usize],
            None => 0.0,
        };
        let inverse_mass: f64 = vertices.iter().zip(closest.weights).map(yielding).sum();
        if inverse_mass <= 0.0 || distance <= 0.0 {
            return None;
        }
        let radii: f64 = vertices.iter().zip(closest.weights).map(|(&v, weight)| weight.abs() * radius(v)).sum();
        let mut target = self.thickness + radii;
        if self.primitives.body(vertices[0]) == self.primitives.body(vertices[3]) {
            // What is nearer than the thickness at rest is no contact. The rims of a crack have no distance at rest.
            let at_rest = pair.closest(&corners(self.model.rest(), vertices)).distance();
            target = target.min(at_rest.max(BETWEEN_RIMS * self.thickness));
        }
        let origin = corners(self.before, vertices);
        target = target.min(pair.closest(&origin).distance() + RECOVERY * self.thickness);
        let law = Law {
            normal: closest.offset / distance,
            target,
            anchor: origin.iter().zip(closest.weights).fold(Vec3::ZERO, |sum, (x, w)| sum + *x * w),
            weight: self.stiffness * self.inertia / inverse_mass,
            friction: self.friction,
            pressed: 0.0,
            sliding_force: Vec3::ZERO,
            other: None,
        };
        Some(Contact { pair, vertices, weights: closest.weights, law })
    }

    /// Whether the closest points face each other. Of a surface that goes on beyond a triangle's side, the point on that side is no
    /// contact if the neighbour is nearer still: its slanted normal would brake what slides along a smooth surface.
    fn is_facing(&self, pair: Pair, vertices: [u32; 4], closest: &Closest) -> bool {
        match pair {
            Pair::VertexTriangle(vertex, triangle) => {
                let at = |v: u32| self.safe[v as usize];
                let foot = at(vertex) - closest.offset;
                // Side k is from corner k to the next; the foot is on it if the corner after has no weight.
                (0..3).zip(self.primitives.across(triangle)).all(|(side, other)| {
                    let on_side = closest.weights[1 + (side + 2) % 3] == 0.0;
                    let slants =
                        |q: u32| closest.offset.dot(at(q) - foot) > SLANT * closest.distance() * at(q).distance(foot);
                    !on_side || !other.is_some_and(slants)
                })
            }
            // Ends of edges are vertices, and those have the triangles to touch; strands against each other have not.
            Pair::EdgeEdge(first, second) => {
                let strands = self.primitives.is_segment(first) && self.primitives.is_segment(second);
                strands || vertices.iter().zip(closest.weights).all(|(_, weight)| weight != 0.0)
            }
        }
    }

    /// How much nearer the sides could come on their way \[m\].
    fn approach(&self, pair: Pair, vertices: [u32; 4], near: &[Vec3; 4]) -> f64 {
        let wanted = corners(self.wanted, vertices);
        let moves: [Vec3; 4] = std::array::from_fn(|k| wanted[k] - near[k]);
        let mean = moves.iter().sum::<Vec3>() * 0.25;
        let longest =
            |side: &[Vec3]| side.iter().fold(0.0_f64, |most, m| most.max((*m - mean).length_squared())).sqrt();
        let (first, second) = moves.split_at(pair.first_side());
        longest(first) + longest(second)
    }
}
