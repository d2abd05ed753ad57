//! [Bouaziz 2014, Figure 5]: energies derived from a continuum drape alike on different meshes of one surface.
//!
//! The sheet is held all around: held at points it would have no limit to converge to, because the deflection of a membrane at
//! a point load has none.

use pliant::mesh::generate::{Diagonals, Shear, Spacing};
use pliant::prelude::*;
use pliant_picture::plot::{Axis, Plot, Series, Style};

use crate::motion::settle;
use crate::picture::Row;
use crate::{Bound, Criterion, Experiment, Kind, Outcome, ReproduceError, Size, Table};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "bouaziz2014-fig5",
    figure: "Bouaziz 2014, Figure 5",
    claim: "Continuum-based constraints give very similar behaviour on meshes of different resolution and grading",
    criteria: &[
        Criterion {
            name: "drape",
            statement: "mean drop of a sheet on each mesh against the finest uniform one, largest difference as a \
                share",
            bound: Bound::Below(0.03),
            kind: Kind::Shape,
        },
        Criterion {
            name: "equal-springs",
            statement: "the same for springs of one stiffness on a graded and a uniform mesh: these must differ, or \
                the comparison says nothing",
            bound: Bound::AtLeast(0.03),
            kind: Kind::Shape,
        },
    ],
    measure,
};

/// Mass per area \[kg/m²\].
const DENSITY: f64 = 0.2;
/// Stiffness of the membrane E·t \[N/m\].
const MEMBRANE: f64 = 50.0;

fn sheet(cells: usize, diagonals: Diagonals, spacing: Spacing) -> Sheet {
    let plane = Plane::Xz;
    Sheet {
        columns: cells,
        rows: cells,
        plane,
        diagonals,
        column_spacing: spacing,
        row_spacing: spacing,
        ..Sheet::default()
    }
}

fn measure(size: Size) -> Result<Outcome, ReproduceError> {
    let graded = Spacing::Graded { ratio: 12.0 };
    let fine = size.pick(40, 20);
    let meshes = [
        ("uniform, fine", sheet(fine, Diagonals::Alternating, Spacing::Uniform)),
        ("uniform, half as fine", sheet(fine / 2, Diagonals::Alternating, Spacing::Uniform)),
        ("uniform, a quarter as fine", sheet((fine / 4).max(8), Diagonals::Alternating, Spacing::Uniform)),
        ("one diagonal", sheet(fine / 2, Diagonals::Forward, Spacing::Uniform)),
        ("graded 1:12", sheet(16, Diagonals::Alternating, graded)),
    ];
    let mut outcome = Outcome::default();
    outcome.choose(format!(
        "1 m × 1 m of {DENSITY} kg/m² with E·t = {MEMBRANE} N/m, held all around, at rest under gravity; no bending"
    ));
    outcome.choose("drop: that of the centre of mass; positions at rest by Newton's method");
    let mut table = Table::new("drops", &["vertices", "drop [m]", "difference from the finest"]);
    let mut settled = Vec::new();
    for (name, sheet) in &meshes {
        let mesh = sheet.mesh()?;
        let material = ClothMaterial {
            density: DENSITY,
            youngs_modulus: MEMBRANE / 5e-4,
            thickness: 5e-4,
            bend_model: BendModel::None,
            ..ClothMaterial::default()
        };
        let sim = drape(Body::cloth(&mesh, &material)?)?;
        settled.push((*name, mesh, sim));
    }
    let drop = |sim: &Simulation| -sim.report().centre_of_mass.y;
    let finest = drop(&settled[0].2);
    let mut largest = 0.0_f64;
    for (name, mesh, sim) in &settled {
        let difference = drop(sim) / finest - 1.0;
        largest = largest.max(difference.abs());
        table.push_named(name, [mesh.positions.len() as f64, drop(sim), difference]);
    }
    // The drop along the middle line, between the two vertices of a row that enclose it.
    let styles = [Style::Line, Style::Dots, Style::Dots, Style::Dots, Style::Dots];
    let series = settled.iter().zip(styles).map(|((name, _, sim), style)| {
        let line = middle_line(sim.positions());
        Series { style, ..Series::new(*name, line) }
    });
    outcome.plot(
        "profile",
        Plot {
            title: "The middle line of the drape".to_owned(),
            x: Axis::linear("x [m]"),
            y: Axis::linear("height [m]"),
            series: series.collect(),
            ..Plot::default()
        },
    );
    let row = Row {
        shapes: settled.iter().map(|(_, _, sim)| sim.positions()).collect(),
        triangles: settled.iter().map(|(_, mesh, _)| &mesh.triangles[..]).collect(),
        turn: 30.0,
        edges: true,
        size: [1300, 300],
        crease: 60.0,
    };
    outcome.pictures.push(("drapes".to_owned(), row.draw()?));
    let note = format!("drop {finest:.4} m on the finest mesh");
    outcome.measure("drape", largest, note);

    let springs = |spacing| {
        let sheet = sheet(16, Diagonals::Alternating, spacing);
        let mut edges = sheet.structural_edges()?;
        edges.extend(sheet.shear_edges(Shear::Both)?);
        drape(Body::mass_spring(&sheet.mesh()?, DENSITY, edges, 30.0)?)
    };
    let (even, uneven) = (drop(&springs(Spacing::Uniform)?), drop(&springs(graded)?));
    table.push_named("springs of 30 N/m, uniform", [289.0, even, 0.0]);
    table.push_named("springs of 30 N/m, graded 1:12", [289.0, uneven, uneven / even - 1.0]);
    outcome.tables.push(table);
    outcome.measure("equal-springs", (uneven / even - 1.0).abs(), format!("drops {even:.4} and {uneven:.4} m"));
    Ok(outcome)
}

/// The sheet at rest, held along its rim.
fn drape(body: Body) -> Result<Simulation, ReproduceError> {
    let body = body.pin_where(|p| p.x.abs().max(p.z.abs()) > 0.499_999);
    let solver = NewtonParams { tolerance: 1e-13, start: Start::Previous, ..NewtonParams::default() };
    let mut sim = Simulation::builder().body(body).time_step(0.05).solver(solver).build()?;
    for _ in 0..10 {
        sim.step()?;
    }
    sim.set_time_step(0.5)?;
    settle(&mut sim, 1e-6, 100)?;
    Ok(sim)
}

/// Heights along x at the vertices nearest to z = 0.
fn middle_line(positions: &[Vec3]) -> Vec<[f64; 2]> {
    let nearest = positions.iter().fold(f64::INFINITY, |least, p| least.min(p.z.abs()));
    let mut line: Vec<[f64; 2]> = positions.iter().filter(|p| p.z.abs() < nearest + 1e-3).map(|p| [p.x, p.y]).collect();
    line.sort_by(|a, b| a[0].total_cmp(&b[0]));
    line
}
