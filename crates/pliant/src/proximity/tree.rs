//! A tree of boxes that follows moving things: refitted from leaf to root, built anew when it has become too loose.
//!
//! The rule for building anew looks at the boxes alone, never at a clock. What a query reports does not depend on the shape
//! of the tree, so a run that resumes with a fresh tree continues with the same bits.

use std::ops::Range;

use crate::math::Vec3;
use crate::mesh::Bounds;

/// Items per leaf: testing four boxes costs about as much as opening one more level.
const LEAF: usize = 4;
/// A tree is built anew when its boxes have grown by this factor in sum: queries take about that much longer.
const LOOSE: f64 = 2.0;

#[derive(Debug, Clone)]
struct Node {
    bounds: Bounds,
    /// The part of the items below this node.
    items: Range<u32>,
    /// The second child; the first follows its parent directly. Zero for a leaf.
    second: u32,
}

/// Boxes within boxes.
#[derive(Debug, Clone, Default)]
pub(super) struct Tree {
    nodes: Vec<Node>,
    /// The items in the order of the leaves.
    items: Vec<u32>,
    /// Sum of the nodes' sizes relative to the root's, when it was built.
    built_with: f64,
}

fn joined(a: Bounds, b: Bounds) -> Bounds {
    Bounds { min: a.min.min(b.min), max: a.max.max(b.max) }
}

fn overlap(a: &Bounds, b: &Bounds) -> bool {
    a.min.cmple(b.max).all() && b.min.cmple(a.max).all()
}

const NOWHERE: Bounds = Bounds { min: Vec3::INFINITY, max: Vec3::NEG_INFINITY };

impl Tree {
    /// Follows the items to these boxes.
    pub(super) fn update(&mut self, boxes: &[Bounds]) {
        if self.items.len() == boxes.len() {
            self.refit(boxes);
            if self.looseness() <= LOOSE * self.built_with {
                return;
            }
        }
        self.nodes.clear();
        self.items = (0..boxes.len() as u32).collect();
        if !boxes.is_empty() {
            self.build(boxes, 0..boxes.len());
        }
        self.built_with = self.looseness();
    }

    fn build(&mut self, boxes: &[Bounds], range: Range<usize>) {
        let own = self.nodes.len();
        let items = &mut self.items[range.clone()];
        let bounds = items.iter().map(|&item| boxes[item as usize]).fold(NOWHERE, joined);
        self.nodes.push(Node { bounds, items: range.start as u32..range.end as u32, second: 0 });
        if items.len() <= LEAF {
            return;
        }
        let middle_of = |item: u32| boxes[item as usize].centre();
        let around = |bounds, centre| joined(bounds, Bounds { min: centre, max: centre });
        let axis = items.iter().map(|&item| middle_of(item)).fold(NOWHERE, around).size().max_position();
        let middle = items.len() / 2;
        items
            .select_nth_unstable_by(middle, |&a, &b| middle_of(a)[axis].total_cmp(&middle_of(b)[axis]).then(a.cmp(&b)));
        self.build(boxes, range.start..range.start + middle);
        self.nodes[own].second = self.nodes.len() as u32;
        self.build(boxes, range.start + middle..range.end);
    }

    fn refit(&mut self, boxes: &[Bounds]) {
        for own in (0..self.nodes.len()).rev() {
            let node = &self.nodes[own];
            self.nodes[own].bounds = if node.second == 0 {
                let items = &self.items[node.items.start as usize..node.items.end as usize];
                items.iter().map(|&item| boxes[item as usize]).fold(NOWHERE, joined)
            } else {
                joined(self.nodes[own + 1].bounds, self.nodes[node.second as usize].bounds)
            };
        }
    }

    /// Sum of the half perimeters of all nodes, relative to the root's.
    fn looseness(&self) -> f64 {
        let size = |node: &Node| node.bounds.size().element_sum();
        let Some(root) = self.nodes.first().map(size).filter(|&root| root > 0.0) else { return 0.0 };
        self.nodes.iter().map(size).sum::<f64>() / root
    }

    /// Calls `found` with each item whose box overlaps; in no particular order.
    pub(super) fn overlapping(&self, bounds: &Bounds, boxes: &[Bounds], mut found: impl FnMut(u32)) {
        // Depth is at most log₂ of 2³² items, and each level leaves one sibling waiting.
        let mut waiting = [0u32; 64];
        let mut count = usize::from(!self.nodes.is_empty());
        while count > 0 {
            count -= 1;
            let own = waiting[count];
            let node = &self.nodes[own as usize];
            if !overlap(&node.bounds, bounds) {
                continue;
            }
            if node.second == 0 {
                let items = &self.items[node.items.start as usize..node.items.end as usize];
                items.iter().filter(|&&item| overlap(&boxes[item as usize], bounds)).for_each(|&item| found(item));
            } else {
                waiting[count] = node.second;
                waiting[count + 1] = own + 1;
                count += 2;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::proximity::tests_support::scattered;

    fn boxes(points: &[Vec3], size: f64) -> Vec<Bounds> {
        points.iter().map(|&p| Bounds { min: p, max: p + Vec3::splat(size) }).collect()
    }

    #[test]
    fn refitted_and_rebuilt_trees_find_what_trying_all_finds() {
        let mut points: Vec<Vec3> = scattered(700).collect();
        let mut tree = Tree::default();
        let mut rebuilt = 0;
        for round in 0..12 {
            let items = boxes(&points, 0.05);
            let before = tree.built_with;
            tree.update(&items);
            rebuilt += usize::from(tree.built_with != before);
            for query in boxes(&scattered(40).collect::<Vec<_>>(), 0.1) {
                let mut found = Vec::new();
                tree.overlapping(&query, &items, |item| found.push(item));
                found.sort_unstable();
                let expected: Vec<u32> = (0..700).filter(|&i| overlap(&items[i as usize], &query)).collect();
                assert_eq!(found, expected, "round {round}");
            }
            // Everything wanders until neighbours are far apart.
            points.iter_mut().enumerate().for_each(|(i, p)| {
                *p = (*p + 0.02 * Vec3::new((i % 7) as f64, (i % 11) as f64, (i % 5) as f64)).fract();
            });
        }
        assert!((2..12).contains(&rebuilt), "built {rebuilt} times in 12 rounds");
    }

    #[test]
    fn a_tree_of_nothing_finds_nothing() {
        let mut tree = Tree::default();
        tree.update(&[]);
        tree.overlapping(&Bounds { min: Vec3::ZERO, max: Vec3::ONE }, &[], |_| panic!("there is nothing"));
    }
}
