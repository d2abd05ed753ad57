//! [Bouaziz 2014, Figure 10]: a pirate flag of edge strain constraints in extreme wind, and torn by it.
//!
//! The solver needs no safeguards, because no half-step of it raises the objective: that is measured in every iteration, in winds up to three
//! times the speed of sound. Then a flag that tears where it is overstretched flies in a growing storm.

use pliant::prelude::*;
use pliant_picture::plot::{Axis, Plot, Series};
use pliant_picture::{Camera, Color, Image, Lines, Mesh, Paint, RenderOptions, Scene, render};

use crate::one_thread::clock;
use crate::{Bound, Criterion, Experiment, Kind, Outcome, ReproduceError, Size, Table};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "bouaziz2014-fig10",
    figure: "Bouaziz 2014, Figure 10",
    claim: "Even under extreme wind the solver stays stable without safeguards, because no iteration raises the energy; a \
        flag is torn by the wind in real time",
    criteria: &[
        Criterion {
            name: "descent",
            statement: "largest rise of the objective in a half-step, over what the iterations of its step lower it, in all \
                steps in winds of 10, 100 and 1000 m/s",
            bound: Bound::AtMost(1e-9),
            kind: Kind::Shape,
        },
        Criterion {
            name: "speed",
            statement: "fastest vertex over the speed of the wind, largest in the three winds",
            bound: Bound::AtMost(2.0),
            kind: Kind::Beyond,
        },
        Criterion {
            name: "recovers",
            statement: "longest edge over its length at rest after 5 s in still air, largest after the three winds",
            bound: Bound::AtMost(1.05),
            kind: Kind::Beyond,
        },
        Criterion {
            name: "tears",
            statement: "vertices that a storm of 30 m/s splits",
            bound: Bound::AtLeast(20.0),
            kind: Kind::Shape,
        },
        Criterion {
            name: "holds-in-a-breeze",
            statement: "vertices of the same flag that a breeze of 3 m/s splits",
            bound: Bound::AtMost(0.0),
            kind: Kind::Shape,
        },
        Criterion {
            name: "mass",
            statement: "mass of all pieces after the storm against that of the flag, difference as a share",
            bound: Bound::AtMost(1e-12),
            kind: Kind::Shape,
        },
        Criterion {
            name: "real-time",
            statement: "longest step in the storm, tearing and new factors included, over the 1/120 s that it simulates, on \
                one thread",
            bound: Bound::AtMost(1.0),
            kind: Kind::Timing,
        },
    ],
    measure,
};

/// Width and height of the flag \[m\], its mass per area \[kg/m²\], and the stiffness of its springs \[N/m\].
const SIZE: [f64; 2] = [1.5, 1.0];
const DENSITY: f64 = 0.1;
const STIFFNESS: f64 = 3000.0;
/// Local/global iterations of a step.
const ITERATIONS: usize = 10;
const WINDS: [f64; 3] = [10.0, 100.0, 1000.0];
/// Stretch at which an edge tears, and by how much it varies.
const STRENGTH: f64 = 1.35;
const NOISE: f64 = 0.3;
/// Speed of eddies over that of the wind.
const EDDIES: f64 = 0.05;
const TIME_STEP: f64 = 1.0 / 120.0;

fn flag(rows: usize) -> Result<(TriangleMesh, Body), ReproduceError> {
    let [width, height] = SIZE;
    let mesh = Sheet { width, height, columns: 3 * rows / 2, rows, plane: Plane::Xy, ..Sheet::default() }.mesh()?;
    let body = Body::mass_spring(&mesh, DENSITY, mesh.edges(), STIFFNESS)?;
    Ok((mesh, body.pin_where(|p| p.x < -0.499 * width).named("flag")))
}

/// The wind at a time \[s\]: it veers to and fro, since a flag in a steady wind along it has nothing that keeps it out.
fn storm(speed: f64, time: f64) -> Wind {
    let turbulence = Turbulence { strength: EDDIES, length: 0.6, seed: 1 };
    let (sin, cos) = (0.7 * (std::f64::consts::TAU * 0.7 * time + 0.8).sin()).sin_cos();
    Wind { turbulence, ..Wind::new(Vec3::new(cos, 0.0, sin) * speed) }
}

fn measure(size: Size) -> Result<Outcome, ReproduceError> {
    let rows = size.pick(24, 16);
    let mut outcome = Outcome::default();
    let (mesh, _) = flag(rows)?;
    outcome.choose(format!(
        "a flag of {} m × {} m with {} vertices, {DENSITY} kg/m², springs of {STIFFNESS} N/m along its {} edges, no bending; held along \
         its pole; steps of 1/120 s with {ITERATIONS} plain local/global iterations",
        SIZE[0],
        SIZE[1],
        mesh.positions.len(),
        mesh.edges().len()
    ));
    outcome.choose(format!(
        "wind that veers by 40° to both sides, with eddies of {EDDIES} of its speed; it tears at a stretch of {STRENGTH} that varies by {NOISE} from cell to cell, in \
         a storm that grows to 30 m/s within a second"
    ));
    extreme(&mut outcome, rows, size)?;
    torn(&mut outcome, rows, size)?;
    Ok(outcome)
}

