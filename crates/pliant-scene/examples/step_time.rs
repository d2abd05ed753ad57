//! How long a frame of a scene takes, for comparisons with other programs that run it: the fastest of some rounds, each from the
//! start of the scene.
//!
//! `cargo run --release -p pliant-scene --example step_time curtain 100 3 world.frames=100`

use std::error::Error;
use std::time::Instant;

use pliant_scene::Scene;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let name = arguments.first().map_or("curtain", String::as_str);
    let number = |place: usize, standard| arguments.get(place).map_or(Ok(standard), |text| text.parse::<u32>());
    let (frames, rounds) = (number(1, 100)?, number(2, 3)?);
    let overrides = arguments.get(3..).unwrap_or_default();
    let mut best = f64::INFINITY;
    for _ in 0..rounds {
        let mut run = Scene::open(name, overrides)?.build()?;
        // The first frame also factors the matrix.
        run.next_frame()?;
        let begun = Instant::now();
        for _ in 0..frames {
            run.next_frame()?;
        }
        best = best.min(begun.elapsed().as_secs_f64() / f64::from(frames));
        assert_eq!(run.frame(), frames + 1);
    }
    println!("{:.4} ms for a frame of {name}", 1e3 * best);
    Ok(())
}
