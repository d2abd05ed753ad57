//! Nothing passes through anything.

use pliant::collide::{Heightfield, Key, Pose, SolidMesh};
use pliant::mesh::generate::Icosphere;
use pliant::prelude::*;

use super::common::particle;

fn free(body: Body) -> pliant::SimulationBuilder {
    Simulation::builder().body(body).gravity(Vec3::ZERO).runaway_limit(1e6)
}

fn slab_of_triangles() -> Shape {
    let slab = TetBox { size: Vec3::new(0.01, 1.0, 1.0), cells: [1, 3, 3], ..TetBox::default() }.mesh().unwrap();
    Shape::Mesh(SolidMesh::new(&slab.surface().unwrap().mesh).unwrap())
}

/// Thin in the direction of x, wide across it.
fn thin() -> Vec<Collider> {
    let on_edge = Quat::from_rotation_z(-std::f64::consts::FRAC_PI_2);
    let field = Heightfield::new([5, 5], [0.25; 2], vec![0.0; 25]).unwrap();
    vec![
        Collider::new(Shape::Box { size: Vec3::new(0.002, 1.0, 1.0) }),
        Collider::new(Shape::Plane).turned(on_edge.inverse()),
        Collider::new(Shape::Sphere { radius: 0.01 }),
        Collider::new(Shape::Capsule { radius: 0.01, length: 0.5 }),
        Collider::new(Shape::Cylinder { radius: 0.5, length: 0.002 }).turned(on_edge),
        Collider::new(slab_of_triangles()),
        Collider::new(Shape::Heightfield(field)).turned(on_edge.inverse()).at(Vec3::new(0.0, -0.5, -0.5)),
    ]
}

#[test]
fn a_particle_at_1000_m_per_s_does_not_pass_a_thin_collider() {
    for collider in thin() {
        let shape = format!("{:?}", collider.shape()).chars().take(20).collect::<String>();
        // 17 m a step, from far away and from the last millimetres.
        for start in [-33.0, -0.6, -0.0725] {
            let body = particle(Vec3::X * start, Vec3::X * 1000.0);
            let mut sim = free(body).collider(collider.clone()).build().unwrap();
            for _ in 0..4 {
                sim.step().unwrap();
                let x = sim.positions()[0].x;
                assert!(x < 0.0, "{shape} from {start}: passed to {x}");
            }
            assert!(!sim.contacts().is_empty() || sim.velocities()[0].x.abs() < 1.0, "{shape} from {start}: not met");
        }
    }
}

/// Times along such paths do not resolve the collider: a look could be behind it.
#[test]
fn a_path_of_a_thousand_light_years_does_not_pass_a_thin_collider() {
    for collider in thin() {
        let shape = format!("{:?}", collider.shape()).chars().take(20).collect::<String>();
        for end in [1e3, 1e9, 1e12, 1e15, 1e19] {
            for start in [-1e3, -33.0, -0.0725] {
                let (a, b) = (Vec3::X * start, Vec3::X * end);
                let hit = collider.moving_over(0.0, 1.0).hit(a, b);
                let hit = hit.unwrap_or_else(|| panic!("{shape} from {start} to {end}: passed"));
                assert!(hit.normal.x < -0.9 && hit.point.x <= 1e-9, "{shape} from {start} to {end}: {hit:?}");
            }
        }
    }
}

/// The path stays at a distance that allows only short looks; without a bound on their number this would not end.
#[test]
fn a_long_path_that_grazes_a_turning_collider_keeps_to_its_side() {
    let key =
        |time: f64, angle: f64| Key { time, pose: Pose { rotation: Quat::from_rotation_y(angle), ..Pose::default() } };
    let floor = Collider::new(Shape::Plane).thickness(1e-9).moving(vec![key(0.0, 0.0), key(1.0, 1e-3)]);
    let (a, b) = (Vec3::new(0.0, 1e-6, 0.0), Vec3::new(1e4, 1e-6, 0.0));
    let hit = floor.moving_over(0.0, 1.0).hit(a, b).expect("met before the end of a path that nobody looks along");
    assert!(hit.time < 1.0 && hit.normal.distance(Vec3::Y) < 1e-9 && hit.point.y.abs() < 1e-9, "{hit:?}");
}

