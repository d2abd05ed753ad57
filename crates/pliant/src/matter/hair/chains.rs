//! Strands as chains of followers behind a pinned leader.
//!
//! ```text
//!   strand   o──o──●──o──o──●──o       ● pinned
//!   chains   ◀─────1  2────▶◀  3▶      1 and 3 have a free end, 2 is held at both
//! ```

use std::ops::Range;

use crate::math::Vec3;
use crate::mesh::Csr;
use crate::parallel::{self, ByOffsets};
use crate::world::error::FollowLeaderError;
use crate::world::model::Model;

/// All chains, one after the other. Entry 0 of a chain is its leader, and so is the last of one that is held at both ends.
#[derive(Debug)]
pub(crate) struct Chains {
    /// Vertices of each chain, the leader first.
    pub(super) vertices: Vec<u32>,
    /// First entry of each chain, and the end.
    pub(super) offsets: Vec<u32>,
    /// For each entry the rest length to the one before it \[m\]; 0 for leaders.
    pub(super) lengths: Vec<f64>,
    /// For each chain whether its last entry is pinned, too.
    pub(super) held: Vec<bool>,
    /// For each entry its share of the way along its strand, 0 at a root, 1 at a tip.
    pub(super) shares: Vec<f64>,
    /// For each chain the number of its body, from 0 for the first of those whose strands these are.
    pub(super) bodies: Vec<u32>,
    /// For each body its vertices that lead.
    pub(super) leaders: Vec<Vec<u32>>,
    /// The vertices of all these bodies.
    range: Range<usize>,
    /// Vertices among these that belong to other bodies between them, counted from the first.
    gaps: Vec<Range<usize>>,
    /// Place of each of these vertices among the entries, where it follows.
    entry_of: Vec<u32>,
}

/// The strands of a world of hair, as chains of followers behind a leader: for programs that take steps on their own.
/// [`HairChains::of`](HairChains::of) finds them as [`FollowLeader`](crate::solve::FollowLeader) does.
#[derive(Debug, Clone, PartialEq)]
pub struct HairChains {
    /// Vertices of each chain, the leader first. A pinned vertex within a strand leads two chains.
    pub vertices: Csr,
    /// For each of these vertices its distance at rest from the one before it \[m\]; 0 for leaders.
    pub lengths: Vec<f64>,
    /// For each of these vertices its share of the way along its strand, 0 at a root, 1 at a tip.
    pub shares: Vec<f64>,
    /// For each chain whether its last vertex is held, too.
    pub held: Vec<bool>,
    /// For each chain the number of its body in the world.
    pub bodies: Vec<u32>,
}

/// No entry.
pub(super) const NONE: u32 = u32::MAX;

impl Chains {
    /// The chains of some bodies of a world, ascending; `leads` tells which vertices are followed and follow none, such as all of other bodies.
    pub(crate) fn new(model: &Model, bodies: &[usize], leads: &dyn Fn(u32) -> bool) -> Result<Self, FollowLeaderError> {
        let infos = model.bodies();
        let range = match (bodies.first(), bodies.last()) {
            (Some(&first), Some(&last)) => infos[first].vertices.start..infos[last].vertices.end,
            _ => 0..0,
        };
        let gap = |pair: &[usize]| infos[pair[0]].vertices.end..infos[pair[1]].vertices.start;
        let gaps = bodies.windows(2).map(gap).filter(|gap| !gap.is_empty());
        let gaps = gaps.map(|gap| gap.start - range.start..gap.end - range.start).collect();
        let (mut vertices, mut offsets) = (Vec::new(), vec![0]);
        let (mut held, mut shares) = (Vec::new(), Vec::new());
        let (mut body_of, mut leaders) = (Vec::new(), Vec::new());
        for body in bodies.iter().map(|&body| &infos[body]) {
            leaders.push(body.vertices.clone().map(|v| v as u32).filter(|&v| leads(v)).collect());
            for (number, strand) in chained(&body.segments).into_iter().enumerate() {
                let pins: Vec<usize> = (0..strand.len()).filter(|&k| leads(strand[k])).collect();
                let (Some(&first), Some(&last)) = (pins.first(), pins.last()) else {
                    return Err(FollowLeaderError::NoLeader { body: body.name.clone(), strand: number });
                };
                let share = |k: usize| k as f64 / (strand.len() - 1) as f64;
                let mut add = |row: Vec<usize>, is_held: bool| {
                    shares.extend(row.iter().map(|&k| share(k)));
                    vertices.extend(row.into_iter().map(|k| strand[k]));
                    offsets.push(vertices.len() as u32);
                    held.push(is_held);
                    body_of.push(leaders.len() as u32 - 1);
                };
                if first > 0 {
                    add((0..=first).rev().collect(), false);
                }
                pins.windows(2)
                    .filter(|ends| ends[1] > ends[0] + 1)
                    .for_each(|ends| add((ends[0]..=ends[1]).collect(), true));
                if last + 1 < strand.len() {
                    add((last..strand.len()).collect(), false);
                }
            }
        }
        let entry_of = entries(model, range.clone(), leads, &vertices)?;
        let rest = model.rest();
        let place = |entry: usize| rest[vertices[entry] as usize];
        let mut lengths: Vec<f64> =
            (0..vertices.len()).map(|entry| place(entry).distance(place(entry.saturating_sub(1)))).collect();
        offsets[..held.len()].iter().for_each(|&leader| lengths[leader as usize] = 0.0);
        Ok(Self { vertices, offsets, lengths, held, shares, bodies: body_of, leaders, range, gaps, entry_of })
    }

