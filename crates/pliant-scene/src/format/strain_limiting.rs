//! `[strain_limiting]`.

use schemars::JsonSchema;
use serde::Deserialize;

/// Limits how far bodies stretch, at the end of each step and after any solver.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StrainLimitingSection {
    /// Largest stretch, length over rest length: 1.05 for 5 %.
    pub most: f64,
    /// Smallest stretch, for the methods edges and principal; 0 by default.
    pub least: Option<f64>,
    /// The method; global by default.
    pub method: Option<LimitMethodSection>,
}

/// How strain is limited.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum LimitMethodSection {
    /// One edge after the other.
    Edges {
        /// Number of rounds.
        iterations: usize,
    },
    /// The principal stretches of one triangle, tet or segment after the other.
    Principal {
        /// Number of rounds.
        iterations: usize,
    },
    /// Edges of a coarse level of few vertices first, then those of finer and finer levels.
    Hierarchy {
        /// Maximum number of levels above the mesh; 8 by default.
        levels: Option<usize>,
        /// Number of rounds on each level.
        iterations: usize,
    },
    /// All edges together, to a tolerance.
    Global {
        /// Maximum number of linear solves; 200 by default.
        iterations: Option<usize>,
        /// Stretch beyond the limit that is accepted; 0.0001 by default.
        tolerance: Option<f64>,
    },
}
