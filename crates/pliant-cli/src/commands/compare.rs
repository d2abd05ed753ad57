//! `pliant compare`: solves the same steps with several solvers, compares them with the exact one, and makes the same
//! run with each.

mod report;

use std::error::Error;
use std::path::PathBuf;

use pliant::Problem;
use pliant::math::Vec3;
use pliant::solve::{NewtonParams, SolverChoice, Start, TwoMetricParams};
use pliant_scene::format::Quantity;
use pliant_scene::{Scene, SceneRun};

use super::{is_newton, solver, solver_names};
use crate::Outcome;
use crate::charts::FigureFormat;
use crate::output::{print, say};

#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// A scene file, or the name of a built-in scene.
    scene: String,
    #[arg(long, help = format!("Solvers, separated by commas: {}", solver_names()), value_delimiter = ',', default_value = "plain,chebyshev,anderson,newton")]
    solvers: Vec<String>,
    /// Frames after which each solver solves the next step, separated by commas; errors are their geometric mean.
    #[arg(long, value_delimiter = ',', default_value = "20")]
    frame: Vec<u32>,
    /// Numbers of iterations in a step, separated by commas.
    #[arg(long, value_delimiter = ',', default_value = "1,2,5,10,20,50,100")]
    iterations: Vec<usize>,
    /// Number of frames that each solver also simulates from the start, to compare stretch and energy; 0 for none.
    #[arg(long, default_value_t = 60)]
    run_frames: u32,
    /// Iterations in each step of these runs.
    #[arg(long, default_value_t = 10)]
    run_iterations: usize,
    /// Folder for the figure and compare.json.
    #[arg(long)]
    out: Option<PathBuf>,
    /// Format of the figure.
    #[arg(long, value_enum, default_value = "svg")]
    format: FigureFormat,
    /// Print one JSON object instead of tables.
    #[arg(long)]
    json: bool,
    /// Change a value of the scene, such as `world.frames=10`; may be given several times.
    #[arg(long, value_name = "PATH=VALUE")]
    set: Vec<String>,
}

const EXAMPLES: &str = "Examples:
  pliant compare curtain                                    all solvers, one step and 60 frames
  pliant compare curtain --solvers plain,newton --out out/compare --format png
  pliant compare flag --frame 10,40,80 --run-frames 0       three steps, no runs
  pliant compare curtain --json";

/// What a solver made of the chosen steps with a number of iterations.
pub(crate) struct Attempt {
    pub(crate) solver: String,
    /// Iterations taken, the mean over the steps.
    pub(crate) iterations: f64,
    /// (g − g*)/(g₀ − g*), the geometric mean over the steps.
    pub(crate) error: f64,
    /// Farthest vertex from its exact place in any of the steps \[m\].
    pub(crate) distance: f64,
    /// Mean time of a step, without a factorisation that is kept from step to step \[ms\].
    pub(crate) milliseconds: f64,
    /// Mean time of that factorisation \[ms\].
    pub(crate) prefactor_milliseconds: f64,
}

/// What a solver made of the run.
pub(crate) struct Course {
    pub(crate) solver: String,
    pub(crate) frames: Vec<Moment>,
    /// Mean time of a frame \[ms\].
    pub(crate) milliseconds: f64,
    /// Farthest vertex from its place in the exact run, at the end \[m\].
    pub(crate) distance: f64,
}

/// A frame of a course.
pub(crate) struct Moment {
    pub(crate) time: f64,
    pub(crate) largest_stretch: f64,
    pub(crate) mean_stretch: f64,
    /// Kinetic, elastic and gravitational \[J\].
    pub(crate) energy: f64,
}

/// Everything that was found.
pub(crate) struct Comparison {
    pub(crate) scene: String,
    pub(crate) steps: Vec<u32>,
    pub(crate) newton_iterations: Vec<usize>,
    pub(crate) attempts: Vec<Attempt>,
    pub(crate) courses: Vec<Course>,
    pub(crate) run_iterations: usize,
}

/// Name of the run that others are compared with.
pub(crate) const EXACT: &str = "exact";

pub(crate) fn run(arguments: &Arguments) -> Result<Outcome, Box<dyn Error>> {
    for name in &arguments.solvers {
        solver(name, 1)?;
    }
    let scene = Scene::open(&arguments.scene, &arguments.set)?;
    let (attempts, newton_iterations) = compare_steps(scene.build()?, arguments)?;
    let courses = compare_runs(&scene, arguments)?;
    let comparison = Comparison {
        scene: arguments.scene.clone(),
        steps: arguments.frame.clone(),
        newton_iterations,
        attempts,
        courses,
        run_iterations: arguments.run_iterations,
    };
    if arguments.json {
        say!("{}", comparison.to_json());
    } else {
        print(format_args!("{}", comparison.tables()));
    }
    if let Some(dir) = &arguments.out {
        let files = comparison.write(dir, arguments.format)?;
        if !arguments.json {
            files.iter().for_each(|file| say!("{}", file.display()));
        }
    }
    Ok(Outcome::Good)
}

/// The exact solution, to rounding: the residual of the default would limit how small an error can be seen.
fn exact() -> NewtonParams {
    NewtonParams { tolerance: 1e-13, ..NewtonParams::default() }
}

