//! A running world: how a substep is predicted, solved, checked and committed. `substeps` calls these in order.

use crate::clock::Clock;
use crate::contact::{Before, Clearances, Contact, Contacts, Held, Obstacles, Surroundings};
use crate::energy::Memory;
use crate::force::damping::{Damping, DampingLinks};
use crate::force::pressure::{add_pressure, enclosed_volume};
use crate::force::wind::{Drag, Wind};
use crate::integrate::{Beginning, Stage, TimeIntegrator};
use crate::math::Vec3;
use crate::parallel;
use crate::scratch::Scratch;
use crate::solve::limit::{Limiter, StrainLimitReport, StrainLimiting};
use crate::solve::{SolveError, SolveReport, Solver, SolverChoice, Start};
use crate::sparse::{Cholesky, FactorError};
use crate::step::builder::SimulationBuilder;
use crate::step::error::StepError;
use crate::step::lineage::Lineage;
use crate::step::pool::Pool;
use crate::step::problem::Problem;
use crate::step::report::{StepReport, offending_element};
use crate::step::rollback::Rollback;
use crate::step::self_collision::{SelfCollider, Untangled};
use crate::world::model::{BodyInfo, Model};
use crate::world::state::Substep;
use crate::world::state::{History, Inputs, State};

/// What the user may change between steps without rebuilding.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Settings {
    pub(crate) time_step: f64,
    /// Equal parts in which a step is taken.
    pub(crate) substeps: usize,
    pub(crate) gravity: Vec3,
    pub(crate) wind: Option<Wind>,
    pub(crate) integrator: TimeIntegrator,
    pub(crate) runaway_limit: f64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            time_step: 1.0 / 60.0,
            substeps: 1,
            gravity: Vec3::new(0.0, -9.81, 0.0),
            wind: None,
            integrator: TimeIntegrator::default(),
            runaway_limit: 100.0,
        }
    }
}

/// A world that advances in time.
#[derive(Debug)]
pub struct Simulation {
    pub(crate) model: Model,
    pub(crate) state: State,
    pub(crate) history: Option<History>,
    pub(crate) inputs: Inputs,
    pub(crate) settings: Settings,
    pub(crate) damping: Damping,
    damping_links: DampingLinks,
    /// Limits of strain, and what they are prepared with for the model.
    pub(crate) strain_limiting: Option<StrainLimiting>,
    limiter: Option<Limiter>,
    /// What energies remember; `trial` takes its place when a step is good.
    pub(crate) memory: Vec<Memory>,
    pub(crate) trial: Vec<Memory>,
    /// What the solver is built from, when the model is replaced.
    pub(crate) choice: SolverChoice,
    pub(crate) solver: Box<dyn Solver>,
    /// Colliders, if there are any.
    pub(crate) surroundings: Option<Surroundings>,
    scratch: Scratch,
    mass_factor: Option<Cholesky>,
    pub(crate) self_collider: Option<SelfCollider>,
    pub(crate) lineage: Lineage,
    pub(crate) rollback: Rollback,
    pool: Pool,
    pub(crate) clock: Clock,
}

/// What a step works out before it solves.
pub(crate) struct Prediction {
    /// Velocities after damping \[m/s\].
    velocities: Vec<Vec3>,
    /// Accelerations by external forces \[m/s²\].
    accelerations: Vec<Vec3>,
    /// Forces of the wind that are in them \[N\]; empty where there is none.
    by_air: Vec<Vec3>,
    pub(crate) stage: Stage,
}

/// What a substep comes to.
pub(crate) struct Reached {
    pub(crate) positions: Vec<Vec3>,
    velocities: Vec<Vec3>,
    touched: Vec<Contact>,
    held: Vec<Held>,
    clearances: Clearances,
    pub(crate) limited: Option<StrainLimitReport>,
    /// Accelerations by all but the wind, where there is one \[m/s²\].
    others: Vec<Vec3>,
    /// Vertices that were struck, with the positions and velocities that they might have had at the start.
    struck: Vec<(u32, Vec3, Vec3)>,
}

/// What solves the stages of a step.
struct Stages<'a> {
    model: &'a Model,
    inputs: &'a Inputs,
    start: &'a [Vec3],
    solver: &'a mut dyn Solver,
    trial: &'a mut [Memory],
    self_collider: Option<&'a mut SelfCollider>,
    clock: &'a Clock,
}

