//! The `pliant` command.

mod charts;
mod commands;
mod output;
mod progress;
mod record;
mod summary;

use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};

use output::{say, say_error};

/// Simulate deformable bodies: cloth, shells, solids and strands.
#[derive(Parser)]
#[command(name = "pliant", version, after_help = EXAMPLES)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

const EXAMPLES: &str = "Examples:
  pliant scenes                                 the scenes that come with Pliant
  pliant run curtain                            run a built-in scene, draw it, check its expectations
  pliant view curtain                           a window in which the scene runs and can be dragged
  pliant web                                    the same as a page, in a browser
  pliant run my.toml --set world.frames=30      run a file with one value changed
  pliant run curtain --resume                   continue after an interruption
  pliant settle curtain --solver newton         find the state in which its forces balance
  pliant export out/curtain --format glb,usda   for Blender, Houdini, three.js
  pliant render out/curtain --frame 30          a picture of a stored frame
  pliant train flag-detail                      learn wrinkles from fine simulations, and measure the error
  pliant plot out/curtain                       energy, stretch, residual and times as a figure
  pliant info bunny.obj                         counts, bounds, problems
  pliant compare curtain --solvers plain,anderson,newton
  pliant gpu                                    the graphics processors, and whether they compute what the CPU does
  pliant reproduce liu2013-fig2                 a figure of a paper: tables, plots, verdict
  pliant schema > scene.schema.json             for completion in an editor

Every command has its own help with examples: pliant run --help";

#[derive(Subcommand)]
enum Command {
    /// Run a scene and check its expectations.
    Run(commands::run::Arguments),
    /// Bring a scene to rest, and report how well its forces balance.
    Settle(commands::settle::Arguments),
    /// Run one scene with several solvers and compare them with the exact solution.
    Compare(commands::compare::Arguments),
    /// Learn fine detail for coarse cloth from fine simulations that track it, and measure the error.
    Train(commands::train::Arguments),
    /// Convert a finished run to formats of other programs.
    Export(commands::export::Arguments),
    /// Draw a finished run: pictures and animations of its frames.
    Render(commands::render::Arguments),
    /// Open a window on a scene that runs, or on a finished run: look around, drag, cut, move sliders.
    View(commands::view::Arguments),
    /// Serve the live view as a page, or build it into a folder for any host.
    Web(commands::web::Arguments),
    /// Show what is in a mesh, a scene or a run, and report problems.
    Info(commands::info::Arguments),
    /// Run experiments of the papers that Pliant implements, and check their claims.
    Reproduce(commands::reproduce::Arguments),
    /// List the adapters of graphics processors, and test one of them.
    Gpu(commands::gpu::Arguments),
    /// List the scenes that come with Pliant.
    #[command(after_help = "Examples:\n  pliant scenes\n  pliant scenes --json | jq -r .[].name")]
    Scenes(commands::scenes::Arguments),
    /// Plot energy, stretch, residual and time per phase of a run.
    Plot(commands::plot::Arguments),
    /// Print the JSON Schema of scene files.
    #[command(after_help = "Examples:\n  pliant schema > scene.schema.json      for completion in an editor")]
    Schema,
    /// Print a completion script for a shell.
    Completions(commands::completions::Arguments),
    /// Draw the gallery of the documentation.
    #[command(hide = true)]
    Gallery(commands::gallery::Arguments),
}

fn main() -> ExitCode {
    let result = match Arguments::parse().command {
        Command::Run(arguments) => commands::run::run(&arguments),
        Command::Train(arguments) => commands::train::run(&arguments),
        Command::Settle(arguments) => commands::settle::run(&arguments),
        Command::Compare(arguments) => commands::compare::run(&arguments),
        Command::Export(arguments) => commands::export::run(&arguments),
        Command::Render(arguments) => commands::render::run(&arguments),
        Command::Info(arguments) => commands::info::run(&arguments),
        Command::View(arguments) => commands::view::run(&arguments),
        Command::Web(arguments) => commands::web::run(&arguments),
        Command::Plot(arguments) => commands::plot::run(&arguments),
        Command::Completions(arguments) => Ok(commands::completions::run(&arguments, Arguments::command())),
        Command::Gpu(arguments) => commands::gpu::run(&arguments),
        Command::Gallery(arguments) => commands::gallery::run(&arguments),
        Command::Scenes(arguments) => Ok(commands::scenes::run(&arguments)),
        Command::Reproduce(arguments) => commands::reproduce::run(&arguments),
        Command::Schema => {
            say!("{}", pliant_scene::json_schema());
            Ok(Outcome::Good)
        }
    };
    let printed = output::finish();
    match result.and_then(|outcome| Ok(printed.map(|()| outcome)?)) {
        Ok(Outcome::Good) => ExitCode::SUCCESS,
        Ok(Outcome::ExpectationFailed) => ExitCode::from(1),
        Err(error) => {
            say_error!("error: {error}");
            ExitCode::from(2)
        }
    }
}

/// How a command ended, if it could do its work: exit codes 0 and 1; errors are 2.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    /// All is well.
    Good,
    /// The scene or experiment ran, but an expectation or claim does not hold.
    ExpectationFailed,
}
