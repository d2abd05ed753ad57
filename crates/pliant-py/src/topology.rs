//! Bodies that tear and are cut.

use pliant::{Cut, Seam, TearThreshold, Tearing};
use pyo3::prelude::*;

use crate::arrays::{get, get_elements, get_vectors};
use crate::error::bad_value;
use crate::simulation::Core;

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(cut, module)?)?;
    module.add_function(wrap_pyfunction!(topology_changes, module)?)
}

/// How a body tears, or nothing of it.
pub(crate) fn tearing(recipe: &Bound<'_, PyAny>) -> PyResult<Option<Tearing>> {
    if recipe.is_none() {
        return Ok(None);
    }
    let threshold = match (get::<Option<f64>>(recipe, "stretch")?, get::<Option<f64>>(recipe, "force")?) {
        (Some(stretch), None) => TearThreshold::Stretch(stretch),
        (None, Some(force)) => TearThreshold::Force(force),
        _ => return Err(bad_value("Tearing: give one of stretch, force")),
    };
    let seam = |recipe: Bound<'_, PyAny>| {
        PyResult::Ok(Seam { edges: get_elements(&recipe, "edges")?, strength: get(&recipe, "strength")? })
    };
    let seams: PyResult<Vec<Seam>> = recipe.getattr("seams")?.try_iter()?.map(|recipe| seam(recipe?)).collect();
    Ok(Some(Tearing {
        threshold,
        noise: get(recipe, "noise")?,
        seed: get(recipe, "seed")?,
        seams: seams?,
        splits_per_step: get(recipe, "splits_per_step")?,
    }))
}

/// Cuts a cloth along a plane (one point) or segments; length of the cut at rest, vertices made, vertices doubled.
#[pyfunction]
fn cut(py: Python<'_>, core: &Core, body: &str, blade: &Bound<'_, PyAny>) -> PyResult<(f64, usize, usize)> {
    let (points, direction): (_, [f64; 3]) = (get_vectors(blade, "points")?, get(blade, "direction")?);
    let cut = match get::<bool>(blade, "is_plane")? {
        true => Cut::Plane { point: points[0], normal: direction.into() },
        false => Cut::Polyline { points, direction: direction.into() },
    };
    let at_rest: bool = get(blade, "at_rest")?;
    let mut run = core.change()?;
    let sim = run.sim_mut();
    let done = py.detach(|| if at_rest { sim.cut_at_rest(body, &cut) } else { sim.cut(body, &cut) });
    let report = done.map_err(bad_value)?;
    Ok((report.length, report.inserted, report.doubled))
}

/// How often vertices were doubled or cells divided.
#[pyfunction]
fn topology_changes(core: &Core) -> PyResult<usize> {
    Ok(core.lock()?.sim().topology_changes())
}