impl Stages<'_> {
    /// Solves one stage from the start that the solver wants.
    fn solve(
        &mut self,
        stage: &Stage,
        accelerations: &[Vec3],
        contacts: &mut Contacts<'_>,
        scratch: &mut Scratch,
    ) -> Result<(Vec<Vec3>, SolveReport), SolveError> {
        let start = self.solver.start();
        let beside = if self.solver.reads_inertial() { Start::Inertial } else { start };
        let (stage_now, starts) = ((stage, accelerations), [start, beside]);
        let problem =
            Problem::new(self.model, self.inputs, self.start, stage_now, (&stage.origin).into(), &starts, scratch);
        let mut x = scratch.copy(problem.start(start));
        for (entry, memory) in self.model.energies().iter().zip(&mut *self.trial) {
            entry.batch.begin_stage(&stage.origin, memory);
        }
        let (solver, trial, clock) = (&mut *self.solver, &mut *self.trial, self.clock);
        let report = match &mut self.self_collider {
            Some(collider) => collider.solve(&problem, solver, &mut x, trial, contacts, clock)?,
            None => solver.finish(&problem.objective(), &mut x, trial, contacts, clock)?,
        };
        problem.recycle(scratch);
        Ok((x, report))
    }

    /// What keeping surfaces apart has taken from rigid bodies is no change of their velocities.
    fn keep_momentum(&self, v: &mut [Vec3], tau: f64) {
        if let Some(collider) = &self.self_collider {
            collider.keep_momentum(v, tau);
        }
    }
}

impl Simulation {
    /// Returns a builder for a simulation.
    pub fn builder() -> SimulationBuilder {
        SimulationBuilder::default()
    }

    pub(crate) fn new(
        model: Model,
        state: State,
        settings: Settings,
        damping: Damping,
        solver: &SolverChoice,
        pool: Pool,
        clock: Clock,
    ) -> Self {
        let memory = model.initial_memory();
        let pins = model.pinned().iter().map(|&v| state.positions[v as usize]).collect();
        let inputs = Inputs { pins, ..Inputs::at_rest(&model) };
        Self {
            trial: memory.clone(),
            memory,
            damping_links: DampingLinks::new(&damping, &model),
            strain_limiting: None,
            limiter: None,
            model,
            state,
            history: None,
            inputs,
            settings,
            damping,
            choice: solver.clone(),
            solver: solver.build(),
            surroundings: None,
            lineage: Lineage::default(),
            rollback: Rollback::default(),
            scratch: Scratch::default(),
            mass_factor: None,
            self_collider: None,
            pool,
            clock,
        }
    }

    pub(crate) fn with_self_collision(mut self, collider: Option<SelfCollider>) -> Self {
        self.self_collider = collider;
        self
    }

    /// How intersections at the start were removed, in a world with [`untangle`](crate::SelfCollision::untangle).
    pub fn untangled(&self) -> Option<Untangled> {
        self.self_collider.as_ref().and_then(SelfCollider::untangled)
    }

    /// Advances by one time step, with all its [substeps](SimulationBuilder::substeps). After an error nothing has
    /// changed, with one exception: if torn parts [cannot be separated](StepError::Tearing), the step is complete all
    /// the same.
    pub fn step(&mut self) -> Result<StepReport, StepError> {
        let pool = self.pool.clone();
        pool.run(|| self.take_substeps())
    }

    /// Damps velocities, gathers external forces, sets up the first stage.
    pub(crate) fn predict(&mut self, part: &Substep) -> Result<Prediction, FactorError> {
        let (x, h) = (&self.state.positions, part.h);
        let mut velocities = self.scratch.copy(&self.state.velocities);
        self.damping.filter(&self.model, &self.damping_links, h, x, &mut velocities);
        if self.mass_factor.is_none() {
            self.mass_factor = self.model.mass().factor()?;
        }
        let mut accelerations = self.scratch.copy(&self.inputs.forces);
        add_pressure(&self.model, x, &mut accelerations);
        let by_air = self.air_forces(h, &velocities);
        accelerations.iter_mut().zip(&by_air).for_each(|(force, air)| *force += *air);
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
        Ok(Prediction { velocities, accelerations, by_air, stage })
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
        let hidden: Vec<_> = match self.choice {
            SolverChoice::FollowLeader(_) => bodies.iter().map(|body| body.vertices.clone()).collect(),
            _ => {
                let matter = self.model.matter().iter().filter(|entry| entry.matter.hides_velocities());
                matter.map(|entry| bodies[entry.body].vertices.clone()).collect()
            }
        };
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
        let looks_back = self.settings.integrator == TimeIntegrator::Bdf2;
        let mut history = self.history.as_ref().filter(|history| looks_back && history.h == h)?.clone();
        for _ in 0..2 {
            let (model, links) = (&self.model, &self.damping_links);
            self.damping.filter(model, links, h, &history.positions, &mut history.velocities);
        }
        Some(history)
    }

