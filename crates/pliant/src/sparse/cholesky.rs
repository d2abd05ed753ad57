//! Sparse Cholesky factorisation: ordering, symbolic analysis, numeric factor and solve.
//!
//! This is the only file that knows the library behind it (faer); a faster solve replaces it here.

use std::sync::Arc;

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::LltError;
use faer::sparse::linalg::SupernodalThreshold;
use faer::sparse::linalg::cholesky::{
    CholeskySymbolicParams, LltRef, SymbolicCholesky, SymmetricOrdering, factorize_symbolic_cholesky,
};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMatRef};
use faer::{Conj, MatMut, Par, Side};
use thiserror::Error;

use super::{SymmetricMatrix, SymmetricPattern};
use crate::math::Vec3;

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
        /// What the library says.
        reason: String,
    },
}

/// Fill-reducing ordering and symbolic analysis, reused by every factorisation with the same pattern.
#[derive(Debug, Clone)]
pub struct Analysis {
    symbolic: Arc<SymbolicCholesky<u32>>,
    column_starts: Vec<u32>,
    rows: Vec<u32>,
}

impl Analysis {
    /// Analyses the pattern of a scalar matrix.
    pub fn new(pattern: &SymmetricPattern) -> Result<Self, FactorError> {
        Self::from_upper_columns(pattern.column_starts().to_vec(), pattern.rows().to_vec())
    }

    /// Analyses an upper triangle given by columns.
    pub(super) fn from_upper_columns(column_starts: Vec<u32>, rows: Vec<u32>) -> Result<Self, FactorError> {
        let size = column_starts.len() - 1;
        let upper = SymbolicSparseColMatRef::new_checked(size, size, &column_starts, None, &rows);
        // Forced supernodal: on the matrices of cloth and solids it is never slower, and it keeps one code path.
        let params = CholeskySymbolicParams {
            supernodal_flop_ratio_threshold: SupernodalThreshold::FORCE_SUPERNODAL,
            ..Default::default()
        };
        let symbolic = factorize_symbolic_cholesky(upper, Side::Upper, SymmetricOrdering::Amd, params)
            .map_err(|error| FactorError::TooLarge { size, reason: format!("{error:?}") })?;
        Ok(Self { symbolic: Arc::new(symbolic), column_starts, rows })
    }

    fn size(&self) -> usize {
        self.column_starts.len() - 1
    }
}

/// A factor P A Pᵀ = L Lᵀ, ready to solve.
pub struct Cholesky {
    symbolic: Arc<SymbolicCholesky<u32>>,
    size: usize,
    values: Vec<f64>,
    scratch: MemBuffer,
}

impl std::fmt::Debug for Cholesky {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Cholesky").field("size", &self.size).field("entries", &self.values.len()).finish()
    }
}

impl Cholesky {
    /// Factors a matrix whose pattern was analysed.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use pliant::math::Vec3;
    /// use pliant::sparse::{Analysis, Cholesky, SymmetricMatrix, SymmetricPattern};
    ///
    /// let pattern = Arc::new(SymmetricPattern::new(2, [(0, 1)].into_iter()));
    /// let mut matrix = SymmetricMatrix::zero(pattern.clone());
    /// matrix.add(0, 1.0);
    /// matrix.add_diagonal(0, 2.0);
    /// matrix.add_diagonal(1, 2.0);
    /// let mut factor = Cholesky::new(&Analysis::new(&pattern)?, &matrix)?;
    /// let mut x = [Vec3::splat(4.0), Vec3::splat(5.0)];
    /// factor.solve(&mut x);
    /// assert!((x[0] - Vec3::ONE).length() < 1e-14 && (x[1] - Vec3::splat(2.0)).length() < 1e-14);
    /// # Ok::<(), pliant::sparse::FactorError>(())
    /// ```
    pub fn new(analysis: &Analysis, matrix: &SymmetricMatrix) -> Result<Self, FactorError> {
        Self::from_values(analysis, matrix.values())
    }

