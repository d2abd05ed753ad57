//! Rigid bodies: the vertices of a closed surface, with five more inside, are particles of the world like all others.
//!
//! A [`RigidSet`] energy keeps them in shape, and masses are such that mass, centre and inertia tensor are those of the
//! solid (`masses`). So contact, friction, self-collision, attachments, pins and checkpoints are those of deformable
//! bodies, and momentum is exchanged exactly. For the reasons see `docs/decisions/0011-rigid-bodies-are-an-energy.md`.

mod masses;
mod motion;

pub(crate) use motion::RigidSets;

use thiserror::Error;

use crate::energy::{Arrays, RigidSet};
use crate::math::{Mat3, Quat, Vec3, fitted_rotation, outer};
use crate::mesh::{Simplices, TriangleMesh};
use crate::world::body::Body;
use crate::world::error::ModelError;
use crate::world::model::Model;
use crate::world::state::State;

/// Why a mesh cannot be a rigid body.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum RigidError {
    /// The surface does not enclose a positive volume.
    #[error(
        "the surface of a rigid body encloses {volume:e} m³; its triangles must be counterclockwise seen from outside"
    )]
    InsideOut {
        /// Signed volume \[m³\].
        volume: f64,
    },
    /// A parameter is out of range.
    #[error("rigid body: {name} is {value}, but must be finite and positive")]
    BadParameter {
        /// Name of the value.
        name: &'static str,
        /// The given value.
        value: f64,
    },
}

/// A solid that does not deform.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct RigidMaterial {
    /// Mass per volume \[kg/m³\].
    pub density: f64,
    /// Its stiffness, as the angular frequency Ω \[rad/s\] at which the whole body would oscillate if it were held at
    /// one of its vertices. Each vertex has the stiffness w = m Ω² \[N/m\] with the mass m of the body, so a vertex
    /// through which the whole body gets an acceleration a yields by a/Ω².
    pub frequency: f64,
}

impl Default for RigidMaterial {
    /// Wood. At 3000 rad/s a vertex that stops the body from 10 m/s within a step of 1/60 s gives way by 0.07 mm.
    fn default() -> Self {
        Self { density: 700.0, frequency: 3000.0 }
    }
}

impl Body {
    /// A rigid body: the solid inside a closed surface. Its last five vertices are additional ones that carry mass
    /// inside; contacts ignore them.
    ///
    /// ```
    /// use pliant::mesh::generate::Icosphere;
    /// use pliant::prelude::*;
    /// let mesh = Icosphere { radius: 0.1, subdivisions: 2 }.mesh()?.translated(Vec3::Y * 0.2);
    /// let ball = Body::rigid(&mesh, &RigidMaterial::default())?.named("ball").with_motion(Vec3::X, Vec3::Y);
    /// let mut sim = Simulation::builder().body(ball).collider(Collider::new(Shape::Plane)).build()?;
    /// for _ in 0..60 {
    ///     sim.step()?;
    /// }
    /// let pose = sim.rigid_pose("ball")?;
    /// assert!((pose.centre.y - 0.1).abs() < 3e-3, "it lies on the ground: {pose:?}");
    /// assert!((pose.velocity.x - 1.0).abs() < 1e-3, "and slides without friction: {pose:?}");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn rigid(mesh: &TriangleMesh, material: &RigidMaterial) -> Result<Self, ModelError> {
        for (name, value) in [("density", material.density), ("frequency", material.frequency)] {
            if !(value.is_finite() && value > 0.0) {
                return Err(RigidError::BadParameter { name, value }.into());
            }
        }
        mesh.check_quality()?;
        mesh.check_referenced()?;
        let moments = mesh.solid_moments()?;
        if moments.volume.is_nan() || moments.volume <= 0.0 {
            return Err(RigidError::InsideOut { volume: moments.volume }.into());
        }
        let mass = material.density * moments.volume;
        let offsets: Vec<Vec3> = mesh.positions.iter().map(|p| *p - moments.centre).collect();
        let areas = mesh.lumped_masses(1.0)?;
        let particles = masses::distribute(&offsets, &areas, mass, moments.second * material.density);
        let inside = particles.inside.map(|(place, _)| moments.centre + place);
        let rest: Vec<Vec3> = mesh.positions.iter().copied().chain(inside).collect();
        let masses = particles.surface.into_iter().chain(particles.inside.map(|(_, mass)| mass));
        let stiffness = mass * material.frequency * material.frequency;
        let hub = mesh.positions.len() as u32;
        let vertices = (0..rest.len() as u32).filter(|v| *v != hub).collect();
        let set = RigidSet { hub, vertices, stiffness };
        let energy = set.build(&rest).map_err(|error| ModelError::Energy { body: "rigid".to_owned(), error })?;
        let mut body = Self::new(rest, (0u32..).zip(masses).map(|(v, m)| (v, v, m)).collect());
        body.energies.push(energy);
        body.surface.clone_from(&mesh.triangles);
        // Its parts cannot come nearer to each other.
        body.collides_with_itself = false;
        Ok(body)
    }

    /// Sets the velocity \[m/s\] and the spin about the centre of mass \[rad/s\] at the start.
    pub fn with_motion(mut self, velocity: Vec3, spin: Vec3) -> Self {
        let mut masses = vec![0.0; self.positions.len()];
        for &(i, j, m) in &self.mass {
            for v in [i, j] {
                if let Some(mass) = masses.get_mut(v as usize) {
                    *mass += 0.5 * m;
                }
            }
        }
        let total: f64 = masses.iter().sum();
        let centre = self.positions.iter().zip(&masses).fold(Vec3::ZERO, |sum, (x, m)| sum + *x * *m) / total;
        self.velocities = self.positions.iter().map(|x| velocity + spin.cross(*x - centre)).collect();
        self
    }
}

