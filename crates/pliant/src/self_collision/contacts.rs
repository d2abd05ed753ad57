//! Contacts between deformables as a term of the objective.
//!
//! ```text
//!        a ●                 r = Σ weight·x, from the closest point of one side to that of the other
//!          │ n               gap = n·r, wanted: gap ≥ thickness
//!   b ●────┼────● c          f_n = max(0, λ_n + w (thickness − gap))
//!          │                 f_t = λ_t + w u_t, cut to ‖f_t‖ ≤ μ f_n (Coulomb)
//!        d ●
//! ```
//!
//! u_t is the tangential part of what r has moved since the step began. λ are the forces found so far in this step (augmented Lagrangian):
//! a weight w of a few times the inertia m/τ² then holds the thickness and really sticks, where springs alone would need a
//! weight that spoils the solve. w is relative to the pair's effective mass 1/Σ(weight²/m), so it suits any mesh and step.
//!
//! Forces are opposite, so a contact keeps the momentum. The normal force acts along the line between the closest points and keeps the
//! angular momentum too; friction acts across the gap and leaves a couple of ‖f_t‖·gap, as a layer of that thickness would take up.

use crate::math::Vec3;
use crate::model::Model;
use crate::proximity::{Closest, Pair, corners};

use super::SelfCollision;
use super::truncate::{chunks, is_further};
use crate::proximity::Primitives;

/// One contact.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Contact {
    pub(crate) pair: Pair,
    pub(crate) vertices: [u32; 4],
    pub(crate) weights: [f64; 4],
    /// Unit vector from the second side to the first.
    normal: Vec3,
    /// Gap that it wants \[m\].
    target: f64,
    /// r at the beginning of the step \[m\].
    before: Vec3,
    /// w \[N/m\].
    stiffness: f64,
    /// λ \[N\].
    normal_force: f64,
    friction_force: Vec3,
    friction: f64,
}

/// What a contact does at a place.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Response {
    /// Force on the first side \[N\].
    pub(crate) force: Vec3,
    /// Stiffness along and across the normal \[N/m\].
    pub(crate) along: f64,
    pub(crate) across: f64,
    pub(crate) energy: f64,
}

/// All contacts of a round, with their corners sorted by vertex.
#[derive(Debug, Clone, Default)]
pub(crate) struct Contacts {
    pub(crate) list: Vec<Contact>,
    /// (vertex, 4·contact + corner) of free vertices, ascending.
    pub(crate) corners: Vec<(u32, u32)>,
}

impl Contact {
    /// Σ weight·x.
    pub(crate) fn offset(&self, x: impl Fn(u32) -> Vec3) -> Vec3 {
        self.vertices.iter().zip(self.weights).fold(Vec3::ZERO, |sum, (&v, w)| sum + x(v) * w)
    }

    fn forces(&self, offset: Vec3) -> (f64, Vec3, f64) {
        let (n, w) = (self.normal, self.stiffness);
        let normal = (self.normal_force + w * (self.target - n.dot(offset))).max(0.0);
        let moved = offset - self.before;
        let trial = self.friction_force + (moved - n * n.dot(moved)) * w;
        (normal, trial, self.friction * normal)
    }

    /// Force, stiffness and energy where Σ weight·x is `offset`.
    pub(crate) fn respond(&self, offset: Vec3) -> Response {
        let (normal, trial, limit) = self.forces(offset);
        if normal <= 0.0 {
            return Response::default();
        }
        let (w, size) = (self.stiffness, trial.length());
        let sticks = size <= limit;
        let cut = if sticks { 1.0 } else { limit / size };
        let friction = if sticks { size * size } else { limit * (2.0 * size - limit) };
        Response {
            force: self.normal * normal - trial * cut,
            along: w,
            across: w * cut,
            energy: 0.5 * (normal * normal + friction) / w,
        }
    }

    /// The second derivative of a response, applied to a movement of `offset`.
    pub(crate) fn stiffness_times(&self, response: &Response, movement: Vec3) -> Vec3 {
        let along = self.normal * self.normal.dot(movement);
        along * response.along + (movement - along) * response.across
    }
}

