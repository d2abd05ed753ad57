//! A collider during one step: it moves from one pose to another in a straight line and at a constant rate of rotation,
//! and from one frame of an animated mesh to another.
//!
//! Continuous queries use conservative advancement: the distance says for how long there can be no contact. For a
//! convex shape that does not turn the plane through its nearest point separates it from the moving point, so a point
//! that recedes or grazes costs one query; for a triangle with moving corners the same holds with the fastest approach
//! among its corners.

use super::Collider;
use super::grid::STEEPEST;
use super::pose::Pose;
use super::shape::Shape;
use super::surface::{SolidMesh, Triangles, barycentric};
use crate::math::Vec3;
use crate::mesh::bvh::nearest_on_triangle;
use crate::mesh::sdf::Nearby;
use crate::mesh::{Bounds, triangle_normal};

/// A collider between the start and the end of a step.
#[derive(Debug)]
pub struct Moving<'a> {
    collider: &'a Collider,
    from: Pose,
    to: Pose,
    /// By how much it turns \[rad\].
    angle: f64,
    /// How far its origin goes \[m\].
    way: f64,
    deformed: Option<Deformed>,
}

/// An animated mesh at both ends of the step, in the shape's coordinates.
#[derive(Debug)]
struct Deformed {
    before: SolidMesh,
    after: SolidMesh,
    /// Triangles at the end under boxes that cover their way.
    swept: Triangles,
    /// Longest way of a vertex \[m\].
    reach: f64,
}

/// The first contact of a moving point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hit {
    /// Its time, as a fraction of the step.
    pub time: f64,
    /// The point of the surface that is hit, at the end of the step \[m\].
    pub point: Vec3,
    /// Unit vector out of the collider there, at the end of the step.
    pub normal: Vec3,
    /// How far that point of the surface moves in the step \[m\].
    pub shift: Vec3,
}

/// A contact may be found this part of the thickness too deep.
const SLACK: f64 = 0.25;
/// Looks along one path at most: a path of metres beside a surface of a millimetre needs fewer.
const MOST_LOOKS: usize = 10_000;
/// A path seen from a turning collider is taken as straight over this angle \[rad\]: 0.03 % of the distance to its centre.
const STRAIGHT: f64 = 0.05;

impl Collider {
    /// The collider from one time to another \[s\].
    pub fn moving_over(&self, from: f64, to: f64) -> Moving<'_> {
        let deformed = match (&self.frames, &self.shape) {
            (Some(frames), Shape::Mesh(mesh)) => {
                let (mut before, mut after) = (mesh.clone(), mesh.clone());
                before.move_to(frames.at(from));
                after.move_to(frames.at(to));
                let mut swept = after.surface.clone();
                swept.sweep_from(&before.surface.positions);
                let ways = after.surface.positions.iter().zip(&before.surface.positions);
                let reach = ways.fold(0.0_f64, |most, (a, b)| most.max(a.distance(*b)));
                Some(Deformed { before, after, swept, reach })
            }
            _ => None,
        };
        let (from, to) = (self.motion.at(from), self.motion.at(to));
        let way = from.position.distance(to.position);
        Moving { collider: self, from, to, angle: from.angle_to(&to), way, deformed }
    }
}

