//! What can be wrong with a stored run; errors name the file and the value.

use std::fmt;
use std::io;
use std::path::PathBuf;

use thiserror::Error;

use super::lock::Holder;

/// A file of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Item {
    /// The topology at the beginning, and units.
    Scene,
    /// A later topology, by the first frame that has it.
    Topology(u64),
    /// A frame, by its number.
    Frame(u64),
    /// A checkpoint, by the number of the frame it continues from.
    Checkpoint(u64),
}

impl fmt::Display for Item {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Scene => write!(f, "the scene"),
            Self::Topology(number) => write!(f, "the topology from frame {number} on"),
            Self::Frame(number) => write!(f, "frame {number}"),
            Self::Checkpoint(number) => write!(f, "checkpoint {number}"),
        }
    }
}

/// How a file is damaged.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Damage {
    /// It does not begin like such a file.
    #[error("it does not begin like such a file")]
    Beginning,
    /// It is shorter or longer than it says.
    #[error("it has {found} bytes instead of {expected}")]
    Length {
        /// Bytes of the file.
        found: u64,
        /// Bytes that its beginning announces.
        expected: u64,
    },
    /// Some byte has changed.
    #[error("its checksum is {found:08x} instead of {expected:08x}")]
    Checksum {
        /// The checksum of the bytes.
        found: u32,
        /// The stored checksum.
        expected: u32,
    },
    /// An impossible count.
    #[error("it announces {found} {name}, but {limit} is the limit")]
    Count {
        /// What is counted.
        name: &'static str,
        /// The count in the file.
        found: u64,
        /// The limit.
        limit: u64,
    },
    /// A list with a different length than in the scene.
    #[error("it has {found} {name}, but the scene has {expected}")]
    Mismatch {
        /// What is counted.
        name: &'static str,
        /// The count in the file.
        found: u64,
        /// The count in the scene.
        expected: u64,
    },
    /// The content makes no sense although its checksum is right.
    #[error("its content makes no sense at byte {at}")]
    Content {
        /// Where, counted from the beginning of the content.
        at: usize,
    },
    /// It is a different frame or checkpoint than its name says.
    #[error("it holds number {found}")]
    Number {
        /// The number inside.
        found: u64,
    },
}

/// Why a run could not be stored or read.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The operating system reported an error.
    #[error("cannot {action} {}: {error}", path.display())]
    Io {
        /// The action.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        #[source]
        error: io::Error,
    },
    /// There is no run in the folder.
    #[error("{} holds no run: {} is missing", path.display(), super::SCENE_FILE)]
    NoRun {
        /// The folder.
        path: PathBuf,
    },
    /// A run would overwrite another.
    #[error("{} already holds a run; resume it or choose another folder", path.display())]
    AlreadyARun {
        /// The folder.
        path: PathBuf,
    },
    /// There are frames or checkpoints, but the scene that they belong to is missing.
    #[error(
        "{} holds parts of a run, but {} is missing: the run was interrupted while it was being removed, or somebody removed the file",
        path.display(), super::SCENE_FILE
    )]
    PartOfARun {
        /// The folder.
        path: PathBuf,
    },
    /// Another process writes to the run.
    #[error("{} is in use: {} is writing a run there", path.display(), name(holder.as_ref()))]
    InUse {
        /// The folder.
        path: PathBuf,
        /// The process, if it is known.
        holder: Option<Holder>,
    },
    /// The files that this process has written are gone.
    #[error("{} was removed or replaced by somebody else while the run was being written", path.display())]
    Vanished {
        /// What is missing, or is no longer what this process made.
        path: PathBuf,
    },
    /// The store was opened for reading.
    #[error("the run in {} was opened for reading only", path.display())]
    ReadOnly {
        /// The folder.
        path: PathBuf,
    },
    /// A file is damaged.
    #[error("{item} is damaged ({}): {damage}", path.display())]
    Damaged {
        /// What the file should hold.
        item: Item,
        /// The file.
        path: PathBuf,
        /// What is wrong.
        damage: Damage,
    },
    /// A file was written by another version.
    #[error("{item} has version {found}, but this program reads version {expected} ({})", path.display())]
    Version {
        /// What the file holds.
        item: Item,
        /// The file.
        path: PathBuf,
        /// In the file.
        found: u32,
        /// The supported version.
        expected: u32,
    },
    /// There is no such frame.
    #[error("the run in {} has no frame {frame}; it has {}", path.display(), describe(*.range))]
    NoSuchFrame {
        /// The folder.
        path: PathBuf,
        /// The requested frame.
        frame: u64,
        /// The first and last existing frame.
        range: Option<(u64, u64)>,
    },
    /// A checkpoint continues from a frame before which another is missing or damaged.
    #[error("checkpoint {frame} ({}) cannot be used, as frame {missing} before it is missing or damaged", path.display())]
    BeyondGap {
        /// The checkpoint.
        path: PathBuf,
        /// The frame it continues from.
        frame: u64,
        /// The first frame that is missing or damaged.
        missing: u64,
    },
    /// There is nothing to continue from.
    #[error("the run in {} has no usable checkpoint to resume from", path.display())]
    NoCheckpoint {
        /// The folder.
        path: PathBuf,
    },
    /// Frames come one after the other.
    #[error("frame {frame} cannot follow: the next frame of the run in {} is {expected}", path.display())]
    OutOfOrder {
        /// The folder.
        path: PathBuf,
        /// The frame given.
        frame: u64,
        /// The frame that comes next.
        expected: u64,
    },
    /// A line of the log is not a JSON object with a frame number.
    #[error("line {line} of {} is not an entry of a log: {text:?}", path.display())]
    BadLogLine {
        /// The log.
        path: PathBuf,
        /// The line, counted from 1.
        line: usize,
        /// How it begins.
        text: String,
    },
    /// The given data is unusable.
    #[error(transparent)]
    Data(#[from] DataError),
}

