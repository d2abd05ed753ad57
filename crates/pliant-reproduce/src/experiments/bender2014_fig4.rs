//! [Bender 2014, Figure 4]: a cloth of distance and bending constraints, whose resistance to stretching and to bending can be tuned
//! independently.

use pliant::constraint::{Allowed, Constraint, Dihedral, Distance};
use pliant::mesh::{MassKind, Simplices};
use pliant::prelude::*;
use pliant::solve::Stiffness;
use pliant_picture::plot::{Axis, Plot, Series};

use crate::picture::Row;
use crate::{Bound, Criterion, Experiment, Kind, Outcome, ReproduceError, Size, Table};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "bender2014-fig4",
    figure: "Bender 2014, Figure 4",
    claim: "Bending and stretching resistance can be tuned independently",
    criteria: &[
        Criterion {
            name: "stretch",
            statement: "mean stretch of edges with the stretching stiffness 1/100 over that with 1, the smaller of both bending stiffnesses",
            bound: Bound::AtLeast(2.0),
            kind: Kind::Shape,
        },
        Criterion {
            name: "bend",
            statement: "mean angle of hinges with the bending stiffness 0 over that with 1, at the stretching stiffness 1",
            bound: Bound::AtLeast(2.0),
            kind: Kind::Shape,
        },
        Criterion {
            name: "ordered",
            statement: "how many of the four neighbours in the table stretch more with the lower stretching stiffness",
            bound: Bound::AtLeast(4.0),
            kind: Kind::Shape,
        },
    ],
    measure,
};

/// Mass per area \[kg/m²\].
const DENSITY: f64 = 0.2;
const STRETCHING: [f64; 3] = [1.0, 0.5, 0.01];
const BENDING: [f64; 2] = [1.0, 0.0];
const ITERATIONS: usize = 10;

fn measure(size: Size) -> Result<Outcome, ReproduceError> {
    let (cells, steps) = (size.pick(30, 12), size.pick(720, 360));
    let sheet = Sheet { columns: cells, rows: cells, plane: Plane::Xz, ..Sheet::default() };
    let mesh = sheet.mesh()?;
    let (edges, hinges) = (mesh.edges(), mesh.hinges()?);
    let mut outcome = Outcome::default();
    outcome.choose(format!(
        "1 m × 1 m of {DENSITY} kg/m² in {cells} × {cells} cells, held at two corners, {steps} steps of 1/240 s, {ITERATIONS} iterations, drag 1/s"
    ));
    outcome.choose("stiffnesses are factors on each correction; what is left of an error in a step is (1 − k) to the power of the iterations");
    let mut table = Table::new("cloths", &["stretching", "bending", "mean stretch", "mean angle"]);
    let mut shapes = Vec::new();
    for bending in BENDING {
        for stretching in STRETCHING {
            let distances = Distance::at_rest(&edges, &mesh.positions, Allowed::Exactly, 0.0)?;
            let angles = Dihedral::at_rest(&hinges, &mesh.positions, 0.0)?;
            let body = Body::new(mesh.positions.clone(), mesh.mass_matrix(MassKind::Lumped, DENSITY)?)
                .with_constraints(distances.boxed())
                .with_constraints(angles.boxed())
                .pin([sheet.vertex(0, 0), sheet.vertex(cells, 0)]);
            let of_step = |factor: f64| 1.0 - (1.0 - factor).powi(ITERATIONS as i32);
            let kinds = vec![(Dihedral::KIND.to_owned(), of_step(bending))];
            let solver = PositionBasedParams {
                iterations: ITERATIONS,
                stiffness: Stiffness::Share { stiffness: of_step(stretching), kinds },
                ..PositionBasedParams::default()
            };
            let damping = Damping { drag: 1.0, ..Damping::default() };
            let mut sim =
                Simulation::builder().body(body).time_step(1.0 / 240.0).damping(damping).solver(solver).build()?;
            for _ in 0..steps {
                sim.step()?;
            }
            let x = sim.positions();
            let at = |v: u32, of: &[Vec3]| of[v as usize];
            let stretch = edges.iter().map(|&[a, b]| {
                at(a, x).distance(at(b, x)) / at(a, &mesh.positions).distance(at(b, &mesh.positions)) - 1.0
            });
            let stretch = stretch.sum::<f64>() / edges.len() as f64;
            let flat = Dihedral { angle: 0.0 };
            let bent = hinges.iter().filter_map(|hinge| flat.evaluate(0, &hinge.map(|v| at(v, x))));
            let angle = bent.map(|(angle, _)| angle.abs()).sum::<f64>() / hinges.len() as f64;
            table.push(vec![stretching, bending, stretch, angle]);
            shapes.push((x.to_vec(), stretch, angle));
        }
    }
    outcome.tables.push(table);
    let series = BENDING.iter().zip(shapes.chunks(STRETCHING.len())).map(|(bending, row)| {
        let points = STRETCHING.iter().zip(row).map(|(stiffness, (_, stretch, _))| [*stiffness, 100.0 * stretch]);
        Series::new(format!("bending stiffness {bending}"), points.collect())
    });
    outcome.plot(
        "stretch",
        Plot {
            title: "Stretch of a cloth held at two corners".to_owned(),
            x: Axis::log("stretching stiffness"),
            y: Axis::log("mean stretch of edges [%]"),
            series: series.collect(),
            ..Plot::default()
        },
    );
    let ratio = |soft: usize, stiff: usize| shapes[soft].1 / shapes[stiff].1;
    outcome.measure("stretch", ratio(2, 0).min(ratio(5, 3)), format!("{:.2} and {:.2}", ratio(2, 0), ratio(5, 3)));
    let note = format!("{:.3} and {:.3} rad", shapes[3].2, shapes[0].2);
    outcome.measure("bend", shapes[3].2 / shapes[0].2, note);
    let ordered = [(0, 1), (1, 2), (3, 4), (4, 5)].iter().filter(|(a, b)| shapes[*a].1 < shapes[*b].1).count();
    outcome.measure("ordered", ordered as f64, "");
    for (name, row) in [("with-bending", &shapes[..3]), ("without-bending", &shapes[3..])] {
        let row = Row {
            shapes: row.iter().map(|(x, _, _)| &x[..]).collect(),
            triangles: vec![&mesh.triangles],
            turn: 25.0,
            edges: false,
            size: [1200, 600],
            crease: 60.0,
        };
        outcome.pictures.push((name.to_owned(), row.draw()?));
    }
    Ok(outcome)
}
