//! The cotangent Laplacian and the mixed Voronoi areas around vertices.
//!
//! Δx(v) = Σⱼ cⱼ (xⱼ − x_v), cⱼ = (cot αⱼ + cot βⱼ)/(2A), over the neighbours j of v, with αⱼ and βⱼ the angles opposite to
//! edge v j and A the area around v [Meyer 2003, eq. 8]. Its length is twice the mean of the principal curvatures: 1/r on a
//! cylinder, 2/r on a sphere of radius r.
//!
//! A is the mixed Voronoi area [Meyer 2003, fig. 4]: the circumcentric share of each triangle, except that an obtuse triangle,
//! whose circumcentre lies outside, gives half its area to the obtuse corner and a quarter to the others. So the areas are
//! positive and add up to the area of the mesh.

use super::{Csr, Edge, MeshError, TriangleMesh, triangle_area};
use crate::math::Vec3;

/// The cotangent Laplacian of a surface, row by row.
#[derive(Clone, Debug, PartialEq)]
pub struct Laplacian {
    /// The neighbours of each vertex, ascending.
    pub neighbours: Csr,
    /// One coefficient \[1/m²\] for each item of `neighbours`; the vertex itself has minus the sum of its row.
    pub coefficients: Vec<f64>,
    /// The mixed Voronoi area around each vertex \[m²\].
    pub areas: Vec<f64>,
}

impl Laplacian {
    /// The neighbours of a vertex and their coefficients \[1/m²\].
    ///
    /// # Panics
    /// If there is no such vertex.
    pub fn row(&self, vertex: usize) -> (&[u32], &[f64]) {
        (self.neighbours.row(vertex), &self.coefficients[self.neighbours.range(vertex)])
    }

    /// Δx at a vertex \[1/m\]; on the rim it includes the curvature of the rim itself and does not vanish on a flat sheet.
    ///
    /// # Panics
    /// If there is no such vertex, or fewer positions than vertices.
    pub fn apply(&self, vertex: usize, positions: &[Vec3]) -> Vec3 {
        let (neighbours, coefficients) = self.row(vertex);
        let differences = neighbours.iter().map(|&other| positions[other as usize] - positions[vertex]);
        differences.zip(coefficients).map(|(difference, &coefficient)| coefficient * difference).sum()
    }
}

impl TriangleMesh {
    /// The cotangent Laplacian at every vertex. Degenerate triangles are an error.
    ///
    /// ```
    /// use pliant::mesh::generate::Icosphere;
    ///
    /// let sphere = Icosphere { radius: 0.5, subdivisions: 4 }.mesh()?;
    /// let curvature = sphere.laplacian()?.apply(0, &sphere.positions).length();
    /// assert!((curvature - 2.0 / 0.5).abs() < 0.02);
    /// # Ok::<(), pliant::mesh::MeshError>(())
    /// ```
    pub fn laplacian(&self) -> Result<Laplacian, MeshError> {
        let (edges, weights) = (self.edges(), self.cotangent_weights()?);
        let areas = self.voronoi_areas()?;
        // Edges ascend, so every vertex gets first its lower neighbours in order and then its higher ones.
        let pairs = edges.iter().enumerate();
        let by_edge = Csr::from_pairs(
            self.positions.len(),
            pairs.flat_map(|(index, &[a, b])| [(a, index as u32), (b, index as u32)]),
        );
        let mut neighbours = Csr::default();
        let mut coefficients = Vec::with_capacity(2 * edges.len());
        for (vertex, around) in by_edge.rows().enumerate() {
            let others: Vec<u32> = around.iter().map(|&edge| other_end(edges[edge as usize], vertex as u32)).collect();
            neighbours.push_row(&others);
            coefficients.extend(around.iter().map(|&edge| weights[edge as usize] / areas[vertex]));
        }
        Ok(Laplacian { neighbours, coefficients, areas })
    }

    /// The mixed Voronoi area around each vertex \[m²\]; zero if there is no triangle. Degenerate triangles are an error.
    pub fn voronoi_areas(&self) -> Result<Vec<f64>, MeshError> {
        let cotangents = self.corner_cotangents()?;
        let mut areas = vec![0.0; self.positions.len()];
        for (triangle, vertices) in self.triangles.iter().enumerate() {
            let shares = voronoi_shares(self.corners(triangle), cotangents[triangle]);
            for (&vertex, share) in vertices.iter().zip(shares) {
                areas[vertex as usize] += share;
            }
        }
        Ok(areas)
    }
}

fn other_end([a, b]: Edge, end: u32) -> u32 {
    if a == end { b } else { a }
}

