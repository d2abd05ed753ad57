//! Colliders and contact from their Python descriptions.

use numpy::PyReadonlyArray1;
use pliant::SelfCollision;
use pliant::SimulationBuilder;
use pliant::collide::{Collider, DistanceGrid, Heightfield, Key, Pose, Shape, SolidMesh};
use pliant::contact::{ContactMode, ContactParams};
use pliant::math::{Quat, Vec3};
use pliant::mesh::TriangleMesh;
use pyo3::prelude::*;

use crate::arrays::{choose, get, iterations, vectors};
use crate::error::bad_value;
use crate::mesh::{AnyMesh, any_mesh};

/// Colliders, contact and self-collision of a world.
pub(crate) fn surroundings(mut builder: SimulationBuilder, recipe: &Bound<'_, PyAny>) -> PyResult<SimulationBuilder> {
    for (number, description) in recipe.getattr("colliders")?.try_iter()?.enumerate() {
        builder = builder.collider(collider(&description?, number)?);
    }
    let contact = recipe.getattr("contact")?;
    let known = [
        ("constraint", ContactMode::Constraint),
        ("displacement", ContactMode::Displacement),
        ("constant-matrix", ContactMode::ConstantMatrix),
    ];
    let mode = choose("mode", &get::<String>(&contact, "mode")?, &known)?;
    builder = builder.contact(ContactParams { mode, weight: get(&contact, "weight")? });
    let apart = recipe.getattr("self_collision")?;
    if !apart.is_none() {
        builder = builder.self_collision(SelfCollision {
            thickness: get(&apart, "thickness")?,
            friction: get(&apart, "friction")?,
            stiffness: get(&apart, "stiffness")?,
            rounds: iterations(&apart, "rounds")?,
            untangle: get(&apart, "untangle")?,
            ..SelfCollision::default()
        });
    }
    Ok(builder)
}

pub(crate) fn collider(recipe: &Bound<'_, PyAny>, number: usize) -> PyResult<Collider> {
    let (name, values): (Option<String>, _) = (get(recipe, "name")?, recipe.getattr("values")?);
    let called = name.clone().unwrap_or_else(|| number.to_string());
    let refuse = |error: pliant::collide::ColliderError| bad_value(format!("collider {called:?}: {error}"));
    let item = |key: &str| {
        let given = || values.repr().map(|text| text.to_string()).unwrap_or_default();
        values.get_item(key).map_err(|_| bad_value(format!("values is {}, but needs {key:?}", given())))
    };
    let length = |key: &str| {
        let value = item(key)?;
        let given = || value.repr().map(|text| text.to_string()).unwrap_or_default();
        value.extract::<f64>().map_err(|_| bad_value(format!("{key} is {}, but must be a number", given())))
    };
    let numbers = |key: &str| {
        let array: PyReadonlyArray1<'_, f64> = item(key)?.extract()?;
        PyResult::Ok(array.as_array().to_vec())
    };
    let shape = match get::<String>(recipe, "shape")?.as_str() {
        "plane" => Shape::Plane,
        "sphere" => Shape::Sphere { radius: length("radius")? },
        "capsule" => Shape::Capsule { radius: length("radius")?, length: length("length")? },
        "box" => Shape::Box { size: item("size")?.extract::<[f64; 3]>()?.into() },
        "cylinder" => Shape::Cylinder { radius: length("radius")?, length: length("length")? },
        "heightfield" => {
            let (counts, spacing) = (item("counts")?.extract()?, item("spacing")?.extract()?);
            Shape::Heightfield(Heightfield::new(counts, spacing, numbers("heights")?).map_err(refuse)?)
        }
        "mesh" => Shape::Mesh(SolidMesh::new(&surface(&item("mesh")?)?).map_err(refuse)?),
        "distances" => {
            let (origin, counts): ([f64; 3], _) = (item("origin")?.extract()?, item("counts")?.extract()?);
            let grid = DistanceGrid::new(origin.into(), length("spacing")?, counts, numbers("distances")?);
            Shape::Grid(grid.map_err(refuse)?)
        }
        "animated" => {
            let mesh = surface(&item("mesh")?)?;
            let positions = vectors(&item("frames")?.extract()?)?;
            let frames = positions.chunks(mesh.positions.len().max(1)).map(<[Vec3]>::to_vec).collect();
            let collider = Collider::animated(&mesh, numbers("times")?, frames).map_err(refuse)?;
            return placed(collider, recipe, name);
        }
        other => return Err(bad_value(format!("there is no shape {other:?}"))),
    };
    placed(Collider::new(shape), recipe, name)
}

fn surface(mesh: &Bound<'_, PyAny>) -> PyResult<TriangleMesh> {
    match any_mesh(mesh)? {
        AnyMesh::Triangles(mesh) => Ok(mesh),
        _ => Err(bad_value("a collider's mesh must be a TriangleMesh")),
    }
}

/// Where it is, what it is like, and what it is called.
fn placed(mut collider: Collider, recipe: &Bound<'_, PyAny>, name: Option<String>) -> PyResult<Collider> {
    let keys: Vec<(f64, [f64; 3], [f64; 4])> = get(recipe, "keys")?;
    collider = if keys.is_empty() {
        let pose = pose(get(recipe, "position")?, get(recipe, "rotation")?);
        collider.at(pose.position).turned(pose.rotation)
    } else {
        collider.moving(keys.into_iter().map(|(time, p, q)| Key { time, pose: pose(p, q) }).collect())
    };
    if let Some(name) = name {
        collider = collider.named(name);
    }
    let (friction, restitution) = (get(recipe, "friction")?, get(recipe, "restitution")?);
    Ok(collider.friction(friction).restitution(restitution).thickness(get(recipe, "thickness")?))
}

fn pose(position: [f64; 3], [w, x, y, z]: [f64; 4]) -> Pose {
    Pose { position: position.into(), rotation: Quat::from_xyzw(x, y, z, w).normalize() }
}
