//! Sparse Cholesky factorisation: ordering, symbolic analysis, numeric factor and solve.
//!
//! This is the only file that uses the library behind it (faer). Its factor is repacked for the projective solver's many
//! solves by [`PackedFactor`](super::PackedFactor). Where instructions are the portable ones, the numbers are our own
//! ([`supernodal`]).

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::LltError;
use faer::perm::PermRef;
use faer::sparse::linalg::SupernodalThreshold;
use faer::sparse::linalg::amd;
use faer::sparse::linalg::cholesky::{
    CholeskySymbolicParams, LltRef, SymbolicCholesky, SymbolicCholeskyRaw, SymmetricOrdering,
    factorize_symbolic_cholesky, supernodal::SymbolicSupernodalCholesky,
};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMatRef};
use faer::{Conj, MatMut, MatRef, Par, Side};

use super::FactorError;
use super::ordering::{Graph, nested_dissection};
use super::supernodal::{self, Plan, Room};
use super::update::{Places, Scratch, State};
use super::{SymmetricMatrix, SymmetricPattern};
use crate::math::{Vec3, instructions};
use crate::parallel;

/// Bodies that are not connected are factored apart, but small ones together: each analysis has a cost of its own.
const PART_SIZE: usize = 2_000;

/// A part of the matrix that is not connected to the others.
#[derive(Debug)]
pub(super) struct Part {
    /// Unknown of the whole matrix for each of the part's own.
    pub(super) unknowns: Vec<u32>,
    /// Upper triangle by columns, and for each entry its place in the whole matrix.
    pub(super) column_starts: Vec<u32>,
    pub(super) rows: Vec<u32>,
    entries: Vec<u32>,
    symbolic: SymbolicCholesky<u32>,
    /// Made by the first factorisation that needs it.
    plan: OnceLock<Plan>,
}

/// Fill-reducing ordering and symbolic analysis, reused by every factorisation with the same pattern.
#[derive(Debug, Clone)]
pub struct Analysis {
    pub(super) size: usize,
    pub(super) parts: Arc<Vec<Part>>,
    /// Made by the first update of a factor.
    pub(super) places: Arc<OnceLock<Places>>,
}

impl Analysis {
    /// Analyses the pattern of a scalar matrix, ordered by minimum degree.
    pub fn new(pattern: &SymmetricPattern) -> Result<Self, FactorError> {
        Self::from_upper_columns(pattern.column_starts().to_vec(), pattern.rows().to_vec())
    }

    /// Analyses the pattern of a scalar matrix with unknowns at positions in space, ordered by nested dissection: less
    /// fill on solids and large cloth, and an elimination tree that threads can share. Parts that are not connected are
    /// analysed, and later factored, in parallel.
    pub fn with_positions(pattern: &SymmetricPattern, positions: &[Vec3]) -> Result<Self, FactorError> {
        assert_eq!(pattern.size(), positions.len(), "unknowns of the pattern and their positions");
        let size = pattern.size();
        let components = Graph::new(pattern).members();
        let mut groups: Vec<Vec<u32>> = Vec::new();
        for component in components {
            match groups.last_mut() {
                Some(last) if last.len() + component.len() <= PART_SIZE => last.extend(component),
                _ => groups.push(component),
            }
        }
        let mut local = vec![0u32; size];
        for unknowns in &groups {
            unknowns.iter().enumerate().for_each(|(k, &v)| local[v as usize] = k as u32);
        }
        let parts = parallel::map(groups, &|unknowns| Part::dissected(pattern, positions, unknowns, &local));
        Ok(Self::of_parts(size, parts.into_iter().collect::<Result<_, _>>()?))
    }

    /// Analyses an upper triangle given by columns.
    pub(super) fn from_upper_columns(column_starts: Vec<u32>, rows: Vec<u32>) -> Result<Self, FactorError> {
        let size = column_starts.len() - 1;
        let symbolic = analyse(&column_starts, &rows, SymmetricOrdering::Amd)?;
        let entries = (0..rows.len() as u32).collect();
        let part = Part {
            unknowns: (0..size as u32).collect(),
            column_starts,
            rows,
            entries,
            symbolic,
            plan: OnceLock::new(),
        };
        Ok(Self::of_parts(size, vec![part]))
    }

