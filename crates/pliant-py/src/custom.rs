//! Constraints and projections that are functions in Python.

use numpy::{IntoPyArray, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2, PyReadonlyArray3};
use pliant::constraint::{Bound as Allowed, ConstraintBatch, FunctionConstraints};
use pliant::energy::{Batch, FunctionBatch, Operator, gradients_by_differences, project_all_by_sqp};
use pliant::math::Vec3;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::arrays::{get, get_numbers};
use crate::energy::{Faults, kept_name};
use crate::error::bad_value;

/// Settling of projections, relative to z: gradients by differences are not exact to the last bits.
const SETTLED: [f64; 2] = [1e-14, 1e-11];

/// What a function returns of some elements: C of each, and its gradients if it knows them.
struct Returned {
    values: Vec<f64>,
    gradients: Option<Vec<Vec3>>,
}

/// Reads C (j,), or a pair of C and gradients (j, k, 3).
fn returned(what: &str, result: &Bound<'_, PyAny>, count: usize, corners: usize) -> PyResult<Returned> {
    let (values, gradients) = match result.cast::<PyTuple>() {
        Ok(pair) if pair.len() == 2 => (pair.get_item(0)?, Some(pair.get_item(1)?)),
        _ => (result.clone(), None),
    };
    let wrong = || {
        bad_value(format!(
            "{what} must return a float64 array of shape [{count}], or a pair of it and gradients of shape \
             [{count}, {corners}, 3]"
        ))
    };
    let values: PyReadonlyArray1<'_, f64> = values.extract().map_err(|_| wrong())?;
    let values = values.as_array().to_vec();
    if values.len() != count {
        return Err(bad_value(format!("{what} returned {} values for {count} elements", values.len())));
    }
    let gradients = match gradients {
        None => None,
        Some(gradients) => {
            let array: PyReadonlyArray3<'_, f64> = gradients.extract().map_err(|_| wrong())?;
            let array = array.as_array();
            if array.shape() != [count, corners, 3] {
                let shape = array.shape();
                return Err(bad_value(format!(
                    "{what} returned gradients of shape {shape:?} instead of [{count}, {corners}, 3]"
                )));
            }
            let numbers: Vec<f64> = array.iter().copied().collect();
            Some(numbers.as_chunks::<3>().0.iter().map(|v| Vec3::from_array(*v)).collect())
        }
    };
    if let Some(place) = values.iter().position(|value| !value.is_finite()) {
        return Err(bad_value(format!("{what} returned {} for one of its elements", values[place])));
    }
    if let Some(gradient) = gradients.iter().flatten().find(|gradient: &&Vec3| !gradient.is_finite()) {
        return Err(bad_value(format!("{what} returned the gradient {gradient}")));
    }
    Ok(Returned { values, gradients })
}

fn flat(vectors: &[Vec3]) -> Vec<f64> {
    vectors.iter().flat_map(|v| v.to_array()).collect()
}

/// What a function says of corners or rows of elements, which it is also told the numbers of if there are any.
fn asked(
    (what, function): (&str, &Py<PyAny>),
    corners: usize,
    elements: Option<&[u32]>,
    x: &[Vec3],
) -> PyResult<Returned> {
    Python::attach(|py| {
        let count = x.len() / corners;
        let array = flat(x).into_pyarray(py).reshape([count, corners, 3])?;
        let result = match elements {
            Some(elements) => function.bind(py).call1((array, elements.to_vec().into_pyarray(py)))?,
            None => function.bind(py).call1((array,))?,
        };
        returned(what, &result, count, corners)
    })
}

/// Runs what calls Python. After an exception, which is kept, nothing more is asked, and `fill` makes the step be refused.
fn guarded(faults: &Faults, work: impl FnOnce() -> PyResult<()>, fill: impl FnOnce()) {
    let done = faults.is_empty().then(work);
    if let Some(Ok(())) = done {
        return;
    }
    fill();
    if let Some(Err(error)) = done {
        faults.put(error);
    }
}

/// Copies what a function has returned, with gradients if it has returned them at first.
fn take(found: Returned, what: &str, values: &mut [f64], gradients: Option<&mut [Vec3]>) -> PyResult<()> {
    values.copy_from_slice(&found.values);
    match (gradients, found.gradients) {
        (None, None) => Ok(()),
        (Some(gradients), Some(found)) => {
            gradients.copy_from_slice(&found);
            Ok(())
        }
        _ => Err(bad_value(format!("{what} must return gradients always or never"))),
    }
}

