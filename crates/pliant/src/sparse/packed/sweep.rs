//! The two sweeps of a solve, on vectors.

use super::layout::{Layout, Node};
use super::products::{backward_columns, backward_node, forward_node, forward_panels, gather_node, take_columns};
use super::schedule::{Schedule, Task};
use crate::math::lanes::{InstructionSet, Kernel, LaneNumber, Lanes};
use crate::parallel::Team;

/// Columns of a shared node that one thread takes in the backward sweep.
pub(super) const SHARED_COLUMN_BLOCK: usize = 64;
/// Panels of a shared node that one thread takes in the forward sweep.
const PANEL_BLOCK: usize = 16;

/// A solve in progress. Threads write to `rows` and `scratch` through raw pointers, without overlap: a task writes to rows
/// of its own columns, to its private rows and to its own scratch, and reads those of tasks below it (forward) or above it (backward),
/// which are done; of a shared node, each item writes to its own panels' rows (forward) or its own columns (backward), and
/// nobody reads these until the stage is over.
pub(super) struct Sweep<'a, S> {
    pub(super) layout: &'a Layout,
    pub(super) schedule: &'a Schedule,
    pub(super) values: &'a [S],
    pub(super) rows: *mut S,
    pub(super) scratch: *mut S,
    /// Whether the factor comes from memory and not from a cache. The backward sweep then reads it strictly from the last
    /// number to the first: processors fetch ahead of such a stream, and of a stream that jumps from node to node they do not, at
    /// a third of the speed. From a cache the order within a node matters less than keeping sums in registers.
    pub(super) from_memory: bool,
    /// Whether nodes are divided: alone there is nobody to share them with. It changes no bit.
    pub(super) divides: bool,
    pub(super) instructions: InstructionSet,
}

// SAFETY: see the type; every use of the pointers from a stage keeps to the disjoint places named there.
unsafe impl<S: Send + Sync> Sync for Sweep<'_, S> {}

impl<S: LaneNumber> Sweep<'_, S> {
    /// Forward, then backward.
    pub(super) fn run(&self, team: &Team<'_>) {
        let Schedule { subtrees, levels, .. } = self.schedule;
        team.share(*subtrees, |task| S::dispatch(self.instructions, ForwardTask(self, task)));
        for level in levels {
            team.share(level.tasks.len(), |i| {
                S::dispatch(self.instructions, ForwardTask(self, level.tasks[i] as usize))
            });
            if self.divides {
                team.share(level.panel_blocks.len(), |i| {
                    let (task, block) = level.panel_blocks[i];
                    S::dispatch(self.instructions, ForwardPanels(self, task as usize, block as usize));
                });
            }
        }
        match self.from_memory {
            true => self.run_backward::<true>(team),
            false => self.run_backward::<false>(team),
        }
    }

    fn run_backward<const FROM_MEMORY: bool>(&self, team: &Team<'_>) {
        let Schedule { subtrees, levels, .. } = self.schedule;
        for level in levels.iter().rev() {
            team.share(level.tasks.len(), |i| {
                S::dispatch(self.instructions, BackwardTask::<S, FROM_MEMORY>(self, level.tasks[i] as usize))
            });
            if self.divides {
                team.share(level.column_blocks.len(), |i| {
                    let (task, block) = level.column_blocks[i];
                    S::dispatch(
                        self.instructions,
                        BackwardColumns::<S, FROM_MEMORY>(self, task as usize, block as usize),
                    );
                });
            }
        }
        team.share(*subtrees, |i| {
            S::dispatch(self.instructions, BackwardTask::<S, FROM_MEMORY>(self, subtrees - 1 - i))
        });
    }

    fn scratch(&self, task: usize) -> *mut S {
        // SAFETY: the buffer is as long as the schedule's last start.
        unsafe { self.scratch.add(self.schedule.scratch_start(task)) }
    }

    fn task(&self, index: usize) -> &Task {
        &self.schedule.tasks[index]
    }

    /// The node of a task of one.
    fn single_node(&self, task: usize) -> &Node {
        &self.layout.nodes[self.task(task).nodes[0] as usize]
    }

    pub(super) fn node_rows(&self, node: &Node) -> *const u32 {
        self.schedule.rows[node.first_row..].as_ptr()
    }

    pub(super) fn node_values(&self, node: &Node) -> *const S {
        self.values[node.first_value..].as_ptr()
    }
}

/// Blocks that a shared node's panels are divided into: those of the triangle, then those beyond it. The first of the latter
/// takes in up to six panels more, since groups of other than four panels are not divided.
pub(super) fn panel_blocks(node: &Node, width: usize) -> usize {
    let triangle = node.triangular_panels(width);
    let beyond = node.panels - triangle;
    triangle.div_ceil(PANEL_BLOCK) + beyond.saturating_sub(6).div_ceil(PANEL_BLOCK).max(beyond.min(1))
}

