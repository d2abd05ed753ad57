//! [Bender 2014, Figure 16]: the larger the regions, the stiffer the body.

use pliant::Lattice;
use pliant::prelude::*;
use pliant_picture::plot::{Axis, Plot, Series};

use crate::picture::draw_balls;
use crate::{Bound, Criterion, Experiment, Kind, Outcome, ReproduceError, Size, Table};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "bender2014-fig16",
    figure: "Bender 2014, Figure 16",
    claim: "Larger regions make a body stiffer, at no cost in time with fast sums",
    criteria: &[
        Criterion {
            name: "stiffer",
            statement: "sag at its end of a bar over that with regions one wider, least over the widths",
            bound: Bound::AtLeast(1.2),
            kind: Kind::Shape,
        },
        Criterion {
            name: "range",
            statement: "sag with the smallest regions over that with the largest",
            bound: Bound::AtLeast(5.0),
            kind: Kind::Shape,
        },
        Criterion {
            name: "sums",
            statement: "largest difference of a particle's way under fast sums and under lists, over the sag",
            bound: Bound::Below(1e-6),
            kind: Kind::Shape,
        },
    ],
    measure,
};

const SPACING: f64 = 0.05;
const ACROSS: usize = 4;
/// So little that sags are proportional to it \[m/s²\].
const GRAVITY: f64 = 0.2;

/// How a bar that is held at one end sags: positions at rest under gravity.
fn sag(lattice: &Lattice, regions: Regions, steps: usize) -> Result<Vec<Vec3>, ReproduceError> {
    let matching = Matching { spring: Spring::Share(0.5), limit: None, damping: 6.0, ..Matching::new(regions) };
    let held = 1.5 * SPACING;
    let body = Body::points(&lattice.points(), 0.05).with_matching(matching).pin_where(|p| p.x < held);
    let solver = PositionBasedParams { iterations: 1, ..PositionBasedParams::default() };
    let damping = Damping { drag: 1.0, ..Damping::default() };
    let world = Simulation::builder().body(body).solver(solver).damping(damping).gravity(Vec3::Y * -GRAVITY);
    let world = world.time_step(1.0 / 480.0);
    let mut sim = world.build()?;
    for _ in 0..steps {
        sim.step()?;
    }
    Ok(sim.positions().to_vec())
}

fn measure(size: Size) -> Result<Outcome, ReproduceError> {
    let (along, steps) = (size.pick(24, 16), size.pick(4800, 2400));
    let widths = [1, 2, 3, 4];
    let lattice = Lattice::block([along, ACROSS, ACROSS], SPACING)?;
    let rest = lattice.points().positions;
    let mut outcome = Outcome::default();
    outcome.choose(format!(
        "a bar of {along} × {ACROSS} × {ACROSS} particles, its first two layers held; α = 0.5 at 480 Hz, damped, {steps} steps, {GRAVITY} m/s²"
    ));
    let mut table = Table::new("sags", &["width", "sag over the length"]);
    let (mut sags, mut shapes, mut off) = (Vec::new(), Vec::new(), 0.0_f64);
    for width in widths {
        let end = sag(&lattice, lattice.regions(width), steps)?;
        let lowest = rest.iter().zip(&end).fold(0.0_f64, |most, (a, b)| most.max(a.y - b.y));
        let naive = sag(&lattice, Regions::new(lattice.regions(width).lists().into_owned()), steps)?;
        off = end.iter().zip(&naive).fold(off, |most, (a, b)| most.max(a.distance(*b) / lowest));
        let relative = lowest / (along as f64 * SPACING);
        table.push(vec![width as f64, relative]);
        sags.push(relative);
        shapes.push(end);
    }
    outcome.tables.push(table);
    let least = sags.windows(2).fold(f64::INFINITY, |least, pair| least.min(pair[0] / pair[1]));
    outcome.measure("stiffer", least, "");
    outcome.measure("range", sags[0] / sags[sags.len() - 1], "");
    outcome.measure("sums", off, "");
    outcome.plot(
        "sag",
        Plot {
            title: "Sag of a bar over the width of its regions".to_owned(),
            x: Axis::linear("width of regions [particles]"),
            y: Axis::log("sag over the length"),
            series: vec![Series::new(
                "bar".to_owned(),
                widths.iter().zip(&sags).map(|(w, s)| [*w as f64, *s]).collect(),
            )],
            ..Plot::default()
        },
    );
    let shapes: Vec<&[Vec3]> = shapes.iter().map(|x| &x[..]).collect();
    outcome.pictures.push(("bars".to_owned(), draw_balls(&shapes, 0.6 * SPACING, [1200, 420])?));
    Ok(outcome)
}
