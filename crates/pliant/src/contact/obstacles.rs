//! Which vertices touch which colliders in a stage, and how their contacts change while it is solved.

use super::clearance::{Clearances, Paths};
use super::law::{Law, Response};
use super::{Colliders, ContactMode};
use crate::collide::{Hit, Moving};
use crate::math::Vec3;
use crate::parallel::{self, Strided};
use crate::world::model::Model;

/// A plane may turn by at most this cosine in one iteration: beyond, the vertex has slipped to another side of the shape.
const SAME_SIDE: f64 = 0.5;

/// A vertex at a collider's surface.
#[derive(Debug, Clone)]
pub(super) struct Touch {
    pub(super) vertex: u32,
    pub(super) collider: u32,
    /// How far the touched point of the surface moves \[m\].
    pub(super) shift: Vec3,
    /// When it touched, as a fraction of the stage.
    pub(super) time: f64,
    pub(super) law: Law,
    /// The force with which the last linear solve balanced the vertex \[N\].
    pub(super) balanced: Vec3,
}

impl Touch {
    /// Moves a vertex of inertia m/τ² \[N/m\] out along the normal and back against its slip; takes the forces that do so.
    fn displace(&mut self, x: Vec3, inertia: f64) -> Vec3 {
        let law = &mut self.law;
        let depth = law.depth(x).max(0.0);
        let back = law.slid(x).clamp_length_max(law.friction * depth);
        (law.pressed, law.sliding_force) = (depth * inertia, back * inertia);
        self.balanced = law.normal * law.pressed - law.sliding_force;
        x + law.normal * depth - back
    }

    /// Turns the plane; what was sliding_force stays in it.
    fn turn(&mut self, start: Vec3, normal: Vec3, target: f64, shift: Vec3) {
        let law = &mut self.law;
        let length = law.sliding_force.length();
        (law.normal, law.target, law.anchor) = (normal, target, start + shift);
        law.sliding_force = law.tangential(law.sliding_force).normalize_or_zero() * length;
        self.shift = shift;
    }
}

/// The contacts of one stage with colliders.
#[derive(Debug)]
pub(crate) struct Obstacles<'a> {
    pub(super) colliders: &'a Colliders,
    pub(super) model: &'a Model,
    pub(super) moving: Vec<Moving<'a>>,
    /// Positions at the start of the step \[m\].
    pub(super) start: &'a [Vec3],
    clearances: Clearances,
    /// Vertices and colliders that touch, ascending.
    known: Vec<(u32, u32)>,
    /// Weight of a contact of each vertex \[N/m\].
    weights: Vec<f64>,
    pub(super) touches: Vec<Touch>,
    /// Seconds from the start of the step to the stage.
    pub(super) span: f64,
}

impl<'a> Obstacles<'a> {
    /// Contacts on the way from `start` at one time to another \[s\]; `clearances` are those at the start.
    pub(crate) fn new(
        colliders: &'a Colliders,
        model: &'a Model,
        start: &'a [Vec3],
        [from, to]: [f64; 2],
        mut clearances: Clearances,
    ) -> Self {
        let moving: Vec<Moving<'a>> = colliders.colliders.iter().map(|c| c.moving_over(from, to)).collect();
        clearances.begin(start.len(), moving.len());
        Self {
            colliders,
            model,
            moving,
            start,
            clearances,
            known: Vec::new(),
            weights: vec![0.0; start.len()],
            touches: Vec::new(),
            span: to - from,
        }
    }

    /// Forgets which colliders are near; distances at the start of the step stay known.
    pub(super) fn look_again(&mut self) {
        self.clearances.begin(self.start.len(), self.moving.len());
    }

    /// What is known of distances at the start of the step.
    pub(crate) fn into_clearances(self) -> Clearances {
        self.clearances
    }

    /// What is known of distances at the end of a finished step.
    pub(crate) fn into_clearances_at(mut self, x: &[Vec3]) -> Clearances {
        let ways = Paths { model: self.model, moving: &self.moving, start: self.start };
        self.clearances.advance(&ways, x);
        self.clearances
    }

    /// Takes the diagonal of the system matrix at each vertex \[N/m\].
    pub(super) fn weigh(&mut self, diagonal: impl Iterator<Item = (u32, f64)>) {
        let factor = self.colliders.params.weight;
        diagonal.for_each(|(v, entry)| self.weights[v as usize] = factor * entry);
    }

    /// Adds contacts of vertices that meet a collider on the straight way from the start to x.
    pub(super) fn detect(&mut self, x: &(impl Fn(usize) -> Vec3 + Sync)) {
        let (moving, start) = (&self.moving, self.start);
        let mut near = self.clearances.near(&Paths { model: self.model, moving, start }, x);
        near.retain(|&(v, c, _)| self.known.binary_search(&(v, c)).is_err());
        let found = parallel::filter_map(near.len(), &|k| {
            let (v, c, distance) = near[k];
            let (a, b, moving) = (start[v as usize], x(v as usize), &moving[c as usize]);
            // The collider may be near only for where the vertex was in another iteration.
            let is_apart = distance - moving.thickness() > moving.most_approach(a, b);
            if is_apart { None } else { moving.hit_from(a, b, distance).map(|hit| (v, c, hit)) }
        });
        for &(v, c, hit) in &found {
            self.add(v as usize, c as usize, hit);
        }
        self.known.extend(found.iter().map(|&(v, c, _)| (v, c)));
        self.known.sort_unstable();
    }

