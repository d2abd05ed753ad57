//! `[strain_limiting]`.

use schemars::JsonSchema;
use serde::Deserialize;

/// What is stretched too far is taken back at the end of each step, after any solver.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StrainLimitingSection {
    /// Largest stretch, length over rest length: 1.05 for 5 %.
    pub most: f64,
    /// Least stretch, with edges and principal; 0 by default.
    pub least: Option<f64>,
    /// How; global by default.
    pub method: Option<LimitMethodSection>,
}

/// How strain is limited.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum LimitMethodSection {
    /// Each edge in turn.
    Edges {
        /// Rounds.
        iterations: usize,
    },
    /// Each triangle, tet or segment in turn, by its principal stretches.
    Principal {
        /// Rounds.
        iterations: usize,
    },
    /// Edges between few vertices first, then between more and more.
    Hierarchy {
        /// Most levels above the mesh; 8 by default.
        levels: Option<usize>,
        /// Rounds on each level.
        iterations: usize,
    },
    /// All edges together, to a tolerance.
    Global {
        /// Most linear solves; 200 by default.
        iterations: Option<usize>,
        /// Stretch beyond the limit that is let pass; 0.0001 by default.
        tolerance: Option<f64>,
    },
}
