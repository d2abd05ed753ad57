//! Why a matrix could not be factored.

use thiserror::Error;

/// Why a matrix could not be factored.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum FactorError {
    /// A pivot was not positive: the matrix is singular, indefinite or holds a NaN.
    #[error("the matrix is not positive definite (pivot {pivot} of {size} is not positive)")]
    NotPositiveDefinite {
        /// Index of the pivot in elimination order.
        pivot: usize,
        /// Size of the matrix.
        size: usize,
    },
    /// The analysis ran out of memory or index range.
    #[error("the matrix of size {size} is too large to factor: {reason}")]
    TooLarge {
        /// Size of the matrix.
        size: usize,
        /// The message of the library.
        reason: String,
    },
}
