//! The frames of a run in a folder that survives interruption at any moment.
//!
//! ```text
//! run/
//!   scene.bin               topology, frame rate, units
//!   topologies/000110.bin   what the topology is from frame 110 on, where bodies tear, are cut, come or go
//!   frames/000123.bin       time, positions, perhaps velocities and channels
//!   checkpoints/000120.bin  what continues the run after frame 120; the bytes are the caller's
//!   log.jsonl               one JSON object per line, with the number of the frame it led to
//!   lock                    locked by the process that writes, and says which; it stays
//! ```
//!
//! Every `.bin` file is written under a temporary name, flushed to the disk, and renamed; it contains its length and a
//! checksum. So a killed process leaves only complete files, and other damage is detected and reported. One process
//! writes; others may read at the same time. If somebody else removes or replaces the files of a writer, it notices and
//! fails.
//!
//! ```
//! use pliant_io::store::{Frame, RunInfo, RunStore, Topology};
//! use pliant::{math::Vec3, mesh::generate::Sheet};
//!
//! # let dir = std::env::temp_dir().join(format!("pliant-store-doc-{}", std::process::id()));
//! let sheet = Sheet { columns: 4, rows: 4, ..Sheet::default() }.mesh()?;
//! let mut topology = Topology::default();
//! topology.add_surface("cloth", &sheet);
//!
//! let mut run = RunStore::create(&dir, &topology, &RunInfo::default())?;
//! for number in 0..5 {
//!     let time = number as f64 / 60.0;
//!     let moved: Vec<Vec3> = sheet.positions.iter().map(|p| *p - time * Vec3::Y).collect();
//!     run.write_frame(number, &Frame::new(time, moved))?;
//! }
//! run.write_checkpoint(2, b"whatever continues the run")?;
//! drop(run);
//!
//! // The checkpoint continues from frame 2, so later frames go.
//! let (run, checkpoint) = RunStore::resume(&dir)?;
//! assert_eq!(checkpoint.frame, 2);
//! assert_eq!(run.frames(), [0, 1, 2]);
//! assert_eq!(run.read_frame(2)?.time, 2.0 / 60.0);
//! # std::fs::remove_dir_all(dir)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod checkpoints;
mod error;
mod folder;
mod frame;
mod lock;
mod log;
mod sealed;
mod strain;
mod topology;
mod world;

use std::borrow::Cow;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

pub use crate::axis::UpAxis;
pub use error::{Damage, DataError, Item, StoreError};
pub use frame::{Channel, ChannelOn, Frame};
pub use lock::Holder;
pub use strain::StrainError;
pub use topology::{BodyRange, RunInfo, Topology};

use crate::atomic::sync_folder;
use folder::{Held, clean, expect_file, expect_run, held, numbered, remove, remove_all};
use lock::Lock;
use sealed::{Content, damaged, io_error};

const SCENE_FILE: &str = "scene.bin";
const FRAMES: &str = "frames";
const CHECKPOINTS: &str = "checkpoints";
const TOPOLOGIES: &str = "topologies";
const LOG_FILE: &str = "log.jsonl";
/// Larger scenes and checkpoints are taken for damaged \[bytes\].
const MOST_BYTES: u64 = 1 << 37;

/// A saved state to continue from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SavedCheckpoint {
    /// The last frame before it.
    pub frame: u64,
    /// The bytes that were passed to [`RunStore::write_checkpoint`].
    pub bytes: Vec<u8>,
}

/// A run in a folder.
#[derive(Debug)]
pub struct RunStore {
    dir: PathBuf,
    topology: Topology,
    /// First frames of other topologies, ascending.
    topologies: Vec<u64>,
    /// What the next frame is checked against, where it is not `topology`.
    latest: Option<Topology>,
    info: RunInfo,
    /// Finished frames whose length is right, ascending.
    frames: Vec<u64>,
    /// Finished frames that cannot be read, ascending, with the reason.
    damaged: Vec<(u64, StoreError)>,
    checkpoints: Vec<u64>,
    /// None when opened for reading.
    writer: Option<Writer>,
}

/// Held by the one process that writes.
#[derive(Debug)]
struct Writer {
    log: File,
    lock: Lock,
}

impl RunStore {
    /// Begins a run in a folder, which is created if it does not exist. A folder that holds a run is an error, unless
    /// that run was interrupted before its first frame.
    pub fn create(dir: impl AsRef<Path>, topology: &Topology, info: &RunInfo) -> Result<Self, StoreError> {
        Self::begin(dir.as_ref(), topology, info, |dir| match held(dir)? {
            Held::Nothing | Held::SceneOnly => Ok(()),
            Held::Run => Err(StoreError::AlreadyARun { path: dir.to_owned() }),
            Held::Parts => Err(StoreError::PartOfARun { path: dir.to_owned() }),
        })
    }

