//! Fluids on a device against those of the engine.
#![allow(clippy::unwrap_used, reason = "tests")]

mod common;

use pliant::collide::{Collider, Heightfield, Key, Pose, Shape};
use pliant::math::{Quat, Vec3};
use pliant::mesh::Placed;
use pliant::mesh::generate::particle_block;
use pliant::prelude::{Damping, PositionBasedParams, TimeIntegrator};
use pliant::solve::DensityTolerance;
use pliant::{Body, Emitter, FluidMaterial, Simulation, SimulationBuilder};
use pliant_gpu::device::Device;
use pliant_gpu::{FluidState, FluidWorld, GpuError, GpuFluid};

const SPACING: f64 = 0.02;

fn solver() -> PositionBasedParams {
    PositionBasedParams { iterations: 4, ..PositionBasedParams::default() }
}

fn wall(normal: Vec3, at: Vec3) -> Collider {
    Collider::new(Shape::Plane).at(at).turned(Quat::from_rotation_arc(Vec3::Y, normal))
}

fn block(size: Vec3, at: Vec3, material: &FluidMaterial) -> Body {
    Body::fluid(&particle_block(size * SPACING, SPACING).unwrap().translated((at + 0.5 * size) * SPACING), material)
        .unwrap()
}

/// A vessel of a floor and four walls, so many spacings long and wide.
fn vessel(length: f64, width: f64, friction: f64) -> SimulationBuilder {
    let end = Vec3::new(length, 0.0, width) * SPACING;
    let walls =
        [(Vec3::Y, Vec3::ZERO), (Vec3::X, Vec3::ZERO), (Vec3::NEG_X, end), (Vec3::Z, Vec3::ZERO), (Vec3::NEG_Z, end)];
    let builder = Simulation::builder().solver(solver()).time_step(1.0 / 120.0);
    walls.into_iter().fold(builder, |builder, (normal, at)| builder.collider(wall(normal, at).friction(friction)))
}

/// A dam as that of the benchmark, smaller.
fn dam(size: Vec3, friction: f64) -> Simulation {
    let water = FluidMaterial { spacing: SPACING, ..FluidMaterial::default() };
    let body = block(size, Vec3::ZERO, &water).named("water");
    vessel(2.0 * size.x, size.z, friction).body(body).build().unwrap()
}

fn on(device: &Device, sim: &Simulation) -> GpuFluid {
    GpuFluid::new(device, &FluidWorld::of(sim).unwrap()).unwrap()
}

/// Largest distance between positions over the spacing, and between velocities over spacings per step.
fn difference(sim: &Simulation, state: &FluidState) -> [f64; 2] {
    let largest = |a: &[Vec3], b: &[Vec3]| a.iter().zip(b).fold(0.0, |most: f64, (a, b)| most.max(a.distance(*b)));
    let h = sim.time_step() / sim.substeps() as f64;
    [largest(sim.positions(), &state.positions) / SPACING, largest(sim.velocities(), &state.velocities) * h / SPACING]
}

/// By how much a step from the same state differs from that of the engine, in spacings.
fn difference_of_a_step(fluid: &mut GpuFluid, sim: &mut Simulation) -> f64 {
    fluid.set_state(sim.positions(), sim.velocities()).unwrap();
    sim.step().unwrap();
    fluid.step().unwrap();
    let state = fluid.state().unwrap();
    assert_eq!(state.pressure.unfinished, 0);
    let [x, v] = difference(sim, &state);
    x.max(v)
}

fn assert_steps_agree(fluid: &mut GpuFluid, sim: &mut Simulation, what: &str) {
    let difference = difference_of_a_step(fluid, sim);
    assert!(difference < 1e-5, "{what}: positions or velocities differ by {difference:e} spacings in a step");
}

#[test]
fn a_step_is_that_of_the_engine_to_a_hundred_thousandth_of_the_spacing() {
    let Some(device) = common::device() else { return };
    for friction in [0.0, 0.1] {
        let mut sim = dam(Vec3::new(14.0, 12.0, 10.0), friction);
        let mut fluid = on(&device, &sim);
        // From the block at first, from the dam that breaks, and from where it has reached the wall.
        for steps in [0, 12, 50] {
            (0..steps).for_each(|_| drop(sim.step().unwrap()));
            assert_steps_agree(&mut fluid, &mut sim, &format!("after {steps} steps, friction {friction}"));
        }
    }
}

