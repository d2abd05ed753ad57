//! Surfaces of triangles: cloth and shells.

use super::measure::{MIN_QUALITY, triangle_quality};
use super::placed::{check_positions, check_referenced, join_offset};
use super::{ElementKind, MeshError, Placed};
use crate::math::Vec3;

/// A surface of triangles.
///
/// Seen from the side its normal points to, a triangle's vertices run counter-clockwise.
///
/// ```
/// use pliant::math::Vec3;
/// use pliant::mesh::TriangleMesh;
///
/// let mesh = TriangleMesh::new(vec![Vec3::ZERO, Vec3::X, Vec3::Y], vec![[0, 1, 2]])?;
/// assert_eq!(mesh.area(), 0.5);
/// let error = TriangleMesh::new(vec![Vec3::ZERO, Vec3::X, Vec3::Y], vec![[0, 1, 3]]).unwrap_err();
/// assert_eq!(error.to_string(), "triangle 0 names vertex 3, but there are only 3 vertices");
/// # Ok::<(), pliant::mesh::MeshError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct TriangleMesh {
    /// Positions of the vertices \[m\].
    pub positions: Vec<Vec3>,
    /// The three vertices of each triangle.
    pub triangles: Vec<[u32; 3]>,
}

impl TriangleMesh {
    /// Makes a mesh after checking indices, finite positions and distinct corners.
    pub fn new(positions: Vec<Vec3>, triangles: Vec<[u32; 3]>) -> Result<Self, MeshError> {
        let mesh = Self { positions, triangles };
        mesh.check()?;
        Ok(mesh)
    }

    /// Does the checks of [`new`](Self::new), for meshes that were edited in place.
    pub fn check(&self) -> Result<(), MeshError> {
        check_positions(&self.positions)?;
        if self.triangles.is_empty() {
            return Err(MeshError::Empty { what: "triangles" });
        }
        check_elements(ElementKind::Triangle, &self.triangles, self.positions.len())
    }

    /// Returns an error for triangles that are too thin to carry an energy, at any scale of the mesh.
    pub fn check_quality(&self) -> Result<(), MeshError> {
        for triangle in 0..self.triangles.len() {
            let quality = triangle_quality(self.corners(triangle));
            // Coordinates so large that their products overflow have no quality.
            if quality.is_nan() || quality <= MIN_QUALITY {
                return Err(MeshError::DegenerateTriangle { triangle, quality });
            }
        }
        Ok(())
    }

    /// Returns an error for vertices that do not belong to a triangle: they would have no mass.
    pub fn check_referenced(&self) -> Result<(), MeshError> {
        check_referenced(self.positions.len(), self.triangles.iter().flatten().copied())
    }

    /// The positions of one triangle's vertices \[m\].
    ///
    /// # Panics
    /// If there is no such triangle.
    pub fn corners(&self, triangle: usize) -> [Vec3; 3] {
        self.triangles[triangle].map(|vertex| self.positions[vertex as usize])
    }

    /// Adds another mesh to this one, with its vertices after these.
    pub fn append(&mut self, other: &Self) -> Result<(), MeshError> {
        let offset = join_offset(self.positions.len(), other.positions.len())?;
        self.positions.extend_from_slice(&other.positions);
        self.triangles.extend(other.triangles.iter().map(|triangle| triangle.map(|vertex| vertex + offset)));
        Ok(())
    }

    /// Divides each triangle into four at the midpoints of its sides. The vertices of this mesh come first.
    ///
    /// ```
    /// use pliant::mesh::generate::Sheet;
    /// let sheet = Sheet { columns: 1, rows: 1, ..Sheet::default() }.mesh()?;
    /// let finer = sheet.subdivided()?;
    /// assert_eq!((finer.positions.len(), finer.triangles.len()), (9, 8));
    /// assert_eq!(finer.positions[..4], sheet.positions);
    /// # Ok::<(), pliant::mesh::MeshError>(())
    /// ```
    pub fn subdivided(&self) -> Result<Self, MeshError> {
        let edges = self.edges();
        let start = self.positions.len();
        join_offset(start, edges.len())?;
        let mut positions = self.positions.clone();
        positions.extend(edges.iter().map(|e| 0.5 * (self.positions[e[0] as usize] + self.positions[e[1] as usize])));
        let middle = |a: u32, b: u32| {
            // Every side of a triangle is among the edges, so the place where it would be inserted is where it is.
            (start + edges.partition_point(|edge| *edge < [a.min(b), a.max(b)])) as u32
        };
        let triangles = self.triangles.iter().flat_map(|&[a, b, c]| {
            let (ab, bc, ca) = (middle(a, b), middle(b, c), middle(c, a));
            [[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]
        });
        let triangles = triangles.collect();
        Self::new(positions, triangles)
    }

    /// Flips every triangle, and with it the normals.
    pub fn flip(&mut self) {
        for triangle in &mut self.triangles {
            triangle.swap(1, 2);
        }
    }
}

impl Placed for TriangleMesh {
    fn positions(&self) -> &[Vec3] {
        &self.positions
    }

