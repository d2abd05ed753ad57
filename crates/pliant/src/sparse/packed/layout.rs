//! Which columns make a node, in which order, and where its numbers lie.

use super::super::Cholesky;
use super::super::cholesky::Supernode;

/// A node: neighbouring columns with the rows below them.
#[derive(Debug, Clone, Copy)]
pub(super) struct Node {
    /// First column, in order of elimination.
    pub(super) start: usize,
    /// Number of columns.
    pub(super) columns: usize,
    /// Panels of rows: the node's columns first, then the rows below, padded to a full panel.
    pub(super) panels: usize,
    /// First of its rows in the list of rows; each panel has as many as a vector is wide.
    pub(super) first_row: usize,
    /// First of its numbers.
    pub(super) first_value: usize,
    /// The node that its first row below belongs to.
    pub(super) parent: Option<usize>,
}

impl Node {
    /// Panels whose rows are all columns of the node. Panel p of these stores only columns up to its last row.
    pub(super) fn triangular_panels(&self, width: usize) -> usize {
        self.columns / width
    }

    /// How many panels, from this one beyond the triangle on, lie side by side in memory: a column of the first, the same
    /// column of the second and so on, then the next column. The sweeps take a group at once, the forward one from the first to
    /// the last and the backward one from the last to the first, so that they read memory strictly in order: the
    /// processor fetches ahead of nothing else. Four fill the registers; five or six are better split in threes than into
    /// four and a rest.
    pub(super) fn group_from(&self, panel: usize) -> usize {
        let rest = self.panels - panel;
        match rest % 4 {
            0 => 4,
            1 => rest.min(2),
            2 if rest == 2 => 2,
            _ => 3,
        }
    }

    /// The same for the group that ends before a panel.
    pub(super) fn group_before(&self, end: usize, width: usize) -> usize {
        match end - self.triangular_panels(width) {
            rest @ 0..=4 => rest,
            5 | 6 => 3,
            _ => 4,
        }
    }

    /// First number of a panel of the triangle or of a group, counted from the node's first.
    pub(super) fn panel_offset(&self, panel: usize, width: usize) -> usize {
        let triangle = self.triangular_panels(width).min(panel);
        width * (width * triangle * (triangle + 1) / 2 + (panel - triangle) * self.columns)
    }

    /// Numbers stored.
    pub(super) fn value_count(&self, width: usize) -> usize {
        self.panel_offset(self.panels, width)
    }
}

/// A supernode of the factor within the node that took it in.
#[derive(Debug, Clone, Copy)]
pub(super) struct Member {
    /// Part of the matrix, and supernode within it.
    pub(super) part: usize,
    pub(super) supernode: usize,
}

/// Nodes in order of elimination.
pub(super) struct Layout {
    /// Height of a panel: numbers of a vector.
    pub(super) width: usize,
    pub(super) nodes: Vec<Node>,
    /// Unknown that is eliminated k-th.
    pub(super) order: Vec<u32>,
    /// Rows of all nodes, in order of elimination; `PADDING` beyond the last row of a node.
    pub(super) rows: Vec<u32>,
    /// For each row below a node, which one it is below the node's last supernode; 0 elsewhere.
    pub(super) row_sources: Vec<u32>,
    /// Supernodes of node k: `members[member_starts[k]..member_starts[k + 1]]`.
    pub(super) members: Vec<Member>,
    pub(super) member_starts: Vec<usize>,
    /// For each part, the node that took in its k-th supernode.
    pub(super) node_of: Vec<Vec<u32>>,
    /// For each part, the new place of its k-th column.
    pub(super) places: Vec<Vec<u32>>,
}

/// A row that stands for nothing.
pub(super) const PADDING: u32 = u32::MAX;

/// Time of a node in both sweeps by a simple model, in arbitrary units: a start, a charge per panel for gathering and scattering, and
/// the stream of numbers. On the
/// curtain the time of a solve hardly depends on the constants; only their ratios matter.
fn cost(columns: usize, below: usize, width: usize) -> f64 {
    let (start, per_panel, per_vector) = (20.0, 8.0, 1.8);
    let panels = (columns + below).div_ceil(width) as f64;
    let vectors = (columns * (columns + width) / 2 + columns * below) as f64 / width as f64;
    start + per_panel * panels + per_vector * vectors
}

impl Layout {
    pub(super) fn new(factor: &Cholesky, width: usize) -> Self {
        let mut layout = Self {
            width,
            nodes: Vec::new(),
            order: Vec::with_capacity(factor.size()),
            rows: Vec::new(),
            row_sources: Vec::new(),
            members: Vec::new(),
            member_starts: vec![0],
            node_of: Vec::new(),
            places: Vec::new(),
        };
        let mut next_value = 0;
        for (part, (order, supernodes)) in factor.parts().enumerate() {
            layout.add_part(part, &order, &supernodes, &mut next_value);
        }
        layout
    }

    /// Numbers stored: every node ends where the next one begins.
    pub(super) fn value_count(&self) -> usize {
        self.nodes.last().map_or(0, |node| node.first_value + node.value_count(self.width))
    }

