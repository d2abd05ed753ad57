//! The right to write to a run: a lock on a file in its folder, which says who holds it.
//!
//! The system releases the lock when its process ends, however it ends. The file itself is never removed: a process
//! that held the lock of a removed file could not exclude another one that makes a new file of that name.

use std::fmt;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::error::StoreError;
use super::sealed::io_error;

pub(super) const LOCK_FILE: &str = "lock";
/// A reader that cleans up holds the lock for a moment, so a writer asks again a few times before it gives up.
const ATTEMPTS: u32 = 10;
const PAUSE: Duration = Duration::from_millis(20);
/// Longer command lines are cut \[characters\].
const LONGEST_COMMAND: usize = 200;

/// A process that writes to a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Holder {
    /// Its process id.
    pub process: u32,
    /// Its command line; empty if it is not known.
    pub command: String,
}

impl Holder {
    fn this_process() -> Self {
        let words: Vec<String> = std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect();
        let on_one_line = |letter: char| if letter.is_control() { ' ' } else { letter };
        let command = words.join(" ").chars().map(on_one_line).take(LONGEST_COMMAND).collect();
        Self { process: std::process::id(), command }
    }

    fn parse(text: &str) -> Option<Self> {
        // A line without its end is still being written.
        let (process, command) = text.strip_suffix('\n')?.split_once(' ')?;
        Some(Self { process: process.parse().ok()?, command: command.to_owned() })
    }
}

impl fmt::Display for Holder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "process {}", self.process)?;
        if self.command.is_empty() { Ok(()) } else { write!(f, " ({})", self.command) }
    }
}

/// Held by the one process that writes, or cleans up.
#[derive(Debug)]
pub(super) struct Lock {
    file: File,
    path: PathBuf,
}

impl Lock {
    /// Takes the right to write to the run in a folder, and says so in the file.
    pub(super) fn take(dir: &Path) -> Result<Self, StoreError> {
        for _ in 1..ATTEMPTS {
            if let Some(lock) = Self::attempt(dir)? {
                return Ok(lock.signed());
            }
            std::thread::sleep(PAUSE);
        }
        match Self::attempt(dir)? {
            Some(lock) => Ok(lock.signed()),
            None => Err(StoreError::InUse { path: dir.to_owned(), holder: holder(&dir.join(LOCK_FILE)) }),
        }
    }

    /// Takes the right for a moment; `None` while another process has it.
    pub(super) fn attempt(dir: &Path) -> Result<Option<Self>, StoreError> {
        let path = dir.join(LOCK_FILE);
        let open = OpenOptions::new().create(true).truncate(false).read(true).write(true).open(&path);
        let lock = Self { file: open.map_err(io_error("open", &path))?, path };
        match lock.file.try_lock() {
            Err(TryLockError::WouldBlock) => return Ok(None),
            // Some network file systems have no locks; there the user sees to it that one process writes.
            Err(TryLockError::Error(error)) if error.kind() != io::ErrorKind::Unsupported => {
                return Err(io_error("lock", &lock.path)(error));
            }
            _ => {}
        }
        // Between the two calls somebody may have removed the file.
        Ok(lock.is_in_place().then_some(lock))
    }

    /// Writes down who holds it. Without it, as on a full disk, the lock is as good, but nobody learns who holds it.
    fn signed(mut self) -> Self {
        let Holder { process, command } = Holder::this_process();
        let mut sign = || -> io::Result<()> {
            self.file.set_len(0)?;
            self.file.seek(SeekFrom::Start(0))?;
            self.file.write_all(format!("{process} {command}\n").as_bytes())
        };
        if sign().is_err() {
            let _ = self.file.set_len(0);
        }
        self
    }

    /// Fails if the folder is no longer the one that was locked.
    pub(super) fn check(&self) -> Result<(), StoreError> {
        if self.is_in_place() { Ok(()) } else { Err(StoreError::Vanished { path: self.path.clone() }) }
    }

    #[cfg(unix)]
    fn is_in_place(&self) -> bool {
        use std::os::unix::fs::MetadataExt;
        let (held, named) = (self.file.metadata(), fs::metadata(&self.path));
        held.is_ok_and(|held| named.is_ok_and(|named| (held.dev(), held.ino()) == (named.dev(), named.ino())))
    }

    /// Elsewhere an open file cannot be removed.
    #[cfg(not(unix))]
    fn is_in_place(&self) -> bool {
        fs::exists(&self.path).unwrap_or(false)
    }
}

/// Who says that it holds a lock; `None` where that cannot be read.
fn holder(path: &Path) -> Option<Holder> {
    let mut text = String::new();
    let most = 8 * LONGEST_COMMAND as u64;
    File::open(path).ok()?.take(most).read_to_string(&mut text).ok()?;
    Holder::parse(&text)
}
