//! Cylinders: tubes, with or without caps.
//!
//! ```text
//!  Plain          Staggered        vertex (segment, ring) = ring·segments + segment,
//!  ┬──┬──┬        ┬──┬──┬          rings from the bottom up,
//!  │╱ │╱ │        ╲╱ ╲╱ ╲╱         segments counter-clockwise seen from above;
//!  ┴──┴──┴         ┴──┴──┴         the centres of the caps follow, bottom first
//! ```

use std::f64::consts::TAU;

use super::{at_least, within_limit};
use crate::math::Vec3;
use crate::math::functions::{cos, sin};
use crate::mesh::error::positive;
use crate::mesh::{MeshError, TriangleMesh};

/// How the vertices of neighbouring rings are arranged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Lattice {
    /// Above each other: rectangles that are cut along one diagonal, which gives the tube a twist.
    #[default]
    Plain,
    /// Shifted by half a segment: isosceles triangles, no twist.
    Staggered,
}

/// What closes the ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Caps {
    /// Nothing.
    #[default]
    Open,
    /// A fan of triangles around a centre at both ends.
    Fans,
}

/// A cylinder around the y axis, centred at the origin.
///
/// ```
/// use pliant::mesh::generate::{Caps, Cylinder};
///
/// let can = Cylinder { radius: 0.1, height: 0.3, segments: 64, caps: Caps::Fans, ..Cylinder::default() }.mesh()?;
/// assert!((can.volume()? / (std::f64::consts::PI * 0.01 * 0.3) - 1.0).abs() < 2e-3);
/// # Ok::<(), pliant::mesh::MeshError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cylinder {
    /// Radius \[m\].
    pub radius: f64,
    /// Height \[m\].
    pub height: f64,
    /// Number of segments around, at least three.
    pub segments: usize,
    /// Number of rows of cells along the height; there is one more ring of vertices.
    pub rings: usize,
    /// How neighbouring rings are arranged.
    pub lattice: Lattice,
    /// What closes the ends.
    pub caps: Caps,
}

impl Default for Cylinder {
    fn default() -> Self {
        Self { radius: 0.5, height: 1.0, segments: 32, rings: 10, lattice: Lattice::Plain, caps: Caps::Open }
    }
}

impl Cylinder {
    /// The cylinder as triangles, normals outwards.
    pub fn mesh(&self) -> Result<TriangleMesh, MeshError> {
        let Self { radius, height, segments, rings, lattice, caps } = *self;
        positive("radius", radius)?;
        positive("height", height)?;
        at_least("segments", segments, 3, "at least 3")?;
        at_least("rings", rings, 1, "at least 1")?;
        // Four covers the two triangles of each cell and, in a single row, both caps.
        within_limit("triangles", &[4, segments, rings])?;

        let shifted = |ring: usize| lattice == Lattice::Staggered && !ring.is_multiple_of(2);
        let mut positions = Vec::with_capacity(segments * (rings + 1) + 2);
        for ring in 0..=rings {
            let shift = if shifted(ring) { 0.5 } else { 0.0 };
            let y = height * (ring as f64 / rings as f64 - 0.5);
            positions.extend((0..segments).map(|segment| {
                let angle = TAU * (segment as f64 + shift) / segments as f64;
                Vec3::new(radius * sin(angle), y, radius * cos(angle))
            }));
        }

        let vertex = |segment: usize, ring: usize| (ring * segments + segment % segments) as u32;
        let mut triangles = Vec::with_capacity(2 * segments * (rings + 1));
        for ring in 0..rings {
            for segment in 0..segments {
                let (a, b) = (vertex(segment, ring), vertex(segment + 1, ring));
                let (d, c) = (vertex(segment, ring + 1), vertex(segment + 1, ring + 1));
                // The shorter diagonal: below a shifted ring it leans left.
                if lattice == Lattice::Staggered && shifted(ring + 1) {
                    triangles.extend([[a, b, d], [b, c, d]]);
                } else {
                    triangles.extend([[a, b, c], [a, c, d]]);
                }
            }
        }
        if caps == Caps::Fans {
            let bottom = positions.len() as u32;
            positions.extend([Vec3::NEG_Y, Vec3::Y].map(|end| 0.5 * height * end));
            triangles.extend((0..segments).map(|i| [vertex(i + 1, 0), vertex(i, 0), bottom]));
            triangles.extend((0..segments).map(|i| [vertex(i, rings), vertex(i + 1, rings), bottom + 1]));
        }
        TriangleMesh::new(positions, triangles)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::euler_characteristic;
    use super::*;
    use crate::mesh::{assert_close, triangle_area_vector};

    #[test]
    fn a_plain_tube_has_the_area_of_its_prism() -> Result<(), MeshError> {
        let (radius, height, segments) = (0.3, 2.0, 12);
        let open = Cylinder { radius, height, segments, rings: 5, ..Cylinder::default() };
        let side = 2.0 * radius * (TAU / 24.0).sin();
        assert_close(open.mesh()?.area(), 12.0 * side * height, 1e-13);
        assert_eq!(euler_characteristic(&open.mesh()?), 0);
        assert_eq!(open.mesh()?.boundary_edges().len(), 24);
        let closed = Cylinder { caps: Caps::Fans, ..open }.mesh()?;
        assert_eq!(euler_characteristic(&closed), 2);
        assert_close(closed.volume()?, 6.0 * radius * radius * (TAU / 12.0).sin() * height, 1e-13);
        Ok(())
    }

    #[test]
    fn both_lattices_face_outwards_and_close() -> Result<(), MeshError> {
        for lattice in [Lattice::Plain, Lattice::Staggered] {
            for rings in [1, 4, 5] {
                let cylinder = Cylinder { segments: 7, rings, lattice, caps: Caps::Fans, ..Cylinder::default() };
                let mesh = cylinder.mesh()?;
                mesh.check_closed()?;
                mesh.check_quality()?;
                assert_eq!(mesh.triangles.len(), 2 * 7 * rings + 14);
                for triangle in 0..mesh.triangles.len() {
                    let [a, b, c] = mesh.corners(triangle);
                    assert!(triangle_area_vector([a, b, c]).dot(a + b + c) > 0.0, "{lattice:?} {triangle}");
                }
            }
        }
        Ok(())
    }

    #[test]
    fn staggered_triangles_are_isosceles() -> Result<(), MeshError> {
        let mesh = Cylinder { segments: 9, rings: 4, lattice: Lattice::Staggered, ..Cylinder::default() }.mesh()?;
        for triangle in 0..mesh.triangles.len() {
            let [a, b, c] = mesh.corners(triangle);
            let mut sides = [a.distance(b), b.distance(c), c.distance(a)];
            sides.sort_by(f64::total_cmp);
            let legs =
                if sides[1] - sides[0] < sides[2] - sides[1] { [sides[0], sides[1]] } else { [sides[1], sides[2]] };
            assert_close(legs[0], legs[1], 1e-12);
        }
        Ok(())
    }

    #[test]
    fn senseless_cylinders_are_refused() {
        assert!(Cylinder { segments: 2, ..Cylinder::default() }.mesh().is_err());
        assert!(Cylinder { height: f64::INFINITY, ..Cylinder::default() }.mesh().is_err());
        let huge = Cylinder { rings: usize::MAX, ..Cylinder::default() }.mesh();
        assert!(matches!(huge, Err(MeshError::TooLarge { .. })));
    }
}
