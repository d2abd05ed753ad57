//! Solids made of particles that fill a closed surface, which goes with them.
#![allow(clippy::unwrap_used)]

use std::path::PathBuf;

use pliant::math::{Quat, Vec3};
use pliant::mesh::TriangleMesh;
use pliant::mesh::generate::Icosphere;
use pliant::mesh::sdf::SurfaceDistance;
use pliant::prelude::*;
use pliant::{Lattice, Octree};
use pliant_io::read::{ReadOptions, read_mesh};
use pliant_io::store::{RunInfo, RunStore};
use pliant_io::write::{ExportFormat, ExportOptions, export, visible_bodies};
use pliant_scene::format::Quantity;
use pliant_scene::{Scene, SceneRun};

const BALL: &str = r#"
[world]
gravity = [0, -10, 0]
[solver.position-based]
iterations = 3
[[body]]
name = "ball"
shape.icosphere = { radius = 0.25, subdivisions = 3 }
material.matched = { density = 1000, regions = { REGIONS }, frequency = 5, limit = 0.2 }
pin = [{ select = { box = { min = [-1, 0.15, -1], max = [1, 1, 1] } } }]
"#;

fn build(regions: &str, overrides: &[&str]) -> SceneRun {
    let overrides: Vec<String> = overrides.iter().map(|&text| text.to_owned()).collect();
    Scene::parse("ball.toml", &BALL.replace("REGIONS", regions), &overrides).unwrap().build().unwrap()
}

fn ball() -> TriangleMesh {
    Icosphere { radius: 0.25, subdivisions: 3 }.mesh().unwrap()
}

fn farthest(a: &[Vec3], b: &[Vec3]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).fold(0.0, |most, (a, b)| most.max(a.distance(*b)))
}

/// The same world without a scene.
fn in_the_engine(body: Body, regions: Regions) -> Simulation {
    let matching = Matching { spring: Spring::Frequency(5.0), limit: Some(0.2), ..Matching::new(regions) };
    let pinned = |p: Vec3| p.y >= 0.15;
    let solver = PositionBasedParams { iterations: 3, ..PositionBasedParams::default() };
    let world = Simulation::builder().body(body.with_matching(matching).pin_where(pinned)).solver(solver);
    world.gravity(Vec3::NEG_Y * 10.0).time_step(1.0 / 60.0).build().unwrap()
}

#[test]
fn lattices_and_octrees_of_scenes_move_as_those_of_the_engine_do() {
    let solid = SurfaceDistance::new(&ball()).unwrap();
    let lattice = Lattice::fill_centred(&solid, 0.06).unwrap();
    let octree = Octree::fill(&solid, 0.125, 2, |cell, distance| distance.abs() <= cell.size).unwrap();
    // The mass is that of what the surface encloses.
    let volume = ball().volume().unwrap();
    let density = |sizes: &[f64]| 1000.0 * volume / sizes.iter().map(|size| size.powi(3)).sum::<f64>();
    let cubes = vec![0.06; lattice.cells().len()];
    let sizes: Vec<f64> = octree.cells().iter().map(|cell| cell.size).collect();
    for (regions, mut engine) in [
        ("lattice = { spacing = 0.06, width = 2 }", in_the_engine(lattice.body(density(&cubes)), lattice.regions(2))),
        (
            "octree = { size = 0.125, levels = 2, width = 0.13 }",
            in_the_engine(octree.body(density(&sizes)), octree.regions(0.13).unwrap()),
        ),
    ] {
        let mut run = build(regions, &[]);
        for _ in 0..20 {
            run.next_frame().unwrap();
            engine.step().unwrap();
        }
        let mass: f64 = run.sim.model().mass().lumped().iter().sum();
        assert!((mass - 1000.0 * volume).abs() < 1e-9, "{mass}");
        assert!(farthest(run.sim.positions(), engine.positions()) < 1e-12, "{regions}");
        assert!(farthest(run.sim.positions(), run.sim.model().rest()) > 0.01, "it hangs from its top: {regions}");
    }
    let (least, most) =
        sizes.into_iter().fold((f64::INFINITY, 0.0_f64), |(least, most), size| (least.min(size), most.max(size)));
    assert!(most > 1.9 * least, "cells are of several sizes: {least} to {most} m");
}

