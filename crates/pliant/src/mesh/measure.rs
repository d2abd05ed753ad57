//! Lengths, areas, volumes, normals and cotangents.
//!
//! Element quality is 1 for the regular element and 0 for a flat one, free of units:
//! triangle 4√3·area/Σe² over its three edges e; tet √2·6V/e³ over its longest edge e.

use super::{Edge, MeshError, StrandSet, TetMesh, TriangleMesh};
use crate::math::Vec3;

/// Elements below this quality are refused. A needle of aspect 1:10⁵ still passes; below, edge vectors in double precision
/// leave the inverse of the rest shape too few digits for stable stiffness.
pub(super) const MIN_QUALITY: f64 = 1e-6;

/// The normal of a triangle with its area as length \[m²\]: half the cross product of two edges.
pub fn triangle_area_vector([a, b, c]: [Vec3; 3]) -> Vec3 {
    0.5 * (b - a).cross(c - a)
}

/// The area of a triangle \[m²\].
///
/// ```
/// use pliant::{math::Vec3, mesh::triangle_area};
/// assert_eq!(triangle_area([Vec3::ZERO, 2.0 * Vec3::X, Vec3::Y]), 1.0);
/// ```
pub fn triangle_area(corners: [Vec3; 3]) -> f64 {
    triangle_area_vector(corners).length()
}

/// The unit normal of a triangle, on the side from which it runs counter-clockwise; zero if it has no area.
pub fn triangle_normal(corners: [Vec3; 3]) -> Vec3 {
    triangle_area_vector(corners).normalize_or_zero()
}

/// How close a triangle is to equilateral: 4√3·area/Σe², 1 at best, 0 when flat.
pub fn triangle_quality([a, b, c]: [Vec3; 3]) -> f64 {
    let edges = a.distance_squared(b) + b.distance_squared(c) + c.distance_squared(a);
    if edges > 0.0 { 4.0 * 3f64.sqrt() * triangle_area([a, b, c]) / edges } else { 0.0 }
}

/// The signed volume of a tet \[m³\], positive when (b−a)×(c−a) points towards d.
///
/// ```
/// use pliant::{math::Vec3, mesh::tet_volume};
/// assert_eq!(tet_volume([Vec3::ZERO, Vec3::X, Vec3::Y, 6.0 * Vec3::Z]), 1.0);
/// ```
pub fn tet_volume([a, b, c, d]: [Vec3; 4]) -> f64 {
    (b - a).cross(c - a).dot(d - a) / 6.0
}

/// How close a tet is to regular: √2·6V/e³ over its longest edge e, 1 at best, 0 when flat, negative when inverted.
pub fn tet_quality([a, b, c, d]: [Vec3; 4]) -> f64 {
    let pairs = [(a, b), (a, c), (a, d), (b, c), (b, d), (c, d)];
    let longest = pairs.iter().map(|(p, q)| p.distance(*q)).fold(0.0, f64::max);
    if longest > 0.0 { 2f64.sqrt() * 6.0 * tet_volume([a, b, c, d]) / longest.powi(3) } else { 0.0 }
}

/// The length of each edge \[m\].
///
/// # Panics
/// If an edge has a vertex without a position.
pub fn edge_lengths(positions: &[Vec3], edges: &[Edge]) -> Vec<f64> {
    edges.iter().map(|&[a, b]| positions[a as usize].distance(positions[b as usize])).collect()
}

impl TriangleMesh {
    /// The area of each triangle \[m²\].
    pub fn triangle_areas(&self) -> Vec<f64> {
        (0..self.triangles.len()).map(|triangle| triangle_area(self.corners(triangle))).collect()
    }

    /// The area of all triangles together \[m²\].
    pub fn area(&self) -> f64 {
        (0..self.triangles.len()).map(|triangle| triangle_area(self.corners(triangle))).sum()
    }

    /// The volume inside a closed surface \[m³\], positive when its normals point outwards.
    ///
    /// ```
    /// use pliant::mesh::generate::Icosphere;
    ///
    /// let sphere = Icosphere { radius: 1.0, subdivisions: 4 }.mesh()?;
    /// assert!((sphere.volume()? / (4.0 / 3.0 * std::f64::consts::PI) - 1.0).abs() < 0.01);
    /// # Ok::<(), pliant::mesh::MeshError>(())
    /// ```
    pub fn volume(&self) -> Result<f64, MeshError> {
        self.check_closed()?;
        // The sum is the same about any point; about a near one it loses no digits to the offset.
        let origin = self.positions.first().copied().unwrap_or_default();
        let sum = (0..self.triangles.len()).map(|triangle| {
            let [a, b, c] = self.corners(triangle);
            tet_volume([origin, a, b, c])
        });
        Ok(sum.sum())
    }

    /// The unit normal at each vertex, neighbouring triangles weighted by area; zero where there is none.
    pub fn vertex_normals(&self) -> Vec<Vec3> {
        let mut normals = vec![Vec3::ZERO; self.positions.len()];
        for (triangle, vertices) in self.triangles.iter().enumerate() {
            let area_vector = triangle_area_vector(self.corners(triangle));
            for &vertex in vertices {
                normals[vertex as usize] += area_vector;
            }
        }
        for normal in &mut normals {
            *normal = normal.normalize_or_zero();
        }
        normals
    }

