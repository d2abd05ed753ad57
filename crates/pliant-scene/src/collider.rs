//! From `[[collider]]` to a collider, and from `[contact]` to its parameters.

use pliant::collide::{Collider, ColliderError, DistanceGrid, Heightfield, Key, Pose, Shape, SolidMesh};
use pliant::contact::{ContactMode, ContactParams};
use pliant::math::functions::rotation_about;
use pliant::math::{Quat, Vec3};
use pliant::mesh::sdf::{SignedDistance, SurfaceDistance};
use pliant_io::read::{Files, ReadOptions};

use crate::body::{build_solid, up_axis};
use crate::budget::Budget;
use crate::fault::Fault;
use crate::format::{
    ColliderKeyframe, ColliderSection, ColliderShape, ContactModeName, ContactSection, MotionFile, Turn,
};
use crate::sequence::sequence;

/// Cells along the longest side of a solid whose distances are sampled, if nothing is said.
const STANDARD_CELLS: usize = 40;
/// Frames per second of a motion file, if nothing is said \[1/s\].
const STANDARD_RATE: f64 = 30.0;
/// Colliders turn the shorter way from key to key; keyframes that are further apart get keys between them \[°\].
const LARGEST_TURN: f64 = 90.0;
/// Degrees in a row of keyframes at most: more is a slip of the keyboard, and would make keys without end.
const MOST_DEGREES: f64 = 3.6e6;

/// How contacts are dealt with; faults are named from the top of the file.
pub(crate) fn contact(section: &ContactSection) -> Result<ContactParams, Fault> {
    let standard = ContactParams::default();
    let mode = match section.mode.unwrap_or_default() {
        ContactModeName::Constraint => ContactMode::Constraint,
        ContactModeName::Displacement => ContactMode::Displacement,
        ContactModeName::ConstantMatrix => ContactMode::ConstantMatrix,
    };
    let weight = section.weight.unwrap_or(standard.weight);
    if !(weight > 0.0 && weight.is_finite()) {
        let message = format!("weight is {weight}, but must be positive and finite");
        return Err(Fault::new("contact.weight", message));
    }
    Ok(ContactParams { mode, weight })
}

/// Builds a collider; files are looked up in `files`, and faults named within the section.
pub(crate) fn build_collider(section: &ColliderSection, files: &Files, budget: &mut Budget) -> Result<Collider, Fault> {
    let mut collider = match &section.shape {
        ColliderShape::Sequence { .. } => {
            sequence(&section.shape, files, budget).map_err(|fault| fault.inside("shape.sequence"))?
        }
        shape => Collider::new(build_shape(shape, files, budget)?),
    };
    if let Some(name) = &section.name {
        collider = collider.named(name);
    }
    if let Some(friction) = section.friction {
        collider = collider.friction(friction);
    }
    if let Some(restitution) = section.restitution {
        collider = collider.restitution(restitution);
    }
    if let Some(thickness) = section.thickness {
        collider = collider.thickness(thickness);
    }
    let pose = Pose {
        position: finite("position", section.position)?,
        rotation: section.rotation.as_ref().map_or(Ok(Quat::IDENTITY), |turn| rotation("rotation", turn))?,
    };
    collider = match (&section.motion, section.keyframe.as_slice()) {
        (Some(_), [_, ..]) => return Err(Fault::new("motion", "give `motion` or `keyframe`, not both")),
        (Some(file), []) => collider.moving(keys_of_file(file, &pose, files).map_err(|fault| fault.inside("motion"))?),
        (None, [_, ..]) => collider.moving(keys(section, &pose)?),
        (None, []) => collider.at(pose.position).turned(pose.rotation),
    };
    collider.check().map_err(|error| in_collider(section, &error))?;
    Ok(collider)
}

/// The fault of a bad collider, at the value that is to blame where the error names one.
fn in_collider(section: &ColliderSection, error: &ColliderError) -> Fault {
    let shape = section.shape.name();
    let key = match error {
        ColliderError::BadValue { name: name @ ("thickness" | "friction" | "restitution"), .. } => (*name).to_owned(),
        ColliderError::BadValue { name: "side", .. } | ColliderError::NonFinite { name: "side", .. } => {
            format!("shape.{shape}.size")
        }
        ColliderError::NonFinite { name: "height", .. } | ColliderError::LengthMismatch { .. } => {
            format!("shape.{shape}.heights")
        }
        ColliderError::BadValue { name, .. } => format!("shape.{shape}.{name}"),
        ColliderError::Surface(_) | ColliderError::InsideOut { .. } => format!("shape.{shape}.path"),
        _ => format!("shape.{shape}"),
    };
    Fault::new(key, error.to_string())
}