/// Solves the next step after each chosen frame by every solver and number of iterations.
fn compare_steps(mut run: SceneRun, arguments: &Arguments) -> Result<(Vec<Attempt>, Vec<usize>), Box<dyn Error>> {
    let mut chosen = arguments.frame.clone();
    chosen.sort_unstable();
    chosen.dedup();
    let mut attempts: Vec<Attempt> = Vec::new();
    let mut newton_iterations = Vec::new();
    for (number, &frame) in chosen.iter().enumerate() {
        while run.frame() < frame {
            run.next_frame()?;
        }
        let problem = run.sim.next_problem()?;
        let mut best = problem.start(Start::Predicted).to_vec();
        let newton = problem.solve(&exact().into(), &mut best)?;
        newton_iterations.push(newton.iterations);
        let found = solve_step(&problem, &best, arguments)?;
        if number == 0 {
            attempts = found;
        } else {
            for (sum, attempt) in attempts.iter_mut().zip(found) {
                sum.iterations += attempt.iterations;
                sum.error += attempt.error;
                sum.distance = sum.distance.max(attempt.distance);
                sum.milliseconds += attempt.milliseconds;
                sum.prefactor_milliseconds += attempt.prefactor_milliseconds;
            }
        }
    }
    // More iterations change nothing once a solver has stopped by itself.
    attempts.dedup_by(|later, earlier| later.solver == earlier.solver && later.iterations == earlier.iterations);
    let count = chosen.len().max(1) as f64;
    for attempt in &mut attempts {
        attempt.iterations /= count;
        // They were summed as logarithms.
        attempt.error = (attempt.error / count).exp();
        attempt.milliseconds /= count;
        attempt.prefactor_milliseconds /= count;
    }
    Ok((attempts, newton_iterations))
}

/// One step by everything; errors as logarithms.
fn solve_step(problem: &Problem<'_>, best: &[Vec3], arguments: &Arguments) -> Result<Vec<Attempt>, Box<dyn Error>> {
    let start = problem.start(Start::Predicted);
    let (first, least) = (problem.value(start), problem.value(best));
    let mut attempts = Vec::new();
    for name in &arguments.solvers {
        let counts = if name == "semi-implicit" { &[1][..] } else { &arguments.iterations };
        for &count in counts {
            let choice = limited(solver(name, count)?, count);
            let mut x = problem.start(choice.start()).to_vec();
            let report = problem.solve(&choice, &mut x)?;
            // A projective factor is made once for a run, Newton's in every iteration.
            let (kept, own) =
                if is_newton(&choice) { (0.0, report.seconds_factor) } else { (report.seconds_factor, 0.0) };
            // Rounding may put a converged solver a little below the exact one.
            let error = ((problem.value(&x) - least) / (first - least)).max(f64::EPSILON);
            let distance = x.iter().zip(best).fold(0.0_f64, |m, (a, b)| m.max(a.distance(*b)));
            attempts.push(Attempt {
                solver: name.clone(),
                iterations: report.iterations as f64,
                error: error.ln(),
                distance,
                milliseconds: 1e3 * (report.seconds_local + report.seconds_global + own),
                prefactor_milliseconds: 1e3 * kept,
            });
        }
    }
    Ok(attempts)
}

/// Newton too stops after so many iterations, so that its way can be seen.
fn limited(choice: SolverChoice, iterations: usize) -> SolverChoice {
    match choice {
        SolverChoice::Newton(params) if params.line_search => NewtonParams { iterations, ..params }.into(),
        SolverChoice::TwoMetric(params) => TwoMetricParams { iterations, ..params }.into(),
        other => other,
    }
}

/// Simulates the scene by every solver, after the exact one.
fn compare_runs(scene: &Scene, arguments: &Arguments) -> Result<Vec<Course>, Box<dyn Error>> {
    if arguments.run_frames == 0 {
        return Ok(Vec::new());
    }
    let mut courses = Vec::new();
    let (reference, places) = course(scene, EXACT, exact().into(), arguments.run_frames)?;
    courses.push(reference);
    for name in &arguments.solvers {
        let choice = solver(name, arguments.run_iterations)?;
        let (mut found, ends) = course(scene, name, choice, arguments.run_frames)?;
        found.distance = ends.iter().zip(&places).fold(0.0_f64, |m, (a, b)| m.max(a.distance(*b)));
        courses.push(found);
    }
    Ok(courses)
}

/// A run by one solver, and where its vertices end.
fn course(scene: &Scene, name: &str, choice: SolverChoice, frames: u32) -> Result<(Course, Vec<Vec3>), Box<dyn Error>> {
    let mut run = scene.build_with(|builder| builder.solver(choice))?;
    let (mut moments, mut seconds) = (Vec::new(), 0.0);
    for _ in 0..frames {
        let reports = run.next_frame().map_err(|error| format!("{name}: {error}"))?;
        seconds += reports.iter().map(|report| report.seconds_total).sum::<f64>();
        moments.push(Moment {
            time: run.sim.time(),
            largest_stretch: run.measure(Quantity::MaxStretch, None),
            mean_stretch: run.measure(Quantity::MeanStretch, None),
            energy: run.sim.report().total(),
        });
    }
    let milliseconds = 1e3 * seconds / f64::from(frames);
    let found = Course { solver: name.to_owned(), frames: moments, milliseconds, distance: 0.0 };
    Ok((found, run.sim.positions().to_vec()))
}
