//! Layers rub as Coulomb says, keep the momentum, and are the same at any number of threads.

use pliant::ModelError;
use pliant::collide::{Key, Pose};
use pliant::prelude::*;

use super::common::{Noise, Sum, push, sheet};

/// A stiff small sheet on a pinned one, tilted by θ: distance slid downhill after a second.
pub(crate) fn slid(angle: f64, friction: f64, solver: impl Into<SolverChoice>) -> f64 {
    let tilt = Mat3::from_rotation_z(-angle);
    let placed = |mesh: TriangleMesh, up: f64| {
        let positions = mesh.positions.iter().map(|p| tilt * (*p + Vec3::Y * up)).collect();
        TriangleMesh { positions, ..mesh }
    };
    let thickness = 5e-3;
    let below = placed(sheet(3.0, 0.5, 12, 2), 0.0);
    let above = placed(sheet(0.1, 0.1, 3, 3), thickness);
    let mut sim = Simulation::builder()
        .body(Body::cloth(&below, &ClothMaterial::default()).unwrap().named("slope").pin_where(|_| true))
        .body(Body::cloth(&above, &ClothMaterial::default()).unwrap().named("patch"))
        .self_collision(SelfCollision { thickness, friction, ..SelfCollision::default() })
        .solver(solver)
        .build()
        .unwrap();
    let start = sim.positions()[39..].iter().sum::<Vec3>() / 16.0;
    (0..60).for_each(|_| drop(sim.step().unwrap()));
    let end = sim.positions()[39..].iter().sum::<Vec3>() / 16.0;
    (end - start).dot(tilt * Vec3::X)
}

fn rubs_as_coulomb_says(solver: impl Into<SolverChoice>) {
    let solver = solver.into();
    let slid = |angle: f64, friction: f64| slid(angle, friction, solver.clone());
    for degrees in [10.0_f64, 20.0] {
        let (sin, cos) = degrees.to_radians().sin_cos();
        let sticks = slid(degrees.to_radians(), 1.1 * sin / cos);
        let slides = slid(degrees.to_radians(), 0.7 * sin / cos);
        let free = slid(degrees.to_radians(), 0.0);
        println!("{degrees}°: sticks {sticks:.2e} m, slides {slides:.4} m, without friction {free:.4} m");
        // Implicit Euler falls h/2·t further than ½ a t²; the patch lands first, which takes a little.
        let expected = |mu: f64| 0.5 * 9.81 * (sin - mu * cos) * (1.0 + 1.0 / 60.0);
        assert!(sticks.abs() < 2e-3 * free, "{sticks} m of {free} m");
        assert!((free / expected(0.0) - 1.0).abs() < 0.03, "{free} for {}", expected(0.0));
        let with_friction = expected(0.7 * sin / cos);
        assert!((slides / with_friction - 1.0).abs() < 0.1, "{slides} for {with_friction}");
    }
}

#[test]
fn a_layer_slides_on_another_exactly_if_the_slope_is_steeper_than_its_friction() {
    rubs_as_coulomb_says(ProjectiveParams::default());
}

#[test]
fn a_layer_slides_on_another_at_the_default_as_it_should() {
    rubs_as_coulomb_says(SolverChoice::Auto);
}

