//! [Bender 2014, Figure 20]: spheres of matched surfaces under a plate, with and without conservation of their volume.

use std::f64::consts::PI;

use pliant::VolumeConservation;
use pliant::collide::{Key, Pose};
use pliant::mesh::PointSet;
use pliant::mesh::generate::Icosphere;
use pliant::prelude::*;
use pliant_picture::plot::{Axis, Plot, Series};

use crate::picture::Row;
use crate::{Bound, Criterion, Experiment, Kind, Outcome, ReproduceError, Size, Table};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "bender2014-fig20",
    figure: "Bender 2014, Figure 20",
    claim: "A sphere that is squeezed by a plate loses 0.6 % of its volume with global conservation, 0.7 % with local conservation, 40 % without",
    criteria: &[
        Criterion {
            name: "global",
            statement: "global conservation: largest loss of volume [%]",
            bound: Bound::Below(1.0),
            kind: Kind::Shape,
        },
        Criterion {
            name: "distances",
            statement: "local conservation with distances: largest loss of volume [%]",
            bound: Bound::Below(1.0),
            kind: Kind::Shape,
        },
        Criterion {
            name: "local",
            statement: "local conservation without distances: largest loss of volume [%]",
            bound: Bound::Below(1.0),
            kind: Kind::Shape,
        },
        Criterion {
            name: "none",
            statement: "no conservation: largest loss of volume [%]",
            bound: Bound::AtLeast(20.0),
            kind: Kind::Shape,
        },
        Criterion {
            name: "steady",
            statement: "largest gain of volume with conservation [%]",
            bound: Bound::Below(1.0),
            kind: Kind::Shape,
        },
    ],
    measure,
};

const RADIUS: f64 = 0.5;
/// Where the plate ends, above the floor \[m\].
const HEIGHT: f64 = 0.45;
const FRAMES: usize = 90;
const ITERATIONS: usize = 10;

/// What a sphere is called, and how it keeps its volume.
fn spheres() -> [(&'static str, Option<VolumeConservation>); 4] {
    let with = |local, distances| Some(VolumeConservation { local, distances, ..VolumeConservation::default() });
    [("global", with(0.0, 0.0)), ("distances", with(1.0, 0.5)), ("local", with(1.0, 0.0)), ("none", None)]
}

fn measure(size: Size) -> Result<Outcome, ReproduceError> {
    let mesh = Icosphere { radius: RADIUS, subdivisions: size.pick(4, 3) }.mesh()?;
    let at_rest = mesh.volume()?;
    let mut outcome = Outcome::default();
    outcome.choose(format!(
        "radius {RADIUS} m, {} vertices, 1 kg; balanced regions of radius {RADIUS} m at 8 Hz, damping 8/s; {ITERATIONS} iterations at 60 Hz",
        mesh.positions.len()
    ));
    outcome.choose(format!("the plate goes down to {HEIGHT} m above the floor in 1 s and stays there for 0.5 s"));
    let mut table = Table::new("volumes", &["time [s]", "global", "distances", "local", "none"]);
    let mut rows = vec![vec![0.0; 5]; FRAMES];
    let (mut ends, mut series, mut gain) = (Vec::new(), Vec::new(), 0.0_f64);
    for (k, (name, volume)) in spheres().into_iter().enumerate() {
        let mut sim = squeezed(&mesh, volume)?;
        let (mut loss, mut points) = (0.0_f64, Vec::new());
        for row in &mut rows {
            sim.step()?;
            let surface = TriangleMesh { positions: sim.positions().to_vec(), triangles: mesh.triangles.clone() };
            let lost = 100.0 * (1.0 - surface.volume()? / at_rest);
            loss = loss.max(lost);
            if volume.is_some() {
                gain = gain.max(-lost);
            }
            (row[0], row[k + 1]) = (sim.time(), 100.0 - lost);
            points.push([sim.time(), 100.0 - lost]);
        }
        let wide = sim.positions().iter().fold(0.0_f64, |most, p| most.max(p.x.hypot(p.z)));
        outcome.measure(name, loss, format!("{wide:.2} m from its axis to its rim at the end"));
        series.push(Series::new(name, points));
        ends.push(sim.positions().to_vec());
    }
    outcome.measure("steady", gain, "");
    rows.into_iter().for_each(|row| table.push(row));
    outcome.tables.push(table);
    outcome.plot(
        "volumes",
        Plot {
            title: "Spheres under a plate".to_owned(),
            x: Axis::linear("time [s]"),
            y: Axis::linear("volume [%]"),
            series,
            ..Plot::default()
        },
    );
    let row = Row {
        shapes: ends.iter().map(Vec::as_slice).collect(),
        triangles: vec![&mesh.triangles],
        turn: 0.0,
        edges: true,
        size: [1400, 420],
        crease: 60.0,
    };
    outcome.pictures.push(("spheres".to_owned(), row.draw()?));
    Ok(outcome)
}

/// A sphere between the floor and a plate that comes down.
fn squeezed(mesh: &TriangleMesh, volume: Option<VolumeConservation>) -> Result<Simulation, ReproduceError> {
    let regions = Regions::balanced(&mesh.positions, RADIUS)?;
    let matching =
        Matching { spring: Spring::Frequency(8.0), damping: 8.0, limit: None, volume, ..Matching::new(regions) };
    let points = PointSet { positions: mesh.positions.clone() };
    let ball = Body::points(&points, 1.0 / mesh.positions.len() as f64)
        .with_surface(mesh.triangles.clone())
        .with_matching(matching);
    let down = |time, height| Key {
        time,
        pose: Pose { position: Vec3::Y * (height - RADIUS), rotation: Quat::from_rotation_x(PI) },
    };
    let plate = Collider::new(Shape::Plane).moving(vec![down(0.0, 2.0 * RADIUS), down(1.0, HEIGHT)]);
    let floor = Collider::new(Shape::Plane).at(Vec3::NEG_Y * RADIUS);
    let solver = PositionBasedParams { iterations: ITERATIONS, ..PositionBasedParams::default() };
    Ok(Simulation::builder().body(ball).collider(floor).collider(plate).solver(solver).build()?)
}
