//! Which elements go at once: in blocks that a workgroup has in its own memory, round by round; or all over the world, level by level.
//!
//! Both keep the engine's order of elements that share a vertex that moves, so that a sweep is the engine's.

use std::ops::Range;

/// Threads of a workgroup.
pub(super) const THREADS: usize = 128;
/// Vertices that a workgroup has room for: 16 KiB.
pub(super) const MOST_POINTS: usize = 1024;
/// A place without an element.
pub(super) const NONE: u32 = u32::MAX;

/// Elements of a pass, in the engine's order.
pub(super) struct Order<'a> {
    /// Vertices, as many for each.
    pub(super) corners: &'a [u32],
    pub(super) per_element: usize,
    /// Parts that lie together, by phases.
    pub(super) phases: &'a [Vec<Range<usize>>],
    pub(super) moves: &'a dyn Fn(u32) -> bool,
}

/// Elements in blocks.
pub(super) struct Blocks {
    /// Of each the first of its vertices, how many there are, the first of its rounds, how many there are.
    pub(super) records: Vec<[u32; 4]>,
    /// Vertices of all blocks.
    pub(super) vertices: Vec<u32>,
    /// The element of each thread in each round, or none.
    pub(super) rounds: Vec<u32>,
    /// Its corners among the vertices of the block, as many for each.
    pub(super) corners: Vec<u16>,
    /// Most vertices of a block.
    pub(super) points: usize,
}

/// Elements in levels.
pub(super) struct Levels {
    /// All elements, level by level.
    pub(super) elements: Vec<u32>,
    /// First of each level, and the end.
    pub(super) starts: Vec<usize>,
}

impl Order<'_> {
    fn of(&self, element: usize) -> &[u32] {
        &self.corners[element * self.per_element..(element + 1) * self.per_element]
    }

    /// The blocks; none if one has too many vertices.
    pub(super) fn in_blocks(&self) -> Option<Blocks> {
        let (mut records, mut vertices, mut rounds) = (Vec::new(), Vec::new(), Vec::new());
        let (mut corners, mut points) = (Vec::new(), 0);
        for block in self.phases.iter().flatten() {
            let mut own = self.corners[block.start * self.per_element..block.end * self.per_element].to_vec();
            own.sort_unstable();
            own.dedup();
            if own.len() > MOST_POINTS {
                return None;
            }
            points = points.max(own.len());
            let local = |v: u32| own.partition_point(|&other| other < v);
            // After which round each vertex is where it is to be.
            let (mut done, mut filled) = (vec![0; own.len()], Vec::<Vec<u32>>::new());
            for element in block.clone() {
                let moving = || self.of(element).iter().filter(|&&v| (self.moves)(v)).map(|&v| local(v));
                let earliest = moving().map(|k| done[k]).max().unwrap_or(0);
                let round = (earliest..).find(|&r| filled.get(r).is_none_or(|own| own.len() < THREADS)).unwrap_or(0);
                filled.resize(filled.len().max(round + 1), Vec::new());
                filled[round].push(element as u32);
                moving().for_each(|k| done[k] = round + 1);
            }
            let first = rounds.len() / THREADS;
            for own in &filled {
                corners.extend(own.iter().flat_map(|&e| self.of(e as usize)).map(|&v| local(v) as u16));
                rounds.extend_from_slice(own);
                rounds.resize(rounds.len().next_multiple_of(THREADS), NONE);
                corners.resize(rounds.len() * self.per_element, 0);
            }
            records.push([vertices.len(), own.len(), first, filled.len()].map(|number| number as u32));
            vertices.extend(own);
        }
        Some(Blocks { records, vertices, rounds, corners, points })
    }

    /// The levels: each element in the first that comes after all elements before it that it shares a vertex with.
    pub(super) fn in_levels(&self) -> Levels {
        let count = self.corners.len() / self.per_element;
        let most = self.corners.iter().max().map_or(0, |&v| v as usize + 1);
        let (mut done, mut levels) = (vec![0; most], Vec::with_capacity(count));
        for element in 0..count {
            let moving = || self.of(element).iter().filter(|&&v| (self.moves)(v)).map(|&v| v as usize);
            let level = moving().map(|v| done[v]).max().unwrap_or(0);
            moving().for_each(|v| done[v] = level + 1);
            levels.push(level);
        }
        let mut elements: Vec<u32> = (0..count as u32).collect();
        elements.sort_by_key(|&e| levels[e as usize]);
        let last = levels.iter().max().map_or(0, |level| level + 1);
        let starts = (0..=last).map(|level| elements.partition_point(|&e| levels[e as usize] < level)).collect();
        Levels { elements, starts }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chain(count: u32) -> Vec<u32> {
        (0..count).flat_map(|k| [k, k + 1]).collect()
    }

    #[test]
    fn elements_that_share_a_vertex_keep_their_order_and_others_go_at_once() {
        let mut corners = chain(300);
        // Far from the chain: nothing has to be waited for.
        (0..200).for_each(|k| corners.extend([1000 + 2 * k, 1001 + 2 * k]));
        let (count, moves) = (500, |v: u32| v != 150);
        let phases = [std::iter::once(0..count).collect::<Vec<_>>()];
        let order = Order { corners: &corners, per_element: 2, phases: &phases, moves: &moves };
        let found = order.in_blocks().expect("few vertices");
        assert_eq!(found.records.len(), 1);
        let mut round_of = vec![usize::MAX; count];
        for (place, &element) in found.rounds.iter().enumerate().filter(|(_, e)| **e != NONE) {
            round_of[element as usize] = place / THREADS;
            let own = [0, 1].map(|k| found.vertices[usize::from(found.corners[2 * place + k])]);
            assert_eq!(own, corners[2 * element as usize..][..2]);
        }
        for (k, pair) in round_of[..300].windows(2).enumerate() {
            // At the vertex that does not move two go on from there at once.
            if k == 149 { assert_eq!(pair[1], 0) } else { assert_eq!(pair[1], pair[0] + 1) }
        }
        // No round has more than there are threads.
        assert!(round_of[300..].iter().all(|&round| round < 2));
        let levels = order.in_levels();
        assert_eq!(levels.starts.len() - 1, 150);
        assert_eq!(levels.starts[1], 2 + 200);
    }
}
