//! [Bargteil & Jones 2014, §3]: cubes that start stretched by half, and cubes that are dropped, in one cluster and in about 29, over the
//! parameters of Algorithm 1.

use pliant::math::{Quat, RigidFit};
use pliant::mesh::PointSet;
use pliant::prelude::*;
use pliant::{RegionError, SimulationBuilder};
use pliant_picture::plot::{Axis, Plot, Series};

use crate::picture::draw_balls;
use crate::{Bound, Criterion, Experiment, Kind, Outcome, ReproduceError, Size, Table};

pub(super) const STRETCHED: Experiment = Experiment {
    name: "bargteil2014-stretched",
    figure: "Bargteil & Jones 2014, §3, first example",
    claim: "A stretched cube swings as its spring says, and is stable with overlapping clusters because strain is limited",
    criteria: &[
        Criterion {
            name: "clusters",
            statement: "difference of the number of random clusters from the paper's 29",
            bound: Bound::AtMost(2.0),
            kind: Kind::Shape,
        },
        Criterion {
            name: "period",
            statement: "period of one cluster against 2π/arccos(1 − α/2) steps, largest difference as a share, α = 0.05, 0.3, 0.7",
            bound: Bound::Below(0.01),
            kind: Kind::Shape,
        },
        Criterion {
            name: "undamped",
            statement: "one cluster: amplitude of the last second over that of the first, least over α",
            bound: Bound::AtLeast(0.99),
            kind: Kind::Shape,
        },
        Criterion {
            name: "bounded",
            statement: "29 clusters, limited: largest distance from the centre over that at the start, at any time, over α and γ",
            bound: Bound::AtMost(1.1),
            kind: Kind::Shape,
        },
        Criterion {
            name: "limited",
            statement: "stretched to four times its length, γ = 0.3: largest distance from the centre over that at rest, last second",
            bound: Bound::AtMost(1.5),
            kind: Kind::Shape,
        },
        Criterion {
            name: "unlimited",
            statement: "the same without limits: largest distance in the last second over that in the first: it grows",
            bound: Bound::AtLeast(1.5),
            kind: Kind::Shape,
        },
    ],
    measure: stretched,
};

pub(super) const DROPPED: Experiment = Experiment {
    name: "bargteil2014-dropped",
    figure: "Bargteil & Jones 2014, §3, second example",
    claim: "Dropped cubes bounce, deform as far as their limit lets them, and stay in one piece",
    criteria: &[
        Criterion {
            name: "softer",
            statement: "29 clusters: mean distance of particles from the shapes of their clusters, over half-widths, at the worst time; γ = 0.5 over γ = 0.1",
            bound: Bound::AtLeast(1.2),
            kind: Kind::Shape,
        },
        Criterion {
            name: "bounces",
            statement: "one cluster, γ = 0.3: height of the centre over that of a cube at rest on the ground, highest after the first impact",
            bound: Bound::AtLeast(1.3),
            kind: Kind::Shape,
        },
        Criterion {
            name: "whole",
            statement: "largest distance from the centre over that at rest, at any time, over all parameters",
            bound: Bound::AtMost(1.5),
            kind: Kind::Shape,
        },
        Criterion {
            name: "above",
            statement: "depth below the ground of any particle at any time, over the side",
            bound: Bound::AtMost(1e-6),
            kind: Kind::Shape,
        },
    ],
    measure: dropped,
};

/// The side \[m\], and particles along it.
const SIDE: f64 = 1.0;
const ALONG: usize = 8;
/// Clusters that the paper has.
const CLUSTERS: usize = 29;
const SEED: u64 = 2014;
const FRAME: f64 = 1.0 / 60.0;
const ITERATIONS: usize = 4;
const LONG: usize = 1200;
const ALPHAS: [f64; 3] = [0.05, 0.3, 0.7];
/// Height of the centre of dropped cubes over the side.
const DROP: f64 = 1.2;
const GAMMAS: [f64; 3] = [0.1, 0.3, 0.5];

