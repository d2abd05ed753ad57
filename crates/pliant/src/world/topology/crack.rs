//! Where bodies part: cells that fail, and the facets at which a vertex of theirs is torn open.
//!
//! ```text
//!     ●─────●            the crack runs across the largest stretch ↔:
//!    ╱ ╲ ╱ ╲            at a rim or a tip it takes the edge that is most perpendicular to it,
//!   ●═══v═══●   ↕        inside the sheet two of them, one to either side;
//!    ╲ ╱ ╲ ╱            in a solid, the faces between the tets on either side of the plane across it
//!     ●─────●
//! ```

use std::collections::{BTreeMap, BTreeSet};

use super::cells::Facet;
use super::fabric::Fabric;
use super::tearing::{Load, Tearing, cell_load, seam_ratio};
use crate::math::Vec3;

/// How a vertex lies: where cracks begin most easily comes last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    /// It was torn open before.
    Flank,
    Inside,
    Rim,
    /// A crack ends here.
    Tip,
}

/// How much each torn face at a tip weighs against the stretch there, in where the crack goes on.
const STRAIGHT: f64 = 1.0;

/// Facets that have become two: on the rim, and of copies of the same vertices as another on the rim.
fn torn_facets(fabric: &Fabric, facets: &BTreeMap<Facet, Vec<u32>>) -> BTreeSet<Facet> {
    if fabric.origins.is_empty() || fabric.cells.corners() < 3 {
        return BTreeSet::new();
    }
    let mut twins: BTreeMap<Facet, Vec<Facet>> = BTreeMap::new();
    for (facet, _) in facets.iter().filter(|(_, sharing)| sharing.len() == 1) {
        let mut source = facet.map(|v| if v == u32::MAX { v } else { fabric.source_of(v) });
        source.sort_unstable();
        twins.entry(source).or_default().push(*facet);
    }
    twins.into_values().filter(|facets| facets.len() > 1).flatten().collect()
}

/// What fails.
#[derive(Debug, Clone, Copy)]
enum Failing {
    Cell(u32),
    Seam([u32; 2]),
}

/// A vertex to be torn open.
pub(crate) struct Split {
    place: Place,
    /// How well the facets lie across the stretch, 0 to 1.
    alignment: f64,
    pub(crate) vertex: u32,
    /// Pairs of cells that part.
    pub(crate) cuts: Vec<[u32; 2]>,
}

/// A body that fails.
struct Crack<'a> {
    fabric: &'a Fabric,
    rest: &'a [Vec3],
    is_pinned: &'a dyn Fn(u32) -> bool,
    facets: BTreeMap<Facet, Vec<u32>>,
    fans: Vec<Vec<u32>>,
    is_rim: Vec<bool>,
    has_copies: Vec<bool>,
    /// Facets that have become two.
    torn: BTreeSet<Facet>,
    is_at_torn: Vec<bool>,
    seams: BTreeMap<[u32; 2], f64>,
}

/// Vertices that are torn open.
pub(crate) fn splits(
    fabric: &Fabric,
    tearing: &Tearing,
    rest: &[Vec3],
    x: &[Vec3],
    is_pinned: &dyn Fn(u32) -> bool,
) -> Vec<Split> {
    let loads: Vec<Load> = (0..fabric.cells.len()).map(|cell| cell_load(fabric, tearing, cell, rest, x)).collect();
    let mut failing: Vec<(f64, Failing)> = (0u32..)
        .zip(&loads)
        .filter(|(_, load)| load.ratio > 1.0)
        .map(|(cell, load)| (load.ratio, Failing::Cell(cell)))
        .collect();
    if failing.is_empty() && fabric.seams.is_empty() {
        return Vec::new();
    }
    let mut crack = Crack::new(fabric, rest, is_pinned);
    for &(edge, strength) in &fabric.seams {
        let Some(triangles) = crack.facets.get(&[edge[0], edge[1], u32::MAX]) else { continue };
        let ratio = seam_ratio(fabric, tearing, edge, strength, triangles, rest, x);
        if ratio > 1.0 {
            failing.push((ratio, Failing::Seam(edge)));
            crack.seams.insert(edge, ratio);
        }
    }
    // The worst first; where they are as bad as each other the order of the list decides, so that every run tears alike.
    failing.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    crack.grow(tearing, &failing, &loads)
}

