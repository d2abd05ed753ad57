//! Solvers, wind and the rest of a world but its bodies.

use pliant::contact::{ContactMode, ContactParams};
use pliant::math::Vec3;
use pliant::solve::{
    Acceleration, ExplicitParams, FollowLeaderParams, NewtonParams, PositionBasedParams, ProjectiveParams,
    SolverChoice, Stiffness, TwoMetricParams,
};
use pliant::sparse::Precision;
use pliant::{Damping, SelfCollision, SimulationBuilder, StrainLimiting, TimeIntegrator, Turbulence, Wind};
use wasm_bindgen::JsValue;

use crate::body::body;
use crate::collider::collider;
use crate::fault::Fault;
use crate::options::{Options, count, index, items, number, text};

const SOLVERS: &str = "auto, projective, two-metric, newton, position-based, follow-leader, explicit";

/// A solver: its name, or its name as `kind` with parameters.
pub(crate) fn solver(value: &JsValue, place: &str) -> Result<SolverChoice, Fault> {
    let named = value.as_string();
    let parameters = if named.is_some() { JsValue::UNDEFINED } else { value.clone() };
    let options = Options::new(&parameters, place)?;
    let kind = match named {
        Some(name) => name,
        None => options.need("kind", text)?,
    };
    let made = match kind.as_str() {
        "auto" => SolverChoice::Auto,
        "projective" => projective(&options)?.into(),
        "two-metric" => {
            let usual = TwoMetricParams::default();
            let tolerance = options.number("tolerance", usual.tolerance)?;
            TwoMetricParams {
                iterations: options.iterations("iterations", usual.iterations)?,
                linear_iterations: options.iterations("linearIterations", usual.linear_iterations)?,
                linear_tolerance: options.number("linearTolerance", usual.linear_tolerance)?,
                tolerance,
                ..usual
            }
            .into()
        }
        "newton" => {
            let usual = NewtonParams::default();
            NewtonParams {
                iterations: options.iterations("iterations", usual.iterations)?,
                tolerance: options.number("tolerance", usual.tolerance)?,
                line_search: options.flag("lineSearch", usual.line_search)?,
                ..usual
            }
            .into()
        }
        "position-based" => {
            let usual = PositionBasedParams::default();
            let share = options.read("stiffness", number)?;
            PositionBasedParams {
                iterations: options.iterations("iterations", usual.iterations)?,
                tolerance: options.number("tolerance", usual.tolerance)?,
                stiffness: share.map_or(usual.stiffness, |stiffness| Stiffness::Share { stiffness, kinds: Vec::new() }),
                ..usual
            }
            .into()
        }
        "follow-leader" => {
            let usual = FollowLeaderParams::default();
            FollowLeaderParams { correction: options.number("correction", usual.correction)?, ..usual }.into()
        }
        "explicit" => {
            let usual = ExplicitParams::default();
            let safety = options.number("safety", usual.safety)?;
            ExplicitParams { stabilise: options.flag("stabilise", usual.stabilise)?, safety }.into()
        }
        _ => return Err(Fault::new(format!("{place} is {kind:?}, but there are {SOLVERS}"))),
    };
    options.finish()?;
    Ok(made)
}

fn projective(options: &Options) -> Result<ProjectiveParams, Fault> {
    let usual = ProjectiveParams::default();
    let known = [("single", Precision::Single), ("double", Precision::Double)];
    let window = options.read("anderson", count)?;
    Ok(ProjectiveParams {
        iterations: options.iterations("iterations", usual.iterations)?,
        tolerance: options.number("tolerance", usual.tolerance)?,
        acceleration: match window {
            Some(0) => Acceleration::None,
            Some(window) => Acceleration::Anderson { window },
            None => usual.acceleration,
        },
        precision: options.choice("precision", usual.precision, &known)?,
        ..usual
    })
}

/// Wind from its description.
pub(crate) fn wind(value: &JsValue, place: &str) -> Result<Wind, Fault> {
    let (options, usual) = (Options::new(value, place)?, Wind::new(Vec3::ZERO));
    let turbulence = match options.inner("turbulence")? {
        None => usual.turbulence,
        Some(inner) => {
            let usual = Turbulence::default();
            let seed = inner.read("seed", index)?.map_or(usual.seed, u64::from);
            let (strength, length) = (inner.number("strength", usual.strength)?, inner.number("length", usual.length)?);
            inner.finish()?;
            Turbulence { strength, length, seed }
        }
    };
    let wind = Wind {
        velocity: options.vector("velocity", Vec3::ZERO)?,
        air_density: options.number("airDensity", usual.air_density)?,
        drag: options.number("drag", usual.drag)?,
        strand_drag: options.number("strandDrag", usual.strand_drag)?,
        strand_friction: options.number("strandFriction", usual.strand_friction)?,
        turbulence,
    };
    options.finish()?;
    Ok(wind)
}

