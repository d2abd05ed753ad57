//! Fibres [Stumpp 2008]: strips of edges one after the other that resist stretch as wholes.
//!
//! ```text
//!   x₀ ──l₀── x₁ ──l₁── x₂ ──l₂── x₃        gₖ₊₁ = gₖ + lₖ (xₖ₊₁ − gₖ)/‖xₖ₊₁ − gₖ‖  if that is farther than lₖ
//!   g₀ = x₀  →   →   →                      and the same from the other end; the goal is the mean of both
//! ```
//!
//! One pass carries an error along the whole strip, where regions of triangles carry it one triangle far. Goals of a strip that nothing holds
//! are moved back so that momentum is kept. Departure: they are turned back too, so that angular momentum is; and a strip with pinned
//! vertices follows these, which takes all of its stretch away. Strips go straight on through a vertex, as far as it has an edge that does.

#![allow(unsafe_code)] // Strips write movements of their own, then vertices their own places.

use crate::math::Vec3;
use crate::mesh::{Csr, Edge};
use crate::mesh::{pseudo_inverse_times, spin_of};
use crate::parallel::{Shared, Team};

/// Cosine of the largest bend of a strip at a vertex, 30°.
const STRAIGHT: f64 = 0.866;
/// Strips that a thread takes at a time.
const STRIPS: usize = 8;
/// Vertices that a thread takes at a time.
const CHUNK: usize = 512;

#[derive(Debug)]
pub(super) struct Fibres {
    strips: Csr,
    /// From each vertex of a strip to the next \[m\].
    lengths: Vec<f64>,
    /// Of each vertex of a strip, what of its mass is in this strip; 0 for pinned ones.
    masses: Vec<f64>,
    /// For each vertex its places in strips.
    places: Csr,
    movements: Vec<Vec3>,
}

impl Fibres {
    /// Strips of at most so many edges.
    pub(super) fn new(edges: &[Edge], rest: &[Vec3], inverse_masses: &[f64], most_edges: usize) -> Self {
        let strips = strips(edges, rest, most_edges);
        let lengths = strips.rows().flat_map(|strip| {
            let ends = strip.iter().zip(strip[1..].iter().map(Some).chain([None]));
            ends.map(|(&a, b)| b.map_or(0.0, |&b| rest[a as usize].distance(rest[b as usize])))
        });
        let (lengths, items) = (lengths.collect(), strips.items());
        let places = Csr::from_pairs(rest.len(), items.iter().copied().zip(0..));
        let mass = |&v: &u32| match inverse_masses[v as usize] {
            w if w > 0.0 => 1.0 / (w * places.row(v as usize).len() as f64),
            _ => 0.0,
        };
        let masses = items.iter().map(mass).collect();
        let movements = vec![Vec3::ZERO; items.len()];
        Self { strips, lengths, masses, places, movements }
    }

    pub(super) fn bytes(&self) -> usize {
        self.movements.len() * 96
    }

    /// Goes a share of the way to the goals of all strips.
    pub(super) fn run(&mut self, team: &Team<'_>, share: f64, x: &mut [Vec3]) {
        let movements = Shared(self.movements.as_mut_ptr());
        let (strips, lengths, masses) = (&self.strips, &self.lengths, &self.masses);
        let at = &*x;
        team.share(strips.len().div_ceil(STRIPS), |item| {
            let mut room = Room::default();
            for strip in (item * STRIPS..strips.len()).take(STRIPS) {
                let own = strips.range(strip);
                room.begin(strips.row(strip), at);
                room.find_movements(&lengths[own.clone()], &masses[own.clone()]);
                for (place, movement) in own.zip(&room.movements) {
                    // SAFETY: there is a movement for each place in strips; those of a strip are its own, and it is in
                    // one item.
                    unsafe { *movements.get().add(place) = *movement };
                }
            }
        });
        let (places, movements, count) = (&self.places, &self.movements, x.len());
        let x = Shared(x.as_mut_ptr());
        team.share(count.div_ceil(CHUNK), |item| {
            for v in (item * CHUNK..count).take(CHUNK) {
                let own = places.row(v);
                // A pinned vertex has no mass in its strips.
                if own.iter().any(|&place| masses[place as usize] > 0.0) {
                    let sum = own.iter().fold(Vec3::ZERO, |sum, &place| sum + movements[place as usize]);
                    // SAFETY: v is below the number of positions, and each vertex is in one chunk.
                    unsafe { *x.get().add(v) += sum * (share / own.len() as f64) };
                }
            }
        });
    }
}

/// A strip while its goals are found.
#[derive(Default)]
struct Room {
    x: Vec<Vec3>,
    forth: Vec<Vec3>,
    back: Vec<Vec3>,
    movements: Vec<Vec3>,
}

impl Room {
    fn begin(&mut self, strip: &[u32], x: &[Vec3]) {
        self.x.clear();
        self.x.extend(strip.iter().map(|&v| x[v as usize]));
        self.forth.clone_from(&self.x);
        self.back.clone_from(&self.x);
        self.movements.clear();
    }

