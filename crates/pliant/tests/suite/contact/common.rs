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

/// A grain and a block of so many cells on a slope of 25° stick and slide as Coulomb says.
pub(crate) fn slopes(cells: usize, solver: impl Into<SolverChoice>) {
    let solver = solver.into();
    let angle = 25_f64.to_radians();
    let tilt = Quat::from_rotation_z(angle);
    let grain = || particle(tilt * (Vec3::Y * 1e-3), Vec3::ZERO);
    let block = || {
        let mut mesh = cube(cells);
        mesh.positions.iter_mut().for_each(|p| *p = tilt * (*p + Vec3::Y * 0.101));
        Body::solid(&mesh, &jelly()).unwrap()
    };
    let slide = |body: Body, friction: f64| {
        let ground = incline(angle).friction(friction);
        let mut sim = Simulation::builder().body(body).collider(ground).solver(solver.clone()).build().unwrap();
        let centre = |sim: &Simulation| sim.positions().iter().sum::<Vec3>() / sim.positions().len() as f64;
        (0..60).for_each(|_| drop(sim.step().unwrap()));
        // A soft block leans downhill first.
        let before = centre(&sim);
        (0..60).for_each(|_| drop(sim.step().unwrap()));
        (centre(&sim) - before).dot(tilt * -Vec3::X)
    };
    // From one second to two.
    let expected = |friction: f64| 1.5 * GRAVITY * (angle.sin() - friction * angle.cos()) * (1.0 + 1.0 / 180.0);
    let stuck = slide(grain(), 1.01 * angle.tan());
    assert!(stuck.abs() < 1e-6, "a grain crept by {stuck} m");
    let slid = slide(grain(), 0.2);
    assert!((slid / expected(0.2) - 1.0).abs() < 0.01, "a grain slid by {slid} m for {}", expected(0.2));
    let stuck = slide(block(), 1.1 * angle.tan());
    assert!(stuck.abs() < 2e-4, "a block crept by {stuck} m");
    let slid = slide(block(), 0.2);
    assert!((slid / expected(0.2) - 1.0).abs() < 0.02, "a block slid by {slid} m for {}", expected(0.2));
}
