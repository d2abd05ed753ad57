//! Obstacles for bodies: shapes that stand still, follow keyframes, or deform as an animated mesh.
//!
//! | file | answers |
//! |---|---|
//! | `shape` | how far a point is from a shape, in the shape's coordinates |
//! | `surface`, `heightfield`, `grid` | the same for triangles, heights and sampled distances |
//! | `pose` | where a collider is at a time |
//! | `moving` | a collider during one step: its nearest surface at the end, and what a moving point hits on its path |
//!
//! ```
//! use pliant::collide::{Collider, Shape};
//! use pliant::math::Vec3;
//! use pliant::prelude::*;
//!
//! let mesh = Sheet { columns: 8, rows: 8, plane: Plane::Xz, ..Sheet::default() }.mesh()?;
//! let cloth = Body::cloth(&mesh, &ClothMaterial::default())?;
//! let ball = Collider::new(Shape::Sphere { radius: 0.3 }).at(Vec3::new(0.0, -0.35, 0.0)).friction(0.4);
//! let mut sim = Simulation::builder().body(cloth).collider(ball).build()?;
//! for _ in 0..30 {
//!     sim.step()?;
//! }
//! assert!(sim.contacts().iter().map(|contact| contact.normal_force).sum::<f64>() > 0.0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod error;
mod grid;
mod heightfield;
mod moving;
mod pose;
mod shape;
mod surface;

pub use crate::mesh::sdf::Nearby;
pub use error::ColliderError;
pub use grid::DistanceGrid;
pub use heightfield::Heightfield;
pub use moving::{Hit, Moving};
pub use pose::{Key, Motion, Pose};
pub use shape::Shape;
pub use surface::SolidMesh;

use crate::math::{Quat, Vec3};
use crate::mesh::TriangleMesh;
use error::{finite, increasing};

/// Least thickness of colliders and of surfaces that are kept apart \[m\]: thinner is below what positions of some metres resolve when they
/// move.
pub(crate) const LEAST_THICKNESS: f64 = 1e-9;

/// An obstacle for bodies.
#[derive(Debug, Clone)]
pub struct Collider {
    pub(crate) name: Option<String>,
    pub(crate) shape: Shape,
    pub(crate) motion: Motion,
    frames: Option<Frames>,
    pub(crate) thickness: f64,
    pub(crate) friction: f64,
    pub(crate) restitution: f64,
}

/// What contact with a collider is like.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SurfaceProperties {
    /// Distance at which contact begins \[m\].
    pub thickness: f64,
    /// Coulomb's coefficient μ.
    pub friction: f64,
    /// Speed after an impact over speed before it.
    pub restitution: f64,
}

/// Positions of a mesh's vertices over time; straight between frames.
#[derive(Debug, Clone)]
struct Frames {
    times: Vec<f64>,
    positions: Vec<Vec<Vec3>>,
}

impl Frames {
    fn at(&self, time: f64) -> impl Iterator<Item = Vec3> + '_ {
        let next = self.times.iter().position(|&t| t > time).unwrap_or(self.times.len() - 1).max(1);
        let next = next.min(self.times.len() - 1);
        let before = next.saturating_sub(1);
        let length = self.times[next] - self.times[before];
        let part = if length > 0.0 { ((time - self.times[before]) / length).clamp(0.0, 1.0) } else { 0.0 };
        let pairs = self.positions[before].iter().zip(&self.positions[next]);
        pairs.map(move |(a, b)| a.lerp(*b, part))
    }
}

impl Collider {
    /// A shape at rest at the origin, with a thickness of 1 mm, without friction or restitution.
    pub fn new(shape: Shape) -> Self {
        let motion = Motion::Still(Pose::default());
        Self { name: None, shape, motion, frames: None, thickness: 1e-3, friction: 0.0, restitution: 0.0 }
    }

