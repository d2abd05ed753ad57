//! Worlds that stay on a device, whatever they are made of: the same doors for all of them.
#![allow(clippy::unwrap_used)]

mod common;

use pliant::mesh::generate::particle_block;
use pliant::prelude::*;
use pliant::{SimulationBuilder, StepError, StepReport};
use pliant_gpu::device::DeviceChoice;
use pliant_gpu::{GpuParams, GpuWorldError, NotResident, ResidentWorld, resident};

/// A cloth that swings, under a solver of the GPU.
fn swing() -> SimulationBuilder {
    let mesh = Sheet { columns: 12, rows: 12, ..Sheet::default() }.mesh().unwrap();
    let cloth = Body::cloth(&mesh, &ClothMaterial::default()).unwrap().pin([156, 168]);
    let solver = GpuParams { device: common::choice(), ..GpuParams::plain(6) };
    Simulation::builder().body(cloth).solver(solver)
}

/// A drop above the ground.
fn falling_drop() -> SimulationBuilder {
    let water = FluidMaterial { spacing: 0.05, ..FluidMaterial::default() };
    let drop = Body::fluid(&particle_block(Vec3::splat(0.25), water.spacing).unwrap(), &water).unwrap();
    let ground = Collider::new(Shape::Plane).at(Vec3::NEG_Y * 0.2);
    let solver = PositionBasedParams { iterations: 4, ..PositionBasedParams::default() };
    Simulation::builder().body(drop).collider(ground).solver(solver).time_step(0.01)
}

fn on_device(world: SimulationBuilder) -> Box<dyn ResidentWorld> {
    resident(world.build().unwrap(), &common::choice()).unwrap()
}

#[test]
fn a_state_that_was_asked_for_early_is_that_of_its_step() {
    let Some(_) = common::device() else { return };
    for (world, per_step) in [(swing as fn() -> SimulationBuilder, 1.0 / 60.0), (falling_drop, 0.01)] {
        let mut ahead = on_device(world());
        let (mut pending, mut places) = (Vec::new(), Vec::new());
        for _ in 0..4 {
            ahead.step().unwrap();
            pending.push(ahead.request_state().unwrap());
            places.push(ahead.request_positions().unwrap());
        }
        let mut waiting = on_device(world());
        for (k, (pending, places)) in pending.into_iter().zip(places).enumerate() {
            waiting.step().unwrap();
            let synced = waiting.sync().unwrap();
            assert_eq!(pending.steps(), k as u64 + 1);
            assert_eq!(places.wait().unwrap(), synced.positions());
            let seen = ahead.accept(&pending.wait().unwrap()).unwrap();
            assert_eq!((seen.positions(), seen.velocities()), (synced.positions(), synced.velocities()));
            assert!((seen.time() - (k + 1) as f64 * per_step).abs() < 1e-12 && seen.state().step == k as u64 + 1);
        }
        // A state is accepted once.
        assert_eq!(ahead.sync().unwrap().state().step, 4);
        assert_eq!(ahead.into_simulation().unwrap().state().step, 4);
    }
}

#[test]
fn a_world_goes_from_the_engine_to_the_device_and_back() {
    let Some(_) = common::device() else { return };
    for (world, allowed) in [(swing as fn() -> SimulationBuilder, 1e-5), (falling_drop, 1e-3)] {
        let mut here = world().build().unwrap();
        (0..9).for_each(|_| good(here.step()));
        let mut first = world().build().unwrap();
        (0..3).for_each(|_| good(first.step()));
        let mut there = world().build().unwrap();
        there.restore(&first.checkpoint()).unwrap();
        let mut there = resident(there, &common::choice()).unwrap();
        (0..3).for_each(|_| there.step().unwrap());
        let mut back = world().build().unwrap();
        back.restore(&there.sync().unwrap().checkpoint()).unwrap();
        (0..3).for_each(|_| good(back.step()));
        assert!((back.time() - here.time()).abs() < 1e-12 && back.state().step == 9);
        let gaps = back.positions().iter().zip(here.positions()).map(|(a, b)| a.distance(*b));
        let gap = gaps.fold(0.0, f64::max) / here.model().diagonal();
        assert!(gap < allowed, "{gap:e} of the diagonal");
    }
}

fn good(report: Result<StepReport, StepError>) {
    report.unwrap();
}

#[test]
fn a_lost_device_leaves_the_last_good_state() {
    let Some(_) = common::device() else { return };
    // A device of its own: others go on with theirs.
    let own = DeviceChoice { binding_size: Some(64 << 20), ..common::choice() };
    let solver = GpuParams { device: own.clone(), ..GpuParams::plain(6) };
    for world in [swing().solver(solver), falling_drop()] {
        let mut world = resident(world.build().unwrap(), &own).unwrap();
        (0..3).for_each(|_| world.step().unwrap());
        let good = world.sync().unwrap().positions().to_vec();
        world.step().unwrap();
        let pending = world.request_state().unwrap();
        world.device().lose();
        let said = world.step().unwrap_err().to_string();
        assert!(said.contains("the device of adapter") && said.contains("was lost"), "{said}");
        assert!(world.request_state().is_err() && world.sync().is_err());
        // What was under way may have arrived before; it never comes half.
        if let Ok(state) = pending.wait() {
            assert_eq!(state.steps, 4);
        }
        let mut sim = world.into_last_synced();
        assert_eq!((sim.positions(), sim.state().step), (&good[..], 3));
        sim.set_solver(PositionBasedParams::default()).unwrap();
        sim.step().unwrap();
    }
}

