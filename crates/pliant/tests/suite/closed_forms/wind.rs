//! Wind on plates.

use pliant::energy::PositionGoals;
use pliant::mesh::generate::Plane;
use pliant::prelude::*;

use super::common::{GRAVITY, assert_close};

const DENSITY: f64 = 0.5;
const AREA: f64 = 3.0;
/// ½ρC of the default wind \[kg/m³\].
const PRESSURE: f64 = 0.6;

fn plate(plane: Plane, cells: [usize; 2], density: f64) -> Body {
    let [columns, rows] = cells;
    let mesh = Sheet { width: 2.0, height: 1.5, columns, rows, plane, ..Sheet::default() }.mesh().unwrap();
    Body::cloth(&mesh, &ClothMaterial { density, ..ClothMaterial::default() }).unwrap()
}

#[test]
fn wind_presses_on_a_plate_with_the_drag_of_its_speed_across() {
    let h = 1e-3;
    for (speed, drag, angle) in [(5.0, 1.0, 0.0), (5.0, 1.3, 0.7), (-12.0, 1.0, 0.3)] {
        let wind = Wind { drag, ..Wind::new(Vec3::new(f64::sin(angle), 0.0, f64::cos(angle)) * speed) };
        let body = plate(Plane::Xy, [4, 3], DENSITY);
        let builder = Simulation::builder().body(body).gravity(Vec3::ZERO).time_step(h);
        let mut sim = builder.wind(wind).build().unwrap();
        sim.step().unwrap();
        let momentum = sim.report().momentum;
        // The force is that of the end of the step, to first order in what it has changed by then.
        let (across, gained) = (speed * f64::cos(angle), momentum.z / (DENSITY * AREA));
        let expected = 0.5 * 1.2 * drag * AREA * (across.abs() * across - 2.0 * across.abs() * gained);
        assert_close(momentum.z / h, expected, 1e-9, "force along the normal");
        assert!(momentum.x.abs() + momentum.y.abs() < 1e-9 * momentum.z.abs(), "no force along the plate: {momentum}");
    }
}

#[test]
fn a_plate_falls_through_air_at_its_terminal_speed_whatever_its_weight_its_mesh_and_the_step() {
    // ½ρ C A v² = m g. Paper of 0.01 kg/m² reaches it within 0.04 s.
    for (density, cells, h) in
        [(0.01, [4, 3], 1.0 / 60.0), (0.01, [12, 9], 0.1), (0.5, [4, 3], 1.0 / 60.0), (0.5, [9, 12], 1e-2)]
    {
        let body = plate(Plane::Xz, cells, density);
        let builder = Simulation::builder().body(body).wind(Wind::new(Vec3::ZERO)).time_step(h);
        let mut sim = builder.build().unwrap();
        while sim.time() < 8.0 {
            sim.step().unwrap();
        }
        let mean = sim.report().momentum.y / (density * AREA);
        assert_close(mean, -(density * GRAVITY / PRESSURE).sqrt(), 1e-6, "terminal speed");
    }
}

#[test]
fn a_free_plate_gains_on_the_wind_as_quadratic_drag_says() {
    // Relative speed u falls by du/dt = −k u², k = ½ρC/(mass per area): u = u₀/(1 + k u₀ t).
    let (speed, h) = (10.0, 2e-3);
    let body = plate(Plane::Xy, [4, 3], DENSITY);
    let builder = Simulation::builder().body(body).gravity(Vec3::ZERO).time_step(h);
    let mut sim = builder.wind(Wind::new(Vec3::Z * speed)).build().unwrap();
    for _ in 0..1000 {
        sim.step().unwrap();
    }
    let left = speed - sim.report().momentum.z / (DENSITY * AREA);
    assert_close(left, speed / (1.0 + PRESSURE / DENSITY * speed * sim.time()), 5e-3, "speed relative to the wind");
}

#[test]
fn a_storm_carries_a_plate_along_as_its_drag_says_and_never_throws_it_ahead_of_itself() {
    // Of the storm's 60 m/s a plate lacks u = u₀/(1 + k u₀ t), k = ½ρC/(mass per area), also in steps in which a light one is caught at once.
    for density in [DENSITY, 1e-3] {
        let body = plate(Plane::Xy, [4, 3], density);
        let builder = Simulation::builder().body(body).gravity(Vec3::ZERO).time_step(0.1);
        let mut sim = builder.wind(Wind::new(Vec3::Z * 60.0)).build().unwrap();
        let mut before = 0.0;
        for _ in 0..100 {
            sim.step().unwrap();
            let mean = sim.report().momentum.z / (density * AREA);
            assert!(mean < 60.0 + 1e-9 && mean > before - 1e-9, "from {before} m/s to {mean} m/s");
            before = mean;
        }
        let lacking = 60.0 / (1.0 + PRESSURE / density * 60.0 * sim.time());
        assert_close(60.0 - before, lacking, 0.05, "what the plate lacks of the storm's speed");
    }
}

