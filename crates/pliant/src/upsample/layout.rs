//! How a refinement lies in memory: fine vertices in blocks that follow the same coarse vertices.
//!
//! ```text
//!   block     the fine vertices of one coarse triangle, in groups of four lanes
//!   controls  the coarse vertices that any of them follows
//!   table     [group][control][row: point, first tangent, second tangent][lane]
//! ```
//!
//! Blocks with equal tables share one. Coarse triangles in regular neighbourhoods have equal tables, since their controls are numbered by walking
//! around the triangle, so the weights of a million fine vertices stay in the nearest cache.

use std::collections::HashMap;
use std::ops::Range;

use super::error::UpsampleError;
use super::rows::Row;
use crate::math::lanes::LaneNumber;
use crate::mesh::{OneRings, TriangleMesh};

/// Lanes of a group.
pub(super) const LANES: usize = <f64 as LaneNumber>::WIDTH;
/// Rows of a table for each fine vertex: its point and two tangents.
pub(super) const ROWS: usize = 3;
/// Controls of a block at most; more have only blocks at vertices with hundreds of neighbours.
pub(super) const MOST_CONTROLS: usize = 256;
/// The vertex of a lane that nothing lies in.
const NONE: u32 = u32::MAX;

/// What a fine vertex follows.
#[derive(Debug, Clone)]
pub(super) struct Follower {
    /// The coarse triangle that it belongs to.
    pub(super) triangle: u32,
    /// What orders it among the vertices of its triangle.
    pub(super) key: [u32; 2],
    /// Its point, and two tangents of the smooth surface there.
    pub(super) rows: [Row; ROWS],
}

/// The fine vertices of a coarse triangle.
#[derive(Debug, Clone)]
pub(super) struct Block {
    /// Corners of the coarse triangle.
    pub(super) corners: [u32; 3],
    /// Its controls, in the list of all.
    pub(super) controls: Range<usize>,
    /// Where its table begins.
    pub(super) table: usize,
    /// Its groups, among those of all blocks.
    pub(super) groups: Range<usize>,
}

/// All blocks.
#[derive(Debug, Clone)]
pub(super) struct Layout {
    pub(super) blocks: Vec<Block>,
    pub(super) controls: Vec<u32>,
    pub(super) tables: Vec<f64>,
    /// The fine vertex of each lane of each group.
    vertices: Vec<u32>,
    /// The lane of each fine vertex.
    lanes: Vec<u32>,
}

impl Layout {
    pub(super) fn new(coarse: &TriangleMesh, rings: &OneRings, followers: &[Follower]) -> Result<Self, UpsampleError> {
        let mut order: Vec<u32> = (0..followers.len() as u32).collect();
        order.sort_by_key(|&v| (followers[v as usize].triangle, followers[v as usize].key, v));
        let (mut blocks, mut controls, mut tables) = (Vec::new(), Vec::new(), Vec::new());
        let mut vertices: Vec<u32> = Vec::new();
        let mut known: HashMap<Vec<u64>, usize> = HashMap::new();
        for members in order.chunk_by(|&a, &b| followers[a as usize].triangle == followers[b as usize].triangle) {
            let triangle = followers[members[0] as usize].triangle as usize;
            let corners = coarse.triangles[triangle];
            let own = ordered_controls(corners, rings, members.iter().map(|&v| &followers[v as usize]));
            if own.len() > MOST_CONTROLS {
                let (name, need) = ("the number of coarse vertices around a coarse triangle", "256 at most");
                return Err(UpsampleError::BadParameter { name, value: own.len() as f64, need });
            }
            let table = table_of(&own, members, followers);
            let bits: Vec<u64> = table.iter().map(|weight| weight.to_bits()).chain([own.len() as u64]).collect();
            let place = *known.entry(bits).or_insert_with(|| {
                tables.extend_from_slice(&table);
                tables.len() - table.len()
            });
            let first = vertices.len() / LANES;
            vertices.extend_from_slice(members);
            vertices.resize(vertices.len().next_multiple_of(LANES), NONE);
            let controls_before = controls.len();
            controls.extend(own);
            let groups = first..vertices.len() / LANES;
            blocks.push(Block { corners, controls: controls_before..controls.len(), table: place, groups });
        }
        let mut lanes = vec![NONE; followers.len()];
        for (lane, &vertex) in vertices.iter().enumerate().filter(|&(_, &vertex)| vertex != NONE) {
            lanes[vertex as usize] = lane as u32;
        }
        Ok(Self { blocks, controls, tables, vertices, lanes })
    }

