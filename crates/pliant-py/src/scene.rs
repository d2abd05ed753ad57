//! What a world has that runs a scene file: its source, frames, quantities and expectations.

use std::path::PathBuf;

use pliant_scene::format::Quantity;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arrays::choose;
use crate::error::bad_value;
use crate::simulation::{Core, Run};

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(scene_source, module)?)?;
    module.add_function(wrap_pyfunction!(scene_frames, module)?)?;
    module.add_function(wrap_pyfunction!(measure, module)?)?;
    module.add_function(wrap_pyfunction!(verdicts, module)?)
}

/// Path and text of the scene, with overrides applied; none without a scene.
#[pyfunction]
fn scene_source(core: &Core) -> PyResult<Option<(PathBuf, String)>> {
    Ok(match &*core.lock()? {
        Run::Scene { scene, .. } => {
            let (path, text) = scene.source();
            Some((path.to_owned(), text.to_owned()))
        }
        _ => None,
    })
}

/// Frames that the scene wants, frames done, steps in a frame, frames per second.
#[pyfunction]
fn scene_frames(core: &Core) -> PyResult<Option<(u32, u32, u32, f64)>> {
    Ok(match &*core.lock()? {
        Run::Scene { run, scene } => Some((scene.frames(), run.frame(), run.substeps(), scene.frame_rate())),
        _ => None,
    })
}

/// A quantity of scene files, of a body or of the world.
#[pyfunction]
#[pyo3(signature = (core, quantity, body))]
fn measure(core: &Core, quantity: &str, body: Option<&str>) -> PyResult<f64> {
    let known = Quantity::ALL.map(|quantity| (quantity.name(), quantity));
    let quantity = choose("quantity", quantity, &known)?;
    match &*core.lock()? {
        Run::Scene { run, .. } => Ok(run.measure(quantity, body)),
        _ => Err(bad_value("quantities of scene files are measured in scenes")),
    }
}

/// For each expectation its quantity, body, bounds, value and whether it holds.
#[pyfunction]
fn verdicts<'py>(py: Python<'py>, core: &Core) -> PyResult<Vec<Bound<'py, PyDict>>> {
    let run = core.lock()?;
    let Run::Scene { run, .. } = &*run else { return Ok(Vec::new()) };
    let verdict = |verdict: pliant_scene::Verdict| {
        let values = PyDict::new(py);
        values.set_item("quantity", verdict.expect.quantity.name())?;
        values.set_item("body", verdict.expect.body.clone())?;
        values.set_item("below", verdict.expect.below)?;
        values.set_item("above", verdict.expect.above)?;
        values.set_item("value", verdict.value)?;
        values.set_item("holds", verdict.holds())?;
        Ok(values)
    };
    run.verdicts().into_iter().map(verdict).collect()
}
