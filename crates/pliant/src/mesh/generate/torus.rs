//! Tori.

use std::f64::consts::TAU;

use super::{at_least, within_limit};
use crate::math::Vec3;
use crate::math::functions::sin_cos;
use crate::mesh::error::positive;
use crate::mesh::{MeshError, TriangleMesh};

/// A torus around the y axis, centred at the origin.
///
/// ```
/// use pliant::mesh::generate::Torus;
///
/// let mesh = Torus { major_radius: 1.0, minor_radius: 0.25, ..Torus::default() }.mesh()?;
/// let exact = 2.0 * std::f64::consts::PI.powi(2) * 0.25f64.powi(2);
/// assert!((mesh.volume()? / exact - 1.0).abs() < 0.04);
/// # Ok::<(), pliant::mesh::MeshError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Torus {
    /// From the axis to the middle of the tube \[m\].
    pub major_radius: f64,
    /// Radius of the tube \[m\], less than the major radius.
    pub minor_radius: f64,
    /// Number of segments around the axis, at least three.
    pub major_segments: usize,
    /// Number of segments around the tube, at least three.
    pub minor_segments: usize,
}

impl Default for Torus {
    fn default() -> Self {
        Self { major_radius: 1.0, minor_radius: 0.3, major_segments: 48, minor_segments: 16 }
    }
}

impl Torus {
    /// The torus as triangles, normals outwards. Vertex (i around the tube, j around the axis) is j·`minor_segments` + i.
    pub fn mesh(&self) -> Result<TriangleMesh, MeshError> {
        let Self { major_radius, minor_radius, major_segments, minor_segments } = *self;
        positive("major_radius", major_radius)?;
        positive("minor_radius", minor_radius)?;
        if minor_radius >= major_radius {
            let need = "less than major_radius, or the torus cuts itself";
            return Err(MeshError::BadParameter { name: "minor_radius", value: minor_radius, need });
        }
        at_least("major_segments", major_segments, 3, "at least 3")?;
        at_least("minor_segments", minor_segments, 3, "at least 3")?;
        within_limit("triangles", &[2, major_segments, minor_segments])?;

        let mut positions = Vec::with_capacity(major_segments * minor_segments);
        for major in 0..major_segments {
            let (sin, cos) = sin_cos(TAU * major as f64 / major_segments as f64);
            let outwards = Vec3::new(sin, 0.0, cos);
            positions.extend((0..minor_segments).map(|minor| {
                let (sin, cos) = sin_cos(TAU * minor as f64 / minor_segments as f64);
                (major_radius + minor_radius * cos) * outwards + minor_radius * sin * Vec3::Y
            }));
        }
        let vertex =
            |major: usize, minor: usize| (major % major_segments * minor_segments + minor % minor_segments) as u32;
        let mut triangles = Vec::with_capacity(2 * major_segments * minor_segments);
        for major in 0..major_segments {
            for minor in 0..minor_segments {
                let (a, b) = (vertex(major, minor), vertex(major + 1, minor));
                let (d, c) = (vertex(major, minor + 1), vertex(major + 1, minor + 1));
                triangles.extend([[a, b, c], [a, c, d]]);
            }
        }
        TriangleMesh::new(positions, triangles)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::euler_characteristic;
    use super::*;
    use crate::mesh::assert_close;

    #[test]
    fn a_torus_has_one_hole() -> Result<(), MeshError> {
        let mesh = Torus { major_segments: 5, minor_segments: 4, ..Torus::default() }.mesh()?;
        assert_eq!((mesh.positions.len(), mesh.triangles.len()), (20, 40));
        assert_eq!(euler_characteristic(&mesh), 0);
        mesh.check_closed()
    }

    #[test]
    fn area_and_volume_follow_pappus() -> Result<(), MeshError> {
        let (major_radius, minor_radius) = (2.0, 0.5);
        let torus = Torus { major_radius, minor_radius, major_segments: 200, minor_segments: 100 };
        let mesh = torus.mesh()?;
        assert_close(mesh.area(), TAU * TAU * major_radius * minor_radius, 1e-3);
        assert_close(mesh.volume()?, 0.5 * TAU * TAU * major_radius * minor_radius.powi(2), 2e-3);
        Ok(())
    }

    #[test]
    fn a_tube_that_fills_its_hole_is_refused() {
        let error = Torus { major_radius: 1.0, minor_radius: 1.5, ..Torus::default() }.mesh();
        assert!(matches!(error, Err(MeshError::BadParameter { name: "minor_radius", value: 1.5, .. })));
        let huge = Torus { major_segments: usize::MAX, ..Torus::default() }.mesh();
        assert!(matches!(huge, Err(MeshError::TooLarge { .. })));
    }
}
