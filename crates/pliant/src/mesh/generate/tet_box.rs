//! Boxes and bars of tetrahedra on a regular grid.
//!
//! Vertex (i, j, k) = (k·(ny+1) + j)·(nx+1) + i; the centres of [`TetPattern::BodyCentred`] follow after the grid. Corner c of a
//! cell lies one step along x, y, z where bit 0, 1, 2 of c is set.

use super::{at_least, within_limit};
use crate::math::Vec3;
use crate::mesh::error::positive;
use crate::mesh::{MeshError, TetMesh};

/// The paths along three edges from corner 0 to corner 7: Kuhn's six tets, all around the main diagonal.
const KUHN: [[usize; 4]; 6] = [[0, 1, 3, 7], [0, 1, 5, 7], [0, 2, 3, 7], [0, 2, 6, 7], [0, 4, 5, 7], [0, 4, 6, 7]];

/// A tet on four corners that share no edge, and the four tets it cuts off; mirrored in every other cell.
const FIVE: [[usize; 4]; 5] = [[0, 3, 5, 6], [1, 0, 3, 5], [2, 0, 3, 6], [4, 0, 5, 6], [7, 3, 5, 6]];

/// How each cell is cut into tets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum TetPattern {
    /// Six tets of equal volume around one diagonal (Kuhn, Freudenthal): the same in all cells, with a preferred direction.
    #[default]
    Kuhn,
    /// Five tets, mirrored from cell to cell: the fewest, symmetric over two cells.
    Five,
    /// Twelve tets of equal volume around a vertex in the middle of the cell, face diagonals alternating: the least biased.
    BodyCentred,
}

impl TetPattern {
    /// The number of tets in one cell.
    pub fn tets_per_cell(self) -> usize {
        match self {
            Self::Kuhn => 6,
            Self::Five => 5,
            Self::BodyCentred => 12,
        }
    }
}

/// A box of tets centred at the origin.
///
/// ```
/// use pliant::math::Vec3;
/// use pliant::mesh::generate::{TetBox, TetPattern};
///
/// let solid = TetBox { size: Vec3::new(2.0, 1.0, 0.5), cells: [8, 4, 2], pattern: TetPattern::Five };
/// let mesh = solid.mesh()?;
/// mesh.check_quality()?;
/// assert_eq!(mesh.tets.len(), 5 * 64);
/// assert!((mesh.volume() - 1.0).abs() < 1e-12);
///
/// let bar = TetBox::bar(1.0, 0.1, 20, 2).mesh()?;
/// assert_eq!(bar.positions.len(), 21 * 3 * 3);
/// # Ok::<(), pliant::mesh::MeshError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct TetBox {
    /// Lengths of the sides \[m\].
    pub size: Vec3,
    /// Number of cells along each axis.
    pub cells: [usize; 3],
    /// How each cell is cut into tets.
    pub pattern: TetPattern,
}

impl Default for TetBox {
    fn default() -> Self {
        Self { size: Vec3::ONE, cells: [4; 3], pattern: TetPattern::Kuhn }
    }
}

impl TetBox {
    /// A bar of square section along x, with the given length and thickness \[m\].
    pub fn bar(length: f64, thickness: f64, cells_along: usize, cells_across: usize) -> Self {
        let size = Vec3::new(length, thickness, thickness);
        Self { size, cells: [cells_along, cells_across, cells_across], pattern: TetPattern::Kuhn }
    }

    /// The vertex at a grid crossing, counted from the corner with the smallest coordinates.
    pub fn vertex(&self, [i, j, k]: [usize; 3]) -> u32 {
        let [nx, ny, _] = self.cells;
        ((k * (ny + 1) + j) * (nx + 1) + i) as u32
    }

