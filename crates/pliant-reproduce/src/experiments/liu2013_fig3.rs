//! [Liu 2013, Figure 3]: convergence for springs of different stiffness, and for meshes of different resolution.
//!
//! The error is averaged over frames. Resolutions share size and mass, and the stiffness is proportional to the resolution,
//! so that all are the same cloth.

use pliant::prelude::*;
use pliant_picture::plot::{Axis, Plot, Series};

use crate::curtain::Curtain;
use crate::race::Scale;
use crate::{Bound, Criterion, Experiment, Kind, Outcome, ReproduceError, Size, Table};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "liu2013-fig3",
    figure: "Liu 2013, Figure 3",
    claim: "Higher stiffness leads to slower convergence; early iterations do more than later ones, at any stiffness \
        and resolution",
    criteria: &[
        Criterion {
            name: "stiffer-is-slower",
            statement: "share of the error after 10 iterations that is left after 100: least ratio of a stiffness to \
                the next lower one",
            bound: Bound::AtLeast(1.0),
            kind: Kind::Shape,
        },
        Criterion {
            name: "early-progress",
            statement: "mean decrease of log(error) in an iteration up to the 10th over that from the 10th to the \
                100th, least of all curves",
            bound: Bound::AtLeast(2.0),
            kind: Kind::Shape,
        },
    ],
    measure,
};

const ITERATIONS: usize = 100;

fn measure(size: Size) -> Result<Outcome, ReproduceError> {
    let frames = size.pick(50, 8);
    let stiffnesses = [10.0, 100.0, 1e3, 1e4];
    let resolutions: &[usize] = size.pick(&[10, 20, 40], &[8, 16]);
    let base = size.pick(20, 10);
    let mut outcome = Outcome::default();
    outcome.choose(format!("stiffnesses {stiffnesses:?} N/m for the curtain of {0}×{0} vertices", base + 1));
    outcome.choose(format!("resolutions of {resolutions:?} cells a side, with 5 N/m for each cell a side"));
    outcome.choose(format!("the first {frames} frames after the curtain is let go, held at two corners"));

    let by_stiffness = stiffnesses
        .iter()
        .map(|&stiffness| Ok((format!("{stiffness} N/m"), mean_errors(&Curtain { cells: base, stiffness }, frames)?)))
        .collect::<Result<Vec<_>, ReproduceError>>()?;
    let by_resolution = resolutions
        .iter()
        .map(|&cells| {
            let curtain = Curtain { cells, stiffness: 5.0 * cells as f64 };
            Ok((format!("{0}×{0} vertices", cells + 1), mean_errors(&curtain, frames)?))
        })
        .collect::<Result<Vec<_>, ReproduceError>>()?;

    for (name, title, curves) in [
        ("stiffness", "Convergence for varying stiffness", &by_stiffness),
        ("resolution", "Convergence for varying resolution", &by_resolution),
    ] {
        let columns: Vec<&str> =
            std::iter::once("iteration").chain(curves.iter().map(|(name, _)| name.as_str())).collect();
        let mut table = Table::new(name, &columns);
        for k in 0..=ITERATIONS {
            table.push(std::iter::once(k as f64).chain(curves.iter().map(|(_, errors)| errors[k])).collect::<Vec<_>>());
        }
        let series = curves.iter().map(|(name, errors)| {
            Series::new(name.as_str(), errors.iter().enumerate().map(|(k, &error)| [k as f64, error]).collect())
        });
        let y = Axis::log("mean relative error");
        let plot = Plot {
            title: title.to_owned(),
            x: Axis::linear("iterations"),
            y,
            series: series.collect(),
            ..Plot::default()
        };
        outcome.plot(name, plot);
        outcome.tables.push(table);
    }

    let left: Vec<f64> = by_stiffness.iter().map(|(_, errors)| errors[100] / errors[10]).collect();
    let least = left.windows(2).map(|pair| pair[1] / pair[0]).fold(f64::INFINITY, f64::min);
    outcome.measure("stiffer-is-slower", least, format!("shares left: {left:.3?}"));
    let gains: Vec<f64> =
        by_stiffness.iter().chain(&by_resolution).map(|(_, errors)| early_over_late(errors)).collect();
    let least = gains.iter().copied().fold(f64::INFINITY, f64::min);
    outcome.measure("early-progress", least, format!("all curves: {gains:.1?}"));
    Ok(outcome)
}

fn early_over_late(errors: &[f64]) -> f64 {
    let early = (errors[0] / errors[10]).ln() / 10.0;
    let late = (errors[10] / errors[100]).ln() / 90.0;
    early / late
}

/// Errors by iteration, averaged over frames.
fn mean_errors(curtain: &Curtain, frames: usize) -> Result<Vec<f64>, ReproduceError> {
    let mut sim = curtain.simulation(ProjectiveParams { iterations: 30, ..ProjectiveParams::default() })?;
    let mut means = vec![0.0; ITERATIONS + 1];
    for _ in 0..frames {
        let problem = sim.next_problem()?;
        let mut x = problem.start(Start::Inertial).to_vec();
        let plain = ProjectiveParams { record: true, ..ProjectiveParams::plain(ITERATIONS) };
        let values: Vec<f64> = problem.solve(&plain.into(), &mut x)?.history.into_iter().step_by(2).collect();
        // Newton from there finds the bottom of the valley that the iterations are in.
        let bottom = problem.solve(&NewtonParams { iterations: 20, ..NewtonParams::default() }.into(), &mut x)?;
        let scale = Scale { first: values[0], least: bottom.objective };
        for (mean, &g) in means.iter_mut().zip(&values) {
            *mean += scale.error(g) / frames as f64;
        }
        sim.step()?;
    }
    Ok(means)
}
