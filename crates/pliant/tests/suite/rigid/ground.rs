//! Rigid bodies on colliders.

use pliant::mesh::generate::Torus;
use pliant::prelude::*;

use super::common::{GRAVITY, ball, block, run};

const H: f64 = 1.0 / 60.0;

/// A box standing on an incline that rises along x, as it lies after some time: how far its centre went down, and its pose.
fn on_incline(size: Vec3, angle: f64, friction: f64, seconds: f64) -> (f64, pliant::RigidPose) {
    on_incline_by(ProjectiveParams::default(), size, angle, friction, seconds)
}

fn on_incline_by(
    solver: impl Into<SolverChoice>,
    size: Vec3,
    angle: f64,
    friction: f64,
    seconds: f64,
) -> (f64, pliant::RigidPose) {
    let tilt = Quat::from_rotation_z(angle);
    let mesh = block(size, [2, 2, 2]);
    let positions = mesh.positions.iter().map(|p| tilt * (*p + Vec3::Y * (0.5 * size.y + 1e-3))).collect();
    let body = Body::rigid(&TriangleMesh { positions, ..mesh }, &RigidMaterial::default()).unwrap().named("box");
    let ground = Collider::new(Shape::Plane).turned(tilt).friction(friction);
    let mut sim = Simulation::builder().body(body).collider(ground).time_step(H).solver(solver).build().unwrap();
    let before = sim.rigid_pose("box").unwrap().centre;
    let worst = run(&mut sim, seconds, H, "box");
    assert!(worst < 1e-3, "deviation {worst:e}");
    let pose = sim.rigid_pose("box").unwrap();
    ((pose.centre - before).dot(tilt * -Vec3::X), pose)
}

#[test]
fn a_box_stays_just_below_the_angle_of_friction_and_slides_just_above_it_at_ten_iterations() {
    let angle = 20_f64.to_radians();
    let size = Vec3::new(0.2, 0.1, 0.2);
    let (early, _) = on_incline(size, angle, 1.02 * angle.tan(), 0.5);
    let (late, _) = on_incline(size, angle, 1.02 * angle.tan(), 2.5);
    assert!((late - early).abs() < 1e-4, "crept by {:e} m in 2 s", late - early);
    let (slid, _) = on_incline(size, angle, 0.9 * angle.tan(), 1.0);
    let expected = 0.5 * GRAVITY * 0.1 * angle.sin() * (1.0 + H);
    assert!((slid / expected - 1.0).abs() < 0.05, "slid {slid} m of {expected} m");
    let (just, _) = on_incline(size, angle, 0.98 * angle.tan(), 2.0);
    let expected = 0.5 * GRAVITY * 0.02 * angle.sin() * 4.0;
    assert!((just / expected - 1.0).abs() < 0.1, "slid {just} m of {expected} m");
}

#[test]
fn newtons_method_carries_a_box_and_lets_it_slide() {
    let size = Vec3::new(0.2, 0.1, 0.2);
    // On a plane of 1 mm.
    let (slid, pose) = on_incline_by(NewtonParams::default(), size, 0.0, 0.5, 1.0);
    assert!(slid.abs() < 1e-5 && (pose.centre.y - 0.051).abs() < 1e-5, "{slid} m, {}", pose.centre);
    assert!(pose.velocity.length() < 1e-4 && pose.spin.length() < 1e-3, "{} {}", pose.velocity, pose.spin);
    let angle = 20_f64.to_radians();
    let (slid, _) = on_incline_by(NewtonParams::default(), size, angle, 0.9 * angle.tan(), 1.0);
    let expected = 0.5 * GRAVITY * 0.1 * angle.sin() * (1.0 + H);
    assert!((slid / expected - 1.0).abs() < 0.05, "slid {slid} m of {expected} m");
}

#[test]
fn a_narrow_box_tips_over_where_a_wide_one_stays() {
    let angle = 25_f64.to_radians();
    // It tips if the slope is steeper than width over height: 0.4 < tan 25° = 0.466 < 0.55.
    let (_, narrow) = on_incline(Vec3::new(0.08, 0.2, 0.1), angle, 2.0, 1.5);
    let (slid, wide) = on_incline(Vec3::new(0.11, 0.2, 0.1), angle, 2.0, 1.5);
    let turned = |pose: &pliant::RigidPose| pose.rotation.to_axis_angle().1.to_degrees();
    assert!(turned(&narrow) > 60.0, "turned by {}°", turned(&narrow));
    assert!(turned(&wide) < 1.0 && slid.abs() < 2e-3, "turned by {}°, slid {slid:e} m", turned(&wide));
}

