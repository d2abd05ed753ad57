//! What a scene does around each step: cuts before it, motions during it, surfaces that follow after it.

use pliant::solve::SolverChoice;
use pliant::{Simulation, StepError, StepReport};

use crate::drive::Driver;
use crate::rider::Rider;
use crate::tear::TimedCut;

/// The parts of a scene in motion that take part in a step, beside the simulation.
pub(crate) struct Course<'a> {
    pub(crate) drivers: &'a [Driver],
    /// In the order of their moments.
    pub(crate) cuts: &'a [TimedCut],
    pub(crate) cuts_done: &'a mut usize,
    pub(crate) riders: &'a mut [Option<Rider>],
}

impl Course<'_> {
    /// Advances by one step, by the simulation's own solver or by another. On an error nothing has changed.
    pub(crate) fn step(&mut self, sim: &mut Simulation, by: Option<&SolverChoice>) -> Result<StepReport, StepError> {
        // A step by itself changes nothing when it fails, but a cut before it would stay.
        match self.due(sim) {
            None => self.take_step(sim, by),
            Some(_) => self.all_or_nothing(sim, |course, sim| course.take_step(sim, by)),
        }
    }

    fn take_step(&mut self, sim: &mut Simulation, by: Option<&SolverChoice>) -> Result<StepReport, StepError> {
        self.make_cuts(sim)?;
        drive(self.drivers, sim);
        let report = match by {
            None => sim.step()?,
            Some(solver) => sim.step_with(solver.clone())?,
        };
        self.follow(sim);
        Ok(report)
    }

    /// Brings what rides on bodies to where they are.
    pub(crate) fn follow(&mut self, sim: &Simulation) {
        for (body, rider) in sim.model().bodies().iter().zip(&mut *self.riders) {
            let followed = rider.as_mut().map(|rider| rider.follow(&sim.positions()[body.vertices.clone()]));
            debug_assert!(!matches!(followed, Some(Err(_))), "a step ends at finite places: {followed:?}");
        }
    }

    /// Advances by the steps of a frame. On an error nothing has changed, so that the next frame begins where this one did.
    pub(crate) fn frame(&mut self, steps: u32, sim: &mut Simulation) -> Result<Vec<StepReport>, StepError> {
        if steps == 1 {
            return self.step(sim, None).map(|report| vec![report]);
        }
        self.all_or_nothing(sim, |course, sim| (0..steps).map(|_| course.take_step(sim, None)).collect())
    }

    /// Does something that takes several steps or cuts, or nothing at all.
    fn all_or_nothing<T>(
        &mut self,
        sim: &mut Simulation,
        work: impl FnOnce(&mut Self, &mut Simulation) -> Result<T, StepError>,
    ) -> Result<T, StepError> {
        let cuts_done = *self.cuts_done;
        let followed: Vec<_> = self.riders.iter().flatten().map(|rider| rider.memory().to_vec()).collect();
        let result = sim.all_or_nothing(|sim| work(self, sim));
        if result.is_err() {
            *self.cuts_done = cuts_done;
            let bodies = sim.model().bodies().iter().zip(&mut *self.riders);
            let riders = bodies.filter_map(|(body, rider)| Some((body.vertices.clone(), rider.as_mut()?)));
            for ((own, rider), memory) in riders.zip(&followed) {
                let resumed = rider.resume(&sim.positions()[own], memory);
                debug_assert!(resumed.is_ok(), "it has been there: {resumed:?}");
            }
        }
        result
    }

    /// The next cut, if its moment has come.
    fn due(&self, sim: &Simulation) -> Option<&TimedCut> {
        // A moment between steps is that of the step that begins nearest to it.
        let now = sim.time() + 0.5 * sim.time_step();
        self.cuts.get(*self.cuts_done).filter(|cut| cut.time < now)
    }

    /// Makes the cuts whose moment has come.
    fn make_cuts(&mut self, sim: &mut Simulation) -> Result<(), StepError> {
        while let Some(cut) = self.due(sim) {
            let step = sim.state().step;
            cut.act(sim).map_err(|error| StepError::Tearing { step, error })?;
            *self.cuts_done += 1;
        }
        Ok(())
    }
}

/// Sets what a scene moves to where it is in the next step.
pub(crate) fn drive(drivers: &[Driver], sim: &mut Simulation) {
    for driver in drivers {
        let set = driver.act(sim);
        debug_assert!(set.is_ok(), "the scene was checked when it was built: {set:?}");
    }
}
