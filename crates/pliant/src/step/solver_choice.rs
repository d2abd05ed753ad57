//! The solver of a running world: replaces it, uses another one for a single step, checks whether a solver supports the
//! world.

use crate::contact::ContactMode;
use crate::solve::{SolverChoice, Touchable, choose};
use crate::step::error::StepError;
use crate::step::report::StepReport;
use crate::step::simulation::Simulation;
use crate::world::error::ModelError;

impl Simulation {
    /// Replaces the solver; the state and the number of substeps stay. A solver with parameters out of range, or one
    /// that does not support this world, is the same error as in
    /// [`SimulationBuilder::build`](crate::SimulationBuilder::build), and the previous solver stays.
    pub fn set_solver(&mut self, solver: impl Into<SolverChoice>) -> Result<(), ModelError> {
        let choice = self.checked(solver.into())?;
        self.use_solver(choice);
        Ok(())
    }

    /// Whether a solver could step this world, and if not, why.
    pub fn check_solver(&self, solver: impl Into<SolverChoice>) -> Result<(), ModelError> {
        self.checked(solver.into()).map(|_| ())
    }

    pub(crate) fn use_solver(&mut self, choice: SolverChoice) {
        self.choice = choice;
        self.forget_factors();
    }

    /// The solver with its parameters; for [`SolverChoice::Auto`], the solver that it chose.
    pub fn solver_choice(&self) -> &SolverChoice {
        &self.choice
    }

    /// What a choice comes to in this world, if it can serve it.
    fn checked(&self, choice: SolverChoice) -> Result<SolverChoice, ModelError> {
        let mode = self.colliders.as_ref().map_or(ContactMode::Constraint, |around| around.params.mode);
        let choice = self.suited(choice, mode);
        choice.check_parameters(mode, self.settings.integrator)?;
        choice.check_world(&self.model, self.settings.integrator, mode)?;
        Ok(choice)
    }

    fn suited(&self, choice: SolverChoice, mode: ContactMode) -> SolverChoice {
        if choice != SolverChoice::Auto {
            return choice;
        }
        let (colliders, layers) = (self.colliders.is_some(), self.self_collider.is_some());
        let touchable = Touchable { colliders, layers, mode };
        let chosen = choose(&self.model, touchable, self.settings.time_step, Some(self.settings.substeps));
        chosen.suited_to(self.settings.wind.is_some(), Some(self.settings.integrator)).solver
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
        let own = std::mem::replace(&mut self.solver, choice.build());
        // What is torn in a substep has the following ones by the same solver.
        let own_choice = std::mem::replace(&mut self.choice, choice);
        let report = self.step();
        (self.solver, self.choice) = (own, own_choice);
        if self.topology_changes() != changes {
            self.forget_factors();
        }
        report
    }
}
