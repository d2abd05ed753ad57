//! Rigid bodies in the position-based solver: in each iteration their vertices go to the nearest place of the rigid shape, in the
//! metric of masses, which keeps momentum and angular momentum [Müller 2005]. Contacts then push them as wholes.

use crate::contact::{Contacts, RigidShape, RigidShapes, Visit};
use crate::energy::{Arrays, Memory};
use crate::math::{Quat, Vec3};
use crate::world::model::{Model, RigidSetInfo};

/// All rigid sets of a world.
#[derive(Debug)]
pub(crate) struct RigidSets {
    shapes: RigidShapes,
    /// The energy of each, whose memory holds the rotation.
    batches: Vec<usize>,
}

impl RigidSets {
    /// None where there are none.
    pub(crate) fn new(model: &Model) -> Option<Self> {
        let one = |set: &RigidSetInfo| {
            let Arrays::Rigid(from_hub) = model.energies()[set.batch].batch.arrays() else { return None };
            let places = std::iter::once(Vec3::ZERO).chain(from_hub).collect();
            Some((RigidShape::new(model, set.vertices.clone(), places), set.batch))
        };
        let (shapes, batches): (Vec<_>, Vec<_>) = model.rigid_sets().iter().filter_map(one).unzip();
        let shapes = RigidShapes::new(shapes, model.rest().len());
        (!shapes.is_empty()).then_some(Self { shapes, batches })
    }

    /// Puts vertices where the rigid shapes have them.
    pub(crate) fn straighten(&mut self, x: &mut [Vec3], memory: &mut [Memory]) {
        self.shapes.straighten(x, |number, fitted| {
            let warm = &mut memory[self.batches[number]].warm;
            if let Some(fitted) = fitted {
                fitted.write_to_slice(warm);
            }
            Quat::from_slice(warm)
        });
    }

    /// Lets something else move vertices, and rigid bodies as wholes; see [`RigidShapes::carry`].
    pub(crate) fn carry(&mut self, inverse_masses: &[f64], x: &mut [Vec3], visit: &mut Visit<'_>) {
        self.shapes.carry(inverse_masses, x, visit);
    }

    /// Moves what has hit something apart; see [`Contacts::push_apart`].
    pub(crate) fn part(&mut self, contacts: &mut Contacts<'_>, inverse_masses: &[f64], inertia: f64, x: &mut [Vec3]) {
        contacts.part_shapes(&mut self.shapes, inverse_masses, inertia, x);
    }
}
