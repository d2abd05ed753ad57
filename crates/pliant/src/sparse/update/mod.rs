//! Rank-one updates and downdates of a Cholesky factor, A' = A ± v vᵀ, along the elimination-tree path of v [Davis & Hager 1999].
//!
//! With p = L⁻¹v, σ = ±1 and aⱼ = 1 + σ Σ_{k≤j} pₖ² the new factor is L' = L G, where G has the diagonal √(aⱼ/aⱼ₋₁) and below
//! it σ pᵢpⱼ/√(aⱼaⱼ₋₁): a form of method C1 in [Gill, Golub, Murray & Saunders 1974]. Column by column, from the first one that v has,
//!
//! ```text
//! pⱼ = wⱼ/Lⱼⱼ,   wᵢ ← wᵢ − pⱼLᵢⱼ,   L'ᵢⱼ = √(aⱼ/aⱼ₋₁) Lᵢⱼ + σpⱼ/√(aⱼaⱼ₋₁) wᵢ      (w = v at first)
//! ```
//!
//! and only columns on the path from there to the root change. A supernode on the path is a dense block, four columns of which
//! are changed at a time.
//!
//! Since a falls monotonically in a downdate and the new pivots are √(aⱼ/aⱼ₋₁)Lⱼⱼ, its last value, det A'/det A, bounds all of
//! them. It is found by a pass that only reads; a downdate that would leave too little changes nothing.

mod path;
mod rotate;

use std::sync::atomic::{AtomicU64, Ordering};

use thiserror::Error;

use super::Cholesky;
use crate::math::lanes::{InstructionSet, LaneNumber};
pub(super) use path::Places;
use rotate::{Columns, Rotation};

/// Least det A'/det A of a downdate. What is left has lost so many digits of p: at this bound ten of sixteen remain.
const LEAST_REMAINDER: f64 = 1e-6;

/// Largest entry of a vector: its square, divided by any sensible pivot, is finite.
const LARGEST_VALUE: f64 = 1e100;

/// Whether v vᵀ is added or removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Update {
    /// It is added.
    Add,
    /// It is removed.
    Remove,
}

impl Update {
    pub(super) fn sign(self) -> f64 {
        match self {
            Self::Add => 1.0,
            Self::Remove => -1.0,
        }
    }
}

/// Why a factor could not be updated. The factor is unchanged.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum UpdateError {
    /// An index is out of range.
    #[error("unknown {unknown} of the vector is not one of the matrix of size {size}")]
    NoSuchUnknown {
        /// The index.
        unknown: u32,
        /// Size of the matrix.
        size: usize,
    },
    /// A value is NaN, infinite, or so large that its square would be infinite.
    #[error("the vector has the value {value:e} at unknown {unknown}, beyond {LARGEST_VALUE:e}")]
    ValueOutOfRange {
        /// Where.
        unknown: u32,
        /// What.
        value: f64,
    },
    /// v vᵀ has an entry that is not in the analysed pattern.
    #[error("the vector couples unknowns {first} and {second}, which the pattern of the matrix does not")]
    OutsideOfPattern {
        /// The smaller one.
        first: u32,
        /// The larger one.
        second: u32,
    },
    /// A − v vᵀ is not positive definite, or so close to singular that the factor would lose its precision.
    #[error("the downdate would leave {remainder:e} of the determinant, less than {LEAST_REMAINDER:e}")]
    LosesDefiniteness {
        /// det A'/det A as far as it was found.
        remainder: f64,
    },
}

/// What an update changed: enough for a packed factor to follow.
#[derive(Debug, Clone)]
pub struct Touched {
    /// State of the factor before and after.
    pub(super) before: State,
    pub(super) after: State,
    pub(super) sign: f64,
    pub(super) part: usize,
    pub(super) steps: Vec<Step>,
    /// p of each step, one after the other.
    pub(super) p: Vec<f64>,
    /// What w has in the rows below each step's supernode, after its columns.
    pub(super) below: Vec<f64>,
}

impl Touched {
    /// Number of columns of the factor that changed.
    pub fn columns(&self) -> usize {
        self.p.len()
    }
}

/// Names the numbers that a factor has at one time, so that who follows its changes notices when one is missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::sparse) struct State(u64);

impl State {
    /// One that no factor of this process has had.
    pub(super) fn new() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Self(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}

/// A supernode that an update went through.
#[derive(Debug, Clone, Copy)]
pub(super) struct Step {
    pub(super) supernode: usize,
    /// First column that changed.
    pub(super) first: usize,
    /// Where its p and its rows below begin.
    pub(super) first_p: usize,
    pub(super) first_below: usize,
    /// a before its first column.
    pub(super) before: f64,
}

/// Vectors that go from update to update.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    /// w by columns of a part; zero between updates.
    dense: Vec<f64>,
    /// w of one supernode.
    local: Vec<f64>,
    /// p of one supernode.
    p: Vec<f64>,
}

