//! A running world for Python: of bodies, or of a scene file. The engine runs without Python's lock.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, TryLockError};

use numpy::{PyArray1, PyArray2, PyReadonlyArray1, PyReadonlyArray2, PyReadwriteArray2};
use pliant::solve::SolverChoice;
use pliant::{Checkpoint, GrabId, MOST_THREADS, ModelError, Pick, Ray, SettleParams, Simulation};
use pliant_scene::{Scene, SceneRun};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::arrays::{to_array, to_elements, to_numbers, vectors};
use crate::body::body;
use crate::collide;
use crate::energy::{Faults, is_of_python};
use crate::error::{bad_value, check_process, failed_step};
use crate::report::StepReport;
use crate::settings;

type Vectors<'py> = Bound<'py, PyArray2<f64>>;

/// Velocity, density of the air, drag of surfaces, drag and friction of strands; strength, length and seed of eddies.
type WindValues = ((f64, f64, f64), f64, f64, f64, f64, (f64, f64, u64));

/// What runs.
pub(crate) enum Run {
    World(Box<Simulation>),
    Scene {
        run: Box<SceneRun>,
        scene: Box<Scene>,
    },
    /// A world whose state stays on a GPU; what is here is what came back last.
    #[cfg(feature = "gpu")]
    OnGpu(Box<dyn pliant_gpu::ResidentWorld>),
    /// Between two others, while the lock is held.
    #[cfg(feature = "gpu")]
    Moving,
}

impl Run {
    pub(crate) fn sim(&self) -> &Simulation {
        match self {
            Self::World(sim) => sim,
            Self::Scene { run, .. } => &run.sim,
            #[cfg(feature = "gpu")]
            Self::OnGpu(world) => world.last_synced(),
            #[cfg(feature = "gpu")]
            Self::Moving => unreachable!("nobody looks at a simulation while it moves"),
        }
    }

    pub(crate) fn sim_mut(&mut self) -> &mut Simulation {
        match self {
            Self::World(sim) => sim,
            Self::Scene { run, .. } => &mut run.sim,
            // Whoever changes a world has seen to it that it is not there.
            #[cfg(feature = "gpu")]
            Self::OnGpu(world) => world.host_mut().simulation_mut(),
            #[cfg(feature = "gpu")]
            Self::Moving => unreachable!("nobody looks at a simulation while it moves"),
        }
    }

    /// Sets what a scene moves to where it is in the next step.
    pub(crate) fn drive(&mut self) {
        if let Self::Scene { run, .. } = self {
            run.drive();
        }
    }

    fn step(&mut self, solver: Option<&SolverChoice>) -> Result<pliant::StepReport, pliant::StepError> {
        match (self, solver) {
            (Self::World(sim), None) => sim.step(),
            (Self::World(sim), Some(solver)) => sim.step_with(solver.clone()),
            (Self::Scene { run, .. }, None) => run.step(),
            (Self::Scene { run, .. }, Some(solver)) => run.step_with(solver.clone()),
            #[cfg(feature = "gpu")]
            (own @ (Self::OnGpu(_) | Self::Moving), _) => own.sim_mut().step(),
        }
    }
}

/// A vertex that is held softly.
#[pyclass(frozen, module = "pliant._pliant")]
pub(crate) struct GrabHandle(GrabId);

/// What a ray points at: body, vertex, point and distance.
type Picked = (String, u32, [f64; 3], f64);

/// The engine behind `pliant.Simulation`.
#[pyclass(frozen, module = "pliant._pliant")]
pub(crate) struct Core {
    run: Mutex<Run>,
    faults: Faults,
    /// Whether Python's functions take part, which can fail in the middle of a step.
    calls_python: AtomicBool,
    /// Counts what changes the world, so that what was derived from it can tell.
    version: AtomicU64,
}

impl Core {
    fn new(run: Run, faults: Faults, calls_python: bool) -> Self {
        Self { run: Mutex::new(run), faults, calls_python: calls_python.into(), version: AtomicU64::new(0) }
    }

