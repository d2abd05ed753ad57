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
        let mut on_device = GpuHair::new(&device, build().build().unwrap()).unwrap();
        let (mut touching, mut differing) = (0, 0);
        for _ in 0..30 {
            // Hair that lies on a collider is exactly at its surface, where the last bit decides whether it is met, on the CPU as well.
            let mut x = sim.positions().to_vec();
            for &v in sim.model().free() {
                x[v as usize] += Vec3::new(0.0, 2e-5 * (7.3 * f64::from(v)).sin(), 0.0);
            }
            let v = sim.velocities().to_vec();
            sim.set_state(&x, &v).unwrap();
            on_device.set_state(&x, &v).unwrap();
            follow(&mut sim, Some(&mut on_device), &hair.positions);
            sim.step().unwrap();
            on_device.step().unwrap();
            let found = on_device.sync().unwrap();
            touching = touching.max(sim.contacts().len());
            let is_other = |v: usize| {
                let x = sim.positions()[v].distance(found.positions()[v]);
                let way = sim.velocities()[v].distance(found.velocities()[v]) * sim.time_step();
                x.max(way) > 1e-5 * sim.model().diagonal()
            };
            differing += (0..sim.positions().len()).filter(|&v| is_other(v)).count();
        }
        assert!(touching > 500, "{name}: {touching} touch");
        // None on the adapters that it was tried on; a strand may have a vertex that is nearer to a surface than f32 can tell.
        assert!(differing <= 13, "{name}: {differing} vertices differ by a hundred thousandth of the diagonal");
    }
}

/// Mean height, and extent along each axis.
fn shape(x: &[Vec3]) -> [f64; 4] {
    let (low, high) = x.iter().fold((x[0], x[0]), |(low, high), p| (low.min(*p), high.max(*p)));
    let Vec3 { x: wide, y: tall, z: deep } = high - low;
    [x.iter().map(|p| p.y).sum::<f64>() / x.len() as f64, wide, tall, deep]
}

/// Largest error of a length, as a share of it.
fn worst_length(hair: &StrandSet, x: &[Vec3]) -> f64 {
    let error = |ends: [u32; 2]| {
        let length = |x: &[Vec3]| x[ends[0] as usize].distance(x[ends[1] as usize]);
        (length(x) / length(&hair.positions) - 1.0).abs()
    };
    hair.segments().map(error).fold(0.0, f64::max)
}

#[test]
fn after_sixty_frames_hair_hangs_as_in_the_engine_and_lengths_are_exact() {
    let Some(device) = common::device() else { return };
    let hair = scalp(400);
    let plain = FollowLeaderParams { grid: Some(GRID), ..FollowLeaderParams::default() };
    let styled = FollowLeaderParams { style: Some(STYLE), correction: 0.5, ..plain.clone() };
    for (name, params) in [("plain", plain), ("styled", styled)] {
        let mut sim = nodding(&hair, params.clone(), 0.3).build().unwrap();
        let mut on_device = GpuHair::new(&device, nodding(&hair, params, 0.3).build().unwrap()).unwrap();
        for frame in 1..=60 {
            let pose = nod(f64::from(frame) / 60.0);
            for_both(&mut sim, &mut on_device, |v, _| pose.to_world(hair.positions[v as usize]));
        }
        let found = on_device.sync().unwrap();
        assert!((found.time() - sim.time()).abs() < 1e-12);
        let worst = worst_length(&hair, found.positions());
        assert!(worst < 5e-6, "{name}: a length is wrong by {worst:e} of itself");
        let centre = nod(1.0).position;
        let nearest = found.positions().iter().fold(f64::INFINITY, |least, p| least.min(p.distance(centre)));
        assert!(nearest > 0.0999, "{name}: hair is {nearest} m from the centre of the head");
        let (expected, got) = (shape(sim.positions()), shape(found.positions()));
        for (got, expected) in got.iter().zip(expected) {
            let size = expected.abs().max(0.1);
            assert!((got - expected).abs() < 0.01 * size, "{name}: {got} for {expected} m");
        }
        let apart = sim.positions().iter().zip(found.positions()).map(|(a, b)| a.distance(*b));
        let mean = apart.sum::<f64>() / hair.positions.len() as f64;
        eprintln!("{name}: lengths within {worst:.1e}, {expected:?} {got:?}, vertices {mean:.1e} m apart");
    }
}

/// Moves the roots of both, and steps them.
fn for_both(sim: &mut Simulation, hair: &mut GpuHair, target: impl Fn(u32, Vec3) -> Vec3) {
    sim.move_pins(&target).unwrap();
    hair.move_pins(&target).unwrap();
    sim.step().unwrap();
    hair.step().unwrap();
}

