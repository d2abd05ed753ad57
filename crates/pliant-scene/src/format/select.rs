//! Choosing vertices of a body.

use schemars::JsonSchema;
use serde::Deserialize;

/// Vertices of a body, selected on its rest shape after its transform.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Select {
    /// All of them.
    All,
    /// The first vertex of each strand.
    Roots,
    /// By number.
    Vertices(Vec<u32>),
    /// The vertices nearest to corners of the bounding box, seen from the front (+z).
    Corners(Vec<Corner>),
    /// Those at a side of the bounding box, within 1 % of the body's diagonal.
    Side(Side),
    /// The vertex nearest to a point (m).
    Nearest([f64; 3]),
    /// Those in an axis-aligned box (m).
    Box {
        /// Lowest corner.
        min: [f64; 3],
        /// Highest corner.
        max: [f64; 3],
    },
    /// Those in a ball (m).
    Ball {
        /// Centre.
        centre: [f64; 3],
        /// Radius.
        radius: f64,
    },
}

/// A corner of the bounding box, seen from the front; for a sheet that lies flat, top is at the back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Corner {
    /// Smallest x, largest y (or smallest z, for a flat sheet).
    TopLeft,
    /// Largest x, largest y.
    TopRight,
    /// Smallest x, smallest y.
    BottomLeft,
    /// Largest x, smallest y.
    BottomRight,
}

/// A side of the bounding box.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Side {
    /// Smallest x.
    Left,
    /// Largest x.
    Right,
    /// Smallest y.
    Bottom,
    /// Largest y.
    Top,
    /// Smallest z.
    Back,
    /// Largest z.
    Front,
}
