//! [Bouaziz 2014, Figure 4]: by projective dynamics the stiffness of a cloth does not depend on the number of iterations, by position-based
//! dynamics it does.
//!
//! A cloth with springs along the edges of its triangles, 6561 vertices and 19360 edges as in the paper, is let go flat, held at
//! two corners. Beyond the paper: XPBD, which nears the right stiffness with iterations.

use pliant::SimulationBuilder;
use pliant::mesh::{MassKind, Simplices};
use pliant::prelude::*;
use pliant_picture::plot::{Axis, Plot, Series};

use crate::motion::Motion;
use crate::picture::Row;
use crate::{Bound, Criterion, Experiment, Kind, Outcome, ReproduceError, Size, Table};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "bouaziz2014-fig4",
    figure: "Bouaziz 2014, Figure 4",
    claim: "The simulation behaves consistently even for different numbers of iterations",
    criteria: &[
        Criterion {
            name: "sag",
            statement: "mean sag over the last second with 10 iterations against 100, difference as a share",
            bound: Bound::Below(0.05),
            kind: Kind::Shape,
        },
        Criterion {
            name: "sag-in-motion",
            statement: "the same difference in single frames, largest from frame 10 on, while the cloth swings",
            bound: Bound::Below(0.05),
            kind: Kind::Beyond,
        },
        Criterion {
            name: "sag-stiff",
            statement: "mean sag over the last second with 10 iterations against 100, for a cloth ten times as stiff",
            bound: Bound::Below(0.05),
            kind: Kind::Beyond,
        },
        Criterion {
            name: "auto-in-motion",
            statement: "by the default solver against the same substeps solved to convergence, in single frames, largest from frame 10 on",
            bound: Bound::Below(0.05),
            kind: Kind::Beyond,
        },
        Criterion {
            name: "auto-stiff",
            statement: "the same for a cloth ten times as stiff",
            bound: Bound::Below(0.05),
            kind: Kind::Beyond,
        },
        Criterion {
            name: "position-based-sag",
            statement: "by position-based dynamics, mean sag with 10 iterations against 100, difference as a share",
            bound: Bound::AtLeast(0.3),
            kind: Kind::Shape,
        },
        Criterion {
            name: "extended-few",
            statement: "by XPBD on 20 × 20 cells, mean sag with 10 iterations against projective dynamics, difference as a share",
            bound: Bound::AtLeast(0.05),
            kind: Kind::Beyond,
        },
        Criterion {
            name: "extended-many",
            statement: "by XPBD on 20 × 20 cells, the same with 1000 iterations",
            bound: Bound::Below(0.05),
            kind: Kind::Beyond,
        },
        Criterion {
            name: "extended-whole",
            statement: "by XPBD on the whole cloth, the same with 1000 iterations",
            bound: Bound::Below(0.05),
            kind: Kind::Beyond,
        },
    ],
    measure,
};

/// Stiffness of the membrane E·t \[N/m\].
const MEMBRANE: f64 = 100.0;
/// Mass per area \[kg/m²\].
const DENSITY: f64 = 0.2;
const FIRST: usize = 10;
/// Frames of a second.
const SECOND: usize = 30;
const COUNTS: [usize; 4] = [5, 10, 20, 100];
/// Iterations that XPBD needs to converge on a cloth of this many cells along a side.
const MANY: usize = 1000;
const COARSE: usize = 20;

/// A cloth held at two corners.
fn world(sheet: &Sheet, membrane: f64, solver: SolverChoice) -> Result<SimulationBuilder, ReproduceError> {
    let mesh = sheet.mesh()?;
    let springs = EdgeSprings::of_sheet(&mesh, membrane).build(&mesh.positions)?;
    let body = Body::new(mesh.positions.clone(), mesh.mass_matrix(MassKind::Lumped, DENSITY)?);
    let body = body.with_energy(springs).pin([sheet.vertex(0, 0), sheet.vertex(sheet.columns, 0)]);
    Ok(Simulation::builder().body(body).time_step(1.0 / 30.0).solver(solver))
}

/// A run, and its sag in each frame.
fn hang(mut sim: Simulation, steps: usize) -> Result<(Motion, Vec<f64>), ReproduceError> {
    let mut sags = vec![0.0];
    let motion = Motion::of(&mut sim, steps, |sim, step| {
        if step > 1 {
            sags.push(-sim.report().centre_of_mass.y);
        }
        Ok(())
    })?;
    sags.push(-sim.report().centre_of_mass.y);
    Ok((motion, sags))
}

