//! Named arrays that matter carries from step to step, beside positions and velocities. Checkpoints and rollback go over them by name.

use crate::math::{Mat3, Quat, Vec3};

/// One array.
#[derive(Debug, Clone, PartialEq)]
pub enum Channel {
    /// Numbers, or records of several.
    Numbers(Vec<f64>),
    /// Vectors.
    Vectors(Vec<Vec3>),
    /// Rotations.
    Quaternions(Vec<Quat>),
    /// Matrices.
    Matrices(Vec<Mat3>),
}

impl Channel {
    /// All numbers, one entry after the other.
    pub fn to_numbers(&self) -> Vec<f64> {
        match self {
            Self::Numbers(numbers) => numbers.clone(),
            Self::Vectors(vectors) => vectors.iter().flat_map(|v| v.to_array()).collect(),
            Self::Quaternions(rotations) => rotations.iter().flat_map(|q| q.to_array()).collect(),
            Self::Matrices(matrices) => matrices.iter().flat_map(Mat3::to_cols_array).collect(),
        }
    }

    /// Takes over another's entries, in the same memory where there is room for them.
    fn copy_from(&mut self, other: &Self) {
        fn copy<T: Copy>(from: &[T], to: &mut Vec<T>) {
            to.clear();
            to.extend_from_slice(from);
        }
        match (self, other) {
            (Self::Numbers(own), Self::Numbers(other)) => copy(other, own),
            (Self::Vectors(own), Self::Vectors(other)) => copy(other, own),
            (Self::Quaternions(own), Self::Quaternions(other)) => copy(other, own),
            (Self::Matrices(own), Self::Matrices(other)) => copy(other, own),
            (own, other) => *own = other.clone(),
        }
    }
}

/// What matter carries from step to step, by name; a world has those of its matter.
///
/// | name | what |
/// |---|---|
/// | `rod/orientations` | of each segment of a rod, its third axis along the segment: see [`Model::rod_segments`](crate::Model::rod_segments) |
/// | `rod/spins` | its angular velocity in its own axes \[rad/s\] |
/// | `oriented/orientations` | of each oriented particle: see [`Model::oriented_particles`](crate::Model::oriented_particles) |
/// | `oriented/spins` | its angular velocity in its own axes \[rad/s\] |
/// | `matching/rotations` | of each region of matched bodies |
/// | `matching/stretches` | plastic stretch of each region of bodies that flow: symmetric, of determinant 1 |
/// | `matching/breaks` | where bodies have broken: see [`State::breaks`](crate::State::breaks) |
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Channels(Vec<(&'static str, Channel)>);

impl Channels {
    /// Names and arrays, in a fixed order.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, &Channel)> {
        self.0.iter().map(|(name, channel)| (*name, channel))
    }

    /// An array by its name.
    pub fn get(&self, name: &str) -> Option<&Channel> {
        self.0.iter().find(|(other, _)| *other == name).map(|(_, channel)| channel)
    }

    fn get_mut(&mut self, name: &str) -> Option<&mut Channel> {
        self.0.iter_mut().find(|(other, _)| *other == name).map(|(_, channel)| channel)
    }

    /// Numbers by their name; none where there are no such numbers.
    pub fn numbers(&self, name: &str) -> &[f64] {
        if let Some(Channel::Numbers(numbers)) = self.get(name) { numbers } else { &[] }
    }

    /// Vectors by their name; none where there are no such vectors.
    pub fn vectors(&self, name: &str) -> &[Vec3] {
        if let Some(Channel::Vectors(vectors)) = self.get(name) { vectors } else { &[] }
    }

    /// Rotations by their name; none where there are no such rotations.
    pub fn quaternions(&self, name: &str) -> &[Quat] {
        if let Some(Channel::Quaternions(rotations)) = self.get(name) { rotations } else { &[] }
    }

    /// Matrices by their name; none where there are no such matrices.
    pub fn matrices(&self, name: &str) -> &[Mat3] {
        if let Some(Channel::Matrices(matrices)) = self.get(name) { matrices } else { &[] }
    }

    pub(crate) fn vectors_mut(&mut self, name: &str) -> &mut [Vec3] {
        if let Some(Channel::Vectors(vectors)) = self.get_mut(name) { vectors } else { &mut [] }
    }

    pub(crate) fn quaternions_mut(&mut self, name: &str) -> &mut [Quat] {
        if let Some(Channel::Quaternions(rotations)) = self.get_mut(name) { rotations } else { &mut [] }
    }

    /// Puts an array in the place of the one of that name, or adds it.
    pub(crate) fn set(&mut self, name: &'static str, channel: Channel) {
        match self.get_mut(name) {
            Some(own) => *own = channel,
            None => self.0.push((name, channel)),
        }
    }

    /// Takes over all of another's arrays, in the same memory where there is room for them.
    pub(crate) fn copy_from(&mut self, other: &Self) {
        let is_alike =
            self.0.len() == other.0.len() && self.0.iter().zip(&other.0).all(|(own, other)| own.0 == other.0);
        if is_alike {
            self.0.iter_mut().zip(&other.0).for_each(|((_, own), (_, other))| own.copy_from(other));
        } else {
            self.0.clone_from(&other.0);
        }
    }
}
