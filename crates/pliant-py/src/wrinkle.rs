//! Fine meshes that wrinkle on coarse, simulated ones.

use std::sync::{Mutex, MutexGuard};

use numpy::{PyArray2, PyReadonlyArray2};
use pliant::mesh::TriangleMesh;
use pliant::{WrinkleMesh, WrinkleParams};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

use crate::arrays::{get, to_array, vectors};
use crate::error::bad_value;
use crate::mesh::{AnyMesh, any_mesh};

/// The engine behind `pliant.WrinkleMesh`.
#[pyclass(frozen, module = "pliant._pliant")]
pub(crate) struct Wrinkles(Mutex<WrinkleMesh>);

impl Wrinkles {
    fn lock(&self) -> PyResult<MutexGuard<'_, WrinkleMesh>> {
        self.0.lock().map_err(|_| PyRuntimeError::new_err("the wrinkle mesh broke down in an earlier call"))
    }
}

fn surface(recipe: &Bound<'_, PyAny>, name: &str) -> PyResult<TriangleMesh> {
    match any_mesh(&recipe.getattr(name)?)? {
        AnyMesh::Triangles(mesh) => Ok(mesh),
        _ => Err(bad_value(format!("{name} must be a TriangleMesh"))),
    }
}

#[pymethods]
impl Wrinkles {
    #[new]
    fn new(py: Python<'_>, recipe: &Bound<'_, PyAny>) -> PyResult<Self> {
        let (coarse, fine) = (surface(recipe, "coarse")?, surface(recipe, "fine")?);
        let params = WrinkleParams {
            reach: get(recipe, "reach")?,
            one_sided: get(recipe, "one_sided")?,
            bending: get(recipe, "bending")?,
            iterations: get(recipe, "iterations")?,
            tolerance: get(recipe, "tolerance")?,
            most_iterations: get(recipe, "most_iterations")?,
        };
        let made = py.detach(|| WrinkleMesh::new(&coarse, &fine, params));
        Ok(Self(Mutex::new(made.map_err(bad_value)?)))
    }

    /// Fine positions of the last frame.
    fn positions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        to_array(py, self.lock()?.positions())
    }

    /// Moves the fine mesh to where the coarse one is now.
    fn follow<'py>(&self, py: Python<'py>, coarse: PyReadonlyArray2<'py, f64>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let coarse = vectors(&coarse)?;
        // The lock is taken without Python's, so that two threads cannot wait for each other.
        py.detach(|| self.lock()?.follow(&coarse).map(|_| ()).map_err(bad_value))?;
        self.positions(py)
    }
}