/// The flag in winds that are ever stronger, and in still air after them.
fn extreme(outcome: &mut Outcome, rows: usize, size: Size) -> Result<(), ReproduceError> {
    let (blowing, calm) = size.pick((360, 600), (120, 600));
    let (mut rise, mut fastest, mut longest) = (0.0_f64, 0.0_f64, 0.0_f64);
    let mut table =
        Table::new("winds", &["wind [m/s]", "largest rise", "fastest vertex over the wind", "longest edge after"]);
    let (mut series, mut shapes) = (Vec::new(), Vec::new());
    for wind in WINDS {
        let (mesh, body) = flag(rows)?;
        let solver =
            ProjectiveParams { record: true, precision: Precision::Double, ..ProjectiveParams::plain(ITERATIONS) };
        let mut sim =
            Simulation::builder().body(body).time_step(TIME_STEP).solver(solver).wind(storm(wind, 0.0)).build()?;
        let (mut own_rise, mut own_speed) = (0.0_f64, 0.0_f64);
        for step in 1..=blowing {
            sim.set_wind(Some(storm(wind, sim.time())))?;
            let history = sim.step()?.solve.history;
            let lowered = history[0] - history[history.len() - 1];
            let rises = history.windows(2).map(|pair| (pair[1] - pair[0]) / lowered);
            own_rise = rises.fold(own_rise, f64::max);
            own_speed = own_speed.max(sim.report().max_speed / wind);
            if step == blowing / 3 {
                let points = history.iter().enumerate().map(|(k, g)| [0.5 * k as f64, g / history[0]]).collect();
                series.push(Series::new(format!("{wind:.0} m/s"), points));
                shapes.push((sim.positions().to_vec(), mesh.triangles.clone(), sim.model().rest().to_vec()));
            }
        }
        sim.set_wind(Some(Wind::new(Vec3::ZERO)))?;
        for _ in 0..calm {
            sim.step()?;
        }
        let own_edge = stretch(&mesh, sim.positions());
        table.push([wind, own_rise, own_speed, own_edge]);
        (rise, fastest, longest) = (rise.max(own_rise), fastest.max(own_speed), longest.max(own_edge));
    }
    outcome.measure("descent", rise, format!("{} half-steps", 2 * ITERATIONS * WINDS.len() * blowing));
    outcome.measure("speed", fastest, "");
    outcome.measure("recovers", longest, "");
    outcome.tables.push(table);
    let plot = Plot {
        title: "The objective in a step, half-step by half-step".to_owned(),
        x: Axis::linear("iteration"),
        y: Axis::log("objective over its start"),
        series,
        ..Plot::default()
    };
    outcome.plot("descent", plot);
    outcome.pictures.push(("extreme".to_owned(), draw(&shapes, size)?));
    Ok(())
}

/// The flag that tears.
fn torn(outcome: &mut Outcome, rows: usize, size: Size) -> Result<(), ReproduceError> {
    let build = |wind: Wind| {
        let (_, body) = flag(rows)?;
        let body = body.with_tearing(Tearing::at_stretch(STRENGTH).with_noise(NOISE, 3));
        let builder = Simulation::builder().body(body).time_step(TIME_STEP).solver(ProjectiveParams::plain(ITERATIONS));
        Ok::<_, ReproduceError>(builder.wind(wind).threads(1).clock(clock()).build()?)
    };
    let steps = size.pick(240, 240);
    let mut sim = build(storm(6.0, 0.0))?;
    let mass = |sim: &Simulation| sim.model().mass().lumped().iter().sum::<f64>();
    let before = mass(&sim);
    let mut table =
        Table::new("storm", &["time [s]", "wind [m/s]", "split in this step", "split", "time of the step [ms]"]);
    let (mut split, mut longest, mut shapes, mut times) = (0, 0.0_f64, Vec::new(), Vec::new());
    for step in 1..=steps {
        let time = TIME_STEP * f64::from(step);
        let speed = 6.0 + 24.0 * time.min(1.0);
        sim.set_wind(Some(storm(speed, sim.time())))?;
        let report = sim.step()?;
        split += report.torn;
        longest = longest.max(report.seconds_total);
        times.push(report.seconds_total);
        table.push([time, speed, report.torn as f64, split as f64, 1e3 * report.seconds_total]);
        if step % (steps / 4) == 0 {
            let surface = sim.model().bodies()[0].surface.clone();
            shapes.push((sim.positions().to_vec(), surface, sim.model().rest().to_vec()));
        }
    }
    let pieces = pieces(&sim);
    outcome.measure("tears", split as f64, format!("{pieces} pieces at the end"));
    let mut calm = build(storm(3.0, 0.0))?;
    let mut breeze = 0;
    for _ in 0..steps {
        calm.set_wind(Some(storm(3.0, calm.time())))?;
        breeze += calm.step()?.torn;
    }
    outcome.measure("holds-in-a-breeze", breeze as f64, "");
    outcome.measure("mass", (mass(&sim) / before - 1.0).abs(), "");
    let mean = times.iter().sum::<f64>() / times.len() as f64;
    let note = format!("longest {:.1} ms, mean {:.1} ms", 1e3 * longest, 1e3 * mean);
    outcome.measure("real-time", longest / TIME_STEP, note);
    outcome.tables.push(table);
    outcome.pictures.push(("torn".to_owned(), draw(&shapes, size)?));
    Ok(())
}

