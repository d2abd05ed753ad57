//! Where unknowns are in the factor, and the way from there up the tree of elimination.

use super::super::Cholesky;
use super::super::cholesky::{Analysis, Part};

/// Where unknowns are in the factor.
#[derive(Debug)]
pub(in crate::sparse) struct Places {
    /// For each unknown its part, its number within that part and its column there.
    unknowns: Vec<[u32; 3]>,
    /// For each part the supernode of each column.
    owners: Vec<Vec<u32>>,
}

impl Analysis {
    fn places(&self) -> &Places {
        self.places.get_or_init(|| {
            let mut unknowns = vec![[0; 3]; self.size];
            let mut owners = Vec::with_capacity(self.parts.len());
            for (k, part) in self.parts.iter().enumerate() {
                part.unknowns.iter().zip(0..).for_each(|(&v, local)| unknowns[v as usize] = [k as u32, local, 0]);
                part.order().iter().zip(0..).for_each(|(&v, column)| unknowns[v as usize][2] = column);
                let mut owner = vec![0; part.size()];
                (0..part.supernode_count()).for_each(|s| owner[part.columns(s)].fill(s as u32));
                owners.push(owner);
            }
            Places { unknowns, owners }
        })
    }
}

impl Part {
    /// Whether the matrix has an entry for a pair of the part's unknowns.
    fn has_entry(&self, i: u32, j: u32) -> bool {
        let column = i.max(j) as usize;
        let rows = &self.rows[self.column_starts[column] as usize..self.column_starts[column + 1] as usize];
        rows.binary_search(&i.min(j)).is_ok()
    }
}

/// A supernode on the way from a column up the tree of elimination.
pub(super) struct PathNode<'a> {
    /// Which one of its part.
    pub(super) supernode: usize,
    /// First column on the way, and one past the supernode's last.
    pub(super) first: usize,
    pub(super) end: usize,
    /// Rows below the diagonal block, ascending.
    pub(super) below: &'a [u32],
}

impl Cholesky {
    /// Part and column of an unknown.
    pub(super) fn place(&self, unknown: u32) -> (usize, usize) {
        let [part, _, column] = self.analysis.places().unknowns[unknown as usize];
        (part as usize, column as usize)
    }

    /// Whether the matrix has an entry for a pair of unknowns.
    pub(super) fn has_entry(&self, i: u32, j: u32) -> bool {
        let places = &self.analysis.places().unknowns;
        let ([part, i, _], [other, j, _]) = (places[i as usize], places[j as usize]);
        part == other && self.analysis.parts[part as usize].has_entry(i, j)
    }

    /// Calls `visit` with each supernode on the way from a column up the tree of elimination, with the first of its columns on
    /// that way and with its numbers.
    pub(super) fn for_each_on_path(
        &mut self,
        part: usize,
        column: usize,
        mut visit: impl FnMut(PathNode<'_>, &mut [f64]),
    ) {
        let owners = &self.analysis.places().owners[part];
        let (part, values) = (&self.analysis.parts[part], &mut self.values[part]);
        let mut next = Some(column);
        while let Some(column) = next {
            let supernode = owners[column] as usize;
            let below = part.below(supernode);
            let node = PathNode { supernode, first: column, end: part.columns(supernode).end, below };
            let stretch = &mut values[part.stretch(supernode)];
            // Columns before the first one stay, and rows above it are not theirs.
            let skipped = column - part.columns(supernode).start;
            let height = part.columns(supernode).len() + below.len();
            visit(node, &mut stretch[skipped * height..]);
            next = below.first().map(|&row| row as usize);
        }
    }

    /// Numbers of L from a column up the tree of elimination.
    pub(super) fn path_work(&self, part: usize, column: usize) -> usize {
        let owners = &self.analysis.places().owners[part];
        let part = &self.analysis.parts[part];
        let (mut next, mut work) = (Some(column), 0);
        while let Some(column) = next {
            let supernode = owners[column] as usize;
            let (columns, below) = (part.columns(supernode).end - column, part.below(supernode));
            work += columns * (columns + below.len());
            next = below.first().map(|&row| row as usize);
        }
        work
    }
}
