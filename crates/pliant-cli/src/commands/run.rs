//! `pliant run`.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::time::Instant;

use pliant::solve::SolverChoice;
use pliant::{MOST_THREADS, ModelError, StepError};
use pliant_io::store::RunStore;
use pliant_io::write::ExportFormat;
use pliant_scene::format::{ColorBy, Preview};
use pliant_scene::{Scene, SceneRun, log_entry};
use serde_json::json;

use super::origin::Origin;
use super::{export, gpu, place, preview, solver, solver_names};
use crate::Outcome;
use crate::output::{say, say_error};
use crate::progress::{Output, Progress};
use crate::summary::{self, Summary, verdict_json};

#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// A scene file, or the name of a built-in scene.
    scene: String,
    /// Number of frames to simulate, instead of that of the scene.
    #[arg(long)]
    frames: Option<u32>,
    /// Folder for frames, checkpoints and log; out/NAME by default.
    #[arg(long)]
    out: Option<PathBuf>,
    /// Formats to export to after the run, instead of those of the scene, separated by commas: obj, ply, vtu, npy, glb,
    /// pc2, mdd, usda.
    #[arg(long, value_delimiter = ',')]
    format: Vec<String>,
    /// Which parts of fluids to export. By default both if the format supports changing meshes, else particles.
    #[arg(long, value_enum, value_name = "WHAT")]
    fluid: Option<export::FluidChoice>,
    /// Pictures to draw after the run, instead of those of the scene; animation by default. `--preview` without a value
    /// means `--preview=frames`. An animation takes two to six seconds of a processor core, however long the run.
    #[arg(
        long,
        value_enum,
        value_name = "WHICH",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "frames"
    )]
    preview: Option<Preview>,
    /// Draw no pictures, same as `--preview=off`.
    #[arg(long, conflicts_with = "preview")]
    no_preview: bool,
    /// What the colours of pictures show, instead of the scene's setting; body by default.
    #[arg(long, value_enum, value_name = "WHAT")]
    color: Option<ColorBy>,
    /// Continue an interrupted run from its last usable checkpoint; the frames are the same as without the interruption.
    #[arg(long)]
    resume: bool,
    /// Replace an earlier run in the same folder, unless another process is writing to it.
    #[arg(long, conflicts_with = "resume")]
    overwrite: bool,
    /// Frames between checkpoints; there is always one at frame 0 and one at the end.
    #[arg(long, default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..))]
    checkpoint_every: u32,
    /// Change a value of the scene, such as `world.frames=10`; may be given several times.
    #[arg(long, value_name = "PATH=VALUE")]
    set: Vec<String>,
    /// Number of threads, at most 1024; 0 for one per core. The result does not depend on it, and more threads than
    /// cores do not make it faster.
    #[arg(long)]
    threads: Option<usize>,
    #[arg(long, help = format!("Solver instead of the scene's: {}", solver_names()))]
    solver: Option<String>,
    /// Number of iterations, with `--solver`.
    #[arg(long, default_value_t = 10)]
    iterations: usize,
    /// Compute on a graphics processor, by the scene's solver or that of `--solver`: auto, plain, chebyshev,
    /// two-metric, and pbd and xpbd where the state can stay there.
    /// `--gpu=NAME` takes the adapter whose name contains NAME; `pliant gpu` lists them.
    #[arg(long, value_name = "NAME", num_args = 0..=1, require_equals = true)]
    gpu: Option<Option<String>>,
    /// Print only errors and failed expectations.
    #[arg(long, conflicts_with = "json")]
    quiet: bool,
    /// Print one JSON object for each frame and one for each expectation.
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "Examples:
  pliant run curtain                                 frames, pictures, log and summary in out/curtain
  pliant run curtain --color strain --preview=poster one picture, coloured by strain
  pliant run my.toml --set world.frames=30 --no-preview
  pliant run my.toml --resume                        continue after an interruption, bit for bit
  pliant run flag --solver newton --format glb,usda  another solver; files for other programs
  pliant run curtain --gpu                           on a graphics processor
  pliant run flag --json | jq .max_stretch           one record per frame

