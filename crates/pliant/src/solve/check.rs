//! Checks whether a solver's parameters make sense and whether it supports a world. The same check is used when a world
//! is built, when its solver is replaced, and when another solver takes a step.

use super::{Acceleration, FollowLeaderParams, PositionBasedParams, SolverChoice};
use crate::constraint::ConstraintBatch;
use crate::contact::ContactMode;
use crate::energy::Operator;
use crate::integrate::TimeIntegrator;
use crate::matter::kinds::Fluid;
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

    /// Refuses consistent masses where the mass of each vertex alone is known.
    fn check_masses(&self, model: &Model) -> Checked {
        let solver = match self {
            Self::PositionBased(_) => "position-based",
            Self::Explicit(_) => "explicit",
            Self::FollowLeader(_) => "follow-the-leader",
            _ => return Ok(()),
        };
        model.mass().off_diagonal().first().map_or(Ok(()), |&(vertex, _, _)| {
            let body = model.locate(vertex as usize).0.name.clone();
            Err(ModelError::ConsistentMasses { body, solver })
        })
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
        self.check_masses(model)?;
        match self {
            Self::PositionBased(params) => {
                check_levels(params, model)?;
                params.check_kinds(model)
            }
            Self::FollowLeader(_) => FollowLeaderParams::check_world(model, integrator).map_err(ModelError::from),
            _ => Ok(()),
        }
    }
}

/// Whether a body has a shape of its own that could deform. Rigid bodies, fluids and single points do not.
pub(crate) fn has_shape(model: &Model, body: usize) -> bool {
    let info = &model.bodies()[body];
    let is_inside = |stencil: &[u32]| stencil.first().is_some_and(|&v| info.vertices.contains(&(v as usize)));
    let is_rigid = model.rigid_sets().iter().any(|set| is_inside(&set.vertices));
    if is_rigid || model.matter_in::<Fluid>(body).is_some() {
        return false;
    }
    let own = model.energies().iter().filter(|entry| entry.body == Some(body) && entry.damping.is_none());
    let spans = |operator: &Operator| (0..operator.len()).any(|element| operator.stencil(element).len() > 1);
    let spanned = |batch: &dyn ConstraintBatch| {
        let mut stencils = (0..batch.len()).map(|element| batch.stencil(element));
        stencils.any(|stencil| stencil.len() > 1 && is_inside(stencil))
    };
    model.matter().iter().any(|entry| entry.body == body)
        || !model.cells(body).is_empty()
        || own.into_iter().any(|entry| spans(entry.batch.operator()))
        || model.constraints().iter().any(|batch| spanned(batch.as_ref()))
}

/// Refuses stretch levels for a body that has no edges to link, and for worlds in which no body has.
fn check_levels(params: &PositionBasedParams, model: &Model) -> Checked {
    if params.levels.is_none() {
        return Ok(());
    }
    let lacks = |body: &usize| model.cells(*body).is_empty();
    let is_alone = (0..model.bodies().len()).all(|body| lacks(&body));
    let refused = (0..model.bodies().len()).find(|body| lacks(body) && (is_alone || has_shape(model, *body)));
    refused.map_or(Ok(()), |body| {
        Err(ModelError::NothingToActOn {
            body: model.bodies()[body].name.clone(),
            feature: "stretch levels",
            needs: "edges",
            instead: "leave levels out of its solver, or give it a mesh (cloth, solid and strand bodies have one)",
        })
    })
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
