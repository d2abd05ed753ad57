//! The integrator that keeps energy: bodies ring on until something takes their energy. Energies and momenta are measured by [`Simulation::report`], which knows
//! nothing of the accounts that the integrator keeps.
#![allow(clippy::unwrap_used)]

use pliant::prelude::*;
use pliant::{ModelError, SimulationBuilder};

use crate::closed_forms::common::spring_and_mass;

const SECONDS_10: usize = 600;

/// A free bar that bends and spins, of a stiffness \[Pa\].
fn bar(youngs_modulus: f64) -> SimulationBuilder {
    let mesh = TetBox { size: Vec3::new(1.0, 0.1, 0.1), cells: [10, 2, 2], ..TetBox::default() }.mesh().unwrap();
    let material = SolidMaterial { youngs_modulus, poisson_ratio: 0.3, ..SolidMaterial::default() };
    let left = mesh.positions.iter().map(|p| p.x).fold(f64::MAX, f64::min);
    let bends = |p: &Vec3| Vec3::Y * (2.0 * (std::f64::consts::TAU * (p.x - left)).cos()) + Vec3::Z.cross(*p);
    let velocities = mesh.positions.iter().map(bends).collect();
    let body = Body::solid(&mesh, &material).unwrap().with_velocities(velocities);
    Simulation::builder().body(body).gravity(Vec3::ZERO)
}

/// Cloth of a preset that is held at two corners and falls.
fn cloth(preset: &str) -> SimulationBuilder {
    let mesh = Sheet { columns: 14, rows: 14, plane: Plane::Xz, ..Sheet::default() }.mesh().unwrap();
    let material = pliant::presets::cloth(preset).unwrap();
    Simulation::builder().body(Body::cloth(&mesh, &material).unwrap().pin([0, 14]))
}

/// Largest departure of the total energy from that at the start in so many steps \[J\], and what was turned over: the most kinetic energy.
fn drift(sim: &mut Simulation, steps: usize) -> (f64, f64) {
    let start = sim.report();
    let (mut drift, mut most) = (0.0_f64, start.kinetic);
    for _ in 0..steps {
        sim.step().unwrap();
        let report = sim.report();
        drift = drift.max((report.total() - start.total()).abs());
        most = most.max(report.kinetic);
    }
    (drift, most)
}

#[test]
fn a_free_bar_rings_for_ten_seconds_and_keeps_its_momenta() {
    // The lowest mode of the stiffest takes 31 ms: two steps, or eight substeps.
    for (modulus, substeps) in [(1e4, None), (1e6, None), (1e8, Some(4))] {
        let world = |integrator| {
            let world = bar(modulus).integrator(integrator);
            let world = if let Some(count) = substeps { world.substeps(count) } else { world };
            world.build().unwrap()
        };
        let mut sim = world(TimeIntegrator::EnergyKeeping);
        let before = sim.report();
        let (lost, most) = drift(&mut sim, SECONDS_10);
        assert!(lost < 1e-4 * most, "{modulus:e} Pa: {lost} of {most} J");
        let after = sim.report();
        let (moved, size) =
            ((after.angular_momentum - before.angular_momentum).length(), before.angular_momentum.length());
        assert!(moved < 1e-9 * size, "{modulus:e} Pa: {moved:e} of {size}");
        assert!((after.momentum - before.momentum).length() < 1e-9 * size);
        // It is the projection that does it.
        let (lost, most) = drift(&mut world(TimeIntegrator::Bdf2), SECONDS_10);
        assert!(lost > 0.1 * most, "{modulus:e} Pa: {lost} of {most} J");
    }
}

#[test]
fn hanging_cloth_swings_on_for_ten_seconds() {
    for preset in ["denim", "silk"] {
        let ten = ProjectiveParams { iterations: 10, ..ProjectiveParams::default() };
        for solver in [SolverChoice::Auto, ten.into()] {
            let mut sim =
                cloth(preset).solver(solver.clone()).integrator(TimeIntegrator::EnergyKeeping).build().unwrap();
            let (lost, most) = drift(&mut sim, SECONDS_10);
            assert!(lost < 0.01 * most, "{preset}, {solver:?}: {lost} of {most} J");
        }
        let (lost, most) = drift(&mut cloth(preset).integrator(TimeIntegrator::Bdf2).build().unwrap(), SECONDS_10);
        assert!(lost > 0.3 * most, "{preset}: {lost} of {most} J");
    }
}

