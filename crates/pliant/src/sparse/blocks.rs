//! Newton's matrix: a 3×3 block for each entry of the vertex pattern.

use std::sync::Arc;

use super::{Analysis, Cholesky, FactorError, SymmetricPattern};
use crate::math::{Mat3, Vec3};

/// A symmetric matrix of 3×3 blocks in a vertex pattern; entry (i, j) with i ≤ j holds the block in row i, column j.
#[derive(Debug, Clone)]
pub struct BlockMatrix {
    pattern: Arc<SymmetricPattern>,
    blocks: Vec<Mat3>,
}

impl BlockMatrix {
    /// The zero matrix.
    pub fn zero(pattern: Arc<SymmetricPattern>) -> Self {
        let blocks = vec![Mat3::ZERO; pattern.entry_count()];
        Self { pattern, blocks }
    }

    /// Sets all blocks to zero.
    pub fn clear(&mut self) {
        self.blocks.fill(Mat3::ZERO);
    }

    /// Adds a block as the k-th contribution; the block belongs to the upper triangle of the pattern.
    pub fn add(&mut self, k: usize, block: Mat3) {
        self.blocks[self.pattern.contribution_entry(k)] += block;
    }

    /// Adds a block to the diagonal.
    pub fn add_diagonal(&mut self, column: usize, block: Mat3) {
        self.blocks[self.pattern.diagonal_entry(column)] += block;
    }

    /// The diagonal block of a column.
    pub fn diagonal(&self, column: usize) -> Mat3 {
        self.blocks[self.pattern.diagonal_entry(column)]
    }

    /// y = A x.
    pub fn multiply(&self, x: &[Vec3], y: &mut [Vec3]) {
        y.fill(Vec3::ZERO);
        for j in 0..self.pattern.size() {
            for k in self.pattern.column(j) {
                let i = self.pattern.rows()[k] as usize;
                y[i] += self.blocks[k] * x[j];
                if i != j {
                    y[j] += self.blocks[k].transpose() * x[i];
                }
            }
        }
    }

    /// Symbolic analysis of the scalar matrix of three times the size; the same for all matrices of this pattern.
    pub fn analyse(pattern: &SymmetricPattern) -> Result<Analysis, FactorError> {
        let mut column_starts = vec![0u32];
        let mut rows = Vec::new();
        for j in 0..pattern.size() {
            for c in 0..3u32 {
                for k in pattern.column(j) {
                    let i = pattern.rows()[k];
                    let count = if i as usize == j { c + 1 } else { 3 };
                    rows.extend((0..count).map(|r| 3 * i + r));
                }
                column_starts.push(rows.len() as u32);
            }
        }
        Analysis::from_upper_columns(column_starts, rows)
    }

    /// Factors the matrix as a scalar one.
    pub fn factor(&self, analysis: &Analysis) -> Result<Cholesky, FactorError> {
        let mut values = Vec::new();
        for j in 0..self.pattern.size() {
            for c in 0..3 {
                for k in self.pattern.column(j) {
                    let count = if self.pattern.rows()[k] as usize == j { c + 1 } else { 3 };
                    let column = self.blocks[k].col(c);
                    values.extend((0..count).map(|r| column[r]));
                }
            }
        }
        Cholesky::from_values(analysis, &values)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factor_and_multiply_are_inverse_of_each_other() {
        let links = [(0, 1), (1, 2), (0, 2), (2, 3)];
        let pattern = Arc::new(SymmetricPattern::new(4, links.into_iter()));
        let mut matrix = BlockMatrix::zero(pattern.clone());
        for k in 0..links.len() {
            let block = Mat3::from_cols_array(&[0.1, 0.2, -0.3, 0.0, 0.4, 0.1, 0.2, 0.0, -0.1]) * (k as f64 + 1.0);
            matrix.add(k, block);
        }
        (0..4).for_each(|i| matrix.add_diagonal(i, Mat3::IDENTITY * (4.0 + i as f64)));
        let mut factor = matrix.factor(&BlockMatrix::analyse(&pattern).expect("analysis")).expect("spd");
        let x: Vec<Vec3> = (0..4).map(|i| Vec3::new(1.0, i as f64, -2.0)).collect();
        let mut y = vec![Vec3::ZERO; 4];
        matrix.multiply(&x, &mut y);
        let mut scalars: Vec<f64> = y.iter().flat_map(|v| v.to_array()).collect();
        factor.solve_scalars(&mut scalars);
        for (i, value) in scalars.iter().enumerate() {
            assert!((value - x[i / 3][i % 3]).abs() < 1e-13);
        }
    }
}
