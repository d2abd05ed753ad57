//! The two sweeps of a solve, on vectors.

use super::layout::{Layout, Node};
use super::products::{backward_columns, backward_node, forward_node, forward_panels, gather_node, take_columns};
use super::schedule::{Schedule, Task};
use crate::math::lanes::{InstructionSet, Kernel, LaneNumber, Lanes};
use crate::parallel::Team;

/// Columns of a shared node that one thread takes in the backward sweep.
const SHARED_COLUMN_BLOCK: usize = 64;
/// Panels of a shared node that one thread takes in the forward sweep.
const PANEL_BLOCK: usize = 16;
/// Shared nodes with fewer numbers are done by one thread: waiting for each other would take longer.
const LEAST_SHARED: usize = 24_000;

/// A solve in progress. Threads write to `rows` and `scratch` through raw pointers, without overlap: a task writes to rows
/// of its own columns, to its private rows and to its own scratch; of a shared node, each item writes to its own panels' rows
/// (forward) or its own columns (backward), and nobody reads these until the stage is over.
pub(super) struct Sweep<'a, S> {
    pub(super) layout: &'a Layout,
    pub(super) schedule: &'a Schedule,
    pub(super) values: &'a [S],
    pub(super) rows: *mut S,
    pub(super) scratch: *mut S,
    /// Whether the factor comes from memory and not from a cache. The backward sweep then reads it strictly from the last
    /// number to the first: processors fetch ahead of such a stream, and of a stream that jumps from node to node they do not, at
    /// a third of the speed. From a cache the order within a node matters less than the loop, which is faster upwards.
    pub(super) from_memory: bool,
    pub(super) instructions: InstructionSet,
}

// SAFETY: see the type; every use of the pointers from a stage keeps to the disjoint places named there.
unsafe impl<S> Sync for Sweep<'_, S> {}

impl<S: LaneNumber> Sweep<'_, S> {
    /// Forward, then backward.
    pub(super) fn run(&self, team: &Team<'_>) {
        let tasks = &self.schedule.tasks;
        team.share(tasks.len(), |i| S::dispatch(self.instructions, ForwardTask(self, i)));
        self.collect_private_rows();
        let top = &self.schedule.top;
        for &k in top {
            let node = &self.layout.nodes[k as usize];
            if self.is_shared(node) {
                self.take_columns(node);
                let blocks = panel_blocks(node, S::WIDTH);
                team.share(blocks, |block| S::dispatch(self.instructions, ForwardPanels(self, node, block)));
            } else {
                S::dispatch(self.instructions, ForwardNode(self, node));
            }
        }
        match self.from_memory {
            true => self.run_backward::<true>(team),
            false => self.run_backward::<false>(team),
        }
    }

    fn run_backward<const DOWN: bool>(&self, team: &Team<'_>) {
        for &k in self.schedule.top.iter().rev() {
            let node = &self.layout.nodes[k as usize];
            if self.is_shared(node) && team.has_helpers() {
                S::dispatch(self.instructions, GatherNode(self, node));
                let blocks = node.columns.div_ceil(SHARED_COLUMN_BLOCK);
                team.share(blocks, |block| {
                    S::dispatch(self.instructions, BackwardColumns::<S, DOWN>(self, node, block))
                });
            } else {
                S::dispatch(self.instructions, BackwardNode::<S, DOWN>(self, node));
            }
        }
        let tasks = self.schedule.tasks.len();
        team.share(tasks, |i| S::dispatch(self.instructions, BackwardTask::<S, DOWN>(self, tasks - 1 - i)));
    }

    fn is_shared(&self, node: &Node) -> bool {
        node.value_count(S::WIDTH) >= LEAST_SHARED
    }

    fn task_scratch(&self, task: usize) -> *mut S {
        // SAFETY: the buffer is as long as the schedule's last start.
        unsafe { self.scratch.add(self.schedule.scratch_start(task)) }
    }

    /// Scratch of the shared nodes.
    fn top_scratch(&self) -> *mut S {
        self.task_scratch(self.schedule.tasks.len())
    }

    /// Adds what tasks found for rows above them, task by task.
    fn collect_private_rows(&self) {
        for task in &self.schedule.tasks {
            for (k, &row) in task.above.iter().enumerate() {
                let private = task.first_private as usize + k;
                for c in 0..3 {
                    // SAFETY: both rows exist, and no other thread is at work between stages.
                    unsafe {
                        let sum = self.rows.add(4 * row as usize + c);
                        *sum = S::from_f64((*sum).to_f64() + (*self.rows.add(4 * private + c)).to_f64());
                    }
                }
            }
        }
    }

    /// Moves the right-hand side of a node's columns to scratch.
    fn take_columns(&self, node: &Node) {
        // SAFETY: scratch holds four numbers for each column of its largest node; no other thread is at work on these rows.
        unsafe { take_columns(node, self.rows, self.top_scratch()) }
    }

    fn task(&self, index: usize) -> &Task {
        &self.schedule.tasks[index]
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
struct ForwardNode<'a, S>(&'a Sweep<'a, S>, &'a Node);
struct ForwardPanels<'a, S>(&'a Sweep<'a, S>, &'a Node, usize);
struct BackwardTask<'a, S, const DOWN: bool>(&'a Sweep<'a, S>, usize);
struct BackwardNode<'a, S, const DOWN: bool>(&'a Sweep<'a, S>, &'a Node);
struct GatherNode<'a, S>(&'a Sweep<'a, S>, &'a Node);
struct BackwardColumns<'a, S, const DOWN: bool>(&'a Sweep<'a, S>, &'a Node, usize);