    /// The world, unless it is stepping: a projection in Python, or another thread, must not wait for itself.
    pub(crate) fn lock(&self) -> PyResult<MutexGuard<'_, Run>> {
        self.run.try_lock().map_err(|error| match error {
            TryLockError::WouldBlock => {
                PyRuntimeError::new_err("the simulation is stepping; it cannot be used meanwhile")
            }
            TryLockError::Poisoned(_) => PyRuntimeError::new_err("the simulation broke down in an earlier call"),
        })
    }

    /// Where exceptions of Python's functions go.
    pub(crate) fn faults(&self) -> &Faults {
        &self.faults
    }

    /// Sees whether an energy or a constraint of the world is a function in Python.
    pub(crate) fn look_for_python(&self, sim: &Simulation) {
        let energies = sim.model().energies().iter().any(|entry| is_of_python(entry.batch.kind()));
        let calls = energies || sim.model().constraints().iter().any(|batch| is_of_python(batch.kind()));
        self.calls_python.store(calls, Ordering::Relaxed);
    }

    /// The world, to be changed.
    pub(crate) fn change(&self) -> PyResult<MutexGuard<'_, Run>> {
        self.version.fetch_add(1, Ordering::Relaxed);
        let run = self.lock()?;
        #[cfg(feature = "gpu")]
        if matches!(*run, Run::OnGpu(_)) {
            return Err(PyRuntimeError::new_err(
                "the state of the simulation is on the GPU: use the GpuWorld, or close it first",
            ));
        }
        Ok(run)
    }

    /// Whether Python's functions take part.
    #[cfg(feature = "gpu")]
    pub(crate) fn calls_python(&self) -> bool {
        self.calls_python.load(Ordering::Relaxed)
    }

    /// Counts what has changed the world.
    pub(crate) fn version(&self) -> u64 {
        self.version.load(Ordering::Relaxed)
    }

    /// Runs without Python's lock; an exception of a Python projection comes before the engine's own error.
    pub(crate) fn working<T: Send, E: std::fmt::Display + Send>(
        &self,
        py: Python<'_>,
        run: &mut Run,
        work: impl FnOnce(&mut Run) -> Result<T, E> + Send,
    ) -> PyResult<T> {
        check_process()?;
        let result = py.detach(|| work(run));
        match (self.faults.take(), result) {
            (Some(fault), _) => Err(fault),
            (None, result) => result.map_err(failed_step),
        }
    }

    /// Takes steps; a step with an exception in it leaves the state as it was.
    fn stepping<T: Send>(
        &self,
        py: Python<'_>,
        run: &mut Run,
        step: impl FnOnce(&mut Run) -> Result<T, pliant::StepError> + Send,
    ) -> PyResult<T> {
        let before = self.calls_python.load(Ordering::Relaxed).then(|| run.sim().checkpoint());
        let result = self.working(py, run, step);
        if let (Err(_), Some(before)) = (&result, &before) {
            run.sim_mut().restore(before).map_err(bad_value)?;
        }
        // Ctrl-C counts between steps.
        py.check_signals()?;
        result
    }
}

#[pymethods]
impl Core {
    /// Builds a world from the bodies and settings of a Python simulation.
    #[staticmethod]
    fn build(py: Python<'_>, bodies: Vec<Bound<'_, PyAny>>, recipe: &Bound<'_, PyAny>) -> PyResult<Self> {
        let faults = Faults::default();
        let mut builder = settings::world(Simulation::builder(), recipe)?;
        builder = collide::surroundings(builder, recipe)?;
        for recipe in &bodies {
            builder = builder.body(body(recipe, &faults)?);
        }
        let sim = py.detach(|| builder.build()).map_err(bad_value)?;
        let core = Self::new(Run::World(Box::new(sim)), faults, false);
        core.look_for_python(core.lock()?.sim());
        Ok(core)
    }

