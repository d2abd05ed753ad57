//! [Bender 2014, Figures 9 and 10]: hair by follow-the-leader, plain and dynamic.

use std::path::{Path, PathBuf};

use pliant::mesh::generate::{Bundle, Roots};
use pliant::mesh::{Csr, StrandSet};
use pliant::prelude::*;
use pliant_picture::plot::{Axis, Plot, Series};
use pliant_picture::{Camera, Color, Lines, RenderOptions, Scene, render};

use crate::{Bound, Criterion, Experiment, Kind, Outcome, ReproduceError, Size, Table};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "bender2014-fig9",
    figure: "Bender 2014, Figures 9 and 10",
    claim: "Follow-the-leader satisfies all lengths of attached strands in a single pass; its dynamic form hides that each vertex follows the one before it",
    criteria: &[
        Criterion {
            name: "lengths",
            statement: "lengths of all segments against those at rest at any time, plain and dynamic, largest difference as a share",
            bound: Bound::AtMost(1e-6),
            kind: Kind::Shape,
        },
        Criterion {
            name: "swing",
            statement: "time in which the ends of strands first swing through below their roots, dynamic over plain, against an exact chain: the dynamic form's difference over the plain one's",
            bound: Bound::Below(1.0),
            kind: Kind::Shape,
        },
        Criterion {
            name: "ponytail",
            statement: "lengths of a ponytail of measured hair, as the first; 0 where the data is not there",
            bound: Bound::AtMost(1e-6),
            kind: Kind::Shape,
        },
    ],
    measure,
};

const SEGMENTS: usize = 15;
const LENGTH: f64 = 0.3;
const STEP: f64 = 1.0 / 60.0;
/// Metres in a unit of the files of the ponytail: the balls of its head are as large as a head.
const UNIT: f64 = 0.0035;

/// Largest difference of a segment from its rest length, as a share.
fn off(hair: &StrandSet, x: &[Vec3]) -> f64 {
    let length = |of: &[Vec3], [a, b]: [u32; 2]| of[a as usize].distance(of[b as usize]);
    let share = |ends| (length(x, ends) / length(&hair.positions, ends) - 1.0).abs();
    hair.segments().map(share).fold(0.0, f64::max)
}

/// A bundle that falls from level.
struct Fall {
    off: f64,
    /// Height of the end of the first strand below its root over time, in lengths.
    ends: Vec<[f64; 2]>,
    /// When that end is first below its root.
    below: f64,
    shapes: Vec<Vec<Vec3>>,
    milliseconds: f64,
}

fn fall(hair: &StrandSet, solver: FollowLeaderParams, steps: usize) -> Result<Fall, ReproduceError> {
    let roots: Vec<u32> = hair.strands.rows().map(|strand| strand[0]).collect();
    let body = Body::strands(hair, &StrandMaterial { density: 1e-5, ..StrandMaterial::default() })?.pin(roots);
    let mut sim = Simulation::builder().body(body).solver(solver).time_step(STEP).build()?;
    let mut fall = Fall { off: 0.0, ends: Vec::new(), below: f64::NAN, shapes: Vec::new(), milliseconds: 0.0 };
    for step in 1..=steps {
        fall.milliseconds += 1e3 * sim.step()?.seconds_total / steps as f64;
        let x = sim.positions();
        fall.off = fall.off.max(off(hair, x));
        let end = x[SEGMENTS] - x[0];
        let last = fall.ends.last().map_or(1.0, |last| last[1]);
        fall.ends.push([sim.time(), end.x / LENGTH]);
        if end.x <= 0.0 && fall.below.is_nan() {
            // Between two steps, along a line.
            fall.below = sim.time() - STEP * (-end.x / LENGTH) / (last - end.x / LENGTH);
        }
        if [steps / 12, steps / 6, steps / 3, steps].contains(&step) {
            fall.shapes.push(x.to_vec());
        }
    }
    Ok(fall)
}

