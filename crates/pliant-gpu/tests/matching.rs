//! Shape matching on a device against that of the engine.
#![allow(clippy::unwrap_used, reason = "tests")]

mod common;

use pliant::collide::{Collider, Heightfield, Shape};
use pliant::math::{Quat, Vec3};
use pliant::prelude::{Body, Damping, Matching, Modes, PositionBasedParams, Simulation, Spring};
use pliant::{Lattice, Plasticity, Regions, SimulationBuilder};
use pliant_gpu::device::Device;
use pliant_gpu::{GpuError, GpuMatching, GpuWorldError, ResidentWorld};

const SPACING: f64 = 0.05;

fn solver(iterations: usize) -> PositionBasedParams {
    PositionBasedParams { iterations, ..PositionBasedParams::default() }
}

/// A block with a notch, so that rows end within it, far enough from the origin that places have digits to lose.
fn notched() -> Lattice {
    let all = (0..9).flat_map(|i| (0..6).flat_map(move |j| (0..7).map(move |k| [i, j, k])));
    let cells = all.filter(|&[i, j, k]| !(i == 4 && j > 1 && k > 2)).collect();
    Lattice::new(cells, SPACING, Vec3::new(3.0, 2.0, -1.0)).unwrap()
}

fn matching(lattice: &Lattice, width: usize) -> Matching {
    Matching { limit: Some(0.02), ..Matching::new(lattice.regions(width)) }
}

/// Stretched and twisted, so that limits are reached.
fn bent(p: &Vec3) -> Vec3 {
    let r = *p - Vec3::new(3.0, 2.0, -1.0);
    let (sin, cos) = (0.8 * r.y).sin_cos();
    Vec3::new(3.0 + cos * r.x + sin * r.z, 2.0 + 1.2 * r.y, -1.0 + cos * r.z - sin * r.x)
}

fn body(lattice: &Lattice, matching: Matching) -> Body {
    let start = lattice.points().positions.iter().map(bent).collect();
    lattice.body(1000.0).with_matching(matching).with_positions(start).named("jelly")
}

/// Makes a world.
type Build<'a> = Box<dyn Fn() -> SimulationBuilder + 'a>;

fn world(body: Body) -> SimulationBuilder {
    Simulation::builder().body(body).solver(solver(4))
}

fn farthest(a: &[Vec3], b: &[Vec3]) -> f64 {
    a.iter().zip(b).fold(0.0, |most: f64, (a, b)| most.max(a.distance(*b)))
}

/// The largest difference of one of so many steps over the diagonal, in positions and in the ways of the next step; each step begins where the engine is.
fn difference(build: &dyn Fn() -> SimulationBuilder, steps: usize, device: &Device) -> f64 {
    let mut sim = build().build().unwrap();
    let mut on_device = GpuMatching::new(device, build().build().unwrap()).unwrap();
    let pinned = sim.model().pinned().to_vec();
    let (mut most, mut touching): (f64, usize) = (0.0, 0);
    for step in 0..steps {
        // No particle exactly at a surface, where the last bit decides whether it is met.
        let mut x = sim.positions().to_vec();
        for (v, x) in x.iter_mut().enumerate().filter(|(v, _)| !pinned.contains(&(*v as u32))) {
            x.y += 1e-5 * (7.3 * v as f64).sin();
        }
        let v = sim.velocities().to_vec();
        sim.set_state(&x, &v).unwrap();
        on_device.set_state(&x, &v).unwrap();
        let swing = |_: u32, rest: Vec3| bent(&rest) + Vec3::Z * (0.002 * step as f64);
        sim.move_pins(swing).unwrap();
        on_device.move_pins(swing).unwrap();
        sim.step().unwrap();
        on_device.step().unwrap();
        let found = on_device.sync().unwrap();
        let h = sim.time_step() / sim.substeps() as f64;
        let diagonal = sim.model().diagonal();
        let x = farthest(sim.positions(), found.positions()) / diagonal;
        let v = farthest(sim.velocities(), found.velocities()) * h / diagonal;
        most = most.max(x).max(v);
        touching = touching.max(sim.contacts().len());
    }
    assert!(sim.colliders().is_empty() || touching > 3, "{touching} touch");
    most
}

