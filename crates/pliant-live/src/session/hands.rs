//! Vertices that fingers hold.

use std::collections::HashMap;

use pliant::math::Vec3;
use pliant::{GrabId, InputError, Pick, Ray, Simulation};

use crate::protocol::Sight;

/// Stiffness of a grip over the mass of the body \[1/s²\]: a vertex lags behind by a hundredth of a metre when it carries the whole body.
const STIFFNESS: f64 = 1000.0;

/// Vertices that fingers hold.
#[derive(Debug, Default)]
pub(super) struct Hands {
    held: HashMap<u64, GrabId>,
}

pub(super) fn ray(sight: Sight) -> Ray {
    Ray { origin: Vec3::from_array(sight.origin), direction: Vec3::from_array(sight.direction) }
}

impl Hands {
    /// Holds what a line of sight meets, if anything.
    pub(super) fn grab(
        &mut self,
        sim: &mut Simulation,
        pointer: u64,
        sight: Sight,
        radius: f64,
        grip: f64,
    ) -> Result<Option<Pick>, InputError> {
        self.release(sim, pointer);
        let Some(pick) = sim.pick(ray(sight), radius)? else { return Ok(None) };
        let vertices = sim.body(&pick.body)?.vertices.clone();
        let mass: f64 = sim.model().mass().lumped()[vertices].iter().sum();
        let grab = sim.grab(&pick.body, pick.vertex, STIFFNESS * grip * mass)?;
        self.held.insert(pointer, grab);
        Ok(Some(pick))
    }

    /// Whether the finger held something.
    pub(super) fn drag(&mut self, sim: &mut Simulation, pointer: u64, target: [f64; 3]) -> Result<bool, InputError> {
        let Some(&grab) = self.held.get(&pointer) else { return Ok(false) };
        match sim.move_grab(grab, Vec3::from_array(target)) {
            // What it held has gone: cut, or taken away.
            Err(InputError::Gone { .. }) => {
                self.held.remove(&pointer);
                Ok(false)
            }
            moved => moved.map(|()| true),
        }
    }

    pub(super) fn release(&mut self, sim: &mut Simulation, pointer: u64) {
        if let Some(grab) = self.held.remove(&pointer) {
            // It may have gone before it was let go.
            let _ = sim.release(grab);
        }
    }
}
