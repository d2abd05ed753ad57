//! Which vertices are neighbours: edges, hinges, rims, connected pieces.
//!
//! ```text
//!        c              hinge [a, b, c, d]: the first triangle runs a → b → c,
//!      ╱   ╲            so that c lies to the left of a → b
//!    a ───▶ b           and d to the right
//!      ╲   ╱
//!        d
//! ```

use std::collections::HashSet;

use super::{Csr, MeshError, StrandSet, TetMesh, TriangleMesh};

/// An undirected edge, lower vertex first.
pub type Edge = [u32; 2];

/// Two triangles that share an edge: [edge start, edge end, opposite vertex left, opposite vertex right].
pub type Hinge = [u32; 4];

/// One side of a triangle.
#[derive(Clone, Copy, Debug)]
pub(super) struct HalfEdge {
    /// The side without its direction.
    pub(super) edge: Edge,
    pub(super) triangle: u32,
    /// Which of the triangle's corners does not lie on the side.
    pub(super) opposite_corner: usize,
}

/// Connected pieces, numbered by their lowest vertex.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Components {
    /// The piece each vertex belongs to.
    pub labels: Vec<u32>,
    /// The number of pieces; a vertex without edges is a separate piece.
    pub count: usize,
}

/// The pieces that are connected by edges.
///
/// ```
/// use pliant::mesh::connected_components;
///
/// let pieces = connected_components(5, &[[0, 3], [1, 2]]);
/// assert_eq!(pieces.count, 3);
/// assert_eq!(pieces.labels, [0, 1, 1, 0, 2]);
/// ```
///
/// # Panics
/// If an edge has a vertex that is not below `vertex_count`.
pub fn connected_components(vertex_count: usize, edges: &[Edge]) -> Components {
    // Union by lowest vertex: every root is the lowest vertex of its piece.
    let mut parents: Vec<u32> = (0..vertex_count).map(|vertex| vertex as u32).collect();
    for &[a, b] in edges {
        let (a, b) = (root(&mut parents, a), root(&mut parents, b));
        parents[a.max(b) as usize] = a.min(b);
    }
    let mut labels = vec![0; vertex_count];
    let mut count = 0;
    for vertex in 0..vertex_count {
        let root = root(&mut parents, vertex as u32) as usize;
        labels[vertex] = if root == vertex {
            count += 1;
            count as u32 - 1
        } else {
            labels[root]
        };
    }
    Components { labels, count }
}

/// The lowest vertex of the piece, halving the path on the way.
fn root(parents: &mut [u32], mut vertex: u32) -> u32 {
    while parents[vertex as usize] != vertex {
        parents[vertex as usize] = parents[parents[vertex as usize] as usize];
        vertex = parents[vertex as usize];
    }
    vertex
}

/// Unique edges, ascending.
fn unique(edges: impl Iterator<Item = [u32; 2]>) -> Vec<Edge> {
    let mut edges: Vec<Edge> = edges.map(|[a, b]| [a.min(b), a.max(b)]).collect();
    edges.sort_unstable();
    edges.dedup();
    edges
}

/// How many edges of a surface have no triangle on their other side: none if it is closed.
pub(crate) fn open_edges(triangles: &[[u32; 3]]) -> usize {
    let edges = |t: &[u32; 3]| [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]];
    let all: HashSet<[u32; 2]> = triangles.iter().flat_map(edges).collect();
    all.iter().filter(|[a, b]| !all.contains(&[*b, *a])).count()
}

impl TriangleMesh {
    /// All sides of all triangles, sorted by edge and then by triangle.
    pub(super) fn half_edges(&self) -> Vec<HalfEdge> {
        let mut half_edges: Vec<HalfEdge> = Vec::with_capacity(3 * self.triangles.len());
        for (triangle, vertices) in self.triangles.iter().enumerate() {
            for corner in 0..3 {
                let (a, b) = (vertices[(corner + 1) % 3], vertices[(corner + 2) % 3]);
                let edge = [a.min(b), a.max(b)];
                half_edges.push(HalfEdge { edge, triangle: triangle as u32, opposite_corner: corner });
            }
        }
        half_edges.sort_unstable_by_key(|half| (half.edge, half.triangle));
        half_edges
    }

    /// A side in the direction in which its triangle runs along it.
    fn directed(&self, half: &HalfEdge) -> [u32; 2] {
        let vertices = self.triangles[half.triangle as usize];
        [vertices[(half.opposite_corner + 1) % 3], vertices[(half.opposite_corner + 2) % 3]]
    }

    fn opposite(&self, half: &HalfEdge) -> u32 {
        self.triangles[half.triangle as usize][half.opposite_corner]
    }

