//! Energies on a device against the same on the CPU.
#![allow(clippy::unwrap_used, reason = "tests")]

mod common;

use pliant::energy::{HalfSpace, StrainSet, TetStrain, TriangleStrain};
use pliant::prelude::*;
use pliant::{SimulationBuilder, presets};
use pliant_gpu::{GpuMethod, GpuParams, GpuWorld};

fn on_device(method: GpuMethod) -> GpuParams {
    GpuParams { method, device: common::choice(), ..GpuParams::default() }
}

/// Largest distance between a world on the CPU and on a device after some frames, over the diagonal; and how far it has moved by then.
fn gap_and_way(world: &dyn Fn() -> SimulationBuilder, solver: &SolverChoice, frames: usize) -> (f64, f64) {
    let on_device = GpuParams { device: common::choice(), ..GpuParams::default() }.running(solver).unwrap();
    let (mut cpu, mut gpu) =
        (world().solver(solver.clone()).build().unwrap(), world().solver(on_device).build().unwrap());
    let begun = cpu.positions().to_vec();
    for _ in 0..frames {
        cpu.step().unwrap();
        gpu.step().unwrap();
    }
    let farthest = |others: &[Vec3]| {
        let gaps = cpu.positions().iter().zip(others).map(|(a, b)| (*a - *b).length());
        gaps.fold(0.0, f64::max) / cpu.model().diagonal()
    };
    (farthest(gpu.positions()), farthest(&begun))
}

fn assert_same(name: &str, world: &dyn Fn() -> SimulationBuilder, solver: &SolverChoice, frames: usize) {
    let (gap, way) = gap_and_way(world, solver, frames);
    println!("{name}: {gap:.2e} of the diagonal apart, after a way of {way:.2e}");
    assert!(gap < 1e-4, "{name}: {gap:e} of the diagonal after {frames} frames");
    assert!(way > 1e-2, "{name}: nothing moves, only by {way:e}");
}

/// Newton's method with two metrics, solved so well that both sides have the same answer: as far as f32 lets them, so that cloth is not too stiff.
fn exact() -> SolverChoice {
    TwoMetricParams {
        iterations: 10,
        linear_iterations: 60,
        linear_tolerance: 1e-2,
        tolerance: 1e-5,
        energy_tolerance: 0.0,
        ..TwoMetricParams::default()
    }
    .into()
}

fn assert_same_bits(world: &dyn Fn() -> SimulationBuilder, method: &GpuMethod) {
    let run = || {
        let mut sim = world().solver(on_device(method.clone())).build().unwrap();
        (0..6).for_each(|_| drop(sim.step().unwrap()));
        sim
    };
    assert_eq!(run().positions(), run().positions());
}

/// A sheet that bends by hinges: flat, or an arch at rest.
fn hinged(bend: f64, is_curved: bool) -> Body {
    let sheet = Sheet { width: 1.0, height: 0.8, columns: 14, rows: 11, plane: Plane::Xz, ..Sheet::default() };
    let mut mesh = sheet.mesh().unwrap();
    if is_curved {
        mesh.positions.iter_mut().for_each(|p| {
            let angle = 2.4 * (p.x - 0.5);
            *p = Vec3::new(angle.sin() / 2.4, angle.cos() / 2.4, p.z);
        });
    }
    let material = ClothMaterial {
        bend_model: BendModel::Hinge,
        bending_stiffness: Some(bend),
        youngs_modulus: 4e5,
        ..ClothMaterial::default()
    };
    Body::cloth(&mesh, &material).unwrap().named("hinged").pin([sheet.vertex(0, 11), sheet.vertex(14, 11)])
}

#[test]
fn hinges_move_as_on_the_cpu() {
    let Some(_) = common::device() else { return };
    for (name, bend, is_curved) in [("soft", 1e-5, false), ("stiff", 1e-2, false), ("arch", 1e-3, true)] {
        let world = || Simulation::builder().body(hinged(bend, is_curved));
        assert_same(name, &world, &ProjectiveParams::plain(10).into(), 30);
        assert_same(name, &|| world().substeps(2), &exact(), 6);
        assert_same_bits(&world, &GpuMethod::Projective(ProjectiveParams::plain(5)));
    }
}

