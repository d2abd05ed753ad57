//! Who goes when: elements in blocks that lie together in space, blocks in phases, and within a block colours, four elements at a time.
//!
//! One colour over all elements would do for vectors, but each colour would go over all positions once, and those of a large body are
//! not in the nearest cache. So elements are sorted along a curve that fills space, and cut into blocks whose vertices are. Blocks
//! of one phase share no vertex that moves, so threads take one each. Within a block, elements of a colour share none: they fill
//! lanes, and those of the next lanes need not wait for them.

use std::ops::Range;

use super::WIDTH;
use crate::math::Vec3;
use crate::parallel::Colouring;

/// Elements of a block. Enough that colours are long, few enough that its points stay in the nearest cache.
const BLOCK: usize = 1024;

/// A lane without an element.
pub(super) const NONE: u32 = u32::MAX;

/// Order of visits.
#[derive(Debug, Default)]
pub(super) struct Schedule {
    /// Groups of each block, in the order of phases.
    pub(super) blocks: Vec<Range<usize>>,
    /// Blocks of each phase.
    pub(super) phases: Vec<Range<usize>>,
    /// Element of each lane of each group.
    pub(super) lanes: Vec<u32>,
}

impl Schedule {
    /// Orders elements; also the element of each lane of each group.
    pub(super) fn new<'a>(
        mut elements: Vec<u32>,
        stencil: impl Fn(usize) -> &'a [u32],
        moves: impl Fn(u32) -> bool,
        rest: &[Vec3],
    ) -> (Self, Vec<u32>) {
        let curve = Curve::around(rest);
        elements.sort_by_cached_key(|&e| {
            let corners = stencil(e as usize);
            curve.place(corners.iter().fold(Vec3::ZERO, |sum, &v| sum + rest[v as usize]) / corners.len() as f64)
        });
        let blocks: Vec<Block> = elements.chunks(BLOCK).map(|own| Block::new(own, &stencil, &moves)).collect();
        let phases = Colouring::new(blocks.len(), |b| &blocks[b].vertices, |_| true);
        let (mut schedule, mut lanes) = (Self::default(), Vec::new());
        for phase in phases.colours() {
            let first = schedule.blocks.len();
            for &b in &phases.order[phase] {
                let begin = lanes.len() / WIDTH;
                blocks[b as usize].fill(&stencil, &mut lanes);
                schedule.blocks.push(begin..lanes.len() / WIDTH);
            }
            schedule.phases.push(first..schedule.blocks.len());
        }
        (schedule, lanes)
    }

    pub(super) fn with_lanes(self, lanes: Vec<u32>) -> Self {
        Self { lanes, ..self }
    }
}

/// Elements that lie together.
struct Block<'e> {
    elements: &'e [u32],
    /// Vertices that move, ascending.
    vertices: Vec<u32>,
    colouring: Colouring,
}

impl<'e> Block<'e> {
    fn new<'a>(elements: &'e [u32], stencil: impl Fn(usize) -> &'a [u32], moves: impl Fn(u32) -> bool) -> Self {
        let all = elements.iter().flat_map(|&e| stencil(e as usize)).copied();
        let mut vertices: Vec<u32> = all.filter(|&v| moves(v)).collect();
        vertices.sort_unstable();
        vertices.dedup();
        // Numbers within the block, so that colouring it costs what it is large.
        let (mut starts, mut local) = (vec![0], Vec::new());
        for &e in elements {
            let own = stencil(e as usize).iter().filter(|&&v| moves(v));
            local.extend(own.map(|v| vertices.partition_point(|other| other < v) as u32));
            starts.push(local.len());
        }
        let colouring = Colouring::new(elements.len(), |k| &local[starts[k]..starts[k + 1]], |_| true);
        Self { elements, vertices, colouring }
    }

    /// Appends its elements, colour by colour in full groups, those of as many corners together.
    fn fill<'a>(&self, stencil: impl Fn(usize) -> &'a [u32], lanes: &mut Vec<u32>) {
        for colour in self.colouring.colours() {
            let mut own: Vec<u32> = self.colouring.order[colour].iter().map(|&k| self.elements[k as usize]).collect();
            own.sort_by_key(|&e| stencil(e as usize).len());
            lanes.extend_from_slice(&own);
            lanes.resize(lanes.len().next_multiple_of(WIDTH), NONE);
        }
    }
}

