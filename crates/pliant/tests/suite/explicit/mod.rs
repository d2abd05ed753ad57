//! Explicit integration: its bound, and bad elements that are left to matching.
#![allow(clippy::unwrap_used)]

use pliant::ModelError;
use pliant::mesh::TetMesh;
use pliant::prelude::*;
use pliant::solve::{ExplicitParams, stable_time_step};

/// A bar of good tets, and the same with one vertex so near to another that the tets between them are slivers.
fn bars() -> [TetMesh; 2] {
    let good = TetBox { size: Vec3::new(1.2, 0.4, 0.4), cells: [6, 2, 2], ..TetBox::default() }.mesh().unwrap();
    let mut bad = good.clone();
    let at = |p: Vec3| good.positions.iter().position(|q| q.distance(p) < 1e-9).unwrap();
    let (moved, towards) = (at(Vec3::ZERO), at(Vec3::X * 0.2));
    bad.positions[moved] = good.positions[moved].lerp(good.positions[towards], 0.97);
    [good, bad]
}

fn material() -> SolidMaterial {
    SolidMaterial { youngs_modulus: 1e5, density: 1000.0, ..SolidMaterial::default() }
}

/// A free bar that is stretched at the start.
fn stretched(mesh: &TetMesh, name: &str) -> Body {
    let pulled = mesh.positions.iter().map(|p| *p * Vec3::new(1.05, 1.0, 1.0)).collect();
    Body::solid(mesh, &material()).unwrap().with_positions(pulled).named(name)
}

/// A free bar whose ends fly apart at the start. What is matched is rigid, so a start in its shape takes nothing out of it at once.
fn pulled(mesh: &TetMesh) -> Body {
    let velocities = mesh.positions.iter().map(|p| Vec3::X * p.x).collect();
    Body::solid(mesh, &material()).unwrap().with_velocities(velocities)
}

fn world(bodies: impl IntoIterator<Item = Body>, h: f64, params: ExplicitParams) -> Simulation {
    let world = Simulation::builder().gravity(Vec3::ZERO).time_step(h).solver(params);
    bodies.into_iter().fold(world, |world, body| world.body(body)).build().unwrap()
}

/// A step that good elements allow, and bad ones do not.
fn step_between() -> f64 {
    let [good, bad] =
        bars().map(|mesh| stable_time_step(world([stretched(&mesh, "bar")], 1e-3, ExplicitParams::default()).model()));
    println!("good elements allow {good} s, slivers {bad} s");
    assert!(bad < 0.5 * good);
    0.8 * good
}

const PLAIN: ExplicitParams = ExplicitParams { stabilise: false, safety: 1.0 };

#[test]
fn explicit_integration_keeps_energy_below_its_bound_and_explodes_above() {
    let [good, _] = bars();
    let bound = stable_time_step(world([stretched(&good, "bar")], 1e-3, PLAIN).model());
    let mut sim = world([stretched(&good, "bar")], 0.5 * bound, PLAIN);
    let before = sim.report().total();
    (0..1000).for_each(|_| drop(sim.step().unwrap()));
    let after = sim.report().total();
    println!("energy {after} of {before} J after 1000 steps");
    assert!((after / before - 1.0).abs() < 0.05, "{after} of {before} J");
    // The bound is that of the worst element alone, so the world itself allows somewhat more.
    let mut sim = world([stretched(&good, "bar")], 4.0 * bound, PLAIN);
    assert!((0..500).any(|_| sim.step().is_err() || sim.report().total() > 100.0 * before));
}

#[test]
fn slivers_that_explode_are_bounded_by_matching() {
    let ([_, bad], h) = (bars(), step_between());
    let mut plain = world([pulled(&bad)], h, PLAIN);
    let before = plain.report().total();
    let exploded = (0..500).find(|_| plain.step().is_err() || plain.report().total() > 100.0 * before);
    println!("without matching it explodes after {} steps", exploded.unwrap());

    let mut sim = world([pulled(&bad)], h, ExplicitParams::default());
    let momentum = sim.report().momentum;
    // From corner to corner: the bar turns slowly as well.
    let length = |sim: &Simulation| sim.positions()[0].distance(sim.positions()[bad.positions.len() - 1]);
    let size = length(&sim);
    let elements: usize = sim.model().energies().iter().map(|entry| entry.batch.operator().weights().len()).sum();
    let (mut most, mut largest) = (0.0_f64, 0.0_f64);
    for _ in 0..1500 {
        let report = sim.step().unwrap();
        let left_out = report.solve.stabilised;
        assert!(left_out > 0 && left_out < elements / 4, "{left_out} of {elements} elements");
        most = most.max(sim.report().kinetic);
        largest = largest.max(length(&sim) / size);
    }
    let after = sim.report();
    println!(
        "with it {most} J of {before} J at most, {} J in the end; {largest} times its size at most",
        after.kinetic
    );
    assert!(most < 1.01 * before, "{most} of {before} J");
    assert!(largest < 1.1, "{largest} times its size");
    assert!((after.momentum - momentum).length() < 1e-7, "{}", after.momentum);
}

#[test]
fn the_well_shaped_part_is_integrated_as_without_matching_to_the_bit() {
    let ([good, bad], h) = (bars(), step_between());
    // A good body beside a bad one does not know of it.
    let mut beside = world([stretched(&good, "good"), stretched(&bad, "bad")], h, ExplicitParams::default());
    let mut alone = world([stretched(&good, "good")], h, PLAIN);
    for _ in 0..100 {
        beside.step().unwrap();
        alone.step().unwrap();
    }
    assert_eq!(beside.positions()[..good.positions.len()], *alone.positions());
    // Within one body, a step differs only at the vertices of slivers.
    let mut whole = world([stretched(&bad, "bar")], h, ExplicitParams::default());
    let mut plain = world([stretched(&bad, "bar")], h, PLAIN);
    whole.step().unwrap();
    plain.step().unwrap();
    let differ = whole.positions().iter().zip(plain.positions()).filter(|(a, b)| a != b).count();
    println!("{differ} of {} vertices differ", bad.positions.len());
    assert!(differ > 0 && differ < bad.positions.len() / 2, "{differ}");
}

#[test]
fn parameters_and_integrators_that_cannot_be_are_refused() {
    let [good, _] = bars();
    let build = |params: ExplicitParams, integrator| {
        let world = Simulation::builder().body(stretched(&good, "bar")).solver(params).integrator(integrator);
        world.build().map(drop)
    };
    let careless = ExplicitParams { safety: 2.0, ..ExplicitParams::default() };
    let error = build(careless, TimeIntegrator::ImplicitEuler).unwrap_err();
    assert!(matches!(error, ModelError::BadParameter { value: 2.0, .. }), "{error}");
    let error = build(ExplicitParams::default(), TimeIntegrator::Bdf2).unwrap_err();
    assert_eq!(error, ModelError::ExplicitIntegrator(TimeIntegrator::Bdf2));
}
