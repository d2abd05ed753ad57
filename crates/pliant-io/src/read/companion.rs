//! Files, and other files that they need.

use std::fs::{File, FileType};
use std::io::{self, Read};
use std::path::Path;

use super::error::{Problem, ReadError};
use super::gzip;

/// Opens the files that a file refers to.
pub(super) struct Companions<'a> {
    open: &'a mut dyn FnMut(&str) -> io::Result<Vec<u8>>,
    max_bytes: u64,
}

impl<'a> Companions<'a> {
    pub(super) fn new(open: &'a mut dyn FnMut(&str) -> io::Result<Vec<u8>>, max_bytes: u64) -> Self {
        Self { open, max_bytes }
    }

    /// The content of a file named relative to the one being read, decompressed.
    pub(super) fn read(&mut self, file: &str) -> Result<Vec<u8>, ReadError> {
        let refuse = |reason: String| Problem::Companion { file: super::error::excerpt(file.as_bytes()), reason };
        // A file must not reach for what its folder does not hold.
        let climbs = file.split(['/', '\\']).any(|part| part == "..");
        if file.is_empty() || climbs || file.starts_with(['/', '\\']) || file.contains([':', '\0']) {
            return Err(refuse("only files in the same folder or below are read".to_owned()).of_file());
        }
        let bytes = (self.open)(file).map_err(|error| refuse(error.to_string()).of_file())?;
        let bytes =
            gzip::decompress(&bytes, self.max_bytes).map_err(|problem| problem.of_file().of(file))?.into_owned();
        Ok(bytes)
    }
}

/// The content of a regular file. A file that is too large is an error before anything is read. Folders, pipes and
/// devices are errors too, since some of them never end.
///
/// ```
/// use pliant_io::read::read_regular_file;
///
/// let error = read_regular_file("/", 1 << 20).unwrap_err();
/// assert_eq!(error.to_string(), "/: is a folder, but must be a file");
/// ```
pub fn read_regular_file(path: impl AsRef<Path>, max_bytes: u64) -> Result<Vec<u8>, ReadError> {
    let path = path.as_ref();
    read_file(path, max_bytes).map_err(|error| error.of(&path.to_string_lossy()))
}

pub(super) fn read_file(path: &Path, max_bytes: u64) -> Result<Vec<u8>, ReadError> {
    let io = |error: io::Error| Problem::Io { kind: error.kind(), message: error.to_string() }.of_file();
    // Before opening: to open a pipe is to wait for its other end.
    let metadata = std::fs::metadata(path).map_err(io)?;
    if !metadata.is_file() {
        return Err(Problem::NotAFile { found: kind_of(metadata.file_type()) }.of_file());
    }
    gzip::check_size(metadata.len(), max_bytes).map_err(Problem::of_file)?;
    let mut bytes = Vec::with_capacity(usize::try_from(metadata.len()).unwrap_or(0));
    // A file may grow while it is read.
    File::open(path).map_err(io)?.take(max_bytes.saturating_add(1)).read_to_end(&mut bytes).map_err(io)?;
    gzip::check_size(bytes.len() as u64, max_bytes).map_err(Problem::of_file)?;
    Ok(bytes)
}

/// What stands at a path in place of a file.
fn kind_of(kind: FileType) -> &'static str {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        if kind.is_fifo() {
            return "a pipe";
        }
        if kind.is_char_device() || kind.is_block_device() {
            return "a device";
        }
        if kind.is_socket() {
            return "a socket";
        }
    }
    if kind.is_dir() { "a folder" } else { "something else" }
}
