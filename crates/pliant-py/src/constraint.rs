//! Constraints of the position-based solver, and limits of strain, from their Python descriptions.

use numpy::{PyArray1, PyArray2};
use pliant::constraint::{
    Allowed, Balloon, Constraint, ConstraintBatch, ConstraintSet, Dihedral, Distance, IsometricBending,
    LongRangeAttachments, PointTriangle, ShapeMatching, Side, TetStrainConstraint, TetVolumeConstraint, Thread,
    ThreadLengths, TriangleAreaConstraint, TriangleStrainConstraint,
};
use pliant::energy::EnergyError;
use pliant::math::Vec3;
use pliant::mesh::TriangleMesh;
use pliant::{LimitMethod, StrainLimiting};
use pyo3::prelude::*;

use crate::arrays::{
    bounded, choose, get, get_elements, get_indices, get_numbers, get_some_numbers, iterations, to_elements, to_numbers,
};
use crate::custom;
use crate::energy::Faults;
use crate::error::bad_value;
use crate::mesh::{AnyMesh, any_mesh};

/// What constraints of a body are made on.
pub(crate) struct Place<'a> {
    pub(crate) rest: &'a [Vec3],
    pub(crate) mesh: &'a AnyMesh,
    pub(crate) pinned: &'a [u32],
}

/// A vertex and its attachment point, and the length, of each thread.
type Threads<'py> = (Bound<'py, PyArray2<u32>>, Bound<'py, PyArray1<f64>>);
type Built = PyResult<Box<dyn ConstraintBatch>>;

/// Constraints of one kind over the vertices of a body.
pub(crate) fn constraints(recipe: &Bound<'_, PyAny>, place: &Place<'_>, faults: &Faults) -> Built {
    let rest = place.rest;
    match get::<String>(recipe, "kind")?.as_str() {
        "distance" => distance(recipe, rest),
        "dihedral" => {
            let hinges = get_elements(recipe, "hinges")?;
            let mut set = at_rest(Dihedral::at_rest(&hinges, rest, 0.0))?;
            if let Some(angles) = get_some_numbers(recipe, "rest_angles")? {
                set.iter_mut().zip(angles).for_each(|(hinge, angle)| hinge.angle = angle);
            }
            batch(recipe, hinges, set)
        }
        "isometric_bending" => {
            let hinges = get_elements(recipe, "hinges")?;
            let set = at_rest(IsometricBending::at_rest(&hinges, rest, 0.0))?;
            batch(recipe, hinges, set)
        }
        "area_constraint" => {
            let triangles = get_elements(recipe, "triangles")?;
            let mut set = at_rest(TriangleAreaConstraint::at_rest(&triangles, rest, 0.0))?;
            if let Some(areas) = get_some_numbers(recipe, "rest_areas")? {
                set.iter_mut().zip(areas).for_each(|(triangle, area)| triangle.area = area);
            }
            batch(recipe, triangles, set)
        }
        "volume_constraint" => {
            let tets = get_elements(recipe, "tets")?;
            let mut set = at_rest(TetVolumeConstraint::at_rest(&tets, rest, 0.0))?;
            if let Some(volumes) = get_some_numbers(recipe, "rest_volumes")? {
                set.iter_mut().zip(volumes).for_each(|(tet, volume)| tet.volume = volume);
            }
            batch(recipe, tets, set)
        }
        "balloon" => {
            let surface = TriangleMesh::new(rest.to_vec(), get_elements(recipe, "triangles")?).map_err(bad_value)?;
            let balloon = Balloon::new(&surface, get(recipe, "pressure")?, get(recipe, "compliance")?);
            Ok(balloon.map_err(bad_value)?.boxed())
        }
        "strain_constraint_2d" => {
            let triangles = get_elements(recipe, "triangles")?;
            let set = at_rest(TriangleStrainConstraint::at_rest(&triangles, rest, 0.0))?;
            batch(recipe, triangles, set)
        }
        "strain_constraint_3d" => {
            let tets = get_elements(recipe, "tets")?;
            let set = at_rest(TetStrainConstraint::at_rest(&tets, rest, 0.0))?;
            batch(recipe, tets, set)
        }
        "point_triangle" => point_triangle(recipe, rest),
        "shape_matching" => {
            let sets: Option<Vec<Vec<u32>>> = get(recipe, "lists")?;
            let sets = sets.unwrap_or_else(|| vec![(0..rest.len() as u32).collect()]);
            let matching = ShapeMatching::at_rest(&sets, rest, get(recipe, "compliance")?);
            Ok(matching.map_err(bad_value)?.boxed())
        }
        "custom" => custom::constraints(recipe, rest, faults),
        "long-range" => Ok(threads(recipe, place)?.boxed()),
        other => Err(bad_value(format!("there are no constraints of the kind {other:?}"))),
    }
}

/// Constraints with what they have at rest.
fn at_rest<C: Constraint<N> + Copy, const N: usize>(set: Result<ConstraintSet<C, N>, EnergyError>) -> PyResult<Vec<C>> {
    Ok(set.map_err(bad_value)?.constraints().to_vec())
}

/// Constraints over stencils, with a compliance for each and damping.
fn batch<C: Constraint<N>, const N: usize>(
    recipe: &Bound<'_, PyAny>,
    stencils: Vec<[u32; N]>,
    constraints: Vec<C>,
) -> Built {
    let compliances = get_numbers(recipe, "compliance")?;
    let elements =
        stencils.into_iter().zip(constraints).zip(compliances).map(|((s, c), compliance)| (s, c, compliance));
    let (set, damping) = (ConstraintSet::new(elements), get(recipe, "damping")?);
    Ok(set.and_then(|set| set.with_damping(damping)).map_err(bad_value)?.boxed())
}

