//! Coarser levels of vertices and edges [Müller 2008; Wang 2010]: a round on a coarse level reaches as far as many
//! rounds on the mesh.
//!
//! A level is a subset of the vertices of the level below, no two of them neighbours there. Its edges go to the nearest
//! vertices of the level, as long as the path over the rest surface, and resist stretch only: a wrinkled sheet with
//! edges of the right length does not change, since no straight line is longer than the path over the surface.
//! Movements of a level are interpolated to the level below, with the same weights that carry masses up, so momentum is
//! conserved. The weights are those of moving least squares, which reproduce linear functions: a coarse rotation or
//! slope reaches the mesh as such, and not as strain from vertex to vertex.

use super::{SourceDistance, nearest_sources};
use crate::math::{Mat3, Vec3, outer};

/// Neighbours of a vertex on its level.
const NEIGHBOURS: usize = 8;
/// Vertices of a level that a movement is interpolated from.
pub(crate) const PARENTS: usize = 8;
/// Share of the mean square distance of parents below which they count as lying in a line or plane.
const FLAT: f64 = 1e-6;
/// What is left of a faded weight, so that there is something to divide by.
const FADED: f64 = 1e-3;
/// A level with fewer vertices is no use.
const FEWEST: usize = 4;

/// An edge with its rest length \[m\].
#[derive(Debug, Clone, Copy)]
pub(crate) struct Link {
    pub(crate) ends: [u32; 2],
    pub(crate) rest: f64,
}

impl Link {
    pub(crate) fn length(&self, x: &[Vec3]) -> f64 {
        x[self.ends[0] as usize].distance(x[self.ends[1] as usize])
    }
}

#[derive(Debug)]
pub(crate) struct Level {
    pub(crate) links: Vec<Link>,
    /// 1/m of its vertices with what is handed up to them \[1/kg\], by the numbers of the mesh; 0 for pinned ones.
    pub(crate) inverse_masses: Vec<f64>,
    /// For each vertex of the level below that can move and is not of this one, the vertices that it follows, with weights that add up
    /// to 1.
    pub(crate) followers: Vec<(u32, Vec<(u32, f64)>)>,
}

/// Levels, the coarsest first.
#[derive(Debug)]
pub(crate) struct Hierarchy {
    levels: Vec<Level>,
}

impl Hierarchy {
    /// Levels take vertices of the rim before others where `rim` says which these are: between parents a vertex follows them linearly,
    /// outside of them it does not.
    #[allow(clippy::too_many_arguments)] // A mesh with masses, in the lists that callers have.
    pub(crate) fn new(
        rest: &[Vec3],
        masses: &[f64],
        inverse_masses: &[f64],
        edges: &[[u32; 2]],
        triangles: Vec<[u32; 3]>,
        rim: &[bool],
        most_levels: usize,
    ) -> Self {
        let mut levels = Vec::new();
        let mut graph = edges.to_vec();
        let mut below: Vec<u32> = (0..rest.len() as u32).collect();
        let mut carried = masses.to_vec();
        while levels.len() < most_levels {
            let chosen = independent(&graph, inverse_masses, rim);
            if chosen.len() < FEWEST {
                break;
            }
            let Ok(near) = nearest_sources(rest, edges, &triangles, &chosen, NEIGHBOURS + 1) else { break };
            let level = Level::new(rest, [&below, &chosen], &near, &mut carried, inverse_masses);
            graph = level.links.iter().map(|link| link.ends).collect();
            below = chosen;
            levels.push(level);
        }
        levels.reverse();
        Self { levels }
    }

    pub(crate) fn into_levels(self) -> Vec<Level> {
        self.levels
    }

    pub(crate) fn levels(&self) -> &[Level] {
        &self.levels
    }
}

