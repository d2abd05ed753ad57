//! Solvers, integrators, damping, wind and attachments from their Python descriptions.

use std::collections::BTreeMap;

use pliant::solve::{
    Acceleration, DensityTolerance, ExplicitParams, FollowLeaderParams, LinearSolver, NewtonCurvature, NewtonParams,
    PositionBasedParams, Preconditioner, ProjectiveParams, SolverChoice, Start, Stiffness, StretchLevels, SweepKind,
    SweepOrder, TwoMetricParams,
};
use pliant::sparse::Precision;
use pliant::{Damping, HairGrid, HairStyle, SimulationBuilder, TimeIntegrator, Turbulence, Wind};
use pyo3::prelude::*;

use crate::arrays::{bounded, choose, get, iterations};
use crate::constraint::strain_limiting;
use crate::error::bad_value;

pub(crate) fn start(name: &str) -> PyResult<Start> {
    let known = [("predicted", Start::Predicted), ("inertial", Start::Inertial), ("previous", Start::Previous)];
    choose("start", name, &known)
}

fn acceleration(recipe: &Bound<'_, PyAny>) -> PyResult<Acceleration> {
    if recipe.is_none() {
        return Ok(Acceleration::None);
    }
    Ok(match get::<String>(recipe, "kind")?.as_str() {
        "anderson" => Acceleration::Anderson { window: get(recipe, "window")? },
        "lbfgs" => Acceleration::Lbfgs { history: get(recipe, "history")? },
        _ => Acceleration::Chebyshev {
            rho: get(recipe, "rho")?,
            delay: get(recipe, "delay")?,
            relaxation: get(recipe, "relaxation")?,
        },
    })
}

/// A solver by its Python description.
pub(crate) fn solver(recipe: &Bound<'_, PyAny>) -> PyResult<SolverChoice> {
    if !recipe.hasattr("kind")? {
        let known = "an Auto, Projective, TwoMetric, Newton, PositionBased, FollowLeader, Explicit or Gpu";
        return Err(bad_value(format!("solver is {}, but must be {known}", recipe.repr()?)));
    }
    let kind: String = get(recipe, "kind")?;
    Ok(match kind.as_str() {
        "auto" => SolverChoice::Auto,
        "projective" => projective(recipe)?.into(),
        "two-metric" => two_metric(recipe)?.into(),
        "newton" => newton(recipe)?.into(),
        "position-based" => position_based(recipe)?.into(),
        "follow-leader" => follow_leader(recipe)?.into(),
        "gpu" => crate::gpu::solver(recipe)?,
        "explicit" => {
            let safety = bounded(recipe, "safety", "above 0 and at most 1", |value| value > 0.0 && value <= 1.0)?;
            ExplicitParams { stabilise: get(recipe, "stabilise")?, safety }.into()
        }
        _ => return Err(bad_value(format!("there is no solver of the kind {kind:?}"))),
    })
}

fn tolerance(recipe: &Bound<'_, PyAny>) -> PyResult<f64> {
    bounded(recipe, "tolerance", "finite and at least 0", |value| value >= 0.0)
}

fn own_start(recipe: &Bound<'_, PyAny>) -> PyResult<Start> {
    start(&get::<String>(recipe, "start")?)
}

pub(crate) fn projective(recipe: &Bound<'_, PyAny>) -> PyResult<ProjectiveParams> {
    let known = [("single", Precision::Single), ("double", Precision::Double)];
    Ok(ProjectiveParams {
        iterations: iterations(recipe, "iterations")?,
        tolerance: tolerance(recipe)?,
        acceleration: acceleration(&recipe.getattr("acceleration")?)?,
        start: own_start(recipe)?,
        record: get(recipe, "record")?,
        precision: choose("precision", &get::<String>(recipe, "precision")?, &known)?,
    })
}

pub(crate) fn two_metric(recipe: &Bound<'_, PyAny>) -> PyResult<TwoMetricParams> {
    let known =
        [("factor", Preconditioner::Factor), ("sum", Preconditioner::Sum), ("product", Preconditioner::Product)];
    let linear_tolerance = bounded(recipe, "linear_tolerance", "at least 0 and below 1", |v| (0.0..1.0).contains(&v))?;
    Ok(TwoMetricParams {
        energy_tolerance: bounded(recipe, "energy_tolerance", "at least 0", |value| value >= 0.0)?,
        least_iterations: iterations(recipe, "least_iterations")?,
        contact_iterations: iterations(recipe, "contact_iterations")?,
        iterations: iterations(recipe, "iterations")?,
        linear_iterations: iterations(recipe, "linear_iterations")?,
        linear_tolerance,
        tolerance: tolerance(recipe)?,
        preconditioner: choose("preconditioner", &get::<String>(recipe, "preconditioner")?, &known)?,
        start: own_start(recipe)?,
        record: get(recipe, "record")?,
    })
}

