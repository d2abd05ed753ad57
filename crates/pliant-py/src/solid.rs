//! Solids to be filled: closed surfaces, and colliders that stand still.

use pliant::collide::{Collider, Pose, Shape};
use pliant::math::Vec3;
use pliant::mesh::Bounds;
use pliant::mesh::sdf::{SignedDistance, SurfaceDistance};
use pyo3::prelude::*;

use crate::collide::collider;
use crate::error::bad_value;
use crate::mesh::{AnyMesh, any_mesh};

/// A collider in its place.
struct Standing {
    collider: Collider,
    pose: Pose,
    bounds: Bounds,
}

impl SignedDistance for Standing {
    fn distance(&self, p: Vec3) -> f64 {
        self.collider.shape().nearby(self.pose.to_local(p)).distance
    }

    fn bounds(&self) -> Bounds {
        self.bounds
    }
}

/// The solid that a surface encloses or a collider is; Python has checked that it is one of these, and has an inside.
pub(crate) fn solid(recipe: &Bound<'_, PyAny>) -> PyResult<Box<dyn SignedDistance>> {
    if recipe.hasattr("triangles")? {
        let AnyMesh::Triangles(mesh) = any_mesh(recipe)? else { return Err(bad_value("a solid needs a surface")) };
        let distance = SurfaceDistance::new(&mesh).map_err(bad_value)?;
        return match distance.report().open_edges {
            0 => Ok(Box::new(distance)),
            open => Err(bad_value(format!(
                "the surface is open: {open} of its edges have a triangle on one side only, so nothing is inside"
            ))),
        };
    }
    let collider = collider(recipe, 0)?;
    collider.check().map_err(bad_value)?;
    let half = match collider.shape() {
        Shape::Sphere { radius } => Vec3::splat(*radius),
        Shape::Capsule { radius, length } => Vec3::new(*radius, radius + 0.5 * length, *radius),
        Shape::Box { size } => 0.5 * *size,
        Shape::Cylinder { radius, length } => Vec3::new(*radius, 0.5 * length, *radius),
        _ => Vec3::ZERO,
    };
    let own = match collider.shape() {
        Shape::Mesh(mesh) => Bounds::around(mesh.surface().0).unwrap_or(Bounds { min: -half, max: half }),
        Shape::Grid(grid) => {
            let values = recipe.getattr("values")?;
            let (origin, counts): ([f64; 3], [usize; 3]) =
                (values.get_item("origin")?.extract()?, values.get_item("counts")?.extract()?);
            let min = Vec3::from(origin);
            Bounds { min, max: min + grid.spacing() * Vec3::from(counts.map(|n| n.saturating_sub(1) as f64)) }
        }
        _ => Bounds { min: -half, max: half },
    };
    let pose = collider.pose(0.0);
    let corner = |k: usize| {
        let part = |axis: usize| if k >> axis & 1 == 0 { own.min[axis] } else { own.max[axis] };
        pose.to_world(Vec3::new(part(0), part(1), part(2)))
    };
    let corners: [Vec3; 8] = std::array::from_fn(corner);
    let bounds = Bounds::around(&corners).unwrap_or(own);
    Ok(Box::new(Standing { collider, pose, bounds }))
}
