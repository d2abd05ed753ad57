//! [Liu 2013, Figures 7 and 8]: after a strong impact ten iterations lose detailed wrinkles; after a moderate one they do not.
//!
//! A curtain hangs in folds from its upper edge. A patch in its middle is driven backwards, in one frame or slowly. In ten
//! iterations the shock of the one does not travel through the cloth within the frame. (A flat curtain would not do: its first
//! wrinkle grows from rounding errors, in any solver at another moment.)

use pliant::mesh::Hinge;
use pliant::prelude::*;
use pliant_picture::plot::{Axis, Plot, Series, Style};

use crate::curtain::{Curtain, DENSITY, TIME_STEP};
use crate::motion::{Motion, exact};
use crate::picture::Row;
use crate::{Bound, Criterion, Experiment, Kind, Outcome, ReproduceError, Size, Table};

const DETAIL: &str = "root mean square angle between neighbouring triangles, 10 iterations over exact, mean of the \
    frames after the impact";

pub(super) const FIGURE_7: Experiment = Experiment {
    name: "liu2013-fig7",
    figure: "Liu 2013, Figure 7",
    claim: "After a strong impact ten iterations lose detailed wrinkles",
    criteria: &[Criterion { name: "detail", statement: DETAIL, bound: Bound::Below(0.9), kind: Kind::Shape }],
    measure: |size| measure(size, STRONG),
};

pub(super) const FIGURE_8: Experiment = Experiment {
    name: "liu2013-fig8",
    figure: "Liu 2013, Figure 8",
    claim: "After a moderate impact ten iterations give results comparable to the exact solution",
    criteria: &[
        Criterion { name: "detail", statement: DETAIL, bound: Bound::AtLeast(0.9), kind: Kind::Shape },
        Criterion {
            name: "distance",
            statement: "mean distance from the exact solution in the frame shown, in diagonals of the cloth",
            bound: Bound::Below(0.01),
            kind: Kind::Shape,
        },
    ],
    measure: |size| measure(size, MODERATE),
};

/// How the patch is driven.
#[derive(Clone, Copy)]
struct Impact {
    /// How far \[m\].
    way: f64,
    /// In how many frames.
    frames: usize,
}

/// As fast as a thrown ball.
const STRONG: Impact = Impact { way: 0.3, frames: 1 };
/// As fast as a hand that draws a curtain.
const MODERATE: Impact = Impact { way: 0.1, frames: 15 };

/// Radius of the patch \[m\].
const PATCH: f64 = 0.1;
/// Width of the curtain where it is held, as a share of the cloth's.
const NARROWED: f64 = 0.85;
/// Depth of its folds there \[m\].
const FOLDS: f64 = 0.03;
/// Frames after the impact.
const AFTER: usize = 6;

