//! A sheet whose triangles are divided along a line.
//!
//! An edge that the line crosses is divided there, and with it the triangles on both sides; where a line crosses two edges of a triangle
//! their new vertices are then joined by an edge. A vertex near the line becomes the point of the sheet where the line passes, which
//! avoids slivers. Where that would change the rest shape, as at a corner of the rim or in a fold, or where the vertex is
//! pinned, the line goes through the vertex as it is.

use std::collections::{BTreeMap, BTreeSet};

use super::cells::Cells;
use super::change::Origin;
use crate::math::Vec3;

/// Vertices nearer to a crossing than this share of the edge move there.
pub(super) const SNAP: f64 = 0.02;
/// A vertex on the rim may move this many times as far along the rim as it is from the line along some edge.
const ALONG_RIM: f64 = 5.0;
/// Sines between normals and between edges of the rim up to here are flat and straight.
const FLAT: f64 = 1e-9;
/// Heights below this share of a sheet's extent are rounding.
const ROUNDING: f64 = 1e-13;

/// An undirected edge, lower vertex first.
fn edge_of(a: u32, b: u32) -> [u32; 2] {
    [a.min(b), a.max(b)]
}

/// A flat blade: a plane, or the strip of it that a segment sweeps.
pub(super) struct Blade {
    pub(super) point: Vec3,
    /// Unit normal.
    pub(super) normal: Vec3,
    /// For a segment: inner products with it, from its first point, run from 0 to 1 along it.
    pub(super) along: Option<Vec3>,
}

impl Blade {
    fn height(&self, x: Vec3) -> f64 {
        (x - self.point).dot(self.normal)
    }

    /// Whether a point of the plane is on the blade.
    fn reaches(&self, x: Vec3) -> bool {
        let end = 1e-9;
        self.along.is_none_or(|along| (-end..=1.0 + end).contains(&(x - self.point).dot(along)))
    }
}

/// A sheet on the way through a cut.
pub(crate) struct Refined {
    /// Positions in which the cut is measured \[m\].
    x: Vec<Vec3>,
    rest: Vec<Vec3>,
    /// Vertices that have moved, or must not.
    is_fixed: Vec<bool>,
    pub(crate) moved: Vec<(u32, u32, Origin)>,
    pub(crate) cells: Cells,
    /// Where the triangles beyond the first ones come from.
    pub(crate) parents: Vec<u32>,
    pub(crate) origins: Vec<Origin>,
    first_cells: usize,
    edges: BTreeMap<[u32; 2], Vec<u32>>,
    /// Edges to be parted.
    cuts: BTreeSet<[u32; 2]>,
    scale: f64,
}

impl Refined {
    pub(crate) fn new(cells: &Cells, rest: &[Vec3], x: &[Vec3], is_fixed: Vec<bool>) -> Self {
        let edges = cells.facets().into_iter().map(|(facet, sharing)| ([facet[0], facet[1]], sharing)).collect();
        let (scale, cuts) = (crate::math::diagonal(x), BTreeSet::new());
        let (cells, first_cells) = (cells.clone(), cells.len());
        let (x, rest, moved) = (x.to_vec(), rest.to_vec(), Vec::new());
        let (parents, origins) = (Vec::new(), Vec::new());
        Self { x, rest, is_fixed, moved, cells, parents, origins, first_cells, edges, cuts, scale }
    }

    /// Pairs of triangles at the edges to be parted, the lower first.
    pub(crate) fn pairs(&self) -> BTreeSet<[u32; 2]> {
        let pair = |edge: &[u32; 2]| match self.edges.get(edge)?.as_slice() {
            &[a, b] => Some([a.min(b), a.max(b)]),
            _ => None,
        };
        self.cuts.iter().filter_map(pair).collect()
    }

