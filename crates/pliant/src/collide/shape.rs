//! Shapes in their own coordinates, and how far a point is from them.

use super::error::{ColliderError, finite, positive};
use super::grid::DistanceGrid;
use super::heightfield::Heightfield;
use super::surface::SolidMesh;
use crate::math::Vec3;
use crate::mesh::sdf::{Ball, Block, Capsule, Nearby, Rod};

/// A collider's shape, about its own origin.
#[derive(Debug, Clone)]
pub enum Shape {
    /// The half-space y ≤ 0.
    Plane,
    /// A ball about the origin.
    Sphere {
        /// Radius \[m\].
        radius: f64,
    },
    /// All points within a radius of a segment along y.
    Capsule {
        /// Radius \[m\].
        radius: f64,
        /// Length of the segment, without the round ends \[m\].
        length: f64,
    },
    /// A box along the axes.
    Box {
        /// Lengths of the sides \[m\].
        size: Vec3,
    },
    /// A cylinder along y.
    Cylinder {
        /// Radius \[m\].
        radius: f64,
        /// Length \[m\].
        length: f64,
    },
    /// The ground below heights on a grid.
    Heightfield(Heightfield),
    /// The inside of a closed surface of triangles.
    Mesh(SolidMesh),
    /// Signed distances on a grid.
    Grid(DistanceGrid),
}

impl Shape {
    /// Refuses sizes that make no shape.
    pub(super) fn check(&self) -> Result<(), ColliderError> {
        match self {
            Self::Plane | Self::Heightfield(_) | Self::Mesh(_) | Self::Grid(_) => Ok(()),
            Self::Sphere { radius } => positive("radius", *radius),
            Self::Capsule { radius, length } => {
                positive("radius", *radius)?;
                if *length >= 0.0 && length.is_finite() {
                    return Ok(());
                }
                Err(ColliderError::BadValue { name: "length", value: *length, need: "at least 0 and finite" })
            }
            Self::Box { size } => {
                finite("side", &size.to_array())?;
                size.to_array().into_iter().try_for_each(|side| positive("side", side))
            }
            Self::Cylinder { radius, length } => {
                positive("radius", *radius)?;
                positive("length", *length)
            }
        }
    }

    /// Whether the segment between any two points of the shape lies in it.
    pub(super) fn is_convex(&self) -> bool {
        !matches!(self, Self::Heightfield(_) | Self::Mesh(_) | Self::Grid(_))
    }

    /// The nearest point of the surface, in the shape's coordinates.
    pub fn nearby(&self, p: Vec3) -> Nearby {
        match self {
            Self::Plane => Nearby::new(p, p.y, Vec3::Y),
            Self::Sphere { radius } => Ball { centre: Vec3::ZERO, radius: *radius }.nearby(p),
            Self::Capsule { radius, length } => {
                let end = Vec3::Y * (0.5 * length);
                Capsule { ends: [-end, end], radius: *radius }.nearby(p)
            }
            Self::Box { size } => Block { centre: Vec3::ZERO, size: *size }.nearby(p),
            Self::Cylinder { radius, length } => Rod { centre: Vec3::ZERO, radius: *radius, length: *length }.nearby(p),
            Self::Heightfield(field) => field.nearby(p),
            Self::Mesh(mesh) => mesh.nearby(p),
            Self::Grid(grid) => grid.nearby(p),
        }
    }
}
