//! What is set for the end of a step moves evenly through its substeps.

use std::sync::{Arc, Mutex};

use pliant::collide::{Key, Pose};
use pliant::energy::{FunctionBatch, Operator, PositionGoals};
use pliant::prelude::*;

use super::worlds::KINDS;
use super::{motion, steps, world};

/// Writes down where a pin is whenever an energy at it is projected.
#[test]
fn a_pin_has_the_same_speed_in_every_substep() {
    for substeps in [1, 3, 4, 10] {
        let seen = Arc::new(Mutex::new(Vec::<Vec3>::new()));
        let places = Arc::clone(&seen);
        let mut operator = Operator::new(1);
        operator.push(1e-9, &[0, 1], &[1.0, 0.0]);
        let spy = FunctionBatch::new("spy", operator, move |z: &[Vec3], p: &mut [Vec3]| {
            places.lock().unwrap().push(z[0]);
            p.copy_from_slice(z);
        });
        let string = rope(Vec3::ZERO, Vec3::X, 1).unwrap();
        let body = Body::strands(&string, &StrandMaterial::default()).unwrap().named("rope").pin([0]);
        let builder = Simulation::builder().body(body.with_energy(Box::new(spy))).time_step(0.1).substeps(substeps);
        // A second derivative by differences would look at places beside it.
        let mut sim = builder.solver(ProjectiveParams::default()).build().unwrap();
        for step in 1..=3 {
            let target = Vec3::new(0.0, 0.3, -0.1) * f64::from(step);
            sim.move_pin("rope", 0, target).unwrap();
            seen.lock().unwrap().clear();
            sim.step().unwrap();
            assert_eq!(sim.positions()[0], target, "it ends where it was told to");
            let mut last = Vec3::new(0.0, 0.3, -0.1) * f64::from(step - 1);
            let mut places = seen.lock().unwrap().clone();
            // The energy at the start is looked at as well.
            places.retain(|place| *place != last);
            places.dedup();
            assert_eq!(places.len(), substeps, "{places:?}");
            for place in places {
                let velocity = (place - last) / (0.1 / substeps as f64);
                assert!((velocity - Vec3::new(0.0, 3.0, -1.0)).length() < 1e-12, "{substeps} substeps: {velocity}");
                last = place;
            }
            assert!((sim.velocities()[0] - Vec3::new(0.0, 3.0, -1.0)).length() < 1e-12);
        }
        // It was told nothing new, and stays.
        sim.step().unwrap();
        assert_eq!(sim.velocities()[0], Vec3::ZERO);
    }
}

/// Pins and handles that are set for each of some short steps, an equal part of the way that is left, are those of substeps.
#[test]
fn moved_pins_and_handles_are_those_of_short_steps_bit_for_bit() {
    let names =
        ["BDF2", "TR-BDF2", "implicit midpoint", "cloth in wind", "XPBD", "strain limit", "hair", "rods", "tearing"];
    for &(name, make) in KINDS.iter().filter(|(name, _)| names.contains(name)) {
        let (mut one, mut many) = (world(make, 1.0 / 60.0, 3), world(make, 1.0 / 60.0 / 3.0, 1));
        for step in 1..=4 {
            let (way, goals) = (Vec3::new(0.03, 0.05, -0.02) * f64::from(step), one.goals("position"));
            one.move_pins(|_, rest| rest + way).unwrap();
            goals.iter().enumerate().for_each(|(k, goal)| one.set_goal("position", k, *goal + way).unwrap());
            one.step().unwrap();
            for left in (1..=3).rev() {
                let part =
                    |from: Vec3, to: Vec3| if left == 1 { to } else { from + (to - from) * (1.0 / f64::from(left)) };
                let x = many.positions().to_vec();
                many.move_pins(|v, rest| part(x[v as usize], rest + way)).unwrap();
                for (k, (from, to)) in many.goals("position").into_iter().zip(&goals).enumerate() {
                    many.set_goal("position", k, part(from, *to + way)).unwrap();
                }
                many.step().unwrap();
            }
            assert_eq!(one.goals("position"), many.goals("position"), "{name}");
            assert_eq!(motion(&one), motion(&many), "{name}, step {step}");
        }
    }
}

/// A handle that outweighs all else goes evenly.
#[test]
fn a_stiff_handle_has_the_same_speed_in_every_substep() {
    let rest = vec![Vec3::ZERO];
    let handle = PositionGoals { vertices: vec![0], goals: None, stiffness: 1e12 }.build(&rest).unwrap();
    let body = Body::new(rest, vec![(0, 0, 1.0)]).with_energy(handle);
    let builder = Simulation::builder().body(body).gravity(Vec3::ZERO).substeps(3);
    let mut sim = builder.solver(NewtonParams::default()).build().unwrap();
    for step in 1..=4 {
        sim.set_goal("position", 0, Vec3::X * (0.1 * f64::from(step))).unwrap();
        sim.step().unwrap();
        assert!((sim.velocities()[0].x / 6.0 - 1.0).abs() < 1e-6, "{}", sim.velocities()[0]);
    }
}

/// A stone on a lift that rises evenly rises with it; where the lift turned up only at the end of each step, it would be thrown.
#[test]
fn a_collider_is_where_it_is_at_the_times_of_the_substeps() {
    let key = |time: f64, height: f64| Key { time, pose: Pose { position: Vec3::Y * height, ..Pose::default() } };
    let lift = Collider::new(Shape::Plane).moving(vec![key(0.0, 0.0), key(1.0, 2.0)]).thickness(1e-3);
    for substeps in [1, 3, 5] {
        let stone = Body::new(vec![Vec3::Y * 1.5e-3], vec![(0, 0, 1.0)]);
        let builder = Simulation::builder().body(stone).collider(lift.clone()).substeps(substeps);
        let mut sim = builder.build().unwrap();
        steps(&mut sim, 6);
        for _ in 0..20 {
            sim.step().unwrap();
            let height = sim.positions()[0].y - 2.0 * sim.time();
            assert!((-1e-9..2e-3).contains(&height), "{substeps}: {height} m above the lift");
            assert!((sim.velocities()[0].y - 2.0).abs() < 1e-6, "{substeps}: {} m/s", sim.velocities()[0].y);
        }
    }
}
