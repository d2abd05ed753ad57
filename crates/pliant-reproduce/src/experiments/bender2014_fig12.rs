//! [Bender 2014, Figures 11 to 13]: a fine mesh that wrinkles on a coarse, simulated one.

use pliant::prelude::*;
use pliant::{WrinkleMesh, WrinkleParams};
use pliant_picture::plot::{Axis, Plot, Series};

use crate::picture::Row;
use crate::{Bound, Criterion, Experiment, Kind, Outcome, ReproduceError, Size, Table};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "bender2014-fig12",
    figure: "Bender 2014, Figures 11 to 13",
    claim: "A fine wrinkle mesh on a coarse dynamic one shows the wrinkles that the coarse one cannot",
    criteria: &[
        Criterion {
            name: "strain",
            statement: "a coarse sheet compressed by 10 %: largest strain of a fine edge",
            bound: Bound::Below(0.01),
            kind: Kind::Shape,
        },
        Criterion {
            name: "near",
            statement: "farthest that a fine vertex of the simulated curtain is from its place on the coarse one, over its reach",
            bound: Bound::AtMost(1.0 + 1e-9),
            kind: Kind::Shape,
        },
        Criterion {
            name: "curtain",
            statement: "mean strain of fine edges of the simulated curtain over that of coarse edges",
            bound: Bound::Below(0.5),
            kind: Kind::Shape,
        },
    ],
    measure,
};

const COARSE: usize = 10;
const FRAMES: usize = 60;

/// Strains of all edges: the largest and the mean.
fn strains(mesh: &TriangleMesh, x: &[Vec3]) -> [f64; 2] {
    let length = |of: &[Vec3], [a, b]: [u32; 2]| of[a as usize].distance(of[b as usize]);
    let edges = mesh.edges();
    let all = edges.iter().map(|&e| (length(x, e) / length(&mesh.positions, e) - 1.0).abs());
    let (most, sum) = all.fold((0.0_f64, 0.0), |(most, sum), s| (most.max(s), sum + s));
    [most, sum / edges.len() as f64]
}

fn measure(size: Size) -> Result<Outcome, ReproduceError> {
    let cells = size.pick(80, 40);
    let reach = 3.0 / cells as f64;
    let sheet = |cells| Sheet { columns: cells, rows: cells, ..Sheet::default() };
    let (coarse, fine) = (sheet(COARSE).mesh()?, sheet(cells).mesh()?);
    let mut outcome = Outcome::default();
    let WrinkleParams { iterations, most_iterations, tolerance, .. } = WrinkleParams::within(reach);
    outcome.choose(format!(
        "1 m × 1 m, coarse {COARSE} × {COARSE} cells, fine {cells} × {cells}; reach {reach} m, on the side of the normals; {iterations} to \
        {most_iterations} iterations in a frame, until no edge is strained by more than {tolerance}"
    ));
    let mut table =
        Table::new("strains", &["compression", "largest fine strain", "mean fine strain", "mean coarse strain"]);
    let mut pressed = WrinkleMesh::new(&coarse, &fine, WrinkleParams::within(reach))?;
    let mut points = [Vec::new(), Vec::new()];
    let mut most = 0.0;
    for frame in 1..=20 {
        let by = 0.1 * f64::from(frame) / 20.0;
        let narrower: Vec<Vec3> = coarse.positions.iter().map(|p| Vec3::new((1.0 - by) * p.x, p.y, p.z)).collect();
        let [largest, mean] = strains(&fine, pressed.follow(&narrower)?);
        let [_, coarse_mean] = strains(&coarse, &narrower);
        table.push([by, largest, mean, coarse_mean]);
        points[0].push([100.0 * by, 100.0 * mean]);
        points[1].push([100.0 * by, 100.0 * coarse_mean]);
        most = largest;
    }
    outcome.measure("strain", most, "");
    let [fine_points, coarse_points] = points;
    outcome.plot(
        "strains",
        Plot {
            title: "A sheet pressed together".to_owned(),
            x: Axis::linear("compression [%]"),
            y: Axis::linear("mean strain of edges [%]"),
            series: vec![Series::new("wrinkle mesh", fine_points), Series::new("coarse mesh", coarse_points)],
            ..Plot::default()
        },
    );
    outcome.tables.push(table);

    // A curtain that is drawn together along its rail; stiff against bending, so that it gets narrower and does not fold.
    let material = ClothMaterial {
        youngs_modulus: 2e4,
        bend_model: BendModel::Hinge,
        bending_stiffness: Some(1.0),
        ..ClothMaterial::default()
    };
    let rail = (0..=COARSE).map(|column| sheet(COARSE).vertex(column, COARSE));
    let cloth = Body::cloth(&coarse, &material)?.pin(rail);
    let mut sim = Simulation::builder().body(cloth).damping(Damping { drag: 2.0, ..Damping::default() }).build()?;
    let mut wrinkles = WrinkleMesh::new(&coarse, &fine, WrinkleParams::within(reach))?;
    // With hardly any reach a fine mesh shows where its vertices hang on the coarse one.
    let at_places = WrinkleParams { iterations: 1, most_iterations: 1, ..WrinkleParams::within(1e-12) };
    let mut carried = WrinkleMesh::new(&coarse, &fine, at_places)?;
    let mut seconds = 0.0;
    for frame in 1..=FRAMES {
        let narrower = 1.0 - 0.12 * frame as f64 / FRAMES as f64;
        sim.move_pins(|_, rest| Vec3::new(narrower * rest.x, rest.y, rest.z))?;
        seconds += sim.step()?.seconds_total;
        wrinkles.follow(sim.positions())?;
        carried.follow(sim.positions())?;
    }
    let far = wrinkles.positions().iter().zip(carried.positions()).map(|(p, a)| p.distance(*a)).fold(0.0, f64::max);
    outcome.measure("near", far / reach, "");
    let [coarse_strain, fine_strain] = [strains(&coarse, sim.positions())[1], strains(&fine, wrinkles.positions())[1]];
    outcome.measure("curtain", fine_strain / coarse_strain, format!("{fine_strain:.4} and {coarse_strain:.4}"));
    outcome.remarks.push(format!("a step of the coarse curtain takes {:.2} ms", 1e3 * seconds / FRAMES as f64));
    let row = Row {
        shapes: vec![sim.positions(), wrinkles.positions()],
        triangles: vec![&coarse.triangles, &fine.triangles],
        turn: 20.0,
        edges: false,
        size: [1200, 600],
        crease: 60.0,
    };
    outcome.pictures.push(("curtain".to_owned(), row.draw()?));
    Ok(outcome)
}