    fn add_part(&mut self, part: usize, order: &[u32], supernodes: &[Supernode<'_>], next_value: &mut usize) {
        let width = self.width;
        let merged = Merged::new(supernodes, width);
        let base = self.order.len();
        // Columns get their new places node by node.
        let mut places = vec![0u32; order.len()];
        let mut next = base;
        let mut node_of = vec![0u32; supernodes.len()];
        for (node, &top) in (self.nodes.len() as u32..).zip(&merged.sequence) {
            for &s in &merged.members[top] {
                node_of[s] = node;
                for column in supernodes[s].begin..supernodes[s].end {
                    places[column] = next as u32;
                    self.order.push(order[column]);
                    next += 1;
                }
                self.members.push(Member { part, supernode: s });
            }
            self.member_starts.push(self.members.len());
        }
        let mut node_of_column = vec![0u32; order.len()];
        let first_node = self.nodes.len();
        let mut start = base;
        for (k, &top) in merged.sequence.iter().enumerate() {
            let columns = merged.columns[top];
            let below = supernodes[top].below;
            let first_row = self.rows.len();
            self.rows.extend((start..start + columns).map(|row| row as u32));
            let mut rows: Vec<(u32, u32)> = below.iter().map(|&row| places[row as usize]).zip(0..).collect();
            rows.sort_unstable();
            self.rows.extend(rows.iter().map(|&(row, _)| row));
            self.row_sources.resize(first_row + columns, 0);
            self.row_sources.extend(rows.iter().map(|&(_, source)| source));
            let panels = (columns + below.len()).div_ceil(width);
            self.rows.resize(first_row + panels * width, PADDING);
            self.row_sources.resize(self.rows.len(), 0);
            let node = Node { start, columns, panels, first_row, first_value: *next_value, parent: None };
            *next_value += node.value_count(width);
            node_of_column[start - base..start - base + columns].fill((first_node + k) as u32);
            self.nodes.push(node);
            start += columns;
        }
        for (k, &top) in merged.sequence.iter().enumerate() {
            if !supernodes[top].below.is_empty() {
                let node = &self.nodes[first_node + k];
                let above = self.rows[node.first_row + node.columns] as usize - base;
                self.nodes[first_node + k].parent = Some(node_of_column[above] as usize);
            }
        }
        self.node_of.push(node_of);
        self.places.push(places);
    }
}

/// Supernodes joined to their parents where the zeros that this stores cost less than a node of their own.
struct Merged {
    /// For each supernode that stayed, those that make it up, children before parents.
    members: Vec<Vec<usize>>,
    /// Columns of each supernode that stayed.
    columns: Vec<usize>,
    /// Supernodes that stayed, children before parents.
    sequence: Vec<usize>,
}

impl Merged {
    fn new(supernodes: &[Supernode<'_>], width: usize) -> Self {
        let count = supernodes.len();
        let mut owner = vec![0usize; supernodes.last().map_or(0, |s| s.end)];
        for (k, s) in supernodes.iter().enumerate() {
            owner[s.begin..s.end].fill(k);
        }
        let parent = |k: usize| supernodes[k].below.first().map(|&row| owner[row as usize]);
        let mut children = vec![Vec::new(); count];
        (0..count).for_each(|k| parent(k).into_iter().for_each(|p| children[p].push(k)));
        let mut columns: Vec<usize> = supernodes.iter().map(|s| s.end - s.begin).collect();
        let below: Vec<usize> = supernodes.iter().map(|s| s.below.len()).collect();
        let mut members: Vec<Vec<usize>> = (0..count).map(|k| vec![k]).collect();
        for p in 0..count {
            let mut candidates = std::mem::take(&mut children[p]);
            loop {
                let gain = |k: usize| {
                    cost(columns[k], below[k], width) + cost(columns[p], below[p], width)
                        - cost(columns[k] + columns[p], below[p], width)
                };
                let best = (0..candidates.len()).map(|i| (gain(candidates[i]), i)).max_by(|a, b| a.0.total_cmp(&b.0));
                let Some((_, i)) = best.filter(|best| best.0 > 0.0) else { break };
                let k = candidates.swap_remove(i);
                columns[p] += columns[k];
                columns[k] = 0;
                let mut joined = std::mem::take(&mut members[k]);
                joined.append(&mut members[p]);
                members[p] = joined;
                candidates.append(&mut children[k]);
            }
            children[p] = candidates;
        }
        let mut sequence = Vec::new();
        let mut path: Vec<(usize, usize)> = Vec::new();
        for root in (0..count).filter(|&k| parent(k).is_none()) {
            path.push((root, 0));
            while let Some((k, visited)) = path.last_mut() {
                if let Some(&child) = children[*k].get(*visited) {
                    *visited += 1;
                    path.push((child, 0));
                } else {
                    sequence.push(*k);
                    path.pop();
                }
            }
        }
        Self { members, columns, sequence }
    }
}