    fn of_parts(size: usize, parts: Vec<Part>) -> Self {
        Self { size, parts: Arc::new(parts), places: Arc::default() }
    }

    /// Multiplications and additions of a numeric factorisation and of packing its result, up to a factor.
    pub fn factor_work(&self) -> f64 {
        let works = self.parts.iter().flat_map(|part| {
            (0..part.supernode_count()).map(|s| {
                let columns = part.columns(s).len() as f64;
                let height = columns + part.below(s).len() as f64;
                columns * height * (columns + height)
            })
        });
        works.sum()
    }
}

fn analyse(
    column_starts: &[u32],
    rows: &[u32],
    ordering: SymmetricOrdering<'_, u32>,
) -> Result<SymbolicCholesky<u32>, FactorError> {
    let size = column_starts.len() - 1;
    let upper = SymbolicSparseColMatRef::new_checked(size, size, column_starts, None, rows);
    // Forced supernodal: on the matrices of cloth and solids it is never slower, and it keeps one code path.
    // Below zero, since the library's own constant leaves diagonal matrices out: they take no operations, which is not above it.
    let params =
        CholeskySymbolicParams { supernodal_flop_ratio_threshold: SupernodalThreshold(-1.0), ..Default::default() };
    factorize_symbolic_cholesky(upper, Side::Upper, ordering, params)
        .map_err(|error| FactorError::TooLarge { size, reason: format!("{error:?}") })
}

/// Minimum-degree order of an upper triangle given by columns.
pub(super) fn minimum_degree(column_starts: &[u32], rows: &[u32]) -> Vec<u32> {
    let size = column_starts.len() - 1;
    let upper = SymbolicSparseColMatRef::new_checked(size, size, column_starts, None, rows);
    let (mut order, mut inverse) = (vec![0u32; size], vec![0u32; size]);
    let mut scratch = MemBuffer::new(amd::order_scratch::<u32>(size, rows.len()));
    // It fails only when indices overflow, which an order of its own cannot repair: any order is right, none is faster.
    if amd::order(&mut order, &mut inverse, upper, Default::default(), MemStack::new(&mut scratch)).is_err() {
        order = (0..size as u32).collect();
    }
    order
}

impl Part {
    /// The part over some unknowns; `local` numbers the unknowns within their parts.
    fn dissected(
        pattern: &SymmetricPattern,
        positions: &[Vec3],
        unknowns: Vec<u32>,
        local: &[u32],
    ) -> Result<Self, FactorError> {
        let (mut column_starts, mut rows, mut entries) = (vec![0u32], Vec::new(), Vec::new());
        for &v in &unknowns {
            let before = rows.len();
            for k in pattern.column(v as usize) {
                rows.push(local[pattern.rows()[k] as usize]);
                entries.push(k as u32);
            }
            // Ascending unknowns have ascending numbers within each component, and columns stay within theirs.
            debug_assert!(rows[before..].is_sorted());
            column_starts.push(rows.len() as u32);
        }
        let own = SymmetricPattern::from_columns(column_starts.clone(), rows.clone());
        let positions: Vec<Vec3> = unknowns.iter().map(|&v| positions[v as usize]).collect();
        let order = nested_dissection(&Graph::new(&own), &positions);
        let mut inverse = vec![0u32; order.len()];
        order.iter().enumerate().for_each(|(k, &v)| inverse[v as usize] = k as u32);
        let ordering = SymmetricOrdering::Custom(PermRef::new_checked(&order, &inverse, order.len()));
        let symbolic = analyse(&column_starts, &rows, ordering)?;
        Ok(Self { unknowns, column_starts, rows, entries, symbolic, plan: OnceLock::new() })
    }

    pub(super) fn size(&self) -> usize {
        self.unknowns.len()
    }

