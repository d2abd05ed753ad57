//! `pliant run`.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::time::Instant;

use pliant::StepReport;
use pliant_io::store::{RunInfo, RunStore};
use pliant_io::write::Format;
use pliant_scene::{Scene, SceneRun, Verdict};
use serde_json::{Map, Value, json};

use super::{export, load, preview, solver};
use crate::Outcome;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// A scene file, or the name of a built-in scene.
    scene: String,
    /// Frames to simulate, instead of those of the scene.
    #[arg(long)]
    frames: Option<u32>,
    /// Folder for frames, checkpoints and log; out/NAME by default.
    #[arg(long)]
    out: Option<PathBuf>,
    /// Formats to export to when done, instead of those of the scene, separated by commas: obj, ply, vtu, npy, glb, pc2, mdd, usda.
    #[arg(long, value_delimiter = ',')]
    format: Vec<String>,
    /// Draw the run: preview.png and preview.gif in its folder; `--preview=false` where the scene would.
    #[arg(long, num_args = 0..=1, require_equals = true, default_missing_value = "true", value_name = "BOOL")]
    preview: Option<bool>,
    /// Continue an interrupted run from its last checkpoint; the frames come out as if it had not been interrupted.
    #[arg(long)]
    resume: bool,
    /// Replace an earlier run in the same folder.
    #[arg(long, conflicts_with = "resume")]
    overwrite: bool,
    /// Frames between checkpoints.
    #[arg(long, default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..))]
    checkpoint_every: u32,
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
    /// Say nothing but errors and failed expectations.
    #[arg(long, conflicts_with = "json")]
    quiet: bool,
    /// Print one JSON object for each frame and one for each expectation.
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<Outcome, Box<dyn Error>> {
    let scene = load(&arguments.scene, &arguments.set)?;
    let wanted = scene.output()?;
    let formats = match arguments.format.as_slice() {
        [] => wanted.formats,
        given => export::formats(given)?,
    };
    let mut run = build(&scene, arguments)?;
    let frames = arguments.frames.unwrap_or_else(|| scene.frames());
    let dir = arguments.out.clone().unwrap_or_else(|| default_folder(&arguments.scene));
    let mut store = open_store(&scene, &mut run, &dir, arguments)?;
    let begun = Instant::now();
    let first = run.frame();
    while run.frame() < frames {
        let reports = run.next_frame()?;
        let number = u64::from(run.frame());
        store.write_frame(number, &run.stored_frame())?;
        let entry = log_entry(&run, &reports);
        store.append_log(number, &entry)?;
        if run.frame() % arguments.checkpoint_every == 0 || run.frame() == frames {
            store.write_checkpoint(number, &run.save())?;
        }
        tell(&run, &entry, frames, begun.elapsed().as_secs_f64() / f64::from(run.frame() - first), arguments);
    }
    for format in formats {
        let written = export::write(&store, format, &dir, wanted.every)?;
        if !arguments.quiet && !arguments.json {
            println!("{} {}", format.name(), written.display());
        }
    }
    let outcome = conclude(&run, &dir, arguments);
    if arguments.preview.or(wanted.preview).unwrap_or(false) {
        for file in preview::draw(&store, &dir, wanted.colour_by)? {
            if !arguments.quiet && !arguments.json {
                println!("{}", file.display());
            }
        }
    }
    Ok(outcome)
}

fn build(scene: &Scene, arguments: &Arguments) -> Result<SceneRun, Box<dyn Error>> {
    let choice = arguments.solver.as_deref().map(|name| solver(name, arguments.iterations)).transpose()?;
    Ok(scene.build_with(|mut builder| {
        if let Some(choice) = choice {
            builder = builder.solver(choice);
        }
        match arguments.threads {
            Some(threads) => builder.threads(threads),
            None => builder,
        }
    })?)
}

/// out/NAME, after the file without its folder and extension.
fn default_folder(scene: &str) -> PathBuf {
    let stem = Path::new(scene).file_stem().unwrap_or_default();
    Path::new("out").join(stem)
}