fn build_shape(section: &ColliderShape, files: &Files, budget: &mut Budget) -> Result<Shape, Fault> {
    let at = |key: &str, error: &dyn std::error::Error| Fault::new(key, error.to_string());
    Ok(match section {
        ColliderShape::Plane {} => Shape::Plane,
        ColliderShape::Sphere { radius } => Shape::Sphere { radius: *radius },
        ColliderShape::Capsule { radius, length } => Shape::Capsule { radius: *radius, length: *length },
        ColliderShape::Box { size } => Shape::Box { size: Vec3::from_array(*size) },
        ColliderShape::Cylinder { radius, length } => Shape::Cylinder { radius: *radius, length: *length },
        ColliderShape::Heightfield { spacing, heights } => {
            let along = heights.first().map_or(0, Vec::len);
            if let Some(row) = heights.iter().position(|row| row.len() != along) {
                let message = format!("row {row} has {} heights, but the first has {along}", heights[row].len());
                return Err(Fault::new(format!("shape.heightfield.heights.{row}"), message));
            }
            let field = Heightfield::new([along, heights.len()], *spacing, heights.concat());
            Shape::Heightfield(field.map_err(|error| match error {
                ColliderError::BadValue { name: "spacing", .. } => at("shape.heightfield.spacing", &error),
                _ => at("shape.heightfield.heights", &error),
            })?)
        }
        ColliderShape::File { path, metres_per_unit, up, cells } => {
            let key = "shape.file.path";
            let scale = metres_per_unit.unwrap_or(1.0);
            let options = ReadOptions { scale, up_axis: up_axis(*up), ..ReadOptions::default() };
            let mut imported = files.read_mesh(path, &options).map_err(|error| at(key, &error))?;
            imported.remove_unused_vertices();
            budget.take(imported.positions.len() as u128).map_err(|message| Fault::new(key, message))?;
            let mesh = imported.triangle_mesh().map_err(|error| at(key, &error))?;
            match cells {
                None => Shape::Mesh(SolidMesh::new(&mesh).map_err(|error| {
                    at(key, &error).hint("with `cells` distances are sampled on a grid, and it may have holes")
                })?),
                Some(cells) => {
                    let distance = SurfaceDistance::new(&mesh).map_err(|error| at(key, &error))?;
                    sample(&distance, Side::Cells(*cells), "shape.file.cells", budget)?
                }
            }
        }
        // Made by `sequence`.
        ColliderShape::Sequence { .. } => return Err(Fault::new("shape.sequence", "is not one shape")),
        ColliderShape::Sdf { solid, cells, cell } => {
            let solid = build_solid(solid, "shape.sdf.solid")?;
            let (side, key) = match (cells, cell) {
                (Some(_), Some(_)) => return Err(Fault::new("shape.sdf.cell", "give `cells` or `cell`, not both")),
                (None, Some(cell)) => (Side::Length(*cell), "shape.sdf.cell"),
                (cells, None) => (Side::Cells(cells.unwrap_or(STANDARD_CELLS)), "shape.sdf.cells"),
            };
            sample(&solid, side, key, budget)?
        }
    })
}

/// How fine distances are sampled.
enum Side {
    Cells(usize),
    Length(f64),
}

fn sample(solid: &impl SignedDistance, side: Side, key: &str, budget: &mut Budget) -> Result<Shape, Fault> {
    let bounds = solid.bounds();
    let spacing = match side {
        Side::Length(length) => length,
        Side::Cells(0) => return Err(Fault::new(key, "cells is 0, but must be at least 1")),
        Side::Cells(cells) => bounds.size().max_element() / cells as f64,
    };
    if !(spacing > 0.0 && spacing.is_finite()) {
        return Err(Fault::new(key, format!("cells of {spacing} m are no cells")));
    }
    // As many corners as the grid will have, which has a margin around the solid.
    let along = |length: f64| ((length / spacing).ceil() as u128).saturating_add(5);
    let corners = bounds.size().to_array().into_iter().fold(1_u128, |count, side| count.saturating_mul(along(side)));
    budget.take(corners).map_err(|message| Fault::new(key, message))?;
    Ok(Shape::Grid(DistanceGrid::sampled(solid, spacing).map_err(|error| Fault::new(key, error.to_string()))?))
}