    /// A closed mesh with vertices at given positions \[m\] at given times \[s\]; they move in straight lines in between.
    pub fn animated(mesh: &TriangleMesh, times: Vec<f64>, positions: Vec<Vec<Vec3>>) -> Result<Self, ColliderError> {
        let solid = SolidMesh::new(mesh)?;
        if times.is_empty() || positions.len() != times.len() {
            let (found, expected) = (positions.len(), times.len().max(1));
            return Err(ColliderError::LengthMismatch { name: "list of frames", found, expected });
        }
        increasing("frame", times.iter().copied())?;
        for frame in &positions {
            if frame.len() != mesh.positions.len() {
                let (found, expected) = (frame.len(), mesh.positions.len());
                return Err(ColliderError::LengthMismatch { name: "frame", found, expected });
            }
            finite("coordinate of a frame", frame.iter().flat_map(|p| p.as_ref()))?;
        }
        Ok(Self { frames: Some(Frames { times, positions }), ..Self::new(Shape::Mesh(solid)) })
    }

    /// Sets its name in errors and reports.
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Sets its position \[m\].
    pub fn at(mut self, position: Vec3) -> Self {
        self.motion = Motion::Still(Pose { position, ..self.motion.at(0.0) });
        self
    }

    /// Sets its rotation.
    pub fn turned(mut self, rotation: Quat) -> Self {
        self.motion = Motion::Still(Pose { rotation, ..self.motion.at(0.0) });
        self
    }

    /// Moves it along keyframes.
    pub fn moving(mut self, keys: Vec<Key>) -> Self {
        self.motion = Motion::Keyframed(keys);
        self
    }

    /// Distance at which contact begins \[m\], at least 1e-9. Errors of a contact that has not converged stay within it.
    pub fn thickness(mut self, thickness: f64) -> Self {
        self.thickness = thickness;
        self
    }

    /// Coulomb's coefficient μ, the same for sticking and sliding.
    pub fn friction(mut self, coefficient: f64) -> Self {
        self.friction = coefficient;
        self
    }

    /// Speed after an impact over speed before it, 0 to 1.
    pub fn restitution(mut self, coefficient: f64) -> Self {
        self.restitution = coefficient;
        self
    }

    /// Its shape; for an animated mesh, the one at the start.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// Its name, if it has one.
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// What contact with it is like.
    pub fn surface(&self) -> SurfaceProperties {
        let Self { thickness, friction, restitution, .. } = *self;
        SurfaceProperties { thickness, friction, restitution }
    }

    /// Whether it neither moves nor deforms.
    pub fn is_still(&self) -> bool {
        matches!(self.motion, Motion::Still(_)) && self.frames.is_none()
    }

    /// Its pose at a time \[s\].
    pub fn pose(&self, time: f64) -> Pose {
        self.motion.at(time)
    }

    /// Positions of the vertices of an animated mesh at a time \[s\], before the pose.
    pub fn frame(&self, time: f64) -> Option<Vec<Vec3>> {
        self.frames.as_ref().map(|frames| frames.at(time).collect())
    }

    /// Whether it is a mesh whose vertices move.
    pub(crate) fn is_deforming(&self) -> bool {
        self.frames.is_some()
    }

    /// Checks its numbers.
    pub fn check(&self) -> Result<(), ColliderError> {
        self.shape.check()?;
        self.motion.check()?;
        if !(self.thickness >= LEAST_THICKNESS && self.thickness.is_finite()) {
            let (name, value) = ("thickness", self.thickness);
            return Err(ColliderError::BadValue { name, value, need: "at least 1e-9 (m) and finite" });
        }
        if !(self.friction >= 0.0 && self.friction.is_finite()) {
            let (name, value) = ("friction", self.friction);
            return Err(ColliderError::BadValue { name, value, need: "at least 0 and finite" });
        }
        if !(0.0..=1.0).contains(&self.restitution) {
            let (name, value) = ("restitution", self.restitution);
            return Err(ColliderError::BadValue { name, value, need: "0 to 1" });
        }
        Ok(())
    }
}
