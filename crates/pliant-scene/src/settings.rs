//! From `[world]` and `[solver]` to the settings of a simulation.

use pliant::math::Vec3;
use pliant::solve::{
    Acceleration, DensityTolerance, ExplicitParams, FollowLeaderParams, NewtonCurvature, NewtonParams,
    PositionBasedParams, Preconditioner, ProjectiveParams, SolverChoice, Start, Stiffness, StretchLevels, SweepKind,
    SweepOrder, TwoMetricParams,
};
use pliant::sparse::Precision;
use pliant::{
    Damping, LimitMethod, MOST_SUBSTEPS, SelfCollision, Simulation, SimulationBuilder, StrainLimiting, TimeIntegrator,
    Turbulence, Wind,
};

use crate::drive::Driver;
use crate::fault::Fault;
use crate::format::{
    AccelerationSection, FollowLeaderSection, IntegratorName, LimitMethodSection, NewtonCurvatureName,
    PositionBasedSection, PrecisionSection, PreconditionerName, SelfCollisionSection, SolverSection, StartName,
    StrainLimitingSection, StretchLevelsSection, SweepOrderName, SweepSection, WindSection, WorldSection,
};
use crate::hair::manner;
use crate::motion::Track;

/// Largest number of frames; more is a slip of the keyboard.
const MOST_FRAMES: u32 = 10_000_000;
/// Largest numbers of iterations, of rounds between surfaces and of levels; a step with more would not end.
pub(crate) const MOST_ITERATIONS: usize = 1_000_000;
const MOST_ROUNDS: usize = 1000;
const MOST_LEVELS: usize = 64;
/// Frames per second and number of frames, if nothing is said.
pub(crate) const STANDARD_RATE: f64 = 60.0;
pub(crate) const STANDARD_FRAMES: u32 = 120;

/// The world, checked.
pub(crate) struct Settings {
    pub(crate) builder: SimulationBuilder,
    pub(crate) substeps: u32,
    /// Wind that changes, if it does.
    pub(crate) wind: Option<Driver>,
}

/// Checks the world; faults are named from the top of the file.
pub(crate) fn settings(world: &WorldSection, solver: Option<&SolverSection>) -> Result<Settings, Fault> {
    let refuse = |key: &str, message: String| Err(Fault::new(format!("world.{key}"), message));
    let rate = world.frame_rate.unwrap_or(STANDARD_RATE);
    if !(rate > 0.0 && rate.is_finite()) {
        return refuse("frame_rate", format!("frame_rate is {rate}, but must be positive"));
    }
    let substeps = world.substeps.unwrap_or(1);
    if substeps == 0 || substeps as usize > MOST_SUBSTEPS {
        return refuse("substeps", format!("substeps is {substeps}, but must be 1 to {MOST_SUBSTEPS}"));
    }
    let frames = world.frames.unwrap_or(STANDARD_FRAMES);
    if frames > MOST_FRAMES {
        return refuse("frames", format!("frames is {frames}, but must be at most {MOST_FRAMES}"));
    }
    let step = 1.0 / (rate * f64::from(substeps));
    if !(step > 0.0 && step.is_finite()) {
        return refuse("frame_rate", format!("a step of {step} s is no step"));
    }
    let mut builder = Simulation::builder().time_step(step).solver(choice(solver)?);
    if let Some(integrator) = world.integrator {
        builder = builder.integrator(match integrator {
            IntegratorName::ImplicitEuler => TimeIntegrator::ImplicitEuler,
            IntegratorName::Bdf2 => TimeIntegrator::Bdf2,
            IntegratorName::TrBdf2 => TimeIntegrator::TrBdf2,
            IntegratorName::ImplicitMidpoint => TimeIntegrator::ImplicitMidpoint,
            IntegratorName::EnergyKeeping => TimeIntegrator::EnergyKeeping,
        });
    }
    if world.substeps.is_some() {
        // Who asks for a number of steps gets that number, whatever `auto` would choose.
        builder = builder.substeps(1);
    }
    if let Some(gravity) = world.gravity {
        if !gravity.iter().all(|c| c.is_finite()) {
            return refuse("gravity", format!("gravity is {gravity:?}, but must be finite"));
        }
        builder = builder.gravity(Vec3::from_array(gravity));
    }
    if let Some(damping) = &world.damping {
        let rate = |key: &str, value: Option<f64>| {
            let value = value.unwrap_or(0.0);
            let key = format!("world.damping.{key}");
            if value.is_finite() && value >= 0.0 { Ok(value) } else { Err(at_least_zero(key, value)) }
        };
        builder = builder.damping(Damping {
            drag: rate("drag", damping.drag)?,
            deformation: rate("deformation", damping.deformation)?,
            stiffness: rate("stiffness", damping.stiffness)?,
            spring: rate("spring", damping.spring)?,
            radial: rate("radial", damping.radial)?,
            cluster: damping.cluster.unwrap_or(0),
        });
    }
    let mut changing = None;
    if let Some(section) = &world.wind {
        let (standard, track) = wind(section)?;
        builder = builder.wind(standard);
        if section.gust.is_some() || !track.is_constant() {
            changing = Some(Driver::Wind { track, gust: section.gust.clone(), standard });
        }
    }
    Ok(Settings { builder, substeps, wind: changing })
}

