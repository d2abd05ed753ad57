//! The content of a file, before you decide what to simulate.

use pliant::math::Vec3;
use pliant::mesh::{Csr, MeshError, StrandSet, TetMesh, TriangleMesh};

/// The content of a mesh file. A file may hold several kinds of elements over the same vertices.
///
/// Nothing is repaired unless the [options](super::ReadOptions) ask for it: elements may be inverted, flat or contain a
/// vertex twice. Indices are in range and coordinates finite. The conversions and the `check` functions of the meshes
/// find other problems.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ImportedMesh {
    /// The file's name without folder and extension.
    pub name: String,
    /// Positions of the vertices \[m, if the options' scale is right\], y up.
    pub positions: Vec<Vec3>,
    /// The three vertices of each triangle; larger polygons are cut.
    pub triangles: Vec<[u32; 3]>,
    /// The four vertices of each tetrahedron; hexes, prisms and pyramids are cut.
    pub tets: Vec<[u32; 4]>,
    /// The vertices of each polyline; successive segments are joined end to end.
    pub polylines: Vec<Vec<u32>>,
    /// Plane coordinates of the triangles' corners, if the file gives them for every triangle.
    pub material_coordinates: Option<MaterialCoordinates>,
    /// Remarks for the user, one sentence each.
    pub notes: Vec<String>,
}

/// Plane coordinates of triangle corners: an OBJ file's `vt`. In garments they are the rest shape of the cut cloth, which
/// differs across a seam; elsewhere they are texture coordinates.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MaterialCoordinates {
    /// The points, as in the file: neither scaled nor rotated.
    pub points: Vec<[f64; 2]>,
    /// For each triangle the points of its three corners.
    pub corners: Vec<[u32; 3]>,
}

impl MaterialCoordinates {
    /// The plane shape of one triangle.
    ///
    /// # Panics
    /// If there is no such triangle.
    pub fn triangle(&self, triangle: usize) -> [[f64; 2]; 3] {
        self.corners[triangle].map(|point| self.points[point as usize])
    }

    /// The signed area of all triangles in the plane \[the file's unit, squared\].
    pub fn area(&self) -> f64 {
        let doubled = |[a, b, c]: [[f64; 2]; 3]| (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
        (0..self.corners.len()).map(|triangle| doubled(self.triangle(triangle)) / 2.0).sum()
    }
}

impl ImportedMesh {
    /// The triangles as a surface over all vertices, numbered as in the file.
    pub fn triangle_mesh(&self) -> Result<TriangleMesh, MeshError> {
        TriangleMesh::new(self.positions.clone(), self.triangles.clone())
    }

    /// The tetrahedra as a solid over all vertices, numbered as in the file.
    pub fn tet_mesh(&self) -> Result<TetMesh, MeshError> {
        TetMesh::new(self.positions.clone(), self.tets.clone())
    }

    /// The polylines as strands over all vertices, numbered as in the file.
    pub fn strand_set(&self) -> Result<StrandSet, MeshError> {
        StrandSet::new(self.positions.clone(), Csr::from_rows(&self.polylines))
    }

    /// Removes the vertices that no element uses, which would have no mass. Returns the old number of each remaining
    /// vertex.
    ///
    /// Call it after clearing the elements that you do not want: `mesh.tets.clear()` leaves a surface.
    pub fn remove_unused_vertices(&mut self) -> Vec<u32> {
        const UNUSED: u32 = u32::MAX;
        let mut renumbered = vec![UNUSED; self.positions.len()];
        for vertices in self.elements_mut() {
            for vertex in vertices {
                renumbered[*vertex as usize] = 0;
            }
        }
        let mut kept = Vec::new();
        for (vertex, number) in renumbered.iter_mut().enumerate().filter(|(_, number)| **number != UNUSED) {
            *number = kept.len() as u32;
            kept.push(vertex as u32);
        }
        self.positions = kept.iter().map(|&vertex| self.positions[vertex as usize]).collect();
        self.renumber(&renumbered);
        kept
    }

    /// The vertices of every element.
    pub(super) fn elements_mut(&mut self) -> impl Iterator<Item = &mut [u32]> {
        let triangles = self.triangles.iter_mut().map(<[u32; 3]>::as_mut_slice);
        let tets = self.tets.iter_mut().map(<[u32; 4]>::as_mut_slice);
        triangles.chain(tets).chain(self.polylines.iter_mut().map(Vec::as_mut_slice))
    }

    pub(super) fn renumber(&mut self, renumbered: &[u32]) {
        for vertices in self.elements_mut() {
            for vertex in vertices {
                *vertex = renumbered[*vertex as usize];
            }
        }
    }
}

impl TryFrom<&ImportedMesh> for TriangleMesh {
    type Error = MeshError;

    fn try_from(mesh: &ImportedMesh) -> Result<Self, MeshError> {
        mesh.triangle_mesh()
    }
}

impl TryFrom<&ImportedMesh> for TetMesh {
    type Error = MeshError;

    fn try_from(mesh: &ImportedMesh) -> Result<Self, MeshError> {
        mesh.tet_mesh()
    }
}

impl TryFrom<&ImportedMesh> for StrandSet {
    type Error = MeshError;

    fn try_from(mesh: &ImportedMesh) -> Result<Self, MeshError> {
        mesh.strand_set()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unused_vertices_go_and_the_rest_keep_their_order() -> Result<(), MeshError> {
        let mut mesh = ImportedMesh {
            positions: (0..7).map(|i| Vec3::new(f64::from(i), f64::from(i * i), 0.0)).collect(),
            triangles: vec![[6, 2, 1]],
            polylines: vec![vec![1, 4]],
            ..ImportedMesh::default()
        };
        assert_eq!(mesh.remove_unused_vertices(), [1, 2, 4, 6]);
        assert_eq!(mesh.triangles, [[3, 1, 0]]);
        assert_eq!(mesh.polylines, [[0, 2]]);
        assert_eq!(mesh.positions[3].x, 6.0);
        mesh.strand_set()?;
        mesh.triangle_mesh()?;
        assert_eq!(mesh.tet_mesh(), Err(MeshError::Empty { what: "tets" }));
        Ok(())
    }
}
