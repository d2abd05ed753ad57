//! Soft cubes on each other: contact with the ground, with each other, and the balance of both.

use pliant::prelude::*;

use super::common::{GRAVITY, cube};

const THICKNESS: f64 = 2e-3;

/// Cubes that stand a little askew, of two resolutions so that no vertices lie on each other.
fn tower(cubes: usize) -> Simulation {
    let layers = SelfCollision { thickness: THICKNESS, friction: 0.5, ..SelfCollision::default() };
    let damping = Damping { deformation: 5.0, ..Damping::default() };
    let ground = Collider::new(Shape::Plane).friction(0.5);
    let mut builder = Simulation::builder().collider(ground).self_collision(layers).damping(damping);
    // A tower of softer cubes buckles under its own weight.
    let material = SolidMaterial { youngs_modulus: 5e5, poisson_ratio: 0.0, ..SolidMaterial::default() };
    for k in 0..cubes {
        let (mut mesh, level) = (cube(3 + k % 2), k as f64);
        let offset = Vec3::new(0.01 * level, 0.101 + (0.2 + THICKNESS) * level, 0.013 * level);
        mesh.positions.iter_mut().for_each(|p| *p += offset);
        builder = builder.body(Body::solid(&mesh, &material).unwrap());
    }
    builder.build().unwrap()
}

fn stands(cubes: usize, seconds: f64) {
    let mut sim = tower(cubes);
    let weight = sim.model().mass().lumped().iter().sum::<f64>() * GRAVITY;
    (0..300).for_each(|_| drop(sim.step().unwrap()));
    let settled = sim.positions().to_vec();
    for _ in 0..(seconds * 60.0) as usize {
        let report = sim.step().unwrap();
        let layers = report.self_collision.unwrap();
        assert!(layers.contacts > 10 && layers.held == 0, "{layers:?}");
        let force = sim.contacts().iter().fold(Vec3::ZERO, |sum, contact| sum + contact.force());
        assert!((force - Vec3::Y * weight).length() < 0.01 * weight, "{force} for {weight}");
    }
    let drift = sim.positions().iter().zip(&settled).fold(0.0_f64, |most, (a, b)| most.max(a.distance(*b)));
    assert!(drift < 1e-3, "drifted by {drift} m");
}

#[test]
fn a_cube_stands_on_another_and_the_ground_carries_both() {
    stands(2, 0.5);
}

#[test]
#[ignore = "long: ten seconds at rest"]
fn three_stacked_cubes_do_not_drift_in_ten_seconds() {
    stands(3, 10.0);
}
