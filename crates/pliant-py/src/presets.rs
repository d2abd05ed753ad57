//! Named materials and the standard ones, and the names of what is built in.

use pliant::energy::LIST;
use pliant::mesh::MassKind;
use pliant::presets;
use pliant::{BendModel, ClothMaterial, SolidMaterial, StrandMaterial};
use pliant_scene::BUILTIN;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::error::bad_value;

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(cloth_material, module)?)?;
    module.add_function(wrap_pyfunction!(solid_material, module)?)?;
    module.add_function(wrap_pyfunction!(strand_material, module)?)?;
    module.add_function(wrap_pyfunction!(builtin_scenes, module)?)?;
    module.add_function(wrap_pyfunction!(energy_kinds, module)?)
}

fn find<T: Default>(name: Option<&str>, known: &[&str], named: fn(&str) -> Option<T>) -> PyResult<T> {
    let Some(name) = name else { return Ok(T::default()) };
    named(name).ok_or_else(|| bad_value(format!("there is no material {name:?}; there are {}", known.join(", "))))
}

fn mass_name(kind: MassKind) -> &'static str {
    if kind == MassKind::Consistent { "consistent" } else { "lumped" }
}

/// A sheet by name, or the standard one.
#[pyfunction]
#[pyo3(signature = (name=None))]
fn cloth_material<'py>(py: Python<'py>, name: Option<&str>) -> PyResult<Bound<'py, PyDict>> {
    let material: ClothMaterial = find(name, &presets::CLOTHS, presets::cloth)?;
    let values = PyDict::new(py);
    values.set_item("density", material.density)?;
    values.set_item("youngs_modulus", material.youngs_modulus)?;
    values.set_item("thickness", material.thickness)?;
    values.set_item("poisson_ratio", material.poisson_ratio)?;
    values.set_item(
        "bend_model",
        match material.bend_model {
            BendModel::Auto => "auto",
            BendModel::Plate => "plate",
            BendModel::Hinge => "hinge",
            BendModel::MeanCurvature => "mean-curvature",
            BendModel::None => "none",
        },
    )?;
    values.set_item("bending_stiffness", material.bending_stiffness)?;
    values.set_item("mass", mass_name(material.mass))?;
    Ok(values)
}

/// A solid by name, or the standard one.
#[pyfunction]
#[pyo3(signature = (name=None))]
fn solid_material<'py>(py: Python<'py>, name: Option<&str>) -> PyResult<Bound<'py, PyDict>> {
    let material: SolidMaterial = find(name, &presets::SOLIDS, presets::solid)?;
    let values = PyDict::new(py);
    values.set_item("density", material.density)?;
    values.set_item("youngs_modulus", material.youngs_modulus)?;
    values.set_item("poisson_ratio", material.poisson_ratio)?;
    values.set_item("mass", mass_name(material.mass))?;
    Ok(values)
}

/// A strand by name, or the standard one.
#[pyfunction]
#[pyo3(signature = (name=None))]
fn strand_material<'py>(py: Python<'py>, name: Option<&str>) -> PyResult<Bound<'py, PyDict>> {
    let material: StrandMaterial = find(name, &presets::STRANDS, presets::strand)?;
    let values = PyDict::new(py);
    values.set_item("density", material.density)?;
    values.set_item("axial_stiffness", material.axial_stiffness)?;
    values.set_item("resists_compression", material.resists_compression)?;
    values.set_item("width", material.width)?;
    values.set_item("mass", mass_name(material.mass))?;
    Ok(values)
}

/// Names of the scenes that come with Pliant.
#[pyfunction]
fn builtin_scenes() -> Vec<&'static str> {
    BUILTIN.iter().map(|scene| scene.name).collect()
}

/// Keys of all built-in energies, with a line for each.
#[pyfunction]
fn energy_kinds(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let kinds = PyDict::new(py);
    LIST.iter().try_for_each(|info| kinds.set_item(info.key, format!("{} {}", info.summary, info.citation)))?;
    Ok(kinds)
}
