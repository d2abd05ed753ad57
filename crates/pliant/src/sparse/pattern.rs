//! The pattern of a symmetric matrix, found once, and matrices assembled into it again and again.

use std::sync::Arc;

use crate::math::Vec3;

/// Where the non-zeros of a symmetric matrix are: the upper triangle by columns, diagonal included, rows ascending.
///
/// It remembers the entry for each contribution, so that assembling again needs no search.
#[derive(Debug, Clone)]
pub struct SymmetricPattern {
    column_starts: Vec<u32>,
    rows: Vec<u32>,
    /// For each contribution, in the order in which they were given, its entry.
    entries: Vec<u32>,
}

impl SymmetricPattern {
    /// Builds the pattern from the (row, column) places of all contributions; the order within a pair does not matter.
    /// Diagonal places are always present.
    pub fn new(size: usize, places: impl Iterator<Item = (u32, u32)>) -> Self {
        let places: Vec<(u32, u32)> = places.map(|(i, j)| if i <= j { (i, j) } else { (j, i) }).collect();
        let mut sorted: Vec<(u32, u32)> = places.iter().map(|&(i, j)| (j, i)).collect();
        sorted.extend((0..size as u32).map(|i| (i, i)));
        sorted.sort_unstable();
        sorted.dedup();
        let mut column_starts = vec![0u32; size + 1];
        sorted.iter().for_each(|&(column, _)| column_starts[column as usize + 1] += 1);
        (0..size).for_each(|j| column_starts[j + 1] += column_starts[j]);
        let rows: Vec<u32> = sorted.into_iter().map(|(_, row)| row).collect();
        let mut pattern = Self { column_starts, rows, entries: Vec::new() };
        pattern.entries = places.iter().map(|&(i, j)| pattern.entry(i, j)).collect();
        pattern
    }

    /// A pattern given by columns, upper triangle with diagonal, rows ascending; it takes no numbered contributions.
    pub(super) fn from_columns(column_starts: Vec<u32>, rows: Vec<u32>) -> Self {
        Self { column_starts, rows, entries: Vec::new() }
    }

    /// The pattern with further pairs of unknowns; entries of numbered contributions follow. Also the new entry of each old one.
    pub(crate) fn with_pairs(&self, pairs: impl Iterator<Item = (u32, u32)>) -> (Self, Vec<u32>) {
        let columns = (0..self.size()).flat_map(|j| self.column(j).map(move |k| (k, j as u32)));
        let own: Vec<(u32, u32)> = columns.map(|(k, column)| (self.rows[k], column)).collect();
        let mut wider = Self::new(self.size(), own.iter().copied().chain(pairs));
        let mut entries = std::mem::take(&mut wider.entries);
        entries.truncate(own.len());
        wider.entries = self.entries.iter().map(|&k| entries[k as usize]).collect();
        (wider, entries)
    }

    /// Number of rows and columns.
    pub fn size(&self) -> usize {
        self.column_starts.len() - 1
    }

    /// Number of stored entries (upper triangle with diagonal).
    pub fn entry_count(&self) -> usize {
        self.rows.len()
    }

    /// Entry of a place in the upper triangle, which must be in the pattern.
    fn entry(&self, row: u32, column: u32) -> u32 {
        let range = self.column(column as usize);
        let offset = self.rows[range.clone()].partition_point(|&r| r < row);
        (range.start + offset) as u32
    }

    /// Entry of a pair of unknowns, in either order; none if the pattern does not have it.
    pub fn find(&self, i: u32, j: u32) -> Option<usize> {
        let (row, column) = (i.min(j), i.max(j) as usize);
        let range = self.column(column);
        self.rows[range.clone()].binary_search(&row).ok().map(|offset| range.start + offset)
    }

    /// Entry of the diagonal of a column: the last, since rows ascend and the triangle is the upper one.
    pub fn diagonal_entry(&self, column: usize) -> usize {
        self.column_starts[column + 1] as usize - 1
    }

