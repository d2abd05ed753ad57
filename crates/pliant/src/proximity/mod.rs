//! Proximity queries: the surfaces of a world as vertices, edges and triangles, and the pairs of them that may collide.
//!
//! When two surfaces begin to intersect, the first contact is between a vertex and a triangle or between two edges. So
//! all queries are about such pairs of two convex sides: [`Primitives`] lists the sides, [`Candidates`] finds pairs
//! with overlapping swept boxes, [`Closest`] measures a pair, [`time_of_impact`] follows its motion, and
//! [`intersections`] checks the result with exact predicates.

mod boxes;
mod candidates;
mod closest;
mod continuous;
mod distance;
mod intersections;
mod neighbourhood;
mod primitives;
pub(crate) mod slab;
mod tree;

pub use candidates::Candidates;
pub use closest::{Closest, closest_edge_edge, closest_vertex_triangle};
pub use continuous::time_of_impact;
pub use distance::least_distance;
pub use intersections::{Intersection, intersections};
pub(crate) use neighbourhood::Neighbourhood;
pub use primitives::{Part, Primitives};

use crate::math::Vec3;

/// A vertex and a triangle, or two edges, that have no vertex in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Pair {
    /// The vertex, and the triangle among [`Primitives::triangles`].
    VertexTriangle(u32, u32),
    /// Two edges among [`Primitives::edges`], the lower number first.
    EdgeEdge(u32, u32),
}

impl Pair {
    /// The four vertices, those of the first side first.
    pub fn vertices(self, primitives: &Primitives) -> [u32; 4] {
        match self {
            Self::VertexTriangle(vertex, triangle) => {
                let [a, b, c] = primitives.triangles()[triangle as usize];
                [vertex, a, b, c]
            }
            Self::EdgeEdge(first, second) => {
                let ([a, b], [c, d]) = (primitives.edges()[first as usize], primitives.edges()[second as usize]);
                [a, b, c, d]
            }
        }
    }

    /// Number of vertices on the first side.
    pub fn first_side(self) -> usize {
        match self {
            Self::VertexTriangle(..) => 1,
            Self::EdgeEdge(..) => 2,
        }
    }

    /// The closest points of its sides, for the positions of its four vertices.
    pub fn closest(self, corners: &[Vec3; 4]) -> Closest {
        let &[a, b, c, d] = corners;
        match self {
            Self::VertexTriangle(..) => closest_vertex_triangle(a, [b, c, d]),
            Self::EdgeEdge(..) => closest_edge_edge([a, b], [c, d]),
        }
    }
}

/// The positions of four vertices.
pub(crate) fn corners(x: &[Vec3], vertices: [u32; 4]) -> [Vec3; 4] {
    vertices.map(|v| x[v as usize])
}

#[cfg(test)]
mod tests_support {
    use super::{Part, Primitives};
    use crate::math::Vec3;
    use crate::mesh::generate::Sheet;

    /// Points that fill the unit cube evenly, the same on every machine.
    pub(super) fn scattered(count: usize) -> impl Iterator<Item = Vec3> {
        (1..=count).map(|i| (Vec3::new(0.8191725, 0.6710436, 0.5497005) * i as f64).fract())
    }

    /// A square of cloth with its positions.
    pub(super) fn flat(cells: usize) -> (Primitives, Vec<Vec3>) {
        let mesh = Sheet { columns: cells, rows: cells, ..Sheet::default() }.mesh().expect("a sheet");
        let (vertices, surface) = (0..mesh.positions.len(), &mesh.triangles[..]);
        let body =
            Part { vertices, surface, segments: &[], collides_with_itself: true, welded: &[], has_particles: false };
        (Primitives::new([body]), mesh.positions)
    }

    /// The same, thrown into a corner.
    pub(super) fn crumpled(cells: usize) -> (Primitives, Vec<Vec3>) {
        let (primitives, positions) = flat(cells);
        let scattered = scattered(positions.len()).map(|p| 0.4 * p);
        let x = positions.iter().zip(scattered).map(|(p, q)| 0.4 * *p + q).collect();
        (primitives, x)
    }
}
