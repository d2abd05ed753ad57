//! One file per command.

pub(crate) mod compare;
pub(crate) mod completions;
pub(crate) mod export;
pub(crate) mod gallery;
pub(crate) mod info;
mod picture;
pub(crate) mod plot;
mod preview;
pub(crate) mod reproduce;
pub(crate) mod run;
pub(crate) mod scenes;

use std::error::Error;
use std::path::Path;

use pliant::solve::{Acceleration, NewtonParams, ProjectiveParams, SolverChoice};
use pliant_scene::{BUILTIN, Builtin, Scene};

/// A scene by the name of a built-in one, or by its file.
pub(crate) fn load(name: &str, overrides: &[String]) -> Result<Scene, Box<dyn Error>> {
    if let Some(builtin) = Builtin::find(name) {
        return Ok(builtin.scene(overrides)?);
    }
    let path = Path::new(name);
    if !path.exists() {
        let known: Vec<&str> = BUILTIN.iter().map(|scene| scene.name).collect();
        return Err(format!("there is no file or built-in scene {name:?}; built in are {}", known.join(", ")).into());
    }
    Ok(Scene::read(path, overrides)?)
}

/// Names of solvers on the command line.
pub(crate) const SOLVERS: [&str; 5] = ["plain", "anderson", "chebyshev", "newton", "semi-implicit"];

/// A solver by name; local/global ones with a number of iterations.
pub(crate) fn solver(name: &str, iterations: usize) -> Result<SolverChoice, Box<dyn Error>> {
    let projective = |acceleration| ProjectiveParams { acceleration, ..ProjectiveParams::plain(iterations) }.into();
    Ok(match name {
        "plain" => projective(Acceleration::None),
        "anderson" => projective(Acceleration::Anderson { window: 5 }),
        "chebyshev" => projective(Acceleration::Chebyshev { rho: 0.9, delay: 5, relaxation: 1.0 }),
        "newton" => NewtonParams::default().into(),
        "semi-implicit" => NewtonParams::semi_implicit().into(),
        _ => return Err(format!("there is no solver {name:?}; there are {}", SOLVERS.join(", ")).into()),
    })
}

/// Whether a solver factors anew in every iteration.
pub(crate) fn is_newton(choice: &SolverChoice) -> bool {
    matches!(choice, SolverChoice::Newton(_))
}
