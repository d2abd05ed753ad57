//! The sets of deformation gradients that cost no strain energy, shared by triangles and tets.

use super::edge_spring::radial_hessian;
use super::error::{require, require_bounds};
use super::{Curvature, EnergyError};
use crate::math::Vec3;

/// Which deformations cost no energy.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(
    feature = "serde",
    serde(bound(
        serialize = "[[f64; 2]; D]: serde::Serialize",
        deserialize = "[[f64; 2]; D]: serde::de::DeserializeOwned"
    ))
)]
pub enum StrainSet<const D: usize> {
    /// Rotations only: M = SO(3).
    Rotation,
    /// Principal stretches between `min` and `max`: isotropic strain limiting.
    Limits {
        /// Smallest principal stretch.
        min: f64,
        /// Largest principal stretch.
        max: f64,
    },
    /// Stretch along each fibre direction between limits; shear between fibres is free, as in woven cloth.
    Fibres {
        /// The first direction in the rest shape (warp); the second (weft) lies at a right angle in the surface, or for
        /// tets the others complete a right-handed frame.
        direction: Vec3,
        /// [smallest, largest] stretch of each direction.
        limits: [[f64; 2]; D],
    },
}

impl<const D: usize> StrainSet<D> {
    pub(super) fn check(&self, kind: &'static str) -> Result<(), EnergyError> {
        match self {
            Self::Rotation => Ok(()),
            Self::Limits { min, max } => require_bounds(kind, *min, *max),
            Self::Fibres { direction, limits } => {
                let length = direction.length();
                let usable = length.is_finite() && length > 0.0;
                require(kind, "length of the fibre direction", length, "finite and positive", usable)?;
                limits.iter().try_for_each(|[min, max]| require_bounds(kind, *min, *max))
            }
        }
    }

    /// Bounds on the singular values, where the set is isotropic.
    pub(super) fn singular_bounds(&self) -> Option<(f64, f64)> {
        match self {
            Self::Rotation => Some((1.0, 1.0)),
            Self::Limits { min, max } => Some((*min, *max)),
            Self::Fibres { .. } => None,
        }
    }
}

/// Clamps the length of each column of F; a collapsed fibre keeps no direction and is stretched along the axis of its place.
pub(super) fn project_fibres<const D: usize>(z: &[Vec3; D], limits: &[[f64; 2]; D]) -> [Vec3; D] {
    std::array::from_fn(|c| {
        let length = z[c].length();
        let direction = if length > f64::MIN_POSITIVE { z[c] / length } else { Vec3::AXES[c] };
        direction * length.clamp(limits[c][0], limits[c][1])
    })
}

/// Block-diagonal second derivative of the fibre energy.
pub(super) fn fibre_hessian<const D: usize>(
    z: &[Vec3; D],
    limits: &[[f64; 2]; D],
    curvature: Curvature,
    out: &mut [f64],
) {
    let n = 3 * D;
    out.fill(0.0);
    for c in 0..D {
        let length = z[c].length();
        let direction = if length > f64::MIN_POSITIVE { z[c] / length } else { Vec3::AXES[c] };
        let block = radial_hessian(direction, length, limits[c][0], limits[c][1], curvature).0;
        for i in 0..3 {
            (0..3).for_each(|j| out[(3 * c + i) * n + 3 * c + j] = block.col(j)[i]);
        }
    }
}