/// A new store, or an interrupted one with the run brought to its last checkpoint.
fn open_store(
    scene: &Scene,
    run: &mut SceneRun,
    dir: &Path,
    arguments: &Arguments,
) -> Result<RunStore, Box<dyn Error>> {
    if arguments.resume {
        let (store, checkpoint) = RunStore::resume(dir)?;
        run.restore(&checkpoint.bytes)?;
        return Ok(store);
    }
    if RunStore::open(dir).is_ok() {
        if !arguments.overwrite {
            let dir = dir.display();
            return Err(format!("{dir} holds a run already; give --resume, --overwrite or another --out").into());
        }
        remove_run(dir)?;
    }
    let info = RunInfo { frame_rate: scene.frame_rate(), ..RunInfo::default() };
    let mut store = RunStore::create(dir, run.topology(), &info)?;
    store.write_frame(0, &run.stored_frame())?;
    Ok(store)
}

/// Removes an earlier run, and nothing else that the folder may hold.
fn remove_run(dir: &Path) -> std::io::Result<()> {
    for name in ["scene.bin", "log.jsonl", "lock", "preview.png", "preview.gif", "frames", "checkpoints", "export"] {
        let path = dir.join(name);
        if path.is_dir() {
            std::fs::remove_dir_all(path)?;
        } else if path.exists() {
            std::fs::remove_file(path)?;
        }
    }
    Ok(())
}

/// What the log says of a frame.
fn log_entry(run: &SceneRun, reports: &[StepReport]) -> Map<String, Value> {
    let state = run.sim.report();
    let mut entry = Map::new();
    let mut add = |key: &str, value: Value| drop(entry.insert(key.to_owned(), value));
    add("time", json!(state.time));
    add("kinetic", json!(state.kinetic));
    add("elastic", json!(state.potential()));
    add("gravitational", json!(state.gravitational));
    add("max_speed", json!(state.max_speed));
    add("iterations", json!(reports.iter().map(|r| r.solve.iterations).sum::<usize>()));
    add("residual", json!(reports.iter().fold(0.0_f64, |m, r| m.max(r.solve.residual))));
    add("seconds", json!(reports.iter().map(|r| r.seconds_total).sum::<f64>()));
    add("seconds_local", json!(reports.iter().map(|r| r.solve.seconds_local).sum::<f64>()));
    add("seconds_global", json!(reports.iter().map(|r| r.solve.seconds_global).sum::<f64>()));
    entry
}

/// A line now and then, or each frame's record.
fn tell(run: &SceneRun, entry: &Map<String, Value>, frames: u32, seconds: f64, arguments: &Arguments) {
    let frame = run.frame();
    if arguments.json {
        let mut record = entry.clone();
        record.insert("frame".to_owned(), json!(frame));
        println!("{}", Value::Object(record));
    } else if !arguments.quiet && (frame.is_multiple_of(30) || frame == frames) {
        let number = |key: &str| entry.get(key).and_then(Value::as_f64).unwrap_or(f64::NAN);
        println!(
            "frame {frame:5} of {frames}  {:7.2} s  kinetic {:10.3e} J  elastic {:10.3e} J  {:6.1} ms/frame, {:.0} s left",
            number("time"),
            number("kinetic"),
            number("elastic"),
            1e3 * seconds,
            seconds * f64::from(frames - frame),
        );
    }
}

/// Prints the verdicts.
fn conclude(run: &SceneRun, dir: &Path, arguments: &Arguments) -> Outcome {
    let verdicts = run.verdicts();
    let good = verdicts.iter().all(Verdict::holds);
    for verdict in &verdicts {
        let (holds, value, quantity) = (verdict.holds(), verdict.value, verdict.expect.quantity.name());
        if arguments.json {
            println!("{}", json!({ "expect": quantity, "value": value, "holds": holds }));
        } else if !arguments.quiet || !holds {
            let bound = |name: &str, bound: Option<f64>| bound.map_or(String::new(), |b| format!(" {name} {b}"));
            let bounds = bound("above", verdict.expect.above) + &bound("below", verdict.expect.below);
            println!("{} {quantity} = {value:.6}, expected{bounds}", if holds { "ok    " } else { "FAILED" });
        }
    }
    if !arguments.quiet && !arguments.json {
        println!("frames, checkpoints and log are in {}", dir.display());
    }
    if good { Outcome::Good } else { Outcome::ExpectationFailed }
}

/// Exported files go into the run's folder.
pub(crate) fn exported_path(dir: &Path, format: Format) -> PathBuf {
    let name = dir.file_name().unwrap_or_default();
    dir.join("export").join(format.name()).join(name).with_extension(format.extension())
}
