//! How long the frames of a scene take, for comparisons with other programs that run it: milliseconds for each ten frames, one
//! number to a line.
//!
//! `cargo run --release -p pliant-scene --example step_time curtain 10 body.0.shape.sheet.columns=48`

use std::error::Error;
use std::time::Instant;

use pliant_scene::Scene;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let name = arguments.first().map_or("curtain", String::as_str);
    let tens = arguments.get(1).map_or(Ok(10), |text| text.parse::<u32>())?;
    let mut run = Scene::open(name, arguments.get(2..).unwrap_or_default())?.build()?;
    // The first frame also factors the matrix.
    run.next_frame()?;
    for _ in 0..tens {
        let begun = Instant::now();
        for _ in 0..10 {
            run.next_frame()?;
        }
        println!("{:.6}", 1e3 * begun.elapsed().as_secs_f64());
    }
    assert_eq!(run.frame(), 10 * tens + 1);
    Ok(())
}