impl<'a> Crack<'a> {
    fn new(fabric: &'a Fabric, rest: &'a [Vec3], is_pinned: &'a dyn Fn(u32) -> bool) -> Self {
        let facets = fabric.cells.facets();
        let mut is_rim = vec![false; rest.len()];
        for (facet, _) in facets.iter().filter(|(_, sharing)| sharing.len() == 1) {
            facet.iter().filter(|v| **v != u32::MAX).for_each(|v| is_rim[*v as usize] = true);
        }
        let mut has_copies = vec![false; rest.len()];
        for (v, origin) in (fabric.first_vertices..).zip(&fabric.origins) {
            if let Some(copied) = origin.copied() {
                (has_copies[v], has_copies[copied as usize]) = (true, true);
            }
        }
        let fans = fabric.cells.fans(rest.len());
        let torn = torn_facets(fabric, &facets);
        let mut is_at_torn = vec![false; rest.len()];
        torn.iter().flatten().filter(|v| **v != u32::MAX).for_each(|v| is_at_torn[*v as usize] = true);
        let seams = BTreeMap::new();
        Self { fabric, rest, is_pinned, facets, fans, is_rim, has_copies, torn, is_at_torn, seams }
    }

    /// Tips first, as many as allowed; if none fails, one new crack at the worst place.
    fn grow(&self, tearing: &Tearing, failing: &[(f64, Failing)], loads: &[Load]) -> Vec<Split> {
        let (mut splits, mut is_used) = (Vec::new(), vec![false; self.rest.len()]);
        for &(_, what) in failing {
            if splits.len() == tearing.splits_per_step {
                break;
            }
            let best = self.best(what, loads).filter(|split| split.place == Place::Tip);
            if let Some(split) = best.filter(|split| !is_used[split.vertex as usize]) {
                // What lies around it is no longer as it was measured.
                let around = self.fans[split.vertex as usize].iter();
                let around = around.flat_map(|&cell| self.fabric.cells.cell(cell as usize));
                around.for_each(|&v| is_used[v as usize] = true);
                splits.push(split);
            }
        }
        if splits.is_empty() {
            splits.extend(failing.iter().find_map(|&(_, what)| self.best(what, loads)));
        }
        splits
    }

    fn place(&self, vertex: u32) -> Place {
        let v = vertex as usize;
        match (self.has_copies[v], self.is_at_torn[v], self.is_rim[v]) {
            (true, _, _) => Place::Flank,
            (_, true, _) => Place::Tip,
            (_, _, true) => Place::Rim,
            _ => Place::Inside,
        }
    }

    /// The best vertex to tear open where something fails.
    fn best(&self, what: Failing, loads: &[Load]) -> Option<Split> {
        let vertices: &[u32] = match &what {
            Failing::Cell(cell) => self.fabric.cells.cell(*cell as usize),
            Failing::Seam(edge) => edge,
        };
        let splits = vertices.iter().filter(|v| !(self.is_pinned)(**v)).filter_map(|&vertex| {
            let (alignment, cuts) = match what {
                Failing::Seam(edge) => (1.0, self.along_seam(vertex, edge)?),
                Failing::Cell(cell) => {
                    let across = loads[cell as usize].direction;
                    match self.fabric.cells.corners() {
                        2 => self.off_segment(vertex, cell)?,
                        3 => self.along_edges(vertex, across)?,
                        _ => self.along_faces(vertex, across)?,
                    }
                }
            };
            Some(Split { place: self.place(vertex), alignment, vertex, cuts })
        });
        let rank = |split: &Split| (split.place, split.alignment);
        splits.reduce(|best, other| if rank(&other) > rank(&best) { other } else { best })
    }

    /// A segment parts from the others at its end.
    fn off_segment(&self, vertex: u32, cell: u32) -> Option<(f64, Vec<[u32; 2]>)> {
        let others = self.fans[vertex as usize].iter().filter(|other| **other != cell);
        let cuts: Vec<[u32; 2]> = others.map(|&other| [cell.min(other), cell.max(other)]).collect();
        (!cuts.is_empty()).then_some((1.0, cuts))
    }

