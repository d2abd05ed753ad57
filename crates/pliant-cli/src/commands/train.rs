//! `pliant train`: simulates motions with a fine cloth that tracks the coarse one, fits models, and measures their errors.

mod pictures;
mod report;

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use pliant::upsample::{FitReport, Provenance, TrainingSequence, TrainingSet, Upsampler};
use pliant_scene::Scene;
use pliant_scene::train::{self, Training, TrainingMotion};
use serde_json::json;

use self::report::{Fitted, Generated, Report};
use crate::Outcome;
use crate::output::{say, say_error};
use crate::progress::{Output, TrainProgress};

#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// A scene file with [train], or the name of a built-in scene.
    scene: String,
    /// Folder for motions, models and the report; out/train/NAME by default.
    #[arg(long)]
    out: Option<PathBuf>,
    /// Continue interrupted training; motions that are finished are not simulated again.
    #[arg(long)]
    resume: bool,
    /// Replace earlier training in the same folder.
    #[arg(long, conflicts_with = "resume")]
    overwrite: bool,
    /// Methods instead of those of the scene, separated by commas: wpsd, pdm, piu.
    #[arg(long, value_delimiter = ',')]
    methods: Vec<String>,
    /// Change a value of the scene, such as `body.0.upsample.levels=2`; may be given several times.
    #[arg(long, value_name = "PATH=VALUE")]
    set: Vec<String>,
    /// Draw no pictures and plots.
    #[arg(long)]
    no_pictures: bool,
    /// Print only errors.
    #[arg(long, conflicts_with = "json")]
    quiet: bool,
    /// Print the report as JSON.
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "Examples:
  pliant train flag-detail                          motions, models and the report in out/train/flag-detail
  pliant train my.toml --resume                     continue after an interruption
  pliant train my.toml --methods wpsd,piu
  pliant run flag-detail --set body.0.upsample.model=out/train/flag-detail/models/wpsd.upsample

Exit codes: 0 if models were made, 2 for errors.";

/// What the folder is of.
const ORIGIN: &str = "training.json";
/// Keys of a scene that do not change its motions.
const FIT_KEYS: [&str; 5] = ["methods", "poses", "pdm_regularisation", "piu_regularisation", "piu_modes"];
/// What training leaves beside that.
const SEQUENCES: &str = "sequences";
const MODELS: &str = "models";
/// Extension of models.
const EXTENSION: &str = "upsample";

pub(crate) fn run(arguments: &Arguments) -> Result<Outcome, Box<dyn Error>> {
    let mut set = arguments.set.clone();
    if !arguments.methods.is_empty() {
        let names: Vec<String> = arguments.methods.iter().map(|name| format!("{name:?}")).collect();
        set.push(format!("train.methods=[{}]", names.join(", ")));
    }
    let scene = Scene::open(&arguments.scene, &set)?;
    let training = Training::new(&scene)?;
    let dir = arguments.out.clone().unwrap_or_else(|| default_folder(&arguments.scene));
    prepare(&scene, &dir, arguments)?;
    let voice = Output::of(arguments.quiet, arguments.json);
    let begun = Instant::now();
    let generated = simulate(&training, &dir, voice)?;
    let load = |motion: &TrainingMotion| train::load(&training, motion, &dir.join(SEQUENCES).join(&motion.name));
    let sequences: Vec<TrainingSequence> = training.motions().iter().map(load).collect::<Result<_, _>>()?;
    // All of them before anything is written, also those that errors are measured on.
    let (mut known, all) = (TrainingSet::default(), TrainingSet { sequences });
    training.check(&all)?;
    let is_known = |(motion, _): &(&TrainingMotion, &TrainingSequence)| !motion.held_out;
    let both = || training.motions().iter().zip(&all.sequences);
    known.sequences.extend(both().filter(is_known).map(|(_, sequence)| sequence.clone()));
    let fitted = fit(&training, &known, &arguments.scene, voice)?;
    fs::create_dir_all(dir.join(MODELS))?;
    for Fitted { model, .. } in &fitted {
        let file = dir.join(MODELS).join(model.method().name()).with_extension(EXTENSION);
        pliant_io::write_whole(&file, &model.to_bytes())
            .map_err(|error| format!("cannot write {}: {error}", file.display()))?;
    }
    let mut report = Report::new(&training, generated, &fitted);
    let models: Vec<&Upsampler> = fitted.iter().map(|fitted| &fitted.model).collect();
    for (motion, sequence) in both() {
        measure(&training, motion, sequence, &models, &mut report, &dir, arguments)?;
    }
    report.seconds = begun.elapsed().as_secs_f64();
    report.write(&dir, !arguments.no_pictures)?;
    match voice {
        Output::Json => say!("{}", report.to_json()),
        Output::Plain => say!("{}", report.to_text(&dir)),
        Output::Quiet => {}
    }
    Ok(Outcome::Good)
}

/// out/train/NAME, after the file without its folder and extension.
fn default_folder(scene: &str) -> PathBuf {
    Path::new("out").join("train").join(Path::new(scene).file_stem().unwrap_or_default())
}

