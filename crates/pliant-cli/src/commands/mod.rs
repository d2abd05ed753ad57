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

use pliant::solve::{Acceleration, NewtonParams, PositionBasedParams, ProjectiveParams, SolverChoice};

/// Names of solvers on the command line.
pub(crate) const SOLVERS: [&str; 7] = ["plain", "anderson", "chebyshev", "newton", "semi-implicit", "pbd", "xpbd"];

/// A solver by name; local/global ones with a number of iterations.
pub(crate) fn solver(name: &str, iterations: usize) -> Result<SolverChoice, Box<dyn Error>> {
    let projective = |acceleration| ProjectiveParams { acceleration, ..ProjectiveParams::plain(iterations) }.into();
    Ok(match name {
        "plain" => projective(Acceleration::None),
        "anderson" => projective(Acceleration::Anderson { window: 5 }),
        "chebyshev" => projective(Acceleration::Chebyshev { rho: 0.9, delay: 5, relaxation: 1.0 }),
        "pbd" => PositionBasedParams::classic(iterations, 1.0).into(),
        "xpbd" => PositionBasedParams { iterations, ..PositionBasedParams::default() }.into(),
        "newton" => NewtonParams::default().into(),
        "semi-implicit" => NewtonParams::semi_implicit().into(),
        _ => return Err(format!("there is no solver {name:?}; there are {}", SOLVERS.join(", ")).into()),
    })
}

/// Whether a solver factors anew in every iteration.
pub(crate) fn is_newton(choice: &SolverChoice) -> bool {
    matches!(choice, SolverChoice::Newton(_))
}
