//! Friction of fluids at colliders.

use pliant::collide::{Collider, Key, Pose, Shape};
use pliant::math::Vec3;
use pliant::mesh::PointSet;
use pliant::{Body, FluidMaterial};

use super::{depth, filling, run, vessel, water, world};

/// Speed of a particle beside a plane that moves \[m/s\], after some seconds from a speed of 2 m/s.
fn slid(friction: f64, plane: Vec3, seconds: f64) -> Vec3 {
    let material = FluidMaterial { spacing: 0.02, ..FluidMaterial::default() };
    let drop = PointSet { positions: vec![Vec3::Y * 0.5 * material.spacing] };
    let drop = Body::fluid(&drop, &material).expect("a fluid").with_velocities(vec![Vec3::X * 2.0]);
    let key = |time: f64| Key { time, pose: Pose { position: plane * time, ..Pose::default() } };
    let ground = Collider::new(Shape::Plane).friction(friction).moving(vec![key(0.0), key(1.0)]);
    let mut sim = world([ground], 2, 0.01).gravity(Vec3::ZERO).body(drop).build().expect("a world");
    run(&mut sim, seconds);
    sim.velocities()[0]
}

#[test]
fn fluid_beside_a_wall_slows_down_as_skin_friction_says() {
    let (friction, seconds) = (0.1, 0.4);
    // du/dt = −½ μ u²/s from u = 2 m/s.
    let expected = 2.0 / (1.0 + 0.5 * friction * 2.0 * seconds / 0.02);
    let found = slid(friction, Vec3::ZERO, seconds);
    assert!((found - Vec3::X * expected).length() < 1e-4, "{found}, expected {expected} m/s");
    assert!((slid(0.0, Vec3::ZERO, seconds) - Vec3::X * 2.0).length() < 1e-6, "a smooth wall slows nothing");
    // Along a wall that goes as fast nothing slides, and a faster one carries it along.
    assert!((slid(friction, Vec3::X * 2.0, seconds) - Vec3::X * 2.0).length() < 1e-6);
    let carried = slid(friction, Vec3::X * 4.0, seconds).x;
    assert!((carried - (4.0 - expected)).abs() < 1e-4, "{carried} m/s");
}

#[test]
fn walls_with_friction_hold_no_fluid_up() {
    let size = Vec3::new(0.3, 0.5, 0.3);
    let mut sim = world(vessel(size).map(|wall| wall.friction(0.5)), 4, 0.01)
        .body(filling(size, &water(0.05)))
        .build()
        .expect("a world");
    run(&mut sim, 2.0);
    let height = depth(&sim);
    assert!((height / size.y - 1.0).abs() < 0.02, "{height} m deep after {} m", size.y);
}
