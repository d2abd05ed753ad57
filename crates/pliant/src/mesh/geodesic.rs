//! Distances along the edges of a mesh.
//!
//! Dijkstra's shortest paths over the graph of edges. Paths along edges are never shorter than the true geodesic, so a tether of
//! this length never pulls on a cloth that only unfolds.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::placed::check_positions;
use super::{Csr, Edge, ElementKind, MeshError};
use crate::math::Vec3;

/// For each vertex, how far the nearest source is along the edges.
#[derive(Clone, Debug, PartialEq)]
pub struct Geodesics {
    /// The length of the shortest path \[m\]; infinite if no source can be reached.
    pub distances: Vec<f64>,
    /// The source at the other end of that path (of equally near ones the lowest); `None` if no source can be reached.
    pub nearest: Vec<Option<u32>>,
}

/// A path of a given length from a source to a vertex.
#[derive(Clone, Copy, PartialEq)]
struct Path {
    distance: f64,
    source: u32,
    vertex: u32,
}

impl Eq for Path {}

impl Ord for Path {
    /// Reversed, since the heap gives out the greatest: shorter first, then the lower source. So the result does not depend on
    /// the order of edges or sources.
    fn cmp(&self, other: &Self) -> Ordering {
        let key = |path: &Self| (path.source, path.vertex);
        other.distance.total_cmp(&self.distance).then_with(|| key(other).cmp(&key(self)))
    }
}

impl PartialOrd for Path {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The shortest distance along edges from each vertex to the nearest of the sources.
///
/// ```
/// use pliant::math::Vec3;
/// use pliant::mesh::geodesic_distances;
///
/// let corner = [Vec3::X, Vec3::ZERO, Vec3::Y];
/// let paths = geodesic_distances(&corner, &[[0, 1], [1, 2]], &[0])?;
/// assert_eq!(paths.distances, [0.0, 1.0, 2.0]);
/// assert_eq!(paths.nearest, [Some(0); 3]);
/// # Ok::<(), pliant::mesh::MeshError>(())
/// ```
pub fn geodesic_distances(positions: &[Vec3], edges: &[Edge], sources: &[u32]) -> Result<Geodesics, MeshError> {
    let count = positions.len();
    check_positions(positions)?;
    if sources.is_empty() {
        return Err(MeshError::Empty { what: "sources" });
    }
    let within = |kind, element, vertex: u32| {
        let outside = MeshError::IndexOutOfRange { kind, element, vertex, count };
        if (vertex as usize) < count { Ok(()) } else { Err(outside) }
    };
    for (element, edge) in edges.iter().enumerate() {
        within(ElementKind::Edge, element, edge[0])?;
        within(ElementKind::Edge, element, edge[1])?;
    }
    for (element, &source) in sources.iter().enumerate() {
        within(ElementKind::Source, element, source)?;
    }

    let neighbours = Csr::from_pairs(count, edges.iter().flat_map(|&[a, b]| [(a, b), (b, a)]));
    let mut found = Geodesics { distances: vec![f64::INFINITY; count], nearest: vec![None; count] };
    let mut heap: BinaryHeap<Path> =
        sources.iter().map(|&source| Path { distance: 0.0, source, vertex: source }).collect();
    while let Some(Path { distance, source, vertex }) = heap.pop() {
        let at = vertex as usize;
        if found.nearest[at].is_some() {
            continue; // A path at least as good came first.
        }
        found.distances[at] = distance;
        found.nearest[at] = Some(source);
        for &next in neighbours.row(at) {
            if found.nearest[next as usize].is_none() {
                let step = positions[at].distance(positions[next as usize]);
                heap.push(Path { distance: distance + step, source, vertex: next });
            }
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::assert_close;
    use crate::mesh::generate::{Sheet, rope};

    /// A strip of two rows of vertices, bent into a U of two legs and a base.
    fn u_shaped_strip(leg: u32, base: u32) -> (Vec<Vec3>, Vec<Edge>) {
        let length = 2 * leg + base;
        let centre_line = |i: u32| match i {
            i if i <= leg => Vec3::new(0.0, f64::from(leg - i), 0.0),
            i if i <= leg + base => Vec3::new(f64::from(i - leg), 0.0, 0.0),
            i => Vec3::new(f64::from(base), f64::from(i - leg - base), 0.0),
        };
        let positions = (0..=length).flat_map(|i| [centre_line(i), centre_line(i) + Vec3::Z]).collect();
        let mut edges: Vec<Edge> = (0..=length).map(|i| [2 * i, 2 * i + 1]).collect();
        edges.extend((0..length).flat_map(|i| [[2 * i, 2 * i + 2], [2 * i + 1, 2 * i + 3]]));
        (positions, edges)
    }

    #[test]
    fn a_u_shaped_strip_is_measured_around_its_bend() -> Result<(), MeshError> {
        let (positions, edges) = u_shaped_strip(10, 2);
        let paths = geodesic_distances(&positions, &edges, &[0])?;
        let (end, far_side) = (positions.len() - 2, positions.len() - 1);
        assert_close(positions[0].distance(positions[end]), 2.0, 1e-15);
        assert_close(paths.distances[end], 22.0, 1e-15);
        assert_close(paths.distances[far_side], 23.0, 1e-15);
        Ok(())
    }

    #[test]
    fn each_vertex_finds_its_nearest_source_and_ties_go_to_the_lower() -> Result<(), MeshError> {
        let strand = rope(Vec3::ZERO, 8.0 * Vec3::X, 8)?;
        let paths = geodesic_distances(&strand.positions, &strand.edges(), &[8, 0])?;
        assert_eq!(paths.distances, [0.0, 1.0, 2.0, 3.0, 4.0, 3.0, 2.0, 1.0, 0.0]);
        assert_eq!(paths.nearest[..5], [Some(0); 5]);
        assert_eq!(paths.nearest[5..], [Some(8); 4]);
        Ok(())
    }

    #[test]
    fn distances_on_a_grid_are_those_of_its_streets() -> Result<(), MeshError> {
        let sheet = Sheet { width: 4.0, height: 3.0, columns: 4, rows: 3, ..Sheet::default() };
        let mesh = sheet.mesh()?;
        let paths = geodesic_distances(&mesh.positions, &sheet.structural_edges()?, &[sheet.vertex(0, 0)])?;
        for (column, row) in [(0, 0), (4, 0), (4, 3), (2, 1)] {
            let distance = paths.distances[sheet.vertex(column, row) as usize];
            assert!((distance - (column + row) as f64).abs() < 1e-14);
        }
        Ok(())
    }

    #[test]
    fn what_no_path_reaches_is_infinitely_far() -> Result<(), MeshError> {
        let paths = geodesic_distances(&[Vec3::ZERO, Vec3::X], &[], &[1])?;
        assert_eq!((paths.distances[0], paths.nearest[0]), (f64::INFINITY, None));
        Ok(())
    }

    #[test]
    fn sources_that_do_not_exist_are_named() {
        let error = geodesic_distances(&[Vec3::ZERO], &[], &[0, 5]);
        let expected = MeshError::IndexOutOfRange { kind: ElementKind::Source, element: 1, vertex: 5, count: 1 };
        assert_eq!(error, Err(expected));
        assert_eq!(geodesic_distances(&[Vec3::ZERO], &[], &[]), Err(MeshError::Empty { what: "sources" }));
    }
}
