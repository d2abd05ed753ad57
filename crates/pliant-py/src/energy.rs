//! Energies from their Python descriptions, and energies whose projection is a Python function.

use std::sync::{Arc, Mutex};

use numpy::{IntoPyArray, PyArrayMethods, PyReadonlyArray3};
use pliant::energy::{
    AverageGoals, Batch, EdgeSprings, EnergyError, ExampleBased, ExampleWeights, FunctionBatch, HalfSpace,
    HingeBending, HingeStiffness, MAX_ROWS, MeanCurvatureBending, Metric, Operator, PlateBending, PositionGoals,
    RigidSet, SpringStiffness, TetStrain, TetVolume, TriangleArea, TriangleStrain,
};
use pliant::math::Vec3;
use pliant::mesh::TriangleMesh;
use pyo3::prelude::*;

use crate::arrays::{choose, get, get_elements, get_indices, get_some_numbers, get_some_vectors, vectors};
use crate::custom;
use crate::error::bad_value;
use crate::material::strain_set;

/// The first exception that a Python projection raised: the engine cannot carry it, so it waits here until the step is over.
#[derive(Debug, Clone, Default)]
pub(crate) struct Faults(Arc<Mutex<Option<PyErr>>>);

impl Faults {
    pub(crate) fn put(&self, error: PyErr) {
        if let Ok(mut slot) = self.0.lock() {
            slot.get_or_insert(error);
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.lock().is_ok_and(|slot| slot.is_none())
    }

    pub(crate) fn take(&self) -> Option<PyErr> {
        self.0.lock().ok().and_then(|mut slot| slot.take())
    }
}

fn metric(recipe: &Bound<'_, PyAny>) -> PyResult<Metric> {
    let value = recipe.getattr("metric")?;
    if let Ok(name) = value.extract::<String>() {
        let known = [("vertex", 0), ("mean", 1), ("identity", 2)];
        let metrics = [Metric::VertexSubtracted, Metric::MeanSubtracted, Metric::Identity];
        return Ok(metrics[choose("metric", &name, &known)?].clone());
    }
    Ok(Metric::Mass(get_some_numbers(recipe, "metric")?.unwrap_or_default()))
}

/// Builds an energy over vertices with these rest positions.
pub(crate) fn energy(recipe: &Bound<'_, PyAny>, rest: &[Vec3], faults: &Faults) -> PyResult<Box<dyn Batch>> {
    let kind: String = get(recipe, "kind")?;
    if kind == "custom" {
        return custom_energy(recipe, rest, faults);
    }
    let stiffness = || get::<f64>(recipe, "stiffness");
    let built: Result<Box<dyn Batch>, EnergyError> = match kind.as_str() {
        "edge_spring" => {
            let stiffness = match get::<Option<f64>>(recipe, "axial_stiffness")? {
                Some(axial) => SpringStiffness::Axial(axial),
                None => SpringStiffness::PerEdge(get_some_numbers(recipe, "stiffness")?.unwrap_or_default()),
            };
            EdgeSprings {
                edges: get_elements(recipe, "edges")?,
                stiffness,
                rest_lengths: get_some_numbers(recipe, "rest_lengths")?,
                limits: get(recipe, "limits")?,
                metric: metric(recipe)?,
            }
            .build(rest)
        }
        "triangle_strain" => {
            let (triangles, set) = (get_elements(recipe, "triangles")?, strain_set(&recipe.getattr("set")?)?);
            TriangleStrain { triangles, stiffness: stiffness()?, set }.build(rest)
        }
        "tet_strain" => {
            let (tets, set) = (get_elements(recipe, "tets")?, strain_set(&recipe.getattr("set")?)?);
            TetStrain { tets, stiffness: stiffness()?, set }.build(rest)
        }
        "triangle_area" => {
            let (triangles, bounds) = (get_elements(recipe, "triangles")?, get(recipe, "bounds")?);
            TriangleArea { triangles, stiffness: stiffness()?, bounds }.build(rest)
        }
        "tet_volume" => {
            let (tets, bounds) = (get_elements(recipe, "tets")?, get(recipe, "bounds")?);
            TetVolume { tets, stiffness: stiffness()?, bounds }.build(rest)
        }
        "plate" => {
            let mesh = TriangleMesh::new(rest.to_vec(), get_elements(recipe, "triangles")?).map_err(bad_value)?;
            PlateBending { stiffness: stiffness()?, poisson_ratio: get(recipe, "poisson_ratio")? }.build(&mesh)
        }
        "bending" => {
            let mesh = TriangleMesh::new(rest.to_vec(), get_elements(recipe, "triangles")?).map_err(bad_value)?;
            MeanCurvatureBending { stiffness: stiffness()? }.build(&mesh)
        }
        "hinge" => {
            let of_plate: bool = get(recipe, "of_plate")?;
            let stiffness = stiffness()?;
            HingeBending {
                hinges: get_elements(recipe, "hinges")?,
                stiffness: if of_plate { HingeStiffness::Plate(stiffness) } else { HingeStiffness::Uniform(stiffness) },
                rest_angle: get(recipe, "rest_angle")?,
                metric: metric(recipe)?,
            }
            .build(rest)
        }
        "example" => {
            let known = [("local", ExampleWeights::Local), ("global", ExampleWeights::Global)];
            let poses = recipe.getattr("examples")?;
            let examples: PyResult<Vec<Vec<Vec3>>> = poses.try_iter()?.map(|pose| vectors(&pose?.extract()?)).collect();
            ExampleBased {
                tets: get_elements(recipe, "tets")?,
                examples: examples?,
                stiffness: stiffness()?,
                weights: choose("weights", &get::<String>(recipe, "weights")?, &known)?,
            }
            .build(rest)
        }
        "position" => {
            let (vertices, goals) = (get_indices(recipe, "vertices")?, get_some_vectors(recipe, "goals")?);
            PositionGoals { vertices, goals, stiffness: stiffness()? }.build(rest)
        }
        "average" => {
            let (vertices, starts) = (get_indices(recipe, "vertices")?, get_indices(recipe, "starts")?);
            let weights = get_some_numbers(recipe, "weights")?.unwrap_or_default();
            let each = |ends: &[u32]| {
                let own = ends[0] as usize..ends[1] as usize;
                vertices[own.clone()].iter().copied().zip(weights[own].iter().copied()).collect()
            };
            let averages = starts.windows(2).map(each).collect();
            AverageGoals { averages, goals: get_some_vectors(recipe, "goals")?, stiffness: stiffness()? }.build(rest)
        }
        "half_space" => {
            let (point, normal): ([f64; 3], [f64; 3]) = (get(recipe, "point")?, get(recipe, "normal")?);
            let (point, normal, vertices) = (point.into(), normal.into(), get_indices(recipe, "vertices")?);
            HalfSpace { vertices, point, normal, stiffness: stiffness()? }.build(rest)
        }
        "rigid" => {
            let (hub, vertices) = (get(recipe, "hub")?, get_indices(recipe, "vertices")?);
            RigidSet { hub, vertices, stiffness: stiffness()? }.build(rest)
        }
        _ => return Err(bad_value(format!("there is no energy of the kind {kind:?}"))),
    };
    built.map_err(bad_value)
}

static KEPT_NAMES: Mutex<Vec<&'static str>> = Mutex::new(Vec::new());

/// Names of Python's energies live as long as the process, as the names of built-in ones do; each distinct one once.
pub(crate) fn kept_name(name: String) -> &'static str {
    let Ok(mut names) = KEPT_NAMES.lock() else { return "custom" };
    if let Some(known) = names.iter().find(|known| **known == name) {
        return known;
    }
    let name: &'static str = Box::leak(name.into_boxed_str());
    names.push(name);
    name
}

