//! Bodies from their Python descriptions.

use pliant::math::Vec3;
use pliant::{Body, ClothMatching};
use pyo3::prelude::*;

use crate::arrays::{get, get_indices, get_some_numbers, get_some_vectors};
use crate::constraint::{Place, constraints};
use crate::energy::{Faults, energy};
use crate::error::bad_value;
use crate::matching::matching;
use crate::material::made_of;
use crate::mesh::{AnyMesh, any_mesh};
use crate::settings;
use crate::topology::tearing;

/// A body of masses alone.
fn of_masses(recipe: &Bound<'_, PyAny>, mesh: &AnyMesh) -> PyResult<Body> {
    let masses = get_some_numbers(recipe, "masses")?.unwrap_or_default();
    let entries = (0u32..).zip(masses).map(|(vertex, mass)| (vertex, vertex, mass)).collect();
    let body = Body::new(mesh.positions().to_vec(), entries);
    Ok(match mesh {
        AnyMesh::Triangles(mesh) => body.with_surface(mesh.triangles.clone()),
        AnyMesh::Tets(mesh) => {
            let skin = mesh.surface().map_err(bad_value)?;
            let own = |triangle: &[u32; 3]| triangle.map(|vertex| skin.vertices[vertex as usize]);
            body.with_surface(skin.mesh.triangles.iter().map(own).collect())
        }
        AnyMesh::Strands(_) | AnyMesh::Points(_) => body,
        AnyMesh::Oriented(particles) => body.with_segments(particles.edges.clone()),
    })
}

/// How its triangles are matched, if they are.
fn cloth_matching(recipe: &Bound<'_, PyAny>) -> PyResult<Option<ClothMatching>> {
    if recipe.is_none() {
        return Ok(None);
    }
    let warp: [f64; 3] = get(recipe, "warp")?;
    Ok(Some(ClothMatching {
        stretch: get(recipe, "stretch")?,
        shear: get(recipe, "shear")?,
        bend: get(recipe, "bend")?,
        fibres: get(recipe, "fibres")?,
        fibre_length: get(recipe, "fibre_length")?,
        levels: get(recipe, "levels")?,
        rounds: get(recipe, "rounds")?,
        warp: warp.into(),
    }))
}

/// A body by its Python description.
pub(crate) fn body(recipe: &Bound<'_, PyAny>, faults: &Faults) -> PyResult<Body> {
    let (mesh, pinned) = (any_mesh(&recipe.getattr("mesh")?)?, get_indices(recipe, "pinned")?);
    let material = recipe.getattr("material")?;
    let made = if material.is_none() { of_masses(recipe, &mesh)? } else { made_of(&material, recipe, &mesh)? };
    let mut body = made.with_pressure(get(recipe, "pressure")?);
    if get(recipe, "permeable")? {
        body = body.permeable();
    }
    let rest: Vec<Vec3> = body.rest().to_vec();
    for recipe in recipe.getattr("energies")?.try_iter()? {
        body = body.with_energy(energy(&recipe?, &rest, faults)?);
    }
    let place = Place { rest: &rest, mesh: &mesh, pinned: &pinned };
    for recipe in recipe.getattr("constraints")?.try_iter()? {
        body = body.with_constraints(constraints(&recipe?, &place, faults)?);
    }
    if let Some(matching) = matching(&recipe.getattr("matching")?, &rest, &mesh)? {
        body = body.with_matching(matching);
    }
    if let Some(matching) = cloth_matching(&recipe.getattr("cloth_matching")?)? {
        body = body.with_cloth_matching(matching);
    }
    body = body.pin(pinned);
    if let Some(tearing) = tearing(&recipe.getattr("tearing")?)? {
        body = body.with_tearing(tearing);
    }
    if let Some(name) = get::<Option<String>>(recipe, "name")? {
        body = body.named(name);
    }
    if let Some(positions) = get_some_vectors(recipe, "positions")? {
        body = body.with_positions(positions);
    }
    if let Some(velocities) = get_some_vectors(recipe, "velocities")? {
        body = body.with_velocities(velocities);
    }
    let solver = recipe.getattr("solver")?;
    if solver.is_none() {
        return Ok(body);
    }
    let solver = settings::solver(&solver)?;
    Ok(body.with_solver(solver))
}
