//! From `[body.shape.sdf]` to a signed distance.

use pliant::math::{Mat3, Vec3};
use pliant::mesh::sdf::{Ball, Block, Capsule, Ring, Rod, Solid};

use super::shape::rigid;
use crate::fault::Fault;
use crate::format::SolidShape;
use crate::motion::check_rotation;

/// Solids in one shape at most: each asks all below it for its distance, so more would take for ever.
const MOST_SOLIDS: usize = 256;

/// The solid of a shape that stands at `key`.
pub(crate) fn build_solid(shape: &SolidShape, key: &str) -> Result<Solid, Fault> {
    let count = shape.count();
    if count > MOST_SOLIDS {
        return Err(Fault::new(key, format!("{count} solids are combined, but at most {MOST_SOLIDS} can be")));
    }
    solid(shape, key)
}

fn solid(shape: &SolidShape, key: &str) -> Result<Solid, Fault> {
    let key = format!("{key}.{}", shape.name());
    let positive = |name: &str, value: f64| {
        let usable = value.is_finite() && value > 0.0;
        let message = || format!("{name} is {value}, but must be positive and finite");
        if usable { Ok(value) } else { Err(Fault::new(format!("{key}.{name}"), message())) }
    };
    let point = |name: &str, value: [f64; 3]| {
        let message = || format!("{name} is {value:?}, but must be finite");
        let usable = value.iter().all(|c| c.is_finite());
        if usable { Ok(Vec3::from(value)) } else { Err(Fault::new(format!("{key}.{name}"), message())) }
    };
    Ok(match shape {
        SolidShape::Sphere { centre, radius } => {
            Solid::new(Ball { centre: point("centre", *centre)?, radius: positive("radius", *radius)? })
        }
        SolidShape::Box { centre, size } => {
            size.iter().try_for_each(|&side| positive("size", side).map(|_| ()))?;
            Solid::new(Block { centre: point("centre", *centre)?, size: (*size).into() })
        }
        SolidShape::Capsule { from, to, radius } => Solid::new(Capsule {
            ends: [point("from", *from)?, point("to", *to)?],
            radius: positive("radius", *radius)?,
        }),
        SolidShape::Torus { centre, radius, tube_radius } => Solid::new(Ring {
            centre: point("centre", *centre)?,
            radius: positive("radius", *radius)?,
            tube_radius: positive("tube_radius", *tube_radius)?,
        }),
        SolidShape::Cylinder { centre, radius, length } => Solid::new(Rod {
            centre: point("centre", *centre)?,
            radius: positive("radius", *radius)?,
            length: positive("length", *length)?,
        }),
        SolidShape::Union { of } => combine(of, &key, Solid::union)?,
        SolidShape::SmoothUnion { radius, of } => {
            let radius = positive("radius", *radius)?;
            combine(of, &key, |a, b| a.smooth_union(b, radius))?
        }
        SolidShape::Intersection { of } => combine(of, &key, Solid::intersection)?,
        SolidShape::Difference { of } => combine(of, &key, Solid::difference)?,
        SolidShape::Offset { distance, of } => {
            if !distance.is_finite() {
                let message = format!("distance is {distance}, but must be finite");
                return Err(Fault::new(format!("{key}.distance"), message));
            }
            solid(of, &format!("{key}.of"))?.offset(*distance)
        }
        SolidShape::Transform { scale, rotate, translate, of } => {
            let scale = positive("scale", scale.unwrap_or(1.0))?;
            let translate = point("translate", *translate)?;
            let (rotation, shift) = match rotate {
                None => (Mat3::IDENTITY, Vec3::ZERO),
                Some(rotation) => {
                    check_rotation(&format!("{key}.rotate"), rotation)?;
                    rigid(rotation)
                }
            };
            solid(of, &format!("{key}.of"))?.scaled(scale).moved(rotation, shift + translate)
        }
    })
}

/// All solids of a list, one after the other.
fn combine(list: &[SolidShape], key: &str, mut with: impl FnMut(Solid, Solid) -> Solid) -> Result<Solid, Fault> {
    let mut result = None;
    for (k, shape) in list.iter().enumerate() {
        let next = solid(shape, &format!("{key}.of.{k}"))?;
        result = Some(match result {
            None => next,
            Some(before) => with(before, next),
        });
    }
    result.ok_or_else(|| Fault::new(format!("{key}.of"), "the list is empty, but needs at least one solid"))
}
