//! How far motions are from the exact one, and what that costs: every solver and setting on the motions of `problem`.
//!
//! The exact motion is computed by two methods at 1/960 s, each step to convergence; where the two are farther apart than a centimetre the table says
//! so, since no error below that means anything. Solids have references by BDF2, since a rebound remembers what implicit Euler damps even at 1/1920 s. References are kept in a folder, with what they were made from in their name. Times are of the
//! processor, on one thread, and as ratios to ten accelerated projective iterations at 1/60 s.

mod drop;
mod equal_solves;
mod flags;
mod problem;

use std::path::{Path, PathBuf};

use pliant::math::Vec3;
use pliant::solve::{
    NewtonParams, PositionBasedParams, Preconditioner, ProjectiveParams, SolverChoice, TwoMetricParams,
};
use pliant::{Simulation, TimeIntegrator};
use pliant_picture::plot::{Axis, Plot, Series, Style};
use serde::{Deserialize, Serialize};

use crate::BenchError;
use crate::machine;
use crate::table::{Table, three_digits};
use drop::CentreErrors;
pub use problem::{Case, Motion, RATE, cases};

/// Steps in a frame of the reference.
const REFERENCE_STEPS: usize = 16;
/// How near two references must be \[m\].
const AGREE: f64 = 0.01;

/// A solver with a number of steps in a frame.
#[derive(Debug, Clone)]
pub struct Setting {
    /// What tables call it.
    pub name: String,
    solver: SolverChoice,
    steps: usize,
    /// None for the default's.
    integrator: Option<TimeIntegrator>,
}

/// What one setting came to on one case.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Outcome {
    /// Name of the setting.
    pub setting: String,
    /// Processor time of a frame \[ms\].
    pub milliseconds: f64,
    /// Mean distance of vertices from the reference at the frames that are looked at \[m\].
    pub errors: [f64; 3],
    /// Lowest point at the first of these frames \[m\].
    pub lowest: f64,
    /// Linear iterations in a frame.
    pub linear_iterations: f64,
    /// How far the centre of mass is off, of what drops.
    pub centre: Option<CentreErrors>,
    /// Why it ended early, if it did.
    pub failed: Option<String>,
}

/// All settings on one case.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct CaseResults {
    /// What moves.
    pub name: String,
    /// Vertices.
    pub vertices: usize,
    /// Frames that are looked at.
    pub frames: [usize; 3],
    /// How far the two references are apart at these frames \[m\]; none if there is only one.
    pub references_apart: Option<[f64; 3]>,
    /// Lowest point of the reference at the first of these frames \[m\].
    pub lowest: f64,
    /// Setting by setting, the baseline first.
    pub outcomes: Vec<Outcome>,
}

/// All cases.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ConvergenceResults {
    /// Name of the processor.
    pub processor: String,
    /// Programs that wanted to run when it began.
    pub load: Option<f64>,
    /// Case by case.
    pub cases: Vec<CaseResults>,
}

fn two_metric(iterations: usize, linear_iterations: usize, preconditioner: Preconditioner) -> SolverChoice {
    TwoMetricParams { iterations, linear_iterations, preconditioner, ..TwoMetricParams::default() }.into()
}

