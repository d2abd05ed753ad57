//! `[self_collision]`.

use schemars::JsonSchema;
use serde::Deserialize;

/// Keeps surfaces and strands from passing through each other and themselves. Without this table they can.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SelfCollisionSection {
    /// Distance that layers keep (m), at least 1e-9; 0.002 by default.
    pub thickness: Option<f64>,
    /// Coulomb's coefficient of friction between layers; 0.3 by default.
    pub friction: Option<f64>,
    /// Weight of a contact relative to the inertia of the touching vertices; 50 by default.
    pub stiffness: Option<f64>,
    /// Maximum number of rounds of solving and truncating in a step; 3 by default.
    pub rounds: Option<usize>,
    /// Whether intersections at the start are removed by moving vertices that are not pinned; by default they are an error.
    pub untangle: Option<bool>,
}
