//! Orientations, of segments of rods and of particles, and hands that twist and turn them.

use numpy::{IntoPyArray, PyArray2, PyArrayMethods};
use pliant::math::Quat;
use pyo3::prelude::*;

use crate::arrays::to_array;
use crate::error::bad_value;
use crate::simulation::Core;

type Vectors<'py> = Bound<'py, PyArray2<f64>>;

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(orientations, module)?)?;
    module.add_function(wrap_pyfunction!(set_orientations, module)?)?;
    module.add_function(wrap_pyfunction!(twist_rod, module)?)
}

/// Orientations (n, 4) as quaternions w x y z, and angular velocities (n, 3) in the segments' own axes, of a body's segments or particles.
#[pyfunction]
fn orientations<'py>(py: Python<'py>, core: &Core, body: &str) -> PyResult<(Vectors<'py>, Vectors<'py>)> {
    let run = core.lock()?;
    let sim = run.sim();
    let quaternions = sim.orientations(body).unwrap_or_default();
    if quaternions.is_empty() {
        return Err(bad_value(format!("body {body:?} has no orientations: it is no rod, and its particles have none")));
    }
    let flat: Vec<f64> = quaternions.iter().flat_map(|q| [q.w, q.x, q.y, q.z]).collect();
    let spins = to_array(py, sim.spins(body).map_err(bad_value)?)?;
    Ok((flat.into_pyarray(py).reshape([quaternions.len(), 4])?, spins))
}

/// Replaces how particles are turned, quaternions w x y z.
#[pyfunction]
fn set_orientations(core: &Core, body: &str, quaternions: Vec<[f64; 4]>) -> PyResult<()> {
    let turned: Vec<Quat> = quaternions.iter().map(|&[w, x, y, z]| Quat::from_xyzw(x, y, z, w)).collect();
    core.change()?.sim_mut().set_orientations(body, &turned).map_err(bad_value)
}

/// Turns a clamped segment about itself.
#[pyfunction]
fn twist_rod(core: &Core, body: &str, segment: usize, angle: f64) -> PyResult<()> {
    core.change()?.sim_mut().twist_rod(body, segment, angle).map_err(bad_value)
}
