//! [Bender 2014, Figures 7 and 8]: a large cloth that hangs by a row of vertices, with long-range attachments and without.
//!
//! Stretch is taken both as the distance from the attachment and edge by edge: attachments bound the first alone. While a cloth swings down,
//! each vertex is a pendulum of its own length, neighbours swing at different rates, and ten iterations carry what edges make of that
//! some edges far. So the motion is shown with more than attachments as well: levels of coarser vertices in each iteration, and a limit on
//! edges after it.

use pliant::constraint::LongRangeAttachments;
use pliant::mesh::generate::Diagonals;
use pliant::prelude::*;
use pliant::solve::StretchLevels;
use pliant_picture::plot::{Axis, Plot, Series};

use crate::picture::Row;
use crate::{Bound, Criterion, Experiment, Kind, Outcome, ReproduceError, Size, Table};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "bender2014-fig7",
    figure: "Bender 2014, Figures 7 and 8",
    claim: "Long-range attachments keep a cloth of 90,000 vertices from stretching at few iterations",
    criteria: &[
        Criterion {
            name: "hangs",
            statement: "with attachments, 10 iterations: largest distance from the attachment over that at rest, hanging",
            bound: Bound::Below(1.05),
            kind: Kind::Shape,
        },
        Criterion {
            name: "edges",
            statement: "the same: largest stretch of an edge at the end",
            bound: Bound::Below(1.05),
            kind: Kind::Shape,
        },
        Criterion {
            name: "plain",
            statement: "without attachments, 10 iterations: largest distance from the attachment over that at rest, hanging",
            bound: Bound::AtLeast(1.5),
            kind: Kind::Shape,
        },
        Criterion {
            name: "swings",
            statement: "with attachments, 10 iterations: largest distance from the attachment at any time of swinging down from level",
            bound: Bound::Below(1.05),
            kind: Kind::Shape,
        },
        Criterion {
            name: "edges-swinging",
            statement: "the same: largest stretch of an edge at any time",
            bound: Bound::Below(1.05),
            kind: Kind::Beyond,
        },
        Criterion {
            name: "levels-mean",
            statement: "with attachments and levels: mean stretch of edges over all of that motion",
            bound: Bound::Below(1.05),
            kind: Kind::Shape,
        },
        Criterion {
            name: "levels-most",
            statement: "with attachments and levels: largest stretch of an edge at any time",
            bound: Bound::Below(1.05),
            kind: Kind::Beyond,
        },
        Criterion {
            name: "limited-99",
            statement: "with attachments, levels and a limit on edges: stretch that 99 of 100 edges stay below, at the worst time",
            bound: Bound::Below(1.05),
            kind: Kind::Shape,
        },
        Criterion {
            name: "limited-most",
            statement: "with attachments, levels and a limit on edges: largest stretch of an edge at any time",
            bound: Bound::Below(1.05),
            kind: Kind::Beyond,
        },
    ],
    measure,
};

const ITERATIONS: [usize; 3] = [5, 10, 20];
/// Stretch that edges are brought back to after a step, and rounds of that.
const LIMIT: f64 = 1.02;
const ROUNDS: usize = 20;

/// What helps the edges.
#[derive(Debug, Clone, Copy, Default)]
struct Help {
    attachments: bool,
    levels: bool,
    limit: bool,
}

/// Stretches over a motion, as factors of rest lengths.
#[derive(Debug, Clone, Default)]
struct Stretches {
    /// Largest distance from the attachment in the column, at any time and at the end.
    hang: f64,
    hang_at_end: f64,
    /// Of edges: the mean over all times, 99 of 100 at the worst time, the largest at any time, the largest at the end.
    mean: f64,
    ninety_nine: f64,
    largest: f64,
    largest_at_end: f64,
    /// The largest after each step.
    history: Vec<[f64; 2]>,
    /// Positions at the end, and halfway.
    end: Vec<Vec3>,
    halfway: Vec<Vec3>,
}

fn run(cells: usize, steps: usize, plane: Plane, iterations: usize, help: Help) -> Result<Stretches, ReproduceError> {
    let diagonals = Diagonals::Alternating;
    let sheet = Sheet { columns: cells, rows: cells, plane, diagonals, ..Sheet::default() };
    let mesh = sheet.mesh()?;
    let row: Vec<u32> = (0..=cells).map(|column| sheet.vertex(column, cells)).collect();
    let mut body = Body::mass_spring(&mesh, 0.2, mesh.edges(), 1e4)?.pin(row.clone());
    if help.attachments {
        body = body.with_constraints(LongRangeAttachments::default().build(&mesh, &row)?);
    }
    let levels = help.levels.then(StretchLevels::default);
    let solver = PositionBasedParams { levels, ..PositionBasedParams::classic(iterations, 1.0) };
    let mut builder = Simulation::builder().body(body).solver(solver);
    if help.limit {
        builder = builder.strain_limiting(StrainLimiting::edges(LIMIT, ROUNDS));
    }
    let mut sim = builder.build()?;
    let is_held = |v: u32| row.contains(&v);
    let edges: Vec<[u32; 2]> = mesh.edges().into_iter().filter(|edge| !edge.iter().all(|&v| is_held(v))).collect();
    let length = |x: &[Vec3], [a, b]: [u32; 2]| x[a as usize].distance(x[b as usize]);
    let rest: Vec<f64> = edges.iter().map(|&edge| length(&mesh.positions, edge)).collect();
    let threads: Vec<[u32; 2]> = (0..cells * (cells + 1)).map(|v| [v as u32, row[v % (cells + 1)]]).collect();
    let mut found = Stretches::default();
    for step in 1..=steps {
        sim.step()?;
        let x = sim.positions();
        let hang = threads.iter().map(|&pair| length(x, pair) / length(&mesh.positions, pair)).fold(0.0, f64::max);
        let mut all: Vec<f64> = edges.iter().zip(&rest).map(|(&edge, rest)| length(x, edge) / rest).collect();
        let largest = all.iter().fold(0.0, |most: f64, s| most.max(*s));
        found.mean += all.iter().sum::<f64>() / (all.len() * steps) as f64;
        let place = all.len() * 99 / 100;
        found.ninety_nine = found.ninety_nine.max(*all.select_nth_unstable_by(place, f64::total_cmp).1);
        (found.hang, found.hang_at_end) = (found.hang.max(hang), hang);
        (found.largest, found.largest_at_end) = (found.largest.max(largest), largest);
        found.history.push([sim.time(), largest]);
        if step == steps / 2 {
            found.halfway = x.to_vec();
        }
    }
    found.end = sim.positions().to_vec();
    Ok(found)
}

