//! `[self_collision]`.

use schemars::JsonSchema;
use serde::Deserialize;

/// Surfaces and strands do not pass through each other or themselves. Without this table they do.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SelfCollisionSection {
    /// Distance that layers keep (m), at least 1e-9; 0.002 by default.
    pub thickness: Option<f64>,
    /// Coulomb's coefficient of friction between layers; 0.3 by default.
    pub friction: Option<f64>,
    /// Weight of a contact relative to the inertia of what touches; 50 by default.
    pub stiffness: Option<f64>,
    /// Most rounds of solving and truncating in a step; 3 by default.
    pub rounds: Option<usize>,
    /// Whether a start with intersections is brought free of them by moving vertices that are not pinned; by default it is refused.
    pub untangle: Option<bool>,
}
