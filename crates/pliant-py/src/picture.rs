//! Pictures by Pliant's own renderer.

use std::path::{Path, PathBuf};

use numpy::{IntoPyArray, PyArray3, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2};
use pliant::math::Vec3;
use pliant::mesh::Bounds;
use pliant_io::write::visible_bodies;
use pliant_picture::{
    Animation, Camera, Color, ColorMap, Ground, Legend, Paint, RenderOptions, Scene, SeenBody, ViewError, render,
};
use pliant_scene::SceneRun;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::arrays::{read_only, vectors};
use crate::error::{bad_value, check_process};
use crate::simulation::{Core, Run};

/// A picture that notebooks show by themselves.
#[pyclass(frozen, module = "pliant._pliant")]
#[derive(Clone)]
pub(crate) struct Image(pliant_picture::Image);

#[pymethods]
impl Image {
    /// Width [px].
    #[getter]
    fn width(&self) -> usize {
        self.0.width()
    }

    /// Height [px].
    #[getter]
    fn height(&self) -> usize {
        self.0.height()
    }

    /// The picture as a PNG file in memory.
    fn png<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &self.0.to_png().map_err(bad_value)?))
    }

    /// Writes a PNG file, making its folder where there is none; with at most 256 colours it is a third of the size.
    #[pyo3(signature = (path, *, few_colors = false))]
    fn save(&self, path: PathBuf, few_colors: bool) -> PyResult<()> {
        if few_colors {
            let bytes = self.0.to_indexed_png().map_err(bad_value)?;
            std::fs::create_dir_all(path.parent().unwrap_or(Path::new("")))?;
            return Ok(std::fs::write(path, bytes)?);
        }
        self.0.save_png(path).map_err(bad_value)
    }

    fn _repr_png_<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        self.png(py)
    }

    /// Pixels as an array of shape (height, width, 3) of uint8.
    fn array<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray3<u8>>> {
        let (height, width) = (self.0.height(), self.0.width());
        self.0.bytes().to_vec().into_pyarray(py).reshape([height, width, 3]).map(read_only)
    }

    fn __repr__(&self) -> String {
        format!("<pliant picture of {}×{} pixels>", self.0.width(), self.0.height())
    }
}

/// Frames as a GIF file in memory.
#[pyfunction]
pub(crate) fn encode_gif<'py>(
    py: Python<'py>,
    frames: Vec<Bound<'py, Image>>,
    frames_per_second: f64,
) -> PyResult<Bound<'py, PyBytes>> {
    let mut animation = Animation::new(frames_per_second);
    for frame in frames {
        animation.push(frame.get().0.clone()).map_err(bad_value)?;
    }
    let bytes = py.detach(|| animation.to_gif()).map_err(bad_value)?;
    Ok(PyBytes::new(py, &bytes))
}

/// How a picture is to be taken, from the keywords of Python.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct Request {
    size: [usize; 2],
    direction: [f64; 3],
    /// Lowest and highest corner of what the camera sees; of what is drawn if absent.
    bounds: Option<[[f64; 3]; 2]>,
    ground: Option<f64>,
    draft: bool,
    caption: Option<String>,
    /// Label and range of the values that colours show.
    legend: Option<(String, [f64; 2])>,
}

/// A picture of the world at positions, in colours of bodies or of values at vertices.
#[pyfunction]
#[pyo3(signature = (core, positions, values, request))]
pub(crate) fn render_picture(
    py: Python<'_>,
    core: &Bound<'_, Core>,
    positions: PyReadonlyArray2<'_, f64>,
    values: Option<PyReadonlyArray1<'_, f64>>,
    request: &Bound<'_, PyDict>,
) -> PyResult<Image> {
    check_process()?;
    let request: Request = request.extract()?;
    let (positions, values) = (vectors(&positions)?, values.map(|values| values.as_array().to_vec()));
    let scene = scene(&*core.get().lock()?, &positions, values.as_deref(), &request)?;
    py.detach(|| draw(scene, &request)).map(Image).map_err(bad_value)
}

/// What is seen.
fn scene(run: &Run, positions: &[Vec3], values: Option<&[f64]>, request: &Request) -> PyResult<Scene> {
    let (label, range) = request.legend.clone().unwrap_or_default();
    let legend = Legend { label, range, map: ColorMap::default() };
    let colors = values.map(|values| (values, legend));
    match run {
        Run::Scene { run, .. } if run.topology().vertex_count() != positions.len() => {
            with_riders(run, positions, colors).map_err(bad_value)
        }
        _ => Scene::at(run.sim(), positions, colors).map_err(bad_value),
    }
}

fn draw(mut scene: Scene, request: &Request) -> Result<pliant_picture::Image, ViewError> {
    let seen = scene.extent().bounds().ok_or(ViewError::Empty("things to draw"))?;
    let bounds = request.bounds.map_or(seen, |[min, max]| Bounds { min: min.into(), max: max.into() });
    let ground = request.ground.map(Ground::at).or(scene.ground);
    scene.ground = ground.map(|ground| ground.with_lines_for(bounds.diagonal()));
    scene.caption.clone_from(&request.caption);
    let quality = if request.draft { RenderOptions::draft() } else { RenderOptions::default() };
    let options = RenderOptions { width: request.size[0], height: request.size[1], ..quality };
    let camera = Camera::framing(&bounds, request.direction.into(), options.aspect());
    render(&scene, &camera, &options)
}

/// A scene whose surfaces ride along on tets or have wrinkles: those are seen, not what is simulated.
fn with_riders(
    run: &SceneRun,
    positions: &[Vec3],
    colors: Option<(&[f64], Legend)>,
) -> Result<Scene, Box<dyn std::error::Error>> {
    if positions.len() != run.sim.positions().len() {
        return Err(
            format!("there are {} positions for {} vertices", positions.len(), run.sim.positions().len()).into()
        );
    }
    let (stored, model) = (run.stored_positions(positions), run.sim.model());
    let values = colors.as_ref().map(|(values, _)| run.stored(values));
    let mut scene = Scene::default();
    for (number, body) in visible_bodies(run.topology())?.into_iter().enumerate() {
        let at = |places: &[u32]| places.iter().map(|&v| stored[v as usize]).collect::<Vec<_>>();
        let paint = |places: &[u32]| match (&values, &colors) {
            (Some(values), Some((_, legend))) => {
                let values = places.iter().map(|&v| values[v as usize]).collect();
                Paint::Scalar { values, range: legend.range, map: legend.map }
            }
            _ => Color::of_body(number).into(),
        };
        scene.add_body(SeenBody {
            positions: at(&body.vertices),
            paint: paint(&body.vertices),
            triangles: body.triangles,
            segments: body.segments,
            points: body.points,
            fluid: model.matter_in(number),
            diagonal: model.diagonal(),
        });
    }
    scene.legend = colors.map(|(_, legend)| legend);
    scene.add_colliders(run.sim.colliders(), run.sim.time());
    Ok(scene)
}
