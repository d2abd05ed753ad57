//! Time integration: free fall and linear oscillators against what each scheme does exactly.

use pliant::prelude::*;
use pliant::solve::SolverChoice;

use super::common::{Complex, GRAVITY, assert_close, farthest, spring_and_mass};

const ALL: [TimeIntegrator; 4] =
    [TimeIntegrator::ImplicitEuler, TimeIntegrator::Bdf2, TimeIntegrator::TrBdf2, TimeIntegrator::ImplicitMidpoint];

/// Cloth, solid and rope with one velocity.
fn falling(integrator: TimeIntegrator, solver: SolverChoice, velocity: Vec3) -> Simulation {
    let moving = |body: Body| {
        let count = body.rest().len();
        body.with_velocities(vec![velocity; count])
    };
    let sheet = Sheet { columns: 6, rows: 5, ..Sheet::default() }.mesh().unwrap();
    let bar = TetBox { cells: [3, 2, 2], ..TetBox::default() }.mesh().unwrap().translated(Vec3::Z * 2.0);
    let cord = rope(Vec3::X, Vec3::new(1.0, 1.0, 1.0), 10).unwrap();
    let stiff = ClothMaterial { bend_model: BendModel::Hinge, poisson_ratio: 0.3, ..ClothMaterial::default() };
    Simulation::builder()
        .body(moving(Body::cloth(&sheet, &stiff).unwrap()))
        .body(moving(Body::solid(&bar, &SolidMaterial::default()).unwrap()))
        .body(moving(Body::strands(&cord, &StrandMaterial::default()).unwrap()))
        .integrator(integrator)
        .solver(solver)
        .build()
        .unwrap()
}

#[test]
fn cloth_solid_and_rope_fall_freely_as_implicit_euler_says() {
    let velocity = Vec3::new(0.3, 1.0, -0.2);
    for (precision, tolerance) in [(Precision::Double, 1e-12), (Precision::Single, 1e-6)] {
        let solver = ProjectiveParams { precision, ..ProjectiveParams::default() };
        let mut sim = falling(TimeIntegrator::ImplicitEuler, solver.into(), velocity);
        let (start, h) = (sim.positions().to_vec(), sim.time_step());
        for step in 1..=60 {
            sim.step().unwrap();
            let n = f64::from(step);
            let moved = velocity * (n * h) + Vec3::new(0.0, -GRAVITY, 0.0) * (h * h * n * (n + 1.0) / 2.0);
            let expected: Vec<Vec3> = start.iter().map(|x| *x + moved).collect();
            let error = farthest(&expected, sim.positions());
            assert!(error < tolerance, "{precision:?}, step {step}: off by {error:e} m");
        }
    }
}

#[test]
fn schemes_of_second_order_fall_on_the_parabola() {
    let velocity = Vec3::new(0.3, 1.0, -0.2);
    // TR-BDF2 begins with the elastic accelerations of rounding errors; it takes an exact solver to undo them.
    let newton = NewtonParams { tolerance: 0.0, iterations: 3, ..NewtonParams::default() };
    let double = ProjectiveParams { precision: Precision::Double, ..ProjectiveParams::default() };
    for (integrator, solver) in
        [(TimeIntegrator::TrBdf2, SolverChoice::from(newton)), (TimeIntegrator::ImplicitMidpoint, double.into())]
    {
        let mut sim = falling(integrator, solver, velocity);
        let start = sim.positions().to_vec();
        for _ in 0..60 {
            sim.step().unwrap();
        }
        let t = sim.time();
        let moved = velocity * t - Vec3::Y * (0.5 * GRAVITY * t * t);
        let expected: Vec<Vec3> = start.iter().map(|x| *x + moved).collect();
        let error = farthest(&expected, sim.positions()) / moved.length();
        assert!(error < 1e-12, "{integrator:?}: off by {error:e} of the way");
    }
}

/// An oscillator of ω = 5/s and amplitude 0.1 m: extension and velocity over ω after each step.
fn oscillate(integrator: TimeIntegrator, rest_length: f64, omega_h: f64, steps: usize) -> Vec<Complex> {
    let omega = 5.0;
    let body = spring_and_mass(rest_length, omega * omega, 0.1);
    let builder = Simulation::builder().body(body).gravity(Vec3::ZERO).integrator(integrator);
    let solver = ProjectiveParams::converged();
    let mut sim = builder.time_step(omega_h / omega).solver(solver).build().unwrap();
    let state = |sim: &Simulation| {
        let (x, v) = (sim.positions()[1].x - rest_length, sim.velocities()[1].x);
        Complex::new(x, -v / omega)
    };
    let mut states = vec![state(&sim)];
    for _ in 0..steps {
        sim.step().unwrap();
        states.push(state(&sim));
    }
    states
}

