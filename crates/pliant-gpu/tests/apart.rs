//! Worlds that stay on a device and whose surfaces are kept apart, judged by the engine's exact test.
#![allow(clippy::unwrap_used, reason = "tests")]

mod common;

use pliant::prelude::*;
use pliant::proximity::{Primitives, intersections};
use pliant::{SelfCollision, SimulationBuilder, presets};
use pliant_gpu::{GpuMethod, GpuParams, GpuWorld};

fn auto() -> GpuParams {
    GpuParams { method: GpuMethod::Auto, device: common::choice(), ..GpuParams::default() }
}

/// Three silk sheets above each other that fall onto a ball.
fn sheets(thickness: f64) -> SimulationBuilder {
    let sheet = Sheet { width: 0.5, height: 0.5, columns: 12, rows: 12, plane: Plane::Xz, ..Sheet::default() };
    let mut world = Simulation::builder().self_collision(SelfCollision { thickness, ..SelfCollision::default() });
    for k in 0..3 {
        let mut mesh = sheet.mesh().unwrap();
        let shift = Vec3::new(0.02 * f64::from(k), 0.16 + 0.02 * f64::from(k), 0.013 * f64::from(k));
        mesh.positions.iter_mut().for_each(|p| *p += shift);
        let body = Body::cloth(&mesh, &presets::cloth("silk").unwrap()).unwrap();
        world = world.body(body.named(format!("sheet {k}")));
    }
    world.collider(Collider::new(Shape::Sphere { radius: 0.15 }).friction(0.3).thickness(4e-3))
}

fn crossings(sim: &Simulation) -> usize {
    intersections(&Primitives::new(sim.model().bodies()), sim.positions()).len()
}

#[test]
fn sheets_that_fall_on_each_other_never_pass_through() {
    let Some(_) = common::device() else { return };
    let mut gpu = GpuWorld::new(sheets(2e-3).solver(auto()).build().unwrap()).unwrap();
    for frame in 0..24 {
        gpu.step().unwrap();
        assert_eq!(crossings(gpu.sync().unwrap()), 0, "frame {frame}");
    }
    let report = gpu.layers_report().unwrap().unwrap();
    assert!(report.contacts > 20 && report.last_resorts == 0 && report.dropped == 0, "{report:?}");
}

#[test]
fn a_stack_of_sheets_comes_to_rest_as_on_the_cpu() {
    let Some(_) = common::device() else { return };
    // They rest on a plane: heights tell whether the lower ones carry the upper ones.
    let world = || {
        let sheet = Sheet { width: 0.3, height: 0.3, columns: 6, rows: 6, plane: Plane::Xz, ..Sheet::default() };
        let mut world =
            Simulation::builder().self_collision(SelfCollision { thickness: 4e-3, ..SelfCollision::default() });
        for k in 0..3 {
            let mut mesh = sheet.mesh().unwrap();
            mesh.positions
                .iter_mut()
                .for_each(|p| *p += Vec3::new(0.011 * f64::from(k), 0.01 + 0.012 * f64::from(k), 0.007));
            let body = Body::cloth(&mesh, &presets::cloth("denim").unwrap()).unwrap();
            world = world.body(body.named(format!("sheet {k}")));
        }
        world.collider(Collider::new(Shape::Plane).friction(0.5).thickness(2e-3))
    };
    let mut cpu = world().build().unwrap();
    let mut gpu = GpuWorld::new(world().solver(auto()).build().unwrap()).unwrap();
    for _ in 0..30 {
        cpu.step().unwrap();
        gpu.step().unwrap();
    }
    let gpu = gpu.into_simulation().unwrap();
    let heights = |sim: &Simulation| -> Vec<f64> {
        let mean = |k: usize| sim.positions()[49 * k..49 * (k + 1)].iter().map(|p| p.y).sum::<f64>() / 49.0;
        (0..3).map(mean).collect()
    };
    let (on_cpu, on_gpu) = (heights(&cpu), heights(&gpu));
    let gaps = on_cpu.iter().zip(&on_gpu).map(|(a, b)| (a - b).abs());
    assert!(gaps.fold(0.0, f64::max) < 3e-4, "{on_gpu:?} for {on_cpu:?}");
    assert!(on_gpu.windows(2).all(|pair| pair[1] - pair[0] > 3.5e-3), "{on_gpu:?}");
}
