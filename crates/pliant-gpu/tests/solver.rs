//! Worlds on a device against the same worlds on the CPU.
#![allow(clippy::unwrap_used, reason = "tests")]

mod common;

use pliant::energy::{PositionGoals, RigidSet};
use pliant::prelude::*;
use pliant::{ModelError, SimulationBuilder, presets};
use pliant_gpu::device::{Device, DeviceChoice};
use pliant_gpu::{GpuMethod, GpuParams, GpuWorld};

/// Plain iterations, which are the same on both sides but for rounding.
fn params(projective: &ProjectiveParams) -> GpuParams {
    GpuParams { method: GpuMethod::Projective(projective.clone()), device: common::choice(), ..GpuParams::default() }
}

/// Largest distance between two worlds after some steps, over the diagonal.
fn gap(mut cpu: Simulation, mut gpu: Simulation, steps: usize) -> f64 {
    for _ in 0..steps {
        cpu.step().unwrap();
        gpu.step().unwrap();
    }
    let gaps = cpu.positions().iter().zip(gpu.positions()).map(|(a, b)| (*a - *b).length());
    gaps.fold(0.0, f64::max) / cpu.model().diagonal()
}

fn distance(world: impl Fn() -> SimulationBuilder, solver: &ProjectiveParams, steps: usize) -> f64 {
    gap(world().solver(solver.clone()).build().unwrap(), world().solver(params(solver)).build().unwrap(), steps)
}

fn cloth(material: &ClothMaterial) -> Body {
    let sheet = Sheet { width: 1.0, height: 0.8, columns: 17, rows: 13, ..Sheet::default() };
    let corners = [sheet.vertex(0, 13), sheet.vertex(17, 13)];
    Body::cloth(&sheet.mesh().unwrap(), material).unwrap().named("cloth").pin(corners)
}

fn bar(material: &SolidMaterial) -> Body {
    let mesh = TetBox { size: Vec3::new(1.0, 0.2, 0.2), cells: [10, 2, 2], ..TetBox::default() }.mesh().unwrap();
    let held: Vec<u32> = (0..).zip(&mesh.positions).filter(|(_, p)| p.x < 1e-9).map(|(v, _)| v).collect();
    Body::solid(&mesh, material).unwrap().named("bar").pin(held)
}

#[test]
fn presets_of_cloth_and_solids_move_as_on_the_cpu() {
    let Some(_) = common::device() else { return };
    let plain = ProjectiveParams::plain(10);
    let stretchy = ClothMaterial { poisson_ratio: 0.3, ..presets::cloth("cotton").unwrap() };
    for (name, material) in
        [("silk", presets::cloth("silk").unwrap()), ("denim", presets::cloth("denim").unwrap()), ("ν = 0.3", stretchy)]
    {
        let gap = distance(|| Simulation::builder().body(cloth(&material)), &plain, 30);
        assert!(gap < 1e-4, "{name}: {gap:e} of the diagonal after 30 frames");
    }
    for name in ["jelly", "rubber", "foam"] {
        let material = presets::solid(name).unwrap();
        let gap = distance(|| Simulation::builder().body(bar(&material)), &plain, 30);
        assert!(gap < 1e-4, "{name}: {gap:e} of the diagonal after 30 frames");
    }
}

#[test]
fn springs_goals_and_attachments_move_as_on_the_cpu() {
    let Some(_) = common::device() else { return };
    let world = || {
        let sheet = Sheet { width: 0.5, height: 0.5, columns: 8, rows: 8, plane: Plane::Xz, ..Sheet::default() };
        let mesh = sheet.mesh().unwrap();
        // Some that give way within limits.
        let mut springs = EdgeSprings::new(mesh.edges(), SpringStiffness::Uniform(200.0));
        springs.limits = [0.9, 1.1];
        let limited = springs.build(&mesh.positions).unwrap();
        let vertices = vec![sheet.vertex(0, 0), sheet.vertex(8, 8)];
        let held = PositionGoals { vertices, goals: None, stiffness: 300.0 };
        let held = held.build(&mesh.positions).unwrap();
        let net = Body::mass_spring(&mesh, 0.2, mesh.edges(), 100.0).unwrap().named("net");
        let net = net.with_energy(limited).with_energy(held);
        let world = Simulation::builder().body(net).body(cloth(&presets::cloth("silk").unwrap()));
        world.attach_at_distance(("net", sheet.vertex(8, 0)), ("cloth", 3), 500.0)
    };
    let gap = distance(world, &ProjectiveParams::plain(10), 30);
    assert!(gap < 1e-4, "{gap:e}");
}

