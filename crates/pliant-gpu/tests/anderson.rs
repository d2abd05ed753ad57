//! Anderson acceleration on a device against that of the CPU.
#![allow(clippy::unwrap_used, reason = "tests")]

mod common;

use pliant::prelude::*;
use pliant::{SimulationBuilder, presets};
use pliant_gpu::{GpuMethod, GpuParams, GpuWorld};

fn on_device(params: &ProjectiveParams) -> GpuParams {
    GpuParams { method: GpuMethod::Projective(params.clone()), device: common::choice(), ..GpuParams::default() }
}

fn cloth(name: &str) -> Body {
    let sheet = Sheet { width: 1.0, height: 0.8, columns: 14, rows: 11, plane: Plane::Xz, ..Sheet::default() };
    let material = presets::cloth(name).unwrap();
    Body::cloth(&sheet.mesh().unwrap(), &material).unwrap().named(name).pin([sheet.vertex(0, 11), sheet.vertex(14, 11)])
}

fn bar(name: &str) -> Body {
    let mesh = TetBox { size: Vec3::new(1.0, 0.2, 0.2), cells: [8, 2, 2], ..TetBox::default() }.mesh().unwrap();
    let held: Vec<u32> = (0..).zip(&mesh.positions).filter(|(_, p)| p.x < 1e-9).map(|(v, _)| v).collect();
    Body::solid(&mesh, &presets::solid(name).unwrap()).unwrap().named(name).pin(held)
}

fn accelerated(window: usize, iterations: usize) -> ProjectiveParams {
    ProjectiveParams {
        acceleration: Acceleration::Anderson { window },
        iterations,
        tolerance: 0.0,
        ..ProjectiveParams::default()
    }
}

fn gap(a: &Simulation, b: &Simulation) -> f64 {
    let gaps = a.positions().iter().zip(b.positions()).map(|(a, b)| (*a - *b).length());
    gaps.fold(0.0, f64::max) / a.model().diagonal()
}

/// After one stage, how far the accelerated and the plain iterate are from the minimum that many iterations find, in g.
fn excess(world: &dyn Fn() -> SimulationBuilder, solver: SolverChoice) -> f64 {
    let value = |solver: SolverChoice| {
        let mut sim = world().solver(solver).build().unwrap();
        sim.step().unwrap().solve.objective
    };
    value(solver) - value(ProjectiveParams::converged().into())
}

#[test]
fn accelerated_iterations_move_as_on_the_cpu() {
    let Some(_) = common::device() else { return };
    let bodies: [(&str, usize, &dyn Fn() -> Body); 4] = [
        ("silk", 5, &|| cloth("silk")),
        ("silk", 8, &|| cloth("silk")),
        ("denim", 1, &|| cloth("denim")),
        ("jelly", 5, &|| bar("jelly")),
    ];
    for (name, window, body) in bodies {
        let params = accelerated(window, 15);
        let build = |solver: SolverChoice| Simulation::builder().body(body()).solver(solver).build().unwrap();
        let on_gpu = || build(on_device(&params).into());
        let (mut cpu, mut gpu, mut again) = (build(params.clone().into()), on_gpu(), on_gpu());
        let mut resident = GpuWorld::new(on_gpu()).unwrap();
        for _ in 0..10 {
            for sim in [&mut cpu, &mut gpu, &mut again] {
                sim.step().unwrap();
            }
            resident.step().unwrap();
        }
        // The same iterations, but a combination of iterates makes more of what f32 leaves out.
        let apart = gap(&cpu, &gpu);
        assert!(apart < 5e-4, "{name}, window {window}: {apart:e} of the diagonal");
        assert_eq!(gpu.positions(), again.positions(), "{name}: other bits in the same run");
        let apart = gap(&gpu, resident.sync().unwrap());
        assert!(apart < 5e-4, "{name}, window {window}: {apart:e} of the diagonal where it stays on the device");
    }
}

#[test]
fn acceleration_is_worth_as_much_as_on_the_cpu() {
    let Some(_) = common::device() else { return };
    for name in ["silk", "denim"] {
        // Much out of balance, so that what f32 leaves is little of it.
        let wavy = || {
            let body = cloth(name);
            let wave = |p: &Vec3| Vec3::new(1.05 * p.x, p.y + 0.05 * (9.0 * p.x + 5.0 * p.z).sin(), 0.97 * p.z);
            let positions = body.rest().iter().map(wave).collect();
            body.with_positions(positions)
        };
        let world = || Simulation::builder().body(wavy()).time_step(1.0 / 60.0);
        for iterations in [10, 20] {
            let plain = excess(&world, on_device(&ProjectiveParams::plain(iterations)).into());
            let cpu = excess(&world, accelerated(5, iterations).into());
            let gpu = excess(&world, on_device(&accelerated(5, iterations)).into());
            println!("{name}, {iterations}: plain {plain:.2e} J, CPU {cpu:.2e} J, GPU {gpu:.2e} J above the minimum");
            assert!(
                gpu < 1.1 * cpu && gpu < 0.5 * plain,
                "{name}, {iterations}: {gpu:e} J for {cpu:e} J and {plain:e} J"
            );
        }
    }
}
