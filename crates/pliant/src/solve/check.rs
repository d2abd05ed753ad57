//! Checks whether a solver's parameters make sense and whether it supports a world. The same check is used when a world
//! is built, when its solver is replaced, and when another solver takes a step.

use super::{Acceleration, FollowLeaderParams, SolverChoice};
use crate::contact::ContactMode;
use crate::integrate::TimeIntegrator;
use crate::world::error::ModelError;
use crate::world::model::Model;

type Checked = Result<(), ModelError>;

/// Refuses a number that is not finite, or not what is needed.
fn require(name: &'static str, value: f64, need: &'static str, holds: bool) -> Checked {
    if holds && value.is_finite() { Ok(()) } else { Err(ModelError::BadParameter { name, value, need }) }
}

/// Refuses what a solver has found wrong with its own parameters.
fn refuse(problem: Option<(&'static str, f64, &'static str)>) -> Checked {
    problem.map_or(Ok(()), |(name, value, need)| Err(ModelError::BadParameter { name, value, need }))
}

impl SolverChoice {
    /// Refuses parameters out of range, and what the solver has no way to deal with in any world: kinds of contact, integrators.
    pub(crate) fn check_parameters(&self, contact: ContactMode, integrator: TimeIntegrator) -> Checked {
        let tolerance = self.tolerance();
        require("solver tolerance", tolerance, "at least 0", tolerance >= 0.0)?;
        match self {
            Self::Auto => {}
            Self::FollowLeader(params) => params.check()?,
            Self::PositionBased(params) => refuse(params.problem())?,
            Self::Explicit(params) => {
                refuse(params.problem())?;
                if integrator != TimeIntegrator::ImplicitEuler {
                    return Err(ModelError::ExplicitIntegrator(integrator));
                }
            }
            Self::TwoMetric(params) => {
                let share = params.linear_tolerance;
                require("linear tolerance", share, "at least 0 and below 1", (0.0..1.0).contains(&share))?;
                let share = params.energy_tolerance;
                require("energy tolerance", share, "at least 0", share >= 0.0)?;
            }
            Self::Newton(_) | Self::Custom(_) => {}
            Self::Projective(params) => check_acceleration(params.acceleration, contact)?,
        }
        if matches!(self, Self::TwoMetric(_) | Self::Newton(_)) && contact == ContactMode::ConstantMatrix {
            return Err(ModelError::ConstantMatrixOfNewton);
        }
        Ok(())
    }

    /// Refuses a world that has something the solver does not know.
    pub(crate) fn check_world(&self, model: &Model, integrator: TimeIntegrator, contact: ContactMode) -> Checked {
        if let Self::Custom(own) = self {
            return own.recipe().check_world(model, integrator, contact);
        }
        if let (false, Some((body, kind))) = (self.knows_constraints(), model.needs_position_based()) {
            return Err(ModelError::UnsupportedConstraint { body: body.name.clone(), kind });
        }
        let meets_constraints = matches!(self, Self::PositionBased(_) | Self::FollowLeader(_));
        if integrator == TimeIntegrator::EnergyKeeping && meets_constraints {
            let (unknown, instead) = match model.needs_position_based() {
                Some((body, kind)) => {
                    (format!("the energy of body {:?} with its {kind}", body.name), "make it of an elastic material")
                }
                None => (
                    "the energy of what is moved to meet constraints one by one".to_owned(),
                    "choose the projective, two-metric or Newton solver",
                ),
            };
            return Err(ModelError::UnknownEnergy { unknown, instead });
        }
        match self {
            Self::PositionBased(params) => params.check_kinds(model),
            Self::FollowLeader(_) => FollowLeaderParams::check_world(model, integrator).map_err(ModelError::from),
            _ => Ok(()),
        }
    }
}

fn check_acceleration(acceleration: Acceleration, contact: ContactMode) -> Checked {
    match acceleration {
        Acceleration::None => Ok(()),
        Acceleration::Anderson { window } => {
            require("Anderson's window", window as f64, "1 to 16", (1..=16).contains(&window))
        }
        Acceleration::Chebyshev { rho, .. } => {
            require("Chebyshev's rho", rho, "at least 0 and below 1", (0.0..1.0).contains(&rho))
        }
        Acceleration::Lbfgs { history } => {
            require("L-BFGS's history", history as f64, "1 to 16", (1..=16).contains(&history))?;
            match contact {
                ContactMode::Constraint => Ok(()),
                mode => Err(ModelError::LbfgsWithoutConstraints { mode }),
            }
        }
    }
}
