//! Contact with colliders.

use super::*;

/// A point on a slope of 30°, let go.
fn slide(friction: f64) -> Vec3 {
    let (sin, cos) = (0.5, 0.75_f64.sqrt());
    let normal = Vec3::new(sin, cos, 0.0);
    let points = pliant::mesh::PointSet { positions: vec![normal * 1e-3] };
    let plane =
        Collider::new(Shape::Plane).turned(Quat::from_rotation_arc(Vec3::Y, normal)).friction(friction).thickness(1e-3);
    let mut sim =
        Simulation::builder().body(Body::points(&points, 0.1)).collider(plane).solver(extended(5)).build().unwrap();
    for _ in 0..60 {
        sim.step().unwrap();
    }
    sim.velocities()[0]
}

#[test]
fn a_point_slips_only_beyond_the_angle_of_friction_and_then_as_coulomb_says() {
    let tangent = 30.0_f64.to_radians().tan();
    assert!(slide(1.01 * tangent).length() < 1e-6, "{}", slide(1.01 * tangent));
    let friction = 0.5 * tangent;
    let expected = 9.81 * (0.5 - friction * 0.75_f64.sqrt());
    let speed = slide(friction).length();
    assert!((speed - expected).abs() < 0.02 * expected, "{speed} for {expected}");
}
