//! How a substep is solved: all stages of the integrator, against what is in the way, and what follows once they are solved.

use crate::clock::Clock;
use crate::contact::{Before, Clearances, Colliders, Contact, Contacts, Held, Obstacles};
use crate::energy::Memory;
use crate::integrate::{Beginning, Stage, TimeIntegrator};
use crate::math::Vec3;
use crate::parallel;
use crate::scratch::Scratch;
use crate::solve::limit::{Limiter, StrainLimitReport};
use crate::solve::{SolveError, SolveReport, Solver, Start};
use crate::step::coupling::{Coupled, HeldForces, Side, Wetting};
use crate::step::energy::{Account, Acting, Books};
use crate::step::grab::Grabs;
use crate::step::groups::{PerGroup, Plan};
use crate::step::predict::Prediction;
use crate::step::problem::Problem;
use crate::step::self_collision::{Rounds, SelfCollider, Whole};
use crate::step::simulation::Simulation;
use crate::world::model::Model;
use crate::world::state::{Inputs, Substep};

/// What a substep comes to.
pub(crate) struct Reached {
    pub(crate) positions: Vec<Vec3>,
    pub(super) velocities: Vec<Vec3>,
    pub(super) touched: Vec<Contact>,
    pub(super) held: Vec<Held>,
    pub(super) clearances: PerGroup<Clearances>,
    /// Forces between groups, where there are several.
    pub(super) between: Option<HeldForces>,
    pub(crate) limited: Option<StrainLimitReport>,
    /// Accelerations by all but the wind, where there is one \[m/s²\].
    pub(super) others: Vec<Vec3>,
    /// Vertices that were struck, with the positions and velocities that they might have had at the start.
    pub(super) struck: Vec<(u32, Vec3, Vec3)>,
    /// Energies of islands, for an integrator that keeps them.
    pub(super) accounts: Vec<Account>,
}

impl Reached {
    /// Forgets what was found on the way to another place.
    pub(super) fn stand_still(&mut self) {
        self.touched.clear();
        self.held.clear();
        self.struck.clear();
        self.clearances.iter_mut().for_each(|known| *known = Clearances::default());
    }
}

impl Simulation {
    /// Solves a substep: its stages, then strain limits, contacts, pins, layers and velocities. `elastic` is the elastic energy at its start \[J\].
    pub(crate) fn solve(
        &mut self,
        part: &Substep,
        prediction: Prediction,
        elastic: f64,
        keeps_energy: bool,
    ) -> Result<(Reached, SolveReport, Books), SolveError> {
        let Prediction { velocities, accelerations, by_air, by_pressure, stage } = prediction;
        let known = self.begin_solve()?;
        let sides = PerGroup::of(self.groups.iter_mut().map(|group| group.parts(&self.model)));
        // A world has a body at least, and its group.
        let (Some(sides), Some(known)) = (sides, known) else { return Err(SolveError::Unfinished { calls: 0 }) };
        let mut stages = Stages {
            model: &self.model,
            plan: &self.plan,
            groups: sides,
            between: &self.between,
            wetting: self.wetting.as_mut(),
            shifted: Vec::new(),
            grabs: &self.grabs,
            inputs: &self.inputs,
            integrator: self.settings.integrator,
            around: self.colliders.as_ref().filter(|around| !around.colliders.is_empty()),
            limiter: self.limiter.as_ref(),
            start: &self.state.positions,
            part,
            velocities,
            accelerations,
            trial: &mut self.trial,
            self_collider: self.self_collider.as_mut(),
            clock: &self.clock,
            scratch: &mut self.scratch,
            near_pins: &mut self.near_pins,
            accounts: &self.accounts,
        };
        let (mut solved, report) = stages.solve(&stage, known)?;
        let limited = stages.limit_strain(&mut solved)?;
        let touched = stages.leave_contacts(&mut solved);
        stages.place_pins(&mut solved);
        stages.keep_apart(&mut solved, stage.tau);
        stages.correct_velocities(&mut solved);
        stage.recycle(stages.scratch);
        let (velocities, gravity) = (&self.state.velocities[..], self.settings.gravity);
        let acting = Acting { gravity, pressure: by_pressure, by_air, velocities, elastic };
        // A step that will be refused has no energy.
        let is_finite = solved.x.iter().all(|x| x.is_finite());
        let mut accounts = Vec::new();
        if is_finite && keeps_energy {
            accounts = stages.keep_energy(&mut solved, &touched.contacts, &acting);
        }
        let mut books =
            if is_finite { stages.books(&mut solved, &touched.contacts, &acting) } else { Books::default() };
        books.owed = [stages.accounts, &accounts].map(Account::owed);
        Ok((Reached { accounts, ..stages.reached(solved, touched, limited, acting.by_air) }, report, books))
    }

