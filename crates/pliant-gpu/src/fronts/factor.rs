//! The numbers of fronts, in f64 on the CPU.
//!
//! A front has the block F of its columns c and rows m: its own entries of the matrix, and what its children left. With S = F_cc it keeps S⁻¹ and
//! T = S⁻¹ F_cm, and leaves F_mm − F_mc T to its parent. A solve is then a product with dense blocks at every front: forward u = f_m − Tᵀ f_c, backward
//! x_c = S⁻¹ f_c − T x_m, without any triangle that would have to be followed entry by entry.

use faer::linalg::matmul::matmul;
use faer::linalg::solvers::{Llt, Solve};
use faer::{Accum, Mat, Par, Side};
use pliant::sparse::SymmetricMatrix;
use rayon::prelude::*;

use super::tree::{Front, Fronts};
use crate::error::GpuError;

/// Columns of a large front that a thread takes at a time.
const TOGETHER: usize = 96;
/// Columns and rows from which a front is shared between threads.
const LARGE: usize = 768;
/// Numbers of fronts that wait to be taken away at the same time.
const MOST_WAITING: usize = 48 << 20;

/// What a front keeps.
#[derive(Debug)]
pub(crate) struct Numbers {
    /// S⁻¹, c × c.
    pub(crate) inverse: Mat<f64>,
    /// T, c × m.
    pub(crate) transfer: Mat<f64>,
}

/// Entries of the matrix in columns of the order of elimination: each with its later row.
struct Entries {
    starts: Vec<u32>,
    list: Vec<(u32, f64)>,
}

impl Entries {
    fn new(fronts: &Fronts, matrix: &SymmetricMatrix) -> Self {
        let (pattern, places) = (matrix.pattern(), &fronts.places);
        let all = || {
            let columns = (0..pattern.size()).flat_map(|j| pattern.column(j).map(move |k| (k, j)));
            columns.map(|(k, j)| {
                let (a, b) = (places[pattern.rows()[k] as usize], places[j]);
                (a.min(b), a.max(b), matrix.values()[k])
            })
        };
        let mut starts = vec![0u32; pattern.size() + 1];
        all().for_each(|(column, ..)| starts[column as usize + 1] += 1);
        (0..pattern.size()).for_each(|j| starts[j + 1] += starts[j]);
        let (mut next, mut list) = (starts.clone(), vec![(0, 0.0); starts[pattern.size()] as usize]);
        for (column, row, value) in all() {
            list[next[column as usize] as usize] = (row, value);
            next[column as usize] += 1;
        }
        Self { starts, list }
    }

    fn of(&self, column: usize) -> &[(u32, f64)] {
        &self.list[self.starts[column] as usize..self.starts[column + 1] as usize]
    }
}

/// Factors a matrix, level by level from below, and hands over the numbers of some fronts of a level at a time, in order.
pub(crate) fn factorise(
    fronts: &Fronts,
    matrix: &SymmetricMatrix,
    mut take: impl FnMut(&[u32], Vec<Numbers>) -> Result<(), GpuError>,
) -> Result<(), GpuError> {
    let entries = Entries::new(fronts, matrix);
    // What fronts have left to their parents.
    let mut left: Vec<Option<Mat<f64>>> = fronts.fronts.iter().map(|_| None).collect();
    for level in fronts.levels.iter().rev() {
        for part in parts(fronts, level) {
            let done: Vec<(Numbers, Mat<f64>)> =
                part.par_iter().map(|&k| eliminate(fronts, k, &entries, &left)).collect::<Result<_, _>>()?;
            let mut numbers = Vec::with_capacity(done.len());
            for (&k, (own, rest)) in part.iter().zip(done) {
                fronts.fronts[k as usize].children.iter().for_each(|&child| left[child as usize] = None);
                left[k as usize] = Some(rest);
                numbers.push(own);
            }
            take(part, numbers)?;
        }
    }
    Ok(())
}