fn measure(size: Size) -> Result<Outcome, ReproduceError> {
    let (cells, steps) = (size.pick(80, 20), 60);
    let sheet = Sheet { columns: cells, rows: cells, plane: Plane::Xz, ..Sheet::default() };
    let mesh = sheet.mesh()?;
    let mut outcome = Outcome::default();
    outcome.choose(format!(
        "1 m × 1 m of {DENSITY} kg/m² with a membrane stiffness of {MEMBRANE} N/m; held at two \
        corners; {steps} steps of 1/30 s"
    ));
    outcome.choose("sag: drop of the centre of mass; plain local/global from the predicted positions");
    outcome.choose("position-based dynamics with the stiffness 1, XPBD with the compliance of the springs; Gauss–Seidel over colours");
    outcome.remarks.push(format!("{} vertices, {} edges", mesh.positions.len(), mesh.edges().len()));
    let run = |membrane: f64, solver: SolverChoice| hang(world(&sheet, membrane, solver)?.build()?, steps);
    let in_motion = |few: &[f64], many: &[f64]| {
        let shares = few.iter().zip(many).skip(FIRST).map(|(few, many)| (few / many - 1.0).abs());
        shares.fold(0.0, f64::max)
    };
    let hanging = |sags: &[f64]| sags[sags.len() - SECOND..].iter().sum::<f64>() / SECOND as f64;
    let difference = |few: &[f64], many: &[f64]| (hanging(few) / hanging(many) - 1.0).abs();
    let projective = |membrane: f64, count: usize| run(membrane, ProjectiveParams::plain(count).into());
    let runs = COUNTS.iter().map(|&count| projective(MEMBRANE, count)).collect::<Result<Vec<_>, _>>()?;

    let columns = ["frame", "5 iterations", "10 iterations", "20 iterations", "100 iterations"];
    let mut table = Table::new("sag", &columns);
    for frame in 0..=steps {
        table.push([&[frame as f64], &runs.iter().map(|(_, sags)| sags[frame]).collect::<Vec<_>>()[..]].concat());
    }
    outcome.tables.push(table);
    let series = COUNTS.iter().zip(&runs).map(|(count, (_, sags))| {
        let points = sags.iter().enumerate().map(|(frame, &sag)| [frame as f64 / 30.0, sag]).collect();
        Series::new(format!("{count} iterations"), points)
    });
    outcome.plot(
        "sag",
        Plot {
            title: "Sag of a cloth held at two corners".to_owned(),
            x: Axis::linear("time [s]"),
            y: Axis::linear("sag [m]"),
            series: series.collect(),
            ..Plot::default()
        },
    );
    let shapes = runs.iter().map(|(motion, _)| motion.last()).collect();
    let row =
        Row { shapes, triangles: vec![&mesh.triangles], turn: 25.0, edges: false, size: [1200, 400], crease: 60.0 };
    outcome.pictures.push(("cloths".to_owned(), row.draw()?));

    let (five, ten, hundred) = (&runs[0].1, &runs[1].1, &runs[3].1);
    let note = format!(
        "{:.4} and {:.4} m; 5 iterations differ by {:.1} %",
        hanging(ten),
        hanging(hundred),
        100.0 * difference(five, hundred)
    );
    outcome.measure("sag", difference(ten, hundred), note);
    outcome.measure("sag-in-motion", in_motion(ten, hundred), "");
    let converged = hundred.clone();
    let [(_, ten), (_, hundred)] = [projective(10.0 * MEMBRANE, 10)?, projective(10.0 * MEMBRANE, 100)?];
    let note = format!("{:.4} and {:.4} m", hanging(&ten), hanging(&hundred));
    outcome.measure("sag-stiff", difference(&ten, &hundred), note);

    let exact =
        TwoMetricParams { iterations: 20, tolerance: 1e-4, linear_iterations: 60, ..TwoMetricParams::default() };
    for (name, membrane) in [("auto-in-motion", MEMBRANE), ("auto-stiff", 10.0 * MEMBRANE)] {
        let sim = world(&sheet, membrane, SolverChoice::Auto)?.build()?;
        let converging = world(&sheet, membrane, exact.clone().into())?.substeps(sim.substeps()).build()?;
        let [(_, chosen), (_, converged)] = [hang(sim, steps)?, hang(converging, steps)?];
        let note = format!("mean sags over the last second {:.4} and {:.4} m", hanging(&chosen), hanging(&converged));
        outcome.measure(name, in_motion(&chosen, &converged), note);
    }

    let classic = |iterations: usize| run(MEMBRANE, PositionBasedParams::classic(iterations, 1.0).into());
    let [(_, few), (_, many)] = [classic(10)?, classic(100)?];
    let note = format!("{:.4} and {:.4} m", hanging(&few), hanging(&many));
    outcome.measure("position-based-sag", difference(&few, &many), note);
    let coarse = Sheet { columns: COARSE, rows: COARSE, ..sheet };
    let of_coarse = |solver: SolverChoice| hang(world(&coarse, MEMBRANE, solver)?.build()?, steps);
    let extended = |iterations: usize| PositionBasedParams { iterations, ..PositionBasedParams::default() };
    let runs = [
        of_coarse(PositionBasedParams::classic(10, 1.0).into())?,
        of_coarse(PositionBasedParams::classic(100, 1.0).into())?,
        of_coarse(extended(10).into())?,
        of_coarse(extended(100).into())?,
        of_coarse(extended(MANY).into())?,
        of_coarse(ProjectiveParams::plain(100).into())?,
    ];
    let [_, _, (_, soft), _, (_, best), (_, exact)] = &runs;
    let note = |sags: &[f64]| format!("{:.4} m, projective with 100 iterations {:.4} m", hanging(sags), hanging(exact));
    outcome.measure("extended-few", difference(soft, exact), note(soft));
    outcome.measure("extended-many", difference(best, exact), note(best));
    let (_, whole) = run(MEMBRANE, extended(MANY).into())?;
    let note_of_whole =
        format!("{:.4} m, projective with 100 iterations {:.4} m", hanging(&whole), hanging(&converged));
    outcome.measure("extended-whole", difference(&whole, &converged), note_of_whole);
    let columns = ["frame", "PBD 10", "PBD 100", "XPBD 10", "XPBD 100", "XPBD 1000", "projective 100"];
    let mut table = Table::new("sag-position-based", &columns);
    for frame in 0..=steps {
        table.push([&[frame as f64], &runs.each_ref().map(|(_, sags)| sags[frame])[..]].concat());
    }
    outcome.tables.push(table);
    let mesh = coarse.mesh()?;
    let shapes = runs.iter().map(|(motion, _)| motion.last()).collect();
    let row =
        Row { shapes, triangles: vec![&mesh.triangles], turn: 25.0, edges: false, size: [1200, 500], crease: 60.0 };
    outcome.pictures.push(("cloths-position-based".to_owned(), row.draw()?));
    Ok(outcome)
}
