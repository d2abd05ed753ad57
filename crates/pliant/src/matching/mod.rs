//! Shape matching [Müller 2005; Bargteil & Jones 2014; Bender 2014, §4]: regions of a body are pulled back to their shape at rest, moved rigidly
//! to where it fits best.
//!
//! | file | does |
//! |---|---|
//! | `regions` | which particles belong together |
//! | `clusters` | regions around centres: random, balanced, of several sizes |
//! | `lattice` | regions of regular lattices, whose sums do not take longer the wider they are |
//! | `chains` | regions along strands, with sums that do not take longer either |
//! | `sums` | sums over regions, from particles to regions and back |
//! | `fit` | where the rest shape of each region fits best: rotations, linear and quadratic modes |
//! | `damping` | how regions move as wholes |
//! | `goals` | where particles would be by the fits of their regions |
//!
//! A body gets it by [`Body::with_matching`](crate::Body::with_matching). The position-based solver goes by [Bargteil & Jones 2014, Algorithm 1]: a
//! spring to the goals is integrated explicitly, so that small strains swing as they should; its iterations then only limit strain.
//! Departure: mᵢ/nᵢ of a particle in n regions is its mass in each, in centres and moments alike [Rivers & James 2007], so that
//! springs keep momentum and angular momentum. Limits (γ above 0) keep momentum only where no particle reaches them.

mod chains;
mod clusters;
mod damping;
mod fit;
mod goals;
mod lattice;
mod regions;
mod sums;
#[cfg(test)]
mod tests;

use std::f64::consts::{FRAC_PI_3, TAU};
use std::ops::Range;

pub use lattice::{Lattice, Link};
pub use regions::{RegionError, Regions};

use crate::math::{Quat, Vec3};
use crate::model::Model;
use goals::Shape;

/// How a body keeps its shape by matching.
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
    /// Which particles belong together: the larger regions are, the stiffer the body.
    pub regions: Regions,
    /// The spring that pulls particles to their goals.
    pub spring: Spring,
    /// How fast movements that are not those of whole regions die away \[1/s\].
    pub damping: f64,
    /// γ: how far a particle may be from its goal in a region, as a share of the region's half-width. 0 limits to the shape itself; none
    /// lets only the spring act, which is the method of [Müller 2005]. On a lattice it is how far a particle may be from the mean of its
    /// goals.
    pub limit: Option<f64>,
    /// ω: factor on movements to the limit, up to 2 exclusive; above 1 iterations converge faster.
    pub relaxation: f64,
    /// In which ways regions may be deformed without resistance.
    pub modes: Modes,
}

impl Matching {
    /// A spring that goes 0.3 of the way in a step, strain limited to 0.3.
    pub fn new(regions: Regions) -> Self {
        Self {
            regions,
            spring: Spring::Share(0.3),
            damping: 0.0,
            limit: Some(0.3),
            relaxation: 1.0,
            modes: Modes::Rigid,
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
            ("share of modes", beta, (0.0..=1.0).contains(&beta), "0 to 1"),
            ("share of quadratic modes", beta, !is_unlisted, "that of regions in lists, not of a lattice or chains"),
        ];
        checks.into_iter().find(|check| !check.2).map(|(name, value, _, need)| (name, value, need))
    }
}

/// The spring that pulls particles to their goals.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Spring {
    /// α between 0 and 1: how much of the way a step adds to the movement. A deformation swings with the period 2πh/arccos(1 − α/2), which
    /// depends on the time step.
    Share(f64),
    /// How often a deformation swings \[Hz\], at every time step: α = 4 sin²(π f h). Faster than once in six steps, where α is 1, it does not
    /// swing.
    Frequency(f64),
}

impl Spring {
    /// α in a step of length h \[s\].
    pub fn share(self, h: f64) -> f64 {
        match self {
            Self::Share(alpha) => alpha,
            Self::Frequency(hertz) => 4.0 * (0.5 * (TAU * hertz * h).min(FRAC_PI_3)).sin().powi(2),
        }
    }
}

/// In which ways regions may be deformed [Müller 2005, §4].
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Modes {
    /// None: goals are moved rigidly.
    #[default]
    Rigid,
    /// β between 0 and 1 of the linear map that fits best, made to keep the volume, and the rest of the rotation.
    Linear(f64),
    /// β of the quadratic map that fits best: bending and twisting too.
    Quadratic(f64),
}

/// A body within the world that is matched.
#[derive(Debug, Clone, PartialEq)]
pub struct MatchingInfo {
    /// Number of the body.
    pub body: usize,
    /// Its particles.
    pub vertices: Range<usize>,
    /// How it keeps its shape.
    pub matching: Matching,
}

/// All that matched bodies need while they are stepped.
#[derive(Debug, Default)]
pub(crate) struct Matchings {
    shapes: Vec<Shape>,
}

impl Matchings {
    pub(crate) fn new(model: &Model) -> Self {
        let (mass, rest) = (model.mass().lumped(), model.rest());
        let shape = |info: &MatchingInfo| Shape::new(info, &rest[info.vertices.clone()], &mass[info.vertices.clone()]);
        Self { shapes: model.matchings().iter().map(shape).collect() }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.shapes.is_empty()
    }

    /// Takes the rotations of regions, one body after the other, that a step goes on from.
    pub(crate) fn begin_step(&mut self, rotations: &[Quat]) {
        let mut left = rotations;
        for shape in &mut self.shapes {
            let (own, rest) = left.split_at(shape.region_count().min(left.len()));
            shape.set_rotations(own);
            left = rest;
        }
    }

    /// The rotations that it came to.
    pub(crate) fn rotations(&self) -> Vec<Quat> {
        self.shapes.iter().flat_map(Shape::rotations).collect()
    }

    /// Adds what springs do in a stage of length h \[s\] that goes from `before` to the predicted `x`.
    pub(crate) fn begin(&mut self, before: &[Vec3], inverse_masses: &[f64], h: f64, x: &mut [Vec3]) {
        for shape in &mut self.shapes {
            shape.pull(before, inverse_masses, h, x);
        }
    }

    /// Limits strain once.
    pub(crate) fn iterate(&mut self, inverse_masses: &[f64], x: &mut [Vec3]) {
        for shape in &mut self.shapes {
            shape.limit(inverse_masses, x);
        }
    }
}

/// Number of regions of all bodies.
pub(crate) fn region_count(infos: &[MatchingInfo]) -> usize {
    infos.iter().map(|info| info.matching.regions.len()).sum()
}
