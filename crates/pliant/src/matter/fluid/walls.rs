//! Colliders as seen by a fluid: half-spaces full of fluid at rest.
//!
//! A particle at a wall misses the neighbours that it would have behind it, so its density would be too low, and particles would pile up
//! in layers at the wall until it is not. Instead, a collider at distance d adds the integral of the kernel over the half-space behind its
//! nearest tangent plane [`kernels::behind`], and pushes with the slope of it. Nothing has to be sampled, planes of infinite extent cost the
//! same as a ball, and moving or deforming colliders need no care; the price is that edges narrower than a kernel count as flat.
//! A wall with friction slows the layer of particles beside it as a rough plate does a stream, by ½ μ ρ u² per area at a sliding speed u. So
//! fluid at rest feels nothing of it, and a pool stays level.
//! Of several colliders the empty shares multiply, 1 − Π(1 − f), which is exact for two walls at right angles at the corner and far from it.

use std::ops::Range;

use super::neighbours::{Neighbours, Place};
use super::particles::Particles;
use super::{KERNEL, kernels};
use crate::collide::Moving;
use crate::math::Vec3;
use crate::parallel;

/// The tangent plane of a collider near a particle: n·x + offset is the distance, in units of the radius.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Plane {
    normal: [f32; 3],
    offset: f32,
}

impl Plane {
    fn distance(&self, place: &Place) -> f32 {
        let [nx, ny, nz] = self.normal;
        nx * place[0] + ny * place[1] + nz * place[2] + self.offset
    }
}

/// A particle near a wall with friction.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Sliding {
    place: u32,
    plane: Plane,
    friction: f64,
    /// How far the wall moves in the step \[m\].
    shift: Vec3,
}

/// Tangent planes of all particles near colliders.
#[derive(Debug, Default)]
pub(crate) struct Walls {
    /// Planes of place k are `planes[starts[k]..starts[k + 1]]`; empty without colliders.
    starts: Vec<u32>,
    planes: Vec<Plane>,
    /// Those of walls with friction, in the order of places.
    sliding: Vec<Sliding>,
    /// How far walls act, over the radius.
    reach: f32,
}

/// What walls add to the density at a particle, and its gradient.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Share {
    pub(crate) density: f32,
    pub(crate) gradient: [f32; 3],
}

/// Particles may come nearer to a collider during a step than they were at its start; planes farther than this are left out.
pub(super) const REACH: f64 = 1.25;
/// Cells that a thread takes at a time.
const CHUNK: usize = 32;

impl Walls {
    /// Takes the planes of colliders at the end of the step near particles; samples have none.
    pub(crate) fn find(&mut self, moving: &[Moving<'_>], neighbours: &Neighbours, x: &[Vec3], particles: &Particles) {
        let (radius, count) = (particles.radius, neighbours.order.len());
        self.reach = particles.reach_of_walls;
        self.starts.clear();
        self.planes.clear();
        self.sliding.clear();
        if moving.is_empty() {
            return;
        }
        let reach = REACH * radius;
        let cells: Vec<Range<usize>> = neighbours.cells().collect();
        let parts = parallel::map((0..cells.len().div_ceil(CHUNK)).collect(), &|part: usize| {
            let (mut found, mut sliding) = (Vec::new(), Vec::new());
            for cell in &cells[part * CHUNK..cells.len().min((part + 1) * CHUNK)] {
                let point = |k: usize| particles.vertices.get(neighbours.order[k] as usize).map(|&v| x[v as usize]);
                let inside = cell.clone().filter_map(point);
                let none = (Vec3::INFINITY, Vec3::NEG_INFINITY);
                let (low, high) = inside.fold(none, |(low, high), p| (low.min(p), high.max(p)));
                let (middle, half) = (0.5 * (low + high), 0.5 * (high - low).length());
                // A distance changes by no more than one goes: what is far from the middle of a cell is far from all of it.
                let near: Vec<&Moving<'_>> =
                    moving.iter().filter(|wall| !wall.is_farther_at_end(middle, reach + half)).collect();
                if near.is_empty() {
                    continue;
                }
                for (k, p) in cell.clone().filter_map(|k| Some((k, point(k)?))) {
                    for (wall, nearby) in near.iter().filter_map(|wall| Some((wall, wall.near_at_end(p, reach)?))) {
                        let offset = (nearby.distance - nearby.normal.dot(p - neighbours.origin)) / radius;
                        let normal = nearby.normal.to_array().map(|c| c as f32);
                        let (place, plane) = (k as u32, Plane { normal, offset: offset as f32 });
                        found.push((place, plane));
                        if wall.friction() > 0.0 {
                            let (friction, shift) = (wall.friction(), wall.at_end(p).1);
                            sliding.push(Sliding { place, plane, friction, shift });
                        }
                    }
                }
            }
            (found, sliding)
        });
        let planes = || parts.iter().flat_map(|(found, _)| found);
        self.starts.resize(count + 1, 0);
        planes().for_each(|&(place, _)| self.starts[place as usize + 1] += 1);
        (0..count).for_each(|k| self.starts[k + 1] += self.starts[k]);
        self.planes.extend(planes().map(|(_, plane)| *plane));
        self.sliding.extend(parts.iter().flat_map(|(_, sliding)| sliding));
    }

    /// Slows what slides along walls with friction in a step of length h \[s\], given the velocities of all vertices \[m/s\]; `vertex` tells which of
    /// them is at a place, if it flows.
    pub(crate) fn rub(
        &self,
        places: &[Place],
        spacing: f64,
        h: f64,
        vertex: impl Fn(usize) -> Option<usize>,
        v: &mut [Vec3],
    ) {
        // The layer beside a wall is half a spacing from it and has the weight 1; the next one has 0.02.
        let beside = kernels::behind(0.5 / (KERNEL as f32 * self.reach));
        for Sliding { place, plane, friction, shift } in &self.sliding {
            let weight = kernels::behind(plane.distance(&places[*place as usize]) / self.reach) / beside;
            let Some(v) = vertex(*place as usize).map(|vertex| &mut v[vertex]) else { continue };
            let normal = Vec3::from_array(plane.normal.map(f64::from));
            let relative = *v - *shift / h;
            let along = relative - normal * normal.dot(relative);
            // Implicit, so that it stops no more than there is.
            let slowed = 0.5 * friction * f64::from(weight.min(1.0)) * along.length() * h / spacing;
            *v -= along * (slowed / (1.0 + slowed));
        }
    }

    /// What the walls add at a place.
    pub(crate) fn share(&self, k: usize, place: &Place) -> Share {
        let mut share = Share::default();
        let Some(&end) = self.starts.get(k + 1) else { return share };
        let planes = &self.planes[self.starts[k] as usize..end as usize];
        let mut empty = 1.0;
        for plane in planes {
            let distance = plane.distance(place) / self.reach;
            let (behind, slope) = (kernels::behind(distance), kernels::across(distance) / self.reach);
            // d(1 − Π) = Σ slope·Π of the others.
            for (g, n) in share.gradient.iter_mut().zip(plane.normal) {
                *g = *g * (1.0 - behind) - n * slope * empty;
            }
            empty *= 1.0 - behind;
        }
        share.density = 1.0 - empty;
        share
    }
}
