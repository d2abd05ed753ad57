//! Named arrays that matter keeps from step to step, in addition to positions and velocities. Checkpoints and rollback
//! save them by name.

use crate::math::{Mat3, Quat, Vec3};
use crate::world::checkpoint::{Checkpoint, CheckpointError};

/// Rotations of segments or particles.
pub const ORIENTATIONS: &str = "orientations";
/// Angular velocities of segments or particles, each in its own axes \[rad/s\].
pub const SPINS: &str = "spins";

/// One array.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Channel {
    /// Numbers, or records of several numbers.
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

/// What the matter of a body keeps from step to step, by name.
///
/// | matter | name | contents |
/// |---|---|---|
/// | rods | `orientations` | of each segment, its third axis along the segment |
/// | | `spins` | its angular velocity in its own axes \[rad/s\] |
/// | oriented particles | `orientations` | of each particle |
/// | | `spins` | its angular velocity in its own axes \[rad/s\] |
/// | matching | `rotations` | of each region |
/// | | `stretches` | plastic stretch of each region of a body that flows: symmetric, of determinant 1 |
/// | | `breaks` | where the body has broken: see [`State::breaks`](crate::State::breaks) |
#[derive(Debug, Clone, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
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

    /// Numbers by their name; empty if there are none.
    pub fn numbers(&self, name: &str) -> &[f64] {
        if let Some(Channel::Numbers(numbers)) = self.get(name) { numbers } else { &[] }
    }

    /// Vectors by their name; empty if there are none.
    pub fn vectors(&self, name: &str) -> &[Vec3] {
        if let Some(Channel::Vectors(vectors)) = self.get(name) { vectors } else { &[] }
    }

    /// Rotations by their name; empty if there are none.
    pub fn quaternions(&self, name: &str) -> &[Quat] {
        if let Some(Channel::Quaternions(rotations)) = self.get(name) { rotations } else { &[] }
    }

    /// Matrices by their name; empty if there are none.
    pub fn matrices(&self, name: &str) -> &[Mat3] {
        if let Some(Channel::Matrices(matrices)) = self.get(name) { matrices } else { &[] }
    }

    /// Mutable vectors by their name.
    pub fn vectors_mut(&mut self, name: &str) -> &mut [Vec3] {
        if let Some(Channel::Vectors(vectors)) = self.get_mut(name) { vectors } else { &mut [] }
    }

    /// Mutable rotations by their name.
    pub fn quaternions_mut(&mut self, name: &str) -> &mut [Quat] {
        if let Some(Channel::Quaternions(rotations)) = self.get_mut(name) { rotations } else { &mut [] }
    }

    /// Replaces the array of that name, or adds it.
    pub fn set(&mut self, name: &'static str, channel: Channel) {
        match self.get_mut(name) {
            Some(own) => *own = channel,
            None => self.0.push((name, channel)),
        }
    }

    /// Takes in another's arrays; on an error the name that both have.
    pub(crate) fn join(&mut self, other: Self) -> Result<(), &'static str> {
        match other.0.iter().find(|(name, _)| self.get(name).is_some()) {
            Some((name, _)) => Err(name),
            None => {
                self.0.extend(other.0);
                Ok(())
            }
        }
    }

    /// Takes over what all bodies carry, in the same memory where there is room for it.
    pub(crate) fn copy_all(from: &[Self], to: &mut Vec<Self>) {
        to.resize_with(from.len(), Self::default);
        to.iter_mut().zip(from).for_each(|(own, other)| own.copy_from(other));
    }

    /// Takes over all of another's arrays, in the same memory where there is room for them.
    fn copy_from(&mut self, other: &Self) {
        let is_alike =
            self.0.len() == other.0.len() && self.0.iter().zip(&other.0).all(|(own, other)| own.0 == other.0);
        if is_alike {
            self.0.iter_mut().zip(&other.0).for_each(|((_, own), (_, other))| own.copy_from(other));
        } else {
            self.0.clone_from(&other.0);
        }
    }
}

/// The channels of a body in a checkpoint.
#[derive(Debug, Clone, Copy)]
pub struct SavedChannels<'a> {
    checkpoint: &'a Checkpoint,
    body: usize,
}

impl<'a> SavedChannels<'a> {
    pub(crate) fn new(checkpoint: &'a Checkpoint, body: usize) -> Self {
        Self { checkpoint, body }
    }

    /// What a channel of a body is called in checkpoints.
    pub(crate) fn name_of(body: usize, channel: &str) -> String {
        format!("matter/{body}/{channel}")
    }

    fn name(&self, channel: &str) -> String {
        Self::name_of(self.body, channel)
    }

    /// Reads this many numbers.
    pub fn numbers(&self, channel: &str, count: usize) -> Result<&'a [f64], CheckpointError> {
        self.checkpoint.channel(&self.name(channel), count)
    }

    /// Reads any number of records of N numbers each.
    pub fn records<const N: usize>(&self, channel: &str) -> Result<&'a [[f64; N]], CheckpointError> {
        self.checkpoint.records(&self.name(channel))
    }

    /// Reads this many vectors.
    pub fn vectors(&self, channel: &str, count: usize) -> Result<Vec<Vec3>, CheckpointError> {
        self.checkpoint.vectors(&self.name(channel), count)
    }

    /// Reads this many rotations.
    pub fn quaternions(&self, channel: &str, count: usize) -> Result<Vec<Quat>, CheckpointError> {
        self.checkpoint.quaternions(&self.name(channel), count)
    }

    /// Reads this many matrices of positive determinant.
    pub fn matrices(&self, channel: &str, count: usize) -> Result<Vec<Mat3>, CheckpointError> {
        self.checkpoint.stretches(&self.name(channel), count)
    }

    /// The error for an invalid number in a channel.
    pub fn refused(&self, channel: &str, index: usize, value: f64) -> CheckpointError {
        crate::world::checkpoint::bad_number(&self.name(channel), index, value)
    }

    /// Reads arrays of the same names, kinds and lengths as these.
    pub fn like(&self, first: &Channels) -> Result<Channels, CheckpointError> {
        let mut channels = Channels::default();
        for (name, channel) in first.iter() {
            let saved = match channel {
                Channel::Numbers(own) => Channel::Numbers(self.numbers(name, own.len())?.to_vec()),
                Channel::Vectors(own) => Channel::Vectors(self.vectors(name, own.len())?),
                Channel::Quaternions(own) => Channel::Quaternions(self.quaternions(name, own.len())?),
                Channel::Matrices(own) => Channel::Matrices(self.matrices(name, own.len())?),
            };
            channels.set(name, saved);
        }
        Ok(channels)
    }
}
