//! Products with symmetric matrices of 3×3 blocks in f32, eight rows at a time.
//!
//! A group of eight rows has as many slots as its longest row; a slot holds one block for each row, entry by entry, so that a product is
//! made of whole vectors. Entries that act on x, y and z alike, as those of inertia and of plates, are numbers and not
//! blocks: a ninth of the memory, which is what a product costs. Rows of vectors are four numbers apart.

#![allow(unsafe_code)] // A kernel on raw pointers: each item of a stage writes its own rows.

use std::ops::Range;

use crate::math::lanes::{InstructionSet, Kernel, LaneNumber, Lanes};
use crate::parallel::{Shared, Team};

/// Rows of a group.
pub(crate) const WIDTH: usize = 8;
/// Numbers of a slot of blocks.
pub(crate) const SLOT: usize = 9 * WIDTH;
/// First numbers of the rows of a group.
const NEIGHBOURS: [u32; WIDTH] = [0, 4, 8, 12, 16, 20, 24, 28];
/// Groups that a thread takes at a time.
const GROUPS_PER_ITEM: usize = 16;

/// Entries of rows in slots: which columns, and where a group's slots are.
#[derive(Debug, Clone, Default)]
struct Slots {
    /// First slot of each group, and the end.
    starts: Vec<u32>,
    /// First number of each column's row in a vector; the row's own where it has no more entries.
    columns: Vec<u32>,
}

impl Slots {
    fn new(lists: &[Vec<u32>]) -> Self {
        let mut slots = Self { starts: vec![0], columns: Vec::new() };
        for (group, lists) in lists.chunks(WIDTH).enumerate() {
            let most = lists.iter().map(Vec::len).max().unwrap_or(0);
            for slot in 0..most {
                slots.columns.extend((0..WIDTH).map(|lane| {
                    let own = (group * WIDTH + lane.min(lists.len() - 1)) as u32;
                    4 * lists.get(lane).and_then(|list| list.get(slot)).copied().unwrap_or(own)
                }));
            }
            slots.starts.push((slots.columns.len() / WIDTH) as u32);
        }
        slots
    }

    fn of(&self, group: usize) -> Range<usize> {
        self.starts[group] as usize..self.starts[group + 1] as usize
    }
}

/// A matrix of blocks, and of numbers that stand for multiples of the identity.
#[derive(Debug, Clone, Default)]
pub(crate) struct BlockRows {
    rows: usize,
    groups: usize,
    blocks: Slots,
    /// Column by column, each entry for all rows of the group.
    values: Vec<f32>,
    numbers: Slots,
    scalars: Vec<f32>,
}

impl BlockRows {
    /// A matrix of zeros with a block at these columns of each row (the row's own among them, first), and these numbers.
    pub(crate) fn new(blocks: &[Vec<u32>], numbers: &[Vec<(u32, f64)>]) -> Self {
        let columns: Vec<Vec<u32>> = numbers.iter().map(|row| row.iter().map(|entry| entry.0).collect()).collect();
        let in_matrix = |list: &Vec<u32>| list.iter().all(|&column| (column as usize) < blocks.len());
        assert!(blocks.iter().chain(&columns).all(in_matrix), "columns of a square matrix");
        let (slots, number_slots) = (Slots::new(blocks), Slots::new(&columns));
        let mut scalars = vec![0.0; number_slots.columns.len()];
        for (row, list) in numbers.iter().enumerate() {
            let first = number_slots.starts[row / WIDTH] as usize;
            for (k, &(_, value)) in list.iter().enumerate() {
                scalars[(first + k) * WIDTH + row % WIDTH] = value as f32;
            }
        }
        let values = vec![0.0; slots.columns.len() / WIDTH * SLOT];
        let (rows, groups) = (blocks.len(), blocks.len().div_ceil(WIDTH));
        Self { rows, groups, blocks: slots, values, numbers: number_slots, scalars }
    }

    /// Bytes that a product reads.
    pub(crate) fn bytes(&self) -> usize {
        4 * (self.values.len() + self.scalars.len() + self.blocks.columns.len() + self.numbers.columns.len())
    }

    /// Slots of blocks of a group of rows.
    fn slots(&self, group: usize) -> Range<usize> {
        self.blocks.of(group)
    }

    /// Number of all slots of blocks.
    pub(crate) fn slot_count(&self) -> usize {
        self.blocks.columns.len() / WIDTH
    }

    /// Numbers of all slots, [`SLOT`] each.
    pub(crate) fn values_mut(&mut self) -> &mut [f32] {
        &mut self.values
    }

    /// The slot of a block.
    pub(crate) fn slot(&self, row: usize, column: u32) -> Option<usize> {
        self.slots(row / WIDTH).find(|slot| self.blocks.columns[slot * WIDTH + row % WIDTH] == 4 * column)
    }

    /// The block on the diagonal of a row, by columns, without the numbers.
    pub(crate) fn diagonal(&self, row: usize) -> [[f64; 3]; 3] {
        let first = self.blocks.starts[row / WIDTH] as usize * SLOT + row % WIDTH;
        std::array::from_fn(|c| std::array::from_fn(|r| f64::from(self.values[first + (3 * c + r) * WIDTH])))
    }

    /// Adds to the block on the diagonal of a row, by columns.
    pub(crate) fn add_to_diagonal(&mut self, row: usize, block: [[f32; 3]; 3]) {
        let first = self.blocks.starts[row / WIDTH] as usize * SLOT + row % WIDTH;
        for (k, value) in block.as_flattened().iter().enumerate() {
            self.values[first + k * WIDTH] += value;
        }
    }

