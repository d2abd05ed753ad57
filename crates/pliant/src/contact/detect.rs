//! Which vertices meet which colliders in a stage, and how their contacts change while it is solved.

use super::law::Law;
use super::{ContactParams, Surroundings};
use crate::collide::{Hit, Moving};
use crate::math::{Mat3, Vec3};
use crate::model::Model;
use crate::parallel::{self, Strided};

/// A plane may turn by at most this cosine in one iteration: beyond, the vertex has slipped to another side of the shape.
const SAME_SIDE: f64 = 0.5;

/// The contacts of one stage.
#[derive(Debug)]
pub struct Contacts<'a> {
    pub(super) surroundings: &'a Surroundings,
    pub(super) model: &'a Model,
    pub(super) moving: Vec<Moving<'a>>,
    /// Positions at the start of the step \[m\].
    pub(super) start: &'a [Vec3],
    /// Signed distances at the start, for each collider those of all vertices \[m\].
    distances: Vec<f64>,
    /// Whether a vertex has a contact with a collider, laid out as `distances`.
    known: Vec<bool>,
    /// Weight of a contact of each vertex \[N/m\].
    weights: Vec<f64>,
    pub(super) laws: Vec<Law>,
    found: Vec<Option<Hit>>,
    /// Seconds from the start of the step to the stage.
    pub(super) span: f64,
}

impl<'a> Contacts<'a> {
    /// Contacts on the way from `start` at one time to another \[s\].
    pub(crate) fn new(
        surroundings: &'a Surroundings,
        model: &'a Model,
        start: &'a [Vec3],
        [from, to]: [f64; 2],
    ) -> Self {
        let count = start.len();
        let moving: Vec<Moving<'a>> = surroundings.colliders.iter().map(|c| c.moving_over(from, to)).collect();
        let mut distances = vec![0.0; count * moving.len()];
        for (moving, distances) in moving.iter().zip(distances.chunks_mut(count.max(1))) {
            parallel::for_each(0..count, Strided { entries: distances, stride: 1 }, &|range, part| {
                part.entries.iter_mut().zip(range).for_each(|(d, v)| *d = moving.distance_at_start(start[v]));
            });
        }
        let known = vec![false; distances.len()];
        let found = vec![None; count];
        let laws = Vec::new();
        Self {
            surroundings,
            model,
            moving,
            start,
            distances,
            known,
            weights: vec![0.0; count],
            laws,
            found,
            span: to - from,
        }
    }

    pub(crate) fn params(&self) -> &ContactParams {
        &self.surroundings.params
    }

    /// Takes the diagonal of the system matrix at each vertex \[N/m\].
    pub(crate) fn weigh(&mut self, diagonal: impl Iterator<Item = (u32, f64)>) {
        let factor = self.surroundings.params.weight;
        diagonal.for_each(|(v, entry)| self.weights[v as usize] = factor * entry);
    }

    /// Adds contacts of vertices that meet a collider on the straight way from the start to x. Returns how many.
    pub(crate) fn detect(&mut self, x: &(impl Fn(usize) -> Vec3 + Sync)) -> usize {
        let before = self.laws.len();
        let count = self.start.len();
        for c in 0..self.moving.len() {
            let (moving, start, model) = (&self.moving[c], self.start, self.model);
            let thickness = self.surroundings.colliders[c].thickness;
            let places = c * count..(c + 1) * count;
            let (distances, known) = (&self.distances[places.clone()], &self.known[places]);
            let outputs = Strided { entries: &mut self.found[..], stride: 1 };
            parallel::for_each(0..count, outputs, &|range, part| {
                for (found, v) in part.entries.iter_mut().zip(range) {
                    let (a, b) = (start[v], x(v));
                    let apart = distances[v] - thickness > moving.most_approach(a, b);
                    *found = None;
                    if !(apart || known[v] || model.free_index(v as u32).is_none() || !b.is_finite()) {
                        *found = moving.hit(a, b);
                    }
                }
            });
            for v in 0..count {
                if let Some(hit) = self.found[v] {
                    self.known[c * count + v] = true;
                    self.add(v, c, hit);
                }
            }
        }
        self.laws.len() - before
    }