/// A cube of particles about the origin.
pub(super) fn cube() -> PointSet {
    let at = |k: usize| SIDE * (k as f64 / (ALONG - 1) as f64 - 0.5);
    let all = (0..ALONG).flat_map(|i| (0..ALONG).flat_map(move |j| (0..ALONG).map(move |k| [i, j, k])));
    PointSet { positions: all.map(|[i, j, k]| Vec3::new(at(i), at(j), at(k))).collect() }
}

/// Random clusters whose number is nearest to the paper's, and their radius \[m\].
fn clusters(points: &PointSet) -> Result<(Regions, f64), ReproduceError> {
    let mut best: Option<(usize, Regions, f64)> = None;
    for step in 0..40 {
        let radius = SIDE * (0.15 + 0.01 * f64::from(step));
        let regions = Regions::random(&points.positions, radius, SEED)?;
        let off = regions.len().abs_diff(CLUSTERS);
        if best.as_ref().is_none_or(|(least, ..)| off < *least) {
            best = Some((off, regions, radius));
        }
    }
    let (_, regions, radius) = best.ok_or(RegionError::NoRegions)?;
    Ok((regions, radius))
}

/// The largest distance from the centre.
fn reach(x: &[Vec3]) -> f64 {
    let centre = x.iter().fold(Vec3::ZERO, |sum, p| sum + *p) / x.len() as f64;
    x.iter().fold(0.0, |most: f64, p| most.max(p.distance(centre)))
}

fn matching(regions: &Regions, alpha: f64, gamma: Option<f64>) -> Matching {
    Matching { spring: Spring::Share(alpha), limit: gamma, ..Matching::new(regions.clone()) }
}

fn world(points: &PointSet, matching: Matching, start: Vec<Vec3>) -> SimulationBuilder {
    let body = Body::points(points, 0.1).with_matching(matching).with_positions(start);
    let solver = PositionBasedParams { iterations: ITERATIONS, ..PositionBasedParams::default() };
    Simulation::builder().body(body).solver(solver).time_step(FRAME)
}

/// A cube that swings.
struct Swing {
    /// Its length along x over that at rest, and its reach, after each step.
    lengths: Vec<f64>,
    reaches: Vec<f64>,
    end: Vec<Vec3>,
}

/// A cube that starts stretched along x, without gravity.
fn swing(points: &PointSet, matching: Matching, stretch: f64, steps: usize) -> Result<Swing, ReproduceError> {
    let start = points.positions.iter().map(|p| Vec3::new(stretch * p.x, p.y, p.z)).collect();
    let mut sim = world(points, matching, start).gravity(Vec3::ZERO).build()?;
    let (mut lengths, mut reaches) = (vec![stretch], vec![reach(sim.positions())]);
    let last = points.positions.len() - 1;
    for _ in 0..steps {
        sim.step()?;
        lengths.push((sim.positions()[last].x - sim.positions()[0].x) / SIDE);
        reaches.push(reach(sim.positions()));
    }
    Ok(Swing { lengths, reaches, end: sim.positions().to_vec() })
}

/// The mean distance of upward crossings of 1, in steps.
fn period(lengths: &[f64]) -> f64 {
    let crossing = |(k, pair): (usize, &[f64])| {
        let [a, b] = [pair[0] - 1.0, pair[1] - 1.0];
        (a < 0.0 && b >= 0.0).then(|| k as f64 + a / (a - b))
    };
    let crossings: Vec<f64> = lengths.windows(2).enumerate().filter_map(crossing).collect();
    match (crossings.first(), crossings.last()) {
        (Some(first), Some(last)) if crossings.len() > 1 => (last - first) / (crossings.len() - 1) as f64,
        _ => f64::NAN,
    }
}

fn largest(numbers: &[f64]) -> f64 {
    numbers.iter().copied().fold(0.0, f64::max)
}

