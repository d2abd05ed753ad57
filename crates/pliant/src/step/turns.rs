//! Orientations of rods and oriented particles, which a user reads and sets between steps.

use crate::math::functions::rotation_about;
use crate::math::{Quat, Vec3};
use crate::matter::oriented::Oriented;
use crate::matter::rod::Rod;
use crate::matter::{ORIENTATIONS, SPINS};
use crate::step::inputs::{InputError, finite};
use crate::step::simulation::Simulation;

impl Simulation {
    /// Orientations of a body's rod segments or oriented particles; empty if it has none.
    pub fn orientations(&self, body: &str) -> Result<&[Quat], InputError> {
        Ok(self.state.channels[self.body_number(body)?].quaternions(ORIENTATIONS))
    }

    /// Their angular velocities, each in its own axes \[rad/s\].
    pub fn spins(&self, body: &str) -> Result<&[Vec3], InputError> {
        Ok(self.state.channels[self.body_number(body)?].vectors(SPINS))
    }

    /// Turns a clamped segment of a rod about its own axis by an angle \[rad\], like a hand that twists a cable.
    pub fn twist_rod(&mut self, body: &str, segment: usize, angle: f64) -> Result<(), InputError> {
        let number = self.body_number(body)?;
        if !angle.is_finite() {
            return Err(InputError::BadValue { name: "angle", value: angle, need: "finite" });
        }
        if !self.model.matter_in::<Rod>(number).is_some_and(|rod| rod.is_clamped(segment)) {
            return Err(InputError::NotClamped { body: body.to_owned(), segment });
        }
        let orientation = &mut self.state.channels[number].quaternions_mut(ORIENTATIONS)[segment];
        *orientation = (*orientation * rotation_about(Vec3::Z, angle)).normalize();
        Ok(())
    }

    /// Replaces the orientations of a body's particles and stops their rotation. Turning a pinned particle also turns
    /// what is around it.
    ///
    /// ```
    /// # use pliant::prelude::*;
    /// # let particles = OrientedParticles::along(&rope(Vec3::ZERO, Vec3::X, 4)?, &[0.05; 5])?;
    /// let fin = Body::oriented(&particles, &OrientedMaterial::default())?.pin([0]).named("fin");
    /// let mut sim = Simulation::builder().body(fin).solver(PositionBasedParams::default()).build()?;
    /// let mut orientations = sim.orientations("fin")?.to_vec();
    /// orientations[0] = Quat::from_rotation_z(0.2) * orientations[0];
    /// sim.set_orientations("fin", &orientations)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn set_orientations(&mut self, body: &str, orientations: &[Quat]) -> Result<(), InputError> {
        let own = self.particles_of(body, "orientations", orientations.len())?;
        for q in orientations {
            finite("orientations", q.xyz())?;
            let length = q.length();
            if (length - 1.0).abs() > 1e-3 || !length.is_finite() {
                let (name, need) = ("length of a quaternion", "1");
                return Err(InputError::BadValue { name, value: length, need });
            }
        }
        let channels = &mut self.state.channels[own];
        let normal = orientations.iter().map(|q| q.normalize());
        channels.quaternions_mut(ORIENTATIONS).iter_mut().zip(normal).for_each(|(own, q)| *own = q);
        channels.vectors_mut(SPINS).fill(Vec3::ZERO);
        Ok(())
    }

    /// Replaces the angular velocities of a body's particles, each in its own axes \[rad/s\].
    pub fn set_spins(&mut self, body: &str, spins: &[Vec3]) -> Result<(), InputError> {
        let own = self.particles_of(body, "spins", spins.len())?;
        spins.iter().try_for_each(|&spin| finite("spins", spin))?;
        self.state.channels[own].vectors_mut(SPINS).copy_from_slice(spins);
        Ok(())
    }

    /// Number of a body of oriented particles, if a list has one entry for each.
    fn particles_of(&self, body: &str, name: &'static str, found: usize) -> Result<usize, InputError> {
        let number = self.body_number(body)?;
        match self.model.matter_in::<Oriented>(number).map(|own| own.radii.len()) {
            None => Err(InputError::NotOriented(body.to_owned())),
            Some(expected) if expected != found => Err(InputError::LengthMismatch { name, found, expected }),
            Some(_) => Ok(number),
        }
    }
}
