//! Solvers from elsewhere.

use std::fmt::Debug;
use std::sync::Arc;

use super::{Solver, SolverChoice};
use crate::contact::ContactMode;
use crate::integrate::TimeIntegrator;
use crate::world::error::ModelError;
use crate::world::model::Model;

/// The parameters of a solver from elsewhere, by which a world makes one. It is given to [`SimulationBuilder::solver`](crate::SimulationBuilder::solver), to
/// [`Simulation::set_solver`](crate::Simulation::set_solver) and wherever else a solver is chosen.
pub trait SolverRecipe: Debug + Send + Sync + 'static {
    /// What it is called in reports.
    fn name(&self) -> &str;

    /// Refuses parameters out of range, and worlds that it cannot solve. By default those with constraints or matter, which only the position-based solver
    /// knows.
    fn serves(&self, model: &Model, _integrator: TimeIntegrator, _contact: ContactMode) -> Result<(), ModelError> {
        match model.needs_position_based() {
            Some((body, kind)) => Err(ModelError::UnsupportedConstraint { body: body.name.clone(), kind }),
            None => Ok(()),
        }
    }

    /// A solver. A world makes a new one when its model is replaced.
    fn build(&self) -> Box<dyn Solver>;
}

/// A solver from elsewhere, as a [`SolverChoice`].
#[derive(Debug, Clone)]
pub struct CustomSolver(Arc<dyn SolverRecipe>);

impl CustomSolver {
    /// The recipe.
    pub fn recipe(&self) -> &dyn SolverRecipe {
        self.0.as_ref()
    }
}

/// Two are the same where one is a clone of the other.
impl PartialEq for CustomSolver {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl<R: SolverRecipe> From<R> for SolverChoice {
    fn from(recipe: R) -> Self {
        Self::Custom(CustomSolver(Arc::new(recipe)))
    }
}
