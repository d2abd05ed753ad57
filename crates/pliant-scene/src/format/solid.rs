//! `[body.shape.sdf]`: solids made of simple shapes and their combinations.

use schemars::JsonSchema;
use serde::Deserialize;

use super::Rotation;

/// A solid given by signed distances: a shape, or a combination of solids.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum SolidShape {
    /// A solid sphere.
    Sphere {
        /// Its centre (m); the origin by default.
        #[serde(default)]
        centre: [f64; 3],
        /// Radius (m).
        radius: f64,
    },
    /// A solid box along the axes.
    Box {
        /// Its centre (m); the origin by default.
        #[serde(default)]
        centre: [f64; 3],
        /// Lengths of its sides (m).
        size: [f64; 3],
    },
    /// All points within a radius of a segment.
    Capsule {
        /// One end of the segment (m).
        from: [f64; 3],
        /// The other end (m).
        to: [f64; 3],
        /// Radius (m).
        radius: f64,
    },
    /// A solid ring around y.
    Torus {
        /// Its centre (m); the origin by default.
        #[serde(default)]
        centre: [f64; 3],
        /// Distance from its centre to the centre of the tube (m).
        radius: f64,
        /// Radius of the tube (m).
        tube_radius: f64,
    },
    /// A solid cylinder along y.
    Cylinder {
        /// Its centre (m); the origin by default.
        #[serde(default)]
        centre: [f64; 3],
        /// Radius (m).
        radius: f64,
        /// Length (m).
        length: f64,
    },
    /// The points in any of the solids.
    Union {
        /// The solids.
        of: Vec<SolidShape>,
    },
    /// The union of the solids, with the creases between them filled.
    SmoothUnion {
        /// Size of the fillets (m).
        radius: f64,
        /// The solids.
        of: Vec<SolidShape>,
    },
    /// The points in all of the solids.
    Intersection {
        /// The solids.
        of: Vec<SolidShape>,
    },
    /// The points in the first solid and in none of the others.
    Difference {
        /// The solids.
        of: Vec<SolidShape>,
    },
    /// A solid that is enlarged or shrunk by an offset.
    Offset {
        /// The offset (m); a negative one shrinks.
        distance: f64,
        /// The solid.
        of: Box<SolidShape>,
    },
    /// A solid that is scaled, then rotated, then moved.
    Transform {
        /// Factor on all lengths; 1 by default.
        scale: Option<f64>,
        /// Rotation.
        rotate: Option<Rotation>,
        /// Translation (m).
        #[serde(default)]
        translate: [f64; 3],
        /// The solid.
        of: Box<SolidShape>,
    },
}

impl SolidShape {
    /// Its name in scene files.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Sphere { .. } => "sphere",
            Self::Box { .. } => "box",
            Self::Capsule { .. } => "capsule",
            Self::Torus { .. } => "torus",
            Self::Cylinder { .. } => "cylinder",
            Self::Union { .. } => "union",
            Self::SmoothUnion { .. } => "smooth-union",
            Self::Intersection { .. } => "intersection",
            Self::Difference { .. } => "difference",
            Self::Offset { .. } => "offset",
            Self::Transform { .. } => "transform",
        }
    }

    /// Shapes and combinations in it, itself included.
    pub(crate) fn count(&self) -> usize {
        1 + match self {
            Self::Union { of } | Self::SmoothUnion { of, .. } | Self::Intersection { of } | Self::Difference { of } => {
                of.iter().map(Self::count).sum()
            }
            Self::Offset { of, .. } | Self::Transform { of, .. } => of.count(),
            _ => 0,
        }
    }
}
