//! A step, divided into equal substeps. Each is a complete step: damping, forces, prediction, stages, contacts, strain
//! limits, tearing.
//!
//! Pins and goals move evenly to their targets for the end of the step; colliders are where they are at the times of
//! the substeps; multistep integrators look back over substeps. Short steps resolve motion that no solver can resolve
//! in a long one: an implicit step damps, and turns a swing into a fall. If one substep fails, the whole step is
//! undone.

use crate::step::energy::Taken;
use crate::step::error::StepError;
use crate::step::report::StepReport;
use crate::step::self_collision::SelfCollider;
use crate::step::simulation::{Settings, Simulation};
use crate::world::state::Substep;

/// The largest number of substeps for [`SimulationBuilder::substeps`](crate::SimulationBuilder::substeps). A larger
/// number is probably a typing error, and is reported as one.
pub const MOST_SUBSTEPS: usize = 10_000;

/// Numbers of substeps that are allowed, in words.
pub(crate) const NEED: &str = "1 to 10000";

impl Settings {
    /// A part of a step that begins at a time \[s\], by its number from 0.
    pub(crate) fn substep(&self, begin: f64, number: usize) -> Substep {
        let count = self.substeps;
        let time = |number: usize| begin + self.time_step * (number as f64 / count as f64);
        Substep { count, left: count - number, h: self.substep_length(), span: [time(number), time(number + 1)] }
    }

    /// Length of a substep \[s\].
    pub(crate) fn substep_length(&self) -> f64 {
        self.time_step / self.substeps as f64
    }
}

/// What a step comes to: its report, and why bodies could not be torn where they should have been.
type Stepped = (StepReport, Option<StepError>);

impl Simulation {
    /// Takes all substeps of a step.
    pub(crate) fn take_substeps(&mut self) -> Result<StepReport, StepError> {
        let all = |sim: &mut Self| {
            let begin = sim.state.time;
            let (mut sum, mut untorn) = sim.take_substep(sim.settings.substep(begin, 0))?;
            for number in 1..sim.settings.substeps {
                let (report, error) = sim.take_substep(sim.settings.substep(begin, number))?;
                sum.add(report);
                untorn = untorn.or(error);
            }
            Ok((sum, untorn))
        };
        // A single part takes nothing with it when it fails.
        let (report, untorn) = if self.settings.substeps == 1 { all(self) } else { self.all_or_nothing(all) }?;
        // The step is done, also where what it tore could not be parted.
        untorn.map_or(Ok(report), Err)
    }

    /// One part of a step: predict → solve → check → measure → commit → tear, of which the first four may be done again ([`energy`](crate::step::energy)). To solve is: stages of the integrator, against what is in the way → strain limits →
    /// contacts → pins → layers → velocities.
    fn take_substep(&mut self, part: Substep) -> Result<Stepped, StepError> {
        let (begun, step) = (self.clock.now(), self.state.step + 1);
        self.follow_pins();
        self.inputs.approach(&self.model, &self.state.positions, part.left);
        let Taken { reached, solve, energy, seconds_predict, seconds_solve, .. } = self.solve_guarded(&part)?;
        let strain_limiting = reached.limited;
        self.commit(&part, reached);
        // Of this step: what keeps a torn world apart is new and has done nothing yet.
        let self_collision = self.self_collider.as_ref().map(SelfCollider::report);
        let (torn, untorn) = match self.tear() {
            Ok(torn) => (torn, None),
            Err(error) => (0, Some(StepError::Tearing { step, error })),
        };
        let finished = self.clock.now();
        let report = StepReport {
            step,
            time: self.state.time,
            solve,
            self_collision,
            strain_limiting,
            energy,
            torn,
            seconds_predict,
            seconds_solve,
            seconds_total: finished - begun,
        };
        Ok((report, untorn))
    }
}
