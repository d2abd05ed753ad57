//! `[[collider]]` and `[contact]`: obstacles for bodies, and how contact with them is handled.

use schemars::JsonSchema;
use serde::Deserialize;

use super::{SolidShape, UpName};

/// An obstacle for bodies. It stands still, or follows keyframes or a motion file; bodies do not move it.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ColliderSection {
    /// A name for error messages.
    pub name: Option<String>,
    /// Its shape, about its own origin.
    pub shape: ColliderShape,
    /// Where its origin is (m); the origin of the world by default. With a motion file, where that file's origin is.
    #[serde(default)]
    pub position: [f64; 3],
    /// Its rotation; with a motion file, the rotation of the whole motion.
    pub rotation: Option<Turn>,
    /// Its pose over time. A keyframe that omits `position` or `rotation` uses the values above.
    #[serde(default)]
    pub keyframe: Vec<ColliderKeyframe>,
    /// A file with its pose over time.
    pub motion: Option<MotionFile>,
    /// Coulomb's coefficient of friction; 0 by default.
    pub friction: Option<f64>,
    /// Speed after an impact over speed before it, 0 to 1; 0 by default.
    pub restitution: Option<f64>,
    /// Distance at which contact begins (m), at least 1e-9; 0.001 by default.
    pub thickness: Option<f64>,
    /// Its colour in pictures, as "#rrggbb"; grey by default. That of a horizontal plane is the colour of the ground.
    pub color: Option<String>,
}

/// A rotation about an axis through the collider's origin.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Turn {
    /// Axis, of any non-zero length.
    pub axis: [f64; 3],
    /// Angle (°), counter-clockwise when the axis points at the viewer.
    pub degrees: f64,
}

/// A pose at a time. Between keyframes, a collider moves in a straight line and turns at a constant rate: if both
/// rotations have the same axis, by the difference of their angles, else along the shorter arc. Before the first and
/// after the last keyframe it stands still.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ColliderKeyframe {
    /// Time (s).
    pub time: f64,
    /// Position of its origin (m).
    pub position: Option<[f64; 3]>,
    /// Its rotation.
    pub rotation: Option<Turn>,
}

/// A part of a motion file (`.mot`: for each part a list of positions and one of quaternions w x y z).
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MotionFile {
    /// Path, relative to the scene file.
    pub path: String,
    /// Number of the part, from 0.
    #[serde(default)]
    pub part: usize,
    /// Frames of the file per second (1/s); 30 by default.
    pub frame_rate: Option<f64>,
    /// Time of its first frame (s); 0 by default.
    pub start: Option<f64>,
    /// Metres per unit of the file; 1 by default.
    pub metres_per_unit: Option<f64>,
    /// The axis that points up in the file; y by default.
    pub up: Option<UpName>,
}

/// The shape of a collider, about its own origin.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum ColliderShape {
    /// Everything below y = 0.
    Plane {},
    /// A ball.
    Sphere {
        /// Radius (m).
        radius: f64,
    },
    /// All points within a radius of a segment along y.
    Capsule {
        /// Radius (m).
        radius: f64,
        /// Length of the segment, without the round ends (m).
        length: f64,
    },
    /// A box along the axes.
    Box {
        /// Lengths of its sides (m).
        size: [f64; 3],
    },
    /// A solid cylinder along y.
    Cylinder {
        /// Radius (m).
        radius: f64,
        /// Length (m).
        length: f64,
    },
    /// The ground below heights on a grid that begins at the collider's origin. There is nothing outside the grid.
    Heightfield {
        /// Distances between heights along x and z (m).
        spacing: [f64; 2],
        /// Rows of heights (m): along x in a row, along z from row to row.
        heights: Vec<Vec<f64>>,
    },
    /// The inside of a closed surface from a file, in any format that bodies are read from.
    File {
        /// Path, relative to the scene file.
        path: String,
        /// Metres per unit of the file; 1 by default.
        metres_per_unit: Option<f64>,
        /// The axis that points up in the file; y by default.
        up: Option<UpName>,
        /// Cells along its longest side. If given, distances are sampled on a grid, and the surface may have holes and
        /// overlaps.
        cells: Option<usize>,
    },
    /// A closed surface that deforms, from one file per frame with the same vertices and triangles. Between frames vertices
    /// move in straight lines; before the first and after the last they stand still.
    Sequence {
        /// Path of the files, relative to the scene file. The number signs in `walk-####.obj` stand for the number of a
        /// frame, with zeros in front.
        path: String,
        /// Number of the first file; 0 by default.
        first: Option<u32>,
        /// Number of files.
        count: usize,
        /// Files per second (1/s); 30 by default.
        frame_rate: Option<f64>,
        /// Time of the first file (s); 0 by default.
        start: Option<f64>,
        /// Metres per unit of the files; 1 by default.
        metres_per_unit: Option<f64>,
        /// The axis that points up in the files; y by default.
        up: Option<UpName>,
    },
    /// A solid composed of simple shapes, with distances sampled on a grid.
    Sdf {
        /// The solid.
        solid: SolidShape,
        /// Cells along its longest side; 40 by default.
        cells: Option<usize>,
        /// Side of a cell (m), instead of `cells`.
        cell: Option<f64>,
    },
}

impl ColliderShape {
    /// Its name in scene files.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Plane {} => "plane",
            Self::Sphere { .. } => "sphere",
            Self::Capsule { .. } => "capsule",
            Self::Box { .. } => "box",
            Self::Cylinder { .. } => "cylinder",
            Self::Heightfield { .. } => "heightfield",
            Self::File { .. } => "file",
            Self::Sequence { .. } => "sequence",
            Self::Sdf { .. } => "sdf",
        }
    }
}

/// How contacts with colliders are handled.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ContactSection {
    /// How contacts act on the solver; constraint by default.
    pub mode: Option<ContactModeName>,
    /// Weight of a contact relative to the diagonal of the system matrix; 1 by default.
    pub weight: Option<f64>,
}

/// How contacts act on the solver.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ContactModeName {
    /// Contacts are constraints in the solve: forces balance, friction sticks.
    #[default]
    Constraint,
    /// Vertices are moved out of colliders after each iteration: cheaper, softer.
    Displacement,
    /// Contacts are forces on the right-hand side, and the matrix stays constant: for soft cloth.
    ConstantMatrix,
}