/// Whether a kind of energies or constraints is a function in Python: names of those are kept here, and nowhere else.
pub(crate) fn is_of_python(kind: &str) -> bool {
    KEPT_NAMES.lock().is_ok_and(|names| names.iter().any(|known| std::ptr::eq(*known, kind)))
}

/// An energy whose projection is a Python function of all elements at once.
fn custom_energy(recipe: &Bound<'_, PyAny>, rest: &[Vec3], faults: &Faults) -> PyResult<Box<dyn Batch>> {
    let stencils: numpy::PyReadonlyArray2<'_, u32> = recipe.getattr("stencils")?.extract()?;
    let coefficients: PyReadonlyArray3<'_, f64> = recipe.getattr("coefficients")?.extract()?;
    let weights = get_some_numbers(recipe, "weights")?.unwrap_or_default();
    let (stencils, coefficients) = (stencils.as_array(), coefficients.as_array());
    let [elements, rows, corners] = [0, 1, 2].map(|axis| coefficients.shape()[axis]);
    if stencils.shape() != [elements, corners] || weights.len() != elements {
        return Err(bad_value("stencils, coefficients and weights of a custom energy do not belong together"));
    }
    if rows == 0 || rows > MAX_ROWS {
        return Err(bad_value(format!("a custom energy has {rows} rows, but must have 1 to {MAX_ROWS}")));
    }
    let mut operator = Operator::new(rows);
    for ((stencil, a), weight) in stencils.rows().into_iter().zip(coefficients.outer_iter()).zip(weights) {
        let (stencil, a): (Vec<u32>, Vec<f64>) = (stencil.to_vec(), a.iter().copied().collect());
        if let Some(vertex) = stencil.iter().find(|vertex| **vertex as usize >= rest.len()) {
            let count = rest.len();
            return Err(bad_value(format!("a custom energy uses vertex {vertex}, but there are only {count}")));
        }
        operator.push(weight, &stencil, &a);
    }
    let name = kept_name(get(recipe, "name")?);
    let constraint = recipe.getattr("constraint")?;
    if !constraint.is_none() {
        return custom::onto_constraint(constraint.unbind(), name, operator, rest, faults);
    }
    let (function, faults) = (recipe.getattr("project")?.unbind(), faults.clone());
    let project = move |z: &[Vec3], p: &mut [Vec3]| {
        // After an exception nothing more is asked of the function; what is not a number makes the step be refused.
        let result = if faults.is_empty() { call(&function, rows, z, p) } else { Err(None) };
        if let Err(error) = result {
            p.fill(Vec3::NAN);
            error.into_iter().for_each(|error| faults.put(error));
        }
    };
    Ok(Box::new(FunctionBatch::new(name, operator, project)))
}

