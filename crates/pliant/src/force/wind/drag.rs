//! Drag of the air on triangles, segments of strands and oriented particles.
//!
//! With u the velocity of the air relative to the body, taken at its middle:
//!
//! ```text
//! triangle    ½ρ C A |u·n| (u·n) n                                        [Bouaziz 2014, §7.1]
//! segment     ½ρ d l (C_across |u⊥| u⊥ + C_along |u∥| u∥)                 cross-flow principle [Hoerner 1965, §3]
//! ellipsoid   ½ρ C A(u) |u| u
//! ```
//!
//! **At the end of the step.** Forces of the start of a step throw light cloth ahead of the wind: a gale gives silk its own speed within a frame. A
//! bound on the force cures that, but then light cloth that is held feels less than the force, and ever less in longer steps. So the force is that of the
//! velocity at the end of the step, linearised, vertex by vertex, where all else (springs, gravity, contact, pins) is supposed to accelerate the vertex
//! by a, as it did in the step before:
//!
//! ```text
//! F = F(v) + J (v' − v),   v' = v + h a + h F/m      ⇔      (1 − h J/m) F = F(v) + h J a
//! ```
//!
//! J = ∂F/∂v has no positive eigenvalue, so that a vertex that flies freely does not outrun the air at any time step. One that rests has a = −F/m and one that falls at its terminal
//! speed a = g = −F/m: then F = F(v) whatever the step, the mass and the mesh. Departure: [Bouaziz 2014] take forces at the start of the step.

use std::f64::consts::PI;

use crate::math::{Mat3, Vec3, outer};
use crate::matter::oriented::Oriented;
use crate::matter::{Channels, ORIENTATIONS};
use crate::parallel::{Strided, for_each};
use crate::world::model::{BodyInfo, Model};
use crate::world::state::AirPath;

use super::Wind;
use super::turbulence::Eddies;

/// The air about a world at a moment.
pub(crate) struct Drag<'a> {
    model: &'a Model,
    wind: &'a Wind,
    /// Velocity of the air relative to each vertex \[m/s\].
    relative: Vec<Vec3>,
    /// Force on each vertex \[N\].
    forces: Vec<Vec3>,
    /// −∂F/∂v of each vertex, as if all vertices of an element changed their velocity alike \[kg/s\]; empty if nobody wants it.
    slopes: Vec<Mat3>,
}

impl<'a> Drag<'a> {
    /// Forces as they are for bodies at x with velocities v, on each vertex \[N\]; `channels` are what bodies carry.
    pub(crate) fn now(
        model: &'a Model,
        wind: &'a Wind,
        path: AirPath,
        x: &[Vec3],
        v: &[Vec3],
        channels: &[Channels],
    ) -> Vec<Vec3> {
        let mut drag = Self::new(model, wind, path, x, v);
        drag.add(x, channels);
        drag.forces
    }

    /// Forces over a step of length h \[s\]; `others` are the accelerations by all else than the air in the step before \[m/s²\], empty before the first.
    pub(crate) fn over_step(
        (model, wind, path): (&'a Model, &'a Wind, AirPath),
        (x, v): (&[Vec3], &[Vec3]),
        channels: &[Channels],
        h: f64,
        others: &[Vec3],
    ) -> Vec<Vec3> {
        let mut drag = Self::new(model, wind, path, x, v);
        drag.slopes = vec![Mat3::ZERO; x.len()];
        drag.add(x, channels);
        let Self { slopes, mut forces, .. } = drag;
        let masses = model.mass().lumped();
        for_each(0..x.len(), Strided { entries: &mut forces[..], stride: 1 }, &|range, out| {
            for (i, force) in range.zip(out.entries) {
                // What has no mass is pinned, and what has no slope feels no air.
                if masses[i] > 0.0 && slopes[i] != Mat3::ZERO {
                    let slope = slopes[i] * h;
                    let left = Mat3::IDENTITY + slope * masses[i].recip();
                    *force = left.inverse() * (*force - slope * others.get(i).copied().unwrap_or_default());
                }
            }
        });
        forces
    }