/// The settings that are compared, the baseline first.
pub fn settings(quick: bool) -> Vec<Setting> {
    let accelerated = |iterations| ProjectiveParams { iterations, ..ProjectiveParams::default() }.into();
    let product = |iterations, linear| two_metric(iterations, linear, Preconditioner::Product);
    let mut list: Vec<(&str, SolverChoice, usize)> = vec![
        ("projective 10", accelerated(10), 1),
        ("auto", SolverChoice::Auto, 1),
        ("projective 100", accelerated(100), 1),
        ("two metrics 2 × 16", product(2, 16), 1),
        ("two metrics 4 × 16", product(4, 16), 1),
        ("two metrics 2 × 16", product(2, 16), 2),
        ("two metrics 1 × 16", product(1, 16), 4),
        ("two metrics 2 × 16", product(2, 16), 4),
    ];
    if !quick {
        let xpbd = |iterations| PositionBasedParams { iterations, ..PositionBasedParams::default() }.into();
        list.extend([
            ("plain 10", ProjectiveParams::plain(10).into(), 1),
            ("plain 2", ProjectiveParams::plain(2).into(), 8),
            ("projective 10", accelerated(10), 4),
            ("two metrics 1 × 16", product(1, 16), 2),
            ("two metrics, sum, 1 × 16", two_metric(1, 16, Preconditioner::Sum), 4),
            ("two metrics, factor, 1 × 16", two_metric(1, 16, Preconditioner::Factor), 4),
            ("position-based 10", xpbd(10), 1),
            ("position-based 1", xpbd(1), 10),
            ("position-based 1", xpbd(1), 20),
            ("Newton 4", NewtonParams { iterations: 4, ..NewtonParams::default() }.into(), 1),
            ("Newton 2", NewtonParams { iterations: 2, ..NewtonParams::default() }.into(), 2),
        ]);
    }
    let named = |(name, solver, steps): (&str, SolverChoice, usize)| {
        let name = if steps == 1 { name.to_owned() } else { format!("{name}, {steps} steps") };
        Setting { name, solver, steps, integrator: None }
    };
    let mut settings: Vec<Setting> = list.into_iter().map(named).collect();
    for (name, integrator) in [
        ("implicit Euler", TimeIntegrator::ImplicitEuler),
        ("BDF2", TimeIntegrator::Bdf2),
        ("TR-BDF2", TimeIntegrator::TrBdf2),
    ] {
        let (name, integrator) = (format!("auto, {name}"), Some(integrator));
        settings.push(Setting { name, solver: SolverChoice::Auto, steps: 1, integrator });
    }
    settings
}

/// The two ways to the exact motion.
fn references(motion: Motion) -> [Setting; 2] {
    let (integrator, suffix) =
        if motion.is_of_cloth() { (TimeIntegrator::ImplicitEuler, "") } else { (TimeIntegrator::Bdf2, ", BDF2") };
    let exact = TwoMetricParams {
        iterations: 6,
        linear_iterations: 60,
        linear_tolerance: 1e-2,
        tolerance: 1e-8,
        ..TwoMetricParams::default()
    };
    let projective = ProjectiveParams { iterations: 300, tolerance: 1e-8, ..ProjectiveParams::default() };
    [("two metrics", exact.into()), ("projective", SolverChoice::from(projective))].map(|(name, solver)| Setting {
        name: format!("{name}{suffix}"),
        solver,
        steps: REFERENCE_STEPS,
        integrator: Some(integrator),
    })
}

/// Seconds that the processor has worked for this program.
fn processor_seconds() -> f64 {
    #[cfg(target_os = "linux")]
    {
        let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        // SAFETY: the call writes the time to a place of its own.
        #[allow(unsafe_code)]
        unsafe {
            libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &raw mut time);
        }
        time.tv_sec as f64 + 1e-9 * time.tv_nsec as f64
    }
    #[cfg(not(target_os = "linux"))]
    {
        use std::sync::OnceLock;
        use std::time::Instant;
        static BEGUN: OnceLock<Instant> = OnceLock::new();
        BEGUN.get_or_init(Instant::now).elapsed().as_secs_f64()
    }
}

/// A motion, frame by frame.
struct Course {
    frames: Vec<Vec<Vec3>>,
    milliseconds: f64,
    linear_iterations: f64,
    failed: Option<String>,
}

fn run(case: &Case, setting: &Setting, frames: usize) -> Result<Course, BenchError> {
    let step = 1.0 / (RATE * setting.steps) as f64;
    let mut sim: Simulation = {
        let world = case.world()?.time_step(step);
        let world = match setting.integrator {
            Some(integrator) => world.integrator(integrator),
            None => world,
        };
        world.solver(setting.solver.clone()).build()?
    };
    let mut course = Course { frames: Vec::new(), milliseconds: 0.0, linear_iterations: 0.0, failed: None };
    for frame in 0..frames {
        let begun = processor_seconds();
        for _ in 0..setting.steps {
            match sim.step() {
                Ok(report) => course.linear_iterations += report.solve.linear_iterations as f64 / frames as f64,
                Err(error) => {
                    course.failed = Some(error.to_string());
                    return Ok(course);
                }
            }
        }
        // The first frame has the setup in it, which a run pays for once.
        if frame > 0 {
            course.milliseconds += 1e3 * (processor_seconds() - begun) / (frames - 1) as f64;
        }
        course.frames.push(sim.positions().to_vec());
    }
    Ok(course)
}

