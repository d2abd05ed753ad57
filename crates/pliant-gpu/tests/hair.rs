//! Hair on a device against that of the engine.
#![allow(clippy::unwrap_used, reason = "tests")]

mod common;

use pliant::collide::{Collider, Heightfield, Key, Pose, Shape};
use pliant::math::{Quat, Vec3};
use pliant::mesh::generate::{Bundle, Roots, Scalp};
use pliant::mesh::{Csr, StrandSet};
use pliant::prelude::{
    Body, Damping, FollowLeaderParams, HairGrid, HairStyle, PositionBasedParams, Simulation, StrandMaterial, Wind,
};
use pliant::solve::SolverChoice;
use pliant::{Checkpoint, SimulationBuilder};
use pliant_gpu::device::Device;
use pliant_gpu::{GpuError, GpuHair, GpuWorldError, ResidentWorld};

const GRID: HairGrid = HairGrid { cell: 0.01, friction: 10.0, repulsion: 0.02 };
const STYLE: HairStyle = HairStyle { local: 0.3, iterations: 3, global: 0.05, global_range: 0.4 };

fn material() -> StrandMaterial {
    StrandMaterial { density: 1e-5, ..StrandMaterial::default() }
}

/// Hair around a head, of strands that are not quite alike, so that no vertex is exactly between two cells of a grid.
fn scalp(count: usize) -> StrandSet {
    let set = Scalp { radius: 0.101, cover: 0.45, count, length: 0.2, segments: 12, curl: None }.strands().unwrap();
    let wave = |v: usize, a: f64| 0.004 * (a * v as f64).sin();
    let place = |(v, p): (usize, &Vec3)| {
        let is_root = set.strands.rows().any(|strand| strand[0] as usize == v);
        if is_root { *p } else { *p + Vec3::new(wave(v, 1.3), wave(v, 0.7), wave(v, 2.1)) }
    };
    StrandSet::new(set.positions.iter().enumerate().map(place).collect(), set.strands.clone()).unwrap()
}

fn roots(hair: &StrandSet) -> Vec<u32> {
    hair.strands.rows().map(|strand| strand[0]).collect()
}

fn rooted(hair: &StrandSet) -> Body {
    Body::strands(hair, &material()).unwrap().named("hair").pin(roots(hair))
}

fn world(hair: &StrandSet, params: FollowLeaderParams) -> SimulationBuilder {
    Simulation::builder().body(rooted(hair)).solver(params)
}

/// How a head is turned and where it is at a time.
fn nod(time: f64) -> Pose {
    let position = Vec3::new(0.05 * (5.0 * time).sin(), 0.0, 0.02 * (9.0 * time).sin());
    Pose { position, rotation: Quat::from_rotation_y(0.6 * (5.0 * time).sin()) }
}

fn nodding(hair: &StrandSet, params: FollowLeaderParams, friction: f64) -> SimulationBuilder {
    let keys = (0..=240).map(|k| f64::from(k) / 60.0).map(|time| Key { time, pose: nod(time) }).collect();
    let ball = Collider::new(Shape::Sphere { radius: 0.1 }).moving(keys).friction(friction);
    world(hair, params).collider(ball)
}

/// Moves the roots of both with the head.
fn follow(sim: &mut Simulation, device: Option<&mut GpuHair>, rest: &[Vec3]) {
    let pose = nod(sim.time() + sim.time_step());
    let target = |vertex: u32, _: Vec3| pose.to_world(rest[vertex as usize]);
    sim.move_pins(target).unwrap();
    if let Some(hair) = device {
        hair.move_pins(target).unwrap();
    }
}

fn farthest(a: &[Vec3], b: &[Vec3]) -> f64 {
    a.iter().zip(b).fold(0.0, |most: f64, (a, b)| most.max(a.distance(*b)))
}

/// Steps both `steps` times, each time from the same state; returns the largest difference of a step over the diagonal, in positions and in the ways of
/// the next step.
fn difference(build: &dyn Fn() -> SimulationBuilder, rest: &[Vec3], steps: usize, device: &Device) -> f64 {
    let mut sim = build().build().unwrap();
    let mut hair = GpuHair::new(device, build().build().unwrap()).unwrap();
    let mut most: f64 = 0.0;
    for _ in 0..steps {
        // The device has the time of its own world, which goes on with this one.
        hair.set_state(sim.positions(), sim.velocities()).unwrap();
        follow(&mut sim, Some(&mut hair), rest);
        sim.step().unwrap();
        hair.step().unwrap();
        let found = hair.sync().unwrap();
        let h = sim.time_step() / sim.substeps() as f64;
        let diagonal = sim.model().diagonal();
        let x = farthest(sim.positions(), found.positions()) / diagonal;
        let v = farthest(sim.velocities(), found.velocities()) * h / diagonal;
        most = most.max(x).max(v);
    }
    most
}

#[test]
fn a_step_is_that_of_the_engine_to_a_hundred_thousandth_of_the_diagonal() {
    let Some(device) = common::device() else { return };
    let hair = scalp(150);
    let plain = FollowLeaderParams::default();
    let grid = FollowLeaderParams { grid: Some(GRID), ..plain.clone() };
    let style = FollowLeaderParams { style: Some(STYLE), correction: 0.5, ..grid.clone() };
    for (name, params) in [("alone", plain), ("against hair", grid), ("styled", style)] {
        let damping = Damping { drag: 0.5, ..Damping::default() };
        let build = || world(&hair, params.clone()).damping(damping);
        let found = difference(&build, &hair.positions, 20, &device);
        eprintln!("{name}: {found:e}");
        assert!(found < 1e-5, "{name}: a step differs by {found:e} of the diagonal");
    }
}

