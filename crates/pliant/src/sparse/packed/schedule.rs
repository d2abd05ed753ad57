//! Which nodes are done by which task. It depends on the matrix alone, never on the number of threads.

use super::layout::{Layout, Node, PADDING};

/// Work below which a subtree is not divided further: a few microseconds.
const LEAST_TASK: usize = 40_000;
/// Subtrees aimed at, for machines of many cores.
const MOST_TASKS: usize = 48;

/// A subtree of the elimination tree.
#[derive(Debug, Default)]
pub(super) struct Task {
    /// Its nodes, ascending.
    pub(super) nodes: Vec<u32>,
    /// Rows above the subtree that it adds to; they have private copies from `first_private` on, in this order.
    pub(super) above: Vec<u32>,
    pub(super) first_private: u32,
}

/// The order of work.
pub(super) struct Schedule {
    pub(super) tasks: Vec<Task>,
    /// Nodes above all subtrees, ascending.
    pub(super) top: Vec<u32>,
    /// Rows of all nodes as in the layout, with private rows in place of those above a subtree and idle rows for padding;
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
        // Divide whatever is too large for a task; its node goes to the top.
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
        let (rows, row_count) = (layout.rows.clone(), layout.order.len());
        let mut schedule = Self { tasks: Vec::new(), top, rows, row_count, scratch_starts: Vec::new() };
        schedule.form_tasks(layout, &roots, &children, &subtree, grain);
        // The shared nodes have idle rows of their own.
        let idle = schedule.row_count as u32;
        schedule.row_count += width;
        for k in schedule.top.clone() {
            fill_padding(rows_of(&mut schedule.rows, &nodes[k as usize], width), idle, width);
        }
        schedule.rows.iter_mut().for_each(|row| *row *= 4);
        schedule.divide_scratch(layout);
        schedule
    }

    /// Joins neighbouring small subtrees to tasks of about the grain, and gives tasks their private rows.
    fn form_tasks(
        &mut self,
        layout: &Layout,
        roots: &[usize],
        children: &[Vec<usize>],
        subtree: &[usize],
        grain: usize,
    ) {
        let width = layout.width;
        let mut private_of = vec![PADDING; layout.order.len()];
        let mut next = 0;
        while next < roots.len() {
            let mut task = Task::default();
            let mut size = 0;
            while next < roots.len() && (size == 0 || size + subtree[roots[next]] <= grain) {
                collect_subtree(roots[next], children, &mut task.nodes);
                size += subtree[roots[next]];
                next += 1;
            }
            task.nodes.sort_unstable();
            task.first_private = self.row_count as u32;
            let idle = self.assign_private_rows(layout, &mut task, &mut private_of);
            self.row_count = idle as usize + width;
            self.tasks.push(task);
        }
    }

    /// Renumbers rows of a task that are above it; returns the first of its idle rows, which come after its private ones.
    fn assign_private_rows(&mut self, layout: &Layout, task: &mut Task, private_of: &mut [u32]) -> u32 {
        let width = layout.width;
        // A row is inside when one of the task's nodes has it as a column.
        let mut columns: Vec<(usize, usize)> =
            task.nodes.iter().map(|&k| (layout.nodes[k as usize].start, layout.nodes[k as usize].columns)).collect();
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
            let rows = rows_of(&mut self.rows, &layout.nodes[k as usize], width);
            fill_padding(rows, idle, width);
        }
        task.above.iter().for_each(|&row| private_of[row as usize] = PADDING);
        idle
    }

    /// Rows with the private ones.
    pub(super) fn row_count(&self) -> usize {
        self.row_count
    }

    /// Scratch of all tasks and of the shared nodes \[numbers\].
    pub(super) fn scratch_size(&self) -> usize {
        self.scratch_starts[self.tasks.len() + 1]
    }

    /// Where the scratch of a task begins; that of the shared nodes follows the last task's.
    pub(super) fn scratch_start(&self, task: usize) -> usize {
        self.scratch_starts[task]
    }

    fn divide_scratch(&mut self, layout: &Layout) {
        let mut next = 0;
        self.scratch_starts.push(0);
        for nodes in self.tasks.iter().map(|task| &task.nodes).chain([&self.top]) {
            let largest = |size: &dyn Fn(&Node) -> usize| {
                nodes.iter().map(|&k| size(&layout.nodes[k as usize])).max().unwrap_or(0)
            };
            let need = (4 * largest(&|node| node.columns)).max(3 * layout.width * largest(&|node| node.panels));
            // Each on cache lines of its own.
            next += need.next_multiple_of(16);
            self.scratch_starts.push(next);
        }
    }
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