/// A reference, from the folder or computed and put there.
fn reference(case: &Case, setting: &Setting, frames: usize, folder: &Path) -> Result<Vec<Vec<Vec3>>, BenchError> {
    let name = format!("{} {} {}", case.name(), setting.name, env!("CARGO_PKG_VERSION"));
    let path = folder.join(name.replace([',', ' '], "-") + ".json");
    if let Ok(text) = std::fs::read_to_string(&path)
        && let Ok(kept) = serde_json::from_str::<Vec<Vec<[f64; 3]>>>(&text)
        && kept.len() == frames
    {
        return Ok(kept.into_iter().map(|frame| frame.into_iter().map(Vec3::from_array).collect()).collect());
    }
    let course = run(case, setting, frames)?;
    if let Some(why) = course.failed {
        return Err(BenchError::NoReference { name: case.name(), why });
    }
    let numbers: Vec<Vec<[f64; 3]>> =
        course.frames.iter().map(|frame| frame.iter().map(|p| p.to_array()).collect()).collect();
    write(&path, &serde_json::to_string(&numbers)?)?;
    Ok(course.frames)
}

fn mean_distance(a: &[Vec3], b: &[Vec3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a.distance(*b)).sum::<f64>() / a.len() as f64
}

fn lowest(x: &[Vec3]) -> f64 {
    x.iter().fold(f64::INFINITY, |least, p| least.min(p.y))
}

/// Runs all settings on a case, beside one reference or two.
pub fn measure(case: &Case, settings: &[Setting], folder: &Path, alone: bool) -> Result<CaseResults, BenchError> {
    let looked_at = case.motion.frames();
    let frames = looked_at[2];
    let [first, second] = references(case.motion);
    let exact = reference(case, &first, frames, folder)?;
    let other = if alone { None } else { Some(reference(case, &second, frames, folder)?) };
    let error = |course: &[Vec<Vec3>], frame: usize| {
        course.get(frame - 1).map_or(f64::NAN, |x| mean_distance(x, &exact[frame - 1]))
    };
    let mut outcomes = Vec::new();
    for setting in settings {
        let course = run(case, setting, frames)?;
        outcomes.push(Outcome {
            setting: setting.name.clone(),
            milliseconds: course.milliseconds,
            errors: looked_at.map(|frame| error(&course.frames, frame)),
            lowest: course.frames.get(looked_at[0] - 1).map_or(f64::NAN, |x| lowest(x)),
            linear_iterations: course.linear_iterations,
            centre: drop::errors(case, &exact, &course.frames)?,
            failed: course.failed,
        });
    }
    Ok(CaseResults {
        name: case.name(),
        vertices: exact[0].len(),
        frames: looked_at,
        references_apart: other.map(|other| looked_at.map(|frame| error(&other, frame))),
        lowest: lowest(&exact[looked_at[0] - 1]),
        outcomes,
    })
}

fn write(path: &Path, text: &str) -> Result<(), BenchError> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let written = std::fs::create_dir_all(folder).and_then(|()| std::fs::write(path, text));
    written.map_err(|error| BenchError::Write { path: path.to_owned(), error })
}

/// What the command is asked for.
#[derive(Debug, clap::Args)]
pub struct Options {
    /// Only motions whose name begins so (swing, drape, drape-apart, flag, drop, bar); may be repeated.
    #[arg(long)]
    only: Vec<String>,
    /// The least vertices along a side.
    #[arg(long, default_value_t = 0)]
    smallest: usize,
    /// Only the setting of this name, or those whose names begin so; may be repeated. Times are ratios to the first.
    #[arg(long)]
    setting: Vec<String>,
    /// Instead: error at equal numbers of linear solves, on a cloth, a solid and a contact.
    #[arg(long)]
    equal_solves: bool,
    /// Instead: how far flags reach on meshes of three sizes.
    #[arg(long)]
    flags: bool,
    /// The smallest size, the first and last materials, and few settings.
    #[arg(long)]
    quick: bool,
    /// Compute the exact motion by one method only: on fine meshes the other takes most of the time.
    #[arg(long)]
    one_reference: bool,
    /// The most vertices along a side.
    #[arg(long, default_value_t = 100)]
    largest: usize,
    /// Write the results as JSON to this file, after each case.
    #[arg(long)]
    save: Option<PathBuf>,
    /// Write a plot of each case into this folder.
    #[arg(long)]
    plots: Option<PathBuf>,
    /// The folder in which exact motions are kept, and looked for [default: pliant-convergence among temporary files]. Remove it when forces have
    /// changed.
    #[arg(long)]
    references: Option<PathBuf>,
}

