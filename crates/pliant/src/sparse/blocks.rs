//! Newton's matrix: a 3×3 block for each entry of the vertex pattern.

use std::ops::Range;
use std::sync::Arc;

use super::{Analysis, Cholesky, FactorError, SymmetricPattern};
use crate::math::{Mat3, Vec3};
use crate::parallel::{self, ByOffsets};

/// A symmetric matrix of 3×3 blocks in a vertex pattern; entry (i, j) with i ≤ j holds the block in row i, column j.
///
/// Its numbers are those of the scalar matrix of three times the size, upper triangle by columns, so that a factorisation reads them as they are.
#[derive(Debug, Clone)]
pub struct BlockMatrix {
    pattern: Arc<SymmetricPattern>,
    /// First number of the three columns of each vertex, and the end.
    starts: Vec<u32>,
    values: Vec<f64>,
}

impl BlockMatrix {
    /// The zero matrix.
    pub fn zero(pattern: Arc<SymmetricPattern>) -> Self {
        let mut starts = vec![0u32];
        for j in 0..pattern.size() {
            // Three numbers for each row of a block above the diagonal, six of the block on it.
            starts.push(starts[j] + 9 * (pattern.column(j).len() as u32 - 1) + 6);
        }
        let values = vec![0.0; starts[pattern.size()] as usize];
        Self { pattern, starts, values }
    }

    /// The pattern.
    pub fn pattern(&self) -> &Arc<SymmetricPattern> {
        &self.pattern
    }

    /// Numbers of the upper triangle, column by column.
    pub(crate) fn values(&self) -> &[f64] {
        &self.values
    }

    /// Where column c of an entry's block begins, and how many of its rows are in the upper triangle.
    fn place(&self, entry: usize, column: usize, c: usize) -> Range<usize> {
        let own = self.pattern.column(column);
        let start = self.starts[column] as usize + place_in(own.len(), entry - own.start, c);
        start..start + if entry + 1 == own.end { c + 1 } else { 3 }
    }

    /// Sets all blocks to zero.
    pub fn clear(&mut self) {
        self.values.fill(0.0);
    }

    /// Adds a block as the k-th contribution; the block belongs to the upper triangle of the pattern.
    pub fn add(&mut self, k: usize, block: Mat3) {
        let entry = self.pattern.contribution_entry(k);
        let column = self.pattern.column_starts().partition_point(|start| *start as usize <= entry) - 1;
        self.add_at(entry, column, block);
    }

    /// Adds a block to an entry in a column.
    pub(crate) fn add_at(&mut self, entry: usize, column: usize, block: Mat3) {
        for c in 0..3 {
            let (place, values) = (self.place(entry, column, c), block.col(c).to_array());
            self.values[place].iter_mut().zip(values).for_each(|(sum, value)| *sum += value);
        }
    }

    /// Adds a block to the diagonal.
    pub fn add_diagonal(&mut self, column: usize, block: Mat3) {
        self.add_at(self.pattern.diagonal_entry(column), column, block);
    }

    /// Adds a number to each entry of the scalar diagonal.
    pub(crate) fn shift(&mut self, by: f64) {
        for column in 0..self.pattern.size() {
            for c in 0..3 {
                let place = self.place(self.pattern.diagonal_entry(column), column, c);
                self.values[place.end - 1] += by;
            }
        }
    }

    /// The diagonal block of a column.
    pub fn diagonal(&self, column: usize) -> Mat3 {
        self.block(self.pattern.diagonal_entry(column), column)
    }

    fn block(&self, entry: usize, column: usize) -> Mat3 {
        let mut block = Mat3::ZERO;
        for c in 0..3 {
            let place = self.place(entry, column, c);
            for (r, &value) in self.values[place].iter().enumerate() {
                block.col_mut(c)[r] = value;
                if r < c && entry == self.pattern.diagonal_entry(column) {
                    block.col_mut(r)[c] = value;
                }
            }
        }
        block
    }

