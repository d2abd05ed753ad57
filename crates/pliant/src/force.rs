//! Pressure inside surfaces. Wind has a folder of its own.

use crate::math::Vec3;
use crate::model::Model;

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