fn stretched(size: Size) -> Result<Outcome, ReproduceError> {
    let (points, steps) = (cube(), size.pick(LONG, 300));
    let whole = Regions::whole(points.positions.len());
    let (many, radius) = clusters(&points)?;
    let mut outcome = Outcome::default();
    outcome.choose(format!(
        "a cube of {ALONG}³ particles; clusters of radius {radius:.2} sides, seed {SEED}, {} of them; 60 Hz, {ITERATIONS} iterations, ω = 1, {steps} \
         steps, no gravity, no damping",
        many.len()
    ));
    let mut table = Table::new("swings", &["α", "γ", "period [steps]", "largest reach over start"]);
    let mut series = Vec::new();
    let (mut off, mut kept, mut grown) = (0.0_f64, f64::INFINITY, 0.0_f64);
    let mut shapes = Vec::new();
    for (name, regions) in [("1 cluster", &whole), ("29 clusters", &many)] {
        for alpha in ALPHAS {
            for gamma in GAMMAS {
                let Swing { lengths, reaches, end } =
                    swing(&points, matching(regions, alpha, Some(gamma)), 1.5, steps)?;
                let found = period(&lengths);
                table.push_named(name, vec![alpha, gamma, found, largest(&reaches) / reaches[0]]);
                if regions.len() == 1 && gamma == 0.5 {
                    let exact = std::f64::consts::TAU / (1.0 - 0.5 * alpha).acos();
                    off = off.max((found / exact - 1.0).abs());
                    let amplitude = |of: &[f64]| largest(&of.iter().map(|l| (l - 1.0).abs()).collect::<Vec<_>>());
                    kept = kept.min(amplitude(&lengths[steps - 60..]) / amplitude(&lengths[..60]));
                } else if regions.len() > 1 {
                    grown = grown.max(largest(&reaches) / reaches[0]);
                }
                if alpha == 0.3 && gamma == 0.3 {
                    let shown = lengths.iter().take(180).enumerate().map(|(k, l)| [k as f64 * FRAME, *l]).collect();
                    series.push(Series::new(name.to_owned(), shown));
                    shapes.push(end);
                }
            }
        }
    }
    outcome.measure("clusters", many.len().abs_diff(CLUSTERS) as f64, format!("{} clusters", many.len()));
    outcome.measure("period", off, "");
    outcome.measure("undamped", kept, "");
    outcome.measure("bounded", grown, "");
    // Growth takes its time, in the reduced size too.
    let steps = LONG;
    let far = |gamma| swing(&points, matching(&many, 1.0, gamma), 4.0, steps);
    let Swing { reaches: limited, end, .. } = far(Some(0.3))?;
    outcome.measure("limited", largest(&limited[steps - 60..]) / reach(&points.positions), "");
    shapes.push(end);
    let Swing { reaches: free, end, .. } = far(None)?;
    outcome.measure("unlimited", largest(&free[steps - 60..]) / largest(&free[..60]), "");
    shapes.push(end);
    let over_time = |reaches: &[f64]| {
        let all = reaches.iter().enumerate().map(|(k, r)| [k as f64 * FRAME, r / reach(&points.positions)]);
        all.collect::<Vec<_>>()
    };
    outcome.plot(
        "reach",
        Plot {
            title: "A cube stretched to four times its length, 29 clusters, α = 1".to_owned(),
            x: Axis::linear("time [s]"),
            y: Axis::linear("largest distance from the centre over that at rest"),
            series: vec![
                Series::new("γ = 0.3".to_owned(), over_time(&limited)),
                Series::new("without limits".to_owned(), over_time(&free)),
            ],
            ..Plot::default()
        },
    );
    outcome.plot(
        "length",
        Plot {
            title: "A cube stretched by half, α = 0.3, γ = 0.3".to_owned(),
            x: Axis::linear("time [s]"),
            y: Axis::linear("length over that at rest"),
            series,
            ..Plot::default()
        },
    );
    outcome.tables.push(table);
    outcome.remarks.push(
        "Swings of a few tens of percent are stable without limits too: with mᵢ/nᵢ in moments and centres alike the springs keep momentum. What \
         grows without limits is what has been deformed to several times its size."
            .to_owned(),
    );
    let shapes: Vec<&[Vec3]> = shapes.iter().map(|x| &x[..]).collect();
    outcome.pictures.push(("cubes".to_owned(), draw_balls(&shapes, 0.06 * SIDE, [1200, 420])?));
    Ok(outcome)
}

