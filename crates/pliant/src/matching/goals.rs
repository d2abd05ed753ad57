//! Goals of a body's particles, and what pulls them there.

use std::ops::Range;

use super::fit::{Fit, Fits};
use super::{Matching, MatchingInfo, Modes};
use crate::math::{Mat3, Quat, Vec3};
use crate::mesh::Csr;
use crate::parallel::{self, Strided};

/// A matched body while it is stepped.
#[derive(Debug)]
pub(super) struct Shape {
    /// Its first vertex in the world.
    first: usize,
    matching: Matching,
    fits: Fits,
    goals: Vec<Vec3>,
}

impl Shape {
    pub(super) fn new(info: &MatchingInfo, rest: &[Vec3], masses: &[f64]) -> Self {
        let matching = info.matching.clone();
        let fits = Fits::new(&matching.regions, rest, masses, matching.modes);
        Self { first: info.vertices.start, matching, fits, goals: vec![Vec3::ZERO; rest.len()] }
    }

    pub(super) fn region_count(&self) -> usize {
        self.fits.regions.len()
    }

    pub(super) fn set_rotations(&mut self, rotations: &[Quat]) {
        self.fits.set_rotations(rotations);
    }

    pub(super) fn rotations(&self) -> impl Iterator<Item = Quat> {
        self.fits.rotations()
    }

    fn vertices(&self) -> Range<usize> {
        self.first..self.first + self.goals.len()
    }

    /// Goals of particles at x, at most γ from where they are [Bargteil & Jones 2014, Algorithm 2].
    fn find_goals(&mut self, gamma: f64, x: &[Vec3]) {
        self.fits.update(x);
        let is_quadratic = matches!(self.matching.modes, Modes::Quadratic(_));
        match self.fits.sums.regions_of_particles() {
            Some(regions) if gamma > 0.0 || is_quadratic => {
                goals_in_regions(&self.fits, regions, gamma, x, &mut self.goals)
            }
            _ => goals_by_means(&self.fits, gamma, x, &mut self.goals),
        }
    }

    /// Adds the pull of the spring at the beginning of a step, and its damping, to the predicted x.
    pub(super) fn pull(&mut self, before: &[Vec3], inverse_masses: &[f64], h: f64, x: &mut [Vec3]) {
        let own = self.vertices();
        let (before, x, inverse_masses) = (&before[own.clone()], &mut x[own.clone()], &inverse_masses[own]);
        let alpha = self.matching.spring.share(h);
        let damped = -(-self.matching.damping * h).exp_m1();
        if alpha == 0.0 && damped == 0.0 {
            return;
        }
        self.find_goals(0.0, before);
        let mut pulls: Vec<Vec3> =
            self.goals.iter().zip(before).map(|(goal, before)| (*goal - *before) * alpha).collect();
        if damped > 0.0 {
            let movements = self.fits.rigid_movements(before, x);
            for (v, pull) in pulls.iter_mut().enumerate() {
                *pull += (movements[v] - (x[v] - before[v])) * damped;
            }
        }
        for ((x, pull), w) in x.iter_mut().zip(&pulls).zip(inverse_masses) {
            if *w > 0.0 {
                *x += *pull;
            }
        }
    }

    /// Moves particles to their limits.
    pub(super) fn limit(&mut self, inverse_masses: &[f64], x: &mut [Vec3]) {
        let Some(gamma) = self.matching.limit else { return };
        let own = self.vertices();
        let (x, inverse_masses) = (&mut x[own.clone()], &inverse_masses[own]);
        self.find_goals(gamma, x);
        let relaxation = self.matching.relaxation;
        for ((x, goal), w) in x.iter_mut().zip(&self.goals).zip(inverse_masses) {
            if *w > 0.0 {
                *x += (*goal - *x) * relaxation;
            }
        }
    }
}

/// How far beyond a free distance a movement goes.
fn beyond(movement: Vec3, free: f64) -> Vec3 {
    let distance = movement.length();
    if distance > free { movement * ((distance - free) / distance) } else { Vec3::ZERO }
}

/// The mean over a particle's regions of goals that are limited in each.
fn goals_in_regions(fits: &Fits, regions: &Csr, gamma: f64, x: &[Vec3], goals: &mut [Vec3]) {
    parallel::for_each(0..x.len(), Strided { entries: goals, stride: 1 }, &|range, goals| {
        for (v, goal) in range.zip(goals.entries) {
            let own = regions.row(v).iter().map(|&region| region as usize);
            let limited = |region| beyond(fits.place(region, v) - x[v], gamma * fits.regions[region].half_width);
            *goal = x[v] + own.fold(Vec3::ZERO, |sum, region| sum + limited(region)) / fits.counts[v];
        }
    });
}

/// Goals by the mean of the maps of a particle's regions, limited as a whole.
fn goals_by_means(fits: &Fits, gamma: f64, x: &[Vec3], goals: &mut [Vec3]) {
    let numbers = |fit: &Fit| {
        let linear = fit.linear.to_cols_array();
        std::array::from_fn(|k| if k < 9 { linear[k] } else { fit.shift[k - 9] })
    };
    let sums: Vec<[f64; 12]> = fits.sums.scatter(&fits.fits().iter().map(numbers).collect::<Vec<_>>());
    parallel::for_each(0..x.len(), Strided { entries: goals, stride: 1 }, &|range, goals| {
        for (v, goal) in range.zip(goals.entries) {
            let sum = &sums[v];
            let mean = (Mat3::from_cols_slice(sum) * fits.rest[v] + Vec3::from_slice(&sum[9..])) / fits.counts[v];
            // A limit comes here only on lattices and chains, where each particle has a region of its own.
            let free = if gamma > 0.0 { gamma * fits.regions[fits.sums.own_region(v)].half_width } else { 0.0 };
            *goal = x[v] + beyond(mean + fits.origin - x[v], free);
        }
    });
}