    fn add(&mut self, vertex: usize, collider: usize, hit: Hit) {
        let properties = &self.colliders.colliders[collider];
        let law = Law {
            normal: hit.normal,
            target: hit.normal.dot(hit.point) + properties.thickness,
            anchor: self.start[vertex] + hit.shift,
            weight: self.weights[vertex],
            friction: properties.friction,
            pressed: 0.0,
            sliding_force: Vec3::ZERO,
            other: None,
        };
        let (vertex, collider) = (vertex as u32, collider as u32);
        self.touches.push(Touch { vertex, collider, shift: hit.shift, time: hit.time, law, balanced: Vec3::ZERO });
    }

    /// Lets the planes of contacts follow curved surfaces to where the vertices are now.
    pub(super) fn follow(&mut self, x: &(impl Fn(usize) -> Vec3 + Sync)) {
        let (colliders, moving, start) = (self.colliders, &self.moving, self.start);
        let outputs = Strided { entries: &mut self.touches[..], stride: 1 };
        parallel::for_each(0..outputs.entries.len(), outputs, &|_, part| {
            for touch in part.entries {
                let (vertex, collider) = (touch.vertex as usize, touch.collider as usize);
                let (p, thickness) = (x(vertex), colliders.colliders[collider].thickness);
                let (near, shift) = moving[collider].at_end(p);
                // Through a thin shape, or round an edge, the plane that was met first stays.
                let deep = near.distance < -thickness.max(0.5 * touch.law.depth(p).abs() + thickness);
                if near.normal.dot(touch.law.normal) > SAME_SIDE && !deep {
                    touch.turn(start[vertex], near.normal, near.normal.dot(near.point) + thickness, shift);
                }
            }
        });
    }

    pub(super) fn mode(&self) -> ContactMode {
        self.colliders.params.mode
    }

    /// Vertex and response of each contact at x.
    pub(super) fn responses(&self, x: &impl Fn(usize) -> Vec3) -> impl Iterator<Item = (u32, Response)> {
        self.touches.iter().map(move |touch| (touch.vertex, touch.law.respond(x(touch.vertex as usize))))
    }

    /// Goes on from the multipliers of contacts that lasted through the step before.
    pub(super) fn resume(&mut self) {
        let held = &self.colliders.held;
        for touch in &mut self.touches {
            let key = (touch.vertex, touch.collider);
            if let Ok(at) = held.binary_search_by_key(&key, |held| (held.vertex, held.collider)) {
                touch.law.resume(held[at].pressed, held[at].sliding_force);
            }
        }
    }

    /// Takes the forces on the contacts that the last linear solve came to \[N\].
    pub(super) fn settle(&mut self, forces: &mut impl Iterator<Item = Vec3>) {
        for (touch, force) in self.touches.iter_mut().zip(forces) {
            touch.balanced = force;
            touch.law.settle(force);
        }
    }

    /// Moves vertices out of colliders, given m/τ² \[N/m\].
    pub(super) fn displace(
        &mut self,
        x: &mut impl FnMut(usize, Option<Vec3>) -> Vec3,
        inertia: &impl Fn(usize) -> f64,
    ) {
        for touch in &mut self.touches {
            let v = touch.vertex as usize;
            let moved = touch.displace(x(v, None), inertia(v));
            x(v, Some(moved));
        }
    }

    /// Vertex, normal and offset of each contact's half-space.
    pub(super) fn planes(&self) -> impl Iterator<Item = (u32, Vec3, f64)> {
        self.touches.iter().map(|touch| (touch.vertex, touch.law.normal, touch.law.target))
    }

    pub(super) fn reset_forces(&mut self) {
        for touch in &mut self.touches {
            touch.law.resume(0.0, Vec3::ZERO);
            touch.balanced = Vec3::ZERO;
        }
    }

    /// One step of Gauss–Seidel: each vertex to where it may be.
    pub(super) fn relax(
        &mut self,
        x: &mut impl FnMut(usize, Option<Vec3>) -> Vec3,
        compliance: &impl Fn(usize) -> f64,
    ) {
        for touch in &mut self.touches {
            let (v, law) = (touch.vertex as usize, &mut touch.law);
            let gives = compliance(v);
            if gives > 0.0 {
                let at = x(v, None);
                x(v, Some(at + law.relax(at, gives) * gives));
                touch.balanced = law.normal * law.pressed - law.sliding_force;
            }
        }
    }

    /// Whether one of these vertices, in ascending order, is inside of a collider that it touches.
    pub(crate) fn is_inside(&self, vertices: &[u32], x: &[Vec3]) -> bool {
        let own = self.touches.iter().filter(|touch| vertices.binary_search(&touch.vertex).is_ok());
        own.into_iter()
            .any(|touch| self.moving[touch.collider as usize].at_end(x[touch.vertex as usize]).0.distance < 0.0)
    }

    /// How many contacts press.
    pub(super) fn count(&self) -> usize {
        self.touches.iter().filter(|touch| touch.law.pressed > 0.0).count()
    }
}