#[test]
fn fluids_of_several_densities_in_substeps_with_drag_and_without_walls_agree_too() {
    let Some(device) = common::device() else { return };
    let oil = FluidMaterial { spacing: SPACING, density: 700.0, viscosity: 0.02, ..FluidMaterial::default() };
    let water = FluidMaterial { spacing: SPACING, viscosity: 0.0, separation: 0.01, ..FluidMaterial::default() };
    let size = Vec3::new(8.0, 6.0, 8.0);
    let velocities = vec![Vec3::new(0.4, -1.0, 0.2); 8 * 6 * 8];
    let fast = block(size, Vec3::new(0.0, 6.2, 0.3), &oil).named("oil").with_velocities(velocities);
    let still = block(size, Vec3::ZERO, &water).named("water");
    // Short substeps take back only a part of the density that was wrong before them.
    let builder = Simulation::builder().solver(PositionBasedParams { iterations: 3, ..solver() });
    let damping = Damping { drag: 2.0, ..Damping::default() };
    let builder = builder.time_step(0.004).substeps(2).damping(damping).gravity(Vec3::new(1.0, -5.0, 0.0));
    let mut sim = builder.body(fast).body(still).build().unwrap();
    let mut fluid = on(&device, &sim);
    for steps in [0, 4] {
        (0..steps).for_each(|_| drop(sim.step().unwrap()));
        assert_steps_agree(&mut fluid, &mut sim, &format!("after {steps} steps"));
    }
}

/// Water that falls onto an obstacle of each shape, which stands askew.
fn fall_onto(shape: Shape, friction: f64) -> Simulation {
    let water = FluidMaterial { spacing: SPACING, ..FluidMaterial::default() };
    let size = Vec3::new(10.0, 8.0, 10.0);
    let turned = Quat::from_rotation_z(0.4) * Quat::from_rotation_x(0.3);
    let obstacle = Collider::new(shape).at(Vec3::new(5.3, 1.0, 5.1) * SPACING).turned(turned).friction(friction);
    let body = block(size, Vec3::Y * 6.0, &water).with_velocities(vec![Vec3::NEG_Y * 2.0; 800]).named("water");
    vessel(10.0, 10.0, friction).collider(obstacle).body(body).build().unwrap()
}

#[test]
fn water_that_falls_onto_a_ball_box_capsule_or_cylinder_does_as_in_the_engine() {
    let Some(device) = common::device() else { return };
    for (name, shape, has_edges) in [
        ("ball", Shape::Sphere { radius: 0.07 }, false),
        ("box", Shape::Box { size: Vec3::new(0.12, 0.1, 0.08) }, true),
        ("capsule", Shape::Capsule { radius: 0.06, length: 0.06 }, false),
        ("cylinder", Shape::Cylinder { radius: 0.06, length: 0.1 }, true),
    ] {
        let friction = if name == "ball" { 0.1 } else { 0.0 };
        let mut sim = fall_onto(shape, friction);
        let mut fluid = on(&device, &sim);
        let (mut has_met, mut otherwise) = (false, 0);
        for step in 0..14 {
            let difference = difference_of_a_step(&mut fluid, &mut sim);
            has_met |= sim.contacts().iter().any(|contact| contact.collider == 5);
            otherwise += usize::from(difference > 1e-5);
            // Where a look along a path ends exactly at the surface, the last bit decides whether the next one, a quarter of the thickness
            // deeper, tells the normal, on the CPU as well. At an edge that may be the normal of another side.
            let most = if has_edges { 1.0 } else { 0.01 };
            assert!(difference < most, "{name}, step {step}: {difference:e} spacings");
        }
        assert!(has_met && otherwise <= 3, "{name}: {otherwise} steps differ");
    }
}

#[test]
fn a_particle_far_from_all_others_changes_nothing_for_them() {
    let Some(device) = common::device() else { return };
    let mut sim = dam(Vec3::new(8.0, 8.0, 8.0), 0.0);
    let (mut x, v) = (sim.positions().to_vec(), sim.velocities().to_vec());
    // Farther than the box of cells reaches.
    x[17] = Vec3::new(0.1, 40.0, 0.1);
    sim.set_state(&x, &v).unwrap();
    let mut fluid = on(&device, &sim);
    assert_steps_agree(&mut fluid, &mut sim, "with a particle 40 m away");
}

