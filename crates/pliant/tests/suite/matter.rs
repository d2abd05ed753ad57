//! What holds for matter of every kind, over the specimens of the list.
#![allow(clippy::unwrap_used, reason = "tests")]

use pliant::matter::{LIST, MatterInfo};
use pliant::prelude::*;
use pliant::{Body, Checkpoint, CheckpointError, ModelError, SimulationBuilder, Tearing, TopologyError};

type Make = fn() -> Result<Body, ModelError>;

/// Every specimen of every kind.
fn specimens() -> impl Iterator<Item = (&'static MatterInfo, Make)> {
    LIST.iter().flat_map(|info| info.specimens.iter().map(move |make| (info, *make)))
}

/// A specimen above a floor that it reaches.
fn world(make: Make) -> SimulationBuilder {
    let floor = Collider::new(Shape::Plane).at(Vec3::NEG_Y * 0.6);
    Simulation::builder().body(make().unwrap().named("own")).collider(floor)
}

fn stepped(mut sim: Simulation, steps: usize) -> Simulation {
    (0..steps).for_each(|_| drop(sim.step().unwrap()));
    sim
}

#[test]
fn a_kind_is_named_once_and_moves_by_itself() {
    for (number, info) in LIST.iter().enumerate() {
        assert!(LIST[..number].iter().all(|other| other.kind != info.kind), "{}", info.kind);
        assert!(!info.summary.is_empty() && !info.citation.is_empty());
    }
    for (info, make) in specimens() {
        let sim = world(make).build().unwrap();
        let matter = sim.model().matter();
        assert_eq!((matter.len(), matter[0].matter.kind()), (1, info.kind));
        let start = sim.positions().to_vec();
        let sim = stepped(sim, 10);
        let furthest =
            sim.positions().iter().zip(&start).fold(0.0_f64, |most, (now, then)| most.max(now.distance(*then)));
        assert!(furthest > 0.01, "{}: {furthest} m", info.kind);
        assert!(furthest < 1.0, "{}: {furthest} m", info.kind);
    }
}

#[test]
fn bits_do_not_depend_on_threads() {
    for (info, make) in specimens() {
        let [alone, together] = [1, 3].map(|threads| stepped(world(make).threads(threads).build().unwrap(), 30));
        assert_eq!(alone.state(), together.state(), "{}", info.kind);
    }
}

#[test]
fn a_restored_run_goes_on_with_the_same_bits() {
    for (info, make) in specimens() {
        let half = stepped(world(make).build().unwrap(), 15);
        let saved = half.checkpoint().to_bytes();
        let through = stepped(half, 15);
        let mut other = stepped(world(make).build().unwrap(), 3);
        other.restore(&Checkpoint::from_bytes(&saved).unwrap()).unwrap();
        assert_eq!(stepped(other, 15).state(), through.state(), "{}", info.kind);
    }
}

/// Every channel that a checkpoint lacks is missed.
#[test]
fn a_damaged_checkpoint_is_refused_and_changes_nothing() {
    let mut tried = std::collections::BTreeSet::new();
    for (info, make) in specimens() {
        let sim = stepped(world(make).build().unwrap(), 5);
        let whole = sim.checkpoint();
        for (name, _) in sim.state().channels[0].iter().filter(|(_, channel)| !channel.to_numbers().is_empty()) {
            tried.insert((info.kind, name));
            let mut bytes = whole.to_bytes();
            let wanted = format!("matter/0/{name}");
            let at = bytes.windows(wanted.len()).position(|part| part == wanted.as_bytes()).unwrap();
            bytes[at] = b'x';
            let mut other = stepped(world(make).build().unwrap(), 2);
            let before = other.state().clone();
            let refused = other.restore(&Checkpoint::from_bytes(&bytes).unwrap()).unwrap_err();
            // Without its breaks a body has too many rotations.
            assert!(refused.to_string().contains("matter/0/"), "{}: {refused}", info.kind);
            assert_eq!(other.state(), &before);
        }
    }
    assert!(tried.len() > 5, "{tried:?}");
}

/// All specimens of a kind differ, and some by parameters of their matter alone.
#[test]
fn a_checkpoint_of_other_parameters_is_refused() {
    for info in LIST {
        let worlds: Vec<Simulation> = info.specimens.iter().map(|make| world(*make).build().unwrap()).collect();
        let mut by_matter_alone = 0;
        for (k, first) in worlds.iter().enumerate() {
            for (j, make) in info.specimens.iter().enumerate().filter(|(j, _)| *j != k) {
                let mut other = world(*make).build().unwrap();
                let refused = other.restore(&first.checkpoint()).unwrap_err();
                assert!(matches!(refused, CheckpointError::OtherModel { .. }), "{} {k} {j}: {refused}", info.kind);
                by_matter_alone += usize::from(first.model().rest() == other.model().rest());
            }
        }
        assert!(by_matter_alone > 0, "{}: no two specimens have the same vertices", info.kind);
    }
}

