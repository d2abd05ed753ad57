//! Goals of a body's particles, and what pulls them there.

use std::ops::Range;

use super::fit::Fits;
use super::fracture::{Break, Cracks, Moment};
use super::members::{Members, Movements};
use super::reaction::Reaction;
use super::sums::Buffers;
use super::volume::Volume;
use super::{Matching, Modes};
use crate::math::functions::exp_m1;
use crate::math::{Mat3, Quat, Vec3};
use crate::matter::StepView;
use crate::mesh::Csr;
use crate::parallel::{self, Strided};

/// A matched body while it is stepped.
#[derive(Debug)]
pub(super) struct Shape {
    /// Its first vertex in the world.
    first: usize,
    matching: Matching,
    fits: Fits,
    /// How far each particle is from its goal \[m\].
    movements: Vec<Vec3>,
    /// The same of members of regions in lists.
    members: Movements,
    /// Sums of the maps of each particle's regions.
    maps: Buffers<12>,
    /// How it answers to limits.
    reaction: Reaction,
    /// Of a body that may break.
    cracks: Option<Cracks>,
    /// Of a body that keeps its volume.
    volume: Option<Volume>,
}

impl Shape {
    /// Of a body with its first vertex in the world, and the triangles of its surface.
    pub(super) fn new(
        matching: &Matching,
        first: usize,
        rest: &[Vec3],
        masses: &[f64],
        surface: &dyn Fn() -> Vec<[u32; 3]>,
    ) -> Self {
        let matching = matching.clone();
        let fits = Fits::new(&matching, &matching.regions, rest, masses);
        let cracks = matching.toughness.and_then(|_| Cracks::new(&matching.regions, rest, masses));
        let volume = matching.volume.map(|params| Volume::new(params, surface(), rest, masses));
        let reaction = Reaction::new(&matching.regions, rest.len());
        let movements = vec![Vec3::ZERO; rest.len()];
        Self {
            first,
            matching,
            fits,
            movements,
            members: Movements::default(),
            maps: Buffers::default(),
            reaction,
            cracks,
            volume,
        }
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

    /// Goes on from these breaks.
    pub(super) fn set_breaks(&mut self, own: Vec<Break>) {
        let Some(cracks) = &mut self.cracks else { return };
        if own != cracks.breaks && cracks.take(&self.matching.regions, own, 0) {
            self.fits = Fits::new(&self.matching, &cracks.broken.regions, &cracks.rest, &cracks.masses);
            self.reaction = Reaction::new(&cracks.broken.regions, cracks.rest.len());
        }
    }

    /// Lets what flows do so, and what breaks, after a substep.
    pub(super) fn finish_step(&mut self, at: &StepView<'_>) {
        let x = &at.positions[self.vertices()];
        let by_regions = self.cracks.is_some() && self.matching.regions.lattice().is_none();
        if by_regions || self.matching.plasticity.is_some() {
            self.fits.update(x);
        }
        if let Some(plasticity) = &self.matching.plasticity {
            self.fits.flow(plasticity, at.h);
        }
        if let (Some(cracks), Some(toughness)) = (&mut self.cracks, self.matching.toughness) {
            let moment = Moment { toughness, step: at.step, pause: self.matching.spring.steps_of_half_a_swing(at) };
            let new = cracks.find(&moment, &self.fits, x);
            if new.is_empty() {
                return;
            }
            let (count, all) = (new.len(), [&cracks.breaks[..], &new].concat());
            if cracks.take(&self.matching.regions, all, count) {
                let mut fits = Fits::new(&self.matching, &cracks.broken.regions, &cracks.rest, &cracks.masses);
                fits.inherit(&self.fits, &cracks.broken.parents);
                self.fits = fits;
                self.reaction = Reaction::new(&cracks.broken.regions, cracks.rest.len());
            }
        }
    }

    fn vertices(&self) -> Range<usize> {
        self.first..self.first + self.movements.len()
    }

    /// Finds the way of particles at x to their goals, less what is free within γ [Bargteil & Jones 2014, Algorithm 2].
    fn find_movements(&mut self, gamma: f64, x: &[Vec3]) {
        self.fits.update(x);
        let movements = &mut self.movements;
        match (&self.fits.members, self.fits.sums.regions_of_particles()) {
            (_, Some(regions)) if matches!(self.matching.modes, Modes::Quadratic(_)) => {
                by_places(&self.fits, regions, gamma, x, movements);
            }
            (Some(members), Some(regions)) => {
                by_members(&self.fits, members, regions, gamma, &mut self.members, movements);
            }
            _ => by_means(&self.fits, gamma, &mut self.maps, movements),
        }
    }

    /// Adds the pull of the spring at the beginning of a step, and its damping, to the predicted x.
    pub(super) fn pull(&mut self, before: &[Vec3], inverse_masses: &[f64], h: f64, x: &mut [Vec3]) {
        let own = self.vertices();
        let (before, x, inverse_masses) = (&before[own.clone()], &mut x[own.clone()], &inverse_masses[own]);
        let alpha = self.matching.spring.share(h);
        let damped = -exp_m1(-self.matching.damping * h);
        let needs_goals = self.volume.as_ref().is_some_and(Volume::needs_goals);
        if alpha != 0.0 || damped != 0.0 || needs_goals {
            self.find_movements(0.0, before);
        }
        if let Some(volume) = &mut self.volume {
            volume.begin(&self.movements, before);
        }
        if alpha == 0.0 && damped == 0.0 {
            return;
        }
        if damped > 0.0 {
            let rigid = self.fits.rigid_movements(before, x);
            for v in (0..x.len()).filter(|&v| inverse_masses[v] > 0.0) {
                x[v] += (rigid[v] - (x[v] - before[v])) * damped;
            }
        }
        self.go(alpha, inverse_masses, x);
    }

    /// Moves particles to their limits.
    pub(super) fn limit(&mut self, inverse_masses: &[f64], x: &mut [Vec3]) {
        let Some(gamma) = self.matching.limit else { return };
        let own = self.vertices();
        let (x, inverse_masses) = (&mut x[own.clone()], &inverse_masses[own]);
        self.find_movements(gamma, x);
        self.reaction.add(&self.fits, inverse_masses, &mut self.movements);
        self.go(self.matching.relaxation, inverse_masses, x);
    }

    /// Goes a share of the way to the goals.
    fn go(&self, share: f64, inverse_masses: &[f64], x: &mut [Vec3]) {
        for ((x, movement), w) in x.iter_mut().zip(&self.movements).zip(inverse_masses) {
            if *w > 0.0 {
                *x += *movement * share;
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

/// The mean over a particle's regions of ways that are limited in each.
fn by_members(
    fits: &Fits,
    members: &Members,
    regions: &Csr,
    gamma: f64,
    of_members: &mut Movements,
    movements: &mut [Vec3],
) {
    members.movements(&fits.points, fits.maps(), |region| gamma * fits.regions[region].half_width, of_members);
    if !of_members.is_any() {
        return movements.fill(Vec3::ZERO);
    }
    parallel::for_each(0..movements.len(), Strided { entries: movements, stride: 1 }, &|range, movements| {
        for (v, movement) in range.zip(movements.entries) {
            *movement = members.movement(v, regions.row(v), of_members) / fits.counts[v];
        }
    });
}

/// The same one by one, for maps that are not linear.
fn by_places(fits: &Fits, regions: &Csr, gamma: f64, x: &[Vec3], movements: &mut [Vec3]) {
    parallel::for_each(0..x.len(), Strided { entries: movements, stride: 1 }, &|range, movements| {
        for (v, movement) in range.zip(movements.entries) {
            let own = regions.row(v).iter().map(|&region| region as usize);
            let limited = |region| beyond(fits.place(region, v) - x[v], gamma * fits.regions[region].half_width);
            *movement = own.fold(Vec3::ZERO, |sum, region| sum + limited(region)) / fits.counts[v];
        }
    });
}

/// Paths by the mean of the maps of a particle's regions, limited as a whole. Here each particle has a region of its own.
fn by_means(fits: &Fits, gamma: f64, maps: &mut Buffers<12>, movements: &mut [Vec3]) {
    fits.sums.scatter(fits.maps(), maps);
    let sums = &maps.sums;
    parallel::for_each(0..movements.len(), Strided { entries: movements, stride: 1 }, &|range, movements| {
        for (v, movement) in range.zip(movements.entries) {
            let sum = &sums[v];
            let mean = (Mat3::from_cols_slice(sum) * fits.rest[v] + Vec3::from_slice(&sum[9..])) / fits.counts[v];
            let free = if gamma > 0.0 { gamma * fits.regions[v].half_width } else { 0.0 };
            *movement = beyond(mean - Vec3::from_slice(&fits.points[v]), free);
        }
    });
}