fn newton(recipe: &Bound<'_, PyAny>) -> PyResult<NewtonParams> {
    let linear = recipe.getattr("linear_solver")?;
    let linear_solver = match linear.extract::<String>() {
        Ok(name) => choose("linear_solver", &name, &[("direct", LinearSolver::Direct)])?,
        Err(_) => LinearSolver::ConjugateGradient {
            tolerance: get(&linear, "tolerance")?,
            max_iterations: iterations(&linear, "max_iterations")?,
        },
    };
    let known = [
        ("projected", NewtonCurvature::Projected),
        ("raw", NewtonCurvature::Raw),
        ("shifted", NewtonCurvature::Shifted),
    ];
    Ok(NewtonParams {
        iterations: iterations(recipe, "iterations")?,
        tolerance: tolerance(recipe)?,
        linear_solver,
        line_search: get(recipe, "line_search")?,
        curvature: choose("curvature", &get::<String>(recipe, "curvature")?, &known)?,
        warm_start: iterations(recipe, "warm_start")?,
        start: own_start(recipe)?,
        record: get(recipe, "record")?,
    })
}

fn position_based(recipe: &Bound<'_, PyAny>) -> PyResult<PositionBasedParams> {
    let kinds: BTreeMap<String, f64> = get(recipe, "stiffness_of")?;
    let share: Option<f64> = get(recipe, "stiffness")?;
    if let Some(k) = share.iter().chain(kinds.values()).find(|k| !(0.0..=1.0).contains(*k)) {
        return Err(bad_value(format!("stiffness is {k}, but must be 0 to 1")));
    }
    let relaxation: Option<f64> = get(recipe, "jacobi")?;
    if let Some(value) = relaxation.filter(|value| !(*value > 0.0 && *value < 2.0)) {
        return Err(bad_value(format!("jacobi is {value}, but must be above 0 and below 2")));
    }
    let known = [
        ("as-added", SweepOrder::AsAdded),
        ("reversed", SweepOrder::Reversed),
        ("alternating", SweepOrder::Alternating),
    ];
    Ok(PositionBasedParams {
        iterations: iterations(recipe, "iterations")?,
        stiffness: share.map_or(Stiffness::Physical, |stiffness| Stiffness::Share {
            stiffness,
            kinds: kinds.into_iter().collect(),
        }),
        sweep: relaxation.map_or(SweepKind::GaussSeidel, |relaxation| SweepKind::Jacobi { relaxation }),
        order: choose("order", &get::<String>(recipe, "order")?, &known)?,
        levels: stretch_levels(&recipe.getattr("levels")?)?,
        tolerance: tolerance(recipe)?,
        density_tolerance: density_tolerance(recipe)?,
        record: get(recipe, "record")?,
    })
}

/// Coarser levels that keep bodies from stretching, if there are any.
fn stretch_levels(recipe: &Bound<'_, PyAny>) -> PyResult<Option<StretchLevels>> {
    if recipe.is_none() {
        return Ok(None);
    }
    let (levels, rounds) = (get(recipe, "levels")?, get(recipe, "rounds")?);
    Ok(Some(StretchLevels { levels, rounds, most: bounded(recipe, "most", "at least 1", |most| most >= 1.0)? }))
}

fn density_tolerance(recipe: &Bound<'_, PyAny>) -> PyResult<Option<DensityTolerance>> {
    let most = iterations(recipe, "density_iterations")?;
    let Some(excess) = get::<Option<f64>>(recipe, "density_tolerance")? else { return Ok(None) };
    if !(excess > 0.0 && excess.is_finite()) {
        return Err(bad_value(format!("density_tolerance is {excess}, but must be above 0")));
    }
    let least = iterations(recipe, "iterations")?;
    if most < least {
        let message = format!("density_iterations is {most}, but must be at least the iterations, {least}");
        return Err(bad_value(message));
    }
    Ok(Some(DensityTolerance { excess, iterations: most }))
}

fn follow_leader(recipe: &Bound<'_, PyAny>) -> PyResult<FollowLeaderParams> {
    let (correction, grid, style) = manner(recipe)?;
    Ok(FollowLeaderParams { correction, grid, style })
}