/// Hinges that are folded back, crushed and turned inside out settle in other frames than those they begin with.
#[test]
fn crumpled_hinges_unfold_as_on_the_cpu() {
    let Some(_) = common::device() else { return };
    let world = || {
        let body = hinged(1e-3, true);
        let wave = |k: usize, a: f64| (a * (k as f64 + 1.0)).sin();
        let crumple = |(k, p): (usize, &Vec3)| *p + Vec3::new(wave(k, 12.9), wave(k, 78.2), wave(k, 37.7)) * 0.08;
        let crumpled = body.rest().iter().enumerate().map(crumple).collect();
        Simulation::builder().body(body.with_positions(crumpled)).time_step(0.002)
    };
    assert_same("crumpled", &world, &ProjectiveParams::plain(10).into(), 3);
}

fn bar(name: &str) -> Body {
    let mesh = TetBox { size: Vec3::new(1.0, 0.2, 0.2), cells: [8, 2, 2], ..TetBox::default() }.mesh().unwrap();
    let held: Vec<u32> = (0..).zip(&mesh.positions).filter(|(_, p)| p.x < 1e-9).map(|(v, _)| v).collect();
    Body::solid(&mesh, &presets::solid(name).unwrap()).unwrap().named("bar").pin(held)
}

fn net() -> Body {
    let sheet = Sheet { width: 0.5, height: 0.5, columns: 8, rows: 8, plane: Plane::Xz, ..Sheet::default() };
    let mesh = sheet.mesh().unwrap();
    Body::mass_spring(&mesh, 0.2, mesh.edges(), 100.0)
        .unwrap()
        .named("net")
        .pin([sheet.vertex(0, 0), sheet.vertex(8, 0)])
}

fn cotton(bend_model: BendModel) -> Body {
    let sheet = Sheet { width: 1.0, height: 0.8, columns: 12, rows: 9, plane: Plane::Xz, ..Sheet::default() };
    let material =
        ClothMaterial { bend_model, poisson_ratio: 0.3, youngs_modulus: 4e5, ..presets::cloth("cotton").unwrap() };
    Body::cloth(&sheet.mesh().unwrap(), &material)
        .unwrap()
        .named("cotton")
        .pin([sheet.vertex(0, 9), sheet.vertex(12, 9)])
}

#[test]
fn damping_in_proportion_to_stiffness_is_that_of_the_cpu() {
    let Some(_) = common::device() else { return };
    let bodies: [(&str, &dyn Fn() -> Body); 5] = [
        ("springs", &net),
        ("plate", &|| cotton(BendModel::Plate)),
        ("hinges", &|| hinged(1e-3, true)),
        ("mean curvature", &|| cotton(BendModel::MeanCurvature)),
        ("jelly", &|| bar("jelly")),
    ];
    for (name, body) in bodies {
        let world = |stiffness: f64| {
            let damping = Damping { stiffness, ..Damping::default() };
            move || Simulation::builder().body(body()).damping(damping)
        };
        let damped = world(0.02);
        assert_same(name, &damped, &ProjectiveParams::plain(10).into(), 12);
        assert_same(name, &|| damped().substeps(2), &exact(), 4);
        assert_same_bits(&damped, &GpuMethod::Projective(ProjectiveParams::plain(5)));
        // It does something: without it, the world is elsewhere.
        let free = world(0.0);
        let mut ends = [damped(), free()].map(|world| world.solver(ProjectiveParams::plain(10)).build().unwrap());
        ends.iter_mut().for_each(|sim| (0..12).for_each(|_| drop(sim.step().unwrap())));
        let gaps = ends[0].positions().iter().zip(ends[1].positions()).map(|(a, b)| (*a - *b).length());
        assert!(gaps.fold(0.0, f64::max) > 1e-3 * ends[0].model().diagonal(), "{name}: damping does nothing");
    }
}

#[test]
fn surfaces_bend_from_a_mean_curvature_as_on_the_cpu() {
    let Some(_) = common::device() else { return };
    let world = || {
        let sheet = Sheet { width: 0.8, height: 0.8, columns: 9, rows: 9, plane: Plane::Xz, ..Sheet::default() };
        let mut mesh = sheet.mesh().unwrap();
        mesh.positions.iter_mut().for_each(|p| p.y = 0.4 * p.x * p.x + 0.2 * p.z * p.x);
        let stiffness = Some(1e-3);
        let model = BendModel::MeanCurvature;
        let material = ClothMaterial {
            bend_model: model,
            bending_stiffness: stiffness,
            youngs_modulus: 4e5,
            ..ClothMaterial::default()
        };
        let body = Body::cloth(&mesh, &material).unwrap().named("bowl").pin([sheet.vertex(0, 9), sheet.vertex(9, 9)]);
        Simulation::builder().body(body)
    };
    assert_same("bowl", &world, &ProjectiveParams::plain(10).into(), 20);
    assert_same("bowl", &|| world().substeps(2), &exact(), 6);
}

