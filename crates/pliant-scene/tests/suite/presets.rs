//! What presets look like: cloths drape as differently as they are.
#![allow(clippy::unwrap_used)]

use pliant::mesh::generate::{Disc, Plane};
use pliant::prelude::*;
use pliant::presets;

/// Share of the overhanging ring of a disc of cloth that still casts a shadow, after it has come to rest on a smaller, round table: the drape
/// coefficient of Cusick's test (ISO 9073-9), with a disc of 30 cm on a table of 18 cm. A limp cloth has 0, a board 1.
fn drape_coefficient(name: &str) -> f64 {
    let (radius, table, rings) = (0.15, 0.09, 10);
    let mesh = Disc { radius, rings, plane: Plane::Xz, ..Disc::default() }.mesh().unwrap();
    let cloth = Body::cloth(&mesh, &presets::cloth(name).unwrap()).unwrap().pin_where(|p| p.length() < table + 1e-6);
    // A ripple, so that it can choose its folds.
    let start = mesh.positions.iter().map(|p| p.with_y(1e-3 * (5.0 * p.z.atan2(p.x)).sin() * p.length() / radius));
    let cloth = cloth.with_positions(start.collect());
    // Long steps, which damp, and enough iterations that folds are where they should be.
    let solver = NewtonParams { iterations: 40, ..NewtonParams::default() };
    let mut sim = Simulation::builder().body(cloth).solver(solver).time_step(0.05).build().unwrap();
    for _ in 0..24 {
        sim.step().unwrap();
    }
    let x = sim.positions();
    let rim = &x[x.len() - 6 * rings..];
    let area: f64 =
        (0..rim.len()).map(|k| (rim[k], rim[(k + 1) % rim.len()])).map(|(a, b)| 0.5 * (a.x * b.z - a.z * b.x)).sum();
    let disc = |r: f64| std::f64::consts::PI * r * r;
    (area.abs() - disc(table)) / (disc(radius) - disc(table))
}

#[test]
fn silk_hangs_limp_denim_stands_out_and_cotton_is_between() {
    let [silk, cotton, denim] = ["silk", "cotton", "denim"].map(drape_coefficient);
    println!("drape coefficients: silk {silk:.2}, cotton {cotton:.2}, denim {denim:.2}");
    assert!(silk < cotton - 0.2 && cotton < denim - 0.05, "silk {silk}, cotton {cotton}, denim {denim}");
    assert!(silk > 0.0 && denim < 0.95, "silk {silk}, denim {denim}");
}

#[test]
fn cloths_have_the_bending_stiffness_of_cloth() {
    for name in ["silk", "cotton", "denim"] {
        let stiffness = presets::cloth(name).unwrap().plate_stiffness();
        assert!((5e-7..=1e-4).contains(&stiffness), "{name}: {stiffness} N·m");
    }
}
