//! Which primitive is seen at each sample of a view.
//!
//! Triangles are rasterised in homogeneous coordinates [Olano & Greer 1997]: with corners Pᵢ = (X, Y, W), sample s = (x, y, 1)
//! and eᵢ = Pⱼ × Pₖ, the sample is inside where all eᵢ·s/det have no negative sign. Corners behind the eye need no clipping, and
//! as Pⱼ × Pₖ = −(Pₖ × Pⱼ) to the last bit, neighbours leave no gap. Capsules and balls are hit by rays within their bounds.
//!
//! The depth key is linear over the screen and grows towards the eye: 1/z in perspective, −z without.

use std::ops::Range;

use pliant::math::Vec3;

use super::geometry::{Geometry, Primitive};
use crate::camera::Axes;

/// A rectangle of samples, seen from an eye or along a direction.
#[derive(Debug, Clone, Copy)]
pub(crate) struct View {
    pub(crate) origin: Vec3,
    pub(crate) axes: Axes,
    /// Samples per unit of length, or in perspective at unit depth.
    pub(crate) focal: f64,
    pub(crate) width: usize,
    pub(crate) height: usize,
    pub(crate) projection: Projection,
    /// Lines and balls reach at least this many samples from their middle, so that thin ones do not fall between samples.
    pub(crate) least_radius: f64,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Projection {
    /// With the least depth that is seen.
    Perspective {
        near: f64,
    },
    Parallel,
}

/// A primitive made ready for one view.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ready {
    columns: [usize; 2],
    pub(crate) rows: [usize; 2],
    id: u32,
    shape: Shape,
}

#[derive(Debug, Clone, Copy)]
enum Shape {
    /// Edge functions and depth key as coefficients of (x, y, 1).
    Triangle {
        edges: [Vec3; 3],
        key: Vec3,
    },
    /// Ends in view coordinates.
    Capsule {
        ends: [Vec3; 2],
        radius: f64,
    },
    Ball {
        middle: Vec3,
        radius: f64,
    },
}

impl View {
    /// Right, down and ahead of the origin.
    pub(crate) fn local(&self, point: Vec3) -> Vec3 {
        let offset = point - self.origin;
        Vec3::new(offset.dot(self.axes.right), -offset.dot(self.axes.up), offset.dot(self.axes.forward))
    }

    /// Coordinates of a sample, from the middle of the view.
    pub(crate) fn sample(&self, column: f64, row: f64) -> (f64, f64) {
        (column + 0.5 - 0.5 * self.width as f64, row + 0.5 - 0.5 * self.height as f64)
    }

    /// Direction of the ray through sample coordinates, of depth one, in world coordinates.
    pub(crate) fn ray(&self, x: f64, y: f64) -> Vec3 {
        self.axes.forward + (x * self.axes.right - y * self.axes.up) / self.focal
    }

    /// Origin and direction in view coordinates.
    fn local_ray(&self, x: f64, y: f64) -> (Vec3, Vec3) {
        match self.projection {
            Projection::Perspective { .. } => (Vec3::ZERO, Vec3::new(x / self.focal, y / self.focal, 1.0)),
            Projection::Parallel => (Vec3::new(x / self.focal, y / self.focal, 0.0), Vec3::Z),
        }
    }

    pub(crate) fn prepare(&self, geometry: &Geometry, id: usize) -> Option<Ready> {
        let (shape, [x, y]) = match geometry.primitive(id) {
            Primitive::Triangle(triangle) => {
                if geometry.finishes[triangle.finish as usize].one_sided && !self.before(triangle.corners) {
                    return None;
                }
                self.prepare_triangle(triangle.corners)?
            }
            Primitive::Capsule(capsule) => {
                let ends = capsule.ends.map(|end| self.local(end));
                let radius = capsule.radius.max(self.least_length(0.5 * (ends[0].z + ends[1].z)));
                let spans = ends.map(|end| self.ball_span(end, radius));
                (Shape::Capsule { ends, radius }, [0, 1].map(|k| join(spans[0][k], spans[1][k])))
            }
            Primitive::Ball(ball) => {
                let middle = self.local(ball.middle);
                let radius = ball.radius.max(self.least_length(middle.z));
                (Shape::Ball { middle, radius }, self.ball_span(middle, radius))
            }
        };
        let columns = clip(x, self.width);
        let rows = clip(y, self.height);
        let seen = columns[0] < columns[1] && rows[0] < rows[1];
        seen.then_some(Ready { columns, rows, id: id as u32, shape })
    }