    fn new(model: &'a Model, wind: &'a Wind, path: AirPath, x: &[Vec3], v: &[Vec3]) -> Self {
        let speed = wind.turbulence.strength * wind.velocity.length();
        let eddies = (speed > 0.0).then(|| Eddies::new(&wind.turbulence, speed, path));
        let mut relative = vec![Vec3::ZERO; x.len()];
        for_each(0..x.len(), Strided { entries: &mut relative[..], stride: 1 }, &|range, out| {
            for (i, relative) in range.zip(out.entries) {
                let eddy = eddies.as_ref().map_or(Vec3::ZERO, |eddies| eddies.at(x[i]));
                *relative = wind.velocity + eddy - v[i];
            }
        });
        Self { model, wind, relative, forces: vec![Vec3::ZERO; x.len()], slopes: Vec::new() }
    }

    fn add(&mut self, x: &[Vec3], channels: &[Channels]) {
        for body in self.model.bodies() {
            self.add_to_surface(body, x);
            self.add_to_strands(body, x);
        }
        self.add_to_particles(channels);
    }

    /// A force on an element, with its slope, in equal shares on its vertices.
    fn share<const N: usize>(&mut self, vertices: [u32; N], force: Vec3, slope: Mat3) {
        let part = 1.0 / N as f64;
        for vertex in vertices.map(|v| v as usize) {
            self.forces[vertex] += force * part;
            if let Some(own) = self.slopes.get_mut(vertex) {
                *own += slope * part;
            }
        }
    }

    fn add_to_surface(&mut self, body: &BodyInfo, x: &[Vec3]) {
        let pressure = 0.5 * self.wind.air_density * self.wind.drag;
        if pressure == 0.0 {
            return;
        }
        for &triangle in &body.surface {
            let [a, b, c] = triangle.map(|v| v as usize);
            // Half the cross product is the area times the unit normal.
            let area = (x[b] - x[a]).cross(x[c] - x[a]) * 0.5;
            let Some(normal) = area.try_normalize() else { continue };
            let across = (self.relative[a] + self.relative[b] + self.relative[c]).dot(normal) / 3.0;
            let drag = pressure * across.abs();
            let slope = Mat3::from_cols(normal * area.x, normal * area.y, normal * area.z) * (2.0 * drag);
            self.share(triangle, area * (drag * across), slope);
        }
    }

    fn add_to_strands(&mut self, body: &BodyInfo, x: &[Vec3]) {
        let drag = 0.5 * self.wind.air_density * body.strand_width;
        if drag == 0.0 {
            return;
        }
        for &segment in &body.segments {
            let [a, b] = segment.map(|v| v as usize);
            let Some(axis) = (x[b] - x[a]).try_normalize() else { continue };
            let past = 0.5 * (self.relative[a] + self.relative[b]);
            let along = axis * past.dot(axis);
            let drag = drag * x[a].distance(x[b]);
            let (across, friction) = (drag * self.wind.strand_drag, drag * self.wind.strand_friction);
            let lengthwise = outer(axis, axis);
            let mut slope = of_square(past - along) * across;
            slope -= lengthwise * (across * (past - along).length());
            slope += lengthwise * (2.0 * friction * along.length());
            let force = (past - along) * ((past - along).length() * across) + along * (along.length() * friction);
            self.share(segment, force, slope);
        }
    }

    /// An ellipsoid shows the air the area π‖(bc·u₁, ca·u₂, ab·u₃)‖, for a unit vector u in its own axes.
    fn add_to_particles(&mut self, channels: &[Channels]) {
        let drag = 0.5 * self.wind.air_density * self.wind.drag;
        for body in self.model.matter_of::<Oriented>() {
            let turned = channels.get(body.body).map_or(&[][..], |own| own.quaternions(ORIENTATIONS));
            for ((vertex, &radii), q) in body.vertices.zip(&body.matter.radii).zip(turned) {
                let past = self.relative[vertex];
                let Some(direction) = past.try_normalize() else { continue };
                let shown = PI * (q.conjugate() * direction * (radii.element_product() / radii)).length();
                self.share([vertex as u32], past * (past.length() * drag * shown), of_square(past) * (drag * shown));
            }
        }
    }
}

/// ∂(|u| u)/∂u.
fn of_square(u: Vec3) -> Mat3 {
    let speed = u.length();
    u.try_normalize().map_or(Mat3::ZERO, |unit| (Mat3::IDENTITY + outer(unit, unit)) * speed)
}