    /// Tells all that takes part where the substep begins. Returns how far colliders are known to be.
    fn begin_solve(&mut self) -> Result<Option<PerGroup<Clearances>>, SolveError> {
        let earlier = self.history.as_ref().map(|history| (&history.velocities[..], history.h));
        self.groups.iter_mut().for_each(|group| group.solver.begin_step(&self.state, earlier));
        // Projections are recomputed; what energies remember is not.
        for (trial, memory) in self.trial.iter_mut().zip(&self.memory) {
            parallel::copy(&memory.warm, &mut trial.warm);
        }
        if let (Some(settings), None) = (self.strain_limiting, &self.limiter) {
            self.limiter = Some(Limiter::new(settings, &self.model)?);
        }
        if let Some(collider) = &mut self.self_collider {
            collider.begin_step(&self.state.positions);
        }
        Ok(PerGroup::of(self.groups.iter_mut().map(|group| std::mem::take(&mut group.clearances))))
    }
}

/// Where a substep has come to.
pub(super) struct Solved<'a> {
    pub(super) x: Vec<Vec3>,
    pub(super) v: Vec<Vec3>,
    pub(super) contacts: PerGroup<Contacts<'a>>,
    /// Forces between groups, where there are several.
    between: Option<HeldForces>,
}

/// What was touched in a substep, and by which vertices.
struct Touched {
    contacts: Vec<Contact>,
    held: Vec<Held>,
    struck: Vec<u32>,
}

/// What a substep is solved with.
pub(super) struct Stages<'a> {
    pub(super) model: &'a Model,
    plan: &'a Plan,
    pub(super) groups: PerGroup<(&'a Model, &'a mut dyn Solver)>,
    /// Forces between groups that have lasted from the substep before.
    between: &'a HeldForces,
    wetting: Option<&'a mut Wetting>,
    /// Vertices that were moved in the last stage without being faster, and by how much \[m\].
    shifted: Vec<(u32, Vec3)>,
    grabs: &'a Grabs,
    pub(super) inputs: &'a Inputs,
    integrator: TimeIntegrator,
    pub(super) around: Option<&'a Colliders>,
    pub(super) limiter: Option<&'a Limiter>,
    /// Positions at the start of the substep \[m\].
    pub(super) start: &'a [Vec3],
    pub(super) part: &'a Substep,
    /// Damped velocities at the start \[m/s\].
    pub(super) velocities: Vec<Vec3>,
    /// Accelerations by external forces \[m/s²\].
    accelerations: Vec<Vec3>,
    pub(super) trial: &'a mut [Memory],
    self_collider: Option<&'a mut SelfCollider>,
    clock: &'a Clock,
    pub(super) scratch: &'a mut Scratch,
    /// Elements of each energy that have pinned vertices, where they were looked for.
    pub(super) near_pins: &'a mut Option<Vec<Vec<u32>>>,
    /// Energies of islands at the start, where they are known.
    pub(super) accounts: &'a [Account],
}

impl<'a> Stages<'a> {
    /// Solves the first stage, and the second where the integrator has one; `known` is how far colliders are known to be.
    fn solve(&mut self, first: &Stage, known: PerGroup<Clearances>) -> Result<(Solved<'a>, SolveReport), SolveError> {
        let mut contacts = self.in_the_way(first, known);
        let (mut x, mut between, mut report) = self.solve_stage(first, self.between, &mut contacts)?;
        let mut v = self.velocities_after(first, &x);
        let begin = Beginning { h: self.part.h, x: self.start, v: &self.velocities, before: None };
        if let Some(second) = self.integrator.second_stage(begin, &x, &v, self.scratch) {
            let known = |contacts: Contacts<'_>| contacts.obstacles.map(Obstacles::into_clearances).unwrap_or_default();
            contacts = self.in_the_way(&second, contacts.map(known));
            let lasted = between.take().unwrap_or_default();
            let (y, forces, later) = self.solve_stage(&second, &lasted, &mut contacts)?;
            between = forces;
            v = self.velocities_after(&second, &y);
            x = y;
            report.add(later);
        }
        let begin = Beginning { h: self.part.h, x: self.start, v: &self.velocities, before: None };
        self.integrator.finish(begin, &mut x, &mut v);
        Ok((Solved { x, v, contacts, between }, report))
    }