/// Height of the centre and of the surface, front and mean density.
fn shape(positions: &[Vec3], densities: impl Iterator<Item = f64>) -> [f64; 4] {
    let count = positions.len();
    let share_below = |share: f64, c: usize| {
        let mut all: Vec<f64> = positions.iter().map(|p| p[c]).collect();
        all.sort_by(f64::total_cmp);
        all[(share * count as f64) as usize]
    };
    let centre = positions.iter().map(|p| p.y).sum::<f64>() / count as f64;
    [centre, share_below(0.95, 1), share_below(0.98, 0), densities.sum::<f64>() / count as f64]
}

#[test]
fn after_sixty_steps_height_front_and_density_of_a_dam_are_those_of_the_engine() {
    let Some(device) = common::device() else { return };
    let mut sim = dam(Vec3::new(16.0, 14.0, 10.0), 0.02);
    let mut fluid = on(&device, &sim);
    for _ in 0..60 {
        sim.step().unwrap();
        fluid.step().unwrap();
    }
    let readings = sim.fluid_readings("water").unwrap().unwrap();
    let expected = shape(sim.positions(), readings.densities.iter().map(|density| density / 1000.0));
    let densities = fluid.densities().unwrap();
    let state = fluid.state().unwrap();
    let found = shape(&state.positions, densities.into_iter().map(f64::from));
    eprintln!("{expected:?} {found:?}");
    for (name, (found, expected)) in ["centre", "surface", "front", "density"].iter().zip(found.iter().zip(expected)) {
        assert!((found / expected - 1.0).abs() < 0.01, "{name}: {found} for {expected}");
    }
    // None has left the vessel.
    assert!(state.positions.iter().all(|p| p.min_element() > 0.0 && p.x < 0.64 && p.z < 0.2));
}

#[test]
fn a_run_has_the_same_bits_every_time_and_can_be_waited_for_later() {
    let Some(device) = common::device() else { return };
    let sim = dam(Vec3::new(10.0, 10.0, 6.0), 0.05);
    let run = || {
        let mut fluid = on(&device, &sim);
        (0..8).for_each(|_| fluid.step().unwrap());
        let pending = fluid.request_state().unwrap();
        // Steps after it do not change what was asked for.
        (0..2).for_each(|_| fluid.step().unwrap());
        let eighth = pending.wait().unwrap();
        (eighth, fluid.state().unwrap())
    };
    let (eighth, tenth) = run();
    assert!(eighth.positions != tenth.positions);
    assert_eq!(run(), (eighth.clone(), tenth.clone()));
    // A state that is put back goes on as it did.
    let mut fluid = on(&device, &sim);
    fluid.set_state(&eighth.positions, &eighth.velocities).unwrap();
    (0..2).for_each(|_| fluid.step().unwrap());
    let [x, _] = [(); 2].map(|()| fluid.state().unwrap().positions);
    let most = x.iter().zip(&tenth.positions).fold(0.0, |most: f64, (a, b)| most.max(a.distance(*b)));
    assert!(most < 1e-4 * SPACING, "{most} m");
}

#[test]
fn a_pressure_that_has_too_few_dispatches_is_reported_and_the_fluid_goes_on() {
    let Some(device) = common::device() else { return };
    let sim = dam(Vec3::new(8.0, 12.0, 8.0), 0.0);
    let world = FluidWorld { pressure_dispatches: 4, ..FluidWorld::of(&sim).unwrap() };
    let mut fluid = GpuFluid::new(&device, &world).unwrap();
    (0..10).for_each(|_| fluid.step().unwrap());
    let state = fluid.state().unwrap();
    assert_eq!((state.pressure.unfinished, state.pressure.most_dispatches), (10, 4));
    assert!(state.positions.iter().all(|p| p.min_element() > 0.0));
}

#[test]
fn a_lost_device_says_so() {
    let Some(_) = common::device() else { return };
    let device = Device::open_anew(&common::choice()).unwrap();
    let sim = dam(Vec3::new(4.0, 4.0, 4.0), 0.0);
    let mut fluid = on(&device, &sim);
    device.lose();
    for error in [fluid.step().unwrap_err(), fluid.state().unwrap_err()] {
        assert!(matches!(error, GpuError::Lost { .. }), "{error}");
    }
}