/// How far particles are from the rigid shape that fits their cluster best, over its half-width, in the mean.
fn strain(rest: &[Vec3], regions: &Regions, x: &[Vec3]) -> f64 {
    let lists = regions.lists();
    let of_cluster = |row: &[u32]| {
        let members = || row.iter().map(|&v| (rest[v as usize], x[v as usize]));
        let fit = RigidFit::new(members().map(|(rest, now)| (rest, now, 1.0)));
        let half_width = members().fold(0.0, |most: f64, (rest, _)| most.max(rest.distance(fit.rest_centre)));
        members().map(|(rest, now)| now.distance(fit.place(rest)) / half_width).sum::<f64>()
    };
    lists.rows().map(of_cluster).sum::<f64>() / lists.items().len() as f64
}

fn dropped(size: Size) -> Result<Outcome, ReproduceError> {
    let (points, steps) = (cube(), size.pick(300, 120));
    let whole = Regions::whole(points.positions.len());
    let (many, radius) = clusters(&points)?;
    let mut outcome = Outcome::default();
    outcome.choose(format!(
        "the same cubes, corner down, their centres {DROP} sides above the ground, without friction; clusters of radius {radius:.2} sides; α = 0.3, 60 Hz, \
         {ITERATIONS} iterations, {steps} steps"
    ));
    let mut table = Table::new("drops", &["γ", "strain", "highest after impact", "largest reach"]);
    let tilt = Quat::from_rotation_z(0.6) * Quat::from_rotation_x(0.5);
    let start: Vec<Vec3> = points.positions.iter().map(|p| tilt * *p + Vec3::Y * DROP * SIDE).collect();
    let (mut strains, mut shapes, mut series) = (Vec::new(), Vec::new(), Vec::new());
    let (mut deepest, mut farthest, mut bounce) = (0.0_f64, 0.0_f64, 0.0);
    for (name, regions) in [("1 cluster", &whole), ("29 clusters", &many)] {
        for gamma in GAMMAS {
            let ground = Collider::new(Shape::Plane).friction(0.0);
            let mut sim =
                world(&points, matching(regions, 0.3, Some(gamma)), start.clone()).collider(ground).build()?;
            let (mut worst, mut highest, mut low) = (0.0_f64, 0.0_f64, false);
            let (mut heights, mut squashed) = (Vec::new(), (f64::INFINITY, Vec::new()));
            for _ in 0..steps {
                sim.step()?;
                let x = sim.positions();
                let height = x.iter().map(|p| p.y).sum::<f64>() / x.len() as f64;
                worst = worst.max(strain(&points.positions, regions, x));
                farthest = farthest.max(reach(x) / reach(&points.positions));
                deepest = x.iter().fold(deepest, |most, p| most.max(-p.y / SIDE));
                let rises = heights.last().is_some_and(|last: &[f64; 2]| height > last[1]);
                low |= rises;
                highest = if low { highest.max(height) } else { highest };
                if height < squashed.0 {
                    squashed = (height, x.to_vec());
                }
                heights.push([sim.time(), height]);
            }
            table.push_named(name, vec![gamma, worst, highest, farthest]);
            strains.push((regions.len(), gamma, worst));
            if regions.len() == 1 && gamma == 0.3 {
                bounce = highest / (0.5 * SIDE);
            }
            if gamma != 0.3 || regions.len() > 1 {
                series.push(Series::new(format!("{name}, γ = {gamma}"), heights));
            }
            if regions.len() > 1 {
                shapes.push(squashed.1);
            }
        }
    }
    let of = |gamma: f64| strains.iter().find(|s| s.0 > 1 && s.1 == gamma).map_or(f64::NAN, |s| s.2);
    outcome.measure("softer", of(0.5) / of(0.1), format!("{:.2} and {:.2}", of(0.5), of(0.1)));
    outcome.measure("bounces", bounce, "");
    outcome.measure("whole", farthest, "");
    outcome.measure("above", deepest, "");
    outcome.tables.push(table);
    outcome.plot(
        "heights",
        Plot {
            title: "Dropped cubes".to_owned(),
            x: Axis::linear("time [s]"),
            y: Axis::linear("height of the centre [m]"),
            series,
            ..Plot::default()
        },
    );
    let shapes: Vec<&[Vec3]> = shapes.iter().map(|x| &x[..]).collect();
    outcome.pictures.push(("cubes".to_owned(), draw_balls(&shapes, 0.06 * SIDE, [1200, 420])?));
    Ok(outcome)
}