impl Contacts {
    /// The candidate pairs that may come within the thickness, measured at `safe`; those that were there before keep their forces.
    pub(super) fn new(settings: &SelfCollision, place: &Place<'_>, pairs: &[Pair], last: &[Contact]) -> Self {
        let mut list = chunks(pairs.len(), &|k| {
            let mut contact = place.contact(settings, pairs[k])?;
            if let Ok(at) = last.binary_search_by_key(&contact.pair, |other| other.pair) {
                contact.normal_force = last[at].normal_force;
                let (n, f) = (contact.normal, last[at].friction_force);
                contact.friction_force = f - n * n.dot(f);
            }
            Some(contact)
        });
        list.sort_unstable_by_key(|contact| contact.pair);
        let mut corners: Vec<(u32, u32)> = Vec::with_capacity(4 * list.len());
        for (k, contact) in list.iter().enumerate() {
            let free = |&(_, v): &(usize, u32)| place.model.free_index(v).is_some();
            corners.extend(contact.vertices.into_iter().enumerate().filter(free).map(|(c, v)| (v, (4 * k + c) as u32)));
        }
        corners.sort_unstable();
        Self { list, corners }
    }

    /// Makes the forces at x those to go on from; returns how many contacts press.
    pub(super) fn settle(&mut self, x: &[Vec3]) -> usize {
        let mut pressing = 0;
        for contact in &mut self.list {
            let (normal, trial, limit) = contact.forces(contact.offset(|v| x[v as usize]));
            contact.normal_force = normal;
            contact.friction_force = trial.clamp_length_max(limit);
            pressing += usize::from(normal > 0.0);
        }
        pressing
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }
}

/// Where contacts are looked for.
pub(super) struct Place<'a> {
    pub(super) model: &'a Model,
    pub(super) primitives: &'a Primitives,
    /// Positions at the beginning of the step \[m\].
    pub(super) before: &'a [Vec3],
    /// Positions without intersections \[m\].
    pub(super) safe: &'a [Vec3],
    /// Where vertices want to be \[m\].
    pub(super) wanted: &'a [Vec3],
    /// 1/τ² \[1/s²\].
    pub(super) inertia: f64,
}

/// Share of the thickness by which layers that are too near move apart in a step: enough to recover, too little to throw them.
const RECOVERY: f64 = 0.25;
/// Sine of the angle by which a neighbour must rise towards the vertex to be nearer.
const SLANT: f64 = 1e-3;
/// Contacts within this many times the thickness are kept ready even if nothing moves.
pub(super) const READY: f64 = 1.5;

impl Place<'_> {
    fn contact(&self, settings: &SelfCollision, pair: Pair) -> Option<Contact> {
        let vertices = pair.vertices(self.primitives);
        let near = corners(self.safe, vertices);
        let reach = READY * settings.thickness + self.approach(pair, vertices, &near);
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
        let masses = self.model.mass().lumped();
        let yielding = |(&v, w): (&u32, f64)| match self.model.free_index(v) {
            Some(_) => w * w / masses[v as usize],
            None => 0.0,
        };
        let inverse_mass: f64 = vertices.iter().zip(closest.weights).map(yielding).sum();
        if inverse_mass <= 0.0 || distance <= 0.0 {
            return None;
        }
        let mut target = settings.thickness;
        if self.primitives.body(vertices[0]) == self.primitives.body(vertices[3]) {
            // What is nearer than the thickness at rest is no contact.
            target = target.min(pair.closest(&corners(self.model.rest(), vertices)).distance());
        }
        let origin = corners(self.before, vertices);
        target = target.min(pair.closest(&origin).distance() + RECOVERY * settings.thickness);
        Some(Contact {
            pair,
            vertices,
            weights: closest.weights,
            normal: closest.offset / distance,
            target,
            before: origin.iter().zip(closest.weights).fold(Vec3::ZERO, |sum, (x, w)| sum + *x * w),
            stiffness: settings.stiffness * self.inertia / inverse_mass,
            normal_force: 0.0,
            friction_force: Vec3::ZERO,
            friction: settings.friction,
        })
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
