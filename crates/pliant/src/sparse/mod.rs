//! Sparse symmetric systems: assembly with a fixed pattern, ordering, Cholesky factorisation and its updates, the fast solve,
//! conjugate gradients.
//!
//! The projective matrix acts on x, y and z alike, so it is a scalar matrix with one row per vertex and three right-hand
//! sides. Newton's matrix has the same pattern with a 3×3 block in place of each number.

mod block_rows;
mod blocks;
mod cholesky;
mod conjugate_gradient;
mod dynamic;
mod error;
mod ordering;
mod packed;
mod pattern;
mod supernodal;
mod update;

pub(crate) use block_rows::{BlockRows, SLOT, WIDTH as ROWS_TOGETHER};
pub use blocks::BlockMatrix;
pub(crate) use cholesky::Factors;
pub use cholesky::{Analysis, Cholesky};
pub(crate) use conjugate_gradient::dot;
pub use conjugate_gradient::{PcgReport, conjugate_gradient};
pub use dynamic::{ChangeError, ChangeReport, ChangeTotals, DynamicFactor, MatrixChange, Refactorised};
pub use error::FactorError;
pub use ordering::{Separator, SeparatorTree};
pub(crate) use packed::Rows;
pub use packed::{PackedFactor, Precision, Repacked};
pub use pattern::{SymmetricMatrix, SymmetricPattern};
pub use update::{Touched, Update, UpdateError};