    /// Begins a run in a folder and removes the run that it may hold, with the files and folders named `also` that
    /// belong to it. From before the first file is removed until this run is dropped, nobody else can write to the
    /// folder.
    pub fn replace(
        dir: impl AsRef<Path>,
        topology: &Topology,
        info: &RunInfo,
        also: &[&str],
    ) -> Result<Self, StoreError> {
        Self::begin(dir.as_ref(), topology, info, |dir| {
            if held(dir)? == Held::Nothing {
                return Ok(());
            }
            // The scene goes first: without it the folder holds no run that somebody could take for a whole one.
            for name in [SCENE_FILE].iter().chain(also).chain(&[CHECKPOINTS, FRAMES, TOPOLOGIES, LOG_FILE]) {
                remove_all(&dir.join(name))?;
            }
            Ok(())
        })
    }

    /// Locks a folder, lets `prepare` see to what it holds, and begins a run in it.
    fn begin(
        dir: &Path,
        topology: &Topology,
        info: &RunInfo,
        prepare: impl FnOnce(&Path) -> Result<(), StoreError>,
    ) -> Result<Self, StoreError> {
        topology.check()?;
        info.check()?;
        fs::create_dir_all(dir).map_err(io_error("make", dir))?;
        let lock = Lock::take(dir)?;
        prepare(dir)?;
        for folder in [dir.join(FRAMES), dir.join(CHECKPOINTS), dir.join(TOPOLOGIES)] {
            fs::create_dir_all(&folder).map_err(io_error("make", &folder))?;
        }
        clean(dir)?;
        log::clear(&dir.join(LOG_FILE))?;
        let log = log::open(&dir.join(LOG_FILE))?;
        // The scene comes last: a folder without it holds no run.
        sealed::write(Item::Scene, &dir.join(SCENE_FILE), &topology.encode(info))?;
        Ok(Self {
            dir: dir.to_owned(),
            topology: topology.clone(),
            topologies: Vec::new(),
            latest: None,
            info: *info,
            frames: Vec::new(),
            damaged: Vec::new(),
            checkpoints: Vec::new(),
            writer: Some(Writer { log, lock }),
        })
    }

    /// Opens a run for reading, also while another process writes to it. Unfinished files are ignored, and removed if
    /// nobody writes. Frames of the wrong length are listed by [`damaged`](Self::damaged); checksums are checked when a
    /// frame is read, or by [`verify`](Self::verify).
    pub fn open(dir: impl AsRef<Path>) -> Result<Self, StoreError> {
        let dir = dir.as_ref();
        expect_run(dir)?;
        // Somebody writes, or the folder is read-only: then what is unfinished is left alone.
        if let Ok(Some(_lock)) = Lock::attempt(dir) {
            let _ = clean(dir);
        }
        Self::load(dir)
    }

    /// Opens a run for writing more frames after its last one.
    pub fn open_to_write(dir: impl AsRef<Path>) -> Result<Self, StoreError> {
        let dir = dir.as_ref();
        expect_run(dir)?;
        let lock = Lock::take(dir)?;
        clean(dir)?;
        let folder = dir.join(TOPOLOGIES);
        fs::create_dir_all(&folder).map_err(io_error("make", &folder))?;
        let mut store = Self::load(dir)?;
        store.latest = store.topologies.last().map(|&frame| store.read_topology(frame)).transpose()?;
        store.writer = Some(Writer { log: log::open(&dir.join(LOG_FILE))?, lock });
        Ok(store)
    }

    /// Opens a run for writing and returns to its last usable checkpoint: everything written after it is removed. To
    /// check first whether the checkpoint can be used, call [`open_to_write`](Self::open_to_write),
    /// [`last_checkpoint`](Self::last_checkpoint) and [`truncate_after`](Self::truncate_after).
    pub fn resume(dir: impl AsRef<Path>) -> Result<(Self, SavedCheckpoint), StoreError> {
        let mut store = Self::open_to_write(dir)?;
        let Some(checkpoint) = store.last_checkpoint()? else {
            return Err(StoreError::NoCheckpoint { path: store.dir });
        };
        store.truncate_after(Some(checkpoint.frame))?;
        Ok((store, checkpoint))
    }