#[test]
fn a_state_that_is_not_finite_is_not_taken() {
    let Some(_) = common::device() else { return };
    let mut world = on_device(swing());
    (0..2).for_each(|_| world.step().unwrap());
    let good = world.sync().unwrap().positions().to_vec();
    world.step().unwrap();
    let mut state = world.request_state().unwrap().wait().unwrap();
    state.velocities[5].y = f64::NAN;
    let error = world.accept(&state).unwrap_err();
    assert!(matches!(error, GpuWorldError::NotFinite { steps: 1, .. }), "{error}");
    assert_eq!(world.last_synced().positions(), good);
    // It was one bad state, not a bad world.
    assert_eq!(world.sync().unwrap().state().step, 3);
}

#[test]
fn a_world_that_cannot_stay_there_comes_back_with_the_reason() {
    let Some(_) = common::device() else { return };
    let refused = |world: SimulationBuilder| -> Box<NotResident> {
        resident(world.build().unwrap(), &common::choice()).unwrap_err()
    };
    let gusty = Turbulence { strength: 0.3, ..Turbulence::default() };
    let mut windy = refused(swing().wind(Wind { turbulence: gusty, ..Wind::new(Vec3::X) }));
    assert!(windy.to_string().contains("has no turbulence of the wind"), "{windy}");
    // It is as good as new.
    windy.simulation.step().unwrap();
    let rod = refused(falling_drop().damping(Damping { radial: 1.0, ..Damping::default() }));
    assert_eq!(
        rod.to_string(),
        "the world has damping other than drag, which is not supported on a GPU yet: damp by drag or viscosity"
    );
    assert_eq!(rod.objections.reasons.len(), 1);
    let exact = refused(swing().solver(NewtonParams::default()));
    assert!(exact.objections.reasons.is_empty());
    assert!(exact.to_string().starts_with("no world of the solver Newton"), "{exact}");
}

#[test]
fn pins_that_move_and_turn_pull_as_in_the_engine() {
    let Some(_) = common::device() else { return };
    let two_metric = GpuParams { device: common::choice(), ..GpuParams::default() };
    let bdf2 = swing().integrator(TimeIntegrator::Bdf2).substeps(2);
    // The first step of BDF2 has nothing to look back at, and each takes it in its own way.
    for (name, world, allowed) in
        [("plain", swing().substeps(3), 1e-5), ("two metrics", swing().solver(two_metric), 1e-3), ("bdf2", bdf2, 5e-3)]
    {
        let mut here = world.build().unwrap();
        let mut there = swing_like(name);
        for k in 0..12 {
            let phase = 0.4 * f64::from(k);
            let place = |p: Vec3| p + Vec3::new(0.3 * phase.sin(), 0.1 * phase, 0.2 * (1.0 - phase.cos()));
            here.move_pins(|_, rest| place(rest)).unwrap();
            let model = there.last_synced().model();
            let targets: Vec<Vec3> = model.pinned().iter().map(|&v| place(model.rest()[v as usize])).collect();
            there.move_pins(&targets).unwrap();
            here.step().unwrap();
            there.step().unwrap();
        }
        let there = there.sync().unwrap();
        let gap = |a: &[Vec3], b: &[Vec3]| a.iter().zip(b).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
        let diagonal = here.model().diagonal();
        let apart = gap(here.positions(), there.positions()) / diagonal;
        assert!(apart < allowed, "{name}: {apart:e} of the diagonal");
        let pinned = here.model().pinned().iter().map(|&v| v as usize);
        for v in pinned {
            assert!(here.positions()[v].distance(there.positions()[v]) < 1e-12, "{name}: a pin is where it was put");
            assert!(here.velocities()[v].distance(there.velocities()[v]) < 1e-6, "{name}: {v}");
        }
        assert!(here.positions()[156].distance(here.model().rest()[156]) > 0.3, "they have gone somewhere");
    }
    let mut world = on_device(swing());
    assert!(world.move_pins(&[Vec3::ZERO]).unwrap_err().to_string().contains("1 entries, but 2 are needed"));
    assert!(world.move_pins(&[Vec3::NAN; 2]).unwrap_err().to_string().contains("must be finite"));
    let refused = on_device(falling_drop()).move_pins(&[]).unwrap_err().to_string();
    assert!(refused.contains("no pins that move"), "{refused}");
}

fn swing_like(name: &str) -> Box<dyn ResidentWorld> {
    on_device(match name {
        "plain" => swing().substeps(3),
        "two metrics" => swing().solver(GpuParams { device: common::choice(), ..GpuParams::default() }),
        _ => swing().integrator(TimeIntegrator::Bdf2).substeps(2),
    })
}
