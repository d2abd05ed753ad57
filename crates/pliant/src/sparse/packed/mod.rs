//! A Cholesky factor with a layout for many solves with three right-hand sides.
//!
//! Each supernode with columns of L = [L₁₁; L₂₁] is stored as M = [L₁₁⁻¹; −L₂₁L₁₁⁻¹] in panels as high as a vector is wide. With
//! t the right-hand side of its columns the forward sweep is y = M t, added to the node's rows, and the backward sweep
//! x = Mᵀ g with g gathered from these rows: both are dense streams over memory without chains of dependent operations. The
//! three coordinates go through together, so each number of the factor is loaded once per sweep for six operations.
//!
//! Subtrees of the elimination tree, and the nodes above them level by level, are separate tasks. What they add to rows
//! above them goes to private rows, which the node above adds up in a fixed order; the tasks depend on the matrix
//! alone, so the result is the same on any number of threads. The few large nodes are shared out by panels (forward)
//! and by columns (backward), where nothing is added across.
//!
//! The factor is kept in f32 or f64. In f32 a solve has a relative error of about 1e-6, which increments of an iteration
//! refine: half the memory to read, twice the lanes.

#![allow(unsafe_code)] // Threads write disjoint rows of one vector; `Sweep` says why they are disjoint.

mod fill;
mod layout;
mod memory;
mod products;
mod rank_one;
mod repack;
mod schedule;
mod sweep;

use std::fmt;

use crate::math::Vec3;
use crate::math::lanes::{InstructionSet, LaneNumber};
use crate::parallel::Team;

use super::update::State;
use super::{Cholesky, Touched};
use layout::Layout;
use memory::Buffer;
pub use repack::Repacked;
use schedule::Schedule;
use sweep::Sweep;

/// Precision of a stored factor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Precision {
    /// f32: relative error of about 1e-6 in a solve, half the memory. This is enough if solutions are increments.
    #[default]
    Single,
    /// f64: accurate to rounding.
    Double,
}

/// A factor ready for fast solves.
pub struct PackedFactor(Numbers);

enum Numbers {
    Single(Packed<f32>),
    Double(Packed<f64>),
}

impl fmt::Debug for PackedFactor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = f.debug_struct("PackedFactor");
        out.field("precision", &self.precision()).field("bytes", &self.bytes()).finish()
    }
}

/// Calls a method of whichever numbers are inside.
macro_rules! with_numbers {
    ($self:expr, $packed:ident => $body:expr) => {
        match $self {
            Numbers::Single($packed) => $body,
            Numbers::Double($packed) => $body,
        }
    };
}

impl PackedFactor {
    /// Packs a factor.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use pliant::math::Vec3;
    /// use pliant::sparse::{Analysis, Cholesky, PackedFactor, Precision, SymmetricMatrix, SymmetricPattern};
    ///
    /// let pattern = Arc::new(SymmetricPattern::new(2, [(0, 1)].into_iter()));
    /// let mut matrix = SymmetricMatrix::zero(pattern.clone());
    /// matrix.add(0, 1.0);
    /// matrix.add_diagonal(0, 2.0);
    /// matrix.add_diagonal(1, 2.0);
    /// let factor = Cholesky::new(&Analysis::new(&pattern)?, &matrix)?;
    /// let mut packed = PackedFactor::new(&factor, Precision::Double);
    /// let mut x = [Vec3::splat(4.0), Vec3::splat(5.0)];
    /// packed.solve(&mut x);
    /// assert!((x[0] - Vec3::ONE).length() < 1e-14 && (x[1] - Vec3::splat(2.0)).length() < 1e-14);
    /// # Ok::<(), pliant::sparse::FactorError>(())
    /// ```
    pub fn new(factor: &Cholesky, precision: Precision) -> Self {
        Self(match precision {
            Precision::Single => Numbers::Single(Packed::new(factor)),
            Precision::Double => Numbers::Double(Packed::new(factor)),
        })
    }

    /// Takes the numbers of another factor with the same analysis.
    pub fn refill(&mut self, factor: &Cholesky) {
        with_numbers!(&mut self.0, packed => packed.refill(factor));
    }

    /// Takes the numbers of a factor that was updated since this one had its numbers, by the given changes, in their
    /// order. Only nodes on the paths of these change: by the same rotations if they are few, which costs a pass over a
    /// node's numbers for each; otherwise they are computed again from the factor. If the changes do not lead from the
    /// numbers of this factor to those of the other, all nodes are computed again.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use pliant::math::Vec3;
    /// use pliant::sparse::{Analysis, Cholesky, PackedFactor, Precision, SymmetricMatrix, SymmetricPattern, Update};
    ///
    /// let pattern = Arc::new(SymmetricPattern::new(1, [].into_iter()));
    /// let mut matrix = SymmetricMatrix::zero(pattern.clone());
    /// matrix.add_diagonal(0, 2.0);
    /// let mut factor = Cholesky::new(&Analysis::new(&pattern)?, &matrix)?;
    /// let mut packed = PackedFactor::new(&factor, Precision::Double);
    /// // 2 + 3².
    /// let touched = factor.update(&[(0, 3.0)], Update::Add)?;
    /// packed.update(&factor, &[touched]);
    /// let mut x = [Vec3::splat(22.0)];
    /// packed.solve(&mut x);
    /// assert!((x[0] - Vec3::splat(2.0)).length() < 1e-14);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn update(&mut self, factor: &Cholesky, changes: &[Touched]) -> Repacked {
        with_numbers!(&mut self.0, packed => packed.repack(factor, changes, true))
    }

    /// Like [`update`](Self::update), but computes all touched nodes again from the factor: the bits are those of
    /// [`refill`](Self::refill).
    pub fn refill_touched(&mut self, factor: &Cholesky, changes: &[Touched]) -> Repacked {
        with_numbers!(&mut self.0, packed => packed.repack(factor, changes, false))
    }

    /// Takes back changes that a factor has taken back since.
    pub(super) fn take_back(&mut self, factor: &Cholesky, changes: &[Touched]) {
        with_numbers!(&mut self.0, packed => packed.follow(factor, changes, false));
    }

    /// Its precision.
    pub fn precision(&self) -> Precision {
        match self.0 {
            Numbers::Single(_) => Precision::Single,
            Numbers::Double(_) => Precision::Double,
        }
    }

    /// Memory that a sweep reads: the stored factor with its row numbers \[bytes\].
    pub fn bytes(&self) -> usize {
        with_numbers!(&self.0, packed => packed.bytes())
    }

    /// Whether the system was asked for large pages of memory for the factor.
    pub fn asked_for_huge_pages(&self) -> bool {
        with_numbers!(&self.0, packed => packed.values.asked_for_huge_pages())
    }

    /// Solves A x = b for the three coordinates at once; `rhs` holds b and becomes x. If called from a rayon pool, it
    /// uses the threads of that pool.
    pub fn solve(&mut self, rhs: &mut [Vec3]) {
        crate::parallel::with_team(|team| with_numbers!(&mut self.0, packed => packed.solve(team, rhs)));
    }
}