    /// Room for a factor.
    fn room(&self) -> PartFactor {
        PartFactor { values: vec![0.0; self.symbolic.len_val()], own: Vec::new(), scratch: None, room: Room::default() }
    }

    fn factor(&self, upper: &[f64], whole: usize, factor: &mut PartFactor) -> Result<(), FactorError> {
        let (size, symbolic) = (self.size(), &self.symbolic);
        let PartFactor { values, own, scratch, room } = factor;
        own.clear();
        own.extend(self.entries.iter().map(|&k| upper[k as usize]));
        let not_positive = |pivot| FactorError::NotPositiveDefinite { pivot, size: whole };
        if instructions::are_portable() {
            let plan = self.plan.get_or_init(|| Plan::new(self));
            return supernodal::factor(self, plan, own, values, room).map_err(not_positive);
        }
        let pattern = SymbolicSparseColMatRef::new_checked(size, size, &self.column_starts, None, &self.rows);
        let scratch = scratch.get_or_insert_with(|| {
            MemBuffer::new(symbolic.factorize_numeric_llt_scratch::<f64>(Par::Seq, Default::default()))
        });
        symbolic
            .factorize_numeric_llt(
                values,
                SparseColMatRef::new(pattern, &own[..]),
                Side::Upper,
                Default::default(),
                Par::Seq,
                MemStack::new(scratch),
                Default::default(),
            )
            .map_err(|LltError::NonPositivePivot { index }| not_positive(index))?;
        Ok(())
    }

    /// Solves for some columns, given the values of L.
    fn solve_columns<T>(
        &self,
        values: &[f64],
        count: usize,
        rhs: &mut [T],
        (scratch, columns): (&mut MemBuffer, &mut Vec<f64>),
        read: impl Fn(&T, usize) -> f64,
        write: impl Fn(&mut T, usize, f64),
    ) {
        let size = self.size();
        columns.clear();
        if instructions::are_portable() {
            let unknown = |k: usize| self.unknowns[self.eliminated(k)] as usize;
            columns.resize(2 * size, 0.0);
            let (column, rows) = columns.split_at_mut(size);
            for c in 0..count {
                (0..size).for_each(|k| column[k] = read(&rhs[unknown(k)], c));
                supernodal::solve(self, values, column, rows);
                (0..size).for_each(|k| write(&mut rhs[unknown(k)], c, column[k]));
            }
            return;
        }
        for c in 0..count {
            columns.extend(self.unknowns.iter().map(|&v| read(&rhs[v as usize], c)));
        }
        LltRef::new(&self.symbolic, values).solve_in_place_with_conj(
            Conj::No,
            MatMut::from_column_major_slice_mut(columns, size, count),
            Par::Seq,
            MemStack::new(scratch),
        );
        for (k, &v) in self.unknowns.iter().enumerate() {
            (0..count).for_each(|c| write(&mut rhs[v as usize], c, columns[c * size + k]));
        }
    }

    /// What the analysis found; it is forced to be supernodal.
    fn raw(&self) -> &SymbolicSupernodalCholesky<u32> {
        match self.symbolic.raw() {
            SymbolicCholeskyRaw::Supernodal(raw) => raw,
            SymbolicCholeskyRaw::Simplicial(_) => unreachable!("the analysis forces supernodes"),
        }
    }

    pub(super) fn supernode_count(&self) -> usize {
        self.raw().n_supernodes()
    }

    /// Columns of a supernode, in the part's own order of elimination.
    pub(super) fn columns(&self, supernode: usize) -> Range<usize> {
        let raw = self.raw();
        raw.supernode_begin()[supernode] as usize..raw.supernode_end()[supernode] as usize
    }

    /// Rows of a supernode below its diagonal block, ascending.
    pub(super) fn below(&self, supernode: usize) -> &[u32] {
        self.raw().supernode(supernode).pattern()
    }

    /// Numbers of each column of a supernode.
    pub(super) fn height(&self, supernode: usize) -> usize {
        self.columns(supernode).len() + self.below(supernode).len()
    }

