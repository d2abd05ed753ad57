//! `tear` of a body, and `[[cut]]`.

use schemars::JsonSchema;
use serde::Deserialize;

use super::Select;

/// How a body tears. Give `stretch` or `force`.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TearSection {
    /// Largest principal stretch that it bears, above 1: 1.3 tears at 30 % of strain.
    pub stretch: Option<f64>,
    /// Largest principal force that it bears: per length of cloth (N/m), per area of a solid (Pa), in all for strands (N).
    pub force: Option<f64>,
    /// Its parts bear more or less than that by up to this share, at random but always the same; 0 to below 1, 0 by default.
    #[serde(default)]
    pub noise: f64,
    /// Which random numbers; 0 by default.
    #[serde(default)]
    pub seed: u64,
    /// Weaker lines of a sheet.
    #[serde(default)]
    pub seam: Vec<SeamSection>,
    /// Most vertices that are torn open in a step; 8 by default.
    pub splits_per_step: Option<usize>,
}

/// A line along which a sheet is weaker or stronger.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SeamSection {
    /// Edges between these vertices are the seam.
    pub select: Select,
    /// Factor on what it bears across.
    pub strength: f64,
}

/// A cut through a cloth at a moment. Give `plane` or `polyline`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CutSection {
    /// Name of the body.
    pub body: String,
    /// When (s).
    pub time: f64,
    /// Cuts everything on one side from everything on the other.
    pub plane: Option<PlaneCut>,
    /// Cuts along segments; where they end inside the sheet, they leave a slit.
    pub polyline: Option<PolylineCut>,
    /// Where the cut is measured; now by default.
    #[serde(default)]
    pub space: CutSpace,
}

/// A plane to cut along.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlaneCut {
    /// A point of it (m).
    pub point: [f64; 3],
    /// Its normal; any length but zero.
    pub normal: [f64; 3],
}

/// Segments to cut along.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PolylineCut {
    /// At least two points (m).
    pub points: Vec<[f64; 3]>,
    /// Along which the blade stands, such as through the sheet; any length but zero.
    pub direction: [f64; 3],
}

/// Where a cut is measured.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CutSpace {
    /// Where the body is at that moment.
    #[default]
    Now,
    /// On its rest shape.
    Rest,
}
