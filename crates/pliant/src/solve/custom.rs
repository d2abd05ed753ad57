//! Solvers from other crates.

use std::fmt::Debug;
use std::sync::Arc;

use super::{Solver, SolverChoice};
use crate::contact::ContactMode;
use crate::integrate::TimeIntegrator;
use crate::world::error::ModelError;
use crate::world::model::Model;

/// The parameters of a solver from another crate; a world uses it to make the solver. Pass it to
/// [`SimulationBuilder::solver`](crate::SimulationBuilder::solver), to
/// [`Simulation::set_solver`](crate::Simulation::set_solver) or wherever else a solver is chosen.
pub trait SolverRecipe: std::any::Any + Debug + Send + Sync {
    /// Its name in reports.
    fn name(&self) -> &str;

    /// Returns an error for parameters out of range and for worlds that it does not support. By default these are
    /// worlds with constraints or matter, which only the position-based solver supports.
    fn check_world(&self, model: &Model, _integrator: TimeIntegrator, _contact: ContactMode) -> Result<(), ModelError> {
        match model.needs_position_based() {
            Some((body, kind)) => Err(ModelError::UnsupportedConstraint { body: body.name.clone(), kind }),
            None => Ok(()),
        }
    }

    /// Whether the rule of [`SolverChoice::Auto`] decides what it does, for recipes that run the engine's own methods elsewhere: the rule then chooses substeps and
    /// integrator too, unless you set them, and [`in_place_of`](Self::in_place_of) takes the place of the solver that it chose.
    fn follows_rule(&self) -> bool {
        false
    }

    /// What takes the place of a solver that the rule has chosen.
    fn in_place_of(&self, chosen: SolverChoice) -> SolverChoice {
        chosen
    }

    /// Whether another recipe makes the same solver: bodies with such recipes are one group. By default, only its own clones do.
    fn is_same_as(&self, _other: &dyn SolverRecipe) -> bool {
        false
    }

    /// Makes a solver. A world makes a new one when its model is replaced.
    fn build(&self) -> Box<dyn Solver>;
}

/// A solver from another crate, as a [`SolverChoice`].
#[derive(Debug, Clone)]
pub struct CustomSolver(Arc<dyn SolverRecipe>);

impl CustomSolver {
    /// The recipe.
    pub fn recipe(&self) -> &dyn SolverRecipe {
        self.0.as_ref()
    }
}

/// Two are equal if one is a clone of the other, or says that it is the same.
impl PartialEq for CustomSolver {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.0.is_same_as(other.recipe())
    }
}

impl<R: SolverRecipe> From<R> for SolverChoice {
    fn from(recipe: R) -> Self {
        Self::Custom(CustomSolver(Arc::new(recipe)))
    }
}