#[test]
fn a_fast_thin_collider_does_not_pass_a_resting_particle() {
    for collider in thin().into_iter().filter(|c| matches!(c.shape(), Shape::Box { .. } | Shape::Mesh(_))) {
        let key = |time: f64, x: f64| Key { time, pose: Pose { position: Vec3::X * x, ..Pose::default() } };
        let moving = collider.moving(vec![key(0.0, 5.0), key(0.1, -95.0)]);
        let mut sim = free(particle(Vec3::ZERO, Vec3::ZERO)).collider(moving).build().unwrap();
        for _ in 0..6 {
            sim.step().unwrap();
            let at = sim.colliders()[0].pose(sim.time()).position.x;
            assert!(sim.positions()[0].x < at, "{} is behind {at}", sim.positions()[0].x);
        }
    }
}

#[test]
fn a_fast_collider_that_a_stage_has_not_seen_arrive_is_met_at_the_end_of_the_step() {
    let key = |time: f64, x: f64| Key { time, pose: Pose { position: Vec3::X * x, ..Pose::default() } };
    for integrator in [TimeIntegrator::ImplicitMidpoint, TimeIntegrator::TrBdf2, TimeIntegrator::Bdf2] {
        // After half of the first step it is still before the particle, at its end behind.
        let wall = Collider::new(slab_of_triangles()).moving(vec![key(0.0, 1.0), key(1.0 / 60.0, -0.5)]);
        let mut sim = free(particle(Vec3::ZERO, Vec3::ZERO)).integrator(integrator).collider(wall).build().unwrap();
        sim.step().unwrap();
        let x = sim.positions()[0].x;
        assert!(x < -0.5, "{integrator:?}: the wall has passed to −0.5 m, the particle is at {x}");
    }
}

#[test]
fn a_turning_blade_takes_a_particle_along() {
    let blade = Collider::new(Shape::Box { size: Vec3::new(2.0, 0.2, 0.01) });
    let key = |time: f64, angle: f64| {
        let rotation = Quat::from_rotation_y(angle);
        Key { time, pose: Pose { position: Vec3::ZERO, rotation } }
    };
    // A third of a turn in each step.
    let keys = (0..10).map(|k| key(f64::from(k) / 60.0, 2.0 * f64::from(k))).collect();
    let mut sim = free(particle(Vec3::new(0.5, 0.0, -0.2), Vec3::ZERO)).collider(blade.moving(keys)).build().unwrap();
    sim.step().unwrap();
    assert_eq!(sim.contacts().len(), 1);
    // Before the step it is on the side of −z of the blade, 0.2 m from it, and after it on the same side; left where it was it would be 0.54 m behind.
    let pose = sim.colliders()[0].pose(sim.time());
    let seen = pose.to_local(sim.positions()[0]);
    println!("seen from the blade it is at {seen}, with {} m/s", sim.velocities()[0]);
    assert!((-0.3..=-0.005).contains(&seen.z) && seen.x.abs() < 1.0, "seen from the blade it is at {seen}");
    // It moves as the blade does there, which goes towards its −z.
    let ahead = pose.rotation.conjugate() * sim.velocities()[0];
    assert!(ahead.z < -1.0, "{ahead} m/s");
}

#[test]
fn an_animated_mesh_that_grows_pushes_a_particle_out() {
    let mesh = Icosphere { radius: 0.1, subdivisions: 3 }.mesh().unwrap();
    let grown: Vec<Vec3> = mesh.positions.iter().map(|p| *p * 10.0).collect();
    let times = vec![0.0, 2.0 / 60.0];
    let collider = Collider::animated(&mesh, times, vec![mesh.positions.clone(), grown]).unwrap();
    let start = Vec3::new(0.2, 0.1, 0.3);
    let mut sim = free(particle(start, Vec3::ZERO)).collider(collider).build().unwrap();
    (0..2).for_each(|_| drop(sim.step().unwrap()));
    // The flat triangles lie a little inside the sphere.
    let distance = sim.positions()[0].length();
    assert!(distance > 0.98 && distance < 1.1, "{distance}");
}
