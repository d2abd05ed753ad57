//! Cubes that drop on a floor, left to the default: their centres of mass beside an exact motion of second order at 1/960 s.

use pliant::prelude::*;

/// How far they fall \[m\].
const DROP: f64 = 1.0;
const SIZE: f64 = 0.4;
/// Frames of 1/60 s.
const FRAMES: usize = 60;

/// Height of the centre of mass after each frame \[m\].
fn heights(material: &SolidMaterial, world: impl Fn() -> pliant::SimulationBuilder, steps: usize) -> Vec<f64> {
    let mesh = TetBox { size: Vec3::splat(SIZE), cells: [3; 3], ..TetBox::default() }.mesh().unwrap();
    let mesh = mesh.translated(Vec3::Y * (0.5 * SIZE + DROP));
    let floor = Collider::new(Shape::Plane).friction(0.5);
    let world = world().body(Body::solid(&mesh, material).unwrap()).collider(floor);
    let mut sim = world.gravity(Vec3::new(0.1, -9.81, 0.05)).time_step(1.0 / (60 * steps) as f64).build().unwrap();
    let frame = |_| {
        (0..steps).for_each(|_| drop(sim.step().unwrap()));
        sim.report().centre_of_mass.y
    };
    (0..FRAMES).map(frame).collect()
}

fn exact() -> pliant::SimulationBuilder {
    let solver = TwoMetricParams { iterations: 8, linear_iterations: 60, linear_tolerance: 1e-3, ..Default::default() };
    Simulation::builder().solver(solver).integrator(TimeIntegrator::TrBdf2)
}

fn by_default() -> pliant::SimulationBuilder {
    Simulation::builder().solver(SolverChoice::Auto)
}

/// Largest error as a share of the drop.
fn error(found: &[f64], exact: &[f64]) -> f64 {
    found.iter().zip(exact).map(|(found, exact)| (found - exact).abs() / DROP).fold(0.0, f64::max)
}

/// Frames until the floor is reached.
fn falling() -> usize {
    (60.0 * (2.0 * DROP / 9.81_f64).sqrt()) as usize
}

#[test]
fn the_centre_of_a_jelly_cube_is_right_over_a_second_by_steps_of_second_order() {
    let jelly = SolidMaterial { youngs_modulus: 2e4, poisson_ratio: 0.4, ..SolidMaterial::default() };
    let exact = heights(&jelly, exact, 16);
    let second_order = heights(&jelly, || by_default().integrator(TimeIntegrator::TrBdf2), 1);
    let first_order = heights(&jelly, by_default, 1);
    let (fine, coarse) = (error(&second_order, &exact), error(&first_order, &exact));
    println!("off by {:.2} % with TR-BDF2, {:.2} % with implicit Euler", 100.0 * fine, 100.0 * coarse);
    assert!(fine < 0.02, "{fine}");
    // Implicit Euler is right until the impact, and damps the rebound.
    assert!(error(&first_order[..falling()], &exact) < 0.02 && coarse > 0.1, "{coarse}");
}

#[test]
fn the_centre_of_a_rubber_cube_is_right_until_the_impact_and_at_rest() {
    let rubber = SolidMaterial { density: 1100.0, youngs_modulus: 1.5e6, poisson_ratio: 0.45, ..Default::default() };
    let found = heights(&rubber, by_default, 1);
    let exact = heights(&rubber, exact, 16);
    assert!(error(&found[..falling()], &exact) < 0.02, "{}", error(&found[..falling()], &exact));
    let rest = found[FRAMES - 1];
    assert!((rest - 0.5 * SIZE).abs() < 0.02 * DROP, "{rest} m");
    let highest = |heights: &[f64]| heights[falling() + 4..].iter().copied().fold(0.0, f64::max) - 0.5 * SIZE;
    println!("rebounds to {:.3} m, exactly {:.3} m", highest(&found), highest(&exact));
}
