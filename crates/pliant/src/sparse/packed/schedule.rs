//! Which nodes are done by which task, and which tasks side by side. It depends on the matrix alone, never on the number of
//! threads.
//!
//! Small subtrees of the elimination tree are tasks. Each node above them is a task of its own, and these go level by level: those of a
//! level have only tasks of lower levels below them and do not meet. A task adds what it finds for rows above it to private rows,
//! and the node above collects them from its children, child by child: nobody waits for a lock and every sum has one order.

use super::layout::{Layout, Node, PADDING};
use super::sweep::{SHARED_COLUMN_BLOCK, panel_blocks};

/// Work below which a subtree is not divided further: some ten microseconds. More tasks have more private rows to add up.
const LEAST_TASK: usize = 120_000;
/// Subtrees aimed at, for machines of many cores.
const MOST_TASKS: usize = 48;
/// Nodes of more numbers are divided between threads.
const LEAST_SHARED: usize = 24_000;

/// A subtree of the elimination tree, several side by side under one node, or a single node above them.
#[derive(Debug, Default)]
pub(super) struct Task {
    /// Its nodes, ascending.
    pub(super) nodes: Vec<u32>,
    /// Rows above that it adds to; they have private copies from `first_private` on, in this order.
    pub(super) above: Vec<u32>,
    pub(super) first_private: u32,
    /// Where the node above collects each private row: first numbers of its own columns or of its private rows.
    pub(super) collected_at: Vec<u32>,
    /// Tasks that it collects from, ascending.
    pub(super) children: Vec<u32>,
    /// Whether threads share its node.
    pub(super) is_shared: bool,
}

/// Single nodes that do not meet.
#[derive(Debug, Default)]
pub(super) struct Level {
    pub(super) tasks: Vec<u32>,
    /// Blocks of panels of shared nodes: (task, block).
    pub(super) panel_blocks: Vec<(u32, u32)>,
    /// Blocks of columns of shared nodes: (task, block).
    pub(super) column_blocks: Vec<(u32, u32)>,
}

/// The order of work.
pub(super) struct Schedule {
    /// Subtrees first, then single nodes, each ascending.
    pub(super) tasks: Vec<Task>,
    /// Number of subtrees.
    pub(super) subtrees: usize,
    /// Single nodes, those with nothing but subtrees below them first.
    pub(super) levels: Vec<Level>,
    /// Rows of all nodes as in the layout, with private rows in place of those above a task and idle rows for padding;
    /// each is the place of the row's first number, four times its index.
    pub(super) rows: Vec<u32>,
    row_count: usize,
    scratch_starts: Vec<usize>,
}

/// Cost of a node: its numbers, and a charge for each panel's rows.
fn work(node: &Node, width: usize) -> usize {
    node.value_count(width) + 64 * node.panels
}

impl Schedule {
    pub(super) fn new(layout: &Layout) -> Self {
        let width = layout.width;
        let nodes = &layout.nodes;
        let own: Vec<usize> = nodes.iter().map(|node| work(node, width)).collect();
        let mut subtree = own.clone();
        let mut children = vec![Vec::new(); nodes.len()];
        let mut pending = Vec::new();
        for (k, node) in nodes.iter().enumerate() {
            match node.parent {
                Some(parent) => {
                    subtree[parent] += subtree[k];
                    children[parent].push(k);
                }
                None => pending.push(k),
            }
        }
        let total: usize = own.iter().sum();
        let grain = (total / MOST_TASKS).max(LEAST_TASK);
        // Divide whatever is too large for a task; its node becomes one of its own.
        let (mut roots, mut top) = (Vec::new(), Vec::new());
        while let Some(k) = pending.pop() {
            if subtree[k] > grain && !children[k].is_empty() {
                top.push(k as u32);
                pending.extend(&children[k]);
            } else {
                roots.push(k);
            }
        }
        top.sort_unstable();
        roots.sort_unstable();
        let mut tasks = subtree_tasks(layout, &roots, &children, &subtree, grain);
        let subtrees = tasks.len();
        tasks.extend(top.iter().map(|&k| {
            let is_shared = nodes[k as usize].value_count(width) >= LEAST_SHARED;
            Task { nodes: vec![k], is_shared, ..Task::default() }
        }));
        let (rows, row_count) = (layout.rows.clone(), layout.order.len());
        let mut schedule = Self { tasks, subtrees, levels: Vec::new(), rows, row_count, scratch_starts: Vec::new() };
        schedule.assign_private_rows(layout);
        schedule.join_to_parents(layout);
        schedule.form_levels(layout);
        schedule.rows.iter_mut().for_each(|row| *row *= 4);
        schedule.divide_scratch(layout);
        schedule
    }

    /// Renumbers rows of tasks that are above them; each task has its private rows, then idle ones.
    fn assign_private_rows(&mut self, layout: &Layout) {
        let width = layout.width;
        let mut private_of = vec![PADDING; layout.order.len()];
        for task in &mut self.tasks {
            task.first_private = self.row_count as u32;
            // A row is inside when one of the task's nodes has it as a column.
            let mut columns: Vec<(usize, usize)> = task
                .nodes
                .iter()
                .map(|&k| (layout.nodes[k as usize].start, layout.nodes[k as usize].columns))
                .collect();
            columns.sort_unstable();
            let inside = |row: u32| {
                let at = columns.partition_point(|&(start, _)| start <= row as usize);
                at > 0 && (row as usize) < columns[at - 1].0 + columns[at - 1].1
            };
            for &k in &task.nodes {
                for row in rows_of(&mut self.rows, &layout.nodes[k as usize], width) {
                    if *row != PADDING && !inside(*row) {
                        let slot = &mut private_of[*row as usize];
                        if *slot == PADDING {
                            *slot = task.first_private + task.above.len() as u32;
                            task.above.push(*row);
                        }
                        *row = *slot;
                    }
                }
            }
            let idle = task.first_private + task.above.len() as u32;
            for &k in &task.nodes {
                fill_padding(rows_of(&mut self.rows, &layout.nodes[k as usize], width), idle, width);
            }
            task.above.iter().for_each(|&row| private_of[row as usize] = PADDING);
            self.row_count = idle as usize + width;
        }
    }