// SAFETY of the kernels: `Sweep` says which rows and scratch each may touch, and all indices come from its layout.
impl<S: LaneNumber> Kernel<S> for ForwardTask<'_, S> {
    #[inline(always)]
    unsafe fn run<L: Lanes<Scalar = S>>(self) {
        let Self(sweep, index) = self;
        let task = sweep.task(index);
        unsafe {
            std::ptr::write_bytes(
                sweep.rows.add(4 * task.first_private as usize),
                0,
                4 * (task.above.len() + S::WIDTH),
            );
            for &k in &task.nodes {
                forward_node::<L>(sweep, &sweep.layout.nodes[k as usize], sweep.task_scratch(index));
            }
        }
    }
}

impl<S: LaneNumber> Kernel<S> for ForwardNode<'_, S> {
    #[inline(always)]
    unsafe fn run<L: Lanes<Scalar = S>>(self) {
        unsafe { forward_node::<L>(self.0, self.1, self.0.top_scratch()) }
    }
}

impl<S: LaneNumber> Kernel<S> for ForwardPanels<'_, S> {
    #[inline(always)]
    unsafe fn run<L: Lanes<Scalar = S>>(self) {
        let Self(sweep, node, block) = self;
        let (first, end) = panel_block(node, block, L::WIDTH);
        unsafe { forward_panels::<L>(sweep, node, sweep.top_scratch(), first, end) }
    }
}

impl<S: LaneNumber, const DOWN: bool> Kernel<S> for BackwardTask<'_, S, DOWN> {
    #[inline(always)]
    unsafe fn run<L: Lanes<Scalar = S>>(self) {
        let Self(sweep, index) = self;
        let task = sweep.task(index);
        unsafe {
            for (k, &row) in task.above.iter().enumerate() {
                let private = sweep.rows.add(4 * (task.first_private as usize + k));
                std::ptr::copy_nonoverlapping(sweep.rows.add(4 * row as usize), private, 4);
            }
            for &k in task.nodes.iter().rev() {
                backward_node::<L, DOWN>(sweep, &sweep.layout.nodes[k as usize], sweep.task_scratch(index));
            }
        }
    }
}

impl<S: LaneNumber, const DOWN: bool> Kernel<S> for BackwardNode<'_, S, DOWN> {
    #[inline(always)]
    unsafe fn run<L: Lanes<Scalar = S>>(self) {
        unsafe { backward_node::<L, DOWN>(self.0, self.1, self.0.top_scratch()) }
    }
}

impl<S: LaneNumber> Kernel<S> for GatherNode<'_, S> {
    #[inline(always)]
    unsafe fn run<L: Lanes<Scalar = S>>(self) {
        unsafe { gather_node::<L>(self.0, self.1, self.0.top_scratch()) }
    }
}

impl<S: LaneNumber, const DOWN: bool> Kernel<S> for BackwardColumns<'_, S, DOWN> {
    #[inline(always)]
    unsafe fn run<L: Lanes<Scalar = S>>(self) {
        let Self(sweep, node, block) = self;
        let first = block * SHARED_COLUMN_BLOCK;
        let end = node.columns.min(first + SHARED_COLUMN_BLOCK);
        unsafe { backward_columns::<L, DOWN>(sweep, node, sweep.top_scratch(), first, end) }
    }
}