#[test]
fn contacts_within_the_world_keep_its_momentum() {
    let cube = TetBox { size: Vec3::splat(0.1), cells: [2, 2, 2], ..TetBox::default() }.mesh().unwrap();
    let soft = SolidMaterial { youngs_modulus: 2e4, ..SolidMaterial::default() };
    let body = |name: &str, at: Vec3, velocity: Vec3| {
        let mesh = cube.clone().translated(at);
        let count = mesh.positions.len();
        Body::solid(&mesh, &soft).unwrap().named(name).with_velocities(vec![velocity; count])
    };
    let mut sim = Simulation::builder()
        .body(body("left", Vec3::ZERO, Vec3::X * 0.5))
        .body(body("right", Vec3::new(0.13, 0.02, 0.01), Vec3::X * -0.25))
        .gravity(Vec3::ZERO)
        .time_step(1.0 / 240.0)
        // Converged also at the impact: what sixty iterations leave there is an error of the solver, not of contacts.
        .solver(ProjectiveParams { iterations: 200, precision: Precision::Double, ..Default::default() })
        // Friction over a gap leaves a couple; without it both momenta must stay.
        .self_collision(SelfCollision { thickness: 0.01, friction: 0.0, ..SelfCollision::default() })
        .build()
        .unwrap();
    let before = sim.report();
    let count = cube.positions.len();
    let speed =
        |sim: &Simulation, first: usize| sim.velocities()[first..first + count].iter().map(|v| v.x).sum::<f64>();
    let (mut truncated, mut pressing, mut spin) = (0, 0, Vec3::ZERO);
    for _ in 0..60 {
        let old = sim.velocities().to_vec();
        let report = sim.step().unwrap().self_collision.unwrap();
        (truncated, pressing) = (truncated + report.truncated, pressing + report.contacts);
        // What implicit Euler itself does to angular momentum: L' = L + hΣ m v'×v.
        let masses = sim.model().mass().lumped();
        spin += (0..old.len()).map(|i| sim.velocities()[i].cross(old[i]) * masses[i]).sum::<Vec3>() / 240.0;
    }
    let after = sim.report();
    assert!(pressing > 0 && truncated == 0, "{pressing} contacts, {truncated} cut");
    assert!(speed(&sim, 0) < speed(&sim, count), "they bounced or stick: {} {}", speed(&sim, 0), speed(&sim, count));
    let exchanged = before.momentum.length() + 0.1;
    let drift = (after.momentum - before.momentum).length() / exchanged;
    assert!(drift < 1e-9, "momentum {drift:e}");
    let turned = (after.angular_momentum - before.angular_momentum - spin).length();
    let scale = 0.1 * before.momentum.length();
    println!("angular momentum off by {:.2e} of {scale:.2e}", turned);
    assert!(turned < 1e-4 * scale, "angular momentum {turned:e} of {scale:e}");
}

/// A ball comes from below by half its radius in a step, under four layers a millimetre apart.
#[test]
fn a_collider_that_comes_fast_carries_a_stack_of_layers_on() {
    const RADIUS: f64 = 0.1;
    let mesh = sheet(0.4, 0.4, 20, 20);
    let layer = |k: usize| {
        let (sine, cosine) = (0.2 * k as f64).sin_cos();
        let place = |p: &Vec3| Vec3::new(cosine * p.x + sine * p.z, 1.2e-3 * k as f64, cosine * p.z - sine * p.x);
        let mesh = TriangleMesh { positions: mesh.positions.iter().map(place).collect(), ..mesh.clone() };
        Body::cloth(&mesh, &ClothMaterial::default()).unwrap().named(format!("layer {k}"))
    };
    let key = |time: f64| Key { time, pose: Pose { position: Vec3::Y * (1.5 * time - 0.12), ..Pose::default() } };
    let ball = Collider::new(Shape::Sphere { radius: RADIUS }).moving(vec![key(0.0), key(1.0)]);
    let builder = (0..4).fold(Simulation::builder().time_step(1.0 / 30.0), |builder, k| builder.body(layer(k)));
    let mut sim = builder
        .collider(ball.friction(0.3).thickness(3e-3))
        .self_collision(SelfCollision { thickness: 1e-3, ..SelfCollision::default() })
        .build()
        .unwrap();
    let mut sum = Sum::default();
    for step in 1..=12 {
        sum.add(&mut sim);
        let centre = key(sim.time()).pose.position;
        let deepest = sim.positions().iter().fold(0.0_f64, |most, p| most.max(RADIUS - p.distance(centre)));
        assert!(deepest < 3e-3, "{deepest} m at step {step}");
    }
    sum.show("carried layers");
    assert!(sum.intersecting == 0 && sum.pressing > 100);
}

#[test]
fn a_world_in_contact_has_the_same_bits_at_any_number_of_threads() {
    let run = |threads: usize| {
        let mesh = sheet(0.3, 0.3, 12, 12);
        let layer = |name: &str, y: f64, turn: f64| {
            let rotation = Mat3::from_rotation_y(turn);
            let positions = mesh.positions.iter().map(|p| rotation * *p + Vec3::Y * y).collect();
            let mesh = TriangleMesh { positions, ..mesh.clone() };
            Body::cloth(&mesh, &ClothMaterial::default()).unwrap().named(name)
        };
        let mut sim = Simulation::builder()
            .body(layer("floor", 0.0, 0.0).pin([0, 12, 156, 168]))
            .body(layer("one", 0.01, 0.3))
            .body(layer("two", 0.02, 0.9))
            .self_collision(SelfCollision::default())
            .threads(threads)
            .build()
            .unwrap();
        let pressed: usize = (0..12).map(|_| sim.step().unwrap().self_collision.unwrap().contacts).sum();
        assert!(pressed > 100, "{pressed}");
        sim.positions().iter().flat_map(|p| p.to_array().map(f64::to_bits)).collect::<Vec<_>>()
    };
    let alone = run(1);
    assert!([2, 3].into_iter().all(|threads| run(threads) == alone));
}

