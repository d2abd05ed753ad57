//! Position-based worlds that stay on a device against the same worlds on the CPU.
#![allow(clippy::unwrap_used, reason = "tests")]

mod common;

use pliant::constraint::{
    Allowed, ConstraintBatch, Dihedral, Distance, IsometricBending, LongRangeAttachments, TetVolumeConstraint,
};
use pliant::energy::EdgeSprings;
use pliant::mesh::PointSet;
use pliant::mesh::generate::Diagonals;
use pliant::prelude::*;
use pliant::solve::{Stiffness, SweepOrder};
use pliant::{SimulationBuilder, presets};
use pliant_gpu::device::Device;
use pliant_gpu::{GpuParticles, ResidentWorld};

fn xpbd(iterations: usize) -> PositionBasedParams {
    PositionBasedParams { iterations, ..PositionBasedParams::default() }
}

/// A sheet with one row that holds it.
struct Held {
    mesh: TriangleMesh,
    row: Vec<u32>,
}

/// A sheet that lies flat, so many cells wide and long.
fn held(cells: usize) -> Held {
    let sheet =
        Sheet { columns: cells, rows: cells, plane: Plane::Xz, diagonals: Diagonals::Alternating, ..Sheet::default() };
    let row = (0..=cells).map(|column| sheet.vertex(column, cells)).collect();
    Held { mesh: sheet.mesh().unwrap(), row }
}

impl Held {
    fn net(&self, stiffness: f64) -> Body {
        Body::mass_spring(&self.mesh, 0.2, self.mesh.edges(), stiffness).unwrap().named("net").pin(self.row.clone())
    }

    fn threads(&self) -> Box<dyn ConstraintBatch> {
        LongRangeAttachments::default().build(&self.mesh, &self.row).unwrap()
    }

    fn cloth(&self, material: &ClothMaterial) -> Body {
        Body::cloth(&self.mesh, material).unwrap().named("cloth").pin(self.row.clone())
    }

    /// Particles of the sheet without any energy.
    fn particles(&self) -> Body {
        let points = PointSet { positions: self.mesh.positions.clone() };
        Body::points(&points, 0.2 / self.mesh.positions.len() as f64).named("particles").pin(self.row.clone())
    }
}

/// Velocities that are not in a plane.
fn waves(rest: &[Vec3]) -> Vec<Vec3> {
    let speed = |p: &Vec3| Vec3::new(0.3 * (7.0 * p.z).sin(), 0.4 * (9.0 * p.x).cos(), 0.2 * (5.0 * p.x).sin());
    rest.iter().map(speed).collect()
}

/// A world that is already in motion, and not in a plane.
fn moving(body: Body, rest: &[Vec3], solver: &PositionBasedParams) -> SimulationBuilder {
    Simulation::builder().body(body.with_velocities(waves(rest))).solver(solver.clone())
}

/// Largest distance between vertices of two worlds, over the diagonal.
fn gap(a: &Simulation, b: &Simulation) -> f64 {
    let gaps = a.positions().iter().zip(b.positions()).map(|(a, b)| (*a - *b).length());
    gaps.fold(0.0, f64::max) / a.model().diagonal()
}

fn on(device: &Device, sim: Simulation) -> GpuParticles {
    GpuParticles::new(device, sim).unwrap()
}

/// How far a world on the device is from that on the CPU after each of these numbers of steps.
fn gaps<const N: usize>(device: &Device, world: impl Fn() -> SimulationBuilder, steps: [usize; N]) -> [f64; N] {
    let (mut cpu, mut gpu) = (world().build().unwrap(), on(device, world().build().unwrap()));
    let mut done = 0;
    steps.map(|until| {
        (done..until).for_each(|_| {
            cpu.step().unwrap();
            gpu.step().unwrap();
        });
        done = until;
        assert!((gpu.sync().unwrap().time() - cpu.time()).abs() < 1e-12);
        gap(&cpu, gpu.sync().unwrap())
    })
}

