//! From `[solver]` to a solver and its parameters.

use pliant::solve::{
    Acceleration, DensityTolerance, ExplicitParams, FollowLeaderParams, NewtonCurvature, NewtonParams,
    PositionBasedParams, Preconditioner, ProjectiveParams, SolverChoice, Start, Stiffness, StretchLevels, SweepKind,
    SweepOrder, TwoMetricParams,
};
use pliant::sparse::Precision;

use crate::fault::Fault;
use crate::format::{
    AccelerationSection, FollowLeaderSection, NewtonCurvatureName, NewtonSection, PositionBasedSection,
    PrecisionSection, PreconditionerName, ProjectiveSection, SolverSection, StartName, StretchLevelsSection,
    SweepOrderName, SweepSection, TwoMetricSection,
};
use crate::gpu::gpu_choice;
use crate::hair::manner;
use crate::settings::{MOST_ITERATIONS, at_least_zero, check_most};

/// Iterations that Anderson acceleration and L-BFGS can remember.
const MOST_REMEMBERED: usize = 16;

/// Refuses a tolerance below 0; `at` is the key of the solver.
fn check_tolerance(at: &str, tolerance: Option<f64>) -> Result<(), Fault> {
    match tolerance {
        Some(value) if !(value.is_finite() && value >= 0.0) => Err(at_least_zero(format!("{at}.tolerance"), value)),
        _ => Ok(()),
    }
}

/// Follow-the-leader; `at` is the key of its section.
pub(crate) fn follow_leader(at: &str, section: &FollowLeaderSection) -> Result<FollowLeaderParams, Fault> {
    let (correction, grid, style) = manner(at, section.correction, section.grid.as_ref(), section.style.as_ref())?;
    Ok(FollowLeaderParams { correction, grid, style })
}

fn start(name: StartName) -> Start {
    match name {
        StartName::Predicted => Start::Predicted,
        StartName::Inertial => Start::Inertial,
        StartName::Previous => Start::Previous,
    }
}

/// A solver by its section; what suits the world without one.
pub(crate) fn choice(solver: Option<&SolverSection>) -> Result<SolverChoice, Fault> {
    Ok(match solver {
        None => SolverChoice::default(),
        Some(SolverSection::Auto {}) => SolverChoice::Auto,
        Some(SolverSection::Projective(section)) => projective("solver.projective", section)?.into(),
        Some(SolverSection::FollowLeader(section)) => follow_leader("solver.follow-leader", section)?.into(),
        Some(SolverSection::TwoMetric(section)) => two_metric("solver.two-metric", section)?.into(),
        Some(SolverSection::Newton(section)) => newton(section)?.into(),
        Some(SolverSection::PositionBased(section)) => position_based("solver.position-based", section)?.into(),
        Some(SolverSection::Explicit(section)) => {
            let standard = ExplicitParams::default();
            let safety = section.safety.unwrap_or(standard.safety);
            if !(safety > 0.0 && safety <= 1.0) {
                let message = format!("safety is {safety}, but must be above 0 and at most 1");
                return Err(Fault::new("solver.explicit.safety", message));
            }
            ExplicitParams { stabilise: section.stabilise.unwrap_or(standard.stabilise), safety }.into()
        }
        Some(SolverSection::Gpu(section)) => gpu_choice(section)?,
    })
}

/// Local/global iterations; `at` is the key of their section.
pub(crate) fn projective(at: &str, section: &ProjectiveSection) -> Result<ProjectiveParams, Fault> {
    let standard = ProjectiveParams::default();
    check_tolerance(at, section.tolerance)?;
    check_most(&format!("{at}.iterations"), section.iterations, MOST_ITERATIONS)?;
    Ok(ProjectiveParams {
        iterations: section.iterations.unwrap_or(standard.iterations),
        tolerance: section.tolerance.unwrap_or(standard.tolerance),
        acceleration: match section.acceleration {
            None => standard.acceleration,
            Some(AccelerationSection::None {}) => Acceleration::None,
            Some(AccelerationSection::Anderson { window }) if !(1..=MOST_REMEMBERED).contains(&window) => {
                let key = format!("{at}.acceleration.anderson.window");
                return Err(Fault::new(key, format!("window is {window}, but must be 1 to {MOST_REMEMBERED}")));
            }
            Some(AccelerationSection::Anderson { window }) => Acceleration::Anderson { window },
            Some(AccelerationSection::Chebyshev { rho, .. }) if !(0.0..1.0).contains(&rho) => {
                let key = format!("{at}.acceleration.chebyshev.rho");
                return Err(Fault::new(key, format!("rho is {rho}, but must be at least 0 and below 1")));
            }
            Some(AccelerationSection::Chebyshev { rho, delay }) => {
                Acceleration::Chebyshev { rho, delay, relaxation: 1.0 }
            }
            Some(AccelerationSection::Lbfgs { history }) if !(1..=MOST_REMEMBERED).contains(&history) => {
                let key = format!("{at}.acceleration.lbfgs.history");
                return Err(Fault::new(key, format!("history is {history}, but must be 1 to {MOST_REMEMBERED}")));
            }
            Some(AccelerationSection::Lbfgs { history }) => Acceleration::Lbfgs { history },
        },
        precision: match section.precision {
            None => standard.precision,
            Some(PrecisionSection::Single) => Precision::Single,
            Some(PrecisionSection::Double) => Precision::Double,
        },
        start: section.start.map_or(standard.start, start),
        ..standard
    })
}

