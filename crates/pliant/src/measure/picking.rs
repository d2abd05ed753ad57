//! Which vertex a ray points at.

use crate::math::Vec3;
use crate::step::inputs::{InputError, finite};
use crate::step::simulation::Simulation;
use crate::world::model::BodyInfo;

/// A ray, such as from the eye through a pixel.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Ray {
    /// Where it starts \[m\].
    pub origin: Vec3,
    /// Where it goes; of any length but 0.
    pub direction: Vec3,
}

/// A vertex that a ray points at.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Pick {
    /// Name of its body.
    pub body: String,
    /// The vertex, in the numbers of the body.
    pub vertex: u32,
    /// The point of the ray on the surface, or nearest to the vertex \[m\].
    pub point: Vec3,
    /// Distance of that point from the origin of the ray \[m\].
    pub distance: f64,
}

/// What a ray meets: the distance along it, and the vertex.
type Found = Option<(f64, usize)>;

impl Simulation {
    /// The vertex that a ray points at: of the first surface that it meets, the corner nearest to that point; of strands
    /// and particles, the first vertex that is within `radius` \[m\] of the ray. None if there is none.
    /// [`grab`](Self::grab) has an example.
    pub fn pick(&self, ray: Ray, radius: f64) -> Result<Option<Pick>, InputError> {
        finite("origin of the ray", ray.origin)?;
        finite("direction of the ray", ray.direction)?;
        let Some(direction) = ray.direction.try_normalize() else {
            return Err(InputError::BadValue { name: "length of the ray's direction", value: 0.0, need: "above 0" });
        };
        if !(radius.is_finite() && radius >= 0.0) {
            return Err(InputError::BadValue { name: "radius of picking", value: radius, need: "at least 0" });
        }
        let (x, origin) = (&self.state.positions, ray.origin);
        let found = self.model.bodies().iter().filter_map(|body| match body.surface.is_empty() {
            true => near_ray(body, x, origin, direction, radius),
            false => first_triangle(body, x, origin, direction),
        });
        let nearest = found.min_by(|a, b| a.0.total_cmp(&b.0));
        Ok(nearest.map(|(distance, vertex)| {
            let (body, number) = self.model.locate(vertex);
            let point = origin + direction * distance;
            Pick { body: body.name.clone(), vertex: number as u32, point, distance }
        }))
    }
}

/// The first triangle on the ray [Möller & Trumbore 1997].
fn first_triangle(body: &BodyInfo, x: &[Vec3], origin: Vec3, direction: Vec3) -> Found {
    let mut nearest: Found = None;
    for triangle in &body.surface {
        let [a, b, c] = triangle.map(|v| x[v as usize]);
        let (u, v) = (b - a, c - a);
        let normal = direction.cross(v);
        let determinant = u.dot(normal);
        if determinant == 0.0 {
            continue;
        }
        let offset = origin - a;
        let across = offset.cross(u);
        let (s, t) = (offset.dot(normal) / determinant, direction.dot(across) / determinant);
        let distance = v.dot(across) / determinant;
        let is_inside = s >= 0.0 && t >= 0.0 && s + t <= 1.0 && distance >= 0.0;
        if is_inside && nearest.is_none_or(|(before, _)| distance < before) {
            let point = origin + direction * distance;
            let corners = triangle.map(|v| v as usize);
            let corner = corners.into_iter().min_by(|&a, &b| x[a].distance(point).total_cmp(&x[b].distance(point)));
            nearest = corner.map(|corner| (distance, corner));
        }
    }
    nearest
}

/// The first vertex within a radius of the ray.
fn near_ray(body: &BodyInfo, x: &[Vec3], origin: Vec3, direction: Vec3, radius: f64) -> Found {
    let along = body.vertices.clone().map(|v| (direction.dot(x[v] - origin), v));
    let near =
        along.filter(|&(distance, v)| distance >= 0.0 && (x[v] - origin - direction * distance).length() <= radius);
    near.min_by(|a, b| a.0.total_cmp(&b.0))
}