fn assert_a_step_agrees(device: &Device, name: &str, world: impl Fn() -> SimulationBuilder) {
    let [first, fifth] = gaps(device, world, [1, 5]);
    eprintln!("{name}: {first:.1e} after a step, {fifth:.1e} after five");
    assert!(first < 1e-5, "{name}: {first:e} of the diagonal after a step");
    assert!(fifth < 1e-4, "{name}: {fifth:e} of the diagonal after five");
}

#[test]
fn a_step_of_a_net_with_threads_is_that_of_the_cpu() {
    let Some(device) = common::device() else { return };
    let held = held(40);
    let body = || held.net(1e3).with_constraints(held.threads());
    let rest = &held.mesh.positions;
    let classic = PositionBasedParams::classic(10, 1.0);
    let soft = PositionBasedParams {
        stiffness: Stiffness::Share { stiffness: 0.9, kinds: vec![("long_range".to_owned(), 0.5)] },
        ..xpbd(6)
    };
    let reversed = PositionBasedParams { order: SweepOrder::Reversed, ..xpbd(7) };
    let alternating = PositionBasedParams { order: SweepOrder::Alternating, ..xpbd(7) };
    for (name, solver) in [
        ("classic", classic),
        ("XPBD", xpbd(10)),
        ("shares", soft),
        ("reversed", reversed),
        ("alternating", alternating),
        ("no iterations", xpbd(0)),
    ] {
        assert_a_step_agrees(&device, name, || moving(body(), rest, &solver));
    }
}

#[test]
fn springs_with_limits_substeps_drag_and_pins_that_move_are_those_of_the_cpu() {
    let Some(device) = common::device() else { return };
    let held = held(24);
    let rest = &held.mesh.positions;
    let limited = || {
        let springs =
            EdgeSprings { limits: [0.7, 1.02], ..EdgeSprings::new(held.mesh.edges(), SpringStiffness::Uniform(500.0)) };
        held.particles().with_energy(springs.build(rest).unwrap())
    };
    let world = || {
        let damping = Damping { drag: 1.5, ..Damping::default() };
        let builder = moving(limited(), rest, &xpbd(8)).substeps(3).damping(damping);
        builder.gravity(Vec3::new(1.0, -5.0, 0.5)).time_step(0.02)
    };
    assert_a_step_agrees(&device, "limits", world);
    let (mut cpu, mut gpu) = (world().build().unwrap(), on(&device, world().build().unwrap()));
    for step in 1..=4 {
        let target = |_: u32, rest: Vec3| rest + Vec3::new(0.0, 0.01, 0.02) * f64::from(step);
        cpu.move_pins(target).unwrap();
        gpu.move_pins(target).unwrap();
        cpu.step().unwrap();
        gpu.step().unwrap();
        let sim = gpu.sync().unwrap();
        let gap = gap(&cpu, sim);
        assert!(gap < 1e-5 * f64::from(step), "{gap:e} of the diagonal after step {step}");
        let speed = sim.velocities()[held.row[3] as usize] - cpu.velocities()[held.row[3] as usize];
        assert!(speed.length() < 1e-4, "a pin is {speed} faster");
    }
}