/// A level in parts that fit into memory beside each other.
fn parts<'a>(fronts: &Fronts, level: &'a [u32]) -> Vec<&'a [u32]> {
    let size = |k: u32| {
        let Front { columns, rows, .. } = &fronts.fronts[k as usize];
        columns * (columns + rows.len())
    };
    let (mut parts, mut begin, mut waiting) = (Vec::new(), 0, 0);
    for (at, &k) in level.iter().enumerate() {
        if waiting + size(k) > MOST_WAITING && at > begin {
            parts.push(&level[begin..at]);
            (begin, waiting) = (at, 0);
        }
        waiting += size(k);
    }
    parts.push(&level[begin..]);
    parts
}

/// One front: what it keeps, and what it leaves to its parent.
fn eliminate(
    fronts: &Fronts,
    number: u32,
    entries: &Entries,
    left: &[Option<Mat<f64>>],
) -> Result<(Numbers, Mat<f64>), GpuError> {
    let front = &fronts.fronts[number as usize];
    let (c, m) = (front.columns, front.rows.len());
    let [mut own, mut beside, mut rest] =
        [(c, c), (c, m), (m, m)].map(|(rows, columns)| Mat::<f64>::zeros(rows, columns));
    for j in 0..c {
        for &(row, value) in entries.of(front.first + j) {
            match front.index_of(row) {
                i if i < c => own[(i, j)] += value,
                i => beside[(j, i - c)] += value,
            }
        }
    }
    for &child in &front.children {
        let Some(block) = &left[child as usize] else { continue };
        let at: Vec<usize> = fronts.fronts[child as usize].rows.iter().map(|&row| front.index_of(row)).collect();
        // Rows ascend, so those that are columns here come first. Lower triangles are what counts.
        for (j, &column) in at.iter().enumerate() {
            let values = &block.col_as_slice(j)[j..];
            for (&row, &value) in at[j..].iter().zip(values) {
                match (column < c, row < c) {
                    (true, true) => own[(row, column)] += value,
                    (true, false) => beside[(column, row - c)] += value,
                    (false, _) => rest[(row - c, column - c)] += value,
                }
            }
        }
    }
    let factor = own.llt(Side::Lower).map_err(|error| {
        let faer::linalg::solvers::LltError::NonPositivePivot { index } = error;
        let unknown = fronts.order[front.first + index.min(c.saturating_sub(1))] as usize;
        GpuError::NotPositiveDefinite { unknown, count: fronts.order.len() }
    })?;
    let mut inverse = Mat::identity(c, c);
    solve_columns(&factor, &mut inverse);
    let mut transfer = beside.clone();
    solve_columns(&factor, &mut transfer);
    subtract_products(&beside, &transfer, &mut rest);
    Ok((Numbers { inverse, transfer }, rest))
}

/// Solves for all columns, side by side where there is much to do.
fn solve_columns(factor: &Llt<f64>, columns: &mut Mat<f64>) {
    if columns.nrows() == 0 || columns.ncols() == 0 {
        return;
    }
    if columns.nrows() + columns.ncols() < LARGE {
        return factor.solve_in_place(columns.as_mut());
    }
    chunks(columns).into_par_iter().for_each(|(_, part)| factor.solve_in_place(part));
}

/// R −= Bᵀ T, of which the lower triangle counts.
fn subtract_products(beside: &Mat<f64>, transfer: &Mat<f64>, rest: &mut Mat<f64>) {
    let (c, m) = (beside.nrows(), beside.ncols());
    if c == 0 || m == 0 {
        return;
    }
    let work = |(first, part): (usize, faer::MatMut<'_, f64>)| {
        let columns = transfer.as_ref().subcols(first, part.ncols());
        let rows = beside.as_ref().subcols(first, m - first);
        let part = part.subrows_mut(first, m - first);
        matmul(part, Accum::Add, rows.transpose(), columns, -1.0, Par::Seq);
    };
    if c + m < LARGE { chunks(rest).into_iter().for_each(work) } else { chunks(rest).into_par_iter().for_each(work) }
}

/// Columns of a matrix in chunks, each with its first.
fn chunks(matrix: &mut Mat<f64>) -> Vec<(usize, faer::MatMut<'_, f64>)> {
    let mut rest = matrix.as_mut();
    let (mut chunks, mut first) = (Vec::new(), 0);
    while rest.ncols() > 0 {
        let count = TOGETHER.min(rest.ncols());
        let (part, after) = rest.split_at_col_mut(count);
        chunks.push((first, part));
        (rest, first) = (after, first + count);
    }
    chunks
}
