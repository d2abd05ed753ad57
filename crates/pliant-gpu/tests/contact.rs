//! Contact with colliders in worlds that stay on a device, against the engine.
#![allow(clippy::unwrap_used, reason = "tests")]

mod common;

use pliant::collide::{DistanceGrid, Heightfield, Key, Pose, SolidMesh};
use pliant::math::Quat;
use pliant::mesh::generate::Icosphere;
use pliant::mesh::sdf::Ball;
use pliant::prelude::*;
use pliant::{SimulationBuilder, presets};
use pliant_gpu::{GpuMethod, GpuParams, GpuWorld};

fn on_gpu(method: GpuMethod) -> GpuParams {
    GpuParams { method, device: common::choice(), ..GpuParams::default() }
}

/// Newton's method, solved so well that both sides have the same answer.
fn newton() -> TwoMetricParams {
    TwoMetricParams {
        iterations: 5,
        linear_iterations: 24,
        linear_tolerance: 1e-2,
        tolerance: 1e-5,
        ..TwoMetricParams::default()
    }
}

/// A cloth of 1 m that falls flat.
fn falling() -> SimulationBuilder {
    let sheet = Sheet { width: 1.0, height: 1.0, columns: 12, rows: 12, plane: Plane::Xz, ..Sheet::default() };
    let cloth = Body::cloth(&sheet.mesh().unwrap(), &presets::cloth("cotton").unwrap()).unwrap();
    Simulation::builder().body(cloth.named("cloth")).substeps(4).integrator(TimeIntegrator::ImplicitEuler)
}

fn steps_on_gpu(world: SimulationBuilder, method: GpuMethod, steps: usize) -> Simulation {
    let mut gpu = GpuWorld::new(world.solver(on_gpu(method)).build().unwrap()).unwrap();
    for _ in 0..steps {
        gpu.step().unwrap();
    }
    gpu.into_simulation().unwrap()
}

/// Mean distance of vertices between two worlds, over the diagonal.
fn gap(a: &Simulation, b: &Simulation) -> f64 {
    let gaps: f64 = a.positions().iter().zip(b.positions()).map(|(a, b)| a.distance(*b)).sum();
    gaps / a.positions().len() as f64 / a.model().diagonal()
}

fn ball() -> Collider {
    Collider::new(Shape::Sphere { radius: 0.3 }).at(Vec3::new(0.05, -0.35, 0.02)).friction(0.4)
}

/// The ball as other shapes say it, and shapes of their own.
fn obstacles() -> Vec<(&'static str, Collider, f64)> {
    let at = Vec3::new(0.05, -0.35, 0.02);
    let shape = |shape| Collider::new(shape).at(at).friction(0.4);
    let tilted = Quat::from_rotation_x(0.4) * Quat::from_rotation_z(0.3);
    let heights = (0..25).flat_map(|j| (0..25).map(move |i| (f64::from(i) * 0.8).sin() * (f64::from(j) * 0.5).cos()));
    let field = Heightfield::new([25, 25], [0.08, 0.08], heights.map(|h| 0.06 * h).collect()).unwrap();
    let sampled = DistanceGrid::sampled(&Ball { centre: Vec3::ZERO, radius: 0.3 }, 0.04).unwrap();
    let mesh = SolidMesh::new(&Icosphere { radius: 0.3, subdivisions: 3 }.mesh().unwrap()).unwrap();
    vec![
        ("sphere", ball(), 5e-4),
        ("plane", Collider::new(Shape::Plane).at(Vec3::Y * -0.45).turned(tilted).friction(0.2), 5e-5),
        ("capsule", shape(Shape::Capsule { radius: 0.15, length: 0.4 }).turned(tilted), 3e-4),
        ("box", shape(Shape::Box { size: Vec3::new(0.5, 0.4, 0.3) }).turned(tilted), 2e-4),
        ("cylinder", shape(Shape::Cylinder { radius: 0.3, length: 0.5 }), 1e-4),
        ("heightfield", Collider::new(Shape::Heightfield(field)).at(Vec3::new(-0.95, -0.1, -0.95)).friction(0.3), 5e-4),
        ("grid", shape(Shape::Grid(sampled)), 1e-3),
        ("mesh", shape(Shape::Mesh(mesh)), 3e-3),
    ]
}

