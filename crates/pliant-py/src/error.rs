//! Errors of the engine as Python's exceptions.

use std::fmt::Display;
use std::sync::atomic::{AtomicU32, Ordering};

use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::{PyErr, PyResult, create_exception};

create_exception!(
    pliant,
    StepError,
    PyRuntimeError,
    "A step was refused: it would not have been finite, or ran away. The simulation stays at its last good state."
);

/// Something wrong with what the user gave.
pub(crate) fn bad_value(error: impl Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// Refuses a process that was forked from one with the engine's threads: they are not in it, and work would wait for them for ever.
pub(crate) fn check_process() -> PyResult<()> {
    static OWNER: AtomicU32 = AtomicU32::new(0);
    let own = std::process::id();
    match OWNER.compare_exchange(0, own, Ordering::Relaxed, Ordering::Relaxed) {
        Err(other) if other != own => Err(PyRuntimeError::new_err(
            "this process was forked after Pliant had started threads, which are not in it; \
             start processes by multiprocessing.get_context(\"spawn\")",
        )),
        _ => Ok(()),
    }
}

/// A step or solve that failed.
pub(crate) fn failed_step(error: impl Display) -> PyErr {
    StepError::new_err(error.to_string())
}
