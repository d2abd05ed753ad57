//! What a scene does around each step: cuts before it, motions during it, surfaces that follow after it.

use std::ops::Range;

use pliant::solve::SolverChoice;
use pliant::{Simulation, StepError, StepReport};

use crate::drive::Driver;
use crate::presence::Presence;
use crate::rider::Rider;
use crate::tear::TimedCut;

/// The parts of a scene in motion that take part in a step, beside the simulation.
pub(crate) struct Course<'a> {
    pub(crate) drivers: &'a [Driver],
    /// In the order of their moments.
    pub(crate) cuts: &'a [TimedCut],
    pub(crate) cuts_done: &'a mut usize,
    /// By their numbers in the scene.
    pub(crate) riders: &'a mut [Option<Rider>],
    pub(crate) presence: &'a mut Presence,
    pub(crate) steps_per_frame: u32,
}

impl Course<'_> {
    /// Lets bodies come and go whose moment has come, where a frame begins. These stay where they are if the frame fails.
    fn come_and_go(&mut self, sim: &mut Simulation) -> Result<(), StepError> {
        let step = sim.state().step;
        if !step.is_multiple_of(u64::from(self.steps_per_frame)) {
            return Ok(());
        }
        // A moment between frames is that of the frame that begins nearest to it.
        let now = sim.time() + 0.5 * f64::from(self.steps_per_frame) * sim.time_step();
        self.presence.follow(sim, now).map_err(|error| StepError::Change { step: step + 1, error })
    }

    /// Advances by one step, by the simulation's own solver or by another. On an error nothing has changed but which
    /// bodies are there.
    pub(crate) fn step(&mut self, sim: &mut Simulation, by: Option<&SolverChoice>) -> Result<StepReport, StepError> {
        self.come_and_go(sim)?;
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
        for (body, &number) in sim.model().bodies().iter().zip(self.presence.present()) {
            let followed =
                self.riders[number].as_mut().map(|rider| rider.follow(&sim.positions()[body.vertices.clone()], sim));
            debug_assert!(!matches!(followed, Some(Err(_))), "a step ends at finite places: {followed:?}");
        }
    }

    /// Advances by the steps of a frame. On an error nothing has changed, so that the next frame begins where this one did.
    pub(crate) fn frame(&mut self, steps: u32, sim: &mut Simulation) -> Result<Vec<StepReport>, StepError> {
        if steps == 1 {
            return self.step(sim, None).map(|report| vec![report]);
        }
        self.come_and_go(sim)?;
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
            for ((own, rider), memory) in riders_at(sim, self.presence, self.riders).zip(&followed) {
                let Some(own) = own else { continue };
                let resumed = rider.resume(&sim.positions()[own], memory, sim);
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

/// All riders, with the vertices of their bodies where these are there.
pub(crate) fn riders_at<'a>(
    sim: &'a Simulation,
    presence: &'a Presence,
    riders: &'a mut [Option<Rider>],
) -> impl Iterator<Item = (Option<Range<usize>>, &'a mut Rider)> {
    riders.iter_mut().enumerate().filter_map(|(number, rider)| {
        let own = presence.number(number).map(|body| sim.model().bodies()[body].vertices.clone());
        Some((own, rider.as_mut()?))
    })
}

/// Sets what a scene moves to where it is in the next step.
pub(crate) fn drive(drivers: &[Driver], sim: &mut Simulation) {
    for driver in drivers {
        let set = driver.act(sim);
        debug_assert!(set.is_ok(), "the scene was checked when it was built: {set:?}");
    }
}
