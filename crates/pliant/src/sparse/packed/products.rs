//! Products of a node with vectors: y = M t of the forward sweep, x = Mᵀ g of the backward one.
//!
//! All functions that take nodes need them to be of the sweep's layout, and rows and scratch that `Sweep` gives to their
//! caller alone; those that take panels, as many values, rows and numbers as these have.

use std::mem::MaybeUninit;

use super::layout::Node;
use super::sweep::Sweep;
use crate::math::lanes::{LaneNumber, Lanes};

/// Columns whose sums are kept at hand in the backward sweep: as many as fill most of the first-level cache.
const COLUMN_BLOCK: usize = 256;

/// # Safety
/// Rows of the node's columns and scratch for them must be the caller's alone.
#[inline(always)]
pub(super) unsafe fn take_columns<S: LaneNumber>(node: &Node, rows: *mut S, scratch: *mut S) {
    // SAFETY: the node's columns are among the rows, and scratch has four numbers for each (`divide_scratch`); both are
    // the caller's.
    unsafe {
        // A loop and not two calls into the library: most nodes have a few columns.
        let columns = rows.add(4 * node.start).cast::<[S; 4]>();
        for j in 0..node.columns {
            *scratch.cast::<[S; 4]>().add(j) = *columns.add(j);
        }
        // Panels of nothing but columns overwrite them; the panel that goes beyond adds to what it finds.
        for j in node.columns / S::WIDTH * S::WIDTH..node.columns {
            *columns.add(j) = [S::default(); 4];
        }
    }
}