    fn positions_mut(&mut self) -> &mut [Vec3] {
        &mut self.positions
    }
}

/// All indices lie below `count` and no element names a vertex twice.
pub(super) fn check_elements<const N: usize>(
    kind: ElementKind,
    elements: &[[u32; N]],
    count: usize,
) -> Result<(), MeshError> {
    for (element, vertices) in elements.iter().enumerate() {
        for (corner, &vertex) in vertices.iter().enumerate() {
            if vertex as usize >= count {
                return Err(MeshError::IndexOutOfRange { kind, element, vertex, count });
            }
            if vertices[..corner].contains(&vertex) {
                return Err(MeshError::RepeatedVertex { kind, element, vertex });
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn corner() -> Vec<Vec3> {
        vec![Vec3::ZERO, Vec3::X, Vec3::Y]
    }

    #[test]
    fn bad_triangles_are_named() {
        assert_eq!(TriangleMesh::new(corner(), vec![]), Err(MeshError::Empty { what: "triangles" }));
        let kind = ElementKind::Triangle;
        assert_eq!(
            TriangleMesh::new(corner(), vec![[0, 1, 2], [2, 1, 7]]),
            Err(MeshError::IndexOutOfRange { kind, element: 1, vertex: 7, count: 3 })
        );
        assert_eq!(
            TriangleMesh::new(corner(), vec![[0, 1, 0]]),
            Err(MeshError::RepeatedVertex { kind, element: 0, vertex: 0 })
        );
    }

    #[test]
    fn thin_triangles_are_refused_at_any_scale() -> Result<(), MeshError> {
        for scale in [1e-9, 1.0, 1e9] {
            let fine = TriangleMesh::new(corner(), vec![[0, 1, 2]])?.scaled(scale);
            assert_eq!(fine.check_quality(), Ok(()));
            let thin = [Vec3::ZERO, Vec3::X, Vec3::new(0.5, 1e-9, 0.0)];
            let thin = TriangleMesh::new(thin.to_vec(), vec![[0, 1, 2]])?.scaled(scale);
            let Err(MeshError::DegenerateTriangle { triangle: 0, quality }) = thin.check_quality() else {
                panic!("accepted at scale {scale}");
            };
            // 4√3·(½·1e-9)/(1 + ¼ + ¼)
            crate::mesh::assert_close(quality, 2e-9 * 3f64.sqrt() / 1.5, 1e-6);
        }
        Ok(())
    }

    #[test]
    fn coincident_corners_are_degenerate() -> Result<(), MeshError> {
        let mesh = TriangleMesh::new(vec![Vec3::ONE; 3], vec![[0, 1, 2]])?;
        assert!(matches!(mesh.check_quality(), Err(MeshError::DegenerateTriangle { triangle: 0, .. })));
        Ok(())
    }

    #[test]
    fn appended_meshes_keep_their_shapes() -> Result<(), MeshError> {
        let mut mesh = TriangleMesh::new(corner(), vec![[0, 1, 2]])?;
        mesh.append(&mesh.clone().scaled(2.0).translated(Vec3::Z))?;
        assert_eq!(mesh.triangles, [[0, 1, 2], [3, 4, 5]]);
        assert_eq!(mesh.area(), 2.5);
        mesh.check()?;
        mesh.check_referenced()
    }

    #[test]
    fn an_unused_vertex_is_found_by_the_strict_check_only() -> Result<(), MeshError> {
        let mut positions = corner();
        positions.push(Vec3::Z);
        let mesh = TriangleMesh::new(positions, vec![[0, 1, 2]])?;
        assert_eq!(mesh.check_referenced(), Err(MeshError::UnreferencedVertex { vertex: 3 }));
        Ok(())
    }
}
