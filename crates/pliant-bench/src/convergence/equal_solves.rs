//! Error at equal numbers of linear solves: what an iteration of each method is worth, whatever it costs here.
//!
//! The exact motion is that of the same time step with every step solved to the end, so that what is left is the solver's alone. A solve is one with the
//! projective factor; Newton's method has factors of its own matrix instead, each several times as dear to solve with and made anew every time. In contact an iteration
//! of the projective solver takes several solves, by conjugate gradients: a second table has what was taken, and plots go by that.

use std::path::Path;

use pliant::math::Vec3;
use pliant::solve::{Acceleration, NewtonParams, ProjectiveParams, SolverChoice, TwoMetricParams};
use pliant_picture::plot::{Axis, Plot, Series};

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

/// Positions at the frames that are looked at, and solves taken in a step.
fn motion(case: &Case, solver: SolverChoice) -> Result<(Vec<Vec<Vec3>>, f64), BenchError> {
    let mut sim = case.world()?.solver(solver).build()?;
    let frames = case.motion.frames();
    let is_projective = matches!(sim.solver_choice(), SolverChoice::Projective(_));
    let (mut seen, mut taken) = (Vec::new(), 0.0);
    for frame in 1..=frames[2] {
        let solve = sim.step()?.solve;
        // Conjugate gradients solve once more than they iterate, to see that they are done; where nothing touches that is the one solve.
        let solves = if is_projective { solve.linear_iterations + solve.iterations } else { 0 };
        taken += solves as f64 / frames[2] as f64;
        if frames.contains(&frame) {
            seen.push(sim.positions().to_vec());
        }
    }
    Ok((seen, taken))
}

/// By number of solves, the error of a method, the largest of the frames that are looked at \[m\], and solves taken in a step.
fn errors(case: &Case, method: Method, exact: &[Vec<Vec3>]) -> Result<Vec<[f64; 3]>, BenchError> {
    SOLVES
        .into_iter()
        .map(|solves| {
            let (found, taken) = motion(case, method.1(solves))?;
            let error = found.iter().zip(exact).map(|(a, b)| mean_distance(a, b)).fold(0.0, f64::max);
            Ok([solves as f64, error, taken.max(solves as f64)])
        })
        .collect()
}

/// Prints a table for each case, and writes a plot of it into a folder.
pub(super) fn command(plots: Option<&Path>) -> Result<(), BenchError> {
    for case in CASES {
        let exact = TwoMetricParams { linear_iterations: 100, linear_tolerance: 1e-3, ..TwoMetricParams::converged() };
        let (exact, _) = motion(&case, TwoMetricParams { iterations: 60, tolerance: 1e-9, ..exact }.into())?;
        let heading = || ["solves in a step".to_owned()].into_iter().chain(METHODS.map(|method| method.0.to_owned()));
        let (mut table, mut taken) = (Table::new(heading()), Table::new(heading()));
        let mut found = Vec::new();
        let mut series = Vec::new();
        for method in METHODS {
            let errors = errors(&case, method, &exact)?;
            series.push(Series::new(method.0, errors.iter().map(|&[_, error, taken]| [taken, error]).collect()));
            found.push(errors);
        }
        for (k, solves) in SOLVES.into_iter().enumerate() {
            let row = |cell: &dyn Fn(&[f64; 3]) -> String| {
                [solves.to_string()].into_iter().chain(found.iter().map(|method| cell(&method[k]))).collect()
            };
            table.row(row(&|[_, error, _]| format!("{error:.4}")));
            taken.row(row(&|[_, _, taken]| format!("{taken:.0}")));
        }
        println!(
            "{}: largest error of frames {:?} at 1/60 s [m]\n{}",
            case.name(),
            case.motion.frames(),
            table.to_text()
        );
        println!("solves taken in a step\n{}", taken.to_text());
        if let Some(folder) = plots {
            let (x, y) = (Axis::log("linear solves in a step"), Axis::log("distance from the exact steps [m]"));
            let plot = Plot { title: case.name(), x, y, series, ..Plot::default() };
            write(&folder.join(format!("equal-solves-{}.svg", case.motion.name())), &plot.to_svg()?)?;
        }
    }
    Ok(())
}
