//! Rows of different lengths in one array.

/// Lists of vertices (or other indices), one per row, stored end to end: compressed sparse rows.
///
/// ```
/// use pliant::mesh::Csr;
///
/// let rows = Csr::from_rows([vec![0, 1, 2], vec![], vec![7]]);
/// assert_eq!(rows.len(), 3);
/// assert_eq!(rows.row(0), &[0, 1, 2]);
/// assert_eq!(rows.row(2), &[7]);
/// assert_eq!(rows.offsets(), &[0, 3, 3, 4]);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Csr {
    offsets: Vec<usize>,
    items: Vec<u32>,
}

impl Default for Csr {
    fn default() -> Self {
        Self { offsets: vec![0], items: Vec::new() }
    }
}

impl Csr {
    /// Stores the given rows in order.
    pub fn from_rows<R: AsRef<[u32]>>(rows: impl IntoIterator<Item = R>) -> Self {
        let mut csr = Self::default();
        for row in rows {
            csr.push_row(row.as_ref());
        }
        csr
    }

    /// Sorts `(row, item)` pairs into rows; within a row the items keep the order in which the pairs came.
    pub(crate) fn from_pairs(rows: usize, pairs: impl Iterator<Item = (u32, u32)> + Clone) -> Self {
        let mut offsets = vec![0; rows + 1];
        for (row, _) in pairs.clone() {
            offsets[row as usize + 1] += 1;
        }
        for row in 0..rows {
            offsets[row + 1] += offsets[row];
        }
        let mut items = vec![0; offsets[rows]];
        let mut next = offsets.clone();
        for (row, item) in pairs {
            items[next[row as usize]] = item;
            next[row as usize] += 1;
        }
        Self { offsets, items }
    }

    /// Adds a row at the end.
    pub fn push_row(&mut self, row: &[u32]) {
        self.items.extend_from_slice(row);
        self.offsets.push(self.items.len());
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The items of one row.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn row(&self, row: usize) -> &[u32] {
        &self.items[self.range(row)]
    }

    /// Where one row lies in [`items`](Self::items), for arrays that run parallel to it.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn range(&self, row: usize) -> std::ops::Range<usize> {
        self.offsets[row]..self.offsets[row + 1]
    }

    /// All rows in order.
    pub fn rows(&self) -> impl Iterator<Item = &[u32]> + Clone {
        self.offsets.windows(2).map(|ends| &self.items[ends[0]..ends[1]])
    }

    /// Where each row starts, and the end of the last: one more than there are rows.
    pub fn offsets(&self) -> &[usize] {
        &self.offsets
    }

    /// The items of all rows, end to end.
    pub fn items(&self) -> &[u32] {
        &self.items
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_fall_into_their_rows_in_order() {
        let pairs = [(2, 5), (0, 1), (2, 3), (0, 9)];
        let csr = Csr::from_pairs(4, pairs.iter().copied());
        assert_eq!(csr, Csr::from_rows([vec![1, 9], vec![], vec![5, 3], vec![]]));
        assert_eq!(csr.rows().map(<[u32]>::len).sum::<usize>(), pairs.len());
    }

    #[test]
    fn no_rows_is_empty() {
        assert!(Csr::default().is_empty());
        assert_eq!(Csr::from_pairs(0, std::iter::empty()), Csr::default());
    }
}
