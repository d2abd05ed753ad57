//! Where a collider is, over time.

use super::error::{ColliderError, finite, increasing};
use crate::math::functions::{angle_of_turn, interpolate_turn};
use crate::math::{Quat, Vec3};

/// A position and a rotation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pose {
    /// Position of the origin of the shape \[m\].
    pub position: Vec3,
    /// Rotation of the shape.
    pub rotation: Quat,
}

impl Default for Pose {
    fn default() -> Self {
        Self { position: Vec3::ZERO, rotation: Quat::IDENTITY }
    }
}

impl Pose {
    /// From the shape's coordinates to the world's.
    pub fn to_world(&self, p: Vec3) -> Vec3 {
        self.position + self.rotation * p
    }

    /// From the world's coordinates to the shape's.
    pub fn to_local(&self, p: Vec3) -> Vec3 {
        self.rotation.conjugate() * (p - self.position)
    }

    /// Interpolates between this pose and another, along a straight line and the shorter rotation.
    pub fn between(&self, other: &Self, part: f64) -> Self {
        let rotation = if self.rotation == other.rotation {
            self.rotation
        } else {
            interpolate_turn(self.rotation, other.rotation, part)
        };
        Self { position: self.position.lerp(other.position, part), rotation }
    }

    /// By how much the shape turns from here to another pose \[rad\].
    pub(super) fn angle_to(&self, other: &Self) -> f64 {
        if self.rotation == other.rotation { 0.0 } else { angle_of_turn(self.rotation, other.rotation) }
    }

    fn check(&self, name: &'static str) -> Result<(), ColliderError> {
        finite(name, &self.position.to_array())?;
        finite(name, &self.rotation.to_array())?;
        let length = self.rotation.length();
        if (length - 1.0).abs() > 1e-6 {
            return Err(ColliderError::BadValue { name: "length of a rotation", value: length, need: "1" });
        }
        Ok(())
    }
}

/// A pose at a time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Key {
    /// Time \[s\].
    pub time: f64,
    /// Pose.
    pub pose: Pose,
}

/// How a collider moves as a whole.
#[derive(Debug, Clone, PartialEq)]
pub enum Motion {
    /// It stands still.
    Still(Pose),
    /// From key to key, in a straight line and at a constant rate; it stands still before the first and after the last.
    Keyframed(Vec<Key>),
}

impl Motion {
    /// The pose at a time \[s\].
    pub fn at(&self, time: f64) -> Pose {
        let keys = match self {
            Self::Still(pose) => return *pose,
            Self::Keyframed(keys) => keys,
        };
        match keys.iter().position(|key| key.time > time) {
            None => keys.last().map_or_else(Pose::default, |key| key.pose),
            Some(0) => keys[0].pose,
            Some(next) => {
                let (a, b) = (keys[next - 1], keys[next]);
                a.pose.between(&b.pose, (time - a.time) / (b.time - a.time))
            }
        }
    }

    pub(super) fn check(&self) -> Result<(), ColliderError> {
        match self {
            Self::Still(pose) => pose.check("coordinate of the pose"),
            Self::Keyframed(keys) => {
                if keys.is_empty() {
                    return Err(ColliderError::LengthMismatch { name: "list of keys", found: 0, expected: 1 });
                }
                increasing("key", keys.iter().map(|key| key.time))?;
                keys.iter().try_for_each(|key| key.pose.check("coordinate of a key"))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_keyframed_pose_passes_through_its_keys_and_evenly_between_them() {
        let turned = Quat::from_rotation_y(1.0);
        let key = |time, x, rotation| Key { time, pose: Pose { position: Vec3::X * x, rotation } };
        let motion = Motion::Keyframed(vec![key(1.0, 0.0, Quat::IDENTITY), key(3.0, 4.0, turned)]);
        assert_eq!(motion.at(0.0).position, Vec3::ZERO);
        assert_eq!(motion.at(9.0).position, Vec3::X * 4.0);
        let half = motion.at(2.0);
        assert_eq!(half.position, Vec3::X * 2.0);
        assert!((half.angle_to(&Pose::default()) - 0.5).abs() < 1e-12);
        let p = Vec3::new(0.3, -2.0, 1.0);
        assert!((half.to_local(half.to_world(p)) - p).length() < 1e-14);
    }
}