    /// Fills the matrix anew, column by column on all threads: `fill` gets a column of the pattern and its numbers, which are zero.
    pub(crate) fn fill(&mut self, fill: &(impl Fn(usize, ColumnMut<'_>) + Sync)) {
        let (pattern, starts) = (&*self.pattern, &self.starts[..]);
        let outputs = ByOffsets { entries: &mut self.values[..], offsets: starts };
        parallel::for_each(0..pattern.size(), outputs, &|range, part| {
            let base = part.offsets[0];
            part.entries.fill(0.0);
            for (k, column) in range.enumerate() {
                let own = (part.offsets[k] - base) as usize..(part.offsets[k + 1] - base) as usize;
                fill(column, ColumnMut { count: pattern.column(column).len(), values: &mut part.entries[own] });
            }
        });
    }

    /// y = A x.
    pub fn multiply(&self, x: &[Vec3], y: &mut [Vec3]) {
        y.fill(Vec3::ZERO);
        for j in 0..self.pattern.size() {
            let own = self.pattern.column(j);
            let above = &self.pattern.rows()[own.start..own.end - 1];
            for c in 0..3 {
                let start = self.starts[j] as usize + place_in(own.len(), 0, c);
                let (blocks, diagonal) = self.values[start..start + 3 * above.len() + c + 1].split_at(3 * above.len());
                let (mut sum, factor) = (0.0, x[j][c]);
                for (&i, column) in above.iter().zip(blocks.as_chunks::<3>().0) {
                    let column = Vec3::from_array(*column);
                    y[i as usize] += column * factor;
                    sum += column.dot(x[i as usize]);
                }
                for (r, value) in diagonal.iter().enumerate() {
                    sum += value * x[j][r];
                    if r < c {
                        y[j][r] += value * factor;
                    }
                }
                y[j][c] += sum;
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
        Cholesky::from_values(analysis, &self.values)
    }
}

/// Where column c of a block begins among the numbers of its vertex, given its place among the blocks of that column.
fn place_in(count: usize, at: usize, c: usize) -> usize {
    3 * at + c * 3 * (count - 1) + c * (c + 1) / 2
}

/// The numbers of the blocks in a column.
pub(crate) struct ColumnMut<'a> {
    /// Number of blocks; the last is on the diagonal.
    count: usize,
    values: &'a mut [f64],
}

impl ColumnMut<'_> {
    /// Sets a block, given its place in the column, by columns.
    pub(crate) fn set(&mut self, at: usize, block: &[[f64; 3]; 3]) {
        for (c, column) in block.iter().enumerate() {
            let first = place_in(self.count, at, c);
            let rows = if at + 1 == self.count { c + 1 } else { 3 };
            self.values[first..first + rows].copy_from_slice(&column[..rows]);
        }
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
        (0..4).for_each(|i| matrix.add_diagonal(i, Mat3::IDENTITY * (3.0 + i as f64)));
        matrix.shift(1.0);
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

    #[test]
    fn a_matrix_filled_by_columns_is_that_of_its_blocks() {
        let pattern = Arc::new(SymmetricPattern::new(3, [(0, 1), (1, 2), (0, 2)].into_iter()));
        let entry =
            |k: usize, c: usize, r: usize| (7 * k + if k == 0 { c.max(r) * 3 + c.min(r) } else { 3 * c + r }) as f64;
        let block = |k: usize, at: usize| {
            // On the diagonal a symmetric one.
            let k = if pattern.diagonal_entry(at) == k { 0 } else { k };
            std::array::from_fn(|c| std::array::from_fn(|r| entry(k, c, r)))
        };
        let (mut filled, mut added) = (BlockMatrix::zero(pattern.clone()), BlockMatrix::zero(pattern.clone()));
        filled.shift(3.0);
        filled.fill(&|j, mut column| {
            pattern.column(j).enumerate().for_each(|(at, k)| column.set(at, &block(k, j)));
        });
        for j in 0..3 {
            pattern.column(j).for_each(|k| added.add_at(k, j, Mat3::from_cols_array_2d(&block(k, j))));
        }
        assert_eq!(filled.values, added.values);
        assert_eq!(filled.diagonal(1), Mat3::from_cols_array_2d(&block(pattern.diagonal_entry(1), 1)));
    }
}
