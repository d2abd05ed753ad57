//! Surfaces that fluid does not pass through: a particle stays on the side of a triangle on which it was when the step
//! began.
//!
//! Samples of a surface press fluid away from it as long as the surface gives way no more than particles expect. Light cloth that is held does not do
//! what its mass says, and fluid would seep through it. So after each iteration particles that have come too near to a triangle, or beyond it,
//! and the triangle's corners are moved apart along its normal, by their inverse masses: momentum is kept, and a triangle that is pinned is a wall.
//! One contact after the other, in a fixed order.

use super::neighbours::Neighbours;
use super::particles::Particles;
use crate::math::Vec3;
use crate::parallel;

/// Distance that particles keep from a surface, over their spacing. The pressure of samples holds them at about one; this is for when it fails.
const CLEARANCE: f64 = 0.25;
/// How far outside of a triangle the foot of a particle may be when it is pushed, in barycentric coordinates: there are no gaps between triangles.
const OUTSIDE: f64 = 0.02;
/// Times that an iteration goes over all contacts: corners are shared.
const SWEEPS: usize = 2;
const CHUNK: usize = 256;

/// A particle over a triangle.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Contact {
    vertex: u32,
    corners: [u32; 3],
    /// 1 on the side that the triangle's normal points to, −1 on the other.
    side: f64,
}

/// All particles near surfaces in a step.
#[derive(Debug, Default)]
pub(super) struct Barrier {
    contacts: Vec<Contact>,
}

/// Where a point is with respect to a triangle.
struct Foot {
    /// Barycentric coordinates of its foot.
    weights: [f64; 3],
    normal: Vec3,
    /// Signed distance from the plane.
    distance: f64,
}

impl Foot {
    /// None if the triangle has no area.
    fn of(p: Vec3, [a, b, c]: [Vec3; 3]) -> Option<Self> {
        let area = (b - a).cross(c - a);
        let squared = area.length_squared();
        if squared <= 0.0 || !squared.is_finite() {
            return None;
        }
        let v = (p - a).cross(c - a).dot(area) / squared;
        let w = (b - a).cross(p - a).dot(area) / squared;
        let normal = area / squared.sqrt();
        Some(Self { weights: [1.0 - v - w, v, w], normal, distance: normal.dot(p - a) })
    }

    fn is_over(&self) -> bool {
        self.weights.iter().all(|&weight| weight >= -OUTSIDE)
    }

    /// Whether the side of the plane is that of the triangle: over it, or beside it by less than above or below. Farther out the plane goes on
    /// where the surface may have turned away.
    fn knows_its_side(&self, [a, b, c]: [Vec3; 3]) -> bool {
        let twice = (b - a).cross(c - a).length();
        let edges = [c - b, a - c, b - a];
        let beside = |k: usize| -self.weights[k] * twice / edges[k].length();
        (0..3).all(|k| beside(k) <= self.distance.abs())
    }
}

impl Barrier {
    /// Finds which particles that flow are over which triangles when a step begins, from the samples among their neighbours.
    pub(super) fn find(&mut self, particles: &Particles, neighbours: &Neighbours, flows: &[bool], start: &[Vec3]) {
        self.contacts.clear();
        if particles.samples.is_empty() {
            return;
        }
        let (order, fluid) = (&neighbours.order, particles.vertices.len());
        let parts = parallel::map((0..flows.len().div_ceil(CHUNK)).collect(), &|part: usize| {
            let mut found: Vec<Contact> = Vec::new();
            for k in (part * CHUNK..flows.len().min((part + 1) * CHUNK)).filter(|&k| flows[k]) {
                let (first, vertex) = (found.len(), particles.vertices[order[k] as usize]);
                let samples = neighbours.of(k).iter().filter_map(|&j| (order[j as usize] as usize).checked_sub(fluid));
                for corners in samples.map(|sample| particles.samples[sample].corners) {
                    if found[first..].iter().any(|contact| contact.corners == corners) {
                        continue;
                    }
                    let triangle = corners.map(|corner| start[corner as usize]);
                    let Some(foot) = Foot::of(start[vertex as usize], triangle) else { continue };
                    if foot.knows_its_side(triangle) {
                        found.push(Contact { vertex, corners, side: if foot.distance < 0.0 { -1.0 } else { 1.0 } });
                    }
                }
            }
            found
        });
        parts.into_iter().for_each(|part| self.contacts.extend(part));
    }

    /// Moves particles back to their side, and triangles away from them.
    pub(super) fn part(&self, particles: &Particles, x: &mut [Vec3]) {
        let clearance = CLEARANCE * particles.spacing();
        for _ in 0..SWEEPS {
            for &Contact { vertex, corners, side } in &self.contacts {
                let triangle = corners.map(|corner| x[corner as usize]);
                let Some(foot) = Foot::of(x[vertex as usize], triangle) else { continue };
                let (Foot { weights, normal, .. }, missing) = (&foot, clearance - side * foot.distance);
                if missing <= 0.0 || !foot.is_over() {
                    continue;
                }
                let soft = |v: u32| particles.vertex_softness[v as usize];
                let all = soft(vertex) + (0..3).map(|c| weights[c] * weights[c] * soft(corners[c])).sum::<f64>();
                if all > 0.0 {
                    let push = *normal * (side * missing / all);
                    x[vertex as usize] += push * soft(vertex);
                    (0..3).for_each(|c| x[corners[c] as usize] -= push * (weights[c] * soft(corners[c])));
                }
            }
        }
    }
}
