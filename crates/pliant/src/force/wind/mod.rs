//! Wind: drag of moving air on surfaces, strands and oriented particles, with turbulence.
//!
//! | file | holds |
//! |---|---|
//! | `drag` | forces of the air on bodies |
//! | `turbulence` | eddies that the mean wind carries along |

mod drag;
mod turbulence;

pub(crate) use drag::Drag;
pub use turbulence::Turbulence;

use crate::math::Vec3;

/// Wind, which acts on surfaces, strands and oriented particles.
///
/// ```
/// use pliant::prelude::*;
/// let breeze = Wind { turbulence: Turbulence { strength: 0.3, ..Turbulence::default() }, ..Wind::new(Vec3::X * 5.0) };
/// let rope = rope(Vec3::ZERO, Vec3::new(0.0, -1.0, 0.0), 8)?;
/// let rope = Body::strands(&rope, &StrandMaterial::default())?.pin([0]);
/// let mut sim = Simulation::builder().body(rope).wind(breeze).build()?;
/// sim.step()?;
/// assert!(sim.positions()[8].x > 0.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Wind {
    /// Mean velocity of the air \[m/s\].
    pub velocity: Vec3,
    /// Density of the air \[kg/m³\].
    pub air_density: f64,
    /// Drag coefficient of a plate across the flow, about 1.
    pub drag: f64,
    /// Drag coefficient of a round strand for flow across it, relative to its width × length; about 1.1, and more for
    /// hair in a breeze.
    pub strand_drag: f64,
    /// The same for flow along the strand: friction, a few hundredths.
    pub strand_friction: f64,
    /// Turbulence; none by default.
    pub turbulence: Turbulence,
}

impl Wind {
    /// Air at sea level with a velocity \[m/s\], without turbulence.
    pub fn new(velocity: Vec3) -> Self {
        Self {
            velocity,
            air_density: 1.2,
            drag: 1.0,
            strand_drag: 1.1,
            strand_friction: 0.05,
            turbulence: Turbulence::default(),
        }
    }

    /// The first number that is out of range: its name, the number, what is needed.
    pub(crate) fn problem(&self) -> Option<(&'static str, f64, &'static str)> {
        let Turbulence { strength, length, seed: _ } = self.turbulence;
        let checks = [
            ("wind velocity", self.velocity.length(), "finite", true),
            ("air density", self.air_density, "at least 0", self.air_density >= 0.0),
            ("wind drag", self.drag, "at least 0", self.drag >= 0.0),
            ("drag of strands", self.strand_drag, "at least 0", self.strand_drag >= 0.0),
            ("friction of strands", self.strand_friction, "at least 0", self.strand_friction >= 0.0),
            ("strength of turbulence", strength, "at least 0", strength >= 0.0),
            ("length of turbulence", length, "positive and finite", length > 0.0),
        ];
        let bad = checks.into_iter().find(|&(_, value, _, holds)| !(holds && value.is_finite()));
        bad.map(|(name, value, need, _)| (name, value, need))
    }
}
