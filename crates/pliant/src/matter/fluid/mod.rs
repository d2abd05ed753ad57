//! Position-based fluids [Macklin 2013; Bender 2014, §3.4.6]: particles that keep their density.
//!
//! | file | does |
//! |---|---|
//! | `material` | parameters of a fluid |
//! | `kernels` | the smoothing kernel, its integral over half-spaces |
//! | `numbers` | all numbers of the method, for solvers elsewhere |
//! | `matter` | a fluid as the matter of a body |
//! | `particles` | volumes and masses of particles; points of bodies' surfaces that take part |
//! | `neighbours` | which particles are close to each other |
//! | `pairs` | sums over neighbours, eight at a time |
//! | `walls` | colliders as half-spaces full of fluid |
//! | `barrier` | surfaces of bodies that no particle passes through |
//! | `density` | the constraint and its iteration |
//! | `coarse` | the pressure of deep fluid |
//! | `velocity` | viscosity, vorticity confinement |
//! | `emitter` | pipes from which fluid flows |
//! | `surface` | triangles around the fluid, for pictures |
//!
//! The position-based solver calls [`Fluids`] in each of its iterations.

mod barrier;
mod coarse;
mod density;
mod emitter;
mod kernels;
mod material;
mod matter;
mod neighbours;
mod numbers;
mod pairs;
mod particles;
mod surface;
#[cfg(test)]
mod tests;
mod velocity;
mod walls;

pub use emitter::Emitter;
pub use material::FluidMaterial;
pub(crate) use material::KERNEL;
pub use matter::Fluid;
pub(crate) use matter::INFO;
pub use numbers::FluidNumbers;
pub use surface::FluidSurface;

use std::ops::Range;

use crate::collide::Moving;
use crate::contact::Contacts;
use crate::math::Vec3;
use crate::matter::{Channels, Iteration, Motion, Portion, StageView};
use crate::world::model::Model;
use barrier::Barrier;
use density::Density;
use particles::Particles;

/// How well the fluids of a world keep their density.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct FluidReport {
    /// Number of particles.
    pub particles: usize,
    /// Mean relative excess over the rest density in the last iteration.
    pub mean_excess: f64,
    /// Largest relative excess over the rest density.
    pub largest_excess: f64,
    /// Largest pressure \[Pa\].
    pub largest_pressure: f64,
}

/// Density and pressure of each particle of a fluid in the last stage of a step.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FluidReadings {
    /// Density \[kg/m³\], before the last push of the stage.
    pub densities: Vec<f64>,
    /// Pressure \[Pa\].
    pub pressures: Vec<f64>,
}

/// All that the fluids of a world need while it is stepped.
#[derive(Debug)]
pub(crate) struct Fluids {
    fluids: Vec<Share>,
    particles: Particles,
    density: Density,
    barrier: Barrier,
    /// Where each particle that is still in a pipe goes \[m\], and how fast \[m/s\].
    waiting: Vec<Option<(Vec3, Vec3)>>,
    /// Length of the stage \[s\]; 0 before the first.
    stage: f64,
}

/// A fluid of the world with its vertices.
#[derive(Debug, Clone)]
struct Share {
    vertices: Range<usize>,
    fluid: Fluid,
}

/// What fluids are made from: the world as the solver sees it.
struct Ingredients<'a> {
    /// One at least.
    fluids: Vec<Share>,
    /// Surfaces of the other bodies.
    surfaces: Vec<&'a [[u32; 3]]>,
    /// Rest positions of all vertices \[m\].
    rest: &'a [Vec3],
    /// 1/m of all vertices \[1/kg\], 0 where pinned.
    inverse_masses: &'a [f64],
}

impl Fluids {
    pub(crate) fn new(model: &Model, inverse_masses: &[f64]) -> Self {
        // Surfaces of other groups are met between groups.
        let is_solid = |body: &usize| model.has_body(*body) && model.matter_in::<Fluid>(*body).is_none();
        let others = (0..model.bodies().len()).filter(is_solid);
        let surfaces = others.map(|body| &model.bodies()[body].surface[..]).collect();
        let share = |portion: Portion<'_, Fluid>| Share { vertices: portion.vertices, fluid: portion.matter.clone() };
        let fluids = model.matter_of::<Fluid>().map(share).collect();
        Self::of(Ingredients { fluids, surfaces, rest: model.rest(), inverse_masses })
    }

