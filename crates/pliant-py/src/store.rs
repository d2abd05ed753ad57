//! Runs in folders: frames, checkpoints and log of a world, and files for other programs.

use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard};

use numpy::{PyArray1, PyArray2, PyReadonlyArray1};
use pliant::{CheckpointError, Simulation};
use pliant_io::read::UpAxis;
use pliant_io::store::{ChannelOn, Frame, RunInfo, RunStore, StoreError, Topology};
use pliant_io::write::{ExportError, ExportFormat, ExportOptions, FluidShape, Interpolation, export, read_fluids};
use pliant_scene::folder::{self, FolderError, Recorded};
use pliant_scene::log_entry;
use pyo3::exceptions::{PyFileExistsError, PyFileNotFoundError, PyOSError, PyRuntimeError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arrays::{choose, to_array, to_elements, to_numbers};
use crate::error::{bad_value, check_process};
use crate::report::StepReport;
use crate::simulation::{Core, Run};

type Vectors<'py> = Bound<'py, PyArray2<f64>>;
/// Time, positions, velocities and named numbers.
type FrameArrays<'py> = (f64, Vectors<'py>, Option<Vectors<'py>>, Bound<'py, PyDict>);
/// Rest positions, triangles, tets, polylines, and the names of bodies with their first vertex and the end.
type TopologyArrays<'py> = (
    Vectors<'py>,
    Bound<'py, PyArray2<u32>>,
    Bound<'py, PyArray2<u32>>,
    Vec<Bound<'py, PyArray1<u32>>>,
    Vec<(String, usize, usize)>,
);

impl Recorded for Run {
    fn simulation(&self) -> &Simulation {
        self.sim()
    }

    fn stored_topology(&self) -> std::borrow::Cow<'_, Topology> {
        match self {
            Self::Scene { run, .. } => run.stored_topology(),
            other => other.sim().stored_topology(),
        }
    }

    fn stored_frame(&self, topology: &Topology) -> Frame<'_> {
        match self {
            Self::Scene { run, .. } => Recorded::stored_frame(&**run, topology),
            other => Recorded::stored_frame(other.sim(), topology),
        }
    }

    fn stretches(&self) -> (f64, f64) {
        match self {
            Self::Scene { run, .. } => run.stretches(),
            other => other.sim().stretches(),
        }
    }

    fn seconds_on_gpu(&self) -> Option<f64> {
        match self {
            Self::Scene { run, .. } => run.seconds_on_gpu(),
            _ => None,
        }
    }

    fn save(&self) -> Vec<u8> {
        match self {
            Self::Scene { run, .. } => run.save(),
            other => Recorded::save(other.sim()),
        }
    }

    fn restore(&mut self, bytes: &[u8]) -> Result<(), CheckpointError> {
        match self {
            Self::Scene { run, .. } => run.restore(bytes),
            other => Recorded::restore(other.sim_mut(), bytes),
        }
    }
}

fn store_error(error: StoreError) -> PyErr {
    let text = error.to_string();
    match error {
        StoreError::NoRun { .. } => PyFileNotFoundError::new_err(text),
        StoreError::AlreadyARun { path } => PyFileExistsError::new_err(format!(
            "{} already holds a run; resume it, give overwrite=True, or choose another folder",
            path.display()
        )),
        StoreError::PartOfARun { .. } => PyFileExistsError::new_err(text),
        StoreError::Io { .. } | StoreError::InUse { .. } | StoreError::Vanished { .. } => PyOSError::new_err(text),
        _ => bad_value(text),
    }
}

fn folder_error(error: FolderError) -> PyErr {
    match error {
        FolderError::Store(error) => store_error(error),
        FolderError::Fluids(error) => export_error(error),
        other => bad_value(other),
    }
}

fn export_error(error: ExportError) -> PyErr {
    match error {
        ExportError::Store(error) => store_error(error),
        ExportError::Io { .. } | ExportError::Read { .. } => PyOSError::new_err(error.to_string()),
        other => bad_value(other),
    }
}

/// A run that is open.
struct Recording {
    store: RunStore,
    /// What its last frame has.
    topology: Topology,
    /// How often the world had changed at the last frame, if it has no checkpoint; the world is then worth one.
    unsaved: Option<u64>,
}

impl Recording {
    fn of(store: RunStore) -> PyResult<Self> {
        let last = store.frames().last().copied().unwrap_or(0);
        let topology = store.topology_at(last).map_err(store_error)?.into_owned();
        Ok(Self { store, topology, unsaved: None })
    }

