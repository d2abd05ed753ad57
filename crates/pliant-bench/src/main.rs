//! The command that measures: see `--help`, and the README beside it.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use pliant::sparse::Precision;
use pliant_bench::equal_time::{self, Frames, Hanging};
use pliant_bench::machine::{self, Machine};
use pliant_bench::results::Results;
use pliant_bench::timing::Effort;
use pliant_bench::{
    BenchError, attachments, convergence, drape, energies, fluid, gpu, kernels, matching, newton, peers,
    position_based, presets, problem, report, scaling, updates, upsampling,
};

/// Measure Pliant beside others, in one run.
#[derive(Parser)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Solves, setups and frames beside Eigen and CHOLMOD (--features reference) and rapier (--features rapier).
    Peers {
        /// Print the results as JSON at the end, instead of tables as they come.
        #[arg(long)]
        json: bool,
        /// Also write the results as JSON to this file, after each problem: a long run may be ended early.
        #[arg(long)]
        save: Option<PathBuf>,
        /// Only problems whose name begins so; may be repeated. `equal-time` stands for the comparison of engines.
        #[arg(long)]
        only: Vec<String>,
        /// Rounds in which each method has a turn, at least; small bodies get more.
        #[arg(long, default_value_t = 7)]
        rounds: usize,
        /// Do without large pages of memory (on Linux).
        #[arg(long)]
        no_huge_pages: bool,
    },
    /// Cost over size and threads.
    Scaling {
        /// Print the results as JSON.
        #[arg(long)]
        json: bool,
        /// Rounds in which each method has a turn, at least; small bodies get more.
        #[arg(long, default_value_t = 5)]
        rounds: usize,
        /// The largest number of vertices.
        #[arg(long, default_value_t = 110_000)]
        largest: usize,
    },
    /// A hot kernel a fixed number of times, for instructions.sh.
    Kernels {
        /// Only this one.
        #[arg(long)]
        only: Option<String>,
        /// How many times.
        #[arg(long, default_value_t = 10)]
        calls: usize,
    },
    /// A rank-one update of a factor beside making it anew, on one thread.
    Updates {
        /// Print the results as JSON.
        #[arg(long)]
        json: bool,
        /// Only problems whose name begins so; may be repeated. The curtain and the bars of 1k and 10k vertices without it.
        #[arg(long)]
        only: Vec<String>,
        /// Rounds in which each method has a turn, at least.
        #[arg(long, default_value_t = 7)]
        rounds: usize,
    },
    /// A cloth that falls on a sphere, with self-collision, beside rapier (--features rapier), on one thread.
    Drape {
        /// Print the results as JSON.
        #[arg(long)]
        json: bool,
        /// Cells along a side of the cloth; may be repeated.
        #[arg(long, default_values_t = [32, 64])]
        cells: Vec<usize>,
    },
    /// Position-based dynamics: time per constraint beside loops in C++ (--features reference), per iteration beside rapier
    /// (--features rapier), on one thread.
    PositionBased {
        /// Print the results as JSON.
        #[arg(long)]
        json: bool,
        /// Put the results into this file of `peers --save`, for the report.
        #[arg(long)]
        save: Option<PathBuf>,
        /// Rounds in which each method has a turn, at least.
        #[arg(long, default_value_t = 7)]
        rounds: usize,
        /// Seconds of each comparison, at least.
        #[arg(long, default_value_t = 3.0)]
        seconds: f64,
    },
    /// A dam of position-based fluid that breaks.
    Fluid {
        /// Print the results as JSON.
        #[arg(long)]
        json: bool,
        /// Also put the results into this file of `peers --save`.
        #[arg(long)]
        save: Option<PathBuf>,
        /// Particles, about; may be repeated.
        #[arg(long, default_values_t = [16_000, fluid::PRINTED.0])]
        particles: Vec<usize>,
        /// Threads; may be repeated.
        #[arg(long, default_values_t = [1, 2])]
        threads: Vec<usize>,
        /// Frames before those that are timed.
        #[arg(long, default_value_t = 30)]
        before: usize,
        /// Frames that are timed.
        #[arg(long, default_value_t = 15)]
        frames: usize,
    },
    /// A large cloth with long-range attachments that swings down.
    Attachments {
        /// Print the results as JSON.
        #[arg(long)]
        json: bool,
        /// Also put the results into this file of `peers --save`.
        #[arg(long)]
        save: Option<PathBuf>,
        /// Cells along a side of the cloth.
        #[arg(long, default_value_t = 300)]
        cells: usize,
        /// Threads; may be repeated.
        #[arg(long, default_values_t = [1, 2])]
        threads: Vec<usize>,
        /// Frames before those that are timed.
        #[arg(long, default_value_t = 10)]
        before: usize,
        /// Frames that are timed.
        #[arg(long, default_value_t = 20)]
        frames: usize,
    },
    /// Shape matching: frames beside the same over Eigen (--features reference), and what the width of regions costs.
    Matching {
        /// Print the results as JSON.
        #[arg(long)]
        json: bool,
        /// Also put the results into this file of `peers --save`.
        #[arg(long)]
        save: Option<PathBuf>,
        /// Particles along the sides of the block.
        #[arg(long, default_value_t = matching::ALONG)]
        along: usize,
        /// Subdivisions of the surface.
        #[arg(long, default_value_t = 5)]
        subdivisions: u32,
        /// Rounds in which each way has a turn, at least.
        #[arg(long, default_value_t = 7)]
        rounds: usize,
    },
    /// Named materials on boxes, bars and sheets, beside the same bodies with a Poisson ratio of 0, and cloths that fall on a sphere, beside free fall;
    /// on one thread.
    Presets {
        /// Print the results as JSON.
        #[arg(long)]
        json: bool,
        /// Also put the results into this file of `peers --save`.
        #[arg(long)]
        save: Option<PathBuf>,
        /// Only meshes whose name begins so: box, bar, sheet, drape; may be repeated.
        #[arg(long)]
        only: Vec<String>,
        /// Rounds in which each material has a turn, at least.
        #[arg(long, default_value_t = 7)]
        rounds: usize,
    },
    /// Every energy: time per element of the local step beside the projection over Eigen (--features reference), on one thread.
    Energies {
        /// Print the results as JSON.
        #[arg(long)]
        json: bool,
        /// Also put the results into this file of `peers --save`.
        #[arg(long)]
        save: Option<PathBuf>,
        /// Only energies whose key begins so; may be repeated.
        #[arg(long)]
        only: Vec<String>,
        /// Rounds in which each method has a turn, at least.
        #[arg(long, default_value_t = 7)]
        rounds: usize,
        /// Seconds for each energy, at least.
        #[arg(long, default_value_t = 3.0)]
        seconds: f64,
    },
    /// Cloths and bars on a GPU, and on the CPU beside it.
    Gpu(gpu::Options),
    /// An iteration of Newton's method beside the factorisation, packing and solve of its matrix, on one thread.
    Newton {
        /// Print the results as JSON.
        #[arg(long)]
        json: bool,
        /// Rounds in which each has a turn, at least.
        #[arg(long, default_value_t = 7)]
        rounds: usize,
        /// Seconds for each body, at least.
        #[arg(long, default_value_t = 6.0)]
        seconds: f64,
    },
    /// Fine surfaces over coarse ones: frames a second of each method.
    Upsampling {
        /// Print the results as JSON.
        #[arg(long)]
        json: bool,
        /// Also put the results into this file of `peers --save`.
        #[arg(long)]
        save: Option<PathBuf>,
        /// Only methods whose name begins so: wpsd, piu, pdm; may be repeated.
        #[arg(long)]
        only: Vec<String>,
        /// Threads; may be repeated.
        #[arg(long, default_values_t = [1, 2])]
        threads: Vec<usize>,
        /// Frames that are timed.
        #[arg(long, default_value_t = 300)]
        frames: usize,
    },
    /// How far every solver is from the exact motion, and what that costs.
    Convergence(convergence::Options),
    /// Make docs/performance.md and its plots from the results of `peers --save`.
    Report {
        /// The results; they are kept beside the page.
        #[arg(long, default_value = "docs/performance.json")]
        from: PathBuf,
        /// The folder of the page.
        #[arg(long, default_value = "docs")]
        to: PathBuf,
    },
}

