//! Shape matching [Müller 2005; Bargteil & Jones 2014; Bender 2014, §4]: the rest shape of each region is moved rigidly
//! to where it fits best, and the region is pulled back to it.
//!
//! | file | does |
//! |---|---|
//! | `matter` | shape matching as the matter of a body, and the motion of all such bodies during a step |
//! | `regions` | which particles are matched together |
//! | `clusters` | regions around centres: random, balanced, of several sizes |
//! | `lattice` | regions of regular lattices; the time of their sums does not depend on their width |
//! | `octree` | lattices of cells of several sizes |
//! | `paths` | rings on meshes; the time of their sums grows with their width, not with its square |
//! | `runs` | sums over regions that are runs of particles in an order |
//! | `chains` | regions along strands, which use the same runs |
//! | `skin` | surfaces that follow the particles of lattices and octrees |
//! | `sums` | sums over regions, from particles to regions and back |
//! | `fit` | where the rest shape of each region fits best: rotations, linear and quadratic modes |
//! | `members` | the same for regions in lists, a vector of particles at a time |
//! | `quadratic` | regions that bend and twist without resistance |
//! | `damping` | how regions move as wholes |
//! | `goals` | goals of particles, from the fits of their regions |
//! | `reaction` | how a body answers when particles reach their limits |
//! | `plasticity` | plastic deformation of regions |
//! | `fracture` | regions that break |
//! | `volume` | volume conservation for closed surfaces |
//! | `cloth` | cloth with small regions of its triangles, a separate method |
//!
//! Add it to a body with [`Body::with_matching`](crate::Body::with_matching). The position-based solver follows
//! [Bargteil & Jones 2014, Algorithm 1]: a spring to the goals is integrated explicitly, so that small strains
//! oscillate as they should; its iterations then only limit strain.
//! Departure: a particle in nᵢ regions has the mass
//! mᵢ/nᵢ in each, in centres and moments alike [Rivers & James 2007], so that springs conserve momentum and angular
//! momentum; bodies answer to limits (`reaction`), so that these conserve momentum as well.

mod chains;
mod cloth;
mod clusters;
mod damping;
mod fit;
mod fracture;
mod goals;
mod lattice;
mod matter;
mod members;
mod octree;
mod paths;
mod plasticity;
mod quadratic;
mod reaction;
mod regions;
mod runs;
mod skin;
mod sums;
#[cfg(test)]
mod tests;
mod volume;

use std::f64::consts::{FRAC_PI_3, PI, TAU};

pub(crate) use cloth::INFO as CLOTH_INFO;
pub use cloth::{ClothMatching, ClothMatchingError};
pub use fracture::Break;
pub use lattice::{Lattice, Link};
pub(crate) use matter::INFO;
pub use octree::{Octree, OctreeCell};
pub use plasticity::Plasticity;
pub use regions::{RegionError, Regions};
pub use skin::MatchedSkin;
pub use volume::VolumeConservation;

use crate::math::functions::{acos, sin};
use crate::matter::StepView;

/// Shape matching of a body.
///
/// ```
/// use pliant::mesh::generate::particle_block;
/// use pliant::prelude::*;
/// let points = particle_block(Vec3::splat(0.5), 0.1)?;
/// let regions = Regions::balanced(&points.positions, 0.2)?;
/// let jelly = Matching { spring: Spring::Frequency(4.0), limit: Some(0.2), ..Matching::new(regions) };
/// let cube = Body::points(&points, 0.01).with_matching(jelly);
/// let ground = Collider::new(Shape::Plane).at(Vec3::NEG_Y * 0.5);
/// let solver = PositionBasedParams { iterations: 4, ..PositionBasedParams::default() };
/// let mut sim = Simulation::builder().body(cube).collider(ground).solver(solver).build()?;
/// for _ in 0..60 {
///     sim.step()?;
/// }
/// assert!(sim.positions().iter().all(|p| p.y > -0.51), "it lies on the ground");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Matching {
    /// Which particles are matched together: larger regions make the body stiffer.
    pub regions: Regions,
    /// The spring that pulls particles to their goals.
    pub spring: Spring,
    /// Rate at which motion decays, except that of whole regions \[1/s\].
    pub damping: f64,
    /// γ: how far a particle may be from its goal in a region, as a share of the region's half-width. With 0, it is
    /// limited to the shape itself; with none, only the spring acts, which is the method of [Müller 2005]. On lattices
    /// and paths it is how far a particle may be from the mean of its goals.
    pub limit: Option<f64>,
    /// ω: factor on movements towards the limit, below 2; above 1 iterations converge faster.
    pub relaxation: f64,
    /// Deformations that regions do not resist.
    pub modes: Modes,
    /// Plastic deformation of regions, if any.
    pub plasticity: Option<Plasticity>,
    /// The elastic strain beyond which regions break: by how much the largest stretch of a region, or of a link between
    /// neighbours on a lattice, is above 1. [`Simulation::pieces`](crate::Simulation::pieces) returns the connected
    /// pieces.
    pub toughness: Option<f64>,
    /// Volume conservation, if any. The body must have a closed surface, and must not break.
    pub volume: Option<VolumeConservation>,
}

