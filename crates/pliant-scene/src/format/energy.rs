//! `[[body.energy]]`: single energies on top of a material, under the names that reports give them.

use schemars::JsonSchema;
use serde::Deserialize;

use super::{PoseSection, Select};

/// An energy over the vertices or elements of a body. Where there is a `select`, elements act of which all vertices are
/// selected; without it, all of them.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum EnergySection {
    /// Springs along all edges.
    EdgeSpring {
        /// Stiffness of each spring (N/m). Give this or `axial_stiffness`.
        stiffness: Option<f64>,
        /// Axial stiffness (N): a spring of length l has this over l, whatever the resolution.
        axial_stiffness: Option<f64>,
        /// Least and largest length without force, as factors of the rest length; [1, 1] by default.
        limits: Option<[f64; 2]>,
        /// Which edges.
        select: Option<Select>,
    },
    /// Strain of triangles.
    TriangleStrain {
        /// Young's modulus × thickness (N/m).
        stiffness: f64,
        /// Least and largest stretch without force; [1, 1] by default.
        limits: Option<[f64; 2]>,
        /// Which triangles.
        select: Option<Select>,
    },
    /// Strain of tets.
    TetStrain {
        /// Stiffness (Pa).
        stiffness: f64,
        /// Least and largest stretch without force; [1, 1] by default.
        limits: Option<[f64; 2]>,
        /// Which tets.
        select: Option<Select>,
    },
    /// Area of triangles between bounds.
    TriangleArea {
        /// Stiffness (N/m).
        stiffness: f64,
        /// Least and largest area, as factors of the rest area; [1, 1] by default.
        bounds: Option<[f64; 2]>,
        /// Which triangles.
        select: Option<Select>,
    },
    /// Volume of tets between bounds.
    TetVolume {
        /// Stiffness (Pa).
        stiffness: f64,
        /// Least and largest volume, as factors of the rest volume; [1, 1] by default.
        bounds: Option<[f64; 2]>,
        /// Which tets.
        select: Option<Select>,
    },
    /// Tets drawn to blends of example poses, each with weights of its own.
    ExampleLocal {
        /// Stiffness (Pa).
        stiffness: f64,
        /// The poses, besides the rest shape; at most 16.
        pose: Vec<PoseSection>,
    },
    /// Tets drawn to blends of example poses, with one set of weights for the body.
    ExampleGlobal {
        /// Stiffness (Pa).
        stiffness: f64,
        /// The poses, besides the rest shape; at most 16.
        pose: Vec<PoseSection>,
    },
    /// Bending of a surface that is flat at rest, as a thin plate.
    Plate {
        /// Bending stiffness (N·m).
        stiffness: f64,
        /// Poisson ratio, above −1 and below 1; 0 by default.
        poisson_ratio: Option<f64>,
    },
    /// Bending by mean curvature at all vertices inside a surface.
    Bending {
        /// Bending stiffness (N·m).
        stiffness: f64,
    },
    /// Bending by the angles between triangles.
    Hinge {
        /// Bending stiffness of the sheet (N·m).
        stiffness: f64,
        /// Angle at rest (°), of all hinges; that of the rest shape by default.
        degrees: Option<f64>,
        /// Which pairs of triangles.
        select: Option<Select>,
    },
    /// Springs that pull vertices to where they are at rest; see `handle` for goals that move.
    Position {
        /// Stiffness of each spring (N/m).
        stiffness: f64,
        /// Which vertices.
        select: Option<Select>,
    },
    /// A plane that keeps vertices on one side.
    HalfSpace {
        /// Stiffness of each vertex's contact (N/m).
        stiffness: f64,
        /// A point of the plane (m).
        point: [f64; 3],
        /// Normal to the allowed side.
        normal: [f64; 3],
        /// Which vertices.
        select: Option<Select>,
    },
    /// Vertices that move as one rigid body.
    Rigid {
        /// Stiffness that keeps each vertex in place (N/m).
        stiffness: f64,
        /// Which vertices, at least two.
        select: Option<Select>,
    },
}

impl EnergySection {
    /// Its name in scene files, which is its key in the engine's list.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::EdgeSpring { .. } => "edge_spring",
            Self::TriangleStrain { .. } => "triangle_strain",
            Self::TetStrain { .. } => "tet_strain",
            Self::TriangleArea { .. } => "triangle_area",
            Self::TetVolume { .. } => "tet_volume",
            Self::ExampleLocal { .. } => "example_local",
            Self::ExampleGlobal { .. } => "example_global",
            Self::Plate { .. } => "plate",
            Self::Bending { .. } => "bending",
            Self::Hinge { .. } => "hinge",
            Self::Position { .. } => "position",
            Self::HalfSpace { .. } => "half_space",
            Self::Rigid { .. } => "rigid",
        }
    }

    /// The elements that it is for.
    pub(crate) fn select(&self) -> Option<&Select> {
        match self {
            Self::EdgeSpring { select, .. }
            | Self::TriangleStrain { select, .. }
            | Self::TetStrain { select, .. }
            | Self::TriangleArea { select, .. }
            | Self::TetVolume { select, .. }
            | Self::Hinge { select, .. }
            | Self::Position { select, .. }
            | Self::HalfSpace { select, .. }
            | Self::Rigid { select, .. } => select.as_ref(),
            Self::ExampleLocal { .. } | Self::ExampleGlobal { .. } | Self::Plate { .. } | Self::Bending { .. } => None,
        }
    }
}