fn main() -> ExitCode {
    match run(Arguments::parse().command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

fn run(command: Command) -> Result<(), BenchError> {
    match command {
        Command::Peers { json, save, only, rounds, no_huge_pages } => {
            if no_huge_pages && !machine::forbid_huge_pages() {
                return Err(BenchError::HugePages);
            }
            run_peers(json, save.as_deref(), &only, rounds)
        }
        Command::Scaling { json, rounds, largest } => {
            let points = scaling::measure(Effort::rounds(rounds), largest)?;
            if json {
                println!("{}", serde_json::to_string_pretty(&points)?);
            } else {
                println!(
                    "Times are the least of at least {rounds} rounds [ms].\n\n{}",
                    scaling::table(&points).to_text()
                );
            }
            Ok(())
        }
        Command::Drape { json, cells } => {
            let results = drape::measure(&cells)?;
            if json {
                println!("{}", serde_json::to_string_pretty(&results)?);
            } else {
                println!("{}", drape::table(&results).to_text());
            }
            Ok(())
        }
        Command::Fluid { json, save, particles, threads, before, frames } => {
            let found = fluid::measure(&particles, &threads, before, frames)?;
            if json {
                println!("{}", serde_json::to_string_pretty(&found)?);
            } else {
                println!("{}\n\n{}", fluid::description(&found), fluid::table(&found).to_text());
            }
            if let Some(path) = save {
                let mut results = Results::load(&path)?;
                results.fluid = Some(found);
                results.save(&path)?;
            }
            Ok(())
        }
        Command::Attachments { json, save, cells, threads, before, frames } => {
            let found = attachments::measure(cells, &threads, before, frames)?;
            if json {
                println!("{}", serde_json::to_string_pretty(&found)?);
            } else {
                println!("{}\n\n{}", attachments::description(&found), attachments::table(&found).to_text());
            }
            if let Some(path) = save {
                let mut results = Results::load(&path)?;
                results.attachments = Some(found);
                results.save(&path)?;
            }
            Ok(())
        }
        Command::Matching { json, save, along, subdivisions, rounds } => {
            let found = matching::measure(along, subdivisions, Effort::rounds(rounds))?;
            if json {
                println!("{}", serde_json::to_string_pretty(&found)?);
            } else {
                let (bodies, widths) = (matching::body_table(&found), matching::width_table(&found));
                println!("{}\n\n{}\n{}", matching::description(&found), bodies.to_text(), widths.to_text());
            }
            if let Some(path) = save {
                let mut results = Results::load(&path)?;
                results.matching = Some(found);
                results.save(&path)?;
            }
            Ok(())
        }
        Command::Kernels { only, calls } => {
            let names = only.as_deref().map_or_else(|| kernels::NAMES.to_vec(), |name| vec![name]);
            for name in names {
                let work = kernels::run(name, calls)?;
                println!("{name} {calls} {} {}", work.count, work.unit);
            }
            Ok(())
        }
        Command::Updates { json, only, rounds } => run_updates(json, &only, Effort::rounds(rounds)),
        Command::PositionBased { json, save, rounds, seconds } => {
            let results = position_based::measure(effort_of(rounds, seconds))?;
            if let Some(path) = &save {
                let mut all = Results::load(path)?;
                all.position_based = Some(results.clone());
                all.save(path)?;
            }
            if json {
                println!("{}", serde_json::to_string_pretty(&results)?);
            } else {
                println!("{}\n", position_based::loop_table(&results).to_text());
                println!("{}", position_based::engine_table(&results).to_text());
            }
            Ok(())
        }
        Command::Upsampling { json, save, only, threads, frames } => {
            let found = upsampling::measure(&threads, frames, &only)?;
            if json {
                println!("{}", serde_json::to_string_pretty(&found)?);
            } else {
                println!("{}\n\n{}", upsampling::description(&found), upsampling::table(&found).to_text());
            }
            if let Some(path) = save {
                let mut results = Results::load(&path)?;
                results.upsampling = Some(found);
                results.save(&path)?;
            }
            Ok(())
        }
        Command::Convergence(options) => convergence::command(&options),
        Command::Presets { json, save, only, rounds } => {
            let found = presets::measure(&only, Effort::rounds(rounds))?;
            if json {
                println!("{}", serde_json::to_string_pretty(&found)?);
            } else {
                if !found.meshes.is_empty() {
                    println!("{}\n\n{}", presets::description(&found), presets::table(&found).to_text());
                }
                if !found.drapes.is_empty() {
                    let (words, table) =
                        (presets::drape::description(&found.drapes), presets::drape::table(&found.drapes));
                    println!("{words}\n\n{}", table.to_text());
                }
            }
            if let Some(path) = save {
                let mut results = Results::load(&path)?;
                results.presets = Some(found);
                results.save(&path)?;
            }
            Ok(())
        }
        Command::Energies { json, save, only, rounds, seconds } => {
            let found = energies::measure(&only, effort_of(rounds, seconds))?;
            if json {
                println!("{}", serde_json::to_string_pretty(&found)?);
            } else {
                println!("{}\n\n{}", energies::description(&found), energies::table(&found).to_text());
            }
            if let Some(path) = save {
                let mut results = Results::load(&path)?;
                results.energies = Some(found);
                results.save(&path)?;
            }
            Ok(())
        }
        Command::Gpu(options) => gpu::command(&options),
        Command::Newton { json, rounds, seconds } => {
            let found = newton::measure(effort_of(rounds, seconds))?;
            if json {
                println!("{}", serde_json::to_string_pretty(&found)?);
            } else {
                println!("Least times of at least {rounds} rounds [ms].\n\n{}", newton::table(&found).to_text());
            }
            Ok(())
        }
        Command::Report { from, to } => report::write(&from, &to),
    }
}

fn effort_of(rounds: usize, seconds: f64) -> Effort {
    let at_least = std::time::Duration::try_from_secs_f64(seconds).unwrap_or_default();
    Effort { at_least, ..Effort::rounds(rounds) }
}

fn run_updates(json: bool, only: &[String], effort: Effort) -> Result<(), BenchError> {
    let usual = ["curtain-81", "bar-1k", "bar-10k"].map(str::to_owned);
    let prefixes = if only.is_empty() { &usual } else { only };
    let mut results = Vec::new();
    for prefix in prefixes {
        // A name that begins nothing is refused with the list of names.
        let name = problem::NAMES.into_iter().find(|name| name.starts_with(prefix.as_str())).unwrap_or(prefix);
        let Some(problem) = problem::by_name(name)? else { continue };
        for precision in [Precision::Single, Precision::Double] {
            eprintln!("{name}");
            results.push(updates::measure(&problem, precision, effort)?);
        }
    }
    if json {
        println!("{}", serde_json::to_string_pretty(&results)?);
    } else {
        println!("Least times on one thread [µs]; a ratio says how many updates take as long as a refactorisation.\n");
        println!("{}", updates::table(&results).to_text());
    }
    Ok(())
}

const EQUAL_TIME: &str = "equal-time";

fn run_peers(json: bool, save: Option<&Path>, only: &[String], rounds: usize) -> Result<(), BenchError> {
    let wanted = |name: &str| only.is_empty() || only.iter().any(|prefix| name.starts_with(prefix.as_str()));
    let known = problem::NAMES.iter().chain([&EQUAL_TIME]);
    if let Some(unknown) = only.iter().find(|prefix| !known.clone().any(|name| name.starts_with(prefix.as_str()))) {
        let known = known.copied().collect::<Vec<_>>().join(", ");
        return Err(BenchError::NoSuchProblem { name: unknown.clone(), known });
    }
    let effort = Effort::rounds(rounds);
    eprintln!("reading memory");
    let saved = save.and_then(|path| Results::load(path).ok());
    let mut results = Results::begin(Machine::measure(), effort.rounds, saved);
    if !json {
        println!("{}\n", peers::preamble(&results).join("\n"));
        println!("{}\n", report::COLUMNS);
    }
    if wanted(EQUAL_TIME) {
        for hanging in [Hanging::cloth(81)?, Hanging::bar(8, 22)?] {
            eprintln!("{EQUAL_TIME}");
            let found = equal_time::measure(&hanging, Frames::default(), effort)?;
            if !json {
                println!("{}\n{}", report::equal_time_heading(&found), report::equal_time_table(&found).to_text());
            }
            results.equal_time.push(found);
            save.map_or(Ok(()), |path| results.save(path))?;
        }
    }
    for name in problem::NAMES.into_iter().filter(|name| wanted(name)) {
        eprintln!("{name}");
        let Some(problem) = problem::by_name(name)? else { continue };
        let found = peers::measure(&problem, effort)?;
        if !json {
            println!("{}", report::problem_heading(&found));
            println!("{}", peers::table(&found, &results.machine).to_text());
            println!("setup by phases\n  {}\n", peers::setup_lines(&found).join("\n  "));
        }
        results.problems.push(found);
        save.map_or(Ok(()), |path| results.save(path))?;
    }
    if json {
        println!("{}", serde_json::to_string_pretty(&results)?);
    }
    Ok(())
}