/// How surfaces are kept apart; faults are named from the top of the file.
pub(crate) fn self_collision(section: &SelfCollisionSection) -> Result<SelfCollision, Fault> {
    let standard = SelfCollision::default();
    let settings = SelfCollision {
        thickness: section.thickness.unwrap_or(standard.thickness),
        friction: section.friction.unwrap_or(standard.friction),
        stiffness: section.stiffness.unwrap_or(standard.stiffness),
        rounds: section.rounds.unwrap_or(standard.rounds),
        untangle: section.untangle.unwrap_or(standard.untangle),
        ..standard
    };
    check_most("self_collision.rounds", section.rounds, MOST_ROUNDS)?;
    for (key, value, need, holds) in [
        ("thickness", settings.thickness, "at least 1e-9", settings.thickness >= 1e-9),
        ("friction", settings.friction, "at least 0", settings.friction >= 0.0),
        ("stiffness", settings.stiffness, "positive", settings.stiffness > 0.0),
        ("rounds", settings.rounds as f64, "at least 1", settings.rounds >= 1),
    ] {
        if !(holds && value.is_finite()) {
            return Err(Fault::new(format!("self_collision.{key}"), format!("{key} is {value}, but must be {need}")));
        }
    }
    Ok(settings)
}

/// How strain is limited; faults are named from the top of the file.
pub(crate) fn strain_limiting(section: &StrainLimitingSection) -> Result<StrainLimiting, Fault> {
    let refuse = |key: &str, value: f64, need: &str| {
        let name = key.rsplit('.').next().unwrap_or_default();
        Err(Fault::new(format!("strain_limiting.{key}"), format!("{name} is {value}, but must be {need}")))
    };
    let (most, least) = (section.most, section.least.unwrap_or(0.0));
    if !(most >= 1.0 && most.is_finite()) {
        return refuse("most", most, "at least 1");
    }
    if !(0.0..=1.0).contains(&least) {
        return refuse("least", least, "0 to 1");
    }
    let method = match section.method.unwrap_or(LimitMethodSection::Global { iterations: None, tolerance: None }) {
        LimitMethodSection::Edges { iterations } => {
            check_most("strain_limiting.method.edges.iterations", Some(iterations), MOST_ITERATIONS)?;
            LimitMethod::Edges { iterations }
        }
        LimitMethodSection::Principal { iterations } => {
            check_most("strain_limiting.method.principal.iterations", Some(iterations), MOST_ITERATIONS)?;
            LimitMethod::Principal { iterations }
        }
        LimitMethodSection::Hierarchy { levels, iterations } => {
            check_most("strain_limiting.method.hierarchy.iterations", Some(iterations), MOST_ITERATIONS)?;
            check_most("strain_limiting.method.hierarchy.levels", levels, MOST_LEVELS)?;
            LimitMethod::Hierarchy { levels: levels.unwrap_or(8), iterations }
        }
        LimitMethodSection::Global { iterations, tolerance } => {
            check_most("strain_limiting.method.global.iterations", iterations, MOST_ITERATIONS)?;
            let tolerance = tolerance.unwrap_or(1e-4);
            if !(tolerance > 0.0 && tolerance.is_finite()) {
                return refuse("method.global.tolerance", tolerance, "positive");
            }
            LimitMethod::Global { iterations: iterations.unwrap_or(200), tolerance }
        }
    };
    let has_least = matches!(method, LimitMethod::Edges { .. } | LimitMethod::Principal { .. });
    if least > 0.0 && !has_least {
        return refuse("least", least, "0 with this method, which limits stretch only");
    }
    Ok(StrainLimiting { most, least, method })
}