#[test]
fn a_solver_that_does_not_know_the_matter_is_refused_with_its_name() {
    for (info, make) in specimens() {
        for solver in [
            ProjectiveParams::default().into(),
            TwoMetricParams::default().into(),
            SolverChoice::from(NewtonParams::default()),
        ] {
            let refused = world(make).solver(solver.clone()).build().unwrap_err();
            let named = matches!(&refused, ModelError::UnsupportedConstraint { body, kind } if body == "own" && *kind == info.kind);
            assert!(named, "{}: {refused}", info.kind);
            let mut sim = world(make).build().unwrap();
            let refused = sim.set_solver(solver).unwrap_err();
            assert!(refused.to_string().contains(info.kind), "{refused}");
        }
    }
}

#[test]
fn a_body_of_matter_does_not_tear_and_says_so() {
    for (info, make) in specimens() {
        let body = make().unwrap().named("own").with_tearing(Tearing::at_stretch(1.5));
        let refused = Simulation::builder().body(body).build().unwrap_err();
        assert_eq!(refused.body(), Some("own"), "{}: {refused}", info.kind);
        match refused {
            ModelError::Topology(TopologyError::Unsupported { kind, .. }) => assert_eq!(kind, info.kind),
            // Loose particles have nothing that could tear in the first place.
            ModelError::Topology(TopologyError::NoCells { .. }) => assert!(["fluid", "matching"].contains(&info.kind)),
            other => panic!("{}: {other}", info.kind),
        }
    }
}

/// A sheet that tears has vertices before those of the matter, whose numbers then change from step to step.
#[test]
fn matter_moves_as_before_when_vertices_before_it_are_added() {
    let sheet = Sheet { columns: 4, rows: 4, ..Sheet::default() }.mesh().unwrap();
    let pulled: Vec<Vec3> = sheet.positions.iter().map(|p| Vec3::new(1.1 * p.x, p.y + 3.0, p.z)).collect();
    let far: Vec<Vec3> = sheet.positions.iter().map(|p| *p + Vec3::Y * 3.0).collect();
    let mesh = TriangleMesh { positions: far, ..sheet };
    for (info, make) in specimens() {
        let run = |stretch: f64| {
            let paper =
                Body::cloth(&mesh, &ClothMaterial::default()).unwrap().with_tearing(Tearing::at_stretch(stretch));
            let paper = paper.with_positions(pulled.clone()).pin_where(|p| p.x.abs() > 0.49);
            let sim = Simulation::builder().body(paper.named("paper")).body(make().unwrap().named("own"));
            stepped(sim.solver(PositionBasedParams::default()).build().unwrap(), 10)
        };
        let (whole, torn) = (run(1e6), run(1.05));
        assert!(torn.positions().len() > whole.positions().len(), "it has torn");
        // Fluids sum in single precision, in an order that points on other bodies change.
        let most = if info.kind == "fluid" { 1e-6 } else { 0.0 };
        for (torn, whole) in torn.body_positions("own").unwrap().iter().zip(whole.body_positions("own").unwrap()) {
            assert!(torn.distance(*whole) <= most, "{}: {torn} for {whole}", info.kind);
        }
        assert_eq!(torn.state().channels[1], whole.state().channels[1], "{}", info.kind);
    }
}

/// Put to where it is, matter is as it was; turned as a whole, it is turned.
#[test]
fn what_matter_carries_comes_along_when_it_is_put_somewhere() {
    let turn = Quat::from_rotation_z(0.5);
    for (info, make) in specimens() {
        let mut sim = world(make).gravity(Vec3::ZERO).build().unwrap();
        let before: Vec<Quat> = sim.orientations("own").unwrap().to_vec();
        let turned: Vec<Vec3> = sim.positions().iter().map(|p| turn * *p).collect();
        let still = vec![Vec3::ZERO; turned.len()];
        sim.set_state(&turned, &still).unwrap();
        for (now, before) in sim.orientations("own").unwrap().iter().zip(&before) {
            for axis in Vec3::AXES {
                let off = (*now * axis).distance(turn * (*before * axis));
                assert!(off < 5e-3, "{}: {off}", info.kind);
            }
        }
        assert!(sim.report().potential() < 1e-12, "{}", info.kind);
        if info.kind == "fluid" {
            continue; // It has nothing to carry, and emitters stay where they are.
        }
        // From there it goes on as one that was not turned does, turned: rotations that did not come along would pull at it.
        let after = |placed: &[Vec3]| {
            let mut sim = Simulation::builder().body(make().unwrap().named("own")).gravity(Vec3::ZERO).build().unwrap();
            sim.set_state(placed, &still).unwrap();
            stepped(sim, 3).positions().to_vec()
        };
        let start: Vec<Vec3> = turned.iter().map(|p| turn.inverse() * *p).collect();
        let pairs = after(&turned);
        let off = pairs.iter().zip(after(&start)).fold(0.0_f64, |most, (a, b)| most.max(a.distance(turn * b)));
        println!("{}: {off} m off", info.kind);
        assert!(off < 2e-4, "{}: {off} m", info.kind);
    }
}
