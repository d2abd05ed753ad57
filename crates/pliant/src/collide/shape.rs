//! Shapes in their own coordinates, and how far a point is from them.

use super::error::{ColliderError, finite, positive};
use super::grid::DistanceGrid;
use super::heightfield::Heightfield;
use super::surface::SolidMesh;
use crate::math::Vec3;

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

/// The nearest point of a surface.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Nearby {
    /// Signed distance, negative inside \[m\].
    pub distance: f64,
    /// The nearest point of the surface \[m\].
    pub point: Vec3,
    /// Unit vector out of the shape.
    pub normal: Vec3,
}

impl Nearby {
    pub(super) fn new(p: Vec3, distance: f64, normal: Vec3) -> Self {
        Self { distance, point: p - normal * distance, normal }
    }
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
            Self::Sphere { radius } => ball(p, Vec3::ZERO, *radius),
            Self::Capsule { radius, length } => {
                let along = p.y.clamp(-0.5 * length, 0.5 * length);
                ball(p, Vec3::Y * along, *radius)
            }
            Self::Box { size } => block(p, 0.5 * *size),
            Self::Cylinder { radius, length } => cylinder(p, *radius, 0.5 * length),
            Self::Heightfield(field) => field.nearby(p),
            Self::Mesh(mesh) => mesh.nearby(p),
            Self::Grid(grid) => grid.nearby(p),
        }
    }
}

fn ball(p: Vec3, centre: Vec3, radius: f64) -> Nearby {
    let offset = p - centre;
    let length = offset.length();
    // The centre is equally far from everywhere; up is as good as any way out.
    let normal = if length > 0.0 { offset / length } else { Vec3::Y };
    Nearby::new(p, length - radius, normal)
}

fn block(p: Vec3, half: Vec3) -> Nearby {
    let beyond = p.abs() - half;
    let sides = Vec3::from_array(p.to_array().map(|c| if c < 0.0 { -1.0 } else { 1.0 }));
    let outside = beyond.max(Vec3::ZERO);
    let distance = outside.length();
    if distance > 0.0 {
        return Nearby::new(p, distance, outside / distance * sides);
    }
    let axis = beyond.max_position();
    let mut normal = Vec3::ZERO;
    normal[axis] = sides[axis];
    Nearby::new(p, beyond[axis], normal)
}

fn cylinder(p: Vec3, radius: f64, half: f64) -> Nearby {
    let around = Vec3::new(p.x, 0.0, p.z);
    let r = around.length();
    let radial = if r > 0.0 { around / r } else { Vec3::X };
    let axial = if p.y < 0.0 { -Vec3::Y } else { Vec3::Y };
    let (side, cap) = (r - radius, p.y.abs() - half);
    if side > 0.0 && cap > 0.0 {
        let distance = side.hypot(cap);
        return Nearby::new(p, distance, (radial * side + axial * cap) / distance);
    }
    if side > cap { Nearby::new(p, side, radial) } else { Nearby::new(p, cap, axial) }
}
