//! Saving and restoring: a restored run continues bit for bit.
//!
//! A checkpoint holds named channels of numbers: the state, what energies remember, and what the user has set. It does
//! not hold factors; they are rebuilt from the model. The byte format is: magic, version, fingerprint of the model,
//! number of channels, then the name and numbers of each channel, all little-endian.

use thiserror::Error;

use crate::math::{Mat3, Quat, Vec3};

const MAGIC: &[u8; 8] = b"PLIANTCP";
/// Version 1 told fewer models apart, by another fingerprint.
const VERSION: u64 = 2;
/// Names of channels are short; anything longer is a damaged file.
const LONGEST_NAME: usize = 256;

/// Why a checkpoint cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum CheckpointError {
    /// The data does not begin like a checkpoint.
    #[error("this is not a Pliant checkpoint")]
    NotACheckpoint,
    /// It was written by another version.
    #[error("the checkpoint has version {found}, but this program reads version {expected}")]
    Version {
        /// In the file.
        found: u64,
        /// The supported version.
        expected: u64,
    },
    /// It ends too early, or contains an impossible length.
    #[error("the checkpoint is damaged or cut off at byte {at} of {size}")]
    Damaged {
        /// Where reading failed.
        at: usize,
        /// Size of the data.
        size: usize,
    },
    /// It belongs to another world.
    #[error("the checkpoint was made from another model (fingerprint {found:016x} instead of {expected:016x})")]
    OtherModel {
        /// In the checkpoint.
        found: u64,
        /// Of the simulation.
        expected: u64,
    },
    /// A number of the state is not finite, or the time step not positive.
    #[error("number {index} of channel {name:?} of the checkpoint is {value}")]
    BadNumber {
        /// Name of the channel.
        name: String,
        /// Place in the channel.
        index: usize,
        /// The number.
        value: String,
    },
    /// A change of the model is invalid.
    #[error("change {change} of the model in the checkpoint cannot be applied: {reason}")]
    Topology {
        /// Its number.
        change: usize,
        /// The reason.
        reason: String,
    },
    /// A channel is missing or has the wrong size.
    #[error("channel {name:?} of the checkpoint has {found} numbers, but {expected} are needed")]
    Channel {
        /// Name.
        name: String,
        /// In the checkpoint.
        found: usize,
        /// The required number.
        expected: usize,
    },
}

/// A saved state of a simulation.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Checkpoint {
    pub(crate) fingerprint: u64,
    pub(crate) channels: Vec<(String, Vec<f64>)>,
}

pub(crate) fn flatten(vectors: &[Vec3]) -> Vec<f64> {
    vectors.iter().flat_map(|v| v.to_array()).collect()
}

pub(crate) fn unflatten(numbers: &[f64]) -> Vec<Vec3> {
    numbers.chunks_exact(3).map(Vec3::from_slice).collect()
}

impl Checkpoint {
    /// Names and numbers of all channels.
    pub fn channels(&self) -> impl Iterator<Item = (&str, &[f64])> {
        self.channels.iter().map(|(name, numbers)| (name.as_str(), numbers.as_slice()))
    }

    pub(crate) fn quaternions(&self, name: &str, count: usize) -> Result<Vec<Quat>, CheckpointError> {
        let numbers = self.channel(name, 4 * count)?.as_chunks::<4>().0;
        let rotations: Vec<Quat> = numbers.iter().map(|q| Quat::from_array(*q)).collect();
        match rotations.iter().position(|q| !q.is_normalized()) {
            None => Ok(rotations),
            Some(index) => Err(bad_number(name, 4 * index, numbers[index][0])),
        }
    }

    pub(crate) fn stretches(&self, name: &str, count: usize) -> Result<Vec<Mat3>, CheckpointError> {
        let numbers = self.channel(name, 9 * count)?.as_chunks::<9>().0;
        let stretches: Vec<Mat3> = numbers.iter().map(Mat3::from_cols_array).collect();
        match stretches.iter().position(|stretch| stretch.determinant() <= 0.0) {
            None => Ok(stretches),
            Some(index) => Err(bad_number(name, 9 * index, numbers[index][0])),
        }
    }

