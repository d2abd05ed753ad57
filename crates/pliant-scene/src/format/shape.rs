//! `[body.shape.…]`: generated shapes.

use schemars::JsonSchema;
use serde::Deserialize;

use super::SolidShape;

/// The shape of a body at rest. Generated shapes are centred at the origin; y is up.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum ShapeSection {
    /// A rectangular sheet.
    Sheet {
        /// Width (m).
        width: f64,
        /// Height (m).
        height: f64,
        /// Cells along the width.
        columns: usize,
        /// Cells along the height.
        rows: usize,
        /// Upright (xy, default) or flat (xz).
        plane: Option<PlaneName>,
        /// How cells are divided into triangles; forward by default.
        diagonals: Option<DiagonalName>,
    },
    /// A round sheet.
    Disc {
        /// Radius (m).
        radius: f64,
        /// Rings.
        rings: usize,
        /// Sectors of the innermost ring.
        sectors: usize,
        /// Upright (xy, default) or flat (xz).
        plane: Option<PlaneName>,
    },
    /// A hollow ball.
    Icosphere {
        /// Radius (m).
        radius: f64,
        /// How many times each triangle is divided into four.
        subdivisions: u32,
    },
    /// A tube along y.
    Cylinder {
        /// Radius (m).
        radius: f64,
        /// Height (m).
        height: f64,
        /// Segments around the tube.
        segments: usize,
        /// Rings of cells along the height.
        rings: usize,
    },
    /// A hollow ring around y.
    Torus {
        /// Radius of the ring (m).
        major_radius: f64,
        /// Radius of the tube (m).
        minor_radius: f64,
        /// Segments around the ring.
        major_segments: usize,
        /// Segments around the tube.
        minor_segments: usize,
    },
    /// A solid box.
    Box {
        /// Size (m).
        size: [f64; 3],
        /// Cells along each side.
        cells: [usize; 3],
        /// How cells are divided into tets; kuhn by default.
        pattern: Option<TetPatternName>,
    },
    /// A rope between two points.
    Rope {
        /// One end (m).
        from: [f64; 3],
        /// The other end (m).
        to: [f64; 3],
        /// Segments.
        segments: usize,
    },
    /// A mesh from a file: OBJ, PLY, STL, glTF/GLB, Gmsh, Medit, TetGen, VTK/VTU, Vega or TressFX (.tfx,
    /// hair as lines), also gzipped.
    File {
        /// Path, relative to the scene file.
        path: String,
        /// What to use from the file: its surface (default), its tets, its lines, or tets that fill its surface. A
        /// filled surface follows the tets; pictures and exports show it.
        content: Option<ContentName>,
        /// Metres per unit of the file; 1 by default.
        metres_per_unit: Option<f64>,
        /// The axis that points up in the file; y by default.
        up: Option<UpName>,
        /// Cells along the longest side, to fill a surface with tets; 20 by default.
        cells: Option<usize>,
        /// What to do if the filling has several pieces; an error by default.
        pieces: Option<PiecesName>,
    },
    /// A solid composed of simple shapes, filled with tets.
    Sdf {
        /// The solid.
        solid: SolidShape,
        /// Cells along its longest side; 20 by default.
        cells: Option<usize>,
        /// Side of a cell (m), instead of `cells`.
        cell: Option<f64>,
        /// Cells along its longest side for a finer surface that follows the tets; none by default.
        surface_cells: Option<usize>,
        /// What to do if it has several pieces; an error by default.
        pieces: Option<PiecesName>,
    },
    /// The shape of a body from earlier in the scene, before its transform.
    Like {
        /// Name of that body.
        body: String,
    },
    /// Particles that fill a box: a block of fluid.
    Particles {
        /// Size of the box (m).
        size: [f64; 3],
        /// Distance between neighbours (m); the same for all fluids of a scene.
        spacing: f64,
    },
    /// Fluid that flows out of a round pipe with its mouth at the origin. Until then it waits in the pipe, behind the
    /// mouth.
    Emitter {
        /// Direction of the jet, of any non-zero length.
        direction: [f64; 3],
        /// Radius of the jet (m).
        radius: f64,
        /// Speed of the jet (m/s).
        speed: f64,
        /// How long it flows (s).
        duration: f64,
        /// Distance between neighbouring particles (m); the same for all fluids of a scene.
        spacing: f64,
    },
    /// Strands that grow from a flat patch.
    Bundle {
        /// Radius of the patch (m).
        radius: f64,
        /// Number of strands.
        count: usize,
        /// Direction of growth.
        direction: [f64; 3],
        /// Length of a strand (m).
        length: f64,
        /// Segments of a strand.
        segments: usize,
    },
    /// A stem with branches, upright at the origin.
    Plant {
        /// Height of the stem (m).
        height: f64,
        /// Segments of the stem; those of branches have the same length.
        segments: usize,
        /// Number of branches.
        branches: usize,
        /// Length of the lowest branch (m); the highest is half as long.
        branch_length: f64,
        /// Angle between a branch and the stem (degrees); 63 by default.
        spread: Option<f64>,
    },
    /// Hair on the upper part of a ball around the origin, perpendicular to its surface.
    Hair {
        /// Radius of the ball (m).
        radius: f64,
        /// Share of the ball's surface that has hair, from the top, up to 1; 0.5 by default.
        cover: Option<f64>,
        /// Number of strands.
        count: usize,
        /// Length of a strand along its curls (m).
        length: f64,
        /// Segments of a strand.
        segments: usize,
        /// Curls; straight by default.
        curl: Option<CurlSection>,
    },
}