/// The longest edge over its length at rest.
fn stretch(mesh: &TriangleMesh, x: &[Vec3]) -> f64 {
    let length = |[a, b]: [u32; 2], x: &[Vec3]| x[a as usize].distance(x[b as usize]);
    mesh.edges().into_iter().fold(0.0, |most: f64, edge| most.max(length(edge, x) / length(edge, &mesh.positions)))
}

/// Pieces of the flag that do not hang together.
fn pieces(sim: &Simulation) -> usize {
    let mut parent: Vec<usize> = (0..sim.positions().len()).collect();
    fn root(parent: &mut [usize], mut v: usize) -> usize {
        while parent[v] != v {
            parent[v] = parent[parent[v]];
            v = parent[v];
        }
        v
    }
    for &[a, b, c] in &sim.model().bodies()[0].surface {
        for (v, w) in [(a, b), (b, c)] {
            let (v, w) = (root(&mut parent, v as usize), root(&mut parent, w as usize));
            parent[v] = w;
        }
    }
    (0..parent.len()).filter(|&v| parent[v] == v).count()
}

/// Whether a place of the flag is white: a skull over two bones.
fn is_white(p: Vec3) -> bool {
    let within = |x: f64, y: f64, rx: f64, ry: f64| ((p.x - x) / rx).powi(2) + ((p.y - y) / ry).powi(2) < 1.0;
    let hole = within(-0.08, 0.1, 0.055, 0.06) || within(0.08, 0.1, 0.055, 0.06) || within(0.0, 0.0, 0.025, 0.04);
    let skull = within(0.0, 0.11, 0.2, 0.19) || (p.x.abs() < 0.11 && (-0.14..0.0).contains(&p.y));
    let bone = |side: f64| (p.y + 0.22 - side * 0.45 * p.x).abs() < 0.035 && p.x.abs() < 0.36;
    let knob =
        [-1.0, 1.0].iter().any(|side| [-0.382, -0.058].iter().any(|y: &f64| within(side * 0.37, *y, 0.05, 0.05)));
    (skull && !hole) || ((bone(1.0) || bone(-1.0) || knob) && p.y < -0.05)
}

/// A flag: its positions, its triangles, and where its vertices are at rest.
type Flag = (Vec<Vec3>, Vec<[u32; 3]>, Vec<Vec3>);

/// Flags side by side, each at its pole.
fn draw(flags: &[Flag], size: Size) -> Result<Image, ReproduceError> {
    let mut scene = Scene::default();
    let both = |color| Paint::Plain { front: Color::hex(color), back: Color::hex(color) };
    for (k, (positions, triangles, rest)) in flags.iter().enumerate() {
        let shift = Vec3::X * (2.3 * k as f64);
        let moved: Vec<Vec3> = positions.iter().map(|p| *p + shift).collect();
        let middle = |t: &[u32; 3]| t.iter().map(|&v| rest[v as usize]).sum::<Vec3>() / 3.0;
        // What has flown away is not in the picture.
        let near = |t: &[u32; 3]| t.iter().all(|&v| positions[v as usize].x < 1.5 && positions[v as usize].y > -1.3);
        for (white, color) in [(true, 0xf2efe6), (false, 0x23262b)] {
            let own = triangles.iter().filter(|t| near(t) && is_white(middle(t)) == white).copied().collect();
            scene.meshes.push(Mesh::new(moved.clone(), own, both(color)));
        }
        let pole = [-1.2, 0.62].map(|y| Vec3::new(-0.5 * SIZE[0], y, 0.0) + shift);
        scene.lines.push(Lines::new(pole.to_vec(), vec![[0, 1]], 0.025, both(0x8a6a45)));
    }
    let [width, height] = size.pick([1500, 480], [300, 100]);
    let options = RenderOptions { width, height, samples: 3, ..RenderOptions::default() };
    let across = 2.3 * (flags.len() - 1) as f64;
    let target = Vec3::new(0.5 * across + 0.2, -0.25, 0.0);
    let far = (0.5 * across + 1.35) * options.aspect().recip() / 0.13;
    let camera =
        Camera { field_of_view: 15f64.to_radians(), ..Camera::new(target + Vec3::new(0.0, 0.05 * far, far), target) };
    Ok(render(&scene, &camera, &options)?)
}
