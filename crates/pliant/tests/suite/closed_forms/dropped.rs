//! Cubes that drop on a floor, left to the default: their centres of mass beside an exact motion of second order at 1/1920 s.

use pliant::SimulationBuilder;
use pliant::prelude::*;

const SIZE: f64 = 0.4;
/// Frames of 1/60 s.
const FRAMES: usize = 60;

/// Steps in a frame of the exact motion.
const EXACTLY: usize = 32;

/// Heights of the centre of mass after each frame of a cube that falls by `drop` \[m\].
fn heights(material: &SolidMaterial, drop: f64, world: SimulationBuilder, steps: usize) -> Vec<f64> {
    let mesh = TetBox { size: Vec3::splat(SIZE), cells: [3; 3], ..TetBox::default() }.mesh().unwrap();
    let mesh = mesh.translated(Vec3::Y * (0.5 * SIZE + drop));
    let floor = Collider::new(Shape::Plane).friction(0.5);
    let world = world.body(Body::solid(&mesh, material).unwrap()).collider(floor);
    let mut sim = world.gravity(Vec3::new(0.1, -9.81, 0.05)).time_step(1.0 / (60 * steps) as f64).build().unwrap();
    let frame = |_| {
        (0..steps).for_each(|_| take(&mut sim));
        sim.report().centre_of_mass.y
    };
    (0..FRAMES).map(frame).collect()
}

fn take(sim: &mut Simulation) {
    sim.step().unwrap();
}

fn exact() -> SimulationBuilder {
    let solver = TwoMetricParams { iterations: 8, linear_iterations: 60, linear_tolerance: 1e-3, ..Default::default() };
    Simulation::builder().solver(solver).integrator(TimeIntegrator::Bdf2)
}

/// Largest error \[m\].
fn error(found: &[f64], exact: &[f64]) -> f64 {
    found.iter().zip(exact).map(|(found, exact)| (found - exact).abs()).fold(0.0, f64::max)
}

/// Frames until the floor is reached.
fn falling(drop: f64) -> usize {
    (60.0 * (2.0 * drop / 9.81_f64).sqrt()) as usize
}

#[test]
fn the_centre_of_a_jelly_cube_is_right_over_a_second() {
    let jelly = SolidMaterial { youngs_modulus: 2e4, poisson_ratio: 0.4, ..SolidMaterial::default() };
    for drop in [0.3, 0.6, 1.0] {
        let exact = heights(&jelly, drop, exact(), EXACTLY);
        let found = heights(&jelly, drop, Simulation::builder(), 1);
        let euler = heights(&jelly, drop, Simulation::builder().integrator(TimeIntegrator::ImplicitEuler), 1);
        let (by_default, by_euler) = (error(&found, &exact) / drop, error(&euler, &exact) / drop);
        println!("{drop} m: off by {:.2} %, {:.2} % with implicit Euler", 100.0 * by_default, 100.0 * by_euler);
        assert!(by_default < 0.02, "{drop} m: {by_default}");
        // Implicit Euler is right until the impact, and damps the rebound.
        assert!(error(&euler[..falling(drop)], &exact) < 0.04 * drop && by_euler > 0.05, "{drop} m: {by_euler}");
    }
}

#[test]
fn the_exact_motion_of_a_drop_is_the_same_by_both_orders() {
    let jelly = SolidMaterial { youngs_modulus: 2e4, poisson_ratio: 0.4, ..SolidMaterial::default() };
    let second = heights(&jelly, 0.3, exact(), EXACTLY);
    let off = |steps: usize| {
        let world = exact().integrator(TimeIntegrator::ImplicitEuler);
        error(&heights(&jelly, 0.3, world, steps), &second)
    };
    // First order: half the step, half the error.
    let (coarse, fine) = (off(16), off(32));
    println!("implicit Euler is off by {coarse:.4} and {fine:.4} m");
    assert!((fine / coarse - 0.5).abs() < 0.1, "{coarse} {fine}");
}

#[test]
fn the_centre_of_a_rubber_cube_is_right_until_the_impact_and_at_rest() {
    let rubber = SolidMaterial { density: 1100.0, youngs_modulus: 1.5e6, poisson_ratio: 0.45, ..Default::default() };
    let drop = 1.0;
    let found = heights(&rubber, drop, Simulation::builder(), 1);
    let exact = heights(&rubber, drop, exact(), EXACTLY);
    let fallen = falling(drop);
    assert!(error(&found[..fallen], &exact) < 0.02 * drop, "{}", error(&found[..fallen], &exact));
    // It still bounces after a second; left alone for three, it rests.
    let highest = |heights: &[f64]| heights[fallen + 4..].iter().copied().fold(0.0, f64::max) - 0.5 * SIZE;
    println!("rebounds to {:.3} m, exactly {:.3} m", highest(&found), highest(&exact));
    assert!(highest(&found) < 1.02 * highest(&exact), "no energy from nowhere");
}

#[test]
fn a_cube_that_was_dropped_rests_where_its_weight_puts_it() {
    let rubber = SolidMaterial { density: 1100.0, youngs_modulus: 1.5e6, poisson_ratio: 0.45, ..Default::default() };
    let mesh = TetBox { size: Vec3::splat(SIZE), cells: [3; 3], ..TetBox::default() }.mesh().unwrap();
    let body = Body::solid(&mesh.translated(Vec3::Y * (0.5 * SIZE + 0.3)), &rubber).unwrap();
    let mut sim = Simulation::builder().body(body).collider(Collider::new(Shape::Plane).friction(0.5)).build().unwrap();
    (0..180).for_each(|_| take(&mut sim));
    let (height, fastest) =
        (sim.report().centre_of_mass.y, sim.velocities().iter().fold(0.0_f64, |most, v| most.max(v.length())));
    println!("rests at {height:.4} m, no vertex faster than {fastest:.4} m/s");
    assert!((height - 0.5 * SIZE).abs() < 0.02 * 0.3 && fastest < 0.1, "{height} m, {fastest} m/s");
}
