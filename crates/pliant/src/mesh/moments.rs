//! Volume, centre and second moments of the solid inside a closed surface.
//!
//! Exact for polyhedra: each triangle spans a tet of signed volume V with a fixed point, and over a tet with corners at 0, a, b, c the
//! integral of x is V s/4 and that of x xᵀ is V (a aᵀ + b bᵀ + c cᵀ + s sᵀ)/20, with s = a + b + c. Outside the surface they cancel.

use super::measure::tet_volume;
use super::{MeshError, TriangleMesh};
use crate::math::{Mat3, Vec3};

/// A solid of density 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SolidMoments {
    /// ∫ 1 \[m³\]; negative where the surface is inside out.
    pub volume: f64,
    /// ∫ x / volume \[m\].
    pub centre: Vec3,
    /// ∫ (x − centre)(x − centre)ᵀ \[m⁵\].
    pub second: Mat3,
}

impl SolidMoments {
    /// The inertia tensor about the centre \[kg·m²\], given a density \[kg/m³\].
    pub fn inertia(&self, density: f64) -> Mat3 {
        let trace = self.second.x_axis.x + self.second.y_axis.y + self.second.z_axis.z;
        (Mat3::from_diagonal(Vec3::splat(trace)) - self.second) * density
    }
}

impl TriangleMesh {
    /// Moments of the solid inside this surface, which must be closed and wound alike.
    ///
    /// ```
    /// use pliant::math::Vec3;
    /// use pliant::mesh::generate::TetBox;
    ///
    /// let size = Vec3::new(1.0, 2.0, 3.0);
    /// let surface = TetBox { size, cells: [1, 1, 1], ..TetBox::default() }.mesh()?.surface()?.mesh;
    /// let inertia = surface.solid_moments()?.inertia(12.0);
    /// let mass = 12.0 * 6.0;
    /// assert!((inertia.x_axis.x - mass / 12.0 * (4.0 + 9.0)).abs() < 1e-12);
    /// # Ok::<(), pliant::mesh::MeshError>(())
    /// ```
    pub fn solid_moments(&self) -> Result<SolidMoments, MeshError> {
        let volume = self.volume()?;
        let origin = self.positions.first().copied().unwrap_or_default();
        let first = (0..self.triangles.len()).fold(Vec3::ZERO, |sum, triangle| {
            let [a, b, c] = self.corners(triangle).map(|p| p - origin);
            sum + (a + b + c) * (0.25 * tet_volume([Vec3::ZERO, a, b, c]))
        });
        let centre = origin + first / volume;
        let second = (0..self.triangles.len()).fold(Mat3::ZERO, |sum, triangle| {
            let [a, b, c] = self.corners(triangle).map(|p| p - centre);
            let squares = [a, b, c, a + b + c].map(|p| Mat3::from_cols(p * p.x, p * p.y, p * p.z));
            sum + (squares[0] + squares[1] + squares[2] + squares[3]) * (tet_volume([Vec3::ZERO, a, b, c]) / 20.0)
        });
        Ok(SolidMoments { volume, centre, second })
    }
}