/// The keys of keyframes.
fn keys(section: &ColliderSection, standard: &Pose) -> Result<Vec<Key>, Fault> {
    let mut frames: Vec<(usize, &ColliderKeyframe)> = section.keyframe.iter().enumerate().collect();
    frames.sort_by(|a, b| a.1.time.total_cmp(&b.1.time));
    let mut keys: Vec<Key> = Vec::new();
    let mut last: Option<&ColliderKeyframe> = None;
    for (place, frame) in frames {
        let inside = |name: &str| format!("keyframe.{place}.{name}");
        if !frame.time.is_finite() {
            return Err(Fault::new(inside("time"), format!("time is {}, but must be finite", frame.time)));
        }
        let position = match frame.position {
            Some(position) => finite(&inside("position"), position)?,
            None => standard.position,
        };
        let turned = match &frame.rotation {
            Some(turn) => rotation(&inside("rotation"), turn)?,
            None => standard.rotation,
        };
        let key = Key { time: frame.time, pose: Pose { position, rotation: turned } };
        if let (Some(before), Some(&from)) = (last, keys.last()) {
            if before.time == frame.time {
                return Err(Fault::new(inside("time"), format!("there are two keyframes at {} s", frame.time)));
            }
            if let (Some(a), Some(b)) = (&before.rotation, &frame.rotation) {
                keys.extend(on_the_way(&from, a, &key, b));
            }
        }
        keys.push(key);
        last = Some(frame);
    }
    Ok(keys)
}

/// Keys between two that turn about one axis by more than the engine would turn between them.
fn on_the_way(from: &Key, before: &Turn, to: &Key, after: &Turn) -> Vec<Key> {
    let (one, other) = (Vec3::from_array(before.axis).normalize(), Vec3::from_array(after.axis).normalize());
    let degrees = after.degrees - before.degrees;
    if one.dot(other) < 1.0 - 1e-9 || degrees.abs() <= LARGEST_TURN {
        return Vec::new();
    }
    let pieces = (degrees.abs() / LARGEST_TURN).ceil() as usize;
    let key = |k: usize| {
        let part = k as f64 / pieces as f64;
        let rotation = rotation_about(one, (before.degrees + part * degrees).to_radians());
        let position = from.pose.position.lerp(to.pose.position, part);
        Key { time: from.time + part * (to.time - from.time), pose: Pose { position, rotation } }
    };
    (1..pieces).map(key).collect()
}

/// The keys of a part of a motion file, placed in the world.
fn keys_of_file(file: &MotionFile, place: &Pose, files: &Files) -> Result<Vec<Key>, Fault> {
    let rate = file.frame_rate.unwrap_or(STANDARD_RATE);
    if !(rate > 0.0 && rate.is_finite()) {
        return Err(Fault::new("frame_rate", format!("frame_rate is {rate}, but must be positive and finite")));
    }
    let start = file.start.unwrap_or(0.0);
    if !start.is_finite() {
        return Err(Fault::new("start", format!("start is {start}, but must be finite")));
    }
    let scale = file.metres_per_unit.unwrap_or(1.0);
    let options = ReadOptions { scale, up_axis: up_axis(file.up), ..ReadOptions::default() };
    let motion = files.read_motion(&file.path, &options).map_err(|error| Fault::new("path", error.to_string()))?;
    let count = motion.parts.len();
    let poses = motion.parts.into_iter().nth(file.part).ok_or_else(|| {
        Fault::new("part", format!("there is no part {}; the file has {count}, counted from 0", file.part))
    })?;
    let key = |(frame, pose): (usize, Pose)| Key {
        time: start + frame as f64 / rate,
        pose: Pose { position: place.to_world(pose.position), rotation: (place.rotation * pose.rotation).normalize() },
    };
    Ok(poses.into_iter().enumerate().map(key).collect())
}

fn rotation(key: &str, turn: &Turn) -> Result<Quat, Fault> {
    let axis = Vec3::from_array(turn.axis);
    let length = axis.length();
    if !(length.is_finite() && length > 0.0) {
        let message = format!("the axis has length {length}, but must have a direction");
        return Err(Fault::new(format!("{key}.axis"), message));
    }
    if turn.degrees.is_nan() || turn.degrees.abs() > MOST_DEGREES {
        let message = format!("degrees is {}, but must be within ±{MOST_DEGREES}", turn.degrees);
        return Err(Fault::new(format!("{key}.degrees"), message));
    }
    Ok(rotation_about(axis / length, turn.degrees.to_radians()))
}

fn finite(key: &str, place: [f64; 3]) -> Result<Vec3, Fault> {
    if place.iter().all(|c| c.is_finite()) {
        return Ok(Vec3::from_array(place));
    }
    Err(Fault::new(key, format!("position is {place:?}, but must be finite")))
}
