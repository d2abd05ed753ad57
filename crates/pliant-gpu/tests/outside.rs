//! Forces from outside on worlds that stay on a device, against those of the engine.
#![allow(clippy::unwrap_used, reason = "tests")]

mod common;

use pliant::mesh::generate::Icosphere;
use pliant::prelude::*;
use pliant::{SimulationBuilder, presets};
use pliant_gpu::{GpuMethod, GpuParams, GpuWorld};

fn sheet(is_pinned: bool) -> Body {
    let sheet = Sheet { width: 1.0, height: 0.8, columns: 12, rows: 9, plane: Plane::Xz, ..Sheet::default() };
    let material = ClothMaterial { youngs_modulus: 4e5, ..presets::cloth("silk").unwrap() };
    let body = Body::cloth(&sheet.mesh().unwrap(), &material).unwrap().named("sheet");
    if is_pinned { body.pin([sheet.vertex(0, 9), sheet.vertex(12, 9)]) } else { body }
}

fn balloon(pressure: f64) -> Body {
    let mesh = Icosphere { radius: 0.3, subdivisions: 2 }.mesh().unwrap();
    let material = ClothMaterial { youngs_modulus: 4e5, ..presets::cloth("cotton").unwrap() };
    Body::cloth(&mesh, &material).unwrap().named("balloon").with_pressure(pressure).pin([0])
}

/// A name, the world, the same without what acts from outside, and a force on each vertex.
type World<'a> = (&'a str, &'a dyn Fn() -> SimulationBuilder, &'a dyn Fn() -> SimulationBuilder, Vec3);

/// Largest distance between a world of the engine and the same that stays on the device, and how far forces from outside have taken it.
fn gap_and_way((_, world, calm, force): &World<'_>, method: &GpuMethod, steps: usize) -> (f64, f64) {
    let build = |with_force: bool, world: SimulationBuilder| {
        let solver = GpuParams { method: method.clone(), device: common::choice(), ..GpuParams::default() };
        let mut sim = world.solver(solver).build().unwrap();
        if with_force && *force != Vec3::ZERO {
            let forces = vec![*force; sim.positions().len()];
            sim.set_forces(&forces).unwrap();
        }
        sim
    };
    let (mut there, mut here) = (GpuWorld::new(build(true, world())).unwrap(), build(true, world()));
    let mut calm = build(false, calm());
    for _ in 0..steps {
        there.step().unwrap();
        here.step().unwrap();
        calm.step().unwrap();
    }
    let back = there.sync().unwrap();
    let farthest = |others: &[Vec3]| {
        let gaps = here.positions().iter().zip(others).map(|(a, b)| (*a - *b).length());
        gaps.fold(0.0, f64::max) / here.model().diagonal()
    };
    (farthest(back.positions()), farthest(calm.positions()))
}

#[test]
fn wind_pressure_and_forces_act_as_in_the_engine() {
    let Some(_) = common::device() else { return };
    let wind = || Wind::new(Vec3::new(2.0, 4.0, 3.0));
    let windy = || Simulation::builder().body(sheet(true)).wind(wind()).substeps(2);
    let calm = || Simulation::builder().body(sheet(true)).substeps(2);
    let drag = Damping { drag: 0.5, ..Damping::default() };
    let falling = || Simulation::builder().body(sheet(false)).damping(drag);
    let flying = || falling().wind(wind());
    let blown = || Simulation::builder().body(balloon(40.0)).substeps(2);
    let slack = || Simulation::builder().body(balloon(0.0)).substeps(2);
    let both = || Simulation::builder().body(balloon(40.0)).body(sheet(true)).wind(wind());
    let neither = || Simulation::builder().body(balloon(0.0)).body(sheet(true));
    let worlds: [World<'_>; 5] = [
        ("wind", &windy, &calm, Vec3::ZERO),
        ("a sheet in the wind", &flying, &falling, Vec3::ZERO),
        ("pressure", &blown, &slack, Vec3::ZERO),
        ("wind and pressure", &both, &neither, Vec3::ZERO),
        ("forces", &calm, &calm, Vec3::new(3e-4, 5e-4, 0.0)),
    ];
    for world in &worlds {
        let method = GpuMethod::Projective(ProjectiveParams::plain(8));
        let (gap, way) = gap_and_way(world, &method, 8);
        println!("{}: {gap:.2e}, {way:.2e} from where it would be without", world.0);
        assert!(gap < 2e-5, "{}: {gap:e} of the diagonal", world.0);
        assert!(way > 5e-3, "{}: nothing acts from outside", world.0);
    }
}

#[test]
fn newton_begins_where_forces_from_outside_lead() {
    let Some(_) = common::device() else { return };
    let wind = || Simulation::builder().body(sheet(true)).wind(Wind::new(Vec3::new(2.0, 4.0, 3.0))).substeps(2);
    let calm = || Simulation::builder().body(sheet(true));
    let (gap, _) =
        gap_and_way(&("wind", &wind, &calm, Vec3::ZERO), &GpuMethod::TwoMetric(TwoMetricParams::default()), 8);
    println!("{gap:.2e}");
    assert!(gap < 1e-3, "{gap:e} of the diagonal");
}

/// Closed form: what flies freely in a steady wind comes to the wind's velocity, less what gravity takes; here there is none.
#[test]
fn a_free_sheet_comes_to_the_speed_of_the_wind_across_it() {
    let Some(_) = common::device() else { return };
    let wind = Vec3::new(0.0, 3.0, 0.0);
    let solver = GpuParams {
        method: GpuMethod::Projective(ProjectiveParams::plain(5)),
        device: common::choice(),
        ..GpuParams::default()
    };
    let world = Simulation::builder().body(sheet(false)).gravity(Vec3::ZERO).wind(Wind::new(wind));
    let mut there = GpuWorld::new(world.solver(solver).build().unwrap()).unwrap();
    (0..60).for_each(|_| there.step().unwrap());
    let sim = there.sync().unwrap();
    // m dv/dt = ½ρCA (u − v)², so that u − v = 1/(1/u + ½ρCA t/m), at most a few per cent off in steps of 1/60 s.
    let mass: f64 = sim.model().mass().lumped().iter().sum();
    let left = 1.0 / (1.0 / 3.0 + 0.6 * 0.8 * sim.time() / mass);
    let mean = sim.velocities().iter().map(|v| v.y).sum::<f64>() / sim.velocities().len() as f64;
    assert!((mean - (3.0 - left)).abs() < 0.02 * 3.0, "{mean} for {}", 3.0 - left);
}
