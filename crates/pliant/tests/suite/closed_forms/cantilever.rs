//! A solid cantilever of linear tets, which are too stiff in bending in a known way.

use pliant::prelude::*;

use super::common::{exact, settle};

/// Deflection under a small load at the tip over that of Euler and Bernoulli: length 10 times the thickness, `across` Kuhn cells
/// through the thickness and as long as they are thick.
fn relative_deflection(across: usize) -> f64 {
    let (length, thickness, youngs_modulus) = (1.0_f64, 0.1_f64, 1e6);
    let bar = TetBox::bar(length, thickness, 10 * across, across);
    let mesh = bar.mesh().unwrap();
    let material = SolidMaterial { youngs_modulus, poisson_ratio: 0.0, ..SolidMaterial::default() };
    let body = Body::solid(&mesh, &material).unwrap().named("bar").pin_where(|p| p.x < -0.4999);
    let builder = Simulation::builder().body(body).gravity(Vec3::ZERO).time_step(100.0);
    let mut sim = builder.solver(exact()).build().unwrap();
    let expected = 1e-4; // small enough to be linear
    let inertia = thickness.powi(4) / 12.0;
    let load = 3.0 * youngs_modulus * inertia * expected / length.powi(3);
    let tip = move |j, k| bar.vertex([10 * across, j, k]);
    let ends = (0..=across).flat_map(|j| (0..=across).map(move |k| (j, k)));
    let weight = |i: usize| if i == 0 || i == across { 0.5 } else { 1.0 };
    for (j, k) in ends.clone() {
        let share = weight(j) * weight(k) / (across * across) as f64;
        sim.set_force("bar", tip(j, k), Vec3::NEG_Y * (load * share)).unwrap();
    }
    settle(&mut sim, 1e-13, 20);
    let rest = sim.model().rest();
    let drops = ends.map(|(j, k)| tip(j, k) as usize).map(|v| rest[v].y - sim.positions()[v].y);
    drops.sum::<f64>() / ((across + 1) * (across + 1)) as f64 / expected
}

/// From an independent computation of linear elasticity on this mesh.
const KNOWN: [f64; 4] = [0.245, 0.553, 0.732, 0.829];

#[track_caller]
fn check(across: usize) {
    let found = relative_deflection(across);
    println!("{across} across: {found:.4}, known {}", KNOWN[across - 1]);
    assert!((found - KNOWN[across - 1]).abs() < 0.01, "{across} across: {found}, known {}", KNOWN[across - 1]);
}

#[test]
fn a_cantilever_of_1_to_3_kuhn_cells_deflects_as_known() {
    (1..=3).for_each(check);
}

#[test]
#[ignore = "long: ./test full"]
fn a_cantilever_of_4_kuhn_cells_deflects_as_known_and_finer_ones_approach_the_beam_with_shear() {
    check(4);
    // With shear, 1 + 3EI/(κGAL²) = 1.006.
    let finer: Vec<f64> = [4, 6, 8].map(relative_deflection).to_vec();
    println!("4, 6, 8 across: {finer:?}");
    assert!(finer.windows(2).all(|pair| pair[0] < pair[1]) && finer[2] < 1.006, "{finer:?}");
    // Errors of linear tets fall with the square of the cells; extrapolated, the beam's deflection comes out.
    let limit = finer[2] + (finer[2] - finer[0]) / 3.0;
    assert!((limit - 1.006).abs() < 0.02, "extrapolated to {limit}");
}
