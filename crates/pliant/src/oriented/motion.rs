//! The oriented particles of a world, and what they do in a step.

use std::ops::Range;

use super::contact::Touching;
use super::shape::Shape;
use super::{OrientedError, OrientedInfo, OrientedMaterial, OrientedParticles, inertia, momentum_of, turn_between};
use crate::checkpoint::{Checkpoint, CheckpointError};
use crate::contact::Contacts;
use crate::error::ModelError;
use crate::integrate::TimeIntegrator;
use crate::math::{Quat, Vec3};
use crate::matter::{Channel, Channels, Iteration, Motion, StageView};
use crate::model::Model;
use crate::state::State;
use crate::substeps::Substep;

/// Names of what oriented particles carry.
pub(crate) const ORIENTATIONS: &str = "oriented/orientations";
pub(crate) const SPINS: &str = "oriented/spins";

/// All bodies of oriented particles.
#[derive(Debug, Clone, Default)]
pub(crate) struct OrientedSet {
    pub(crate) bodies: Vec<OrientedInfo>,
}

impl OrientedSet {
    /// Adds a body by its number and its first vertex in the world.
    pub(crate) fn add(&mut self, body: usize, base: usize, particles: &OrientedParticles, material: OrientedMaterial) {
        self.bodies.push(OrientedInfo {
            body,
            vertices: base..base + particles.positions.len(),
            radii: particles.radii.clone(),
            rest_orientations: particles.orientations.clone(),
            groups: particles.groups(material.width),
            material,
        });
    }

    /// Refuses integrators whose stages orientations do not follow.
    pub(crate) fn check_integrator(&self, model: &Model, integrator: TimeIntegrator) -> Result<(), ModelError> {
        match self.bodies.first() {
            Some(info) if integrator != TimeIntegrator::ImplicitEuler => {
                let body = model.bodies()[info.body].name.clone();
                Err(ModelError::Oriented { body, error: OrientedError::Integrator(integrator) })
            }
            _ => Ok(()),
        }
    }

    /// Number of particles.
    pub(crate) fn len(&self) -> usize {
        self.bodies.iter().map(|info| info.vertices.len()).sum()
    }

    /// Numbers of a body's particles among all; none where it is made of something else.
    pub(crate) fn particles_of(&self, body: usize) -> Range<usize> {
        let mut first = 0;
        for info in &self.bodies {
            let own = first..first + info.vertices.len();
            if info.body == body {
                return own;
            }
            first = own.end;
        }
        0..0
    }

    /// Mass, half-axes and vertex of each particle.
    pub(crate) fn ellipsoids<'a>(&'a self, masses: &'a [f64]) -> impl Iterator<Item = (usize, f64, Vec3)> + 'a {
        let of_body = |info: &'a OrientedInfo| info.vertices.clone().zip(&info.radii);
        self.bodies.iter().flat_map(of_body).map(|(v, radii)| (v, masses[v], *radii))
    }
}

/// Orientations of particles that are at x, and were turned as `last` says; at rest they are those at rest.
pub(crate) fn aligned(model: &Model, x: &[Vec3], last: Option<&[Quat]>) -> Vec<Quat> {
    let mut motion = OrientedMotion::of(model);
    let mut first = 0;
    for shape in &mut motion.shapes {
        let own = shape.info.vertices.clone();
        if let Some(last) = last {
            shape.q.copy_from_slice(&last[first..first + own.len()]);
        }
        first += own.len();
        shape.align(&x[own]);
    }
    motion.shapes.into_iter().flat_map(|shape| shape.q).collect()
}

/// Kinetic energy of turning \[J\], and angular momentum about the particles' own centres \[kg·m²/s\].
pub(crate) fn spinning(model: &Model, q: &[Quat], spins: &[Vec3]) -> (f64, Vec3) {
    let all = model.oriented_set().ellipsoids(model.mass().lumped());
    all.zip(q.iter().zip(spins)).fold((0.0, Vec3::ZERO), |(energy, momentum), ((_, m, radii), (q, spin))| {
        let own = *spin * inertia(radii) * m;
        (energy + 0.5 * spin.dot(own), momentum + *q * own)
    })
}