    /// Solves all stages of a substep, against what is in the way.
    pub(crate) fn solve(
        &mut self,
        part: &Substep,
        prediction: Prediction,
    ) -> Result<(Reached, SolveReport), SolveError> {
        let Prediction { velocities, accelerations, by_air, stage } = prediction;
        let (integrator, h, [now, end]) = (self.settings.integrator, part.h, part.span);
        let earlier = self.history.as_ref().map(|history| (&history.velocities[..], history.h));
        self.solver.begin_step(&self.state, earlier);
        // Projections are recomputed; what energies remember is not.
        for (trial, memory) in self.trial.iter_mut().zip(&self.memory) {
            parallel::copy(&memory.warm, &mut trial.warm);
        }
        let clearances = self.surroundings.as_mut().map(|around| std::mem::take(&mut around.clearances));
        if let (Some(settings), None) = (self.strain_limiting, &self.limiter) {
            self.limiter = Some(Limiter::new(settings, &self.model)?);
        }
        let limiter = self.limiter.as_ref();
        let (model, start, around) = (&self.model, &self.state.positions[..], self.surroundings.as_ref());
        let meets = |stage: &Stage, known: Option<Clearances>| {
            let span = [now, if stage.moment == 1.0 { end } else { now + stage.moment * h }];
            let obstacles = around.zip(known).map(|(around, known)| Obstacles::new(around, model, start, span, known));
            Contacts { obstacles, ..Contacts::default() }
        };
        let mut self_collider = self.self_collider.as_mut();
        if let Some(collider) = &mut self_collider {
            collider.begin_step(start);
        }
        let (inputs, clock, scratch) = (&self.inputs, &self.clock, &mut self.scratch);
        let (solver, trial) = (&mut *self.solver, &mut self.trial[..]);
        let mut stages = Stages { model, inputs, start, solver, trial, self_collider, clock };
        let mut contacts = meets(&stage, clearances);
        let (mut x, mut report) = stages.solve(&stage, &accelerations, &mut contacts, scratch)?;
        let mut v = stage.velocities(&x, scratch);
        stages.keep_momentum(&mut v, stage.tau);
        let begin = Beginning { h, x: start, v: &velocities, before: None };
        if let Some(second) = integrator.second_stage(begin, &x, &v, scratch) {
            contacts = meets(&second, contacts.obstacles.map(Obstacles::into_clearances));
            let (y, later) = stages.solve(&second, &accelerations, &mut contacts, scratch)?;
            v = second.velocities(&y, scratch);
            stages.keep_momentum(&mut v, second.tau);
            x = y;
            report.add(later);
        }
        integrator.finish(begin, &mut x, &mut v);
        let mut limited = None;
        if let Some(limiter) = limiter {
            // Where pins are going to be is what strain is limited against.
            model.pinned().iter().zip(&inputs.substep_pins).for_each(|(&vertex, target)| x[vertex as usize] = *target);
            limited = Some(limiter.limit(&mut x, &mut v, h)?);
        }
        let is_euler = integrator == TimeIntegrator::ImplicitEuler;
        let moves_out = !stages.solver.keeps_positions();
        let before =
            Before { span: part.span, h, velocities: &velocities, accelerations: &accelerations, is_euler, moves_out };
        let mut obstacles = contacts.obstacles;
        let mut struck = Vec::new();
        contacts.layers.note_struck(&before, &mut struck);
        let finished = obstacles.as_mut().map(|obstacles| obstacles.finish(&before, &mut x, &mut v, &mut struck));
        let (touched, held) = finished.unwrap_or_default();
        // Pinned vertices are where they were told to be, and as fast as that made them.
        for (&vertex, &target) in model.pinned().iter().zip(&inputs.substep_pins) {
            let vertex = vertex as usize;
            v[vertex] = (target - start[vertex]) / h;
            x[vertex] = target;
        }
        if let Some(collider) = stages.self_collider {
            collider.finish(&mut x, &mut v, stage.tau, clock);
        }
        stages.solver.correct_velocities(model, start, &x, &mut v, h);
        let clearances = obstacles.map(|obstacles| obstacles.into_clearances_at(&x)).unwrap_or_default();
        stage.recycle(scratch);
        let mut others = by_air;
        for ((a, mass), (v, before)) in others.iter_mut().zip(model.mass().lumped()).zip(v.iter().zip(&velocities)) {
            *a = (*v - *before) / h - if *mass > 0.0 { *a / *mass } else { Vec3::ZERO };
        }
        // An impact leaves no past to look back on: as if they had come the way they go now, under the same forces.
        let past = |&vertex: &u32| {
            let (x, v, a) = (x[vertex as usize], v[vertex as usize], accelerations[vertex as usize]);
            (vertex, x - v * h, v - a * h)
        };
        let struck = struck.iter().map(past).collect();
        scratch.give([velocities, accelerations]);
        Ok((Reached { positions: x, velocities: v, touched, held, clearances, limited, others, struck }, report))
    }