    fn load(dir: &Path) -> Result<Self, StoreError> {
        let path = dir.join(SCENE_FILE);
        let bytes = sealed::read(Item::Scene, &path, MOST_BYTES)?;
        let mut content = Content { bytes: &bytes, at: 0 };
        let decoded = Topology::decode(&mut content);
        let damage = Damage::Content { at: content.at };
        let (topology, info) = decoded.ok_or_else(|| damaged(Item::Scene, &path, damage))?;
        topology.check()?;
        info.check()?;
        let mut store = Self {
            dir: dir.to_owned(),
            topology,
            topologies: numbered(&dir.join(TOPOLOGIES))?,
            latest: None,
            info,
            frames: Vec::new(),
            damaged: Vec::new(),
            checkpoints: numbered(&dir.join(CHECKPOINTS))?,
            writer: None,
        };
        for number in numbered(&dir.join(FRAMES))? {
            match sealed::open(Item::Frame(number), &store.path(Item::Frame(number))) {
                Ok(_) => store.frames.push(number),
                Err(error) => store.damaged.push((number, error)),
            }
        }
        Ok(store)
    }

    /// The folder.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// The topology at the beginning.
    pub fn topology(&self) -> &Topology {
        &self.topology
    }

    /// First frames of later topologies, ascending; none for a run in which nothing tears, comes or goes.
    pub fn topology_changes(&self) -> &[u64] {
        &self.topologies
    }

    /// The first frame of a frame's topology; none for the topology at the start.
    pub fn topology_of(&self, frame: u64) -> Option<u64> {
        self.topologies.iter().copied().take_while(|first| *first <= frame).last()
    }

