//! Rectangular sheets, and the springs of Provot-style cloth on them.
//!
//! ```text
//!  Forward   Backward   Alternating   Cross       vertex (column, row) = row·(columns+1) + column;
//!  ┌──╱┐     ┌╲──┐      ┌──╱┬╲──┐     ┌╲─╱┐       the centres of Cross follow after the grid
//!  │╱  │     │  ╲│      │╱  │  ╲│     │ ╳ │
//!  └───┘     └───┘      └───┴───┘     └╱─╲┘
//! ```

use super::{at_least, within_limit};
use crate::math::Vec3;
use crate::math::functions::pow;
use crate::mesh::error::positive;
use crate::mesh::{Edge, MeshError, TriangleMesh};

/// How each rectangular cell is cut into triangles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Diagonals {
    /// All from low column and row to high column and row.
    #[default]
    Forward,
    /// All along the other diagonal.
    Backward,
    /// Both in a checkerboard, forward in the first cell: no preferred direction over two cells.
    Alternating,
    /// Four triangles around a vertex in the middle of each cell.
    Cross,
}

/// The plane a sheet lies in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Plane {
    /// Upright: width along x, height along y, normal +z.
    #[default]
    Xy,
    /// Flat: width along x, height along z, normal +y.
    Xz,
}

impl Plane {
    pub(super) fn point(self, u: f64, v: f64) -> Vec3 {
        match self {
            Self::Xy => Vec3::new(u, v, 0.0),
            Self::Xz => Vec3::new(u, 0.0, v),
        }
    }

    /// Counter-clockwise in (u, v) faces +z in the one plane and −y in the other: turn those over.
    pub(super) fn orient(self, mesh: &mut TriangleMesh) {
        if self == Self::Xz {
            mesh.flip();
        }
    }
}

/// How wide the cells along one direction are.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Spacing {
    /// All the same.
    #[default]
    Uniform,
    /// Growing geometrically from the first to the last.
    Graded {
        /// The width of the last cell over that of the first.
        ratio: f64,
    },
}

impl Spacing {
    /// Where the `cells`+1 grid lines lie on [−½, ½].
    fn lines(self, cells: usize) -> Result<Vec<f64>, MeshError> {
        let growth = match self {
            Self::Uniform => 1.0,
            Self::Graded { ratio } => {
                let span = cells.max(2) - 1;
                pow(positive("spacing ratio", ratio)?, 1.0 / span as f64)
            }
        };
        if growth == 1.0 {
            return Ok((0..=cells).map(|line| line as f64 / cells as f64 - 0.5).collect());
        }
        let mut lines = Vec::with_capacity(cells + 1);
        let (mut width, mut at) = (1.0, 0.0);
        for _ in 0..=cells {
            lines.push(at);
            at += width;
            width *= growth;
        }
        let total = lines[cells];
        Ok(lines.into_iter().map(|line| line / total - 0.5).collect())
    }
}

/// Which diagonal springs a cell has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Shear {
    /// Those along which the triangles are cut.
    #[default]
    Single,
    /// Both diagonals.
    Both,
}

/// A rectangular sheet centred at the origin.
///
/// ```
/// use pliant::mesh::generate::{Plane, Shear, Sheet};
///
/// let sheet = Sheet { width: 1.0, height: 1.0, columns: 80, rows: 80, plane: Plane::Xz, ..Sheet::default() };
/// assert_eq!(sheet.mesh()?.triangles.len(), 2 * 80 * 80);
/// let springs = sheet.structural_edges()?.len()
///     + sheet.shear_edges(Shear::Single)?.len()
///     + sheet.skip_one_edges()?.len();
/// assert_eq!(springs, 32158);
/// # Ok::<(), pliant::mesh::MeshError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Sheet {
    /// Extent across the columns \[m\].
    pub width: f64,
    /// Extent across the rows \[m\].
    pub height: f64,
    /// Number of cells across the width.
    pub columns: usize,
    /// Number of cells across the height.
    pub rows: usize,
    /// How cells are cut into triangles.
    pub diagonals: Diagonals,
    /// The plane the sheet lies in.
    pub plane: Plane,
    /// Widths of the columns.
    pub column_spacing: Spacing,
    /// Heights of the rows.
    pub row_spacing: Spacing,
}

impl Default for Sheet {
    fn default() -> Self {
        Self {
            width: 1.0,
            height: 1.0,
            columns: 10,
            rows: 10,
            diagonals: Diagonals::Forward,
            plane: Plane::Xy,
            column_spacing: Spacing::Uniform,
            row_spacing: Spacing::Uniform,
        }
    }
}

