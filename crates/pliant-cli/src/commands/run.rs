//! `pliant run`.

use std::error::Error;
use std::time::Instant;

use pliant_scene::{SceneRun, Verdict};

use super::{load, solver};
use crate::Outcome;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// A scene file, or the name of a built-in scene.
    scene: String,
    /// Frames to simulate, instead of those of the scene.
    #[arg(long)]
    frames: Option<u32>,
    /// Change a value of the scene, such as `world.frames=10`; may be given several times.
    #[arg(long, value_name = "PATH=VALUE")]
    set: Vec<String>,
    /// Number of threads; the result does not depend on it.
    #[arg(long)]
    threads: Option<usize>,
    /// Solver instead of the scene's: plain, anderson, chebyshev, newton or semi-implicit.
    #[arg(long)]
    solver: Option<String>,
    /// Iterations of a solver that is given.
    #[arg(long, default_value_t = 10)]
    iterations: usize,
    /// Say nothing but errors.
    #[arg(long, conflicts_with = "json")]
    quiet: bool,
    /// Print one JSON object for each frame and one for the result.
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<Outcome, Box<dyn Error>> {
    let scene = load(&arguments.scene, &arguments.set)?;
    let choice = arguments.solver.as_deref().map(|name| solver(name, arguments.iterations)).transpose()?;
    let mut run = scene.build_with(|mut builder| {
        if let Some(choice) = choice {
            builder = builder.solver(choice);
        }
        match arguments.threads {
            Some(threads) => builder.threads(threads),
            None => builder,
        }
    })?;
    let frames = arguments.frames.unwrap_or_else(|| scene.frames());
    let begun = Instant::now();
    for frame in 1..=frames {
        let reports = run.next_frame()?;
        if arguments.json {
            let iterations: usize = reports.iter().map(|report| report.solve.iterations).sum();
            let seconds: f64 = reports.iter().map(|report| report.seconds_total).sum();
            let record = serde_json::json!({
                "frame": frame, "time": run.sim.time(), "iterations": iterations, "seconds": seconds,
            });
            println!("{record}");
        } else if !arguments.quiet && (frame % 30 == 0 || frame == frames) {
            let report = run.sim.report();
            println!(
                "frame {frame:5} of {frames}  {:7.2} s  kinetic {:10.3e} J  elastic {:10.3e} J  {:6.1} ms/frame",
                run.sim.time(),
                report.kinetic,
                report.potential(),
                1e3 * begun.elapsed().as_secs_f64() / f64::from(frame),
            );
        }
    }
    Ok(conclude(&run, arguments))
}

/// Prints the verdicts.
fn conclude(run: &SceneRun, arguments: &Arguments) -> Outcome {
    let verdicts = run.verdicts();
    let good = verdicts.iter().all(Verdict::holds);
    for verdict in &verdicts {
        let quantity = format!("{:?}", verdict.expect.quantity);
        let (holds, value) = (verdict.holds(), verdict.value);
        if arguments.json {
            println!("{}", serde_json::json!({ "expect": quantity, "value": value, "holds": holds }));
        } else if !arguments.quiet || !holds {
            let bound = |name: &str, bound: Option<f64>| bound.map_or(String::new(), |b| format!(" {name} {b}"));
            let bounds = bound("above", verdict.expect.above) + &bound("below", verdict.expect.below);
            println!("{} {quantity} = {value:.6}, expected{bounds}", if holds { "ok    " } else { "FAILED" });
        }
    }
    if good { Outcome::Good } else { Outcome::ExpectationFailed }
}
