//! A curtain of 128 triangles that shows the folds of one with 2048, which it has learnt from three motions.
//!
//! The fine curtain is simulated for training. The coarse shape of each frame is the one whose subdivision is nearest to the fine one, so that what is
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
const SECONDS: f64 = 1.0 / 60.0;

fn main() -> Result<(), Box<dyn Error>> {
    let mesh = Sheet { columns: CELLS, rows: CELLS, ..Sheet::default() }.mesh()?;
    let refinement = Arc::new(Refinement::loop_subdivision(&mesh, LEVELS, &[])?);
    // How far the upper corners come together, how fast, and how far they swing to the front.
    let motions = [("slow", 0.3, 0.5, 0.0), ("fast", 0.4, 1.2, 0.05), ("swinging", 0.2, 0.8, 0.2)];
    let sequences: Result<Vec<TrainingSequence>, Box<dyn Error>> = motions
        .into_iter()
        .map(|(name, narrowing, frequency, swing)| {
            let frames = record(&refinement, narrowing, frequency, swing)?;
            Ok(TrainingSequence { name: name.to_owned(), frame_seconds: SECONDS, frames })
        })
        .collect();
    let training = TrainingSet { sequences: sequences? };
    let unseen = record(&refinement, 0.33, 0.9, 0.1)?;
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
    let methods = [
        ("six poses", Method::Wpsd(WpsdParams::default())),
        ("displacement maps", Method::Pdm(PdmParams::default())),
        ("linear rows", Method::Piu(PiuParams::default())),
        ("rows and modes", Method::Piu(PiuParams { modes: Some(ModesParams::default()), ..PiuParams::default() })),
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
    assert!(best < 0.6 * plain.l2, "{best} of {}", plain.l2);
    Ok(())
}

/// Two seconds of a fine curtain that hangs from its upper corners, with the coarse shape of each frame.
fn record(
    refinement: &Refinement,
    narrowing: f64,
    frequency: f64,
    swing: f64,
) -> Result<Vec<TrainingFrame>, Box<dyn Error>> {
    let fine = refinement.fine_mesh();
    let is_top = |p: &Vec3| p.y > fine.positions.iter().fold(f64::NEG_INFINITY, |top, p| p.y.max(top)) - 1e-9;
    let top = (0u32..).zip(&fine.positions).filter(|(_, p)| is_top(p) && p.x.abs() > 0.499).map(|(v, _)| v);
    let pins: Vec<u32> = top.collect();
    let curtain = Body::cloth(fine, &ClothMaterial::default())?.pin(pins.clone()).named("curtain");
    let damping = Damping { drag: 2.0, ..Damping::default() };
    let mut sim = Simulation::builder().body(curtain).time_step(SECONDS).damping(damping).build()?;
    let mut frames = Vec::new();
    for frame in 0..120 {
        let phase = 2.0 * std::f64::consts::PI * frequency * frame as f64 * SECONDS;
        for &pin in &pins {
            let rest = fine.positions[pin as usize];
            let target = rest * Vec3::new(1.0 - narrowing * 0.5 * (1.0 - phase.cos()), 1.0, 1.0);
            sim.move_pin("curtain", pin, target + Vec3::Z * (swing * phase.sin()))?;
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
