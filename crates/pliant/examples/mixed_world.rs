//! Rope, cloth and solid in one world, after the washing line in Figure 1 of [Bouaziz 2014].
//!
//! A cloth hangs by two corners from a line between two pins, a block hangs from its lower hem. All are attached to each
//! other and solved together. The wind blows for two seconds while one end of the line is let down; then all comes to rest.
//! Look at the forces at the pins: the wind pushes along z while it blows, and in the end the pins hold exactly the weight.
//!
//! `cargo run --release --example mixed_world`

use std::error::Error;

use pliant::prelude::*;

const LINE_CELLS: usize = 16;
const CLOTH_CELLS: usize = 12;
/// Half the width of the cloth, which hangs from the line's vertices at a quarter and three quarters \[m\].
const HALF: f64 = 0.5;

fn main() -> Result<(), Box<dyn Error>> {
    let mut sim = washing_line()?;
    let masses = sim.model().mass().lumped();
    let weight = 9.81 * masses.iter().sum::<f64>();
    println!("{} vertices, weight {weight:.3} N", masses.len());
    println!("\ntime   line's end  block, y and z   forces at the pins, x y z   fastest");
    println!("  [s]         [m]             [m]                        [N]     [m/s]");
    let wind = Wind::new(Vec3::new(0.0, 0.0, 4.0));
    let mut blown = 0.0_f64;
    for step in 0..=480 {
        let time = sim.time();
        sim.set_wind((time < 2.0).then_some(wind))?;
        let lowered = 0.2 * (time / 2.0).clamp(0.0, 1.0);
        sim.move_pin("line", LINE_CELLS as u32, Vec3::new(2.0 * HALF, -lowered, 0.0))?;
        sim.step()?;
        let force = held(&sim);
        if (1.0..2.0).contains(&time) {
            blown = blown.min(force.z);
        }
        if step % 60 == 0 {
            let block = centre(sim.body_positions("block")?);
            let speed = sim.report().max_speed;
            let Vec3 { x, y, z } = force;
            let (height, across) = (block.y, block.z);
            println!("{time:5.2}  {:10.3}  {height:7.2} {across:6.2}   {x:8.3} {y:8.3} {z:8.3}  {speed:8.4}", -lowered);
        }
    }

    let force = held(&sim);
    let error = (force - Vec3::Y * weight).length() / weight;
    println!("\nat rest the pins hold {:.4} N of {weight:.4} N: {:.3} % apart", force.y, 100.0 * error);
    assert!(blown < -0.2, "the pins must hold the cloth against the wind");
    assert!(error < 0.01, "forces at the pins and weight differ by {:.2} %", 100.0 * error);
    Ok(())
}

/// A line, a cloth that hangs from it and a block that hangs from the cloth.
fn washing_line() -> Result<Simulation, Box<dyn Error>> {
    let line = rope(Vec3::X * (-2.0 * HALF), Vec3::X * (2.0 * HALF), LINE_CELLS)?;
    let line = Body::strands(&line, &StrandMaterial::default())?.named("line").pin([0, LINE_CELLS as u32]);

    let size = 2.0 * HALF;
    let sheet = Sheet { width: size, height: size, columns: CLOTH_CELLS, rows: CLOTH_CELLS, ..Sheet::default() };
    let cloth = Body::cloth(&sheet.mesh()?.translated(Vec3::NEG_Y * HALF), &ClothMaterial::default())?.named("cloth");

    // As wide as four cells of the cloth, so that its upper corners meet vertices of the hem.
    let width = size * 4.0 / CLOTH_CELLS as f64;
    let solid = TetBox { size: Vec3::new(width, 0.1, 0.05), cells: [4, 2, 1], ..TetBox::default() };
    let material = SolidMaterial { density: 100.0, ..SolidMaterial::default() };
    let block = solid.mesh()?.translated(Vec3::new(0.0, -size - 0.05, 0.025));
    let block = Body::solid(&block, &material)?.named("block");

    let stiffness = 1e3;
    let mut builder = Simulation::builder().body(line).body(cloth).body(block);
    for (along, column) in [(LINE_CELLS / 4, 0), (3 * LINE_CELLS / 4, CLOTH_CELLS)] {
        builder = builder.attach(("line", along as u32), ("cloth", sheet.vertex(column, CLOTH_CELLS)), stiffness);
    }
    for cell in 0..=4 {
        let hem = sheet.vertex(CLOTH_CELLS / 2 - 2 + cell, 0);
        builder = builder.attach(("cloth", hem), ("block", solid.vertex([cell, 2, 0])), stiffness);
    }
    let solver = ProjectiveParams { iterations: 50, ..ProjectiveParams::default() };
    Ok(builder.solver(solver).damping(Damping { drag: 2.0, ..Damping::default() }).build()?)
}

/// Sum of the forces that the pins exert \[N\].
fn held(sim: &Simulation) -> Vec3 {
    sim.pin_forces().into_iter().fold(Vec3::ZERO, |sum, force| sum + force)
}

fn centre(positions: &[Vec3]) -> Vec3 {
    positions.iter().fold(Vec3::ZERO, |sum, p| sum + *p) / positions.len() as f64
}
