//! Chains and ropes at rest under gravity.

use pliant::mesh::MassKind;
use pliant::prelude::*;
use pliant::solve::SolverChoice;

use super::common::{GRAVITY, assert_close, exact, reference, settle};

#[test]
fn spring_i_of_a_hanging_chain_carries_what_hangs_below() {
    let (count, mass, stiffness, length) = (12_usize, 0.05, 200.0, 0.1);
    for solver in [SolverChoice::from(exact()), ProjectiveParams::converged().into()] {
        let rest: Vec<Vec3> = (0..=count).map(|i| Vec3::NEG_Y * (length * i as f64)).collect();
        let edges = (0..count as u32).map(|i| [i, i + 1]).collect();
        let springs = EdgeSprings::new(edges, SpringStiffness::Uniform(stiffness)).build(&rest).unwrap();
        let masses = (0..=count as u32).map(|v| (v, v, mass)).collect();
        let body = Body::new(rest, masses).with_energy(springs).pin([0]);
        let mut sim = Simulation::builder().body(body).time_step(1.0).solver(solver).build().unwrap();
        settle(&mut sim, 1e-12, 200);
        for i in 0..count {
            let extension = (sim.positions()[i] - sim.positions()[i + 1]).length() - length;
            let expected = (count - i) as f64 * mass * GRAVITY / stiffness;
            assert_close(extension, expected, 1e-8, &format!("extension of spring {i}"));
        }
    }
}

#[test]
fn a_rope_hangs_alike_with_lumped_and_consistent_masses() {
    let (segments, density, stiffness) = (8_usize, 0.4, 60.0);
    for mass in [MassKind::Lumped, MassKind::Consistent] {
        for integrator in [TimeIntegrator::ImplicitEuler, TimeIntegrator::Bdf2, TimeIntegrator::TrBdf2] {
            let cord = rope(Vec3::ZERO, Vec3::NEG_Y, segments).unwrap();
            let material = StrandMaterial { density, axial_stiffness: stiffness, mass, ..StrandMaterial::default() };
            let body = Body::strands(&cord, &material).unwrap().pin([0]);
            let builder = Simulation::builder().body(body).time_step(0.5).integrator(integrator);
            let mut sim = builder.solver(exact()).build().unwrap();
            settle(&mut sim, 1e-12, 400);
            for i in 0..segments {
                // Half of each segment's weight hangs on its lower end.
                let below = (segments - i) as f64 - 0.5;
                let l = 1.0 / segments as f64;
                let expected = below * l * density * GRAVITY * l / stiffness;
                let extension = (sim.positions()[i] - sim.positions()[i + 1]).length() - l;
                assert_close(extension, expected, 1e-8, &format!("{mass:?}, {integrator:?}, segment {i}"));
            }
        }
    }
}

/// Sag, horizontal and end tension (over weight) of a rope of length 1 m between level pins, in 100 segments.
fn hang(span: f64) -> [f64; 3] {
    let segments = 100;
    let density = 1.0;
    let cord = rope(Vec3::ZERO, Vec3::X, segments).unwrap();
    // A V with all lengths at rest.
    let (slope, depth) = (span, (1.0 - span * span).sqrt());
    let folded = cord.positions.iter().map(|p| Vec3::new(p.x * slope, -depth * p.x.min(1.0 - p.x), 0.0)).collect();
    let material = StrandMaterial { density, axial_stiffness: 1e5, ..StrandMaterial::default() };
    let body = Body::strands(&cord, &material).unwrap().pin([0, segments as u32]).with_positions(folded);
    let mut sim = Simulation::builder().body(body).time_step(0.5).solver(exact()).build().unwrap();
    settle(&mut sim, 1e-9, 200);
    let lowest = sim.positions().iter().fold(0.0_f64, |low, p| low.min(p.y));
    let pull = sim.elastic_forces()[0];
    // The pinned vertex carries half a segment itself.
    let up = pull.y.abs() + 0.5 * density * GRAVITY / f64::from(segments as u32);
    let weight = density * GRAVITY;
    [-lowest, pull.x.abs() / weight, up.hypot(pull.x) / weight]
}

/// a of y = a cosh(x/a) for a chain of length 1: 2a sinh(span/2a) = 1, by bisection.
fn catenary_parameter(span: f64) -> f64 {
    let (mut low, mut high): (f64, f64) = (1e-3, 1e3);
    for _ in 0..200 {
        let a = (low * high).sqrt();
        if 2.0 * a * (span / (2.0 * a)).sinh() > 1.0 {
            low = a;
        } else {
            high = a;
        }
    }
    low
}

#[test]
fn a_rope_of_100_segments_hangs_as_a_catenary() {
    for span in [0.3, 0.6, 0.9] {
        let a = catenary_parameter(span);
        let expected = [a * ((span / (2.0 * a)).cosh() - 1.0), a, a * (span / (2.0 * a)).cosh()];
        for (k, name) in ["sag", "horizontal tension", "tension at the end"].into_iter().enumerate() {
            assert_close(hang(span)[k], expected[k], 5e-3, &format!("{name} at span {span}"));
        }
    }
}

#[test]
fn a_rope_hangs_as_the_reference_table_says() {
    let Some(table) = reference("catenary_unit_length.csv") else { return };
    for row in table.iter().filter(|row| [0.2, 0.5, 0.8, 0.95].contains(&row[0])) {
        let measured = hang(row[0]);
        for (k, column) in [2, 3, 4].into_iter().enumerate() {
            assert_close(measured[k], row[column], 5e-3, &format!("column {column} at span {}", row[0]));
        }
    }
}
