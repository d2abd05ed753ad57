//! Bodies at rest, and the balance of momentum.

use pliant::prelude::*;

use super::common::{GRAVITY, cube, jelly, lowest};

fn resting(h: f64, params: ContactParams) -> (Simulation, f64) {
    let mut mesh = cube(3);
    mesh.positions.iter_mut().for_each(|p| p.y += 0.101);
    let body = Body::solid(&mesh, &jelly()).unwrap();
    let ground = Collider::new(Shape::Plane).friction(0.4);
    let damping = Damping { deformation: 5.0, drag: 4.0, ..Damping::default() };
    let builder = Simulation::builder().body(body).collider(ground).contact(params).time_step(h).damping(damping);
    let sim = builder.build().unwrap();
    let weight = sim.model().mass().lumped().iter().sum::<f64>() * GRAVITY;
    (sim, weight)
}

fn total_force(sim: &Simulation) -> Vec3 {
    sim.contacts().iter().fold(Vec3::ZERO, |sum, contact| sum + contact.force())
}

fn rests(seconds: f64) {
    let (mut sim, weight) = resting(1.0 / 60.0, ContactParams::default());
    (0..300).for_each(|_| drop(sim.step().unwrap()));
    let settled = sim.positions().to_vec();
    for _ in 0..(seconds * 60.0) as usize {
        let report = sim.step().unwrap();
        assert!(report.solve.contacts >= 16, "{report:?}");
        let force = total_force(&sim);
        assert!((force - Vec3::Y * weight).length() < 0.01 * weight, "{force} for {weight}");
    }
    let drift = sim.positions().iter().zip(&settled).fold(0.0_f64, |most, (a, b)| most.max(a.distance(*b)));
    assert!(drift < 1e-3, "drifted by {drift} m");
    assert!(lowest(&sim) > 0.9e-3, "{}", lowest(&sim));
}

#[test]
fn a_soft_cube_at_rest_is_carried_by_its_contacts_and_does_not_drift() {
    rests(1.0);
}

#[test]
#[ignore = "long: ten seconds at rest"]
fn a_soft_cube_at_rest_does_not_drift_in_ten_seconds() {
    rests(10.0);
}

#[test]
fn what_contacts_push_is_what_momentum_changes_by() {
    for mode in [ContactMode::Constraint, ContactMode::Displacement, ContactMode::ConstantMatrix] {
        let mut mesh = cube(3);
        mesh.positions.iter_mut().for_each(|p| p.y += 0.15);
        let count = mesh.positions.len();
        let body = Body::solid(&mesh, &jelly()).unwrap().with_velocities(vec![Vec3::new(1.0, -2.0, 0.3); count]);
        let ground = Collider::new(Shape::Plane).friction(0.3);
        let params = ContactParams { mode, ..ContactParams::default() };
        let builder = Simulation::builder().body(body).collider(ground).contact(params);
        let mut sim = builder.solver(ProjectiveParams::default()).build().unwrap();
        let (mass, h) = (sim.model().mass().lumped().iter().sum::<f64>(), sim.time_step());
        let mut touched = 0;
        for _ in 0..40 {
            let before = sim.report().momentum;
            sim.step().unwrap();
            let change = (sim.report().momentum - before) / h;
            let expected = total_force(&sim) - Vec3::Y * (mass * GRAVITY);
            touched += sim.contacts().len();
            let scale = mass * GRAVITY + total_force(&sim).length();
            assert!((change - expected).length() < 0.01 * scale, "{mode:?}: {change} for {expected}");
        }
        assert!(touched > 50, "{mode:?}: {touched}");
    }
}

#[test]
fn what_contacts_push_is_what_momentum_changes_by_also_where_layers_touch() {
    let mesh =
        Sheet { width: 0.4, height: 0.4, columns: 8, rows: 8, plane: Plane::Xz, ..Sheet::default() }.mesh().unwrap();
    let cloth = |name: &str, height: f64| {
        let mesh = mesh.clone().transformed(&Mat3::IDENTITY, Vec3::Y * height);
        Body::cloth(&mesh, &ClothMaterial::default()).unwrap().named(name)
    };
    let ball = Collider::new(Shape::Sphere { radius: 0.15 }).friction(0.5);
    let layers = SelfCollision { thickness: 4e-3, ..SelfCollision::default() };
    let builder = Simulation::builder().body(cloth("lower", 0.155)).body(cloth("upper", 0.165));
    // Its factor holds what sticks: with few linear iterations other solvers tell forces that are off where layers press on a collider.
    let builder = builder.collider(ball).self_collision(layers).time_step(1.0 / 120.0);
    let mut sim = builder.solver(ProjectiveParams::default()).build().unwrap();
    let weight = sim.model().mass().lumped().iter().sum::<f64>() * GRAVITY;
    let mut touching = 0;
    for step in 0..80 {
        let before = sim.report().momentum;
        let report = sim.step().unwrap();
        let change = (sim.report().momentum - before) / sim.time_step() + Vec3::Y * weight;
        let told = total_force(&sim);
        assert!((change - told).length() < 0.05 * weight, "step {step}: {told} N told, {change} N felt");
        touching += report.self_collision.unwrap_or_default().contacts.min(report.solve.contacts);
    }
    assert!(touching > 80, "the upper cloth presses the lower one onto the ball: {touching}");
}