Exit codes: 0 if all expectations hold, 1 if one does not, 2 for errors.";

pub(crate) fn run(arguments: &Arguments) -> Result<Outcome, Box<dyn Error>> {
    let mut scene = Scene::open(&arguments.scene, &arguments.set)?;
    if let Some(adapter) = &arguments.gpu {
        gpu::check(adapter.as_deref())?;
        if arguments.solver.is_none() {
            scene = scene.on_gpu(adapter.as_deref())?;
        }
    }
    let wanted = scene.output()?;
    let formats = match arguments.format.as_slice() {
        [] => wanted.formats,
        given => export::formats(given)?,
    };
    let voice = Output::of(arguments.quiet, arguments.json);
    let mut run = build(&scene, arguments)?;
    export::check_fluids(run.sim.model(), &formats, arguments.fluid)?;
    let frames = arguments.frames.unwrap_or_else(|| scene.frames());
    let dir = arguments.out.clone().unwrap_or_else(|| default_folder(&arguments.scene));
    run.plan_frames(frames);
    if !arguments.resume {
        // Before there is a folder. What is resumed goes there from its checkpoint.
        run.settle_in().map_err(|error| placed(&scene, error.into()))?;
    }
    let mut store = match (arguments.resume, arguments.overwrite) {
        (true, _) => place::resume(&scene, &mut run, &dir)?,
        (false, true) => place::replace(&scene, &run, &dir)?,
        (false, false) => place::create(&scene, &run, &dir)?,
    };
    Origin::of(&scene, arguments.solver.as_deref(), arguments.iterations).write(&dir)?;
    let (begun, first) = (Instant::now(), run.frame());
    simulate(&mut run, &mut store, frames, arguments.checkpoint_every, voice).map_err(|error| placed(&scene, error))?;
    let summary = Summary::of(&arguments.scene, &run, &store, first, begun.elapsed().as_secs_f64())?;
    // Before what may still fail; it is written again when the pictures are known.
    summary.write(&dir, None)?;
    let extras = export::Extras::of(&scene, &run);
    let mut exported: Vec<PathBuf> = Vec::new();
    for format in formats {
        match export::write(&store, format, &dir, wanted.every, None, arguments.fluid, &extras) {
            // The others may be able to.
            Err(error) if export::is_of_one_mesh(error.as_ref()) => say_error!("note: {error}"),
            written => exported.push(written?),
        }
    }
    let which = if arguments.no_preview { Preview::Off } else { arguments.preview.unwrap_or(wanted.preview) };
    let drawn =
        preview::draw(&run, &store, &dir, which, arguments.color.unwrap_or(wanted.color), &scene.look()?, None)?;
    if which != Preview::Off {
        summary.write(&dir, Some((&drawn.files, drawn.seconds)))?;
    }
    // Pictures of a large run take a while.
    store.check_complete()?;
    tell(&summary, &dir, &exported, &drawn, voice);
    Ok(if summary.holds() { Outcome::Good } else { Outcome::ExpectationFailed })
}

/// Simulates up to a frame, storing each, with checkpoints and the log.
pub(crate) fn simulate(
    run: &mut SceneRun,
    store: &mut RunStore,
    frames: u32,
    checkpoint_every: u32,
    voice: Output,
) -> Result<(), Box<dyn Error>> {
    let mut progress = Progress::new(voice, frames, run.frame());
    let mut changes = run.topology_changes();
    while run.frame() < frames {
        let reports = match run.next_frame() {
            Ok(reports) => reports,
            Err(error) => {
                // What is on a GPU may be lost, but not what has come back from it.
                let number = u64::from(run.frame());
                if run.is_on_gpu() && store.checkpoints().last() != Some(&number) {
                    store.write_checkpoint(number, &run.save())?;
                }
                return Err(error.into());
            }
        };
        let number = u64::from(run.frame());
        if run.topology_changes() != changes {
            changes = run.topology_changes();
            store.write_topology(number, run.topology())?;
        }
        store.write_frame(number, &run.stored_frame())?;
        let entry = log_entry(run, &reports);
        store.append_log(number, &entry)?;
        if run.frame().is_multiple_of(checkpoint_every) || run.frame() == frames {
            store.write_checkpoint(number, &run.save())?;
        }
        progress.frame(run.frame(), &entry);
    }
    progress.finish();
    // A frame that somebody has removed meanwhile must not pass for a finished run.
    store.check_complete()?;
    Ok(())
}