impl Moving<'_> {
    /// Signed distance at the start of the step \[m\].
    pub fn distance_at_start(&self, p: Vec3) -> f64 {
        let local = self.from.to_local(p);
        match &self.deformed {
            Some(deformed) => deformed.before.nearby(local).distance,
            None => self.collider.shape.nearby(local).distance,
        }
    }

    /// The nearest point of the surface at the end of the step, and how far that point moved in it \[m\].
    pub fn at_end(&self, p: Vec3) -> (Nearby, Vec3) {
        let local = self.to.to_local(p);
        let (found, before) = match &self.deformed {
            Some(deformed) => {
                let found = deformed.after.nearby(local);
                let (triangle, point) = deformed.after.surface.nearest(local);
                let part = barycentric(point, deformed.after.surface.corners(triangle));
                (found, mix(part, deformed.before.surface.corners(triangle)))
            }
            None => {
                let found = self.collider.shape.nearby(local);
                (found, found.point)
            }
        };
        let point = self.to.to_world(found.point);
        let shift = point - self.from.to_world(before);
        (Nearby { distance: found.distance, point, normal: self.to.rotation * found.normal }, shift)
    }

    /// Where a point is with respect to the surface at the end of the step; none where that is certainly, and cheaply known to be,
    /// farther than `reach`, or is farther \[m\].
    pub(crate) fn near_at_end(&self, p: Vec3, reach: f64) -> Option<Nearby> {
        let found = self.nearby_at_end(p, reach)?;
        let (point, normal) = (self.to.to_world(found.point), self.to.rotation * found.normal);
        Some(Nearby { distance: found.distance, point, normal })
    }

    /// Whether the surface at the end of the step is known to be farther from a point than `reach` \[m\], on the outside. Distances above
    /// heightfields and within grids are not those to the nearest point; of these nothing is known.
    pub(crate) fn is_farther_at_end(&self, p: Vec3, reach: f64) -> bool {
        let is_known = !matches!(self.collider.shape, Shape::Heightfield(_) | Shape::Grid(_));
        is_known && self.nearby_at_end(p, reach).is_none()
    }

    /// In the collider's own coordinates.
    fn nearby_at_end(&self, p: Vec3, reach: f64) -> Option<Nearby> {
        let local = self.to.to_local(p);
        let found = match (&self.deformed, &self.collider.shape) {
            (Some(deformed), _) if deformed.after.surface.least_distance(local) > reach => return None,
            (None, Shape::Mesh(mesh)) if mesh.surface.least_distance(local) > reach => return None,
            (Some(deformed), _) => deformed.after.nearby(local),
            (None, shape) => shape.nearby(local),
        };
        (found.distance < reach).then_some(found)
    }

    /// Distance at which contact begins \[m\].
    pub fn thickness(&self) -> f64 {
        self.collider.thickness
    }

    /// Coulomb's coefficient.
    pub(crate) fn friction(&self) -> f64 {
        self.collider.friction
    }

    /// A number that the signed distance at the start of the step is not below \[m\]; cheap.
    pub(crate) fn least_distance_at_start(&self, p: Vec3) -> f64 {
        let local = self.from.to_local(p);
        match (&self.deformed, &self.collider.shape) {
            (Some(deformed), _) => deformed.before.surface.least_distance(local),
            (None, Shape::Mesh(mesh)) => mesh.surface.least_distance(local),
            _ => f64::NEG_INFINITY,
        }
    }

    /// An upper bound on the path length of a point that moves from a to b, relative to the surface \[m\].
    ///
    /// In the collider's frame the point moves from p₀ to p₁, and is at most max‖p''‖/8 away from the straight line
    /// between them. With y the vector from the collider's origin and R its rotation, p = Rᵀy, so ‖p''‖ ≤ θ²‖y‖ +
    /// 2θ‖y'‖ for a turn by θ.
    pub fn most_approach(&self, a: Vec3, b: Vec3) -> f64 {
        let straight = self.from.to_local(a).distance(self.to.to_local(b));
        let reach = self.deformed.as_ref().map_or(0.0, |deformed| deformed.reach);
        if self.angle == 0.0 {
            return straight + reach;
        }
        let (y0, y1) = (a - self.from.position, b - self.to.position);
        let bend = self.angle * (self.angle * y0.length().max(y1.length()) + 2.0 * y0.distance(y1)) / 8.0;
        straight + bend + reach
    }

    /// A number that [`most_approach`](Self::most_approach) does not exceed for a point at a that goes this far \[m\]; cheap.
    ///
    /// With y₀ the way from the collider's origin to a and L that of the point and of the origin, the straight part is at most θ‖y₀‖ + L, and the
    /// bend is at most θ(θ(‖y₀‖ + L) + 2L)/8.
    pub(crate) fn loose_approach(&self, a: Vec3, way: f64) -> f64 {
        let reach = self.deformed.as_ref().map_or(0.0, |deformed| deformed.reach);
        let way = way + self.way;
        let (angle, arm) = (self.angle, a.distance(self.from.position));
        way + angle * arm + angle * (angle * (arm + way) + 2.0 * way) / 8.0 + reach
    }

    /// How much `most_approach` grows at most, over the length by which b moves.
    pub(crate) fn steepness(&self) -> f64 {
        1.0 + self.angle * (self.angle + 2.0) / 8.0
    }

    /// How far the turning of the collider carries what is as far from its centre as the point.
    fn turning(&self, a: Vec3, b: Vec3) -> f64 {
        self.angle * a.distance(self.from.position).max(b.distance(self.to.position))
    }

    /// Where a point that moves straight from a to b first comes within the thickness of the collider, while that moves.
    pub fn hit(&self, a: Vec3, b: Vec3) -> Option<Hit> {
        self.within(a, b, self.distance_at_start(a), self.collider.thickness)
    }

    /// As [`hit`](Self::hit), with the signed distance at the start \[m\].
    pub(crate) fn hit_from(&self, a: Vec3, b: Vec3, distance: f64) -> Option<Hit> {
        self.within(a, b, distance, self.collider.thickness)
    }

    /// Whether a point going from a to b passes so close to the surface that it has gone through, or nearly.
    pub(crate) fn crosses(&self, a: Vec3, b: Vec3) -> bool {
        self.within(a, b, self.distance_at_start(a), SLACK * self.collider.thickness).is_some()
    }

    /// What the point first comes within a distance of, starting at a signed distance.
    fn within(&self, a: Vec3, b: Vec3, distance: f64, thickness: f64) -> Option<Hit> {
        let (gap, approach) = (distance - thickness, self.most_approach(a, b));
        if gap > approach {
            return None;
        }
        // Times along such a path do not resolve the thickness: the next look could be behind the surface, so the path ends where it begins.
        let is_too_long = SLACK * thickness <= f64::EPSILON * approach;
        let (after, before) = match (&self.deformed, &self.collider.shape) {
            (Some(deformed), _) => (&deformed.swept, Some(&deformed.before.surface)),
            (None, Shape::Mesh(mesh)) => (&mesh.surface, None),
            (None, Shape::Heightfield(field)) => (&field.triangles, None),
            (None, shape) if is_too_long => {
                let near = shape.nearby(self.from.to_local(a));
                return Some(self.rigid_hit(0.0, near.point, near.normal));
            }
            _ => return self.advance(a, b, thickness),
        };
        if gap <= 0.0 || is_too_long {
            let start = self.from.to_local(a);
            let near = match &self.deformed {
                Some(deformed) => deformed.before.nearby(start),
                None => self.collider.shape.nearby(start),
            };
            let (triangle, point) = before.unwrap_or(after).nearest(near.point);
            let end = after.corners(triangle);
            let corners = (before.map_or(end, |before| before.corners(triangle)), end);
            return Some(self.triangle_hit(0.0, point, near.normal, corners));
        }
        self.triangles([a, b], after, before, thickness)
    }

    /// Conservative advancement on the signed distance, in the collider's moving frame.
    fn advance(&self, a: Vec3, b: Vec3, thickness: f64) -> Option<Hit> {
        let shape = &self.collider.shape;
        let turning = self.turning(a, b);
        let way = (b - a) - (self.to.position - self.from.position);
        let steepest = if shape.is_convex() { 1.0 } else { STEEPEST };
        let bound = (way.length() + turning) * steepest;
        let (mut time, mut looks) = (0.0, 0);
        loop {
            let pose = self.from.between(&self.to, time);
            let near = shape.nearby(pose.to_local(a.lerp(b, time)));
            let gap = near.distance - thickness;
            if gap <= 0.0 {
                return Some(self.rigid_hit(time, near.point, near.normal));
            }
            // A receding point of a convex shape that does not turn never meets it.
            let approach = if turning == 0.0 && shape.is_convex() {
                (-way.dot(pose.rotation * near.normal)).max(0.0)
            } else {
                bound
            };
            if approach <= 0.0 || time >= 1.0 {
                return None;
            }
            let Some(next) = next_look(time, gap, thickness, approach, looks) else {
                return Some(self.rigid_hit(time, near.point, near.normal));
            };
            // The end is looked at, however short the way.
            (time, looks) = (next.min(1.0), looks + 1);
        }
    }

    /// A point of a shape that does not deform, met at a time.
    fn rigid_hit(&self, time: f64, point: Vec3, normal: Vec3) -> Hit {
        let end = self.to.to_world(point);
        Hit { time, point: end, normal: self.to.rotation * normal, shift: end - self.from.to_world(point) }
    }

    /// The first triangle on the way; `before` has the corners at the start where they move.
    fn triangles(
        &self,
        [a, b]: [Vec3; 2],
        after: &Triangles,
        before: Option<&Triangles>,
        thickness: f64,
    ) -> Option<Hit> {
        let corners_at = |triangle: u32| {
            let end = after.corners(triangle);
            (before.map_or(end, |before| before.corners(triangle)), end)
        };
        let pieces = (self.angle / STRAIGHT).ceil().max(1.0) as usize;
        let local = |time: f64| self.from.between(&self.to, time).to_local(a.lerp(b, time));
        for piece in 0..pieces {
            let (t0, t1) = (piece as f64 / pieces as f64, (piece + 1) as f64 / pieces as f64);
            let (p0, p1) = (local(t0), local(t1));
            let bounds = Bounds { min: p0.min(p1) - thickness, max: p0.max(p1) + thickness };
            let mut first: Option<(f64, u32, Vec3, Vec3)> = None;
            after.tree.overlapping(&bounds, |triangle| {
                let (from, to) = corners_at(triangle);
                let at = |t: f64| -> [Vec3; 3] { std::array::from_fn(|k| from[k].lerp(to[k], t)) };
                let (c0, c1) = (at(t0), at(t1));
                let limit = first.as_ref().map_or(1.0, |found| found.0);
                if let Some((time, point, normal)) = meet(p0, p1, c0, c1, thickness, limit) {
                    first = Some((time, triangle, point, normal));
                }
            });
            if let Some((time, triangle, point, normal)) = first {
                let time = t0 + time * (t1 - t0);
                return Some(self.triangle_hit(time, point, normal, corners_at(triangle)));
            }
        }
        None
    }

    /// A point of a triangle that was met at a time, carried to the end of the step.
    fn triangle_hit(&self, time: f64, point: Vec3, normal: Vec3, (from, to): ([Vec3; 3], [Vec3; 3])) -> Hit {
        if self.deformed.is_none() {
            return self.rigid_hit(time, point, normal);
        }
        let then: [Vec3; 3] = std::array::from_fn(|k| from[k].lerp(to[k], time));
        let part = barycentric(point, then);
        let (flat_then, flat_after) = (triangle_normal(then), triangle_normal(to));
        // The normal turns with the triangle where it is that of the triangle.
        let facing = normal.dot(flat_then);
        let normal = if facing.abs() > 0.5 { flat_after * facing.signum() } else { normal };
        let end = self.to.to_world(mix(part, to));
        Hit { time, point: end, normal: self.to.rotation * normal, shift: end - self.from.to_world(mix(part, from)) }
    }
}

