//! [Bargteil & Jones 2014, Figure 2]: a spinning cube by shape matching, and by position-based dynamics (α = γ = 0), which loses its spin.

use pliant::prelude::*;
use pliant_picture::plot::{Axis, Plot, Series};

use super::bargteil2014_cubes::cube;
use crate::picture::draw_balls;
use crate::{Bound, Criterion, Experiment, Kind, Outcome, ReproduceError, Size, Table};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "bargteil2014-fig2",
    figure: "Bargteil & Jones 2014, Figure 2",
    claim: "Shape matching keeps kinetic energy and angular momentum of a rotating cube; position-based dynamics does not",
    criteria: &[
        Criterion {
            name: "energy",
            statement: "by matching: largest change of the kinetic energy over 10 s, as a share",
            bound: Bound::AtMost(0.01),
            kind: Kind::Shape,
        },
        Criterion {
            name: "spin",
            statement: "by matching: largest change of the angular momentum over 10 s, as a share",
            bound: Bound::AtMost(0.01),
            kind: Kind::Shape,
        },
        Criterion {
            name: "lost",
            statement: "by position-based dynamics: angular momentum after 10 s over that at the start",
            bound: Bound::Below(0.7),
            kind: Kind::Shape,
        },
        Criterion {
            name: "rate",
            statement: "the same against 1/√(1 + 2ω²ht), what projections onto a rigid shape leave of small turns; difference as a share",
            bound: Bound::Below(0.01),
            kind: Kind::Shape,
        },
    ],
    measure,
};

/// Angular velocity \[rad/s\], time step \[s\], duration \[s\].
const SPIN: f64 = 3.0;
const STEP: f64 = 1.0 / 60.0;
const SECONDS: f64 = 10.0;
const MASS: f64 = 0.1;

/// Kinetic energy and angular momentum about the centre, relative to the start, step by step; and the end.
fn spin(matching: Matching) -> Result<(Vec<[f64; 3]>, Vec<Vec3>), ReproduceError> {
    let points = cube();
    let velocities = points.positions.iter().map(|p| (Vec3::Z * SPIN).cross(*p)).collect();
    let body = Body::points(&points, MASS).with_matching(matching).with_velocities(velocities);
    let solver = PositionBasedParams { iterations: 4, ..PositionBasedParams::default() };
    let mut sim = Simulation::builder().body(body).solver(solver).gravity(Vec3::ZERO).time_step(STEP).build()?;
    let both = |sim: &Simulation| {
        let (x, v) = (sim.positions(), sim.velocities());
        let energy: f64 = v.iter().map(|v| 0.5 * MASS * v.length_squared()).sum();
        let momentum = x.iter().zip(v).fold(Vec3::ZERO, |sum, (x, v)| sum + x.cross(*v) * MASS);
        (energy, momentum.z)
    };
    let first = both(&sim);
    let mut history = vec![[0.0, 1.0, 1.0]];
    while sim.time() < SECONDS - 0.5 * STEP {
        sim.step()?;
        let now = both(&sim);
        history.push([sim.time(), now.0 / first.0, now.1 / first.1]);
    }
    Ok((history, sim.positions().to_vec()))
}

fn measure(_: Size) -> Result<Outcome, ReproduceError> {
    let whole = Regions::whole(cube().positions.len());
    let ours = Matching { spring: Spring::Share(1.0), limit: Some(0.3), ..Matching::new(whole.clone()) };
    let (matched, ours_end) = spin(ours)?;
    let pbd = Matching { spring: Spring::Share(0.0), limit: Some(0.0), ..Matching::new(whole) };
    let (projected, pbd_end) = spin(pbd)?;
    let mut outcome = Outcome::default();
    outcome.choose(format!(
        "one cluster; {SPIN} rad/s at 60 Hz, ω·h = {:.3}; α = 1, γ = 0.3, 4 iterations; position-based dynamics is α = γ = 0",
        SPIN * STEP
    ));
    let largest_change = |k: usize| matched.iter().fold(0.0_f64, |most, now| most.max((now[k] - 1.0).abs()));
    outcome.measure("energy", largest_change(1), "the spring lets it grow by centrifugal force");
    outcome.measure("spin", largest_change(2), "");
    let left = projected.last().map_or(f64::NAN, |last| last[2]);
    // A step of θ goes on to 2 − exp(−iθ), which is turned by θ − θ³ + …
    let expected = 1.0 / (1.0 + 2.0 * SPIN * SPIN * STEP * SECONDS).sqrt();
    outcome.measure("lost", left, "");
    outcome.measure("rate", (left / expected - 1.0).abs(), format!("{left:.4}, expected {expected:.4}"));
    let mut table =
        Table::new("spins", &["time", "energy, matched", "spin, matched", "energy, projected", "spin, projected"]);
    for (a, b) in matched.iter().zip(&projected).step_by(60) {
        table.push(vec![a[0], a[1], a[2], b[1], b[2]]);
    }
    outcome.tables.push(table);
    let line = |name: &str, of: &[[f64; 3]]| Series::new(name.to_owned(), of.iter().map(|n| [n[0], n[2]]).collect());
    outcome.plot(
        "spin",
        Plot {
            title: "A spinning cube".to_owned(),
            x: Axis::linear("time [s]"),
            y: Axis::linear("angular momentum over that at the start"),
            series: vec![line("shape matching", &matched), line("position-based dynamics", &projected)],
            ..Plot::default()
        },
    );
    outcome.pictures.push(("cubes".to_owned(), draw_balls(&[&ours_end, &pbd_end], 0.06, [900, 420])?));
    Ok(outcome)
}
