//! What sliders set in a running world.

use pliant::Simulation;
use pliant::solve::{NewtonParams, PositionBasedParams, ProjectiveParams, SolverChoice, TwoMetricParams};

use crate::protocol::SolverKind;

/// The solver of a kind, with its standard parameters.
pub(super) fn choice(kind: SolverKind, of_scene: &SolverChoice) -> SolverChoice {
    match kind {
        SolverKind::Auto => SolverChoice::Auto,
        SolverKind::Projective => ProjectiveParams::default().into(),
        SolverKind::TwoMetric => TwoMetricParams::default().into(),
        SolverKind::Newton => NewtonParams::default().into(),
        SolverKind::PositionBased => PositionBasedParams::default().into(),
        SolverKind::Scene => of_scene.clone(),
    }
}

/// The kinds that can solve this world.
pub(super) fn suited(sim: &Simulation, of_scene: &SolverChoice) -> Vec<SolverKind> {
    let can = |kind: &SolverKind| *kind == SolverKind::Scene || sim.check_solver(choice(*kind, of_scene)).is_ok();
    SolverKind::ALL.into_iter().filter(can).collect()
}

/// Iterations of a solver at most, if it counts them.
pub(super) fn iterations(solver: &SolverChoice) -> Option<usize> {
    match solver {
        SolverChoice::Projective(params) => Some(params.iterations),
        SolverChoice::TwoMetric(params) => Some(params.iterations),
        SolverChoice::Newton(params) => Some(params.iterations),
        SolverChoice::PositionBased(params) => Some(params.iterations),
        _ => None,
    }
}

/// The same solver with another number of iterations, if it counts them.
pub(super) fn with_iterations(solver: &SolverChoice, count: usize) -> Option<SolverChoice> {
    let mut solver = solver.clone();
    match &mut solver {
        SolverChoice::Projective(params) => params.iterations = count,
        SolverChoice::TwoMetric(params) => params.iterations = count,
        SolverChoice::Newton(params) => params.iterations = count,
        SolverChoice::PositionBased(params) => params.iterations = count,
        _ => return None,
    }
    Some(solver)
}
