//! Simulations whose state stays on a graphics processor.

use std::sync::Mutex;

use numpy::{PyArray2, PyReadonlyArray2};
use pliant_gpu::device::DeviceChoice;
use pliant_gpu::{PendingPositions, ResidentWorld, resident};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

use crate::arrays::{to_array, vectors};
use crate::error::{bad_value, failed_step};
use crate::simulation::{Core, Run};

type Vectors<'py> = Bound<'py, PyArray2<f64>>;

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Arriving>()?;
    module.add_function(wrap_pyfunction!(gpu_enter, module)?)?;
    module.add_function(wrap_pyfunction!(gpu_leave, module)?)?;
    module.add_function(wrap_pyfunction!(gpu_step, module)?)?;
    module.add_function(wrap_pyfunction!(gpu_sync, module)?)?;
    module.add_function(wrap_pyfunction!(gpu_request, module)?)?;
    module.add_function(wrap_pyfunction!(gpu_move_pins, module)?)
}

fn on_gpu(run: &mut Run) -> PyResult<&mut dyn ResidentWorld> {
    match run {
        Run::OnGpu(world) => Ok(world.as_mut()),
        _ => Err(PyRuntimeError::new_err("the state of the simulation is not on the GPU any more")),
    }
}

/// Brings a world there; the name of the adapter. A world that cannot go stays as it is.
#[pyfunction]
#[pyo3(signature = (core, adapter))]
fn gpu_enter(py: Python<'_>, core: &Core, adapter: Option<String>) -> PyResult<String> {
    let mut run = core.change()?;
    if matches!(*run, Run::Scene { .. }) {
        return Err(bad_value("a scene stays on the GPU by [solver.gpu] in its file, and goes on by whole frames"));
    }
    if core.calls_python() {
        return Err(bad_value("energies that are functions of Python do not run on the GPU"));
    }
    let choice = DeviceChoice { name: adapter, ..DeviceChoice::default() };
    let run: &mut Run = &mut run;
    py.detach(|| {
        let Run::World(sim) = std::mem::replace(run, Run::Moving) else {
            return Err(PyRuntimeError::new_err("the state of the simulation is on the GPU already"));
        };
        match resident(*sim, &choice) {
            Ok(world) => {
                let name = world.device().adapter().name.clone();
                *run = Run::OnGpu(world);
                Ok(name)
            }
            Err(refused) => {
                let message = refused.to_string();
                *run = Run::World(Box::new(refused.simulation));
                Err(bad_value(message))
            }
        }
    })
}

/// Brings the world back, with its last steps if they are wanted. Whatever goes wrong, it comes back as it was at the last good state.
#[pyfunction]
fn gpu_leave(py: Python<'_>, core: &Core, sync: bool) -> PyResult<()> {
    let mut run = core.lock()?;
    let run: &mut Run = &mut run;
    py.detach(|| {
        let synced = match run {
            Run::OnGpu(world) if sync => world.sync().map(drop),
            _ => Ok(()),
        };
        *run = match std::mem::replace(run, Run::Moving) {
            Run::OnGpu(world) => Run::World(Box::new(world.into_last_synced())),
            other => other,
        };
        synced.map_err(failed_step)
    })
}

/// Asks for steps.
#[pyfunction]
fn gpu_step(py: Python<'_>, core: &Core, count: usize) -> PyResult<()> {
    let mut run = core.lock()?;
    let world = on_gpu(&mut run)?;
    for _ in 0..count {
        py.detach(|| world.step()).map_err(failed_step)?;
        // Ctrl-C counts between steps.
        py.check_signals()?;
    }
    Ok(())
}

/// Waits for all steps.
#[pyfunction]
fn gpu_sync(py: Python<'_>, core: &Core) -> PyResult<()> {
    let mut run = core.lock()?;
    let world = on_gpu(&mut run)?;
    py.detach(|| world.sync().map(drop)).map_err(failed_step)
}

/// Asks for positions.
#[pyfunction]
fn gpu_request(core: &Core) -> PyResult<Arriving> {
    let mut run = core.lock()?;
    let positions = on_gpu(&mut run)?.request_positions().map_err(failed_step)?;
    Ok(Arriving(Mutex::new(Some(positions))))
}

/// Where all pins are at the end of the next step.
#[pyfunction]
fn gpu_move_pins(core: &Core, targets: PyReadonlyArray2<'_, f64>) -> PyResult<()> {
    let (targets, mut run) = (vectors(&targets)?, core.lock()?);
    on_gpu(&mut run)?.move_pins(&targets).map_err(bad_value)
}

/// Positions on their way.
#[pyclass(frozen, module = "pliant._pliant")]
pub(crate) struct Arriving(Mutex<Option<PendingPositions>>);

#[pymethods]
impl Arriving {
    /// Whether waiting takes no time.
    fn is_ready(&self) -> bool {
        // Somebody waits for them, or has.
        self.0.try_lock().is_ok_and(|pending| pending.as_ref().is_none_or(PendingPositions::is_ready))
    }

    /// The positions, once.
    fn wait<'py>(&self, py: Python<'py>) -> PyResult<Vectors<'py>> {
        let pending = py.detach(|| self.0.lock().ok().and_then(|mut pending| pending.take()));
        let pending = pending.ok_or_else(|| PyRuntimeError::new_err("these positions were taken by another thread"))?;
        let positions = py.detach(|| pending.wait()).map_err(failed_step)?;
        to_array(py, &positions)
    }
}