/// Where a rigid body is and how it moves.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RigidPose {
    /// Centre of mass \[m\].
    pub centre: Vec3,
    /// Rotation from rest.
    pub rotation: Quat,
    /// Velocity of the centre \[m/s\].
    pub velocity: Vec3,
    /// Angular velocity, from the angular momentum and the current inertia tensor \[rad/s\].
    pub spin: Vec3,
    /// Largest distance of a vertex from its place in the rigid pose, over the farthest vertex's distance from the centre.
    pub deviation: f64,
}

impl RigidPose {
    /// Of a body by its number; none where it is not rigid.
    pub(crate) fn of(model: &Model, state: &State, body: usize) -> Option<Self> {
        let set = model.rigid_sets().iter().find(|set| model.energies()[set.batch].body == Some(body))?;
        let Arrays::Rigid(offsets) = model.energies()[set.batch].batch.arrays() else {
            return None;
        };
        let masses = model.mass().lumped();
        let mean = |values: &[Vec3]| {
            set.vertices.iter().fold(Vec3::ZERO, |sum, &v| sum + values[v as usize] * masses[v as usize]) / set.mass
        };
        let (centre, velocity) = (mean(&state.positions), mean(&state.velocities));
        let at_rest = mean(model.rest());
        let hub = model.rest()[set.vertices[0] as usize] - at_rest;
        let places = || {
            let offsets = [Vec3::ZERO].into_iter().chain(offsets.iter().copied()).map(|r| r + hub);
            set.vertices.iter().map(|&v| v as usize).zip(offsets)
        };
        let arms = places().map(|(v, r)| ((state.positions[v] - centre) * masses[v], r));
        let rotation = fitted_rotation(arms, Quat::IDENTITY);
        let (mut moment, mut second) = (Vec3::ZERO, Mat3::ZERO);
        let (mut deviation, mut size) = (0.0_f64, 0.0_f64);
        for (v, r) in places() {
            let arm = state.positions[v] - centre;
            moment += arm.cross(state.velocities[v] - velocity) * masses[v];
            second += outer(arm * masses[v], arm);
            deviation = deviation.max(arm.distance(rotation * r));
            size = size.max(r.length());
        }
        let trace = second.x_axis.x + second.y_axis.y + second.z_axis.z;
        let inertia = Mat3::from_diagonal(Vec3::splat(trace)) - second;
        let spin = if inertia.determinant() > 0.0 { inertia.inverse() * moment } else { Vec3::ZERO };
        Some(Self { centre, rotation, velocity, spin, deviation: deviation / size })
    }
}