    /// Whether the view is before a triangle, not behind it.
    fn before(&self, [a, b, c]: [Vec3; 3]) -> bool {
        let towards = match self.projection {
            Projection::Perspective { .. } => self.origin - a,
            Projection::Parallel => -self.axes.forward,
        };
        (b - a).cross(c - a).dot(towards) > 0.0
    }

    /// The least radius of lines and balls at a depth.
    fn least_length(&self, depth: f64) -> f64 {
        let scale = match self.projection {
            Projection::Perspective { near } => depth.max(near),
            Projection::Parallel => 1.0,
        };
        self.least_radius * scale / self.focal
    }

    fn prepare_triangle(&self, corners: [Vec3; 3]) -> Option<(Shape, [[f64; 2]; 2])> {
        let local = corners.map(|corner| self.local(corner));
        let whole = [f64::NEG_INFINITY, f64::INFINITY];
        let (weights, spans) = match self.projection {
            Projection::Parallel => {
                ([1.0; 3], [span(local.map(|p| p.x * self.focal)), span(local.map(|p| p.y * self.focal))])
            }
            Projection::Perspective { near } => {
                let depths = local.map(|p| p.z);
                if depths.iter().all(|&z| z <= near) {
                    return None;
                }
                let spans = if depths.iter().any(|&z| z <= near) {
                    [whole; 2]
                } else {
                    [span(local.map(|p| p.x * self.focal / p.z)), span(local.map(|p| p.y * self.focal / p.z))]
                };
                (depths, spans)
            }
        };
        let p: [Vec3; 3] =
            std::array::from_fn(|k| Vec3::new(local[k].x * self.focal, local[k].y * self.focal, weights[k]));
        let edges = [p[1].cross(p[2]), p[2].cross(p[0]), p[0].cross(p[1])];
        let determinant = p[0].dot(edges[0]);
        // Seen edge-on or without area.
        if determinant == 0.0 || !determinant.is_finite() {
            return None;
        }
        let key = match self.projection {
            Projection::Perspective { .. } => (edges[0] + edges[1] + edges[2]) / determinant,
            Projection::Parallel => {
                -(local[0].z * edges[0] + local[1].z * edges[1] + local[2].z * edges[2]) / determinant
            }
        };
        Some((Shape::Triangle { edges: edges.map(|edge| edge * determinant.signum()), key }, spans))
    }

    /// Sample coordinates that a ball covers, across and down.
    fn ball_span(&self, middle: Vec3, radius: f64) -> [[f64; 2]; 2] {
        [middle.x, middle.y].map(|offset| match self.projection {
            Projection::Parallel => [(offset - radius) * self.focal, (offset + radius) * self.focal],
            Projection::Perspective { near } => {
                let distance = offset.hypot(middle.z);
                if middle.z + radius <= near {
                    return [0.0, 0.0];
                }
                if distance <= radius || middle.z - radius <= near {
                    return [f64::NEG_INFINITY, f64::INFINITY];
                }
                // Tangents from the eye.
                let (angle, half) = (offset.atan2(middle.z), (radius / distance).asin());
                [(angle - half).tan() * self.focal, (angle + half).tan() * self.focal]
            }
        })
    }

