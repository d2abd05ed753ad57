//! Fluids: particles, emitters, and the surface around particles.

use numpy::{PyArray1, PyArray2, PyReadonlyArray2};
use pliant::math::Vec3;
use pliant::mesh::MeshError;
use pliant::mesh::generate::particle_block;
use pliant::{Emitter, Fluid, FluidSurface};
use pyo3::prelude::*;

use crate::arrays::{get, to_array, to_elements, to_numbers, vectors};
use crate::error::bad_value;
use crate::simulation::Core;

type Vectors<'py> = Bound<'py, PyArray2<f64>>;
type Numbers<'py> = Bound<'py, PyArray1<f64>>;
type Surface<'py> = (Vectors<'py>, Bound<'py, PyArray2<u32>>);

/// More cells than this in the radius over which particles are averaged are a slip, and take minutes and gigabytes.
const MOST_CELLS: f64 = 50.0;
/// Cells are numbered from the origin; beyond this their numbers and those of their neighbours lose digits.
const FARTHEST_CELL: f64 = 1e15;

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(block, module)?)?;
    module.add_function(wrap_pyfunction!(emitted_particles, module)?)?;
    module.add_function(wrap_pyfunction!(fluid_surface, module)?)?;
    module.add_function(wrap_pyfunction!(fluid_particles, module)?)?;
    module.add_function(wrap_pyfunction!(fluid_readings, module)?)
}

/// Particles on a lattice that fill a box about the origin.
#[pyfunction]
fn block<'py>(py: Python<'py>, size: [f64; 3], spacing: f64) -> PyResult<Vectors<'py>> {
    to_array(py, &particle_block(size.into(), spacing).map_err(bad_value)?.positions)
}

/// A pipe by its description, or none.
pub(crate) fn emitter(recipe: &Bound<'_, PyAny>) -> PyResult<Option<Emitter>> {
    if recipe.is_none() {
        return Ok(None);
    }
    let (mouth, direction): ([f64; 3], [f64; 3]) = (get(recipe, "mouth")?, get(recipe, "direction")?);
    let (radius, speed, duration) = (get(recipe, "radius")?, get(recipe, "speed")?, get(recipe, "duration")?);
    Ok(Some(Emitter { mouth: mouth.into(), direction: direction.into(), radius, speed, duration }))
}

/// Particles of a pipe, the first to come out first.
#[pyfunction]
fn emitted_particles<'py>(py: Python<'py>, recipe: &Bound<'py, PyAny>, spacing: f64) -> PyResult<Vectors<'py>> {
    let pipe = emitter(recipe)?.ok_or_else(|| bad_value("emitter is None"))?;
    to_array(py, &pipe.particles(spacing).map_err(bad_value)?.positions)
}

/// Vertices and triangles around particles: cell, smoothing, radius [m].
#[pyfunction]
fn fluid_surface<'py>(
    py: Python<'py>,
    particles: PyReadonlyArray2<'py, f64>,
    sizes: [f64; 3],
) -> PyResult<Surface<'py>> {
    let particles = vectors(&particles)?;
    let [cell, smoothing, radius] = sizes;
    for (name, value) in [("cell", cell), ("smoothing", smoothing), ("radius", radius)] {
        if !(value.is_finite() && value > 0.0) {
            return Err(bad_value(format!("{name} is {value}, but must be more than 0")));
        }
    }
    if smoothing > MOST_CELLS * cell {
        return Err(bad_value(format!("cell is {cell:?}, but must be at least {:?} here", smoothing / MOST_CELLS)));
    }
    let is_far = |p: &Vec3| p.abs().max_element() > FARTHEST_CELL * cell;
    if let Some(far) = particles.iter().position(is_far) {
        return Err(bad_value(format!("particles[{far}] is {}, too far from the origin", particles[far])));
    }
    let (positions, triangles) = match py.detach(|| FluidSurface { cell, smoothing, radius }.mesh(&particles)) {
        Ok(mesh) => (mesh.positions, mesh.triangles),
        // No particles, or drops that are smaller than cells.
        Err(MeshError::Empty { .. }) => (Vec::new(), Vec::new()),
        Err(error) => return Err(bad_value(error)),
    };
    Ok((to_array(py, &positions)?, to_elements(py, &triangles)?))
}

/// Particles of a fluid that are out of their pipe, and their spacing; none where the body is no fluid.
#[pyfunction]
fn fluid_particles<'py>(py: Python<'py>, core: &Core, body: &str) -> PyResult<Option<(Vectors<'py>, f64)>> {
    let run = core.lock()?;
    let (model, positions) = (run.sim().model(), run.sim().positions());
    let Some(found) = model.matter_of::<Fluid>().find(|portion| model.bodies()[portion.body].name == body) else {
        return Ok(None);
    };
    let out: Vec<Vec3> = positions[found.vertices].iter().filter(|p| found.matter.is_out(**p)).copied().collect();
    Ok(Some((to_array(py, &out)?, found.matter.material().spacing)))
}

/// Densities and pressures of a fluid's particles in the last step; none before the first.
#[pyfunction]
fn fluid_readings<'py>(py: Python<'py>, core: &Core, body: &str) -> PyResult<Option<(Numbers<'py>, Numbers<'py>)>> {
    let readings = core.lock()?.sim().fluid_readings(body).map_err(bad_value)?;
    Ok(readings.map(|found| (to_numbers(py, &found.densities), to_numbers(py, &found.pressures))))
}
