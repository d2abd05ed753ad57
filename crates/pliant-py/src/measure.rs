//! What can be read of a world beyond its state: energies, forces, contacts, strains.

use numpy::{PyArray1, PyArray2};
use pliant::contact::Contact;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arrays::{to_array, to_numbers, to_rows};
use crate::error::bad_value;
use crate::simulation::Core;

type Vectors<'py> = Bound<'py, PyArray2<f64>>;
type Numbers<'py> = Bound<'py, PyArray1<f64>>;
type Indices<'py> = Bound<'py, PyArray1<u32>>;
/// Vertices, colliders, normals, forces.
type Touching<'py> = (Indices<'py>, Indices<'py>, Vectors<'py>, Vectors<'py>);
/// Kind, vertices and principal stretches of a body's elements.
type Strains<'py> = (&'static str, Bound<'py, PyArray2<u32>>, Vectors<'py>);

/// Centre, rotation, velocity, spin and deviation.
type Pose<'py> = (Numbers<'py>, Numbers<'py>, Numbers<'py>, Numbers<'py>, f64);

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(report, module)?)?;
    module.add_function(wrap_pyfunction!(rigid_pose, module)?)?;
    module.add_function(wrap_pyfunction!(stable_time_step, module)?)?;
    module.add_function(wrap_pyfunction!(elastic_forces, module)?)?;
    module.add_function(wrap_pyfunction!(pin_forces, module)?)?;
    module.add_function(wrap_pyfunction!(contacts, module)?)?;
    module.add_function(wrap_pyfunction!(element_strains, module)?)?;
    module.add_function(wrap_pyfunction!(example_weights, module)?)
}

/// The longest time step that explicit integration takes without matching anything.
#[pyfunction]
fn stable_time_step(core: &Core) -> PyResult<f64> {
    Ok(pliant::solve::stable_time_step(core.lock()?.sim().model()))
}

/// Energies, momenta and extremes, by name.
#[pyfunction]
fn report<'py>(py: Python<'py>, core: &Core) -> PyResult<Bound<'py, PyDict>> {
    let mut run = core.lock()?;
    let report = core.working(py, &mut run, |run| Ok::<_, String>(run.sim().report()))?;
    let values = PyDict::new(py);
    let elastic = PyDict::new(py);
    report.elastic.iter().try_for_each(|(kind, energy)| elastic.set_item(kind, energy))?;
    values.set_item("time", report.time)?;
    values.set_item("elastic", elastic)?;
    values.set_item("kinetic", report.kinetic)?;
    values.set_item("gravitational", report.gravitational)?;
    for (name, vector) in [
        ("momentum", report.momentum),
        ("angular_momentum", report.angular_momentum),
        ("centre_of_mass", report.centre_of_mass),
    ] {
        values.set_item(name, to_numbers(py, &vector.to_array()))?;
    }
    values.set_item("max_speed", report.max_speed)?;
    let worst = report.worst.map(|worst| (worst.body, worst.kind, worst.element, worst.energy));
    values.set_item("worst", worst)?;
    Ok(values)
}

/// Centre, rotation (w x y z), velocity, spin and deviation of a rigid body.
#[pyfunction]
fn rigid_pose<'py>(py: Python<'py>, core: &Core, body: &str) -> PyResult<Pose<'py>> {
    let pose = core.lock()?.sim().rigid_pose(body).map_err(bad_value)?;
    let q = pose.rotation;
    let vector = |v: pliant::math::Vec3| to_numbers(py, &v.to_array());
    let (centre, rotation) = (vector(pose.centre), to_numbers(py, &[q.w, q.x, q.y, q.z]));
    Ok((centre, rotation, vector(pose.velocity), vector(pose.spin), pose.deviation))
}

#[pyfunction]
fn elastic_forces<'py>(py: Python<'py>, core: &Core) -> PyResult<Vectors<'py>> {
    let mut run = core.lock()?;
    let forces = core.working(py, &mut run, |run| Ok::<_, String>(run.sim().elastic_forces()))?;
    to_array(py, &forces)
}

#[pyfunction]
fn pin_forces<'py>(py: Python<'py>, core: &Core) -> PyResult<Vectors<'py>> {
    let mut run = core.lock()?;
    let forces = core.working(py, &mut run, |run| Ok::<_, String>(run.sim().pin_forces()))?;
    to_array(py, &forces)
}

/// Vertices and colliders that touched in the last step, normals and forces.
#[pyfunction]
fn contacts<'py>(py: Python<'py>, core: &Core) -> PyResult<Touching<'py>> {
    let run = core.lock()?;
    let contacts = run.sim().contacts();
    let indices = |index: fn(&Contact) -> usize| contacts.iter().map(|c| index(c) as u32).collect::<Vec<_>>();
    let (vertices, colliders) = (indices(|c| c.vertex), indices(|c| c.collider));
    let normals: Vec<_> = contacts.iter().map(|contact| contact.normal).collect();
    let forces: Vec<_> = contacts.iter().map(Contact::force).collect();
    let (vertices, colliders) = (to_numbers(py, &vertices), to_numbers(py, &colliders));
    Ok((vertices, colliders, to_array(py, &normals)?, to_array(py, &forces)?))
}

#[pyfunction]
fn element_strains<'py>(py: Python<'py>, core: &Core, body: &str) -> PyResult<Vec<Strains<'py>>> {
    let strains = core.lock()?.sim().element_strains(body).map_err(bad_value)?;
    let rows = strains.iter().map(|s| Ok((s.kind, to_rows(py, &s.elements)?, to_rows(py, &s.stretches)?)));
    rows.collect()
}

#[pyfunction]
fn example_weights<'py>(py: Python<'py>, core: &Core, body: &str) -> PyResult<Vectors<'py>> {
    to_rows(py, &core.lock()?.sim().example_weights(body).map_err(bad_value)?)
}