    fn find_movements(&mut self, lengths: &[f64], masses: &[f64]) {
        let count = self.x.len();
        let is_held = |k: usize| masses[k] == 0.0;
        for k in (1..count).filter(|&k| !is_held(k)) {
            self.forth[k] = follow(self.forth[k - 1], self.x[k], lengths[k - 1]);
        }
        for k in (0..count - 1).rev().filter(|&k| !is_held(k)) {
            self.back[k] = follow(self.back[k + 1], self.x[k], lengths[k]);
        }
        let Some(first) = (0..count).find(|&k| is_held(k)) else {
            self.movements.extend((0..count).map(|k| (self.forth[k] + self.back[k]) * 0.5 - self.x[k]));
            if self.movements.iter().any(|movement| *movement != Vec3::ZERO) {
                keep_momenta(masses, &self.x, &mut self.movements);
            }
            return;
        };
        let last = (0..count).rfind(|&k| is_held(k)).unwrap_or(first);
        // A pass that does not begin at a pin does not know where the strip hangs.
        self.movements.extend((0..count).map(|k| {
            let goal = match k {
                k if k < first => self.back[k],
                k if k > last => self.forth[k],
                k => (self.forth[k] + self.back[k]) * 0.5,
            };
            goal - self.x[k]
        }));
    }
}

/// Where a vertex goes that must not be farther than so from another.
fn follow(leader: Vec3, x: Vec3, length: f64) -> Vec3 {
    let way = x - leader;
    let distance = way.length();
    // What is no more than rounding is no stretch.
    if distance <= length * (1.0 + 1e-12) { x } else { leader + way * (length / distance) }
}

/// Takes out of movements what moves and turns the strip as a whole.
fn keep_momenta(masses: &[f64], x: &[Vec3], movements: &mut [Vec3]) {
    let (spin, inertia, centre) = spin_of(masses, x, movements);
    let omega = pseudo_inverse_times(inertia, spin);
    let total: f64 = masses.iter().sum();
    let drift = movements.iter().zip(masses).fold(Vec3::ZERO, |sum, (movement, m)| sum + *movement * *m) / total;
    for (movement, x) in movements.iter_mut().zip(x) {
        *movement -= drift + omega.cross(*x - centre);
    }
}

/// Edges strung together where they go straight on, in strips of two to `most_edges` edges.
fn strips(edges: &[Edge], rest: &[Vec3], most_edges: usize) -> Csr {
    let at_vertex = Csr::from_pairs(rest.len(), (0u32..).zip(edges).flat_map(|(e, &[a, b])| [(a, e), (b, e)]));
    let other = |edge: u32, v: u32| {
        let [a, b] = edges[edge as usize];
        if a == v { b } else { a }
    };
    // For each end of each edge the edge that goes on there.
    let mut next = vec![[None; 2]; edges.len()];
    let end = |edge: u32, v: u32| usize::from(edges[edge as usize][1] == v);
    for v in 0..rest.len() as u32 {
        let direction = |edge: u32| (rest[other(edge, v) as usize] - rest[v as usize]).normalize_or_zero();
        let own = at_vertex.row(v as usize);
        let mut pairs: Vec<(f64, u32, u32)> = Vec::new();
        for (k, &first) in own.iter().enumerate() {
            let straight = |&second: &u32| (-direction(first).dot(direction(second)), first, second);
            pairs.extend(own[k + 1..].iter().map(straight).filter(|pair| pair.0 > STRAIGHT));
        }
        pairs.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)).then(a.2.cmp(&b.2)));
        for (_, first, second) in pairs {
            let ends = [(first, end(first, v)), (second, end(second, v))];
            if ends.iter().all(|&(edge, end)| next[edge as usize][end].is_none()) {
                next[first as usize][ends[0].1] = Some(second);
                next[second as usize][ends[1].1] = Some(first);
            }
        }
    }
    let mut is_used = vec![false; edges.len()];
    let mut strips = Csr::default();
    // From ends first; what is left goes round in circles.
    let begins = |e: &u32| next[*e as usize].iter().any(Option::is_none);
    let starts = (0..edges.len() as u32).filter(begins).chain((0..edges.len() as u32).filter(|e| !begins(e)));
    for start in starts {
        if is_used[start as usize] {
            continue;
        }
        let tail = usize::from(next[start as usize][0].is_some() && next[start as usize][1].is_none());
        let mut strip = vec![edges[start as usize][tail]];
        let mut edge = Some(start);
        while let Some(now) = edge.filter(|&e| !is_used[e as usize]) {
            is_used[now as usize] = true;
            let v = other(now, strip[strip.len() - 1]);
            strip.push(v);
            edge = next[now as usize][end(now, v)];
        }
        let part_edges = most_edges.min(strip.len() - 1);
        for first in (0..strip.len() - 1).step_by(part_edges) {
            let part = &strip[first..strip.len().min(first + part_edges + 1)];
            if part.len() > 2 {
                strips.push_row(part);
            }
        }
    }
    strips
}
