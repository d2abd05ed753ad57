//! The numbers of a Cholesky factor, and solves by it, in plain Rust: the same operations in the same order on every machine.
//!
//! The library behind [`Cholesky`](super::Cholesky) chooses its instructions by the processor, and rounds accordingly. Where the
//! engine's lanes are the portable ones (in a browser, on ARM, or because somebody asked for them), its numbers come from here
//! instead. Supernodes are taken from left to right. Each is factored as a dense block
//!
//! ```text
//!   | A₁₁     |    | L₁₁      |
//!   | A₂₁  …  | →  | L₂₁  … − L₂₁L₂₁ᵀ |
//! ```
//!
//! and what it subtracts from the columns of its rows, L₂₁L₂₁ᵀ, goes there at once ("right-looking").

use super::cholesky::Part;

/// Rows and columns of a tile of a product, which stays in registers.
const TILE: usize = 4;
/// Columns of a block that are factored one after the other, before the others follow by products of tiles.
const TOGETHER: usize = 8;

/// Where the numbers of a matrix go in its factor.
#[derive(Debug)]
pub(super) struct Plan {
    /// The place of each entry of the part.
    targets: Vec<usize>,
    /// The supernode of each column.
    owners: Vec<u32>,
}

impl Plan {
    pub(super) fn new(part: &Part) -> Self {
        let mut owners = vec![0; part.size()];
        (0..part.supernode_count()).for_each(|s| owners[part.columns(s)].fill(s as u32));
        let mut column_of = vec![0; part.size()];
        (0..part.size()).for_each(|k| column_of[part.eliminated(k)] = k);
        let target = |i: usize, j: usize| {
            let (row, column) = (column_of[i].max(column_of[j]), column_of[i].min(column_of[j]));
            let s = owners[column] as usize;
            let (columns, height) = (part.columns(s), part.height(s));
            part.stretch(s).start + (column - columns.start) * height + local_row(part, s, row)
        };
        let mut targets = Vec::with_capacity(part.rows.len());
        for j in 0..part.size() {
            let entries = part.column_starts[j] as usize..part.column_starts[j + 1] as usize;
            targets.extend(entries.map(|k| target(part.rows[k] as usize, j)));
        }
        Self { targets, owners }
    }
}

/// The place of a row in the columns of a supernode.
fn local_row(part: &Part, supernode: usize, row: usize) -> usize {
    let columns = part.columns(supernode);
    if row < columns.end {
        return row - columns.start;
    }
    let found = part.below(supernode).binary_search(&(row as u32));
    columns.len() + found.unwrap_or_else(|_| unreachable!("a factor has the rows of its matrix"))
}

/// Room that is reused from factor to factor.
#[derive(Debug, Default)]
pub(super) struct Room {
    /// Rows of a product by tiles: of four rows the numbers of the first column, those of the second, and so on.
    packed: Vec<f64>,
    /// For each run of rows that are columns of one supernode: where the rows from there on are in that one.
    places: Vec<u32>,
    /// For each row, as a column: where that begins among the numbers that follow, and where its rows are found in `places`.
    starts: Vec<(usize, usize)>,
}

/// Computes L of a part. An error is the first column whose pivot is not positive.
pub(super) fn factor(part: &Part, plan: &Plan, own: &[f64], values: &mut [f64], room: &mut Room) -> Result<(), usize> {
    values.fill(0.0);
    plan.targets.iter().zip(own).for_each(|(&target, value)| values[target] = *value);
    for s in 0..part.supernode_count() {
        let (columns, height, stretch) = (part.columns(s), part.height(s), part.stretch(s));
        let (block, later) = values[stretch.start..].split_at_mut(stretch.len());
        factor_block(block, columns.len(), height, &mut room.packed).map_err(|k| columns.start + k)?;
        let below = part.below(s);
        if below.is_empty() {
            continue;
        }
        find_places(part, plan, s, room);
        let Room { packed, places, starts } = room;
        pack(block, height, 0..columns.len(), columns.len(), packed);
        for_each_product(packed, columns.len(), below.len(), below.len(), |column, row, products| {
            let (start, found) = starts[column];
            let rows = &places[found + row..found + row + products.len()];
            rows.iter().zip(products).for_each(|(&row, product)| later[start + row as usize] -= product);
        });
    }
    Ok(())
}

