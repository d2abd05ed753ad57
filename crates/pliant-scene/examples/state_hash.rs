//! A number for the state that scenes come to, to compare machines: a line for each scene, with its name and hash.
//!
//! `cargo run --release -p pliant-scene --example state_hash -- portable 20 curtain dam-break`
//!
//! `portable` computes with the instructions that every machine has; `native` with the best of this one. Both take one thread. Overrides of scenes come
//! behind a name, after commas: `curtain,body.0.shape.sheet.columns=80,body.0.shape.sheet.rows=80`.

use std::error::Error;

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
        for _ in 0..frames {
            run.next_frame()?;
        }
        println!("{described} {:016x}", run.sim.state_hash());
    }
    Ok(())
}
