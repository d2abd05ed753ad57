//! What the tests share.

use pliant::prelude::*;

pub(crate) const GRAVITY: f64 = 9.81;

/// A particle of 0.3 kg.
pub(crate) fn particle(position: Vec3, velocity: Vec3) -> Body {
    Body::new(vec![position], vec![(0, 0, 0.3)]).with_velocities(vec![velocity])
}

/// A plane that rises by an angle along x.
pub(crate) fn incline(angle: f64) -> Collider {
    Collider::new(Shape::Plane).turned(Quat::from_rotation_z(angle))
}

/// A cube of 0.2 m on the plane y = 0.
pub(crate) fn cube(cells: usize) -> TetMesh {
    TetBox { size: Vec3::splat(0.2), cells: [cells; 3], ..TetBox::default() }.mesh().unwrap()
}

pub(crate) fn jelly() -> SolidMaterial {
    SolidMaterial { youngs_modulus: 5e4, poisson_ratio: 0.0, ..SolidMaterial::default() }
}

pub(crate) fn lowest(sim: &Simulation) -> f64 {
    sim.positions().iter().fold(f64::INFINITY, |low, p| low.min(p.y))
}