/// Refuses a count that would take for ever; the key ends with its name.
pub(crate) fn check_most(key: &str, count: Option<usize>, most: usize) -> Result<(), Fault> {
    let name = key.rsplit('.').next().unwrap_or_default();
    match count.filter(|count| *count > most) {
        None => Ok(()),
        Some(count) => Err(Fault::new(key, format!("{name} is {count}, but must be at most {most}"))),
    }
}

fn at_least_zero(key: String, value: f64) -> Fault {
    let name = key.rsplit('.').next().unwrap_or_default().to_owned();
    Fault::new(key, format!("{name} is {value}, but must be at least 0"))
}

/// The wind at the start, and how it changes.
fn wind(section: &WindSection) -> Result<(Wind, Track), Fault> {
    let keyframes: Vec<(f64, [f64; 3])> = section.keyframe.iter().map(|k| (k.time, k.velocity)).collect();
    let track = Track::new("world.wind", "velocity", section.velocity, &keyframes)?;
    let standard = Wind::new(track.at(0.0));
    let air_density = section.air_density.unwrap_or(standard.air_density);
    let drag = section.drag.unwrap_or(standard.drag);
    let strand_drag = section.strand_drag.unwrap_or(standard.strand_drag);
    let strand_friction = section.strand_friction.unwrap_or(standard.strand_friction);
    let mut turbulence = standard.turbulence;
    if let Some(eddies) = &section.turbulence {
        let length = eddies.length.unwrap_or(turbulence.length);
        turbulence = Turbulence { strength: eddies.strength, length, seed: eddies.seed.unwrap_or(turbulence.seed) };
        if !(length.is_finite() && length > 0.0) {
            let message = format!("length is {length}, but must be positive");
            return Err(Fault::new("world.wind.turbulence.length", message));
        }
    }
    for (key, value) in [
        ("air_density", air_density),
        ("drag", drag),
        ("strand_drag", strand_drag),
        ("strand_friction", strand_friction),
        ("turbulence.strength", turbulence.strength),
    ] {
        if !(value.is_finite() && value >= 0.0) {
            return Err(at_least_zero(format!("world.wind.{key}"), value));
        }
    }
    if let Some(gust) = &section.gust {
        if !gust.strength.is_finite() {
            let message = format!("strength is {}, but must be finite", gust.strength);
            return Err(Fault::new("world.wind.gust.strength", message));
        }
        if !(gust.period.is_finite() && gust.period > 0.0) {
            let message = format!("period is {}, but must be positive", gust.period);
            return Err(Fault::new("world.wind.gust.period", message));
        }
    }
    Ok((Wind { air_density, drag, strand_drag, strand_friction, turbulence, ..standard }, track))
}