impl Sheet {
    fn check(&self) -> Result<(), MeshError> {
        positive("width", self.width)?;
        positive("height", self.height)?;
        at_least("columns", self.columns, 1, "at least 1")?;
        at_least("rows", self.rows, 1, "at least 1")?;
        // Four covers the triangles of a cell, its springs, and the vertices of even a single row.
        within_limit("triangles and springs", &[4, self.columns, self.rows])
    }

    /// The vertex at a grid crossing, columns and rows counted from zero.
    pub fn vertex(&self, column: usize, row: usize) -> u32 {
        (row * (self.columns + 1) + column) as u32
    }

    /// The vertex in the middle of a cell, for [`Diagonals::Cross`].
    fn centre(&self, column: usize, row: usize) -> u32 {
        ((self.columns + 1) * (self.rows + 1) + row * self.columns + column) as u32
    }

    /// The corners of a cell, counter-clockwise in (column, row).
    fn corners(&self, column: usize, row: usize) -> [u32; 4] {
        [(0, 0), (1, 0), (1, 1), (0, 1)].map(|(right, up)| self.vertex(column + right, row + up))
    }

    fn cells(&self) -> impl Iterator<Item = (usize, usize)> + use<> {
        let (columns, rows) = (self.columns, self.rows);
        (0..rows).flat_map(move |row| (0..columns).map(move |column| (column, row)))
    }

    fn cut_forward(&self, column: usize, row: usize) -> bool {
        match self.diagonals {
            Diagonals::Backward => false,
            Diagonals::Alternating => (column + row).is_multiple_of(2),
            Diagonals::Forward | Diagonals::Cross => true,
        }
    }

    /// The sheet as triangles; an error if they are degenerate.
    pub fn mesh(&self) -> Result<TriangleMesh, MeshError> {
        self.check()?;
        let columns: Vec<f64> = self.column_spacing.lines(self.columns)?.iter().map(|u| u * self.width).collect();
        let rows: Vec<f64> = self.row_spacing.lines(self.rows)?.iter().map(|v| v * self.height).collect();
        let mut positions: Vec<Vec3> =
            rows.iter().flat_map(|&v| columns.iter().map(move |&u| self.plane.point(u, v))).collect();
        let mut triangles = Vec::with_capacity(4 * self.columns * self.rows);
        for (column, row) in self.cells() {
            let [a, b, c, d] = self.corners(column, row);
            if self.diagonals == Diagonals::Cross {
                let middle = |lines: &[f64], cell: usize| 0.5 * (lines[cell] + lines[cell + 1]);
                positions.push(self.plane.point(middle(&columns, column), middle(&rows, row)));
                let centre = self.centre(column, row);
                triangles.extend([[a, b, centre], [b, c, centre], [c, d, centre], [d, a, centre]]);
            } else if self.cut_forward(column, row) {
                triangles.extend([[a, b, c], [a, c, d]]);
            } else {
                triangles.extend([[a, b, d], [b, c, d]]);
            }
        }
        let mut mesh = TriangleMesh::new(positions, triangles)?;
        // Too strong a grading, or a thread of a sheet in too few cells, leaves needles.
        mesh.check_quality()?;
        self.plane.orient(&mut mesh);
        Ok(mesh)
    }

    /// Springs along rows and columns between neighbours.
    pub fn structural_edges(&self) -> Result<Vec<Edge>, MeshError> {
        self.edges_apart(1)
    }

    /// Springs along rows and columns between vertices two apart: they resist bending.
    pub fn skip_one_edges(&self) -> Result<Vec<Edge>, MeshError> {
        self.edges_apart(2)
    }

    fn edges_apart(&self, apart: usize) -> Result<Vec<Edge>, MeshError> {
        self.check()?;
        let mut edges = Vec::new();
        for row in 0..=self.rows {
            for column in 0..=self.columns {
                let vertex = self.vertex(column, row);
                if column + apart <= self.columns {
                    edges.push([vertex, self.vertex(column + apart, row)]);
                }
                if row + apart <= self.rows {
                    edges.push([vertex, self.vertex(column, row + apart)]);
                }
            }
        }
        Ok(edges)
    }

