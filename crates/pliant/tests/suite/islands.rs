//! Bodies that nothing ties to each other are prepared apart: they move as each would alone, and one that changes lets the others be.
#![allow(clippy::unwrap_used)]

use pliant::RigidMaterial;
use pliant::prelude::*;
use pliant::solve::Acceleration;
use pliant::sparse::Precision;

const SPACING: f64 = 3.0;

fn cloth(at: Vec3) -> Body {
    let sheet = Sheet { columns: 7, rows: 5, width: 0.5, height: 0.4, ..Sheet::default() };
    let mesh = sheet.mesh().unwrap().translated(at);
    let soft = ClothMaterial { youngs_modulus: 2e4, ..pliant::presets::cloth("denim").unwrap() };
    Body::cloth(&mesh, &soft).unwrap().pin([0, 7])
}

fn cube(at: Vec3) -> Body {
    let mesh = TetBox { size: Vec3::splat(0.2), cells: [3, 2, 3], ..TetBox::default() }.mesh().unwrap().translated(at);
    Body::solid(&mesh, &pliant::presets::solid("jelly").unwrap()).unwrap()
}

fn strand(at: Vec3) -> Body {
    let line = rope(at, at + Vec3::X * 0.4, 9).unwrap();
    Body::strands(&line, &StrandMaterial::default()).unwrap().pin([0])
}

fn block(at: Vec3) -> Body {
    let mesh = TetBox { size: Vec3::splat(0.2), cells: [2, 2, 2], ..TetBox::default() }.mesh().unwrap().translated(at);
    Body::rigid(&mesh.surface().unwrap().mesh, &RigidMaterial::default()).unwrap()
}

type Make = fn(Vec3) -> Body;

/// The farthest that a vertex is from where it would be if its body were alone.
fn apart(makes: &[Make], steps: usize, world: impl Fn() -> pliant::SimulationBuilder) -> f64 {
    let place = |k: usize| Vec3::new(SPACING * k as f64, 0.15, 0.0);
    let named = |k: usize| makes[k](place(k)).named(format!("{k}"));
    let mut together = (0..makes.len()).fold(world(), |builder, k| builder.body(named(k))).build().unwrap();
    let mut alone: Vec<Simulation> = (0..makes.len()).map(|k| world().body(named(k)).build().unwrap()).collect();
    for sim in alone.iter_mut().chain([&mut together]) {
        (0..steps).for_each(|_| drop(sim.step().unwrap()));
    }
    let alone = alone.iter().flat_map(|sim| sim.positions());
    alone.zip(together.positions()).fold(0.0, |most: f64, (a, b)| most.max(a.distance(*b)))
}

#[test]
fn plain_iterations_move_each_body_as_if_it_were_alone() {
    for precision in [Precision::Single, Precision::Double] {
        let acceleration = Acceleration::None;
        let plain = ProjectiveParams { iterations: 12, tolerance: 0.0, precision, acceleration, ..Default::default() };
        let far = apart(&[cloth, cube, strand, cube], 20, || Simulation::builder().solver(plain.clone()));
        // In f32 the moment at which elements go on in f64 depends on the size of the world.
        let most = if precision == Precision::Double { 0.0 } else { 1e-6 };
        assert!(far <= most, "{precision:?}: {far} m");
    }
}

/// Accelerators and line searches see all bodies at once; what they come to is the same.
#[test]
fn converged_solvers_move_each_body_as_if_it_were_alone() {
    use Acceleration::{Anderson, Lbfgs};
    let projective = |acceleration| ProjectiveParams {
        iterations: 600,
        tolerance: 1e-11,
        precision: Precision::Double,
        acceleration,
        ..Default::default()
    };
    let solvers: [(SolverChoice, &[Make]); 3] = [
        (projective(Anderson { window: 5 }).into(), &[cloth, cube, cloth]),
        (projective(Lbfgs { history: 6 }).into(), &[cloth, cube, cloth]),
        (TwoMetricParams::converged().into(), &[cloth, cube, strand, cloth]),
    ];
    for (solver, makes) in solvers {
        let far = apart(makes, 10, || Simulation::builder().solver(solver.clone()));
        // Its linear systems are in f32.
        let most = if matches!(solver, SolverChoice::TwoMetric(_)) { 5e-6 } else { 1e-7 };
        assert!(far < most, "{solver}: {far} m");
    }
}

/// Contacts that stick are in the factor of their island, rotations of rigid bodies too.
#[test]
fn bodies_that_land_do_so_as_if_they_were_alone() {
    let ground = || Collider::new(Shape::Plane).friction(0.6);
    let projective =
        ProjectiveParams { iterations: 200, tolerance: 1e-9, precision: Precision::Double, ..Default::default() };
    for (makes, solver) in [
        (&[cube as Make, cube, cloth][..], SolverChoice::from(projective.clone())),
        (&[block, cube, block], projective.into()),
        (&[cube, cloth, cube], TwoMetricParams { iterations: 40, ..TwoMetricParams::converged() }.into()),
    ] {
        let far = apart(makes, 40, || Simulation::builder().solver(solver.clone()).collider(ground()));
        assert!(far < 1e-4, "{solver}: {far} m");
    }
}

