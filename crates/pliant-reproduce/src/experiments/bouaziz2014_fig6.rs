//! [Bouaziz 2014, Figure 6]: curtains whose triangles may stretch by 10, 20 and 30 %.
//!
//! The cloth itself is weak, so that its weight would stretch it beyond each limit; a second, strong energy acts from the limit
//! on. It is no hard limit: how far it is exceeded depends on its stiffness.

use pliant::prelude::*;
use pliant_picture::plot::{Axis, Plot, Series};

use crate::picture::Row;
use crate::{Bound, Criterion, Experiment, Kind, Outcome, ReproduceError, Size, Table};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "bouaziz2014-fig6",
    figure: "Bouaziz 2014, Figure 6",
    claim: "Strain limits of 10, 20 and 30 % are kept, and the cloth stretches more as the limit increases",
    criteria: &[
        Criterion {
            name: "limit",
            statement: "largest principal stretch of a triangle beyond 1 + limit, largest of the three",
            bound: Bound::AtMost(0.01),
            kind: Kind::Shape,
        },
        Criterion {
            name: "reached",
            statement: "largest principal stretch over 1 + limit, least of the three: a limit that is not reached \
                limits nothing",
            bound: Bound::AtLeast(0.99),
            kind: Kind::Shape,
        },
        Criterion {
            name: "longer",
            statement: "length of a curtain over that with the next lower limit, least",
            bound: Bound::AtLeast(1.02),
            kind: Kind::Shape,
        },
    ],
    measure,
};

const LIMITS: [f64; 3] = [0.1, 0.2, 0.3];
/// Young's modulus of the cloth below its limit \[Pa\].
const WEAK: f64 = 1e4;
/// Factor of the stiffness beyond the limit.
const STRONGER: f64 = 8000.0;
/// Distance of the rings at the end, as a share of that at the beginning.
const GATHERED: f64 = 0.7;

fn measure(size: Size) -> Result<Outcome, ReproduceError> {
    let cells = size.pick(28, 16);
    let rings = 4;
    let mut outcome = Outcome::default();
    outcome.choose(format!(
        "1 m × 1 m, 0.3 kg/m², {} vertices; hung from rings {rings} cells apart that move together to {GATHERED} of \
         their distance; E = {WEAK:.0e} Pa, {STRONGER} times as much beyond the limit, 0.5 mm thick",
        (cells + 1) * (cells + 1)
    ));
    let sheet = Sheet { columns: cells, rows: cells, ..Sheet::default() };
    let mesh = sheet.mesh()?;
    let mut table = Table::new("stretches", &["limit", "largest", "mean", "least", "length [m]"]);
    let mut shapes = Vec::new();
    let mut series = Vec::new();
    let (mut beyond, mut reached, mut lengths) = (0.0_f64, f64::INFINITY, Vec::new());
    for limit in LIMITS {
        let positions = hang(&sheet, &mesh, limit, rings)?;
        let stretches = mesh.principal_stretches(&positions)?;
        let mut large: Vec<f64> = stretches.iter().map(|pair| pair[0]).collect();
        large.sort_by(f64::total_cmp);
        let most = large[large.len() - 1];
        let least = stretches.iter().fold(f64::INFINITY, |least, pair| least.min(pair[1]));
        let mean = large.iter().sum::<f64>() / large.len() as f64;
        let length = 0.5 * sheet.height - positions.iter().fold(0.0_f64, |low, p| low.min(p.y));
        table.push([limit, most, mean, least, length]);
        beyond = beyond.max(most - 1.0 - limit);
        reached = reached.min(most / (1.0 + limit));
        lengths.push(length);
        let share = |k: usize| k as f64 / large.len() as f64;
        series.push(Series::new(
            format!("limit {limit}"),
            large.iter().enumerate().map(|(k, s)| [*s, share(k)]).collect(),
        ));
        shapes.push(positions);
    }
    outcome.tables.push(table);
    outcome.plot(
        "stretches",
        Plot {
            title: "Triangles that are stretched less than …".to_owned(),
            x: Axis::linear("largest principal stretch"),
            y: Axis::linear("share of the triangles"),
            series,
            ..Plot::default()
        },
    );
    let row = Row {
        shapes: shapes.iter().map(Vec::as_slice).collect(),
        triangles: vec![&mesh.triangles],
        turn: 20.0,
        edges: false,
        size: [1000, 480],
        crease: 60.0,
    };
    outcome.pictures.push(("curtains".to_owned(), row.draw()?));
    outcome.measure("limit", beyond, "");
    outcome.measure("reached", reached, "");
    let longer = lengths.windows(2).map(|pair| pair[1] / pair[0]).fold(f64::INFINITY, f64::min);
    outcome.measure("longer", longer, format!("lengths {lengths:.3?} m"));
    Ok(outcome)
}

/// Positions of a curtain at rest.
fn hang(sheet: &Sheet, mesh: &TriangleMesh, limit: f64, rings: usize) -> Result<Vec<Vec3>, ReproduceError> {
    let cells = sheet.columns;
    let material = ClothMaterial {
        density: 0.3,
        youngs_modulus: WEAK,
        // As the paper has it.
        bend_model: BendModel::MeanCurvature,
        strain_limit: Some(StrainLimit {
            set: StrainSet::Limits { min: 1.0 - limit, max: 1.0 + limit },
            youngs_modulus: STRONGER * WEAK,
        }),
        ..ClothMaterial::default()
    };
    // Flat cloth has no reason to fold to one side; a hint of a wave gives it one.
    let waves = std::f64::consts::PI * cells as f64 / rings as f64;
    let start = mesh.positions.iter().map(|p| p.with_z(1e-3 * (p.x * waves).sin())).collect();
    let held = (0..=cells).step_by(rings).map(|column| sheet.vertex(column, cells));
    let curtain = Body::cloth(mesh, &material)?.pin(held).with_positions(start);
    let solver = ProjectiveParams { iterations: 40, ..ProjectiveParams::default() };
    let damping = Damping { drag: 3.0, ..Damping::default() };
    let builder = Simulation::builder().body(curtain).time_step(1.0 / 30.0).solver(solver).damping(damping);
    let mut sim = builder.build()?;
    for step in 1..=80 {
        let gathered = 1.0 - (1.0 - GATHERED) * (f64::from(step) / 30.0).min(1.0);
        sim.move_pins(|_, rest| rest.with_x(gathered * rest.x))?;
        sim.step()?;
    }
    // What few iterations leave of the predicted fall would count as stretch: continue from the last positions.
    sim.set_solver(ProjectiveParams { iterations: 40, start: Start::Previous, ..ProjectiveParams::default() })?;
    for _ in 0..20 {
        sim.step()?;
    }
    Ok(sim.positions().to_vec())
}