    /// Inner edges at a vertex: the other end, and the two triangles.
    fn inner_edges(&self, vertex: u32) -> BTreeMap<u32, [u32; 2]> {
        let fan = &self.fans[vertex as usize];
        let ends = fan.iter().flat_map(|&cell| self.fabric.cells.cell(cell as usize)).filter(|v| **v != vertex);
        let edge = |&end: &u32| match self.facets.get(&[vertex.min(end), vertex.max(end), u32::MAX])?.as_slice() {
            &[a, b] => Some((end, [a, b])),
            _ => None,
        };
        ends.filter_map(edge).collect()
    }

    /// The edges at a vertex that lie best across a direction: one from a rim or a tip, two from inside.
    fn along_edges(&self, vertex: u32, across: Vec3) -> Option<(f64, Vec<[u32; 2]>)> {
        let from = self.rest[vertex as usize];
        let way = |end: u32| (self.rest[end as usize] - from).normalize_or_zero();
        let misfit = |end: u32| way(end).dot(across).abs();
        let edges = self.inner_edges(vertex);
        let best = |allowed: &dyn Fn(u32) -> bool| {
            edges.keys().copied().filter(|end| allowed(*end)).min_by(|a, b| misfit(*a).total_cmp(&misfit(*b)))
        };
        let first = best(&|_| true)?;
        if self.is_rim[vertex as usize] {
            return Some((1.0 - misfit(first), vec![edges[&first]]));
        }
        let second = best(&|end| way(end).dot(way(first)) < 0.0)?;
        Some((1.0 - misfit(first).max(misfit(second)), vec![edges[&first], edges[&second]]))
    }

    /// The seam's edges that fail at a vertex.
    fn along_seam(&self, vertex: u32, edge: [u32; 2]) -> Option<Vec<[u32; 2]>> {
        let edges = self.inner_edges(vertex);
        let end = if edge[0] == vertex { edge[1] } else { edge[0] };
        let mut cuts = vec![*edges.get(&end)?];
        if self.is_rim[vertex as usize] {
            return Some(cuts);
        }
        let others = edges.iter().filter(|(other, _)| **other != end);
        let fails = |other: u32| self.seams.contains_key(&[vertex.min(other), vertex.max(other)]);
        cuts.extend(others.filter(|(other, _)| fails(**other)).map(|(_, pair)| *pair));
        (cuts.len() > 1).then_some(cuts)
    }

    /// The direction across which a crack goes on from a vertex: stretches around a tip are uneven, so it keeps mostly straight.
    fn straightened(&self, vertex: u32, across: Vec3) -> Vec3 {
        let mut mean = across;
        for &cell in &self.fans[vertex as usize] {
            for corner in 0..4 {
                let facet = self.fabric.cells.facet(cell as usize, corner);
                let is_torn = facet.contains(&vertex) && self.torn.contains(&facet);
                if is_torn {
                    let [a, b, c] = facet.map(|v| self.rest[v as usize]);
                    let normal = (b - a).cross(c - a).normalize_or_zero();
                    mean += normal * (STRAIGHT * normal.dot(across).signum());
                }
            }
        }
        mean.normalize_or_zero()
    }

    /// The faces at a vertex between the tets on either side of the plane across a direction.
    fn along_faces(&self, vertex: u32, across: Vec3) -> Option<(f64, Vec<[u32; 2]>)> {
        let (fan, cells) = (&self.fans[vertex as usize], &self.fabric.cells);
        let across = self.straightened(vertex, across);
        let from = self.rest[vertex as usize];
        let height = |&cell: &u32| {
            let corners = cells.cell(cell as usize).iter();
            corners.map(|&v| (self.rest[v as usize] - from).dot(across)).sum::<f64>()
        };
        let is_above: BTreeMap<u32, bool> = fan.iter().map(|cell| (*cell, height(cell) > 0.0)).collect();
        let above = is_above.values().filter(|above| **above).count();
        if above == 0 || above == fan.len() {
            return None;
        }
        let mut cuts = Vec::new();
        for &cell in fan {
            for corner in 0..cells.corners() {
                let facet = cells.facet(cell as usize, corner);
                let sharing = self.facets.get(&facet).map_or(&[][..], Vec::as_slice);
                if let &[a, b] = sharing
                    && a == cell
                    && facet.contains(&vertex)
                    && is_above[&a] != is_above[&b]
                {
                    cuts.push([a, b]);
                }
            }
        }
        let balance = above.min(fan.len() - above) as f64 / above.max(fan.len() - above) as f64;
        (!cuts.is_empty()).then_some((balance, cuts))
    }
}
