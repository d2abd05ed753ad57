//! What comes, goes and changes while a world runs.
#![allow(clippy::unwrap_used)]

use pliant::constraint::{Allowed, Distance};
use pliant::mesh::generate::particle_block;
use pliant::mesh::{MassKind, Simplices};
use pliant::prelude::*;
use pliant::solve::ExplicitParams;
use pliant::{ChangeError, ModelError, RodMaterial, SimulationBuilder};

fn cloth(name: &str, at: Vec3) -> Body {
    let sheet = Sheet { columns: 6, rows: 6, width: 0.5, height: 0.5, ..Sheet::default() };
    let mesh = sheet.mesh().unwrap().translated(at);
    Body::cloth(&mesh, &ClothMaterial::default()).unwrap().named(name.to_owned())
}

fn cube(name: &str, at: Vec3) -> Body {
    let mesh = TetBox { size: Vec3::splat(0.2), cells: [2, 2, 2], ..TetBox::default() }.mesh().unwrap().translated(at);
    Body::solid(&mesh, &SolidMaterial::default()).unwrap().named(name.to_owned())
}

fn strand(name: &str, at: Vec3) -> Body {
    let line = rope(at, at + Vec3::X * 0.4, 8).unwrap();
    Body::strands(&line, &StrandMaterial::default()).unwrap().named(name.to_owned()).pin([0])
}

fn rod(name: &str, at: Vec3) -> Body {
    let line = rope(at, at + Vec3::X * 0.4, 8).unwrap();
    Body::rods(&line, &RodMaterial::default()).unwrap().named(name.to_owned()).pin([0, 1])
}

fn water(name: &str, at: Vec3) -> Body {
    let block = particle_block(Vec3::splat(0.12), 0.04).unwrap().translated(at);
    Body::fluid(&block, &FluidMaterial { spacing: 0.04, ..FluidMaterial::default() }).unwrap().named(name.to_owned())
}

fn plane(height: f64) -> Collider {
    Collider::new(Shape::Plane).at(Vec3::Y * height)
}

fn run(sim: &mut Simulation, steps: usize) {
    (0..steps).for_each(|_| drop(sim.step().unwrap()));
}

fn assert_same(changed: &mut Simulation, built: SimulationBuilder) {
    let mut built = built.build().unwrap();
    for sim in [&mut *changed, &mut built] {
        run(sim, 8);
    }
    assert_eq!(changed.positions(), built.positions());
    assert_eq!(changed.velocities(), built.velocities());
}

/// A change before the first step is as if the world had been built so, to the last bit.
#[test]
fn a_world_that_was_changed_is_the_world_that_would_have_been_built() {
    let base = || Simulation::builder().body(cloth("a", Vec3::ZERO).pin([0])).body(cube("b", Vec3::X));
    let mut sim = base().build().unwrap();
    let c = sim.add(strand("c", Vec3::Y)).unwrap();
    assert_same(&mut sim, base().body(strand("c", Vec3::Y)));
    assert_eq!(sim.number_of(c).unwrap(), 2);

    let mut sim = base().body(strand("c", Vec3::Y)).build().unwrap();
    let [a, b] = ["a", "b"].map(|name| sim.body_id(name).unwrap());
    sim.remove(a).unwrap();
    assert_eq!(sim.number_of(b).unwrap(), 0);
    assert_same(&mut sim, Simulation::builder().body(cube("b", Vec3::X)).body(strand("c", Vec3::Y)));

    let mut sim = base().build().unwrap();
    let [a, b] = ["a", "b"].map(|name| sim.body_id(name).unwrap());
    sim.unpin(a, &[0]).unwrap();
    sim.pin(b, &[3, 4]).unwrap();
    let pinned = Simulation::builder().body(cloth("a", Vec3::ZERO)).body(cube("b", Vec3::X).pin([3, 4]));
    assert_same(&mut sim, pinned);

    let mut sim = base().build().unwrap();
    let [a, b] = ["a", "b"].map(|name| sim.body_id(name).unwrap());
    let gone = sim.attach((a, 5), (b, 2), 100.0).unwrap();
    sim.attach_at_distance((a, 6), (b, 0), 50.0).unwrap();
    sim.detach(gone).unwrap();
    assert_same(&mut sim, base().attach_at_distance(("a", 6), ("b", 0), 50.0));

    let mut sim = base().build().unwrap();
    let (a, silk) = (sim.body_id("a").unwrap(), pliant::presets::cloth("silk").unwrap());
    sim.set_material(a, silk.clone()).unwrap();
    let sheet = Sheet { columns: 6, rows: 6, width: 0.5, height: 0.5, ..Sheet::default() };
    let scarf = Body::cloth(&sheet.mesh().unwrap(), &silk).unwrap().named("a").pin([0]);
    assert_same(&mut sim, Simulation::builder().body(scarf).body(cube("b", Vec3::X)));

    let ground = || plane(-0.3);
    let mut sim = base().build().unwrap();
    let ball = sim.add_collider(Collider::new(Shape::Sphere { radius: 0.1 })).unwrap();
    let plane = sim.add_collider(plane(-5.0)).unwrap();
    sim.remove_collider(ball).unwrap();
    sim.replace_collider(plane, ground()).unwrap();
    // The automatic choice is not made again for a collider.
    let solver = sim.solver_choice().clone();
    let (substeps, integrator) = (sim.substeps(), sim.integrator());
    let built = base().collider(ground()).solver(solver).substeps(substeps).integrator(integrator);
    assert_same(&mut sim, built);
}

