//! The skin of a solid: the faces that belong to one tet only.

use super::{MeshError, TetMesh, TriangleMesh};

/// The faces of a positively oriented tet, each counter-clockwise from outside.
const OUTWARD_FACES: [[usize; 3]; 4] = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];

/// The boundary of a solid as a separate surface.
#[derive(Clone, Debug, PartialEq)]
pub struct Surface {
    /// The surface, normals outwards.
    pub mesh: TriangleMesh,
    /// For each vertex of the surface the vertex of the solid it was, ascending.
    pub vertices: Vec<u32>,
    /// For each triangle of the surface the tet it belongs to.
    pub tets: Vec<u32>,
}

impl TetMesh {
    /// The outer faces of the solid, in the order of their tets. Needs tets of positive volume to distinguish outside
    /// from inside.
    ///
    /// ```
    /// use pliant::mesh::generate::TetBox;
    ///
    /// let solid = TetBox { cells: [3, 3, 3], ..TetBox::default() }.mesh()?;
    /// let skin = solid.surface()?;
    /// assert_eq!(skin.mesh.triangles.len(), 6 * 9 * 2);
    /// assert_eq!(skin.vertices.len(), 64 - 8);
    /// assert!((skin.mesh.volume()? - solid.volume()).abs() < 1e-12);
    /// # Ok::<(), pliant::mesh::MeshError>(())
    /// ```
    pub fn surface(&self) -> Result<Surface, MeshError> {
        struct Face {
            key: [u32; 3],
            tet: u32,
            corners: [u32; 3],
        }
        let mut faces: Vec<Face> = Vec::with_capacity(4 * self.tets.len());
        for (tet, vertices) in self.tets.iter().enumerate() {
            for face in OUTWARD_FACES {
                let corners = face.map(|corner| vertices[corner]);
                let mut key = corners;
                key.sort_unstable();
                faces.push(Face { key, tet: tet as u32, corners });
            }
        }
        faces.sort_unstable_by_key(|face| (face.key, face.tet));

        let mut outer: Vec<&Face> = Vec::new();
        for sharing in faces.chunk_by(|a, b| a.key == b.key) {
            match sharing {
                [only] => outer.push(only),
                [_, _] => {}
                _ => return Err(MeshError::NonManifoldFace { face: sharing[0].key, tets: sharing.len() }),
            }
        }
        // Back into the order of the tets, in which neighbours in space are near in memory.
        outer.sort_unstable_by_key(|face| (face.tet, face.key));

        let mut vertices: Vec<u32> = outer.iter().flat_map(|face| face.corners).collect();
        vertices.sort_unstable();
        vertices.dedup();
        let mut renumbered = vec![u32::MAX; self.positions.len()];
        for (new, &old) in vertices.iter().enumerate() {
            renumbered[old as usize] = new as u32;
        }
        let mesh = TriangleMesh {
            positions: vertices.iter().map(|&old| self.positions[old as usize]).collect(),
            triangles: outer.iter().map(|face| face.corners.map(|old| renumbered[old as usize])).collect(),
        };
        Ok(Surface { mesh, vertices, tets: outer.iter().map(|face| face.tet).collect() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Vec3;
    use crate::mesh::assert_close;
    use crate::mesh::generate::{TetBox, TetPattern};

    #[test]
    fn one_tet_is_bounded_by_its_four_faces() -> Result<(), MeshError> {
        let tet = TetMesh::new(vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z], vec![[0, 1, 2, 3]])?;
        let skin = tet.surface()?;
        assert_eq!(skin.vertices, [0, 1, 2, 3]);
        assert_eq!(skin.tets, [0; 4]);
        assert_close(skin.mesh.volume()?, 1.0 / 6.0, 1e-15);
        assert_close(skin.mesh.area(), 1.5 + 0.75f64.sqrt(), 1e-15);
        Ok(())
    }

    #[test]
    fn the_skin_of_every_box_is_a_sphere_topologically() -> Result<(), MeshError> {
        for pattern in [TetPattern::Kuhn, TetPattern::Five, TetPattern::BodyCentred] {
            let solid = TetBox { size: Vec3::new(1.0, 2.0, 3.0), cells: [2, 3, 4], pattern }.mesh()?;
            let skin = solid.surface()?;
            skin.mesh.check_closed()?;
            let euler = skin.vertices.len() as i64 - skin.mesh.edges().len() as i64 + skin.mesh.triangles.len() as i64;
            assert_eq!(euler, 2, "{pattern:?}");
            assert_close(skin.mesh.area(), 22.0, 1e-12);
            assert_close(skin.mesh.volume()?, 6.0, 1e-12);
            for (new, &old) in skin.vertices.iter().enumerate() {
                assert_eq!(skin.mesh.positions[new], solid.positions[old as usize]);
            }
        }
        Ok(())
    }

    #[test]
    fn three_tets_on_a_face_are_no_solid() -> Result<(), MeshError> {
        let positions = vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z, -Vec3::Z, 2.0 * Vec3::Z];
        let mesh = TetMesh::new(positions, vec![[0, 1, 2, 3], [0, 2, 1, 4], [0, 1, 2, 5]])?;
        assert_eq!(mesh.surface(), Err(MeshError::NonManifoldFace { face: [0, 1, 2], tets: 3 }));
        Ok(())
    }
}