fn measure(size: Size, impact: Impact) -> Result<Outcome, ReproduceError> {
    let curtain = Curtain { cells: size.pick(40, 16), stiffness: 100.0 };
    let Impact { way, frames: frames_of_impact } = impact;
    let sheet = Sheet { plane: Plane::Xy, ..curtain.sheet() };
    let mesh = sheet.mesh()?;
    let hinges = mesh.hinges()?;
    let mut outcome = Outcome::default();
    outcome.choose(format!(
        "the impact: a patch of {PATCH} m radius driven by {way} m in {frames_of_impact} frame(s), at {:.1} m/s; the \
         paper's colliding body is not described",
        way / (TIME_STEP * frames_of_impact as f64)
    ));
    outcome.choose(format!(
        "a curtain of {0}×{0} vertices with springs of {1} N/m, held along its upper edge in folds of {FOLDS} m at \
         {NARROWED} of its width",
        curtain.cells + 1,
        curtain.stiffness
    ));
    outcome.choose("10 % as the limit between lost and comparable detail");
    let steps = frames_of_impact + AFTER;
    let run = |solver: SolverChoice| {
        let body = Body::mass_spring(&mesh, DENSITY, curtain.springs()?, curtain.stiffness)?;
        let body = body.pin_where(|p| p.y > 0.499 || p.length() < PATCH);
        let body = body.with_positions(mesh.positions.iter().copied().map(gathered).collect());
        let mut sim = Simulation::builder().body(body).time_step(TIME_STEP).solver(exact()).build()?;
        hang(&mut sim)?;
        sim.set_solver(solver)?;
        Motion::of(&mut sim, steps, |sim, step| {
            let depth = way * (step as f64 / frames_of_impact as f64).min(1.0);
            Ok(sim.move_pins(|_, rest| gathered(rest) - Vec3::Z * if rest.y > 0.499 { 0.0 } else { depth })?)
        })
    };
    let reference = run(exact().into())?;
    let ten = run(ProjectiveParams { start: Start::Inertial, ..ProjectiveParams::plain(10) }.into())?;

    let details = [&ten, &reference]
        .map(|motion| -> Vec<f64> { motion.frames.iter().map(|frame| detail(&hinges, frame)).collect() });
    let distances = ten.mean_distances(&reference);
    let mut table = Table::new("detail", &["frame", "10 iterations [°]", "exact [°]", "mean distance [m]"]);
    for frame in 0..=steps {
        table.push([frame as f64, details[0][frame].to_degrees(), details[1][frame].to_degrees(), distances[frame]]);
    }
    outcome.tables.push(table);
    let line = |name: &str, values: &[f64], style| Series {
        style,
        ..Series::new(name, values.iter().enumerate().map(|(k, v)| [k as f64, v.to_degrees()]).collect())
    };
    outcome.plot(
        "detail",
        Plot {
            title: "Wrinkles after an impact".to_owned(),
            x: Axis::linear("frame"),
            y: Axis::linear("angle between neighbouring triangles, r.m.s. [°]"),
            series: vec![line("10 iterations", &details[0], Style::Line), line("exact", &details[1], Style::Dashed)],
            ..Plot::default()
        },
    );
    let shapes = vec![ten.last(), reference.last()];
    let row =
        Row { shapes, triangles: vec![&mesh.triangles], turn: -150.0, edges: false, size: [900, 480], crease: 60.0 };
    outcome.pictures.push(("frame".to_owned(), row.draw()?));

    let ratios: Vec<f64> = (frames_of_impact..=steps).map(|frame| details[0][frame] / details[1][frame]).collect();
    let mean = ratios.iter().sum::<f64>() / ratios.len() as f64;
    let last = distances[steps] / 2f64.sqrt();
    outcome.measure(
        "detail",
        mean,
        format!("frame by frame {ratios:.2?}; mean distance at the end {last:.4} diagonals"),
    );
    if frames_of_impact == MODERATE.frames {
        outcome.measure("distance", last, "");
    }
    Ok(outcome)
}

/// Where a curtain with folds is held.
fn gathered(rest: Vec3) -> Vec3 {
    let wave = (3.0 * std::f64::consts::TAU * rest.x).sin();
    Vec3::new(NARROWED * rest.x, rest.y, FOLDS * wave)
}

/// Lets it come to rest before the impact: long steps of implicit Euler forget inertia.
fn hang(sim: &mut Simulation) -> Result<(), ReproduceError> {
    sim.set_time_step(0.3)?;
    for _ in 0..10 {
        sim.step()?;
    }
    sim.set_time_step(TIME_STEP)?;
    let (positions, rest) = (sim.positions().to_vec(), vec![Vec3::ZERO; sim.positions().len()]);
    Ok(sim.set_state(&positions, &rest)?)
}

/// Root of the mean squared angle between neighbouring triangles \[rad\].
fn detail(hinges: &[Hinge], positions: &[Vec3]) -> f64 {
    let squares = hinges.iter().map(|hinge| {
        let [i, j, left, right] = hinge.map(|v| positions[v as usize]);
        let normals = [(j - i).cross(left - i), (right - i).cross(j - i)];
        normals[0].angle_between(normals[1]).powi(2)
    });
    (squares.sum::<f64>() / hinges.len() as f64).sqrt()
}
