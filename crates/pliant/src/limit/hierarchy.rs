//! Edges between few vertices first [Müller 2008; Wang 2010]: a round on a coarse level reaches as far as many on the mesh.
//!
//! A level is a subset of the vertices of the level below, no two of them neighbours there. Its edges go to the nearest vertices of the
//! level, as long as the way over the rest surface, and resist stretch only: a wrinkled sheet whose edges have their lengths is
//! left alone, since no straight line is longer than the way over the surface. What a level's vertices are moved by is interpolated to
//! all others, with weights by which masses are handed up: so momentum is kept.

use super::edges::{Link, limit_edges};
use crate::math::Vec3;
use crate::mesh::{SourceDistance, nearest_sources};

/// Neighbours of a vertex on its level.
const NEIGHBOURS: usize = 8;
/// Vertices of a level that a movement is interpolated from.
const PARENTS: usize = 3;
/// A level with fewer vertices is no use.
const FEWEST: usize = 4;

#[derive(Debug)]
struct Level {
    links: Vec<Link>,
    /// 1/m of its vertices with what is handed up to them \[1/kg\], by the numbers of the mesh; 0 for pinned ones.
    inverse_masses: Vec<f64>,
    /// For each vertex that can move and is not of the level the vertices that it follows, with weights that add up to 1.
    followers: Vec<(u32, Vec<(u32, f64)>)>,
}

/// Levels, the coarsest first.
#[derive(Debug)]
pub(super) struct Hierarchy {
    levels: Vec<Level>,
}

impl Hierarchy {
    pub(super) fn new(
        rest: &[Vec3],
        masses: &[f64],
        inverse_masses: &[f64],
        edges: &[[u32; 2]],
        triangles: Vec<[u32; 3]>,
        most_levels: usize,
    ) -> Self {
        let mut levels = Vec::new();
        let mut graph = edges.to_vec();
        while levels.len() < most_levels {
            let chosen = independent(&graph, inverse_masses);
            if chosen.len() < FEWEST {
                break;
            }
            let Ok(near) = nearest_sources(rest, edges, &triangles, &chosen, NEIGHBOURS + 1) else { break };
            let level = Level::new(&chosen, &near, masses, inverse_masses);
            graph = level.links.iter().map(|link| link.ends).collect();
            levels.push(level);
        }
        levels.reverse();
        Self { levels }
    }

    /// Limits all levels in turn; returns the rounds it took.
    pub(super) fn limit(&self, inverse_masses: &[f64], most: f64, rounds: usize, x: &mut [Vec3]) -> usize {
        let mut sum = 0;
        for level in &self.levels {
            let start = x.to_vec();
            let taken = limit_edges(&level.links, &level.inverse_masses, [0.0, most], rounds, x);
            sum += taken;
            if taken == 0 {
                continue;
            }
            for (v, parents) in &level.followers {
                debug_assert!(inverse_masses[*v as usize] > 0.0);
                let moved = |parent: u32| x[parent as usize] - start[parent as usize];
                let movement = parents.iter().fold(Vec3::ZERO, |sum, &(parent, weight)| sum + moved(parent) * weight);
                x[*v as usize] += movement;
            }
        }
        sum
    }
}

impl Level {
    fn new(chosen: &[u32], near: &[Vec<SourceDistance>], masses: &[f64], inverse_masses: &[f64]) -> Self {
        let mut is_chosen = vec![false; near.len()];
        chosen.iter().for_each(|&v| is_chosen[v as usize] = true);
        let mut links: Vec<Link> = Vec::new();
        for &v in chosen {
            let others = near[v as usize].iter().filter(|other| other.source != v && other.distance > 0.0);
            links.extend(others.map(|o| Link { ends: [v.min(o.source), v.max(o.source)], rest: o.distance }));
        }
        // Either end may have found the shorter way.
        links.sort_by(|a, b| a.ends.cmp(&b.ends).then_with(|| a.rest.total_cmp(&b.rest)));
        links.dedup_by_key(|link| link.ends);
        let mut carried: Vec<f64> = vec![0.0; near.len()];
        chosen.iter().for_each(|&v| carried[v as usize] = masses[v as usize]);
        let mut followers = Vec::new();
        for (v, near) in near.iter().enumerate().filter(|(v, _)| !is_chosen[*v] && inverse_masses[*v] > 0.0) {
            let near = &near[..near.len().min(PARENTS)];
            if near.is_empty() {
                continue;
            }
            let total: f64 = near.iter().map(|parent| 1.0 / parent.distance).sum();
            let parents: Vec<(u32, f64)> =
                near.iter().map(|parent| (parent.source, 1.0 / (parent.distance * total))).collect();
            parents.iter().for_each(|&(parent, weight)| carried[parent as usize] += weight * masses[v]);
            followers.push((v as u32, parents));
        }
        let inverse = |v: usize| if is_chosen[v] && inverse_masses[v] > 0.0 { 1.0 / carried[v] } else { 0.0 };
        Self { links, inverse_masses: (0..near.len()).map(inverse).collect(), followers }
    }
}

/// Vertices of the graph of which no two are neighbours, and that every other is a neighbour of; those that do not move first.
fn independent(graph: &[[u32; 2]], inverse_masses: &[f64]) -> Vec<u32> {
    let mut neighbours: Vec<Vec<u32>> = vec![Vec::new(); inverse_masses.len()];
    for &[a, b] in graph {
        neighbours[a as usize].push(b);
        neighbours[b as usize].push(a);
    }
    let is_there = |v: &u32| !neighbours[*v as usize].is_empty();
    let vertices = || (0..inverse_masses.len() as u32).filter(is_there);
    let held = vertices().filter(|&v| inverse_masses[v as usize] <= 0.0);
    let free = vertices().filter(|&v| inverse_masses[v as usize] > 0.0);
    let mut taken = vec![false; inverse_masses.len()];
    let mut chosen = Vec::new();
    for v in held.chain(free) {
        if neighbours[v as usize].iter().all(|&n| !taken[n as usize]) {
            taken[v as usize] = true;
            chosen.push(v);
        }
    }
    chosen.sort_unstable();
    chosen
}