    /// The cotangent of the angle at each corner. A degenerate triangle has none and is an error.
    pub fn corner_cotangents(&self) -> Result<Vec<[f64; 3]>, MeshError> {
        self.check_quality()?;
        Ok((0..self.triangles.len()).map(|triangle| cotangents(self.corners(triangle))).collect())
    }

    /// For each edge of [`edges`](Self::edges), (cot α + cot β)/2 over the angles opposite to it; one of them on a rim.
    pub fn cotangent_weights(&self) -> Result<Vec<f64>, MeshError> {
        let cotangents = self.corner_cotangents()?;
        let half_edges = self.half_edges();
        Ok(half_edges
            .chunk_by(|a, b| a.edge == b.edge)
            .map(|sharing| {
                sharing.iter().map(|half| 0.5 * cotangents[half.triangle as usize][half.opposite_corner]).sum()
            })
            .collect())
    }
}

impl TetMesh {
    /// The signed volume of each tet \[m³\].
    pub fn tet_volumes(&self) -> Vec<f64> {
        (0..self.tets.len()).map(|tet| tet_volume(self.corners(tet))).collect()
    }

    /// The volume of all tets together \[m³\], inverted ones counted negative.
    pub fn volume(&self) -> f64 {
        (0..self.tets.len()).map(|tet| tet_volume(self.corners(tet))).sum()
    }
}

impl StrandSet {
    /// The length of each segment \[m\], in the order of [`segments`](Self::segments).
    pub fn segment_lengths(&self) -> Vec<f64> {
        self.segments().map(|[a, b]| self.positions[a as usize].distance(self.positions[b as usize])).collect()
    }

    /// The length of all strands together \[m\].
    pub fn length(&self) -> f64 {
        self.segment_lengths().iter().sum()
    }
}

/// The cotangents of a triangle's three angles: the dot over the cross product of the edges that meet there.
fn cotangents(corners: [Vec3; 3]) -> [f64; 3] {
    let twice_area = 2.0 * triangle_area(corners);
    [0, 1, 2].map(|i| {
        let apex = corners[i];
        (corners[(i + 1) % 3] - apex).dot(corners[(i + 2) % 3] - apex) / twice_area
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::generate::{Cylinder, Icosphere, Sheet, TetBox};
    use crate::mesh::{Placed, assert_close};

    #[test]
    fn regular_elements_have_quality_one() {
        let (a, b, c) = (Vec3::ZERO, Vec3::X, Vec3::new(0.5, 0.75f64.sqrt(), 0.0));
        assert_close(triangle_quality([a, b, c]), 1.0, 1e-15);
        let d = Vec3::new(0.5, 0.75f64.sqrt() / 3.0, (2.0f64 / 3.0).sqrt());
        assert_close(tet_quality([a, b, c, d]), 1.0, 1e-14);
        assert_close(tet_quality([a, c, b, d]), -1.0, 1e-14);
        assert_close(tet_volume([a, b, c, d]), 1.0 / (6.0 * 2f64.sqrt()), 1e-14);
    }

    #[test]
    fn cotangents_satisfy_their_identity() -> Result<(), MeshError> {
        // In every triangle cot α cot β + cot β cot γ + cot γ cot α = 1.
        let mesh = Icosphere { radius: 0.3, subdivisions: 2 }.mesh()?;
        for [a, b, c] in mesh.corner_cotangents()? {
            assert_close(a * b + b * c + c * a, 1.0, 1e-12);
        }
        Ok(())
    }

    #[test]
    fn right_isosceles_diagonals_have_no_cotangent_weight() -> Result<(), MeshError> {
        let mesh = Sheet { columns: 3, rows: 3, ..Sheet::default() }.mesh()?;
        let edges = mesh.edges();
        let rim = mesh.boundary_edges();
        for (edge, weight) in edges.iter().zip(mesh.cotangent_weights()?) {
            let length = edge_lengths(&mesh.positions, &[*edge])[0];
            let on_rim = rim.iter().any(|[a, b]| [*a.min(b), *a.max(b)] == *edge);
            let expected = match (length > 0.4, on_rim) {
                (true, _) => 0.0,
                (false, true) => 0.5,
                (false, false) => 1.0,
            };
            assert!((weight - expected).abs() < 1e-12, "edge {edge:?}: {weight}, expected {expected}");
        }
        Ok(())
    }

    #[test]
    fn the_volume_of_a_closed_surface_is_that_of_its_solid_even_far_away() -> Result<(), MeshError> {
        let solid = TetBox { size: Vec3::new(1.0, 2.0, 3.0), cells: [2, 3, 4], ..TetBox::default() }.mesh()?;
        let surface = solid.surface()?.mesh.translated(Vec3::splat(1e4));
        assert_close(surface.volume()?, 6.0, 1e-9);
        assert_close(surface.area(), 22.0, 1e-9);
        Ok(())
    }

    #[test]
    fn an_open_surface_has_no_volume() -> Result<(), MeshError> {
        let open = Cylinder::default().mesh()?;
        assert!(matches!(open.volume(), Err(MeshError::OpenSurface { .. })));
        Ok(())
    }

    #[test]
    fn sphere_normals_are_radial() -> Result<(), MeshError> {
        let mesh = Icosphere { radius: 2.0, subdivisions: 3 }.mesh()?;
        for (normal, position) in mesh.vertex_normals().iter().zip(&mesh.positions) {
            assert!(normal.dot(position.normalize()) > 0.9999);
        }
        Ok(())
    }
}
