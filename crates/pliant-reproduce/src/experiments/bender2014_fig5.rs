//! [Bender 2014, Figure 5]: overpressure inside a character, as one constraint on the volume within its skin.

use pliant::constraint::Balloon;
use pliant::mesh::{Resolution, Tetrahedralise};
use pliant::prelude::*;
use pliant_picture::plot::{Axis, Plot, Series};

use super::bouaziz2014_fig11::animal;
use crate::picture::Row;
use crate::{Bound, Criterion, Experiment, Kind, Outcome, ReproduceError, Size, Table};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "bender2014-fig5",
    figure: "Bender 2014, Figure 5",
    claim: "Overpressure inside a closed mesh is an equality constraint on its volume",
    criteria: &[
        Criterion {
            name: "still",
            statement: "largest movement of a vertex at the pressure 1 without gravity, as a share of the size",
            bound: Bound::Below(1e-9),
            kind: Kind::Shape,
        },
        Criterion {
            name: "volume",
            statement: "volume at the pressures 1.5 and 2 against pressure times that at rest, largest difference as a share",
            bound: Bound::Below(0.02),
            kind: Kind::Shape,
        },
        Criterion {
            name: "stretched",
            statement: "mean stretch of the skin's edges at the pressure 2: the skin gives way",
            bound: Bound::AtLeast(0.1),
            kind: Kind::Shape,
        },
    ],
    measure,
};

const PRESSURES: [f64; 3] = [1.0, 1.5, 2.0];

fn measure(size: Size) -> Result<Outcome, ReproduceError> {
    let (cells, steps) = (size.pick(48, 20), size.pick(120, 60));
    let filling = Tetrahedralise { resolution: Resolution::Cells(cells), ..Tetrahedralise::default() };
    let skin = filling.fill(&animal())?.mesh.surface()?.mesh;
    let volume = |x: &[Vec3]| {
        let product = |t: &[u32; 3]| x[t[0] as usize].dot(x[t[1] as usize].cross(x[t[2] as usize]));
        skin.triangles.iter().map(product).sum::<f64>() / 6.0
    };
    let mut outcome = Outcome::default();
    // A rubber skin: a Young's modulus of 0.1 MPa over 1 mm.
    // Bending hardly counts here; mean curvature is the cheapest on a curved rest shape.
    let material = ClothMaterial {
        youngs_modulus: 1e5,
        thickness: 1e-3,
        density: 1.0,
        bend_model: BendModel::MeanCurvature,
        ..ClothMaterial::default()
    };
    outcome.choose(format!(
        "the generated animal of Bouaziz 2014, Figure 11; {} vertices; a skin of 0.1 MPa and 1 mm; XPBD, 20 iterations, {steps} steps of 1/60 s, no gravity",
        skin.positions.len()
    ));
    let mut table = Table::new("volumes", &["pressure", "volume", "mean stretch"]);
    let (mut still, mut off, mut shapes) = (0.0, 0.0_f64, Vec::new());
    let edges = skin.edges();
    let mut last = 0.0;
    let mut series = Vec::new();
    for pressure in PRESSURES {
        let mut volumes = Vec::new();
        let body = Body::cloth(&skin, &material)?.with_constraints(Balloon::new(&skin, pressure, 0.0)?.boxed());
        let solver = PositionBasedParams { iterations: 20, ..PositionBasedParams::default() };
        let damping = Damping { deformation: 5.0, ..Damping::default() };
        let mut sim = Simulation::builder().body(body).gravity(Vec3::ZERO).damping(damping).solver(solver).build()?;
        for _ in 0..steps {
            volumes.push([sim.time(), volume(sim.positions()) / volume(&skin.positions)]);
            sim.step()?;
        }
        series.push(Series::new(format!("pressure {pressure}"), volumes));
        let x = sim.positions();
        let ratio = volume(x) / volume(&skin.positions);
        let length = |[a, b]: [u32; 2], of: &[Vec3]| of[a as usize].distance(of[b as usize]);
        let stretch = edges.iter().map(|&edge| length(edge, x) / length(edge, &skin.positions) - 1.0);
        let stretch = stretch.sum::<f64>() / edges.len() as f64;
        let moved = x.iter().zip(&skin.positions).fold(0.0_f64, |most, (a, b)| most.max(a.distance(*b)));
        if pressure == 1.0 {
            still = moved / sim.model().diagonal();
        } else {
            off = off.max((ratio / pressure - 1.0).abs());
        }
        last = stretch;
        table.push(vec![pressure, ratio, stretch]);
        shapes.push(x.to_vec());
    }
    outcome.tables.push(table);
    outcome.plot(
        "volume",
        Plot {
            title: "Volume inside a skin".to_owned(),
            x: Axis::linear("time [s]"),
            y: Axis::linear("volume over that at rest"),
            series,
            ..Plot::default()
        },
    );
    outcome.measure("still", still, "");
    outcome.measure("volume", off, "");
    outcome.measure("stretched", last, "");
    let row = Row {
        shapes: shapes.iter().map(|x| &x[..]).collect(),
        triangles: vec![&skin.triangles],
        turn: -35.0,
        edges: false,
        size: [1200, 500],
        crease: 60.0,
    };
    outcome.pictures.push(("animals".to_owned(), row.draw()?));
    Ok(outcome)
}