    /// The box as tets, all of positive volume.
    pub fn mesh(&self) -> Result<TetMesh, MeshError> {
        let Self { size, cells, pattern } = *self;
        for (name, value) in ["size.x", "size.y", "size.z"].into_iter().zip(size.to_array()) {
            positive(name, value)?;
        }
        for (name, count) in ["cells[0]", "cells[1]", "cells[2]"].into_iter().zip(cells) {
            at_least(name, count, 1, "at least 1")?;
        }
        // A cell of any pattern has more tets than half its eight corners, so this bounds the vertices as well.
        within_limit("tets", &[pattern.tets_per_cell(), cells[0], cells[1], cells[2]])?;

        let [nx, ny, nz] = cells;
        let counts = Vec3::new(nx as f64, ny as f64, nz as f64);
        let at = |steps: Vec3| size * (steps / counts - 0.5);
        let grid = |i: usize, j: usize, k: usize| Vec3::new(i as f64, j as f64, k as f64);
        let mut positions = Vec::new();
        for k in 0..=nz {
            for j in 0..=ny {
                positions.extend((0..=nx).map(|i| at(grid(i, j, k))));
            }
        }
        let mut tets = Vec::with_capacity(pattern.tets_per_cell() * nx * ny * nz);
        for k in 0..nz {
            for j in 0..ny {
                for i in 0..nx {
                    let cell = [i, j, k];
                    match pattern {
                        TetPattern::Kuhn => tets.extend(KUHN.map(|tet| self.tet(cell, tet))),
                        TetPattern::Five => {
                            let mirror = (i + j + k) % 2;
                            tets.extend(FIVE.map(|tet| self.tet(cell, tet.map(|corner| corner ^ mirror))));
                        }
                        TetPattern::BodyCentred => {
                            let centre = positions.len() as u32;
                            positions.push(at(grid(i, j, k) + 0.5));
                            tets.extend(self.outward_faces(cell).map(|[a, b, c]| [a, c, b, centre]));
                        }
                    }
                }
            }
        }
        TetMesh::new(positions, tets)
    }

    fn corner(&self, [i, j, k]: [usize; 3], corner: usize) -> u32 {
        self.vertex([i + (corner & 1), j + (corner >> 1 & 1), k + (corner >> 2 & 1)])
    }

    /// The tet on four corners of a cell, two of them swapped if its volume would be negative.
    fn tet(&self, cell: [usize; 3], corners: [usize; 4]) -> [u32; 4] {
        let place = |corner: usize| Vec3::from([0, 1, 2].map(|axis| (corner >> axis & 1) as f64));
        let inverted = crate::mesh::tet_volume(corners.map(place)) < 0.0;
        let [a, b, c, d] = corners.map(|corner| self.corner(cell, corner));
        if inverted { [a, b, d, c] } else { [a, b, c, d] }
    }