    /// The undirected edges, each once, ascending.
    ///
    /// ```
    /// use pliant::mesh::generate::Sheet;
    ///
    /// let mesh = Sheet { columns: 1, rows: 1, ..Sheet::default() }.mesh()?;
    /// assert_eq!(mesh.edges(), [[0, 1], [0, 2], [0, 3], [1, 3], [2, 3]]);
    /// # Ok::<(), pliant::mesh::MeshError>(())
    /// ```
    pub fn edges(&self) -> Vec<Edge> {
        unique(self.triangles.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]))
    }

    /// The edges that only one triangle has, ascending, each in the direction in which that triangle runs along it.
    pub fn boundary_edges(&self) -> Vec<[u32; 2]> {
        self.half_edges()
            .chunk_by(|a, b| a.edge == b.edge)
            .filter(|sharing| sharing.len() == 1)
            .map(|sharing| self.directed(&sharing[0]))
            .collect()
    }

    /// For each vertex whether it lies on the rim.
    pub fn boundary_vertices(&self) -> Vec<bool> {
        let mut on_rim = vec![false; self.positions.len()];
        for vertex in self.boundary_edges().into_iter().flatten() {
            on_rim[vertex as usize] = true;
        }
        on_rim
    }

    /// A hinge [a, b, c, d] for each edge inside the surface, ascending by edge: the first of the two triangles runs
    /// a → b → c, the second b → a → d.
    ///
    /// ```
    /// use pliant::mesh::generate::Sheet;
    ///
    /// let mesh = Sheet { columns: 1, rows: 1, ..Sheet::default() }.mesh()?;
    /// assert_eq!(mesh.triangles, [[0, 1, 3], [0, 3, 2]]);
    /// assert_eq!(mesh.hinges()?, [[3, 0, 1, 2]]);
    /// # Ok::<(), pliant::mesh::MeshError>(())
    /// ```
    pub fn hinges(&self) -> Result<Vec<Hinge>, MeshError> {
        let mut hinges = Vec::new();
        for sharing in self.half_edges().chunk_by(|a, b| a.edge == b.edge) {
            if let [first, second] = self.manifold(sharing)? {
                let [a, b] = self.directed(first);
                hinges.push([a, b, self.opposite(first), self.opposite(second)]);
            }
        }
        Ok(hinges)
    }

    /// Checks that at most two triangles meet in each edge, and that neighbours are wound consistently.
    pub fn check_manifold(&self) -> Result<(), MeshError> {
        for sharing in self.half_edges().chunk_by(|a, b| a.edge == b.edge) {
            self.manifold(sharing)?;
        }
        Ok(())
    }

    /// Checks that the surface is a manifold without a rim.
    pub fn check_closed(&self) -> Result<(), MeshError> {
        for sharing in self.half_edges().chunk_by(|a, b| a.edge == b.edge) {
            if let [only] = self.manifold(sharing)? {
                let [a, b] = self.directed(only);
                return Err(MeshError::OpenSurface { a, b, triangle: only.triangle as usize });
            }
        }
        Ok(())
    }

    /// The triangles at one edge, if they are at most two and wound alike.
    fn manifold<'a>(&self, sharing: &'a [HalfEdge]) -> Result<&'a [HalfEdge], MeshError> {
        match sharing {
            [first, second] if self.directed(first) == self.directed(second) => {
                let [a, b] = self.directed(first);
                let (first, second) = (first.triangle as usize, second.triangle as usize);
                Err(MeshError::InconsistentWinding { a, b, first, second })
            }
            [first, _, _, ..] => {
                let [a, b] = first.edge;
                Err(MeshError::NonManifoldEdge { a, b, triangles: sharing.len() })
            }
            _ => Ok(sharing),
        }
    }

    /// The triangles around each vertex, ascending.
    pub fn vertex_triangles(&self) -> Csr {
        let pairs = self.triangles.iter().enumerate();
        Csr::from_pairs(
            self.positions.len(),
            pairs.flat_map(|(triangle, vertices)| vertices.iter().map(move |&vertex| (vertex, triangle as u32))),
        )
    }

    /// The connected pieces of the surface.
    pub fn components(&self) -> Components {
        connected_components(self.positions.len(), &self.edges())
    }
}

impl TetMesh {
    /// The undirected edges, each once, ascending.
    pub fn edges(&self) -> Vec<Edge> {
        unique(self.tets.iter().flat_map(|&[a, b, c, d]| [[a, b], [a, c], [a, d], [b, c], [b, d], [c, d]]))
    }

    /// The tets around each vertex, ascending.
    pub fn vertex_tets(&self) -> Csr {
        let pairs = self.tets.iter().enumerate();
        Csr::from_pairs(
            self.positions.len(),
            pairs.flat_map(|(tet, vertices)| vertices.iter().map(move |&vertex| (vertex, tet as u32))),
        )
    }

    /// The connected pieces of the solid.
    pub fn components(&self) -> Components {
        connected_components(self.positions.len(), &self.edges())
    }
}

impl StrandSet {
    /// The undirected edges, each once, ascending.
    pub fn edges(&self) -> Vec<Edge> {
        unique(self.segments())
    }

