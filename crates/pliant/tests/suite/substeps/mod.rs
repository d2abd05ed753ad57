//! Steps in equal parts: what they are equal to, what moves in them, and what is left when one fails.
#![allow(clippy::unwrap_used)]

mod accuracy;
mod failure;
mod moving;
mod worlds;

use pliant::prelude::*;
use pliant::{Channels, MOST_SUBSTEPS, ModelError, SimulationBuilder, State};
use worlds::KINDS;

fn world(make: fn(SimulationBuilder) -> SimulationBuilder, time_step: f64, substeps: usize) -> Simulation {
    make(Simulation::builder().time_step(time_step).substeps(substeps)).build().unwrap()
}

/// A state but for how it was counted: what matter carries, with the steps of breaks left out, is apart.
fn motion(sim: &Simulation) -> (State, Vec<(&'static str, Vec<f64>)>) {
    let all = sim.state().channels.iter().flat_map(Channels::iter);
    let mut carried: Vec<_> = all.map(|(name, own)| (name, own.to_numbers())).collect();
    let breaks = carried.iter_mut().filter(|(name, _)| *name == "breaks");
    breaks.for_each(|(_, numbers)| numbers.as_chunks_mut::<5>().0.iter_mut().for_each(|own| own[4] = 0.0));
    (State { time: 0.0, step: 0, channels: Vec::new(), ..sim.state().clone() }, carried)
}

fn steps(sim: &mut Simulation, count: usize) {
    (0..count).for_each(|_| drop(sim.step().unwrap()));
}

/// 1/64 s in four parts has no rounding in its times, so that also what moves is at the same places. Brittle bodies count whole steps after a break.
#[test]
fn substeps_are_steps_of_their_length_bit_for_bit() {
    for &(name, make) in KINDS.iter().filter(|(name, _)| *name != "brittle") {
        for (h, count) in [(1.0 / 64.0, 4), (1.0 / 60.0, 3)].into_iter().take(if name == "drape" { 1 } else { 2 }) {
            let (mut one, mut many) = (world(make, h, count), world(make, h / count as f64, 1));
            for step in 1..=5 {
                let report = one.step().unwrap();
                let parts: Vec<_> = (0..count).map(|_| many.step().unwrap()).collect();
                assert_eq!(motion(&one), motion(&many), "{name} in {count} parts, step {step}");
                assert_eq!(one.contacts(), many.contacts(), "{name}");
                assert_eq!(one.model().rest(), many.model().rest(), "{name}");
                assert_eq!((report.step, one.state().step), (step, step));
                assert_eq!(report.solve.iterations, parts.iter().map(|part| part.solve.iterations).sum::<usize>());
                assert_eq!(report.torn, parts.iter().map(|part| part.torn).sum::<usize>());
                let rounds = |report: &pliant::StepReport| report.self_collision.as_ref().map_or(0, |own| own.rounds);
                assert_eq!(rounds(&report), parts.iter().map(rounds).sum::<usize>(), "{name}");
            }
        }
    }
}

#[test]
fn the_worlds_of_these_tests_do_what_they_are_for() {
    let after = |name: &str| {
        let mut sim = world(KINDS.iter().find(|(other, _)| *other == name).unwrap().1, 1.0 / 60.0, 4);
        let reports: Vec<_> = (0..8).map(|_| sim.step().unwrap()).collect();
        (sim, reports)
    };
    assert!(!after("drape").0.contacts().is_empty());
    assert!(!after("rigid").0.contacts().is_empty());
    assert!(!after("matched").0.state().channels[0].matrices("stretches").is_empty());
    assert!(!after("brittle").0.state().breaks(0).is_empty());
    assert!(after("tearing").1.iter().any(|report| report.torn > 0));
    assert!(after("layers").1.iter().any(|report| report.self_collision.as_ref().unwrap().contacts > 0));
    let limited = |report: &pliant::StepReport| report.strain_limiting.unwrap().iterations > 0;
    assert!(after("strain limit").1.iter().any(limited));
}

#[test]
fn threads_change_no_bit_of_substeps() {
    for &(name, make) in KINDS {
        let run = |threads: usize| {
            let mut sim = make(Simulation::builder().substeps(3).threads(threads)).build().unwrap();
            steps(&mut sim, 4);
            motion(&sim)
        };
        let one = run(1);
        assert_eq!(one, run(2), "{name}");
        assert_eq!(one, run(3), "{name}");
    }
}

#[test]
fn a_run_from_a_checkpoint_goes_on_bit_for_bit_with_its_substeps() {
    for &(name, make) in KINDS {
        let mut whole = world(make, 1.0 / 60.0, 3);
        steps(&mut whole, 4);
        let saved = Checkpoint::from_bytes(&whole.checkpoint().to_bytes()).unwrap();
        let mut resumed = world(make, 1.0 / 60.0, 1);
        resumed.restore(&saved).unwrap();
        assert_eq!(resumed.substeps(), 3);
        steps(&mut whole, 3);
        steps(&mut resumed, 3);
        assert_eq!(whole.state(), resumed.state(), "{name}");
        assert_eq!(whole.checkpoint(), resumed.checkpoint(), "{name}");
    }
}

#[test]
fn a_checkpoint_of_single_steps_knows_nothing_of_substeps() {
    let mut sim = world(KINDS[0].1, 1.0 / 60.0, 1);
    let saved = sim.checkpoint();
    assert!(saved.channels().all(|(name, _)| name != "substeps"), "older checkpoints are still read");
    sim.set_substeps(5).unwrap();
    sim.restore(&saved).unwrap();
    assert_eq!(sim.substeps(), 1);
}

#[test]
fn a_damaged_number_of_substeps_is_refused() {
    let mut sim = world(KINDS[0].1, 1.0 / 60.0, 7);
    let bytes = sim.checkpoint().to_bytes();
    let number = bytes.windows(8).rposition(|window| window == 7.0_f64.to_le_bytes()).unwrap();
    for bad in [0.0, -3.0, 2.5, 1e9, f64::NAN] {
        let mut damaged = bytes.clone();
        damaged[number..number + 8].copy_from_slice(&f64::to_le_bytes(bad));
        let error = sim.restore(&Checkpoint::from_bytes(&damaged).unwrap()).unwrap_err().to_string();
        assert!(error.contains("\"substeps\""), "{bad}: {error}");
    }
    sim.restore(&Checkpoint::from_bytes(&bytes).unwrap()).unwrap();
}

#[test]
fn time_does_not_drift_from_that_of_single_steps() {
    for count in [1, 2, 3, 7, 10] {
        let (mut sim, mut plain) = (world(KINDS[0].1, 1.0 / 60.0, count), world(KINDS[0].1, 1.0 / 60.0, 1));
        steps(&mut sim, 200);
        steps(&mut plain, 200);
        assert_eq!(sim.time(), plain.time(), "{count} substeps");
        assert_eq!(sim.state().step, 200);
    }
}

#[test]
fn no_substeps_and_too_many_are_refused_with_a_range() {
    for bad in [0, MOST_SUBSTEPS + 1, usize::MAX] {
        let error = KINDS[0].1(Simulation::builder().substeps(bad)).build().unwrap_err();
        assert!(matches!(error, ModelError::BadParameter { name: "number of substeps", .. }), "{error}");
        let mut sim = world(KINDS[0].1, 1.0 / 60.0, 2);
        let error = sim.set_substeps(bad).unwrap_err().to_string();
        assert!(error.contains("number of substeps") && error.contains("1 to 10000"), "{error}");
        assert_eq!(sim.substeps(), 2);
    }
    let mut sim = world(KINDS[0].1, f64::MIN_POSITIVE / 2_f64.powi(52), 1);
    assert!(sim.set_substeps(2).unwrap_err().to_string().contains("length of a substep is 0"));
    sim.set_time_step(1.0).unwrap();
    sim.set_substeps(MOST_SUBSTEPS).unwrap();
    assert!(sim.set_time_step(f64::MIN_POSITIVE / 2_f64.powi(52)).is_err());
}

#[test]
fn the_next_problem_is_that_of_the_first_substep() {
    let (_, make) = KINDS[2];
    let (mut one, mut many) = (world(make, 1.0 / 64.0, 4), world(make, 1.0 / 256.0, 1));
    one.move_pin("cloth", 0, Vec3::new(-0.5, 0.25, 0.5)).unwrap();
    let from = many.positions()[0];
    many.move_pin("cloth", 0, from + (Vec3::new(-0.5, 0.25, 0.5) - from) * 0.25).unwrap();
    let x = one.positions().to_vec();
    let (a, b) = (one.next_problem().unwrap(), many.next_problem().unwrap());
    assert_eq!(a.start(Start::Predicted), b.start(Start::Predicted));
    assert_eq!(a.value(&x), b.value(&x));
}
