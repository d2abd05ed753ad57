//! Statics: what `settle` finds is where forces balance, and it says so where there is no such place.
#![allow(clippy::unwrap_used)]

use pliant::mesh::generate::Plane;
use pliant::prelude::*;
use pliant::{SettleError, SettleParams};

fn tight() -> SettleParams {
    SettleParams { tolerance: 1e-6, ..SettleParams::default() }
}

#[test]
fn a_hanging_rope_is_as_long_as_its_weight_makes_it() {
    // Segment k of n carries what hangs below its middle: it stretches by m g (n − k − ½) l/(n·EA).
    let (n, density, axial) = (8, 0.5, 20.0);
    let mesh = rope(Vec3::ZERO, Vec3::NEG_Y, n).unwrap();
    let material = StrandMaterial { density, axial_stiffness: axial, ..StrandMaterial::default() };
    let body = Body::strands(&mesh, &material).unwrap().pin([0]);
    let mut sim = Simulation::builder().body(body).solver(NewtonParams::default()).build().unwrap();
    let found = sim.settle(&tight()).unwrap();
    // Σ over segments of weight below / EA · l = ρ g L²/(2 EA), exactly, with lumped masses.
    let expected = 1.0 + density * 9.81 / (2.0 * axial);
    assert!((-sim.positions()[n].y - expected).abs() < 1e-5 * expected, "{:?} and {expected}", sim.positions()[n]);
    assert!(found.relative() <= 1e-6 && found.residual <= 1e-6 * found.largest_force);
    // The largest force is what the pin holds, less the half segment at it.
    assert!((found.largest_force / (density * 9.81 * (1.0 - 0.5 / n as f64)) - 1.0).abs() < 1e-3, "{found:?}");
    // It is the same moment, and nothing moves in the next step.
    assert_eq!((sim.time(), sim.velocities()[n]), (0.0, Vec3::ZERO));
    sim.step().unwrap();
    assert!(sim.report().max_speed < 1e-4, "{}", sim.report().max_speed);
}

fn curtain() -> Simulation {
    let mesh = Sheet { columns: 6, rows: 6, plane: Plane::Xz, ..Sheet::default() }.mesh().unwrap();
    let soft = ClothMaterial { youngs_modulus: 2e4, thickness: 1e-3, density: 0.3, ..ClothMaterial::default() };
    let body = Body::cloth(&mesh, &soft).unwrap().pin([0, 6]);
    Simulation::builder().body(body).solver(NewtonParams::default()).build().unwrap()
}

#[test]
fn a_curtain_settles_where_a_long_damped_run_ends() {
    let mut settled = curtain();
    let found = settled.settle(&SettleParams { tolerance: 1e-5, ..SettleParams::default() }).unwrap();
    let mut run = curtain();
    run.set_velocities(&vec![Vec3::ZERO; run.positions().len()]).unwrap();
    for k in 0..1500 {
        run.step().unwrap();
        if k % 4 == 3 {
            // Strong drag, by hand.
            let slower: Vec<Vec3> = run.velocities().iter().map(|v| *v * 0.8).collect();
            run.set_velocities(&slower).unwrap();
        }
    }
    let apart = settled.positions().iter().zip(run.positions()).fold(0.0_f64, |m, (a, b)| m.max(a.distance(*b)));
    assert!(apart < 2e-3, "{apart} m apart after {} steps", found.steps);
    assert!(found.steps < 1500, "{found:?}");
}

#[test]
fn a_block_settles_on_the_ground_that_carries_its_weight() {
    let mut mesh = TetBox { cells: [2, 2, 2], size: Vec3::splat(0.2), ..TetBox::default() }.mesh().unwrap();
    let lowest = mesh.positions.iter().fold(f64::INFINITY, |least, p| least.min(p.y));
    mesh.positions.iter_mut().for_each(|p| p.y += 0.02 - lowest);
    let body = Body::solid(&mesh, &SolidMaterial { poisson_ratio: 0.0, ..SolidMaterial::default() }).unwrap();
    let ground = Collider::new(Shape::Plane);
    let solver = ProjectiveParams { iterations: 60, ..ProjectiveParams::default() };
    let mut sim = Simulation::builder().body(body).collider(ground).solver(solver).build().unwrap();
    let found = sim.settle(&SettleParams { tolerance: 1e-2, ..SettleParams::default() }).unwrap();
    let carried = sim.contacts().iter().fold(Vec3::ZERO, |sum, contact| sum + contact.force());
    let weight = 1000.0 * 0.008 * 9.81;
    assert!((carried.y / weight - 1.0).abs() < 0.03, "{carried} of {weight} N: {found:?}");
}

#[test]
fn what_has_no_equilibrium_is_named_and_left_as_it_was() {
    let held = Body::strands(&rope(Vec3::ZERO, Vec3::X, 4).unwrap(), &StrandMaterial::default()).unwrap();
    let free = Body::strands(&rope(Vec3::Z, Vec3::Z + Vec3::X, 4).unwrap(), &StrandMaterial::default()).unwrap();
    let builder = Simulation::builder().body(held.named("held").pin([0, 4])).body(free.named("stone"));
    let mut sim = builder.build().unwrap();
    sim.step().unwrap();
    let (positions, velocities, time) = (sim.positions().to_vec(), sim.velocities().to_vec(), sim.time());
    let error = sim.settle(&SettleParams::default()).unwrap_err();
    assert!(matches!(&error, SettleError::Unbounded { body, .. } if body == "stone"), "{error}");
    assert!(error.to_string().contains("\"stone\" has no equilibrium"), "{error}");
    assert_eq!((sim.positions(), sim.velocities(), sim.time()), (&positions[..], &velocities[..], time));
    // Without gravity it rests where it is.
    sim.set_gravity(Vec3::ZERO).unwrap();
    sim.settle(&SettleParams::default()).unwrap();
}

#[test]
fn what_cannot_be_settled_and_bad_numbers_are_refused_in_words() {
    let mut sim = curtain();
    for (params, message) in [
        (SettleParams { tolerance: 0.0, ..SettleParams::default() }, "tolerance is 0, but must be positive"),
        (SettleParams { tolerance: f64::NAN, ..SettleParams::default() }, "tolerance is NaN"),
        (SettleParams { most_steps: 0, ..SettleParams::default() }, "the number of steps is 0"),
        (SettleParams { most_steps: 2, ..SettleParams::default() }, "not at rest after 2 steps"),
    ] {
        let error = sim.settle(&params).unwrap_err().to_string();
        assert!(error.contains(message), "{error}");
    }
    assert_eq!(sim.positions()[10], curtain().positions()[10]);
    let mut wind = Wind::new(Vec3::X);
    wind.turbulence.strength = 0.1;
    sim.set_wind(Some(wind)).unwrap();
    assert!(sim.settle(&SettleParams::default()).unwrap_err().to_string().contains("eddies in its wind"));
    let rod = Body::rods(&rope(Vec3::ZERO, Vec3::X, 4).unwrap(), &RodMaterial::default()).unwrap().named("rod");
    let mut sim = Simulation::builder().body(rod).solver(PositionBasedParams::default()).build().unwrap();
    let error = sim.settle(&SettleParams::default()).unwrap_err().to_string();
    assert!(error.contains("rod (body \"rod\")"), "{error}");
}
