//! Files that appear only when they are complete.
//!
//! The bytes are written to a temporary file in the same folder, flushed to the disk, and only then renamed: a process
//! that is killed in between leaves the old file, or none, and a temporary one that [`is_temporary`] recognises by its
//! name.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

const SUFFIX: &str = ".tmp";
/// Few calls to the system for files written number by number.
const BUFFER: usize = 1 << 18;

/// A file on its way to its name.
pub(crate) struct AtomicFile {
    /// None once committed.
    file: Option<BufWriter<File>>,
    temporary: PathBuf,
    target: PathBuf,
}

impl AtomicFile {
    /// Begins a file in a folder that is there.
    pub(crate) fn create(target: &Path) -> io::Result<Self> {
        // Distinguishes files that threads of one process write at the same time.
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let Some(name) = target.file_name() else {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "the path has no file name"));
        };
        let mut hidden = OsString::from(".");
        hidden.push(name);
        hidden.push(format!(".{}-{}{SUFFIX}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed)));
        let temporary = folder_of(target).join(hidden);
        let file = BufWriter::with_capacity(BUFFER, File::create(&temporary)?);
        Ok(Self { file: Some(file), temporary, target: target.to_owned() })
    }

    /// Brings all bytes to the disk and gives the file its name.
    pub(crate) fn commit(mut self) -> io::Result<()> {
        if let Some(file) = self.file.take() {
            let sent = file.into_inner().map_err(io::IntoInnerError::into_error).and_then(|file| file.sync_all());
            if let Err(error) = sent.and_then(|()| fs::rename(&self.temporary, &self.target)) {
                let _ = fs::remove_file(&self.temporary);
                return Err(error);
            }
        }
        sync_folder(folder_of(&self.target))
    }

    fn writer(&mut self) -> io::Result<&mut BufWriter<File>> {
        self.file.as_mut().ok_or_else(|| io::Error::other("the file is already committed"))
    }
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.writer()?.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer()?.flush()
    }
}

impl Seek for AtomicFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.writer()?.seek(to)
    }
}

impl Drop for AtomicFile {
    fn drop(&mut self) {
        // Given up, by an error or a panic: leave nothing behind.
        if self.file.take().is_some() {
            let _ = fs::remove_file(&self.temporary);
        }
    }
}

/// Writes a file that appears whole or not at all: whoever is interrupted leaves the old one, or none.
pub fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = AtomicFile::create(path)?;
    file.write_all(bytes)?;
    file.commit()
}

/// Whether a name is one of an unfinished file.
pub(crate) fn is_temporary(name: &str) -> bool {
    name.starts_with('.') && name.ends_with(SUFFIX)
}

pub(crate) fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// Makes new and removed names survive a loss of power. Only Unix can open a folder for that; elsewhere the file system
/// orders renames itself.
pub(crate) fn sync_folder(folder: &Path) -> io::Result<()> {
    if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).expect("the folder exists");
        let mut names: Vec<String> =
            entries.map(|entry| entry.expect("readable").file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_file_given_up_leaves_the_old_one() -> io::Result<()> {
        let folder = std::env::temp_dir().join(format!("pliant-atomic-{}", std::process::id()));
        let target = folder.join("deep/a.txt");
        fs::create_dir_all(folder_of(&target))?;
        let mut first = AtomicFile::create(&target)?;
        first.write_all(b"old")?;
        assert!(!target.exists());
        assert!(names(&folder.join("deep")).iter().all(|name| is_temporary(name)));
        first.commit()?;
        let mut second = AtomicFile::create(&target)?;
        second.write_all(b"new")?;
        drop(second);
        assert_eq!(fs::read(&target)?, b"old");
        assert_eq!(names(&folder.join("deep")), ["a.txt"]);
        fs::remove_dir_all(folder)
    }
}