#[test]
fn fibres_stretch_as_on_the_cpu() {
    let Some(_) = common::device() else { return };
    let woven = || {
        let sheet = Sheet { width: 0.6, height: 0.6, columns: 8, rows: 8, plane: Plane::Xz, ..Sheet::default() };
        let mesh = sheet.mesh().unwrap();
        let set = StrainSet::Fibres { direction: Vec3::new(1.0, 0.0, 0.4), limits: [[1.0, 1.0], [0.9, 1.05]] };
        let fibres = TriangleStrain { triangles: mesh.triangles.clone(), stiffness: 200.0, set };
        let net = Body::mass_spring(&mesh, 0.2, mesh.edges(), 5.0).unwrap().named("woven").pin([0, 8]);
        Simulation::builder().body(net.with_energy(fibres.build(&mesh.positions).unwrap()))
    };
    assert_same("woven", &woven, &ProjectiveParams::plain(10).into(), 15);
    assert_same("woven", &|| woven().substeps(2), &exact(), 5);
    let muscle = || {
        let mesh = TetBox { size: Vec3::new(1.0, 0.2, 0.2), cells: [8, 2, 2], ..TetBox::default() }.mesh().unwrap();
        let set =
            StrainSet::Fibres { direction: Vec3::new(1.0, 0.2, 0.0), limits: [[1.0, 1.0], [0.8, 1.1], [0.8, 1.1]] };
        let fibres = TetStrain { tets: mesh.tets.clone(), stiffness: 2e4, set };
        Simulation::builder().body(bar("jelly").with_energy(fibres.build(&mesh.positions).unwrap()))
    };
    assert_same("muscle", &muscle, &ProjectiveParams::plain(10).into(), 20);
    assert_same("muscle", &|| muscle().substeps(2), &exact(), 5);
}

/// Largest distance between a world of the engine and one that stays on the device, after some steps, over the diagonal.
fn gap_of_resident(build: &dyn Fn() -> Simulation, steps: usize) -> f64 {
    let (mut there, mut here) = (GpuWorld::new(build()).unwrap(), build());
    for _ in 0..steps {
        there.step().unwrap();
        here.step().unwrap();
    }
    let back = there.sync().unwrap();
    let gaps = here.positions().iter().zip(back.positions()).map(|(a, b)| (*a - *b).length());
    gaps.fold(0.0, f64::max) / here.model().diagonal()
}

#[test]
fn hinges_and_damping_stay_on_the_device() {
    let Some(_) = common::device() else { return };
    let damping = Damping { stiffness: 0.02, drag: 0.3, ..Damping::default() };
    for integrator in [TimeIntegrator::ImplicitEuler, TimeIntegrator::Bdf2] {
        let build = || {
            let world = Simulation::builder().body(hinged(1e-3, true)).damping(damping).integrator(integrator);
            world.substeps(2).solver(on_device(GpuMethod::Projective(ProjectiveParams::plain(8)))).build().unwrap()
        };
        // BDF2 begins otherwise there: as if vertices had come the way they go.
        let allowed = if integrator == TimeIntegrator::Bdf2 { 5e-3 } else { 1e-5 };
        let gap = gap_of_resident(&build, 8);
        println!("{integrator}: {gap:.2e}");
        assert!(gap < allowed, "{integrator}: {gap:e} of the diagonal");
    }
}

/// A bar and a sheet that fall onto two planes, one of them sloping.
#[test]
fn half_spaces_hold_as_on_the_cpu() {
    let Some(_) = common::device() else { return };
    let world = || {
        let mesh = TetBox { size: Vec3::new(0.6, 0.2, 0.2), cells: [6, 2, 2], ..TetBox::default() }.mesh().unwrap();
        let vertices: Vec<u32> = (0..mesh.positions.len() as u32).collect();
        let normal = Vec3::new(0.3, 2.0, 0.0);
        let floor = HalfSpace { vertices: vertices.clone(), point: Vec3::Y * -0.15, normal, stiffness: 40.0 };
        let wall = HalfSpace { vertices, point: Vec3::X * 0.72, normal: -Vec3::X, stiffness: 40.0 };
        let [floor, wall] = [floor, wall].map(|plane| plane.build(&mesh.positions).unwrap());
        let bar = Body::solid(&mesh, &presets::solid("jelly").unwrap()).unwrap().named("bar");
        Simulation::builder().body(bar.with_energy(floor).with_energy(wall)).gravity(Vec3::new(2.0, -9.81, 0.0))
    };
    assert_same("bar", &world, &ProjectiveParams::plain(10).into(), 25);
    assert_same("bar", &|| world().substeps(2), &exact(), 15);
}