/// First panel of a block, and the panel after its last. Beyond the triangle they are counted from the end, where all groups are
/// of four.
pub(super) fn panel_block(node: &Node, block: usize, width: usize) -> (usize, usize) {
    let triangle = node.triangular_panels(width);
    let before = triangle.div_ceil(PANEL_BLOCK);
    if block < before {
        return (block * PANEL_BLOCK, triangle.min((block + 1) * PANEL_BLOCK));
    }
    let end = node.panels - (panel_blocks(node, width) - 1 - block) * PANEL_BLOCK;
    (if block == before { triangle } else { end - PANEL_BLOCK }, end)
}

struct ForwardTask<'a, S>(&'a Sweep<'a, S>, usize);
struct ForwardPanels<'a, S>(&'a Sweep<'a, S>, usize, usize);
struct BackwardTask<'a, S, const FROM_MEMORY: bool>(&'a Sweep<'a, S>, usize);
struct BackwardColumns<'a, S, const FROM_MEMORY: bool>(&'a Sweep<'a, S>, usize, usize);

impl<S: LaneNumber> Kernel<S> for ForwardTask<'_, S> {
    /// Collects what lower tasks found for this one, then goes through its nodes; a shared node is only made ready.
    #[inline(always)]
    fn run<L: Lanes<Scalar = S>>(self) {
        let Self(sweep, index) = self;
        let task = sweep.task(index);
        // SAFETY: private rows of a task, idle ones included, are its own; places where it collects are its columns or
        // private rows, and tasks below have been done. Its scratch has room for each of its nodes.
        unsafe {
            let private = 4 * task.first_private as usize;
            std::ptr::write_bytes(sweep.rows.add(private), 0, 4 * (task.above.len() + L::WIDTH));
            for &child in &task.children {
                let child = sweep.task(child as usize);
                let mut found = sweep.rows.add(4 * child.first_private as usize);
                for &place in &child.collected_at {
                    let sum = sweep.rows.add(place as usize);
                    for c in 0..4 {
                        *sum.add(c) = *sum.add(c) + *found.add(c);
                    }
                    found = found.add(4);
                }
            }
            let scratch = sweep.scratch(index);
            if task.is_shared && sweep.divides {
                return take_columns(sweep.single_node(index), sweep.rows, scratch);
            }
            for &k in &task.nodes {
                forward_node::<L>(sweep, &sweep.layout.nodes[k as usize], scratch);
            }
        }
    }
}

impl<S: LaneNumber> Kernel<S> for ForwardPanels<'_, S> {
    #[inline(always)]
    fn run<L: Lanes<Scalar = S>>(self) {
        let Self(sweep, task, block) = self;
        let node = sweep.single_node(task);
        let (first, end) = panel_block(node, block, L::WIDTH);
        // SAFETY: a block ends where a group does; panels of other blocks have other rows, and t was made ready by the
        // stage before.
        unsafe { forward_panels::<L>(sweep, node, sweep.scratch(task), first, end) }
    }
}

impl<S: LaneNumber, const FROM_MEMORY: bool> Kernel<S> for BackwardTask<'_, S, FROM_MEMORY> {
    /// Copies rows from above, then goes through its nodes; a shared node is only made ready.
    #[inline(always)]
    fn run<L: Lanes<Scalar = S>>(self) {
        let Self(sweep, index) = self;
        let task = sweep.task(index);
        // SAFETY: private rows are this task's, and rows above it belong to tasks that have been done. Its scratch has
        // room for each of its nodes.
        unsafe {
            let mut private = sweep.rows.add(4 * task.first_private as usize).cast::<[S; 4]>();
            for &row in &task.above {
                *private = *sweep.rows.add(4 * row as usize).cast::<[S; 4]>();
                private = private.add(1);
            }
            let scratch = sweep.scratch(index);
            if task.is_shared && sweep.divides {
                return gather_node::<L>(sweep, sweep.single_node(index), scratch);
            }
            for &k in task.nodes.iter().rev() {
                backward_node::<L, FROM_MEMORY>(sweep, &sweep.layout.nodes[k as usize], scratch);
            }
        }
    }
}

impl<S: LaneNumber, const FROM_MEMORY: bool> Kernel<S> for BackwardColumns<'_, S, FROM_MEMORY> {
    #[inline(always)]
    fn run<L: Lanes<Scalar = S>>(self) {
        let Self(sweep, task, block) = self;
        let node = sweep.single_node(task);
        let first = block * SHARED_COLUMN_BLOCK;
        let end = node.columns.min(first + SHARED_COLUMN_BLOCK);
        // SAFETY: columns of other blocks are other rows; g was made ready by the stage before, and blocks begin at
        // multiples of a vector's width.
        unsafe { backward_columns::<L, FROM_MEMORY>(sweep, node, sweep.scratch(task), first, end) }
    }
}