/// Newton's method with two metrics, solved so well that both sides have the same answer.
#[test]
fn newton_with_two_metrics_finds_what_it_finds_on_the_cpu() {
    let Some(_) = common::device() else { return };
    let stretchy = ClothMaterial { poisson_ratio: 0.3, ..presets::cloth("cotton").unwrap() };
    let body = |name: &str| match presets::solid(name) {
        Some(material) => bar(&material),
        None => cloth(&presets::cloth(name).unwrap_or_else(|| stretchy.clone())),
    };
    for name in ["ν = 0.3", "silk", "denim", "jelly", "rubber"] {
        for preconditioner in [Preconditioner::Product, Preconditioner::Factor] {
            let solver = TwoMetricParams {
                iterations: 8,
                linear_iterations: 40,
                linear_tolerance: 1e-2,
                tolerance: 1e-4,
                preconditioner,
                ..TwoMetricParams::default()
            };
            let on_gpu = GpuParams {
                method: GpuMethod::TwoMetric(solver.clone()),
                device: common::choice(),
                ..GpuParams::default()
            };
            let world = || Simulation::builder().body(body(name)).substeps(2).integrator(TimeIntegrator::ImplicitEuler);
            let gap = gap(world().solver(solver).build().unwrap(), world().solver(on_gpu).build().unwrap(), 3);
            assert!(gap < 1e-4, "{name}, {preconditioner:?}: {gap:e} of the diagonal after 3 frames");
        }
    }
}

#[test]
fn auto_runs_what_it_would_choose_on_the_cpu() {
    let Some(_) = common::device() else { return };
    let world = || Simulation::builder().body(cloth(&presets::cloth("cotton").unwrap()));
    let cpu = world().build().unwrap();
    let gpu = world().solver(GpuParams { device: common::choice(), ..GpuParams::default() }).build().unwrap();
    assert_eq!(cpu.substeps(), gpu.substeps());
    assert_eq!(format!("{}", gpu.solver_choice()), "GPU");
    let gap = gap(cpu, gpu, 30);
    assert!(gap < 1e-5, "{gap} of the diagonal after 30 frames");
}

#[test]
fn a_free_sheet_falls_as_a_stone_however_it_folds() {
    let Some(_) = common::device() else { return };
    let sheet = Sheet { width: 1.0, height: 1.0, columns: 12, rows: 12, plane: Plane::Xz, ..Sheet::default() };
    let mesh = sheet.mesh().unwrap();
    let folded: Vec<Vec3> = mesh.positions.iter().map(|p| Vec3::new(0.9 * p.x, 0.1 * (7.0 * p.x).sin(), p.z)).collect();
    let body = Body::cloth(&mesh, &presets::cloth("cotton").unwrap()).unwrap().with_positions(folded);
    let device = GpuParams { device: common::choice(), ..GpuParams::default() };
    let mut sim = Simulation::builder().body(body).solver(device).build().unwrap();
    let masses = sim.model().mass().lumped().to_vec();
    let centre = |sim: &Simulation| -> Vec3 {
        let weighed = sim.positions().iter().zip(&masses).map(|(p, m)| *p * *m);
        weighed.sum::<Vec3>() / masses.iter().sum::<f64>()
    };
    let (begun, steps) = (centre(&sim), 30);
    (0..steps).for_each(|_| drop(sim.step().unwrap()));
    // Implicit Euler: g h² n (n + 1)/2 with the substeps' h.
    let n = (steps * sim.substeps()) as f64;
    let h = sim.time() / n;
    let fallen = centre(&sim) - begun;
    let expected = Vec3::Y * (-9.81 * h * h * n * (n + 1.0) / 2.0);
    assert!((fallen - expected).length() < 1e-4 * expected.length(), "{fallen} for {expected}");
}

#[test]
fn chebyshev_is_the_same_on_both_sides() {
    let Some(_) = common::device() else { return };
    let acceleration = Acceleration::Chebyshev { rho: 0.9, delay: 3, relaxation: 1.0 };
    let solver = ProjectiveParams { acceleration, ..ProjectiveParams::plain(12) };
    let gap = distance(|| Simulation::builder().body(cloth(&presets::cloth("cotton").unwrap())), &solver, 20);
    assert!(gap < 1e-4, "{gap:e}");
}