#[test]
fn what_did_not_change_is_not_factored_again() {
    for solver in [SolverChoice::from(ProjectiveParams::default()), TwoMetricParams::default().into()] {
        let place = |k: usize| Vec3::X * SPACING * k as f64;
        let bodies = [cloth, cube, strand, cube].into_iter().enumerate();
        let world = bodies.fold(Simulation::builder().solver(solver.clone()), |builder, (k, make): (usize, Make)| {
            builder.body(make(place(k)).named(format!("{k}")))
        });
        let mut sim = world.build().unwrap();
        let factored = |sim: &mut Simulation| sim.step().unwrap().solve.factored;
        assert_eq!([factored(&mut sim), factored(&mut sim)], [4, 0], "{solver}");
        let ids = sim.body_ids();
        let guest = sim.add(cube(place(4)).named("guest")).unwrap();
        assert_eq!(factored(&mut sim), 1, "{solver}: a body that comes");
        sim.pin(ids[1], &[3]).unwrap();
        assert_eq!(factored(&mut sim), 1, "{solver}: a pin");
        sim.set_material(ids[0], ClothMaterial::default()).unwrap();
        assert_eq!(factored(&mut sim), 1, "{solver}: a material");
        let ground = sim.add_collider(Collider::new(Shape::Plane).at(Vec3::Y * -9.0)).unwrap();
        assert_eq!(factored(&mut sim), 0, "{solver}: a collider");
        sim.remove_collider(ground).unwrap();
        sim.remove(ids[0]).unwrap();
        assert_eq!(factored(&mut sim), 0, "{solver}: a body that goes, and others that have other numbers");
        let tie = sim.attach((ids[2], 9), (guest, 0), 10.0).unwrap();
        assert_eq!(factored(&mut sim), 1, "{solver}: bodies that are tied, with the one between them");
        sim.detach(tie).unwrap();
        assert_eq!(factored(&mut sim), 3, "{solver}: bodies that are no longer tied");
    }
}

/// A body that one solver had prepared for is not taken for another that came in its place.
#[test]
fn a_body_that_comes_in_the_place_of_another_is_prepared_for() {
    let mut sim =
        Simulation::builder().body(cloth(Vec3::ZERO).named("a")).body(cube(Vec3::X).named("b")).build().unwrap();
    sim.step().unwrap();
    let b = sim.body_id("b").unwrap();
    sim.remove(b).unwrap();
    sim.add(cube(Vec3::X).named("b")).unwrap();
    assert_eq!(sim.step().unwrap().solve.factored, 1);
}

/// An integrator that suits solids alone does not stay when cloth comes, nor substeps that are too long for it.
#[test]
fn a_world_that_chooses_its_clock_chooses_it_again_when_bodies_come_and_go() {
    use pliant::TimeIntegrator::{Bdf2, ImplicitEuler};
    let mut sim = Simulation::builder().body(cube(Vec3::ZERO).named("cube")).build().unwrap();
    assert_eq!(sim.integrator(), Bdf2);
    sim.step().unwrap();
    let guest = sim.add(cloth(Vec3::X * SPACING).named("cloth")).unwrap();
    assert_eq!((sim.integrator(), sim.substeps()), (ImplicitEuler, 4));
    sim.step().unwrap();
    sim.remove(guest).unwrap();
    assert_eq!(sim.integrator(), Bdf2);
    let asked = Simulation::builder().body(cube(Vec3::ZERO).named("cube")).integrator(Bdf2).substeps(3);
    let mut sim = asked.build().unwrap();
    sim.add(cloth(Vec3::X * SPACING).named("cloth")).unwrap();
    assert_eq!((sim.integrator(), sim.substeps()), (Bdf2, 3), "what was asked for stays");
    sim.set_substeps(5).unwrap();
    let id = sim.body_id("cloth").unwrap();
    sim.unpin(id, &[0]).unwrap();
    assert_eq!(sim.substeps(), 5, "also what was asked for later");
}

/// What was prepared grows with the world, and is what would be prepared for a world that is there at once: with one time step and with an integrator that
/// changes it after its first, with and without vertices that are held, and after a body has left.
#[test]
fn a_world_that_grows_goes_on_like_one_that_has_all_bodies_from_the_start() {
    let free = |at: Vec3| Body::strands(&rope(at, at + Vec3::X * 0.4, 9).unwrap(), &StrandMaterial::default()).unwrap();
    let guests: [&dyn Fn(Vec3) -> Body; 6] = [&cube, &free, &cube, &strand, &cube, &free];
    let named = |k: usize| guests[k % 6](Vec3::new(SPACING * k as f64, 0.3, 0.0)).named(format!("{k}"));
    for integrator in [TimeIntegrator::ImplicitEuler, TimeIntegrator::Bdf2] {
        let world = || {
            let ground = Collider::new(Shape::Plane).friction(0.5);
            Simulation::builder().solver(TwoMetricParams::default()).integrator(integrator).collider(ground)
        };
        let mut sim = world().body(named(0)).build().unwrap();
        let mut there = vec![0];
        for k in 1..12 {
            (0..3).for_each(|_| drop(sim.step().unwrap()));
            if k == 8 {
                sim.remove(sim.body_id("4").unwrap()).unwrap();
                there.retain(|own| *own != 4);
            } else {
                // What is refused leaves no trace in what has grown.
                assert!(sim.add(named(0)).is_err());
                sim.add(named(k)).unwrap();
                there.push(k);
            }
            let saved = sim.checkpoint();
            let mut built = there.iter().fold(world(), |builder, &k| builder.body(named(k))).build().unwrap();
            built.restore(&saved).unwrap();
            for step in 0..3 {
                let factored = sim.step().unwrap().solve.factored;
                built.step().unwrap();
                assert!(sim.positions() == built.positions(), "{integrator:?}: body {k}, step {step}");
                assert!(factored <= 2 + usize::from(k < 3), "{integrator:?}: body {k}, step {step}: {factored}");
            }
            sim.restore(&saved).unwrap();
        }
    }
}
