//! Colliders as seen by a fluid: half-spaces full of fluid at rest.
//!
//! A particle at a wall misses the neighbours that it would have behind it, so its density would be too low, and particles would pile up
//! in layers at the wall until it is not. Instead, a collider at distance d adds the integral of the kernel over the half-space behind its
//! nearest tangent plane [`kernels::behind`], and pushes with the slope of it. Nothing has to be sampled, planes of infinite extent cost the
//! same as a ball, and moving or deforming colliders need no care; the price is that edges narrower than a kernel count as flat.
//! Of several colliders the empty shares multiply, 1 − Π(1 − f), which is exact for two walls at right angles at the corner and far from it.

use super::kernels;
use super::matter::Matter;
use super::neighbours::Place;
use crate::collide::Moving;
use crate::math::Vec3;
use crate::parallel;

/// The tangent plane of a collider near a particle: n·x + offset is the distance, in units of the radius.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Plane {
    normal: [f32; 3],
    offset: f32,
}

/// Tangent planes of all particles near colliders.
#[derive(Debug, Default)]
pub(crate) struct Walls {
    /// Planes of place k are `planes[starts[k]..starts[k + 1]]`; empty without colliders.
    starts: Vec<u32>,
    planes: Vec<Plane>,
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
const REACH: f64 = 1.25;

impl Walls {
    /// Takes the planes of colliders at the end of the step near particles, which are told by their place; samples give none.
    pub(crate) fn find(
        &mut self,
        moving: &[Moving<'_>],
        count: usize,
        particle: &(impl Fn(usize) -> Option<Vec3> + Sync),
        origin: Vec3,
        matter: &Matter,
    ) {
        let radius = matter.radius;
        self.reach = matter.reach_of_walls;
        self.starts.clear();
        self.planes.clear();
        if moving.is_empty() {
            return;
        }
        let found = parallel::filter_map(count * moving.len(), &|k| {
            let (place, collider) = (k / moving.len(), &moving[k % moving.len()]);
            let p = particle(place)?;
            let near = collider.near_at_end(p, REACH * radius)?;
            let normal = near.normal;
            let offset = (near.distance - normal.dot(p - origin)) / radius;
            Some((place as u32, Plane { normal: normal.to_array().map(|c| c as f32), offset: offset as f32 }))
        });
        self.starts.resize(count + 1, 0);
        found.iter().for_each(|&(place, _)| self.starts[place as usize + 1] += 1);
        (0..count).for_each(|k| self.starts[k + 1] += self.starts[k]);
        self.planes.extend(found.iter().map(|(_, plane)| *plane));
    }

    /// What the walls add at a place.
    pub(crate) fn share(&self, k: usize, place: &Place) -> Share {
        let mut share = Share::default();
        let Some(&end) = self.starts.get(k + 1) else { return share };
        let planes = &self.planes[self.starts[k] as usize..end as usize];
        let mut empty = 1.0;
        for plane in planes {
            let [nx, ny, nz] = plane.normal;
            let distance = nx * place[0] + ny * place[1] + nz * place[2] + plane.offset;
            let distance = distance / self.reach;
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