/// Runs the command.
pub fn command(options: &Options) -> Result<(), BenchError> {
    if options.equal_solves {
        return equal_solves::command(options.plots.as_deref());
    }
    if options.flags {
        return flags::command();
    }
    let wanted = |motion: &Motion| options.only.iter().any(|prefix| motion.name().starts_with(prefix.as_str()));
    let motions: Vec<Motion> = Motion::ALL.into_iter().filter(|m| options.only.is_empty() || wanted(m)).collect();
    if motions.is_empty() {
        let known = Motion::ALL.map(Motion::name).join(", ");
        return Err(BenchError::NoSuchProblem { name: options.only.join(", "), known });
    }
    let folder = options.references.clone().unwrap_or_else(|| std::env::temp_dir().join("pliant-convergence"));
    let mut settings = settings(options.quick);
    if !options.setting.is_empty() {
        let names: Vec<String> = settings.iter().map(|setting| setting.name.clone()).collect();
        let is_meant = |wanted: &String, name: &String| {
            if names.contains(wanted) { name == wanted } else { name.starts_with(wanted.as_str()) }
        };
        settings.retain(|setting| options.setting.iter().any(|wanted| is_meant(wanted, &setting.name)));
    }
    let mut results = ConvergenceResults { processor: machine::processor(), load: machine::load(), cases: Vec::new() };
    let cases = cases(&motions, options.quick, options.largest);
    for case in cases.into_iter().filter(|case| case.along >= options.smallest) {
        eprintln!("{}", case.name());
        let found = measure(&case, &settings, &folder, options.one_reference)?;
        println!("{}\n{}", heading(&found), table(&found).to_text());
        if let Some(folder) = &options.plots {
            let file = folder.join(case.name().replace([',', ' '], "-") + ".svg");
            write(&file, &plot(&found).to_svg()?)?;
        }
        results.cases.push(found);
        if let Some(path) = &options.save {
            write(path, &serde_json::to_string_pretty(&results)?)?;
        }
    }
    Ok(())
}

/// What stands above the table of a case.
pub fn heading(found: &CaseResults) -> String {
    let apart = match found.references_apart {
        None => "one reference".to_owned(),
        Some(gaps) => {
            let far = gaps.iter().any(|gap| *gap > AGREE);
            let warning = if far { ": farther than a centimetre, so errors below that mean nothing" } else { "" };
            let [a, b, c] = gaps.map(|gap| format!("{gap:.3}"));
            format!("two references are {a}, {b} and {c} m apart{warning}")
        }
    };
    let CaseResults { name, vertices, lowest, .. } = found;
    format!("{name} ({vertices} in all): lowest point of the exact motion {lowest:.3} m; {apart}")
}

/// Errors and times of a case.
pub fn table(found: &CaseResults) -> Table {
    let frames = found.frames.map(|frame| format!("error at frame {frame} [m]"));
    let mut heading = vec!["setting".to_owned(), "ms".to_owned(), "× baseline".to_owned()];
    heading.extend(frames);
    heading.extend(["lowest [m]".to_owned(), "linear iterations".to_owned()]);
    let drops = found.outcomes.iter().any(|outcome| outcome.centre.is_some());
    heading.extend(CentreErrors::HEADING.map(str::to_owned).into_iter().filter(|_| drops));
    let mut table = Table::new(heading);
    let baseline = found.outcomes.first().map_or(f64::NAN, |outcome| outcome.milliseconds);
    for outcome in &found.outcomes {
        let name = match &outcome.failed {
            Some(_) => format!("{} (refused)", outcome.setting),
            None => outcome.setting.clone(),
        };
        let mut row = vec![name, three_digits(outcome.milliseconds), format!("{:.2}", outcome.milliseconds / baseline)];
        row.extend(outcome.errors.map(|error| format!("{error:.4}")));
        row.extend([format!("{:.3}", outcome.lowest), format!("{:.1}", outcome.linear_iterations)]);
        row.extend(outcome.centre.iter().flat_map(CentreErrors::cells));
        table.row(row);
    }
    table
}

/// Error over time of a case, a point for each setting.
pub fn plot(found: &CaseResults) -> Plot {
    let series = found
        .outcomes
        .iter()
        .map(|outcome| {
            let error = outcome.errors.iter().copied().fold(0.0, f64::max);
            Series { style: Style::Dots, ..Series::new(outcome.setting.clone(), vec![[outcome.milliseconds, error]]) }
        })
        .collect();
    let (x, y) = (Axis::log("processor time of a frame [ms]"), Axis::log("largest error of three frames [m]"));
    Plot { title: found.name.clone(), x, y, series, ..Plot::default() }
}
