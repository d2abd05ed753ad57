//! Goals of a body's particles, and what pulls them there.

use std::ops::Range;

use super::fit::{Fit, Fits};
use super::fracture::{Break, Cracks, Moment};
use super::volume::Volume;
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
    /// Of a body that may break.
    cracks: Option<Cracks>,
    /// Of a body that keeps its volume.
    volume: Option<Volume>,
}

impl Shape {
    /// The shape of a model's matching of this number, with the triangles of its surface.
    pub(super) fn new(
        number: usize,
        info: &MatchingInfo,
        rest: &[Vec3],
        masses: &[f64],
        surface: &dyn Fn() -> Vec<[u32; 3]>,
    ) -> Self {
        let matching = info.matching.clone();
        let fits = Fits::new(&matching, &matching.regions, rest, masses);
        let cracks = matching.toughness.and_then(|_| Cracks::new(number as u32, &matching.regions, rest, masses));
        let volume = matching.volume.map(|params| Volume::new(params, surface(), rest, masses));
        Self { first: info.vertices.start, matching, fits, goals: vec![Vec3::ZERO; rest.len()], cracks, volume }
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

    /// Plastic stretches of its regions; none where it does not flow.
    pub(super) fn stretches(&self) -> &[Mat3] {
        let count = if self.matching.plasticity.is_some() { self.region_count() } else { 0 };
        &self.fits.stretches[..count]
    }

    pub(super) fn set_stretches(&mut self, stretches: &[Mat3]) {
        self.fits.stretches[..stretches.len()].copy_from_slice(stretches);
    }

    pub(super) fn breaks(&self) -> &[Break] {
        self.cracks.as_ref().map_or(&[], |cracks| &cracks.breaks)
    }

    /// Goes on from these breaks, of all bodies.
    pub(super) fn set_breaks(&mut self, all: &[Break]) {
        let Some(cracks) = &mut self.cracks else { return };
        let own: Vec<Break> = all.iter().filter(|b| b.matching == cracks.matching).copied().collect();
        if own != cracks.breaks && cracks.take(&self.matching.regions, own, 0) {
            self.fits = Fits::new(&self.matching, &cracks.broken.regions, &cracks.rest, &cracks.masses);
        }
    }

    /// Lets what flows do so, and what breaks, after a step of length h \[s\] that ended at x; `step` had been taken before.
    pub(super) fn finish_step(&mut self, h: f64, step: u64, x: &[Vec3]) {
        let x = &x[self.vertices()];
        let by_regions = self.cracks.is_some() && self.matching.regions.lattice().is_none();
        if by_regions || self.matching.plasticity.is_some() {
            self.fits.update(x);
        }
        if let Some(plasticity) = &self.matching.plasticity {
            self.fits.flow(plasticity, h);
        }
        if let (Some(cracks), Some(toughness)) = (&mut self.cracks, self.matching.toughness) {
            let moment = Moment { toughness, step, pause: self.matching.spring.steps_of_half_a_swing(h) };
            let new = cracks.find(&moment, &self.fits, x);
            if new.is_empty() {
                return;
            }
            let (count, all) = (new.len(), [&cracks.breaks[..], &new].concat());
            if cracks.take(&self.matching.regions, all, count) {
                let mut fits = Fits::new(&self.matching, &cracks.broken.regions, &cracks.rest, &cracks.masses);
                fits.inherit(&self.fits, &cracks.broken.parents);
                self.fits = fits;
            }
        }
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
        let needs_goals = self.volume.as_ref().is_some_and(Volume::needs_goals);
        if alpha != 0.0 || damped != 0.0 || needs_goals {
            self.find_goals(0.0, before);
        }
        if let Some(volume) = &mut self.volume {
            volume.begin(&self.goals, before);
        }
        if alpha == 0.0 && damped == 0.0 {
            return;
        }
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

impl Shape {
    /// Notes which of its vertices touch colliders: n · x ≥ b for a vertex, n and b.
    pub(super) fn touch(&mut self, planes: impl Iterator<Item = (u32, Vec3, f64)>, x: &[Vec3]) {
        let own = self.vertices();
        let Some(volume) = &mut self.volume else { return };
        volume.release();
        for (vertex, normal, offset) in planes.filter(|plane| own.contains(&(plane.0 as usize))) {
            volume.touch(vertex as usize - own.start, normal.dot(x[vertex as usize]) - offset);
        }
    }

    /// Gives the surface its volume back.
    pub(super) fn fill(&self, inverse_masses: &[f64], x: &mut [Vec3]) {
        if let Some(volume) = &self.volume {
            volume.correct(&inverse_masses[self.vertices()], &mut x[self.vertices()]);
        }
    }

    /// Takes what would change the volume out of velocities.
    pub(super) fn correct_velocities(&self, inverse_masses: &[f64], x: &[Vec3], v: &mut [Vec3]) {
        if let Some(volume) = &self.volume {
            let own = self.vertices();
            volume.correct_velocities(&inverse_masses[own.clone()], &x[own.clone()], &mut v[own]);
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
            // A limit comes here only on lattices, where each particle has a region of its own.
            let free = if gamma > 0.0 { gamma * fits.regions[v].half_width } else { 0.0 };
            *goal = x[v] + beyond(mean + fits.origin - x[v], free);
        }
    });
}
