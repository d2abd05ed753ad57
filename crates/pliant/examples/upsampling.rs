//! A hammock of 128 triangles that shows the folds of one with 2048, which it has learnt from motions of that one.
//!
//! The fine hammock is simulated for training. The coarse shape of each frame is the one whose subdivision is nearest to the fine one, so that what is
//! left is detail. Then a motion comes that training never saw, and each method is compared with subdivision alone.
//!
//! `cargo run --release --example upsampling`

use std::error::Error;
use std::sync::Arc;

use pliant::prelude::*;
use pliant::upsample::{
    Method, ModesParams, PdmParams, PiuParams, Refinement, TrainingFrame, TrainingSequence, TrainingSet, Upsampler,
    WpsdParams, compare,
};

const CELLS: usize = 8;
const LEVELS: u32 = 2;
const MOTIONS: usize = 10;
const SECONDS: f64 = 1.0 / 30.0;

fn main() -> Result<(), Box<dyn Error>> {
    let mesh = Sheet { columns: CELLS, rows: CELLS, plane: Plane::Xz, ..Sheet::default() }.mesh()?;
    let refinement = Arc::new(Refinement::loop_subdivision(&mesh, LEVELS, &[])?);
    // How far the two ends come together, are sheared and twisted: numbers that are spread evenly.
    let spread = |k: usize| (k as f64 * 0.618_034).fract();
    let sequences: Result<Vec<TrainingSequence>, Box<dyn Error>> = (0..MOTIONS)
        .map(|motion| {
            let [a, b, c] = [1, 2, 3].map(|n| spread(3 * motion + n));
            let frames = record(&refinement, [0.2 + a, 2.0 * b - 1.0, 2.0 * c - 1.0], 0.35)?;
            Ok(TrainingSequence { name: format!("motion {motion}"), frame_seconds: SECONDS, frames })
        })
        .collect();
    let training = TrainingSet { sequences: sequences? };
    let unseen = record(&refinement, [0.8, 0.6, 0.5], 0.3)?;
    let (coarse, fine): (Vec<_>, Vec<_>) = unseen.into_iter().map(|frame| (frame.coarse, frame.fine)).unzip();

    let mut room = vec![Vec3::ZERO; refinement.vertex_counts()[1]];
    let mut smooth = Vec::new();
    for frame in &coarse {
        refinement.smooth(frame, &mut room)?;
        smooth.push(room.clone());
    }
    let plain = compare(&refinement, &coarse, &smooth, &fine)?;
    println!("motion that was not in the training data, {} frames\n", coarse.len());
    println!("                    L2 [mm]  largest [mm]  normals [°]  jitter  kB");
    let line = |name: &str, report: &pliant::upsample::UpsampleReport, bytes: usize| {
        let (l2, largest, angle) = (1e3 * report.l2, 1e3 * report.largest, report.normal_angle.to_degrees());
        println!("{name:18} {l2:8.2} {largest:13.1} {angle:12.1} {:7.2} {:4}", report.relative_jitter(), bytes / 1000);
    };
    line("subdivision", &plain, 0);
    let rows = PiuParams { neighbours: 24, ..PiuParams::default() };
    let methods = [
        ("twelve poses", Method::Wpsd(WpsdParams { poses: 12, ..WpsdParams::default() })),
        ("displacement maps", Method::Pdm(PdmParams { regularisation: 0.1, ..PdmParams::default() })),
        ("linear rows", Method::Piu(rows)),
        ("rows and modes", Method::Piu(PiuParams { modes: Some(ModesParams::default()), ..rows })),
    ];
    let mut best = f64::INFINITY;
    for (name, method) in methods {
        let (upsampler, _) = Upsampler::fit(&refinement, &training, &method)?;
        let mut state = upsampler.state();
        let mut shown = Vec::new();
        for frame in &coarse {
            upsampler.apply(&mut state, frame, SECONDS, &mut room)?;
            shown.push(room.clone());
        }
        let report = compare(&refinement, &coarse, &shown, &fine)?;
        line(name, &report, upsampler.to_bytes().len());
        assert!(report.l2 < plain.l2, "{name} is worse than nothing");
        best = report.l2.min(best);
    }
    println!("\nthe best method leaves {:.0} % of the error of subdivision", 100.0 * best / plain.l2);
    assert!(best < 0.75 * plain.l2, "{best} of {}", plain.l2);
    Ok(())
}

/// Four seconds of a fine hammock whose ends come together, are sheared and twisted by some amounts, with the coarse shape of each frame.
fn record(refinement: &Refinement, amounts: [f64; 3], frequency: f64) -> Result<Vec<TrainingFrame>, Box<dyn Error>> {
    let fine = refinement.fine_mesh();
    let ends = (0u32..).zip(&fine.positions).filter(|(_, p)| p.x.abs() > 0.499).map(|(v, _)| v);
    let pins: Vec<u32> = ends.collect();
    let hammock = Body::cloth(fine, &ClothMaterial::default())?.pin(pins.clone()).named("hammock");
    let damping = Damping { drag: 3.0, ..Damping::default() };
    let mut sim = Simulation::builder().body(hammock).time_step(SECONDS).damping(damping).build()?;
    let mut frames = Vec::new();
    for frame in 0..120 {
        let phase = 2.0 * std::f64::consts::PI * frequency * frame as f64 * SECONDS;
        let approach = 0.06 * amounts[0] * (1.0 - phase.cos());
        let shear = 0.1 * amounts[1] * phase.sin();
        let twist = 0.6 * amounts[2] * (0.7 * phase).sin();
        for &pin in &pins {
            let rest = fine.positions[pin as usize];
            let side = rest.x.signum();
            let turned = Quat::from_rotation_x(side * twist) * rest;
            sim.move_pin("hammock", pin, turned + side * Vec3::new(-approach, 0.0, shear))?;
        }
        sim.step()?;
        let fine = sim.positions().to_vec();
        frames.push(TrainingFrame { coarse: nearest_coarse(refinement, &fine), fine });
    }
    Ok(frames)
}

/// The coarse positions whose smooth surface is nearest to a fine shape, by some rounds of u ← u + D⁻¹ Sᵀ (x − S u).
fn nearest_coarse(refinement: &Refinement, fine: &[Vec3]) -> Vec<Vec3> {
    // Coarse vertices are the first of the fine ones.
    let mut coarse = fine[..refinement.vertex_counts()[0]].to_vec();
    for _ in 0..30 {
        let mut sums = vec![(Vec3::ZERO, 0.0); coarse.len()];
        for (vertex, x) in fine.iter().enumerate() {
            let smooth =
                refinement.weights(vertex).fold(Vec3::ZERO, |sum, (v, weight)| sum + coarse[v as usize] * weight);
            for (v, weight) in refinement.weights(vertex) {
                let (sum, total) = &mut sums[v as usize];
                *sum += (*x - smooth) * weight;
                *total += weight;
            }
        }
        coarse.iter_mut().zip(sums).for_each(|(u, (sum, total))| *u += sum / total);
    }
    coarse
}