#[test]
fn cloth_drapes_over_every_shape_as_on_the_cpu() {
    let Some(_) = common::device() else { return };
    // Long enough to fold, and too short for folds to choose their side by the last digits.
    let steps = 11;
    let free = steps_on_gpu(falling(), GpuMethod::TwoMetric(newton()), steps);
    for (name, collider, allowed) in obstacles() {
        let world = || falling().collider(collider.clone());
        let mut cpu = world().solver(newton()).build().unwrap();
        (0..steps).for_each(|_| _ = cpu.step().unwrap());
        let gpu = steps_on_gpu(world(), GpuMethod::TwoMetric(newton()), steps);
        let (gap, way) = (gap(&cpu, &gpu), gap(&free, &gpu));
        assert!(gap < allowed, "{name}: {gap:e} of the diagonal");
        assert!(way > 10.0 * gap, "{name}: {gap:e} from the CPU, {way:e} from free fall");
    }
}

#[test]
fn local_and_global_iterations_move_vertices_as_on_the_cpu() {
    let Some(_) = common::device() else { return };
    let plain = GpuMethod::Projective(ProjectiveParams::plain(10));
    let world = || falling().collider(ball()).substeps(2);
    // By the solver's trait contacts are the engine's, on the CPU.
    let mut by_trait = world().solver(on_gpu(plain.clone())).build().unwrap();
    (0..12).for_each(|_| _ = by_trait.step().unwrap());
    let resident = steps_on_gpu(world(), plain, 12);
    let gap = gap(&by_trait, &resident);
    assert!(gap < 2e-4, "{gap:e} of the diagonal");
}

#[test]
fn nothing_ends_inside_of_what_moves() {
    let Some(_) = common::device() else { return };
    let key = |time, position, turn| Key { time, pose: Pose { position, rotation: Quat::from_rotation_z(turn) } };
    let keys = vec![key(0.0, Vec3::new(0.0, -0.3, 0.0), 0.0), key(0.4, Vec3::new(0.1, 0.2, 0.0), 1.5)];
    let moving = || Collider::new(Shape::Box { size: Vec3::new(0.5, 0.3, 0.4) }).moving(keys.clone()).friction(0.5);
    let world = || falling().collider(moving()).collider(ball().at(Vec3::new(0.0, -0.9, 0.3)));
    for method in [GpuMethod::TwoMetric(TwoMetricParams::default()), GpuMethod::Projective(ProjectiveParams::plain(6))]
    {
        let mut gpu = GpuWorld::new(world().solver(on_gpu(method)).build().unwrap()).unwrap();
        let mut lifted = 0;
        for _ in 0..30 {
            gpu.step().unwrap();
            let sim = gpu.sync().unwrap();
            for collider in sim.colliders() {
                let pose = collider.pose(sim.time());
                for x in sim.positions() {
                    let depth = -collider.shape().nearby(pose.to_local(*x)).distance;
                    assert!(depth < 1e-5, "{depth:e} m inside at {} s", sim.time());
                    lifted += usize::from(depth > -2e-3);
                }
            }
        }
        assert!(lifted > 100, "only {lifted} times near a collider");
    }
}