#[test]
fn matter_and_constraints_get_other_numbers_when_a_body_before_them_leaves() {
    let threads = || {
        let sheet = Sheet { columns: 4, rows: 4, ..Sheet::default() }.mesh().unwrap().translated(Vec3::Z * 3.0);
        let edges = sheet.edges();
        let lengths = Distance::at_rest(&edges, &sheet.positions, Allowed::Exactly, 1e-6).unwrap();
        let mass = sheet.mass_matrix(MassKind::Lumped, 0.2).unwrap();
        let body = Body::new(sheet.positions.clone(), mass).named("threads").pin([0]).permeable();
        body.with_constraints(lengths.boxed())
    };
    let rest = || [rod("rod", Vec3::Y).permeable(), water("water", Vec3::Z), threads()];
    let solver = || PositionBasedParams::default();
    let mut builder = Simulation::builder().body(cloth("first", Vec3::X)).solver(solver());
    let mut without = Simulation::builder().solver(solver());
    for (body, same) in rest().into_iter().zip(rest()) {
        (builder, without) = (builder.body(body), without.body(same));
    }
    let mut sim = builder.build().unwrap();
    let first = sim.body_id("first").unwrap();
    sim.remove(first).unwrap();
    assert_same(&mut sim, without);
}

#[test]
fn what_stays_goes_on_as_if_nothing_had_come_and_gone() {
    // Explicit integration knows nothing of other bodies: the same bits.
    let explicit =
        || Simulation::builder().solver(ExplicitParams::default()).time_step(1e-4).body(cloth("a", Vec3::ZERO));
    let (mut alone, mut visited) = (explicit().build().unwrap(), explicit().build().unwrap());
    for sim in [&mut alone, &mut visited] {
        run(sim, 20);
    }
    let guest = visited.add(cube("guest", Vec3::X * 2.0)).unwrap();
    for sim in [&mut alone, &mut visited] {
        run(sim, 20);
    }
    visited.remove(guest).unwrap();
    for sim in [&mut alone, &mut visited] {
        run(sim, 20);
    }
    assert_eq!(alone.positions(), visited.positions());
    assert_eq!(alone.velocities(), visited.velocities());
}

#[test]
fn a_changed_world_goes_on_from_a_checkpoint() {
    let apart = SelfCollision { thickness: 5e-3, ..SelfCollision::default() };
    let base = || Simulation::builder().body(cloth("a", Vec3::ZERO).pin([0, 6])).self_collision(apart.clone());
    let change = |sim: &mut Simulation| {
        let a = sim.body_id("a").unwrap();
        let b = sim.add(cube("b", Vec3::new(0.0, 0.0, 0.2))).unwrap();
        sim.attach((a, 48), (b, 0), 30.0).unwrap();
        sim.unpin(a, &[6]).unwrap();
        sim.add_collider(plane(-0.6)).unwrap();
    };
    let mut sim = base().build().unwrap();
    run(&mut sim, 5);
    change(&mut sim);
    run(&mut sim, 5);
    let saved = Checkpoint::from_bytes(&sim.checkpoint().to_bytes()).unwrap();
    run(&mut sim, 10);
    let mut resumed = base().build().unwrap();
    assert!(resumed.restore(&saved).is_err(), "it does not have these bodies yet");
    change(&mut resumed);
    resumed.restore(&saved).unwrap();
    run(&mut resumed, 10);
    assert_eq!(sim.positions(), resumed.positions());
    assert_eq!(sim.velocities(), resumed.velocities());
}