/// A curve that fills the box around a body [Morton 1966].
struct Curve {
    low: Vec3,
    scale: f64,
}

/// Cells along each side of the box, as bits.
const BITS: u32 = 21;

impl Curve {
    fn around(points: &[Vec3]) -> Self {
        let low = points.iter().fold(Vec3::INFINITY, |low, p| low.min(*p));
        let high = points.iter().fold(Vec3::NEG_INFINITY, |high, p| high.max(*p));
        let size = (high - low).max_element();
        Self { low, scale: if size > 0.0 { f64::from((1u32 << BITS) - 1) / size } else { 0.0 } }
    }

    /// Place along the curve: the bits of the three coordinates in turn.
    fn place(&self, p: Vec3) -> u64 {
        let cell = (p - self.low) * self.scale;
        (0..3).fold(0, |key, c| key | spread(cell[c] as u64) << c)
    }
}

/// The lowest bits of a number, two empty places after each.
fn spread(number: u64) -> u64 {
    let mut bits = number & ((1 << BITS) - 1);
    bits = (bits | bits << 32) & 0x001f_0000_0000_ffff;
    bits = (bits | bits << 16) & 0x001f_0000_ff00_00ff;
    bits = (bits | bits << 8) & 0x100f_00f0_0f00_f00f;
    bits = (bits | bits << 4) & 0x10c3_0c30_c30c_30c3;
    (bits | bits << 2) & 0x1249_2492_4924_9249
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Edges of a grid, and its points.
    fn grid(n: u32) -> (Vec<[u32; 2]>, Vec<Vec3>) {
        let right = (0..n).flat_map(|i| (0..n - 1).map(move |j| [i * n + j, i * n + j + 1]));
        let down = (0..n - 1).flat_map(|i| (0..n).map(move |j| [i * n + j, (i + 1) * n + j]));
        let points = (0..n * n).map(|v| Vec3::new(f64::from(v % n), 0.0, f64::from(v / n))).collect();
        (right.chain(down).collect(), points)
    }

    #[test]
    fn every_element_has_one_lane_and_neither_lanes_of_a_group_nor_blocks_of_a_phase_share_a_vertex() {
        let (edges, rest) = grid(60);
        let all = (0..edges.len() as u32).collect();
        let (schedule, lanes) = Schedule::new(all, |e| &edges[e], |v| v != 7, &rest);
        let mut seen = vec![0; edges.len()];
        lanes.iter().filter(|&&e| e != NONE).for_each(|&e| seen[e as usize] += 1);
        assert!(seen.iter().all(|&count| count == 1));
        let vertices = |groups: Range<usize>| {
            let own = lanes[groups.start * WIDTH..groups.end * WIDTH].iter().filter(|&&e| e != NONE);
            own.flat_map(|&e| edges[e as usize]).filter(|&v| v != 7).collect::<Vec<u32>>()
        };
        for group in 0..lanes.len() / WIDTH {
            let mut own = vertices(group..group + 1);
            own.sort_unstable();
            assert!(own.windows(2).all(|pair| pair[0] != pair[1]), "group {group}: {own:?}");
        }
        assert!(schedule.phases.iter().any(|phase| phase.len() > 1));
        for phase in &schedule.phases {
            let mut owner = vec![usize::MAX; rest.len()];
            for block in phase.clone() {
                for v in vertices(schedule.blocks[block].clone()) {
                    let other = std::mem::replace(&mut owner[v as usize], block);
                    assert!(other == usize::MAX || other == block, "blocks {other} and {block} meet at {v}");
                }
            }
        }
        let covered: usize = schedule.blocks.iter().map(ExactSizeIterator::len).sum();
        assert_eq!(covered, lanes.len() / WIDTH);
    }

    #[test]
    fn bits_are_spread_by_three() {
        assert_eq!(spread(0b1011), 0b1_000_001_001);
        assert_eq!(spread((1 << BITS) - 1).count_ones(), BITS);
        assert_eq!(spread((1 << BITS) - 1), (0..BITS).fold(0, |all, bit| all | 1 << (3 * bit)));
    }
}