#[test]
fn constraints_of_particles_are_those_of_the_cpu() {
    let Some(device) = common::device() else { return };
    let held = held(20);
    let (rest, edges) = (&held.mesh.positions, held.mesh.edges());
    let hinges = held.mesh.hinges().unwrap();
    let distance = |allowed, compliance| Distance::at_rest(&edges, rest, allowed, compliance).unwrap().boxed();
    let one_sided = || {
        // Of all kinds in one batch.
        let side = [Allowed::Exactly, Allowed::AtLeast, Allowed::AtMost];
        let elements = edges.iter().enumerate().map(|(k, edge)| {
            let length = 0.99 * rest[edge[0] as usize].distance(rest[edge[1] as usize]);
            (*edge, Distance { length, allowed: side[k % 3] }, 1e-6 * (k % 5) as f64)
        });
        pliant::constraint::ConstraintSet::new(elements).unwrap().boxed()
    };
    let dihedral = || Dihedral::at_rest(&hinges, rest, 1e2).unwrap().boxed();
    let isometric = || IsometricBending::at_rest(&hinges, rest, 1e3).unwrap().boxed();
    for solver in [xpbd(8), PositionBasedParams::classic(8, 0.8)] {
        let name = if solver.stiffness == Stiffness::Physical { "XPBD" } else { "classic" };
        let world = |batches: Vec<Box<dyn ConstraintBatch>>| {
            let body = batches.into_iter().fold(held.particles(), Body::with_constraints);
            moving(body, rest, &solver)
        };
        assert_a_step_agrees(&device, &format!("{name}, distances"), || world(vec![distance(Allowed::Exactly, 1e-5)]));
        assert_a_step_agrees(&device, &format!("{name}, bounds"), || world(vec![one_sided()]));
        assert_a_step_agrees(&device, &format!("{name}, hinges"), || {
            world(vec![distance(Allowed::Exactly, 0.0), dihedral()])
        });
        assert_a_step_agrees(&device, &format!("{name}, isometric bending"), || {
            world(vec![distance(Allowed::Exactly, 0.0), isometric()])
        });
    }
}

#[test]
fn presets_of_cloth_and_bending_models_are_those_of_the_cpu() {
    let Some(device) = common::device() else { return };
    let held = held(20);
    let stretchy = ClothMaterial { poisson_ratio: 0.3, ..presets::cloth("cotton").unwrap() };
    let limited = ClothMaterial {
        strain_limit: Some(StrainLimit { set: StrainSet::Limits { min: 0.95, max: 1.05 }, youngs_modulus: 1e7 }),
        ..ClothMaterial::default()
    };
    let rings = ClothMaterial { bend_model: BendModel::MeanCurvature, ..ClothMaterial::default() };
    for solver in [xpbd(10), PositionBasedParams::classic(10, 0.7)] {
        for (name, material) in [
            ("silk", presets::cloth("silk").unwrap()),
            ("denim", presets::cloth("denim").unwrap()),
            ("ν = 0.3", stretchy.clone()),
            ("limits", limited.clone()),
            ("rings", rings.clone()),
        ] {
            assert_a_step_agrees(&device, name, || moving(held.cloth(&material), &held.mesh.positions, &solver));
        }
    }
}

#[test]
fn solids_are_those_of_the_cpu() {
    let Some(device) = common::device() else { return };
    let mesh = TetBox { size: Vec3::new(1.0, 0.2, 0.2), cells: [12, 3, 3], ..TetBox::default() }.mesh().unwrap();
    let end = |p: Vec3| p.x < 1e-9;
    for solver in [xpbd(10), PositionBasedParams::classic(10, 0.7)] {
        for name in ["jelly", "rubber", "foam"] {
            let material = presets::solid(name).unwrap();
            let bar = || Body::solid(&mesh, &material).unwrap().named("bar").pin_where(end);
            assert_a_step_agrees(&device, name, || moving(bar(), &mesh.positions, &solver));
        }
        let volumes = || TetVolumeConstraint::at_rest(&mesh.tets, &mesh.positions, 1e-12).unwrap().boxed();
        let edges = || Distance::at_rest(&mesh.edges(), &mesh.positions, Allowed::Exactly, 1e-5).unwrap().boxed();
        let points = || Body::points(&PointSet { positions: mesh.positions.clone() }, 0.01).pin_where(end);
        let body = || points().with_constraints(edges()).with_constraints(volumes());
        assert_a_step_agrees(&device, "volumes", || moving(body(), &mesh.positions, &solver));
    }
}