/// Factors up to this size stay in the caches of today's processors \[bytes\].
const LARGEST_CACHED: usize = 16 << 20;

/// Right-hand sides and solutions in order of elimination, four numbers for each unknown.
pub(crate) enum Rows<'a> {
    Single(&'a mut [f32]),
    Double(&'a mut [f64]),
}

impl PackedFactor {
    /// Unknown that is eliminated k-th, for those who keep their vectors in this order.
    pub(crate) fn order(&self) -> &[u32] {
        with_numbers!(&self.0, packed => &packed.layout.order)
    }

    /// Rows to put a right-hand side into, and to take the solution from.
    pub(crate) fn rows(&mut self) -> Rows<'_> {
        match &mut self.0 {
            Numbers::Single(packed) => Rows::Single(packed.rows.as_mut_slice()),
            Numbers::Double(packed) => Rows::Double(packed.rows.as_mut_slice()),
        }
    }

    /// Solves for what is in [`rows`](Self::rows).
    pub(crate) fn solve_rows(&mut self, team: &Team<'_>) {
        with_numbers!(&mut self.0, packed => packed.sweep(team));
    }
}

/// The factor in numbers of one kind.
struct Packed<S: LaneNumber> {
    layout: Layout,
    schedule: Schedule,
    values: Buffer<S>,
    /// Right-hand side and solution, four numbers a row: the unknowns in order of elimination, then private rows of tasks.
    rows: Buffer<S>,
    /// Scratch of all tasks, and of the shared nodes.
    scratch: Buffer<S>,
    /// Which numbers of the factor it has.
    state: State,
    /// For each node, how many rank-one updates it has gone through since its numbers were last made from the factor.
    updates: Vec<u32>,
    /// Whether the factor is too large for caches.
    from_memory: bool,
    instructions: InstructionSet,
}

impl<S: LaneNumber> Packed<S> {
    fn new(factor: &Cholesky) -> Self {
        let layout = Layout::new(factor, S::WIDTH);
        let schedule = Schedule::new(&layout);
        let rows = Buffer::zeroed(4 * schedule.row_count());
        let scratch = Buffer::zeroed(schedule.scratch_size());
        let values = Buffer::zeroed(layout.value_count());
        let from_memory = size_of::<S>() * layout.value_count() > LARGEST_CACHED;
        let instructions = InstructionSet::detect();
        let updates = vec![0; layout.nodes.len()];
        let mut packed =
            Self { layout, schedule, values, rows, scratch, state: factor.state, updates, from_memory, instructions };
        packed.refill(factor);
        packed
    }

    fn refill(&mut self, factor: &Cholesky) {
        fill::fill(factor, &self.layout, self.values.as_mut_slice());
        self.updates.fill(0);
        self.state = factor.state;
    }

    fn bytes(&self) -> usize {
        size_of::<S>() * self.layout.value_count() + size_of::<u32>() * self.schedule.rows.len()
    }

    fn solve(&mut self, team: &Team<'_>, rhs: &mut [Vec3]) {
        assert_eq!(rhs.len(), self.layout.order.len(), "unknowns of the factor and of the right-hand side");
        for (row, &v) in self.rows.as_mut_slice().as_chunks_mut::<4>().0.iter_mut().zip(&self.layout.order) {
            let b = rhs[v as usize];
            *row = [S::from_f64(b.x), S::from_f64(b.y), S::from_f64(b.z), S::default()];
        }
        self.sweep(team);
        for (row, &v) in self.rows.as_slice().as_chunks::<4>().0.iter().zip(&self.layout.order) {
            rhs[v as usize] = Vec3::new(row[0].to_f64(), row[1].to_f64(), row[2].to_f64());
        }
    }

    /// Both sweeps over `rows`, which holds b in order of elimination and becomes x.
    fn sweep(&mut self, team: &Team<'_>) {
        Sweep {
            layout: &self.layout,
            schedule: &self.schedule,
            values: self.values.as_slice(),
            rows: self.rows.as_mut_slice().as_mut_ptr(),
            scratch: self.scratch.as_mut_slice().as_mut_ptr(),
            from_memory: self.from_memory,
            divides: team.has_helpers(),
            instructions: self.instructions,
        }
        .run(team);
    }
}

#[cfg(test)]
mod tests;