/// Oriented particles in the course of a step.
#[derive(Debug, Default)]
pub(crate) struct OrientedMotion {
    shapes: Vec<Shape>,
    touching: Touching,
}

impl OrientedMotion {
    /// None where there are no such bodies.
    pub(crate) fn new(model: &Model) -> Option<Self> {
        (!model.oriented_set().bodies.is_empty()).then(|| Self::of(model))
    }

    fn of(model: &Model) -> Self {
        let (rest, masses) = (model.rest(), model.mass().lumped());
        let shape = |info: &OrientedInfo| {
            let is_held = info.vertices.clone().map(|v| model.free_index(v as u32).is_none()).collect();
            Shape::new(info, rest, masses, is_held)
        };
        Self { shapes: model.oriented_set().bodies.iter().map(shape).collect(), touching: Touching::default() }
    }
}

impl Motion for OrientedMotion {
    /// Outside of a step, where a stage is studied, there are no orientations or spins to go on from.
    fn begin(&mut self, stage: &StageView<'_>, _contacts: &Contacts<'_>, channels: &Channels, x: &mut [Vec3]) {
        let (q, spins) = (channels.quaternions(ORIENTATIONS), channels.vectors(SPINS));
        let mut first = 0;
        for shape in &mut self.shapes {
            let own = shape.info.vertices.clone();
            let range = first..first + own.len();
            first = range.end;
            let still = vec![Vec3::ZERO; own.len()];
            let spins = spins.get(range.clone()).unwrap_or(&still);
            if let Some(q) = q.get(range) {
                shape.before.copy_from_slice(q);
            }
            shape.pull(&stage.before[own.clone()], spins, stage.h, &mut x[own]);
        }
        self.touching.begin();
    }

    /// Limits strain once.
    fn iterate(&mut self, _at: &mut Iteration<'_, '_, '_>, x: &mut [Vec3]) {
        for shape in &mut self.shapes {
            shape.limit(&mut x[shape.info.vertices.clone()]);
        }
    }

    /// Moves and turns ellipsoids out of colliders.
    fn meet(&mut self, stage: &StageView<'_>, contacts: &Contacts<'_>, x: &mut [Vec3]) {
        for shape in &mut self.shapes {
            self.touching.meet(shape, contacts.colliders(), stage.inverse_masses, stage.before, x);
        }
    }

    fn contacts(&self) -> usize {
        self.touching.count()
    }

    fn finish_step(&mut self, part: &Substep, state: &mut State) {
        let (mut orientations, mut spins) = (Vec::new(), Vec::new());
        for shape in &self.shapes {
            for ((radii, before), after) in shape.info.radii.iter().zip(&shape.before).zip(&shape.q) {
                // The momentum is kept; as the ellipsoid lies at the end, it is another spin.
                let momentum = momentum_of(*before, *radii, turn_between(*before, *after)) / part.h;
                orientations.push(*after);
                spins.push((after.conjugate() * momentum) / inertia(*radii));
            }
        }
        state.channels.set(ORIENTATIONS, Channel::Quaternions(orientations));
        state.channels.set(SPINS, Channel::Vectors(spins));
    }
}

/// What particles carry that are at x and do not turn.
pub(crate) fn initial(model: &Model, x: &[Vec3], channels: &mut Channels) {
    let count = model.oriented_set().len();
    if count > 0 {
        channels.set(ORIENTATIONS, Channel::Quaternions(aligned(model, x, None)));
        channels.set(SPINS, Channel::Vectors(vec![Vec3::ZERO; count]));
    }
}

/// What they carry in a checkpoint.
pub(crate) fn restore(model: &Model, saved: &Checkpoint, channels: &mut Channels) -> Result<(), CheckpointError> {
    let count = model.oriented_set().len();
    if count > 0 {
        channels.set(ORIENTATIONS, Channel::Quaternions(saved.quaternions(ORIENTATIONS, count)?));
        channels.set(SPINS, Channel::Vectors(saved.vectors(SPINS, count)?));
    }
    Ok(())
}