impl Cholesky {
    /// Makes this the factor of A ± v vᵀ, where v is given by its entries (entries of the same unknown add up). Any two
    /// unknowns of v must be neighbours in the analysed pattern; a single unknown always fits. After an error nothing
    /// has changed.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use pliant::math::Vec3;
    /// use pliant::sparse::{Analysis, Cholesky, SymmetricMatrix, SymmetricPattern, Update, UpdateError};
    ///
    /// // [2 −1; −1 2]: masses of 1 and a spring of stiffness 1 between them.
    /// let pattern = Arc::new(SymmetricPattern::new(2, [(0, 1)].into_iter()));
    /// let mut matrix = SymmetricMatrix::zero(pattern.clone());
    /// matrix.add(0, -1.0);
    /// matrix.add_diagonal(0, 2.0);
    /// matrix.add_diagonal(1, 2.0);
    /// let mut factor = Cholesky::new(&Analysis::new(&pattern)?, &matrix)?;
    /// // The spring tears.
    /// factor.update(&[(0, 1.0), (1, -1.0)], Update::Remove)?;
    /// let mut x = [Vec3::splat(4.0), Vec3::splat(5.0)];
    /// factor.solve(&mut x);
    /// assert!((x[0] - Vec3::splat(4.0)).length() < 1e-14 && (x[1] - Vec3::splat(5.0)).length() < 1e-14);
    /// // It cannot tear twice.
    /// let again = factor.update(&[(0, 1.0), (1, -1.0)], Update::Remove);
    /// assert!(matches!(again, Err(UpdateError::LosesDefiniteness { .. })));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn update(&mut self, vector: &[(u32, f64)], update: Update) -> Result<Touched, UpdateError> {
        let (before, after) = (self.state, self.state);
        let (steps, p, below) = (Vec::new(), Vec::new(), Vec::new());
        let mut touched = Touched { before, after, sign: update.sign(), part: 0, steps, p, below };
        let Some((part, first)) = self.start_of(vector)? else { return Ok(touched) };
        touched.part = part;
        if update == Update::Remove {
            let remainder = self.walk(vector, part, first, update.sign(), None);
            if remainder.is_nan() || remainder < LEAST_REMAINDER {
                return Err(UpdateError::LosesDefiniteness { remainder });
            }
        }
        self.walk(vector, part, first, update.sign(), Some(&mut touched));
        self.state = State::new();
        touched.after = self.state;
        Ok(touched)
    }

    /// Takes back changes: their paths get the numbers that the factor had when it was copied into `values`.
    pub(super) fn take_back(&mut self, values: &[Vec<f64>], state: State, changes: &[Touched]) {
        for change in changes {
            let part = &self.analysis.parts[change.part];
            for step in &change.steps {
                let stretch = part.stretch(step.supernode);
                self.values[change.part][stretch.clone()].copy_from_slice(&values[change.part][stretch]);
            }
        }
        self.state = state;
    }

    /// Numbers of L that an update by a vector changes: what it costs, up to a factor.
    pub fn update_work(&self, vector: &[(u32, f64)]) -> Result<usize, UpdateError> {
        Ok(self.start_of(vector)?.map_or(0, |(part, first)| self.path_work(part, first)))
    }

    /// Checks a vector, and finds its part and first column; none if it is zero.
    fn start_of(&self, vector: &[(u32, f64)]) -> Result<Option<(usize, usize)>, UpdateError> {
        for &(unknown, value) in vector {
            if unknown as usize >= self.size() {
                return Err(UpdateError::NoSuchUnknown { unknown, size: self.size() });
            }
            if value.is_nan() || value.abs() > LARGEST_VALUE {
                return Err(UpdateError::ValueOutOfRange { unknown, value });
            }
        }
        for (k, &(i, _)) in vector.iter().enumerate() {
            if let Some(&(j, _)) = vector[..k].iter().find(|&&(j, _)| !self.has_entry(i, j)) {
                return Err(UpdateError::OutsideOfPattern { first: i.min(j), second: i.max(j) });
            }
        }
        // The pattern holds all pairs, so all are of one part.
        let nonzero = vector.iter().filter(|(_, value)| *value != 0.0);
        Ok(nonzero.map(|&(unknown, _)| self.place(unknown)).min())
    }

    /// Goes up the path of a vector and returns a after it; the factor changes only if the changes are to be recorded.
    fn walk(
        &mut self,
        vector: &[(u32, f64)],
        part: usize,
        first: usize,
        sign: f64,
        mut record: Option<&mut Touched>,
    ) -> f64 {
        let mut scratch = std::mem::take(&mut self.update_scratch);
        let Scratch { dense, local, p } = &mut scratch;
        let size = self.size();
        dense.resize(size, 0.0);
        vector.iter().for_each(|&(unknown, value)| dense[self.place(unknown).1] += value);
        let instructions = InstructionSet::detect();
        let mut rotation = Rotation { sign, a: 1.0 };
        self.for_each_on_path(part, first, |node, values| {
            let columns = node.end - node.first;
            local.clear();
            local.extend_from_slice(&dense[node.first..node.end]);
            dense[node.first..node.end].fill(0.0);
            local.extend(node.below.iter().map(|&row| dense[row as usize]));
            p.clear();
            p.resize(columns, 0.0);
            let before = rotation.a;
            let stride = values.len() / columns;
            // Rows of the supernode above its first column on the path are passed over.
            let skipped = stride - local.len();
            let block = Columns { values, stride, skipped, w: local, p, rotation: &mut rotation };
            match record {
                Some(_) => f64::dispatch(instructions, block.changed()),
                None => f64::dispatch(instructions, block.only_read()),
            }
            node.below.iter().zip(&local[columns..]).for_each(|(&row, &w)| dense[row as usize] = w);
            if let Some(touched) = record.as_deref_mut() {
                let (first_p, first_below) = (touched.p.len(), touched.below.len());
                touched.steps.push(Step { supernode: node.supernode, first: node.first, first_p, first_below, before });
                touched.p.extend_from_slice(p);
                touched.below.extend_from_slice(&local[columns..]);
            }
        });
        self.update_scratch = scratch;
        rotation.a
    }
}

#[cfg(test)]
mod tests;