/// How hair follows, what it does to hair around it, and what it keeps of its rest shape.
pub(crate) fn manner(recipe: &Bound<'_, PyAny>) -> PyResult<(f64, Option<HairGrid>, Option<HairStyle>)> {
    let (grid, style) = (recipe.getattr("grid")?, recipe.getattr("style")?);
    let share = |name: &str| bounded(&style, name, "0 to 1", |value| (0.0..=1.0).contains(&value));
    let rate = |name: &str| bounded(&grid, name, "at least 0", |value| value >= 0.0);
    let correction = bounded(recipe, "correction", "at least 0 and below 1", |value| (0.0..1.0).contains(&value))?;
    let grid = match grid.is_none() {
        true => None,
        false => Some(HairGrid {
            cell: bounded(&grid, "cell", "more than 0", |value| value > 0.0)?,
            friction: rate("friction")?,
            repulsion: rate("repulsion")?,
        }),
    };
    let style = match style.is_none() {
        true => None,
        false => Some(HairStyle {
            local: share("local_share")?,
            iterations: iterations(&style, "iterations")?,
            global: share("global_share")?,
            global_range: share("global_range")?,
        }),
    };
    Ok((correction, grid, style))
}

/// Wind by its Python description, or none.
pub(crate) fn wind(recipe: &Bound<'_, PyAny>) -> PyResult<Option<Wind>> {
    if recipe.is_none() {
        return Ok(None);
    }
    let velocity: [f64; 3] = get(recipe, "velocity")?;
    let eddies = recipe.getattr("turbulence")?;
    Ok(Some(Wind {
        velocity: velocity.into(),
        air_density: get(recipe, "air_density")?,
        drag: get(recipe, "drag")?,
        strand_drag: get(recipe, "strand_drag")?,
        strand_friction: get(recipe, "strand_friction")?,
        turbulence: Turbulence {
            strength: get(&eddies, "strength")?,
            length: get(&eddies, "length")?,
            seed: get(&eddies, "seed")?,
        },
    }))
}

/// Everything of a world but its bodies, from the Python simulation that describes it.
pub(crate) fn world(mut builder: SimulationBuilder, recipe: &Bound<'_, PyAny>) -> PyResult<SimulationBuilder> {
    let known = [
        ("implicit-euler", TimeIntegrator::ImplicitEuler),
        ("bdf2", TimeIntegrator::Bdf2),
        ("tr-bdf2", TimeIntegrator::TrBdf2),
        ("implicit-midpoint", TimeIntegrator::ImplicitMidpoint),
        ("energy-keeping", TimeIntegrator::EnergyKeeping),
    ];
    let gravity: [f64; 3] = get(recipe, "gravity")?;
    let damping = recipe.getattr("damping")?;
    if let Some(count) = get::<Option<usize>>(recipe, "substeps")? {
        builder = builder.substeps(count);
    }
    if let Some(name) = get::<Option<String>>(recipe, "integrator")? {
        builder = builder.integrator(choose("integrator", &name, &known)?);
    }
    builder = builder
        .time_step(get(recipe, "time_step")?)
        .gravity(gravity.into())
        .solver(solver(&recipe.getattr("solver")?)?)
        .runaway_limit(get(recipe, "runaway_limit")?)
        .damping(Damping {
            drag: get(&damping, "drag")?,
            deformation: get(&damping, "deformation")?,
            stiffness: get(&damping, "stiffness")?,
            spring: get(&damping, "spring")?,
            radial: get(&damping, "radial")?,
            cluster: get(&damping, "cluster")?,
        });
    if let Some(wind) = wind(&recipe.getattr("wind")?)? {
        builder = builder.wind(wind);
    }
    if let Some(limiting) = strain_limiting(&recipe.getattr("strain_limiting")?)? {
        builder = builder.strain_limiting(limiting);
    }
    if let Some(threads) = get(recipe, "threads")? {
        builder = builder.threads(threads);
    }
    for attachment in recipe.getattr("attachments")?.try_iter()? {
        let attachment = attachment?;
        let first: (String, u32) = get(&attachment, "first")?;
        let second: (String, u32) = get(&attachment, "second")?;
        let stiffness = get(&attachment, "stiffness")?;
        builder = match get(&attachment, "keep_distance")? {
            true => builder.attach_at_distance(first, second, stiffness),
            false => builder.attach(first, second, stiffness),
        };
    }
    Ok(builder)
}