    /// Tells each task where the node above it collects its private rows.
    fn join_to_parents(&mut self, layout: &Layout) {
        let (below, singles) = self.tasks.split_at_mut(self.subtrees);
        let single_of = |singles: &[Task], node: usize| singles.partition_point(|task| (task.nodes[0] as usize) < node);
        for index in 0..below.len() + singles.len() {
            let task = if index < below.len() { &below[index] } else { &singles[index - below.len()] };
            // All subtrees of a task hang on the same node, as the last one does.
            let Some(parent) = task.nodes.last().and_then(|&k| layout.nodes[k as usize].parent) else { continue };
            let position = single_of(singles, parent);
            let (node, above) = (&layout.nodes[parent], &singles[position]);
            let collected_at = task.above.iter().map(|&row| {
                if (row as usize) < node.start + node.columns {
                    return 4 * row;
                }
                let found = above.above.binary_search(&row);
                let k = found.unwrap_or_else(|_| unreachable!("a node has the rows of its children"));
                4 * (above.first_private + k as u32)
            });
            let collected_at = collected_at.collect();
            singles[position].children.push(index as u32);
            let task = if index < below.len() { &mut below[index] } else { &mut singles[index - below.len()] };
            task.collected_at = collected_at;
        }
    }

    fn form_levels(&mut self, layout: &Layout) {
        let mut level_of = vec![0usize; self.tasks.len()];
        for t in self.subtrees..self.tasks.len() {
            let lower = self.tasks[t].children.iter().map(|&child| level_of[child as usize] + 1);
            level_of[t] = lower.max().unwrap_or(1);
            let level = level_of[t] - 1;
            if self.levels.len() <= level {
                self.levels.resize_with(level + 1, Level::default);
            }
            let level = &mut self.levels[level];
            let task = t as u32;
            level.tasks.push(task);
            if self.tasks[t].is_shared {
                let node = &layout.nodes[self.tasks[t].nodes[0] as usize];
                level.panel_blocks.extend((0..panel_blocks(node, layout.width) as u32).map(|block| (task, block)));
                let columns = node.columns.div_ceil(SHARED_COLUMN_BLOCK) as u32;
                level.column_blocks.extend((0..columns).map(|block| (task, block)));
            }
        }
    }

    /// Rows with the private ones.
    pub(super) fn row_count(&self) -> usize {
        self.row_count
    }

    /// Scratch of all tasks \[numbers\].
    pub(super) fn scratch_size(&self) -> usize {
        self.scratch_starts[self.tasks.len()]
    }

    /// Where the scratch of a task begins.
    pub(super) fn scratch_start(&self, task: usize) -> usize {
        self.scratch_starts[task]
    }

    fn divide_scratch(&mut self, layout: &Layout) {
        let mut next = 0;
        self.scratch_starts.push(0);
        for task in &self.tasks {
            let largest = |size: &dyn Fn(&Node) -> usize| {
                task.nodes.iter().map(|&k| size(&layout.nodes[k as usize])).max().unwrap_or(0)
            };
            let need = (4 * largest(&|node| node.columns)).max(3 * layout.width * largest(&|node| node.panels));
            // Each on cache lines of its own.
            next += need.next_multiple_of(16);
            self.scratch_starts.push(next);
        }
    }
}

/// Subtrees as tasks; neighbouring small ones under the same node are joined.
fn subtree_tasks(
    layout: &Layout,
    roots: &[usize],
    children: &[Vec<usize>],
    subtree: &[usize],
    grain: usize,
) -> Vec<Task> {
    let mut tasks = Vec::new();
    let mut next = 0;
    while next < roots.len() {
        let mut task = Task::default();
        let (mut size, parent) = (0, layout.nodes[roots[next]].parent);
        while next < roots.len()
            && layout.nodes[roots[next]].parent == parent
            && (size == 0 || size + subtree[roots[next]] <= grain)
        {
            collect_subtree(roots[next], children, &mut task.nodes);
            size += subtree[roots[next]];
            next += 1;
        }
        task.nodes.sort_unstable();
        tasks.push(task);
    }
    tasks
}

fn rows_of<'a>(rows: &'a mut [u32], node: &Node, width: usize) -> &'a mut [u32] {
    &mut rows[node.first_row..node.first_row + node.panels * width]
}

/// Puts idle rows in place of padding, one for each lane: adding to one row again and again would make a chain through memory.
fn fill_padding(rows: &mut [u32], idle: u32, width: usize) {
    for (k, row) in rows.iter_mut().enumerate().filter(|(_, row)| **row == PADDING) {
        *row = idle + (k % width) as u32;
    }
}

fn collect_subtree(root: usize, children: &[Vec<usize>], nodes: &mut Vec<u32>) {
    let mut pending = vec![root];
    while let Some(k) = pending.pop() {
        nodes.push(k as u32);
        pending.extend(&children[k]);
    }
}
