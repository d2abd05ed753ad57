//! The cells of a body: its triangles, its tets, or the segments of its strands.
//!
//! Two cells are neighbours if they share a facet: triangles an edge, tets a face, segments an end. The cells around a
//! vertex are its fan. A body separates at facets: [`Cells::separate`] gives a vertex a copy for each piece of its fan.

use std::collections::{BTreeMap, BTreeSet};

use crate::math::Vec3;

/// The cells of a body, all of one kind; vertices are those of the body.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Cells {
    corners: usize,
    vertices: Vec<u32>,
}

/// The vertices of a facet, ascending; fewer than three are filled up with `u32::MAX`.
pub(crate) type Facet = [u32; 3];

impl Cells {
    /// Triangles.
    pub fn triangles(triangles: &[[u32; 3]]) -> Self {
        Self { corners: 3, vertices: triangles.as_flattened().to_vec() }
    }

    /// Tets.
    pub fn tets(tets: &[[u32; 4]]) -> Self {
        Self { corners: 4, vertices: tets.as_flattened().to_vec() }
    }

    /// Segments of strands.
    pub fn segments(segments: impl IntoIterator<Item = [u32; 2]>) -> Self {
        Self { corners: 2, vertices: segments.into_iter().flatten().collect() }
    }

    /// Number of corners of a cell: 2 for segments, 3 for triangles, 4 for tets; 0 if there are no cells.
    pub fn corners(&self) -> usize {
        self.corners
    }

    /// Number of cells.
    pub fn len(&self) -> usize {
        self.vertices.len().checked_div(self.corners).unwrap_or(0)
    }

    /// Whether there are no cells.
    pub fn is_empty(&self) -> bool {
        self.vertices.is_empty()
    }

    /// Vertices of a cell.
    pub fn cell(&self, cell: usize) -> &[u32] {
        &self.vertices[cell * self.corners..(cell + 1) * self.corners]
    }

    /// All cells.
    pub fn iter(&self) -> impl Iterator<Item = &[u32]> {
        self.vertices.chunks_exact(self.corners.max(1))
    }

    /// All cells as arrays; none if they have a different number of corners.
    pub fn arrays<const N: usize>(&self) -> Vec<[u32; N]> {
        if self.corners == N { self.vertices.as_chunks::<N>().0.to_vec() } else { Vec::new() }
    }

    pub(crate) fn set(&mut self, cell: usize, vertices: &[u32]) {
        self.vertices[cell * self.corners..(cell + 1) * self.corners].copy_from_slice(vertices);
    }

    pub(crate) fn push(&mut self, vertices: &[u32]) {
        self.vertices.extend_from_slice(vertices);
    }

    /// The facet across from a corner.
    pub(crate) fn facet(&self, cell: usize, corner: usize) -> Facet {
        let mut facet = [u32::MAX; 3];
        let others = self.cell(cell).iter().enumerate().filter(|(k, _)| *k != corner);
        facet.iter_mut().zip(others).for_each(|(slot, (_, v))| *slot = *v);
        facet.sort_unstable();
        facet
    }

    /// All facets with the cells that have them, ascending.
    pub(crate) fn facets(&self) -> BTreeMap<Facet, Vec<u32>> {
        let mut facets: BTreeMap<Facet, Vec<u32>> = BTreeMap::new();
        for cell in 0..self.len() {
            for corner in 0..self.corners {
                facets.entry(self.facet(cell, corner)).or_default().push(cell as u32);
            }
        }
        facets
    }

    /// The cells around each vertex, ascending.
    pub(crate) fn fans(&self, vertex_count: usize) -> Vec<Vec<u32>> {
        let mut fans = vec![Vec::new(); vertex_count];
        for (cell, vertices) in (0u32..).zip(self.iter()) {
            vertices.iter().for_each(|&v| fans[v as usize].push(cell));
        }
        fans
    }

    /// Length, area or volume of a cell at these positions \[m, m², m³\].
    pub(crate) fn measure(&self, cell: usize, x: &[Vec3]) -> f64 {
        let at = |k: usize| x[self.cell(cell)[k] as usize];
        match self.corners {
            2 => at(0).distance(at(1)),
            3 => 0.5 * (at(1) - at(0)).cross(at(2) - at(0)).length(),
            _ => ((at(1) - at(0)).cross(at(2) - at(0)).dot(at(3) - at(0)) / 6.0).abs(),
        }
    }

    /// Whether two cells share a facet with a vertex on it.
    fn are_neighbours_at(&self, a: u32, b: u32, vertex: u32) -> bool {
        let (a, b) = (self.cell(a as usize), self.cell(b as usize));
        let shared = a.iter().filter(|v| b.contains(v)).count();
        b.contains(&vertex) && shared + 1 == self.corners
    }

