//! Goals of a body's particles, and what pulls them there.

use super::fit::Fits;
use super::{Matching, MatchingInfo, Modes};
use crate::math::{Quat, Vec3};
use crate::parallel::{self, Strided};

/// A matched body while it is stepped.
#[derive(Debug)]
pub(super) struct Shape {
    /// Its first vertex in the world.
    first: usize,
    matching: Matching,
    /// Places at rest \[m\].
    rest: Vec<Vec3>,
    fits: Fits,
    /// Regions of each particle: those of particle i are `starts[i]..starts[i + 1]` of `regions`.
    starts: Vec<u32>,
    regions: Vec<u32>,
    goals: Vec<Vec3>,
}

impl Shape {
    pub(super) fn new(info: &MatchingInfo, rest: &[Vec3], masses: &[f64]) -> Self {
        let (matching, count) = (info.matching.clone(), rest.len());
        let members = matching.regions.members();
        let mut starts = vec![0u32; count + 1];
        members.items().iter().for_each(|&v| starts[v as usize + 1] += 1);
        (0..count).for_each(|v| starts[v + 1] += starts[v]);
        let (mut next, mut regions) = (starts.clone(), vec![0; members.items().len()]);
        for (region, row) in (0..).zip(members.rows()) {
            for &v in row {
                regions[next[v as usize] as usize] = region;
                next[v as usize] += 1;
            }
        }
        let shared: Vec<f64> = (0..count).map(|v| masses[v] / f64::from(starts[v + 1] - starts[v])).collect();
        let fits = Fits::new(&matching.regions, rest, &shared, matching.modes);
        let goals = vec![Vec3::ZERO; count];
        Self { first: info.vertices.start, matching, rest: rest.to_vec(), fits, starts, regions, goals }
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

    fn regions_of(&self, v: usize) -> &[u32] {
        &self.regions[self.starts[v] as usize..self.starts[v + 1] as usize]
    }

    /// Goals of particles at x, at most γ from where they are [Bargteil & Jones 2014, Algorithm 2].
    fn find_goals(&mut self, gamma: f64, x: &[Vec3]) {
        self.fits.update(x);
        let (fits, rest, is_quadratic) = (&self.fits, &self.rest, matches!(self.matching.modes, Modes::Quadratic(_)));
        let (starts, regions) = (&self.starts, &self.regions);
        let goals = Strided { entries: &mut self.goals, stride: 1 };
        parallel::for_each(0..rest.len(), goals, &|range, goals| {
            for (v, goal) in range.zip(goals.entries) {
                let own = &regions[starts[v] as usize..starts[v + 1] as usize];
                let mut movement = Vec3::ZERO;
                for &region in own {
                    let region = region as usize;
                    let fit = fits.fit(region);
                    let mut to = fit.linear * rest[v] + fit.shift - x[v];
                    if is_quadratic {
                        to += fits.quadratic(region, rest[v]);
                    }
                    let (distance, free) = (to.length(), gamma * fits.regions[region].half_width);
                    // Within the limit the goal is the particle itself; at γ = 0 this is plain matching.
                    if distance > free {
                        movement += to * ((distance - free) / distance);
                    }
                }
                *goal = x[v] + movement / own.len() as f64;
            }
        });
    }

    /// Adds the pull of the spring at the beginning of a step, and its damping, to the predicted x.
    pub(super) fn pull(&mut self, before: &[Vec3], inverse_masses: &[f64], h: f64, x: &mut [Vec3]) {
        let own = self.first..self.first + self.rest.len();
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
                let own = self.regions_of(v);
                let sum = own.iter().fold(Vec3::ZERO, |sum, &region| sum + movements[region as usize].at(before[v]));
                *pull += (sum / own.len() as f64 - (x[v] - before[v])) * damped;
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
        let own = self.first..self.first + self.rest.len();
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
