//! `pliant settle`.

use std::error::Error;
use std::path::PathBuf;

use pliant::SettleParams;
use pliant_scene::Scene;
use serde_json::json;

use super::origin::Origin;
use super::{place, solver, solver_names};
use crate::Outcome;
use crate::output::say;

#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// A scene file, or the name of a built-in scene.
    scene: String,
    /// Largest unbalanced force on a free vertex, relative to the largest force.
    #[arg(long, default_value_t = SettleParams::default().tolerance)]
    tolerance: f64,
    /// Maximum number of steps.
    #[arg(long, default_value_t = SettleParams::default().most_steps)]
    steps: usize,
    /// Folder for a run that starts at rest; without it nothing is written.
    #[arg(long)]
    out: Option<PathBuf>,
    /// Replace an earlier run in the same folder, unless another process is writing to it.
    #[arg(long, requires = "out")]
    overwrite: bool,
    /// Change a value of the scene; may be given several times.
    #[arg(long, value_name = "PATH=VALUE")]
    set: Vec<String>,
    #[arg(long, help = format!("Solver instead of the scene's: {}", solver_names()))]
    solver: Option<String>,
    /// Number of iterations, with `--solver`.
    #[arg(long, default_value_t = 10)]
    iterations: usize,
    /// Print the result as JSON.
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "Examples:
  pliant settle curtain --solver newton               how well forces balance at rest
  pliant settle my.toml --out out/rest                keep what was found
  pliant export out/rest --format obj                 as a mesh
  pliant run my.toml --out out/rest --resume          go on from there

Exit codes: 0 if forces balance, 2 if they do not or for other errors.";

pub(crate) fn run(arguments: &Arguments) -> Result<Outcome, Box<dyn Error>> {
    let scene = Scene::open(&arguments.scene, &arguments.set)?;
    let choice = arguments.solver.as_deref().map(|name| solver(name, arguments.iterations)).transpose()?;
    let mut run = scene.build_with(|builder| match choice {
        Some(choice) => builder.solver(choice),
        None => builder,
    })?;
    let found = run.settle(&SettleParams { tolerance: arguments.tolerance, most_steps: arguments.steps })?;
    if let Some(dir) = &arguments.out {
        match arguments.overwrite {
            true => place::replace(&scene, &run, dir)?,
            false => place::create(&scene, &run, dir)?,
        };
        Origin::of(&scene, arguments.solver.as_deref(), arguments.iterations).write(dir)?;
    }
    if arguments.json {
        say!(
            "{}",
            json!({
                "steps": found.steps,
                "residual": found.residual,
                "relative": found.relative(),
                "largest_force": found.largest_force,
                "body": found.body,
                "vertex": found.vertex,
            })
        );
        return Ok(Outcome::Good);
    }
    say!(
        "at rest after {} steps: the largest unbalanced force is {:.3e} N, {:.1e} of the largest force, on vertex {} of body {:?}",
        found.steps,
        found.residual,
        found.relative(),
        found.vertex,
        found.body
    );
    if let Some(dir) = &arguments.out {
        say!("a run that starts there is in {}", dir.display());
    }
    Ok(Outcome::Good)
}