/// What a step multiplies x − i v/ω by; of BDF2, which has two such factors, the one that stays.
fn amplification(integrator: TimeIntegrator, omega_h: f64) -> Complex {
    let one = Complex::new(1.0, 0.0);
    let z = |share: f64| Complex::new(0.0, omega_h * share);
    match integrator {
        TimeIntegrator::ImplicitEuler => one / (one + z(-1.0)),
        TimeIntegrator::ImplicitMidpoint => (one + z(0.5)) / (one + z(-0.5)),
        TimeIntegrator::Bdf2 => {
            // (3/2 − iωh) r² − 2 r + 1/2 = 0.
            let leading = Complex::new(1.5, 0.0) + z(-1.0);
            let root = (Complex::new(4.0, 0.0) + leading * -2.0).sqrt();
            (Complex::new(2.0, 0.0) + root) / (leading * 2.0)
        }
        TimeIntegrator::TrBdf2 => {
            let gamma = 2.0 - 2f64.sqrt();
            let half = 0.5 * gamma;
            let middle = (one + z(half)) / (one + z(-half));
            let scale = 1.0 / (gamma * (2.0 - gamma));
            (middle * scale + one * (-(1.0 - gamma).powi(2) * scale)) / (one + z(-half))
        }
        TimeIntegrator::EnergyKeeping => panic!("it is not linear; tests of its own are in `energy_keeping`"),
    }
}

#[test]
fn oscillator_decays_and_lags_as_implicit_euler_predicts() {
    for rest_length in [0.0, 1.0] {
        for omega_h in [0.05, 0.3, 1.0, 4.0] {
            let states = oscillate(TimeIntegrator::ImplicitEuler, rest_length, omega_h, 40);
            for (n, state) in states.iter().enumerate() {
                let n = n as f64;
                let amplitude = 0.1 * (1.0 + omega_h * omega_h).powf(-n / 2.0);
                let phase = n * omega_h.atan();
                let error = (state.re - amplitude * phase.cos()).hypot(state.im - amplitude * phase.sin());
                // Beside a rest length of 1 m, rounding is relative to that; forces balance within the rounding of a world of about 1 m.
                let allowed = 1e-6 * amplitude + 1e-13 * rest_length + 1e-16;
                assert!(error < allowed, "ωh = {omega_h}, step {n}: off by {:e}", error / amplitude);
            }
        }
    }
}

#[test]
fn each_scheme_keeps_its_share_of_amplitude_and_turns_by_its_phase() {
    let known = [0.5f64.sqrt(), 0.933, 0.997, 1.0]; // at ωh = 1, in the order of ALL
    for (integrator, known) in ALL.into_iter().zip(known) {
        assert_close(amplification(integrator, 1.0).abs(), known, 5e-4, "amplitude kept at ωh = 1");
        for omega_h in [0.1, 0.5, 1.0, 2.0] {
            // The second root of BDF2 dies away by a factor of 3 and more per step. Without rest length nothing hides small
            // amplitudes.
            let states = oscillate(integrator, 0.0, omega_h, 21);
            let (ratio, expected) = (states[21] / states[20], amplification(integrator, omega_h));
            let error = (ratio + expected * -1.0).abs();
            assert!(error < 1e-6, "{integrator:?} at ωh = {omega_h}: {ratio:?}, expected {expected:?}");
        }
    }
}

#[test]
fn errors_fall_with_the_order_of_the_scheme() {
    let error = |integrator, steps: usize| {
        let states = oscillate(integrator, 1.0, 3.0 / steps as f64, steps);
        let exact = Complex::new(0.1 * 3f64.cos(), 0.1 * 3f64.sin());
        (states[steps] + exact * -1.0).abs()
    };
    for (integrator, order) in ALL.into_iter().zip([1, 2, 2, 2]) {
        let ratio = error(integrator, 400) / error(integrator, 800);
        assert_close(ratio, 2f64.powi(order), 0.02, &format!("{integrator:?}: error over error at half the step"));
    }
}

#[test]
fn changing_the_time_step_does_not_jolt_bdf2() {
    // The step after the change is implicit Euler; its error is one step's of first order, (ωh)²/2 of the amplitude.
    let omega: f64 = 5.0;
    let builder = Simulation::builder().body(spring_and_mass(1.0, omega * omega, 0.1)).gravity(Vec3::ZERO);
    let mut sim = builder.integrator(TimeIntegrator::Bdf2).time_step(2e-3).build().unwrap();
    let mut worst = 0.0_f64;
    for step in 0..900 {
        match step {
            300 => sim.set_time_step(1e-3).unwrap(),
            600 => sim.set_time_step(3e-3).unwrap(),
            _ => {}
        }
        sim.step().unwrap();
        let phase = omega * sim.time();
        let (x, v) = (sim.positions()[1].x - 1.0, sim.velocities()[1].x);
        worst = worst.max((x - 0.1 * phase.cos()).hypot(v / omega + 0.1 * phase.sin()));
    }
    assert!(worst < 0.1 * 1e-3, "off by {worst:e} m");
}
