//! [Bargteil & Jones 2014, §3, Figure 1]: an organic body of 2020 particles in 26 clusters bounces on the ground, with damped springs; and what a
//! frame takes for matching and for limiting.

use std::time::Instant;

use pliant::mesh::PointSet;
use pliant::mesh::sdf::{SignedDistance, Solid};
use pliant::prelude::*;
use pliant::{Lattice, RegionError, SimulationBuilder};
use pliant_picture::plot::{Axis, Plot, Series};

use super::bouaziz2014_fig11::animal;
use crate::picture::draw_balls;
use crate::{Bound, Criterion, Experiment, Kind, Outcome, ReproduceError, Size, Table};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "bargteil2014-bounce",
    figure: "Bargteil & Jones 2014, Figure 1",
    claim: "A body of 2020 particles in 26 clusters bounces in real time",
    criteria: &[
        Criterion {
            name: "particles",
            statement: "difference of the number of particles from the paper's 2020, as a share",
            bound: Bound::Below(0.03),
            kind: Kind::Shape,
        },
        Criterion {
            name: "clusters",
            statement: "difference of the number of clusters from the paper's 26",
            bound: Bound::AtMost(2.0),
            kind: Kind::Shape,
        },
        Criterion {
            name: "bounces",
            statement: "rise of the centre after the first impact over the height of the body",
            bound: Bound::AtLeast(0.1),
            kind: Kind::Shape,
        },
        Criterion {
            name: "whole",
            statement: "largest distance from the centre over that at rest, at any time",
            bound: Bound::AtMost(1.3),
            kind: Kind::Shape,
        },
        Criterion {
            name: "matching",
            statement: "time of a frame without limiting, median [ms]; the paper: 0.370",
            bound: Bound::Below(0.370),
            kind: Kind::Timing,
        },
        Criterion {
            name: "limiting",
            statement: "time that limiting adds to it, median [ms]; the paper: 0.713",
            bound: Bound::Below(0.713),
            kind: Kind::Timing,
        },
    ],
    measure,
};

const PARTICLES: usize = 2020;
const CLUSTERS: usize = 26;
const SEED: u64 = 2014;
const STEP: f64 = 1.0 / 60.0;
const ITERATIONS: usize = 4;

/// The animal as particles, about as many as the paper's, and their distance \[m\].
fn particles(solid: &Solid) -> Result<(PointSet, f64), ReproduceError> {
    let size = solid.bounds().size().max_element();
    let (mut low, mut high) = (0.01 * size, 0.2 * size);
    for _ in 0..24 {
        let spacing = 0.5 * (low + high);
        match Lattice::fill(solid, spacing, 0.0) {
            Ok(lattice) if lattice.cells().len() > PARTICLES => low = spacing,
            _ => high = spacing,
        }
    }
    Ok((Lattice::fill(solid, high, 0.0)?.points(), high))
}

/// Random clusters, about as many as the paper's.
fn clusters(points: &PointSet, spacing: f64) -> Result<Regions, ReproduceError> {
    let all = (20..100).map(|k| Regions::random(&points.positions, 0.1 * f64::from(k) * spacing, SEED));
    let all = all.collect::<Result<Vec<_>, _>>()?;
    let best = all.into_iter().min_by_key(|regions| regions.len().abs_diff(CLUSTERS));
    Ok(best.ok_or(RegionError::NoRegions)?)
}

/// What is seen of a bounce.
struct Bounce {
    /// Of the centre over the body's, from the start.
    heights: Vec<[f64; 2]>,
    /// Largest distance from the centre over that at rest.
    reach: f64,
    /// At some frames.
    shapes: Vec<Vec<Vec3>>,
}

fn world(points: &PointSet, matching: &Matching) -> SimulationBuilder {
    let count = points.positions.len() as f64;
    let body = Body::points(points, 1.0 / count).with_matching(matching.clone());
    let solver = PositionBasedParams { iterations: ITERATIONS, ..PositionBasedParams::default() };
    Simulation::builder().body(body).solver(solver).time_step(STEP).threads(1)
}

