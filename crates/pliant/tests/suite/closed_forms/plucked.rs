//! What is left to the default: a plucked strip swings at its frequency, and a block that bends under its weight rests where forces balance.

use std::f64::consts::TAU;

use pliant::mesh::generate::Plane;
use pliant::prelude::*;

use super::common::assert_close;

/// A strip of 1 × 0.1 m and 5 mm, 40 × 4 cells, E = 1e8 Pa, 1000 kg/m³.
const CELLS: [usize; 2] = [40, 4];
const MODULUS: f64 = 1e8;
const THICKNESS: f64 = 5e-3;
const DENSITY: f64 = 1000.0 * THICKNESS;
/// (β₁L)² of a clamped beam, with cos β₁L cosh β₁L = −1.
const FIRST_MODE: f64 = 3.516_015_268;

/// Frequency of the strip after its tip was plucked by 1 mm \[Hz\], by the times at which the tip passes the middle in ten seconds.
fn plucked_frequency(solver: SolverChoice) -> f64 {
    let sheet =
        Sheet { width: 1.0, height: 0.1, columns: CELLS[0], rows: CELLS[1], plane: Plane::Xz, ..Sheet::default() };
    let mesh = sheet.mesh().unwrap().translated(Vec3::X * 0.5);
    let (density, thickness) = (DENSITY, THICKNESS);
    let material = ClothMaterial {
        density,
        youngs_modulus: MODULUS,
        thickness,
        bending_stiffness: None,
        ..ClothMaterial::default()
    };
    // Two rows are held. As a force at the tip bends it.
    let cell = 1.0 / CELLS[0] as f64;
    let bent = |x: f64| {
        let s = ((x - cell) / (1.0 - cell)).max(0.0);
        1e-3 * 0.5 * (3.0 * s * s - s * s * s)
    };
    let moved = mesh.positions.iter().map(|p| *p + Vec3::Y * bent(p.x)).collect();
    let body = Body::cloth(&mesh, &material).unwrap().pin_where(|p| p.x < 1.5 * cell).with_positions(moved);
    let h = 1.0 / 240.0;
    let world = Simulation::builder().body(body).gravity(Vec3::ZERO).time_step(h);
    let mut sim = world.solver(solver).build().unwrap();
    let tip = sheet.vertex(CELLS[0], CELLS[1] / 2) as usize;
    let (mut before, mut passes) = (sim.positions()[tip].y, Vec::new());
    for step in 0..2400 {
        sim.step().unwrap();
        let now = sim.positions()[tip].y;
        if before * now < 0.0 {
            passes.push(h * (f64::from(step) + before / (before - now)));
        }
        before = now;
    }
    let (first, last) = (passes[0], passes[passes.len() - 1]);
    0.5 * (passes.len() - 1) as f64 / (last - first)
}

/// Curvature is measured from the middle of one cell to that of the next, so the clamp is in the middle of the cell that is held.
fn beam_frequency() -> f64 {
    let stiffness = MODULUS * THICKNESS.powi(3) / 12.0;
    let length = 1.0 - 0.5 / CELLS[0] as f64;
    FIRST_MODE / TAU * (stiffness / DENSITY).sqrt() / length.powi(2)
}

#[test]
fn a_plucked_strip_swings_at_the_frequency_of_a_beam_at_the_default() {
    let (found, expected) = (plucked_frequency(SolverChoice::Auto), beam_frequency());
    println!("{found:.4} Hz, {expected:.4} Hz by beam theory");
    assert_close(found, expected, 0.02, "first frequency");
}

#[test]
fn a_plucked_strip_swings_at_the_frequency_of_a_beam_by_exact_steps() {
    let found = plucked_frequency(NewtonParams::default().into());
    assert_close(found, beam_frequency(), 0.005, "first frequency");
}

/// Mean height of the free end of a bar of 1 × 0.4 × 0.4 m that is clamped at the other \[m\].
fn end_height(sim: &Simulation) -> f64 {
    let rest = sim.model().rest();
    let ends = rest.iter().zip(sim.positions()).filter(|(rest, _)| rest.x > 0.499).map(|(_, p)| p.y);
    ends.clone().sum::<f64>() / ends.count() as f64
}

fn clamped_block(poisson_ratio: f64, solver: SolverChoice) -> Simulation {
    let mesh = TetBox { size: Vec3::new(1.0, 0.4, 0.4), cells: [10, 4, 4], ..TetBox::default() }.mesh().unwrap();
    let material = SolidMaterial { youngs_modulus: 1e7, poisson_ratio, ..SolidMaterial::default() };
    let body = Body::solid(&mesh, &material).unwrap().pin_where(|p| p.x < -0.499);
    let damping = Damping { drag: 5.0, ..Damping::default() };
    Simulation::builder().body(body).solver(solver).damping(damping).build().unwrap()
}

#[test]
fn a_block_at_rest_sags_at_the_default_as_forces_balance() {
    for poisson_ratio in [0.0, 0.4] {
        let mut run = clamped_block(poisson_ratio, SolverChoice::Auto);
        let level = end_height(&run);
        (0..240).for_each(|_| drop(run.step().unwrap()));
        // Newton's method to the end, from rest to rest.
        let mut exact = clamped_block(poisson_ratio, NewtonParams::default().into());
        exact.settle(&SettleParams { tolerance: 1e-6, ..SettleParams::default() }).unwrap();
        let (found, expected) = (level - end_height(&run), level - end_height(&exact));
        println!("ν = {poisson_ratio}: sags {:.3} mm, exactly {:.3} mm", 1e3 * found, 1e3 * expected);
        assert!(expected > 7e-3, "{expected} m");
        assert_close(found, expected, 0.005, &format!("sag at ν = {poisson_ratio}"));
    }
}
