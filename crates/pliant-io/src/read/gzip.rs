//! Compressed files, expanded no further than allowed.

use std::borrow::Cow;
use std::io::{self, Read};

use flate2::read::{MultiGzDecoder, ZlibDecoder};

use super::error::Problem;

/// The file itself, or what it holds if it is compressed by gzip.
pub(super) fn decompress(bytes: &[u8], max_bytes: u64) -> Result<Cow<'_, [u8]>, Problem> {
    if bytes.starts_with(&[0x1f, 0x8b]) {
        return expand(MultiGzDecoder::new(bytes), max_bytes).map(Cow::Owned);
    }
    check_size(bytes.len() as u64, max_bytes)?;
    Ok(Cow::Borrowed(bytes))
}

/// What zlib data holds.
pub(super) fn inflate(bytes: &[u8], max_bytes: u64) -> Result<Vec<u8>, Problem> {
    expand(ZlibDecoder::new(bytes), max_bytes)
}

fn expand(decoder: impl Read, max_bytes: u64) -> Result<Vec<u8>, Problem> {
    let mut expanded = Vec::new();
    match decoder.take(max_bytes.saturating_add(1)).read_to_end(&mut expanded) {
        Ok(_) => check_size(expanded.len() as u64, max_bytes).map(|()| expanded),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
            Err(Problem::Truncated { expected: "more compressed data" })
        }
        Err(error) => Err(Problem::Unexpected { expected: "compressed data", found: error.to_string() }),
    }
}

pub(super) fn check_size(size: u64, max_bytes: u64) -> Result<(), Problem> {
    if size > max_bytes { Err(Problem::OverLimit { what: "bytes", limit: max_bytes }) } else { Ok(()) }
}
