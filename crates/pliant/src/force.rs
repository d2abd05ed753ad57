//! External forces, evaluated at the beginning of a step.

use crate::math::Vec3;
use crate::model::Model;

/// Air that moves past surfaces.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Wind {
    /// Velocity of the air \[m/s\].
    pub velocity: Vec3,
    /// Density of the air \[kg/m³\].
    pub air_density: f64,
    /// Drag coefficient of a plate across the flow, about 1.
    pub drag: f64,
}

impl Wind {
    /// Air of sea level with a velocity \[m/s\].
    pub fn new(velocity: Vec3) -> Self {
        Self { velocity, air_density: 1.2, drag: 1.0 }
    }
}

/// Adds wind and pressure of all bodies to the forces of the vertices \[N\].
pub(crate) fn add_surface_forces(
    model: &Model,
    wind: Option<&Wind>,
    x: &[Vec3],
    v: &[Vec3],
    h: f64,
    forces: &mut [Vec3],
) {
    for body in model.bodies() {
        let wind = wind.filter(|wind| wind.drag > 0.0);
        if wind.is_none() && body.pressure == 0.0 {
            continue;
        }
        for triangle in &body.surface {
            let [a, b, c] = triangle.map(|i| i as usize);
            // Half the cross product is the area times the unit normal.
            let area_vector = (x[b] - x[a]).cross(x[c] - x[a]) * 0.5;
            let mut force = area_vector * body.pressure;
            if let Some(wind) = wind {
                let mass = [a, b, c].iter().map(|&i| model.mass().lumped()[i]).sum::<f64>() / 6.0;
                force += wind_force(wind, area_vector, (v[a] + v[b] + v[c]) / 3.0, mass, h);
            }
            [a, b, c].iter().for_each(|&i| forces[i] += force / 3.0);
        }
    }
}

/// ½ρ C A |u·n| (u·n) n with u the velocity of the air relative to the triangle [Bouaziz 2014, §7.1].
///
/// The coefficient is bounded so that one step cannot reverse the relative velocity: explicit drag on a light sheet in a
/// storm would otherwise feed energy into it.
fn wind_force(wind: &Wind, area_vector: Vec3, velocity: Vec3, mass: f64, h: f64) -> Vec3 {
    let area = area_vector.length();
    if area == 0.0 {
        return Vec3::ZERO;
    }
    let normal = area_vector / area;
    let across = (wind.velocity - velocity).dot(normal);
    let coefficient = 0.5 * wind.air_density * wind.drag * area * across.abs();
    normal * (across * coefficient.min(mass / h))
}
