//! Solvers on a graphics processor from their Python descriptions, the adapters that there are, and a test of one.

use pliant::solve::SolverChoice;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::error::bad_value;

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    #[cfg(not(feature = "gpu"))]
    module.add_function(wrap_pyfunction!(gpu_enter, module)?)?;
    module.add_function(wrap_pyfunction!(gpu_adapters, module)?)?;
    module.add_function(wrap_pyfunction!(gpu_self_test, module)?)
}

/// A build without the feature has no adapters to choose from.
#[cfg(not(feature = "gpu"))]
pub(crate) fn solver(_recipe: &Bound<'_, PyAny>) -> PyResult<SolverChoice> {
    Err(bad_value(pliant_scene::NO_GPU))
}

/// The adapters of this machine, as arguments of their descriptions.
#[cfg(not(feature = "gpu"))]
#[pyfunction]
fn gpu_adapters() -> Vec<Bound<'static, PyDict>> {
    Vec::new()
}

/// Brings a world to one.
#[cfg(not(feature = "gpu"))]
#[pyfunction]
#[pyo3(signature = (_core, _adapter))]
fn gpu_enter(_core: &crate::simulation::Core, _adapter: Option<String>) -> PyResult<String> {
    Err(bad_value(pliant_scene::NO_GPU))
}

/// Tests an adapter.
#[cfg(not(feature = "gpu"))]
#[pyfunction]
fn gpu_self_test(_adapter: Option<String>) -> PyResult<Vec<Bound<'static, PyDict>>> {
    Err(bad_value(pliant_scene::NO_GPU))
}

/// A solver on a GPU; those with the same parameters are one to the engine.
#[cfg(feature = "gpu")]
pub(crate) fn solver(recipe: &Bound<'_, PyAny>) -> PyResult<SolverChoice> {
    use crate::settings::{projective, two_metric};
    use pliant_gpu::{FactorStorage, GpuMethod, GpuParams};

    let own = recipe.getattr("method")?;
    let method = match own.is_none() {
        true => GpuMethod::Auto,
        false => match crate::arrays::get::<String>(&own, "kind")?.as_str() {
            "projective" => GpuMethod::Projective(projective(&own)?),
            _ => GpuMethod::TwoMetric(two_metric(&own)?),
        },
    };
    let device = device(crate::arrays::get(recipe, "adapter")?);
    let storage = match crate::arrays::get(recipe, "half_precision_factor")? {
        true => FactorStorage::Half,
        false => FactorStorage::Single,
    };
    Ok(GpuParams { method, device, storage }.into())
}

#[cfg(feature = "gpu")]
fn device(name: Option<String>) -> pliant_gpu::device::DeviceChoice {
    pliant_gpu::device::DeviceChoice { name, ..pliant_gpu::device::DeviceChoice::default() }
}

/// The adapters of this machine, as arguments of their descriptions.
#[cfg(feature = "gpu")]
#[pyfunction]
fn gpu_adapters(py: Python<'_>) -> PyResult<Vec<Bound<'_, PyDict>>> {
    let adapters = py.detach(pliant_gpu::device::Device::adapters);
    adapters
        .into_iter()
        .map(|adapter| {
            let values = PyDict::new(py);
            values.set_item("name", adapter.name)?;
            values.set_item("backend", adapter.backend)?;
            values.set_item("driver", adapter.driver)?;
            values.set_item("is_software", adapter.is_software)?;
            values.set_item("buffer_size", adapter.buffer_size)?;
            values.set_item("binding_size", adapter.binding_size)?;
            values.set_item("shared_memory", adapter.shared_memory)?;
            values.set_item("workgroup_threads", adapter.workgroup_threads)?;
            Ok(values)
        })
        .collect()
}

/// Tests an adapter; the checks as arguments of their descriptions.
#[cfg(feature = "gpu")]
#[pyfunction]
#[pyo3(signature = (adapter))]
fn gpu_self_test(py: Python<'_>, adapter: Option<String>) -> PyResult<Vec<Bound<'_, PyDict>>> {
    let found = py.detach(|| pliant_gpu::self_test(&device(adapter))).map_err(bad_value)?;
    found
        .checks
        .into_iter()
        .map(|check| {
            let values = PyDict::new(py);
            values.set_item("name", check.name)?;
            values.set_item("passes", check.passes())?;
            let (measured, problem) = (check.outcome.as_ref().ok(), check.outcome.as_ref().err());
            values.set_item("problem", problem)?;
            values.set_item("error", measured.map(|found| found.error))?;
            values.set_item("limit", measured.map(|found| found.limit))?;
            values.set_item("seconds_gpu", measured.map(|found| found.seconds_gpu))?;
            values.set_item("seconds_cpu", measured.and_then(|found| found.seconds_cpu))?;
            Ok(values)
        })
        .collect()
}