    /// Calls `hit(index, key, id)` for every sample of some rows that a primitive covers.
    pub(crate) fn rasterise(&self, ready: &Ready, rows: Range<usize>, mut hit: impl FnMut(usize, f32, u32)) {
        let first = ready.rows[0].max(rows.start);
        let last = ready.rows[1].min(rows.end);
        let greatest = match self.projection {
            Projection::Perspective { near } => 1.0 / near,
            Projection::Parallel => f64::INFINITY,
        };
        for row in first..last {
            let base = (row - rows.start) * self.width;
            let (x0, y) = self.sample(0.0, row as f64);
            match ready.shape {
                Shape::Triangle { edges, key } => {
                    let starts = edges.map(|edge| edge.y * y + edge.z);
                    let key_start = key.y * y + key.z;
                    for column in ready.columns[0]..ready.columns[1] {
                        let x = x0 + column as f64;
                        let inside = edges[0].x * x + starts[0] >= 0.0
                            && edges[1].x * x + starts[1] >= 0.0
                            && edges[2].x * x + starts[2] >= 0.0;
                        if inside {
                            let depth = key.x * x + key_start;
                            if depth <= greatest {
                                hit(base + column, depth as f32, ready.id);
                            }
                        }
                    }
                }
                Shape::Capsule { ends, radius } => {
                    self.rays(ready, base, y, greatest, &mut hit, |origin, direction| {
                        hit_capsule(origin, direction, ends, radius)
                    })
                }
                Shape::Ball { middle, radius } => self.rays(ready, base, y, greatest, &mut hit, |origin, direction| {
                    hit_ball(origin - middle, direction, radius)
                }),
            }
        }
    }

    fn rays(
        &self,
        ready: &Ready,
        base: usize,
        y: f64,
        greatest: f64,
        hit: &mut impl FnMut(usize, f32, u32),
        shape: impl Fn(Vec3, Vec3) -> Option<f64>,
    ) {
        for column in ready.columns[0]..ready.columns[1] {
            let (x, _) = self.sample(column as f64, 0.0);
            let (origin, direction) = self.local_ray(x, y);
            if let Some(depth) = shape(origin, direction) {
                let key = match self.projection {
                    Projection::Perspective { .. } => 1.0 / depth,
                    Projection::Parallel => -depth,
                };
                if key <= greatest && (key > 0.0 || self.projection == Projection::Parallel) {
                    hit(base + column, key as f32, ready.id);
                }
            }
        }
    }
}

/// Where a ray with an origin relative to the middle enters a ball, in multiples of the direction.
fn hit_ball(origin: Vec3, direction: Vec3, radius: f64) -> Option<f64> {
    let a = direction.length_squared();
    let b = direction.dot(origin);
    // From the nearest point of the ray, which loses fewer digits far away than b² − a c.
    let nearest = origin - b / a * direction;
    let inside = radius * radius - nearest.length_squared();
    (inside >= 0.0).then(|| (-b - (a * inside).sqrt()) / a)
}

/// Where a ray enters a cylinder with round ends.
fn hit_capsule(origin: Vec3, direction: Vec3, ends: [Vec3; 2], radius: f64) -> Option<f64> {
    let axis = ends[1] - ends[0];
    let length = axis.length_squared();
    let offset = origin - ends[0];
    if length > 0.0 {
        // Components across the axis.
        let across = |v: Vec3| v - v.dot(axis) / length * axis;
        let (d, o) = (across(direction), across(offset));
        let a = d.length_squared();
        if a > 1e-12 * direction.length_squared() {
            let t = hit_ball(o, d, radius)?;
            let place = (offset + t * direction).dot(axis);
            if (0.0..=length).contains(&place) {
                return Some(t);
            }
        }
    }
    let caps = [offset, origin - ends[1]].map(|o| hit_ball(o, direction, radius));
    match caps {
        [Some(a), Some(b)] => Some(a.min(b)),
        [a, b] => a.or(b),
    }
}

fn span(values: [f64; 3]) -> [f64; 2] {
    [values[0].min(values[1]).min(values[2]), values[0].max(values[1]).max(values[2])]
}

fn join(a: [f64; 2], b: [f64; 2]) -> [f64; 2] {
    [a[0].min(b[0]), a[1].max(b[1])]
}

/// Sample coordinates as a range of sample numbers. Saturates, so that no distance is too far.
fn clip(span: [f64; 2], count: usize) -> [usize; 2] {
    let half = 0.5 * count as f64;
    let low = (span[0] + half - 0.5 - SLACK).ceil().max(0.0) as usize;
    let high = (span[1] + half + 0.5 + SLACK).floor().clamp(0.0, count as f64) as usize;
    [low.min(count), high]
}

/// Bounds are rounded otherwise than edges; a sample on the bound is left to the edges to decide \[samples\].
const SLACK: f64 = 1e-6;