/// A mass of 1 kg on a spring of 1 N/m that is stretched by half a metre, at ωh = 0.1.
fn oscillator(damping: Damping) -> Simulation {
    let body = spring_and_mass(1.0, 1.0, 0.5);
    let newton = NewtonParams { tolerance: 1e-12, iterations: 50, ..NewtonParams::default() };
    let world = Simulation::builder().body(body).gravity(Vec3::ZERO).time_step(0.1).damping(damping);
    world.integrator(TimeIntegrator::EnergyKeeping).solver(newton).substeps(1).build().unwrap()
}

#[test]
fn an_oscillator_keeps_its_amplitude_and_its_period() {
    let mut sim = oscillator(Damping::default());
    let (mut last, mut crossings, mut most) = (0.5, Vec::new(), 0.0_f64);
    for step in 1..=1000 {
        sim.step().unwrap();
        let stretch = sim.positions()[1].x - 1.0;
        if last > 0.0 && stretch <= 0.0 {
            crossings.push(0.1 * (f64::from(step) - stretch / (stretch - last)));
        }
        (last, most) = (stretch, if step > 900 { most.max(stretch) } else { most });
    }
    let period = (crossings[crossings.len() - 1] - crossings[0]) / (crossings.len() - 1) as f64;
    // Of second order: BDF2 itself is slower by (ωh)²/3 of the period.
    assert!((period / std::f64::consts::TAU - 1.0).abs() < 0.01, "{period}");
    assert!((most - 0.5).abs() < 0.005, "{most}");
}

#[test]
fn damping_takes_what_it_should() {
    // Both for an amplitude of e⁻¹ after 40 s.
    let stiffness = Damping { stiffness: 0.05, ..Damping::default() };
    let drag = Damping { drag: 0.05, ..Damping::default() };
    for damping in [stiffness, drag] {
        let mut sim = oscillator(damping);
        let start = sim.report().total();
        for _ in 0..400 {
            sim.step().unwrap();
        }
        let left = (sim.report().total() / start).sqrt();
        assert!((left - (-1.0_f64).exp()).abs() < 0.02, "{damping:?}: {left}");
    }
}

#[test]
fn jelly_that_lands_comes_to_rest_and_gains_nothing() {
    let mesh = TetBox { size: Vec3::splat(0.3), cells: [4; 3], ..TetBox::default() }.mesh().unwrap();
    let jelly = pliant::presets::solid("jelly").unwrap();
    let cube = Body::solid(&mesh.translated(Vec3::Y * 0.6), &jelly).unwrap();
    let world = Simulation::builder().body(cube).collider(Collider::new(Shape::Plane).friction(0.3));
    let mut sim = world.integrator(TimeIntegrator::EnergyKeeping).build().unwrap();
    let (mut least, mut gain) = (sim.report().total(), 0.0_f64);
    let fall = sim.report().gravitational;
    for _ in 0..300 {
        sim.step().unwrap();
        let total = sim.report().total();
        gain = gain.max(total - least);
        least = least.min(total);
    }
    assert!(gain < 0.05 * fall, "{gain} of {fall} J");
    let kinetic = sim.report().kinetic;
    assert!(kinetic < 5e-3 * fall, "{kinetic} of {fall} J");
}

#[test]
fn a_run_that_is_resumed_goes_on_to_the_last_bit() {
    let world = || cloth("denim").integrator(TimeIntegrator::EnergyKeeping).build().unwrap();
    let mut sim = world();
    (0..20).for_each(|_| drop(sim.step().unwrap()));
    let saved = sim.checkpoint();
    let mut resumed = world();
    resumed.restore(&saved).unwrap();
    for sim in [&mut sim, &mut resumed] {
        (0..20).for_each(|_| drop(sim.step().unwrap()));
    }
    assert_eq!(sim.positions(), resumed.positions());
    assert_eq!(sim.velocities(), resumed.velocities());
}

#[test]
fn worlds_whose_energy_is_not_known_are_refused() {
    let refusal = |world: SimulationBuilder| {
        let error = world.integrator(TimeIntegrator::EnergyKeeping).build().unwrap_err();
        assert!(matches!(error, ModelError::UnknownEnergy { .. }), "{error}");
        error.to_string()
    };
    let limited = refusal(cloth("denim").strain_limiting(StrainLimiting::global(1.05)));
    assert!(limited.contains("strain limiting") && limited.contains("remove it"), "{limited}");
    let moved = refusal(cloth("denim").solver(PositionBasedParams::default()));
    assert!(moved.contains("projective, two-metric or Newton"), "{moved}");
    let ground = Collider::new(Shape::Plane);
    let displaced = refusal(
        cloth("denim")
            .collider(ground)
            .contact(ContactParams { mode: ContactMode::Displacement, ..ContactParams::default() }),
    );
    assert!(displaced.contains("Displacement"), "{displaced}");
}
