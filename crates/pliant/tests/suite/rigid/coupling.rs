//! Rigid bodies with each other and with what is soft.

use pliant::prelude::*;
use pliant::proximity::{Primitives, intersections};

use super::common::{GRAVITY, ball, block, momentum, run};

const H: f64 = 1.0 / 60.0;

fn wood() -> RigidMaterial {
    RigidMaterial::default()
}

fn sheet(size: f64, cells: usize, height: f64) -> TriangleMesh {
    let sheet = Sheet { width: size, height: size, columns: cells, rows: cells, plane: Plane::Xz, ..Sheet::default() };
    sheet.mesh().unwrap().translated(Vec3::Y * height)
}

fn is_free_of_intersections(sim: &Simulation) -> bool {
    intersections(&Primitives::new(sim.model().bodies()), sim.positions()).is_empty()
}

fn mass_of(sim: &Simulation, body: &str) -> f64 {
    sim.body(body).unwrap().vertices.clone().map(|v| sim.model().mass().lumped()[v]).sum()
}

#[test]
fn two_boxes_stack_without_drift_and_the_ground_carries_both() {
    let thickness = 2e-3;
    let mesh = block(Vec3::new(0.2, 0.1, 0.2), [2, 1, 2]);
    let at = |name: &str, height: f64, x: f64| {
        Body::rigid(&mesh.clone().translated(Vec3::new(x, height, 0.0)), &wood()).unwrap().named(name)
    };
    let ground = Collider::new(Shape::Plane).friction(0.5);
    let builder = Simulation::builder().body(at("low", 0.051, 0.0)).body(at("high", 0.153, 0.03)).collider(ground);
    let settings = SelfCollision { thickness, friction: 0.5, ..SelfCollision::default() };
    let mut sim = builder.self_collision(settings).time_step(H).build().unwrap();
    let worst = run(&mut sim, 0.5, H, "high");
    let settled = ["low", "high"].map(|name| sim.rigid_pose(name).unwrap());
    let worst = worst.max(run(&mut sim, 2.0, H, "high"));
    let after = ["low", "high"].map(|name| sim.rigid_pose(name).unwrap());
    for (before, after) in settled.iter().zip(&after) {
        let drift = after.centre.distance(before.centre);
        let turned = after.rotation.angle_between(before.rotation);
        assert!(drift < 1e-3 && turned < 5e-3, "drifted by {drift:e} m and {turned:e} rad");
    }
    let weight = GRAVITY * (mass_of(&sim, "low") + mass_of(&sim, "high"));
    let force = sim.contacts().iter().fold(Vec3::ZERO, |sum, contact| sum + contact.force());
    assert!((force.y / weight - 1.0).abs() < 0.02, "{force} of {weight}");
    assert!(worst < 1e-3, "deviation {worst:e}");
}

/// A trampoline: a sheet pinned along its rim.
fn trampoline(cells: usize, material: &ClothMaterial) -> Body {
    let rim = |p: Vec3| p.x.abs().max(p.z.abs()) > 0.5 - 1e-9;
    Body::cloth(&sheet(1.0, cells, 0.0), material).unwrap().named("sheet").pin_where(rim)
}

#[test]
fn a_ball_at_rest_on_a_pinned_sheet_hangs_on_its_pins_with_all_its_weight() {
    let rubber = ClothMaterial { youngs_modulus: 1e6, density: 0.5, ..ClothMaterial::default() };
    let body = Body::rigid(&ball(0.1, 2, Vec3::Y * 0.12), &wood()).unwrap().named("ball");
    let settings = SelfCollision { thickness: 5e-3, ..SelfCollision::default() };
    let builder = Simulation::builder().body(trampoline(16, &rubber)).body(body).self_collision(settings);
    let damping = Damping { drag: 3.0, ..Damping::default() };
    let mut sim = builder.damping(damping).time_step(H).build().unwrap();
    let worst = run(&mut sim, 3.0, H, "ball");
    let pose = sim.rigid_pose("ball").unwrap();
    let weight = GRAVITY * (mass_of(&sim, "ball") + mass_of(&sim, "sheet"));
    let pins = sim.pin_forces().iter().fold(Vec3::ZERO, |sum, force| sum + *force);
    assert!(pose.centre.y < 0.08 && pose.velocity.length() < 0.02, "it has sunk in and rests: {pose:?}");
    assert!((pins.y.abs() / weight - 1.0).abs() < 0.03, "pins hold {pins} N of {weight} N");
    assert!(worst < 1e-3, "deviation {worst:e}");
    assert!(is_free_of_intersections(&sim));
}

