//! A soft curtain with strain limits of ±10, ±20 and ±30 %, Figure 6 of [Bouaziz 2014].
//!
//! Weak strain lets the curtain stretch under its own weight; a second, strong strain energy acts only on triangles whose
//! principal stretches leave the limits. The curtain is gathered to 80 % of its width on rings along its upper edge. Look at
//! the lengths: the cloth stretches to its limit and no further, and the length hanging down grows with the limit.
//!
//! `cargo run --release --example strain_limited_curtain`

use std::error::Error;

use pliant::prelude::*;

const CELLS: usize = 21;
/// Vertices between two rings of the curtain.
const RING_EVERY: usize = 3;
/// Width over which the rings are gathered, as a share of the curtain's.
const GATHERED: f64 = 0.8;

/// What a curtain looks like at rest.
struct Hanging {
    /// From the rings to the lowest point \[m\].
    length: f64,
    /// Largest and least principal stretch of all triangles.
    stretches: [f64; 2],
    /// Mean of the larger principal stretch.
    mean: f64,
    /// Depth of the folds \[m\].
    depth: f64,
}

fn main() -> Result<(), Box<dyn Error>> {
    println!("limit [%]  largest stretch [%]  mean [%]  least [%]  length [m]  depth of folds [m]");
    let mut lengths = Vec::new();
    for limit in [0.1, 0.2, 0.3] {
        let Hanging { length, stretches: [most, least], mean, depth } = hang(limit)?;
        let percent = |stretch: f64| 100.0 * (stretch - 1.0);
        let (limit_percent, most_percent) = (100.0 * limit, percent(most));
        println!(
            "{limit_percent:9.0}  {most_percent:19.2}  {:8.2}  {:9.2}  {length:10.3}  {depth:18.3}",
            percent(mean),
            percent(least),
        );
        // Beyond the limit the cloth resists with 4000 N/m; a ring that carries 0.4 N over a cell of 4 cm adds 0.25 %, and
        // stress concentrates around it.
        assert!(
            most < 1.0 + limit + 0.015,
            "a triangle is stretched by {most_percent:.2} % at a limit of {limit_percent} %"
        );
        // Without the limit the upper edge would stretch by 3 N/m over 5 N/m, so every limit is reached.
        assert!(most > 1.0 + limit, "the curtain does not reach its limit");
        lengths.push(length);
    }
    println!("\nbigger limits let it hang lower: {lengths:.3?} m");
    assert!(lengths.is_sorted_by(|a, b| *a + 0.02 < *b), "a bigger limit must stretch more");
    Ok(())
}

/// Hangs up a curtain whose triangles may be stretched and compressed by a share `limit`, until it rests.
fn hang(limit: f64) -> Result<Hanging, Box<dyn Error>> {
    let sheet = Sheet { width: 1.0, height: 1.0, columns: CELLS, rows: CELLS, ..Sheet::default() };
    let mesh = sheet.mesh()?;
    let weak = 1e4;
    let material = ClothMaterial {
        density: 0.3,
        youngs_modulus: weak,
        // As the paper has it.
        bend_model: BendModel::MeanCurvature,
        strain_limit: Some(StrainLimit {
            set: StrainSet::Limits { min: 1.0 - limit, max: 1.0 + limit },
            youngs_modulus: 800.0 * weak,
        }),
        ..ClothMaterial::default()
    };
    let rings = (0..=CELLS).step_by(RING_EVERY).map(|column| sheet.vertex(column, CELLS));
    // Flat cloth has no reason to fold to one side; a hint of a wave gives it one.
    let wave = |p: &Vec3| p.with_z(1e-3 * (p.x * std::f64::consts::PI * CELLS as f64 / RING_EVERY as f64).sin());
    let start = mesh.positions.iter().map(wave).collect();
    let curtain = Body::cloth(&mesh, &material)?.pin(rings).with_positions(start);
    let solver = ProjectiveParams { iterations: 40, ..ProjectiveParams::default() };
    let damping = Damping { drag: 2.0, ..Damping::default() };
    let mut sim = Simulation::builder().body(curtain).time_step(1.0 / 30.0).solver(solver).damping(damping).build()?;
    for step in 1..=100 {
        let gathered = 1.0 - (1.0 - GATHERED) * (f64::from(step) / 30.0).min(1.0);
        sim.move_pins(|_, rest| rest.with_x(gathered * rest.x))?;
        sim.step()?;
    }

    let stretches = mesh.principal_stretches(sim.positions())?;
    let (mut most, mut least, mut depth, mut lowest) = (0.0_f64, f64::INFINITY, 0.0_f64, 0.0_f64);
    for [large, small] in &stretches {
        (most, least) = (most.max(*large), least.min(*small));
    }
    for p in sim.positions() {
        (depth, lowest) = (depth.max(p.z.abs()), lowest.min(p.y));
    }
    let mean = stretches.iter().map(|[large, _]| large).sum::<f64>() / stretches.len() as f64;
    Ok(Hanging { length: 0.5 * sheet.height - lowest, stretches: [most, least], mean, depth: 2.0 * depth })
}