/// A cloth that falls onto something, of which no vertex is held.
fn fall_onto(shape: Shape, friction: f64, solver: &PositionBasedParams) -> SimulationBuilder {
    let held = held(20);
    let at = held.mesh.positions.iter().map(|p| Vec3::new(p.x, 0.02 * p.x, p.z)).collect();
    let body = Body::mass_spring(&held.mesh, 0.2, held.mesh.edges(), 1e3).unwrap().named("cloth").with_positions(at);
    let body = body.with_velocities(vec![Vec3::new(0.5, -3.0, 0.2); held.mesh.positions.len()]);
    let turned = Quat::from_rotation_z(0.2) * Quat::from_rotation_x(0.15);
    let obstacle = Collider::new(shape).at(Vec3::NEG_Y * 0.4).turned(turned).friction(friction);
    let ground = Collider::new(Shape::Plane).at(Vec3::NEG_Y * 0.6).friction(friction);
    Simulation::builder().body(body).collider(obstacle).collider(ground).solver(solver.clone()).substeps(2)
}

#[test]
fn cloth_that_falls_onto_a_plane_ball_box_capsule_or_cylinder_does_as_on_the_cpu() {
    let Some(device) = common::device() else { return };
    for (name, shape, friction) in [
        ("plane", Shape::Plane, 0.5),
        ("ball", Shape::Sphere { radius: 0.3 }, 0.3),
        ("box", Shape::Box { size: Vec3::new(0.5, 0.3, 0.4) }, 0.2),
        ("capsule", Shape::Capsule { radius: 0.2, length: 0.3 }, 0.0),
        ("cylinder", Shape::Cylinder { radius: 0.25, length: 0.3 }, 0.4),
    ] {
        for solver in [xpbd(6), PositionBasedParams::classic(6, 0.8)] {
            let mut cpu = fall_onto(shape.clone(), friction, &solver).build().unwrap();
            let mut gpu = on(&device, fall_onto(shape.clone(), friction, &solver).build().unwrap());
            // The same on the CPU, but from where f32 has vertices: how much the last bit decides in the engine itself.
            let mut rounded = fall_onto(shape.clone(), friction, &solver).build().unwrap();
            let (mut has_met, mut otherwise, mut largest, mut own) = (false, 0, 0.0_f64, 0.0_f64);
            for _ in 0..24 {
                // Each step from the same state.
                gpu.set_state(cpu.positions(), cpu.velocities()).unwrap();
                let to_f32 = |x: &Vec3| Vec3::from_array(x.to_array().map(|value| f64::from(value as f32)));
                let x: Vec<Vec3> = cpu.positions().iter().map(to_f32).collect();
                rounded.set_state(&x, cpu.velocities()).unwrap();
                rounded.step().unwrap();
                cpu.step().unwrap();
                gpu.step().unwrap();
                own = own.max(gap(&cpu, &rounded));
                let gap = gap(&cpu, gpu.sync().unwrap());
                has_met |= cpu.contacts().iter().any(|contact| contact.collider == 0 && contact.normal_force > 0.0);
                otherwise += usize::from(gap > 1e-5);
                largest = largest.max(gap);
            }
            eprintln!(
                "{name}: {otherwise} of 24 steps differ by more than 1e-5, the most by {largest:.1e}; the CPU itself by {own:.1e}"
            );
            // Where a vertex rests at a surface the last bit decides whether it is met at once or a quarter of the thickness deeper.
            assert!(largest < 1e-5 + 3.0 * own && own < 5e-3, "{name}: {largest:e} of the diagonal");
            assert!(has_met && otherwise <= 8, "{name}: {otherwise} steps differ");
            let end = gpu.last_synced().positions();
            assert!(end.iter().all(|x| x.y > -0.6 - 1e-6), "{name}: nothing is under the ground");
        }
    }
}

