//! The numbers of the packed factor.

use super::super::Cholesky;
use super::super::cholesky::{Supernode, invert_supernode};
use super::layout::{Layout, Node, PADDING};
use crate::math::lanes::Real;
use crate::parallel;

/// Numbers of the packed factor that one task fills.
const GRAIN: usize = 1 << 16;

/// Computes M = [L₁₁⁻¹; −L₂₁L₁₁⁻¹] of every node and stores it in panels.
pub(super) fn fill<S: Real>(factor: &Cholesky, layout: &Layout, values: &mut [S]) {
    let width = layout.width;
    // Nodes in runs of about equal size, each with its own stretch of numbers.
    let mut runs = Vec::new();
    let mut rest = values;
    let mut first = 0;
    while first < layout.nodes.len() {
        let (mut end, mut size) = (first, 0);
        while end < layout.nodes.len() && size < GRAIN {
            size += layout.nodes[end].value_count(width);
            end += 1;
        }
        let (own, others) = rest.split_at_mut(size);
        rest = others;
        runs.push((first..end, own));
        first = end;
    }
    let filling = Filling { layout, factor };
    parallel::map(runs, &|(nodes, values)| {
        let mut scratch = Scratch::default();
        let mut at = 0;
        for k in nodes {
            let size = layout.nodes[k].value_count(width);
            filling.node(k, &mut scratch, &mut values[at..at + size]);
            at += size;
        }
    });
}

#[derive(Default)]
pub(super) struct Scratch {
    block: Vec<f64>,
    inverse: Vec<f64>,
}

pub(super) struct Filling<'a> {
    pub(super) layout: &'a Layout,
    pub(super) factor: &'a Cholesky,
}

impl Filling<'_> {
    /// Fills the numbers of node k.
    pub(super) fn node<S: Real>(&self, k: usize, scratch: &mut Scratch, values: &mut [S]) {
        let (node, width) = (self.layout.nodes[k], self.layout.width);
        let padded = &self.layout.rows[node.first_row..node.first_row + node.panels * width];
        let rows = &padded[..padded.partition_point(|&row| row != PADDING)];
        let height = rows.len();
        scratch.block.clear();
        scratch.block.resize(height * node.columns, 0.0);
        for member in &self.layout.members[self.layout.member_starts[k]..self.layout.member_starts[k + 1]] {
            let supernode = self.factor.supernode(member.part, member.supernode);
            copy_columns(&supernode, &self.layout.places[member.part], &node, rows, &mut scratch.block);
        }
        invert_supernode(&mut scratch.block, node.columns, height, &mut scratch.inverse);
        let triangle = node.triangular_panels(width);
        let mut out = values.chunks_exact_mut(width);
        let mut panel = 0;
        while panel < node.panels {
            let (group, columns) = match panel < triangle {
                true => (1, (panel + 1) * width),
                false => (node.group_from(panel), node.columns),
            };
            for j in 0..columns {
                let column = &scratch.block[j * height..(j + 1) * height];
                for rows in column[panel * width..].chunks(width).take(group) {
                    let Some(vector) = out.next() else { return };
                    vector.iter_mut().zip(rows).for_each(|(slot, &value)| *slot = S::from_f64(value));
                }
            }
            panel += group;
        }
    }
}

/// Copies the columns of a supernode to their places in the node's block.
fn copy_columns(supernode: &Supernode<'_>, places: &[u32], node: &Node, rows: &[u32], block: &mut [f64]) {
    let (height, width) = (rows.len(), supernode.end - supernode.begin);
    let tall = width + supernode.below.len();
    let local = |column: usize| {
        let place = places[column] as usize;
        if place < node.start + node.columns {
            place - node.start
        } else {
            let found = rows[node.columns..].binary_search(&(place as u32));
            node.columns + found.unwrap_or_else(|_| unreachable!("a node has the rows of its members"))
        }
    };
    let first = local(supernode.begin);
    let below: Vec<usize> = supernode.below.iter().map(|&row| local(row as usize)).collect();
    for j in 0..width {
        let source = &supernode.values[j * tall..(j + 1) * tall];
        let target = &mut block[(first + j) * height..(first + j + 1) * height];
        target[first + j..first + width].copy_from_slice(&source[j..width]);
        below.iter().zip(&source[width..]).for_each(|(&row, &value)| target[row] = value);
    }
}