    /// Which of the part's unknowns is eliminated k-th.
    pub(super) fn eliminated(&self, k: usize) -> usize {
        self.symbolic.perm().map_or(k, |perm| perm.arrays().0[k] as usize)
    }

    /// Where the numbers of a supernode are.
    pub(super) fn stretch(&self, supernode: usize) -> Range<usize> {
        let starts = self.raw().col_ptr_for_val();
        starts[supernode] as usize..starts[supernode + 1] as usize
    }

    fn supernode<'a>(&'a self, supernode: usize, values: &'a [f64]) -> Supernode<'a> {
        let Range { start: begin, end } = self.columns(supernode);
        Supernode { begin, end, below: self.below(supernode), values: &values[self.stretch(supernode)] }
    }

    /// Unknown of the whole matrix that is eliminated k-th within this part.
    pub(super) fn order(&self) -> Vec<u32> {
        (0..self.size()).map(|k| self.unknowns[self.eliminated(k)]).collect()
    }
}

/// Neighbouring columns of L with one pattern below the diagonal.
pub(super) struct Supernode<'a> {
    /// First column.
    pub(super) begin: usize,
    /// One past the last column.
    pub(super) end: usize,
    /// Rows below the diagonal block, ascending.
    pub(super) below: &'a [u32],
    /// Diagonal block and rows below it, column by column; above the diagonal undefined.
    pub(super) values: &'a [f64],
}

/// The values of L for a part, and what computing them took.
struct PartFactor {
    values: Vec<f64>,
    /// The part's own entries of A.
    own: Vec<f64>,
    scratch: Option<MemBuffer>,
    room: Room,
}

/// Room for factors of matrices with one pattern, where a new one comes every iteration.
pub(crate) struct Factors {
    analysis: Analysis,
    parts: Vec<PartFactor>,
    scratch: MemBuffer,
    columns: Vec<f64>,
}

impl std::fmt::Debug for Factors {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Factors").field("size", &self.analysis.size).finish_non_exhaustive()
    }
}

impl Factors {
    pub(crate) fn new(analysis: Analysis) -> Self {
        let parts = analysis.parts.iter().map(Part::room).collect();
        let (scratch, columns) = (solve_scratch(&analysis), Vec::new());
        Self { analysis, parts, scratch, columns }
    }

    /// Factors the values of an analysed upper triangle, over those of the last one.
    pub(crate) fn factor(&mut self, upper: &[f64]) -> Result<(), FactorError> {
        let size = self.analysis.size;
        let parts: Vec<(&Part, &mut PartFactor)> = self.analysis.parts.iter().zip(&mut self.parts).collect();
        let all = parallel::map(parts, &|(part, factor): (&Part, &mut PartFactor)| part.factor(upper, size, factor));
        all.into_iter().collect()
    }

    /// Solves A x = b by the last factor, with one right-hand side.
    pub(crate) fn solve(&mut self, rhs: &mut [f64]) {
        let Self { analysis, parts, scratch, columns } = self;
        for (part, factor) in analysis.parts.iter().zip(parts) {
            part.solve_columns(&factor.values, 1, rhs, (scratch, columns), |value, _| *value, |value, _, x| *value = x);
        }
    }
}

fn solve_scratch(analysis: &Analysis) -> MemBuffer {
    let scratch = analysis.parts.iter().map(|part| part.symbolic.solve_in_place_scratch::<f64>(3, Par::Seq));
    MemBuffer::new(scratch.reduce(|a, b| a.or(b)).unwrap_or(faer::dyn_stack::StackReq::EMPTY))
}

/// A factor P A Pᵀ = L Lᵀ, ready to solve.
pub struct Cholesky {
    pub(super) analysis: Analysis,
    /// Values of L for each part.
    pub(super) values: Vec<Vec<f64>>,
    scratch: MemBuffer,
    columns: Vec<f64>,
    pub(super) update_scratch: Scratch,
    pub(super) state: State,
}

impl std::fmt::Debug for Cholesky {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let entries: usize = self.values.iter().map(Vec::len).sum();
        f.debug_struct("Cholesky").field("size", &self.analysis.size).field("entries", &entries).finish()
    }
}