    /// Takes the product with `x` from `y`.
    pub(crate) fn subtract_product(&self, team: &Team<'_>, x: &[f32], y: &mut [f32]) {
        assert!(x.len() >= 4 * self.rows && y.len() >= 4 * self.rows, "vectors of all rows");
        let (instructions, y) = (InstructionSet::detect(), Shared(y.as_mut_ptr()));
        team.share(self.groups.div_ceil(GROUPS_PER_ITEM), |item| {
            let first = item * GROUPS_PER_ITEM;
            let groups = first..self.groups.min(first + GROUPS_PER_ITEM);
            f32::dispatch(instructions, Subtract { matrix: self, groups, x: x.as_ptr(), y: y.get() });
        });
    }
}

struct Subtract<'a> {
    matrix: &'a BlockRows,
    groups: Range<usize>,
    x: *const f32,
    y: *mut f32,
}

impl Kernel<f32> for Subtract<'_> {
    #[inline(always)]
    fn run<L: Lanes<Scalar = f32>>(self) {
        let BlockRows { blocks, values, numbers, scalars, .. } = self.matrix;
        for group in self.groups.start..self.groups.end {
            // SAFETY: `new` has checked that columns are rows, and laid out values and scalars for each slot; x and y
            // have all rows (`subtract_product`), those of a group in y are one item's, and the last group, which
            // may have fewer than others, goes through a copy.
            unsafe {
                let mut sum = [L::zero(); 3];
                for slot in blocks.starts[group] as usize..blocks.starts[group + 1] as usize {
                    let [a, b, c] = L::gather(self.x, blocks.columns.as_ptr().add(slot * WIDTH));
                    let values = values.as_ptr().add(slot * SLOT);
                    let entry = |k: usize| L::load(values.add(k * WIDTH));
                    // Written out: compilers that save space make loops of it, with sums in memory, at half the speed.
                    sum = [
                        entry(6).mul_add(c, entry(3).mul_add(b, entry(0).mul_add(a, sum[0]))),
                        entry(7).mul_add(c, entry(4).mul_add(b, entry(1).mul_add(a, sum[1]))),
                        entry(8).mul_add(c, entry(5).mul_add(b, entry(2).mul_add(a, sum[2]))),
                    ];
                }
                for slot in numbers.starts[group] as usize..numbers.starts[group + 1] as usize {
                    let x = L::gather(self.x, numbers.columns.as_ptr().add(slot * WIDTH));
                    let value = L::load(scalars.as_ptr().add(slot * WIDTH));
                    for c in 0..3 {
                        sum[c] = value.mul_add(x[c], sum[c]);
                    }
                }
                let (y, count) = (self.y.add(4 * WIDTH * group), 4 * (self.matrix.rows - WIDTH * group));
                let mut few = [0.0_f32; 4 * WIDTH];
                let is_short = count < few.len();
                if is_short {
                    std::ptr::copy_nonoverlapping(y, few.as_mut_ptr(), count);
                }
                let at = if is_short { few.as_mut_ptr() } else { y };
                let before = L::gather(at, NEIGHBOURS.as_ptr());
                for c in 0..3 {
                    sum[c] = before[c].sub(sum[c]);
                }
                L::store_points(sum, at);
                if is_short {
                    std::ptr::copy_nonoverlapping(few.as_ptr(), y, count);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_are_those_of_a_dense_matrix() {
        let rows = 21;
        // Row i has blocks at itself and at i ± 3, numbers at itself and at i ± 1.
        let near = |i: usize, by: usize| -> Vec<u32> {
            let (low, high) = (i.checked_sub(by), Some(i + by).filter(|j| *j < rows));
            low.into_iter().chain(high).map(|j| j as u32).collect()
        };
        let blocks: Vec<Vec<u32>> = (0..rows).map(|i| [vec![i as u32], near(i, 3)].concat()).collect();
        let number = |i: usize, j: u32| 1.0 + (i + j as usize) as f64;
        let numbers: Vec<Vec<(u32, f64)>> = (0..rows)
            .map(|i| [vec![i as u32], near(i, 1)].concat().iter().map(|&j| (j, number(i, j))).collect())
            .collect();
        let mut matrix = BlockRows::new(&blocks, &numbers);
        let entry =
            |i: usize, j: u32, c: usize, r: usize| (7 * i + 3 * j as usize + 5 * c + 11 * r) as f32 % 13.0 - 6.0;
        for (i, row) in blocks.iter().enumerate() {
            for &j in row {
                let slot = matrix.slot(i, j).expect("in the pattern");
                for (c, r) in (0..9).map(|k| (k / 3, k % 3)) {
                    matrix.values_mut()[slot * SLOT + (3 * c + r) * WIDTH + i % WIDTH] = entry(i, j, c, r);
                }
            }
        }
        assert!(matrix.slot(0, 7).is_none());
        let mut x = vec![0.0; 4 * rows];
        (0..rows).for_each(|i| (0..3).for_each(|c| x[4 * i + c] = ((i * 5 + c * 3) % 7) as f32 - 3.0));
        let mut y = vec![0.5; 4 * rows];
        matrix.subtract_product(&Team::alone(), &x, &mut y);
        for i in 0..rows {
            for r in 0..3 {
                let mut expected = 0.5;
                for &j in &blocks[i] {
                    (0..3).for_each(|c| expected -= entry(i, j, c, r) * x[4 * j as usize + c]);
                }
                numbers[i].iter().for_each(|&(j, value)| expected -= value as f32 * x[4 * j as usize + r]);
                assert!((y[4 * i + r] - expected).abs() < 1e-3, "row {i}, {r}: {} for {expected}", y[4 * i + r]);
            }
        }
        let diagonal = matrix.diagonal(9);
        (0..9).for_each(|k| assert_eq!(diagonal[k / 3][k % 3], f64::from(entry(9, 9, k / 3, k % 3))));
    }
}
