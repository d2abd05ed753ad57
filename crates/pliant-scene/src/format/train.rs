//! `body.upsample` and `[train]`: detail that is learnt from fine simulations.

use schemars::JsonSchema;
use serde::Deserialize;

use super::{ClothSection, SolverSection};

/// A finer surface that follows this one, with detail from a model that `pliant train` has learnt. Give `levels` or `fine`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UpsampleSection {
    /// How many times each triangle is divided into four, 1 to 6, by Loop subdivision.
    pub levels: Option<u32>,
    /// A file with a fine mesh that lies on the body's own, in the same coordinates as the body where it is placed.
    pub fine: Option<String>,
    /// The model, a file; without one the surface is smooth.
    pub model: Option<String>,
    /// Distance that the surface keeps from colliders (m): what a model puts into them is pushed out. Without this key it is
    /// left where it is.
    pub thickness: Option<f64>,
    /// Whether a GPU shows the surface, to the rounding of single precision; false by default.
    pub gpu: Option<bool>,
}

/// How `pliant train` learns the detail of the body with `upsample`: a fine cloth follows the coarse one by averages of its
/// positions, and is free in its detail.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TrainSection {
    /// The motions: those to learn from, at least one, and those that are held out to measure the error on.
    #[serde(default)]
    pub motion: Vec<TrainMotionSection>,
    /// The methods to learn by; all of them by default.
    pub methods: Option<Vec<UpsampleMethodName>>,
    /// Cloth of the fine simulation; that of the body by default.
    pub cloth: Option<ClothSection>,
    /// Solver of the fine simulation; that of the scene by default.
    pub solver: Option<SolverSection>,
    /// How stiffly averages of the fine cloth follow the coarse one, as a multiple of their mass over the square of the time
    /// step, 1 to 1e8; 1e4 by default.
    pub tracking: Option<f64>,
    /// Frames at the start of each motion that are not learnt from, and not measured on, in which the cloth comes to rest: carried
    /// and random movements begin after them. 0 by default.
    pub skip: Option<u32>,
    /// Largest number of example poses of the method wpsd, 1 to 64; 6 by default.
    pub poses: Option<usize>,
    /// Weight of small coefficients in the least squares of the method pdm; 1e-3 by default. Larger values are safer in motions
    /// that are unlike those learnt from.
    pub pdm_regularisation: Option<f64>,
    /// Weight of staying near subdivision in the least squares of the method piu; 1e-2 by default.
    pub piu_regularisation: Option<f64>,
    /// Number of oscillations of the method piu, 0 to 32; 0 by default.
    pub piu_modes: Option<usize>,
}

/// A motion of the scene.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TrainMotionSection {
    /// Its name: letters, digits, - and _.
    pub name: String,
    /// Whether nothing is learnt from it, and the error is measured on it; false by default.
    #[serde(default)]
    pub held_out: bool,
    /// Number of frames; that of the scene by default.
    pub frames: Option<u32>,
    /// What differs from the scene, as "path=value", such as "world.wind.velocity=[5, 0, 0]".
    #[serde(default)]
    pub set: Vec<String>,
    /// Movements that carry pins, handles and colliders along, all of them together; planes and heightfields stay. Turns come
    /// first, in the order of the list.
    #[serde(default)]
    pub carry: Vec<CarrySection>,
    /// Random forces, and random movements of pins and handles.
    pub random: Option<RandomSection>,
}

/// To and fro, or on and on at a constant rate; either begins gently.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CarrySection {
    /// Largest displacement (m), or displacement in a second without a period; none by default.
    #[serde(default)]
    pub translate: [f64; 3],
    /// Largest angle (°), or angle in a second without a period; 0 by default.
    #[serde(default)]
    pub degrees: f64,
    /// Axis that it turns about, of any non-zero length; [0, 1, 0] by default.
    pub axis: Option<[f64; 3]>,
    /// A point on the axis at the start (m); the origin by default.
    #[serde(default)]
    pub about: [f64; 3],
    /// Time of a movement to and fro (s); without it, the movement goes on and on.
    pub period: Option<f64>,
    /// Share of the period, from 0 to 1, by which it is ahead; 0 by default.
    #[serde(default)]
    pub phase: f64,
}

/// Smooth random courses, the same in every run.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RandomSection {
    /// Number that the courses come from; 0 by default.
    #[serde(default)]
    pub seed: u64,
    /// How fast they change: their shortest period (s).
    pub period: f64,
    /// Root mean square of the acceleration by forces (m/s²); none by default. Forces differ over distances of half the body's
    /// size.
    pub acceleration: Option<f64>,
    /// Root mean square of the displacement of each set of pins and handles (m); none by default.
    pub translation: Option<f64>,
    /// Root mean square of the angle that each set of pins and handles turns by about its middle (°); none by default.
    pub degrees: Option<f64>,
}

/// How detail follows from coarse motion.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum UpsampleMethodName {
    /// Weighted pose-space deformation: blends of example poses by the strain nearby.
    Wpsd,
    /// Polynomial displacement maps: each vertex has a polynomial of the strain nearby.
    Pdm,
    /// Physics-inspired upsampling: fine positions are linear in coarse ones.
    Piu,
}
