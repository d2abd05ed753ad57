//! The two sweeps of a solve, on vectors.

use std::mem::MaybeUninit;

use super::layout::{Layout, Node};
use super::schedule::{Schedule, Task};
use crate::math::lanes::{InstructionSet, Kernel, LaneNumber, Lanes};
use crate::parallel::Team;

/// Columns whose sums are kept at hand in the backward sweep.
const COLUMN_BLOCK: usize = 64;
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
                let blocks = node.panels.div_ceil(PANEL_BLOCK);
                team.share(blocks, |block| S::dispatch(self.instructions, ForwardPanels(self, node, block)));
            } else {
                S::dispatch(self.instructions, ForwardNode(self, node));
            }
        }
        for &k in top.iter().rev() {
            let node = &self.layout.nodes[k as usize];
            if self.is_shared(node) {
                S::dispatch(self.instructions, GatherNode(self, node));
                let blocks = node.columns.div_ceil(COLUMN_BLOCK);
                team.share(blocks, |block| S::dispatch(self.instructions, BackwardColumns(self, node, block)));
            } else {
                S::dispatch(self.instructions, BackwardNode(self, node));
            }
        }
        team.share(tasks.len(), |i| S::dispatch(self.instructions, BackwardTask(self, i)));
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

    fn node_rows(&self, node: &Node) -> *const u32 {
        self.schedule.rows[node.first_row..].as_ptr()
    }

    fn node_values(&self, node: &Node) -> *const S {
        self.values[node.first_value..].as_ptr()
    }
}

/// SAFETY: rows of the node's columns and scratch for them must be the caller's alone.
#[inline(always)]
unsafe fn take_columns<S: LaneNumber>(node: &Node, rows: *mut S, scratch: *mut S) {
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

struct ForwardTask<'a, S>(&'a Sweep<'a, S>, usize);
struct ForwardNode<'a, S>(&'a Sweep<'a, S>, &'a Node);
struct ForwardPanels<'a, S>(&'a Sweep<'a, S>, &'a Node, usize);
struct BackwardTask<'a, S>(&'a Sweep<'a, S>, usize);
struct BackwardNode<'a, S>(&'a Sweep<'a, S>, &'a Node);
struct GatherNode<'a, S>(&'a Sweep<'a, S>, &'a Node);
struct BackwardColumns<'a, S>(&'a Sweep<'a, S>, &'a Node, usize);

// SAFETY of the kernels: `Sweep` says which rows and scratch each may touch, and all indices come from its layout.
impl<S: LaneNumber> Kernel<S> for ForwardTask<'_, S> {
    #[inline(always)]
    unsafe fn run<L: Lanes<Scalar = S>>(self) {
        let Self(sweep, index) = self;
        let task = sweep.task(index);
        unsafe {
            std::ptr::write_bytes(sweep.rows.add(4 * task.first_private as usize), 0, 4 * (task.above.len() + 1));
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
        let first = block * PANEL_BLOCK;
        let end = node.panels.min(first + PANEL_BLOCK);
        unsafe { forward_panels::<L>(sweep, node, sweep.top_scratch(), first, end) }
    }
}

impl<S: LaneNumber> Kernel<S> for BackwardTask<'_, S> {
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
                backward_node::<L>(sweep, &sweep.layout.nodes[k as usize], sweep.task_scratch(index));
            }
        }
    }
}

impl<S: LaneNumber> Kernel<S> for BackwardNode<'_, S> {
    #[inline(always)]
    unsafe fn run<L: Lanes<Scalar = S>>(self) {
        unsafe { backward_node::<L>(self.0, self.1, self.0.top_scratch()) }
    }
}

impl<S: LaneNumber> Kernel<S> for GatherNode<'_, S> {
    #[inline(always)]
    unsafe fn run<L: Lanes<Scalar = S>>(self) {
        unsafe { gather_node::<L>(self.0, self.1, self.0.top_scratch()) }
    }
}

impl<S: LaneNumber> Kernel<S> for BackwardColumns<'_, S> {
    #[inline(always)]
    unsafe fn run<L: Lanes<Scalar = S>>(self) {
        let Self(sweep, node, block) = self;
        let first = block * COLUMN_BLOCK;
        let end = node.columns.min(first + COLUMN_BLOCK);
        unsafe { backward_columns::<L>(sweep, node, sweep.top_scratch(), first, end) }
    }
}

