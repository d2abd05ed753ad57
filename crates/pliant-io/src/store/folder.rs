//! What is in the folder of a run, by the names of its files.

use std::fs;
use std::io;
use std::path::Path;

use super::error::StoreError;
use super::sealed::io_error;
use super::{CHECKPOINTS, FRAMES, SCENE_FILE, TOPOLOGIES};
use crate::atomic::is_temporary;

/// What a folder holds of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Held {
    Nothing,
    /// It was interrupted before its first frame.
    SceneOnly,
    Run,
    /// Frames or checkpoints without a scene: it was interrupted while it was removed.
    Parts,
}

pub(super) fn held(dir: &Path) -> Result<Held, StoreError> {
    let scene = dir.join(SCENE_FILE).exists();
    let more = !numbered(&dir.join(FRAMES))?.is_empty() || !numbered(&dir.join(CHECKPOINTS))?.is_empty();
    Ok(match (scene, more) {
        (false, false) => Held::Nothing,
        (true, false) => Held::SceneOnly,
        (true, true) => Held::Run,
        (false, true) => Held::Parts,
    })
}

pub(super) fn expect_run(dir: &Path) -> Result<(), StoreError> {
    match held(dir)? {
        Held::Run | Held::SceneOnly => Ok(()),
        Held::Nothing => Err(StoreError::NoRun { path: dir.to_owned() }),
        Held::Parts => Err(StoreError::PartOfARun { path: dir.to_owned() }),
    }
}

/// Fails if a file that this process has written is gone.
pub(super) fn expect_file(path: &Path) -> Result<(), StoreError> {
    if path.exists() { Ok(()) } else { Err(StoreError::Vanished { path: path.to_owned() }) }
}

/// Removes what an interrupted process left unfinished.
pub(super) fn clean(dir: &Path) -> Result<(), StoreError> {
    for folder in [dir.to_owned(), dir.join(FRAMES), dir.join(CHECKPOINTS), dir.join(TOPOLOGIES)] {
        for name in names(&folder)?.iter().filter(|name| is_temporary(name)) {
            remove(&folder.join(name))?;
        }
    }
    Ok(())
}

/// Removes a file, a link or a folder with all that is in it, if it is there.
pub(super) fn remove_all(path: &Path) -> Result<(), StoreError> {
    let removed = match fs::symlink_metadata(path) {
        Ok(found) if found.is_dir() => fs::remove_dir_all(path),
        Ok(_) => fs::remove_file(path),
        Err(error) => Err(error),
    };
    match removed {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(io_error("remove", path)(error)),
        _ => Ok(()),
    }
}

pub(super) fn remove(path: &Path) -> Result<(), StoreError> {
    fs::remove_file(path).map_err(io_error("remove", path))
}

fn names(folder: &Path) -> Result<Vec<String>, StoreError> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        other => other.map_err(io_error("list", folder))?,
    };
    let name = |entry: io::Result<fs::DirEntry>| Ok(entry?.file_name().to_string_lossy().into_owned());
    entries.map(name).collect::<io::Result<_>>().map_err(io_error("list", folder))
}

/// The numbers of the files `000123.bin` in a folder, ascending.
pub(super) fn numbered(folder: &Path) -> Result<Vec<u64>, StoreError> {
    let number = |name: &String| {
        let number: u64 = name.strip_suffix(".bin")?.parse().ok()?;
        (format!("{number:06}.bin") == *name).then_some(number)
    };
    let mut numbers: Vec<u64> = names(folder)?.iter().filter_map(number).collect();
    numbers.sort_unstable();
    Ok(numbers)
}