    /// What may be touched in a stage.
    fn in_the_way(&mut self, stage: &Stage, known: PerGroup<Clearances>) -> PerGroup<Contacts<'a>> {
        let [now, end] = self.part.span;
        let span = [now, if stage.moment == 1.0 { end } else { now + stage.moment * self.part.h }];
        let (around, start, mut groups) = (self.around, self.start, self.groups.iter_mut());
        let (grabs, part) = (self.grabs, self.part);
        known.map(|known| {
            let model = groups.next().map_or(self.model, |(model, _)| *model);
            let obstacles = around.map(|around| Obstacles::new(around, model, start, span, known));
            let ties = grabs.ties(model, part, stage.moment);
            Contacts { obstacles, ties, ..Contacts::default() }
        })
    }

    /// Solves one stage from the start that the solver wants; `lasted` are forces between groups so far.
    fn solve_stage(
        &mut self,
        stage: &Stage,
        lasted: &HeldForces,
        contacts: &mut PerGroup<Contacts<'a>>,
    ) -> Result<(Vec<Vec3>, Option<HeldForces>, SolveReport), SolveError> {
        for (entry, memory) in self.model.energies().iter().zip(&mut *self.trial) {
            entry.batch.begin_stage(&stage.origin, memory);
        }
        if self.plan.solvers.len() > 1 {
            let (x, held, report) = self.solve_groups(stage, lasted, contacts)?;
            return Ok((x, Some(held), report));
        }
        let (solver, clock) = (&mut *self.groups.first.1, self.clock);
        let start = solver.start();
        let beside = if solver.reads_inertial() { Start::Inertial } else { start };
        let (stage_now, starts) = ((stage, &self.accelerations[..]), [start, beside]);
        let (model, inputs, origin) = (self.model, self.inputs, (&stage.origin).into());
        let problem = Problem::new(model, inputs, self.start, stage_now, origin, &starts, self.scratch);
        let mut x = self.scratch.copy(problem.start(start));
        let (memory, contacts) = (&mut *self.trial, &mut contacts.first);
        let report = match &mut self.self_collider {
            Some(collider) => {
                let (inertia, wanted) = (problem.objective().inertia, problem.start(Start::Predicted));
                let mut whole = Whole { problem: &problem, solver, memory, contacts, clock };
                collider.solve(model, inertia, wanted, &mut whole, &mut x, clock)?
            }
            None => solver.finish(&problem.objective(), &mut x, memory, contacts, clock)?,
        };
        problem.recycle(self.scratch);
        Ok((x, None, report))
    }

    /// Solves one stage of a world with several groups.
    fn solve_groups(
        &mut self,
        stage: &Stage,
        lasted: &HeldForces,
        contacts: &mut PerGroup<Contacts<'a>>,
    ) -> Result<(Vec<Vec3>, HeldForces, SolveReport), SolveError> {
        let (world, clock, mut sides) = (self.model, self.clock, Vec::new());
        let mut x = Vec::new();
        for ((model, solver), contacts) in self.groups.iter_mut().zip(contacts.iter_mut()) {
            let model: &Model = model;
            let start = solver.start();
            let starts = [start, if solver.reads_inertial() { Start::Inertial } else { start }];
            let (stage_now, origin) = ((stage, &self.accelerations[..]), (&stage.origin).into());
            let problem = Problem::new(model, self.inputs, self.start, stage_now, origin, &starts, self.scratch);
            let from = problem.start(start);
            if x.is_empty() {
                x = self.scratch.copy(from);
            }
            model.free().iter().for_each(|&v| x[v as usize] = from[v as usize]);
            let own =
                (0..model.energies().len()).map(|energy| std::mem::take(&mut self.trial[model.energy_number(energy)]));
            let rank = self.plan.rank(world, sides.len());
            sides.push(Side { model, memory: own.collect(), solver: &mut **solver, contacts, problem, rank });
        }
        let (inertia, wanted) = (1.0 / (stage.tau * stage.tau), sides[0].problem.start(Start::Predicted).to_vec());
        let mut coupled = Coupled::new(world, &self.plan.of_body, stage, sides, lasted, clock);
        if let Some(wetting) = &mut self.wetting {
            coupled.set_wet(|lasted| wetting.contacts(world, inertia, [self.start, &wanted], lasted));
        }
        let result = match &mut self.self_collider {
            Some(collider) => collider.solve(world, inertia, &wanted, &mut coupled, &mut x, clock),
            None => coupled.solve(&mut x),
        };
        self.shifted = coupled.keep_sides(&mut x);
        let (sides, held) = coupled.finish();
        for Side { model, problem, memory, .. } in sides {
            let own = (0..).map(|energy| model.energy_number(energy)).take(memory.len()).collect::<Vec<_>>();
            own.into_iter().zip(memory).for_each(|(number, memory)| self.trial[number] = memory);
            problem.recycle(self.scratch);
        }
        Ok((x, held, result?))
    }

    /// Velocities at the end of a stage that has come to x.
    fn velocities_after(&mut self, stage: &Stage, x: &[Vec3]) -> Vec<Vec3> {
        let mut v = stage.velocities(x, self.scratch);
        // Nor is it a velocity that keeps fluid on its side.
        for (vertex, way) in self.shifted.drain(..) {
            v[vertex as usize] -= way / stage.tau;
        }
        // What keeping surfaces apart has taken from rigid bodies is no change of their velocities.
        if let Some(collider) = &self.self_collider {
            collider.keep_momentum(&mut v, stage.tau);
        }
        v
    }

    fn limit_strain(&mut self, solved: &mut Solved<'_>) -> Result<Option<StrainLimitReport>, SolveError> {
        let Some(limiter) = self.limiter else { return Ok(None) };
        // Where pins are going to be is what strain is limited against.
        for (&vertex, target) in self.model.pinned().iter().zip(&self.inputs.substep_pins) {
            solved.x[vertex as usize] = *target;
        }
        Ok(Some(limiter.limit(&mut solved.x, &mut solved.v, self.part.h)?))
    }

    /// Moves vertices out of colliders, and gives them the velocities that friction and restitution leave.
    fn leave_contacts(&mut self, solved: &mut Solved<'_>) -> Touched {
        let Substep { h, span, .. } = *self.part;
        let (velocities, accelerations) = (&self.velocities[..], &self.accelerations[..]);
        let is_euler = self.integrator == TimeIntegrator::ImplicitEuler;
        let Solved { x, v, contacts, .. } = solved;
        let mut touched = Touched { contacts: Vec::new(), held: Vec::new(), struck: Vec::new() };
        for ((_, solver), contacts) in self.groups.iter_mut().zip(contacts.iter_mut()) {
            let moves_out = !solver.keeps_positions();
            let before = Before { span, h, velocities, accelerations, is_euler, moves_out };
            let Touched { contacts: all, held: all_held, struck } = &mut touched;
            contacts.layers.note_struck(&before, struck);
            if let Some(obstacles) = &mut contacts.obstacles {
                let (contacts, held) = obstacles.finish(&before, x, v, struck);
                all.extend(contacts);
                all_held.extend(held);
            }
        }
        if self.plan.solvers.len() > 1 {
            touched.contacts.sort_by_key(|contact| (contact.vertex, contact.collider));
            touched.held.sort_by_key(|held| (held.vertex, held.collider));
        }
        touched
    }

    /// Pinned vertices are where they were told to be, and as fast as that made them.
    fn place_pins(&mut self, solved: &mut Solved<'_>) {
        for (&vertex, &target) in self.model.pinned().iter().zip(&self.inputs.substep_pins) {
            let vertex = vertex as usize;
            solved.v[vertex] = (target - self.start[vertex]) / self.part.h;
            solved.x[vertex] = target;
        }
    }

    /// Surfaces end where they have not passed through each other.
    fn keep_apart(&mut self, solved: &mut Solved<'_>, tau: f64) {
        if let Some(collider) = &mut self.self_collider {
            collider.finish(&mut solved.x, &mut solved.v, tau, self.clock);
        }
    }

    fn correct_velocities(&mut self, solved: &mut Solved<'_>) {
        for (model, solver) in self.groups.iter_mut() {
            solver.correct_velocities(model, self.start, &solved.x, &mut solved.v, self.part.h);
        }
    }

    /// What the substep has come to, with what the next one looks back on.
    fn reached(
        self,
        solved: Solved<'_>,
        touched: Touched,
        limited: Option<StrainLimitReport>,
        by_air: Vec<Vec3>,
    ) -> Reached {
        let (Solved { x, v, contacts, between }, h) = (solved, self.part.h);
        let Self { velocities, accelerations, .. } = self;
        let known = |contacts: Contacts<'_>| {
            contacts.obstacles.map(|obstacles| obstacles.into_clearances_at(&x)).unwrap_or_default()
        };
        let clearances = contacts.map(known);
        let mut others = by_air;
        let masses = self.model.mass().lumped();
        for ((a, mass), (v, before)) in others.iter_mut().zip(masses).zip(v.iter().zip(&velocities)) {
            *a = (*v - *before) / h - if *mass > 0.0 { *a / *mass } else { Vec3::ZERO };
        }
        // An impact leaves no past to look back on: as if they had come the way they go now, under the same forces.
        let past = |&vertex: &u32| {
            let (x, v, a) = (x[vertex as usize], v[vertex as usize], accelerations[vertex as usize]);
            (vertex, x - v * h, v - a * h)
        };
        let struck = touched.struck.iter().map(past).collect();
        self.scratch.give([velocities, accelerations]);
        let Touched { contacts: touched, held, .. } = touched;
        Reached {
            positions: x,
            velocities: v,
            touched,
            held,
            clearances,
            between,
            limited,
            others,
            struck,
            accounts: Vec::new(),
        }
    }
}