#[test]
fn a_run_has_the_same_bits_again_and_after_a_checkpoint() {
    let Some(_) = common::device() else { return };
    for solver in [params(&ProjectiveParams::plain(5)), GpuParams { device: common::choice(), ..GpuParams::default() }]
    {
        let build = || {
            let world = Simulation::builder().body(cloth(&presets::cloth("cotton").unwrap()));
            world.body(bar(&presets::solid("jelly").unwrap())).solver(solver.clone()).build().unwrap()
        };
        let (mut first, mut second) = (build(), build());
        for step in 0..8 {
            first.step().unwrap();
            if step == 3 {
                second.restore(&first.checkpoint()).unwrap();
            } else if step > 3 {
                second.step().unwrap();
            }
        }
        assert_eq!(first.positions(), second.positions(), "{solver:?}");
    }
}

#[test]
fn a_checkpoint_passes_between_cpu_and_gpu() {
    let Some(_) = common::device() else { return };
    let plain = ProjectiveParams::plain(10);
    let world = || Simulation::builder().body(bar(&presets::solid("jelly").unwrap()));
    let mut cpu = world().solver(plain.clone()).build().unwrap();
    let mut gpu = world().solver(params(&plain)).build().unwrap();
    (0..5).for_each(|_| drop(cpu.step().unwrap()));
    gpu.restore(&cpu.checkpoint()).unwrap();
    (0..5).for_each(|_| drop(gpu.step().unwrap()));
    let mut back = world().solver(plain).build().unwrap();
    back.restore(&gpu.checkpoint()).unwrap();
    for _ in 0..5 {
        cpu.step().unwrap();
    }
    let gaps = cpu.positions().iter().zip(back.positions()).map(|(a, b)| (*a - *b).length());
    assert!(gaps.fold(0.0, f64::max) < 1e-5 * cpu.model().diagonal());
    back.step().unwrap();
}

#[test]
fn cloth_comes_to_rest_on_a_sphere() {
    let Some(_) = common::device() else { return };
    let sheet = Sheet { width: 1.0, height: 1.0, columns: 12, rows: 12, plane: Plane::Xz, ..Sheet::default() };
    let cloth = Body::cloth(&sheet.mesh().unwrap(), &presets::cloth("cotton").unwrap()).unwrap();
    let ball = Collider::new(Shape::Sphere { radius: 0.35 }).at(Vec3::new(0.0, -0.4, 0.0));
    let mut sim =
        Simulation::builder().body(cloth).collider(ball).solver(params(&ProjectiveParams::plain(10))).build().unwrap();
    for _ in 0..40 {
        let report = sim.step().unwrap();
        assert!(report.solve.movement.is_finite());
    }
    let centre = Vec3::new(0.0, -0.4, 0.0);
    let nearest = sim.positions().iter().map(|p| (*p - centre).length()).fold(f64::INFINITY, f64::min);
    assert!(nearest > 0.349 && sim.positions().iter().any(|p| p.y < -0.2), "{nearest}");
}

#[test]
fn what_it_does_not_know_is_refused_by_name() {
    let Some(_) = common::device() else { return };
    let refused = |builder: SimulationBuilder| match builder.build().unwrap_err() {
        error @ ModelError::Solver { .. } => error.to_string(),
        other => panic!("{other}"),
    };
    let world = || Simulation::builder().body(cloth(&ClothMaterial::default()));
    let lbfgs = ProjectiveParams { acceleration: Acceleration::Lbfgs { history: 5 }, ..ProjectiveParams::default() };
    let message = refused(world().solver(params(&lbfgs)));
    assert!(message.contains("Lbfgs") && message.contains("Chebyshev"), "{message}");
    let choice = DeviceChoice { name: Some("Voodoo 2".to_owned()), ..DeviceChoice::default() };
    let message = refused(world().solver(GpuParams { device: choice, ..GpuParams::plain(10) }));
    assert!(message.contains("Voodoo 2"), "{message}");
    let net = cloth(&ClothMaterial::default());
    let rigid = RigidSet { hub: 0, vertices: vec![1, 2, 3, 20], stiffness: 10.0 }.build(net.rest()).unwrap();
    let message =
        refused(Simulation::builder().body(net.with_energy(rigid)).solver(params(&ProjectiveParams::plain(10))));
    assert!(message.contains("\"cloth\"") && message.contains("rigid"), "{message}");
}

