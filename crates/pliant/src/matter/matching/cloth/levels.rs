//! Multi-resolution matching [Bender 2013; Bender 2014, Algorithm 2]: a V-cycle over coarser sets of vertices.
//!
//! ```text
//!   mesh      match            match ← y += P (Δ of the next)
//!   level 1      ↘ R match    match ↗
//!   level 2         ↘ R match ↗
//! ```
//!
//! A level's vertices are some of those of the level below, with edges to the nearest others as long as the way over the rest surface
//! (`limit::hierarchy`), so that any mesh of triangles has levels. Its regions are these edges, and they resist stretch only: no straight line is
//! longer than the way over the surface, so wrinkles of cloth whose triangles have their shapes are left as they are, to the last bit.
//! Levels pass differences only. P interpolates with weights that give back what is linear; R is its adjoint under the masses, so that
//! both keep momentum, and what is pinned does not move.
//!
//! Departure: as printed, a level hands on what its own matching has moved and keeps to itself what came from the levels before; here it hands
//! on all that the next level does not have yet.

#![allow(unsafe_code)] // Each vertex of a level is written by one item.

use super::coloured::Coloured;
use super::region::{Pair, Shares};
use crate::math::Vec3;
use crate::mesh::{Csr, Edge};
use crate::mesh::{Hierarchy, Level, Link};
use crate::parallel::{Shared, Team};

/// Vertices that a thread takes at a time.
const CHUNK: usize = 512;

/// Rows of weights: each vertex of one level moves by those of another.
#[derive(Debug, Default)]
struct Transfer {
    sources: Csr,
    weights: Vec<f64>,
}

impl Transfer {
    fn new(rows: Vec<Vec<(u32, f64)>>) -> Self {
        let weights = rows.iter().flatten().map(|(_, weight)| *weight).collect();
        let sources = Csr::from_rows(rows.iter().map(|row| row.iter().map(|(v, _)| *v).collect::<Vec<u32>>()));
        Self { sources, weights }
    }

    /// Adds what vertices have moved from one list to the other.
    fn add(&self, team: &Team<'_>, from: &[Vec3], to: &[Vec3], out: &mut [Vec3]) {
        let count = self.sources.len();
        assert!(out.len() >= count, "a place for each row");
        let out = Shared(out.as_mut_ptr());
        team.share(count.div_ceil(CHUNK), |item| {
            for row in (item * CHUNK..count).take(CHUNK) {
                let mut movement = Vec3::ZERO;
                for (&v, weight) in self.sources.row(row).iter().zip(&self.weights[self.sources.range(row)]) {
                    movement += (to[v as usize] - from[v as usize]) * *weight;
                }
                // SAFETY: there is a place for each row, as checked above, and a row is in one chunk.
                unsafe { *out.get().add(row) += movement };
            }
        });
    }
}

/// A level above the mesh; its vertices are numbered on their own.
#[derive(Debug)]
struct CoarseLevel {
    /// Which vertices of the mesh these are.
    vertices: Vec<u32>,
    pairs: Coloured<Pair, 2>,
    /// From the level below.
    restriction: Transfer,
    /// To it.
    prolongation: Transfer,
    x: Vec<Vec3>,
    /// Where vertices were on the mesh.
    injected: Vec<Vec3>,
    /// With what has come from below: the level below has all that is in there.
    received: Vec<Vec3>,
}

/// Levels above a mesh, the finest first.
#[derive(Debug)]
pub(super) struct Levels {
    levels: Vec<CoarseLevel>,
    /// Positions of the mesh before a cycle, and before it takes what comes from above.
    start: Vec<Vec3>,
}

impl Levels {
    /// At most so many levels; fewer where vertices run out.
    pub(super) fn new(
        rest: &[Vec3],
        inverse_masses: &[f64],
        edges: &[Edge],
        triangles: &[[u32; 3]],
        most_levels: usize,
    ) -> Self {
        let masses: Vec<f64> = inverse_masses.iter().map(|&w| mass(w)).collect();
        let hierarchy = Hierarchy::new(
            rest,
            &masses,
            inverse_masses,
            edges,
            triangles.to_vec(),
            &rim(triangles, rest.len()),
            most_levels,
        );
        let mut below: Vec<u32> = (0..rest.len() as u32).collect();
        let mut below_masses = masses;
        let mut levels = Vec::new();
        for level in hierarchy.into_levels().iter().rev() {
            let coarse = CoarseLevel::new(level, &below, &below_masses, rest.len());
            below_masses = coarse.vertices.iter().map(|&v| mass(level.inverse_masses[v as usize])).collect();
            below.clone_from(&coarse.vertices);
            levels.push(coarse);
        }
        Self { levels, start: Vec::new() }
    }

    pub(super) fn bytes(&self) -> usize {
        self.levels.iter().map(|level| level.pairs.bytes() + level.x.len() * 300).sum()
    }

