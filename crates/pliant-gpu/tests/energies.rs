//! Energies on a device against the same on the CPU.
#![allow(clippy::unwrap_used, reason = "tests")]

mod common;

use pliant::SimulationBuilder;
use pliant::prelude::*;
use pliant_gpu::{GpuMethod, GpuParams};

fn on_device(method: GpuMethod) -> GpuParams {
    GpuParams { method, device: common::choice() }
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

/// Newton's method with two metrics, solved so well that both sides have the same answer.
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
    let material =
        ClothMaterial { bend_model: BendModel::Hinge, bending_stiffness: Some(bend), ..ClothMaterial::default() };
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
