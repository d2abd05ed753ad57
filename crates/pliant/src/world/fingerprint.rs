//! Numbers that distinguish models, so that a checkpoint is not restored into a different world, and states.

use std::fmt::{self, Debug, Write};

use crate::math::Vec3;
use crate::world::model::Model;
use crate::world::state::State;

/// Where FNV-1a begins.
const OFFSET: u64 = 0xcbf2_9ce4_8422_2325;

/// FNV-1a over everything that the motion of a model depends on.
#[derive(Debug)]
pub(crate) struct Fingerprint(u64);

impl Fingerprint {
    fn byte(&mut self, byte: u8) {
        self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }

    fn count(&mut self, number: u64) {
        number.to_le_bytes().into_iter().for_each(|byte| self.byte(byte));
    }

    fn number(&mut self, number: f64) {
        self.count(number.to_bits());
    }

    fn vector(&mut self, vector: Vec3) {
        vector.to_array().into_iter().for_each(|number| self.number(number));
    }

    /// Plain data, by what `Debug` prints of it: all fields, and every number to its last bit.
    fn data(&mut self, data: &dyn Debug) {
        // Writing to it cannot fail.
        let _ = write!(self, "{data:?};");
    }

    /// The number of a model.
    pub(crate) fn of(model: &Model) -> u64 {
        let mut hash = Self(OFFSET);
        for (position, mass) in model.rest().iter().zip(model.mass().lumped()) {
            hash.vector(*position);
            hash.number(*mass);
        }
        hash.data(&model.mass().off_diagonal());
        model.pinned().iter().for_each(|&v| hash.count(u64::from(v)));
        for (body, fabric) in model.bodies().iter().zip(model.fabrics()) {
            // Names do not matter.
            hash.data(&(&body.vertices, &body.surface, &body.segments, &body.welded));
            hash.data(&(body.strand_width, body.pressure, body.collides_with_itself));
            hash.data(&(&fabric.cells, &fabric.tearing, &fabric.seams));
        }
        for entry in model.energies() {
            let operator = entry.batch.operator();
            hash.data(&(entry.batch.kind(), entry.damping, entry.batch.arrays()));
            operator.corner_vertices().iter().for_each(|&v| hash.count(u64::from(v)));
            for element in 0..operator.len() {
                hash.number(operator.weight(element));
                operator.coefficients(element).iter().for_each(|&a| hash.number(a));
            }
        }
        hash.data(&model.constraints());
        hash.data(&model.matter());
        hash.0
    }

    /// The number of a state.
    pub(crate) fn of_state(state: &State) -> u64 {
        let mut hash = Self(OFFSET);
        hash.count(state.step);
        hash.number(state.time);
        state.positions.iter().chain(&state.velocities).for_each(|v| hash.vector(*v));
        hash.0
    }
}

impl Write for Fingerprint {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        text.bytes().for_each(|byte| self.byte(byte));
        Ok(())
    }
}
