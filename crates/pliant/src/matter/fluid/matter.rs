//! A fluid as the matter of a body.

use super::particles::MOST_SAMPLES;
use super::{Emitter, FluidMaterial, Fluids};
use crate::integrate::TimeIntegrator;
use crate::math::Vec3;
use crate::matter::{BodyView, Matter, MatterInfo, Motion, MotionSetting, Place, needs_implicit_euler};
use crate::mesh::PointSet;
use crate::mesh::generate::particle_block;
use crate::world::body::Body;
use crate::world::error::ModelError;

pub(crate) const INFO: MatterInfo = MatterInfo {
    kind: "fluid",
    summary: "particles that keep their density: water, oil, honey",
    citation: "Macklin & Müller 2013",
    specimens: &[water, honey, jet],
    is_kind_of: crate::matter::is::<Fluid>,
};

fn drop(viscosity: f64) -> Result<Body, ModelError> {
    let material = FluidMaterial { spacing: 0.05, viscosity, ..FluidMaterial::default() };
    Body::fluid(&particle_block(Vec3::splat(0.2), material.spacing)?, &material)
}

fn water() -> Result<Body, ModelError> {
    drop(1e-6)
}

fn honey() -> Result<Body, ModelError> {
    drop(1e-2)
}

fn jet() -> Result<Body, ModelError> {
    let water = FluidMaterial { spacing: 0.05, ..FluidMaterial::default() };
    let pipe = Emitter { mouth: Vec3::Y * 0.5, direction: Vec3::NEG_Y, radius: 0.08, speed: 1.0, duration: 0.2 };
    Body::emitted(&pipe, &water)
}

/// The fluid of a body.
#[derive(Debug, Clone, PartialEq)]
pub struct Fluid {
    material: FluidMaterial,
    emitter: Option<Emitter>,
}

impl Fluid {
    pub(crate) fn new(material: FluidMaterial, emitter: Option<Emitter>) -> Self {
        Self { material, emitter }
    }

    /// Its material.
    pub fn material(&self) -> &FluidMaterial {
        &self.material
    }

    /// The pipe from which it flows, if there is one.
    pub fn emitter(&self) -> Option<&Emitter> {
        self.emitter.as_ref()
    }

    /// Whether a particle at a position \[m\] has come out of the pipe and is drawn; always true if there is no pipe.
    pub fn is_out(&self, particle: Vec3) -> bool {
        !self.emitter.as_ref().is_some_and(|pipe| pipe.holds(particle))
    }
}

impl Body {
    /// A fluid: each particle stands for a cube with the spacing of the material. Needs the [position-based
    /// solver](crate::solve::pbd).
    ///
    /// ```
    /// use pliant::mesh::generate::particle_block;
    /// use pliant::prelude::*;
    /// let water = FluidMaterial { spacing: 0.05, ..FluidMaterial::default() };
    /// let drop = Body::fluid(&particle_block(Vec3::splat(0.25), water.spacing)?, &water)?;
    /// let ground = Collider::new(Shape::Plane).at(Vec3::NEG_Y * 0.2);
    /// let solver = PositionBasedParams { iterations: 4, ..PositionBasedParams::default() };
    /// let mut sim = Simulation::builder().body(drop).collider(ground).solver(solver).time_step(0.01).build()?;
    /// for _ in 0..50 {
    ///     sim.step()?;
    /// }
    /// assert!(sim.positions().iter().all(|p| p.y > -0.2), "it lies on the ground");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn fluid(particles: &PointSet, material: &FluidMaterial) -> Result<Self, ModelError> {
        material.check()?;
        let body = Self::points(particles, material.particle_mass());
        Ok(body.with_matter(Fluid::new(material.clone(), None)))
    }

    /// A fluid that flows out of a pipe.
    pub fn emitted(emitter: &Emitter, material: &FluidMaterial) -> Result<Self, ModelError> {
        material.check()?;
        let mut body = Self::points(&emitter.particles(material.spacing)?, material.particle_mass());
        body.velocities.fill(emitter.velocity());
        Ok(body.with_matter(Fluid::new(material.clone(), Some(emitter.clone()))))
    }
}

impl Matter for Fluid {
    fn kind(&self) -> &'static str {
        INFO.kind
    }

    /// What waits in a pipe is as fast as its jet.
    fn prepare(&mut self, body: &BodyView<'_>) -> Result<(), ModelError> {
        let Some(pipe) = &self.emitter else { return Ok(()) };
        let jet = pipe.velocity();
        let mut waiting = (0..body.rest.len()).filter(|&v| pipe.holds(body.positions[v]));
        match waiting.find(|&v| body.velocities[v] != jet) {
            None => Ok(()),
            Some(vertex) => {
                let (body, value) = (body.name.to_owned(), body.velocities[vertex]);
                Err(ModelError::MovedEmitter { body, vertex, value, jet })
            }
        }
    }

    /// One kernel serves all fluids, so that they push each other; and fluid feels surfaces by samples as far apart as its particles, so their triangles
    /// must not be too large.
    fn check_world(&self, at: &Place<'_>, integrator: TimeIntegrator) -> Result<(), ModelError> {
        if integrator != TimeIntegrator::Bdf2 {
            needs_implicit_euler(at, INFO.kind, integrator)?;
        }
        let (spacing, limit, model) = (self.material.spacing, MOST_SAMPLES, at.model);
        if model.matter_of::<Self>().any(|other| other.matter.material.spacing != spacing) {
            let (name, need) = ("spacing of a fluid", "that of all fluids");
            return Err(ModelError::BadParameter { name, value: spacing, need });
        }
        for body in model.bodies() {
            for corners in &body.surface {
                let [a, b, c] = corners.map(|v| model.rest()[v as usize]);
                let length = a.distance(b).max(b.distance(c)).max(c.distance(a));
                if length.is_nan() || length > limit * spacing {
                    return Err(ModelError::CoarseSurface { body: body.name.clone(), length, spacing, limit });
                }
            }
        }
        Ok(())
    }

    fn motion(&self, setting: &MotionSetting<'_>) -> Box<dyn Motion> {
        Box::new(Fluids::new(setting.model, setting.inverse_masses))
    }
}
