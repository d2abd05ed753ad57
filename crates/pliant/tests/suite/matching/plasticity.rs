//! Regions that keep a deformation.

use pliant::Plasticity;
use pliant::math::Mat3;
use pliant::prelude::*;

use super::{block, body, iterations, springs};

const LEAD: Plasticity = Plasticity { yield_strain: 0.03, creep: 20.0, maximum: 1.0 };

/// Of a bar of 16 × 3 × 3 particles: a force in the middle, and half of it the other way at each end \[N\].
fn bend(sim: &mut Simulation, force: f64) {
    let forces: Vec<Vec3> = (0..144)
        .map(|v| match v % 16 {
            0 | 15 => Vec3::NEG_Y * force / 18.0,
            7 | 8 => Vec3::Y * force / 18.0,
            _ => Vec3::ZERO,
        })
        .collect();
    sim.set_forces(&forces).unwrap();
}

/// How far the middle of the bar is from the line between its ends \[m\], wherever the bar is.
fn bend_of(sim: &Simulation) -> f64 {
    let mean = |slice: usize| sim.positions().iter().skip(slice).step_by(16).sum::<Vec3>() / 9.0;
    let (from, to, middle) = (mean(0), mean(15), (mean(7) + mean(8)) * 0.5);
    let along = (to - from).normalize();
    let off = middle - from;
    (off - along * along.dot(off)).length()
}

/// A bar that was bent by a force, released, and has come to rest.
fn bent_bar(force: f64) -> (Simulation, f64) {
    let lattice = pliant::Lattice::block([16, 3, 3], 0.1).unwrap();
    let points = lattice.points();
    let matching = Matching { damping: 2.0, plasticity: Some(LEAD), ..springs(lattice.regions(2), 0.8) };
    let world = Simulation::builder().body(body(&points, matching)).gravity(Vec3::ZERO).solver(iterations(1));
    let world = world.damping(Damping { deformation: 10.0, ..Damping::default() });
    let mut sim = world.build().unwrap();
    bend(&mut sim, force);
    let steps = |count: usize, sim: &mut Simulation| (0..count).for_each(|_| _ = sim.step().unwrap());
    steps(60, &mut sim);
    let loaded = bend_of(&sim);
    bend(&mut sim, 0.0);
    steps(600, &mut sim);
    (sim, loaded)
}

/// The largest difference of distances of particles between two moments, as a share \[1\].
fn change_of_shape(before: &[Vec3], after: &[Vec3]) -> f64 {
    let pairs = (0..before.len()).flat_map(|a| (0..a).map(move |b| (a, b)));
    pairs.fold(0.0, |most, (a, b)| most.max((after[a].distance(after[b]) / before[a].distance(before[b]) - 1.0).abs()))
}

#[test]
fn a_bar_bent_beyond_its_yield_keeps_its_bend_in_its_own_frame_while_it_spins() {
    let (mut sim, loaded) = bent_bar(60.0);
    let kept = bend_of(&sim);
    println!("bend {loaded} m under load, {kept} m after");
    assert!(kept > 0.2 * loaded, "{kept} of {loaded}");
    let (shape, stretches) = (sim.positions().to_vec(), sim.state().channels[0].matrices("stretches").to_vec());
    assert!(stretches.iter().all(|s| (s.determinant() - 1.0).abs() < 1e-12), "volumes");
    // Half a turn, slow enough that what pulls outwards does not straighten it, about an axis that is none of its own.
    let axis = Vec3::new(1.0, 2.0, 2.0) / 3.0;
    let centre = shape.iter().sum::<Vec3>() / 144.0;
    let spin = std::f64::consts::TAU / 24.0;
    sim.set_velocities(&shape.iter().map(|p| (axis * spin).cross(*p - centre)).collect::<Vec<_>>()).unwrap();
    let mut most = 0.0_f64;
    for _ in 0..720 {
        sim.step().unwrap();
        most = most.max(change_of_shape(&shape, sim.positions()));
    }
    // What is left of the load is at the yield, so that pulling outwards while turning moves a little of it.
    let now = sim.state().channels[0].matrices("stretches");
    let flowed = now.iter().zip(&stretches).fold(0.0_f64, |most, (now, before)| {
        (*now - *before).to_cols_array().iter().fold(most, |most, c| most.max(c.abs()))
    });
    println!("shape changed by {most} at most, stretches by {flowed}, bend {}", bend_of(&sim));
    assert!(flowed < 0.01, "{flowed}");
    assert!(most < 0.01, "{most}");
    assert!((bend_of(&sim) / kept - 1.0).abs() < 0.02, "{} of {kept}", bend_of(&sim));
}

