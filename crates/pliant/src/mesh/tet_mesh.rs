//! Solids of tetrahedra.

use super::measure::{MIN_QUALITY, tet_quality, tet_volume};
use super::placed::{check_positions, check_referenced, join_offset};
use super::triangle_mesh::check_elements;
use super::{ElementKind, MeshError, Placed};
use crate::math::Vec3;

/// A solid of tetrahedra.
///
/// A tet (a, b, c, d) has positive volume when (b−a)×(c−a) points towards d: seen from d, its face a b c runs
/// counter-clockwise.
///
/// ```
/// use pliant::math::Vec3;
/// use pliant::mesh::{MeshError, TetMesh};
///
/// let corners = vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
/// let mesh = TetMesh::new(corners.clone(), vec![[0, 1, 2, 3]])?;
/// mesh.check_quality()?;
/// assert_eq!(mesh.volume(), 1.0 / 6.0);
///
/// let inside_out = TetMesh::new(corners, vec![[0, 2, 1, 3]])?;
/// assert!(matches!(inside_out.check_quality(), Err(MeshError::InvertedTet { tet: 0, .. })));
/// # Ok::<(), MeshError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct TetMesh {
    /// Positions of the vertices \[m\].
    pub positions: Vec<Vec3>,
    /// The four vertices of each tetrahedron.
    pub tets: Vec<[u32; 4]>,
}

impl TetMesh {
    /// Makes a mesh after checking indices, finite positions and distinct corners.
    pub fn new(positions: Vec<Vec3>, tets: Vec<[u32; 4]>) -> Result<Self, MeshError> {
        let mesh = Self { positions, tets };
        mesh.check()?;
        Ok(mesh)
    }

    /// Does the checks of [`new`](Self::new), for meshes that were edited in place.
    pub fn check(&self) -> Result<(), MeshError> {
        check_positions(&self.positions)?;
        if self.tets.is_empty() {
            return Err(MeshError::Empty { what: "tets" });
        }
        check_elements(ElementKind::Tet, &self.tets, self.positions.len())
    }

    /// Returns an error for inverted tets and tets that are too flat to carry an energy, at any scale of the mesh.
    pub fn check_quality(&self) -> Result<(), MeshError> {
        for tet in 0..self.tets.len() {
            let corners = self.corners(tet);
            let quality = tet_quality(corners);
            if quality < -MIN_QUALITY {
                return Err(MeshError::InvertedTet { tet, volume: tet_volume(corners) });
            }
            // Coordinates so large that their products overflow have no quality.
            if quality.is_nan() || quality <= MIN_QUALITY {
                return Err(MeshError::DegenerateTet { tet, quality });
            }
        }
        Ok(())
    }

    /// Returns an error for vertices that do not belong to a tet: they would have no mass.
    pub fn check_referenced(&self) -> Result<(), MeshError> {
        check_referenced(self.positions.len(), self.tets.iter().flatten().copied())
    }

    /// The positions of one tet's vertices \[m\].
    ///
    /// # Panics
    /// If there is no such tet.
    pub fn corners(&self, tet: usize) -> [Vec3; 4] {
        self.tets[tet].map(|vertex| self.positions[vertex as usize])
    }

    /// Adds another mesh to this one, with its vertices after these.
    pub fn append(&mut self, other: &Self) -> Result<(), MeshError> {
        let offset = join_offset(self.positions.len(), other.positions.len())?;
        self.positions.extend_from_slice(&other.positions);
        self.tets.extend(other.tets.iter().map(|tet| tet.map(|vertex| vertex + offset)));
        Ok(())
    }
}

impl Placed for TetMesh {
    fn positions(&self) -> &[Vec3] {
        &self.positions
    }

    fn positions_mut(&mut self) -> &mut [Vec3] {
        &mut self.positions
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Mat3;
    use crate::mesh::assert_close;

    fn unit_tet() -> TetMesh {
        TetMesh { positions: vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z], tets: vec![[0, 1, 2, 3]] }
    }

    #[test]
    fn bad_tets_are_named() {
        let positions = unit_tet().positions;
        let kind = ElementKind::Tet;
        assert_eq!(TetMesh::new(positions.clone(), vec![]), Err(MeshError::Empty { what: "tets" }));
        assert_eq!(
            TetMesh::new(positions.clone(), vec![[0, 1, 2, 4]]),
            Err(MeshError::IndexOutOfRange { kind, element: 0, vertex: 4, count: 4 })
        );
        assert_eq!(
            TetMesh::new(positions, vec![[0, 1, 2, 3], [3, 1, 2, 1]]),
            Err(MeshError::RepeatedVertex { kind, element: 1, vertex: 1 })
        );
    }

    #[test]
    fn a_mirrored_tet_is_inverted_with_its_volume() {
        let mirrored = unit_tet().transformed(&Mat3::from_diagonal(Vec3::new(-3e-3, 2e-3, 2e-3)), Vec3::ONE);
        let Err(MeshError::InvertedTet { tet: 0, volume }) = mirrored.check_quality() else { panic!("accepted") };
        assert_close(volume, -2e-9, 1e-9);
    }

    #[test]
    fn a_flat_tet_is_refused_at_any_scale() {
        for scale in [1e-6, 1.0, 1e6] {
            assert_eq!(unit_tet().scaled(scale).check_quality(), Ok(()));
            let flat = unit_tet().transformed(&Mat3::from_diagonal(Vec3::new(1.0, 1.0, 1e-8)), Vec3::ZERO);
            assert!(matches!(flat.scaled(scale).check_quality(), Err(MeshError::DegenerateTet { tet: 0, .. })));
        }
    }

    #[test]
    fn appended_solids_add_their_volumes() -> Result<(), MeshError> {
        let mut mesh = unit_tet();
        mesh.append(&unit_tet().scaled(2.0))?;
        assert_eq!(mesh.tets, [[0, 1, 2, 3], [4, 5, 6, 7]]);
        assert_close(mesh.volume(), 1.5, 1e-15);
        mesh.check()?;
        mesh.check_referenced()
    }
}