    pub(crate) fn vectors(&self, name: &str, count: usize) -> Result<Vec<Vec3>, CheckpointError> {
        Ok(unflatten(self.channel(name, 3 * count)?))
    }

    /// A channel of any number of records of N numbers each; none where there is no such channel.
    pub(crate) fn records<const N: usize>(&self, name: &str) -> Result<&[[f64; N]], CheckpointError> {
        let length = self.channels.iter().find(|(other, _)| other == name).map_or(0, |(_, numbers)| numbers.len());
        Ok(self.channel(name, length - length % N)?.as_chunks::<N>().0)
    }

    pub(crate) fn channel(&self, name: &str, expected: usize) -> Result<&[f64], CheckpointError> {
        let numbers = self.channels.iter().find(|(n, _)| n == name).map_or(&[][..], |(_, numbers)| numbers);
        if numbers.len() != expected {
            return Err(CheckpointError::Channel { name: name.to_owned(), found: numbers.len(), expected });
        }
        match numbers.iter().position(|number| !number.is_finite()) {
            None => Ok(numbers),
            Some(index) => Err(bad_number(name, index, numbers[index])),
        }
    }

    /// A channel that only some worlds have; empty where it is missing.
    pub(crate) fn optional(&self, name: &str, expected: usize) -> Result<&[f64], CheckpointError> {
        let is_there = self.channels.iter().any(|(n, _)| n == name);
        if is_there { self.channel(name, expected) } else { Ok(&[]) }
    }

    /// The checkpoint as bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        for number in [VERSION, self.fingerprint, self.channels.len() as u64] {
            bytes.extend(number.to_le_bytes());
        }
        for (name, numbers) in &self.channels {
            bytes.extend((name.len() as u64).to_le_bytes());
            bytes.extend(name.as_bytes());
            bytes.extend((numbers.len() as u64).to_le_bytes());
            numbers.iter().for_each(|n| bytes.extend(n.to_le_bytes()));
        }
        bytes
    }

    /// Reads a checkpoint from bytes; damaged data gives an error, never a panic or a large allocation.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, CheckpointError> {
        let mut reader = Reader { bytes, at: 0 };
        if reader.take(MAGIC.len()).map_err(|_| CheckpointError::NotACheckpoint)? != MAGIC {
            return Err(CheckpointError::NotACheckpoint);
        }
        let found = reader.number()?;
        if found != VERSION {
            return Err(CheckpointError::Version { found, expected: VERSION });
        }
        let (fingerprint, count) = (reader.number()?, reader.number()?);
        let mut channels = Vec::new();
        for _ in 0..count {
            let length = reader.length(1)?;
            if length > LONGEST_NAME {
                return Err(reader.damaged());
            }
            let name = reader.take(length)?.to_vec();
            let name = String::from_utf8(name).map_err(|_| reader.damaged())?;
            let length = reader.length(8)?;
            let numbers = reader.take(8 * length)?.as_chunks::<8>().0.iter().map(|b| f64::from_le_bytes(*b)).collect();
            channels.push((name, numbers));
        }
        if reader.at != bytes.len() {
            return Err(reader.damaged());
        }
        Ok(Self { fingerprint, channels })
    }
}

pub(crate) fn bad_number(name: &str, index: usize, value: f64) -> CheckpointError {
    CheckpointError::BadNumber { name: name.to_owned(), index, value: value.to_string() }
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn damaged(&self) -> CheckpointError {
        CheckpointError::Damaged { at: self.at, size: self.bytes.len() }
    }

    fn take(&mut self, count: usize) -> Result<&'a [u8], CheckpointError> {
        let rest = &self.bytes[self.at..];
        let taken = rest.get(..count).ok_or_else(|| self.damaged())?;
        self.at += count;
        Ok(taken)
    }

    fn number(&mut self) -> Result<u64, CheckpointError> {
        let bytes = self.take(8)?.as_chunks::<8>().0[0];
        Ok(u64::from_le_bytes(bytes))
    }

    /// A count of items of a size, which must fit into what is left.
    fn length(&mut self, size: usize) -> Result<usize, CheckpointError> {
        let count = self.number()?;
        let left = (self.bytes.len() - self.at) / size;
        if count > left as u64 { Err(self.damaged()) } else { Ok(count as usize) }
    }
}