#[test]
fn bodies_of_which_each_pass_is_too_large_for_a_workgroup_go_level_by_level() {
    let Some(device) = common::device() else { return };
    // Pairs that share nothing: a block of 1024 of them has 2048 vertices.
    let positions: Vec<Vec3> =
        (0..2600).map(|k| Vec3::new(f64::from(k % 2) * 0.01, 0.0, f64::from(k / 2) * 0.02)).collect();
    let edges: Vec<[u32; 2]> = (0..1300).map(|k| [2 * k, 2 * k + 1]).collect();
    let body = || {
        let springs = EdgeSprings::new(edges.clone(), SpringStiffness::Uniform(50.0)).build(&positions).unwrap();
        Body::points(&PointSet { positions: positions.clone() }, 1e-3).with_energy(springs)
    };
    assert_a_step_agrees(&device, "pairs", || moving(body(), &positions, &xpbd(5)));
}

#[test]
fn many_bodies_that_are_alike_take_as_many_dispatches_as_one() {
    let Some(device) = common::device() else { return };
    let held = held(12);
    let (denim, silk) = (presets::cloth("denim").unwrap(), presets::cloth("silk").unwrap());
    let at = |k: usize| held.mesh.positions.iter().map(|p| *p + Vec3::Y * (0.1 * k as f64)).collect::<Vec<_>>();
    let velocities = waves(&held.mesh.positions);
    let world = |count: usize| {
        let mut builder = Simulation::builder().solver(xpbd(6));
        for k in 0..count {
            let body = held.cloth(if k % 3 == 2 { &silk } else { &denim }).with_constraints(held.threads());
            builder = builder
                .body(body.named(format!("cloth {k}")).with_positions(at(k)).with_velocities(velocities.clone()));
        }
        builder
    };
    assert_a_step_agrees(&device, "seven cloths", || world(7));
    let dispatches = |count: usize| {
        let world = on(&device, world(count).build().unwrap());
        world.programs().iter().map(|program| program.dispatches().len()).sum::<usize>()
    };
    assert_eq!(dispatches(2), dispatches(1));
    // The other material has weights of its own, not kernels.
    assert_eq!(dispatches(7), dispatches(1));
}

#[test]
fn attached_bodies_keep_the_order_of_what_they_share() {
    let Some(device) = common::device() else { return };
    let held = held(12);
    let velocities = waves(&held.mesh.positions);
    let world = || {
        let above = held.net(1e3).named("above").with_velocities(velocities.clone());
        let below: Vec<Vec3> = held.mesh.positions.iter().map(|p| *p - Vec3::Y * 0.05).collect();
        let below =
            Body::mass_spring(&held.mesh, 0.4, held.mesh.edges(), 5e2).unwrap().named("below").with_positions(below);
        let builder = Simulation::builder().solver(xpbd(8)).body(above).body(below);
        (0..13).fold(builder, |builder, v| builder.attach(("above", 3 * v), ("below", 3 * v), 1e3))
    };
    assert_a_step_agrees(&device, "attached nets", world);
}