fn measure(size: Size) -> Result<Outcome, ReproduceError> {
    let (count, steps) = (size.pick(10_000, 400), size.pick(180, 120));
    let mut outcome = Outcome::default();
    outcome.choose(format!(
        "{count} strands of {} points, {LENGTH} m long, rooted on a disc of 5 cm radius, that fall from level; {steps} steps of 1/60 s; no damping",
        SEGMENTS + 1
    ));
    let hair =
        Bundle { roots: Roots::Disc { radius: 0.05, count }, direction: Vec3::X, length: LENGTH, segments: SEGMENTS };
    let hair = hair.strands()?;
    let plain = fall(&hair, FollowLeaderParams { correction: 0.0, ..FollowLeaderParams::default() }, steps)?;
    let dynamic = fall(&hair, FollowLeaderParams::default(), steps)?;
    // One chain by an exact solver in short steps says how strands swing.
    let one = Bundle {
        roots: Roots::Disc { radius: 0.05, count: 1 },
        direction: Vec3::X,
        length: LENGTH,
        segments: SEGMENTS,
    };
    let exact = exact_swing(&one.strands()?, steps)?;
    let mut table = Table::new("hair", &["largest error of a length", "end below root [s]", "ms per step"]);
    table.push_named("plain", [plain.off, plain.below, plain.milliseconds]);
    table.push_named("dynamic", [dynamic.off, dynamic.below, dynamic.milliseconds]);
    table.push_named("exact chain", [f64::NAN, exact.below, f64::NAN]);
    outcome.measure(
        "lengths",
        plain.off.max(dynamic.off),
        format!("plain {:.1e}, dynamic {:.1e}", plain.off, dynamic.off),
    );
    let ratio = (dynamic.below - exact.below).abs() / (plain.below - exact.below).abs();
    outcome.measure(
        "swing",
        ratio,
        format!("plain {:.3} s, dynamic {:.3} s, an exact chain {:.3} s", plain.below, dynamic.below, exact.below),
    );
    outcome.plot(
        "swing",
        Plot {
            title: "End of a strand that falls from level".to_owned(),
            x: Axis::linear("time [s]"),
            y: Axis::linear("way out from below its root [lengths]"),
            series: vec![
                Series::new("follow-the-leader", plain.ends),
                Series::new("dynamic", dynamic.ends),
                Series::new("exact chain", exact.ends),
            ],
            ..Plot::default()
        },
    );
    for (name, shapes) in [("plain", &plain.shapes), ("dynamic", &dynamic.shapes)] {
        outcome.pictures.push((name.to_owned(), draw(&hair, shapes)?));
    }
    match ponytail(size)? {
        Some((strands, worst, milliseconds, picture)) => {
            table.push_named("ponytail", [worst, f64::NAN, milliseconds]);
            outcome.measure("ponytail", worst, format!("{strands} strands, {milliseconds:.1} ms per step"));
            outcome.pictures.push(("ponytail".to_owned(), picture));
        }
        None => outcome.measure("ponytail", 0.0, "skipped: hair/ponytail_tail.tfx is not in PLIANT_DATA"),
    }
    outcome.tables.push(table);
    Ok(outcome)
}

/// How a chain of the same points swings: Newton's method on stiff springs.
fn exact_swing(chain: &StrandSet, steps: usize) -> Result<Fall, ReproduceError> {
    let fine = 8;
    let body = Body::strands(chain, &StrandMaterial { density: 1e-5, ..StrandMaterial::default() })?.pin([0]);
    let solver = NewtonParams::default();
    let integrator = TimeIntegrator::Bdf2;
    let mut sim =
        Simulation::builder().body(body).solver(solver).integrator(integrator).time_step(STEP / fine as f64).build()?;
    let mut fall = Fall { off: 0.0, ends: Vec::new(), below: f64::NAN, shapes: Vec::new(), milliseconds: f64::NAN };
    for _ in 0..steps {
        (0..fine).try_for_each(|_| sim.step().map(drop))?;
        let out = (sim.positions()[SEGMENTS].x - sim.positions()[0].x) / LENGTH;
        let last = fall.ends.last().map_or(1.0, |last| last[1]);
        fall.ends.push([sim.time(), out]);
        if out <= 0.0 && fall.below.is_nan() {
            fall.below = sim.time() - STEP * -out / (last - out);
        }
    }
    Ok(fall)
}