    /// The twelve triangles around a cell, counter-clockwise from outside. Which diagonal cuts a face depends on where the face
    /// lies, so that both cells beside it agree.
    fn outward_faces(&self, cell: [usize; 3]) -> [[u32; 3]; 12] {
        let mut triangles = [[0; 3]; 12];
        for face in 0..6 {
            let (axis, side) = (face / 2, face % 2);
            let (u, v) = (1 << ((axis + 1) % 3), 1 << ((axis + 2) % 3));
            let base = side << axis;
            // Counter-clockwise from the side to which the axis points.
            let mut corners = [base, base + u, base + u + v, base + v];
            if side == 0 {
                corners.swap(1, 3);
            }
            // Faces of neighbouring cells, and opposite faces, alternate; side counts as one step along the axis.
            if (cell[0] + cell[1] + cell[2] + side) % 2 == 1 {
                corners.rotate_left(1);
            }
            let [a, b, c, d] = corners.map(|corner| self.corner(cell, corner));
            triangles[2 * face] = [a, b, c];
            triangles[2 * face + 1] = [a, c, d];
        }
        triangles
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::{Placed, assert_close, tet_quality};

    const ALL: [TetPattern; 3] = [TetPattern::Kuhn, TetPattern::Five, TetPattern::BodyCentred];

    #[test]
    fn every_pattern_fills_its_box_with_positive_tets() -> Result<(), MeshError> {
        for pattern in ALL {
            let solid = TetBox { size: Vec3::new(1.5, 0.7, 2.0), cells: [3, 5, 4], pattern };
            let mesh = solid.mesh()?;
            assert_eq!(mesh.tets.len(), 60 * pattern.tets_per_cell());
            assert!(mesh.tet_volumes().iter().all(|&volume| volume > 0.0), "{pattern:?}");
            assert_close(mesh.volume(), 2.1, 1e-12);
            assert_close(mesh.diagonal(), solid.size.length(), 1e-14);
            mesh.check_quality()?;
            mesh.check_referenced()?;
        }
        Ok(())
    }

    #[test]
    fn every_pattern_fits_across_cells() -> Result<(), MeshError> {
        // If neighbours cut a shared face differently, the cuts would show up in the skin as extra area.
        for pattern in ALL {
            let skin = TetBox { size: Vec3::ONE, cells: [4, 3, 2], pattern }.mesh()?.surface()?;
            assert_eq!(skin.mesh.triangles.len(), 2 * 2 * (12 + 6 + 8), "{pattern:?}");
            assert_close(skin.mesh.area(), 6.0, 1e-12);
        }
        Ok(())
    }

    #[test]
    fn a_ball_of_any_pattern_has_euler_characteristic_one() -> Result<(), MeshError> {
        for pattern in ALL {
            let mesh = TetBox { size: Vec3::ONE, cells: [3, 2, 2], pattern }.mesh()?;
            let outer = mesh.surface()?.mesh.triangles.len();
            let faces = (4 * mesh.tets.len() + outer) / 2;
            let sum = mesh.positions.len() + faces - mesh.edges().len() - mesh.tets.len();
            assert_eq!(sum, 1, "{pattern:?}");
        }
        Ok(())
    }

    #[test]
    fn volumes_within_a_cell_are_those_of_the_pattern() -> Result<(), MeshError> {
        for (pattern, shares) in [
            (TetPattern::Kuhn, [1.0 / 6.0; 2]),
            (TetPattern::Five, [1.0 / 6.0, 1.0 / 3.0]),
            (TetPattern::BodyCentred, [1.0 / 12.0; 2]),
        ] {
            let mesh = TetBox { size: Vec3::ONE, cells: [1; 3], pattern }.mesh()?;
            let mut volumes = mesh.tet_volumes();
            volumes.sort_by(f64::total_cmp);
            assert_close(volumes[0], shares[0], 1e-14);
            assert_close(volumes[volumes.len() - 1], shares[1], 1e-14);
            let worst = (0..mesh.tets.len()).map(|tet| tet_quality(mesh.corners(tet))).fold(1.0, f64::min);
            assert!(worst > 0.2, "{pattern:?} {worst}");
        }
        Ok(())
    }

    #[test]
    fn vertices_lie_where_their_indices_say() -> Result<(), MeshError> {
        let bar = TetBox::bar(1.0, 0.2, 10, 2);
        let mesh = bar.mesh()?;
        let tip = mesh.positions[bar.vertex([10, 2, 1]) as usize];
        assert!((tip - Vec3::new(0.5, 0.1, 0.0)).length() < 1e-15);
        Ok(())
    }

    #[test]
    fn senseless_boxes_are_refused() {
        let flat = TetBox { size: Vec3::new(1.0, 0.0, 1.0), ..TetBox::default() }.mesh();
        assert!(matches!(flat, Err(MeshError::BadParameter { name: "size.y", value: 0.0, .. })));
        let huge = TetBox { cells: [1 << 20; 3], ..TetBox::default() }.mesh();
        assert!(matches!(huge, Err(MeshError::TooLarge { what: "tets", .. })));
    }
}
