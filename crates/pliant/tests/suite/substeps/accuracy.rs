//! What substeps are for.

use pliant::prelude::*;

/// A weight on a stiff string is let go from level; how far it is from where a pendulum is after a quarter of a second \[m\].
fn pendulum_error(substeps: usize) -> f64 {
    let string = rope(Vec3::ZERO, Vec3::X, 1).unwrap();
    let stiff = StrandMaterial { axial_stiffness: 1e5, density: 1.0, ..StrandMaterial::default() };
    let body = Body::strands(&string, &stiff).unwrap().pin([0]);
    let mut sim = Simulation::builder()
        .body(body)
        .time_step(0.025)
        .substeps(substeps)
        .solver(NewtonParams::default())
        .build()
        .unwrap();
    (0..10).for_each(|_| drop(sim.step().unwrap()));
    // θ'' = g cos θ from level, by small steps of the midpoint rule.
    let (mut angle, mut rate, dt) = (0.0_f64, 0.0_f64, 1e-5);
    for _ in 0..25_000 {
        let (middle, faster) = (angle + 0.5 * dt * rate, rate + 0.5 * dt * 9.81 * angle.cos());
        (angle, rate) = (angle + dt * faster, rate + dt * 9.81 * middle.cos());
    }
    sim.positions()[1].distance(Vec3::new(angle.cos(), -angle.sin(), 0.0))
}

/// Implicit Euler is of first order: half the step, half the error.
#[test]
fn a_pendulum_is_as_much_nearer_to_the_truth_as_there_are_substeps() {
    let errors = [1, 2, 4, 8].map(pendulum_error);
    for pair in errors.windows(2) {
        let ratio = pair[0] / pair[1];
        assert!((1.7..2.3).contains(&ratio), "{errors:?}");
    }
}

/// The step in n parts of h/n is y = −g (h/n)² n (n + 1)/2.
#[test]
fn a_stone_falls_as_implicit_euler_of_the_substeps_does() {
    for n in [1, 2, 5, 16] {
        let stone = Body::new(vec![Vec3::ZERO], vec![(0, 0, 2.0)]);
        let mut sim = Simulation::builder().body(stone).time_step(0.1).substeps(n).build().unwrap();
        sim.step().unwrap();
        let part = 0.1 / n as f64;
        let expected = -9.81 * part * part * (n * (n + 1)) as f64 / 2.0;
        let y = sim.positions()[0].y;
        assert!((y - expected).abs() < 1e-13, "{n}: {y} for {expected}");
    }
}

/// 2/ω is the longest step of explicit integration; substeps bring a longer one below it.
#[test]
fn explicit_integration_is_stable_where_the_substep_is_short_enough() {
    use pliant::solve::{ExplicitParams, stable_time_step};
    let mesh = TetBox { cells: [3, 1, 1], ..TetBox::default() }.mesh().unwrap();
    let body = || Body::solid(&mesh, &SolidMaterial::default()).unwrap();
    let longest = stable_time_step(Simulation::builder().body(body()).build().unwrap().model());
    let left_to_matching = |substeps: usize| {
        let builder = Simulation::builder().body(body()).solver(ExplicitParams::default()).time_step(2.5 * longest);
        builder.substeps(substeps).build().unwrap().step().unwrap().solve.stabilised
    };
    assert!(left_to_matching(1) > 0);
    assert!(left_to_matching(2) > 0);
    assert_eq!(left_to_matching(3), 0);
}