/// How much of a triangle belongs to each corner \[m²\].
fn voronoi_shares(corners: [Vec3; 3], cotangents: [f64; 3]) -> [f64; 3] {
    if let Some(obtuse) = cotangents.iter().position(|&cotangent| cotangent < 0.0) {
        let area = triangle_area(corners);
        return [0, 1, 2].map(|corner| if corner == obtuse { 0.5 * area } else { 0.25 * area });
    }
    [0, 1, 2].map(|corner| {
        let (next, last) = ((corner + 1) % 3, (corner + 2) % 3);
        // Each edge at this corner, times the cotangent of the angle opposite to it.
        let to_next = corners[corner].distance_squared(corners[next]) * cotangents[last];
        let to_last = corners[corner].distance_squared(corners[last]) * cotangents[next];
        (to_next + to_last) / 8.0
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::assert_close;
    use crate::mesh::generate::{Cylinder, Diagonals, Icosphere, Lattice, Sheet, Spacing};

    #[test]
    fn voronoi_areas_add_up_to_the_whole_even_with_obtuse_triangles() -> Result<(), MeshError> {
        let mut sheet = Sheet { columns: 9, rows: 6, diagonals: Diagonals::Alternating, ..Sheet::default() };
        sheet.column_spacing = Spacing::Graded { ratio: 8.0 };
        let mut mesh = sheet.mesh()?;
        // A shear makes most triangles obtuse.
        for position in &mut mesh.positions {
            position.x += 1.7 * position.y;
        }
        let cotangents = mesh.corner_cotangents()?;
        assert!(cotangents.iter().flatten().filter(|&&cotangent| cotangent < 0.0).count() > 50);
        let areas = mesh.voronoi_areas()?;
        assert!(areas.iter().all(|&area| area > 0.0));
        assert_close(areas.iter().sum(), mesh.area(), 1e-13);
        Ok(())
    }

    #[test]
    fn an_obtuse_corner_owns_half_its_triangle() {
        let corners = [Vec3::ZERO, Vec3::X, Vec3::new(-0.5, 0.5, 0.0)];
        let shares = voronoi_shares(corners, [-1.0, 3.0, 2.0]);
        assert_eq!(shares, [0.125, 0.0625, 0.0625]);
    }

    #[test]
    fn a_cylinder_bends_by_one_over_its_radius_away_from_the_rim() -> Result<(), MeshError> {
        for lattice in [Lattice::Plain, Lattice::Staggered] {
            let (radius, segments) = (0.3, 96);
            let cylinder = Cylinder { radius, height: 0.4, segments, rings: 20, lattice, ..Cylinder::default() };
            let mesh = cylinder.mesh()?;
            let (laplacian, rim) = (mesh.laplacian()?, mesh.boundary_vertices());
            for vertex in (0..rim.len()).filter(|&vertex| !rim[vertex]) {
                let bend = laplacian.apply(vertex, &mesh.positions);
                assert_close(bend.length(), 1.0 / radius, 2e-3);
                let inward = -Vec3::new(mesh.positions[vertex].x, 0.0, mesh.positions[vertex].z).normalize();
                assert_close(bend.normalize().dot(inward), 1.0, 1e-6);
            }
        }
        Ok(())
    }

    #[test]
    fn a_sphere_bends_by_two_over_its_radius() -> Result<(), MeshError> {
        let radius = 2.5;
        let mesh = Icosphere { radius, subdivisions: 4 }.mesh()?;
        let laplacian = mesh.laplacian()?;
        for vertex in 0..mesh.positions.len() {
            assert_close(laplacian.apply(vertex, &mesh.positions).length(), 2.0 / radius, 1e-2);
        }
        Ok(())
    }

    #[test]
    fn linear_functions_on_a_flat_irregular_sheet_have_no_laplacian_inside() -> Result<(), MeshError> {
        let graded = Spacing::Graded { ratio: 20.0 };
        let sheet = Sheet { columns: 8, rows: 8, column_spacing: graded, row_spacing: graded, ..Sheet::default() };
        let mesh = sheet.mesh()?;
        let (laplacian, rim) = (mesh.laplacian()?, mesh.boundary_vertices());
        for vertex in (0..rim.len()).filter(|&vertex| !rim[vertex]) {
            assert!(laplacian.row(vertex).0.is_sorted());
            let scale: f64 = laplacian.row(vertex).1.iter().map(|c| c.abs()).sum();
            assert!(laplacian.apply(vertex, &mesh.positions).length() < 1e-14 * scale);
        }
        Ok(())
    }
}
