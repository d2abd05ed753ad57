//! The log of a run: one JSON object per line, each with the number of the frame it led to.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::Path;

use serde_json::{Map, Value};

use super::error::StoreError;
use super::sealed::io_error;
use crate::atomic::AtomicFile;

/// Under which an entry says to which frame it belongs.
const FRAME_KEY: &str = "frame";

/// Opens a log for writing at its end. An interrupted last line is removed, so that the next begins on its own.
pub(super) fn open(path: &Path) -> Result<File, StoreError> {
    let cut = || -> io::Result<File> {
        let mut file = OpenOptions::new().create(true).append(true).read(true).open(path)?;
        let whole = whole_length(&mut file)?;
        if whole < file.metadata()?.len() {
            file.set_len(whole)?;
        }
        Ok(file)
    };
    cut().map_err(io_error("open", path))
}

/// Length of the part that ends with a line end.
fn whole_length(file: &mut File) -> io::Result<u64> {
    const BLOCK: u64 = 1 << 16;
    let mut end = file.metadata()?.len();
    while end > 0 {
        let start = end.saturating_sub(BLOCK);
        file.seek(SeekFrom::Start(start))?;
        let mut block = Vec::new();
        (&*file).take(end - start).read_to_end(&mut block)?;
        if let Some(place) = block.iter().rposition(|&byte| byte == b'\n') {
            return Ok(start + place as u64 + 1);
        }
        end = start;
    }
    Ok(0)
}

/// Adds an entry; it goes out in one piece, so that an interruption tears at most this line.
pub(super) fn append(file: &mut File, path: &Path, frame: u64, entry: &Map<String, Value>) -> Result<(), StoreError> {
    let mut line = Map::new();
    line.insert(FRAME_KEY.to_owned(), frame.into());
    line.extend(entry.iter().filter(|(key, _)| *key != FRAME_KEY).map(|(key, value)| (key.clone(), value.clone())));
    let text = format!("{}\n", Value::Object(line));
    file.write_all(text.as_bytes()).map_err(io_error("write", path))
}

/// Calls `visit` with the frame, the entry and the text of each whole line.
fn for_each(
    path: &Path,
    mut visit: impl FnMut(u64, Map<String, Value>, &[u8]) -> Result<(), StoreError>,
) -> Result<(), StoreError> {
    let file = match File::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        other => other.map_err(io_error("open", path))?,
    };
    let (mut reader, mut text) = (BufReader::new(file), Vec::new());
    for line in 1.. {
        text.clear();
        reader.read_until(b'\n', &mut text).map_err(io_error("read", path))?;
        // What has no line end was interrupted, or is being written at this moment.
        if text.last() != Some(&b'\n') {
            break;
        }
        let entry = serde_json::from_slice::<Map<String, Value>>(&text).ok();
        match entry.and_then(|entry| Some((entry.get(FRAME_KEY)?.as_u64()?, entry))) {
            Some((frame, entry)) => visit(frame, entry, &text)?,
            None => {
                let text = String::from_utf8_lossy(&text).trim_end().chars().take(80).collect();
                return Err(StoreError::BadLogLine { path: path.to_owned(), line, text });
            }
        }
    }
    Ok(())
}

/// All entries.
pub(super) fn read(path: &Path) -> Result<Vec<Map<String, Value>>, StoreError> {
    let mut entries = Vec::new();
    for_each(path, |_, entry, _| {
        entries.push(entry);
        Ok(())
    })?;
    Ok(entries)
}

/// Keeps the entries of some frames.
pub(super) fn truncate(path: &Path, is_kept: impl Fn(u64) -> bool) -> Result<(), StoreError> {
    let mut kept = AtomicFile::create(path).map_err(io_error("write", path))?;
    for_each(
        path,
        |frame, _, text| {
            if is_kept(frame) { kept.write_all(text).map_err(io_error("write", path)) } else { Ok(()) }
        },
    )?;
    kept.commit().map_err(io_error("write", path))
}

/// Removes the log.
pub(super) fn clear(path: &Path) -> Result<(), StoreError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(io_error("remove", path)(error)),
        _ => Ok(()),
    }
}
