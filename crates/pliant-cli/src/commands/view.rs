//! `pliant view`: a window on a scene that runs, or on a finished run.

use std::path::PathBuf;

#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// A built-in scene, a scene file, or the folder of a run.
    what: String,
    /// Another one to show beside it.
    beside: Option<String>,
    /// Change a value of the scenes, such as `world.gravity=[0,0,0]`; may be given several times.
    #[arg(long, value_name = "PATH=VALUE")]
    set: Vec<String>,
    /// Use another solver than the scene asks for; the names are those of `pliant run`.
    #[arg(long, value_name = "NAME")]
    solver: Option<String>,
    /// Show the scene beside itself, solved by another solver.
    #[arg(long, value_name = "NAME", conflicts_with = "beside")]
    against: Option<String>,
    /// Iterations of solvers by name.
    #[arg(long, value_name = "COUNT", default_value_t = 10)]
    iterations: usize,
    /// Folder for pictures and films.
    #[arg(long, value_name = "FOLDER", default_value = ".")]
    out: PathBuf,
    /// Write what the window shows to a file, a line of JSON whenever that changes: for programs that drive the window.
    #[arg(long, value_name = "FILE", hide = true)]
    trace: Option<PathBuf>,
}

const EXAMPLES: &str = "Examples:
  pliant view curtain                        runs in the window: drag it, cut it, press H for keys
  pliant view my.toml --set world.gravity=[0,-1.6,0]
  pliant view curtain --against newton       the same scene by two solvers, side by side
  pliant view out/curtain                    plays a finished run, with a timeline
  pliant view out/first out/second           two runs side by side

Without a display, `pliant render` draws pictures of runs.";

#[cfg(not(feature = "view"))]
pub(crate) fn run(_: &Arguments) -> Result<crate::Outcome, Box<dyn std::error::Error>> {
    Err("this command was built without windows; build it with the feature \"view\", or draw pictures by `pliant render`".into())
}

#[cfg(feature = "view")]
pub(crate) use window::run;

#[cfg(feature = "view")]
mod window {
    use std::error::Error;
    use std::path::{Path, PathBuf};

    use pliant::solve::SolverChoice;
    use pliant_io::store::RunStore;
    use pliant_live::protocol::{Notice, Severity};
    use pliant_live::session::Session;
    use pliant_live::window::{Files, Opening, Show, WindowError, show};
    use pliant_scene::{Scene, SceneError};

    use super::Arguments;
    use crate::Outcome;
    use crate::commands::origin::Origin;
    use crate::commands::solver;

    pub(crate) fn run(arguments: &Arguments) -> Result<Outcome, Box<dyn Error>> {
        let Arguments { what, beside, set, solver: first, against, iterations, out, trace } = arguments;
        let named = |name: &Option<String>| name.as_ref().map(|name| solver(name, *iterations)).transpose();
        let (first_choice, other_choice) = (named(first)?, named(against)?);
        let mut shows = vec![shown(what, set, first_choice.clone(), first.as_deref())?];
        if let Some(beside) = beside {
            shows.push(shown(beside, set, first_choice, first.as_deref())?);
        } else if against.is_some() {
            if Path::new(what).is_dir() {
                return Err(
                    format!("{what} is a finished run, which no solver changes; name a scene, or another run").into()
                );
            }
            shows.push(shown(what, set, other_choice, against.as_deref())?);
        }
        let name = Path::new(what).file_stem().map_or_else(|| what.clone(), |name| name.to_string_lossy().into_owned());
        let files = Files { folder: out.clone(), trace: trace.clone() };
        show(&name, shows, files).map_err(|error| -> Box<dyn Error> {
            match error {
                WindowError::NoDisplay => {
                    format!("{error}; `pliant run {what}` and `pliant render` draw pictures without one").into()
                }
                refused => refused.into(),
            }
        })?;
        Ok(Outcome::Good)
    }

    /// What is wrong with a scene is told here, before a window opens; it is built behind the window.
    fn shown(
        what: &str,
        set: &[String],
        choice: Option<SolverChoice>,
        solver: Option<&str>,
    ) -> Result<Show, Box<dyn Error>> {
        let title = solver.map_or_else(|| what.to_owned(), |solver| format!("{what}, {solver}"));
        if Path::new(what).is_dir() {
            if choice.is_some() {
                return Err(format!("{what} is a finished run, which no solver changes").into());
            }
            return Ok(Show { title, opening: recorded(PathBuf::from(what), set)? });
        }
        let scene = Scene::open(what, set)?;
        let opening = Opening::new(move || {
            let mut session = Session::new();
            match session.open_with(scene, choice) {
                Ok(()) => Ok(session),
                Err(error) => Err(stopped(&error)),
            }
        });
        Ok(Show { title, opening })
    }

    /// A finished run. Runs of earlier versions do not say which scene they are of; they have no colliders then.
    fn recorded(folder: PathBuf, set: &[String]) -> Result<Opening, Box<dyn Error>> {
        let store = RunStore::open(&folder)?;
        let origin = Origin::read(&folder).ok();
        let scene = origin.as_ref().map(|origin| origin.scene(set)).transpose()?;
        Ok(Opening::new(move || {
            let wrong = |text: String| Notice { severity: Severity::Stopped, text, place: None, hint: None };
            let built = match origin.zip(scene) {
                Some((origin, scene)) => {
                    let run = origin.build(&scene).map_err(|error| wrong(error.to_string()))?;
                    Some((scene, run))
                }
                None => None,
            };
            let mut session = Session::new();
            session.open_run(store, built).map_err(wrong)?;
            Ok(session)
        }))
    }

    fn stopped(error: &SceneError) -> Notice {
        let place = error.place.map(|(line, column)| (line as u32, column as u32));
        Notice { severity: Severity::Stopped, text: error.message.clone(), place, hint: error.hint.clone() }
    }
}
