//! What is done to velocities after a step: friction at walls, viscosity and vorticity confinement [Macklin 2013, §5; Bender 2014, §3.4.6].
//!
//! ```text
//! v_i += c Σ_j V_j W n (n·(v_j − v_i))            n = (x_i − x_j)/r;  c = 5 · 6 ν h / Σ V r² W
//! ω_i  = Σ_j V_j (v_j − v_i) × ∇W                 curl
//! v_i += h ε (N × ω_i),   N = ∇‖ω‖ / ‖∇‖ω‖‖       confinement
//! ```
//!
//! Departure: the papers have XSPH [Schechter 2012], which mixes whole velocities, c Σ V W (v_j − v_i). That is no force along the line between
//! particles: it slows a drop that spins freely as a solid does, which no viscosity may. Here only the part along the line is mixed
//! [Monaghan 1992, §4], with five times the weight, which gives shear the same viscosity ν in m²/s and keeps momentum and angular momentum.
//! Confinement gives back vortices that the step has damped, and keeps neither.

use super::density::Density;
use super::kernels;
use super::neighbours::Place;
use super::particles::Particles;
use crate::math::Vec3;
use crate::parallel::{self, Strided};

/// Most that a step takes from the neighbours' velocity, of the part along the line between them: more would go past their mean.
pub(super) const MOST_MIXED: f32 = 1.5;
/// A mean over directions n of n (n·v) is so much less than v, for the shear of a flow that keeps its volume.
pub(super) const PARALLEL: f64 = 5.0;

impl Density {
    /// Mixes velocities and confines vortices, at the positions of the step's end and with its neighbours.
    pub(crate) fn correct_velocities(&mut self, particles: &Particles, x: &[Vec3], h: f64, v: &mut [Vec3]) {
        self.follow(particles, x);
        let count = particles.len();
        let mut speeds = vec![Vec3::ZERO; count];
        let order = &self.neighbours.order;
        // Samples stay at zero: they do not take part.
        for (speed, &own) in speeds.iter_mut().zip(order) {
            if let Some(&vertex) = particles.vertices.get(own as usize) {
                *speed = v[vertex as usize];
            }
        }
        let mut changes = vec![Vec3::ZERO; count];
        if particles.viscosity.iter().any(|&viscosity| viscosity > 0.0) {
            self.mix(particles, h, &speeds, &mut changes);
        }
        if particles.confinement.iter().any(|&strength| strength > 0.0) {
            self.confine(particles, h, &speeds, &mut changes);
        }
        for (&own, change) in self.neighbours.order.iter().zip(&changes) {
            if let Some(&vertex) = particles.vertices.get(own as usize) {
                v[vertex as usize] += *change;
            }
        }
        let order = &self.neighbours.order;
        let vertex = |k: usize| {
            let vertex = particles.vertices.get(order[k] as usize).filter(|_| self.flows[k]);
            vertex.map(|&vertex| vertex as usize)
        };
        self.walls.rub(&self.places, particles.spacing(), h, vertex, v);
    }

    /// For each place a sum over its neighbours, given offset and squared distance from them.
    fn gather<T: Send>(&self, out: &mut [T], work: &(impl Fn(usize, &mut dyn Iterator<Item = Pair>) -> T + Sync)) {
        parallel::for_each(0..out.len(), Strided { entries: out, stride: 1 }, &|range, part| {
            for (out, k) in part.entries.iter_mut().zip(range) {
                let own = &self.places[k];
                let mut pairs = self.neighbours.of(k).iter().map(|&j| {
                    let other = &self.places[j as usize];
                    let offset: [f32; 3] = std::array::from_fn(|c| own[c] - other[c]);
                    let squared = offset[0] * offset[0] + offset[1] * offset[1] + offset[2] * offset[2];
                    Pair { j: j as usize, offset, squared, volume: other[3] }
                });
                *out = work(k, &mut pairs);
            }
        });
    }

    fn mix(&self, particles: &Particles, h: f64, speeds: &[Vec3], changes: &mut [Vec3]) {
        let (order, fluid) = (&self.neighbours.order, particles.vertices.len());
        let scale = PARALLEL * 6.0 * h / (particles.second_moment() * particles.radius * particles.radius);
        // Samples do not take part: their viscosity is negative.
        let viscosity = |own: usize| if own < fluid { particles.viscosity[own] * scale } else { -1.0 };
        let mut quads: Vec<Place> = vec![[0.0, 0.0, 0.0, -1.0]; speeds.len() + 1];
        parallel::for_each(
            0..speeds.len(),
            Strided { entries: &mut quads[..speeds.len()], stride: 1 },
            &|range, part| {
                for (quad, k) in part.entries.iter_mut().zip(range) {
                    let [x, y, z] = speeds[k].to_array().map(|c| c as f32);
                    *quad = [x, y, z, viscosity(order[k] as usize) as f32];
                }
            },
        );
        let (rows, quads) = (self.rows(), &quads[..]);
        parallel::for_each(0..speeds.len(), Strided { entries: changes, stride: 1 }, &|range, part| {
            let base = range.start;
            rows.mix(range, quads, MOST_MIXED, |k, change| {
                part.entries[k - base] = Vec3::from_array(change.map(f64::from));
            });
        });
    }

    fn confine(&self, particles: &Particles, h: f64, speeds: &[Vec3], changes: &mut [Vec3]) {
        let (order, fluid, radius) = (&self.neighbours.order, particles.vertices.len(), particles.radius);
        let mut curls = vec![Vec3::ZERO; speeds.len()];
        self.gather(&mut curls, &|k, pairs| {
            let wet = pairs.filter(|pair| (order[pair.j] as usize) < fluid);
            wet.fold(Vec3::ZERO, |sum, pair| sum + (speeds[pair.j] - speeds[k]).cross(-pair.gradient()) / radius)
        });
        let mut pushes = vec![Vec3::ZERO; speeds.len()];
        self.gather(&mut pushes, &|k, pairs| {
            let own = order[k] as usize;
            if own >= fluid {
                return Vec3::ZERO;
            }
            let here = curls[k].length();
            let wet = pairs.filter(|pair| (order[pair.j] as usize) < fluid);
            let rise = wet.fold(Vec3::ZERO, |sum, pair| sum + pair.gradient() * (curls[pair.j].length() - here));
            rise.normalize_or_zero().cross(curls[k]) * (h * particles.confinement[own])
        });
        changes.iter_mut().zip(pushes).for_each(|(change, push)| *change += push);
    }
}

/// A neighbour as seen from a place.
struct Pair {
    j: usize,
    /// From the neighbour, in radii.
    offset: [f32; 3],
    squared: f32,
    volume: f32,
}

impl Pair {
    /// V ∇W.
    fn gradient(&self) -> Vec3 {
        let factor = self.volume * kernels::slope_over_distance(self.squared);
        Vec3::from_array(self.offset.map(|c| f64::from(factor * c)))
    }
}