/// Constraints by their description, over vertices with these rest positions.
pub(crate) fn constraints(
    recipe: &Bound<'_, PyAny>,
    rest: &[Vec3],
    faults: &Faults,
) -> PyResult<Box<dyn ConstraintBatch>> {
    const WHAT: &str = "the function of custom constraints";
    let stencils: PyReadonlyArray2<'_, u32> = recipe.getattr("stencils")?.extract()?;
    let corners = stencils.as_array().ncols();
    let stencils: Vec<u32> = stencils.as_array().iter().copied().collect();
    let at_rest = |vertex: &u32| rest.get(*vertex as usize).copied();
    let Some(x) = stencils.iter().map(at_rest).collect::<Option<Vec<Vec3>>>() else {
        return Err(bad_value(format!("custom constraints use a vertex above {}", rest.len())));
    };
    let (function, name) = (recipe.getattr("function")?.unbind(), kept_name(get(recipe, "name")?));
    let bound = if get(recipe, "at_least")? { Allowed::AtLeast } else { Allowed::Equal };
    let (compliances, damping): (Vec<f64>, f64) = (get_numbers(recipe, "compliance")?, get(recipe, "damping")?);
    // At rest it shows what it returns, and what is wrong with it.
    let elements: Vec<u32> = (0..compliances.len() as u32).collect();
    let has_gradients = !x.is_empty() && asked((WHAT, &function), corners, Some(&elements), &x)?.gradients.is_some();
    let faults = faults.clone();
    if has_gradients {
        let evaluate = move |elements: &[u32], x: &[Vec3], values: &mut [f64], gradients: &mut [Vec3]| {
            let ask = |values: &mut [f64], gradients: &mut [Vec3]| {
                let found = asked((WHAT, &function), corners, Some(elements), x)?;
                take(found, WHAT, values, Some(gradients))
            };
            let mut wrong = false;
            guarded(&faults, || ask(values, gradients), || wrong = true);
            if wrong {
                values.fill(f64::NAN);
                gradients.fill(Vec3::NAN);
            }
        };
        let set = FunctionConstraints::new(name, corners, stencils, compliances, evaluate);
        let set = set.and_then(|set| set.with_damping(damping)).map_err(bad_value)?;
        return Ok(Box::new(set.with_bound(bound)));
    }
    let value = move |elements: &[u32], x: &[Vec3], values: &mut [f64]| {
        let mut wrong = false;
        let ask = |values: &mut [f64]| take(asked((WHAT, &function), corners, Some(elements), x)?, WHAT, values, None);
        guarded(&faults, || ask(values), || wrong = true);
        if wrong {
            values.fill(f64::NAN);
        }
    };
    let set = FunctionConstraints::by_differences(name, corners, stencils, compliances, value);
    let set = set.and_then(|set| set.with_damping(damping)).map_err(bad_value)?;
    Ok(Box::new(set.with_bound(bound)))
}

/// An energy whose set is C(p) = 0 for a function C in Python.
pub(crate) fn onto_constraint(
    function: Py<PyAny>,
    name: &'static str,
    operator: Operator,
    rest: &[Vec3],
    faults: &Faults,
) -> PyResult<Box<dyn Batch>> {
    const WHAT: &str = "constraint";
    let rows = operator.rows();
    let mut z = vec![Vec3::ZERO; rows * operator.len()];
    z.chunks_mut(rows).enumerate().for_each(|(element, z)| operator.apply(element, rest, z));
    let has_gradients = !z.is_empty() && asked((WHAT, &function), rows, None, &z)?.gradients.is_some();
    let faults = faults.clone();
    let evaluate = move |p: &[Vec3], values: &mut [f64], gradients: &mut [Vec3]| -> PyResult<()> {
        if has_gradients {
            return take(asked((WHAT, &function), rows, None, p)?, WHAT, values, Some(gradients));
        }
        let mut failed = None;
        let mut value = |p: &[Vec3], values: &mut [f64]| {
            if failed.is_none() {
                let result = asked((WHAT, &function), rows, None, p).and_then(|found| take(found, WHAT, values, None));
                failed = result.err();
            }
        };
        value(p, values);
        gradients_by_differences(rows, p, gradients, value);
        failed.map_or(Ok(()), Err)
    };
    let project = move |z: &[Vec3], p: &mut [Vec3]| {
        let found = |p: &mut [Vec3]| -> PyResult<()> {
            let mut failed = None;
            let constraint = |p: &[Vec3], values: &mut [f64], gradients: &mut [Vec3]| {
                if failed.is_none() {
                    failed = evaluate(p, values, gradients).err();
                }
            };
            let tolerance = SETTLED[usize::from(!has_gradients)];
            let settled = match rows {
                1 => project_all_by_sqp::<1>(z, p, tolerance, constraint),
                2 => project_all_by_sqp::<2>(z, p, tolerance, constraint),
                3 => project_all_by_sqp::<3>(z, p, tolerance, constraint),
                _ => project_all_by_sqp::<4>(z, p, tolerance, constraint),
            };
            match (failed, settled) {
                (Some(error), _) => Err(error),
                (None, Ok(())) => Ok(()),
                (None, Err(element)) => Err(bad_value(format!(
                    "the projection of element {element} of the energy {name:?} onto its constraint does not converge: \
                     it is too far away, or has no gradient"
                ))),
            }
        };
        let mut wrong = false;
        guarded(&faults, || found(p), || wrong = true);
        if wrong {
            p.fill(Vec3::NAN);
        }
    };
    Ok(Box::new(FunctionBatch::new(name, operator, project)))
}