    fn of(ingredients: Ingredients<'_>) -> Self {
        let particles = Particles::new(&ingredients);
        let (density, barrier, waiting) = (Density::default(), Barrier::default(), Vec::new());
        Self { fluids: ingredients.fluids, particles, density, barrier, waiting, stage: 0.0 }
    }

    /// Puts particles that wait where they go.
    fn hold(&self, x: &mut [Vec3]) {
        if self.fluids.iter().all(|share| share.fluid.emitter().is_none()) {
            return;
        }
        for (&vertex, waiting) in self.particles.vertices.iter().zip(&self.waiting) {
            if let Some((place, _)) = waiting {
                x[vertex as usize] = *place;
            }
        }
    }

    /// Begins a stage of length h \[s\] that goes from `before` to the predicted `x`, among colliders.
    fn start(&mut self, colliders: &[Moving<'_>], before: &[Vec3], h: f64, x: &mut [Vec3]) {
        self.stage = h;
        self.waiting.clear();
        self.waiting.resize(self.particles.len(), None);
        let mut first = 0;
        for Share { vertices, fluid } in &self.fluids {
            if let Some(pipe) = fluid.emitter() {
                for (k, v) in (first..).zip(vertices.clone()) {
                    self.waiting[k] = pipe.holds(before[v]).then(|| (before[v] + pipe.velocity() * h, pipe.velocity()));
                }
            }
            first += vertices.len();
        }
        self.hold(x);
        let waits = |k: usize| self.waiting[k].is_some();
        self.density.begin(&self.particles, colliders, &waits, [before, x], h);
        self.barrier.find(&self.particles, &self.density.neighbours, &self.density.flows, before);
    }

    /// One iteration, the `number`-th from 0 of `all`.
    fn visit(&mut self, number: usize, all: usize, x: &mut [Vec3]) {
        self.density.iterate(&self.particles, [number, all], x);
        self.barrier.part(&self.particles, x);
        self.hold(x);
    }

    /// Densities over the rest density at x, by particle.
    #[cfg(test)]
    pub(crate) fn densities(&mut self, x: &[Vec3]) -> Vec<f64> {
        self.density.densities(&self.particles, x)
    }
}

impl Motion for Fluids {
    fn begin(&mut self, stage: &StageView<'_>, contacts: &Contacts<'_>, _channels: &[Channels], x: &mut [Vec3]) {
        self.start(contacts.colliders(), stage.before, stage.h, x);
    }

    fn iterate(&mut self, at: &mut Iteration<'_, '_, '_>, x: &mut [Vec3]) {
        self.visit(at.number, at.count, x);
    }

    /// Viscosity and confinement of vortices.
    fn correct_velocities(&mut self, _inverse_masses: &[f64], x: &[Vec3], v: &mut [Vec3], h: f64) {
        self.density.correct_velocities(&self.particles, x, h, v);
        for (&vertex, waiting) in self.particles.vertices.iter().zip(&self.waiting) {
            if let Some((_, velocity)) = waiting {
                v[vertex as usize] = *velocity;
            }
        }
    }

    /// How the particles of each fluid were pressed in the last stage, in the order of fluids; none before the first.
    fn fluid_readings(&self) -> Vec<FluidReadings> {
        if self.stage == 0.0 {
            return Vec::new();
        }
        let pressures = self.density.pressures(&self.particles, self.stage);
        let densities = self.density.found_densities(&self.particles);
        let mut first = 0;
        let readings = |Share { vertices, fluid }: &Share| {
            let own = first..first + vertices.len();
            first = own.end;
            let densities = densities[own.clone()].iter().map(|ratio| ratio * fluid.material().density).collect();
            FluidReadings { densities, pressures: pressures[own].to_vec() }
        };
        self.fluids.iter().map(readings).collect()
    }

    fn density_error(&self) -> Option<f64> {
        Some(self.density.mean_error(&self.particles))
    }

    fn fluid_report(&self) -> Option<FluidReport> {
        Some(self.density.report(&self.particles, self.stage))
    }
}