/// p = function(z), with z and p of shape (elements, rows, 3).
fn call(function: &Py<PyAny>, rows: usize, z: &[Vec3], p: &mut [Vec3]) -> Result<(), Option<PyErr>> {
    let attempt = |py: Python<'_>| -> PyResult<()> {
        let shape = [z.len() / rows, rows, 3];
        let flat: Vec<f64> = z.iter().flat_map(|v| v.to_array()).collect();
        let returned = function.call1(py, (flat.into_pyarray(py).reshape(shape)?,))?;
        let returned: PyReadonlyArray3<'_, f64> = returned.extract(py).map_err(|_| {
            bad_value(format!("project must return a float64 array of shape {shape:?}, as it was given one"))
        })?;
        let array = returned.as_array();
        if array.shape() != shape {
            return Err(bad_value(format!("project returned the shape {:?} instead of {shape:?}", array.shape())));
        }
        let mut numbers = array.iter().copied();
        for (index, p) in p.iter_mut().enumerate() {
            *p = Vec3::from_array(std::array::from_fn(|_| numbers.next().unwrap_or(f64::NAN)));
            if !p.is_finite() {
                let (element, row) = (index / rows, index % rows);
                return Err(bad_value(format!("project returned {p} in row {row} of element {element}")));
            }
        }
        Ok(())
    };
    Python::attach(attempt).map_err(Some)
}
