//! Solids as signed distances: how far to the surface, negative inside.
//!
//! ```
//! use pliant::math::Vec3;
//! use pliant::mesh::sdf::{Ball, SignedDistance, Solid};
//!
//! let pill = Solid::new(Ball { centre: Vec3::ZERO, radius: 1.0 }).union(Ball { centre: Vec3::X, radius: 1.0 });
//! assert_eq!(pill.distance(Vec3::new(-2.0, 0.0, 0.0)), 1.0);
//! assert_eq!(pill.bounds().max.x, 2.0);
//! ```

mod combine;
mod shapes;
mod surface_distance;
mod winding;

pub use combine::Solid;
pub use shapes::{Ball, Block, Capsule, Nearby, Ring, Rod};
pub use surface_distance::{SurfaceDistance, SurfaceReport};

use super::Bounds;
use crate::math::Vec3;

/// A solid given by the signed distance to its surface.
///
/// The sign must be right everywhere. The size may be smaller than the true distance, but not larger: a point at p can
/// move by |distance(p)| without a change of sign. Unions and intersections of exact distances have this property.
pub trait SignedDistance: Sync {
    /// The distance of `p` to the surface \[m\], negative inside.
    fn distance(&self, p: Vec3) -> f64;

    /// A box around the solid \[m\].
    fn bounds(&self) -> Bounds;

    /// How far a point can move from `p` without a change of sign \[m\]; zero if that is not known.
    fn clearance(&self, p: Vec3) -> f64 {
        self.distance(p).abs()
    }

    /// A point of the surface near `p`, for `p` within about `step` of it \[m\]: one Newton step along the gradient, which
    /// central differences over `step` give.
    fn nearest(&self, p: Vec3, step: f64) -> Vec3 {
        let small = 1e-3 * step;
        let slope = |axis: Vec3| self.distance(p + small * axis) - self.distance(p - small * axis);
        let gradient = Vec3::new(slope(Vec3::X), slope(Vec3::Y), slope(Vec3::Z)) / (2.0 * small);
        p - self.distance(p) * gradient.normalize_or_zero()
    }
}

impl<T: SignedDistance + ?Sized> SignedDistance for &T {
    fn distance(&self, p: Vec3) -> f64 {
        (**self).distance(p)
    }

    fn bounds(&self) -> Bounds {
        (**self).bounds()
    }

    fn clearance(&self, p: Vec3) -> f64 {
        (**self).clearance(p)
    }

    fn nearest(&self, p: Vec3, step: f64) -> Vec3 {
        (**self).nearest(p, step)
    }
}