/// Strands at several times, side by side.
fn draw(hair: &StrandSet, shapes: &[Vec<Vec3>]) -> Result<pliant_picture::Image, ReproduceError> {
    let segments: Vec<[u32; 2]> = hair.segments().collect();
    let mut scene = Scene::default();
    for (k, shape) in shapes.iter().enumerate() {
        let moved = shape.iter().map(|p| *p + Vec3::X * (0.8 * k as f64)).collect();
        scene.lines.push(Lines::new(moved, segments.clone(), 2e-4, Color::of_body(k)));
    }
    picture(&scene, Vec3::new(0.1, -0.2, -1.0))
}

fn picture(scene: &Scene, direction: Vec3) -> Result<pliant_picture::Image, ReproduceError> {
    let options = RenderOptions { width: 1200, height: 500, samples: 3, ..RenderOptions::default() };
    let extent = scene.extent();
    let Some(bounds) = extent.bounds() else { return Ok(pliant_picture::Image::new(1200, 500, [255; 3])) };
    Ok(render(scene, &Camera::framing(&bounds, direction, options.aspect()), &options)?)
}

fn folder() -> PathBuf {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    std::env::var_os("PLIANT_DATA").map_or_else(beside, PathBuf::from).join("hair")
}

/// The tail of a ponytail that is shaken: number of strands, largest error of a length, time of a step, picture.
#[allow(clippy::type_complexity)] // Four things of one run.
fn ponytail(size: Size) -> Result<Option<(usize, f64, f64, pliant_picture::Image)>, ReproduceError> {
    let path = folder().join("ponytail_tail.tfx");
    let Ok(bytes) = std::fs::read(&path) else { return Ok(None) };
    let bad = |reason: &str| ReproduceError::BadData { path: path.clone(), reason: reason.to_owned() };
    let word = |at: usize| -> Result<[u8; 4], ReproduceError> {
        bytes.get(at..at + 4).and_then(|four| four.try_into().ok()).ok_or_else(|| bad("it ends too early"))
    };
    let [count, points] = [u32::from_le_bytes(word(4)?), u32::from_le_bytes(word(8)?)];
    if u64::from(count) * u64::from(points) * 12 + 296 > bytes.len() as u64 || points < 3 {
        return Err(bad("it has fewer points than it says"));
    }
    let place = |k: u32| -> Result<Vec3, ReproduceError> {
        let number = |axis: u32| word(296 + 4 * (3 * k + axis) as usize).map(|w| f64::from(f32::from_le_bytes(w)));
        Ok(Vec3::new(number(0)?, number(1)?, number(2)?) * UNIT)
    };
    let rows = (0..count).map(|s| (s * points..(s + 1) * points).collect::<Vec<_>>());
    let positions = (0..count * points).map(place).collect::<Result<Vec<Vec3>, _>>()?;
    let hair = StrandSet::new(positions, Csr::from_rows(rows))?;
    let pins: Vec<u32> = hair.strands.rows().flat_map(|strand| [strand[0], strand[1]]).collect();
    let body = Body::strands(&hair, &StrandMaterial { density: 1e-5, ..StrandMaterial::default() })?.pin(pins);
    let style = HairStyle { local: 0.5, iterations: 3, global: 0.0, global_range: 0.0 };
    let solver = FollowLeaderParams { correction: 0.5, style: Some(style), ..FollowLeaderParams::default() };
    let mut sim = Simulation::builder().body(body).solver(solver).time_step(STEP).build()?;
    let steps = size.pick(90, 20);
    let (mut worst, mut milliseconds) = (0.0_f64, 0.0);
    for _ in 0..steps {
        let t = sim.time() + STEP;
        let sway = Vec3::X * (0.05 * (6.0 * t).sin());
        sim.move_pins(|vertex, _| hair.positions[vertex as usize] + sway)?;
        milliseconds += 1e3 * sim.step()?.seconds_total / steps as f64;
        worst = worst.max(off(&hair, sim.positions()));
    }
    let mut scene = Scene::default();
    let segments: Vec<[u32; 2]> = hair.segments().collect();
    scene.lines.push(Lines::new(sim.positions().to_vec(), segments, 2e-4, Color::of_body(1)));
    Ok(Some((count as usize, worst, milliseconds, picture(&scene, Vec3::new(-1.0, -0.2, -0.3))?)))
}
