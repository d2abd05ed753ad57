//! One frame of a run.

use std::borrow::Cow;
use std::collections::HashSet;
use std::path::Path;

use pliant::math::Vec3;

use super::error::{Damage, DataError, Item, StoreError};
use super::sealed::{self, Builder, Content, damaged};
use super::topology::{LONGEST_NAME, Topology, check_finite, check_name};

/// More channels are a mistake; the limit bounds the size of a frame.
const MOST_CHANNELS: u64 = 256;
/// Number, time, vertices, whether there are velocities, channels.
const FIXED: u64 = 5 * 8;

/// What the numbers of a channel belong to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChannelOn {
    /// One number for each vertex.
    Vertices,
    /// One number for each triangle of the topology.
    Triangles,
    /// One number for each tet of the topology.
    Tets,
}

impl ChannelOn {
    /// Number of values of such a channel.
    pub fn count(self, topology: &Topology) -> usize {
        match self {
            Self::Vertices => topology.rest.len(),
            Self::Triangles => topology.triangles.len(),
            Self::Tets => topology.tets.len(),
        }
    }
}

/// A named number for each vertex or element, such as a strain. NaN means that there is no value.
#[derive(Debug, Clone, PartialEq)]
pub struct Channel {
    /// Its name.
    pub name: String,
    /// What the numbers belong to.
    pub on: ChannelOn,
    /// The numbers.
    pub values: Vec<f64>,
}

/// The state of a run at a time. It borrows the data that it is made from, or owns data that was read.
#[derive(Debug, Clone, PartialEq)]
pub struct Frame<'a> {
    /// Time \[s\].
    pub time: f64,
    /// Position of each vertex, in the run's unit.
    pub positions: Cow<'a, [Vec3]>,
    /// Velocity of each vertex, in the run's unit per second.
    pub velocities: Option<Cow<'a, [Vec3]>>,
    /// Further numbers.
    pub channels: Vec<Channel>,
}

impl<'a> Frame<'a> {
    /// A frame of positions only.
    pub fn new(time: f64, positions: impl Into<Cow<'a, [Vec3]>>) -> Self {
        Self { time, positions: positions.into(), velocities: None, channels: Vec::new() }
    }

    /// Adds velocities.
    #[must_use]
    pub fn with_velocities(mut self, velocities: impl Into<Cow<'a, [Vec3]>>) -> Self {
        self.velocities = Some(velocities.into());
        self
    }

    /// Adds a channel.
    #[must_use]
    pub fn with_channel(mut self, name: impl Into<String>, on: ChannelOn, values: Vec<f64>) -> Self {
        self.channels.push(Channel { name: name.into(), on, values });
        self
    }

    pub(super) fn check(&self, topology: &Topology) -> Result<(), DataError> {
        if !self.time.is_finite() {
            return Err(DataError::BadValue { name: "the time of a frame", value: self.time, need: "finite" });
        }
        let expected = topology.rest.len();
        let lists = [("position", Some(&self.positions)), ("velocity", self.velocities.as_ref())];
        for (name, list) in lists.into_iter().filter_map(|(name, list)| Some((name, list?))) {
            if list.len() != expected {
                let name = format!("the list of each vertex's {name}");
                return Err(DataError::LengthMismatch { name, found: list.len(), expected });
            }
            check_finite(name, list)?;
        }
        if self.channels.len() as u64 > MOST_CHANNELS {
            let count = self.channels.len();
            return Err(DataError::TooMany { name: "channels", count, limit: MOST_CHANNELS });
        }
        let mut names = HashSet::new();
        for channel in &self.channels {
            check_name(&channel.name)?;
            if !names.insert(channel.name.as_str()) {
                return Err(DataError::RepeatedName { what: "channels", name: channel.name.clone() });
            }
            let (found, expected) = (channel.values.len(), channel.on.count(topology));
            if found != expected {
                let name = format!("channel {:?}", channel.name);
                return Err(DataError::LengthMismatch { name, found, expected });
            }
        }
        Ok(())
    }

    pub(super) fn encode(&self, number: u64) -> Vec<u8> {
        let mut content = Builder::default();
        content.u64(number);
        content.f64(self.time);
        content.u64(self.positions.len() as u64);
        content.u64(u64::from(self.velocities.is_some()));
        content.u64(self.channels.len() as u64);
        content.vectors(&self.positions);
        if let Some(velocities) = &self.velocities {
            content.vectors(velocities);
        }
        for channel in &self.channels {
            content.text(&channel.name);
            content.u64(match channel.on {
                ChannelOn::Vertices => 0,
                ChannelOn::Triangles => 1,
                ChannelOn::Tets => 2,
            });
            content.u64(channel.values.len() as u64);
            content.f64s(&channel.values);
        }
        content.0
    }
}

/// The largest content that a frame of this topology can have.
fn most_bytes(topology: &Topology) -> u64 {
    let vertices = topology.rest.len() as u64;
    let elements = topology.triangles.len().max(topology.tets.len()) as u64;
    FIXED + 48 * vertices + MOST_CHANNELS * (LONGEST_NAME as u64 + 24 + 8 * vertices.max(elements))
}

/// Reads a frame and checks that it belongs to the topology.
pub(super) fn read(number: u64, path: &Path, topology: &Topology) -> Result<Frame<'static>, StoreError> {
    let item = Item::Frame(number);
    let bytes = sealed::read(item, path, most_bytes(topology))?;
    let mut content = Content { bytes: &bytes, at: 0 };
    let decoded = decode(number, &mut content, topology);
    let at = content.at;
    decoded.map_err(|damage| damaged(item, path, damage.unwrap_or(Damage::Content { at })))
}

/// An error of `None` means that the content makes no sense where it was being read.
fn decode(number: u64, content: &mut Content<'_>, topology: &Topology) -> Result<Frame<'static>, Option<Damage>> {
    let found = content.u64().ok_or(None)?;
    if found != number {
        return Err(Some(Damage::Number { found }));
    }
    let time = content.f64().ok_or(None)?;
    let (count, expected) = (content.u64().ok_or(None)?, topology.rest.len() as u64);
    if count != expected {
        return Err(Some(Damage::Mismatch { name: "vertices", found: count, expected }));
    }
    let has_velocities = content.u64().ok_or(None)? != 0;
    let channel_count = content.u64().ok_or(None)?;
    if channel_count > MOST_CHANNELS {
        return Err(Some(Damage::Count { name: "channels", found: channel_count, limit: MOST_CHANNELS }));
    }
    let mut frame = Frame::new(time, content.vectors(count).ok_or(None)?);
    if has_velocities {
        frame.velocities = Some(content.vectors(count).ok_or(None)?.into());
    }
    for _ in 0..channel_count {
        let name = content.text(LONGEST_NAME).ok_or(None)?;
        let on = match content.u64().ok_or(None)? {
            0 => ChannelOn::Vertices,
            1 => ChannelOn::Triangles,
            2 => ChannelOn::Tets,
            _ => return Err(None),
        };
        let (found, expected) = (content.u64().ok_or(None)?, on.count(topology) as u64);
        if found != expected {
            return Err(Some(Damage::Mismatch { name: "numbers in a channel", found, expected }));
        }
        frame.channels.push(Channel { name, on, values: content.f64s(found).ok_or(None)? });
    }
    if content.is_at_end() { Ok(frame) } else { Err(None) }
}
