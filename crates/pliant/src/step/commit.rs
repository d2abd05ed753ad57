//! How a solved substep becomes the state of the world, unless something is wrong with it.

use crate::force::pressure::enclosed_volume;
use crate::math::Vec3;
use crate::step::error::StepError;
use crate::step::report::offending_element;
use crate::step::simulation::Simulation;
use crate::step::stages::Reached;
use crate::world::model::{BodyInfo, Model};
use crate::world::state::{History, Substep};

impl Simulation {
    /// Refuses a state that is not finite or ran away.
    pub(crate) fn check(&self, positions: &[Vec3]) -> Result<(), StepError> {
        let limit = self.settings.runaway_limit * self.model.diagonal();
        let step = self.state.step + 1;
        for (v, (new, old)) in positions.iter().zip(&self.state.positions).enumerate() {
            // Roots only of what may be too far; a square that overflows may not be.
            if (*new - *old).length_squared() <= (0.5 * limit * limit).min(f64::MAX) {
                continue;
            }
            let distance = (*new - *old).length();
            if distance <= limit {
                continue;
            }
            let pinned = self.model.free_index(v as u32).is_none();
            if pinned && new.is_finite() {
                continue; // Pins go where the user says.
            }
            let (body, vertex) = self.model.locate(v);
            if let Some(times) = burst(&self.model, body, &self.state.positions) {
                return Err(StepError::Burst { step, body: body.name.clone(), pressure: body.pressure, times });
            }
            let (body, element) = (body.name.clone(), offending_element(self, v, positions));
            return Err(if new.is_finite() {
                StepError::Runaway { step, body, vertex, distance, limit, element }
            } else {
                StepError::NonFinite { step, body, vertex, position: *new, element }
            });
        }
        Ok(())
    }

    /// Makes the result of a good substep the current state.
    pub(crate) fn commit(&mut self, part: &Substep, reached: Reached) {
        let h = part.h;
        let Reached {
            positions,
            velocities,
            touched,
            held,
            clearances,
            between,
            others,
            struck,
            limited: _,
            accounts: _,
        } = reached;
        if let Some(colliders) = &mut self.colliders {
            (colliders.touched, colliders.held) = (touched, held);
        }
        self.groups.iter_mut().zip(clearances).for_each(|(group, known)| group.clearances = known);
        if let Some(forces) = between {
            self.between = forces;
        }
        let mut positions = std::mem::replace(&mut self.state.positions, positions);
        let mut velocities = std::mem::replace(&mut self.state.velocities, velocities);
        for (vertex, x, v) in struck {
            (positions[vertex as usize], velocities[vertex as usize]) = (x, v);
        }
        if let Some(older) = self.history.replace(History { h, positions, velocities, others }) {
            self.scratch.give([older.positions, older.velocities]);
        }
        self.groups.iter_mut().for_each(|group| group.solver.finish_step(part, &mut self.state));
        std::mem::swap(&mut self.memory, &mut self.trial);
        self.inputs.goals_now.clone_from(&self.inputs.substep_goals);
        self.state.step += u64::from(part.left == 1);
        if part.left == 1 {
            self.grabs.arrive();
        }
        self.state.time = part.span[1];
        let wind = self.settings.wind.as_ref().map_or(Vec3::ZERO, |wind| wind.velocity);
        self.state.air = self.state.air.after(wind, h);
    }
}

/// By how many times the volume of a body has grown, if it is under pressure and that is more than rubber bears.
fn burst(model: &Model, body: &BodyInfo, x: &[Vec3]) -> Option<f64> {
    let volume = |x: &[Vec3]| enclosed_volume(body, x);
    let times = volume(x) / volume(model.rest());
    (body.pressure > 0.0 && times > BURST).then_some(times)
}

/// Volume over that at rest from which a body under pressure that runs away has burst: three times as long in every direction.
const BURST: f64 = 27.0;
