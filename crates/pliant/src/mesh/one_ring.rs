//! The neighbours of each vertex in order around it.

use super::{Csr, MeshError, TriangleMesh};

/// The ordered neighbours of each vertex of a surface.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OneRings {
    /// The neighbours of each vertex, counter-clockwise as seen from the side of the normal. An open fan runs from rim
    /// to rim; a closed ring starts at its lowest vertex. A vertex without triangles has an empty ring.
    pub neighbours: Csr,
    /// For each vertex whether its last neighbour is joined to its first by a triangle.
    pub closed: Vec<bool>,
}

impl TriangleMesh {
    /// The ordered neighbours of every vertex; needs a manifold.
    ///
    /// ```
    /// use pliant::mesh::generate::Sheet;
    ///
    /// let mesh = Sheet { columns: 2, rows: 2, ..Sheet::default() }.mesh()?;
    /// let rings = mesh.one_rings()?;
    /// assert_eq!(rings.neighbours.row(4), &[0, 1, 5, 8, 7, 3]);
    /// assert!(rings.closed[4]);
    /// assert_eq!(rings.neighbours.row(0), &[1, 4, 3]);
    /// assert!(!rings.closed[0]);
    /// # Ok::<(), pliant::mesh::MeshError>(())
    /// ```
    pub fn one_rings(&self) -> Result<OneRings, MeshError> {
        self.check_manifold()?;
        let mut neighbours = Csr::default();
        let mut closed = Vec::with_capacity(self.positions.len());
        let mut ring = Vec::new();
        for (vertex, triangles) in self.vertex_triangles().rows().enumerate() {
            let vertex = vertex as u32;
            // Around the vertex, each triangle leads from one neighbour to the next.
            let mut steps: Vec<[u32; 2]> = triangles.iter().map(|&triangle| self.step(triangle, vertex)).collect();
            steps.sort_unstable();
            closed.push(walk(&steps, &mut ring));
            let reached = ring.len().saturating_sub(usize::from(!closed[vertex as usize]));
            if reached != steps.len() {
                return Err(MeshError::NonManifoldVertex { vertex, reached, triangles: steps.len() });
            }
            neighbours.push_row(&ring);
        }
        Ok(OneRings { neighbours, closed })
    }

    /// The two other corners of the triangle, in its winding.
    fn step(&self, triangle: u32, vertex: u32) -> [u32; 2] {
        let [a, b, c] = self.triangles[triangle as usize];
        if a == vertex {
            [b, c]
        } else if b == vertex {
            [c, a]
        } else {
            [a, b]
        }
    }
}

/// Follows the steps (sorted by where they start) from the rim, or from the lowest vertex; whether the ring closes.
fn walk(steps: &[[u32; 2]], ring: &mut Vec<u32>) -> bool {
    ring.clear();
    let Some(&[lowest, _]) = steps.first() else { return false };
    let rim = steps.iter().find(|[from, _]| !steps.iter().any(|[_, to]| to == from));
    let start = rim.map_or(lowest, |step| step[0]);
    let mut at = start;
    loop {
        ring.push(at);
        let Ok(step) = steps.binary_search_by_key(&at, |step| step[0]) else { return false };
        at = steps[step][1];
        if at == start {
            return true;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Vec3;
    use crate::mesh::generate::{Disc, Icosphere, Sheet};
    use crate::mesh::triangle_area_vector;

    #[test]
    fn rings_of_a_sphere_close_and_turn_counter_clockwise() -> Result<(), MeshError> {
        let mesh = Icosphere { radius: 1.0, subdivisions: 2 }.mesh()?;
        let rings = mesh.one_rings()?;
        for (vertex, ring) in rings.neighbours.rows().enumerate() {
            assert!(rings.closed[vertex]);
            assert_eq!(ring.len(), if vertex < 12 { 5 } else { 6 });
            assert_eq!(ring.iter().min(), ring.first());
            for i in 0..ring.len() {
                let corners = [vertex as u32, ring[i], ring[(i + 1) % ring.len()]];
                let corners = corners.map(|vertex| mesh.positions[vertex as usize]);
                assert!(triangle_area_vector(corners).dot(corners[0]) > 0.0);
            }
        }
        Ok(())
    }

    #[test]
    fn open_fans_run_from_rim_to_rim() -> Result<(), MeshError> {
        let mesh = Sheet { columns: 5, rows: 4, ..Sheet::default() }.mesh()?;
        let (rings, rim) = (mesh.one_rings()?, mesh.boundary_vertices());
        let around = mesh.vertex_triangles();
        for (vertex, ring) in rings.neighbours.rows().enumerate() {
            assert_eq!(rings.closed[vertex], !rim[vertex]);
            let triangles = around.row(vertex).len();
            assert_eq!(ring.len(), triangles + usize::from(rim[vertex]));
            if rim[vertex] {
                assert!(rim[ring[0] as usize] && rim[ring[ring.len() - 1] as usize]);
            }
        }
        Ok(())
    }

    #[test]
    fn the_centre_of_a_disc_sees_its_sectors() -> Result<(), MeshError> {
        let mesh = Disc { sectors: 7, rings: 3, ..Disc::default() }.mesh()?;
        assert_eq!(mesh.one_rings()?.neighbours.row(0), &[1, 2, 3, 4, 5, 6, 7]);
        Ok(())
    }

    #[test]
    fn two_fans_in_one_vertex_are_no_manifold() -> Result<(), MeshError> {
        let tip_to_tip =
            TriangleMesh::new(vec![Vec3::ZERO, Vec3::X, Vec3::Y, -Vec3::X, -Vec3::Y], vec![[0, 1, 2], [0, 3, 4]])?;
        let error = MeshError::NonManifoldVertex { vertex: 0, reached: 1, triangles: 2 };
        assert_eq!(tip_to_tip.one_rings(), Err(error));
        Ok(())
    }

    #[test]
    fn an_unused_vertex_has_an_empty_ring() -> Result<(), MeshError> {
        let positions = vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
        let rings = TriangleMesh::new(positions, vec![[0, 1, 2]])?.one_rings()?;
        assert_eq!(rings.neighbours.row(3), &[0u32; 0]);
        assert!(!rings.closed[3]);
        Ok(())
    }
}
