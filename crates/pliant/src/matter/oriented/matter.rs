//! Oriented particles as the matter of a body.

use super::motion::OrientedMotion;
use super::shape::Shape;
use super::{OrientedError, OrientedMaterial, OrientedParticles, inertia};
use crate::integrate::TimeIntegrator;
use crate::math::{Quat, Vec3};
use crate::matter::matching::Spring;
use crate::matter::{Channel, Channels, Matter, MatterInfo, Motion, MotionSetting, ORIENTATIONS, Place, SPINS};
use crate::mesh::Csr;
use crate::mesh::generate::rope;
use crate::world::body::Body;
use crate::world::error::ModelError;
use crate::world::topology::Cells;

pub(crate) const INFO: MatterInfo = MatterInfo {
    kind: "oriented particles",
    summary: "ellipsoids with orientations, matched in groups: plants, fins, ribs",
    citation: "Müller & Chentanez 2011",
    specimens: &[twig, fin],
    is_kind_of: crate::matter::is::<Oriented>,
};

/// Ellipsoids in a row that is held at one end.
fn row(material: &OrientedMaterial) -> Result<Body, ModelError> {
    let refused = |error| ModelError::Oriented { body: "row".to_owned(), error };
    let particles = OrientedParticles::along(&rope(Vec3::ZERO, Vec3::X * 0.3, 6)?, &[0.01; 7]).map_err(refused)?;
    Ok(Body::oriented(&particles, material)?.pin([0]))
}

fn twig() -> Result<Body, ModelError> {
    row(&OrientedMaterial::default())
}

fn fin() -> Result<Body, ModelError> {
    row(&OrientedMaterial { spring: Spring::Frequency(2.0), damping: 1.0, limit: None, ..OrientedMaterial::default() })
}

/// The oriented particles of a body.
#[derive(Debug, Clone, PartialEq)]
pub struct Oriented {
    /// Half-axes of each particle \[m\].
    pub radii: Vec<Vec3>,
    /// Orientation of each at rest.
    pub rest_orientations: Vec<Quat>,
    /// The group of each.
    pub groups: Csr,
    /// Their material.
    pub material: OrientedMaterial,
}

impl Oriented {
    pub(crate) fn new(particles: &OrientedParticles, material: &OrientedMaterial) -> Self {
        Self {
            radii: particles.radii.clone(),
            rest_orientations: particles.orientations.clone(),
            groups: particles.groups(material.width),
            material: material.clone(),
        }
    }

    /// Orientations of particles that are at x, and were turned as `last` says; at rest they are those at rest.
    fn aligned(&self, at: &Place<'_>, x: &[Vec3], last: Option<&[Quat]>) -> Vec<Quat> {
        let mut shape = Shape::new(self, at);
        if let Some(last) = last {
            shape.q.copy_from_slice(last);
        }
        shape.align(x);
        shape.q
    }
}

impl Body {
    /// Ellipsoids with orientations and shape matching in groups: plants, fins, ribs that are one particle wide. A
    /// pinned particle keeps its orientation too. Needs the [position-based solver](crate::solve::pbd).
    pub fn oriented(particles: &OrientedParticles, material: &OrientedMaterial) -> Result<Self, ModelError> {
        let refused = |error| ModelError::Oriented { body: "oriented".to_owned(), error };
        particles.check().map_err(refused)?;
        material.check().map_err(refused)?;
        let mass = (0u32..).zip(particles.volumes()).map(|(v, volume)| (v, v, material.density * volume)).collect();
        let mut body = Self::new(particles.positions.clone(), mass);
        body.segments.clone_from(&particles.edges);
        body.made_of(Cells::segments(particles.edges.iter().copied()), None);
        Ok(body.with_matter(Oriented::new(particles, material)))
    }
}

impl Matter for Oriented {
    fn kind(&self) -> &'static str {
        INFO.kind
    }

    /// Refuses integrators whose stages orientations do not follow.
    fn check_world(&self, at: &Place<'_>, integrator: TimeIntegrator) -> Result<(), ModelError> {
        match integrator {
            TimeIntegrator::ImplicitEuler => Ok(()),
            other => {
                let error = OrientedError::Integrator(other);
                Err(ModelError::Oriented { body: at.name().to_owned(), error })
            }
        }
    }

    fn initial(&self, at: &Place<'_>, x: &[Vec3]) -> Channels {
        let mut channels = Channels::default();
        channels.set(ORIENTATIONS, Channel::Quaternions(self.aligned(at, x, None)));
        channels.set(SPINS, Channel::Vectors(vec![Vec3::ZERO; self.radii.len()]));
        channels
    }

    fn put(&self, at: &Place<'_>, x: &[Vec3], channels: &mut Channels) {
        let q = channels.quaternions_mut(ORIENTATIONS);
        let aligned = self.aligned(at, x, Some(q));
        q.copy_from_slice(&aligned);
        channels.vectors_mut(SPINS).fill(Vec3::ZERO);
    }

    fn turning(&self, at: &Place<'_>, channels: &Channels) -> (f64, Vec3) {
        let turns = channels.quaternions(ORIENTATIONS).iter().zip(channels.vectors(SPINS));
        let all = at.masses().iter().zip(&self.radii).zip(turns);
        all.fold((0.0, Vec3::ZERO), |(energy, momentum), ((m, radii), (q, spin))| {
            let own = *spin * inertia(*radii) * *m;
            (energy + 0.5 * spin.dot(own), momentum + *q * own)
        })
    }

    fn motion(&self, setting: &MotionSetting<'_>) -> Box<dyn Motion> {
        Box::new(OrientedMotion::new(setting.model))
    }
}