#[test]
fn particles_on_top_of_each_other_and_such_that_are_nowhere_are_errors() {
    let Some(device) = common::device() else { return };
    let sim = dam(Vec3::new(6.0, 6.0, 6.0), 0.0);
    let mut fluid = on(&device, &sim);
    fluid.set_state(&vec![Vec3::splat(0.1); fluid.len()], sim.velocities()).unwrap();
    fluid.step().unwrap();
    let error = fluid.state().unwrap_err();
    assert!(matches!(error, GpuError::Crowded { neighbours: 215, .. }), "{error}");
    // A good state goes on.
    fluid.set_state(sim.positions(), sim.velocities()).unwrap();
    fluid.step().unwrap();
    assert!(fluid.state().unwrap().positions.iter().all(|p| p.is_finite()));
    let mut fluid = on(&device, &sim);
    let mut x = sim.positions().to_vec();
    x[9].y = f64::NAN;
    fluid.set_state(&x, sim.velocities()).unwrap();
    fluid.step().unwrap();
    let error = fluid.state().unwrap_err();
    assert!(matches!(error, GpuError::ParticleLost { particle: 9 }), "{error}");
}

#[test]
fn what_is_not_supported_is_refused_by_name_with_a_way_out() {
    let Some(device) = common::device() else { return };
    let water = FluidMaterial { spacing: SPACING, ..FluidMaterial::default() };
    let size = Vec3::splat(4.0);
    let pool = || block(size, Vec3::ZERO, &water).named("pool");
    let world = |body: Body| Simulation::builder().solver(solver()).body(body);
    let pipe = Emitter { mouth: Vec3::Y, direction: Vec3::NEG_Y, radius: 0.05, speed: 1.0, duration: 0.1 };
    let vortex = FluidMaterial { vorticity: 0.1, ..water.clone() };
    let ball = || Collider::new(Shape::Sphere { radius: 0.1 }).at(Vec3::NEG_Y).named("ball");
    let hills = Heightfield::new([2, 2], [1.0, 1.0], vec![-1.0; 4]).unwrap();
    let hills = Collider::new(Shape::Heightfield(hills)).named("hills");
    let key = |time: f64| Key { time, pose: Pose { position: Vec3::NEG_Y * time, ..Pose::default() } };
    let lift = || Collider::new(Shape::Plane).moving(vec![key(1.0), key(2.0)]).named("lift");
    let dense = PositionBasedParams { density_tolerance: Some(DensityTolerance::default()), ..solver() };
    let early = PositionBasedParams { tolerance: 1e-3, ..solver() };
    let many = (0..9).fold(world(pool()), |builder, k| builder.collider(ball().named(format!("ball {k}"))));
    for (builder, names) in [
        (world(Body::emitted(&pipe, &water).unwrap().named("jet")), ["\"jet\"", "emitter"]),
        (world(block(size, Vec3::ZERO, &vortex).named("whirl")), ["\"whirl\"", "vorticity"]),
        (world(pool().pin([0])), ["\"pool\"", "pinned"]),
        (world(pool()).collider(hills), ["\"hills\"", "shape"]),
        (world(pool()).collider(lift()), ["\"lift\"", "motion"]),
        (world(pool()).collider(wall(Vec3::Y, Vec3::ZERO).restitution(0.5)), ["collider 0", "restitution"]),
        (world(pool()).solver(dense), ["solver", "density tolerance"]),
        (world(pool()).solver(early), ["solver", "tolerance"]),
        (world(pool()).integrator(TimeIntegrator::Bdf2), ["world", "BDF2"]),
        (world(pool()).damping(Damping { deformation: 1.0, ..Damping::default() }), ["world", "damping"]),
        (many, ["world", "9 colliders"]),
    ] {
        let sim = builder.build().unwrap();
        let error = FluidWorld::of(&sim).and_then(|world| GpuFluid::new(&device, &world)).unwrap_err();
        assert!(matches!(error, GpuError::Unsupported { .. }), "{error}");
        let message = error.to_string();
        assert!(names.iter().all(|name| message.contains(name)), "{names:?} in: {message}");
    }
}
