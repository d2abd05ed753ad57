//! [Bouaziz 2014, Figure 12]: error of one frame of a twisting bar over iterations and over time, against Newton's method.

use pliant::mesh::generate::TetPattern;
use pliant::prelude::*;
use pliant::solve::LinearSolver;
use pliant_picture::plot::{Axis, Plot};

use crate::picture::Row;
use crate::race::{Descent, Scale};
use crate::{Bound, Criterion, Experiment, Kind, Outcome, ReproduceError, Size, Table};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "bouaziz2014-fig12",
    figure: "Bouaziz 2014, Figure 12",
    claim: "Newton's method converges faster by iteration, local/global by time down to errors of 1e-10; about 30 of \
        its iterations take as long as one of Newton's",
    criteria: &[
        Criterion {
            name: "newton-by-iteration",
            statement: "error of 5 Newton iterations over that of 5 local/global iterations",
            bound: Bound::Below(1.0),
            kind: Kind::Shape,
        },
        Criterion {
            name: "ahead-in-time",
            statement: "error down to which local/global is ahead in time of Newton's method with a direct solver",
            bound: Bound::AtMost(1e-6),
            kind: Kind::Timing,
        },
        Criterion {
            name: "ahead-elsewhere",
            statement: "the same for softer bars and for an end turned at once, the best of four",
            bound: Bound::AtMost(1e-6),
            kind: Kind::Beyond,
        },
        Criterion {
            name: "iterations-per-newton",
            statement: "local/global iterations in the time of one Newton iteration, the faster of two linear solvers",
            bound: Bound::AtLeast(20.0),
            kind: Kind::Timing,
        },
    ],
    measure,
};

const THICKNESS: f64 = 0.2;
const LENGTH: f64 = 2.0;

/// How the bar is twisted, and how stiff it is.
#[derive(Clone, Copy)]
struct Twist {
    /// Young's modulus \[Pa\].
    youngs_modulus: f64,
    /// Angle by which one end is turned in each step \[°\].
    degrees_per_step: f64,
    /// The step that is looked at.
    step: usize,
    time_step: f64,
}

const CHOSEN: Twist = Twist { youngs_modulus: 1e5, degrees_per_step: 5.0, step: 27, time_step: 1.0 / 60.0 };
const AT_ONCE: Twist = Twist { degrees_per_step: 90.0, step: 1, time_step: 1.0 / 30.0, ..CHOSEN };
const OTHERS: [Twist; 4] = [
    Twist { youngs_modulus: 1e4, ..CHOSEN },
    Twist { youngs_modulus: 1e3, ..CHOSEN },
    AT_ONCE,
    Twist { youngs_modulus: 1e4, ..AT_ONCE },
];

impl Twist {
    /// The bar just before the step that is looked at.
    fn simulation(&self, mesh: &TetMesh) -> Result<Simulation, ReproduceError> {
        let Self { youngs_modulus, degrees_per_step, step: last, time_step } = *self;
        let material = SolidMaterial { poisson_ratio: 0.0, youngs_modulus, ..SolidMaterial::default() };
        let end = 0.5 * LENGTH - 1e-9;
        let bar = Body::solid(mesh, &material)?.pin_where(|p| p.x.abs() > end);
        // In whole steps, as in the paper: the default would take a part of one.
        let builder = Simulation::builder().body(bar).solver(ProjectiveParams::default());
        let mut sim = builder.gravity(Vec3::ZERO).time_step(time_step).build()?;
        for step in 1..=last {
            let twist = Mat3::from_rotation_x((degrees_per_step * step as f64).to_radians());
            sim.move_pins(|_, rest| if rest.x > 0.0 { twist * rest } else { rest })?;
            if step < last {
                sim.step()?;
            }
        }
        Ok(sim)
    }
}

