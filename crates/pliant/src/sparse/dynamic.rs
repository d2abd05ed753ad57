//! A factored matrix that changes: constraints are added and removed.
//!
//! A batch of changes A ± v vᵀ becomes rank-one updates of the factor or one numeric factorisation, whichever takes
//! less time by a count of operations: the numbers on the paths of the vectors against the operations of a
//! factorisation. The decision does not depend on a clock, so a run repeats bit for bit. Additions come first: then
//! every intermediate matrix is at least the last one, so if the result of a batch is positive definite, all
//! intermediate matrices are.

use thiserror::Error;

use super::{
    Analysis, Cholesky, FactorError, PackedFactor, Precision, Repacked, SymmetricMatrix, Touched, Update, UpdateError,
    update::State,
};
use crate::math::Vec3;

/// Operations of a factorisation that take as long as the update of one number, its share of the packed factor included. `pliant-bench
/// updates` found 7 on the curtain, 10 and 18 on bars of 1k and 10k vertices, on one machine.
const OPERATIONS_PER_NUMBER: f64 = 10.0;
/// Updates after which the factor is made anew all the same: each adds its rounding to those before.
const MOST_UPDATES: usize = 2_000;

/// A term v vᵀ that is added or removed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MatrixChange<'a> {
    /// Entries of v: unknown and value.
    pub vector: &'a [(u32, f64)],
    /// Whether it is added or removed.
    pub update: Update,
}

/// Why a factor was computed again instead of being updated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refactorised {
    /// The updates would have taken longer.
    ManyChanges,
    /// There were so many updates since the last factorisation that rounding errors would add up.
    ManyUpdates,
    /// A downdate was rejected: its pivots would have lost their precision.
    WeakPivot,
}

/// What was done for a batch of changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ChangeReport {
    /// Rank-one updates made.
    pub updates: usize,
    /// Columns of the factor that they changed, counted once for each update.
    pub columns: usize,
    /// Why the factor was computed again, if it was.
    pub refactorised: Option<Refactorised>,
    /// What was done to the packed factor; nothing if it was filled again as a whole.
    pub repacked: Repacked,
}

/// Totals over all batches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ChangeTotals {
    /// Batches with at least one change.
    pub batches: usize,
    /// Rank-one updates made.
    pub updates: usize,
    /// Factorisations, without the first.
    pub factorisations: usize,
    /// Those of them that followed a rejected downdate.
    pub weak_pivots: usize,
}

/// Why changes were rejected. Matrix and factor are unchanged; the factor may differ by rounding if the result had to
/// be factored to find out that it is not positive definite.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum ChangeError {
    /// A vector does not fit the matrix.
    #[error("change {change}: {reason}")]
    Vector {
        /// Which change of the batch.
        change: usize,
        /// What is wrong with its vector.
        reason: UpdateError,
    },
    /// The changed matrix could not be factored.
    #[error("the changed matrix cannot be factored: {0}")]
    Factor(#[from] FactorError),
}

/// A symmetric positive definite matrix with its factor, both as [`Cholesky`] and packed, under changes of rank one.
///
/// ```
/// use std::sync::Arc;
/// use pliant::math::Vec3;
/// use pliant::sparse::{Analysis, MatrixChange, DynamicFactor, Precision, SymmetricMatrix, SymmetricPattern, Update};
///
/// // Three masses of 1 in a row, springs of stiffness 4 between them.
/// let pattern = Arc::new(SymmetricPattern::new(3, [(0, 1), (1, 2)].into_iter()));
/// let mut matrix = SymmetricMatrix::zero(pattern.clone());
/// (0..3).for_each(|i| matrix.add_diagonal(i, 1.0));
/// for (k, (i, j)) in [(0, 1), (1, 2)].into_iter().enumerate() {
///     matrix.add(k, -4.0);
///     matrix.add_diagonal(i, 4.0);
///     matrix.add_diagonal(j, 4.0);
/// }
/// let mut system = DynamicFactor::new(&Analysis::new(&pattern)?, matrix, Precision::Double)?;
/// // The first spring tears while the last mass touches a wall of stiffness 9.
/// let tear = MatrixChange { vector: &[(0, 2.0), (1, -2.0)], update: Update::Remove };
/// let touch = MatrixChange { vector: &[(2, 3.0)], update: Update::Add };
/// let report = system.apply(&[tear, touch])?;
/// assert!(report.updates == 2 || report.refactorised.is_some());
/// let mut x = [Vec3::splat(7.0), Vec3::splat(1.0), Vec3::splat(10.0)];
/// system.solve(&mut x);
/// for (x, expected) in x.iter().zip([7.0, 1.0, 1.0]) {
///     assert!((*x - Vec3::splat(expected)).length() < 1e-13);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct DynamicFactor {
    matrix: SymmetricMatrix,
    factor: Cholesky,
    packed: PackedFactor,
    factor_work: f64,
    /// Since the last factorisation.
    updates: usize,
    totals: ChangeTotals,
    origin: Option<Origin>,
}

/// What a system can return to.
struct Origin {
    matrix: SymmetricMatrix,
    values: Vec<Vec<f64>>,
    state: State,
    /// Updates since then, as long as no factorisation came between.
    since: Vec<Touched>,
    is_refactorised: bool,
}

impl std::fmt::Debug for Origin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Origin").field("since", &self.since.len()).finish_non_exhaustive()
    }
}