    /// Ends of the edges to be parted.
    pub(crate) fn cut_edges(&self) -> impl Iterator<Item = [u32; 2]> + '_ {
        self.cuts.iter().copied()
    }

    fn add_vertex(&mut self, origin: Origin) -> u32 {
        let vertex = self.x.len() as u32;
        self.x.push(origin.blend(&self.x));
        self.rest.push(origin.blend(&self.rest));
        // It is where it should be.
        self.is_fixed.push(true);
        self.origins.push(origin);
        vertex
    }

    fn add_cell(&mut self, vertices: [u32; 3], part_of: u32) -> u32 {
        let cell = self.cells.len() as u32;
        let parent = match (part_of as usize).checked_sub(self.first_cells) {
            None => part_of,
            Some(later) => self.parents[later],
        };
        self.parents.push(parent);
        self.cells.push(&vertices);
        cell
    }

    fn replace_at(&mut self, edge: [u32; 2], from: u32, to: u32) {
        if let Some(sharing) = self.edges.get_mut(&edge) {
            sharing.iter_mut().filter(|cell| **cell == from).for_each(|cell| *cell = to);
            sharing.sort_unstable();
        }
    }

    /// The triangles around a vertex.
    fn fan(&self, vertex: u32) -> BTreeSet<u32> {
        let around = |[a, b]: &[u32; 2]| *a == vertex || *b == vertex;
        self.edges.iter().filter(|(edge, _)| around(edge)).flat_map(|(_, sharing)| sharing.iter().copied()).collect()
    }

    /// Whether a vertex may become another point near it on the way to `end`, without any change of the rest shape.
    fn may_move(&self, vertex: u32, end: u32) -> bool {
        if self.is_fixed[vertex as usize] {
            return false;
        }
        let from = self.rest[vertex as usize];
        let fan = self.fan(vertex);
        let normals = fan.iter().map(|&cell| {
            let own: [Vec3; 3] = std::array::from_fn(|k| self.rest[self.cells.cell(cell as usize)[k] as usize]);
            (own[1] - own[0]).cross(own[2] - own[0]).normalize_or_zero()
        });
        let normals: Vec<Vec3> = normals.collect();
        let is_flat = normals.iter().all(|n| n.cross(normals[0]).length() < FLAT && n.dot(normals[0]) > 0.0);
        let ends = fan.iter().flat_map(|&cell| self.cells.cell(cell as usize)).filter(|v| **v != vertex);
        let is_rim = |end: &u32| self.edges.get(&edge_of(vertex, *end)).is_some_and(|sharing| sharing.len() == 1);
        let rim: BTreeSet<u32> = ends.copied().filter(is_rim).collect();
        let way = |end: &u32| (self.rest[*end as usize] - from).normalize_or_zero();
        let is_straight = rim.is_empty()
            || (rim.contains(&end) && rim.iter().all(|other| way(other).cross(way(&end)).length() < FLAT));
        is_flat && is_straight
    }

    /// Makes a vertex another point of the sheet.
    fn place(&mut self, vertex: u32, origin: Origin) {
        let v = vertex as usize;
        (self.x[v], self.rest[v]) = (origin.blend(&self.x), origin.blend(&self.rest));
        self.is_fixed[v] = true;
        self.moved.push((self.origins.len() as u32, vertex, origin));
    }

    /// Divides an edge and the triangles at it.
    fn divide_edge(&mut self, a: u32, b: u32, share: f64) -> u32 {
        self.divide_edge_at(a, b, Origin::on_edge([a, b], share))
    }

    /// Divides an edge at a point on it or, where that changes nothing, beside it.
    fn divide_edge_at(&mut self, a: u32, b: u32, point: Origin) -> u32 {
        let middle = self.add_vertex(point);
        let sharing = self.edges.remove(&edge_of(a, b)).unwrap_or_default();
        let mut halves = Vec::new();
        for &cell in &sharing {
            let own: [u32; 3] = std::array::from_fn(|k| self.cells.cell(cell as usize)[k]);
            let Some(&opposite) = own.iter().find(|v| **v != a && **v != b) else { continue };
            self.cells.set(cell as usize, &own.map(|v| if v == b { middle } else { v }));
            let half = self.add_cell(own.map(|v| if v == a { middle } else { v }), cell);
            self.replace_at(edge_of(b, opposite), cell, half);
            self.edges.insert(edge_of(middle, opposite), vec![cell, half]);
            halves.push(half);
        }
        self.edges.insert(edge_of(a, middle), sharing);
        self.edges.insert(edge_of(middle, b), halves);
        if self.cuts.remove(&edge_of(a, b)) {
            self.cuts.extend([edge_of(a, middle), edge_of(middle, b)]);
        }
        middle
    }

    /// Puts a vertex into a triangle.
    fn divide_cell(&mut self, cell: u32, weights: [f64; 3]) -> u32 {
        let [a, b, c]: [u32; 3] = std::array::from_fn(|k| self.cells.cell(cell as usize)[k]);
        let middle = self.add_vertex(Origin { vertices: [a, b, c], weights });
        self.cells.set(cell as usize, &[a, b, middle]);
        let second = self.add_cell([b, c, middle], cell);
        let third = self.add_cell([c, a, middle], cell);
        self.replace_at(edge_of(b, c), cell, second);
        self.replace_at(edge_of(c, a), cell, third);
        self.edges.insert(edge_of(a, middle), vec![cell, third]);
        self.edges.insert(edge_of(b, middle), vec![cell, second]);
        self.edges.insert(edge_of(c, middle), vec![second, third]);
        middle
    }

    /// Vertices where a line through a point meets the sheet, made where there are none near.
    pub(super) fn pierce(&mut self, point: Vec3, direction: Vec3) -> BTreeSet<u32> {
        let mut pierced = BTreeSet::new();
        for cell in 0..self.cells.len() as u32 {
            let own: [u32; 3] = std::array::from_fn(|k| self.cells.cell(cell as usize)[k]);
            let corners = own.map(|v| self.x[v as usize] - point);
            // Areas of the three parts as seen along the line.
            let area = |k: usize| corners[(k + 1) % 3].cross(corners[(k + 2) % 3]).dot(direction);
            let areas = [area(0), area(1), area(2)];
            let total: f64 = areas.iter().sum();
            let weights = areas.map(|area| area / total);
            if !weights.iter().all(|weight| *weight >= 0.0) {
                continue; // It passes by, or the triangle is seen edge-on.
            }
            let point = Origin { vertices: own, weights };
            if let Some(near) = (0..3).find(|&k| weights[k] > 1.0 - SNAP) {
                let vertex = own[near];
                let is_inside = !self.fan(vertex).iter().any(|&cell| self.touches_rim(cell, vertex));
                if is_inside && self.may_move(vertex, own[(near + 1) % 3]) {
                    self.place(vertex, point);
                }
                pierced.insert(vertex);
            } else if let Some(thin) = (0..3).find(|&k| weights[k] < SNAP) {
                let (a, b) = (own[(thin + 1) % 3], own[(thin + 2) % 3]);
                let share = weights[(thin + 2) % 3] / (1.0 - weights[thin]);
                let exact = if self.is_flat_at(a, b) { point } else { Origin::on_edge([a, b], share) };
                pierced.insert(self.divide_edge_at(a, b, exact));
            } else {
                pierced.insert(self.divide_cell(cell, weights));
            }
        }
        pierced
    }

    /// Whether a triangle has an edge of the rim at a vertex.
    fn touches_rim(&self, cell: u32, vertex: u32) -> bool {
        let ends = self.cells.cell(cell as usize).iter().filter(|v| **v != vertex);
        ends.into_iter().any(|end| self.edges.get(&edge_of(vertex, *end)).is_some_and(|sharing| sharing.len() == 1))
    }

    /// Whether the two triangles at an edge lie in one plane at rest.
    fn is_flat_at(&self, a: u32, b: u32) -> bool {
        let Some(&[first, second]) = self.edges.get(&edge_of(a, b)).map(Vec::as_slice) else { return false };
        let normal = |cell: u32| {
            let own: [Vec3; 3] = std::array::from_fn(|k| self.rest[self.cells.cell(cell as usize)[k] as usize]);
            (own[1] - own[0]).cross(own[2] - own[0]).normalize_or_zero()
        };
        let (n, m) = (normal(first), normal(second));
        n.cross(m).length() < FLAT && n.dot(m) > 0.0
    }

    /// Moves a vertex that is near a blade onto it, along an edge.
    fn snap(&mut self, blade: &Blade, vertex: u32, end: u32, share: f64) {
        let mut way = Some((end, share));
        if self.fan(vertex).iter().any(|&cell| self.touches_rim(cell, vertex)) {
            // Along the rim, if the blade crosses it near here.
            let from = blade.height(self.x[vertex as usize]);
            let rim = self.edges.iter().filter(|(edge, sharing)| sharing.len() == 1 && edge.contains(&vertex));
            let ends = rim.map(|([a, b], _)| if *a == vertex { *b } else { *a });
            let mut shares = ends.map(|end| (end, from / (from - blade.height(self.x[end as usize]))));
            way = shares.find(|(_, share)| (0.0..ALONG_RIM * SNAP).contains(share));
        }
        if let Some((end, share)) = way
            && self.may_move(vertex, end)
        {
            self.place(vertex, Origin::on_edge([vertex, end], share));
        }
    }

    /// Divides what a blade crosses and marks the edges along it. `known` are vertices that lie on it by construction.
    pub(super) fn slice(&mut self, blade: &Blade, known: &BTreeSet<u32>) {
        let mut is_on: BTreeSet<u32> = known.clone();
        let exact = ROUNDING * self.scale;
        for (v, &x) in (0u32..).zip(&self.x) {
            if blade.height(x).abs() <= exact && blade.reaches(x) {
                is_on.insert(v);
            }
        }
        // First what is so near to a vertex that it goes through it, so that no edge there is divided.
        let crossings = |this: &Self, is_on: &BTreeSet<u32>| -> Vec<([u32; 2], f64)> {
            let crossing = |&[a, b]: &[u32; 2]| {
                let [start, end] = [a, b].map(|v| this.x[v as usize]);
                let (from, to) = (blade.height(start), blade.height(end));
                let share = from / (from - to);
                let crosses = from * to < 0.0 && blade.reaches(start.lerp(end, share));
                (crosses && !is_on.contains(&a) && !is_on.contains(&b)).then_some(([a, b], share))
            };
            this.edges.keys().filter_map(crossing).collect()
        };
        for ([a, b], share) in crossings(self, &is_on) {
            let (near, far, share) = if share < 0.5 { (a, b, share) } else { (b, a, 1.0 - share) };
            if share < SNAP && is_on.insert(near) {
                self.snap(blade, near, far, share);
            }
        }
        for ([a, b], share) in crossings(self, &is_on) {
            is_on.insert(self.divide_edge(a, b, share));
        }
        let side = |this: &Self, cell: u32, edge: [u32; 2]| {
            let opposite = this.cells.cell(cell as usize).iter().find(|v| !edge.contains(v));
            opposite.map_or(0.0, |v| if is_on.contains(v) { 0.0 } else { blade.height(this.x[*v as usize]) })
        };
        let along: Vec<[u32; 2]> = self
            .edges
            .iter()
            .filter(|(edge, _)| edge.iter().all(|v| is_on.contains(v)))
            .filter(|(edge, sharing)| match sharing.as_slice() {
                &[a, b] => side(self, a, **edge) * side(self, b, **edge) < 0.0,
                _ => false,
            })
            .map(|(edge, _)| *edge)
            .collect();
        self.cuts.extend(along);
    }
}