    /// Builds a scene: a built-in one by name, a file, or a text that stands for a file.
    #[staticmethod]
    #[pyo3(signature = (name, text, overrides, solver, threads))]
    fn load(
        py: Python<'_>,
        name: &str,
        text: Option<&str>,
        overrides: Vec<String>,
        solver: Option<Bound<'_, PyAny>>,
        threads: Option<usize>,
    ) -> PyResult<Self> {
        let solver = solver.map(|recipe| settings::solver(&recipe)).transpose()?;
        // Here as well as in the engine, whose error would point into the scene.
        if let Some(threads) = threads.filter(|threads| *threads > MOST_THREADS) {
            return Err(bad_value(ModelError::TooManyThreads { threads, limit: MOST_THREADS }));
        }
        let built = py.detach(|| {
            let scene = match text {
                Some(text) => Scene::parse(name, text, &overrides)?,
                None => Scene::open(name, &overrides)?,
            };
            let run = scene.build_with(|mut builder| {
                if let Some(solver) = solver {
                    builder = builder.solver(solver);
                }
                match threads {
                    Some(threads) => builder.threads(threads),
                    None => builder,
                }
            })?;
            Ok((scene, run))
        });
        let (scene, run) = built.map_err(|error: pliant_scene::SceneError| bad_value(error))?;
        let run = Run::Scene { run: Box::new(run), scene: Box::new(scene) };
        Ok(Self::new(run, Faults::default(), false))
    }

    /// Takes steps and returns the report of the last.
    fn step(&self, py: Python<'_>, count: usize, solver: Option<Bound<'_, PyAny>>) -> PyResult<StepReport> {
        let solver = solver.map(|recipe| settings::solver(&recipe)).transpose()?;
        let mut run = self.change()?;
        if let Some(solver) = &solver {
            run.sim().check_solver(solver.clone()).map_err(bad_value)?;
        }
        let mut report = None;
        for _ in 0..count {
            report = Some(self.stepping(py, &mut run, |run| run.step(solver.as_ref()))?);
        }
        report.map(StepReport).ok_or_else(|| bad_value("count is 0, but must be at least 1"))
    }

    /// Brings the world to rest; returns steps, residual, largest force, body and vertex.
    fn settle(&self, py: Python<'_>, tolerance: f64, most_steps: usize) -> PyResult<(usize, f64, f64, String, usize)> {
        let params = SettleParams { tolerance, most_steps };
        let mut run = self.change()?;
        let before = self.calls_python.load(Ordering::Relaxed).then(|| run.sim().checkpoint());
        let found = self.working(py, &mut run, |run| match run {
            Run::Scene { run, .. } => run.settle(&params),
            other => other.sim_mut().settle(&params),
        });
        if let (Err(_), Some(before)) = (&found, &before) {
            run.sim_mut().restore(before).map_err(bad_value)?;
        }
        let found = found?;
        Ok((found.steps, found.residual, found.largest_force, found.body, found.vertex))
    }

    /// Takes a frame of a scene and returns the reports of its steps.
    fn next_frame(&self, py: Python<'_>) -> PyResult<Vec<StepReport>> {
        let mut run = self.change()?;
        let reports = self.stepping(py, &mut run, |run| match run {
            Run::Scene { run, .. } => run.next_frame(),
            other => other.sim_mut().step().map(|report| vec![report]),
        })?;
        Ok(reports.into_iter().map(StepReport).collect())
    }

