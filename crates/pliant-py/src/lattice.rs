//! Lattices and octrees as arrays, and surfaces that follow particles.

use std::cell::RefCell;

use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2};
use pliant::math::{Quat, Vec3};
use pliant::{Lattice, Link, MatchedSkin, Octree, OctreeCell, RegionError, Regions, Skin};
use pyo3::prelude::*;

use crate::arrays::{
    elements, get, get_elements, get_numbers, get_vectors, read_only, to_array, to_elements, to_numbers, vectors,
};
use crate::error::bad_value;
use crate::material::ellipsoids;
use crate::mesh::any_mesh;
use crate::solid::solid;

type Vectors<'py> = Bound<'py, PyArray2<f64>>;
type Pairs<'py> = Bound<'py, PyArray2<u32>>;

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<BoundPoints>()?;
    module.add_class::<OrientedSkin>()?;
    module.add_function(wrap_pyfunction!(fill_lattice, module)?)?;
    module.add_function(wrap_pyfunction!(lattice_edges, module)?)?;
    module.add_function(wrap_pyfunction!(fill_octree, module)?)
}

/// What the engine says of a filling without cells is about regions; Python speaks of solids.
fn refused(error: &RegionError) -> PyErr {
    match error {
        RegionError::NoRegions => bad_value("no cell has its middle inside the solid: make cells smaller"),
        _ => bad_value(error),
    }
}

/// A lattice by its Python description.
pub(crate) fn lattice(recipe: &Bound<'_, PyAny>) -> PyResult<Lattice> {
    let cells: PyReadonlyArray2<'_, i32> = recipe.getattr("cells")?.extract()?;
    let cells = cells.as_array().rows().into_iter().map(|row| std::array::from_fn(|axis| row[axis])).collect();
    let origin: [f64; 3] = get(recipe, "origin")?;
    let whole = Lattice::new(cells, get(recipe, "spacing")?, origin.into()).map_err(bad_value)?;
    let cut: Vec<Link> =
        get_elements::<2>(recipe, "cut")?.into_iter().map(|[low, axis]| (low, axis as usize)).collect();
    Ok(if cut.is_empty() { whole } else { whole.without_links(&cut) })
}

/// Regions of a lattice or an octree; none of other kinds.
pub(crate) fn regions(kind: &str, recipe: &Bound<'_, PyAny>) -> PyResult<Option<Regions>> {
    let source = recipe.getattr("source")?;
    Ok(match kind {
        "lattice" => Some(lattice(&source)?.regions(get(recipe, "width")?)),
        "octree" => {
            let (centres, sizes) = (get_vectors(&source, "positions")?, get_numbers(&source, "sizes")?);
            let cells = centres.into_iter().zip(sizes).map(|(centre, size)| OctreeCell { centre, size });
            let octree = Octree::new(cells.collect(), &get_elements(&source, "_edges")?).map_err(bad_value)?;
            Some(octree.regions_of_widths(&get_numbers(recipe, "widths")?).map_err(bad_value)?)
        }
        _ => None,
    })
}

/// Cells of a lattice that fill a solid, and its origin.
#[pyfunction]
fn fill_lattice<'py>(
    py: Python<'py>,
    recipe: &Bound<'py, PyAny>,
    spacing: f64,
    largest_piece: bool,
) -> PyResult<(Bound<'py, PyArray2<i32>>, [f64; 3])> {
    let solid = &*solid(recipe)?;
    let filled = py.detach(|| Lattice::fill_centred(solid, spacing)).map_err(|error| refused(&error))?;
    let lattice = if largest_piece { filled.largest_piece() } else { filled };
    let cells = lattice.cells().as_flattened().to_vec().into_pyarray(py).reshape([lattice.cells().len(), 3])?;
    Ok((read_only(cells), lattice.origin().to_array()))
}

/// Pairs of linked neighbours.
#[pyfunction]
fn lattice_edges<'py>(py: Python<'py>, recipe: &Bound<'py, PyAny>) -> PyResult<Pairs<'py>> {
    to_elements(py, &lattice(recipe)?.edges())
}

