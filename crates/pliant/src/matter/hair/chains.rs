//! Strands as chains of followers behind a pinned leader.
//!
//! ```text
//!   strand   o──o──●──o──o──●──o       ● pinned
//!   chains   ◀─────1  2────▶◀  3▶      1 and 3 have a free end, 2 is held at both
//! ```

use crate::energy::Arrays;
use crate::math::Vec3;
use crate::parallel::{self, ByOffsets};
use crate::world::error::FollowLeaderError;
use crate::world::model::Model;

/// All chains, one after the other. Entry 0 of a chain is its leader, and so is the last of one that is held at both ends.
#[derive(Debug)]
pub(super) struct Chains {
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
    /// Place of each vertex among the entries, where it is free.
    pub(super) entry_of: Vec<u32>,
}

/// No entry.
pub(super) const NONE: u32 = u32::MAX;

impl Chains {
    /// The chains of a world.
    pub(super) fn new(model: &Model) -> Result<Self, FollowLeaderError> {
        check_energies(model)?;
        let (mut vertices, mut offsets) = (Vec::new(), vec![0]);
        let (mut held, mut shares) = (Vec::new(), Vec::new());
        for body in model.bodies() {
            for (number, strand) in strands(&body.segments).into_iter().enumerate() {
                let is_pinned = |v: &u32| model.free_index(*v).is_none();
                let pins: Vec<usize> = (0..strand.len()).filter(|&k| is_pinned(&strand[k])).collect();
                let (Some(&first), Some(&last)) = (pins.first(), pins.last()) else {
                    return Err(FollowLeaderError::NoLeader { body: body.name.clone(), strand: number });
                };
                let share = |k: usize| k as f64 / (strand.len() - 1) as f64;
                let mut add = |row: Vec<usize>, is_held: bool| {
                    shares.extend(row.iter().map(|&k| share(k)));
                    vertices.extend(row.into_iter().map(|k| strand[k]));
                    offsets.push(vertices.len() as u32);
                    held.push(is_held);
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
        let entry_of = entries(model, &vertices)?;
        let rest = model.rest();
        let place = |entry: usize| rest[vertices[entry] as usize];
        let mut lengths: Vec<f64> =
            (0..vertices.len()).map(|entry| place(entry).distance(place(entry.saturating_sub(1)))).collect();
        offsets[..held.len()].iter().for_each(|&leader| lengths[leader as usize] = 0.0);
        Ok(Self { vertices, offsets, lengths, held, shares, entry_of })
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

    /// Gives values of entries back to free vertices.
    pub(super) fn scatter(&self, packed: &[Vec3], values: &mut [Vec3]) {
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
fn strands(segments: &[[u32; 2]]) -> Vec<Vec<u32>> {
    let mut strands: Vec<Vec<u32>> = Vec::new();
    for &[a, b] in segments {
        match strands.last_mut().filter(|strand| strand.last() == Some(&a)) {
            Some(strand) => strand.push(b),
            None => strands.push(vec![a, b]),
        }
    }
    strands
}

/// Springs along the strands are what lengths stand for; anything else would be ignored, so it is refused.
fn check_energies(model: &Model) -> Result<(), FollowLeaderError> {
    for entry in model.energies() {
        let body = entry.body.map(|body| &model.bodies()[body]);
        let along = body.is_some_and(|body| {
            let corners = entry.batch.operator().corner_vertices();
            let is_segment = |(ends, segment): (&[u32], &[u32; 2])| ends == segment;
            corners.len() == 2 * body.segments.len() && corners.chunks(2).zip(&body.segments).all(is_segment)
        });
        if !(along && matches!(entry.batch.arrays(), Arrays::EdgeSpring(_)) && entry.damping.is_none()) {
            let place = body.map_or("a tie between bodies".to_owned(), |body| format!("body {:?}", body.name));
            return Err(FollowLeaderError::Energy { place, kind: entry.batch.kind().to_owned() });
        }
    }
    Ok(())
}

/// The entry of each free vertex, which must have exactly one.
fn entries(model: &Model, vertices: &[u32]) -> Result<Vec<u32>, FollowLeaderError> {
    let mut entry_of = vec![NONE; model.rest().len()];
    let named = |vertex: u32| {
        let (body, vertex) = model.locate(vertex as usize);
        (body.name.clone(), vertex)
    };
    for (entry, &vertex) in (0u32..).zip(vertices) {
        if model.free_index(vertex).is_none() {
            continue;
        }
        if entry_of[vertex as usize] != NONE {
            let (body, vertex) = named(vertex);
            return Err(FollowLeaderError::Shared { body, vertex });
        }
        entry_of[vertex as usize] = entry;
    }
    match model.free().iter().find(|&&v| entry_of[v as usize] == NONE) {
        None => Ok(entry_of),
        Some(&vertex) => {
            let (body, vertex) = named(vertex);
            Err(FollowLeaderError::NotAStrand { body, vertex })
        }
    }
}