fn measure(size: Size) -> Result<Outcome, ReproduceError> {
    let (cells, hanging, swinging) = (size.pick(300, 60), size.pick(60, 40), size.pick(90, 45));
    let mut outcome = Outcome::default();
    outcome.choose(format!(
        "1 m × 1 m in {cells} × {cells} cells with alternating diagonals ({} vertices), held by its upper row, one attachment for each \
         vertex; {hanging} steps of 1/60 s hanging, {swinging} swinging down from level; stiffness 1; no damping, no bending",
        (cells + 1) * (cells + 1)
    ));
    outcome.choose(format!(
        "levels: {:?}; limit on edges: {LIMIT} in {ROUNDS} rounds after a step",
        StretchLevels::default()
    ));
    let columns =
        ["iterations", "from attachment", "mean edge", "99 of 100 edges", "largest edge", "largest edge at end"];
    let row = |iterations: usize, s: &Stretches| {
        [iterations as f64, s.hang, s.mean, s.ninety_nine, s.largest, s.largest_at_end]
    };
    let mut table = Table::new("hanging", &columns);
    let [plain, attached] = [Help::default(), Help { attachments: true, ..Help::default() }];
    let mut series = Vec::new();
    for (name, help) in [("without attachments", plain), ("with attachments", attached)] {
        let mut points = Vec::new();
        for iterations in ITERATIONS {
            let found = run(cells, hanging, Plane::Xy, iterations, help)?;
            table.push_named(name, row(iterations, &found));
            points.push([iterations as f64, 100.0 * (found.hang_at_end - 1.0).max(1e-6)]);
            if iterations == 10 {
                let note = format!("after {hanging} steps; largest edge {:.2}", found.largest_at_end);
                if help.attachments {
                    outcome.measure("hangs", found.hang_at_end, note);
                    outcome.measure("edges", found.largest_at_end, "");
                } else {
                    outcome.measure("plain", found.hang_at_end, note);
                }
            }
        }
        series.push(Series::new(name, points));
    }
    outcome.tables.push(table);
    outcome.plot(
        "hanging",
        Plot {
            title: "A cloth that hangs by its upper row".to_owned(),
            x: Axis::linear("iterations"),
            y: Axis::log("distance from the attachment beyond that at rest [%]"),
            series,
            ..Plot::default()
        },
    );
    let mut table = Table::new("swinging", &columns);
    let (mut series, mut shapes) = (Vec::new(), Vec::new());
    let mesh = Sheet { columns: cells, rows: cells, diagonals: Diagonals::Alternating, ..Sheet::default() }.mesh()?;
    let helps = [
        ("attachments", attached),
        ("attachments and levels", Help { levels: true, ..attached }),
        ("attachments, levels and a limit", Help { levels: true, limit: true, ..attached }),
    ];
    for (name, help) in helps {
        let found = run(cells, swinging, Plane::Xz, 10, help)?;
        table.push_named(name, row(10, &found));
        let note = format!(
            "mean {:.4}, 99 of 100 below {:.4}, largest {:.3}, at the end {:.3}",
            found.mean, found.ninety_nine, found.largest, found.largest_at_end
        );
        match (help.levels, help.limit) {
            (false, _) => {
                outcome.measure("swings", found.hang, "");
                outcome.measure("edges-swinging", found.largest, note);
            }
            (true, false) => {
                outcome.measure("levels-mean", found.mean, "");
                outcome.measure("levels-most", found.largest, note);
            }
            (true, true) => {
                outcome.measure("limited-99", found.ninety_nine, "");
                outcome.measure("limited-most", found.largest, note);
            }
        }
        series.push(Series::new(name, found.history.iter().map(|[t, s]| [*t, 100.0 * (s - 1.0).max(1e-6)]).collect()));
        shapes.push(found.halfway);
    }
    outcome.tables.push(table);
    outcome.plot(
        "swinging",
        Plot {
            title: "Swinging down from level, 10 iterations".to_owned(),
            x: Axis::linear("time [s]"),
            y: Axis::log("largest stretch of an edge [%]"),
            series,
            ..Plot::default()
        },
    );
    let picture = Row {
        shapes: shapes.iter().map(|x| &x[..]).collect(),
        triangles: vec![&mesh.triangles],
        turn: 50.0,
        edges: false,
        size: [1200, 500],
        crease: 60.0,
    };
    outcome.pictures.push(("halfway".to_owned(), picture.draw()?));
    outcome.remarks.push(
        "in the picture from left to right: attachments; attachments and levels; attachments, levels and a limit"
            .to_owned(),
    );
    Ok(outcome)
}