fn damping(value: &JsValue, place: &str) -> Result<Damping, Fault> {
    let (options, usual) = (Options::new(value, place)?, Damping::default());
    let damping = Damping {
        drag: options.number("drag", usual.drag)?,
        deformation: options.number("deformation", usual.deformation)?,
        stiffness: options.number("stiffness", usual.stiffness)?,
        spring: options.number("spring", usual.spring)?,
        radial: options.number("radial", usual.radial)?,
        cluster: options.count("cluster", usual.cluster)?,
    };
    options.finish()?;
    Ok(damping)
}

fn self_collision(value: &JsValue, place: &str) -> Result<SelfCollision, Fault> {
    let (options, usual) = (Options::new(value, place)?, SelfCollision::default());
    let apart = SelfCollision {
        thickness: options.number("thickness", usual.thickness)?,
        friction: options.number("friction", usual.friction)?,
        rounds: options.iterations("rounds", usual.rounds)?,
        untangle: options.flag("untangle", usual.untangle)?,
        ..usual
    };
    options.finish()?;
    Ok(apart)
}

/// One end of an attachment: the name of a body and a vertex.
fn end(value: &JsValue, place: &str) -> Result<(String, u32), Fault> {
    let parts = items(value, place, |value, _| Ok(value.clone()))?;
    let [body, vertex] = &parts[..] else {
        return Err(Fault::new(format!("{place} must be the name of a body and the number of a vertex")));
    };
    Ok((text(body, &format!("{place}[0]"))?, index(vertex, &format!("{place}[1]"))?))
}

/// An attachment: two ends, its stiffness, and whether it keeps their distance.
pub(crate) struct Attachment {
    pub(crate) ends: [(String, u32); 2],
    pub(crate) stiffness: f64,
    pub(crate) keeps_distance: bool,
}

pub(crate) fn attachment(value: &JsValue, place: &str) -> Result<Attachment, Fault> {
    let options = Options::new(value, place)?;
    let attachment = Attachment {
        ends: [options.need("first", end)?, options.need("second", end)?],
        stiffness: options.number("stiffness", 1e4)?,
        keeps_distance: options.flag("keepDistance", false)?,
    };
    options.finish()?;
    Ok(attachment)
}

/// A world from the description of a simulation.
pub(crate) fn world(mut builder: SimulationBuilder, value: &JsValue) -> Result<SimulationBuilder, Fault> {
    let options = Options::new(value, "")?;
    for body in options.list("bodies", body)? {
        builder = builder.body(body);
    }
    for collider in options.list("colliders", collider)? {
        builder = builder.collider(collider);
    }
    if let Some(seconds) = options.read("timeStep", number)? {
        builder = builder.time_step(seconds);
    }
    if let Some(count) = options.read("substeps", count)? {
        builder = builder.substeps(count);
    }
    let integrators = [
        ("implicit-euler", TimeIntegrator::ImplicitEuler),
        ("bdf2", TimeIntegrator::Bdf2),
        ("tr-bdf2", TimeIntegrator::TrBdf2),
        ("implicit-midpoint", TimeIntegrator::ImplicitMidpoint),
        ("energy-keeping", TimeIntegrator::EnergyKeeping),
    ];
    let chosen = |value: &JsValue, place: &str| crate::options::choose(&text(value, place)?, place, &integrators);
    if let Some(integrator) = options.read("integrator", chosen)? {
        builder = builder.integrator(integrator);
    }
    if let Some(gravity) = options.read("gravity", crate::options::vector)? {
        builder = builder.gravity(gravity);
    }
    if let Some(wind) = options.read("wind", wind)? {
        builder = builder.wind(wind);
    }
    if let Some(solver) = options.read("solver", solver)? {
        builder = builder.solver(solver);
    }
    if let Some(damping) = options.read("damping", damping)? {
        builder = builder.damping(damping);
    }
    if let Some(apart) = options.read("selfCollision", self_collision)? {
        builder = builder.self_collision(apart);
    }
    if let Some(contact) = options.inner("contact")? {
        let usual = ContactParams::default();
        let modes = [
            ("constraint", ContactMode::Constraint),
            ("displacement", ContactMode::Displacement),
            ("constant-matrix", ContactMode::ConstantMatrix),
        ];
        let params = ContactParams {
            mode: contact.choice("mode", usual.mode, &modes)?,
            weight: contact.number("weight", usual.weight)?,
        };
        contact.finish()?;
        builder = builder.contact(params);
    }
    if let Some(limiting) = options.inner("strainLimiting")? {
        let (most, iterations) = (limiting.need("most", number)?, limiting.iterations("iterations", 200)?);
        limiting.finish()?;
        builder = builder.strain_limiting(StrainLimiting::principal(most, iterations));
    }
    for Attachment { ends: [first, second], stiffness, keeps_distance } in options.list("attachments", attachment)? {
        builder = match keeps_distance {
            true => builder.attach_at_distance(first, second, stiffness),
            false => builder.attach(first, second, stiffness),
        };
    }
    if let Some(diagonals) = options.read("runawayLimit", number)? {
        builder = builder.runaway_limit(diagonals);
    }
    options.finish()?;
    Ok(builder)
}
