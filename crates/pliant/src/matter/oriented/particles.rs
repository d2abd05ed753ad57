//! Ellipsoids, and what holds them together.

use std::f64::consts::PI;

use thiserror::Error;

use crate::integrate::TimeIntegrator;
use crate::math::{Quat, Vec3};
use crate::matter::matching::{Regions, Spring};
use crate::mesh::{Csr, StrandSet};

/// Ellipsoids and the edges between them.
#[derive(Debug, Clone, PartialEq)]
pub struct OrientedParticles {
    /// Centres \[m\].
    pub positions: Vec<Vec3>,
    /// Orientation of each.
    pub orientations: Vec<Quat>,
    /// Half-axes of each, along its own axes \[m\].
    pub radii: Vec<Vec3>,
    /// Pairs of neighbours.
    pub edges: Vec<[u32; 2]>,
}

/// Why oriented particles are unusable.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum OrientedError {
    /// A list has the wrong length.
    #[error("{name} has {found} entries, but there are {expected} particles")]
    LengthMismatch {
        /// Name of the list.
        name: &'static str,
        /// Its length.
        found: usize,
        /// The number of particles.
        expected: usize,
    },
    /// An ellipsoid without extent has no orientation.
    #[error("particle {particle} has the half-axes {radii} m, but they must be finite and above 0")]
    BadRadii {
        /// The particle.
        particle: usize,
        /// Its half-axes.
        radii: Vec3,
    },
    /// An orientation is not a unit quaternion.
    #[error("particle {particle} has the orientation {value}, which is not a unit quaternion")]
    BadOrientation {
        /// The particle.
        particle: usize,
        /// Its orientation.
        value: Quat,
    },
    /// An edge refers to a particle that does not exist.
    #[error("edge {edge} names particle {particle}, but there are {count}")]
    NoSuchParticle {
        /// The edge.
        edge: usize,
        /// The particle.
        particle: u32,
        /// Their number.
        count: usize,
    },
    /// A point that should follow particles is not finite, or there are no particles.
    #[error("point {point} is at {value} m, which cannot follow a particle")]
    BadPoint {
        /// The point.
        point: usize,
        /// Where it is.
        value: Vec3,
    },
    /// A number is out of range.
    #[error("{name} is {value}, but must be {need}")]
    BadNumber {
        /// Name of the value.
        name: &'static str,
        /// Its value.
        value: f64,
        /// The required range.
        need: &'static str,
    },
    /// The time integrator does not support orientations.
    #[error("oriented particles need implicit Euler, not {0:?}")]
    Integrator(TimeIntegrator),
}