impl Cholesky {
    /// Factors a matrix with a pattern that was analysed.
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
        let Factors { analysis, parts, scratch, columns } = {
            let mut factors = Factors::new(analysis.clone());
            factors.factor(upper)?;
            factors
        };
        let values = parts.into_iter().map(|part| part.values).collect();
        Ok(Self { analysis, values, scratch, columns, update_scratch: Scratch::default(), state: State::new() })
    }

    /// Number of unknowns.
    pub(super) fn size(&self) -> usize {
        self.analysis.size
    }

    /// Order of elimination of the whole matrix, part by part, with the supernodes of each part.
    pub(super) fn parts(&self) -> impl Iterator<Item = (Vec<u32>, Vec<Supernode<'_>>)> {
        self.analysis.parts.iter().zip(&self.values).map(|(part, values)| {
            (part.order(), (0..part.supernode_count()).map(|s| part.supernode(s, values)).collect())
        })
    }

    /// One supernode of one part.
    pub(super) fn supernode(&self, part: usize, supernode: usize) -> Supernode<'_> {
        self.analysis.parts[part].supernode(supernode, &self.values[part])
    }

    /// Its analysis.
    pub fn analysis(&self) -> &Analysis {
        &self.analysis
    }

    /// Solves A x = b for the three coordinates at once; `rhs` holds b and becomes x.
    pub fn solve(&mut self, rhs: &mut [Vec3]) {
        self.solve_columns(3, rhs, |value, c| value[c], |value, c, x| value[c] = x);
    }

    /// Solves A x = b with one right-hand side.
    pub fn solve_scalars(&mut self, rhs: &mut [f64]) {
        self.solve_columns(1, rhs, |value, _| *value, |value, _, x| *value = x);
    }

    fn solve_columns<T>(
        &mut self,
        count: usize,
        rhs: &mut [T],
        read: impl Fn(&T, usize) -> f64,
        write: impl Fn(&mut T, usize, f64),
    ) {
        debug_assert_eq!(rhs.len(), self.analysis.size);
        let Self { analysis, values, scratch, columns, .. } = self;
        for (part, values) in analysis.parts.iter().zip(values) {
            part.solve_columns(values, count, rhs, (scratch, columns), &read, &write);
        }
    }
}

/// Turns [L₁₁; L₂₁] into [L₁₁⁻¹; −L₂₁L₁₁⁻¹], both column by column with `columns` columns of `height` numbers; what is above
/// the diagonal becomes zero. `scratch` is reused from call to call.
pub(super) fn invert_supernode(block: &mut [f64], columns: usize, height: usize, scratch: &mut Vec<f64>) {
    scratch.clear();
    // Below this width the library's blocking costs more than it saves.
    const SMALL: usize = 24;
    if columns <= SMALL || instructions::are_portable() {
        scratch.resize(columns, 0.0);
        return supernodal::invert_in_place(block, columns, height, scratch);
    }
    scratch.resize(columns * columns, 0.0);
    let mut below = MatMut::from_column_major_slice_mut(block, height, columns);
    {
        let (diagonal, below) = below.as_mut().split_at_row_mut(columns);
        faer::linalg::triangular_solve::solve_upper_triangular_in_place(
            diagonal.as_ref().transpose(),
            below.transpose_mut(),
            Par::Seq,
        );
    }
    let inverse = MatMut::from_column_major_slice_mut(&mut scratch[..], columns, columns);
    let diagonal: MatRef<'_, f64> = below.as_ref().subrows(0, columns);
    faer::linalg::triangular_inverse::invert_lower_triangular(inverse, diagonal, Par::Seq);
    for j in 0..columns {
        let column = &mut block[j * height..(j + 1) * height];
        column[..j].fill(0.0);
        column[j..columns].copy_from_slice(&scratch[j * columns + j..(j + 1) * columns]);
        column[columns..].iter_mut().for_each(|value| *value = -*value);
    }
}

#[cfg(test)]
#[path = "cholesky_tests.rs"]
mod tests;
