//! Saving and restoring: a restored run continues bit for bit.
//!
//! A checkpoint holds named channels of numbers: the state, what energies remember, and what the user has set. Factors are
//! not in it; they are rebuilt from the model. As bytes it is: magic, version, fingerprint of the model, number of channels,
//! then for each its name and numbers, all little-endian.

use thiserror::Error;

use crate::contact::{Clearances, Held};
use crate::error::ModelError;
use crate::math::{Mat3, Quat, Vec3};
use crate::matter::SavedChannels;
use crate::simulation::Simulation;
use crate::state::{History, Inputs};
use crate::substeps::MOST_SUBSTEPS;
use crate::topology::Replayed;
use crate::wind::AirPath;

const MAGIC: &[u8; 8] = b"PLIANTCP";
/// Version 1 told fewer models apart, by another fingerprint.
const VERSION: u64 = 2;
/// Names of channels are short; anything longer is a damaged file.
const LONGEST_NAME: usize = 256;

/// Why a checkpoint cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum CheckpointError {
    /// It does not begin as a checkpoint does.
    #[error("this is not a Pliant checkpoint")]
    NotACheckpoint,
    /// It was written by another version.
    #[error("the checkpoint has version {found}, but this program reads version {expected}")]
    Version {
        /// In the file.
        found: u64,
        /// Understood.
        expected: u64,
    },
    /// It ends too early, or holds a length that cannot be.
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
    /// A change of the model makes no sense.
    #[error("change {change} of the model in the checkpoint cannot be made: {reason}")]
    Topology {
        /// Its number.
        change: usize,
        /// Why.
        reason: String,
    },
    /// A channel is missing or has the wrong size.
    #[error("channel {name:?} of the checkpoint has {found} numbers, but {expected} are needed")]
    Channel {
        /// Name.
        name: String,
        /// In the checkpoint.
        found: usize,
        /// Needed.
        expected: usize,
    },
}

/// A saved moment of a simulation.
#[derive(Debug, Clone, PartialEq)]
pub struct Checkpoint {
    fingerprint: u64,
    channels: Vec<(String, Vec<f64>)>,
}

fn flatten(vectors: &[Vec3]) -> Vec<f64> {
    vectors.iter().flat_map(|v| v.to_array()).collect()
}