    /// The pieces that a vertex's fan falls into when neighbours part at `cuts` (pairs of cells, the lower first), each
    /// ascending, in the order of their first cells.
    pub(crate) fn pieces(&self, vertex: u32, fan: &[u32], cuts: &BTreeSet<[u32; 2]>) -> Vec<Vec<u32>> {
        let mut pieces: Vec<Vec<u32>> = Vec::new();
        let mut is_taken = vec![false; fan.len()];
        for first in 0..fan.len() {
            if is_taken[first] {
                continue;
            }
            is_taken[first] = true;
            let (mut piece, mut next) = (vec![fan[first]], 0);
            while let Some(&cell) = piece.get(next) {
                next += 1;
                for (k, &other) in fan.iter().enumerate().filter(|(_, other)| **other != cell) {
                    let pair = [cell.min(other), cell.max(other)];
                    if !is_taken[k] && !cuts.contains(&pair) && self.are_neighbours_at(cell, other, vertex) {
                        is_taken[k] = true;
                        piece.push(other);
                    }
                }
            }
            piece.sort_unstable();
            pieces.push(piece);
        }
        pieces
    }

    /// Parts neighbours at `cuts` (pairs of cells, the lower first): every vertex whose fan falls apart gets a copy for each
    /// piece but the first. Vertices around it are looked at again, so that a crack that reaches a rim opens there. Returns the
    /// vertex that each copy was made from; copies are numbered from `vertex_count` on.
    pub(crate) fn separate(&mut self, vertex_count: usize, cuts: &BTreeSet<[u32; 2]>) -> Vec<u32> {
        let mut copies: Vec<u32> = Vec::new();
        let mut fans = self.fans(vertex_count);
        let ends = cuts.iter().flatten().flat_map(|&cell| self.cell(cell as usize));
        let mut waiting: BTreeSet<u32> = ends.copied().collect();
        while let Some(vertex) = waiting.pop_first() {
            let pieces = self.pieces(vertex, &fans[vertex as usize], cuts);
            for piece in pieces.iter().skip(1) {
                let copy = fans.len() as u32;
                copies.push(vertex);
                fans.push(piece.clone());
                fans[vertex as usize].retain(|cell| !piece.contains(cell));
                for &cell in piece {
                    let at = cell as usize * self.corners;
                    let own = &mut self.vertices[at..at + self.corners];
                    own.iter_mut().filter(|v| **v == vertex).for_each(|v| *v = copy);
                    waiting.extend(own.iter().filter(|v| **v != copy));
                }
            }
        }
        copies
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A row of quads, each of two triangles: vertices 0..n below, n.. above.
    fn ladder(quads: u32) -> Cells {
        let n = quads + 1;
        let quad = |k: u32| [[k, k + 1, n + k], [k + 1, n + k + 1, n + k]];
        Cells::triangles(&(0..quads).flat_map(quad).collect::<Vec<_>>())
    }

    #[test]
    fn a_ladder_cut_at_a_rung_falls_into_two() {
        let mut cells = ladder(3);
        // The rung between the first two quads is shared by triangles 1 and 2.
        let copies = cells.separate(8, &BTreeSet::from([[1, 2]]));
        assert_eq!(copies, [1, 5], "both ends of the rung are doubled");
        assert_eq!(cells.cell(1), [1, 5, 4]);
        assert_eq!(cells.cell(2), [8, 2, 9]);
        assert_eq!(cells.cell(0), [0, 1, 4]);
    }

    #[test]
    fn a_cut_inside_opens_only_where_two_edges_meet() {
        let grid = |i: u32, j: u32| 3 * j + i;
        let quads = [[0, 0], [1, 0], [0, 1], [1, 1]];
        let both = |[i, j]: [u32; 2]| {
            let (a, b, c, d) = (grid(i, j), grid(i + 1, j), grid(i, j + 1), grid(i + 1, j + 1));
            [[a, b, c], [b, d, c]]
        };
        let cells = Cells::triangles(&quads.into_iter().flat_map(both).collect::<Vec<_>>());
        let pair = |a: u32, b: u32| cells.facets()[&[a.min(b), a.max(b), u32::MAX]].clone();
        let as_cut = |cells: Vec<u32>| [cells[0], cells[1]];
        let one = BTreeSet::from([as_cut(pair(4, 5))]);
        // An edge from the middle to the rim opens at the rim alone; with the one across the sheet falls into two.
        assert_eq!(cells.clone().separate(9, &one), [5]);
        let two = BTreeSet::from([as_cut(pair(3, 4)), as_cut(pair(4, 5))]);
        let mut torn = cells.clone();
        assert_eq!(torn.separate(9, &two), [3, 4, 5]);
        let edges: Vec<[u32; 2]> = torn.iter().flat_map(|c| [[c[0], c[1]], [c[1], c[2]]]).collect();
        assert_eq!(crate::mesh::connected_components(12, &edges).count, 2);
    }

    #[test]
    fn a_strand_parts_at_a_vertex() {
        let mut cells = Cells::segments([[0, 1], [1, 2], [2, 3]]);
        assert_eq!(cells.separate(4, &BTreeSet::from([[1, 2]])), [2]);
        assert_eq!(cells.cell(2), [4, 3]);
    }
}