/// The two-metric Newton's method; `at` is the key of its section.
pub(crate) fn two_metric(at: &str, section: &TwoMetricSection) -> Result<TwoMetricParams, Fault> {
    let standard = TwoMetricParams::default();
    check_tolerance(at, section.tolerance)?;
    if let Some(share) = section.energy_tolerance.filter(|share| !(share.is_finite() && *share >= 0.0)) {
        return Err(at_least_zero(format!("{at}.energy_tolerance"), share));
    }
    check_most(&format!("{at}.iterations"), section.iterations, MOST_ITERATIONS)?;
    check_most(&format!("{at}.least_iterations"), section.least_iterations, MOST_ITERATIONS)?;
    check_most(&format!("{at}.contact_iterations"), section.contact_iterations, MOST_ITERATIONS)?;
    check_most(&format!("{at}.linear_iterations"), section.linear_iterations, MOST_ITERATIONS)?;
    if let Some(share) = section.linear_tolerance.filter(|share| !(0.0..1.0).contains(share)) {
        let message = format!("linear_tolerance is {share}, but must be at least 0 and below 1");
        return Err(Fault::new(format!("{at}.linear_tolerance"), message));
    }
    Ok(TwoMetricParams {
        iterations: section.iterations.unwrap_or(standard.iterations),
        linear_iterations: section.linear_iterations.unwrap_or(standard.linear_iterations),
        linear_tolerance: section.linear_tolerance.unwrap_or(standard.linear_tolerance),
        energy_tolerance: section.energy_tolerance.unwrap_or(standard.energy_tolerance),
        least_iterations: section.least_iterations.unwrap_or(standard.least_iterations),
        contact_iterations: section.contact_iterations.unwrap_or(standard.contact_iterations),
        tolerance: section.tolerance.unwrap_or(standard.tolerance),
        preconditioner: match section.preconditioner {
            None => standard.preconditioner,
            Some(PreconditionerName::Factor) => Preconditioner::Factor,
            Some(PreconditionerName::Sum) => Preconditioner::Sum,
            Some(PreconditionerName::Product) => Preconditioner::Product,
        },
        start: section.start.map_or(standard.start, start),
        ..standard
    })
}

fn newton(section: &NewtonSection) -> Result<NewtonParams, Fault> {
    check_tolerance("solver.newton", section.tolerance)?;
    check_most("solver.newton.iterations", section.iterations, MOST_ITERATIONS)?;
    check_most("solver.newton.warm_start", section.warm_start, MOST_ITERATIONS)?;
    let standard = if section.semi_implicit { NewtonParams::semi_implicit() } else { NewtonParams::default() };
    Ok(NewtonParams {
        iterations: section.iterations.unwrap_or(standard.iterations),
        tolerance: section.tolerance.unwrap_or(standard.tolerance),
        warm_start: section.warm_start.unwrap_or(standard.warm_start),
        curvature: match section.curvature {
            None => standard.curvature,
            Some(NewtonCurvatureName::Projected) => NewtonCurvature::Projected,
            Some(NewtonCurvatureName::Raw) => NewtonCurvature::Raw,
            Some(NewtonCurvatureName::Shifted) => NewtonCurvature::Shifted,
        },
        start: section.start.map_or(standard.start, start),
        ..standard
    })
}