fn name(holder: Option<&Holder>) -> String {
    holder.map_or_else(|| "another process, which the lock does not name,".to_owned(), Holder::to_string)
}

fn describe(range: Option<(u64, u64)>) -> String {
    range.map_or_else(|| "none".to_owned(), |(first, last)| format!("{first} to {last}"))
}

/// What is wrong with a given topology or frame.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum DataError {
    /// There is nothing to store.
    #[error("there are no {0}")]
    Empty(&'static str),
    /// There are more than can be numbered.
    #[error("there are {count} {name}, but {limit} is the limit")]
    TooMany {
        /// What is counted.
        name: &'static str,
        /// How many.
        count: usize,
        /// The limit.
        limit: u64,
    },
    /// An element refers to a vertex that does not exist.
    #[error("{element} {index} names vertex {vertex}, but there are {count} vertices")]
    IndexOutOfRange {
        /// Kind of element.
        element: &'static str,
        /// Which.
        index: usize,
        /// The vertex.
        vertex: u32,
        /// Number of vertices.
        count: usize,
    },
    /// A polyline without a segment.
    #[error("polyline {index} has {vertices} vertices, but needs two or more")]
    ShortPolyline {
        /// Which.
        index: usize,
        /// Its vertices.
        vertices: usize,
    },
    /// An element belongs to two bodies.
    #[error("{element} {index} has vertices in the bodies {first:?} and {second:?}")]
    AcrossBodies {
        /// Kind of element.
        element: &'static str,
        /// Which.
        index: usize,
        /// A body.
        first: String,
        /// Another body.
        second: String,
    },
    /// Bodies do not follow each other through all vertices.
    #[error("body {name:?} begins at vertex {start} and ends before {end}, but should begin at {expected}")]
    BodyRange {
        /// Its name.
        name: String,
        /// First vertex.
        start: usize,
        /// One after the last vertex.
        end: usize,
        /// Where the body before it ends.
        expected: usize,
    },
    /// Bodies do not cover all vertices.
    #[error("the bodies cover {covered} of {count} vertices")]
    NotCovered {
        /// Vertices in bodies.
        covered: usize,
        /// All vertices.
        count: usize,
    },
    /// Two bodies or channels have the same name.
    #[error("two {what} are named {name:?}")]
    RepeatedName {
        /// Bodies or channels.
        what: &'static str,
        /// The name.
        name: String,
    },
    /// A name is empty or too long.
    #[error("the name {name:?} has {length} bytes, but a name has 1 to {limit}")]
    BadName {
        /// How it begins.
        name: String,
        /// Its length in bytes.
        length: usize,
        /// The longest allowed.
        limit: usize,
    },
    /// A number is not usable.
    #[error("{name} is {value}, but must be {need}")]
    BadValue {
        /// What it is.
        name: &'static str,
        /// The value.
        value: f64,
        /// The required range.
        need: &'static str,
    },
    /// A coordinate is not finite.
    #[error("vertex {vertex} has the {name} ({}, {}, {}), which is not finite", value[0], value[1], value[2])]
    NonFinite {
        /// Position or velocity.
        name: &'static str,
        /// The vertex.
        vertex: usize,
        /// Its value.
        value: [f64; 3],
    },
    /// A list has the wrong length.
    #[error("{name} has {found} entries, but {expected} are needed")]
    LengthMismatch {
        /// Name of the list.
        name: String,
        /// Its length.
        found: usize,
        /// The length needed.
        expected: usize,
    },
}
