//! What a substep works out before it solves: damped velocities, external forces, and the first stage.

use crate::force::pressure::add_pressure;
use crate::force::wind::Drag;
use crate::integrate::{Beginning, Stage};
use crate::math::Vec3;
use crate::solve::SolverChoice;
use crate::sparse::FactorError;
use crate::step::simulation::Simulation;
use crate::world::state::{History, Substep};

/// What a step works out before it solves.
pub(crate) struct Prediction {
    /// Velocities after damping \[m/s\].
    pub(super) velocities: Vec<Vec3>,
    /// Accelerations by external forces \[m/s²\].
    pub(super) accelerations: Vec<Vec3>,
    /// Forces of the wind that are in them \[N\]; empty where there is none.
    pub(super) by_air: Vec<Vec3>,
    /// Forces of pressure, likewise.
    pub(super) by_pressure: Vec<Vec3>,
    pub(crate) stage: Stage,
}

impl Simulation {
    /// Damps velocities, gathers external forces, sets up the first stage.
    pub(crate) fn predict(&mut self, part: &Substep) -> Result<Prediction, FactorError> {
        let (x, h) = (&self.state.positions, part.h);
        let mut velocities = self.scratch.copy(&self.state.velocities);
        self.damping.filter(&self.model, &self.damping_links, h, x, &mut velocities);
        if self.mass_factor.is_none() {
            self.mass_factor = self.model.mass().factor()?;
        }
        let mut accelerations = self.scratch.copy(&self.inputs.forces);
        let by_pressure = self.pressure_forces();
        let by_air = self.air_forces(h, &velocities);
        for forces in [&by_pressure, &by_air] {
            accelerations.iter_mut().zip(forces).for_each(|(sum, force)| *sum += *force);
        }
        self.model.mass().divide(&mut self.mass_factor, &mut accelerations);
        accelerations.iter_mut().for_each(|a| *a += self.settings.gravity);
        let mut total = Vec::new();
        if self.settings.integrator.needs_acceleration() {
            total = self.elastic_accelerations();
            total.iter_mut().zip(&accelerations).for_each(|(sum, a)| *sum += *a);
        }
        let before = self.usable_history(h);
        let before = before.as_ref().map(|history| (&history.positions[..], &history.velocities[..]));
        let x = &self.state.positions;
        let begin = Beginning { h, x, v: &velocities, before };
        let stage = self.settings.integrator.first_stage(begin, &total, &mut self.scratch);
        Ok(Prediction { velocities, accelerations, by_air, by_pressure, stage })
    }

    /// Forces of pressure on closed surfaces now \[N\]; empty where there is none.
    fn pressure_forces(&self) -> Vec<Vec3> {
        if self.model.bodies().iter().all(|body| body.pressure == 0.0) {
            return Vec::new();
        }
        let mut forces = vec![Vec3::ZERO; self.state.positions.len()];
        add_pressure(&self.model, &self.state.positions, &mut forces);
        forces
    }

    /// Forces of the wind over the next substep of h \[s\] \[N\]; empty where there is none.
    fn air_forces(&self, h: f64, velocities: &[Vec3]) -> Vec<Vec3> {
        let Some(wind) = &self.settings.wind else { return Vec::new() };
        let (state, model) = (&self.state, &self.model);
        let x = &state.positions;
        let others = self.history.as_ref().map_or(&[][..], |history| &history.others);
        let seen = self.seen_velocities(velocities);
        let moving = (&x[..], seen.as_deref().unwrap_or(velocities));
        Drag::over_step((model, wind, state.air), moving, &state.channels, h, others)
    }

    /// Velocities as they are seen to be, where those that the next substep starts from are more than that.
    fn seen_velocities(&self, velocities: &[Vec3]) -> Option<Vec<Vec3>> {
        let history = self.history.as_ref()?;
        let bodies = self.model.bodies();
        let follows =
            |&body: &usize| matches!(self.plan.solvers[self.plan.of_body[body]], SolverChoice::FollowLeader(_));
        let matter = self.model.matter().iter().filter(|entry| entry.matter.hides_velocities());
        let hidden = (0..bodies.len()).filter(follows).chain(matter.map(|entry| entry.body));
        let hidden: Vec<_> = hidden.map(|body| bodies[body].vertices.clone()).collect();
        if hidden.is_empty() {
            return None;
        }
        let mut seen = velocities.to_vec();
        for v in hidden.into_iter().flatten() {
            seen[v] = (self.state.positions[v] - history.positions[v]) / history.h;
        }
        Some(seen)
    }

    /// The state one substep earlier, for an integrator that looks back over substeps of equal length h \[s\]. Its velocities are damped
    /// for the two since, as the current ones are for one: else BDF2 would slow down twice as fast as it should.
    fn usable_history(&self, h: f64) -> Option<History> {
        let looks_back = self.settings.integrator.looks_back();
        let mut history = self.history.as_ref().filter(|history| looks_back && history.h == h)?.clone();
        for _ in 0..2 {
            let (model, links) = (&self.model, &self.damping_links);
            self.damping.filter(model, links, h, &history.positions, &mut history.velocities);
        }
        Some(history)
    }

    /// M⁻¹ of the elastic forces at the current positions \[m/s²\].
    fn elastic_accelerations(&mut self) -> Vec<Vec3> {
        let mut forces = self.elastic_forces();
        self.model.mass().divide(&mut self.mass_factor, &mut forces);
        forces
    }
}
