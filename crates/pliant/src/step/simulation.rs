//! A running world: what it is made of, and what it keeps from step to step.

use crate::clock::Clock;
use crate::contact::{Clearances, Colliders};
use crate::energy::Memory;
use crate::force::damping::{Damping, DampingLinks};
use crate::force::wind::Wind;
use crate::integrate::TimeIntegrator;
use crate::math::Vec3;
use crate::scratch::Scratch;
use crate::solve::limit::{Limiter, StrainLimiting};
use crate::solve::{SolveError, Start};
use crate::sparse::Cholesky;
use crate::step::builder::SimulationBuilder;
use crate::step::change::Roster;
use crate::step::coupling::{HeldForces, Wetting};
use crate::step::energy::{Account, Ledger};
use crate::step::error::StepError;
use crate::step::grab::Grabs;
use crate::step::groups::{Group, Plan, Wishes};
use crate::step::lineage::Lineage;
use crate::step::pool::Pool;
use crate::step::problem::Problem;
use crate::step::report::StepReport;
use crate::step::rollback::Rollback;
use crate::step::self_collision::{SelfCollider, Untangled};
use crate::world::model::Model;
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
    /// Vertices that are held softly.
    pub(crate) grabs: Grabs,
    pub(crate) settings: Settings,
    pub(crate) damping: Damping,
    pub(super) damping_links: DampingLinks,
    /// Limits of strain, and what they are prepared with for the model.
    pub(crate) strain_limiting: Option<StrainLimiting>,
    pub(super) limiter: Option<Limiter>,
    /// What energies remember; `trial` takes its place when a step is good.
    pub(crate) memory: Vec<Memory>,
    pub(crate) trial: Vec<Memory>,
    /// Solvers as they were asked for, and which of them moves which bodies.
    pub(crate) wishes: Wishes,
    pub(crate) plan: Plan,
    /// One at least.
    pub(crate) groups: Vec<Group>,
    /// Forces between them.
    pub(crate) between: HeldForces,
    /// What finds contacts of fluid with surfaces of other groups, where there can be any.
    pub(super) wetting: Option<Wetting>,
    /// Colliders, if there are any.
    pub(crate) colliders: Option<Colliders>,
    pub(super) scratch: Scratch,
    pub(super) mass_factor: Option<Cholesky>,
    pub(crate) self_collider: Option<SelfCollider>,
    /// What handles stand for.
    pub(crate) roster: Roster,
    pub(crate) lineage: Lineage,
    pub(crate) rollback: Rollback,
    /// What is known of its energy, and which elements have pinned vertices, where it was looked for.
    pub(crate) ledger: Ledger,
    /// Energies of islands, where the integrator keeps them; empty where something has changed since.
    pub(crate) accounts: Vec<Account>,
    pub(super) near_pins: Option<Vec<Vec<u32>>>,
    pool: Pool,
    pub(crate) clock: Clock,
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
        (wishes, plan): (Wishes, Plan),
        pool: Pool,
        clock: Clock,
    ) -> Self {
        let memory = model.initial_memory();
        let pins = model.pinned().iter().map(|&v| state.positions[v as usize]).collect();
        let inputs = Inputs { pins, ..Inputs::at_rest(&model) };
        let (groups, wetting) = (plan.build(&model, Vec::new()), Wetting::new(&model, &plan.of_body));
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
            grabs: Grabs::default(),
            settings,
            damping,
            groups,
            wetting,
            between: HeldForces::default(),
            wishes,
            plan,
            colliders: None,
            roster: Roster::default(),
            lineage: Lineage::default(),
            rollback: Rollback::default(),
            scratch: Scratch::default(),
            mass_factor: None,
            self_collider: None,
            ledger: Ledger::default(),
            accounts: Vec::new(),
            near_pins: None,
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

    pub(crate) fn failed(&self, error: SolveError) -> StepError {
        StepError::Solve { step: self.state.step + 1, error }
    }

    /// Drops what the solver and the masses have been prepared with, for a model that has been replaced.
    pub(crate) fn forget_factors(&mut self) {
        self.groups = self.plan.build(&self.model, std::mem::take(&mut self.groups));
        self.wetting = Wetting::new(&self.model, &self.plan.of_body);
        self.mass_factor = None;
        self.limiter = None;
        self.near_pins = None;
        self.ledger.elastic = None;
        self.accounts.clear();
        self.damping_links = DampingLinks::new(&self.damping, &self.model);
    }

    /// Forgets how far colliders are, for vertices that have been put elsewhere.
    pub(crate) fn forget_clearances(&mut self) {
        self.groups.iter_mut().for_each(|group| group.clearances = Clearances::default());
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
