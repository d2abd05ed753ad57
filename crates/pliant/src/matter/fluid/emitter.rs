//! Emitters: pipes from which fluid flows.
//!
//! All particles of a world exist from the start: those that have not come out yet wait in the pipe, layer behind
//! layer, and move through it at the speed of the jet. In the pipe nothing acts on them; for the fluid in front of the
//! mouth they are a wall that pushes. So the number of vertices never changes, the position of a particle tells whether
//! it is still in the pipe, and checkpoints need no data on emitters. Fluid that flows back into the mouth is pushed
//! out again.

use crate::math::Vec3;
use crate::mesh::generate::MAX_ELEMENTS;
use crate::mesh::{MeshError, PointSet};

/// A round pipe, full of fluid that flows out over time.
#[derive(Debug, Clone, PartialEq)]
pub struct Emitter {
    /// Centre of its mouth \[m\].
    pub mouth: Vec3,
    /// Direction of the jet, of any non-zero length. Keep the space behind the mouth free of colliders.
    pub direction: Vec3,
    /// Radius of the jet \[m\].
    pub radius: f64,
    /// Speed of the jet \[m/s\].
    pub speed: f64,
    /// How long it flows \[s\].
    pub duration: f64,
}

impl Emitter {
    /// The particles in the pipe, in the order in which they come out.
    ///
    /// ```
    /// use pliant::{Emitter, math::Vec3};
    /// let tap = Emitter { mouth: Vec3::Y, direction: Vec3::NEG_Y, radius: 0.05, speed: 2.0, duration: 1.0 };
    /// let water = tap.particles(0.02)?;
    /// assert!(water.positions.iter().all(|p| p.y > 1.0 && p.y < 3.0));
    /// # Ok::<(), pliant::mesh::MeshError>(())
    /// ```
    pub fn particles(&self, spacing: f64) -> Result<PointSet, MeshError> {
        let need = |name, value: f64| MeshError::BadParameter { name, value, need: "positive" };
        let sizes = [("spacing", spacing), ("radius", self.radius), ("speed", self.speed), ("duration", self.duration)];
        if let Some(&(name, value)) = sizes.iter().find(|(_, value)| !(*value > 0.0 && value.is_finite())) {
            return Err(need(name, value));
        }
        let length = self.direction.length();
        if !(length > 0.0 && length.is_finite()) {
            return Err(need("direction", length));
        }
        let along = self.direction / length;
        let (side, other) = along.any_orthonormal_pair();
        let across = (self.radius / spacing).floor();
        let layers = (self.speed * self.duration / spacing).floor().max(1.0);
        let count = (layers as u128).saturating_mul(((2.0 * across + 1.0) as u128).saturating_pow(2));
        if count > MAX_ELEMENTS {
            return Err(MeshError::TooLarge { what: "particles", count, limit: MAX_ELEMENTS });
        }
        let (across, layers) = (across as i64, layers as i64);
        let mut positions = Vec::new();
        for layer in 0..layers {
            let middle = self.mouth - along * ((layer as f64 + 0.5) * spacing);
            for i in -across..=across {
                for j in -across..=across {
                    let offset = (side * i as f64 + other * j as f64) * spacing;
                    if offset.length() <= self.radius {
                        positions.push(middle + offset);
                    }
                }
            }
        }
        PointSet::new(positions)
    }

    /// Whether a particle of the emitter at a point is still in the pipe.
    pub fn holds(&self, p: Vec3) -> bool {
        let along = self.direction.normalize_or_zero();
        let offset = p - self.mouth;
        let behind = -offset.dot(along);
        behind > 0.0 && (offset + along * behind).length() <= 1.01 * self.radius
    }

    /// Velocity of the jet \[m/s\].
    pub fn velocity(&self) -> Vec3 {
        self.direction.normalize_or_zero() * self.speed
    }
}