#[test]
fn below_the_yield_nothing_remains() {
    let (sim, loaded) = bent_bar(6.0);
    let kept = bend_of(&sim);
    println!("bend {loaded} m under load, {kept} m after");
    assert!(loaded > 5e-3, "{loaded}");
    assert!(kept < 1e-6 * loaded, "{kept} of {loaded}");
    assert!(sim.state().channels[0].matrices("stretches").iter().all(|stretch| *stretch == Mat3::IDENTITY));
}

#[test]
fn plastic_strain_does_not_depend_on_masses_sizes_and_time_steps() {
    let after = |size: f64, mass: f64, steps: usize| {
        let mut points = block([3, 3, 3]);
        points.positions.iter_mut().for_each(|p| *p *= size);
        let matching = Matching { plasticity: Some(LEAD), ..springs(Regions::whole(27), 0.3) };
        let cube = Body::points(&points, mass).with_matching(matching).pin(0..27);
        let world = Simulation::builder().body(cube).solver(iterations(1)).time_step(0.2 / steps as f64);
        let mut sim = world.build().unwrap();
        sim.move_pins(|_, rest| rest * Vec3::new(1.2, 1.0, 1.1)).unwrap();
        (0..steps).for_each(|_| _ = sim.step().unwrap());
        sim.state().channels[0].matrices("stretches")[0]
    };
    let standard = after(1.0, 0.1, 12);
    assert!(standard.x_axis.x > 1.03, "{standard}");
    for other in [after(1e-3, 0.1, 12), after(1e3, 1e-6, 12), after(1.0, 1e4, 12), after(1.0, 0.1, 100)] {
        let difference = (other - standard).to_cols_array().iter().fold(0.0_f64, |most, c| most.max(c.abs()));
        assert!(difference < 1e-9, "{other} for {standard}");
    }
}

#[test]
fn flowing_regions_keep_momentum_and_a_restored_run_keeps_every_bit() {
    let points = block([6, 4, 3]);
    for modes in [Modes::Rigid, Modes::Linear(0.3), Modes::Quadratic(0.3)] {
        let regions = Regions::random(&points.positions, 0.17, 1).unwrap();
        let matching = Matching { modes, plasticity: Some(LEAD), ..springs(regions, 0.4) };
        let velocities = points.positions.iter().map(|p| Vec3::X + Vec3::new(1.0, 3.0, 2.0).cross(*p));
        let twisted = points.positions.iter().map(|p| Quat::from_rotation_x(4.0 * p.x) * *p).collect();
        let cube = body(&points, matching).with_positions(twisted).with_velocities(velocities.collect());
        let builder = Simulation::builder().body(cube).gravity(Vec3::ZERO).solver(iterations(1));
        let mut sim = builder.build().unwrap();
        let before = sim.report();
        let mut saved = None;
        for step in 0..100 {
            if step == 20 {
                saved = Some(Checkpoint::from_bytes(&sim.checkpoint().to_bytes()).unwrap());
            }
            sim.step().unwrap();
        }
        let (after, end) = (sim.report(), sim.state().clone());
        assert!(
            end.channels[0].matrices("stretches").iter().any(|s| (*s - Mat3::IDENTITY).x_axis.length() > 0.02),
            "it has flowed"
        );
        let (p, l) = (after.momentum - before.momentum, after.angular_momentum - before.angular_momentum);
        assert!(p.length() < 1e-10 * before.momentum.length(), "{modes:?}: {p}");
        assert!(l.length() < 1e-9 * before.angular_momentum.length(), "{modes:?}: {l}");
        sim.restore(&saved.unwrap()).unwrap();
        (20..100).for_each(|_| _ = sim.step().unwrap());
        assert_eq!(*sim.state(), end, "{modes:?}");
    }
}
