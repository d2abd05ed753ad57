//! `[[body.energy]]`: energies in addition to a material, with the names that reports use.

use schemars::JsonSchema;
use serde::Deserialize;

use super::{ClothFibres, PoseSection, Select, SolidFibres};

/// An energy on the vertices or elements of a body. With `select`, it acts on the elements that have all their vertices
/// selected; without it, on all of them.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum EnergySection {
    /// Springs along all edges.
    EdgeSpring {
        /// Stiffness of each spring (N/m). Give this or `axial_stiffness`.
        stiffness: Option<f64>,
        /// Axial stiffness (N): a spring of length l has this stiffness divided by l, so the result does not depend on
        /// the resolution.
        axial_stiffness: Option<f64>,
        /// Smallest and largest length without force, as factors of the rest length; [1, 1] by default.
        limits: Option<[f64; 2]>,
        /// The edges.
        select: Option<Select>,
    },
    /// Strain of triangles.
    TriangleStrain {
        /// Young's modulus × thickness (N/m).
        stiffness: f64,
        /// Smallest and largest stretch without force; [1, 1] by default.
        limits: Option<[f64; 2]>,
        /// Limits along warp and weft, instead of `limits`, which are the same in all directions.
        fibres: Option<ClothFibres>,
        /// The triangles.
        select: Option<Select>,
    },
    /// Strain of tets.
    TetStrain {
        /// Stiffness (Pa).
        stiffness: f64,
        /// Smallest and largest stretch without force; [1, 1] by default.
        limits: Option<[f64; 2]>,
        /// Limits along three directions, instead of `limits`, which are the same in all directions.
        fibres: Option<SolidFibres>,
        /// The tets.
        select: Option<Select>,
    },
    /// Keeps the area of triangles within bounds.
    TriangleArea {
        /// Stiffness (N/m).
        stiffness: f64,
        /// Smallest and largest area, as factors of the rest area; [1, 1] by default.
        bounds: Option<[f64; 2]>,
        /// The triangles.
        select: Option<Select>,
    },
    /// Keeps the volume of tets within bounds.
    TetVolume {
        /// Stiffness (Pa).
        stiffness: f64,
        /// Smallest and largest volume, as factors of the rest volume; [1, 1] by default.
        bounds: Option<[f64; 2]>,
        /// The tets.
        select: Option<Select>,
    },
    /// Pulls tets towards blends of example poses; each tet has its own weights.
    ExampleLocal {
        /// Stiffness (Pa).
        stiffness: f64,
        /// The poses, besides the rest shape; at most 16.
        pose: Vec<PoseSection>,
    },
    /// Pulls tets towards blends of example poses, with one set of weights for the whole body.
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
    /// Bending by the mean curvature at all interior vertices of a surface.
    Bending {
        /// Bending stiffness (N·m).
        stiffness: f64,
    },
    /// Bending by the angles between triangles.
    Hinge {
        /// Bending stiffness of the sheet (N·m).
        stiffness: f64,
        /// Rest angle (°) of all hinges; that of the rest shape by default.
        degrees: Option<f64>,
        /// The pairs of triangles.
        select: Option<Select>,
    },
    /// Springs that pull vertices to their rest positions; see `handle` for goals that move.
    Position {
        /// Stiffness of each spring (N/m).
        stiffness: f64,
        /// The vertices.
        select: Option<Select>,
    },
    /// A spring that pulls the mean of vertices to where it is at rest.
    Average {
        /// Stiffness of the spring (N/m).
        stiffness: f64,
        /// The vertices.
        select: Option<Select>,
    },
    /// A plane that keeps vertices on one side.
    HalfSpace {
        /// Stiffness of each vertex's contact (N/m).
        stiffness: f64,
        /// A point of the plane (m).
        point: [f64; 3],
        /// Normal that points to the allowed side.
        normal: [f64; 3],
        /// The vertices.
        select: Option<Select>,
    },
    /// Vertices that move as one rigid body.
    Rigid {
        /// Stiffness that keeps each vertex in place (N/m).
        stiffness: f64,
        /// The vertices, at least two.
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
            Self::Average { .. } => "average",
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
            | Self::Average { select, .. }
            | Self::HalfSpace { select, .. }
            | Self::Rigid { select, .. } => select.as_ref(),
            Self::ExampleLocal { .. } | Self::ExampleGlobal { .. } | Self::Plate { .. } | Self::Bending { .. } => None,
        }
    }
}
