//! What a solve, a frame and a setup cost over the size of a body and the number of threads.

use std::cell::RefCell;

use serde::{Deserialize, Serialize};

use crate::BenchError;
use crate::ours::{self, Factor, Variant};
use crate::problem::Problem;
use crate::table::{Table, or_dash, three_digits};
use crate::timing::{Contender, Effort, Timing, take_turns};

/// What was found at one size with one way to run the engine.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Point {
    /// Kind of body.
    pub kind: String,
    /// Number of vertices.
    pub vertices: usize,
    /// Name of the variant.
    pub variant: String,
    /// From the matrix to the factor \[ms\].
    pub setup: f64,
    /// A solve.
    pub solve: Option<Timing>,
    /// A frame.
    pub frame: Option<Timing>,
}

/// Measures cloths and bars of growing size; `largest` bounds the number of vertices.
pub fn measure(effort: Effort, largest: usize) -> Result<Vec<Point>, BenchError> {
    let mut points = Vec::new();
    let mut add = |kind: &str, problem: Problem| -> Result<(), BenchError> {
        eprintln!("{kind}, {} vertices", problem.rest.len());
        points.extend(measure_one(kind, &problem, effort)?);
        Ok(())
    };
    for n in [21, 41, 81, 161, 321, 641].into_iter().filter(|n| n * n <= largest) {
        add("cloth", Problem::cloth("cloth", n)?)?;
    }
    let bars = [(6, 11), (8, 22), (12, 30), (16, 40), (24, 55), (36, 78)];
    for (n, m) in bars.into_iter().filter(|(n, m)| n * n * m <= largest) {
        add("bar", Problem::bar("bar", n, m)?)?;
    }
    Ok(points)
}

fn measure_one(kind: &str, problem: &Problem, effort: Effort) -> Result<Vec<Point>, BenchError> {
    let system = problem.system();
    let rhs = system.right_hand_side();
    let variants: Vec<Variant> = ours::variants();
    let mut setups = Vec::new();
    let mut factors = Vec::new();
    for variant in &variants {
        let (factor, seconds) = Factor::new(&system, variant)?;
        setups.push(1e3 * seconds.iter().sum::<f64>());
        factors.push((factor, rhs.clone()));
    }
    let mut contenders: Vec<Contender<'_>> = Vec::new();
    for ((factor, x), variant) in factors.iter_mut().zip(&variants) {
        let rhs = &rhs;
        contenders.push(Contender::new(variant.name.clone(), move |sampler| factor.sample(sampler, rhs, x)));
    }
    let solves = take_turns(&mut contenders, effort);
    drop(contenders);
    drop(factors);

    let failure: RefCell<Option<pliant::StepError>> = RefCell::new(None);
    let built: Result<Vec<_>, BenchError> = variants.iter().map(|variant| ours::simulation(problem, variant)).collect();
    let mut simulations = built?;
    for simulation in &mut simulations {
        simulation.step()?;
    }
    let mut contenders: Vec<Contender<'_>> = Vec::new();
    for (simulation, variant) in simulations.iter_mut().zip(&variants) {
        contenders.push(Contender::calling(variant.name.clone(), simulation, &failure, |simulation| {
            simulation.step().map(drop)
        }));
    }
    let frames = take_turns(&mut contenders, effort);
    drop(contenders);
    if let Some(error) = failure.into_inner() {
        return Err(error.into());
    }
    let found = variants.iter().zip(setups).zip(solves).zip(frames);
    let points = found.map(|(((variant, setup), solve), frame)| Point {
        kind: kind.to_owned(),
        vertices: problem.rest.len(),
        variant: variant.name.clone(),
        setup,
        solve,
        frame,
    });
    Ok(points.collect())
}

/// The points with the exponent p of cost ~ verticesᵖ between each size and the one before.
pub fn table(points: &[Point]) -> Table {
    let mut table =
        Table::new(["body", "vertices", "method", "setup", "solve", "exponent", "frame", "exponent", "µs/vertex"]);
    for (k, point) in points.iter().enumerate() {
        let before = points[..k].iter().rfind(|other| other.kind == point.kind && other.variant == point.variant);
        let exponent = |what: fn(&Point) -> Option<Timing>| {
            let before = before?;
            let growth = (point.vertices as f64 / before.vertices as f64).ln();
            Some((what(point)?.min / what(before)?.min).ln() / growth)
        };
        table.row(vec![
            point.kind.clone(),
            point.vertices.to_string(),
            point.variant.clone(),
            three_digits(point.setup),
            or_dash(point.solve.map(|t| t.min)),
            or_dash(exponent(|p| p.solve)),
            or_dash(point.frame.map(|t| t.min)),
            or_dash(exponent(|p| p.frame)),
            or_dash(point.frame.map(|t| 1e3 * t.min / point.vertices as f64)),
        ]);
    }
    table
}
