//! Volume, centre and second moments of the solid inside a closed surface; moments of points that move.
//!
//! Exact for polyhedra: each triangle spans a tet of signed volume V with a fixed point, and over a tet with corners at 0, a, b, c the
//! integral of x is V s/4 and that of x xᵀ is V (a aᵀ + b bᵀ + c cᵀ + s sᵀ)/20, with s = a + b + c. Outside the surface they cancel.

use super::measure::tet_volume;
use super::{MeshError, TriangleMesh};
use crate::math::{Mat3, Vec3, symmetric_eigen};

/// A solid of density 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SolidMoments {
    /// ∫ 1 \[m³\]; negative if the surface is inside out.
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
    /// Moments of the solid inside this surface, which must be closed and consistently wound.
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

/// Angular momentum about the centre of mass, the inertia tensor there, and the centre.
pub(crate) fn spin_of(masses: &[f64], x: &[Vec3], v: &[Vec3]) -> (Vec3, Mat3, Vec3) {
    let total: f64 = masses.iter().sum();
    let mean = |list: &[Vec3]| list.iter().zip(masses).fold(Vec3::ZERO, |sum, (a, m)| sum + *a * *m) / total;
    let (centre, drift) = (mean(x), mean(v));
    let (mut spin, mut inertia) = (Vec3::ZERO, Mat3::ZERO);
    for ((x, v), &m) in x.iter().zip(v).zip(masses) {
        let r = *x - centre;
        spin += r.cross(*v - drift) * m;
        inertia += (Mat3::IDENTITY * r.length_squared() - Mat3::from_cols(r * r.x, r * r.y, r * r.z)) * m;
    }
    (spin, inertia, centre)
}

/// I⁻¹ L; a straight line of points has no inertia about itself, and no spin about it either.
pub(crate) fn pseudo_inverse_times(inertia: Mat3, spin: Vec3) -> Vec3 {
    let (mut values, mut vectors) = (inertia.to_cols_array(), [0.0; 9]);
    symmetric_eigen(&mut values, &mut vectors, 3);
    let largest = (0..3).fold(0.0_f64, |m, k| m.max(values[4 * k]));
    let mut omega = Vec3::ZERO;
    for k in 0..3 {
        if values[4 * k] > 1e-12 * largest {
            let axis = Vec3::new(vectors[k], vectors[3 + k], vectors[6 + k]);
            omega += axis * (axis.dot(spin) / values[4 * k]);
        }
    }
    omega
}
