//! From `[world]` to the settings of a simulation.

use pliant::math::Vec3;
use pliant::{
    Damping, LimitMethod, MOST_SUBSTEPS, SelfCollision, Simulation, SimulationBuilder, StrainLimiting, TimeIntegrator,
    Turbulence, Wind,
};

use crate::drive::Driver;
use crate::fault::Fault;
use crate::format::{
    IntegratorName, LimitMethodSection, SelfCollisionSection, SolverSection, StrainLimitingSection, WindSection,
    WorldSection,
};
use crate::motion::Track;
use crate::solver::choice;

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

pub(crate) fn at_least_zero(key: String, value: f64) -> Fault {
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
