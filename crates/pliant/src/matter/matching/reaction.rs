//! What a limit does to the rest of a body.
//!
//! A particle that is moved back to its limit pulls at all that it hangs together with: this answers with a small rigid movement, so that momentum and angular
//! momentum of a free body stay. A particle that is pinned does not move at all, and the others come to it.
//!
//! Departure: [Bargteil & Jones 2014, Algorithm 2] moves the particle alone. A load on a single particle (a handle, a tie, the ground) is then lost at each
//! step, and what is lost on one side is gained on the other: bodies fell from their handles, and hopped on the ground. If each region answered for its own particles,
//! limits would converge more slowly.

use super::fit::Fits;
use super::regions::Regions;
use crate::math::{Mat3, Vec3};
use crate::mesh::pseudo_inverse_times;

/// How many times heavier than it is a pinned particle counts.
const PINNED: f64 = 1e6;

/// The pieces of a body, each of which answers for its own particles.
#[derive(Debug)]
pub(super) struct Reaction {
    /// The piece of each particle.
    pieces: Vec<u32>,
    /// Of each piece: weight, weight × place, products of places, weight × movement, moment of that.
    sums: Vec<[f64; 16]>,
}

impl Reaction {
    /// Of so many particles in regions.
    pub(super) fn new(regions: &Regions, particles: usize) -> Self {
        let pieces = regions.pieces(particles);
        let count = pieces.iter().max().map_or(0, |last| *last as usize + 1);
        Self { pieces, sums: vec![[0.0; 16]; count] }
    }

    /// Adds to the movements of particles how their pieces answer to them.
    pub(super) fn add(&mut self, fits: &Fits, inverse_masses: &[f64], movements: &mut [Vec3]) {
        if movements.iter().all(|movement| *movement == Vec3::ZERO) {
            return;
        }
        let place = |v: usize| Vec3::from_slice(&fits.points[v]);
        self.sums.fill([0.0; 16]);
        for (v, (movement, piece)) in movements.iter().zip(&self.pieces).enumerate() {
            let weight = fits.masses[v] * fits.counts[v] * if inverse_masses[v] > 0.0 { 1.0 } else { PINNED };
            let (x, pull) = (place(v), *movement * weight);
            let (w, moment) = (x * weight, x.cross(pull));
            let values = [
                [weight, w.x, w.y, w.z],
                [w.x * x.x, w.y * x.y, w.z * x.z, w.x * x.y],
                [w.y * x.z, w.z * x.x, pull.x, pull.y],
                [pull.z, moment.x, moment.y, moment.z],
            ];
            let sum = &mut self.sums[*piece as usize];
            sum.iter_mut().zip(values.as_flattened()).for_each(|(sum, value)| *sum += value);
        }
        let answers: Vec<[Vec3; 2]> = self.sums.iter().map(answer).collect();
        for (v, (movement, piece)) in movements.iter_mut().zip(&self.pieces).enumerate() {
            let [turn, shift] = answers[*piece as usize];
            *movement += turn.cross(place(v)) + shift;
        }
    }
}

/// The turn ω and the shift t of a piece, x → x + ω × x + t, with the opposite momenta of what pulls at it.
fn answer(sum: &[f64; 16]) -> [Vec3; 2] {
    let (weight, pull, moment) = (sum[0], Vec3::from_slice(&sum[10..]), Vec3::from_slice(&sum[13..]));
    if pull == Vec3::ZERO && moment == Vec3::ZERO {
        return [Vec3::ZERO; 2];
    }
    let centre = Vec3::from_slice(&sum[1..]) / weight;
    let [xx, yy, zz, xy, yz, zx] = [4, 5, 6, 7, 8, 9].map(|k| sum[k]);
    let c = centre * weight;
    let [xx, yy, zz] = [xx - c.x * centre.x, yy - c.y * centre.y, zz - c.z * centre.z];
    let [xy, yz, zx] = [xy - c.x * centre.y, yz - c.y * centre.z, zx - c.z * centre.x];
    let inertia =
        Mat3::from_cols(Vec3::new(yy + zz, -xy, -zx), Vec3::new(-xy, xx + zz, -yz), Vec3::new(-zx, -yz, xx + yy));
    let turn = -pseudo_inverse_times(inertia, moment - centre.cross(pull));
    let shift = -pull / weight - turn.cross(centre);
    [turn, shift]
}