#[inline(always)]
pub(super) unsafe fn forward_node<L: Lanes>(sweep: &Sweep<'_, L::Scalar>, node: &Node, scratch: *mut L::Scalar)
where
    L::Scalar: LaneNumber,
{
    // SAFETY: rows and scratch are the caller's, as it promises, and all panels are within the node.
    unsafe {
        take_columns(node, sweep.rows, scratch);
        forward_panels::<L>(sweep, node, scratch, 0, node.panels);
    }
}

/// y = M t for panels from one to another: stored where a panel's rows are columns of the node, added to their rows elsewhere.
/// Beyond the triangle, `first` and `end` are where groups begin or end.
#[inline(always)]
pub(super) unsafe fn forward_panels<L: Lanes>(
    sweep: &Sweep<'_, L::Scalar>,
    node: &Node,
    t: *const L::Scalar,
    first: usize,
    end: usize,
) where
    L::Scalar: LaneNumber,
{
    let w = L::WIDTH;
    let (rows, out) = (sweep.node_rows(node), sweep.rows);
    let mut panel = first;
    // SAFETY: t has four numbers for each column; values lie as `panel_offset` says, one panel of the triangle or group
    // after the other, and the node's rows are places of rows that are the caller's.
    unsafe {
        let mut values = sweep.node_values(node).add(node.panel_offset(first, w));
        let triangle = node.triangular_panels(w).min(end);
        while panel < triangle {
            let columns = (panel + 1) * w;
            let product = single_panel_product::<L>(values, columns, t);
            L::store_points(product, out.add(4 * (node.start + panel * w)));
            values = values.add(columns * w);
            panel += 1;
        }
        let columns = node.columns;
        while panel < end {
            let rows = rows.add(panel * w);
            let group = node.group_from(panel);
            match group {
                4 => panel_products::<L, 4>(values, columns, t, rows, out),
                3 => panel_products::<L, 3>(values, columns, t, rows, out),
                2 => panel_products::<L, 2>(values, columns, t, rows, out),
                _ => L::scatter_add(out, rows, single_panel_product::<L>(values, columns, t)),
            }
            values = values.add(group * columns * w);
            panel += group;
        }
    }
}

/// One panel times t, in two sums: one alone would wait for itself in every column.
#[inline(always)]
unsafe fn single_panel_product<L: Lanes>(values: *const L::Scalar, columns: usize, t: *const L::Scalar) -> [L; 3] {
    let w = L::WIDTH;
    // SAFETY: there are `columns` vectors of values and four numbers of t for each, as the caller promises.
    unsafe {
        let (mut even, mut odd) = ([L::zero(); 3], [L::zero(); 3]);
        let mut j = 0;
        while j + 2 <= columns {
            let (first, second) = (L::load(values.add(j * w)), L::load(values.add((j + 1) * w)));
            for c in 0..3 {
                even[c] = first.mul_add(L::splat(*t.add(4 * j + c)), even[c]);
                odd[c] = second.mul_add(L::splat(*t.add(4 * j + 4 + c)), odd[c]);
            }
            j += 2;
        }
        if j < columns {
            let last = L::load(values.add(j * w));
            for c in 0..3 {
                even[c] = last.mul_add(L::splat(*t.add(4 * j + c)), even[c]);
            }
        }
        [even[0].add(odd[0]), even[1].add(odd[1]), even[2].add(odd[2])]
    }
}

/// A group of `P` panels times t, added to their rows.
#[inline(always)]
unsafe fn panel_products<L: Lanes, const P: usize>(
    values: *const L::Scalar,
    columns: usize,
    t: *const L::Scalar,
    rows: *const u32,
    out: *mut L::Scalar,
) {
    let w = L::WIDTH;
    // SAFETY: there are P vectors of values and four numbers of t for each column, and P vectors of rows, as the caller
    // promises.
    unsafe {
        let mut sums = [[L::zero(); 3]; P];
        for j in 0..columns {
            let t = [L::splat(*t.add(4 * j)), L::splat(*t.add(4 * j + 1)), L::splat(*t.add(4 * j + 2))];
            for p in 0..P {
                let l = L::load(values.add((j * P + p) * w));
                for c in 0..3 {
                    sums[p][c] = l.mul_add(t[c], sums[p][c]);
                }
            }
        }
        for p in 0..P {
            L::scatter_add(out, rows.add(p * w), sums[p]);
        }
    }
}

#[inline(always)]
pub(super) unsafe fn backward_node<L: Lanes, const FROM_MEMORY: bool>(
    sweep: &Sweep<'_, L::Scalar>,
    node: &Node,
    scratch: *mut L::Scalar,
) where
    L::Scalar: LaneNumber,
{
    // SAFETY: rows and scratch are the caller's, as it promises; blocks of columns begin at multiples of a vector's
    // width.
    unsafe {
        gather_node::<L>(sweep, node, scratch);
        let mut end = node.columns;
        while end > 0 {
            let first = (end - 1) / COLUMN_BLOCK * COLUMN_BLOCK;
            backward_columns::<L, FROM_MEMORY>(sweep, node, scratch, first, end);
            end = first;
        }
    }
}

/// g: the node's rows, a vector for each coordinate of each panel.
#[inline(always)]
pub(super) unsafe fn gather_node<L: Lanes>(sweep: &Sweep<'_, L::Scalar>, node: &Node, g: *mut L::Scalar)
where
    L::Scalar: LaneNumber,
{
    let w = L::WIDTH;
    let rows = sweep.node_rows(node);
    // SAFETY: the node has a vector of rows for each panel, and scratch three vectors (`divide_scratch`).
    unsafe {
        for panel in 0..node.panels {
            let gathered = L::gather(sweep.rows, rows.add(panel * w));
            for c in 0..3 {
                gathered[c].store(g.add((3 * panel + c) * w));
            }
        }
    }
}

/// x = Mᵀ g for a block of columns. How columns are divided into blocks changes no bit; whether the factor comes from memory does.
#[inline(always)]
pub(super) unsafe fn backward_columns<L: Lanes, const FROM_MEMORY: bool>(
    sweep: &Sweep<'_, L::Scalar>,
    node: &Node,
    g: *const L::Scalar,
    first: usize,
    end: usize,
) where
    L::Scalar: LaneNumber,
{
    // SAFETY: the same conditions as for this function.
    unsafe {
        match FROM_MEMORY {
            true => streamed_columns::<L>(sweep, node, g, first, end),
            false => cached_columns::<L>(sweep, node, g, first, end),
        }
    }
}

/// From memory: panels go by in their groups from the last to the first, as they lie, and sums stay in the first-level cache.
#[inline(always)]
unsafe fn streamed_columns<L: Lanes>(
    sweep: &Sweep<'_, L::Scalar>,
    node: &Node,
    g: *const L::Scalar,
    first: usize,
    end: usize,
) where
    L::Scalar: LaneNumber,
{
    let w = L::WIDTH;
    let values = sweep.node_values(node);
    // SAFETY: of the block `end − first` sums are made, at most as many as it has, before they are read; g has three
    // vectors for each panel, and columns from `first` to `end` are the caller's.
    unsafe {
        // Only as many sums as there are columns are set to zero.
        let mut block = [const { MaybeUninit::<[L; 3]>::uninit() }; COLUMN_BLOCK];
        for sum in &mut block[..end - first] {
            sum.write([L::zero(); 3]);
        }
        let sums = std::slice::from_raw_parts_mut(block.as_mut_ptr().cast::<[L; 3]>(), end - first);
        let triangle = node.triangular_panels(w);
        let mut panel = node.panels;
        while panel > triangle {
            let group = node.group_before(panel, w);
            panel -= group;
            group_sums::<L>(node, values, (panel, group), g, first, sums);
        }
        // Panels of the triangle before this block store none of its columns.
        while panel > first / w {
            panel -= 1;
            triangle_sums::<L>(node, values, panel, g, first, sums);
        }
        let out = sweep.rows.add(4 * (node.start + first));
        for (j, sum) in sums.iter().enumerate() {
            L::store_sums(*sum, out.add(4 * j));
        }
    }
}

/// The same from a cache: a few columns at a time over all panels, their sums in registers. In memory order a column's panels lie apart.
///
/// # Safety
/// `first` is a multiple of a vector's width.
#[inline(always)]
unsafe fn cached_columns<L: Lanes>(
    sweep: &Sweep<'_, L::Scalar>,
    node: &Node,
    g: *const L::Scalar,
    first: usize,
    end: usize,
) where
    L::Scalar: LaneNumber,
{
    let mut column = first;
    // SAFETY: columns taken together end before `end`, and begin at a multiple of their number, so that a panel of the
    // triangle has all or none of them.
    unsafe {
        while column + 4 <= end {
            columns_together::<L, 4>(sweep, node, g, column);
            column += 4;
        }
        if column + 2 <= end {
            columns_together::<L, 2>(sweep, node, g, column);
            column += 2;
        }
        if column < end {
            columns_together::<L, 1>(sweep, node, g, column);
        }
    }
}

/// x = Mᵀ g for `C` columns: four fill the registers. A panel of the triangle that stores the first of them stores them all.
#[inline(always)]
unsafe fn columns_together<L: Lanes, const C: usize>(
    sweep: &Sweep<'_, L::Scalar>,
    node: &Node,
    g: *const L::Scalar,
    column: usize,
) where
    L::Scalar: LaneNumber,
{
    let w = L::WIDTH;
    // SAFETY: panels from that of the first column on have all C columns; values lie as `panel_offset` says, and g has
    // three vectors for each panel. These columns are the caller's.
    unsafe {
        let mut sums = [[L::zero(); 3]; C];
        let triangle = node.triangular_panels(w);
        let mut panel = column / w;
        let mut values = sweep.node_values(node).add(node.panel_offset(panel, w));
        while panel < triangle {
            add_panels::<L, C, 1>(values.add(column * w), g.add(3 * panel * w), &mut sums);
            panel += 1;
            values = values.add(panel * w * w);
        }
        while panel < node.panels {
            let group = node.group_from(panel);
            let (own, rows) = (values.add(group * column * w), g.add(3 * panel * w));
            match group {
                4 => add_panels::<L, C, 4>(own, rows, &mut sums),
                3 => add_panels::<L, C, 3>(own, rows, &mut sums),
                2 => add_panels::<L, C, 2>(own, rows, &mut sums),
                _ => add_panels::<L, C, 1>(own, rows, &mut sums),
            }
            panel += group;
            values = values.add(group * node.columns * w);
        }
        let out = sweep.rows.add(4 * (node.start + column));
        for (j, sum) in sums.iter().enumerate() {
            L::store_sums(*sum, out.add(4 * j));
        }
    }
}

/// Adds the products of a group of `P` panels with their rows to the sums of `C` columns, lane by lane.
#[inline(always)]
unsafe fn add_panels<L: Lanes, const C: usize, const P: usize>(
    values: *const L::Scalar,
    g: *const L::Scalar,
    sums: &mut [[L; 3]; C],
) {
    let w = L::WIDTH;
    // SAFETY: P panels have C vectors of values each and three of g, as the caller promises.
    unsafe {
        for p in 0..P {
            let rows = [L::load(g.add(3 * p * w)), L::load(g.add((3 * p + 1) * w)), L::load(g.add((3 * p + 2) * w))];
            for j in 0..C {
                let l = L::load(values.add((j * P + p) * w));
                for c in 0..3 {
                    sums[j][c] = l.mul_add(rows[c], sums[j][c]);
                }
            }
        }
    }
}

/// [`column_sums`] of a panel of the triangle, for columns from `first` on.
#[inline(always)]
unsafe fn triangle_sums<L: Lanes>(
    node: &Node,
    values: *const L::Scalar,
    panel: usize,
    g: *const L::Scalar,
    first: usize,
    sums: &mut [[L; 3]],
) {
    let w = L::WIDTH;
    let stored = sums.len().min((panel + 1) * w - first);
    // SAFETY: a panel of the triangle has columns up to its last row, and `stored` ends there.
    unsafe {
        let block = values.add(node.panel_offset(panel, w) + first * w);
        column_sums::<L, 1>(block, g.add(3 * panel * w), &mut sums[..stored]);
    }
}

/// [`column_sums`] of a group of panels, given by its first and their number, for columns from `first` on.
#[inline(always)]
unsafe fn group_sums<L: Lanes>(
    node: &Node,
    values: *const L::Scalar,
    (panel, group): (usize, usize),
    g: *const L::Scalar,
    first: usize,
    sums: &mut [[L; 3]],
) {
    let w = L::WIDTH;
    // SAFETY: a group has all columns, from `first` on as many as there are sums.
    unsafe {
        let block = values.add(node.panel_offset(panel, w) + group * first * w);
        let g = g.add(3 * panel * w);
        match group {
            4 => column_sums::<L, 4>(block, g, sums),
            3 => column_sums::<L, 3>(block, g, sums),
            2 => column_sums::<L, 2>(block, g, sums),
            _ => column_sums::<L, 1>(block, g, sums),
        }
    }
}

/// Adds the products of a group of `P` panels with their rows to the sums of columns, lane by lane.
#[inline(always)]
unsafe fn column_sums<L: Lanes, const P: usize>(values: *const L::Scalar, g: *const L::Scalar, sums: &mut [[L; 3]]) {
    let w = L::WIDTH;
    // SAFETY: there are P vectors of values for each sum and three of g for each panel, as the caller promises; j is
    // below the number of sums.
    unsafe {
        let mut rows = [[L::zero(); 3]; P];
        for p in 0..P {
            for c in 0..3 {
                rows[p][c] = L::load(g.add((3 * p + c) * w));
            }
        }
        let mut j = sums.len();
        while j > 0 {
            j -= 1;
            let sum = &mut *sums.as_mut_ptr().add(j);
            for p in 0..P {
                let l = L::load(values.add((j * P + p) * w));
                for c in 0..3 {
                    sum[c] = l.mul_add(rows[p][c], sum[c]);
                }
            }
        }
    }
}
