//! Pressure inside surfaces. Wind is in its own folder.

use crate::math::Vec3;
use crate::world::model::{BodyInfo, Model};

/// Adds the pressure of all bodies to the forces of the vertices \[N\].
pub(crate) fn add_pressure(model: &Model, x: &[Vec3], forces: &mut [Vec3]) {
    for body in model.bodies().iter().filter(|body| body.pressure != 0.0) {
        for triangle in &body.surface {
            let [a, b, c] = triangle.map(|i| i as usize);
            // Half the cross product is the area times the unit normal.
            let force = (x[b] - x[a]).cross(x[c] - x[a]) * (0.5 * body.pressure);
            [a, b, c].iter().for_each(|&i| forces[i] += force / 3.0);
        }
    }
}

/// Volume within the surface of a body \[m³\], about its first vertex, so that far away it has no more rounding than at the origin.
pub(crate) fn enclosed_volume(body: &BodyInfo, x: &[Vec3]) -> f64 {
    let origin = x[body.vertices.start];
    let cone = |triangle: &[u32; 3]| {
        let [a, b, c] = triangle.map(|v| x[v as usize] - origin);
        a.dot(b.cross(c)) / 6.0
    };
    body.surface.iter().map(cone).sum()
}
