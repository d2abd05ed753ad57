//! The shape of a tree over leaves; see `tree.wgsl`.

/// Levels that a dispatch of `refit.wgsl` builds, and the boxes that a workgroup of it begins with.
const LEVELS_AT_ONCE: usize = 5;
const UNITS: usize = 1024;

/// How many levels and nodes a tree has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Shape {
    leaves: usize,
    /// Levels above the leaves.
    pub(super) levels: usize,
    pub(super) nodes: usize,
}

impl Shape {
    pub(super) fn new(leaves: usize) -> Self {
        if leaves == 0 {
            return Self { leaves, levels: 0, nodes: 0 };
        }
        let (mut levels, mut nodes, mut width) = (0, leaves, leaves);
        while width > 1 || levels == 0 {
            width = width.div_ceil(4);
            nodes += width;
            levels += 1;
        }
        Self { leaves, levels, nodes }
    }

    /// Workgroups that build the levels above one; none where there are no more.
    pub(super) fn workgroups_above(&self, level: usize) -> usize {
        if level >= self.levels { 0 } else { self.leaves.div_ceil(1 << (2 * level)).div_ceil(UNITS) }
    }
}

/// For each dispatch of `refit.wgsl` the level that it begins with, and the workgroups of each tree.
pub(super) fn dispatches(shapes: &[Shape; 2]) -> Vec<(usize, [usize; 2])> {
    let begins = (0..).step_by(LEVELS_AT_ONCE).map(|level| (level, shapes.map(|shape| shape.workgroups_above(level))));
    begins.take_while(|(_, workgroups)| *workgroups != [0, 0]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As in `tree.wgsl`.
    fn node_at(level: usize, number: usize, levels: usize) -> usize {
        let leaf = number << (2 * level);
        (1..=levels).fold(leaf + levels - level, |at, above| at + (leaf >> (2 * above)))
    }

    fn node_after(level: usize, number: usize, shape: &Shape) -> usize {
        let leaf = (number + 1) << (2 * level);
        if leaf >= shape.leaves {
            return shape.nodes;
        }
        let highest = (leaf.trailing_zeros() as usize / 2).min(shape.levels);
        node_at(highest, leaf >> (2 * highest), shape.levels)
    }

    #[test]
    fn every_node_has_a_place_of_its_own_and_skips_all_that_is_below_it() {
        for leaves in [1, 2, 4, 5, 16, 17, 63, 64, 65, 1000, 1024, 1025] {
            let shape = Shape::new(leaves);
            let mut at = vec![None; shape.nodes];
            for level in 0..=shape.levels {
                for number in 0..leaves.div_ceil(1 << (2 * level)) {
                    let place = &mut at[node_at(level, number, shape.levels)];
                    assert_eq!(place.replace((level, number)), None, "{leaves} leaves");
                }
            }
            let at: Vec<(usize, usize)> = at.into_iter().map(|node| node.expect("a node everywhere")).collect();
            for (place, &(level, number)) in at.iter().enumerate() {
                // What follows belongs to it until the node that it goes on with.
                let next = node_after(level, number, &shape);
                let is_below = |&(low, own): &(usize, usize)| low < level && own >> (2 * (level - low)) == number;
                assert!(at[place + 1..next].iter().all(is_below), "{leaves} leaves");
                assert!(at.get(next).is_none_or(|node| !is_below(node)), "{leaves} leaves");
            }
        }
    }
}