    /// What others may know of the chains of these bodies.
    pub(crate) fn shown(self, bodies: &[usize]) -> HairChains {
        let rows = self.offsets.windows(2).map(|ends| &self.vertices[ends[0] as usize..ends[1] as usize]);
        HairChains {
            vertices: Csr::from_rows(rows),
            bodies: self.bodies.iter().map(|&body| bodies[body as usize] as u32).collect(),
            lengths: self.lengths,
            shares: self.shares,
            held: self.held,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.held.len()
    }

    /// Takes values of vertices into the order of entries.
    pub(super) fn gather(&self, values: &[Vec3], packed: &mut Vec<Vec3>) {
        let vertices = &self.vertices;
        packed.resize(vertices.len(), Vec3::ZERO);
        let outputs = ByOffsets { entries: &mut packed[..], offsets: &self.offsets };
        parallel::for_each(0..self.len(), outputs, &|_, part| {
            let from = part.offsets[0] as usize;
            part.entries.iter_mut().zip(&vertices[from..]).for_each(|(to, &v)| *to = values[v as usize]);
        });
    }

    /// The vertices of the bodies whose strands these are.
    pub(super) fn range(&self) -> Range<usize> {
        self.range.clone()
    }

    /// Those of them that belong to other bodies, counted from the first.
    pub(super) fn gaps(&self) -> &[Range<usize>] {
        &self.gaps
    }

    /// The entries of these vertices, or [`NONE`], in their order.
    pub(super) fn entry_of(&self) -> &[u32] {
        &self.entry_of
    }

    /// The entry of a vertex of the world that follows.
    pub(super) fn entry(&self, vertex: u32) -> Option<u32> {
        let own = (vertex as usize).checked_sub(self.range.start)?;
        self.entry_of.get(own).copied().filter(|&entry| entry != NONE)
    }

    /// Gives values of entries back to the vertices that follow.
    pub(super) fn scatter(&self, packed: &[Vec3], values: &mut [Vec3]) {
        let values = &mut values[self.range()];
        parallel::for_each(0..values.len(), parallel::Strided { entries: values, stride: 1 }, &|range, part| {
            for (value, &entry) in part.entries.iter_mut().zip(&self.entry_of[range]) {
                if entry != NONE {
                    *value = packed[entry as usize];
                }
            }
        });
    }
}

/// Segments that go on from each other, as strands.
pub(crate) fn chained(segments: &[[u32; 2]]) -> Vec<Vec<u32>> {
    let mut strands: Vec<Vec<u32>> = Vec::new();
    for &[a, b] in segments {
        match strands.last_mut().filter(|strand| strand.last() == Some(&a)) {
            Some(strand) => strand.push(b),
            None => strands.push(vec![a, b]),
        }
    }
    strands
}

/// The entry of each vertex that follows, which must have exactly one.
fn entries(
    model: &Model,
    range: Range<usize>,
    leads: &dyn Fn(u32) -> bool,
    vertices: &[u32],
) -> Result<Vec<u32>, FollowLeaderError> {
    let mut entry_of = vec![NONE; range.len()];
    let named = |vertex: usize| {
        let (body, vertex) = model.locate(vertex);
        (body.name.clone(), vertex)
    };
    for (entry, &vertex) in (0u32..).zip(vertices).filter(|(_, vertex)| !leads(**vertex)) {
        let own = &mut entry_of[vertex as usize - range.start];
        if *own != NONE {
            let (body, vertex) = named(vertex as usize);
            return Err(FollowLeaderError::Shared { body, vertex });
        }
        *own = entry;
    }
    match range.clone().find(|&v| entry_of[v - range.start] == NONE && !leads(v as u32)) {
        None => Ok(entry_of),
        Some(vertex) => {
            let (body, vertex) = named(vertex);
            Err(FollowLeaderError::NotAStrand { body, vertex })
        }
    }
}
