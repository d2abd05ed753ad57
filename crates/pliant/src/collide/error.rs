//! Why a collider is invalid.

use thiserror::Error;

use crate::mesh::MeshError;

/// What is wrong with a collider.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum ColliderError {
    /// A size or coefficient is out of range.
    #[error("{name} is {value}, but must be {need}")]
    BadValue {
        /// Name of the value.
        name: &'static str,
        /// The given value.
        value: f64,
        /// The required range.
        need: &'static str,
    },
    /// A number of a list is not finite.
    #[error("{name} {index} is {value}, which is not finite")]
    NonFinite {
        /// Name of the list.
        name: &'static str,
        /// Place in it.
        index: usize,
        /// The number.
        value: f64,
    },
    /// A list has the wrong length.
    #[error("{name} has {found} entries, but {expected} are needed")]
    LengthMismatch {
        /// Name of the list.
        name: &'static str,
        /// Its length.
        found: usize,
        /// The length needed.
        expected: usize,
    },
    /// Times do not increase.
    #[error("{name} {index} is at {time} s, not after the one before it")]
    TimesNotIncreasing {
        /// Keys or frames.
        name: &'static str,
        /// Place in the list.
        index: usize,
        /// Its time \[s\].
        time: f64,
    },
    /// The surface does not enclose a solid, or is unusable for another reason.
    #[error("the surface of a collider must be closed, with triangles of consistent winding: {0}")]
    Surface(#[from] MeshError),
    /// The surface is closed but faces inwards.
    #[error("the surface of a collider faces inwards (its volume is {volume} m³); flip its triangles")]
    InsideOut {
        /// Signed volume \[m³\].
        volume: f64,
    },
}

pub(super) fn positive(name: &'static str, value: f64) -> Result<(), ColliderError> {
    if value > 0.0 && value.is_finite() {
        return Ok(());
    }
    Err(ColliderError::BadValue { name, value, need: "positive and finite" })
}

pub(super) fn finite<'a>(name: &'static str, numbers: impl IntoIterator<Item = &'a f64>) -> Result<(), ColliderError> {
    match numbers.into_iter().enumerate().find(|(_, value)| !value.is_finite()) {
        None => Ok(()),
        Some((index, &value)) => Err(ColliderError::NonFinite { name, index, value }),
    }
}

/// Times that each come after the one before.
pub(super) fn increasing(name: &'static str, times: impl IntoIterator<Item = f64>) -> Result<(), ColliderError> {
    let mut last = f64::NEG_INFINITY;
    for (index, time) in times.into_iter().enumerate() {
        if !time.is_finite() {
            return Err(ColliderError::NonFinite { name, index, value: time });
        }
        if time <= last {
            return Err(ColliderError::TimesNotIncreasing { name, index, time });
        }
        last = time;
    }
    Ok(())
}