#[test]
fn ropes_hang_over_each_other_and_lie_on_cloth() {
    // A pinned rope across, a loose one laid over it at right angles, and cloth below.
    let across = rope(Vec3::new(0.0, 0.2, -0.5), Vec3::new(0.0, 0.2, 0.5), 20).unwrap();
    let over = rope(Vec3::new(-0.3, 0.21, 0.013), Vec3::new(0.3, 0.21, 0.013), 31).unwrap();
    let material = StrandMaterial::default();
    let cloth = Body::cloth(&sheet(1.0, 1.0, 10, 10), &ClothMaterial::default()).unwrap().pin_where(|_| true);
    let stray = rope(Vec3::new(-0.4, 0.03, 0.31), Vec3::new(0.2, 0.05, 0.27), 24).unwrap();
    let mut sim = Simulation::builder()
        .body(cloth.named("cloth"))
        .body(Body::strands(&across, &material).unwrap().named("across").pin_where(|_| true))
        .body(Body::strands(&over, &material).unwrap().named("over"))
        .body(Body::strands(&stray, &material).unwrap().named("stray"))
        .self_collision(SelfCollision { thickness: 6e-3, friction: 0.5, ..SelfCollision::default() })
        .build()
        .unwrap();
    let mut sum = Sum::default();
    (0..60).for_each(|_| sum.add(&mut sim));
    sum.show("ropes");
    let over = &sim.positions()[121 + 21..121 + 21 + 32];
    let top = over.iter().fold(f64::NEG_INFINITY, |high, p| high.max(p.y));
    assert!(top > 0.2, "it slipped through to {top} m");
    assert!(over[0].y < 0.15 && over[31].y < 0.15, "its ends hang down");
    let stray = &sim.positions()[121 + 21 + 32..];
    assert!(stray.iter().all(|p| p.y > 1e-3), "the rope lies on the cloth");
    assert_eq!(sum.intersecting, 0);
}

#[test]
fn a_start_with_intersections_is_refused_with_the_places() {
    let mesh = sheet(1.0, 1.0, 2, 2);
    let tilt = Mat3::from_rotation_z(1.0);
    let tilted =
        TriangleMesh { positions: mesh.positions.iter().map(|p| tilt * *p + Vec3::Z * 0.1).collect(), ..mesh.clone() };
    let cloth = |mesh: &TriangleMesh, name: &str| Body::cloth(mesh, &ClothMaterial::default()).unwrap().named(name);
    let build = |settings| {
        Simulation::builder().body(cloth(&mesh, "flat")).body(cloth(&tilted, "tilted")).self_collision(settings).build()
    };
    let error = build(SelfCollision::default()).unwrap_err();
    let ModelError::Intersecting { crossings } = &error else { panic!("{error}") };
    assert!(
        crossings.iter().all(|c| c.edge_body != c.triangle_body && c.edge[0] < 9 && c.triangle < 8),
        "{crossings:?}"
    );
    assert!(error.to_string().contains("\"tilted\"") && error.to_string().contains("\"flat\""), "{error}");
    let error = build(SelfCollision { thickness: -1.0, ..Default::default() }).unwrap_err();
    assert!(matches!(error, ModelError::BadParameter { name: "self-collision thickness", .. }), "{error}");
}

#[test]
fn a_body_that_opts_out_passes_through_itself_only() {
    let folded = |itself: bool| {
        let mesh = sheet(0.4, 0.1, 16, 4);
        let cloth = Body::cloth(&mesh, &ClothMaterial::default()).unwrap();
        let cloth = if itself { cloth } else { cloth.without_self_collision() };
        let mut sim = Simulation::builder().body(cloth).gravity(Vec3::ZERO);
        sim = sim.self_collision(SelfCollision::default());
        let mut sim = sim.build().unwrap();
        let masses = sim.model().mass().lumped().to_vec();
        let mut noise = Noise(5);
        let mut touched = 0;
        for _ in 0..40 {
            (0..masses.len()).for_each(|v| {
                let inwards = -sim.positions()[v] * 300.0 + noise.vector() * 5.0;
                push(&mut sim, v, inwards * masses[v]);
            });
            touched += sim.step().unwrap().self_collision.unwrap().contacts;
        }
        touched
    };
    assert!(folded(true) > 0);
    assert_eq!(folded(false), 0);
}
