//! What the tests share.

use pliant::prelude::*;

pub(crate) const GRAVITY: f64 = 9.81;

/// The surface of a box with a number of cells along each side.
pub(crate) fn block(size: Vec3, cells: [usize; 3]) -> TriangleMesh {
    TetBox { size, cells, ..TetBox::default() }.mesh().unwrap().surface().unwrap().mesh
}

/// A ball around a point.
pub(crate) fn ball(radius: f64, subdivisions: u32, centre: Vec3) -> TriangleMesh {
    pliant::mesh::generate::Icosphere { radius, subdivisions }.mesh().unwrap().translated(centre)
}

/// Σ m x × v.
pub(crate) fn angular_momentum(sim: &Simulation) -> Vec3 {
    let (x, v) = (sim.positions(), &sim.state().velocities);
    let masses = sim.model().mass().lumped();
    (0..x.len()).fold(Vec3::ZERO, |sum, i| sum + x[i].cross(v[i]) * masses[i])
}

/// Σ m v.
pub(crate) fn momentum(sim: &Simulation) -> Vec3 {
    let v = &sim.state().velocities;
    sim.model().mass().lumped().iter().zip(v).fold(Vec3::ZERO, |sum, (m, v)| sum + *v * *m)
}

/// Steps for a time, and returns the largest deviation of a body from a rigid pose after any of them.
pub(crate) fn run(sim: &mut Simulation, seconds: f64, h: f64, body: &str) -> f64 {
    let mut worst = 0.0_f64;
    for _ in 0..(seconds / h).round() as usize {
        sim.step().unwrap();
        worst = worst.max(sim.rigid_pose(body).unwrap().deviation);
    }
    worst
}
