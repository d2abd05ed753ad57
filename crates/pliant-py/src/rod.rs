//! What matter carries: orientations of segments of rods and of particles, hands that twist and turn them, and the rest by name.

use numpy::{IntoPyArray, PyArray2, PyArrayMethods};
use pliant::Channel;
use pliant::math::Quat;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arrays::{read_only, to_array, to_numbers};
use crate::error::bad_value;
use crate::simulation::Core;

type Vectors<'py> = Bound<'py, PyArray2<f64>>;

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(channels, module)?)?;
    module.add_function(wrap_pyfunction!(orientations, module)?)?;
    module.add_function(wrap_pyfunction!(set_orientations, module)?)?;
    module.add_function(wrap_pyfunction!(twist_rod, module)?)
}

/// What the matter of a body carries, by name: quaternions w x y z (n, 4), vectors (n, 3), matrices (n, 3, 3), numbers (n,).
#[pyfunction]
fn channels<'py>(py: Python<'py>, core: &Core, body: &str) -> PyResult<Bound<'py, PyDict>> {
    let run = core.lock()?;
    let number = run.sim().body_number(body).map_err(bad_value)?;
    let found = PyDict::new(py);
    for (name, channel) in run.sim().state().channels[number].iter() {
        let array: Bound<'_, PyAny> = match channel {
            Channel::Numbers(numbers) => to_numbers(py, numbers).into_any(),
            Channel::Vectors(vectors) => to_array(py, vectors)?.into_any(),
            Channel::Quaternions(rotations) => quaternions_array(py, rotations)?.into_any(),
            Channel::Matrices(matrices) => {
                // Rows first, as Python has them.
                let flat: Vec<f64> = matrices.iter().flat_map(|m| m.transpose().to_cols_array()).collect();
                read_only(flat.into_pyarray(py).reshape([matrices.len(), 3, 3])?).into_any()
            }
        };
        found.set_item(name, array)?;
    }
    Ok(found)
}

fn quaternions_array<'py>(py: Python<'py>, rotations: &[Quat]) -> PyResult<Vectors<'py>> {
    let flat: Vec<f64> = rotations.iter().flat_map(|q| [q.w, q.x, q.y, q.z]).collect();
    flat.into_pyarray(py).reshape([rotations.len(), 4]).map(read_only)
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
    let spins = to_array(py, sim.spins(body).map_err(bad_value)?)?;
    Ok((quaternions_array(py, quaternions)?, spins))
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
