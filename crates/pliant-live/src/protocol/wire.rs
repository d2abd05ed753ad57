//! Messages as bytes.

use serde::Serialize;
use serde::de::DeserializeOwned;
use thiserror::Error;

/// Bytes that are no message: both sides must be of the same version.
#[derive(Debug, Clone, PartialEq, Error)]
#[error("a message between view and simulation cannot be read ({0}); both must be of the same version")]
pub struct WireError(#[from] postcard::Error);

/// A message as bytes.
///
/// ```
/// use pliant_live::protocol::{Command, decode, encode};
/// let bytes = encode(&Command::Speed(0.5))?;
/// assert_eq!(decode::<Command>(&bytes)?, Command::Speed(0.5));
/// assert!(decode::<Command>(&[200]).is_err());
/// # Ok::<(), pliant_live::protocol::WireError>(())
/// ```
pub fn encode<T: Serialize>(message: &T) -> Result<Vec<u8>, WireError> {
    Ok(postcard::to_stdvec(message)?)
}

/// The message of some bytes.
pub fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, WireError> {
    Ok(postcard::from_bytes(bytes)?)
}
