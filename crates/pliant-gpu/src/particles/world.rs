//! What a device cannot do yet.

use pliant::math::Vec3;
use pliant::solve::{PositionBasedParams, SolverChoice, SweepKind};
use pliant::{Damping, Simulation, TimeIntegrator};

use super::contacts::check_colliders;
use crate::error::GpuError;

pub(super) const ON_CPU: &str = "step this world on the CPU";

pub(super) fn unsupported(what: impl Into<String>, feature: impl Into<String>, instead: &'static str) -> GpuError {
    GpuError::Unsupported { what: what.into(), feature: feature.into(), instead }
}

/// The parameters of a world that can stay on a device. Refuses by name what would be left out.
pub(super) fn params_of(sim: &Simulation) -> Result<PositionBasedParams, GpuError> {
    let SolverChoice::PositionBased(params) = sim.solver_choice() else {
        let instead = "choose the position-based solver by its parameters";
        return Err(unsupported("the world", format!("the solver {:?}", sim.solver_choice().to_string()), instead));
    };
    // Of colliders some are known (`contacts`).
    if let Some(feature) = sim.features().iter().find(|feature| **feature != "colliders") {
        return Err(unsupported("the world", *feature, ON_CPU));
    }
    if sim.integrator() != TimeIntegrator::ImplicitEuler {
        let instead = "integrate by implicit Euler";
        return Err(unsupported("the world", format!("{} as integrator", sim.integrator()), instead));
    }
    let damping = sim.damping();
    if damping != (Damping { drag: damping.drag, ..Damping::default() }) {
        return Err(unsupported("the world", "damping other than drag", "damp by drag"));
    }
    if sim.forces().iter().any(|force| *force != Vec3::ZERO) {
        return Err(unsupported("the world", "forces on vertices", ON_CPU));
    }
    let model = sim.model();
    if let Some(entry) = model.matter().first() {
        let what = format!("body {:?}", model.bodies()[entry.body].name);
        return Err(unsupported(what, format!("matter of the kind {:?}", entry.matter.kind()), ON_CPU));
    }
    check_params(params)?;
    check_colliders(sim, params.iterations)?;
    Ok(params.clone())
}

fn check_params(params: &PositionBasedParams) -> Result<(), GpuError> {
    let refuse = |feature, instead| Err(unsupported("the position-based solver", feature, instead));
    if params.sweep != SweepKind::GaussSeidel {
        return refuse("Jacobi's way", "take Gauss–Seidel");
    }
    if params.levels.is_some() {
        return refuse("stretch levels", "take long-range attachments");
    }
    if params.tolerance > 0.0 {
        return refuse("a tolerance", "set it to 0: all iterations are made");
    }
    if params.density_tolerance.is_some() {
        return refuse("a density tolerance", "leave it out");
    }
    if params.record {
        return refuse("a record of each iteration", "set `record` to false");
    }
    Ok(())
}
