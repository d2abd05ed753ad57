//! A surface from a file rides along on the tets that fill it.
#![allow(clippy::unwrap_used)]

use std::path::{Path, PathBuf};

use pliant::math::Vec3;
use pliant::mesh::TriangleMesh;
use pliant::mesh::generate::Icosphere;
use pliant_io::read::{ReadOptions, read_mesh};
use pliant_io::store::{RunInfo, RunStore};
use pliant_io::write::{ExportFormat, ExportOptions, export};
use pliant_scene::format::Quantity;
use pliant_scene::{Scene, SceneRun};

/// A fresh folder with a ball as OBJ and a scene that fills it.
fn folder(name: &str) -> (PathBuf, TriangleMesh) {
    let folder = std::env::temp_dir().join(format!("pliant-riding-{name}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    let ball = Icosphere { radius: 0.5, subdivisions: 3 }.mesh().unwrap();
    let vertices: String = ball.positions.iter().map(|p| format!("v {:?} {:?} {:?}\n", p.x, p.y, p.z)).collect();
    let faces = ball.triangles.iter().map(|[a, b, c]| format!("f {} {} {}\n", a + 1, b + 1, c + 1));
    std::fs::write(folder.join("ball.obj"), vertices + &faces.collect::<String>()).unwrap();
    let scene = r#"
[[body]]
name = "line"
shape.rope = { from = [1, 1, 0], to = [2, 1, 0], segments = 4 }
material.strand = { preset = "cord" }
[[body]]
name = "ball"
shape.file = { path = "ball.obj", content = "fill", cells = 6 }
transform = { translate = [0, 2, 0] }
material.solid = { preset = "jelly" }
pin = [{ select = { side = "top" } }]
[[body]]
name = "block"
shape.box = { size = [0.2, 0.2, 0.2], cells = [1, 1, 1] }
material.solid = { preset = "jelly" }
"#;
    std::fs::write(folder.join("scene.toml"), scene).unwrap();
    (folder, ball)
}

fn build(folder: &Path) -> SceneRun {
    Scene::read(&folder.join("scene.toml"), &[]).unwrap().build().unwrap()
}

#[test]
fn the_file_s_surface_is_what_exports_show_and_it_follows_the_tets() {
    let (folder, ball) = folder("export");
    let mut run = build(&folder);
    let mut store = RunStore::create(folder.join("run"), run.topology(), &RunInfo::default()).unwrap();
    store.write_frame(0, &run.stored_frame()).unwrap();
    for _ in 0..20 {
        run.next_frame().unwrap();
    }
    store.write_frame(1, &run.stored_frame()).unwrap();

    let bodies = Some(vec!["ball".to_owned()]);
    let options = ExportOptions { bodies, ..ExportOptions::default() };
    let written = export(&store, ExportFormat::Obj, folder.join("ball.obj"), &options).unwrap();
    let read = |file: &Path| read_mesh(file, &ReadOptions::default()).unwrap();
    let (first, last) = (read(&written.files[0]), read(&written.files[1]));
    assert_eq!(first.triangles, ball.triangles);
    for (found, expected) in first.positions.iter().zip(&ball.positions) {
        assert!(found.distance(*expected + 2.0 * Vec3::Y) < 1e-12, "at rest it is the file's");
    }
    // It hangs from its top: below, it has sagged as the tets have.
    let lowest = |points: &[Vec3]| points.iter().map(|p| p.y).fold(f64::INFINITY, f64::min);
    let tets = lowest(run.sim.body_positions("ball").unwrap());
    assert!(lowest(&last.positions) < 1.45 && (lowest(&last.positions) - tets).abs() < 0.02, "{tets}");

    // Formats with tets carry both.
    let solid = export(&store, ExportFormat::Vtu, folder.join("ball.pvd"), &options).unwrap();
    let own = run.sim.body("ball").unwrap().vertices.len();
    assert_eq!(solid.vertices, own + ball.positions.len());
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn the_simulated_vertices_of_a_stored_frame_are_found_among_the_others() {
    let (folder, ball) = folder("simulated");
    let mut run = build(&folder);
    for _ in 0..3 {
        run.next_frame().unwrap();
    }
    let frame = run.stored_frame();
    assert_eq!(frame.positions.len(), run.sim.positions().len() + ball.positions.len());
    assert_eq!(run.simulated(&frame.positions).unwrap(), run.sim.positions());
    assert_eq!(run.simulated(frame.velocities.as_deref().unwrap()).unwrap(), run.sim.velocities());
    assert_eq!(run.simulated(&frame.positions[1..]), None);
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn stretches_and_values_are_those_of_the_tets_also_where_a_surface_rides_along() {
    let (folder, _) = folder("stretches");
    let mut run = build(&folder);
    let grown: Vec<Vec3> = run.sim.positions().iter().map(|p| 1.25 * *p).collect();
    run.sim.set_state(&grown, &vec![Vec3::ZERO; grown.len()]).unwrap();
    for quantity in [Quantity::MaxStretch, Quantity::MeanStretch, Quantity::MinStretch] {
        let value = run.measure(quantity, None);
        assert!((value - 1.25).abs() < 1e-12, "{quantity:?} {value}");
    }
    // A number that is linear in space is carried to the surface as it is there.
    let heights: Vec<f64> = run.sim.positions().iter().map(|p| p.y).collect();
    let frame = run.stored_frame();
    for (found, position) in run.stored(&heights).iter().zip(frame.positions.iter()) {
        assert!((found - position.y).abs() < 1e-12, "{found} at {position}");
    }
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_resumed_run_stores_the_same_frames_to_the_bit() {
    let (folder, _) = folder("resume");
    let mut whole = build(&folder);
    for _ in 0..4 {
        whole.next_frame().unwrap();
    }
    let saved = whole.save();
    for _ in 0..4 {
        whole.next_frame().unwrap();
    }
    let mut resumed = build(&folder);
    resumed.restore(&saved).unwrap();
    for _ in 0..4 {
        resumed.next_frame().unwrap();
    }
    let bits = |run: &SceneRun| -> Vec<[u64; 3]> {
        let frame = run.stored_frame();
        frame
            .positions
            .iter()
            .chain(frame.velocities.iter().flat_map(|v| v.iter()))
            .map(|p| p.to_array().map(f64::to_bits))
            .collect()
    };
    assert_eq!(bits(&whole), bits(&resumed));
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_fine_surface_of_a_signed_distance_rides_along_on_coarse_tets() {
    let text = r#"
[[body]]
name = "ball"
shape.sdf = { cells = 5, surface_cells = 16, solid.sphere.radius = 1 }
material.solid = {}
velocity = [3, 0, 0]
"#;
    let mut run = Scene::parse("ball.toml", text, &["world.gravity=[0, 0, 0]".into()]).unwrap().build().unwrap();
    let own = run.sim.positions().len();
    assert!(run.topology().vertex_count() > 4 * own, "{own}");
    for _ in 0..30 {
        run.next_frame().unwrap();
    }
    let (frame, moved) = (run.stored_frame(), 1.5 * Vec3::X);
    for (found, rest) in frame.positions[own..].iter().zip(&run.topology().rest[own..]) {
        assert!((rest.length() - 1.0).abs() < 0.01, "the surface is the sphere's, {} from its centre", rest.length());
        // The linear solve is in f32.
        assert!(found.distance(*rest + moved) < 1e-6, "and moves as the solid does");
    }
}
