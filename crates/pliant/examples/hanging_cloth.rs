//! A square metre of cotton, held by two corners, swings down and comes to rest.
//!
//! The smallest complete program: mesh, material, pins, steps, report. Look at the energies: gravity turns into motion,
//! implicit Euler and a little drag take the motion away, and what remains is a cloth that barely stretches.
//!
//! `cargo run --release --example hanging_cloth`

use std::error::Error;

use pliant::mesh::edge_lengths;
use pliant::prelude::*;

const CELLS: usize = 24;

fn main() -> Result<(), Box<dyn Error>> {
    let sheet = Sheet { width: 1.0, height: 1.0, columns: CELLS, rows: CELLS, plane: Plane::Xz, ..Sheet::default() };
    let mesh = sheet.mesh()?;
    let cloth = Body::cloth(&mesh, &ClothMaterial::default())?.pin([sheet.vertex(0, 0), sheet.vertex(CELLS, 0)]);
    let mut sim = Simulation::builder().body(cloth).damping(Damping { drag: 1.0, ..Damping::default() }).build()?;

    let start = sim.report();
    let mut last_total = start.total();
    let mut largest_gain = 0.0_f64;
    let mut falling = String::new();
    println!("time   lowest  kinetic  elastic  gravity    total");
    println!("  [s]     [m]      [J]      [J]      [J]      [J]");
    for step in 0..=360 {
        if step > 0 {
            sim.step()?;
        }
        let report = sim.report();
        largest_gain = largest_gain.max(report.total() - last_total);
        last_total = report.total();
        if step == 20 {
            falling = side_view(sim.positions());
        }
        if step % 30 == 0 {
            let lowest = sim.positions().iter().fold(f64::INFINITY, |low, p| low.min(p.y));
            let (kinetic, elastic) = (report.kinetic, report.potential());
            let (gravity, total) = (report.gravitational, report.total());
            println!("{:5.2} {lowest:7.3} {kinetic:8.5} {elastic:8.5} {gravity:8.4} {total:8.4}", sim.time());
        }
    }

    println!("\nfrom the side after a third of a second, falling; the pins are at the upper left:\n{falling}");

    let edges = mesh.edges();
    let (rest, now) = (edge_lengths(&mesh.positions, &edges), edge_lengths(sim.positions(), &edges));
    let stretch = rest.iter().zip(&now).fold(0.0_f64, |worst, (rest, now)| worst.max(now / rest - 1.0));
    let end = sim.report();
    let released = start.gravitational - end.gravitational;
    println!("worst edge stretch {:.2} %", 100.0 * stretch);
    println!("gravity gave {released:.4} J, of which {:.1e} J still move", end.kinetic);

    // A pin carries half the weight of 1.5 N through cells 1/24 m wide of a membrane of 2000 N/m: about 1 %, and some more
    // right at the corner, where it concentrates.
    assert!(stretch < 0.04, "an edge is stretched by {:.2} %", 100.0 * stretch);
    assert!(end.kinetic < 1e-3 * released, "after 6 s the cloth still moves");
    // Nothing in the scene supplies energy and implicit Euler takes some away; what ten iterations leave open is far smaller.
    assert!(largest_gain < 1e-4 * released, "a step gained {largest_gain:e} J");
    Ok(())
}

/// Vertices seen along x: z to the right, y up.
fn side_view(positions: &[Vec3]) -> String {
    const COLUMNS: usize = 44;
    const ROWS: usize = 12;
    let mut canvas = [[' '; COLUMNS]; ROWS];
    for p in positions {
        let (right, down) = (p.z + 0.5, -p.y / 0.6);
        let (column, row) = ((right * COLUMNS as f64) as usize, (down * ROWS as f64) as usize);
        canvas[row.min(ROWS - 1)][column.min(COLUMNS - 1)] = '·';
    }
    canvas.iter().map(|row| row.iter().collect::<String>().trim_end().to_owned() + "\n").collect()
}
