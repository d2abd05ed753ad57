//! What comes, goes and changes while a world runs.

use numpy::PyReadonlyArray1;
use pliant::{BodyId, Simulation};
use pyo3::prelude::*;

use crate::arrays::get;
use crate::body::body;
use crate::collide::collider;
use crate::error::bad_value;
use crate::material::any_material;
use crate::settings;
use crate::simulation::Core;

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(add_body, module)?)?;
    module.add_function(wrap_pyfunction!(remove_body, module)?)?;
    module.add_function(wrap_pyfunction!(set_pins, module)?)?;
    module.add_function(wrap_pyfunction!(attach, module)?)?;
    module.add_function(wrap_pyfunction!(detach, module)?)?;
    module.add_function(wrap_pyfunction!(set_material, module)?)?;
    module.add_function(wrap_pyfunction!(set_body_solver, module)?)?;
    module.add_function(wrap_pyfunction!(add_collider, module)?)?;
    module.add_function(wrap_pyfunction!(replace_collider, module)?)?;
    module.add_function(wrap_pyfunction!(remove_collider, module)?)
}

fn named(sim: &Simulation, body: &str) -> PyResult<BodyId> {
    sim.body_id(body).ok_or_else(|| bad_value(format!("there is no body {body:?}")))
}

#[pyfunction]
fn add_body(core: &Core, recipe: &Bound<'_, PyAny>) -> PyResult<()> {
    let body = body(recipe, core.faults())?;
    let mut run = core.change()?;
    run.sim_mut().add(body).map_err(bad_value)?;
    core.look_for_python(run.sim());
    Ok(())
}

#[pyfunction]
fn remove_body(core: &Core, body: &str) -> PyResult<()> {
    let mut run = core.change()?;
    let id = named(run.sim(), body)?;
    run.sim_mut().remove(id).map_err(bad_value)
}

#[pyfunction]
fn set_pins(core: &Core, body: &str, vertices: PyReadonlyArray1<'_, u32>, pinned: bool) -> PyResult<()> {
    let (vertices, mut run) = (vertices.as_array().to_vec(), core.change()?);
    let id = named(run.sim(), body)?;
    let sim = run.sim_mut();
    if pinned { sim.pin(id, &vertices) } else { sim.unpin(id, &vertices) }.map_err(bad_value)
}

#[pyfunction]
fn attach(core: &Core, attachment: &Bound<'_, PyAny>) -> PyResult<()> {
    let first: (String, u32) = get(attachment, "first")?;
    let second: (String, u32) = get(attachment, "second")?;
    let (stiffness, keeps): (f64, bool) = (get(attachment, "stiffness")?, get(attachment, "keep_distance")?);
    let mut run = core.change()?;
    let ends = [(named(run.sim(), &first.0)?, first.1), (named(run.sim(), &second.0)?, second.1)];
    let sim = run.sim_mut();
    let attached = match keeps {
        true => sim.attach_at_distance(ends[0], ends[1], stiffness),
        false => sim.attach(ends[0], ends[1], stiffness),
    };
    // Python knows attachments by their descriptions.
    attached.map(|_| ()).map_err(bad_value)
}

/// Takes off the attachment of a number, in the order in which those that are left were added.
#[pyfunction]
fn detach(core: &Core, number: usize) -> PyResult<()> {
    let mut run = core.change()?;
    let ids = run.sim().attachment_ids();
    let id = *ids.get(number).ok_or_else(|| bad_value(format!("there is no attachment {number}")))?;
    run.sim_mut().detach(id).map_err(bad_value)
}

#[pyfunction]
fn set_material(core: &Core, body: &str, material: &Bound<'_, PyAny>) -> PyResult<()> {
    let (material, mut run) = (any_material(material)?, core.change()?);
    let id = named(run.sim(), body)?;
    run.sim_mut().set_material(id, material).map_err(bad_value)
}

#[pyfunction]
fn set_body_solver(core: &Core, body: &str, solver: &Bound<'_, PyAny>) -> PyResult<()> {
    let solver = if solver.is_none() { None } else { Some(settings::solver(solver)?) };
    let mut run = core.change()?;
    let id = named(run.sim(), body)?;
    run.sim_mut().set_body_solver(id, solver).map_err(bad_value)
}

#[pyfunction]
fn add_collider(core: &Core, recipe: &Bound<'_, PyAny>) -> PyResult<()> {
    let mut run = core.change()?;
    let number = run.sim().colliders().len();
    run.sim_mut().add_collider(collider(recipe, number)?).map(|_| ()).map_err(bad_value)
}

#[pyfunction]
fn replace_collider(core: &Core, number: usize, recipe: &Bound<'_, PyAny>) -> PyResult<()> {
    let mut run = core.change()?;
    let id = collider_id(run.sim(), number)?;
    run.sim_mut().replace_collider(id, collider(recipe, number)?).map_err(bad_value)
}

#[pyfunction]
fn remove_collider(core: &Core, number: usize) -> PyResult<()> {
    let mut run = core.change()?;
    let id = collider_id(run.sim(), number)?;
    run.sim_mut().remove_collider(id).map_err(bad_value)
}

fn collider_id(sim: &Simulation, number: usize) -> PyResult<pliant::ColliderId> {
    sim.collider_ids().get(number).copied().ok_or_else(|| bad_value(format!("there is no collider {number}")))
}
