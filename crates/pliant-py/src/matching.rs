//! Shape matching from its Python description, and the pieces that matched bodies break into.

use numpy::PyArray1;
use pliant::math::Vec3;
use pliant::mesh::Csr;
use pliant::{Matching, Modes, Plasticity, RegionError, Regions, Spring, VolumeConservation};
use pyo3::prelude::*;

use crate::arrays::{get, to_numbers};
use crate::error::bad_value;
use crate::lattice;
use crate::mesh::AnyMesh;
use crate::simulation::Core;

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(pieces, module)?)
}

/// How a body is matched, or nothing of it.
pub(crate) fn matching(recipe: &Bound<'_, PyAny>, rest: &[Vec3], mesh: &AnyMesh) -> PyResult<Option<Matching>> {
    if recipe.is_none() {
        return Ok(None);
    }
    let standard = Matching::new(regions(&recipe.getattr("regions")?, rest, mesh)?);
    let number = |name: &str| get::<Option<f64>>(recipe, name);
    let spring = match (number("frequency")?, number("share")?) {
        (Some(hertz), _) => Spring::Frequency(hertz),
        (None, Some(share)) => Spring::Share(share),
        (None, None) => standard.spring,
    };
    let modes = match (number("linear")?, number("quadratic")?) {
        (Some(beta), _) => Modes::Linear(beta),
        (None, Some(beta)) => Modes::Quadratic(beta),
        (None, None) => Modes::Rigid,
    };
    let plasticity = |recipe: Bound<'_, PyAny>| {
        let (yield_strain, creep, maximum) =
            (get(&recipe, "yield_strain")?, get(&recipe, "creep")?, get(&recipe, "maximum")?);
        PyResult::Ok(Plasticity { yield_strain, creep, maximum })
    };
    let volume = |recipe: Bound<'_, PyAny>| {
        let (local, distances, smoothing) =
            (get(&recipe, "local")?, get(&recipe, "distances")?, get(&recipe, "smoothing")?);
        PyResult::Ok(VolumeConservation { local, distances, smoothing })
    };
    let given = |name: &str| PyResult::Ok(Some(recipe.getattr(name)?).filter(|value| !value.is_none()));
    Ok(Some(Matching {
        spring,
        modes,
        damping: get(recipe, "damping")?,
        limit: number("limit")?,
        relaxation: get(recipe, "relaxation")?,
        plasticity: given("plasticity")?.map(plasticity).transpose()?,
        toughness: number("toughness")?,
        volume: given("volume")?.map(volume).transpose()?,
        regions: standard.regions,
    }))
}

fn regions(recipe: &Bound<'_, PyAny>, rest: &[Vec3], mesh: &AnyMesh) -> PyResult<Regions> {
    let kind: String = get(recipe, "kind")?;
    if let Some(made) = lattice::regions(&kind, recipe)? {
        return Ok(made);
    }
    let (radius, levels): (f64, usize) = (get(recipe, "radius")?, get(recipe, "levels")?);
    let made: Result<Regions, RegionError> = match kind.as_str() {
        "whole" => Ok(Regions::whole(rest.len())),
        "random" => Regions::random(rest, radius, get(recipe, "seed")?),
        "balanced" => Regions::multi_scale(rest, radius, levels),
        "rings" => {
            let edges = match mesh {
                AnyMesh::Triangles(mesh) => mesh.edges(),
                AnyMesh::Tets(mesh) => mesh.edges(),
                AnyMesh::Strands(strands) => strands.segments().collect(),
                AnyMesh::Oriented(particles) => particles.edges.clone(),
                AnyMesh::Points(_) => return Err(bad_value("rings go along edges, which points do not have")),
            };
            Regions::rings(rest.len(), &edges, get(recipe, "width")?)
        }
        _ => {
            let lists: Vec<Vec<u32>> = recipe.getattr("lists")?.extract()?;
            Ok(Regions::new(Csr::from_rows(&lists)))
        }
    };
    made.map_err(bad_value)
}

/// The number of the piece of each vertex of a body.
#[pyfunction]
fn pieces<'py>(py: Python<'py>, core: &Core, body: &str) -> PyResult<Bound<'py, PyArray1<u32>>> {
    let pieces = core.lock()?.sim().pieces(body).map_err(bad_value)?;
    Ok(to_numbers(py, &pieces))
}
