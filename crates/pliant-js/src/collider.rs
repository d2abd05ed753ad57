//! Colliders from their descriptions.

use pliant::collide::{Collider, Key, Pose, Shape, SolidMesh};
use pliant::math::functions::rotation_about;
use pliant::math::{Quat, Vec3};
use wasm_bindgen::JsValue;

use crate::fault::Fault;
use crate::mesh::surface;
use crate::options::{Options, number, text, vector};

/// A rotation about an axis by degrees.
fn turned(options: &Options) -> Result<Quat, Fault> {
    let Some(turn) = options.inner("turned")? else { return Ok(Quat::IDENTITY) };
    let (axis, degrees) = (turn.need("axis", vector)?, turn.need("degrees", number)?);
    turn.finish()?;
    if axis == Vec3::ZERO {
        return Err(Fault::new(format!("{} has no length", turn.place("axis"))));
    }
    Ok(rotation_about(axis.normalize(), degrees.to_radians()))
}

fn pose(options: &Options) -> Result<Pose, Fault> {
    Ok(Pose { position: options.vector("at", Vec3::ZERO)?, rotation: turned(options)? })
}

fn key(value: &JsValue, place: &str) -> Result<Key, Fault> {
    let options = Options::new(value, place)?;
    let key = Key { time: options.need("time", number)?, pose: pose(&options)? };
    options.finish()?;
    Ok(key)
}

/// A collider from its description.
pub(crate) fn collider(value: &JsValue, place: &str) -> Result<Collider, Fault> {
    let options = Options::new(value, place)?;
    let kind = options.need("kind", text)?;
    let length = |key: &'static str| options.need(key, number);
    let refuse = |error: pliant::collide::ColliderError| Fault::new(error).at(place);
    let shape = match kind.as_str() {
        "plane" => Shape::Plane,
        "sphere" => Shape::Sphere { radius: length("radius")? },
        "capsule" => Shape::Capsule { radius: length("radius")?, length: length("length")? },
        "cylinder" => Shape::Cylinder { radius: length("radius")?, length: length("length")? },
        "box" => Shape::Box { size: options.need("size", vector)? },
        "mesh" => Shape::Mesh(SolidMesh::new(&options.need("mesh", surface)?).map_err(refuse)?),
        _ => return Err(Fault::new(format!("{place} is not a collider: there is no kind {kind:?}"))),
    };
    let (pose, keys) = (pose(&options)?, options.list("keys", key)?);
    let mut made = Collider::new(shape).at(pose.position).turned(pose.rotation);
    if !keys.is_empty() {
        made = made.moving(keys);
    }
    let usual = made.surface();
    made = made
        .friction(options.number("friction", usual.friction)?)
        .restitution(options.number("restitution", usual.restitution)?)
        .thickness(options.number("thickness", usual.thickness)?);
    if let Some(name) = options.read("name", text)? {
        made = made.named(name);
    }
    options.finish()?;
    made.check().map_err(refuse)?;
    Ok(made)
}
