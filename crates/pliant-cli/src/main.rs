//! The `pliant` command.

mod commands;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Simulate deformable bodies: cloth, shells, solids and strands.
#[derive(Parser)]
#[command(version, after_help = EXAMPLES)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

const EXAMPLES: &str = "Examples:
  pliant scenes                                 what comes with Pliant
  pliant run curtain --preview                  run a built-in scene, check its expectations, draw it
  pliant run my.toml --set world.frames=30      run a file with a change
  pliant run curtain --resume                   continue after an interruption
  pliant export out/curtain --format glb,usda   for Blender, Houdini, three.js
  pliant info bunny.obj                         counts, bounds, problems
  pliant compare curtain --solvers plain,anderson,newton
  pliant reproduce liu2013-fig2                 a figure of a paper: tables, plots, verdict
  pliant schema > scene.schema.json             for completion in an editor";

#[derive(Subcommand)]
enum Command {
    /// Run a scene and check its expectations.
    Run(commands::run::Arguments),
    /// Run one scene with several solvers and compare them with the exact solution.
    Compare(commands::compare::Arguments),
    /// Convert a finished run to formats of other programs.
    Export(commands::export::Arguments),
    /// Tell what is in a mesh, a scene or a run, and what is wrong with it.
    Info(commands::info::Arguments),
    /// Run experiments of the papers that Pliant implements, and judge them.
    Reproduce(commands::reproduce::Arguments),
    /// List the scenes that come with Pliant.
    Scenes,
    /// Print the JSON Schema of scene files.
    Schema,
}

fn main() -> ExitCode {
    let result = match Arguments::parse().command {
        Command::Run(arguments) => commands::run::run(&arguments),
        Command::Compare(arguments) => commands::compare::run(&arguments),
        Command::Export(arguments) => commands::export::run(&arguments),
        Command::Info(arguments) => commands::info::run(&arguments),
        Command::Reproduce(arguments) => commands::reproduce::run(&arguments),
        Command::Scenes => {
            commands::scenes::run();
            Ok(Outcome::Good)
        }
        Command::Schema => {
            println!("{}", pliant_scene::json_schema());
            Ok(Outcome::Good)
        }
    };
    match result {
        Ok(Outcome::Good) => ExitCode::SUCCESS,
        Ok(Outcome::ExpectationFailed) => ExitCode::from(1),
        Err(error) => {
            eprintln!("error: {error}");
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