    fn add(&mut self, vertex: usize, collider: usize, hit: Hit) {
        let properties = &self.surroundings.colliders[collider];
        self.laws.push(Law {
            vertex: vertex as u32,
            collider: collider as u32,
            normal: hit.normal,
            offset: hit.normal.dot(hit.point) + properties.thickness,
            start: self.start[vertex],
            shift: hit.shift,
            time: hit.time,
            weight: self.weights[vertex],
            friction: properties.friction,
            pressed: 0.0,
            rubbed: Vec3::ZERO,
            balanced: Vec3::ZERO,
        });
    }

    /// Lets the planes of contacts follow curved surfaces to where the vertices are now.
    pub(crate) fn follow(&mut self, x: &impl Fn(usize) -> Vec3) {
        for law in &mut self.laws {
            let p = x(law.vertex as usize);
            let thickness = self.surroundings.colliders[law.collider as usize].thickness;
            let (near, shift) = self.moving[law.collider as usize].at_end(p);
            // Through a thin shape, or round an edge, the plane that was met first stays.
            let deep = near.distance < -thickness.max(0.5 * law.depth(p).abs() + thickness);
            if near.normal.dot(law.normal) > SAME_SIDE && !deep {
                law.turn(near.normal, near.normal.dot(near.point) + thickness, shift);
            }
        }
    }

    /// Takes the forces at x as multipliers.
    pub(crate) fn settle(&mut self, x: &impl Fn(usize) -> Vec3) {
        self.laws.iter_mut().for_each(|law| law.settle(x(law.vertex as usize)));
    }

    /// Energy of all contacts \[J\].
    pub(crate) fn energy(&self, x: &impl Fn(usize) -> Vec3) -> f64 {
        self.laws.iter().map(|law| law.energy(x(law.vertex as usize))).sum()
    }

    /// Vertex, force \[N\] and stiffness \[N/m\] of each contact that acts at x.
    pub(crate) fn loads(&self, x: &impl Fn(usize) -> Vec3) -> impl Iterator<Item = (u32, Vec3, Mat3)> {
        self.laws.iter().map(move |law| {
            let p = x(law.vertex as usize);
            (law.vertex, law.force(p), law.stiffness(p))
        })
    }

    /// Weight of each contact that presses, by vertex \[N/m\].
    pub(crate) fn pressing(&self, x: &impl Fn(usize) -> Vec3) -> impl Iterator<Item = (u32, f64)> {
        let pressing = self.laws.iter().filter(|law| law.pressed > 0.0 || law.depth(x(law.vertex as usize)) > 0.0);
        pressing.map(|law| (law.vertex, law.weight))
    }

    /// Goes on from the multipliers of contacts that lasted through the step before.
    pub(crate) fn resume(&mut self) {
        let held = &self.surroundings.held;
        for law in &mut self.laws {
            let key = (law.vertex, law.collider);
            if let Ok(at) = held.binary_search_by_key(&key, |held| (held.vertex, held.collider)) {
                law.pressed = held[at].pressed;
                law.rubbed = law.tangential(held[at].rubbed);
            }
        }
    }

    /// Takes the force on the k-th contact that the last linear solve came to \[N\].
    pub(crate) fn balance(&mut self, k: usize, force: Vec3) {
        self.laws[k].balanced = force;
    }

    /// Moves vertices out of colliders, given m/τ² \[N/m\].
    pub(crate) fn displace(
        &mut self,
        x: &mut impl FnMut(usize, Option<Vec3>) -> Vec3,
        inertia: &impl Fn(usize) -> f64,
    ) {
        for law in &mut self.laws {
            let v = law.vertex as usize;
            let moved = law.displace(x(v, None), inertia(v));
            x(v, Some(moved));
        }
    }

    /// How many contacts press.
    pub(crate) fn count(&self) -> usize {
        self.laws.iter().filter(|law| law.pressed > 0.0).count()
    }
}
