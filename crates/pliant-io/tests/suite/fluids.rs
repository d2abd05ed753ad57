//! A fluid in files: its particles, and a surface that is another mesh in every frame.
#![allow(clippy::unwrap_used)]

use pliant::math::Vec3;
use pliant::mesh::PointSet;
use pliant::mesh::generate::Sheet;
use pliant::{Emitter, FluidSurface};
use pliant_io::read::{ReadOptions, read_mesh};
use pliant_io::store::{Frame, RunInfo, RunStore, Topology};
use pliant_io::write::{ExportError, ExportFormat, ExportOptions, Fluid, FluidShape, export};

const SPACING: f64 = 0.1;

/// Two particles that part, beside a cloth.
fn run(name: &str) -> (std::path::PathBuf, RunStore) {
    let dir = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&dir);
    let mut topology = Topology::default();
    topology.add_surface("cloth", &Sheet { columns: 1, rows: 1, ..Sheet::default() }.mesh().unwrap());
    topology.add_points("water", &PointSet::new(vec![Vec3::ZERO, Vec3::X * 0.05]).unwrap());
    let mut store = RunStore::create(&dir, &topology, &RunInfo::default()).unwrap();
    for number in 0..3 {
        let mut positions = topology.rest.clone();
        positions[5].x += f64::from(number as u32);
        let velocities = vec![Vec3::ZERO; positions.len()];
        store.write_frame(number, &Frame::new(number as f64 / 60.0, positions).with_velocities(velocities)).unwrap();
    }
    (dir, store)
}

fn options(fluid_shape: FluidShape, pipe: Option<Emitter>) -> ExportOptions {
    let fluids = vec![Fluid { body: "water".to_owned(), surface: FluidSurface::new(SPACING), pipe }];
    ExportOptions { fluids, fluid_shape, ..ExportOptions::default() }
}

#[test]
fn one_drop_becomes_two_in_files_of_frames() {
    let (dir, store) = run("fluid-frames");
    for (format, name) in [(ExportFormat::Obj, "water.obj"), (ExportFormat::Ply, "water.ply")] {
        let written = export(&store, format, dir.join(name), &options(FluidShape::Surface, None)).unwrap();
        let drops = |file: &std::path::Path| {
            let mesh = read_mesh(file, &ReadOptions::default()).unwrap().triangle_mesh().unwrap();
            // The cloth is a piece of its own.
            mesh.components().count - 1
        };
        let found: Vec<usize> = written.files.iter().map(|file| drops(file)).collect();
        assert_eq!(found, [1, 2, 2], "{format}");
    }
}

#[test]
fn usd_has_faces_for_each_frame_and_particles_beside_the_surface() {
    let (dir, store) = run("fluid-usd");
    let path = dir.join("water.usda");
    export(&store, ExportFormat::Usda, &path, &options(FluidShape::Both, None)).unwrap();
    let text = std::fs::read_to_string(path).unwrap();
    assert!(text.contains("def Mesh \"water_surface\"") && text.contains("def Points \"water\""));
    let surface = &text[text.find("water_surface").unwrap()..];
    let faces = &surface[surface.find("faceVertexCounts.timeSamples").unwrap()..];
    let samples = faces.lines().skip(1).take_while(|line| !line.contains('}')).count();
    assert_eq!(samples, 3);
}

#[test]
fn what_is_in_a_pipe_has_no_surface() {
    let (dir, store) = run("fluid-pipe");
    // All of it, in the first frame.
    let pipe = Emitter { mouth: Vec3::X * 0.5, direction: Vec3::X, radius: 0.2, speed: 1.0, duration: 1.0 };
    let path = dir.join("water.usda");
    export(&store, ExportFormat::Usda, &path, &options(FluidShape::Surface, Some(pipe))).unwrap();
    let text = std::fs::read_to_string(path).unwrap();
    let counts = text.match_indices("faceVertexCounts.timeSamples").last().unwrap().0;
    assert!(text[counts..].lines().nth(1).unwrap().contains("0: []"), "no face in frame 0");
    assert!(!text.contains("inf"), "extents are numbers");
}

#[test]
fn formats_of_one_mesh_refuse_the_surface_and_take_the_particles() {
    let (dir, store) = run("fluid-refused");
    for format in [ExportFormat::Glb, ExportFormat::Npy, ExportFormat::Pc2, ExportFormat::Mdd] {
        let path = dir.join("water").with_extension(format.extension());
        let error = export(&store, format, &path, &options(FluidShape::Both, None)).unwrap_err();
        assert!(matches!(error, ExportError::ChangingFluid { .. }), "{error}");
        assert!(error.to_string().contains("\"water\"") && error.to_string().contains("obj, ply, vtu or usda"));
        export(&store, format, &path, &options(FluidShape::Particles, None)).unwrap();
    }
}
