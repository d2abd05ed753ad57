//! How far a flag reaches on meshes of three sizes: a cloth is not softer because its mesh is finer.

use pliant::math::Vec3;
use pliant::mesh::generate::{Plane, Sheet};
use pliant::solve::SolverChoice;
use pliant::{Body, Simulation, Wind};

use super::problem::{RATE, light_cloth};
use super::processor_seconds;
use crate::BenchError;
use crate::table::{Table, three_digits};

/// Cells along and across the flag of 1.5 × 0.9 m.
const MESHES: [[usize; 2]; 3] = [[25, 15], [50, 32], [100, 64]];
/// The frame in which it is blown out, and those over which its reach is averaged.
const EARLY: usize = 26;
const FRAMES: std::ops::RangeInclusive<usize> = 60..=240;

/// How far the farthest vertex is from the pole along x at the early frame and on average \[m\], and processor time of a frame \[ms\].
fn reach([columns, rows]: [usize; 2], solver: SolverChoice) -> Result<[f64; 3], BenchError> {
    let sheet = Sheet { width: 1.5, height: 0.9, columns, rows, plane: Plane::Xy, ..Sheet::default() };
    let pole: Vec<u32> = (0..=rows).map(|row| sheet.vertex(0, row)).collect();
    let body = Body::cloth(&sheet.mesh()?, &light_cloth())?.pin(pole.clone());
    let wind = Wind::new(Vec3::new(8.0, 0.0, 1.5));
    let mut sim: Simulation = Simulation::builder().body(body).wind(wind).solver(solver).threads(1).build()?;
    let begin = sim.positions()[pole[0] as usize].x;
    let (mut early, mut sum) = (f64::NAN, 0.0);
    let begun = processor_seconds();
    for frame in 1..=*FRAMES.end() {
        sim.step()?;
        let reach = sim.positions().iter().fold(0.0_f64, |most, p| most.max(p.x - begin));
        if frame == EARLY {
            early = reach;
        }
        if FRAMES.contains(&frame) {
            sum += reach;
        }
    }
    let milliseconds = 1e3 * (processor_seconds() - begun) / *FRAMES.end() as f64;
    Ok([early, sum / FRAMES.count() as f64, milliseconds])
}

/// Prints the reaches at the default.
pub(super) fn command() -> Result<(), BenchError> {
    let mut table = Table::new([
        "cells".to_owned(),
        format!("reach at frame {EARLY} of {RATE} a second [m]"),
        format!("mean over frames {} to {} [m]", FRAMES.start(), FRAMES.end()),
        "ms".to_owned(),
    ]);
    let mut reaches = Vec::new();
    for mesh in MESHES {
        let [early, mean, milliseconds] = reach(mesh, SolverChoice::Auto)?;
        let name = format!("{} × {}", mesh[0], mesh[1]);
        table.row(vec![name, format!("{early:.3}"), format!("{mean:.3}"), three_digits(milliseconds)]);
        reaches.push([early, mean]);
    }
    println!("{}", table.to_text());
    for (k, name) in ["early", "mean"].into_iter().enumerate() {
        let (least, most) = reaches.iter().fold((f64::INFINITY, 0.0_f64), |(a, b), r| (a.min(r[k]), b.max(r[k])));
        println!("{name} reaches differ by {:.1} %", 100.0 * (most / least - 1.0));
    }
    Ok(())
}