    /// M⁻¹ of the elastic forces at the current positions \[m/s²\].
    fn elastic_accelerations(&mut self) -> Vec<Vec3> {
        let mut forces = self.elastic_forces();
        self.model.mass().divide(&mut self.mass_factor, &mut forces);
        forces
    }

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
        let Reached { positions, velocities, touched, held, clearances, others, struck, limited: _ } = reached;
        if let Some(surroundings) = &mut self.surroundings {
            (surroundings.touched, surroundings.held, surroundings.clearances) = (touched, held, clearances);
        }
        let mut positions = std::mem::replace(&mut self.state.positions, positions);
        let mut velocities = std::mem::replace(&mut self.state.velocities, velocities);
        for (vertex, x, v) in struck {
            (positions[vertex as usize], velocities[vertex as usize]) = (x, v);
        }
        if let Some(older) = self.history.replace(History { h, positions, velocities, others }) {
            self.scratch.give([older.positions, older.velocities]);
        }
        self.solver.finish_step(part, &mut self.state);
        std::mem::swap(&mut self.memory, &mut self.trial);
        self.inputs.goals_now.clone_from(&self.inputs.substep_goals);
        self.state.step += u64::from(part.left == 1);
        self.state.time = part.span[1];
        let wind = self.settings.wind.as_ref().map_or(Vec3::ZERO, |wind| wind.velocity);
        self.state.air = self.state.air.after(wind, h);
    }

    pub(crate) fn failed(&self, error: SolveError) -> StepError {
        StepError::Solve { step: self.state.step + 1, error }
    }

    /// Drops what the solver and the masses have been prepared with, for a model that has been replaced.
    pub(crate) fn forget_factors(&mut self) {
        self.solver = self.choice.build();
        self.mass_factor = None;
        self.limiter = None;
        self.damping_links = DampingLinks::new(&self.damping, &self.model);
    }

    /// The first stage of the next step, or of its first substep, as a problem to study: its objective, gradient and
    /// solution by any solver.
    pub fn next_problem(&mut self) -> Result<Problem<'_>, SolveError> {
        let part = self.settings.substep(self.state.time, 0);
        self.inputs.approach(&self.model, &self.state.positions, part.left);
        let prediction = self.predict(&part)?;
        let mut memory = self.memory.clone();
        for (entry, memory) in self.model.energies().iter().zip(&mut memory) {
            entry.batch.begin_stage(&prediction.stage.origin, memory);
        }
        let stage = (&prediction.stage, &prediction.accelerations[..]);
        let (positions, starts, mut scratch) =
            (&self.state.positions, [Start::Inertial, Start::Previous], Scratch::default());
        let before = prediction.stage.origin.clone().into();
        Ok(Problem::new(&self.model, &self.inputs, positions, stage, before, &starts, &mut scratch).with_memory(memory))
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