impl DynamicFactor {
    /// Factors a matrix whose pattern was analysed.
    pub fn new(analysis: &Analysis, matrix: SymmetricMatrix, precision: Precision) -> Result<Self, FactorError> {
        let factor = Cholesky::new(analysis, &matrix)?;
        let packed = PackedFactor::new(&factor, precision);
        let factor_work = analysis.factor_work();
        Ok(Self { matrix, factor, packed, factor_work, updates: 0, totals: ChangeTotals::default(), origin: None })
    }

    /// Makes a batch of changes with the method that should take the least time.
    pub fn apply(&mut self, changes: &[MatrixChange<'_>]) -> Result<ChangeReport, ChangeError> {
        let mut work = 0;
        for (change, c) in changes.iter().enumerate() {
            let own = self.factor.update_work(c.vector);
            work += own.map_err(|reason| ChangeError::Vector { change, reason })?;
        }
        if changes.is_empty() {
            return Ok(ChangeReport::default());
        }
        let before = self.change_matrix(changes);
        let reason = if OPERATIONS_PER_NUMBER * work as f64 > self.factor_work {
            Refactorised::ManyChanges
        } else if self.updates + changes.len() > MOST_UPDATES {
            Refactorised::ManyUpdates
        } else {
            let mut report = ChangeReport { updates: changes.len(), ..ChangeReport::default() };
            if let Some(touched) = self.update_factor(changes) {
                report.columns = touched.iter().map(Touched::columns).sum();
                report.repacked = self.packed.update(&self.factor, &touched);
                if let Some(origin) = &mut self.origin {
                    origin.since.extend(touched);
                }
                self.updates += changes.len();
                self.totals.batches += 1;
                self.totals.updates += changes.len();
                return Ok(report);
            }
            Refactorised::WeakPivot
        };
        if let Err(error) = self.refactorise() {
            before.into_iter().rev().for_each(|(entry, value)| *self.matrix.entry_mut(entry) = value);
            if reason == Refactorised::WeakPivot {
                // Some updates were made before the refusal. The matrix before had a factor, so it has one again.
                self.refactorise()?;
            }
            return Err(error.into());
        }
        self.totals.batches += 1;
        self.totals.factorisations += 1;
        self.totals.weak_pivots += usize::from(reason == Refactorised::WeakPivot);
        Ok(ChangeReport { refactorised: Some(reason), ..ChangeReport::default() })
    }

    /// Adds the changes to the matrix; returns what the changed entries were, in the order in which they changed.
    fn change_matrix(&mut self, changes: &[MatrixChange<'_>]) -> Vec<(usize, f64)> {
        let mut before = Vec::new();
        for MatrixChange { vector, update } in changes {
            for (k, &(i, at_i)) in vector.iter().enumerate() {
                for (l, &(j, at_j)) in vector[..=k].iter().enumerate() {
                    // Every pair was found in the factor's pattern, which is the matrix's.
                    let Some(entry) = self.matrix.pattern().find(i, j) else { continue };
                    // Two entries of one unknown meet twice on the diagonal.
                    let times = if i == j && k != l { 2.0 } else { 1.0 };
                    let value = self.matrix.entry_mut(entry);
                    before.push((entry, *value));
                    *value += times * update.sign() * at_i * at_j;
                }
            }
        }
        before
    }

    /// Updates the factor, additions first; none when a downdate was refused.
    fn update_factor(&mut self, changes: &[MatrixChange<'_>]) -> Option<Vec<Touched>> {
        let of = |kind: Update| changes.iter().filter(move |change| change.update == kind);
        let in_order = of(Update::Add).chain(of(Update::Remove));
        in_order.map(|change| self.factor.update(change.vector, change.update).ok()).collect()
    }

    fn refactorise(&mut self) -> Result<(), FactorError> {
        self.factor = Cholesky::new(&self.factor.analysis().clone(), &self.matrix)?;
        self.packed.refill(&self.factor);
        self.updates = 0;
        if let Some(origin) = &mut self.origin {
            origin.is_refactorised = true;
            origin.since.clear();
        }
        Ok(())
    }

    /// Marks the current matrix as the one to which [`return_to_origin`](Self::return_to_origin) returns.
    pub fn set_origin(&mut self) {
        let (matrix, values, state) = (self.matrix.clone(), self.factor.values.clone(), self.factor.state);
        self.origin = Some(Origin { matrix, values, state, since: Vec::new(), is_refactorised: false });
    }

    /// Undoes all changes since [`set_origin`](Self::set_origin), to the last bit: only the paths of updates are
    /// copied, so this costs about as much as they did. Without an origin it does nothing.
    pub fn return_to_origin(&mut self) {
        let Some(origin) = &mut self.origin else { return };
        if origin.is_refactorised {
            self.factor.values.clone_from(&origin.values);
            self.factor.state = origin.state;
            self.packed.refill(&self.factor);
        } else if !origin.since.is_empty() {
            self.factor.take_back(&origin.values, origin.state, &origin.since);
            self.packed.take_back(&self.factor, &origin.since);
        }
        origin.since.clear();
        origin.is_refactorised = false;
        self.matrix = origin.matrix.clone();
        self.updates = 0;
    }

    /// Solves A x = b for the three coordinates at once with the packed factor; `rhs` holds b and becomes x.
    pub fn solve(&mut self, rhs: &mut [Vec3]) {
        self.packed.solve(rhs);
    }

    /// The current matrix.
    pub fn matrix(&self) -> &SymmetricMatrix {
        &self.matrix
    }

    /// Its factor in f64.
    pub fn factor(&mut self) -> &mut Cholesky {
        &mut self.factor
    }

    /// Its packed factor.
    pub fn packed(&mut self) -> &mut PackedFactor {
        &mut self.packed
    }

    /// Totals so far.
    pub fn totals(&self) -> ChangeTotals {
        self.totals
    }
}