    /// Writes the state of a world as the next frame.
    fn add(&mut self, run: &Run, reports: &[pliant::StepReport], channels: Vec<Named>) -> Result<u64, StoreError> {
        let number = self.store.frames().last().map_or(0, |last| last + 1);
        let topology = run.stored_topology().continuing(&self.topology);
        let mut frame = run.stored_frame(&topology);
        for (name, values) in channels {
            frame = frame.with_channel(name, ChannelOn::Vertices, values);
        }
        if topology != self.topology {
            self.store.write_topology(number, &topology)?;
            self.topology = topology;
        }
        self.store.write_frame(number, &frame)?;
        self.store.append_log(number, &log_entry(run, reports))?;
        Ok(number)
    }
}

/// Numbers at all vertices, with a name.
type Named = (String, Vec<f64>);

/// The engine behind `pliant.Run`.
#[pyclass(frozen, module = "pliant._pliant")]
pub(crate) struct Store(Mutex<Option<Recording>>);

impl Store {
    fn new(recording: Recording) -> Self {
        Self(Mutex::new(Some(recording)))
    }

    fn lock(&self) -> PyResult<MutexGuard<'_, Option<Recording>>> {
        self.0.try_lock().map_err(|_| PyRuntimeError::new_err("the run is in use by another thread"))
    }

    fn with<T>(&self, work: impl FnOnce(&mut Recording) -> PyResult<T>) -> PyResult<T> {
        match &mut *self.lock()? {
            Some(recording) => work(recording),
            None => Err(bad_value("the run is closed; open it again")),
        }
    }
}

#[pymethods]
impl Store {
    /// Begins a run of a world in a folder, in place of an earlier one if told so.
    #[staticmethod]
    fn create(py: Python<'_>, core: &Core, path: PathBuf, frame_rate: f64, overwrite: bool) -> PyResult<Self> {
        check_process()?;
        let mut run = core.lock()?;
        let run: &mut Run = &mut run;
        let info = RunInfo { frame_rate, ..RunInfo::default() };
        let made = py.detach(|| {
            let topology = run.stored_topology().into_owned();
            let store = match overwrite {
                true => RunStore::replace(&path, &topology, &info, &folder::LEFT_BY_A_RUN)?,
                false => RunStore::create(&path, &topology, &info)?,
            };
            Ok(Recording { store: folder::begin(store, run)?, topology, unsaved: None })
        });
        made.map(Self::new).map_err(folder_error)
    }

    /// Brings a world to the last usable checkpoint of a run, and removes what came after it; also returns notes.
    #[staticmethod]
    fn resume(py: Python<'_>, core: &Core, path: PathBuf) -> PyResult<(Self, Vec<String>)> {
        check_process()?;
        let (mut run, mut notes) = (core.change()?, Vec::new());
        let run: &mut Run = &mut run;
        let store = py.detach(|| folder::resume(&path, run, |note| notes.push(note))).map_err(folder_error)?;
        Ok((Self::new(Recording::of(store)?), notes))
    }

    /// Opens a run for reading.
    #[staticmethod]
    fn open(path: PathBuf) -> PyResult<Self> {
        Recording::of(RunStore::open(&path).map_err(store_error)?).map(Self::new)
    }