/// Iterations that Anderson acceleration and L-BFGS can remember.
const MOST_REMEMBERED: usize = 16;

fn check_tolerance(kind: &str, tolerance: Option<f64>) -> Result<(), Fault> {
    match tolerance {
        Some(value) if !(value.is_finite() && value >= 0.0) => {
            Err(at_least_zero(format!("solver.{kind}.tolerance"), value))
        }
        _ => Ok(()),
    }
}

fn follow_leader(section: &FollowLeaderSection) -> Result<FollowLeaderParams, Fault> {
    let (correction, grid, style) =
        manner("solver.follow-leader", section.correction, section.grid.as_ref(), section.style.as_ref())?;
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
        Some(SolverSection::Projective(section)) => {
            let standard = ProjectiveParams::default();
            check_tolerance("projective", section.tolerance)?;
            check_most("solver.projective.iterations", section.iterations, MOST_ITERATIONS)?;
            ProjectiveParams {
                iterations: section.iterations.unwrap_or(standard.iterations),
                tolerance: section.tolerance.unwrap_or(standard.tolerance),
                acceleration: match section.acceleration {
                    None => standard.acceleration,
                    Some(AccelerationSection::None {}) => Acceleration::None,
                    Some(AccelerationSection::Anderson { window }) if !(1..=MOST_REMEMBERED).contains(&window) => {
                        let key = "solver.projective.acceleration.anderson.window";
                        return Err(Fault::new(key, format!("window is {window}, but must be 1 to {MOST_REMEMBERED}")));
                    }
                    Some(AccelerationSection::Anderson { window }) => Acceleration::Anderson { window },
                    Some(AccelerationSection::Chebyshev { rho, .. }) if !(0.0..1.0).contains(&rho) => {
                        let key = "solver.projective.acceleration.chebyshev.rho";
                        return Err(Fault::new(key, format!("rho is {rho}, but must be at least 0 and below 1")));
                    }
                    Some(AccelerationSection::Chebyshev { rho, delay }) => {
                        Acceleration::Chebyshev { rho, delay, relaxation: 1.0 }
                    }
                    Some(AccelerationSection::Lbfgs { history }) if !(1..=MOST_REMEMBERED).contains(&history) => {
                        let key = "solver.projective.acceleration.lbfgs.history";
                        return Err(Fault::new(
                            key,
                            format!("history is {history}, but must be 1 to {MOST_REMEMBERED}"),
                        ));
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
            }
            .into()
        }
        Some(SolverSection::FollowLeader(section)) => follow_leader(section)?.into(),
        Some(SolverSection::TwoMetric(section)) => {
            let standard = TwoMetricParams::default();
            check_tolerance("two-metric", section.tolerance)?;
            if let Some(share) = section.energy_tolerance.filter(|share| !(share.is_finite() && *share >= 0.0)) {
                return Err(at_least_zero("solver.two-metric.energy_tolerance".to_owned(), share));
            }
            check_most("solver.two-metric.iterations", section.iterations, MOST_ITERATIONS)?;
            check_most("solver.two-metric.least_iterations", section.least_iterations, MOST_ITERATIONS)?;
            check_most("solver.two-metric.contact_iterations", section.contact_iterations, MOST_ITERATIONS)?;
            check_most("solver.two-metric.linear_iterations", section.linear_iterations, MOST_ITERATIONS)?;
            if let Some(share) = section.linear_tolerance.filter(|share| !(0.0..1.0).contains(share)) {
                let message = format!("linear_tolerance is {share}, but must be at least 0 and below 1");
                return Err(Fault::new("solver.two-metric.linear_tolerance", message));
            }
            TwoMetricParams {
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
            }
            .into()
        }
        Some(SolverSection::Newton(section)) => {
            check_tolerance("newton", section.tolerance)?;
            check_most("solver.newton.iterations", section.iterations, MOST_ITERATIONS)?;
            check_most("solver.newton.warm_start", section.warm_start, MOST_ITERATIONS)?;
            let standard = if section.semi_implicit { NewtonParams::semi_implicit() } else { NewtonParams::default() };
            NewtonParams {
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
            }
            .into()
        }
        Some(SolverSection::PositionBased(section)) => position_based(section)?.into(),
        Some(SolverSection::Explicit(section)) => {
            let standard = ExplicitParams::default();
            let safety = section.safety.unwrap_or(standard.safety);
            if !(safety > 0.0 && safety <= 1.0) {
                let message = format!("safety is {safety}, but must be above 0 and at most 1");
                return Err(Fault::new("solver.explicit.safety", message));
            }
            ExplicitParams { stabilise: section.stabilise.unwrap_or(standard.stabilise), safety }.into()
        }
    })
}