    /// The connected pieces: strands that share a vertex belong together.
    pub fn components(&self) -> Components {
        connected_components(self.positions.len(), &self.edges())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Vec3;
    use crate::mesh::generate::{Cylinder, Icosphere, Sheet, TetBox};
    use crate::mesh::triangle_area_vector;

    /// Five points in general position.
    fn points() -> Vec<Vec3> {
        vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::new(1.0, -1.0, 0.0), Vec3::Z]
    }

    #[test]
    fn every_inner_edge_of_a_sheet_is_a_hinge() -> Result<(), MeshError> {
        let mesh = Sheet { columns: 7, rows: 5, ..Sheet::default() }.mesh()?;
        let (edges, rim) = (mesh.edges().len(), mesh.boundary_edges().len());
        assert_eq!(edges, 8 * 5 + 7 * 6 + 7 * 5);
        assert_eq!(rim, 2 * (7 + 5));
        assert_eq!(mesh.hinges()?.len(), edges - rim);
        assert_eq!(mesh.boundary_vertices().iter().filter(|&&rim| rim).count(), rim);
        Ok(())
    }

    #[test]
    fn hinges_have_their_first_opposite_vertex_on_the_left() -> Result<(), MeshError> {
        let mesh = Icosphere { radius: 1.0, subdivisions: 1 }.mesh()?;
        let hinges = mesh.hinges()?;
        assert_eq!(hinges.len(), 120);
        for [a, b, c, d] in hinges {
            let [a, b, c, d] = [a, b, c, d].map(|vertex| mesh.positions[vertex as usize]);
            // Outward normals: c on the left of a → b, d on its right.
            assert!(triangle_area_vector([a, b, c]).dot(a) > 0.0);
            assert!(triangle_area_vector([b, a, d]).dot(a) > 0.0);
        }
        Ok(())
    }

    #[test]
    fn three_triangles_on_an_edge_are_no_manifold() -> Result<(), MeshError> {
        let mesh = TriangleMesh::new(points(), vec![[0, 1, 2], [1, 0, 3], [0, 1, 4]])?;
        let error = MeshError::NonManifoldEdge { a: 0, b: 1, triangles: 3 };
        assert_eq!(mesh.hinges(), Err(error.clone()));
        assert_eq!(mesh.check_closed(), Err(error));
        assert_eq!(mesh.boundary_edges().len(), 6, "rims are defined without a manifold");
        Ok(())
    }

    #[test]
    fn neighbours_wound_differently_are_named() -> Result<(), MeshError> {
        let mesh = TriangleMesh::new(points(), vec![[0, 1, 2], [0, 1, 3]])?;
        let error = MeshError::InconsistentWinding { a: 0, b: 1, first: 0, second: 1 };
        assert_eq!(mesh.check_manifold(), Err(error));
        Ok(())
    }

    #[test]
    fn the_rim_of_an_open_cylinder_is_two_directed_loops() -> Result<(), MeshError> {
        let mesh = Cylinder { segments: 9, rings: 4, ..Cylinder::default() }.mesh()?;
        let rim = mesh.boundary_edges();
        assert_eq!(rim.len(), 18);
        // Along a directed loop every vertex is left once and entered once.
        let mut starts: Vec<u32> = rim.iter().map(|edge| edge[0]).collect();
        let mut ends: Vec<u32> = rim.iter().map(|edge| edge[1]).collect();
        starts.sort_unstable();
        ends.sort_unstable();
        assert_eq!(starts, ends);
        assert_eq!(mesh.check_manifold(), Ok(()));
        Ok(())
    }

    #[test]
    fn pieces_are_counted_and_numbered_by_their_lowest_vertex() -> Result<(), MeshError> {
        let mut mesh = Sheet { columns: 2, rows: 2, ..Sheet::default() }.mesh()?;
        assert_eq!(mesh.components().count, 1);
        mesh.append(&mesh.clone())?;
        let pieces = mesh.components();
        assert_eq!(pieces.count, 2);
        assert_eq!(pieces.labels, [[0; 9], [1; 9]].concat());
        assert_eq!(connected_components(4, &[[2, 3], [1, 2]]).labels, [0, 1, 1, 1]);
        Ok(())
    }

    #[test]
    fn incidence_lists_each_corner_once() -> Result<(), MeshError> {
        let mesh = Icosphere { radius: 1.0, subdivisions: 1 }.mesh()?;
        let around = mesh.vertex_triangles();
        assert_eq!(around.items().len(), 3 * mesh.triangles.len());
        for (vertex, triangles) in around.rows().enumerate() {
            assert_eq!(triangles.len(), if vertex < 12 { 5 } else { 6 });
            assert!(triangles.iter().all(|&t| mesh.triangles[t as usize].contains(&(vertex as u32))));
        }
        let solid = TetBox::default().mesh()?;
        assert_eq!(solid.vertex_tets().items().len(), 4 * solid.tets.len());
        assert_eq!(solid.components().count, 1);
        Ok(())
    }
}
