//! Errors of the engine as Python's exceptions.

use std::fmt::Display;

use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::{PyErr, create_exception};

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

/// A step or solve that failed.
pub(crate) fn failed_step(error: impl Display) -> PyErr {
    StepError::new_err(error.to_string())
}