#[inline(always)]
unsafe fn forward_node<L: Lanes>(sweep: &Sweep<'_, L::Scalar>, node: &Node, scratch: *mut L::Scalar)
where
    L::Scalar: LaneNumber,
{
    unsafe {
        take_columns(node, sweep.rows, scratch);
        forward_panels::<L>(sweep, node, scratch, 0, node.panels);
    }
}

/// y = M t for a range of panels, added to their rows; stored where a panel's rows are columns of the node.
#[inline(always)]
unsafe fn forward_panels<L: Lanes>(
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
    unsafe {
        let mut values = sweep.node_values(node).add(node.panel_offset(first, w));
        let own = (node.columns / w).min(end);
        while panel < own {
            let columns = node.panel_columns(panel, w);
            let product = single_panel_product::<L>(values, columns, t);
            L::store_points(product, out.add(4 * (node.start + panel * w)));
            values = values.add(columns * w);
            panel += 1;
        }
        let columns = node.columns;
        // Groups of four fill the registers; five or six are better split in threes than into four and a rest.
        while end - panel > 6 || end - panel == 4 {
            panel_products::<L, 4>(values, columns, t, rows.add(panel * w), out);
            values = values.add(4 * columns * w);
            panel += 4;
        }
        while end - panel >= 3 {
            panel_products::<L, 3>(values, columns, t, rows.add(panel * w), out);
            values = values.add(3 * columns * w);
            panel += 3;
        }
        match end - panel {
            2 => panel_products::<L, 2>(values, columns, t, rows.add(panel * w), out),
            1 => L::scatter_add(out, rows.add(panel * w), single_panel_product::<L>(values, columns, t)),
            _ => {}
        }
    }
}

/// One panel times t, in two sums: one alone would wait for itself in every column.
#[inline(always)]
unsafe fn single_panel_product<L: Lanes>(values: *const L::Scalar, columns: usize, t: *const L::Scalar) -> [L; 3] {
    let w = L::WIDTH;
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

/// `P` panels of equal width times t, added to their rows.
#[inline(always)]
unsafe fn panel_products<L: Lanes, const P: usize>(
    values: *const L::Scalar,
    columns: usize,
    t: *const L::Scalar,
    rows: *const u32,
    out: *mut L::Scalar,
) {
    let w = L::WIDTH;
    unsafe {
        let mut sums = [[L::zero(); 3]; P];
        for j in 0..columns {
            let t = [L::splat(*t.add(4 * j)), L::splat(*t.add(4 * j + 1)), L::splat(*t.add(4 * j + 2))];
            for p in 0..P {
                let l = L::load(values.add((p * columns + j) * w));
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
unsafe fn backward_node<L: Lanes>(sweep: &Sweep<'_, L::Scalar>, node: &Node, scratch: *mut L::Scalar)
where
    L::Scalar: LaneNumber,
{
    unsafe {
        gather_node::<L>(sweep, node, scratch);
        let mut first = 0;
        while first < node.columns {
            let end = node.columns.min(first + COLUMN_BLOCK);
            backward_columns::<L>(sweep, node, scratch, first, end);
            first = end;
        }
    }
}

/// g: the node's rows, a vector for each coordinate of each panel.
#[inline(always)]
unsafe fn gather_node<L: Lanes>(sweep: &Sweep<'_, L::Scalar>, node: &Node, g: *mut L::Scalar)
where
    L::Scalar: LaneNumber,
{
    let w = L::WIDTH;
    let rows = sweep.node_rows(node);
    unsafe {
        for panel in 0..node.panels {
            let gathered = L::gather(sweep.rows, rows.add(panel * w));
            for c in 0..3 {
                gathered[c].store(g.add((3 * panel + c) * w));
            }
        }
    }
}

/// x = Mᵀ g for a block of columns. Panels go by in groups of four, in the order in which they lie in memory, and sums stay in
/// the first-level cache.
#[inline(always)]
unsafe fn backward_columns<L: Lanes>(
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
    unsafe {
        // Only as many sums as there are columns are set to zero.
        let mut block = [const { MaybeUninit::<[L; 3]>::uninit() }; COLUMN_BLOCK];
        for sum in &mut block[..end - first] {
            sum.write([L::zero(); 3]);
        }
        let sums = std::slice::from_raw_parts_mut(block.as_mut_ptr().cast::<[L; 3]>(), end - first);
        // Panels of the triangle before this one store none of these columns.
        let mut panel = first / w;
        let triangle = node.triangular_panels(w);
        while panel < triangle {
            let stored = end.min(node.panel_columns(panel, w));
            let block = values.add(node.panel_offset(panel, w) + first * w);
            column_sums::<L, 1>(block, 0, g.add(3 * panel * w), &mut sums[..stored - first]);
            panel += 1;
        }
        let stride = node.columns * w;
        let mut block = values.add(node.panel_offset(panel, w) + first * w);
        while panel + 4 <= node.panels {
            column_sums::<L, 4>(block, stride, g.add(3 * panel * w), sums);
            block = block.add(4 * stride);
            panel += 4;
        }
        match node.panels - panel {
            3 => column_sums::<L, 3>(block, stride, g.add(3 * panel * w), sums),
            2 => column_sums::<L, 2>(block, stride, g.add(3 * panel * w), sums),
            1 => column_sums::<L, 1>(block, stride, g.add(3 * panel * w), sums),
            _ => {}
        }
        let out = sweep.rows.add(4 * (node.start + first));
        for (j, sum) in sums.iter().enumerate() {
            L::store_sums(*sum, out.add(4 * j));
        }
    }
}

/// Adds the products of `P` panels with their rows to the sums of columns, lane by lane.
#[inline(always)]
unsafe fn column_sums<L: Lanes, const P: usize>(
    values: *const L::Scalar,
    stride: usize,
    g: *const L::Scalar,
    sums: &mut [[L; 3]],
) {
    let w = L::WIDTH;
    unsafe {
        let mut rows = [[L::zero(); 3]; P];
        for p in 0..P {
            for c in 0..3 {
                rows[p][c] = L::load(g.add((3 * p + c) * w));
            }
        }
        for (j, sum) in sums.iter_mut().enumerate() {
            for p in 0..P {
                let l = L::load(values.add(p * stride + j * w));
                for c in 0..3 {
                    sum[c] = l.mul_add(rows[p][c], sum[c]);
                }
            }
        }
    }
}