/// Position-based dynamics; `at` is the key of its section.
pub(crate) fn position_based(at: &str, section: &PositionBasedSection) -> Result<PositionBasedParams, Fault> {
    let standard = PositionBasedParams::default();
    check_tolerance(at, section.tolerance)?;
    check_most(&format!("{at}.iterations"), section.iterations, MOST_ITERATIONS)?;
    let shares = section.stiffness.iter().map(|k| ("stiffness".to_owned(), *k));
    let shares = shares.chain(section.stiffness_of.iter().map(|(kind, k)| (format!("stiffness_of.{kind}"), *k)));
    if let Some((key, k)) = shares.into_iter().find(|(_, k)| !(0.0..=1.0).contains(k)) {
        return Err(Fault::new(format!("{at}.{key}"), format!("{key} is {k}, but must be 0 to 1")));
    }
    if section.stiffness.is_none() && !section.stiffness_of.is_empty() {
        let message = "stiffness_of goes with stiffness; without it the stiffness is that of the materials";
        return Err(Fault::new(format!("{at}.stiffness_of"), message));
    }
    let kinds = || section.stiffness_of.iter().map(|(kind, k)| (kind.clone(), *k)).collect();
    Ok(PositionBasedParams {
        iterations: section.iterations.unwrap_or(standard.iterations),
        tolerance: section.tolerance.unwrap_or(standard.tolerance),
        stiffness: match section.stiffness {
            None => Stiffness::Physical,
            Some(stiffness) => Stiffness::Share { stiffness, kinds: kinds() },
        },
        sweep: match section.sweep {
            None | Some(SweepSection::GaussSeidel {}) => SweepKind::GaussSeidel,
            Some(SweepSection::Jacobi { relaxation }) if !(relaxation > 0.0 && relaxation < 2.0) => {
                let message = format!("relaxation is {relaxation}, but must be above 0 and below 2");
                return Err(Fault::new(format!("{at}.sweep.jacobi.relaxation"), message));
            }
            Some(SweepSection::Jacobi { relaxation }) => SweepKind::Jacobi { relaxation },
        },
        order: match section.order {
            None | Some(SweepOrderName::AsAdded) => SweepOrder::AsAdded,
            Some(SweepOrderName::Reversed) => SweepOrder::Reversed,
            Some(SweepOrderName::Alternating) => SweepOrder::Alternating,
        },
        levels: section.levels.as_ref().map(|levels| stretch_levels(at, levels)).transpose()?,
        density_tolerance: density_tolerance(at, section)?,
        ..standard
    })
}

fn density_tolerance(at: &str, section: &PositionBasedSection) -> Result<Option<DensityTolerance>, Fault> {
    let (standard, base) = (DensityTolerance::default(), PositionBasedParams::default().iterations);
    let key = &format!("{at}.density_iterations");
    check_most(key, section.density_iterations, MOST_ITERATIONS)?;
    let Some(excess) = section.density_tolerance else {
        return match section.density_iterations {
            None => Ok(None),
            Some(_) => Err(Fault::new(key, "density_iterations goes with density_tolerance")),
        };
    };
    if !(excess > 0.0 && excess.is_finite()) {
        let message = format!("density_tolerance is {excess}, but must be above 0");
        return Err(Fault::new(format!("{at}.density_tolerance"), message));
    }
    let iterations = section.density_iterations.unwrap_or(standard.iterations);
    let least = section.iterations.unwrap_or(base);
    if iterations < least {
        let message = format!("density_iterations is {iterations}, but must be at least the iterations, {least}");
        return Err(Fault::new(key, message));
    }
    Ok(Some(DensityTolerance { excess, iterations }))
}

fn stretch_levels(at: &str, section: &StretchLevelsSection) -> Result<StretchLevels, Fault> {
    let standard = StretchLevels::default();
    let fault = |key: &str, value: String, need: &str| {
        Err(Fault::new(format!("{at}.levels.{key}"), format!("{key} is {value}, but must be {need}")))
    };
    let levels = section.levels.unwrap_or(standard.levels);
    if !(1..=16).contains(&levels) {
        return fault("levels", levels.to_string(), "1 to 16");
    }
    let rounds = section.rounds.unwrap_or(standard.rounds);
    if !(1..=100).contains(&rounds) {
        return fault("rounds", rounds.to_string(), "1 to 100");
    }
    let most = section.most.unwrap_or(standard.most);
    if !(most >= 1.0 && most.is_finite()) {
        return fault("most", most.to_string(), "at least 1");
    }
    Ok(StretchLevels { levels, rounds, most })
}
