//! [Liu 2013, Figure 1 and Table 1]: a dress on a dancing mannequin, of whose 488 ms a frame 476 were collision.
//!
//! The dress of the Berkeley Garment Library and the mannequin of ARCSim, 16 rigid parts with a motion of 716 frames, are not part of this
//! project: they are looked for in `$PLIANT_DATA`.

use std::path::PathBuf;
use std::time::Instant;

use pliant::collide::{Key, Pose, SolidMesh};
use pliant::mesh::Bounds;
use pliant::prelude::*;
use pliant::proximity::{Primitives, intersections};
use pliant_io::read::{ReadOptions, UpAxis, read_mesh, read_motion};
use pliant_picture::plot::{Axis, Plot, Series};

use crate::picture::Row;
use crate::{Bound, Criterion, Experiment, Kind, Outcome, ReproduceError, Size, Table};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "liu2013-dress",
    figure: "Liu 2013, Figure 1 and Table 1 (dress)",
    claim: "Clothing of a moving character is simulated fast; of 488 ms a frame the paper spent 476 ms on collision",
    criteria: &[
        Criterion {
            name: "depth",
            statement: "deepest place of a vertex in the body at the end of any frame, over the contact thickness",
            bound: Bound::AtMost(1.0),
            kind: Kind::Shape,
        },
        Criterion {
            name: "crossings",
            statement: "edges that pass through triangles of the dress at the end of any frame, the most",
            bound: Bound::AtMost(0.0),
            kind: Kind::Shape,
        },
        Criterion {
            name: "frame",
            statement: "mean time of a frame, over the paper's 488 ms",
            bound: Bound::AtMost(0.1),
            kind: Kind::Timing,
        },
        Criterion {
            name: "collision",
            statement: "share of finding and keeping apart (not of solving) in the time of a frame; the paper's is 0.975",
            bound: Bound::Below(0.975),
            kind: Kind::Timing,
        },
    ],
    measure,
};

/// Frames of the motion in a second.
const RATE: f64 = 30.0;
const PARTS: usize = 16;
const DRESS: &str = "garment/dress_victor_draped_4.6k.obj";
/// Distance to the body at which contact begins, and that layers keep \[m\].
const THICKNESS: f64 = 3e-3;
const LAYERS: f64 = 1e-3;

fn measure(size: Size) -> Result<Outcome, ReproduceError> {
    let data = Data::find()?;
    let (mut sim, triangles, all) = data.world()?;
    let frames = size.pick(all - 1, 12);
    let mut outcome = Outcome::default();
    outcome.choose(format!(
        "the draped dress of the Berkeley Garment Library ({} vertices; printed: 3505) and ARCSim's dancing mannequin",
        sim.positions().len()
    ));
    outcome.choose(format!(
        "one step of 1/30 s a frame, 10 iterations (printed: 20) in one round or more; {} mm from the body and {} mm between layers, \
         friction 0.3",
        1e3 * THICKNESS,
        1e3 * LAYERS
    ));
    let primitives = Primitives::new(sim.model().bodies());
    let columns = ["frame", "time [ms]", "solver [ms]", "collision [ms]", "contacts", "layers", "held", "depth [mm]"];
    let mut table = Table::new("frames", &columns);
    let (mut deepest, mut crossings, mut shown) = (0.0_f64, 0, Vec::new());
    for frame in 1..=frames {
        let begun = Instant::now();
        let report = sim.step()?;
        let total = begun.elapsed().as_secs_f64();
        let solver = report.solve.seconds_local + report.solve.seconds_global;
        let depth = depth(&sim);
        deepest = depth.max(deepest);
        crossings = crossings.max(intersections(&primitives, sim.positions()).len());
        let (pressing, held) = report.self_collision.map_or((0, 0), |layers| (layers.contacts, layers.held));
        let counts = [report.solve.contacts, pressing, held].map(|count| count as f64);
        table.push(
            [&[frame as f64, 1e3 * total, 1e3 * solver, 1e3 * (total - solver)], &counts[..], &[1e3 * depth]].concat(),
        );
        if (4 * frame) % frames < 4 {
            shown.push((sim.positions().to_vec(), body(&sim)));
        }
    }
    let mean = |column: usize| table.rows.iter().map(|(_, row)| row[column]).sum::<f64>() / frames as f64;
    let (time, solver, collision) = (mean(1), mean(2), mean(3));
    outcome.measure("depth", deepest / THICKNESS, format!("{:.2} mm", 1e3 * deepest));
    outcome.measure("crossings", crossings as f64, format!("{frames} frames"));
    let note = format!("{time:.1} ms: {solver:.1} ms solver, {collision:.1} ms collision, setup not included");
    outcome.measure("frame", time / 488.0, note);
    outcome.measure("collision", collision / time, "");
    let line = |name: &str, column: usize| {
        Series::new(name, table.rows.iter().map(|(_, row)| [row[0], row[column]]).collect())
    };
    let plot = Plot {
        title: "Time of a frame".to_owned(),
        x: Axis::linear("frame"),
        y: Axis::linear("time [ms]"),
        series: vec![line("solver", 2), line("collision", 3)],
        ..Plot::default()
    };
    outcome.plot("time", plot);
    outcome.tables.push(table);
    // Dress and body are one shape, so that they stand together.
    let joined: Vec<(Vec<Vec3>, Vec<[u32; 3]>)> =
        shown.iter().map(|(dress, body)| join(dress, &triangles, body)).collect();
    let row = Row {
        shapes: joined.iter().map(|(positions, _)| &positions[..]).collect(),
        triangles: joined.iter().map(|(_, triangles)| &triangles[..]).collect(),
        turn: 0.0,
        edges: false,
        size: [1400, 560],
        crease: 60.0,
    };
    outcome.pictures.push(("frames".to_owned(), row.draw()?));
    Ok(outcome)
}