#[test]
fn a_change_that_cannot_be_made_changes_nothing() {
    let apart = SelfCollision { thickness: 5e-3, ..SelfCollision::default() };
    let builder = Simulation::builder().body(cloth("a", Vec3::ZERO).pin([0])).body(cube("b", Vec3::X));
    let mut sim = builder.self_collision(apart).build().unwrap();
    run(&mut sim, 3);
    let [a, b] = ["a", "b"].map(|name| sim.body_id(name).unwrap());
    let c = sim.add(strand("c", Vec3::Y)).unwrap();
    let tie = sim.attach((a, 3), (c, 4), 10.0).unwrap();
    let collider = sim.add_collider(Collider::new(Shape::Sphere { radius: 0.1 }).at(Vec3::Y * -9.0)).unwrap();
    sim.remove_collider(collider).unwrap();
    sim.remove(c).unwrap();
    let gone = |what, slot| ChangeError::Gone { what, slot };
    // In its place there is another one, with another handle.
    let d = sim.add(strand("d", Vec3::Y * 2.0)).unwrap();
    assert_eq!(sim.remove(c), Err(gone("body", 2)));
    sim.remove(d).unwrap();
    run(&mut sim, 2);
    let before = sim.checkpoint();
    assert_eq!(sim.remove(c), Err(gone("body", 2)));
    assert_eq!(sim.pin(c, &[0]), Err(gone("body", 2)));
    assert_eq!(sim.attach((a, 0), (c, 0), 1.0), Err(gone("body", 2)));
    assert_eq!(sim.detach(tie), Err(gone("attachment", 0)), "it went with its body");
    assert_eq!(sim.remove_collider(collider), Err(gone("collider", 0)));
    assert!(matches!(sim.pin(a, &[500]), Err(ChangeError::NoSuchVertex { vertex: 500, count: 49, .. })));
    assert!(matches!(sim.unpin(b, &[1]), Err(ChangeError::NotPinned { vertex: 1, .. })));
    assert!(matches!(sim.attach((a, 3), (b, 500), 1.0), Err(ChangeError::NoSuchVertex { vertex: 500, .. })));
    assert!(matches!(sim.attach((a, 3), (b, 0), f64::NAN), Err(ChangeError::Model(_))));
    assert!(matches!(sim.set_material(a, SolidMaterial::default()), Err(ChangeError::OtherSubstance { .. })));
    let heavy = ClothMaterial { density: -1.0, ..ClothMaterial::default() };
    assert!(matches!(sim.set_material(a, heavy), Err(ChangeError::Model(_))));
    let model = |result: Result<_, ChangeError>| match result {
        Err(ChangeError::Model(error)) => *error,
        other => panic!("{other:?}"),
    };
    assert_eq!(model(sim.add(cube("b", Vec3::Y)).map(drop)), ModelError::RepeatedName("b".to_owned()));
    let through = cube("through", Vec3::ZERO);
    assert!(matches!(model(sim.add(through).map(drop)), ModelError::Intersecting { .. }));
    let newton = water("water", Vec3::Z * 3.0).with_solver(NewtonParams::default());
    assert!(matches!(model(sim.add(newton).map(drop)), ModelError::UnsupportedConstraint { .. }));
    let leader = Some(FollowLeaderParams::default().into());
    assert!(matches!(model(sim.set_body_solver(a, leader)), ModelError::FollowLeader(_)));
    assert!(matches!(sim.add_collider(Collider::new(Shape::Sphere { radius: -1.0 })), Err(ChangeError::Model(_))));
    let within = sim.all_or_nothing(|sim| sim.add(cube("late", Vec3::Y * 3.0)).map(drop));
    assert_eq!(within, Err(ChangeError::WithinAttempt));
    assert!(sim.checkpoint() == before, "something has changed");
    sim.remove(a).unwrap();
    assert_eq!(sim.remove(b), Err(ChangeError::LastBody("b".to_owned())));
    run(&mut sim, 2);
}

#[test]
fn a_body_can_change_its_solver_and_water_can_come() {
    let mut sim = Simulation::builder().body(cloth("a", Vec3::ZERO).pin([0, 6])).build().unwrap();
    run(&mut sim, 2);
    let a = sim.body_id("a").unwrap();
    sim.set_body_solver(a, Some(NewtonParams::default().into())).unwrap();
    assert!(matches!(sim.solver_of("a").unwrap(), SolverChoice::Newton(_)));
    sim.add(water("water", Vec3::new(0.0, 0.1, 0.2))).unwrap();
    assert_eq!(sim.solver_count(), 2);
    run(&mut sim, 4);
    sim.set_body_solver(a, None).unwrap();
    assert!(matches!(sim.solver_of("a").unwrap(), SolverChoice::TwoMetric(_)));
    run(&mut sim, 2);
}
