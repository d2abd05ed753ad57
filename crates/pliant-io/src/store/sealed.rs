//! Files with a length and a checksum, and the numbers in them.
//!
//! ```text
//! byte 0   magic, 8 bytes: PLIANTSC, PLIANTFR or PLIANTCK for a scene, a frame or a checkpoint
//!      8   version, u32
//!     12   CRC-32 of the content, u32
//!     16   length of the content in bytes, u64
//!     24   content
//! ```
//!
//! All numbers are little-endian.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;

use pliant::math::Vec3;

use super::error::{Damage, Item, StoreError};
use crate::atomic::AtomicFile;

const VERSION: u32 = 1;
const HEADER: usize = 24;

fn magic(item: Item) -> &'static [u8; 8] {
    match item {
        Item::Topology(_) => b"PLIANTTO",
        Item::Scene => b"PLIANTSC",
        Item::Frame(_) => b"PLIANTFR",
        Item::Checkpoint(_) => b"PLIANTCK",
    }
}

pub(super) fn io_error(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> StoreError {
    move |error| StoreError::Io { action, path: path.to_owned(), error }
}

pub(super) fn damaged(item: Item, path: &Path, damage: Damage) -> StoreError {
    StoreError::Damaged { item, path: path.to_owned(), damage }
}

/// Writes a file, whole or not at all.
pub(super) fn write(item: Item, path: &Path, content: &[u8]) -> Result<(), StoreError> {
    let mut header = Vec::with_capacity(HEADER);
    header.extend(magic(item));
    header.extend(VERSION.to_le_bytes());
    header.extend(crc32fast::hash(content).to_le_bytes());
    header.extend((content.len() as u64).to_le_bytes());
    let send = || -> io::Result<()> {
        let mut file = AtomicFile::create(path)?;
        file.write_all(&header)?;
        file.write_all(content)?;
        file.commit()
    };
    send().map_err(io_error("write", path))
}

/// A file whose beginning and length are right.
pub(super) struct Opened {
    file: File,
    length: u64,
    checksum: u32,
}

/// Opens a file and checks what can be checked without reading it all.
pub(super) fn open(item: Item, path: &Path) -> Result<Opened, StoreError> {
    let mut file = File::open(path).map_err(io_error("open", path))?;
    let found = file.metadata().map_err(io_error("measure", path))?.len();
    if found < HEADER as u64 {
        return Err(damaged(item, path, Damage::Length { found, expected: HEADER as u64 }));
    }
    let mut header = [0; HEADER];
    file.read_exact(&mut header).map_err(io_error("read", path))?;
    let mut header = Content { bytes: &header, at: 0 };
    let parts =
        || -> Option<([u8; 8], u32, u32, u64)> { Some((header.array()?, header.u32()?, header.u32()?, header.u64()?)) };
    let (mut parts, beginning) = (parts, || damaged(item, path, Damage::Beginning));
    let (begins, version, checksum, length) = parts().ok_or_else(beginning)?;
    if begins != *magic(item) {
        return Err(beginning());
    }
    if version != VERSION {
        return Err(StoreError::Version { item, path: path.to_owned(), found: version, expected: VERSION });
    }
    let expected = length.saturating_add(HEADER as u64);
    if found != expected {
        return Err(damaged(item, path, Damage::Length { found, expected }));
    }
    Ok(Opened { file, length, checksum })
}

/// Reads the content of a file of at most `limit` bytes and checks it.
pub(super) fn read(item: Item, path: &Path, limit: u64) -> Result<Vec<u8>, StoreError> {
    let opened = open(item, path)?;
    if opened.length > limit {
        return Err(damaged(item, path, Damage::Count { name: "bytes", found: opened.length, limit }));
    }
    let fill = || -> io::Result<Vec<u8>> {
        let mut content = Vec::new();
        content.try_reserve_exact(opened.length as usize)?;
        (&opened.file).take(opened.length).read_to_end(&mut content)?;
        Ok(content)
    };
    let content = fill().map_err(io_error("read", path))?;
    let found = crc32fast::hash(&content);
    if found != opened.checksum {
        return Err(damaged(item, path, Damage::Checksum { found, expected: opened.checksum }));
    }
    Ok(content)
}

/// Puts numbers into a content.
#[derive(Default)]
pub(super) struct Builder(pub(super) Vec<u8>);

impl Builder {
    pub(super) fn u64(&mut self, number: u64) {
        self.0.extend(number.to_le_bytes());
    }

    pub(super) fn f64(&mut self, number: f64) {
        self.0.extend(number.to_le_bytes());
    }

    pub(super) fn u32s(&mut self, numbers: &[u32]) {
        self.0.reserve(4 * numbers.len());
        numbers.iter().for_each(|number| self.0.extend(number.to_le_bytes()));
    }

    pub(super) fn f64s(&mut self, numbers: &[f64]) {
        self.0.reserve(8 * numbers.len());
        numbers.iter().for_each(|number| self.0.extend(number.to_le_bytes()));
    }

    pub(super) fn vectors(&mut self, vectors: &[Vec3]) {
        self.0.reserve(24 * vectors.len());
        vectors.iter().for_each(|vector| self.f64s(&vector.to_array()));
    }

    pub(super) fn text(&mut self, text: &str) {
        self.u64(text.len() as u64);
        self.0.extend(text.as_bytes());
    }
}

/// Takes numbers out of a content; `None` where it ends too early. Nothing is allocated beyond what is there.
pub(super) struct Content<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) at: usize,
}