    /// Factors the values of an analysed upper triangle.
    pub(super) fn from_values(analysis: &Analysis, upper: &[f64]) -> Result<Self, FactorError> {
        let size = analysis.size();
        let symbolic = analysis.symbolic.clone();
        let pattern = SymbolicSparseColMatRef::new_checked(size, size, &analysis.column_starts, None, &analysis.rows);
        let mut values = vec![0.0; symbolic.len_val()];
        let scratch = symbolic
            .factorize_numeric_llt_scratch::<f64>(Par::Seq, Default::default())
            .or(symbolic.solve_in_place_scratch::<f64>(3, Par::Seq));
        let mut scratch = MemBuffer::new(scratch);
        symbolic
            .factorize_numeric_llt(
                &mut values,
                SparseColMatRef::new(pattern, upper),
                Side::Upper,
                Default::default(),
                Par::Seq,
                MemStack::new(&mut scratch),
                Default::default(),
            )
            .map_err(|LltError::NonPositivePivot { index }| FactorError::NotPositiveDefinite { pivot: index, size })?;
        Ok(Self { symbolic, size, values, scratch })
    }

    /// Solves A x = b for the three coordinates at once; `rhs` holds b and becomes x.
    pub fn solve(&mut self, rhs: &mut [Vec3]) {
        debug_assert_eq!(rhs.len(), self.size);
        let mut columns = vec![0.0; 3 * self.size];
        for (i, value) in rhs.iter().enumerate() {
            (0..3).for_each(|c| columns[c * self.size + i] = value[c]);
        }
        self.solve_columns(&mut columns, 3);
        for (i, value) in rhs.iter_mut().enumerate() {
            *value = Vec3::from_array([0, 1, 2].map(|c| columns[c * self.size + i]));
        }
    }

    /// Solves A x = b with one right-hand side.
    pub fn solve_scalars(&mut self, rhs: &mut [f64]) {
        debug_assert_eq!(rhs.len(), self.size);
        self.solve_columns(rhs, 1);
    }

    fn solve_columns(&mut self, columns: &mut [f64], count: usize) {
        let rhs = MatMut::from_column_major_slice_mut(columns, self.size, count);
        LltRef::new(&self.symbolic, &self.values).solve_in_place_with_conj(
            Conj::No,
            rhs,
            Par::Seq,
            MemStack::new(&mut self.scratch),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path_laplacian(size: usize, shift: f64) -> SymmetricMatrix {
        let links: Vec<(u32, u32)> = (1..size as u32).map(|i| (i - 1, i)).collect();
        let mut matrix = SymmetricMatrix::zero(Arc::new(SymmetricPattern::new(size, links.iter().copied())));
        for (k, &(i, j)) in links.iter().enumerate() {
            matrix.add(k, -1.0);
            matrix.add_diagonal(i as usize, 1.0);
            matrix.add_diagonal(j as usize, 1.0);
        }
        (0..size).for_each(|i| matrix.add_diagonal(i, shift));
        matrix
    }

    #[test]
    fn solve_inverts_a_shifted_path_laplacian() {
        for size in [1, 2, 7, 300] {
            let matrix = path_laplacian(size, 0.01);
            let mut factor = Cholesky::new(&Analysis::new(matrix.pattern()).expect("analysis"), &matrix).expect("spd");
            let expected: Vec<Vec3> = (0..size).map(|i| Vec3::new(i as f64, (i as f64).sin(), 1.0)).collect();
            let mut x: Vec<Vec3> = (0..size)
                .map(|i| {
                    let mut row = expected[i] * 0.01;
                    if i > 0 {
                        row += expected[i] - expected[i - 1];
                    }
                    if i + 1 < size {
                        row += expected[i] - expected[i + 1];
                    }
                    row
                })
                .collect();
            factor.solve(&mut x);
            for (a, b) in x.iter().zip(&expected) {
                assert!((*a - *b).length() < 1e-9 * size as f64);
            }
        }
    }

    #[test]
    fn an_indefinite_matrix_is_refused() {
        let matrix = path_laplacian(5, -0.5);
        let result = Cholesky::new(&Analysis::new(matrix.pattern()).expect("analysis"), &matrix);
        assert!(matches!(result, Err(FactorError::NotPositiveDefinite { size: 5, .. })));
    }
}