    fn positions<'py>(&self, py: Python<'py>) -> PyResult<Vectors<'py>> {
        to_array(py, self.lock()?.sim().positions())
    }

    fn velocities<'py>(&self, py: Python<'py>) -> PyResult<Vectors<'py>> {
        to_array(py, self.lock()?.sim().velocities())
    }

    /// Copies positions or velocities into an array that is there already.
    fn read_into(&self, mut out: PyReadwriteArray2<'_, f64>, velocities: bool) -> PyResult<()> {
        let run = self.lock()?;
        let source = if velocities { run.sim().velocities() } else { run.sim().positions() };
        let mut target = out.as_array_mut();
        if target.shape() != [source.len(), 3] {
            let shape = target.shape();
            return Err(bad_value(format!("out has the shape {shape:?} instead of [{}, 3]", source.len())));
        }
        target.iter_mut().zip(source.iter().flat_map(|v| v.to_array())).for_each(|(out, number)| *out = number);
        Ok(())
    }

    fn set_positions(&self, positions: PyReadonlyArray2<'_, f64>) -> PyResult<()> {
        let (positions, mut run) = (vectors(&positions)?, self.change()?);
        let velocities = run.sim().velocities().to_vec();
        run.sim_mut().set_state(&positions, &velocities).map_err(bad_value)
    }

    fn set_velocities(&self, velocities: PyReadonlyArray2<'_, f64>) -> PyResult<()> {
        self.change()?.sim_mut().set_velocities(&vectors(&velocities)?).map_err(bad_value)
    }

    fn forces<'py>(&self, py: Python<'py>) -> PyResult<Vectors<'py>> {
        to_array(py, self.lock()?.sim().forces())
    }

    fn set_forces(&self, forces: PyReadonlyArray2<'_, f64>) -> PyResult<()> {
        self.change()?.sim_mut().set_forces(&vectors(&forces)?).map_err(bad_value)
    }

    /// Moves pinned vertices of the world.
    fn move_pins(&self, pinned: PyReadonlyArray1<'_, u32>, targets: PyReadonlyArray2<'_, f64>) -> PyResult<()> {
        let (targets, mut run) = (vectors(&targets)?, self.change()?);
        let sim = run.sim_mut();
        for (&vertex, target) in pinned.as_array().iter().zip(targets) {
            if vertex as usize >= sim.positions().len() {
                return Err(bad_value(format!("there is no vertex {vertex}")));
            }
            let (body, own) = sim.model().locate(vertex as usize);
            let body = body.name.clone();
            sim.move_pin(&body, own as u32, target).map_err(bad_value)?;
        }
        Ok(())
    }

    fn goals<'py>(&self, py: Python<'py>, kind: &str) -> PyResult<Vectors<'py>> {
        to_array(py, &self.lock()?.sim().goals(kind))
    }

    fn set_goals(&self, kind: &str, first: usize, goals: PyReadonlyArray2<'_, f64>) -> PyResult<()> {
        let (goals, mut run) = (vectors(&goals)?, self.change()?);
        let sim = run.sim_mut();
        let mut goals = goals.into_iter().enumerate();
        goals.try_for_each(|(k, goal)| sim.set_goal(kind, first + k, goal)).map_err(bad_value)
    }

    #[getter]
    fn time(&self) -> PyResult<f64> {
        Ok(self.lock()?.sim().time())
    }

    #[getter]
    fn steps(&self) -> PyResult<u64> {
        Ok(self.lock()?.sim().state().step)
    }

    #[getter]
    fn time_step(&self) -> PyResult<f64> {
        Ok(self.lock()?.sim().time_step())
    }

    fn set_time_step(&self, seconds: f64) -> PyResult<()> {
        self.change()?.sim_mut().set_time_step(seconds).map_err(bad_value)
    }

    #[getter]
    fn substeps(&self) -> PyResult<usize> {
        Ok(self.lock()?.sim().substeps())
    }

    /// The vertex that a ray points at: body, vertex, point and distance.
    fn pick(&self, origin: [f64; 3], direction: [f64; 3], radius: f64) -> PyResult<Option<Picked>> {
        let ray = Ray { origin: origin.into(), direction: direction.into() };
        let picked = self.lock()?.sim().pick(ray, radius).map_err(bad_value)?;
        Ok(picked.map(|Pick { body, vertex, point, distance }| (body, vertex, point.into(), distance)))
    }

    fn grab(&self, body: &str, vertex: u32, stiffness: f64) -> PyResult<GrabHandle> {
        self.change()?.sim_mut().grab(body, vertex, stiffness).map(GrabHandle).map_err(bad_value)
    }

    fn move_grab(&self, grab: &GrabHandle, target: [f64; 3]) -> PyResult<()> {
        self.change()?.sim_mut().move_grab(grab.0, target.into()).map_err(bad_value)
    }

    fn release(&self, grab: &GrabHandle) -> PyResult<()> {
        self.change()?.sim_mut().release(grab.0).map_err(bad_value)
    }

    /// Unit normals of surfaces at positions of all vertices.
    fn normals<'py>(&self, py: Python<'py>, positions: PyReadonlyArray2<'_, f64>) -> PyResult<Vectors<'py>> {
        let (positions, run) = (vectors(&positions)?, self.lock()?);
        to_array(py, &run.sim().normals_at(&positions).map_err(bad_value)?)
    }

    fn solver_of(&self, body: &str) -> PyResult<String> {
        Ok(self.lock()?.sim().solver_of(body).map_err(bad_value)?.to_string())
    }

    #[getter]
    fn solver_in_use(&self) -> PyResult<String> {
        Ok(self.lock()?.sim().solver_choice().to_string())
    }

    #[getter]
    fn integrator_in_use(&self) -> PyResult<String> {
        Ok(self.lock()?.sim().integrator().to_string())
    }

    fn set_substeps(&self, count: usize) -> PyResult<()> {
        self.change()?.sim_mut().set_substeps(count).map_err(bad_value)
    }

    #[getter]
    fn gravity(&self) -> PyResult<(f64, f64, f64)> {
        Ok(self.lock()?.sim().gravity().into())
    }

    fn set_gravity(&self, gravity: [f64; 3]) -> PyResult<()> {
        self.change()?.sim_mut().set_gravity(gravity.into()).map_err(bad_value)
    }

    /// The wind, or none.
    #[getter]
    fn wind(&self) -> PyResult<Option<WindValues>> {
        Ok(self.lock()?.sim().wind().map(|wind| {
            let eddies = (wind.turbulence.strength, wind.turbulence.length, wind.turbulence.seed);
            (wind.velocity.into(), wind.air_density, wind.drag, wind.strand_drag, wind.strand_friction, eddies)
        }))
    }

    fn set_wind(&self, wind: &Bound<'_, PyAny>) -> PyResult<()> {
        self.change()?.sim_mut().set_wind(settings::wind(wind)?).map_err(bad_value)
    }

    fn set_solver(&self, solver: &Bound<'_, PyAny>) -> PyResult<()> {
        let (solver, mut run) = (settings::solver(solver)?, self.change()?);
        run.sim_mut().set_solver(solver).map_err(bad_value)
    }

    fn rest<'py>(&self, py: Python<'py>) -> PyResult<Vectors<'py>> {
        to_array(py, self.lock()?.sim().model().rest())
    }

    /// Vertices now: they grow where a scene tears or is cut.
    fn vertex_count(&self) -> PyResult<usize> {
        Ok(self.lock()?.sim().positions().len())
    }

    fn masses<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        Ok(to_numbers(py, self.lock()?.sim().model().mass().lumped()))
    }

    fn pinned<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<u32>>> {
        Ok(to_numbers(py, self.lock()?.sim().model().pinned()))
    }

    /// Names of bodies with their first vertex and the end.
    fn bodies(&self) -> PyResult<Vec<(String, usize, usize)>> {
        let run = self.lock()?;
        let bodies = run.sim().model().bodies().iter();
        Ok(bodies.map(|body| (body.name.clone(), body.vertices.start, body.vertices.end)).collect())
    }

    /// Triangles of a body's surface, in vertices of the world.
    fn surface<'py>(&self, py: Python<'py>, body: &str) -> PyResult<Bound<'py, PyArray2<u32>>> {
        to_elements(py, &self.lock()?.sim().body(body).map_err(bad_value)?.surface)
    }

    /// Everything that changes, as bytes.
    fn checkpoint<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let run = self.lock()?;
        let bytes = match &*run {
            Run::Scene { run, .. } => run.save(),
            other => other.sim().checkpoint().to_bytes(),
        };
        Ok(PyBytes::new(py, &bytes))
    }

    fn restore(&self, bytes: &[u8]) -> PyResult<()> {
        let mut run = self.change()?;
        let restored = match &mut *run {
            Run::Scene { run, .. } => run.restore(bytes),
            other => Checkpoint::from_bytes(bytes).and_then(|saved| other.sim_mut().restore(&saved)),
        };
        restored.map_err(bad_value)
    }
}
