//! NumPy arrays and lists of vectors or indices. Python has checked types and shapes with the names of its arguments; what still
//! does not fit is refused here as well.

use std::ops::RangeInclusive;

use numpy::ndarray::Dimension;
use numpy::{IntoPyArray, PyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2};
use pliant::math::Vec3;
use pyo3::prelude::*;
use pyo3::types::{PyFloat, PyInt, PyList, PyTuple};

use crate::error::bad_value;

/// The attribute of a recipe.
pub(crate) fn get<'py, T>(recipe: &Bound<'py, PyAny>, name: &str) -> PyResult<T>
where
    T: for<'a> FromPyObject<'a, 'py, Error = PyErr>,
{
    let value = recipe.getattr(name)?;
    check_sizes(name, &value)?;
    value.extract().map_err(|error: PyErr| {
        let given = value.repr().map(|text| text.to_string()).unwrap_or_default();
        bad_value(format!("{name} is {given}: {}", error.value(recipe.py())))
    })
}

/// Sizes that a number other than 0 may have, as Python's own checks say.
const SIZES: RangeInclusive<f64> = 1e-40..=1e20;

/// Refuses numbers that nothing could mean, alone or in a tuple or list. Infinite ones mean something to a few, and are refused by the others.
fn check_sizes(name: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
    let fits = |number: f64| number == 0.0 || !number.is_finite() || SIZES.contains(&number.abs());
    let numbers = if value.is_instance_of::<PyFloat>() || value.is_instance_of::<PyInt>() {
        value.extract::<f64>().into_iter().collect()
    } else if value.is_instance_of::<PyTuple>() || value.is_instance_of::<PyList>() {
        value.extract::<Vec<f64>>().unwrap_or_default()
    } else {
        Vec::new()
    };
    match numbers.into_iter().find(|number| !fits(*number)) {
        None => Ok(()),
        Some(number) => {
            let (least, most) = (SIZES.start(), SIZES.end());
            Err(bad_value(format!("{name} is {number:e}, but must be 0 or of a size from {least:e} to {most:e}")))
        }
    }
}

/// Most iterations of a step; more would not end.
const MOST_ITERATIONS: usize = 1_000_000;

/// A number of iterations or rounds.
pub(crate) fn iterations(recipe: &Bound<'_, PyAny>, name: &str) -> PyResult<usize> {
    match get(recipe, name)? {
        count if count <= MOST_ITERATIONS => Ok(count),
        count => Err(bad_value(format!("{name} is {count}, but must be at most {MOST_ITERATIONS}"))),
    }
}

/// A number of a description, within what the engine asks for.
pub(crate) fn bounded(recipe: &Bound<'_, PyAny>, name: &str, need: &str, holds: impl Fn(f64) -> bool) -> PyResult<f64> {
    let value: f64 = get(recipe, name)?;
    if value.is_finite() && holds(value) {
        return Ok(value);
    }
    Err(bad_value(format!("{name} is {value}, but must be {need}")))
}

/// Vectors from an array of shape (n, 3).
pub(crate) fn vectors(array: &PyReadonlyArray2<'_, f64>) -> PyResult<Vec<Vec3>> {
    let view = array.as_array();
    if view.ncols() != 3 {
        return Err(bad_value(format!("vectors have 3 components, but here they have {}", view.ncols())));
    }
    Ok(view.rows().into_iter().map(|row| Vec3::new(row[0], row[1], row[2])).collect())
}

/// Elements of N vertices from an array of shape (m, N).
pub(crate) fn elements<const N: usize>(array: &PyReadonlyArray2<'_, u32>) -> PyResult<Vec<[u32; N]>> {
    let view = array.as_array();
    if view.ncols() != N {
        return Err(bad_value(format!("elements have {N} vertices, but here they have {}", view.ncols())));
    }
    Ok(view.rows().into_iter().map(|row| std::array::from_fn(|corner| row[corner])).collect())
}

