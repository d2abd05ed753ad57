//! The solver of a running world: replaces it, uses another one for a single step, checks whether a solver supports the
//! world.

use crate::contact::ContactMode;
use crate::solve::{SolverChoice, Touchable, choose};
use crate::step::error::StepError;
use crate::step::groups::{Circumstances, Group, Plan, Wishes};
use crate::step::inputs::InputError;
use crate::step::report::StepReport;
use crate::step::simulation::Simulation;
use crate::world::error::ModelError;

impl Simulation {
    /// Replaces the solver; the state and the number of substeps stay. A solver with parameters out of range, or one
    /// that does not support this world, is the same error as in
    /// [`SimulationBuilder::build`](crate::SimulationBuilder::build), and the previous solver stays.
    pub fn set_solver(&mut self, solver: impl Into<SolverChoice>) -> Result<(), ModelError> {
        let wishes = Wishes { world: solver.into(), ..self.wishes.clone() };
        self.plan = self.planned_with(&wishes)?;
        self.wishes = wishes;
        self.forget_factors();
        Ok(())
    }

    /// Whether a solver could step this world, and if not, why.
    pub fn check_solver(&self, solver: impl Into<SolverChoice>) -> Result<(), ModelError> {
        self.planned_with(&Wishes { world: solver.into(), ..self.wishes.clone() }).map(|_| ())
    }

    /// The solver with its parameters; for [`SolverChoice::Auto`], the solver that it chose. In a world with several
    /// solvers, that of the first body.
    pub fn solver_choice(&self) -> &SolverChoice {
        &self.plan.solvers[self.plan.of_body[0]]
    }

    /// The solver that moves a body, with its parameters.
    pub fn solver_of(&self, body: &str) -> Result<&SolverChoice, InputError> {
        Ok(&self.plan.solvers[self.plan.of_body[self.body_number(body)?]])
    }

    /// All solvers, each with the names of the bodies that it moves.
    pub fn solvers(&self) -> impl Iterator<Item = (&SolverChoice, Vec<&str>)> {
        self.plan.solvers.iter().enumerate().map(|(group, solver)| {
            let bodies = self.model.bodies().iter().zip(&self.plan.of_body);
            (solver, bodies.filter(|(_, own)| **own == group).map(|(body, _)| body.name.as_str()).collect())
        })
    }

    /// Number of groups of bodies that have a solver each.
    pub fn solver_count(&self) -> usize {
        self.plan.solvers.len()
    }

    /// What the choice of a solver depends on besides bodies.
    pub(crate) fn circumstances(&self) -> Circumstances {
        let (colliders, layers) = (!self.colliders().is_empty(), self.self_collider.is_some());
        Circumstances {
            time_step: self.settings.time_step,
            has_wind: self.settings.wind.is_some(),
            touchable: Touchable { colliders, layers, mode: self.contact_mode() },
            standard: (self.settings.substeps, self.settings.integrator),
        }
    }

    /// Which solver would move which bodies, with the substeps and the integrator that it has.
    fn planned_with(&self, wishes: &Wishes) -> Result<Plan, ModelError> {
        let (substeps, integrator) = (Some(self.settings.substeps), Some(self.settings.integrator));
        let wishes = Wishes { substeps, integrator, ..wishes.clone() };
        Ok(wishes.planned(&self.model, &self.circumstances())?.plan)
    }

    pub(crate) fn contact_mode(&self) -> ContactMode {
        self.colliders.as_ref().map_or(ContactMode::Constraint, |around| around.params.mode)
    }

    /// Lets other groups step the world; returns those that did.
    pub(crate) fn swap_groups(&mut self, plan: Plan) -> (Plan, Vec<Group>) {
        let groups = std::mem::replace(&mut self.groups, plan.build(&self.model, Vec::new()));
        (std::mem::replace(&mut self.plan, plan), groups)
    }

    /// What a choice comes to for all of this world, if it can serve it.
    fn checked(&self, choice: SolverChoice) -> Result<SolverChoice, ModelError> {
        let mode = self.contact_mode();
        let choice = self.suited(choice);
        choice.check_parameters(mode, self.settings.integrator)?;
        choice.check_world(&self.model, self.settings.integrator, mode)?;
        Ok(choice)
    }

    fn suited(&self, choice: SolverChoice) -> SolverChoice {
        if !choice.follows_rule() {
            return choice;
        }
        let Circumstances { time_step, has_wind, touchable, standard: (substeps, integrator) } = self.circumstances();
        let chosen = choose(&self.model, touchable, time_step, Some(substeps));
        choice.in_place_of(chosen.suited_to(has_wind, Some(integrator)).solver)
    }

    /// Advances by one time step with another solver, such as the exact one; the simulation keeps its own solver with
    /// its factors. A solver that [does not support](Self::check_solver) this world is an error.
    ///
    /// ```
    /// # use pliant::prelude::*;
    /// # let mesh = Sheet { columns: 4, rows: 4, ..Sheet::default() }.mesh()?;
    /// # let mut sim = Simulation::builder().body(Body::cloth(&mesh, &ClothMaterial::default())?.pin([0])).build()?;
    /// let exact = sim.step_with(NewtonParams { tolerance: 1e-13, ..NewtonParams::default() })?;
    /// assert!(exact.solve.converged);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn step_with(&mut self, solver: impl Into<SolverChoice>) -> Result<StepReport, StepError> {
        let choice = self.checked(solver.into()).map_err(|error| StepError::Refused(Box::new(error)))?;
        let changes = self.topology_changes();
        // What is torn in a substep has the following ones by the same solver.
        let own = self.swap_groups(Plan::whole(choice, self.model.bodies().len()));
        let report = self.step();
        (self.plan, self.groups) = own;
        if self.topology_changes() != changes {
            self.forget_factors();
        }
        report
    }
}