#[test]
fn a_run_has_the_same_bits_every_time_and_goes_on_with_the_engine() {
    let Some(device) = common::device() else { return };
    let hair = scalp(200);
    let params = FollowLeaderParams { grid: Some(GRID), style: Some(STYLE), correction: 0.5 };
    let build = || nodding(&hair, params.clone(), 0.3).build().unwrap();
    let begin = || -> Box<dyn ResidentWorld> { Box::new(GpuHair::new(&device, build()).unwrap()) };
    let run = || {
        let mut world = begin();
        (0..6).for_each(|_| world.step().unwrap());
        let pending = world.request_positions().unwrap();
        // Steps after it do not change what was asked for.
        (0..2).for_each(|_| world.step().unwrap());
        let sixth = pending.wait().unwrap();
        let last = world.sync().unwrap();
        (sixth, last.positions().to_vec(), last.velocities().to_vec())
    };
    let first = run();
    assert!(first.0 != first.1);
    assert!(run() == first);
    // The world goes on where it is, here and there.
    let mut world = begin();
    (0..6).for_each(|_| world.step().unwrap());
    let mut sim = Box::new(world).into_simulation().unwrap();
    assert!((sim.time() - 0.1).abs() < 1e-12);
    // But for roots, whose places are known to more digits.
    assert!(farthest(sim.positions(), &first.0) < 1e-7);
    let saved = Checkpoint::from_bytes(&sim.checkpoint().to_bytes()).unwrap();
    (0..2).for_each(|_| drop(sim.step().unwrap()));
    let diagonal = sim.model().diagonal();
    assert!(farthest(sim.positions(), &first.1) < 0.01 * diagonal);
    let mut resumed = build();
    resumed.restore(&saved).unwrap();
    (0..2).for_each(|_| drop(resumed.step().unwrap()));
    assert_eq!(resumed.positions(), sim.positions());
}

#[test]
fn a_state_that_is_not_finite_is_an_error_and_the_last_good_one_stays() {
    let Some(device) = common::device() else { return };
    let hair = scalp(40);
    let params = FollowLeaderParams { grid: Some(GRID), ..FollowLeaderParams::default() };
    // A speed that f32 does not hold.
    let mut sim = world(&hair, params).build().unwrap();
    sim.step().unwrap();
    let mut velocities = sim.velocities().to_vec();
    velocities[7] = Vec3::X * 1e39;
    sim.set_velocities(&velocities).unwrap();
    let before = sim.positions().to_vec();
    let mut on_device = GpuHair::new(&device, sim).unwrap();
    (0..3).for_each(|_| on_device.step().unwrap());
    let error = on_device.sync().unwrap_err();
    assert!(matches!(error, GpuWorldError::NotFinite { steps: 3, .. }), "{error}");
    assert_eq!(on_device.last_synced().positions(), before);
    // From a good state the world goes on.
    on_device.set_state(&before, &vec![Vec3::ZERO; before.len()]).unwrap();
    (0..3).for_each(|_| on_device.step().unwrap());
    assert!(on_device.sync().unwrap().time() > 0.11);
}

#[test]
fn a_lost_device_says_so() {
    let Some(_) = common::device() else { return };
    let device = Device::open_anew(&common::choice()).unwrap();
    let hair = scalp(10);
    let mut world = GpuHair::new(&device, world(&hair, FollowLeaderParams::default()).build().unwrap()).unwrap();
    device.lose();
    for error in [world.step().unwrap_err(), world.sync().unwrap_err()] {
        assert!(matches!(error, GpuWorldError::Gpu(GpuError::Lost { .. })), "{error}");
    }
}

#[test]
fn what_is_not_supported_is_refused_by_name_with_a_way_out() {
    let Some(device) = common::device() else { return };
    let fringe = Bundle { roots: Roots::Disc { radius: 0.05, count: 5 }, direction: Vec3::X, length: 0.3, segments: 6 };
    let fringe = fringe.strands().unwrap();
    let plain = || world(&fringe, FollowLeaderParams::default());
    let ball = || Collider::new(Shape::Sphere { radius: 0.1 }).at(Vec3::NEG_Y).named("ball");
    let hills = Heightfield::new([2, 2], [1.0, 1.0], vec![-1.0; 4]).unwrap();
    let hills = Collider::new(Shape::Heightfield(hills)).named("hills");
    let held = Body::strands(&fringe, &material()).unwrap().named("bridge").pin((0..35).step_by(6));
    let held = held.pin(roots(&fringe));
    let wind = Wind::new(Vec3::X);
    let many = (0..9).fold(plain(), |builder, k| builder.collider(ball().named(format!("ball {k}"))));
    let strings = |solver: SolverChoice| Simulation::builder().body(rooted(&fringe)).solver(solver);
    for (builder, names) in [
        (strings(PositionBasedParams::default().into()), ["the world", "another solver"]),
        (plain().wind(wind), ["the world", "wind"]),
        (plain().damping(Damping { deformation: 1.0, ..Damping::default() }), ["the world", "damping"]),
        (plain().collider(hills), ["\"hills\"", "heights"]),
        (plain().collider(ball().restitution(0.5)), ["\"ball\"", "restitution"]),
        (many, ["the world", "9 colliders"]),
        (Simulation::builder().body(held).solver(FollowLeaderParams::default()), ["\"bridge\"", "held at both ends"]),
    ] {
        let error = GpuHair::new(&device, builder.build().unwrap()).unwrap_err();
        assert!(matches!(error, GpuWorldError::Gpu(GpuError::Unsupported { .. })), "{error}");
        let message = error.to_string();
        assert!(names.iter().all(|name| message.contains(name)), "{names:?} in: {message}");
    }
    let mut forced = plain().build().unwrap();
    forced.set_force("hair", 3, Vec3::X).unwrap();
    let message = GpuHair::new(&device, forced).unwrap_err().to_string();
    assert!(message.contains("forces on vertices"), "{message}");
}
