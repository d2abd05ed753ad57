//! Ellipsoids against colliders.

use super::iterations;
use pliant::prelude::*;

/// One ellipsoid above a plane at y = 0 without thickness, in gravity.
fn ellipsoid(radii: Vec3, turn: Quat, height: f64, friction: f64, gravity: Vec3, h: f64) -> Simulation {
    let particles = OrientedParticles {
        positions: vec![Vec3::Y * height],
        orientations: vec![turn],
        radii: vec![radii],
        edges: Vec::new(),
    };
    let body = Body::oriented(&particles, &OrientedMaterial::default()).unwrap();
    let ground = Collider::new(Shape::Plane).thickness(1e-6).friction(friction);
    let world = Simulation::builder().body(body).collider(ground).gravity(gravity).solver(iterations(10));
    world.time_step(h).build().unwrap()
}

/// Gravity on a slope by an angle, seen along it.
fn on_a_slope(angle: f64) -> Vec3 {
    Vec3::new(angle.sin(), -angle.cos(), 0.0) * 9.81
}

#[test]
fn a_sphere_rolls_down_a_slope_at_five_sevenths_of_what_it_would_slide() {
    let (radius, angle, h, steps) = (0.1, 0.3_f64, 1.0 / 240.0, 240);
    let mut sim = ellipsoid(Vec3::splat(radius), Quat::IDENTITY, radius, 0.8, on_a_slope(angle), h);
    for _ in 0..steps {
        sim.step().unwrap();
    }
    let time = f64::from(steps) * h;
    let exact = 0.5 * 5.0 / 7.0 * 9.81 * angle.sin() * time * (time + h);
    let (way, spin) = (sim.positions()[0].x, sim.state().channels[0].vectors("spins")[0].length());
    println!("rolls {way} m for {exact} m, turns at {spin} rad/s");
    assert!((way - exact).abs() < 0.01 * exact, "{way} for {exact}");
    let speed = sim.velocities()[0].x;
    assert!((speed - spin * radius).abs() < 0.01 * speed, "without slip: {speed} for {}", spin * radius);
}

#[test]
fn a_sphere_on_slippery_ground_slides_and_is_turned_by_what_friction_there_is() {
    // Below 2/7 tan the ground cannot hold: a = g (sin − μ cos), and the spin grows by 5/2 μ g cos/r.
    let (radius, angle, friction, h, steps) = (0.1, 0.5_f64, 0.05, 1.0 / 240.0, 240);
    let mut sim = ellipsoid(Vec3::splat(radius), Quat::IDENTITY, radius, friction, on_a_slope(angle), h);
    for _ in 0..steps {
        sim.step().unwrap();
    }
    let time = f64::from(steps) * h;
    let speed = 9.81 * (angle.sin() - friction * angle.cos()) * time;
    let spin = 2.5 * friction * 9.81 * angle.cos() / radius * time;
    let (found, turning) = (sim.velocities()[0].x, sim.state().channels[0].vectors("spins")[0].length());
    println!("slides at {found} m/s for {speed}, turns at {turning} rad/s for {spin}");
    assert!((found - speed).abs() < 0.01 * speed, "{found} for {speed}");
    assert!((turning - spin).abs() < 0.02 * spin, "{turning} for {spin}");
}

#[test]
fn a_leaning_ellipsoid_rests_on_its_support_point_and_falls_on_its_flat_side() {
    let radii = Vec3::new(0.1, 0.02, 0.06);
    let lean = Quat::from_rotation_z(0.6);
    let support = |q: Quat| (q.conjugate() * Vec3::Y * radii).length();
    let mut sim = ellipsoid(radii, lean, support(lean), 0.5, Vec3::NEG_Y * 9.81, 1.0 / 240.0);
    let mut deepest = 0.0_f64;
    for _ in 0..1440 {
        sim.step().unwrap();
        let (q, x) = (sim.state().channels[0].quaternions("orientations")[0], sim.positions()[0]);
        deepest = deepest.max(support(q) - x.y);
    }
    let up = sim.state().channels[0].quaternions("orientations")[0] * Vec3::Y;
    println!(
        "at most {deepest} m deep; in the end its flat axis is {} rad off the vertical",
        up.angle_between(Vec3::Y)
    );
    assert!(deepest < 2e-4, "{deepest}");
    assert!(sim.positions()[0].y < 0.5 * support(lean), "it has fallen over: {}", sim.positions()[0]);
}

#[test]
fn an_ellipsoid_rests_on_balls_boxes_and_moving_ground_where_its_surface_touches() {
    let radii = Vec3::new(0.1, 0.05, 0.1);
    let shapes =
        [(Shape::Sphere { radius: 0.5 }, Vec3::NEG_Y * 0.5), (Shape::Box { size: Vec3::ONE }, Vec3::NEG_Y * 0.5)];
    for (shape, at) in shapes {
        let particles = OrientedParticles {
            positions: vec![Vec3::Y * 0.08],
            orientations: vec![Quat::IDENTITY],
            radii: vec![radii],
            edges: Vec::new(),
        };
        let body = Body::oriented(&particles, &OrientedMaterial::default()).unwrap();
        let under = Collider::new(shape).at(at).thickness(1e-6).friction(0.5);
        let world = Simulation::builder().body(body).collider(under).solver(iterations(10));
        let mut sim = world.build().unwrap();
        for _ in 0..60 {
            sim.step().unwrap();
        }
        let y = sim.positions()[0].y;
        assert!((y - 0.05).abs() < 1e-4, "its centre is one half-axis above the top: {y}");
        assert_eq!(sim.step().unwrap().solve.contacts, 1);
    }
}

/// Between bodies too ellipsoids have their radii: one rope of particles lies across another, with their surfaces as far apart as layers are thick.
#[test]
fn a_rope_of_particles_lies_on_another_at_the_sum_of_their_radii() {
    let (below, above, thickness) = (0.02, 0.03, 2e-3);
    let row = |way: Vec3, height: f64, radius: f64| {
        let strand = rope(way * -0.2 + Vec3::Y * height, way * 0.2 + Vec3::Y * height, 8).unwrap();
        let particles = OrientedParticles::along(&strand, &[radius; 9]).unwrap();
        Body::oriented(&particles, &OrientedMaterial::default()).unwrap()
    };
    let held = row(Vec3::X, 0.0, below).named("held").pin_where(|_| true);
    let free = row(Vec3::Z, 0.08, above).named("free");
    let settings = SelfCollision { thickness, ..SelfCollision::default() };
    let mut sim = Simulation::builder().body(held).body(free).self_collision(settings).build().unwrap();
    (0..60).for_each(|_| drop(sim.step().unwrap()));
    // They cross at their middle particles.
    let apart = sim.body_positions("free").unwrap()[4].y;
    let expected = below + above + thickness;
    assert!((apart - expected).abs() < 2e-3, "{apart} m apart, not {expected} m");
}