#[test]
fn a_light_plate_that_is_held_feels_the_whole_force_at_every_time_step() {
    // On handles of k each a plate is displaced by ½ρ C A u²/Σk. A gale gives silk most of its own speed within a frame, so that a force
    // that is bounded by the mass of the cloth would move it by a third of that at 1/60 s.
    for density in [0.03, 0.5] {
        let mut found = Vec::new();
        for h in [1.0 / 120.0, 1.0 / 30.0, 0.1] {
            let body = plate(Plane::Xy, [6, 4], density);
            let vertices: Vec<u32> = (0..35).collect();
            let handles = PositionGoals { vertices, goals: None, stiffness: 400.0 }.build(body.rest()).unwrap();
            let builder = Simulation::builder().body(body.with_energy(handles)).gravity(Vec3::ZERO).time_step(h);
            let damping = Damping { drag: 2.0, ..Damping::default() };
            let builder = builder.damping(damping).solver(NewtonParams::default());
            let mut sim = builder.wind(Wind::new(Vec3::Z * 8.0)).build().unwrap();
            // In long steps it comes to its place more slowly.
            while sim.time() < f64::max(8.0, 500.0 * h) {
                sim.step().unwrap();
            }
            let mean = sim.positions().iter().map(|p| p.z).sum::<f64>() / 35.0;
            // The rim has less area for each of its handles, so that the sheet bulges and turns a bit away.
            assert_close(mean, PRESSURE * AREA * 64.0 / (35.0 * 400.0), 4e-2, "displacement");
            found.push(mean);
        }
        for other in &found[1..] {
            assert_close(*other, found[0], 1e-5, "displacement at another step");
        }
    }
}

#[test]
fn what_goes_with_the_air_feels_nothing_of_it_and_the_rest_moves_as_in_still_air() {
    let after = |wind: Vec3, relative: Vec3, density: f64| {
        let body = plate(Plane::Xy, [6, 4], density);
        let velocities = vec![wind + relative; body.rest().len()];
        let builder = Simulation::builder().body(body.with_velocities(velocities)).gravity(Vec3::ZERO);
        let mut sim = builder.wind(Wind::new(wind)).solver(NewtonParams::default()).build().unwrap();
        (0..30).for_each(|_| drop(sim.step().unwrap()));
        sim
    };
    let wind = Vec3::new(3.0, -1.0, 2.0);
    for (relative, density) in [(Vec3::ZERO, 0.03), (Vec3::new(0.5, 0.0, -4.0), 0.3)] {
        let [carried, still] = [wind, Vec3::ZERO].map(|wind| after(wind, relative, density));
        for (v, own) in carried.velocities().iter().zip(still.velocities()) {
            assert!((*v - wind - *own).length() < 1e-9, "{v} in the wind, {own} in still air");
        }
        let drift = wind * carried.time();
        let apart = carried.positions().iter().zip(still.positions()).map(|(x, y)| (*x - drift).distance(*y));
        assert!(apart.fold(0.0, f64::max) < 1e-9);
        // And the air is felt where there is something to feel: 4 m/s across fall to u/(1 + k u t).
        let left = still.report().momentum.z / (density * AREA);
        let expected = relative.z / (1.0 + PRESSURE / density * relative.z.abs() * still.time());
        assert!((left - expected).abs() <= 0.05 * expected.abs(), "{left} m/s left, {expected} m/s expected");
    }
}

#[test]
fn still_air_takes_energy_and_spin_from_a_sheet_and_never_gives_any() {
    // Silk that tumbles, at frames of a film: forces of the start of a step would give it energy.
    for integrator in [TimeIntegrator::ImplicitEuler, TimeIntegrator::Bdf2, TimeIntegrator::TrBdf2] {
        let body = plate(Plane::Xy, [8, 6], 0.03);
        let spin = Vec3::new(9.0, 2.0, 0.0);
        let velocities = body.rest().iter().map(|p| spin.cross(*p) + Vec3::Z * (7.0 * p.x).sin() * 3.0).collect();
        let builder = Simulation::builder().body(body.with_velocities(velocities)).gravity(Vec3::ZERO);
        let builder = builder.integrator(integrator).solver(NewtonParams::default());
        let mut sim = builder.wind(Wind::new(Vec3::ZERO)).build().unwrap();
        let energy = |sim: &Simulation| sim.report().kinetic + sim.report().potential();
        let (first, turning) = (energy(&sim), sim.report().angular_momentum.length());
        let mut before = first;
        for _ in 0..120 {
            sim.step().unwrap();
            let now = energy(&sim);
            assert!(now < before + 1e-3 * first, "{integrator:?}: from {before} J to {now} J");
            before = now;
        }
        assert!(before < 0.02 * first, "{integrator:?}: {before} J of {first} J are left");
        assert!(sim.report().angular_momentum.length() < 0.2 * turning);
    }
}
