//! A step of which one part fails has not taken place.

use pliant::collide::Collider;
use pliant::mesh::PointSet;
use pliant::prelude::*;
use pliant::{SimulationBuilder, StepError};

use super::worlds::KINDS;
use super::{motion, steps};

const SUBSTEPS: usize = 4;

/// A world with a stone beside it that may be pushed; a step in which it goes farther than the others ever do is refused.
fn with_stone(make: fn(SimulationBuilder) -> SimulationBuilder) -> Simulation {
    let stone = PointSet { positions: vec![Vec3::new(0.0, 5.0, 5.0)] };
    let builder = make(Simulation::builder()).body(Body::points(&stone, 1.0).named("stone"));
    builder.substeps(SUBSTEPS).runaway_limit(0.2).build().unwrap()
}

/// Pushes the stone such that it runs away in a substep of the next step, from 1: its k-th movement is k a h² with implicit Euler and at least (k − 0.97) a h² with
/// the others.
fn push(sim: &mut Simulation, substep: f64) {
    let part = sim.time_step() / SUBSTEPS as f64;
    let limit = 0.2 * sim.model().diagonal();
    sim.set_force("stone", 0, Vec3::X * (limit / (part * part * (substep - 0.98)))).unwrap();
}

/// What can be seen of a simulation, and all that it goes on from.
fn everything(sim: &Simulation) -> (Checkpoint, Vec<pliant::contact::Contact>, usize) {
    (sim.checkpoint(), sim.contacts().to_vec(), sim.model().rest().len())
}

#[test]
fn a_step_whose_third_substep_fails_changes_nothing_and_the_next_goes_on_as_if_it_had_not_been() {
    // Hair is solved with nothing but hair.
    for &(name, make) in KINDS.iter().filter(|(name, _)| *name != "hair") {
        let (mut sim, mut twin) = (with_stone(make), with_stone(make));
        for substep in [1.0, 3.0, 4.0] {
            steps(&mut sim, 2);
            steps(&mut twin, 2);
            push(&mut sim, substep);
            let before = everything(&sim);
            let Err(error) = sim.step() else { panic!("{name}: the stone does not run away in substep {substep}") };
            assert!(matches!(&error, StepError::Runaway { body, .. } if body == "stone"), "{name}: {error}");
            let after = everything(&sim);
            assert!(after == before, "{name}: something has changed");
            sim.set_force("stone", 0, Vec3::ZERO).unwrap();
        }
        steps(&mut sim, 3);
        steps(&mut twin, 3);
        assert_eq!(sim.state(), twin.state(), "{name}");
        assert_eq!(sim.contacts(), twin.contacts(), "{name}");
    }
}

/// That the stone fails where it should is what makes the test above one of rolling back.
#[test]
fn the_stone_runs_away_in_the_substep_that_it_is_pushed_for() {
    for substep in [1.0, 3.0, 4.0] {
        let mut sim = with_stone(KINDS[0].1);
        sim.set_gravity(Vec3::ZERO).unwrap();
        push(&mut sim, substep);
        // The same in short steps.
        sim.set_time_step(sim.time_step() / SUBSTEPS as f64).unwrap();
        sim.set_substeps(1).unwrap();
        let good = (0..SUBSTEPS).take_while(|_| sim.step().is_ok()).count();
        assert_eq!(good as f64, substep - 1.0);
    }
}

/// A flag that is torn in the first substeps is whole again when the third fails, also where it had been torn before.
#[test]
fn what_was_torn_before_a_failure_is_whole_again() {
    let flag = KINDS.iter().find(|(name, _)| *name == "tearing").unwrap().1;
    let (mut sim, mut twin) = (with_stone(flag), with_stone(flag));
    let mut rolled_back = Vec::new();
    for _ in 0..4 {
        let changes = sim.topology_changes();
        push(&mut sim, 3.0);
        let (before, mesh) = (everything(&sim), sim.model().bodies()[0].surface.clone());
        assert!(matches!(sim.step(), Err(StepError::Runaway { .. })));
        assert!(everything(&sim) == before);
        assert_eq!(sim.model().bodies()[0].surface, mesh);
        // Half of the step, to see whether it tears.
        let mut half = with_stone(flag);
        half.restore(&sim.checkpoint()).unwrap();
        half.set_force("stone", 0, Vec3::ZERO).unwrap();
        half.set_time_step(sim.time_step() / SUBSTEPS as f64).unwrap();
        half.set_substeps(1).unwrap();
        steps(&mut half, 2);
        rolled_back.push((changes, half.topology_changes() - changes));
        sim.set_force("stone", 0, Vec3::ZERO).unwrap();
        steps(&mut sim, 1);
        steps(&mut twin, 1);
        assert_eq!(motion(&sim), motion(&twin));
        assert_eq!(sim.checkpoint(), twin.checkpoint());
    }
    assert!(rolled_back.iter().any(|&(before, torn)| before == 0 && torn > 0), "{rolled_back:?}");
    assert!(rolled_back.iter().any(|&(before, torn)| before > 0 && torn > 0), "{rolled_back:?}");
}

