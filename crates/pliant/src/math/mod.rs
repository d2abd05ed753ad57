//! Vectors and the small dense linear algebra of the local step.
//!
//! Positions are glam's `f64` vectors, so that they pass to glam-based programs (and collision libraries) without
//! conversion; `[f64; 3]` converts both ways with `into()`.

mod dense;
mod determinant;
pub mod functions;
pub mod instructions;
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
    // Four points are twelve numbers, which are compared in a few instructions where these say nothing of NaN.
    let (fours, rest) = points.as_chunks::<4>();
    let (mut low, mut high) = ([first.to_array(); 4], [first.to_array(); 4]);
    for four in fours {
        let four = four.map(|point| point.to_array());
        for (k, p) in four.as_flattened().iter().enumerate() {
            let (low, high) = (&mut low.as_flattened_mut()[k], &mut high.as_flattened_mut()[k]);
            *low = if *p < *low { *p } else { *low };
            *high = if *p > *high { *p } else { *high };
        }
    }
    let both = |all: [[f64; 3]; 4]| all.into_iter().map(Vec3::from_array).chain(rest.iter().copied());
    (both(high).fold(first, Vec3::max) - both(low).fold(first, Vec3::min)).length()
}