fn fresh_folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("pliant-filled-{name}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

fn obj(mesh: &TriangleMesh) -> String {
    let vertices: String = mesh.positions.iter().map(|p| format!("v {:?} {:?} {:?}\n", p.x, p.y, p.z)).collect();
    let faces = mesh.triangles.iter().map(|[a, b, c]| format!("f {} {} {}\n", a + 1, b + 1, c + 1));
    vertices + &faces.collect::<String>()
}

#[test]
fn a_file_s_surface_is_filled_and_is_what_exports_show() {
    let (folder, ball) = (fresh_folder("export"), ball());
    std::fs::write(folder.join("ball.obj"), obj(&ball)).unwrap();
    let text = BALL.replace("shape.icosphere = { radius = 0.25, subdivisions = 3 }", r#"shape.file.path = "ball.obj""#);
    std::fs::write(folder.join("scene.toml"), text.replace("REGIONS", "lattice = { spacing = 0.06, width = 2 }"))
        .unwrap();
    let mut run = Scene::read(&folder.join("scene.toml"), &[]).unwrap().build().unwrap();
    let own = run.sim.positions().len();
    assert_eq!(run.topology().vertex_count(), own + ball.positions.len());
    let mut store = RunStore::create(folder.join("run"), run.topology(), &RunInfo::default()).unwrap();
    store.write_frame(0, &run.stored_frame()).unwrap();
    (0..30).for_each(|_| drop(run.next_frame().unwrap()));
    store.write_frame(1, &run.stored_frame()).unwrap();

    let visible = visible_bodies(run.topology()).unwrap();
    assert_eq!(
        (visible[0].vertices.len(), visible[0].points.len(), visible[0].segments.len()),
        (ball.positions.len(), 0, 0)
    );
    let written = export(&store, ExportFormat::Obj, folder.join("out.obj"), &ExportOptions::default()).unwrap();
    let read = |file: usize| read_mesh(&written.files[file], &ReadOptions::default()).unwrap();
    let (first, last) = (read(0), read(1));
    assert_eq!(first.triangles, ball.triangles);
    assert!(farthest(&first.positions, &ball.positions) < 1e-12, "at rest it is the file's");
    let lowest = |points: &[Vec3]| points.iter().map(|p| p.y).fold(f64::INFINITY, f64::min);
    let sagged = lowest(&last.positions);
    let particles = lowest(run.sim.positions());
    // It hangs at rest, a tenth of a metre longer than it is.
    assert!(sagged < -0.27 && sagged > -0.4, "{sagged}");
    assert!(particles - sagged > 0.005 && particles - sagged < 0.06, "{sagged} below {particles}");
    let usd = export(&store, ExportFormat::Usda, folder.join("out.usda"), &ExportOptions::default()).unwrap();
    assert_eq!(usd.vertices, ball.positions.len());
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn cells_stand_along_the_axes_of_a_shape_that_is_scaled_turned_and_moved() {
    let text = r#"
[solver.position-based]
[[body]]
name = "die"
shape.box = { size = [0.4, 0.2, 0.2], cells = [2, 1, 1] }
transform = { scale = 2, rotate = { axis = [0, 0, 1], degrees = 30 }, translate = [1, 2, 3] }
material.matched = { density = 500, regions.lattice = { spacing = 0.1, width = 1 } }
velocity = [3, 0, 0]
spin = [0, 0, 2]
"#;
    let mut run = Scene::parse("die.toml", text, &["world.gravity=[0, 0, 0]".into()]).unwrap().build().unwrap();
    let rest = run.sim.model().rest().to_vec();
    assert_eq!(rest.len(), 8 * 4 * 4, "spacings are metres of the world");
    let mass: f64 = run.sim.model().mass().lumped().iter().sum();
    assert!((mass - 500.0 * 0.8 * 0.4 * 0.4).abs() < 1e-9, "{mass}");
    let turn = Quat::from_rotation_z(30f64.to_radians());
    let local = |p: Vec3| turn.conjugate() * (p - Vec3::new(1.0, 2.0, 3.0));
    let corner = rest.iter().fold(Vec3::ZERO, |most, p| most.max(local(*p)));
    assert!(corner.distance(Vec3::new(0.35, 0.15, 0.15)) < 1e-12, "half a cell within the box: {corner}");
    let frame = run.stored_frame();
    assert!(farthest(&frame.positions[rest.len()..], &run.topology().rest[rest.len()..]) < 1e-12);
    let v = frame.velocities.as_ref().unwrap();
    for (velocity, p) in v[rest.len()..].iter().zip(&frame.positions[rest.len()..]) {
        let expected = Vec3::new(3.0, 0.0, 0.0) + (2.0 * Vec3::Z).cross(*p - Vec3::new(1.0, 2.0, 3.0));
        assert!(velocity.distance(expected) < 1e-9, "{velocity} at {p}");
    }
    (0..30).for_each(|_| drop(run.next_frame().unwrap()));
    // It flies on, turns and keeps its shape: the surface is at rest but for a rigid movement.
    let (now, at_rest) = (run.stored_frame().positions.to_vec(), &run.topology().rest);
    let sides = run.topology().triangles.iter().map(|t| [now[t[0] as usize], now[t[1] as usize]]);
    let sides = sides.zip(run.topology().triangles.iter().map(|t| [at_rest[t[0] as usize], at_rest[t[1] as usize]]));
    let worst = sides
        .fold(0.0_f64, |most, (now, rest)| most.max((now[0].distance(now[1]) / rest[0].distance(rest[1]) - 1.0).abs()));
    let (centre, stretch) = (run.measure(Quantity::CentreX, None), run.measure(Quantity::MaxStretch, None));
    assert!(worst < 0.02 && (centre - 2.5).abs() < 1e-9, "{worst} at {centre}");
    assert!(stretch > 1.0 && stretch < 1.03, "links are measured: {stretch}");
}

#[test]
fn a_resumed_run_shows_the_same_surface_to_the_bit() {
    let regions = "lattice = { spacing = 0.08, width = 1 }";
    let mut whole = build(regions, &[]);
    (0..5).for_each(|_| drop(whole.next_frame().unwrap()));
    let saved = whole.save();
    (0..5).for_each(|_| drop(whole.next_frame().unwrap()));
    let mut resumed = build(regions, &[]);
    resumed.restore(&saved).unwrap();
    (0..5).for_each(|_| drop(resumed.next_frame().unwrap()));
    assert_eq!(whole.stored_frame().positions, resumed.stored_frame().positions);
    assert_eq!(whole.stored_frame().velocities, resumed.stored_frame().velocities);
}

#[test]
fn a_lattice_that_breaks_shows_its_particles_and_counts_its_pieces() {
    let bar = |degrees: f64| {
        let text = format!(
            r#"
[world]
gravity = [0, 0, 0]
[solver.position-based]
[[body]]
name = "bar"
shape.box = {{ size = [1.0, 0.2, 0.2], cells = [2, 1, 1] }}
transform.rotate = {{ axis = [0, 0, 1], degrees = {degrees} }}
material.matched = {{ density = 1000, toughness = 0.2, regions.lattice = {{ spacing = 0.1, width = 1, surface = false }} }}
"#
        );
        Scene::parse("bar.toml", &text, &[]).unwrap().build().unwrap()
    };
    let broken = [0.0, 45.0].map(|degrees| {
        let mut run = bar(degrees);
        assert_eq!((run.topology().triangles.len(), run.measure(Quantity::Pieces, None)), (0, 1.0));
        // Its halves fly apart.
        let along = Quat::from_rotation_z(f64::to_radians(degrees)) * Vec3::X;
        let rest = run.sim.model().rest();
        let apart: Vec<Vec3> = rest.iter().map(|p| along * 8.0 * p.dot(along).signum()).collect();
        run.sim.set_velocities(&apart).unwrap();
        (0..10).for_each(|_| drop(run.next_frame().unwrap()));
        (run.measure(Quantity::Pieces, None), run.sim.pieces("bar").unwrap())
    });
    assert_eq!(broken[0], broken[1], "also where it stands turned");
    let most = broken[0].1.iter().max().copied().unwrap();
    assert!(most > 0 && broken[0].0 == f64::from(most) + 1.0, "{broken:?}");
}

#[test]
fn lattices_keep_apart_and_keep_their_volume() {
    let text = r#"
[world]
gravity = [0, 0, 0]
[solver.position-based]
[self_collision]
thickness = 0.04
[[body]]
name = "left"
shape.box = { size = [0.2, 0.2, 0.2], cells = [1, 1, 1] }
transform = { translate = [-0.2, 0, 0] }
material.matched = { density = 1000, regions.lattice = { spacing = 0.05, width = 1 }, volume = {} }
velocity = [1, 0, 0]
[[body]]
name = "right"
shape.like = { body = "left" }
transform = { translate = [0.2, 0.03, 0.02] }
material.matched = { density = 1000, regions.lattice = { spacing = 0.05, width = 1 } }
velocity = [-1, 0, 0]
"#;
    let mut run = Scene::parse("two.toml", text, &[]).unwrap().build().unwrap();
    let enclosed = |run: &SceneRun| {
        ["left", "right"].map(|name| {
            let triangles = run.sim.body(name).unwrap().surface.clone();
            TriangleMesh { positions: run.sim.positions().to_vec(), triangles }.volume().unwrap()
        })
    };
    let before = enclosed(&run);
    let mut changes = [0.0_f64; 2];
    for _ in 0..30 {
        run.next_frame().unwrap();
        let now = enclosed(&run);
        (0..2).for_each(|k| changes[k] = changes[k].max((now[k] / before[k] - 1.0).abs()));
    }
    let crossed = run.measure(Quantity::Intersections, None);
    let [left, right] = ["left", "right"].map(|name| run.measure(Quantity::CentreX, Some(name)));
    assert!(left < -0.07 && right > 0.07 && crossed == 0.0, "they meet and do not pass: {left}, {right}, {crossed}");
    assert!(changes[0] < 2e-3 && changes[1] > 5.0 * changes[0], "only the left one keeps its volume: {changes:?}");
}

#[test]
fn pieces_are_refused_kept_or_left_out() {
    // Two balls that touch nothing.
    let twins = r#"
[solver.position-based]
[[body]]
name = "twins"
shape.sdf = { cells = 12, pieces = "all", solid.union.of = [{ sphere = { centre = [-0.4, 0, 0], radius = 0.2 } }, { sphere = { centre = [0.3, 0, 0], radius = 0.25 } }] }
material.matched = { density = 1000, regions = { REGIONS } }
"#;
    for regions in ["lattice = { spacing = 0.05, width = 1", "octree = { size = 0.1, levels = 1, width = 0.12"] {
        let build = |pieces: &str| {
            let text = twins.replace("REGIONS", &format!("{regions}{pieces} }}"));
            Scene::parse("twins.toml", &text, &[]).unwrap().build()
        };
        let refused = build("").map(drop).unwrap_err().to_string();
        assert!(refused.contains("the solid falls into 2 pieces") && refused.contains("pieces = \"all\""), "{refused}");
        let (all, one) = (build(", pieces = \"all\"").unwrap(), build(", pieces = \"largest\"").unwrap());
        assert_eq!((all.measure(Quantity::Pieces, None), one.measure(Quantity::Pieces, None)), (2.0, 1.0));
        let (most, left) = (all.sim.positions().len(), one.sim.positions().len());
        assert!(left < most && 2 * left > most && one.sim.positions().iter().all(|p| p.x > 0.0), "{left} of {most}");
    }
}

#[test]
fn what_cannot_be_filled_is_refused_at_its_key() {
    let lattice = "lattice = { spacing = 0.06, width = 2 }";
    let octree = "octree = { size = 0.125, levels = 2, width = 0.13 }";
    let key = |key: &str| format!("body.0.material.matched.regions.{key}");
    let (ring, open, flat) = (
        "body.0.shape={ torus = { major_radius = 0.02, minor_radius = 0.005, major_segments = 16, minor_segments = 8 } }",
        "body.0.shape={ cylinder = { radius = 0.2, height = 1, segments = 16, rings = 4 } }",
        "body.0.shape={ rope = { from = [0, 0, 0], to = [1, 0, 0], segments = 4 } }",
    );
    for (regions, change, expected) in [
        (lattice, key("lattice.spacing=0"), "spacing is 0, but must be finite and positive"),
        (lattice, key("lattice.spacing=nan"), "spacing is nan, which is not a number"),
        (lattice, key("lattice.spacing=-1"), "spacing is -1, but must be finite and positive"),
        (lattice, key("lattice.spacing=1e-4"), "too many vertices: about 125000000000"),
        (lattice, key("lattice.spacing=1e-40"), "too many vertices"),
        (lattice, key("lattice.width=0"), "width is 0, but must be at least 1"),
        (lattice, ring.into(), "spacing is 0.06, so that no cell has its middle inside"),
        (octree, "body.0.shape.icosphere.radius=-1".into(), "radius is -1"),
        (octree, key("octree.size=0"), "size is 0, but must be finite and positive"),
        (octree, key("octree.levels=17"), "number of levels of regions is 17, but must be at most 16"),
        (octree, key("octree.levels=12"), "too many vertices"),
        (octree, key("octree.width=0"), "width is 0, but must be finite and positive"),
        (octree, key("octree.width=0.01"), "width is 0.01, but a particle has its nearest neighbour"),
        (octree, key("octree.detail=nan"), "detail is nan, which is not a number"),
        (lattice, open.into(), "the surface is open: 32 of its edges"),
        (octree, flat.into(), "fills a surface, which this shape does not have"),
        (lattice, "body.0.material.matched.density=0".into(), "density is 0, but must be finite and positive"),
        (lattice, "body.0.material.matched.toughness=0.1".into(), "a surface does not break with the particles"),
        (octree, "body.0.material.matched.volume={}".into(), "no surface that encloses a volume"),
        (lattice, "body.0.material.matched.modes={ quadratic = 0.5 }".into(), "regions in lists"),
        (lattice, key("lattice.radius=1"), "radius"),
    ] {
        let text = BALL.replace("REGIONS", regions);
        let built = |scene: Scene| scene.with_most_vertices(100_000).build().map(drop);
        let found = Scene::parse("ball.toml", &text, std::slice::from_ref(&change)).and_then(built);
        let Err(found) = found else { panic!("{change} is not refused") };
        assert!(found.to_string().contains(expected), "{change}: {found}");
        assert!(found.place.is_some(), "{change}: {found}");
    }
}

#[test]
fn cells_as_large_as_the_body_are_refused_with_both_sizes() {
    for regions in [
        "lattice = { spacing = 0.6, width = 1 }",
        "lattice = { spacing = 1e12, width = 1 }",
        "octree = { size = 0.6, levels = 0, width = 1 }",
    ] {
        let scene = Scene::parse("ball.toml", &BALL.replace("REGIONS", regions), &[]).unwrap();
        let error = scene.build().map(|_| ()).unwrap_err();
        assert!(error.message.contains("which makes one particle of a body that is 0.5 m long"), "{error}");
        let at = regions.split(" = ").nth(2).and_then(|rest| rest.split(',').next()).unwrap();
        assert!(error.message.contains(&format!("is {} m", at.parse::<f64>().unwrap())), "{error}");
        assert_eq!(error.place.map(|(line, _)| line), Some(9), "{error}");
    }
}