    /// Writes the state of the world as the next frame, with a checkpoint every so many frames; returns its number.
    fn add_frame(
        &self,
        py: Python<'_>,
        core: &Core,
        reports: Vec<PyRef<'_, StepReport>>,
        channels: Vec<(String, PyReadonlyArray1<'_, f64>)>,
        checkpoint_every: u64,
    ) -> PyResult<u64> {
        check_process()?;
        let reports: Vec<pliant::StepReport> = reports.iter().map(|report| report.0.clone()).collect();
        let channels = channels.into_iter().map(|(name, values)| (name, values.as_array().to_vec())).collect();
        let mut run = core.lock()?;
        let run: &mut Run = &mut run;
        self.with(|recording| {
            let added = py.detach(|| {
                let number = recording.add(run, &reports, channels)?;
                let is_due = number.is_multiple_of(checkpoint_every.max(1));
                if is_due {
                    recording.store.write_checkpoint(number, &run.save())?;
                }
                recording.unsaved = (!is_due).then(|| core.version());
                Ok(number)
            });
            added.map_err(store_error)
        })
    }

    /// Ends writing: a last checkpoint, if the world is still as in the last frame, and the folder is free for others.
    #[pyo3(signature = (core))]
    fn close(&self, core: Option<&Core>) -> PyResult<()> {
        let Some(mut recording) = self.lock()?.take() else { return Ok(()) };
        let Some(core) = core else { return Ok(()) };
        let run = core.lock()?;
        match recording.store.frames().last().copied() {
            Some(last) if recording.unsaved == Some(core.version()) => {
                recording.store.write_checkpoint(last, &run.save()).map_err(store_error)
            }
            _ => Ok(()),
        }
    }

    /// Numbers of the finished frames.
    fn frames(&self) -> PyResult<Vec<u64>> {
        self.with(|recording| Ok(recording.store.frames().to_vec()))
    }

    /// Numbers of the frames with checkpoints.
    fn checkpoints(&self) -> PyResult<Vec<u64>> {
        self.with(|recording| Ok(recording.store.checkpoints().to_vec()))
    }

    /// Frames per second.
    fn frame_rate(&self) -> PyResult<f64> {
        self.with(|recording| Ok(recording.store.info().frame_rate))
    }

    /// Damaged frames with the reasons, after every byte of all frames was read.
    fn verify(&self, py: Python<'_>) -> PyResult<Vec<(u64, String)>> {
        let found = self.with(|recording| Ok(py.detach(|| recording.store.verify())))?;
        Ok(found.into_iter().map(|(number, error)| (number, error.to_string())).collect())
    }

    /// The entries of the log, each as a JSON object.
    fn log(&self) -> PyResult<Vec<String>> {
        let entries = self.with(|recording| recording.store.read_log().map_err(store_error))?;
        Ok(entries.into_iter().map(|entry| serde_json::Value::Object(entry).to_string()).collect())
    }

    /// Time, positions, velocities and channels of a frame.
    fn read<'py>(&self, py: Python<'py>, number: u64) -> PyResult<FrameArrays<'py>> {
        let frame = self.with(|recording| recording.store.read_frame(number).map_err(store_error))?;
        let channels = PyDict::new(py);
        for channel in &frame.channels {
            channels.set_item(&channel.name, to_numbers(py, &channel.values))?;
        }
        let velocities = frame.velocities.as_ref().map(|velocities| to_array(py, velocities)).transpose()?;
        Ok((frame.time, to_array(py, &frame.positions)?, velocities, channels))
    }

    /// The elements of a frame.
    fn topology<'py>(&self, py: Python<'py>, number: u64) -> PyResult<TopologyArrays<'py>> {
        self.with(|recording| {
            let topology = recording.store.topology_at(number).map_err(store_error)?;
            let bodies = topology.bodies.iter();
            Ok((
                to_array(py, &topology.rest)?,
                to_elements(py, &topology.triangles)?,
                to_elements(py, &topology.tets)?,
                topology.polylines.rows().map(|line| to_numbers(py, line)).collect(),
                bodies.map(|body| (body.name.clone(), body.vertices.start, body.vertices.end)).collect(),
            ))
        })
    }

    /// Writes frames in another program's format; returns the files, the one to open first.
    fn export(
        &self,
        py: Python<'_>,
        path: PathBuf,
        format: &str,
        request: &Bound<'_, PyDict>,
    ) -> PyResult<Vec<PathBuf>> {
        check_process()?;
        let (format, request) = (export_format(format)?, request.extract::<Request>()?);
        let shapes =
            [("particles", FluidShape::Particles), ("surface", FluidShape::Surface), ("both", FluidShape::Both)];
        let axes = [("x", UpAxis::X), ("y", UpAxis::Y), ("z", UpAxis::Z)];
        let ways = [("linear", Interpolation::Linear), ("step", Interpolation::Step)];
        let fluid = request.fluid.as_deref().map(|name| choose("fluid", name, &shapes)).transpose()?;
        let up_axis = request.up.as_deref().map(|name| choose("up", name, &axes)).transpose()?;
        let mut options = ExportOptions {
            bodies: request.bodies,
            frames: request.frames.map(|[first, last]| first..=last),
            every: request.every,
            scale: request.scale,
            up_axis,
            interpolation: choose("interpolation", &request.interpolation, &ways)?,
            fluid_shape: fluid.unwrap_or_else(|| FluidShape::usual(format)),
            ..ExportOptions::default()
        };
        self.with(|recording| {
            let written = py.detach(|| {
                options.fluids = read_fluids(recording.store.dir())?;
                export(&recording.store, format, &path, &options)
            });
            Ok(written.map_err(export_error)?.files)
        })
    }
}

/// What to export, from the keywords of Python.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct Request {
    bodies: Option<Vec<String>>,
    frames: Option<[u64; 2]>,
    every: u64,
    scale: f64,
    up: Option<String>,
    interpolation: String,
    fluid: Option<String>,
}

fn export_format(name: &str) -> PyResult<ExportFormat> {
    choose("format", name, &ExportFormat::ALL.map(|format| (format.name(), format)))
}

/// Names and extensions of the formats that runs can be exported to.
#[pyfunction]
fn export_formats() -> Vec<(&'static str, &'static str)> {
    ExportFormat::ALL.map(|format| (format.name(), format.extension())).to_vec()
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Store>()?;
    module.add_function(wrap_pyfunction!(export_formats, module)?)
}
