//! A number for the state that scenes come to, to compare machines, and how long a step takes: a line for each scene with its name, its
//! hash, and milliseconds per step: what a tenth of the frames are below, since other programs delay the others.
//!
//! `cargo run --release -p pliant-scene --example state_hash -- portable 20 curtain dam-break`
//!
//! `portable` computes with the instructions that every machine has; `native` with the best of this one. Both take one thread. Overrides of scenes come
//! behind a name, after commas: `curtain,body.0.shape.sheet.columns=80,body.0.shape.sheet.rows=80`.

use std::error::Error;
use std::time::Instant;

use pliant_scene::Scene;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [instructions, frames, scenes @ ..] = &arguments[..] else {
        return Err("usage: state_hash portable|native FRAMES SCENE…".into());
    };
    match instructions.as_str() {
        "portable" => pliant::math::instructions::use_portable()?,
        "native" => {}
        other => return Err(format!("instructions are {other:?}, but must be portable or native").into()),
    }
    let frames: u32 = frames.parse()?;
    for described in scenes {
        let mut parts = described.split(',').map(str::to_owned);
        let name = parts.next().unwrap_or_default();
        let overrides: Vec<String> = parts.collect();
        let mut run = Scene::open(&name, &overrides)?.build_with(|builder| builder.threads(1))?;
        let mut times = Vec::new();
        for _ in 0..frames {
            let begun = Instant::now();
            let steps = run.next_frame()?.len().max(1);
            times.push(1e3 * begun.elapsed().as_secs_f64() / steps as f64);
        }
        times.sort_by(f64::total_cmp);
        let quick = times.get(times.len() / 10).copied().unwrap_or(f64::NAN);
        println!("{described} {:016x} {quick:.4}", run.sim.state_hash());
    }
    Ok(())
}
