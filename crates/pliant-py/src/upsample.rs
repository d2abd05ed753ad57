//! Fine surfaces from coarse ones, with detail that was learnt.

use std::sync::{Arc, Mutex, MutexGuard};

use numpy::{PyArray2, PyReadonlyArray2, PyReadonlyArray3};
use pliant::math::Vec3;
use pliant::mesh::TriangleMesh;
use pliant::upsample::{
    Directions, Method, ModesParams, PdmParams, PiuParams, Provenance, Refinement, TrainingFrame, TrainingSequence,
    TrainingSet, UpsampleError, Upsampler, UpsamplerState, WpsdParams,
};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::arrays::{choose, get, to_array, to_elements, vectors};
use crate::error::bad_value;
use crate::mesh::{AnyMesh, any_mesh};

/// Meshes, and a model with its state if there is one.
struct Inner {
    refinement: Arc<Refinement>,
    model: Option<(Upsampler, UpsamplerState)>,
    /// What shows the surface in place of the engine.
    #[cfg(feature = "gpu")]
    on_gpu: Option<pliant_gpu::GpuUpsampler>,
}

impl Inner {
    /// Takes a model; after an error it has the one that it had.
    fn take(&mut self, model: Upsampler) -> PyResult<()> {
        #[cfg(feature = "gpu")]
        if let Some(old) = &self.on_gpu {
            self.on_gpu = Some(pliant_gpu::GpuUpsampler::new(old.device(), &model).map_err(bad_value)?);
        }
        let state = model.state();
        self.model = Some((model, state));
        Ok(())
    }

    /// Fine positions over coarse ones, with the detail of the model if there is one.
    fn show(&mut self, coarse: &[Vec3], seconds: f64, out: &mut [Vec3]) -> Result<(), UpsampleError> {
        #[cfg(feature = "gpu")]
        if let Some(on_gpu) = &mut self.on_gpu {
            let mut nothing = UpsamplerState::default();
            let state = self.model.as_mut().map_or(&mut nothing, |(_, state)| state);
            return Ok(on_gpu.apply(state, coarse, seconds, out)?);
        }
        match &mut self.model {
            Some((model, state)) => model.apply(state, coarse, seconds, out),
            None => self.refinement.smooth(coarse, out),
        }
    }
}

#[cfg(feature = "gpu")]
fn bring_to_gpu(refinement: &Arc<Refinement>, adapter: &str) -> PyResult<pliant_gpu::GpuUpsampler> {
    use pliant_gpu::device::{Device, DeviceChoice};

    let name = Some(adapter.to_owned()).filter(|name| !name.is_empty());
    let device = Device::open(&DeviceChoice { name, ..DeviceChoice::default() }).map_err(bad_value)?;
    pliant_gpu::GpuUpsampler::smooth(&device, refinement).map_err(bad_value)
}

/// The engine behind `pliant.Upsampler`.
#[pyclass(frozen, module = "pliant._pliant")]
pub(crate) struct Upsampling(Mutex<Inner>);

fn surface(mesh: &Bound<'_, PyAny>, name: &str) -> PyResult<TriangleMesh> {
    match any_mesh(mesh)? {
        AnyMesh::Triangles(mesh) => Ok(mesh),
        _ => Err(bad_value(format!("{name} must be a TriangleMesh"))),
    }
}

fn method(recipe: &Bound<'_, PyAny>) -> PyResult<Method> {
    let names = [("wpsd", 0), ("pdm", 1), ("piu", 2)];
    let made = match choose("method", &get::<String>(recipe, "method")?, &names)? {
        0 => Method::Wpsd(WpsdParams {
            poses: get(recipe, "poses")?,
            tolerance: get(recipe, "tolerance")?,
            rest_pose: get(recipe, "rest_pose")?,
            convex: get(recipe, "convex")?,
            edges: get(recipe, "edges")?,
            decay: get(recipe, "decay")?,
        }),
        1 => {
            let known = [("normal", Directions::Normal), ("all", Directions::All)];
            let directions = choose("directions", &get::<String>(recipe, "directions")?, &known)?;
            Method::Pdm(PdmParams { directions, regularisation: get(recipe, "regularisation")? })
        }
        _ => {
            let modes: usize = get(recipe, "modes")?;
            let modes = (modes > 0).then(|| ModesParams { count: modes, ..ModesParams::default() });
            let (neighbours, regularisation) = (get(recipe, "neighbours")?, get(recipe, "regularisation")?);
            Method::Piu(PiuParams { neighbours, regularisation, modes })
        }
    };
    made.check().map_err(bad_value)?;
    Ok(made)
}

/// Frames of an array of shape (frames, vertices, 3).
fn frames(array: &PyReadonlyArray3<'_, f64>) -> Vec<Vec<Vec3>> {
    let place = |row: numpy::ndarray::ArrayView1<'_, f64>| Vec3::new(row[0], row[1], row[2]);
    array.as_array().outer_iter().map(|frame| frame.rows().into_iter().map(place).collect()).collect()
}

impl Upsampling {
    fn lock(&self) -> PyResult<MutexGuard<'_, Inner>> {
        self.0.lock().map_err(|_| PyRuntimeError::new_err("the upsampler broke down in an earlier call"))
    }
}