/// The vectors of an attribute.
pub(crate) fn get_vectors(recipe: &Bound<'_, PyAny>, name: &str) -> PyResult<Vec<Vec3>> {
    vectors(&recipe.getattr(name)?.extract()?)
}

/// The vectors of an attribute that may be None.
pub(crate) fn get_some_vectors(recipe: &Bound<'_, PyAny>, name: &str) -> PyResult<Option<Vec<Vec3>>> {
    let value = recipe.getattr(name)?;
    if value.is_none() { Ok(None) } else { vectors(&value.extract()?).map(Some) }
}

/// The elements of an attribute.
pub(crate) fn get_elements<const N: usize>(recipe: &Bound<'_, PyAny>, name: &str) -> PyResult<Vec<[u32; N]>> {
    elements(&recipe.getattr(name)?.extract()?)
}

/// The indices of an attribute.
pub(crate) fn get_indices(recipe: &Bound<'_, PyAny>, name: &str) -> PyResult<Vec<u32>> {
    let array: PyReadonlyArray1<'_, u32> = recipe.getattr(name)?.extract()?;
    Ok(array.as_array().to_vec())
}

/// The numbers of an attribute.
pub(crate) fn get_numbers(recipe: &Bound<'_, PyAny>, name: &str) -> PyResult<Vec<f64>> {
    let array: PyReadonlyArray1<'_, f64> = recipe.getattr(name)?.extract()?;
    Ok(array.as_array().to_vec())
}

/// The numbers of an attribute that may be None.
pub(crate) fn get_some_numbers(recipe: &Bound<'_, PyAny>, name: &str) -> PyResult<Option<Vec<f64>>> {
    let value = recipe.getattr(name)?;
    if value.is_none() { Ok(None) } else { get_numbers(recipe, name).map(Some) }
}

/// An array that Python can read but not write: it is a copy, and what somebody wrote into it would go nowhere.
pub(crate) fn read_only<'py, T: numpy::Element, D: Dimension>(
    array: Bound<'py, PyArray<T, D>>,
) -> Bound<'py, PyArray<T, D>> {
    drop(array.readwrite().make_nonwriteable());
    array
}

/// Vectors as a new array of shape (n, 3).
pub(crate) fn to_array<'py>(py: Python<'py>, vectors: &[Vec3]) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let mut flat = Vec::with_capacity(3 * vectors.len());
    vectors.iter().for_each(|v| flat.extend_from_slice(&v.to_array()));
    flat.into_pyarray(py).reshape([vectors.len(), 3]).map(read_only)
}

/// Elements as a new array of shape (m, N).
pub(crate) fn to_elements<'py, const N: usize>(
    py: Python<'py>,
    elements: &[[u32; N]],
) -> PyResult<Bound<'py, PyArray2<u32>>> {
    elements.as_flattened().to_vec().into_pyarray(py).reshape([elements.len(), N]).map(read_only)
}

/// Lists of one length as a new array.
pub(crate) fn to_rows<'py, T: numpy::Element + Copy>(
    py: Python<'py>,
    rows: &[Vec<T>],
) -> PyResult<Bound<'py, PyArray2<T>>> {
    let flat: Vec<T> = rows.iter().flatten().copied().collect();
    flat.into_pyarray(py).reshape([rows.len(), rows.first().map_or(0, Vec::len)]).map(read_only)
}

/// Numbers as a new array.
pub(crate) fn to_numbers<'py, T: numpy::Element + Copy>(py: Python<'py>, numbers: &[T]) -> Bound<'py, PyArray1<T>> {
    read_only(numbers.to_vec().into_pyarray(py))
}

/// One of several names, as `what` is called in Python.
pub(crate) fn choose<T: Copy>(what: &str, name: &str, known: &[(&str, T)]) -> PyResult<T> {
    known.iter().find(|(key, _)| *key == name).map(|(_, value)| *value).ok_or_else(|| {
        let names: Vec<String> = known.iter().map(|(key, _)| format!("{key:?}")).collect();
        bad_value(format!("{what} is {name:?}, but must be one of {}", names.join(", ")))
    })
}