impl OrientedParticles {
    /// Ellipsoids along strands, which may share vertices where a branch leaves a stem. The third half-axis of each is
    /// along its edges and half as long as they are; the other two are a given radius for each vertex \[m\].
    ///
    /// ```
    /// use pliant::prelude::*;
    /// let stem = rope(Vec3::ZERO, Vec3::Y, 10)?;
    /// let particles = OrientedParticles::along(&stem, &[0.02; 11])?;
    /// assert!((particles.orientations[3] * Vec3::Z - Vec3::Y).length() < 1e-12);
    /// let plant = Body::oriented(&particles, &OrientedMaterial::default())?.pin([0]);
    /// let solver = PositionBasedParams::default();
    /// let mut sim = Simulation::builder().body(plant).solver(solver).build()?;
    /// sim.step()?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn along(strands: &StrandSet, radii: &[f64]) -> Result<Self, OrientedError> {
        let count = strands.positions.len();
        check_length("radii", radii.len(), count)?;
        let positions = strands.positions.clone();
        let edges: Vec<[u32; 2]> = strands.segments().collect();
        let (mut ways, mut lengths, mut ends) = (vec![Vec3::ZERO; count], vec![0.0; count], vec![0.0; count]);
        for &[a, b] in &edges {
            let way = positions[b as usize] - positions[a as usize];
            for v in [a as usize, b as usize] {
                // The strand that comes first has the say: a branch begins with the orientation of its stem.
                if ends[v] == 0.0 || ways[v].dot(way) > 0.0 {
                    ways[v] += way;
                }
                lengths[v] += way.length();
                ends[v] += 1.0;
            }
        }
        let half_length = |v: usize| if ends[v] > 0.0 { 0.5 * lengths[v] / ends[v] } else { radii[v] };
        let along = |way: &Vec3| match way.try_normalize() {
            Some(way) => Quat::from_rotation_arc(Vec3::Z, way),
            None => Quat::IDENTITY,
        };
        let particles = Self {
            orientations: ways.iter().map(along).collect(),
            radii: radii.iter().enumerate().map(|(v, &r)| Vec3::new(r, r, r.max(half_length(v)))).collect(),
            positions,
            edges,
        };
        particles.check()?;
        Ok(particles)
    }

    /// Volume of each \[m³\].
    pub fn volumes(&self) -> impl Iterator<Item = f64> {
        self.radii.iter().map(|radii| 4.0 / 3.0 * PI * radii.element_product())
    }

    pub(crate) fn check(&self) -> Result<(), OrientedError> {
        let count = self.positions.len();
        check_length("orientations", self.orientations.len(), count)?;
        check_length("radii", self.radii.len(), count)?;
        if let Some(particle) = self.radii.iter().position(|r| !(r.is_finite() && r.min_element() > 0.0)) {
            return Err(OrientedError::BadRadii { particle, radii: self.radii[particle] });
        }
        if let Some(particle) = self.orientations.iter().position(|q| !q.is_normalized()) {
            return Err(OrientedError::BadOrientation { particle, value: self.orientations[particle] });
        }
        for (edge, ends) in self.edges.iter().enumerate() {
            if let Some(&particle) = ends.iter().find(|&&v| v as usize >= count) {
                return Err(OrientedError::NoSuchParticle { edge, particle, count });
            }
        }
        Ok(())
    }

    /// The group of each particle: those at most so many edges away.
    pub(crate) fn groups(&self, width: usize) -> Csr {
        // Edges are checked, so that nothing is refused; a particle alone is a group.
        let rings = Regions::rings(self.positions.len(), &self.edges, width);
        rings.map_or_else(|_| Csr::default(), |regions| regions.lists().into_owned())
    }
}

fn check_length(name: &'static str, found: usize, expected: usize) -> Result<(), OrientedError> {
    if found == expected { Ok(()) } else { Err(OrientedError::LengthMismatch { name, found, expected }) }
}

/// The material of oriented particles.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct OrientedMaterial {
    /// Mass per volume of the ellipsoids \[kg/m³\].
    pub density: f64,
    /// A group contains the particles within this number of edges: larger groups are stiffer.
    pub width: usize,
    /// The spring that pulls and turns particles towards their goals.
    pub spring: Spring,
    /// Rate at which motion and rotation decay, except that of whole groups \[1/s\].
    pub damping: f64,
    /// γ: how far a particle may be from its goal in a group, as a share of the group's half-width, and how far it may
    /// be rotated from it \[rad\]. With 0, iterations bring it as close as they can, which is the method of [Müller &
    /// Chentanez 2011]; with none, only the spring acts.
    pub limit: Option<f64>,
    /// ω: factor on movements towards the limit, below 2.
    pub relaxation: f64,
}

impl Default for OrientedMaterial {
    /// Green wood: groups of neighbours that iterations bring to their shape.
    fn default() -> Self {
        Self { density: 800.0, width: 1, spring: Spring::Share(0.0), damping: 0.0, limit: Some(0.0), relaxation: 1.0 }
    }
}

impl OrientedMaterial {
    pub(crate) fn check(&self) -> Result<(), OrientedError> {
        let finite = |value: f64| value.is_finite() && value >= 0.0;
        let (spring, spring_holds, need) = match self.spring {
            Spring::Share(alpha) => (alpha, (0.0..=1.0).contains(&alpha), "0 to 1"),
            Spring::Frequency(hertz) => (hertz, finite(hertz), "finite and at least 0"),
        };
        let checks = [
            ("density", self.density, self.density.is_finite() && self.density > 0.0, "finite and above 0"),
            ("width of groups", self.width as f64, self.width > 0, "at least 1"),
            ("spring", spring, spring_holds, need),
            ("damping", self.damping, finite(self.damping), "finite and at least 0"),
            ("limit", self.limit.unwrap_or(0.0), self.limit.is_none_or(finite), "finite and at least 0"),
            ("relaxation", self.relaxation, self.relaxation > 0.0 && self.relaxation < 2.0, "above 0 and below 2"),
        ];
        match checks.into_iter().find(|check| !check.2) {
            Some((name, value, _, need)) => Err(OrientedError::BadNumber { name, value, need }),
            None => Ok(()),
        }
    }
}
