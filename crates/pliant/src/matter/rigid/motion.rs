//! Rigid bodies in the position-based solver: in each iteration their vertices go to the nearest place of the rigid shape, in the
//! metric of masses, which keeps momentum and angular momentum [Müller 2005].

use crate::energy::{Arrays, Memory};
use crate::math::{Quat, Vec3, fitted_rotation};
use crate::matter::{Iteration, Motion};
use crate::world::model::Model;

/// A set of vertices that moves as one.
#[derive(Debug)]
struct Rigid {
    /// Its energy, whose memory holds the rotation.
    batch: usize,
    vertices: Vec<u32>,
    masses: Vec<f64>,
    /// Places from the centre of mass \[m\].
    places: Vec<Vec3>,
    mass: f64,
}

/// All rigid sets of a world.
#[derive(Debug)]
pub(crate) struct RigidSets(Vec<Rigid>);

impl RigidSets {
    /// None where there are none.
    pub(crate) fn new(model: &Model) -> Option<Self> {
        let sets = sets(model);
        (!sets.is_empty()).then_some(Self(sets))
    }
}

impl Motion for RigidSets {
    fn iterate(&mut self, at: &mut Iteration<'_, '_, '_>, x: &mut [Vec3]) {
        self.0.iter().for_each(|set| set.straighten(x, at.memory));
    }
}

fn sets(model: &Model) -> Vec<Rigid> {
    let lumped = model.mass().lumped();
    let one = |set: &crate::world::model::RigidSetInfo| {
        let Arrays::Rigid(from_hub) = model.energies()[set.batch].batch.arrays() else { return None };
        let masses: Vec<f64> = set.vertices.iter().map(|&v| lumped[v as usize]).collect();
        let places: Vec<Vec3> = std::iter::once(Vec3::ZERO).chain(from_hub).collect();
        let mass: f64 = masses.iter().sum();
        let centre = places.iter().zip(&masses).fold(Vec3::ZERO, |sum, (p, m)| sum + *p * *m) / mass;
        let places = places.iter().map(|p| *p - centre).collect();
        Some(Rigid { batch: set.batch, vertices: set.vertices.clone(), masses, places, mass })
    };
    model.rigid_sets().iter().filter_map(one).collect()
}

impl Rigid {
    /// Puts the vertices where the rigid shape has them.
    fn straighten(&self, x: &mut [Vec3], memory: &mut [Memory]) {
        let own = || self.vertices.iter().zip(&self.masses).zip(&self.places);
        let centre = own().fold(Vec3::ZERO, |sum, ((&v, m), _)| sum + x[v as usize] * *m) / self.mass;
        let arms = own().map(|((&v, m), place)| ((x[v as usize] - centre) * *m, *place));
        let warm = &mut memory[self.batch].warm;
        let rotation = fitted_rotation(arms, Quat::from_slice(warm));
        for ((&v, _), place) in own() {
            x[v as usize] = centre + rotation * *place;
        }
        rotation.write_to_slice(warm);
    }
}