/// Fills `places` and `starts` for the rows below a supernode.
fn find_places(part: &Part, plan: &Plan, supernode: usize, room: &mut Room) {
    let (below, end) = (part.below(supernode), part.stretch(supernode).end);
    room.places.clear();
    room.starts.clear();
    let mut first = 0;
    while first < below.len() {
        let owner = plan.owners[below[first] as usize] as usize;
        let (columns, height, rows) = (part.columns(owner), part.height(owner), part.below(owner));
        let run = below[first..].iter().take_while(|&&row| (row as usize) < columns.end).count();
        // Its rows are among those of its owner, both ascending.
        let found = room.places.len();
        room.places.extend(below[first..first + run].iter().map(|&row| row - columns.start as u32));
        let mut at = 0;
        for &row in &below[first + run..] {
            at += rows[at..].iter().take_while(|&&other| other < row).count();
            room.places.push((columns.len() + at) as u32);
        }
        room.starts.extend(below[first..first + run].iter().map(|&row| {
            let start = part.stretch(owner).start - end + (row as usize - columns.start) * height;
            // Rows are counted from the first below this supernode, places from the first of the run; runs before it have left at least as many
            // places as there are rows before it.
            (start, found - first)
        }));
        first += run;
    }
}

/// Factors a block of `width` columns of `height` numbers, of which the first `width` rows are the diagonal block.
fn factor_block(block: &mut [f64], width: usize, height: usize, packed: &mut Vec<f64>) -> Result<(), usize> {
    for first in (0..width).step_by(TOGETHER) {
        let end = width.min(first + TOGETHER);
        for j in first..end {
            let (before, column) = block.split_at_mut(j * height);
            let column = &mut column[j..height];
            for other in before[first * height..].chunks_exact(height) {
                let factor = other[j];
                column.iter_mut().zip(&other[j..]).for_each(|(value, other)| *value -= factor * other);
            }
            let pivot = column[0];
            if !(pivot > 0.0 && pivot.is_finite()) {
                return Err(j);
            }
            let root = pivot.sqrt();
            column[0] = root;
            column[1..].iter_mut().for_each(|value| *value /= root);
        }
        if end < width {
            pack(block, height, first..end, end, packed);
            for_each_product(packed, end - first, height - end, width - end, |column, row, products| {
                let start = (end + column) * height + end + row;
                block[start..].iter_mut().zip(products).for_each(|(value, product)| *value -= product);
            });
        }
    }
    Ok(())
}

/// Packs the rows from `row` on of some columns for products by tiles.
fn pack(block: &[f64], height: usize, columns: std::ops::Range<usize>, row: usize, packed: &mut Vec<f64>) {
    let depth = columns.len();
    packed.clear();
    packed.resize((height - row).next_multiple_of(TILE) * depth, 0.0);
    for (p, j) in columns.enumerate() {
        let column = &block[j * height + row..(j + 1) * height];
        for (panel, rows) in packed.chunks_exact_mut(TILE * depth).zip(column.chunks(TILE)) {
            panel[p * TILE..p * TILE + rows.len()].copy_from_slice(rows);
        }
    }
}

/// Calls a function with the lower triangle of A Aᵀ, for its first columns: column, row, and numbers from that row down.
#[inline(always)]
fn for_each_product(
    packed: &[f64],
    depth: usize,
    rows: usize,
    columns: usize,
    mut each: impl FnMut(usize, usize, &[f64]),
) {
    let panels = || packed.chunks_exact(TILE * depth);
    for (first, right) in panels().enumerate().take(columns.div_ceil(TILE)) {
        for (k, left) in panels().enumerate().skip(first) {
            let tile = product(left, right);
            let count = TILE.min(rows - k * TILE);
            for (j, numbers) in tile.iter().enumerate().take(columns - first * TILE) {
                // Above the diagonal the other triangle begins.
                let skipped = if k == first { j } else { 0 };
                if skipped < count {
                    each(first * TILE + j, k * TILE + skipped, &numbers[skipped..count]);
                }
            }
        }
    }
}