/// A ball of facets rolls a little slower than a round one: each vertex that lands is an impact.
#[test]
fn a_ball_rolls_down_a_slope_at_five_sevenths_of_sliding() {
    let (angle, radius, h) = (15_f64.to_radians(), 0.1, 1.0 / 240.0);
    let tilt = Quat::from_rotation_z(angle);
    let mesh = ball(radius, 4, tilt * Vec3::Y * (radius + 1e-3));
    let body = Body::rigid(&mesh, &RigidMaterial::default()).unwrap().named("ball");
    let ground = Collider::new(Shape::Plane).turned(tilt).friction(1.0);
    let mut sim = Simulation::builder().body(body).collider(ground).time_step(h).build().unwrap();
    let before = sim.rigid_pose("ball").unwrap().centre;
    let worst = run(&mut sim, 0.6, h, "ball");
    let pose = sim.rigid_pose("ball").unwrap();
    let way = (pose.centre - before).dot(tilt * -Vec3::X);
    let expected = 0.5 * 5.0 / 7.0 * GRAVITY * angle.sin() * 0.6 * (0.6 + h);
    assert!((way / expected - 1.0).abs() < 0.05, "rolled {way} m of {expected} m");
    let slip = pose.velocity.length() / (radius * pose.spin.length());
    assert!((slip - 1.0).abs() < 0.02, "it rolls: {slip}");
    assert!(worst < 1e-3, "deviation {worst:e}");
}

/// A rod that lies with one end on a ledge begins to fall with the angular acceleration 3g/2l.
fn fall_of_a_rod(frequency: f64, acceleration: Acceleration) -> f64 {
    let length = 0.5;
    let mesh = block(Vec3::new(length, 0.02, 0.02), [10, 1, 1]).translated(Vec3::new(0.5 * length, 0.011, 0.0));
    let body = Body::rigid(&mesh, &RigidMaterial { frequency, ..RigidMaterial::default() }).unwrap().named("rod");
    let ledge = Collider::new(Shape::Box { size: Vec3::splat(0.2) }).at(Vec3::new(-0.09, -0.1, 0.0)).friction(1.0);
    let solver = ProjectiveParams { acceleration, ..ProjectiveParams::default() };
    let mut sim = Simulation::builder().body(body).collider(ledge).time_step(H).solver(solver).build().unwrap();
    (0..5).for_each(|_| drop(sim.step().unwrap()));
    let spin = -sim.rigid_pose("rod").unwrap().spin.z;
    spin / (5.0 * H) / (1.5 * GRAVITY / length)
}

#[test]
fn torque_from_a_contact_turns_a_body_right_at_ten_iterations_however_stiff_it_is() {
    let anderson = Acceleration::Anderson { window: 5 };
    for frequency in [300.0, 3000.0, 30000.0] {
        let share = fall_of_a_rod(frequency, anderson);
        assert!((share - 1.0).abs() < 0.03, "{frequency} rad/s: {share} of the acceleration");
    }
    // What the modes are for: with rotations held in the global step the rod all but floats.
    let plain = fall_of_a_rod(3000.0, Acceleration::None);
    assert!(plain < 0.5, "{plain} of the acceleration");
}

#[test]
fn a_dropped_box_comes_to_rest_and_its_contacts_carry_its_weight() {
    let mesh = block(Vec3::new(0.2, 0.1, 0.3), [1; 3]);
    let turned = Quat::from_rotation_x(0.5) * Quat::from_rotation_z(0.3);
    let positions = mesh.positions.iter().map(|p| turned * *p + Vec3::Y * 0.4).collect();
    let body = Body::rigid(&TriangleMesh { positions, ..mesh }, &RigidMaterial::default()).unwrap().named("box");
    let ground = Collider::new(Shape::Plane).friction(0.5);
    let mut sim = Simulation::builder().body(body).collider(ground).time_step(H).build().unwrap();
    let worst = run(&mut sim, 3.0, H, "box");
    let pose = sim.rigid_pose("box").unwrap();
    let weight = GRAVITY * sim.model().mass().lumped().iter().sum::<f64>();
    let force = sim.contacts().iter().fold(Vec3::ZERO, |sum, contact| sum + contact.force());
    assert!(worst < 1e-3, "deviation {worst:e}");
    assert!(pose.velocity.length() < 1e-3 && pose.spin.length() < 1e-2, "{pose:?}");
    assert!((force.y / weight - 1.0).abs() < 0.01 && force.with_y(0.0).length() < 0.01 * weight, "{force} of {weight}");
}

