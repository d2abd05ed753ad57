//! Flat discs.

use std::f64::consts::TAU;

use super::{Plane, at_least, within_limit};
use crate::math::functions::{cos, sin};
use crate::mesh::error::positive;
use crate::mesh::{MeshError, TriangleMesh};

/// A disc centred at the origin.
///
/// Ring k has `sectors`·k vertices, so that cells keep their size from the centre to the rim; with six sectors the triangles
/// are nearly equilateral.
///
/// ```
/// use pliant::mesh::generate::Disc;
///
/// let mesh = Disc { radius: 0.5, rings: 16, ..Disc::default() }.mesh()?;
/// assert_eq!(mesh.triangles.len(), 6 * 16 * 16);
/// assert!((mesh.area() / (std::f64::consts::PI * 0.25) - 1.0).abs() < 1e-3);
/// # Ok::<(), pliant::mesh::MeshError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Disc {
    /// Radius \[m\].
    pub radius: f64,
    /// Number of rings around the centre.
    pub rings: usize,
    /// Number of triangles at the centre, at least three; six is best.
    pub sectors: usize,
    /// The plane the disc lies in.
    pub plane: Plane,
}

impl Default for Disc {
    fn default() -> Self {
        Self { radius: 1.0, rings: 8, sectors: 6, plane: Plane::Xy }
    }
}

impl Disc {
    /// The disc as triangles: the centre first, then ring by ring.
    pub fn mesh(&self) -> Result<TriangleMesh, MeshError> {
        let Self { radius, rings, sectors, plane } = *self;
        positive("radius", radius)?;
        at_least("rings", rings, 1, "at least 1")?;
        at_least("sectors", sectors, 3, "at least 3")?;
        within_limit("triangles", &[sectors, rings, rings])?;

        let mut positions = vec![plane.point(0.0, 0.0)];
        for ring in 1..=rings {
            let at = radius * ring as f64 / rings as f64;
            let count = sectors * ring;
            positions.extend((0..count).map(|i| {
                let angle = TAU * i as f64 / count as f64;
                plane.point(at * cos(angle), at * sin(angle))
            }));
        }

        // The i-th vertex of a ring, counted around and around.
        let vertex = |ring: usize, i: usize| -> u32 {
            if ring == 0 { 0 } else { (1 + sectors * ring * (ring - 1) / 2 + i % (sectors * ring)) as u32 }
        };
        let mut triangles = Vec::with_capacity(sectors * rings * rings);
        for ring in 1..=rings {
            for sector in 0..sectors {
                // In each sector, `ring` triangles stand on the outer ring and one fewer hangs from the inner.
                let (outer, inner) = (sector * ring, sector * (ring - 1));
                for i in 0..ring {
                    triangles.push([vertex(ring, outer + i), vertex(ring, outer + i + 1), vertex(ring - 1, inner + i)]);
                    if i + 1 < ring {
                        triangles.push([
                            vertex(ring, outer + i + 1),
                            vertex(ring - 1, inner + i + 1),
                            vertex(ring - 1, inner + i),
                        ]);
                    }
                }
            }
        }
        let mut mesh = TriangleMesh::new(positions, triangles)?;
        plane.orient(&mut mesh);
        Ok(mesh)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::euler_characteristic;
    use super::*;
    use crate::math::Vec3;
    use crate::mesh::{assert_close, triangle_area_vector, triangle_quality};

    #[test]
    fn the_area_is_that_of_the_polygon_of_the_rim() -> Result<(), MeshError> {
        for (plane, normal) in [(Plane::Xy, Vec3::Z), (Plane::Xz, Vec3::Y)] {
            for (rings, sectors) in [(1, 3), (5, 6), (7, 8)] {
                let mesh = Disc { radius: 0.4, rings, sectors, plane }.mesh()?;
                let sides = (rings * sectors) as f64;
                assert_close(mesh.area(), 0.5 * sides * 0.16 * (TAU / sides).sin(), 1e-12);
                assert_eq!(mesh.positions.len(), 1 + sectors * rings * (rings + 1) / 2);
                assert_eq!(mesh.boundary_edges().len(), rings * sectors);
                assert_eq!(euler_characteristic(&mesh), 1);
                for triangle in 0..mesh.triangles.len() {
                    assert!(triangle_area_vector(mesh.corners(triangle)).dot(normal) > 0.0);
                }
            }
        }
        Ok(())
    }

    #[test]
    fn six_sectors_make_good_triangles() -> Result<(), MeshError> {
        let mesh = Disc { rings: 20, ..Disc::default() }.mesh()?;
        let worst = (0..mesh.triangles.len()).map(|triangle| triangle_quality(mesh.corners(triangle)));
        assert!(worst.fold(1.0, f64::min) > 0.8);
        Ok(())
    }

    #[test]
    fn senseless_discs_are_refused() {
        assert!(Disc { radius: 0.0, ..Disc::default() }.mesh().is_err());
        assert!(Disc { sectors: 2, ..Disc::default() }.mesh().is_err());
        let huge = Disc { rings: usize::MAX, ..Disc::default() }.mesh();
        assert!(matches!(huge, Err(MeshError::TooLarge { .. })));
    }
}