impl Matching {
    /// Parameters with a spring of share 0.3 and strain limited to 0.3.
    pub fn new(regions: Regions) -> Self {
        Self {
            regions,
            spring: Spring::Share(0.3),
            damping: 0.0,
            limit: Some(0.3),
            relaxation: 1.0,
            modes: Modes::Rigid,
            plasticity: None,
            toughness: None,
            volume: None,
        }
    }

    /// The first parameter that is out of range, if any: name, value, what is needed.
    pub fn problem(&self) -> Option<(&'static str, f64, &'static str)> {
        let positive = |value: f64| value >= 0.0 && value.is_finite();
        let beta = match self.modes {
            Modes::Rigid => 0.0,
            Modes::Linear(beta) | Modes::Quadratic(beta) => beta,
        };
        let is_unlisted = matches!(self.modes, Modes::Quadratic(_)) && !self.regions.are_listed();
        let (spring, spring_holds, need) = match self.spring {
            Spring::Share(alpha) => (alpha, (0.0..=1.0).contains(&alpha), "0 to 1"),
            Spring::Frequency(hertz) => (hertz, positive(hertz), "finite and at least 0"),
        };
        let checks = [
            ("spring of matching", spring, spring_holds, need),
            ("damping of matching", self.damping, positive(self.damping), "finite and at least 0"),
            ("limit of matching", self.limit.unwrap_or(0.0), self.limit.is_none_or(positive), "finite and at least 0"),
            (
                "relaxation of matching",
                self.relaxation,
                self.relaxation > 0.0 && self.relaxation < 2.0,
                "above 0 and below 2",
            ),
            ("toughness of matching", self.toughness.unwrap_or(1.0), self.toughness.is_none_or(|t| t > 0.0), "above 0"),
            ("share of modes", beta, (0.0..=1.0).contains(&beta), "0 to 1"),
            (
                "share of quadratic modes",
                beta,
                !is_unlisted,
                "that of regions in lists, not of a lattice, of paths or of chains",
            ),
        ];
        let own = checks.into_iter().find(|check| !check.2).map(|(name, value, _, need)| (name, value, need));
        let own = own.or_else(|| self.plasticity.and_then(|plasticity| plasticity.problem()));
        let own = own.or_else(|| self.volume.and_then(|volume| volume.problem()));
        let breaks = self.toughness.filter(|_| self.volume.is_some());
        own.or(breaks.map(|value| ("toughness of matching", value, "left out of a body that keeps its volume")))
    }
}

/// The spring that pulls particles to their goals.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Spring {
    /// α between 0 and 1: the share of the distance to the goal that a step adds to the movement. A deformation
    /// oscillates with the period 2πh/arccos(1 − α/2), which depends on the time step.
    Share(f64),
    /// Frequency at which a deformation oscillates \[Hz\], independent of the time step: α = 4 sin²(π f h). It does not
    /// oscillate faster than once in six steps, where α is 1.
    Frequency(f64),
}

impl Spring {
    /// Steps that half a swing takes; a few where limits alone take strain back.
    fn steps_of_half_a_swing(self, step: &StepView<'_>) -> u64 {
        let substeps = PI / acos(1.0 - 0.5 * self.share(step.h));
        let substeps = if substeps.is_finite() { substeps.clamp(4.0, 60.0).ceil() as u64 } else { 4 };
        // Whole steps are counted: a break in the last substep of one has to last as long as one in the first.
        let count = step.substeps as u64;
        (substeps + count - 1).div_ceil(count)
    }

    /// α in a step of length h \[s\].
    pub fn share(self, h: f64) -> f64 {
        match self {
            Self::Share(alpha) => alpha,
            Self::Frequency(hertz) => 4.0 * sin(0.5 * (TAU * hertz * h).min(FRAC_PI_3)).powi(2),
        }
    }
}

/// Deformations that regions do not resist [Müller 2005, §4].
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Modes {
    /// None: goals move rigidly.
    #[default]
    Rigid,
    /// β between 0 and 1 of the best-fitting linear map, scaled to conserve the volume, and 1 − β of the rotation.
    Linear(f64),
    /// β of the best-fitting quadratic map: also bending and twisting.
    Quadratic(f64),
}