#[test]
fn a_ring_falls_over_a_peg_for_nothing_touches_what_is_in_its_hole() {
    let ring = Torus { major_radius: 0.2, minor_radius: 0.04, major_segments: 24, minor_segments: 10 };
    // How far it has fallen after a quarter of a second around or onto a peg whose round top is at 0.4 m.
    let fallen = |radius: f64| {
        let mesh = ring.mesh().unwrap().translated(Vec3::Y * 0.5);
        let body = Body::rigid(&mesh, &RigidMaterial::default()).unwrap().named("ring");
        let peg = Collider::new(Shape::Capsule { radius, length: 0.8 - 2.0 * radius });
        let mut sim = Simulation::builder().body(body).collider(peg).time_step(H).build().unwrap();
        run(&mut sim, 0.25, H, "ring");
        0.5 - sim.rigid_pose("ring").unwrap().centre.y
    };
    let steps = 15.0;
    let expected = GRAVITY * H * H * steps * (steps + 1.0) / 2.0;
    let freely = fallen(0.1);
    assert!((freely / expected - 1.0).abs() < 1e-6, "fell by {freely} m of {expected} m");
    // A peg wider than the hole of 0.16 m stops it where its tube touches the round top.
    let (top, reach) = (0.4 - 0.25, (0.29_f64.powi(2) - 0.2_f64.powi(2)).sqrt());
    let (stopped, resting) = (fallen(0.25), 0.5 - (top + reach));
    println!("stopped after {stopped} m, touches after {resting} m");
    assert!(
        (stopped - resting).abs() < 0.01,
        "fell by {stopped} m onto a wide peg, which it touches after {resting} m"
    );
}

#[test]
fn a_box_that_lands_flat_or_on_a_corner_bounces_as_its_restitution_says() {
    for integrator in [TimeIntegrator::ImplicitEuler, TimeIntegrator::ImplicitMidpoint] {
        for turned in [Quat::IDENTITY, Quat::from_rotation_x(0.7) * Quat::from_rotation_z(0.6)] {
            let mesh = block(Vec3::splat(0.2), [1; 3]);
            let positions: Vec<Vec3> = mesh.positions.iter().map(|p| turned * *p).collect();
            let low = positions.iter().fold(0.0_f64, |low, p| low.min(p.y));
            let corner = positions.iter().position(|p| p.y < low + 1e-9).unwrap();
            let positions = positions.iter().map(|p| *p + Vec3::Y * (0.3 - low)).collect();
            let body =
                Body::rigid(&TriangleMesh { positions, ..mesh }, &RigidMaterial::default()).unwrap().named("box");
            let ground = Collider::new(Shape::Plane).restitution(0.5);
            let builder = Simulation::builder().body(body).collider(ground).integrator(integrator);
            let mut sim = builder.time_step(1.0 / 240.0).build().unwrap();
            // Just before the impact, and just after.
            let (mut before, mut after) = (0.0, 0.0);
            for _ in 0..120 {
                sim.step().unwrap();
                let speed = sim.velocities()[corner].y;
                if !sim.contacts().is_empty() {
                    after = speed;
                    break;
                }
                before = speed;
            }
            assert!(before < -2.0, "{integrator:?}: fell at {before} m/s");
            let ratio = -after / before;
            assert!((ratio - 0.5).abs() < 0.05, "{integrator:?}, {turned}: the corner leaves at {ratio} of its speed");
        }
    }
}

/// Implicit midpoint is missing: it damps nothing, so what contacts leave of deformation in a stiff body grows (docs/contact.md).
#[test]
fn a_box_comes_to_rest_with_every_integrator_that_damps() {
    use TimeIntegrator::{Bdf2, ImplicitEuler, TrBdf2};
    for integrator in [ImplicitEuler, Bdf2, TrBdf2] {
        let mesh = block(Vec3::new(0.2, 0.1, 0.3), [1; 3]);
        let turned = Quat::from_rotation_x(0.3);
        let positions = mesh.positions.iter().map(|p| turned * *p + Vec3::Y * 0.2).collect();
        let body = Body::rigid(&TriangleMesh { positions, ..mesh }, &RigidMaterial::default()).unwrap().named("box");
        let ground = Collider::new(Shape::Plane).friction(0.5);
        let builder = Simulation::builder().body(body).collider(ground).integrator(integrator);
        let mut sim = builder.time_step(1.0 / 120.0).build().unwrap();
        let worst = run(&mut sim, 2.0, 1.0 / 120.0, "box");
        let pose = sim.rigid_pose("box").unwrap();
        assert!((pose.centre.y - 0.05).abs() < 2e-3 && pose.velocity.length() < 1e-3, "{integrator:?}: {pose:?}");
        assert!(worst < 1e-3, "{integrator:?}: deviation {worst:e}");
    }
}
