//! One file per command.

pub(crate) mod compare;
pub(crate) mod completions;
pub(crate) mod export;
pub(crate) mod gallery;
pub(crate) mod gpu;
pub(crate) mod info;
mod origin;
mod picture;
mod place;
pub(crate) mod plot;
mod preview;
pub(crate) mod render;
pub(crate) mod reproduce;
pub(crate) mod run;
pub(crate) mod scenes;
pub(crate) mod settle;
pub(crate) mod train;
pub(crate) mod view;
pub(crate) mod web;

use std::error::Error;

use pliant::solve::{Acceleration, NewtonParams, PositionBasedParams, ProjectiveParams, SolverChoice, TwoMetricParams};

/// What makes a solver with a number of iterations.
type Recipe = fn(usize) -> SolverChoice;

/// The solvers of the command line: what help, errors and completions say comes from here.
const SOLVERS: [(&str, Recipe); 10] = [
    ("auto", |_| SolverChoice::Auto),
    ("plain", |iterations| projective(iterations, Acceleration::None)),
    ("anderson", |iterations| projective(iterations, Acceleration::Anderson { window: 5 })),
    ("chebyshev", |iterations| projective(iterations, Acceleration::Chebyshev { rho: 0.9, delay: 5, relaxation: 1.0 })),
    ("lbfgs", |iterations| projective(iterations, Acceleration::Lbfgs { history: 5 })),
    ("two-metric", |_| TwoMetricParams::default().into()),
    ("newton", |_| NewtonParams::default().into()),
    ("semi-implicit", |_| NewtonParams::semi_implicit().into()),
    ("pbd", |iterations| PositionBasedParams::classic(iterations, 1.0).into()),
    ("xpbd", |iterations| PositionBasedParams { iterations, ..PositionBasedParams::default() }.into()),
];

fn projective(iterations: usize, acceleration: Acceleration) -> SolverChoice {
    ProjectiveParams { acceleration, ..ProjectiveParams::plain(iterations) }.into()
}

/// Names of the solvers, separated by commas.
pub(crate) fn solver_names() -> String {
    SOLVERS.map(|(name, _)| name).join(", ")
}

/// A solver by name; local/global ones with a number of iterations.
pub(crate) fn solver(name: &str, iterations: usize) -> Result<SolverChoice, Box<dyn Error>> {
    let known = SOLVERS.iter().find(|(known, _)| *known == name);
    let (_, recipe) = known.ok_or_else(|| format!("there is no solver {name:?}; there are {}", solver_names()))?;
    Ok(recipe(iterations))
}

/// Whether a solver factors anew in every iteration.
pub(crate) fn is_newton(choice: &SolverChoice) -> bool {
    matches!(choice, SolverChoice::Newton(_))
}