#[test]
fn after_sixty_frames_a_net_hangs_as_on_the_cpu_and_no_thread_is_too_long() {
    let Some(device) = common::device() else { return };
    let held = held(60);
    let world = || {
        let body = held.net(1e4).with_constraints(held.threads());
        Simulation::builder().body(body).solver(PositionBasedParams::classic(10, 1.0)).build().unwrap()
    };
    let (mut cpu, mut gpu) = (world(), on(&device, world()));
    // Lowest point, mean height, mean distance from the row.
    let shape = |x: &[Vec3]| {
        let count = x.len() as f64;
        let lowest = x.iter().fold(0.0, |low: f64, p| low.min(p.y));
        let [height, out] = [1, 2].map(|c| x.iter().map(|p| p[c]).sum::<f64>() / count);
        [lowest, height, out]
    };
    let stretch = |x: &[Vec3]| {
        let rest = &held.mesh.positions;
        let distance = |x: &[Vec3], v: usize| x[v].distance(x[held.row[v % 61] as usize]);
        (0..60 * 61).map(|v| distance(x, v) / distance(rest, v)).fold(0.0, f64::max)
    };
    let mut longest: f64 = 0.0;
    for frame in 1..=60 {
        cpu.step().unwrap();
        gpu.step().unwrap();
        if frame % 5 == 0 {
            longest = longest.max(stretch(gpu.sync().unwrap().positions()));
        }
    }
    let (expected, found) = (shape(cpu.positions()), shape(gpu.sync().unwrap().positions()));
    eprintln!(
        "{expected:?} on the CPU, {found:?} on the device, {longest} of the distance, {:e} apart",
        gap(&cpu, gpu.last_synced())
    );
    for (found, expected) in found.iter().zip(expected) {
        assert!((found - expected).abs() < 0.01, "{found} for {expected} m of 1 m");
    }
    assert!(longest < 1.0 + 1e-4, "{longest} of the distance at rest");
    assert!(expected[2] > 0.6, "it has swung through under its row, which is at 0.5 m");
}

#[test]
fn a_run_has_the_same_bits_every_time_also_after_it_was_looked_at() {
    let Some(device) = common::device() else { return };
    let held = held(30);
    let body = || held.cloth(&ClothMaterial::default()).with_constraints(held.threads());
    let world = || on(&device, moving(body(), &held.mesh.positions, &xpbd(8)).build().unwrap());
    let run = || {
        let mut world = world();
        (0..6).for_each(|_| world.step().unwrap());
        let pending = world.request_positions().unwrap();
        // Steps after it do not change what was asked for.
        (0..2).for_each(|_| world.step().unwrap());
        let sixth = pending.wait().unwrap();
        (sixth, world.sync().unwrap().positions().to_vec(), world.last_synced().velocities().to_vec())
    };
    let first = run();
    assert_ne!(first.0, first.1);
    assert_eq!(run(), first);
    // The last line of a checkpoint: 10 frames at once, and with a look in between.
    let mut looked_at: Box<dyn ResidentWorld> = Box::new(world());
    (0..3).for_each(|_| looked_at.step().unwrap());
    looked_at.sync().unwrap();
    (0..5).for_each(|_| looked_at.step().unwrap());
    assert_eq!(looked_at.sync().unwrap().positions(), first.1);
}

#[test]
fn a_world_goes_on_on_the_cpu_and_back() {
    let Some(device) = common::device() else { return };
    let held = held(16);
    let body = || held.net(1e3).with_constraints(held.threads());
    let world = || moving(body(), &held.mesh.positions, &xpbd(10)).build().unwrap();
    let (mut cpu, mut moved) = (world(), world());
    for _ in 0..3 {
        (0..3).for_each(|_| drop(cpu.step().unwrap()));
        moved.step().unwrap();
        let mut gpu = on(&device, moved);
        (0..2).for_each(|_| gpu.step().unwrap());
        moved = Box::new(gpu).into_simulation().unwrap();
        assert!((moved.time() - cpu.time()).abs() < 1e-12);
    }
    assert!(gap(&cpu, &moved) < 1e-4, "{:e} of the diagonal after nine frames", gap(&cpu, &moved));
}

#[test]
fn worlds_of_nothing_that_moves_and_far_from_the_origin_step_as_well() {
    let Some(device) = common::device() else { return };
    let held = held(6);
    let all = held.net(1e3).pin(0..49);
    let world = || Simulation::builder().solver(xpbd(5));
    let mut still = on(&device, world().body(all).build().unwrap());
    still.step().unwrap();
    assert_eq!(still.sync().unwrap().positions(), held.mesh.positions);
    let far: Vec<Vec3> = held.mesh.positions.iter().map(|p| *p + Vec3::new(5e3, -2e3, 7e3)).collect();
    assert_a_step_agrees(&device, "far away", || world().body(held.net(1e3).with_positions(far.clone())));
}