fn distance(recipe: &Bound<'_, PyAny>, rest: &[Vec3]) -> Built {
    let known = [("exactly", Allowed::Exactly), ("at-least", Allowed::AtLeast), ("at-most", Allowed::AtMost)];
    let allowed = choose("allowed", &get::<String>(recipe, "allowed")?, &known)?;
    let edges = get_elements(recipe, "edges")?;
    let mut set = at_rest(Distance::at_rest(&edges, rest, allowed, 0.0))?;
    if let Some(lengths) = get_some_numbers(recipe, "rest_lengths")? {
        set.iter_mut().zip(lengths).for_each(|(edge, length)| edge.length = length);
    }
    batch(recipe, edges, set)
}

fn point_triangle(recipe: &Bound<'_, PyAny>, rest: &[Vec3]) -> Built {
    let known = [("at-rest", None), ("front", Some(Side::Front)), ("back", Some(Side::Back))];
    let side = choose("side", &get::<String>(recipe, "side")?, &known)?;
    let stencils: Vec<[u32; 4]> = get_elements(recipe, "stencils")?;
    let thickness = get_numbers(recipe, "thickness")?;
    let mut set = Vec::with_capacity(stencils.len());
    for (stencil, &thickness) in stencils.iter().zip(&thickness) {
        let mut corners = [Vec3::ZERO; 4];
        for (corner, &v) in corners.iter_mut().zip(stencil) {
            let place = rest.get(v as usize);
            *corner =
                *place.ok_or_else(|| bad_value(format!("stencils uses vertex {v}, but there are {}", rest.len())))?;
        }
        let own = PointTriangle::where_it_is(thickness, &corners);
        set.push(PointTriangle { side: side.unwrap_or(own.side), ..own });
    }
    batch(recipe, stencils, set)
}

/// Threads from the vertices of a body to its attachment points, or to its pins where none are given.
fn threads(recipe: &Bound<'_, PyAny>, place: &Place<'_>) -> PyResult<ConstraintSet<Thread, 2>> {
    let known = [("geodesic", ThreadLengths::Geodesic), ("euclidean", ThreadLengths::Euclidean)];
    let attachments = LongRangeAttachments {
        lengths: choose("lengths", &get::<String>(recipe, "lengths")?, &known)?,
        per_vertex: get::<Option<usize>>(recipe, "per_vertex")?.unwrap_or(usize::MAX),
        slack: get(recipe, "slack")?,
    };
    let points = match recipe.getattr("points")?.is_none() {
        true => place.pinned.to_vec(),
        false => get_indices(recipe, "points")?,
    };
    if points.is_empty() {
        return Err(bad_value("LongRangeAttachments: points is empty, and nothing is pinned"));
    }
    let (edges, triangles) = match place.mesh {
        AnyMesh::Triangles(mesh) => (Vec::new(), mesh.triangles.clone()),
        AnyMesh::Tets(mesh) => (mesh.edges(), Vec::new()),
        AnyMesh::Strands(strands) => (strands.segments().collect(), Vec::new()),
        AnyMesh::Oriented(particles) => (particles.edges.clone(), Vec::new()),
        AnyMesh::Points(_) => (Vec::new(), Vec::new()),
    };
    attachments.threads(place.rest, &edges, &triangles, &points).map_err(bad_value)
}

/// Pairs of a vertex and its attachment point, and lengths of their threads.
#[pyfunction]
pub(crate) fn long_range_threads<'py>(
    py: Python<'py>,
    recipe: &Bound<'py, PyAny>,
    mesh: &Bound<'py, PyAny>,
) -> PyResult<Threads<'py>> {
    let mesh = any_mesh(mesh)?;
    let set = threads(recipe, &Place { rest: mesh.positions(), mesh: &mesh, pinned: &[] })?;
    let pairs: Vec<[u32; 2]> = (0..set.len()).map(|k| [set.stencil(k)[0], set.stencil(k)[1]]).collect();
    let lengths: Vec<f64> = set.constraints().iter().map(|thread| thread.length).collect();
    Ok((to_elements(py, &pairs)?, to_numbers(py, &lengths)))
}

/// How far bodies may be stretched, or nothing of it.
pub(crate) fn strain_limiting(recipe: &Bound<'_, PyAny>) -> PyResult<Option<StrainLimiting>> {
    if recipe.is_none() {
        return Ok(None);
    }
    let iterations = iterations(recipe, "iterations")?;
    let method = match get::<String>(recipe, "method")?.as_str() {
        "global" => LimitMethod::Global {
            iterations,
            tolerance: bounded(recipe, "tolerance", "more than 0", |value| value > 0.0)?,
        },
        "principal" => LimitMethod::Principal { iterations },
        "edges" => LimitMethod::Edges { iterations },
        "hierarchy" => LimitMethod::Hierarchy { levels: get(recipe, "levels")?, iterations },
        other => {
            let known = r#""global", "principal", "edges", "hierarchy""#;
            return Err(bad_value(format!("method is {other:?}, but must be one of {known}")));
        }
    };
    let most = bounded(recipe, "most", "at least 1", |value| value >= 1.0)?;
    let least = bounded(recipe, "least", "0 to 1", |value| (0.0..=1.0).contains(&value))?;
    Ok(Some(StrainLimiting { most, least, method }))
}