    /// The topology of a frame.
    pub fn topology_at(&self, frame: u64) -> Result<Cow<'_, Topology>, StoreError> {
        match self.topology_of(frame) {
            None => Ok(Cow::Borrowed(&self.topology)),
            Some(first) => self.read_topology(first).map(Cow::Owned),
        }
    }

    fn read_topology(&self, frame: u64) -> Result<Topology, StoreError> {
        let item = Item::Topology(frame);
        let path = self.path(item);
        let bytes = sealed::read(item, &path, MOST_BYTES)?;
        let mut content = Content { bytes: &bytes, at: 0 };
        let decoded = Topology::decode(&mut content);
        let damage = Damage::Content { at: content.at };
        let (topology, _) = decoded.ok_or_else(|| damaged(item, &path, damage))?;
        topology.check()?;
        Ok(topology)
    }

    /// Writes a new topology for the next frame, which has this number, and those after it. Its list of bodies begins
    /// with those of the last one: new bodies come after them, and one that has left stays in the list without vertices
    /// ([`Topology::add_absent`]).
    pub fn write_topology(&mut self, frame: u64, topology: &Topology) -> Result<(), StoreError> {
        self.writer()?;
        topology.check()?;
        let names = |topology: &Topology| topology.bodies.iter().map(|body| body.name.clone()).collect::<Vec<_>>();
        let before = self.latest.as_ref().unwrap_or(&self.topology);
        if !names(topology).starts_with(&names(before)) {
            let (found, expected) = (topology.bodies.len(), before.bodies.len());
            let name = "the list of bodies, which must begin with those before,".to_owned();
            return Err(DataError::LengthMismatch { name, found, expected }.into());
        }
        let expected = self.next_frame().unwrap_or(frame);
        if expected != frame {
            return Err(StoreError::OutOfOrder { path: self.dir.clone(), frame, expected });
        }
        let item = Item::Topology(frame);
        self.write(item, &topology.encode(&self.info))?;
        self.topologies.retain(|first| *first != frame);
        self.topologies.push(frame);
        self.latest = Some(topology.clone());
        Ok(())
    }

    /// The number that the next frame must have; any for the first.
    fn next_frame(&self) -> Option<u64> {
        let last = self.frames.last().max(self.damaged.last().map(|(number, _)| number));
        last.map(|last| last.saturating_add(1))
    }

    /// Frame rate and units.
    pub fn info(&self) -> &RunInfo {
        &self.info
    }

    /// Numbers of the finished frames, ascending.
    pub fn frames(&self) -> &[u64] {
        &self.frames
    }

    /// Numbers of the checkpoints, ascending: of the frames they continue from.
    pub fn checkpoints(&self) -> &[u64] {
        &self.checkpoints
    }

    /// Frames that were damaged when the store was opened, with the reason.
    pub fn damaged(&self) -> &[(u64, StoreError)] {
        &self.damaged
    }

    /// The file of an item.
    pub fn path(&self, item: Item) -> PathBuf {
        match item {
            Item::Scene => self.dir.join(SCENE_FILE),
            Item::Topology(number) => self.dir.join(TOPOLOGIES).join(format!("{number:06}.bin")),
            Item::Frame(number) => self.dir.join(FRAMES).join(format!("{number:06}.bin")),
            Item::Checkpoint(number) => self.dir.join(CHECKPOINTS).join(format!("{number:06}.bin")),
        }
    }

    /// Writes the next frame. The first may have any number; the others follow in order.
    pub fn write_frame(&mut self, number: u64, frame: &Frame<'_>) -> Result<(), StoreError> {
        self.writer()?.lock.check()?;
        frame.check(self.latest.as_ref().unwrap_or(&self.topology))?;
        if let Some(expected) = self.next_frame().filter(|expected| *expected != number) {
            return Err(StoreError::OutOfOrder { path: self.dir.clone(), frame: number, expected });
        }
        if let Some(&last) = self.frames.last() {
            expect_file(&self.path(Item::Frame(last)))?;
        }
        self.write(Item::Frame(number), &frame.encode(number))?;
        self.frames.push(number);
        Ok(())
    }

    fn write(&self, item: Item, content: &[u8]) -> Result<(), StoreError> {
        let written = sealed::write(item, &self.path(item), content);
        match &written {
            // The folder went away since this process looked.
            Err(StoreError::Io { error, .. }) if error.kind() == io::ErrorKind::NotFound => self.check_complete()?,
            _ => {}
        }
        written
    }

    /// Reads a frame and checks every byte of it.
    pub fn read_frame(&self, number: u64) -> Result<Frame<'static>, StoreError> {
        let listed = self.frames.binary_search(&number).is_ok() || self.damaged.iter().any(|(n, _)| *n == number);
        if !listed {
            let numbers = || self.frames.iter().chain(self.damaged.iter().map(|(number, _)| number)).copied();
            let range = numbers().min().zip(numbers().max());
            return Err(StoreError::NoSuchFrame { path: self.dir.clone(), frame: number, range });
        }
        frame::read(number, &self.path(Item::Frame(number)), self.topology_at(number)?.as_ref())
    }

    /// Reads all frames and returns those that are damaged.
    pub fn verify(&self) -> Vec<(u64, StoreError)> {
        let all = self.frames.iter().chain(self.damaged.iter().map(|(number, _)| number));
        let mut failed: Vec<(u64, StoreError)> =
            all.filter_map(|&number| Some((number, self.read_frame(number).err()?))).collect();
        failed.sort_by_key(|(number, _)| *number);
        failed
    }

    /// Removes checkpoints, frames and log entries after a frame; all of them if none is given.
    pub fn truncate_after(&mut self, last: Option<u64>) -> Result<(), StoreError> {
        self.writer()?;
        let is_kept = |number: u64| last.is_some_and(|last| number <= last);
        let mut frames: Vec<u64> =
            self.frames.iter().chain(self.damaged.iter().map(|(number, _)| number)).copied().collect();
        frames.sort_unstable();
        // The latest first, and the log after them: an interruption leaves no gaps and no frame without its entries.
        for &number in self.checkpoints.iter().rev().take_while(|number| !is_kept(**number)) {
            remove(&self.path(Item::Checkpoint(number)))?;
        }
        for &number in frames.iter().rev().take_while(|number| !is_kept(**number)) {
            remove(&self.path(Item::Frame(number)))?;
        }
        for &number in self.topologies.iter().rev().take_while(|number| !is_kept(**number)) {
            remove(&self.path(Item::Topology(number)))?;
        }
        for folder in [self.dir.join(CHECKPOINTS), self.dir.join(FRAMES), self.dir.join(TOPOLOGIES)] {
            sync_folder(&folder).map_err(io_error("write", &folder))?;
        }
        let log = self.dir.join(LOG_FILE);
        log::truncate(&log, is_kept)?;
        self.writer()?.log = log::open(&log)?;
        self.topologies.retain(|number| is_kept(*number));
        self.latest = self.topologies.last().map(|&frame| self.read_topology(frame)).transpose()?;
        self.checkpoints.retain(|number| is_kept(*number));
        self.frames.retain(|number| is_kept(*number));
        self.damaged.retain(|(number, _)| is_kept(*number));
        Ok(())
    }

    /// Adds an entry to the log, with the number of its frame under `"frame"`.
    pub fn append_log(&mut self, frame: u64, entry: &Map<String, Value>) -> Result<(), StoreError> {
        let path = self.dir.join(LOG_FILE);
        log::append(&mut self.writer()?.log, &path, frame, entry)
    }

    /// All complete entries of the log.
    pub fn read_log(&self) -> Result<Vec<Map<String, Value>>, StoreError> {
        log::read(&self.dir.join(LOG_FILE))
    }

    fn writer(&mut self) -> Result<&mut Writer, StoreError> {
        self.writer.as_mut().ok_or_else(|| StoreError::ReadOnly { path: self.dir.clone() })
    }
}