fn position_based(section: &PositionBasedSection) -> Result<PositionBasedParams, Fault> {
    let standard = PositionBasedParams::default();
    check_tolerance("position-based", section.tolerance)?;
    check_most("solver.position-based.iterations", section.iterations, MOST_ITERATIONS)?;
    let shares = section.stiffness.iter().map(|k| ("stiffness".to_owned(), *k));
    let shares = shares.chain(section.stiffness_of.iter().map(|(kind, k)| (format!("stiffness_of.{kind}"), *k)));
    if let Some((key, k)) = shares.into_iter().find(|(_, k)| !(0.0..=1.0).contains(k)) {
        return Err(Fault::new(format!("solver.position-based.{key}"), format!("{key} is {k}, but must be 0 to 1")));
    }
    if section.stiffness.is_none() && !section.stiffness_of.is_empty() {
        let message = "stiffness_of goes with stiffness; without it the stiffness is that of the materials";
        return Err(Fault::new("solver.position-based.stiffness_of", message));
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
                return Err(Fault::new("solver.position-based.sweep.jacobi.relaxation", message));
            }
            Some(SweepSection::Jacobi { relaxation }) => SweepKind::Jacobi { relaxation },
        },
        order: match section.order {
            None | Some(SweepOrderName::AsAdded) => SweepOrder::AsAdded,
            Some(SweepOrderName::Reversed) => SweepOrder::Reversed,
            Some(SweepOrderName::Alternating) => SweepOrder::Alternating,
        },
        levels: section.levels.as_ref().map(stretch_levels).transpose()?,
        density_tolerance: density_tolerance(section)?,
        ..standard
    })
}

fn density_tolerance(section: &PositionBasedSection) -> Result<Option<DensityTolerance>, Fault> {
    let (standard, base) = (DensityTolerance::default(), PositionBasedParams::default().iterations);
    let key = "solver.position-based.density_iterations";
    check_most(key, section.density_iterations, MOST_ITERATIONS)?;
    let Some(excess) = section.density_tolerance else {
        return match section.density_iterations {
            None => Ok(None),
            Some(_) => Err(Fault::new(key, "density_iterations goes with density_tolerance")),
        };
    };
    if !(excess > 0.0 && excess.is_finite()) {
        let message = format!("density_tolerance is {excess}, but must be above 0");
        return Err(Fault::new("solver.position-based.density_tolerance", message));
    }
    let iterations = section.density_iterations.unwrap_or(standard.iterations);
    let least = section.iterations.unwrap_or(base);
    if iterations < least {
        let message = format!("density_iterations is {iterations}, but must be at least the iterations, {least}");
        return Err(Fault::new(key, message));
    }
    Ok(Some(DensityTolerance { excess, iterations }))
}

fn stretch_levels(section: &StretchLevelsSection) -> Result<StretchLevels, Fault> {
    let standard = StretchLevels::default();
    let fault = |key: &str, value: String, need: &str| {
        Err(Fault::new(format!("solver.position-based.levels.{key}"), format!("{key} is {value}, but must be {need}")))
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