struct Data(PathBuf);

impl Data {
    fn find() -> Result<Self, ReproduceError> {
        // Beside the repository, seen from its root or, in tests, from a crate.
        let beside = || ["../shared/data", "../../../shared/data"].map(PathBuf::from).to_vec();
        let folders = std::env::var_os("PLIANT_DATA").map_or_else(beside, |folder| vec![PathBuf::from(folder)]);
        let found = folders.iter().find(|folder| folder.join(DRESS).is_file());
        found.map(|folder| Self(folder.clone())).ok_or_else(|| ReproduceError::NoData { path: folders[0].join(DRESS) })
    }

    /// The world, the triangles of the dress, and the number of frames.
    fn world(&self) -> Result<(Simulation, Vec<[u32; 3]>, usize), ReproduceError> {
        let options = ReadOptions { up_axis: UpAxis::Z, ..ReadOptions::default() };
        let parts = self.0.join("mannequin_female");
        let motion = read_motion(parts.join("dance-paused.mot"), &options)?;
        let mut builder = Simulation::builder().time_step(1.0 / RATE).solver(ProjectiveParams::default());
        for (part, poses) in motion.parts.iter().take(PARTS).enumerate() {
            let mesh = read_mesh(parts.join(format!("body{part:04}.obj")), &options)?.triangle_mesh()?;
            let keys =
                poses.iter().enumerate().map(|(frame, pose)| Key { time: frame as f64 / RATE, pose: placed(pose) });
            let solid = SolidMesh::new(&mesh).map_err(|error| self.unusable(&format!("part {part}"), &error))?;
            let collider = Collider::new(Shape::Mesh(solid)).moving(keys.collect());
            builder = builder.collider(collider.friction(0.3).thickness(THICKNESS).named(format!("part {part}")));
        }
        let dress = read_mesh(self.0.join(DRESS), &options)?;
        let flat =
            dress.material_coordinates.as_ref().ok_or_else(|| self.unusable("dress", &"it has no flat pieces"))?;
        let pieces: Vec<_> = (0..dress.triangles.len()).map(|triangle| flat.triangle(triangle)).collect();
        let mesh = dress.triangle_mesh()?;
        // With the bending that the numbers of the page were measured with.
        let material = ClothMaterial {
            youngs_modulus: 5e5,
            thickness: 5e-4,
            density: 0.2,
            bend_model: BendModel::MeanCurvature,
            ..ClothMaterial::default()
        };
        let layers = SelfCollision { thickness: LAYERS, friction: 0.3, least_rounds: 1, ..SelfCollision::default() };
        let clock = Instant::now();
        let builder = builder.clock(pliant::Clock::new(move || clock.elapsed().as_secs_f64()));
        let sim = builder.body(Body::garment(&mesh, &pieces, &material)?).self_collision(layers).build()?;
        let frames = motion.parts.first().map_or(0, Vec::len);
        Ok((sim, mesh.triangles, frames))
    }

    fn unusable(&self, what: &str, why: &dyn std::fmt::Display) -> ReproduceError {
        ReproduceError::BadData { path: self.0.clone(), reason: format!("{what}: {why}") }
    }
}

/// The dress was draped on the mannequin turned by −90° about the vertical and lowered by 1 m.
fn placed(pose: &Pose) -> Pose {
    let turn = Quat::from_rotation_y(-std::f64::consts::FRAC_PI_2);
    Pose { position: turn * pose.position - Vec3::Y, rotation: (turn * pose.rotation).normalize() }
}

/// How deep the deepest vertex is in the body \[m\]; 0 where none is inside.
fn depth(sim: &Simulation) -> f64 {
    let mut deepest = 0.0_f64;
    for collider in sim.colliders() {
        let (Shape::Mesh(solid), pose) = (collider.shape(), collider.pose(sim.time())) else { continue };
        // What is outside of the box around a part is not inside of it.
        let Some(bounds) = Bounds::around(solid.surface().0) else { continue };
        let local = sim.positions().iter().map(|p| pose.to_local(*p));
        let inside = local.filter(|p| p.cmpge(bounds.min).all() && p.cmple(bounds.max).all());
        deepest = inside.fold(deepest, |deepest, p| deepest.max(-collider.shape().nearby(p).distance));
    }
    deepest
}

/// The parts of the body as they stand now.
fn body(sim: &Simulation) -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let mut whole: (Vec<Vec3>, Vec<[u32; 3]>) = Default::default();
    for collider in sim.colliders() {
        if let Shape::Mesh(solid) = collider.shape() {
            let ((positions, triangles), pose) = (solid.surface(), collider.pose(sim.time()));
            let moved: Vec<Vec3> = positions.iter().map(|p| pose.to_world(*p)).collect();
            whole = join(&whole.0, &whole.1, &(moved, triangles.to_vec()));
        }
    }
    whole
}

fn join(first: &[Vec3], triangles: &[[u32; 3]], second: &(Vec<Vec3>, Vec<[u32; 3]>)) -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let offset = first.len() as u32;
    let moved = second.1.iter().map(|triangle| triangle.map(|v| v + offset));
    ([first, &second.0].concat(), triangles.iter().copied().chain(moved).collect())
}