    /// Groups of all blocks.
    pub(super) fn group_count(&self) -> usize {
        self.vertices.len() / LANES
    }

    /// The groups of a block with their tables: for each control the weights of all lanes in the point and in both tangents.
    #[inline(always)]
    pub(super) fn tables_of(&self, block: &Block) -> impl Iterator<Item = (usize, &[[f64; ROWS * LANES]])> {
        let size = block.controls.len();
        let tables = &self.tables[block.table..][..block.groups.len() * size * ROWS * LANES];
        block.groups.clone().zip(tables.as_chunks().0.chunks(size))
    }

    /// The fine vertices of a group, each with its lane.
    #[inline(always)]
    pub(super) fn members(&self, group: usize) -> impl Iterator<Item = (usize, usize)> {
        let lanes = &self.vertices[group * LANES..][..LANES];
        lanes.iter().enumerate().filter(|&(_, &vertex)| vertex != NONE).map(|(lane, &vertex)| (lane, vertex as usize))
    }

    /// Group and lane of a fine vertex.
    pub(super) fn lane_of(&self, vertex: usize) -> (usize, usize) {
        let lane = self.lanes[vertex] as usize;
        (lane / LANES, lane % LANES)
    }

    /// The block that a group belongs to.
    pub(super) fn block_of(&self, group: usize) -> &Block {
        &self.blocks[self.blocks.partition_point(|block| block.groups.end <= group)]
    }

    /// Coarse vertices that a fine one follows, with weights.
    pub(super) fn weights(&self, vertex: usize) -> impl Iterator<Item = (u32, f64)> {
        let (group, lane) = self.lane_of(vertex);
        let block = self.block_of(group);
        let controls = &self.controls[block.controls.clone()];
        let table = self.tables_of(block).find(|&(other, _)| other == group).map_or(&[][..], |(_, table)| table);
        controls.iter().zip(table).map(move |(&control, row)| (control, row[lane])).filter(|&(_, weight)| weight != 0.0)
    }
}

/// The coarse vertices that followers depend on, in an order that only their neighbourhood decides.
fn ordered_controls<'a>(
    corners: [u32; 3],
    rings: &OneRings,
    followers: impl Iterator<Item = &'a Follower>,
) -> Vec<u32> {
    let mut needed: Vec<u32> = followers.flat_map(|f| f.rows.iter().flatten().map(|&(vertex, _)| vertex)).collect();
    needed.sort_unstable();
    needed.dedup();
    let mut walk = corners.to_vec();
    for k in 0..3 {
        let ring = rings.neighbours.row(corners[k] as usize);
        let start = ring.iter().position(|&other| other == corners[(k + 1) % 3]).unwrap_or(0);
        // A fan has a first neighbour of its own.
        let start = if rings.closed[corners[k] as usize] { start } else { 0 };
        walk.extend((0..ring.len()).map(|step| ring[(start + step) % ring.len()]));
    }
    let mut ordered: Vec<u32> = Vec::with_capacity(needed.len());
    for vertex in walk.into_iter().chain(needed.iter().copied()) {
        if needed.binary_search(&vertex).is_ok() && !ordered.contains(&vertex) {
            ordered.push(vertex);
        }
    }
    ordered
}

/// Empty lanes have zero weights.
fn table_of(controls: &[u32], members: &[u32], followers: &[Follower]) -> Vec<f64> {
    let mut table = vec![0.0; members.len().div_ceil(LANES) * controls.len() * ROWS * LANES];
    let places: HashMap<u32, usize> = controls.iter().enumerate().map(|(k, &vertex)| (vertex, k)).collect();
    for (number, &member) in members.iter().enumerate() {
        let (group, lane) = (number / LANES, number % LANES);
        for (r, row) in followers[member as usize].rows.iter().enumerate() {
            for (vertex, weight) in row {
                table[((group * controls.len() + places[vertex]) * ROWS + r) * LANES + lane] = *weight;
            }
        }
    }
    table
}