    /// Springs along the diagonals of the cells: they resist shear. With [`Diagonals::Cross`] the four half diagonals from the
    /// centre, in either case.
    pub fn shear_edges(&self, shear: Shear) -> Result<Vec<Edge>, MeshError> {
        self.check()?;
        let mut edges = Vec::new();
        for (column, row) in self.cells() {
            let [a, b, c, d] = self.corners(column, row);
            if self.diagonals == Diagonals::Cross {
                let centre = self.centre(column, row);
                edges.extend([a, b, d, c].map(|corner| [corner, centre]));
                continue;
            }
            let forward = self.cut_forward(column, row);
            if forward || shear == Shear::Both {
                edges.push([a, c]);
            }
            if !forward || shear == Shear::Both {
                edges.push([b, d]);
            }
        }
        edges.sort_unstable();
        Ok(edges)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::euler_characteristic;
    use super::*;
    use crate::mesh::{Placed, assert_close, triangle_area_vector};

    const ALL: [Diagonals; 4] = [Diagonals::Forward, Diagonals::Backward, Diagonals::Alternating, Diagonals::Cross];

    #[test]
    fn a_grid_of_81_by_81_vertices_has_32158_springs() -> Result<(), MeshError> {
        let sheet = Sheet { columns: 80, rows: 80, ..Sheet::default() };
        assert_eq!(sheet.structural_edges()?.len(), 12960);
        assert_eq!(sheet.shear_edges(Shear::Single)?.len(), 6400);
        assert_eq!(sheet.shear_edges(Shear::Both)?.len(), 12800);
        assert_eq!(sheet.skip_one_edges()?.len(), 12798);
        Ok(())
    }

    #[test]
    fn structural_and_single_shear_springs_are_the_edges_of_the_mesh() -> Result<(), MeshError> {
        for diagonals in ALL {
            let sheet = Sheet { columns: 5, rows: 4, diagonals, ..Sheet::default() };
            let mut springs = sheet.structural_edges()?;
            springs.extend(sheet.shear_edges(Shear::Single)?);
            springs.sort_unstable();
            assert_eq!(springs, sheet.mesh()?.edges(), "{diagonals:?}");
        }
        Ok(())
    }

    #[test]
    fn every_cut_covers_the_rectangle_facing_its_normal() -> Result<(), MeshError> {
        let graded = Spacing::Graded { ratio: 30.0 };
        for diagonals in ALL {
            for (plane, normal) in [(Plane::Xy, Vec3::Z), (Plane::Xz, Vec3::Y)] {
                let (columns, rows) = (7, 4);
                let sheet = Sheet { width: 3.0, height: 2.0, columns, rows, diagonals, plane, ..Sheet::default() };
                let mesh = Sheet { column_spacing: graded, ..sheet }.mesh()?;
                assert_close(mesh.area(), 6.0, 1e-13);
                assert_close(mesh.diagonal(), 13f64.sqrt(), 1e-13);
                assert_eq!(euler_characteristic(&mesh), 1);
                mesh.check_quality()?;
                for triangle in 0..mesh.triangles.len() {
                    assert!(triangle_area_vector(mesh.corners(triangle)).dot(normal) > 0.0);
                }
            }
        }
        Ok(())
    }

    #[test]
    fn graded_cells_grow_to_their_ratio() -> Result<(), MeshError> {
        for ratio in [0.05, 3.0, 50.0] {
            let lines = Spacing::Graded { ratio }.lines(9)?;
            let widths: Vec<f64> = lines.windows(2).map(|pair| pair[1] - pair[0]).collect();
            assert_close(widths[8] / widths[0], ratio, 1e-12);
            assert_close(widths[4] / widths[3], widths[8] / widths[7], 1e-12);
            assert_close(lines[9] - lines[0], 1.0, 1e-15);
        }
        Ok(())
    }

    #[test]
    fn senseless_sheets_are_refused() {
        let refuse = |sheet: Sheet| sheet.mesh().expect_err("senseless").to_string();
        assert_eq!(
            refuse(Sheet { width: f64::NAN, ..Sheet::default() }),
            "width is NaN, but must be positive and finite"
        );
        assert_eq!(refuse(Sheet { rows: 0, ..Sheet::default() }), "rows is 0, but must be at least 1");
        let graded = Spacing::Graded { ratio: -2.0 };
        assert_eq!(
            refuse(Sheet { row_spacing: graded, ..Sheet::default() }),
            "spacing ratio is -2, but must be positive and finite"
        );
        let needles = Sheet { column_spacing: Spacing::Graded { ratio: 1e30 }, ..Sheet::default() };
        assert!(matches!(needles.mesh(), Err(MeshError::DegenerateTriangle { triangle: 0, .. })));
        let huge = Sheet { columns: usize::MAX, rows: usize::MAX, ..Sheet::default() };
        assert!(matches!(huge.mesh(), Err(MeshError::TooLarge { .. })));
        assert!(matches!(huge.structural_edges(), Err(MeshError::TooLarge { .. })));
    }
}
