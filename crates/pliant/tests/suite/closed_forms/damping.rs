//! Damping at the rate it is given, whatever the time step and the integrator.

use pliant::prelude::*;

use super::common::{assert_close, spring_and_mass};

const ALL: [TimeIntegrator; 4] =
    [TimeIntegrator::ImplicitEuler, TimeIntegrator::Bdf2, TimeIntegrator::TrBdf2, TimeIntegrator::ImplicitMidpoint];

#[test]
fn stiffness_damping_is_implicit_in_the_velocity() {
    // v' = v − h ω² (x' + β v'), x' = x + h v'.
    let (omega, beta, h): (f64, f64, f64) = (5.0, 0.05, 0.02);
    let body = spring_and_mass(1.0, omega * omega, 0.1);
    let damping = Damping { stiffness: beta, ..Damping::default() };
    let builder = Simulation::builder().body(body).gravity(Vec3::ZERO).damping(damping).time_step(h);
    let mut sim = builder.solver(ProjectiveParams::converged()).build().unwrap();
    let (mut x, mut v) = (0.1, 0.0);
    for step in 0..100 {
        sim.step().unwrap();
        v = (v - h * omega * omega * x) / (1.0 + h * omega * omega * (beta + h));
        x += h * v;
        let error = (sim.positions()[1].x - 1.0 - x).abs();
        assert!(error < 1e-12, "step {step}: off by {error:e} m");
    }
}

#[test]
fn stiffness_damping_decays_with_half_beta_omega_squared() {
    let (omega, beta, h): (f64, f64, f64) = (5.0, 0.02, 5e-4);
    let rate = 0.5 * beta * omega * omega;
    for integrator in ALL {
        let body = spring_and_mass(1.0, omega * omega, 0.1);
        let damping = Damping { stiffness: beta, ..Damping::default() };
        let builder = Simulation::builder().body(body).gravity(Vec3::ZERO).damping(damping).time_step(h);
        let mut sim = builder.integrator(integrator).solver(ProjectiveParams::default()).build().unwrap();
        let steps = 4000;
        for _ in 0..steps {
            sim.step().unwrap();
        }
        let (x, v) = (sim.positions()[1].x - 1.0, sim.velocities()[1].x);
        // Of x = e^{−rt} cos(ω′t) + …: the amplitude of an underdamped oscillator.
        let damped = (omega * omega - rate * rate).sqrt();
        let amplitude = |x: f64, v: f64| x.hypot((v + rate * x) / damped);
        let measured = (amplitude(0.1, 0.0) / amplitude(x, v)).ln() / sim.time();
        // The scheme's own damping, of first order only for implicit Euler: ω²h/2.
        let own = if integrator == TimeIntegrator::ImplicitEuler { 0.5 * omega * omega * h } else { 0.0 };
        println!("{integrator:?}: {measured}, expected {}", rate + own);
        assert_close(measured, rate + own, 0.01, &format!("decay of {integrator:?}"));
    }
}

#[test]
fn drag_slows_by_its_rate_at_any_time_step() {
    let rate: f64 = 0.8;
    for integrator in ALL {
        for h in [0.1, 0.02, 0.005] {
            let mesh = TetBox { cells: [2, 1, 1], ..TetBox::default() }.mesh().unwrap();
            let body = Body::solid(&mesh, &SolidMaterial::default()).unwrap();
            let body = body.with_velocities(vec![Vec3::new(1.0, 2.0, -0.5); mesh.positions.len()]);
            let damping = Damping { drag: rate, ..Damping::default() };
            let builder = Simulation::builder().body(body).gravity(Vec3::ZERO).damping(damping).time_step(h);
            let mut sim = builder.integrator(integrator).build().unwrap();
            while sim.time() < 2.0 - 0.5 * h {
                sim.step().unwrap();
            }
            let expected = (-rate * sim.time()).exp() * Vec3::new(1.0, 2.0, -0.5).length();
            for v in sim.velocities() {
                assert_close(v.length(), expected, 1e-9, &format!("speed with {integrator:?} at h = {h}"));
            }
        }
    }
}