fn measure(size: Size) -> Result<Outcome, ReproduceError> {
    let cells = size.pick([56, 4, 4], [20, 2, 2]);
    let solid = TetBox { size: Vec3::new(LENGTH, THICKNESS, THICKNESS), cells, pattern: TetPattern::Five };
    let mesh = solid.mesh()?;
    let mut outcome = Outcome::default();
    outcome.choose(format!(
        "a bar of {LENGTH} m × {THICKNESS} m × {THICKNESS} m with {} DoFs and {} tets (printed: 4290 and 4099); E = \
         1e5 Pa, 1000 kg/m³; no gravity",
        3 * mesh.positions.len(),
        mesh.tets.len()
    ));
    outcome.choose(format!(
        "both ends held, one turned by {}° in each step of 1/60 s; step {} is solved, from the predicted positions",
        CHOSEN.degrees_per_step, CHOSEN.step
    ));
    let surface = mesh.surface()?;
    let skin: Vec<[u32; 3]> = surface.mesh.triangles.iter().map(|t| t.map(|v| surface.vertices[v as usize])).collect();
    let mut sim = CHOSEN.simulation(&mesh)?;
    let problem = sim.next_problem()?;
    let start = problem.start(Start::Predicted).to_vec();
    let newton = NewtonParams { tolerance: 1e-13, ..NewtonParams::default() };
    let pcg = LinearSolver::ConjugateGradient { tolerance: 1e-6, max_iterations: 2000 };
    let plain = Descent::of("local/global", &problem, &start, &ProjectiveParams::plain(1), 1000)?;
    let anderson = ProjectiveParams { tolerance: 1e-13, ..ProjectiveParams::default() };
    let anderson = Descent::of("Anderson (ours)", &problem, &start, &anderson, 300)?;
    let direct = Descent::of("Newton, direct", &problem, &start, &newton, 30)?;
    let iterative = NewtonParams { linear_solver: pcg, ..newton };
    let iterative = Descent::of("Newton, conjugate gradients", &problem, &start, &iterative, 30)?;
    let all = [&plain, &anderson, &direct, &iterative];
    let scale = Scale::of(&all);

    let mut table = Table::new("errors", &["iteration", "local/global", "Anderson", "Newton"]);
    for k in (0..=1000).filter(|k| *k <= 20 || k % 10 == 0) {
        let error = |descent: &Descent| if k <= descent.iterations() { scale.after(descent, k) } else { f64::NAN };
        table.push([k as f64, error(&plain), error(&anderson), error(&direct)]);
    }
    let mut costs = Table::new("costs", &["ms per iteration", "iterations"]);
    for descent in all {
        costs.push_named(&descent.name, [1e3 * descent.seconds_per_iteration, descent.iterations() as f64]);
    }
    outcome.tables = vec![table, costs];
    let [by_iteration, by_time] = [0, 1].map(|k| all.map(|descent| scale.series(descent)[k].clone()).to_vec());
    let axis = || Axis::log("relative error").with_range(1e-12, 1.0);
    let plot = |title: &str, x: Axis, series| Plot { title: title.to_owned(), x, y: axis(), series, ..Plot::default() };
    outcome.plot("by-iteration", plot("Error over iterations", Axis::log("iterations"), by_iteration));
    outcome.plot("by-time", plot("Error over time", Axis::log("time [s]"), by_time));
    let row = Row {
        shapes: vec![&direct.end],
        triangles: vec![&skin],
        turn: 15.0,
        edges: false,
        size: [800, 300],
        crease: 30.0,
    };
    outcome.pictures.push(("bar".to_owned(), row.draw()?));

    let five = [&direct, &plain].map(|descent| scale.after(descent, 5));
    outcome.measure("newton-by-iteration", five[0] / five[1], format!("{:.1e} against {:.1e}", five[0], five[1]));
    let [down, down_iterative, accelerated] =
        [(&plain, &direct), (&plain, &iterative), (&anderson, &direct)].map(|(a, b)| scale.ahead_down_to(a, b));
    let note = format!(
        "against conjugate gradients {down_iterative:.1e}; with Anderson's acceleration (ours) against the direct \
         solver {accelerated:.1e}"
    );
    outcome.measure("ahead-in-time", down, note);
    let (least, note) = elsewhere(&mesh, &plain, &direct, &mut outcome)?;
    outcome.measure("ahead-elsewhere", least, note);
    let newton_cost = direct.seconds_per_iteration.min(iterative.seconds_per_iteration);
    let ratio = newton_cost / plain.seconds_per_iteration;
    let note = format!(
        "{:.2} ms against {:.1} ms direct and {:.1} ms by conjugate gradients; printed: about 30",
        1e3 * plain.seconds_per_iteration,
        1e3 * direct.seconds_per_iteration,
        1e3 * iterative.seconds_per_iteration
    );
    outcome.measure("iterations-per-newton", ratio, note);
    Ok(outcome)
}

/// Other bars and twists, at the same cost of an iteration; returns the smallest error down to which local/global is ahead.
fn elsewhere(
    mesh: &TetMesh,
    plain: &Descent,
    newton: &Descent,
    outcome: &mut Outcome,
) -> Result<(f64, String), ReproduceError> {
    let columns = ["Young's modulus [Pa]", "degrees per step", "step", "Newton iterations", "ahead down to"];
    let mut table = Table::new("elsewhere", &columns);
    let (mut least, mut all) = (1.0_f64, Vec::new());
    for twist in OTHERS {
        let mut sim = twist.simulation(mesh)?;
        let problem = sim.next_problem()?;
        let start = problem.start(Start::Predicted).to_vec();
        let exact = NewtonParams { tolerance: 1e-13, ..NewtonParams::default() };
        let slow = Descent::untimed("Newton", &problem, &start, &exact, 30)?;
        let slow = Descent { seconds_per_iteration: newton.seconds_per_iteration, ..slow };
        let fast = Descent::untimed("local/global", &problem, &start, &ProjectiveParams::plain(1), 300)?;
        let fast = Descent { seconds_per_iteration: plain.seconds_per_iteration, ..fast };
        let ahead = Scale::of(&[&fast, &slow]).ahead_down_to(&fast, &slow);
        let Twist { youngs_modulus, degrees_per_step, step, .. } = twist;
        table.push([youngs_modulus, degrees_per_step, step as f64, slow.iterations() as f64, ahead]);
        all.push(format!("{ahead:.0e} ({youngs_modulus:.0e} Pa, {degrees_per_step}°)"));
        least = least.min(ahead);
    }
    outcome.tables.push(table);
    Ok((least, all.join(", ")))
}