fn unflatten(numbers: &[f64]) -> Vec<Vec3> {
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
    fn optional(&self, name: &str, expected: usize) -> Result<&[f64], CheckpointError> {
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

impl Simulation {
    /// Saves the current moment.
    ///
    /// ```
    /// # use pliant::prelude::*;
    /// # let mesh = Sheet { columns: 4, rows: 4, ..Sheet::default() }.mesh()?;
    /// # let mut sim = Simulation::builder().body(Body::cloth(&mesh, &ClothMaterial::default())?.pin([0])).build()?;
    /// let bytes = sim.checkpoint().to_bytes();
    /// sim.step()?;
    /// let later = sim.positions().to_vec();
    /// sim.restore(&Checkpoint::from_bytes(&bytes)?)?;
    /// sim.step()?;
    /// assert_eq!(sim.positions(), later);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn checkpoint(&self) -> Checkpoint {
        let mut channels = vec![
            ("clock".to_owned(), vec![self.state.time, self.state.step as f64, self.settings.time_step]),
            ("positions".to_owned(), flatten(&self.state.positions)),
            ("velocities".to_owned(), flatten(&self.state.velocities)),
            ("pins".to_owned(), flatten(&self.inputs.pins)),
            ("forces".to_owned(), flatten(&self.inputs.forces)),
        ];
        if self.settings.substeps != 1 {
            channels.push(("substeps".to_owned(), vec![self.settings.substeps as f64]));
        }
        for (body, own) in self.state.channels.iter().enumerate() {
            channels
                .extend(own.iter().map(|(name, channel)| (SavedChannels::name_of(body, name), channel.to_numbers())));
        }
        if let Some(history) = &self.history {
            channels.push(("before/step".to_owned(), vec![history.h]));
            channels.push(("before/positions".to_owned(), flatten(&history.positions)));
            channels.push(("before/velocities".to_owned(), flatten(&history.velocities)));
            if !history.others.is_empty() {
                channels.push(("before/others".to_owned(), flatten(&history.others)));
            }
        }
        if self.state.air != AirPath::default() {
            let AirPath { carried, length } = self.state.air;
            channels.push(("air".to_owned(), vec![carried.x, carried.y, carried.z, length]));
        }
        if let Some(surroundings) = &self.surroundings {
            let numbers = surroundings.held.iter().flat_map(|held| {
                let [x, y, z] = held.rubbed.to_array();
                [f64::from(held.vertex), f64::from(held.collider), held.pressed, x, y, z]
            });
            channels.push(("contacts".to_owned(), numbers.collect()));
        }
        for (k, memory) in self.memory.iter().enumerate() {
            channels.push((format!("warm/{k}"), memory.warm.clone()));
            channels.push((format!("goals/{k}/now"), flatten(&self.inputs.goals_now[k])));
            channels.push((format!("goals/{k}/next"), flatten(&self.inputs.goals_next[k])));
        }
        for (k, change) in self.lineage.changes.iter().enumerate() {
            channels.push((format!("topology/{k}"), change.encode()));
        }
        Checkpoint { fingerprint: self.lineage.first(&self.model).fingerprint(), channels }
    }

    /// The model of a checkpoint, where it is not the current one.
    fn replay(&self, saved: &Checkpoint) -> Result<Option<Replayed>, CheckpointError> {
        let names = (0..).map(|k| format!("topology/{k}"));
        let found = names.map_while(|name| saved.channels.iter().find(|(other, _)| *other == name));
        let changes: Vec<&[f64]> = found.map(|(_, numbers)| numbers.as_slice()).collect();
        let is_current = |(numbers, change): (&&[f64], &crate::Change)| **numbers == change.encode();
        let own = &self.lineage.changes;
        if changes.len() == own.len() && changes.iter().zip(own).all(is_current) {
            return Ok(None);
        }
        let refuse = |reason: String| CheckpointError::Topology { change: changes.len(), reason };
        let replayed = self.replayed(&changes).map_err(|error| refuse(error.to_string()))?;
        replayed.ok_or_else(|| refuse("its numbers are damaged".to_owned())).map(Some)
    }

    /// Contacts that are held in a checkpoint of a model with so many vertices.
    fn saved_contacts(&self, saved: &Checkpoint, vertices: usize) -> Result<Vec<Held>, CheckpointError> {
        let records: &[[f64; 6]] = saved.records("contacts")?;
        for (k, record) in records.iter().enumerate() {
            for (place, count) in [vertices, self.colliders().len()].into_iter().enumerate() {
                let number = record[place];
                if !(number >= 0.0 && number < count as f64 && number.fract() == 0.0) {
                    return Err(bad_number("contacts", 6 * k + place, number));
                }
            }
        }
        let held = |n: &[f64; 6]| {
            let rubbed = Vec3::new(n[3], n[4], n[5]);
            Held { vertex: n[0] as u32, collider: n[1] as u32, pressed: n[2], rubbed }
        };
        Ok(records.iter().map(held).collect())
    }

    /// Returns to a saved moment of the same model, as torn and cut as it was then. On an error nothing has changed.
    pub fn restore(&mut self, saved: &Checkpoint) -> Result<(), CheckpointError> {
        let expected = self.lineage.first(&self.model).fingerprint();
        if saved.fingerprint != expected {
            return Err(CheckpointError::OtherModel { found: saved.fingerprint, expected });
        }
        let replayed = self.replay(saved)?;
        let model = replayed.as_ref().map_or(&self.model, |replayed| &replayed.model);
        let n = 3 * model.rest().len();
        let clock = saved.channel("clock", 3)?;
        if clock[2] <= 0.0 {
            return Err(bad_number("clock", 2, clock[2]));
        }
        if clock[1] < 0.0 || clock[1].fract() != 0.0 {
            return Err(bad_number("clock", 1, clock[1]));
        }
        let substeps = match saved.channel("substeps", 1) {
            Err(CheckpointError::Channel { found: 0, .. }) => 1,
            Err(other) => return Err(other),
            Ok(&[count]) if count >= 1.0 && count <= MOST_SUBSTEPS as f64 && count.fract() == 0.0 => count as usize,
            Ok(count) => return Err(bad_number("substeps", 0, count[0])),
        };
        let (mut state, mut inputs, mut memory) = (self.state.clone(), self.inputs.clone(), self.memory.clone());
        if replayed.is_some() {
            (inputs, memory) = (Inputs::at_rest(model), model.initial_memory());
        }
        (state.time, state.step) = (clock[0], clock[1] as u64);
        state.positions = unflatten(saved.channel("positions", n)?);
        state.velocities = unflatten(saved.channel("velocities", n)?);
        state.channels = crate::matter::restored(model, saved)?;
        inputs.pins = unflatten(saved.channel("pins", 3 * inputs.pins.len())?);
        inputs.forces = unflatten(saved.channel("forces", n)?);
        for (k, memory) in memory.iter_mut().enumerate() {
            memory.warm = saved.channel(&format!("warm/{k}"), memory.warm.len())?.to_vec();
            for (name, goals) in [("now", &mut inputs.goals_now[k]), ("next", &mut inputs.goals_next[k])] {
                *goals = unflatten(saved.channel(&format!("goals/{k}/{name}"), 3 * goals.len())?);
            }
        }
        let history = match saved.channel("before/step", 1) {
            Err(CheckpointError::Channel { found: 0, .. }) => None,
            Err(other) => return Err(other),
            Ok(h) if h[0] <= 0.0 => return Err(bad_number("before/step", 0, h[0])),
            Ok(h) => Some(History {
                h: h[0],
                positions: unflatten(saved.channel("before/positions", n)?),
                velocities: unflatten(saved.channel("before/velocities", n)?),
                others: unflatten(saved.optional("before/others", n)?),
            }),
        };
        let air = saved.optional("air", 4)?;
        state.air = air
            .first_chunk()
            .map_or_else(AirPath::default, |&[x, y, z, length]| AirPath { carried: Vec3::new(x, y, z), length });
        let held = self.saved_contacts(saved, model.rest().len())?;
        if let Some(replayed) = replayed {
            let collider = self.collider_for(&replayed.model, &state.positions);
            let refuse = |error: ModelError| CheckpointError::Topology {
                change: replayed.changes.len(),
                reason: error.to_string(),
            };
            let collider = collider.map_err(refuse)?;
            self.take_replayed(replayed, collider);
        }
        if let Some(surroundings) = &mut self.surroundings {
            surroundings.held = held;
            surroundings.touched.clear();
            surroundings.clearances = Clearances::default();
        }
        (self.settings.time_step, self.settings.substeps) = (clock[2], substeps);
        (self.state, self.inputs, self.memory, self.history) = (state, inputs, memory, history);
        Ok(())
    }
}