    /// One V-cycle; `on_mesh` matches the mesh itself, on the way there and back.
    pub(super) fn cycle(
        &mut self,
        team: &Team<'_>,
        shares: Shares,
        rounds: usize,
        x: &mut [Vec3],
        mut on_mesh: impl FnMut(bool, &mut [Vec3]),
    ) {
        for level in &mut self.levels {
            for (k, &v) in level.vertices.iter().enumerate() {
                level.injected[k] = x[v as usize];
            }
            level.x.copy_from_slice(&level.injected);
        }
        self.start.clear();
        self.start.extend_from_slice(x);
        on_mesh(false, x);
        for l in 0..self.levels.len() {
            let (finer, coarser) = self.levels.split_at_mut(l);
            let level = &mut coarser[0];
            let [from, to] = finer.last().map_or([&self.start[..], &*x], |finer| [&finer.injected, &finer.x]);
            level.restriction.add(team, from, to, &mut level.x);
            level.received.copy_from_slice(&level.x);
            level.match_pairs(team, shares, rounds);
        }
        for l in (0..self.levels.len()).rev() {
            let (finer, coarser) = self.levels.split_at_mut(l);
            let is_coarsest = coarser.len() == 1;
            let level = &mut coarser[0];
            // The coarsest has been matched just now.
            if !is_coarsest {
                level.match_pairs(team, shares, rounds);
            }
            let out = finer.last_mut().map_or(&mut *x, |finer| &mut finer.x);
            level.prolongation.add(team, &level.received, &level.x, out);
        }
        on_mesh(true, x);
    }
}

impl CoarseLevel {
    /// `below` are vertices of the level below, with what they carry.
    fn new(level: &Level, below: &[u32], below_masses: &[f64], count: usize) -> Self {
        let Level { links, inverse_masses, followers } = level;
        let parents = followers.iter().flat_map(|(_, parents)| parents.iter().map(|(parent, _)| *parent));
        let mut vertices: Vec<u32> = links.iter().flat_map(|link| link.ends).chain(parents).collect();
        vertices.sort_unstable();
        vertices.dedup();
        let mut number = vec![None; count];
        (0u32..).zip(&vertices).for_each(|(k, &v)| number[v as usize] = Some(k));
        let mut rows: Vec<Vec<(u32, f64)>> = vec![Vec::new(); count];
        for (v, parents) in followers {
            let parents = parents.iter().filter_map(|&(parent, weight)| Some((number[parent as usize]?, weight)));
            rows[*v as usize] = parents.collect();
        }
        for &v in vertices.iter().filter(|&&v| inverse_masses[v as usize] > 0.0) {
            rows[v as usize] = number[v as usize].map(|k| (k, 1.0)).into_iter().collect();
        }
        let prolongation: Vec<Vec<(u32, f64)>> = below.iter().map(|&v| std::mem::take(&mut rows[v as usize])).collect();
        let mut restriction: Vec<Vec<(u32, f64)>> = vec![Vec::new(); vertices.len()];
        for ((k, row), mass) in (0u32..).zip(&prolongation).zip(below_masses) {
            for &(parent, weight) in row {
                restriction[parent as usize].push((k, weight * mass));
            }
        }
        for (row, &v) in restriction.iter_mut().zip(&vertices) {
            let carried: f64 = row.iter().map(|(_, mass)| mass).sum();
            row.iter_mut().for_each(|(_, weight)| *weight /= carried);
            if inverse_masses[v as usize] <= 0.0 {
                row.clear();
            }
        }
        let own: Vec<f64> = vertices.iter().map(|&v| inverse_masses[v as usize]).collect();
        let pair = |link: &Link| {
            let [a, b] = link.ends.map(|v| number[v as usize]);
            let ends = [a?, b?];
            Pair::new(ends, link.rest, ends.map(|k| own[k as usize]))
        };
        let pairs: Vec<Pair> = links.iter().filter_map(pair).collect();
        let x = vec![Vec3::ZERO; vertices.len()];
        Self {
            vertices,
            pairs: Coloured::new(&pairs, &own),
            restriction: Transfer::new(restriction),
            prolongation: Transfer::new(prolongation),
            injected: x.clone(),
            received: x.clone(),
            x,
        }
    }

    fn match_pairs(&mut self, team: &Team<'_>, shares: Shares, rounds: usize) {
        for round in 0..rounds {
            self.pairs.run(team, shares, round % 2 == 1, &mut self.x);
        }
    }
}

/// Which vertices have an edge that only one triangle has.
fn rim(triangles: &[[u32; 3]], count: usize) -> Vec<bool> {
    let mut sides: Vec<Edge> = triangles.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]).collect();
    sides.iter_mut().for_each(|side| side.sort_unstable());
    sides.sort_unstable();
    let mut rim = vec![false; count];
    for sharing in sides.chunk_by(|a, b| a == b).filter(|sharing| sharing.len() == 1) {
        sharing[0].iter().for_each(|&v| rim[v as usize] = true);
    }
    rim
}

/// Mass of a vertex that can move \[kg\].
fn mass(inverse: f64) -> f64 {
    if inverse > 0.0 { 1.0 / inverse } else { 0.0 }
}