impl Level {
    /// A level of chosen vertices above those below; what these carry is handed up.
    fn new(
        rest: &[Vec3],
        [below, chosen]: [&[u32]; 2],
        near: &[Vec<SourceDistance>],
        carried: &mut [f64],
        inverse_masses: &[f64],
    ) -> Self {
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
        let mut followers = Vec::new();
        for &v in below.iter().filter(|&&v| !is_chosen[v as usize] && inverse_masses[v as usize] > 0.0) {
            let near = &near[v as usize];
            if near.is_empty() {
                continue;
            }
            let parents = linear_weights(rest, v, near);
            parents.iter().for_each(|&(parent, weight)| carried[parent as usize] += weight * carried[v as usize]);
            followers.push((v, parents));
        }
        let inverse = |v: usize| if is_chosen[v] && inverse_masses[v] > 0.0 { 1.0 / carried[v] } else { 0.0 };
        Self { links, inverse_masses: (0..near.len()).map(inverse).collect(), followers }
    }
}

/// Vertices that a vertex follows, with weights that add up to 1 and, where these surround it, give back every linear function.
fn linear_weights(rest: &[Vec3], v: u32, near: &[SourceDistance]) -> Vec<(u32, f64)> {
    // A parent's weight fades to nothing where the next vertex takes its place: neighbours with other parents go nearly the same way.
    let farthest = near.get(PARENTS).map_or(f64::INFINITY, |next| next.distance);
    let near = &near[..near.len().min(PARENTS)];
    let place = |parent: &SourceDistance| rest[parent.source as usize] - rest[v as usize];
    let nearness =
        |parent: &SourceDistance| (1.0 / parent.distance - 1.0 / farthest).max(FADED / parent.distance).powi(2);
    let first = near.iter().fold(Vec3::ZERO, |sum, parent| sum + place(parent) * nearness(parent));
    let second =
        near.iter().fold(Mat3::ZERO, |sum, parent| sum + outer(place(parent), place(parent)) * nearness(parent));
    let trace = second.x_axis.x + second.y_axis.y + second.z_axis.z;
    let tilt = (second + Mat3::IDENTITY * (FLAT * trace)).inverse() * first;
    // Outside of its parents a vertex would go farther than any: negative weights are no masses to hand up.
    let weight = |parent: &SourceDistance| nearness(parent) * (1.0 - place(parent).dot(tilt)).max(FADED);
    let total: f64 = near.iter().map(weight).sum();
    near.iter().map(|parent| (parent.source, weight(parent) / total)).collect()
}

/// Vertices of the graph of which no two are neighbours, and that every other is a neighbour of; those that do not move first, then those of
/// the rim.
fn independent(graph: &[[u32; 2]], inverse_masses: &[f64], rim: &[bool]) -> Vec<u32> {
    let mut neighbours: Vec<Vec<u32>> = vec![Vec::new(); inverse_masses.len()];
    for &[a, b] in graph {
        neighbours[a as usize].push(b);
        neighbours[b as usize].push(a);
    }
    let is_there = |v: &u32| !neighbours[*v as usize].is_empty();
    let vertices = || (0..inverse_masses.len() as u32).filter(is_there);
    let is_held = |v: u32| inverse_masses[v as usize] <= 0.0;
    // Ends of what is held first: beyond a row's last anchor cloth would follow vertices that are not held.
    let mut held: Vec<u32> = vertices().filter(|&v| is_held(v)).collect();
    held.sort_by_key(|&v| neighbours[v as usize].iter().filter(|&&n| is_held(n)).count());
    let is_rim = |v: u32| rim.get(v as usize).is_some_and(|is_rim| *is_rim);
    let free = || vertices().filter(|&v| !is_held(v));
    let free = free().filter(|&v| is_rim(v)).chain(free().filter(|&v| !is_rim(v)));
    let mut taken = vec![false; inverse_masses.len()];
    let mut chosen = Vec::new();
    for v in held.into_iter().chain(free) {
        if neighbours[v as usize].iter().all(|&n| !taken[n as usize]) {
            taken[v as usize] = true;
            chosen.push(v);
        }
    }
    chosen.sort_unstable();
    chosen
}