fn build(scene: &Scene, arguments: &Arguments) -> Result<SceneRun, Box<dyn Error>> {
    // Here as well as in the engine, whose error would point into the scene.
    if let Some(threads) = arguments.threads.filter(|threads| *threads > MOST_THREADS) {
        return Err(ModelError::TooManyThreads { threads, limit: MOST_THREADS }.into());
    }
    let mut must_stay = None;
    let choice = match (arguments.solver.as_deref(), &arguments.gpu) {
        (None, _) => None,
        (Some(name), None) => Some(solver(name, arguments.iterations)?),
        (Some(name), Some(adapter)) => {
            let choice = solver(name, arguments.iterations)?;
            Some(match choice {
                // The engine's solvers, for worlds that stay on the GPU.
                SolverChoice::PositionBased(_) | SolverChoice::FollowLeader(_) => {
                    must_stay = Some(adapter.as_deref());
                    choice
                }
                _ => gpu::moved(name, &choice, adapter.as_deref())?,
            })
        }
    };
    let mut run = scene.build_with(|mut builder| {
        if let Some(choice) = choice {
            builder = builder.solver(choice);
        }
        match arguments.threads {
            Some(threads) => builder.threads(threads),
            None => builder,
        }
    })?;
    if let Some(adapter) = must_stay {
        run.stay_on_gpu(adapter);
    }
    Ok(run)
}

/// An error of a step at its place in the scene, if it has one.
fn placed(scene: &Scene, error: Box<dyn Error>) -> Box<dyn Error> {
    match error.downcast_ref::<StepError>().and_then(|error| scene.fault_of_step(error)) {
        Some(placed) => placed.into(),
        None => error,
    }
}

/// out/NAME, after the file without its folder and extension.
fn default_folder(scene: &str) -> PathBuf {
    let stem = Path::new(scene).file_stem().unwrap_or_default();
    Path::new("out").join(stem)
}

/// Prints the verdicts, where the time went, and what is where.
fn tell(summary: &Summary, dir: &Path, exported: &[PathBuf], drawn: &preview::Drawn, voice: Output) {
    for verdict in summary.verdicts() {
        let (holds, value, quantity) = (verdict.holds(), verdict.value, verdict.expect.quantity.name());
        if voice == Output::Json {
            say!("{}", verdict_json(verdict));
        } else if voice == Output::Plain || !holds {
            let bound = |name: &str, bound: Option<f64>| bound.map_or(String::new(), |b| format!(" {name} {b}"));
            let bounds = bound("above", verdict.expect.above) + &bound("below", verdict.expect.below);
            say!("{} {quantity} = {value:.6}, expected{bounds}", if holds { "ok    " } else { "FAILED" });
        }
    }
    if voice == Output::Json {
        let preview = (!drawn.files.is_empty()).then_some((&drawn.files[..], drawn.seconds));
        say!("{}", json!({ "summary": summary.to_json(preview) }));
    } else if voice == Output::Plain {
        say!("{}", summary.timing());
        say!("{}", summary.solver());
        summary.contact().into_iter().for_each(|line| say!("{line}"));
        let names: Vec<String> =
            drawn.files.iter().filter_map(|f| f.file_name()).map(|n| n.display().to_string()).collect();
        if !names.is_empty() {
            say!("drawn in {:.1} s: {}", drawn.seconds, names.join(", "));
        }
        exported.iter().for_each(|path| say!("exported: {}", path.display()));
        say!("frames, checkpoints, log.jsonl and {} are in {}", summary::FILE, dir.display());
    }
}

/// Exported files go into the run's folder.
pub(crate) fn exported_path(dir: &Path, format: ExportFormat) -> PathBuf {
    let name = dir.file_name().unwrap_or_default();
    dir.join("export").join(format.name()).join(name).with_extension(format.extension())
}
