//! Fluids gain no energy, whatever the time step and the number of iterations.

use pliant::math::Vec3;
use pliant::mesh::generate::particle_block;
use pliant::{Body, FluidMaterial, Simulation};

use super::{filling, run, vessel, world};

/// Water as it is by default, with this spacing \[m\].
fn plain(spacing: f64) -> FluidMaterial {
    FluidMaterial { spacing, ..FluidMaterial::default() }
}

/// By how much the kinetic energy \[J\] was at most above what gravity had released, over some seconds.
fn surplus(sim: &mut Simulation, seconds: f64) -> f64 {
    let before = sim.report().gravitational;
    let (mut most, until) = (f64::NEG_INFINITY, sim.time() + seconds - 0.5 * sim.time_step());
    while sim.time() < until {
        sim.step().expect("a step");
        let report = sim.report();
        most = most.max(report.kinetic - (before - report.gravitational));
    }
    most
}

/// Time steps \[s\] and iterations.
const STEPS: [(f64, usize); 6] = [(1e-4, 1), (1e-4, 50), (1e-3, 5), (0.005, 50), (1.0 / 60.0, 1), (1.0 / 60.0, 50)];

#[test]
fn a_block_without_gravity_stays_at_rest() {
    for spacing in [0.02, 0.04] {
        for (h, iterations) in STEPS {
            let block = filling(Vec3::splat(8.0 * spacing), &plain(spacing));
            let mut sim = world([], iterations, h).gravity(Vec3::ZERO).body(block).build().expect("a world");
            run(&mut sim, 60.0 * h);
            let speed = sim.report().max_speed;
            assert!(speed < 1e-3, "{speed} m/s at a spacing of {spacing} m, {h} s, {iterations} iterations");
        }
    }
}

#[test]
fn a_block_without_gravity_has_at_most_the_energy_that_it_began_with() {
    // It is squeezed along one axis, and widens along the others as fast as that takes no change of volume.
    for (h, iterations) in STEPS {
        let block = filling(Vec3::splat(0.32), &plain(0.04));
        let middle = block.rest().iter().sum::<Vec3>() / block.rest().len() as f64;
        let velocity = |p: &Vec3| (*p - middle) * Vec3::new(0.5, -1.0, 0.5);
        let velocities = block.rest().iter().map(velocity).collect();
        let block = block.with_velocities(velocities);
        let mut sim = world([], iterations, h).gravity(Vec3::ZERO).body(block).build().expect("a world");
        let (before, impulse) = (sim.report().kinetic, sim.report().momentum);
        for step in 0..60 {
            sim.step().expect("a step");
            let report = sim.report();
            let (kinetic, drift) = (report.kinetic, (report.momentum - impulse).length());
            let place = format!("step {step} of {h} s, {iterations} iterations");
            assert!(kinetic < 1.001 * before, "{kinetic} J of {before} J at {place}");
            assert!(drift < 1e-5, "{drift} kg m/s at {place}");
        }
    }
}

#[test]
fn a_falling_block_has_the_energy_that_gravity_has_released() {
    // 0.3 m wide, which is no multiple of the spacing.
    let material = plain(0.04);
    for (h, iterations) in STEPS {
        let block = particle_block(Vec3::splat(0.3), material.spacing).expect("a block");
        let block = Body::fluid(&block, &material).expect("a fluid");
        let mut sim = world([], iterations, h).body(block).build().expect("a world");
        let extra = surplus(&mut sim, f64::max(6e-3, 3.0 * h));
        let kinetic = sim.report().kinetic;
        assert!(extra < 0.01 * kinetic, "{extra} J too much in {kinetic} J at {h} s, {iterations} iterations");
    }
}

/// A cube of water of eight particles a side in a vessel as wide as it, or three times as wide.
fn cube(spacing: f64, widths: f64, h: f64, iterations: usize) -> (Simulation, f64) {
    let size = Vec3::splat(8.0 * spacing);
    let walls = vessel(Vec3::new(widths * size.x, size.y, size.z));
    let sim = world(walls, iterations, h).body(filling(size, &plain(spacing))).build().expect("a world");
    (sim, 1000.0 * size.element_product() * 9.81 * size.y)
}

#[test]
fn water_gains_no_energy_in_a_vessel_at_any_step() {
    // Of m g H a few hundredths are the work of particles that come out of their lattice and then take up more space. With all of the error taken
    // back in a step of 0.1 ms, the pool had 0.6 of it too much within 0.03 s after one iteration, and 2.7 after fifty.
    let runs = [(1e-4, 1, 0.03), (1e-4, 5, 0.03), (1e-4, 50, 0.01), (1e-3, 5, 0.2), (1.0 / 60.0, 5, 0.4)];
    for (spacing, (h, iterations, seconds)) in [0.02, 0.04].into_iter().flat_map(|s| runs.map(|run| (s, run))) {
        for widths in [1.0, 3.0] {
            let (mut sim, scale) = cube(spacing, widths, h, iterations);
            let extra = surplus(&mut sim, seconds) / scale;
            let place = format!("a vessel {widths} times as wide, {spacing} m, {h} s, {iterations} iterations");
            assert!(extra < 0.03, "{extra} of m g H too much in {place}");
        }
    }
}
