//! A tree of boxes that follows moving things: refitted from leaf to root, built anew when it has become too loose.
//!
//! The rule for building anew looks at the boxes alone, never at a clock. Which pairs overlap does not depend on the shape of the tree;
//! the order in which they are found does.

use std::ops::Range;

use super::boxes::ShortBox;

/// Items per leaf: testing four boxes costs about as much as opening one more level.
const LEAF: usize = 4;
/// A tree is built anew when its boxes have grown by this factor in sum: looking for pairs takes about that much longer.
const LOOSE: f32 = 2.0;

#[derive(Debug, Clone)]
struct Node {
    bounds: ShortBox,
    /// The part of the items below this node.
    items: Range<u32>,
    /// The second child; the first follows its parent directly. Zero for a leaf.
    second: u32,
}

/// Boxes within boxes.
#[derive(Debug, Clone, Default)]
pub(super) struct Tree {
    nodes: Vec<Node>,
    /// Nodes without children, from first to last.
    leaves: Vec<u32>,
    /// The items in the order of the leaves, and their boxes.
    items: Vec<u32>,
    boxes: Vec<ShortBox>,
    /// Sum of the nodes' sizes relative to the root's, when it was built.
    built_with: f32,
}

impl Tree {
    /// Follows the items to these boxes.
    pub(super) fn update(&mut self, boxes: &[ShortBox]) {
        if self.items.len() == boxes.len() {
            self.refit(boxes);
            if self.looseness() <= LOOSE * self.built_with {
                return;
            }
        }
        self.nodes.clear();
        self.items.clear();
        self.items.extend(0..boxes.len() as u32);
        if !boxes.is_empty() {
            self.build(boxes, 0..boxes.len());
        }
        self.leaves.clear();
        self.leaves.extend((0..).zip(&self.nodes).filter(|(_, node)| node.second == 0).map(|(own, _)| own));
        self.refit(boxes);
        self.built_with = self.looseness();
    }

    fn build(&mut self, boxes: &[ShortBox], range: Range<usize>) {
        let own = self.nodes.len();
        let items = &mut self.items[range.clone()];
        self.nodes.push(Node { bounds: ShortBox::NOWHERE, items: range.start as u32..range.end as u32, second: 0 });
        if items.len() <= LEAF {
            return;
        }
        let middle_of = |item: u32| boxes[item as usize].middle();
        let around = |bounds: ShortBox, middle| bounds.joined(ShortBox { min: middle, max: middle });
        let spread = items.iter().map(|&item| middle_of(item)).fold(ShortBox::NOWHERE, around);
        let axis = (spread.max - spread.min).max_position();
        // Whole leaves to the left, so that only the last leaf of all is not full.
        let middle = (items.len() / 2).next_multiple_of(LEAF);
        items
            .select_nth_unstable_by(middle, |&a, &b| middle_of(a)[axis].total_cmp(&middle_of(b)[axis]).then(a.cmp(&b)));
        self.build(boxes, range.start..range.start + middle);
        self.nodes[own].second = self.nodes.len() as u32;
        self.build(boxes, range.start + middle..range.end);
    }

    fn refit(&mut self, boxes: &[ShortBox]) {
        self.boxes.clear();
        self.boxes.extend(self.items.iter().map(|&item| boxes[item as usize]));
        for own in (0..self.nodes.len()).rev() {
            let Node { ref items, second, .. } = self.nodes[own];
            self.nodes[own].bounds = if second == 0 {
                let items = items.start as usize..items.end as usize;
                self.boxes[items].iter().fold(ShortBox::NOWHERE, |joined, &item| joined.joined(item))
            } else {
                self.nodes[own + 1].bounds.joined(self.nodes[second as usize].bounds)
            };
        }
    }

    /// Sum of the half perimeters of all nodes, relative to the root's.
    fn looseness(&self) -> f32 {
        let size = |node: &Node| node.bounds.half_perimeter();
        let Some(root) = self.nodes.first().map(size).filter(|&root| root > 0.0) else { return 0.0 };
        self.nodes.iter().map(size).sum::<f32>() / root
    }

    /// How many leaves there are.
    pub(super) fn leaves(&self) -> usize {
        self.leaves.len()
    }