#[test]
fn a_device_that_is_lost_leaves_the_last_good_state() {
    let Some(_) = common::device() else { return };
    // A device of its own: the others must not lose theirs.
    let choice = DeviceChoice { binding_size: Some(1 << 26), ..common::choice() };
    let solver = GpuParams { device: choice.clone(), ..GpuParams::plain(5) };
    let mut sim = Simulation::builder().body(cloth(&ClothMaterial::default())).solver(solver).build().unwrap();
    sim.step().unwrap();
    let before = sim.positions().to_vec();
    Device::open(&choice).unwrap().lose();
    let message = sim.step().unwrap_err().to_string();
    assert!(message.contains("lost"), "{message}");
    assert_eq!(sim.positions(), before);
    // Another solver goes on from there.
    sim.set_solver(ProjectiveParams::plain(5)).unwrap();
    sim.step().unwrap();
}

#[test]
fn a_world_that_stays_on_the_device_moves_as_one_that_does_not() {
    let Some(_) = common::device() else { return };
    let plain = params(&ProjectiveParams::plain(6));
    let auto = GpuParams { device: common::choice(), ..GpuParams::default() };
    // Implicit Euler, with two metrics and substeps; and BDF2, which begins otherwise there.
    for (name, solver, allowed) in [("cotton", plain, 1e-6), ("silk", auto.clone(), 1e-3), ("jelly", auto, 5e-3)] {
        let body = || match presets::solid(name) {
            Some(material) => bar(&material),
            None => cloth(&presets::cloth(name).unwrap()),
        };
        let build = || Simulation::builder().body(body()).solver(solver.clone()).build().unwrap();
        let (mut there, mut here) = (GpuWorld::new(build()).unwrap(), build());
        for _ in 0..6 {
            there.step().unwrap();
            here.step().unwrap();
        }
        let early = there.request_positions().unwrap();
        there.step().unwrap();
        let gaps = here.positions().iter().zip(early.wait().unwrap()).map(|(a, b)| (*a - b).length());
        let gap = gaps.fold(0.0, f64::max) / here.model().diagonal();
        assert!(gap < allowed, "{name}: {gap:e} of the diagonal");
        here.step().unwrap();
        let back = there.sync().unwrap();
        assert!((back.time() - here.time()).abs() < 1e-12 && back.state().step == 7);
        let gaps = here.velocities().iter().zip(back.velocities()).map(|(a, b)| (*a - *b).length());
        assert!(gaps.fold(0.0, f64::max) < 60.0 * allowed * here.model().diagonal(), "{name}");
        // A checkpoint of it goes on with the engine.
        let mut next = build();
        next.restore(&back.checkpoint()).unwrap();
        next.step().unwrap();
    }
}

#[test]
fn what_cannot_stay_on_the_device_is_refused_by_name() {
    let Some(_) = common::device() else { return };
    let auto = || GpuParams { device: common::choice(), ..GpuParams::default() };
    let world = || Simulation::builder().body(cloth(&ClothMaterial::default()));
    let refused = |sim: Simulation| GpuWorld::new(sim).unwrap_err().to_string();
    let message = refused(world().build().unwrap());
    assert!(message.contains("two-metric"), "{message}");
    let turbulence = Turbulence { strength: 0.3, ..Turbulence::default() };
    let wind = Wind { turbulence, ..Wind::new(Vec3::X) };
    let message = refused(world().solver(auto()).wind(wind).build().unwrap());
    assert!(message.contains("turbulence"), "{message}");
    let rope = rope(Vec3::ZERO, Vec3::new(0.0, -1.0, 0.0), 8).unwrap();
    let rope = Body::strands(&rope, &StrandMaterial::default()).unwrap().pin([0]);
    let message = refused(Simulation::builder().body(rope).solver(auto()).wind(Wind::new(Vec3::X)).build().unwrap());
    assert!(message.contains("wind on strands"), "{message}");
}

#[test]
fn bodies_with_equal_parameters_are_one_group() {
    let Some(_) = common::device() else { return };
    let solver = || params(&ProjectiveParams::plain(5));
    let first = cloth(&ClothMaterial::default()).with_solver(solver());
    let second = bar(&presets::solid("jelly").unwrap()).with_solver(solver());
    assert_eq!(Simulation::builder().body(first).body(second).build().unwrap().solver_count(), 1);
}
