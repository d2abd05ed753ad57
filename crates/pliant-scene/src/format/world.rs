//! `[world]`.

use schemars::JsonSchema;
use serde::Deserialize;

/// Time, gravity, wind and damping.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WorldSection {
    /// Frames per second of the result (1/s); 60 by default.
    pub frame_rate: Option<f64>,
    /// Number of equal steps per frame, 1 to 10000; one by default, or as many as the solver `auto` chooses. Moving
    /// pins and colliders are updated at each of them. Two to four resolve fast motion that a single step would damp.
    pub substeps: Option<u32>,
    /// Frames to simulate; 120 by default.
    pub frames: Option<u32>,
    /// Acceleration of free fall (m/s²); [0, -9.81, 0] by default.
    pub gravity: Option<[f64; 3]>,
    /// Time integrator. By default `solver.auto` chooses it: bdf2 for worlds that contain only solids and have no
    /// self-collision. With every other solver the default is implicit-euler.
    pub integrator: Option<IntegratorName>,
    /// Wind; none by default.
    pub wind: Option<WindSection>,
    /// Damping; none by default.
    pub damping: Option<DampingSection>,
}

impl WorldSection {
    /// This section with the values of another on top.
    pub(crate) fn overlaid(self, above: Self) -> Self {
        Self {
            frame_rate: above.frame_rate.or(self.frame_rate),
            substeps: above.substeps.or(self.substeps),
            frames: above.frames.or(self.frames),
            gravity: above.gravity.or(self.gravity),
            integrator: above.integrator.or(self.integrator),
            wind: above.wind.or(self.wind),
            damping: above.damping.or(self.damping),
        }
    }
}

/// The time integrator.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum IntegratorName {
    /// First order, most robust.
    ImplicitEuler,
    /// Second order, two-step.
    Bdf2,
    /// Second order, two stages; little damping of slow motion.
    TrBdf2,
    /// Second order, conserves energy; oscillates in stiff scenes.
    ImplicitMidpoint,
    /// BDF2 that gives back the energy that it loses: bodies ring on until something touches them.
    EnergyKeeping,
}

/// Wind, which acts on surfaces, strands and oriented particles. Give `velocity` or `keyframe`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WindSection {
    /// Velocity of the air (m/s).
    pub velocity: Option<[f64; 3]>,
    /// How the velocity changes over time.
    #[serde(default)]
    pub keyframe: Vec<WindKeyframe>,
    /// Gusts: the velocity rises and falls periodically.
    pub gust: Option<GustSection>,
    /// Density of the air (kg/m³); 1.2 by default.
    pub air_density: Option<f64>,
    /// Drag coefficient of surfaces; 1 by default.
    pub drag: Option<f64>,
    /// Drag coefficient of strands for flow across them, relative to their width × length; 1.1 by default.
    pub strand_drag: Option<f64>,
    /// The same for flow along them; 0.05 by default.
    pub strand_friction: Option<f64>,
    /// Turbulence; none by default.
    pub turbulence: Option<TurbulenceSection>,
}

/// Eddies that the wind carries along: smooth and divergence-free.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TurbulenceSection {
    /// Root mean square of each component of the eddies' velocity, as a share of the wind's speed: 0.1 over open water, 0.3 among houses.
    pub strength: f64,
    /// Size of the largest eddies (m); 1 by default. The smallest have a sixth of this size.
    pub length: Option<f64>,
    /// Seed of the eddies; 0 by default.
    pub seed: Option<u64>,
}

/// A velocity at a time. Velocities are interpolated between keyframes, and constant before the first and after the last.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WindKeyframe {
    /// Time (s).
    pub time: f64,
    /// Velocity of the air (m/s).
    pub velocity: [f64; 3],
}

/// The velocity is multiplied by 1 + strength · sin(2π time / period).
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GustSection {
    /// Amplitude, as a share of the velocity.
    pub strength: f64,
    /// Time from gust to gust (s).
    pub period: f64,
}

/// Damping rates.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DampingSection {
    /// Decay of all motion (1/s).
    pub drag: Option<f64>,
    /// Decay of all motion that is not rigid (1/s).
    pub deformation: Option<f64>,
    /// Stiffness-proportional damping (s).
    pub stiffness: Option<f64>,
    /// Decay of the rate at which edges become longer or shorter, edge by edge (1/s).
    pub spring: Option<f64>,
    /// Decay of motion towards and away from the centre of mass of each cluster (1/s).
    pub radial: Option<f64>,
    /// Approximate number of vertices in a cluster; 0, the default, means whole bodies.
    pub cluster: Option<usize>,
}
