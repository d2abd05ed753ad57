//! What sliders set, and where they stand.

use serde::{Deserialize, Serialize};

/// Which method solves the world.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum SolverKind {
    /// What suits the world.
    Auto,
    /// Local/global iterations with a constant matrix.
    Projective,
    /// Newton's method with two metrics.
    TwoMetric,
    /// Newton's method, exact.
    Newton,
    /// Position-based dynamics.
    PositionBased,
    /// What the scene asks for, where that is none of these or has parameters of its own.
    Scene,
}

impl SolverKind {
    /// All of them, as a menu lists them.
    pub const ALL: [Self; 6] =
        [Self::Scene, Self::Auto, Self::Projective, Self::TwoMetric, Self::Newton, Self::PositionBased];

    /// Its name in a menu.
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "what suits the world",
            Self::Projective => "projective dynamics",
            Self::TwoMetric => "two-metric Newton",
            Self::Newton => "Newton, exact",
            Self::PositionBased => "position-based",
            Self::Scene => "as the scene says",
        }
    }
}

/// A slider that was moved.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Change {
    /// Gravity \[m/s²\].
    Gravity([f64; 3]),
    /// Velocity of the wind \[m/s\]; zero is calm.
    Wind([f64; 3]),
    /// The solver.
    Solver(SolverKind),
    /// Iterations of the solver at most; refused where it has none.
    Iterations(u32),
    /// Steps that a step is divided into.
    Substeps(u32),
    /// How stiff a body is, as a multiple of what the scene says.
    Stiffness {
        /// Name of the body.
        body: String,
        /// 1 at first.
        factor: f64,
    },
    /// How hard the hand pulls, as a multiple of the usual.
    Grip(f64),
}

/// Where all sliders stand, and which of them there are.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Controls {
    /// Whether it runs.
    pub playing: bool,
    /// Seconds of the world in one second of ours.
    pub speed: f64,
    /// Gravity \[m/s²\].
    pub gravity: [f64; 3],
    /// Velocity of the wind \[m/s\]; none where nothing catches it.
    pub wind: Option<[f64; 3]>,
    /// The solver, and those that support this world; none in a stored run.
    pub solver: Option<(SolverKind, Vec<SolverKind>)>,
    /// The solver in words, with its parameters.
    pub solver_text: String,
    /// Its iterations at most, if it has such a number.
    pub iterations: Option<u32>,
    /// Steps that a step is divided into.
    pub substeps: u32,
    /// Bodies with something to set.
    pub bodies: Vec<BodyControls>,
    /// How hard the hand pulls, as a multiple of the usual.
    pub grip: f64,
    /// What colours show.
    pub coloring: super::Coloring,
    /// Whether cloth can be cut, things dropped in, and vertices dragged: not in a stored run.
    pub is_touchable: bool,
}

/// What can be set of a body.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BodyControls {
    /// Its name.
    pub name: String,
    /// How stiff it is, as a multiple of what the scene says; none where that cannot be changed.
    pub stiffness: Option<f64>,
}