/// The product of four rows with four rows, by columns.
#[inline(always)]
fn product(left: &[f64], right: &[f64]) -> [[f64; TILE]; TILE] {
    let mut tile = [[0.0; TILE]; TILE];
    for (a, b) in left.as_chunks::<TILE>().0.iter().zip(right.as_chunks::<TILE>().0) {
        for j in 0..TILE {
            for i in 0..TILE {
                tile[j][i] += a[i] * b[j];
            }
        }
    }
    tile
}

/// Solves L Lᵀ x = b for one right-hand side in the part's order of elimination. `rows` has room for the rows of any supernode.
pub(super) fn solve(part: &Part, values: &[f64], x: &mut [f64], rows: &mut [f64]) {
    for s in 0..part.supernode_count() {
        let (columns, height, below) = (part.columns(s), part.height(s), part.below(s));
        let block = &values[part.stretch(s)];
        let rows = &mut rows[..below.len()];
        rows.fill(0.0);
        for j in columns.clone() {
            let column = &block[(j - columns.start) * height..][..height];
            let (diagonal, beyond) = column.split_at(columns.len());
            let diagonal = &diagonal[j - columns.start..];
            let found = x[j] / diagonal[0];
            x[j] = found;
            x[j + 1..].iter_mut().zip(&diagonal[1..]).for_each(|(value, l)| *value -= l * found);
            rows.iter_mut().zip(beyond).for_each(|(sum, l)| *sum += l * found);
        }
        below.iter().zip(rows).for_each(|(&row, sum)| x[row as usize] -= *sum);
    }
    for s in (0..part.supernode_count()).rev() {
        let (columns, height, below) = (part.columns(s), part.height(s), part.below(s));
        let block = &values[part.stretch(s)];
        let rows = &mut rows[..below.len()];
        rows.iter_mut().zip(below).for_each(|(value, &row)| *value = x[row as usize]);
        for j in columns.clone().rev() {
            let column = &block[(j - columns.start) * height..][..height];
            let (diagonal, beyond) = column.split_at(columns.len());
            let diagonal = &diagonal[j - columns.start..];
            let known = dot(&diagonal[1..], &x[j + 1..columns.end]) + dot(beyond, rows);
            x[j] = (x[j] - known) / diagonal[0];
        }
    }
}

/// [`invert_supernode`](super::cholesky::invert_supernode) by forward substitution. Columns of the inverse are found from the last to the first, so that those of L
/// are still there when they are needed.
pub(super) fn invert_in_place(block: &mut [f64], columns: usize, height: usize, multipliers: &mut [f64]) {
    for j in (0..columns).rev() {
        // Column j of the result is (e_j − Σ_{k>j} result_k · L_kj)/L_jj, with L_kj from the old column j.
        let (before, after) = block.split_at_mut((j + 1) * height);
        let column = &mut before[j * height..];
        let scale = 1.0 / column[j];
        multipliers[j + 1..columns].copy_from_slice(&column[j + 1..columns]);
        column[..columns].fill(0.0);
        column[j] = scale;
        // Rows below the block still hold L₂₁; the sum turns them into −L₂₁L₁₁⁻¹.
        column[columns..].iter_mut().for_each(|value| *value *= -scale);
        for k in j + 1..columns {
            let factor = multipliers[k] * scale;
            let other = &after[(k - j - 1) * height..(k - j) * height];
            column[k..].iter_mut().zip(&other[k..]).for_each(|(value, other)| *value -= factor * other);
        }
    }
}

/// A dot product with four sums, which vectors can hold.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let ((fours, rest), (others, other_rest)) = (a.as_chunks::<4>(), b.as_chunks::<4>());
    let mut sums = [0.0; 4];
    for (a, b) in fours.iter().zip(others) {
        (0..4).for_each(|k| sums[k] += a[k] * b[k]);
    }
    let rest: f64 = rest.iter().zip(other_rest).map(|(a, b)| a * b).sum();
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + rest
}