/// Middles, sizes and neighbours of the cells of an octree that fills a solid. Cells are split where a function of Python says so, or where they are
/// nearer to the surface than `detail` times their size.
#[pyfunction]
#[pyo3(signature = (recipe, numbers, levels, splits, largest_piece))]
fn fill_octree<'py>(
    py: Python<'py>,
    recipe: &Bound<'py, PyAny>,
    numbers: [f64; 2],
    levels: u32,
    splits: Option<Bound<'py, PyAny>>,
    largest_piece: bool,
) -> PyResult<(Vectors<'py>, Bound<'py, PyArray1<f64>>, Pairs<'py>)> {
    let ([size, detail], solid) = (numbers, &*solid(recipe)?);
    let failed: RefCell<Option<PyErr>> = RefCell::new(None);
    let octree = match &splits {
        None => py.detach(|| {
            Octree::fill(solid, size, levels, |cell: OctreeCell, distance: f64| distance.abs() <= detail * cell.size)
        }),
        Some(splits) => Octree::fill(solid, size, levels, |cell, distance| {
            // After an error nothing is asked any more.
            if failed.borrow().is_some() {
                return false;
            }
            let asked = splits.call1((cell.centre.to_array(), cell.size, distance));
            asked.and_then(|answer| answer.is_truthy()).unwrap_or_else(|error| {
                *failed.borrow_mut() = Some(error);
                false
            })
        }),
    };
    if let Some(error) = failed.into_inner() {
        return Err(error);
    }
    let octree = octree.map_err(|error| refused(&error))?;
    let octree = if largest_piece { octree.largest_piece() } else { octree };
    let sizes: Vec<f64> = octree.cells().iter().map(|cell| cell.size).collect();
    Ok((to_array(py, &octree.points().positions)?, to_numbers(py, &sizes), to_elements(py, &octree.edges())?))
}

/// The engine behind `pliant.MatchedSkin`.
#[pyclass(frozen, name = "MatchedSkin", module = "pliant._pliant")]
pub(crate) struct BoundPoints(MatchedSkin);

#[pymethods]
impl BoundPoints {
    #[new]
    fn new(
        rest: PyReadonlyArray2<'_, f64>,
        sizes: PyReadonlyArray1<'_, f64>,
        edges: PyReadonlyArray2<'_, u32>,
        points: PyReadonlyArray2<'_, f64>,
    ) -> PyResult<Self> {
        let (rest, points) = (vectors(&rest)?, vectors(&points)?);
        let made = MatchedSkin::new(&rest, &sizes.as_array().to_vec(), &elements(&edges)?, &points);
        made.map(Self).map_err(bad_value)
    }

    fn follow<'py>(&self, py: Python<'py>, positions: PyReadonlyArray2<'py, f64>) -> PyResult<Vectors<'py>> {
        to_array(py, &self.0.apply(&vectors(&positions)?))
    }

    fn velocities<'py>(
        &self,
        py: Python<'py>,
        positions: PyReadonlyArray2<'py, f64>,
        velocities: PyReadonlyArray2<'py, f64>,
    ) -> PyResult<Vectors<'py>> {
        to_array(py, &self.0.velocities(&vectors(&positions)?, &vectors(&velocities)?))
    }
}

/// The engine behind `pliant.Skin`.
#[pyclass(frozen, name = "Skin", module = "pliant._pliant")]
pub(crate) struct OrientedSkin(Skin);

#[pymethods]
impl OrientedSkin {
    #[new]
    fn new(recipe: &Bound<'_, PyAny>) -> PyResult<Self> {
        let particles = ellipsoids(&recipe.getattr("material")?, &any_mesh(&recipe.getattr("strands")?)?)?;
        Skin::new(&particles, &get_vectors(recipe, "points")?).map(Self).map_err(bad_value)
    }

    fn follow<'py>(
        &self,
        py: Python<'py>,
        positions: PyReadonlyArray2<'py, f64>,
        orientations: PyReadonlyArray2<'py, f64>,
    ) -> PyResult<Vectors<'py>> {
        let turn = |row: [f64; 4]| Quat::from_xyzw(row[1], row[2], row[3], row[0]);
        let rows = orientations.as_array();
        let turns: Vec<Quat> = rows.rows().into_iter().map(|row| turn(std::array::from_fn(|k| row[k]))).collect();
        let positions: Vec<Vec3> = vectors(&positions)?;
        to_array(py, &self.0.apply(&positions, &turns))
    }
}
