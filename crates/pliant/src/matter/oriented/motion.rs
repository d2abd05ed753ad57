//! The motion of the oriented particles of a world during a step.

use super::contact::Touching;
use super::matter::Oriented;
use super::shape::Shape;
use super::{inertia, momentum_of, turn_between};
use crate::contact::Contacts;
use crate::math::Vec3;
use crate::matter::{Channel, Channels, Iteration, Motion, ORIENTATIONS, Place, SPINS, StageView, StepView};
use crate::world::model::Model;

/// Oriented particles in the course of a step.
#[derive(Debug, Default)]
pub(crate) struct OrientedMotion {
    shapes: Vec<Shape>,
    touching: Touching,
}

impl OrientedMotion {
    pub(crate) fn new(model: &Model) -> Self {
        let all = model.matter_of::<Oriented>();
        let shapes = all.map(|portion| Shape::new(portion.matter, &Place::new(model, portion.body))).collect();
        Self { shapes, touching: Touching::default() }
    }
}

impl Motion for OrientedMotion {
    /// Outside of a step, where a stage is studied, there are no orientations or spins to go on from.
    fn begin(&mut self, stage: &StageView<'_>, _contacts: &Contacts<'_>, channels: &[Channels], x: &mut [Vec3]) {
        for shape in &mut self.shapes {
            let own = shape.vertices.clone();
            match channels.get(shape.body) {
                Some(carried) => {
                    shape.before.copy_from_slice(carried.quaternions(ORIENTATIONS));
                    shape.pull(&stage.before[own.clone()], carried.vectors(SPINS), stage.h, &mut x[own]);
                }
                None => {
                    let still = vec![Vec3::ZERO; own.len()];
                    shape.pull(&stage.before[own.clone()], &still, stage.h, &mut x[own]);
                }
            }
        }
        self.touching.begin();
    }

    /// Limits strain once.
    fn iterate(&mut self, _at: &mut Iteration<'_, '_, '_>, x: &mut [Vec3]) {
        for shape in &mut self.shapes {
            shape.limit(&mut x[shape.vertices.clone()]);
        }
    }

    /// Moves and turns ellipsoids out of colliders.
    fn meet(&mut self, stage: &StageView<'_>, contacts: &Contacts<'_>, x: &mut [Vec3]) {
        for shape in &mut self.shapes {
            self.touching.meet(shape, contacts.colliders(), stage.inverse_masses, stage.before, x);
        }
    }

    fn contacts(&self) -> usize {
        self.touching.count()
    }

    fn finish_step(&mut self, step: &StepView<'_>, channels: &mut [Channels]) {
        for shape in &self.shapes {
            let (mut orientations, mut spins) = (Vec::new(), Vec::new());
            for ((radii, before), after) in shape.info.radii.iter().zip(&shape.before).zip(&shape.q) {
                // The momentum is kept; as the ellipsoid lies at the end, it is another spin.
                let momentum = momentum_of(*before, *radii, turn_between(*before, *after)) / step.h;
                orientations.push(*after);
                spins.push((after.conjugate() * momentum) / inertia(*radii));
            }
            channels[shape.body].set(ORIENTATIONS, Channel::Quaternions(orientations));
            channels[shape.body].set(SPINS, Channel::Vectors(spins));
        }
    }
}
