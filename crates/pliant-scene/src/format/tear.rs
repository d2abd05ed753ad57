//! `tear` of a body, and `[[cut]]`.

use schemars::JsonSchema;
use serde::Deserialize;

use super::Select;

/// How a body tears. Give `stretch` or `force`.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TearSection {
    /// Largest principal stretch that it withstands, above 1: with 1.3 it tears at a strain of 30 %.
    pub stretch: Option<f64>,
    /// Largest principal force that it withstands: per length for cloth (N/m), per area for solids (Pa), in total for
    /// strands (N).
    pub force: Option<f64>,
    /// Random variation of the strength by up to this share, the same in every run; 0 to below 1, 0 by default.
    #[serde(default)]
    pub noise: f64,
    /// Seed of the variation; 0 by default.
    #[serde(default)]
    pub seed: u64,
    /// Seams: lines along which a sheet is weaker or stronger.
    #[serde(default)]
    pub seam: Vec<SeamSection>,
    /// Maximum number of vertices that tear in a step; 8 by default.
    pub splits_per_step: Option<usize>,
}

/// A line along which a sheet is weaker or stronger.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SeamSection {
    /// The edges between these vertices form the seam.
    pub select: Select,
    /// Factor on the strength across the seam.
    pub strength: f64,
}

/// A cut through a cloth at a given time. Give `plane` or `polyline`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CutSection {
    /// Name of the body.
    pub body: String,
    /// Time of the cut (s).
    pub time: f64,
    /// Separates everything on one side of a plane from everything on the other.
    pub plane: Option<PlaneCut>,
    /// Cuts along segments; segments that end inside the sheet leave a slit.
    pub polyline: Option<PolylineCut>,
    /// The shape to which the cut refers; now by default.
    #[serde(default)]
    pub space: CutSpace,
}

/// A plane to cut along.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlaneCut {
    /// A point on the plane (m).
    pub point: [f64; 3],
    /// Its normal, of any non-zero length.
    pub normal: [f64; 3],
}

/// Segments to cut along.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PolylineCut {
    /// At least two points (m).
    pub points: Vec<[f64; 3]>,
    /// Direction of the blade, usually through the sheet, of any non-zero length.
    pub direction: [f64; 3],
}

/// The shape to which a cut refers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CutSpace {
    /// The shape of the body at that time.
    #[default]
    Now,
    /// Its rest shape.
    Rest,
}