#[test]
fn a_ball_that_flies_into_a_free_sheet_gives_it_what_it_loses() {
    let body = Body::rigid(&ball(0.1, 2, Vec3::Y * 0.13), &wood()).unwrap().with_motion(Vec3::Y * -2.0, Vec3::X);
    let cloth = Body::cloth(&sheet(1.0, 16, 0.0), &ClothMaterial::default()).unwrap().named("sheet");
    let settings = SelfCollision { thickness: 5e-3, ..SelfCollision::default() };
    let solver = ProjectiveParams { precision: Precision::Double, ..ProjectiveParams::default() };
    let builder = Simulation::builder().body(cloth).body(body.named("ball")).self_collision(settings);
    let mut sim = builder.gravity(Vec3::ZERO).solver(solver).time_step(1.0 / 240.0).build().unwrap();
    let (start, mut cut, mut drift, mut worst) = (momentum(&sim), 0, 0.0_f64, 0.0_f64);
    for _ in 0..60 {
        let before = momentum(&sim);
        let report = sim.step().unwrap();
        let held = report.self_collision.unwrap().held;
        let change = (momentum(&sim) - before).length() / start.length();
        cut += held;
        if held == 0 {
            drift = drift.max(change);
        }
        worst = worst.max(sim.rigid_pose("ball").unwrap().deviation);
    }
    let given = mass_of(&sim, "ball") * (sim.rigid_pose("ball").unwrap().velocity + Vec3::Y * 2.0).y;
    let total = (momentum(&sim) - start).length() / start.length();
    assert!(given > 0.05, "the ball lost {given} N·s");
    assert!(drift < 1e-9, "momentum changed by {drift:e} in a step without cuts");
    assert!(cut == 0 && total < 1e-9, "{cut} vertices were cut; momentum off by {total:e}");
    assert!(worst < 1e-3 && is_free_of_intersections(&sim), "deviation {worst:e}");
}

#[test]
fn a_heavy_ball_rests_on_a_soft_cube_and_the_ground_carries_both() {
    let jelly = SolidMaterial { youngs_modulus: 5e4, poisson_ratio: 0.3, ..SolidMaterial::default() };
    let cube = TetBox { size: Vec3::splat(0.2), cells: [5; 3], ..TetBox::default() }.mesh().unwrap();
    let cube = Body::solid(&cube.translated(Vec3::Y * 0.101), &jelly).unwrap().named("cube");
    let lead = RigidMaterial { density: 5000.0, ..wood() };
    let body = Body::rigid(&ball(0.06, 2, Vec3::Y * 0.27), &lead).unwrap().named("ball");
    let ground = Collider::new(Shape::Plane).friction(0.8);
    let settings = SelfCollision { thickness: 3e-3, friction: 0.5, ..SelfCollision::default() };
    let builder = Simulation::builder().body(cube).body(body).collider(ground).self_collision(settings);
    let damping = Damping { drag: 2.0, ..Damping::default() };
    let mut sim = builder.damping(damping).time_step(H).build().unwrap();
    let worst = run(&mut sim, 2.0, H, "ball");
    let pose = sim.rigid_pose("ball").unwrap();
    let weight = GRAVITY * (mass_of(&sim, "ball") + mass_of(&sim, "cube"));
    let force = sim.contacts().iter().fold(Vec3::ZERO, |sum, contact| sum + contact.force());
    assert!(pose.centre.y > 0.2 && pose.centre.y < 0.262, "it rests on the cube and presses it in: {pose:?}");
    assert!((force.y / weight - 1.0).abs() < 0.03, "{force} of {weight}");
    assert!(worst < 1e-3 && is_free_of_intersections(&sim), "deviation {worst:e}");
}