/// Begins the folder, or sees to it that what it holds is of this scene.
fn prepare(scene: &Scene, dir: &Path, arguments: &Arguments) -> Result<(), Box<dyn Error>> {
    let (path, text) = scene.source();
    let origin = json!({ "path": path.to_string_lossy(), "text": text });
    let file = dir.join(ORIGIN);
    match fs::read_to_string(&file) {
        Ok(found) if arguments.resume => {
            let found: serde_json::Value = serde_json::from_str(&found).unwrap_or_default();
            // Other methods can be learnt from the same motions.
            if without_methods(found["text"].as_str().unwrap_or_default()) != without_methods(text) {
                let dir = dir.display();
                return Err(format!("{dir} holds training of another scene; give --overwrite or another --out").into());
            }
        }
        Ok(_) if arguments.overwrite => {
            for name in [SEQUENCES, MODELS] {
                match fs::remove_dir_all(dir.join(name)) {
                    Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                        return Err(format!("cannot remove {}: {error}", dir.join(name).display()).into());
                    }
                    _ => {}
                }
            }
        }
        Ok(_) => {
            let dir = dir.display();
            return Err(format!("{dir} holds training already; give --resume, --overwrite or another --out").into());
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            if arguments.resume {
                return Err(format!("{} holds no training; omit --resume to begin one", dir.display()).into());
            }
        }
        Err(error) => return Err(format!("cannot read {}: {error}", file.display()).into()),
    }
    fs::create_dir_all(dir).map_err(|error| format!("cannot create {}: {error}", dir.display()))?;
    let text = serde_json::to_string_pretty(&origin)? + "\n";
    pliant_io::write_whole(&file, text.as_bytes())
        .map_err(|error| format!("cannot write {}: {error}", file.display()).into())
}

/// A scene's lines but those that say how models are fitted, where each stands on a line.
fn without_methods(text: &str) -> Vec<&str> {
    let is_of_fit = |line: &&str| FIT_KEYS.iter().any(|key| line.trim_start().starts_with(key));
    text.lines().filter(|line| !is_of_fit(line)).map(str::trim_end).collect()
}

/// Simulates all motions that are not finished.
fn simulate(training: &Training, dir: &Path, voice: Output) -> Result<Vec<Generated>, Box<dyn Error>> {
    let frames = training.motions().iter().map(|motion| motion.frames).sum();
    let mut progress = TrainProgress::new(voice, frames);
    let mut generated = Vec::new();
    let mut before = 0;
    for motion in training.motions() {
        let begun = Instant::now();
        let folder = dir.join(SEQUENCES).join(&motion.name);
        let step = |frame: u32| progress.frame(before + frame, &motion.name, frame, motion.frames);
        let largest_offset = train::generate(training, motion, &folder, step, |note| say_error!("note: {note}"))?;
        before += motion.frames;
        let seconds = begun.elapsed().as_secs_f64();
        generated.push(Generated { motion: motion.name.clone(), largest_offset, seconds });
    }
    progress.finish();
    Ok(generated)
}

/// Fits a model by each method.
fn fit(training: &Training, known: &TrainingSet, scene: &str, voice: Output) -> Result<Vec<Fitted>, Box<dyn Error>> {
    let names: Vec<&str> = known.sequences.iter().map(|sequence| sequence.name.as_str()).collect();
    let provenance = Provenance {
        scene: scene.to_owned(),
        date: today(),
        notes: format!("body {:?}, learnt from {}", training.body(), names.join(", ")),
    };
    let mut fitted = Vec::new();
    for method in training.methods() {
        let begun = Instant::now();
        let mut progress = TrainProgress::new(voice, 100);
        let (model, found): (Upsampler, FitReport) =
            Upsampler::fit_with(training.refinement(), known, method, &mut |at| {
                progress.share(at.done, method.name(), at.stage);
            })?;
        progress.finish();
        let (model, seconds) = (model.with_provenance(provenance.clone()), begun.elapsed().as_secs_f64());
        fitted.push(Fitted { model, report: found, seconds });
    }
    Ok(fitted)
}

/// Errors of all methods in a motion, and a picture of them if it is held out.
fn measure(
    training: &Training,
    motion: &TrainingMotion,
    sequence: &TrainingSequence,
    models: &[&Upsampler],
    report: &mut Report,
    dir: &Path,
    arguments: &Arguments,
) -> Result<(), Box<dyn Error>> {
    let refinement = training.refinement();
    let mut shown = vec![train::Shown::smooth(refinement, sequence)?];
    if motion.held_out {
        shown.push(train::Shown::wrinkles(refinement, sequence)?);
    }
    for model in models {
        shown.push(train::Shown::model(model, sequence)?);
    }
    for shown in &shown {
        report.add(motion.held_out, shown.score(refinement, sequence)?);
    }
    if motion.held_out && !arguments.no_pictures {
        let name = format!("comparison-{}.png", motion.name);
        pictures::side_by_side(training, motion, sequence, &shown)?.save_png(dir.join(&name))?;
        report.pictures.push((motion.name.clone(), name));
    }
    Ok(())
}

/// The date as YYYY-MM-DD, of the proleptic Gregorian calendar.
fn today() -> String {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let mut days = seconds / 86400;
    let is_leap = |year: u64| year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let mut year = 1970;
    while days >= 365 + u64::from(is_leap(year)) {
        days -= 365 + u64::from(is_leap(year));
        year += 1;
    }
    let february = 28 + u64::from(is_leap(year));
    let mut month = 1;
    for length in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] {
        if days < length {
            break;
        }
        days -= length;
        month += 1;
    }
    format!("{year}-{month:02}-{:02}", days + 1)
}
