//! Axial vibration of a bar, clamped at one end: ω = (π/2L) √(E/ρ).

use std::f64::consts::FRAC_PI_2;

use pliant::mesh::MassKind;
use pliant::prelude::*;

use super::common::{assert_close, exact};

const SPEED: f64 = 20.0; // √(EA/ρA) [m/s]

/// ω of the lowest mode of a bar of length 1 m in equal segments.
///
/// The sampled sine is the exact lowest mode of the discrete bar, and implicit midpoint turns it by 2 atan(ωh/2) per step:
/// three samples of the tip give ω.
fn lowest_frequency(mass: MassKind, segments: usize) -> f64 {
    let (density, h) = (0.5, 2e-3);
    let cord = rope(Vec3::ZERO, Vec3::X, segments).unwrap();
    let material = StrandMaterial { density, axial_stiffness: density * SPEED * SPEED, mass, ..Default::default() };
    let moved = cord.positions.iter().map(|p| *p + Vec3::X * (0.02 * (FRAC_PI_2 * p.x).sin())).collect();
    let body = Body::strands(&cord, &material).unwrap().pin([0]).with_positions(moved);
    let builder = Simulation::builder().body(body).gravity(Vec3::ZERO).time_step(h);
    let mut sim = builder.integrator(TimeIntegrator::ImplicitMidpoint).solver(exact()).build().unwrap();
    let mut tip = || {
        sim.step().unwrap();
        sim.positions()[segments].x - 1.0
    };
    let samples: Vec<f64> = (0..12).map(|_| tip()).collect();
    let [before, now, after] = [9, 10, 11].map(|n| samples[n]);
    let turn = ((before + after) / (2.0 * now)).acos();
    2.0 * (turn / 2.0).tan() / h
}

/// Of the discrete bar, with θ = π/2N: lumped ω² = 2k/m (1 − cos θ), consistent ω² = 6k/m (1 − cos θ)/(2 + cos θ).
fn discrete_frequency(mass: MassKind, segments: usize) -> f64 {
    let n = segments as f64;
    let (ratio, c) = (SPEED * SPEED * n * n, (FRAC_PI_2 / n).cos());
    match mass {
        MassKind::Lumped => (2.0 * ratio * (1.0 - c)).sqrt(),
        MassKind::Consistent => (6.0 * ratio * (1.0 - c) / (2.0 + c)).sqrt(),
    }
}

#[test]
fn a_bar_rings_from_below_with_lumped_and_from_above_with_consistent_masses() {
    let continuum = FRAC_PI_2 * SPEED;
    for mass in [MassKind::Lumped, MassKind::Consistent] {
        let mut last = f64::INFINITY;
        for segments in [1, 2, 4, 8, 16] {
            let found = lowest_frequency(mass, segments);
            assert_close(found, discrete_frequency(mass, segments), 1e-6, &format!("{mass:?}, {segments} segments"));
            let error = found / continuum - 1.0;
            println!("{mass:?}, {segments} segments: relative error {error:e}");
            assert_eq!(error > 0.0, mass == MassKind::Consistent, "{mass:?}, {segments} segments: {error:e}");
            assert!(error.abs() < 0.3 * last.abs(), "{mass:?}, {segments} segments: {error:e} after {last:e}");
            last = error;
        }
        assert!(last.abs() < 5e-4, "{mass:?}: {last:e}");
    }
}