    /// Calls `found` with each two items whose boxes overlap, once, if the earlier one lies in these leaves.
    pub(super) fn overlapping(&self, leaves: Range<usize>, mut found: impl FnMut(u32, u32)) {
        for &leaf in &self.leaves[leaves] {
            let Node { bounds, items: ref own, .. } = self.nodes[leaf as usize];
            for first in own.clone() {
                self.among(&self.boxes[first as usize], first + 1..own.end, |k| found(self.items[first as usize], k));
            }
            // What lies before this leaf has already found it.
            self.reach_leaves(&bounds, own.end, |node| {
                for first in own.clone() {
                    let own = &self.boxes[first as usize];
                    if own.overlaps(&node.bounds) {
                        self.among(own, node.items.clone(), |second| found(self.items[first as usize], second));
                    }
                }
            });
        }
    }

    /// Calls `found` with each item whose box overlaps this one.
    pub(super) fn overlapping_with(&self, bounds: &ShortBox, mut found: impl FnMut(u32)) {
        self.reach_leaves(bounds, 0, |node| self.among(bounds, node.items.clone(), &mut found));
    }

    /// Leaves that overlap a box and have items after some place.
    #[inline]
    fn reach_leaves(&self, bounds: &ShortBox, after: u32, mut reached: impl FnMut(&Node)) {
        // Depth is at most log₂ of 2³² items, and each level leaves one sibling waiting.
        let mut waiting = [0u32; 64];
        let mut count = usize::from(!self.nodes.is_empty());
        while count > 0 {
            count -= 1;
            let own = waiting[count];
            let node = &self.nodes[own as usize];
            if node.items.end <= after || !node.bounds.overlaps(bounds) {
                continue;
            }
            if node.second == 0 {
                reached(node);
            } else {
                waiting[count] = node.second;
                waiting[count + 1] = own + 1;
                count += 2;
            }
        }
    }

    /// Those of some items, by place, that overlap a box.
    #[inline]
    fn among(&self, bounds: &ShortBox, places: Range<u32>, mut found: impl FnMut(u32)) {
        for place in places.start as usize..places.end as usize {
            if self.boxes[place].overlaps(bounds) {
                found(self.items[place]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Vec3;
    use crate::mesh::Bounds;
    use crate::proximity::tests_support::scattered;

    fn boxes(points: &[Vec3], size: f64) -> Vec<ShortBox> {
        let around = |&p: &Vec3| ShortBox::new(&Bounds { min: p, max: p + Vec3::splat(size) }, Vec3::ZERO);
        points.iter().map(around).collect()
    }

    #[test]
    fn refitted_and_rebuilt_trees_find_what_trying_all_finds() {
        let mut points: Vec<Vec3> = scattered(703).collect();
        let mut tree = Tree::default();
        let mut rebuilt = 0;
        for round in 0..24 {
            let items = boxes(&points, 0.09);
            let before = tree.built_with;
            tree.update(&items);
            rebuilt += usize::from(tree.built_with != before);
            let mut found = Vec::new();
            tree.overlapping(0..tree.leaves(), |a, b| found.push((a.min(b), a.max(b))));
            found.sort_unstable();
            let all = (0..703).flat_map(|a| (a + 1..703).map(move |b| (a, b)));
            let expected: Vec<(u32, u32)> =
                all.filter(|&(a, b)| items[a as usize].overlaps(&items[b as usize])).collect();
            assert!(expected.len() > 100);
            assert_eq!(found, expected, "round {round}");
            let mut around = Vec::new();
            tree.overlapping_with(&items[round], |item| around.push(item));
            around.sort_unstable();
            let expected: Vec<u32> = (0..703).filter(|&b| items[round].overlaps(&items[b as usize])).collect();
            assert_eq!(around, expected, "round {round}");
            // Everything wanders until neighbours are far apart.
            points.iter_mut().enumerate().for_each(|(i, p)| {
                *p = (*p + 0.01 * Vec3::new((i % 7) as f64, (i % 11) as f64, (i % 5) as f64)).fract();
            });
        }
        assert!((2..24).contains(&rebuilt), "built {rebuilt} times in 24 rounds");
    }

    #[test]
    fn a_tree_of_nothing_finds_nothing() {
        let mut tree = Tree::default();
        tree.update(&[]);
        assert_eq!(tree.leaves(), 0);
        tree.update(&boxes(&[Vec3::ZERO], 1.0));
        tree.overlapping(0..tree.leaves(), |_, _| panic!("one alone"));
    }
}
