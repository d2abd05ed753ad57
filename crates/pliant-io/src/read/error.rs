//! Why a file cannot be read; errors name the file, the place in it and the value.

use std::fmt;
use std::io;

use thiserror::Error;

use super::MeshFormat;

/// Where in a file something is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Place {
    /// The file as a whole.
    File,
    /// A line of a text file, counted from one.
    Line(usize),
    /// A byte of a binary file (after decompression), counted from zero.
    Byte(usize),
    /// A path into a structured file, such as `accessors[3].count`.
    Path(String),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File => Ok(()),
            Self::Line(line) => write!(f, " line {line}"),
            Self::Byte(byte) => write!(f, " byte {byte}"),
            Self::Path(path) => write!(f, " at {path}"),
        }
    }
}

/// A file that could not be read.
///
/// ```
/// use pliant_io::read::{ReadOptions, read_mesh_from_bytes};
///
/// let text = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 900\n";
/// let error = read_mesh_from_bytes("bunny.obj", text, &ReadOptions::default()).unwrap_err();
/// assert_eq!(error.to_string(), "bunny.obj line 4: vertex index 900 but there are 3 vertices");
/// ```
#[derive(Clone, Debug, PartialEq, Error)]
#[error("{file}{place}: {problem}")]
pub struct ReadError {
    /// The name of the file, as given by the caller or by the file that refers to it.
    pub file: String,
    /// The place in the file.
    pub place: Place,
    /// What is wrong there.
    pub problem: Problem,
}

/// What is wrong with a file.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum Problem {
    /// The operating system reported an error.
    #[error("{message}")]
    Io {
        /// The kind of failure.
        kind: io::ErrorKind,
        /// The message of the operating system.
        message: String,
    },
    /// It is a folder, pipe or device.
    #[error("is {found}, but must be a file")]
    NotAFile {
        /// What it is.
        found: &'static str,
    },
    /// Neither the name nor the content shows the format.
    #[error("unknown format; known are {}", MeshFormat::list())]
    UnknownFormat,
    /// A format, or a part of one, that is not supported.
    #[error("{what} is not supported")]
    Unsupported {
        /// The part.
        what: String,
    },
    /// The file ends too early.
    #[error("the file ends where {expected} was expected")]
    Truncated {
        /// What was expected.
        expected: &'static str,
    },
    /// The file contains something other than expected.
    #[error("expected {expected} but found '{found}'")]
    Unexpected {
        /// What was expected.
        expected: &'static str,
        /// What does.
        found: String,
    },
    /// A number is NaN, infinite or too large for a double.
    #[error("{what} {value} is not finite")]
    NotFinite {
        /// What the number stands for.
        what: &'static str,
        /// The number.
        value: String,
    },
    /// An index is out of range.
    #[error("{what} index {index} but there are {count} {}", plural(what))]
    IndexOutOfRange {
        /// What is indexed.
        what: &'static str,
        /// The index as in the file.
        index: i64,
        /// Their number.
        count: usize,
    },
    /// A count that is too large for the rest of the file.
    #[error("{claimed} {what} are claimed but the {available} bytes left can hold at most {possible}")]
    ImpossibleCount {
        /// What is counted.
        what: &'static str,
        /// The number in the file.
        claimed: u64,
        /// Bytes left in the file.
        available: u64,
        /// The largest number that fits.
        possible: u64,
    },
    /// Two statements of a file about the same thing differ.
    #[error("{what}: {found} but {expected} expected")]
    Mismatch {
        /// What is counted or measured.
        what: &'static str,
        /// What was found.
        found: u64,
        /// The expected value.
        expected: u64,
    },
    /// More than the options allow.
    #[error("more than {limit} {what}, the limit set by the options")]
    OverLimit {
        /// What exceeds the limit.
        what: &'static str,
        /// The limit.
        limit: u64,
    },
    /// A face has so many corners that its triangles would be unusable.
    #[error("a face has {count} corners, but must have at most {limit}")]
    TooManyCorners {
        /// Corners of the face.
        count: usize,
        /// The limit.
        limit: usize,
    },
    /// A file that this one needs is missing or may not be read.
    #[error("needs {file}: {reason}")]
    Companion {
        /// The file needed.
        file: String,
        /// Why it could not be read.
        reason: String,
    },
    /// An option is invalid.
    #[error("{option} is {value}, but must be positive and finite")]
    BadOption {
        /// The option.
        option: &'static str,
        /// Its value.
        value: f64,
    },
}

fn plural(what: &str) -> String {
    match what {
        "vertex" => "vertices".to_owned(),
        "mesh" => "meshes".to_owned(),
        other => format!("{other}s"),
    }
}

impl Problem {
    /// At a place of a file whose name the caller will add.
    pub(super) fn at(self, place: Place) -> ReadError {
        ReadError { file: String::new(), place, problem: self }
    }

    /// Of the file as a whole.
    pub(super) fn of_file(self) -> ReadError {
        self.at(Place::File)
    }

    pub(super) fn unexpected(expected: &'static str, found: &[u8]) -> Self {
        Self::Unexpected { expected, found: excerpt(found) }
    }
}

impl ReadError {
    /// The same error at a place, unless it has one already.
    pub(super) fn near(mut self, place: Place) -> Self {
        if self.place == Place::File {
            self.place = place;
        }
        self
    }

    /// The same error with the file's name, unless it already speaks of another file.
    pub(super) fn of(mut self, file: &str) -> Self {
        if self.file.is_empty() {
            self.file = file.to_owned();
        }
        self
    }
}

/// A printable beginning of what a file says: messages must not carry a megabyte or a terminal escape.
pub(super) fn excerpt(bytes: &[u8]) -> String {
    const LONGEST: usize = 40;
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(LONGEST)]);
    let mut shown: String =
        text.chars().map(|c| if c.is_control() { char::REPLACEMENT_CHARACTER } else { c }).collect();
    if bytes.len() > LONGEST {
        shown.push('…');
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_name_file_place_and_value() {
        let index = Problem::IndexOutOfRange { what: "vertex", index: 900, count: 834 }.at(Place::Line(17));
        assert_eq!(index.of("bunny.obj").to_string(), "bunny.obj line 17: vertex index 900 but there are 834 vertices");
        let count = Problem::ImpossibleCount { what: "triangles", claimed: 1_000_000_000, available: 100, possible: 2 };
        assert_eq!(
            count.at(Place::Byte(80)).of("a.stl").to_string(),
            "a.stl byte 80: 1000000000 triangles are claimed but the 100 bytes left can hold at most 2"
        );
        assert!(Problem::UnknownFormat.of_file().of("a.xyz").to_string().contains(".obj"));
    }

    #[test]
    fn excerpts_are_short_and_printable() {
        assert_eq!(excerpt(b"\x1b[31m"), "\u{fffd}[31m");
        assert_eq!(excerpt(&[b'a'; 1000]).chars().count(), 41);
    }
}
