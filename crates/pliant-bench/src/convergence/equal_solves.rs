//! Error at equal numbers of linear solves: what an iteration of each method is worth, whatever it costs here.
//!
//! The exact motion is that of the same time step with every step solved to the end, so that what is left is the solver's alone. A solve is one with the
//! projective factor; Newton's method has factors of its own matrix instead, each several times as dear to solve with and made anew every time.

use std::path::Path;

use pliant::math::Vec3;
use pliant::solve::{Acceleration, NewtonParams, ProjectiveParams, SolverChoice, TwoMetricParams};
use pliant_view::plot::{Axis, Plot, Series};

use super::{Case, Motion, mean_distance, write};
use crate::BenchError;
use crate::table::Table;

/// Numbers of solves in a step of 1/60 s.
const SOLVES: [usize; 6] = [2, 5, 10, 20, 40, 80];
/// Linear iterations in one of the two-metric Newton.
const LINEAR: usize = 5;

/// A method, by the number of solves that it is given.
type Method = (&'static str, fn(usize) -> SolverChoice);

const METHODS: [Method; 6] = [
    ("plain", |solves| ProjectiveParams::plain(solves).into()),
    ("Anderson", |solves| ProjectiveParams { iterations: solves, ..Default::default() }.into()),
    ("Chebyshev", |solves| {
        let acceleration = Acceleration::Chebyshev { rho: 0.9, delay: 5, relaxation: 1.0 };
        ProjectiveParams { iterations: solves, acceleration, ..Default::default() }.into()
    }),
    ("L-BFGS", |solves| {
        let acceleration = Acceleration::Lbfgs { history: 5 };
        ProjectiveParams { iterations: solves, acceleration, ..Default::default() }.into()
    }),
    ("two-metric", |solves| {
        let iterations = solves.div_ceil(LINEAR);
        let linear_iterations = solves / iterations;
        TwoMetricParams { iterations, linear_iterations, linear_tolerance: 0.0, ..Default::default() }.into()
    }),
    ("Newton", |solves| NewtonParams { iterations: solves, ..Default::default() }.into()),
];

/// One of cloth, solid and contact.
const CASES: [Case; 3] = [
    Case { motion: Motion::Swing, material: "heavy cloth", along: 25 },
    Case { motion: Motion::Bar, material: "stiff solid", along: 25 },
    Case { motion: Motion::Drape, material: "heavy cloth", along: 25 },
];

fn motion(case: &Case, solver: SolverChoice) -> Result<Vec<Vec<Vec3>>, BenchError> {
    let mut sim = case.world()?.solver(solver).build()?;
    let frames = case.motion.frames();
    let mut seen = Vec::new();
    for frame in 1..=frames[2] {
        sim.step()?;
        if frames.contains(&frame) {
            seen.push(sim.positions().to_vec());
        }
    }
    Ok(seen)
}

/// Errors of a method by number of solves, the largest of the frames that are looked at \[m\].
fn errors(case: &Case, method: Method, exact: &[Vec<Vec3>]) -> Result<Vec<[f64; 2]>, BenchError> {
    SOLVES
        .into_iter()
        .map(|solves| {
            let found = motion(case, method.1(solves))?;
            let error = found.iter().zip(exact).map(|(a, b)| mean_distance(a, b)).fold(0.0, f64::max);
            Ok([solves as f64, error])
        })
        .collect()
}

/// Prints a table for each case, and writes a plot of it into a folder.
pub(super) fn command(plots: Option<&Path>) -> Result<(), BenchError> {
    for case in CASES {
        let exact = TwoMetricParams { linear_iterations: 100, linear_tolerance: 1e-3, ..TwoMetricParams::converged() };
        let exact = motion(&case, TwoMetricParams { iterations: 60, tolerance: 1e-9, ..exact }.into())?;
        let heading = ["solves in a step".to_owned()].into_iter().chain(METHODS.map(|method| method.0.to_owned()));
        let mut table = Table::new(heading);
        let mut series = Vec::new();
        for method in METHODS {
            series.push(Series::new(method.0, errors(&case, method, &exact)?));
        }
        for (k, solves) in SOLVES.into_iter().enumerate() {
            let errors = series.iter().map(|series| format!("{:.4}", series.points[k][1]));
            table.row([solves.to_string()].into_iter().chain(errors).collect());
        }
        println!(
            "{}: largest error of frames {:?} at 1/60 s [m]\n{}",
            case.name(),
            case.motion.frames(),
            table.to_text()
        );
        if let Some(folder) = plots {
            let (x, y) = (Axis::log("linear solves in a step"), Axis::log("distance from the exact steps [m]"));
            let plot = Plot { title: case.name(), x, y, series, ..Plot::default() };
            write(&folder.join(format!("equal-solves-{}.svg", case.motion.name())), &plot.to_svg()?)?;
        }
    }
    Ok(())
}
