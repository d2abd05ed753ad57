//! Where everything is.

use serde::{Deserialize, Serialize};

/// Where a collider is.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Pose {
    /// Its origin \[m\].
    pub position: [f32; 3],
    /// Its rotation, a unit quaternion x, y, z, w.
    pub rotation: [f32; 4],
}

/// The surface of a fluid.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LiquidSurface {
    /// Number of the body in the layout.
    pub body: u32,
    /// Corners \[m\].
    pub positions: Vec<[f32; 3]>,
    /// Triangles, counter-clockwise from outside.
    pub triangles: Vec<[u32; 3]>,
}

/// Energies at the end of a step \[J\].
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Energies {
    /// ½ vᵀ M v.
    pub kinetic: f64,
    /// Of all that is deformed.
    pub elastic: f64,
    /// −Σ m g·x, from the height at the start.
    pub gravitational: f64,
}

/// How the last step went.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// Energies, if they are known.
    pub energies: Option<Energies>,
    /// What is left of the gradient, if the solver measures it.
    pub residual: Option<f64>,
    /// Iterations of the solver.
    pub iterations: u32,
    /// Milliseconds of the last step by phase, with their names.
    pub phases: Vec<(String, f64)>,
    /// Milliseconds of the last step in all.
    pub milliseconds: f64,
    /// Seconds of the world that really pass in one of ours, on average over about a second: below [`Controls::speed`](super::Controls::speed) when the simulation falls behind. None
    /// while it stands still.
    pub pace: Option<f64>,
    /// Largest speed of a vertex \[m/s\].
    pub top_speed: f64,
}

/// Where everything is.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Frame {
    /// Counts frames that were sent.
    pub number: u64,
    /// The layout that it is of.
    pub layout: u64,
    /// The step or the stored frame.
    pub step: u64,
    /// Time \[s\].
    pub time: f64,
    /// Position of each vertex \[m\].
    pub positions: Vec<[f32; 3]>,
    /// What the colours show, for each vertex; empty where they show bodies. The scale ends at `most`.
    pub values: Vec<f32>,
    /// The value at the end of the colour scale.
    pub most: f32,
    /// Surfaces of fluids.
    pub liquids: Vec<LiquidSurface>,
    /// Where colliders are, as the layout lists them.
    pub colliders: Vec<Pose>,
    /// How the last step went.
    pub measured: Measured,
}