    /// Entry that the k-th contribution adds to.
    pub fn contribution_entry(&self, k: usize) -> usize {
        self.entries[k] as usize
    }

    /// Range of a column's entries.
    pub fn column(&self, column: usize) -> std::ops::Range<usize> {
        self.column_starts[column] as usize..self.column_starts[column + 1] as usize
    }

    /// Start of each column among the entries, and one past the last.
    pub fn column_starts(&self) -> &[u32] {
        &self.column_starts
    }

    /// Row of each entry.
    pub fn rows(&self) -> &[u32] {
        &self.rows
    }
}

/// A symmetric matrix of numbers in a shared pattern.
#[derive(Debug, Clone)]
pub struct SymmetricMatrix {
    pattern: Arc<SymmetricPattern>,
    values: Vec<f64>,
}

impl SymmetricMatrix {
    /// The zero matrix.
    pub fn zero(pattern: Arc<SymmetricPattern>) -> Self {
        let values = vec![0.0; pattern.entry_count()];
        Self { pattern, values }
    }

    /// Adds the k-th contribution.
    pub fn add(&mut self, k: usize, value: f64) {
        self.values[self.pattern.contribution_entry(k)] += value;
    }

    /// Adds to a diagonal entry.
    pub fn add_diagonal(&mut self, column: usize, value: f64) {
        self.values[self.pattern.diagonal_entry(column)] += value;
    }

    /// Value of an entry, to be changed.
    pub(super) fn entry_mut(&mut self, entry: usize) -> &mut f64 {
        &mut self.values[entry]
    }

    /// The pattern.
    pub fn pattern(&self) -> &Arc<SymmetricPattern> {
        &self.pattern
    }

    /// b − A x for the three coordinates.
    pub fn residual(&self, b: &[Vec3], x: &[Vec3]) -> Vec<Vec3> {
        let mut residual = b.to_vec();
        for j in 0..self.pattern.size() {
            for k in self.pattern.column(j) {
                let i = self.pattern.rows()[k] as usize;
                residual[i] -= x[j] * self.values[k];
                if i != j {
                    residual[j] -= x[i] * self.values[k];
                }
            }
        }
        residual
    }

    /// Value of each entry of the upper triangle.
    pub fn values(&self) -> &[f64] {
        &self.values
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wider_pattern_keeps_contributions_where_they_were() {
        let narrow = SymmetricPattern::new(5, [(0, 1), (3, 2), (1, 0)].into_iter());
        let (wide, entries) = narrow.with_pairs([(4, 1), (0, 3), (1, 0)].into_iter());
        assert_eq!(wide.entry_count(), narrow.entry_count() + 2);
        for column in 0..5 {
            for k in narrow.column(column) {
                assert_eq!(wide.find(narrow.rows()[k], column as u32), Some(entries[k] as usize));
            }
        }
        for k in 0..3 {
            assert_eq!(wide.contribution_entry(k), entries[narrow.contribution_entry(k)] as usize);
        }
        assert!(wide.find(1, 4).is_some() && wide.find(3, 0).is_some() && wide.find(2, 4).is_none());
    }

    #[test]
    fn contributions_to_one_place_add_up_in_either_order() {
        let places = [(0, 1), (1, 0), (2, 2), (0, 2)];
        let pattern = Arc::new(SymmetricPattern::new(3, places.into_iter()));
        let mut matrix = SymmetricMatrix::zero(pattern.clone());
        (0..4).for_each(|k| matrix.add(k, 10f64.powi(k as i32)));
        matrix.add_diagonal(1, 5.0);
        let entry = |i: usize, j: usize| {
            let k = pattern.column(j).find(|&k| pattern.rows()[k] as usize == i).expect("in the pattern");
            matrix.values()[k]
        };
        assert_eq!([entry(0, 1), entry(2, 2), entry(0, 2), entry(1, 1), entry(0, 0)], [11.0, 100.0, 1000.0, 5.0, 0.0]);
    }
}