/// A cube that falls on a plane, with what `auto` chooses for solids.
fn cube(friction: f64, restitution: f64, slope: f64) -> SimulationBuilder {
    let mut mesh = TetBox { size: Vec3::splat(0.1), cells: [3, 3, 3], ..TetBox::default() }.mesh().unwrap();
    let turn = Quat::from_rotation_z(slope);
    let height = if restitution > 0.0 { 0.2 } else { 1.5e-3 };
    let lowest = mesh.positions.iter().fold(0.0, |low: f64, x| low.min(x.y));
    mesh.positions.iter_mut().for_each(|x| *x = turn * (*x + Vec3::Y * (height - lowest)));
    let body = Body::solid(&mesh, &presets::solid("rubber").unwrap()).unwrap().named("cube");
    let plane = Collider::new(Shape::Plane).friction(friction).restitution(restitution);
    // BDF2, which `auto` would take, calls for the engine's guard of energy where an impact sets velocities.
    Simulation::builder().body(body).collider(plane.turned(turn)).integrator(TimeIntegrator::ImplicitEuler)
}

fn centre(sim: &Simulation) -> Vec3 {
    sim.positions().iter().sum::<Vec3>() / sim.positions().len() as f64
}

#[test]
fn cubes_stick_slide_and_rebound_as_on_the_cpu() {
    let Some(_) = common::device() else { return };
    let slope = 0.4_f64;
    for (name, friction, restitution) in [("sticks", 0.6, 0.0), ("slides", 0.2, 0.0), ("rebounds", 0.0, 0.7)] {
        let world = || cube(friction, restitution, if restitution > 0.0 { 0.0 } else { slope });
        let mut cpu = world().build().unwrap();
        let before = centre(&cpu);
        // A rebound is short.
        let steps = if restitution > 0.0 { 14 } else { 20 };
        (0..steps).for_each(|_| _ = cpu.step().unwrap());
        let gpu = steps_on_gpu(world(), GpuMethod::Auto, steps);
        let (on_cpu, on_gpu) = (centre(&cpu) - before, centre(&gpu) - before);
        assert!(on_cpu.distance(on_gpu) < 2e-3, "{name}: {on_gpu} for {on_cpu}");
        let time = 20.0 / 60.0;
        match name {
            "sticks" => assert!(on_gpu.length() < 2e-3, "{on_gpu}"),
            // ½ g (sin − μ cos) t² down the slope.
            "slides" => {
                let way = 0.5 * 9.81 * (slope.sin() - friction * slope.cos()) * time * time;
                assert!((on_gpu.length() - way).abs() < 0.1 * way, "{} for {way}", on_gpu.length());
            }
            _ => assert!(on_gpu.y > -0.197, "{on_gpu}"),
        }
    }
}

#[test]
fn two_runs_have_the_same_bits() {
    let Some(_) = common::device() else { return };
    let run = || steps_on_gpu(falling().collider(ball()), GpuMethod::Auto, 14);
    let (first, second) = (run(), run());
    assert!(first.positions() == second.positions() && first.velocities() == second.velocities());
}

#[test]
fn colliders_that_a_device_does_not_know_are_refused_by_name() {
    let Some(_) = common::device() else { return };
    let refusal = |world: SimulationBuilder| {
        let sim = world.solver(on_gpu(GpuMethod::Auto)).build().unwrap();
        GpuWorld::new(sim).unwrap_err().to_string()
    };
    let mesh = Icosphere { radius: 0.1, subdivisions: 1 }.mesh().unwrap();
    let frames = vec![mesh.positions.clone(), mesh.positions.clone()];
    let swelling = Collider::animated(&mesh, vec![0.0, 1.0], frames).unwrap().named("lung").at(Vec3::Y * -3.0);
    let message = refusal(falling().collider(swelling));
    assert!(message.contains("lung") && message.contains("vertices that move"), "{message}");
    let many = (0..17).fold(falling(), |world, k| world.collider(ball().at(Vec3::Y * (-2.0 - f64::from(k)))));
    let message = refusal(many);
    assert!(message.contains("17 colliders, more than 16"), "{message}");
    let by_displacement = ContactParams { mode: ContactMode::Displacement, ..ContactParams::default() };
    let message = refusal(falling().collider(ball()).contact(by_displacement));
    assert!(message.contains("Displacement"), "{message}");
}