/// A helix.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CurlSection {
    /// Its radius (m).
    pub radius: f64,
    /// Distance along its axis per turn (m).
    pub pitch: f64,
}

impl ShapeSection {
    /// Its name in scene files.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Sheet { .. } => "sheet",
            Self::Disc { .. } => "disc",
            Self::Icosphere { .. } => "icosphere",
            Self::Cylinder { .. } => "cylinder",
            Self::Torus { .. } => "torus",
            Self::Box { .. } => "box",
            Self::Rope { .. } => "rope",
            Self::File { .. } => "file",
            Self::Sdf { .. } => "sdf",
            Self::Like { .. } => "like",
            Self::Particles { .. } => "particles",
            Self::Emitter { .. } => "emitter",
            Self::Bundle { .. } => "bundle",
            Self::Plant { .. } => "plant",
            Self::Hair { .. } => "hair",
        }
    }
}

/// What to use from a mesh file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ContentName {
    /// Its triangles.
    #[default]
    Surface,
    /// Its tets.
    Solid,
    /// Its lines.
    Strands,
    /// Tets that fill its surface, which may have holes and overlaps.
    Fill,
}

/// What to do with a solid of several pieces. Parts that are too thin for the cells also divide a solid into pieces.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PiecesName {
    /// Report an error.
    #[default]
    Refuse,
    /// Keep all of them.
    All,
    /// Keep the one of largest volume.
    Largest,
}

/// The axis that points up in a file.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum UpName {
    /// x.
    X,
    /// y.
    #[default]
    Y,
    /// z.
    Z,
}

/// Orientation of a sheet.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PlaneName {
    /// Upright.
    #[default]
    Xy,
    /// Flat.
    Xz,
}

/// How cells of a sheet are divided into triangles.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DiagonalName {
    /// All along one diagonal.
    #[default]
    Forward,
    /// All along the other diagonal.
    Backward,
    /// Alternating from cell to cell.
    Alternating,
    /// Into four triangles, with a vertex in the middle.
    Cross,
}

/// How cells of a box are divided into tets.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TetPatternName {
    /// Six tets.
    #[default]
    Kuhn,
    /// Five tets, mirrored from cell to cell.
    Five,
    /// Twelve tets around the centre.
    BodyCentred,
}