/// When to look next, after a look that found a gap; none after too many looks. The point is then taken as met where it is, still outside: a
/// contact too early only keeps it on its side, a contact too late would let it pass.
fn next_look(time: f64, gap: f64, thickness: f64, approach: f64, looks: usize) -> Option<f64> {
    (looks < MOST_LOOKS).then(|| time + gap.max(SLACK * thickness) / approach)
}

fn mix(part: [f64; 3], corners: [Vec3; 3]) -> Vec3 {
    corners[0] * part[0] + corners[1] * part[1] + corners[2] * part[2]
}

/// When a point going from p0 to p1 first comes within a distance of a triangle whose corners go straight as well, with the
/// point of the triangle and the direction from it; none if not before `limit`.
fn meet(p0: Vec3, p1: Vec3, c0: [Vec3; 3], c1: [Vec3; 3], distance: f64, limit: f64) -> Option<(f64, Vec3, Vec3)> {
    let way = p1 - p0;
    let ways: [Vec3; 3] = std::array::from_fn(|k| c1[k] - c0[k]);
    let (mut time, mut looks) = (0.0, 0);
    loop {
        let (p, corners) = (p0 + way * time, std::array::from_fn(|k| c0[k] + ways[k] * time));
        let point = nearest_on_triangle(p, corners);
        let offset = p - point;
        let length = offset.length();
        if length <= distance {
            let flat = triangle_normal(corners);
            let normal = if length > 0.0 { offset / length } else { -flat * way.dot(flat).signum() };
            return Some((time, point, normal));
        }
        let normal = offset / length;
        let approach = ways.iter().fold(0.0_f64, |most, w| most.max(normal.dot(*w - way)));
        if approach <= 0.0 || time >= limit {
            return None;
        }
        let Some(next) = next_look(time, length - distance, distance, approach, looks) else {
            return Some((time, point, normal));
        };
        (time, looks) = (next.min(limit), looks + 1);
    }
}