#[test]
fn several_bodies_with_pins_anywhere_in_substeps_agree_too() {
    let Some(device) = common::device() else { return };
    // Strands of several lengths: pinned at the end, in the middle, at both first vertices, at one in the middle and the one after it.
    let strand = |at: Vec3, count: usize, step: Vec3| -> Vec<Vec3> {
        let bent = |k: usize| Vec3::new(0.0, 0.003 * (1.7 * k as f64).sin(), 0.002 * (0.9 * k as f64).cos());
        (0..count).map(|k| at + step * k as f64 + bent(k)).collect()
    };
    let several = |counts: &[usize], away: Vec3, pins: &dyn Fn(usize, u32, u32) -> Vec<u32>| {
        let (mut positions, mut rows, mut pinned) = (Vec::new(), Vec::new(), Vec::new());
        for (number, &count) in counts.iter().enumerate() {
            let first = positions.len() as u32;
            positions.extend(strand(away + Vec3::Z * 0.013 * number as f64, count, Vec3::new(0.02, 0.004, 0.0)));
            rows.push((first..positions.len() as u32).collect::<Vec<u32>>());
            pinned.extend(pins(number, first, positions.len() as u32 - 1));
        }
        (StrandSet::new(positions, Csr::from_rows(rows)).unwrap(), pinned)
    };
    let counts: Vec<usize> = (0..70).map(|k| 2 + k % 9).collect();
    let (mixed, pins) = several(&counts, Vec3::ZERO, &|number, first, last| match number % 4 {
        0 => vec![last],
        1 => vec![first + (last - first) / 2],
        2 => vec![first, first + 1],
        _ => vec![first + (last - first) / 2, (first + (last - first) / 2 + 1).min(last)],
    });
    let (heavy, heavy_pins) = several(&[6; 20], Vec3::new(0.05, 0.02, 0.001), &|_, first, _| vec![first]);
    let style = HairStyle { global: 0.1, global_range: 0.5, ..STYLE };
    for style in [None, Some(style)] {
        let params = FollowLeaderParams { grid: Some(GRID), style, correction: 0.7 };
        let build = || {
            let dense = StrandMaterial { density: 3e-5, ..material() };
            let one = Body::strands(&mixed, &material()).unwrap().named("mixed").pin(pins.iter().copied());
            let other = Body::strands(&heavy, &dense).unwrap().named("heavy").pin(heavy_pins.iter().copied());
            Simulation::builder().body(one).body(other).solver(params.clone()).substeps(3).time_step(0.03)
        };
        let rest = [&mixed.positions[..], &heavy.positions].concat();
        let found = difference(&build, &rest, 8, &device);
        eprintln!("substeps: {found:e}");
        assert!(found < 1e-5, "a step differs by {found:e} of the diagonal");
    }
}

#[test]
fn around_colliders_that_move_and_turn_a_step_is_that_of_the_engine() {
    let Some(device) = common::device() else { return };
    let hair = scalp(120);
    let params = FollowLeaderParams { grid: Some(GRID), ..FollowLeaderParams::default() };
    let askew = Quat::from_rotation_z(0.4) * Quat::from_rotation_x(0.3);
    let turning = |shape: Shape| {
        let pose = |time: f64| Pose {
            position: Vec3::new(0.1, -0.08 + 0.1 * time, 0.02),
            rotation: Quat::from_rotation_y(2.0 * time) * askew,
        };
        let keys = (0..=60).map(|k| f64::from(k) / 30.0).map(|time| Key { time, pose: pose(time) });
        Collider::new(shape).moving(keys.collect()).friction(0.4)
    };
    let others = [
        ("ball alone", None),
        ("plane", Some(Collider::new(Shape::Plane).at(Vec3::NEG_Y * 0.1).turned(askew).friction(0.2))),
        ("box", Some(turning(Shape::Box { size: Vec3::new(0.1, 0.04, 0.08) }))),
        ("capsule", Some(turning(Shape::Capsule { radius: 0.03, length: 0.1 }))),
        ("cylinder", Some(turning(Shape::Cylinder { radius: 0.03, length: 0.1 }))),
    ];
    for (name, other) in others {
        let build = || other.iter().cloned().fold(nodding(&hair, params.clone(), 0.3), SimulationBuilder::collider);
        let mut sim = build().build().unwrap();
        let (mut touching, mut differing) = (0, Vec::new());
        for step in 0..30 {
            follow(&mut sim, None, &hair.positions);
            let mut on_device = GpuHair::new(&device, copy(&sim, build())).unwrap();
            sim.step().unwrap();
            on_device.step().unwrap();
            let found = on_device.sync().unwrap();
            touching = touching.max(sim.contacts().len());
            let diagonal = sim.model().diagonal();
            let far = |v: usize| {
                let x = sim.positions()[v].distance(found.positions()[v]);
                x.max(sim.velocities()[v].distance(found.velocities()[v]) * sim.time_step()) / diagonal
            };
            let mut all: Vec<f64> = (0..sim.positions().len()).map(far).collect();
            all.sort_by(f64::total_cmp);
            differing.push((step, all.iter().filter(|far| **far > 1e-5).count(), all[all.len() - 1]));
        }
        eprintln!("{name}: {touching} touching, {differing:?}");
        assert!(touching > 50, "{name}: {touching} touch");
    }
}

/// The same world at the same moment.
fn copy(sim: &Simulation, builder: SimulationBuilder) -> Simulation {
    let mut other = builder.build().unwrap();
    other.restore(&sim.checkpoint()).unwrap();
    other
}