fn bounce(points: &PointSet, matching: &Matching, steps: usize) -> Result<Bounce, ReproduceError> {
    let rest = &points.positions;
    let centre_of = |x: &[Vec3]| x.iter().fold(Vec3::ZERO, |sum, p| sum + *p) / x.len() as f64;
    let reach_of = |x: &[Vec3]| {
        let centre = centre_of(x);
        x.iter().fold(0.0, |most: f64, p| most.max(p.distance(centre)))
    };
    let low = rest.iter().fold(f64::INFINITY, |low, p| low.min(p.y));
    let high = rest.iter().fold(f64::NEG_INFINITY, |high, p| high.max(p.y));
    let ground = Collider::new(Shape::Plane).at(Vec3::Y * (low - (high - low)));
    let mut sim = world(points, matching).collider(ground).build()?;
    let mut found = Bounce { heights: Vec::new(), reach: 0.0, shapes: Vec::new() };
    for step in 0..steps {
        sim.step()?;
        let x = sim.positions();
        found.heights.push([sim.time(), (centre_of(x).y - centre_of(rest).y) / (high - low)]);
        found.reach = found.reach.max(reach_of(x) / reach_of(rest));
        if step % (steps / 4) == steps / 8 {
            found.shapes.push(x.to_vec());
        }
    }
    Ok(found)
}

/// Milliseconds of a frame with limits and without, medians: steps of the same body in the air, in turns.
fn times(points: &PointSet, matching: &Matching, steps: usize) -> Result<[f64; 2], ReproduceError> {
    let without = Matching { limit: None, ..matching.clone() };
    let mut sims = [world(points, matching).build()?, world(points, &without).build()?];
    let mut milliseconds = [Vec::new(), Vec::new()];
    for _ in 0..steps {
        for (sim, milliseconds) in sims.iter_mut().zip(&mut milliseconds) {
            let begun = Instant::now();
            sim.step()?;
            milliseconds.push(1e3 * begun.elapsed().as_secs_f64());
        }
    }
    Ok(milliseconds.map(median))
}

fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers.get(numbers.len() / 2).copied().unwrap_or(f64::NAN)
}

fn measure(size: Size) -> Result<Outcome, ReproduceError> {
    let steps = size.pick(600, 200);
    let (points, spacing) = particles(&animal())?;
    let regions = clusters(&points, spacing)?;
    let mut outcome = Outcome::default();
    outcome.choose(format!(
        "the generated animal of Bouaziz 2014, Figure 11, instead of the bunny; {} particles on a lattice, {} random clusters; α = 0.3, γ = 0.2, \
         {ITERATIONS} iterations, damping 2 /s, 60 Hz, {steps} steps; dropped from its own height above the ground",
        points.positions.len(),
        regions.len()
    ));
    let matching = Matching { limit: Some(0.2), damping: 2.0, ..Matching::new(regions.clone()) };
    let both = bounce(&points, &matching, steps)?;
    let alone = bounce(&points, &Matching { limit: None, ..matching.clone() }, steps)?;
    let (count, off) = (points.positions.len(), points.positions.len().abs_diff(PARTICLES));
    outcome.measure("particles", off as f64 / PARTICLES as f64, format!("{count} particles"));
    outcome.measure("clusters", regions.len().abs_diff(CLUSTERS) as f64, format!("{} clusters", regions.len()));
    let impact = both.heights.windows(2).position(|pair| pair[1][1] > pair[0][1]).unwrap_or(0);
    let highest = both.heights[impact..].iter().fold(f64::NEG_INFINITY, |most, h| most.max(h[1]));
    outcome.measure("bounces", highest - both.heights[impact][1], "");
    outcome.measure("whole", both.reach, "");
    let [frame, matched] = times(&points, &matching, steps)?;
    outcome.measure("matching", matched, "whole steps in the air, one thread");
    outcome.measure("limiting", frame - matched, "");
    let mut table = Table::new("frame", &["matching [ms]", "limiting [ms]", "paper: matching", "paper: limiting"]);
    table.push(vec![matched, frame - matched, 0.370, 0.713]);
    outcome.tables.push(table);
    outcome.plot(
        "height",
        Plot {
            title: "A bouncing body".to_owned(),
            x: Axis::linear("time [s]"),
            y: Axis::linear("height of the centre over the body's"),
            series: vec![
                Series::new("limited".to_owned(), both.heights),
                Series::new("springs alone".to_owned(), alone.heights),
            ],
            ..Plot::default()
        },
    );
    let shapes: Vec<&[Vec3]> = both.shapes.iter().map(|x| &x[..]).collect();
    outcome.pictures.push(("bounce".to_owned(), draw_balls(&shapes, 0.6 * spacing, [1200, 420])?));
    Ok(outcome)
}
