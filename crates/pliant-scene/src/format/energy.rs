//! `[[body.energy]]`: single energies on top of a material.

use schemars::JsonSchema;
use serde::Deserialize;

/// An energy over the vertices or elements of a body.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum EnergySection {
    /// Area of all triangles between bounds.
    TriangleArea {
        /// Stiffness (N/m).
        stiffness: f64,
        /// Least and largest area, as factors of the rest area; [1, 1] by default.
        bounds: Option<[f64; 2]>,
    },
    /// Volume of all tets between bounds.
    TetVolume {
        /// Stiffness (Pa).
        stiffness: f64,
        /// Least and largest volume, as factors of the rest volume; [1, 1] by default.
        bounds: Option<[f64; 2]>,
    },
    /// A plane that keeps all vertices on one side.
    HalfSpace {
        /// Stiffness of each vertex's contact (N/m).
        stiffness: f64,
        /// A point of the plane (m).
        point: [f64; 3],
        /// Normal to the allowed side.
        normal: [f64; 3],
    },
}