#[pymethods]
impl Upsampling {
    /// Smooth, on a coarse mesh, by levels of subdivision or a fine mesh; shown by a GPU whose name has a part, if that is given.
    #[new]
    fn new(
        py: Python<'_>,
        coarse: &Bound<'_, PyAny>,
        levels: Option<u32>,
        fine: Option<Bound<'_, PyAny>>,
        gpu: Option<String>,
    ) -> PyResult<Self> {
        let coarse = surface(coarse, "coarse")?;
        let fine = fine.map(|fine| surface(&fine, "fine")).transpose()?;
        let made = py.detach(|| match fine {
            Some(fine) => Refinement::embedded(&coarse, &fine),
            None => Refinement::loop_subdivision(&coarse, levels.unwrap_or(0), &[]),
        });
        let refinement = Arc::new(made.map_err(bad_value)?);
        #[cfg(feature = "gpu")]
        let on_gpu = gpu.map(|adapter| py.detach(|| bring_to_gpu(&refinement, &adapter))).transpose()?;
        #[cfg(not(feature = "gpu"))]
        if gpu.is_some() {
            return Err(bad_value(pliant_scene::NO_GPU));
        }
        Ok(Self(Mutex::new(Inner {
            refinement,
            model: None,
            #[cfg(feature = "gpu")]
            on_gpu,
        })))
    }

    /// Learns from sequences, each a name, coarse frames and fine frames; returns what the fit reports.
    fn fit(
        &self,
        py: Python<'_>,
        recipe: &Bound<'_, PyAny>,
        sequences: Vec<(String, PyReadonlyArray3<'_, f64>, PyReadonlyArray3<'_, f64>)>,
        frame_seconds: f64,
        provenance: (String, String, String),
    ) -> PyResult<Py<PyDict>> {
        let method = method(recipe)?;
        let sequence = |(name, coarse, fine): (String, PyReadonlyArray3<'_, f64>, PyReadonlyArray3<'_, f64>)| {
            let pairs = frames(&coarse).into_iter().zip(frames(&fine));
            let frames = pairs.map(|(coarse, fine)| TrainingFrame { coarse, fine }).collect();
            TrainingSequence { name, frame_seconds, frames }
        };
        let set = TrainingSet { sequences: sequences.into_iter().map(sequence).collect() };
        let (scene, date, notes) = provenance;
        let report = py.detach(|| {
            let mut inner = self.lock()?;
            let (model, report) = Upsampler::fit(&inner.refinement, &set, &method).map_err(bad_value)?;
            inner.take(model.with_provenance(Provenance { scene, date, notes }))?;
            Ok::<_, PyErr>(report)
        })?;
        let found = PyDict::new(py);
        found.set_item("frames", report.frames)?;
        found.set_item("smooth_l2", report.smooth_l2)?;
        found.set_item("l2", report.l2)?;
        found.set_item("poses", report.poses)?;
        Ok(found.unbind())
    }

    /// Takes a model from bytes.
    fn load(&self, py: Python<'_>, bytes: &[u8]) -> PyResult<()> {
        py.detach(|| {
            let mut inner = self.lock()?;
            let model = Upsampler::from_bytes(bytes, &inner.refinement).map_err(bad_value)?;
            inner.take(model)
        })
    }

    /// The model as bytes.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = match &self.lock()?.model {
            Some((model, _)) => model.to_bytes(),
            None => return Err(bad_value("there is no model to save: fit or load one")),
        };
        Ok(PyBytes::new(py, &bytes))
    }

    /// Name of the method, and scene, date and notes; none without a model.
    fn about(&self) -> PyResult<Option<(String, String, String, String)>> {
        Ok(self.lock()?.model.as_ref().map(|(model, _)| {
            let Provenance { scene, date, notes } = model.provenance().clone();
            (model.method().name().to_owned(), scene, date, notes)
        }))
    }

    /// Forgets the motion so far.
    fn reset(&self) -> PyResult<()> {
        if let Some((_, state)) = &mut self.lock()?.model {
            state.reset();
        }
        Ok(())
    }

    /// Positions and triangles of the fine mesh at rest.
    #[allow(clippy::type_complexity, reason = "a pair of arrays")]
    fn fine<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyArray2<f64>>, Bound<'py, PyArray2<u32>>)> {
        let inner = self.lock()?;
        let mesh = inner.refinement.fine_mesh();
        Ok((to_array(py, &mesh.positions)?, to_elements(py, &mesh.triangles)?))
    }

    /// Fine positions over coarse ones: with the detail of the model, or smooth.
    fn apply<'py>(
        &self,
        py: Python<'py>,
        coarse: PyReadonlyArray2<'py, f64>,
        seconds: f64,
        smooth: bool,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let coarse = vectors(&coarse)?;
        let out = py.detach(|| {
            let inner = &mut *self.lock()?;
            let mut out = vec![Vec3::ZERO; inner.refinement.vertex_counts()[1]];
            let shown = if smooth {
                inner.refinement.smooth(&coarse, &mut out)
            } else {
                inner.show(&coarse, seconds, &mut out)
            };
            shown.map_err(bad_value)?;
            Ok::<_, PyErr>(out)
        })?;
        to_array(py, &out)
    }
}
