//! Contact of ellipsoids with colliders: an ellipsoid touches at its deepest point, and friction at that point turns it.
//!
//! With n the normal of the collider and Q = R diag(a², b², c²) Rᵀ, the farthest point against n is r = −Q n/√(nᵀQn) from the centre. A push p there
//! moves the particle by p/m and turns it by I⁻¹(r × p), so it gives way along a direction d by 1/m + (r × d)ᵀI⁻¹(r × d)
//! [Müller 2020, §3.3]. Of a contact all pushes of a step are summed up, so that friction stays within Coulomb's cone.
//! Not done: restitution. Fast particles are stopped at their centre by the contacts that all vertices have, and moved out from there.

use std::collections::BTreeMap;

use super::shape::Shape;
use super::{inertia, turned};
use crate::collide::Moving;
use crate::math::{Mat3, Quat, Vec3};

/// Where an ellipsoid reaches farthest depends on the normal there, which depends on where it is; from round to round the
/// error falls by the ratio of half-axes to the radius of the collider.
const ROUNDS: usize = 4;

/// What a collider has done to a particle in a step.
#[derive(Debug, Default)]
struct Touch {
    /// Along the normal \[kg·m\], times 1/h² a force.
    pressed: f64,
    /// Along the surface.
    sliding_force: Vec3,
}

/// Contacts of a step, by vertex and collider.
#[derive(Debug, Default)]
pub(super) struct Touching {
    touches: BTreeMap<(usize, usize), Touch>,
}

/// An ellipsoid that can be pushed.
struct Ellipsoid {
    inverse_mass: f64,
    /// I⁻¹ in axes of the world.
    inverse_inertia: Mat3,
    /// Q.
    squares: Mat3,
}

impl Ellipsoid {
    fn new(radii: Vec3, q: Quat, inverse_mass: f64) -> Self {
        let axes = Mat3::from_quat(q);
        let turned = |diagonal: Vec3| axes * Mat3::from_diagonal(diagonal) * axes.transpose();
        let inverse_inertia = turned(inertia(radii).recip() * inverse_mass);
        Self { inverse_mass, inverse_inertia, squares: turned(radii * radii) }
    }

    /// From the centre to the point that is farthest against a direction \[m\].
    fn farthest_against(&self, normal: Vec3) -> Vec3 {
        let way = self.squares * normal;
        -way / normal.dot(way).sqrt()
    }

    /// How far a point gives way along a direction for a push of 1 \[1/kg\].
    fn mobility(&self, arm: Vec3, direction: Vec3) -> f64 {
        let lever = arm.cross(direction);
        self.inverse_mass + lever.dot(self.inverse_inertia * lever)
    }
}

impl Touching {
    pub(super) fn begin(&mut self) {
        self.touches.clear();
    }

    pub(super) fn count(&self) -> usize {
        self.touches.values().filter(|touch| touch.pressed > 0.0).count()
    }

    /// Moves the particles of a body out of colliders, and along them as far as friction allows.
    pub(super) fn meet(
        &mut self,
        shape: &mut Shape,
        colliders: &[Moving<'_>],
        inverse_masses: &[f64],
        start: &[Vec3],
        x: &mut [Vec3],
    ) {
        let free = shape.vertices.clone().enumerate().filter(|(k, _)| !shape.is_held[*k]);
        let free: Vec<(usize, usize)> = free.collect();
        for (number, collider) in colliders.iter().enumerate() {
            for &(k, v) in &free {
                let radii = shape.info.radii[k];
                let reach = radii.max_element() + collider.thickness();
                let Some(near) = collider.near_at_end(x[v], reach) else { continue };
                let body = Ellipsoid::new(radii, shape.q[k], inverse_masses[v]);
                let mut arm = body.farthest_against(near.normal);
                for _ in 0..ROUNDS {
                    arm = body.farthest_against(collider.at_end(x[v] + arm).0.normal);
                }
                let (touched, shift) = collider.at_end(x[v] + arm);
                let (normal, depth) = (touched.normal, collider.thickness() - touched.distance);
                if depth <= 0.0 {
                    continue;
                }
                let back = shape.before[k] * (shape.q[k].conjugate() * arm);
                let slip = (x[v] + arm) - (start[v] + back) - shift;
                let touch = self.touches.entry((v, number)).or_default();
                let push = normal * (depth / body.mobility(arm, normal));
                touch.pressed += depth / body.mobility(arm, normal);
                let slip = slip - normal * slip.dot(normal);
                let wanted = match slip.try_normalize() {
                    Some(way) => touch.sliding_force - slip / body.mobility(arm, way),
                    None => touch.sliding_force,
                };
                let sliding_force = wanted.clamp_length_max(collider.friction() * touch.pressed);
                let push = push + (sliding_force - touch.sliding_force);
                touch.sliding_force = sliding_force;
                x[v] += push * body.inverse_mass;
                shape.q[k] = turned(shape.q[k], body.inverse_inertia * arm.cross(push));
            }
        }
    }
}