/// A solver that is lent for a step has all of its substeps, also after a tear, and is gone afterwards.
#[test]
fn a_lent_solver_takes_all_substeps() {
    let flag = KINDS.iter().find(|(name, _)| *name == "tearing").unwrap().1;
    let newton = NewtonParams { tolerance: 1e-12, ..NewtonParams::default() };
    let (mut lent, mut own) = (
        with_stone(flag),
        with_stone(|world| {
            let flag = KINDS.iter().find(|(name, _)| *name == "tearing").unwrap().1;
            flag(world).solver(NewtonParams { tolerance: 1e-12, ..NewtonParams::default() })
        }),
    );
    let mut torn = 0;
    for _ in 0..3 {
        torn += lent.step_with(newton.clone()).unwrap().torn;
        own.step().unwrap();
        assert_eq!(motion(&lent), motion(&own));
    }
    assert!(torn > 0);
    let plain = with_stone(flag).step().unwrap().solve.iterations;
    let mut after = with_stone(flag);
    push(&mut after, 3.0);
    assert!(after.step_with(newton).is_err());
    after.set_force("stone", 0, Vec3::ZERO).unwrap();
    assert_eq!(after.step().unwrap().solve.iterations, plain);
}

/// Several steps and settings, one within the other.
#[test]
fn all_or_nothing_goes_back_over_steps_cuts_and_settings() {
    let make = || {
        let mesh = Sheet { columns: 6, rows: 6, ..Sheet::default() }.mesh().unwrap();
        let cloth = Body::cloth(&mesh, &ClothMaterial::default()).unwrap().named("cloth").pin([42, 48]);
        let floor = Collider::new(Shape::Plane).at(Vec3::Y * -0.55);
        let settings = SelfCollision { thickness: 1e-3, ..SelfCollision::default() };
        Simulation::builder().body(cloth).collider(floor).self_collision(settings).substeps(2).build().unwrap()
    };
    let slit = |x: f64| Cut::Plane { point: Vec3::X * x, normal: Vec3::X };
    let (mut sim, mut twin) = (make(), make());
    for _ in 0..2 {
        let before = everything(&sim);
        let outcome: Result<(), String> = sim.all_or_nothing(|sim| {
            steps(sim, 2);
            sim.cut_at_rest("cloth", &slit(0.15)).unwrap();
            let (changes, count) = (sim.topology_changes(), sim.positions().len());
            let inner: Result<(), ()> = sim.all_or_nothing(|sim| {
                sim.cut_at_rest("cloth", &slit(-0.2)).unwrap();
                steps(sim, 1);
                Err(())
            });
            assert!(inner.is_err());
            assert_eq!((sim.topology_changes(), sim.positions().len()), (changes, count));
            sim.set_time_step(0.01).unwrap();
            sim.set_substeps(5).unwrap();
            sim.set_gravity(Vec3::X).unwrap();
            sim.set_solver(PositionBasedParams::default()).unwrap();
            sim.move_pin("cloth", 42, Vec3::Y).unwrap();
            sim.set_force("cloth", 3, Vec3::Z).unwrap();
            steps(sim, 2);
            Err("enough".to_owned())
        });
        assert_eq!(outcome, Err("enough".to_owned()));
        assert!(everything(&sim) == before);
        assert_eq!((sim.substeps(), sim.gravity()), (2, Vec3::Y * -9.81));
        for sim in [&mut sim, &mut twin] {
            steps(sim, 3);
            sim.cut_at_rest("cloth", &slit(0.1)).map(drop).unwrap_or_default();
            steps(sim, 3);
        }
        assert_eq!(sim.state(), twin.state());
        assert_eq!(sim.checkpoint(), twin.checkpoint());
    }
    assert!(sim.topology_changes() > 0);
}