impl<'a> Content<'a> {
    pub(super) fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let taken = self.bytes.get(self.at..self.at.checked_add(count)?)?;
        self.at += count;
        Some(taken)
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.take(N)?.try_into().ok()
    }

    fn u32(&mut self) -> Option<u32> {
        self.array().map(u32::from_le_bytes)
    }

    pub(super) fn u64(&mut self) -> Option<u64> {
        self.array().map(u64::from_le_bytes)
    }

    pub(super) fn f64(&mut self) -> Option<f64> {
        self.array().map(f64::from_le_bytes)
    }

    fn items<const N: usize, T>(&mut self, count: u64, read: impl Fn([u8; N]) -> T) -> Option<Vec<T>> {
        let bytes = self.take(usize::try_from(count).ok()?.checked_mul(N)?)?;
        Some(bytes.as_chunks().0.iter().map(|chunk| read(*chunk)).collect())
    }

    pub(super) fn u32s(&mut self, count: u64) -> Option<Vec<u32>> {
        self.items(count, u32::from_le_bytes)
    }

    pub(super) fn f64s(&mut self, count: u64) -> Option<Vec<f64>> {
        self.items(count, f64::from_le_bytes)
    }

    pub(super) fn vectors(&mut self, count: u64) -> Option<Vec<Vec3>> {
        let bytes = self.take(usize::try_from(count).ok()?.checked_mul(24)?)?;
        let vector =
            |b: &[[u8; 8]]| Vec3::new(f64::from_le_bytes(b[0]), f64::from_le_bytes(b[1]), f64::from_le_bytes(b[2]));
        Some(bytes.as_chunks().0.chunks_exact(3).map(vector).collect())
    }

    /// Groups of `N` indices.
    pub(super) fn groups<const N: usize>(&mut self, count: u64) -> Option<Vec<[u32; N]>> {
        let numbers = self.u32s(count.checked_mul(N as u64)?)?;
        Some(numbers.as_chunks().0.to_vec())
    }

    pub(super) fn text(&mut self, longest: usize) -> Option<String> {
        let length = usize::try_from(self.u64()?).ok().filter(|length| *length <= longest)?;
        String::from_utf8(self.take(length)?.to_vec()).ok()
    }

    pub(super) fn is_at_end(&self) -> bool {
        self.at == self.bytes.len()
    }
}
