//! Parameters of a fluid.

use crate::world::error::ModelError;

/// Radius of the kernel over the spacing of particles. With less, densities depend on how particles happen to lie; with more, each has more
/// neighbours: 44 at 2.2, 65 at 2.5.
pub(crate) const KERNEL: f64 = 2.2;

/// A fluid: a liquid that keeps its density, with a free surface.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct FluidMaterial {
    /// Rest density ρ₀ \[kg/m³\].
    pub density: f64,
    /// Distance between particles at rest \[m\]: each stands for a cube of this width. It is the same for all fluids of
    /// a world.
    pub spacing: f64,
    /// Kinematic viscosity ν \[m²/s\]. Motion that particles of this size cannot resolve needs some viscosity: with far
    /// less than the default, fluid does not come to rest. A step mixes velocities only to a limited degree, so more
    /// than ν = 0.05 spacing²/h has no effect.
    pub viscosity: f64,
    /// Vorticity confinement ε \[m/s\]: vortices are driven by ε times their curl. It keeps small vortices alive, but
    /// does not conserve momentum.
    pub vorticity: f64,
    /// Artificial pressure between particles that come closer than they do at rest, as a share of the density (k of s_corr in
    /// [Macklin 2013, eq. 13]): it keeps them from clumping.
    pub separation: f64,
}

impl Default for FluidMaterial {
    /// Water in particles of 2 cm.
    fn default() -> Self {
        Self { density: 1000.0, spacing: 0.02, viscosity: 1e-3, vorticity: 0.0, separation: 1e-3 }
    }
}

impl FluidMaterial {
    /// Mass of a particle \[kg\].
    pub fn particle_mass(&self) -> f64 {
        self.density * self.spacing.powi(3)
    }

    pub(crate) fn check(&self) -> Result<(), ModelError> {
        let Self { density, spacing, viscosity, vorticity, separation } = *self;
        for (name, value, need, holds) in [
            ("density of the fluid", density, "positive", density > 0.0),
            ("spacing of the fluid", spacing, "positive", spacing > 0.0),
            ("viscosity of the fluid", viscosity, "at least 0", viscosity >= 0.0),
            ("vorticity of the fluid", vorticity, "at least 0", vorticity >= 0.0),
            ("separation of the fluid", separation, "0 to 0.1", (0.0..=0.1).contains(&separation)),
        ] {
            if !(holds && value.is_finite()) {
                return Err(ModelError::BadParameter { name, value, need });
            }
        }
        Ok(())
    }
}
