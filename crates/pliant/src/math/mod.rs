//! Vectors and the small dense linear algebra of the local step.
//!
//! Positions are glam's `f64` vectors, so that they pass to glam-based programs (and collision libraries) without
//! conversion; `[f64; 3]` converts both ways with `into()`.

mod dense;
mod determinant;
pub(crate) mod lanes;
mod rigid_fit;
mod svd;

pub(crate) use dense::symmetric_inverse_where_positive;
pub use dense::{clamp_to_positive_semidefinite, factor_dense, solve_dense, solve_symmetric, symmetric_eigen};
pub(crate) use determinant::{NEARLY_RIGHT, Projected, project_product};
pub use rigid_fit::{RigidFit, outer};
pub(crate) use rigid_fit::{best_rotation, fitted_matrix, fitted_rotation};
pub use svd::{Svd2, Svd3, nearest_rotation, perpendicular_to, svd_3x2, svd_3x3};

/// A point, direction or force in three dimensions, double precision.
pub type Vec3 = glam::DVec3;

/// A 3×3 matrix, stored by columns, double precision.
pub type Mat3 = glam::DMat3;

/// A rotation as a unit quaternion, double precision.
pub type Quat = glam::DQuat;

/// Extent of a set of points: the length of the diagonal of their axis-aligned box \[m\]; zero for no points.
///
/// ```
/// use pliant::math::{diagonal, Vec3};
/// assert_eq!(diagonal(&[Vec3::ZERO, Vec3::new(2.0, 3.0, 6.0)]), 7.0);
/// ```
pub fn diagonal(points: &[Vec3]) -> f64 {
    let Some(&first) = points.first() else { return 0.0 };
    // Four at once do not wait for each other.
    let (mut low, mut high) = ([first; 4], [first; 4]);
    for points in points.chunks(4) {
        for (k, &p) in points.iter().enumerate() {
            (low[k], high[k]) = (low[k].min(p), high[k].max(p));
        }
    }
    let (low, high) = (low.into_iter().fold(first, Vec3::min), high.into_iter().fold(first, Vec3::max));
    (high - low).length()
}