#[test]
fn damping_of_shape_leaves_free_fall_alone() {
    let mesh = TetBox { cells: [2, 2, 2], ..TetBox::default() }.mesh().unwrap();
    // So soft that half a second is a small part of its swings.
    let soft = SolidMaterial { youngs_modulus: 1.0, ..SolidMaterial::default() };
    let falling = |damping: Damping, apart: f64| {
        let velocities = mesh.positions.iter().map(|p| *p * apart).collect();
        let body = Body::solid(&mesh, &soft).unwrap().with_velocities(velocities);
        let solver = ProjectiveParams::default();
        let mut sim = Simulation::builder().body(body).damping(damping).solver(solver).build().unwrap();
        (0..30).for_each(|_| drop(sim.step().unwrap()));
        sim
    };
    for damping in [
        Damping { stiffness: 0.1, ..Damping::default() },
        Damping { deformation: 3.0, ..Damping::default() },
        Damping { spring: 5.0, ..Damping::default() },
        Damping { radial: 4.0, cluster: 9, ..Damping::default() },
        Damping { stiffness: 0.1, deformation: 3.0, spring: 5.0, radial: 4.0, cluster: 9, ..Damping::default() },
    ] {
        let sim = falling(damping, 0.0);
        let expected = -9.81 * sim.time();
        for v in sim.velocities() {
            assert_close(v.y, expected, 1e-10, "velocity of a falling, damped solid");
        }
        // What flies apart while it falls, it does slow down: at the corners, less the fall.
        let left = |sim: &Simulation| (sim.velocities()[26] - sim.velocities()[0]).length();
        let (damped, free) = (left(&falling(damping, 0.1)), left(&falling(Damping::default(), 0.1)));
        println!("{damping:?}: {} of what flies apart is left", damped / free);
        let most = if damping.stiffness > 0.0 && damping.spring == 0.0 { 0.9999 } else { 0.5 };
        assert!(damped < most * free, "{damping:?}: {damped} of {free} m/s");
    }
}

#[test]
fn spring_and_radial_damping_slow_a_segment_by_their_rates_and_keep_its_momentum_and_turning() {
    // Two points that part, turn about each other and drift, hardly held: the centre is half way, so both dampings are the same.
    let rate = 3.0;
    let pair = rope(Vec3::ZERO, Vec3::X, 1).unwrap();
    let velocities = vec![Vec3::new(-0.1, 0.2, 0.3), Vec3::new(0.5, 0.4, -0.2)];
    let parting = |sim: &Simulation| {
        let edge = sim.positions()[1] - sim.positions()[0];
        (sim.velocities()[1] - sim.velocities()[0]).dot(edge.normalize())
    };
    for damping in [Damping { spring: rate, ..Damping::default() }, Damping { radial: rate, ..Damping::default() }] {
        for h in [0.1, 0.02] {
            let material = StrandMaterial { axial_stiffness: 1e-9, ..StrandMaterial::default() };
            let start = |v: Vec<Vec3>| Body::strands(&pair, &material).unwrap().with_velocities(v);
            let run = |damping: Damping, v: &[Vec3]| {
                let builder = Simulation::builder().body(start(v.to_vec())).gravity(Vec3::ZERO).damping(damping);
                let mut sim = builder.time_step(h).solver(ProjectiveParams::default()).build().unwrap();
                sim.step().unwrap();
                sim
            };
            // Straight apart: nothing else changes the rate.
            let apart = [Vec3::new(-0.1, 0.0, 0.0), Vec3::new(0.5, 0.0, 0.0)];
            assert_close(parting(&run(damping, &apart)), 0.6 * (-rate * h).exp(), 1e-6, "rate of parting");
            let (damped, free) = (run(damping, &velocities), run(Damping::default(), &velocities));
            let (a, b) = (damped.report(), free.report());
            assert!((a.momentum - b.momentum).length() < 1e-12);
            // What is across the segment is not damped.
            let across = |sim: &Simulation| (sim.velocities()[1] - sim.velocities()[0]).reject_from(Vec3::X);
            assert!((across(&damped) - across(&free)).length() < 1e-9);
        }
    }
}
