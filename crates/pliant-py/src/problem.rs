//! The next step as a problem to study: g, its gradient and its minimum by any solver.

use numpy::{PyArray2, PyReadonlyArray2};
use pliant::Problem as Stage;
use pliant::math::Vec3;
use pliant::solve::SolveError;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

use crate::arrays::{to_array, vectors};
use crate::error::bad_value;
use crate::report::SolveReport;
use crate::settings;
use crate::simulation::Core;

type Vectors<'py> = Bound<'py, PyArray2<f64>>;

/// The next step of a world, as long as the world stays as it is.
#[pyclass(frozen, module = "pliant._pliant")]
pub(crate) struct Problem {
    core: Py<Core>,
    version: u64,
}

impl Problem {
    /// Sets the problem up and does something with it and positions.
    fn with<T: Send>(
        &self,
        py: Python<'_>,
        x: Option<PyReadonlyArray2<'_, f64>>,
        work: impl FnOnce(&Stage<'_>, Vec<Vec3>) -> Result<T, SolveError> + Send,
    ) -> PyResult<T> {
        let core = self.core.get();
        if core.version() != self.version {
            return Err(PyRuntimeError::new_err("the simulation has changed since; ask for its next problem again"));
        }
        let (x, mut run) = (x.map(|x| vectors(&x)).transpose()?, core.lock()?);
        let count = run.sim().positions().len();
        if let Some(found) = x.as_ref().map(Vec::len).filter(|found| *found != count) {
            return Err(bad_value(format!("x has {found} rows, but the world has {count} vertices")));
        }
        core.working(py, &mut run, |run| {
            run.drive();
            work(&run.sim_mut().next_problem()?, x.unwrap_or_default())
        })
    }
}

#[pymethods]
impl Problem {
    #[new]
    fn new(core: Bound<'_, Core>) -> Self {
        Self { version: core.get().version(), core: core.unbind() }
    }

    /// g(x) [J].
    fn value(&self, py: Python<'_>, x: PyReadonlyArray2<'_, f64>) -> PyResult<f64> {
        self.with(py, Some(x), |problem, x| Ok(problem.value(&x)))
    }

    /// The gradient of g at x [N], zero at pinned vertices.
    fn gradient<'py>(&self, py: Python<'py>, x: PyReadonlyArray2<'py, f64>) -> PyResult<Vectors<'py>> {
        let gradient = self.with(py, Some(x), |problem, x| {
            let mut all = vec![Vec3::ZERO; x.len()];
            let free = problem.model().free();
            free.iter().zip(problem.gradient(&x)).for_each(|(&vertex, g)| all[vertex as usize] = g);
            Ok(all)
        })?;
        to_array(py, &gradient)
    }

    /// Where solvers may start.
    fn start<'py>(&self, py: Python<'py>, start: &str) -> PyResult<Vectors<'py>> {
        let start = settings::start(start)?;
        to_array(py, &self.with(py, None, |problem, _| Ok(problem.start(start).to_vec()))?)
    }

    /// Minimises g from x; the world does not move.
    fn solve<'py>(
        &self,
        py: Python<'py>,
        solver: &Bound<'py, PyAny>,
        x: PyReadonlyArray2<'py, f64>,
    ) -> PyResult<(Vectors<'py>, SolveReport)> {
        let solver = settings::solver(solver)?;
        let (x, report) = self.with(py, Some(x), |problem, mut x| {
            let report = problem.solve(&solver, &mut x)?;
            Ok((x, report))
        })?;
        Ok((to_array(py, &x)?, SolveReport(report)))
    }
}