#[test]
fn a_step_is_that_of_the_engine_to_a_hundred_thousandth_of_the_diagonal() {
    let Some(device) = common::device() else { return };
    let lattice = notched();
    let ground = || Collider::new(Shape::Plane).at(Vec3::Y * 1.96).friction(0.4);
    let askew = Quat::from_rotation_z(0.4) * Quat::from_rotation_x(0.3);
    let block = || Collider::new(Shape::Box { size: Vec3::splat(0.2) }).turned(askew).at(Vec3::new(3.2, 1.85, -0.8));
    let plain = matching(&lattice, 2);
    let whole = |width| Matching { spring: Spring::Frequency(3.0), relaxation: 1.4, ..matching(&lattice, width) };
    let loose = Matching { limit: None, ..plain.clone() };
    let few = (0..6).map(|v| v * 3);
    let drag = Damping { drag: 0.7, ..Damping::default() };
    let slow = Matching { damping: 8.0, ..matching(&lattice, 2) };
    let worlds: [(&str, Build<'_>); 8] = [
        ("damped", Box::new(|| world(body(&lattice, slow.clone())).collider(ground()))),
        ("free", Box::new(|| world(body(&lattice, plain.clone())))),
        ("width 1", Box::new(|| world(body(&lattice, whole(1))).substeps(2))),
        ("width 12", Box::new(|| world(body(&lattice, whole(12))).damping(drag))),
        ("springs alone", Box::new(|| world(body(&lattice, loose.clone())).collider(ground()))),
        ("pinned", Box::new(|| world(body(&lattice, plain.clone()).pin(few.clone())).substeps(2))),
        ("pinned at one", Box::new(|| world(body(&lattice, plain.clone()).pin([100])))),
        ("on the ground", Box::new(|| world(body(&lattice, plain.clone())).collider(ground()).collider(block()))),
    ];
    for (name, build) in worlds {
        let found = difference(&build, 25, &device);
        eprintln!("{name}: {found:e}");
        assert!(found < 1e-5, "{name}: a step differs by {found:e} of the diagonal");
    }
}

/// Centre, extent along each axis, and lowest particle.
fn shape(x: &[Vec3]) -> [f64; 7] {
    let (low, high) = x.iter().fold((x[0], x[0]), |(low, high), p| (low.min(*p), high.max(*p)));
    let (centre, size) = (x.iter().sum::<Vec3>() / x.len() as f64, high - low);
    [centre.x, centre.y, centre.z, size.x, size.y, size.z, low.y]
}

#[test]
fn after_sixty_frames_a_body_lies_or_hangs_as_in_the_engine() {
    let Some(device) = common::device() else { return };
    let lattice = notched();
    for is_pinned in [false, true] {
        let ground = Collider::new(Shape::Plane).at(Vec3::Y * 1.9).friction(0.5);
        let build = || {
            let jelly = body(&lattice, matching(&lattice, 2));
            let jelly = if is_pinned { jelly.pin(0..40) } else { jelly };
            world(jelly).collider(ground.clone()).build().unwrap()
        };
        let (mut sim, mut on_device) = (build(), GpuMatching::new(&device, build()).unwrap());
        for _ in 0..60 {
            sim.step().unwrap();
            on_device.step().unwrap();
        }
        let found = on_device.sync().unwrap();
        assert!((found.time() - sim.time()).abs() < 1e-12);
        let diagonal = sim.model().diagonal();
        let (expected, got) = (shape(sim.positions()), shape(found.positions()));
        eprintln!("pinned {is_pinned}: {:e}", farthest(sim.positions(), found.positions()) / diagonal);
        for (got, expected) in got.iter().zip(expected) {
            assert!((got - expected).abs() < 0.01 * diagonal, "pinned {is_pinned}: {got} for {expected} m");
        }
    }
}

#[test]
fn momentum_stays_where_nothing_acts_but_limits() {
    let Some(device) = common::device() else { return };
    let lattice = notched();
    let sim = world(body(&lattice, matching(&lattice, 3))).gravity(Vec3::ZERO).build().unwrap();
    let centre = |x: &[Vec3]| x.iter().sum::<Vec3>() / x.len() as f64;
    let before = centre(sim.positions());
    let mut on_device = GpuMatching::new(&device, sim).unwrap();
    (0..60).for_each(|_| on_device.step().unwrap());
    let found = on_device.sync().unwrap();
    let moved = centre(found.positions()).distance(before);
    assert!(moved < 2e-5 * found.model().diagonal(), "the centre went {moved:e} m");
}

#[test]
fn a_run_has_the_same_bits_every_time_and_goes_on_with_the_engine() {
    let Some(device) = common::device() else { return };
    let lattice = notched();
    let ground = Collider::new(Shape::Plane).at(Vec3::Y * 1.96).friction(0.4);
    let build = || world(body(&lattice, matching(&lattice, 2))).collider(ground.clone()).build().unwrap();
    let begin = || -> Box<dyn ResidentWorld> { Box::new(GpuMatching::new(&device, build()).unwrap()) };
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
    let mut world = begin();
    (0..6).for_each(|_| world.step().unwrap());
    let mut sim = Box::new(world).into_simulation().unwrap();
    assert_eq!(sim.positions(), first.0);
    (0..2).for_each(|_| drop(sim.step().unwrap()));
    assert!(farthest(sim.positions(), &first.1) < 1e-3 * sim.model().diagonal());
}

#[test]
fn a_state_that_is_not_finite_is_an_error_and_the_last_good_one_stays() {
    let Some(device) = common::device() else { return };
    let lattice = notched();
    let mut sim = world(body(&lattice, matching(&lattice, 2))).build().unwrap();
    let mut velocities = sim.velocities().to_vec();
    // A speed that f32 does not hold.
    velocities[7] = Vec3::X * 1e39;
    sim.set_velocities(&velocities).unwrap();
    let before = sim.positions().to_vec();
    let mut on_device = GpuMatching::new(&device, sim).unwrap();
    (0..3).for_each(|_| on_device.step().unwrap());
    let error = on_device.sync().unwrap_err();
    assert!(matches!(error, GpuWorldError::NotFinite { steps: 3, .. }), "{error}");
    assert_eq!(on_device.last_synced().positions(), before);
    // From a good state the world goes on.
    on_device.set_state(&before, &vec![Vec3::ZERO; before.len()]).unwrap();
    (0..3).for_each(|_| on_device.step().unwrap());
    assert!(on_device.sync().unwrap().time() > 0.09);
}

#[test]
fn what_is_not_supported_is_refused_by_name_with_a_way_out() {
    let Some(device) = common::device() else { return };
    let lattice = notched();
    let plain = || matching(&lattice, 2);
    let with = |matching: Matching| world(body(&lattice, matching));
    let plasticity = Plasticity { yield_strain: 0.01, creep: 10.0, maximum: 1.0 };
    let thin = Lattice::block([6, 1, 1], SPACING).unwrap();
    let two = Lattice::new(vec![[0, 0, 0], [1, 0, 0], [0, 1, 0], [4, 0, 0], [5, 0, 0], [5, 1, 0]], SPACING, Vec3::ZERO);
    let two = two.unwrap();
    let ball = || Collider::new(Shape::Sphere { radius: 0.1 }).at(Vec3::NEG_Y).named("ball");
    let hills = Heightfield::new([2, 2], [1.0, 1.0], vec![-1.0; 4]).unwrap();
    let hills = Collider::new(Shape::Heightfield(hills)).named("hills");
    let lists = Regions::new(lattice.regions(1).lists().into_owned());
    let points = lattice.points();
    for (builder, names) in [
        (with(Matching { plasticity: Some(plasticity), ..plain() }), ["\"jelly\"", "plasticity"]),
        (with(Matching { toughness: Some(0.1), ..plain() }), ["\"jelly\"", "breaks"]),
        (with(Matching { modes: Modes::Linear(0.5), ..plain() }), ["\"jelly\"", "modes"]),
        (with(Matching::new(lists)), ["\"jelly\"", "not cubes"]),
        (world(thin.body(1000.0).with_matching(matching(&thin, 1)).named("thread")), ["\"thread\"", "lines"]),
        (world(two.body(1000.0).with_matching(matching(&two, 1)).named("two")), ["\"two\"", "several pieces"]),
        (with(plain()).body(body(&lattice, plain()).named("other")), ["the world", "several bodies"]),
        (with(plain()).solver(PositionBasedParams { tolerance: 1e-3, ..solver(4) }), ["solver", "tolerance"]),
        (with(plain()).damping(Damping { radial: 1.0, ..Damping::default() }), ["the world", "damping"]),
        (with(plain()).collider(hills), ["\"hills\"", "heights"]),
        (with(plain()).collider(ball().restitution(0.5)), ["\"ball\"", "restitution"]),
    ] {
        let error = GpuMatching::new(&device, builder.build().unwrap()).unwrap_err();
        assert!(matches!(error, GpuWorldError::Gpu(GpuError::Unsupported { .. })), "{error}");
        let message = error.to_string();
        assert!(names.iter().all(|name| message.contains(name)), "{names:?} in: {message}");
    }
    let bare = Simulation::builder().body(Body::points(&points, 1.0).named("dust")).solver(solver(2)).build().unwrap();
    let message = GpuMatching::new(&device, bare).unwrap_err().to_string();
    assert!(message.contains("\"dust\"") && message.contains("no shape matching"), "{message}");
}
