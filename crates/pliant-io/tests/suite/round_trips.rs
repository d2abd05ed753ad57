//! Exported files read back by parsers that share no code with the writers.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::Path;

use crate::common::{FRAME_RATE, TempDir, frame, position, run, topology};
use pliant::math::Vec3;
use pliant::mesh::{PointSet, TetMesh};
use pliant_io::read::{ReadOptions, read_mesh};
use pliant_io::store::{Frame, Item, RunInfo, RunStore, Topology, UpAxis};
use pliant_io::write::{ExportError, ExportFormat, ExportOptions, Interpolation, export};
use serde_json::Value;

const FRAMES: u64 = 4;

/// Vertices that can be seen, body after body: all but those inside the solid.
fn seen(topology: &Topology) -> Vec<u32> {
    let solid = TetMesh { positions: topology.rest.clone(), tets: topology.tets.clone() };
    let skin = solid.surface().unwrap().vertices;
    let range = topology.bodies[1].vertices.clone();
    (0..topology.rest.len() as u32).filter(|v| !range.contains(&(*v as usize)) || skin.contains(v)).collect()
}

struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn take<const N: usize>(&mut self) -> [u8; N] {
        let (taken, rest) = self.0.split_at(N);
        self.0 = rest;
        taken.try_into().unwrap()
    }
}

/// Within half a unit in the last place of single precision, twice for sums.
fn assert_single(found: f32, expected: f64) {
    assert!(
        (f64::from(found) - expected).abs() <= f64::from(f32::EPSILON) * expected.abs().max(1.0),
        "{found} {expected}"
    );
}

fn text(path: &Path) -> String {
    fs::read_to_string(path).unwrap()
}

fn setup(name: &str) -> (TempDir, RunStore, Topology, Vec<u32>) {
    let dir = TempDir::new(name);
    let store = run(&dir.join("run"), FRAMES);
    let topology = topology();
    let seen = seen(&topology);
    assert_eq!(topology.rest.len() - seen.len(), 8, "the solid has eight vertices inside");
    (dir, store, topology, seen)
}

#[test]
fn npy_has_every_number_of_every_frame() {
    let (dir, store, topology, _) = setup("npy");
    let out = dir.join("all.npy");
    let written = export(&store, ExportFormat::Npy, &out, &ExportOptions::default()).unwrap();
    assert_eq!((written.frames, written.vertices), (FRAMES as usize, topology.rest.len()));
    let bytes = fs::read(&out).unwrap();
    assert_eq!(&bytes[..8], b"\x93NUMPY\x01\x00");
    let length = u16::from_le_bytes([bytes[8], bytes[9]]) as usize;
    assert_eq!((10 + length) % 64, 0);
    let header = std::str::from_utf8(&bytes[10..10 + length]).unwrap();
    assert!(header.contains(&format!("'shape': ({FRAMES}, {}, 3)", topology.rest.len())), "{header}");
    assert!(header.contains("'<f8'") && header.ends_with('\n'));
    let mut reader = Reader(&bytes[10 + length..]);
    for number in 0..FRAMES {
        for rest in &topology.rest {
            let found = Vec3::from_array([(); 3].map(|()| f64::from_le_bytes(reader.take())));
            assert_eq!(found, position(*rest, number));
        }
    }
    assert!(reader.0.is_empty());
}

#[test]
fn point_caches_hold_the_vertices_of_their_mesh() {
    let (dir, store, topology, seen) = setup("caches");
    let pc2 = export(&store, ExportFormat::Pc2, dir.join("a.pc2"), &ExportOptions::default()).unwrap();
    let mdd = export(&store, ExportFormat::Mdd, dir.join("b.mdd"), &ExportOptions::default()).unwrap();
    let bytes = fs::read(&pc2.files[0]).unwrap();
    let mut little = Reader(&bytes);
    assert_eq!(&little.take::<12>(), b"POINTCACHE2\0");
    let header = [i32::from_le_bytes(little.take()), i32::from_le_bytes(little.take())];
    assert_eq!(header, [1, seen.len() as i32]);
    assert_eq!([f32::from_le_bytes(little.take()), f32::from_le_bytes(little.take())], [0.0, 1.0]);
    assert_eq!(i32::from_le_bytes(little.take()), FRAMES as i32);
    let bytes = fs::read(&mdd.files[0]).unwrap();
    let mut big = Reader(&bytes);
    assert_eq!([i32::from_be_bytes(big.take()), i32::from_be_bytes(big.take())], [FRAMES as i32, seen.len() as i32]);
    for number in 0..FRAMES {
        assert_single(f32::from_be_bytes(big.take()), number as f64 / FRAME_RATE);
    }
    for number in 0..FRAMES {
        for &vertex in &seen {
            for expected in position(topology.rest[vertex as usize], number).to_array() {
                assert_eq!(f32::from_le_bytes(little.take()), expected as f32);
                assert_eq!(f32::from_be_bytes(big.take()), expected as f32);
            }
        }
    }
    assert!(little.0.is_empty() && big.0.is_empty());
    for mesh in [&pc2.files[1], &mdd.files[1]] {
        let text = text(mesh);
        assert_eq!(text.lines().filter(|line| line.starts_with("v ")).count(), seen.len());
        assert_eq!(
            text.lines().filter(|line| line.starts_with("o ")).count(),
            1,
            "readers keep the order of one object"
        );
    }
}

#[test]
fn obj_reads_back_as_the_same_doubles() {
    let (dir, store, topology, seen) = setup("obj");
    let options = ExportOptions { frames: Some(1..=2), ..ExportOptions::default() };
    let written = export(&store, ExportFormat::Obj, dir.join("scene.obj"), &options).unwrap();
    assert_eq!(written.files, [dir.join("scene_000001.obj"), dir.join("scene_000002.obj")]);
    let text = text(&written.files[1]);
    let lines = |key: &str| -> Vec<Vec<f64>> {
        let rows = text.lines().filter_map(|line| line.strip_prefix(key)?.strip_prefix(' '));
        rows.map(|row| row.split(' ').map(|number| number.parse().unwrap()).collect()).collect()
    };
    let positions = lines("v");
    assert_eq!(positions.len(), seen.len());
    for (found, &vertex) in positions.iter().zip(&seen) {
        assert_eq!(Vec3::from_slice(found), position(topology.rest[vertex as usize], 2));
    }
    let faces = lines("f");
    assert_eq!(faces.len(), topology.triangles.len() + 6 * 9 * 2);
    for (face, triangle) in faces.iter().zip(&topology.triangles) {
        assert_eq!(*face, triangle.map(|vertex| f64::from(vertex) + 1.0));
    }
    // Solid faces look outwards: the volume by the divergence theorem is positive.
    let corner = |vertex: &f64| topology.rest[seen[*vertex as usize - 1] as usize];
    let solid = &faces[topology.triangles.len()..];
    let volume: f64 = solid.iter().map(|f| corner(&f[0]).dot(corner(&f[1]).cross(corner(&f[2]))) / 6.0).sum();
    let expected = TetMesh { positions: topology.rest.clone(), tets: topology.tets.clone() }.volume();
    assert!((volume - expected).abs() < 1e-12 * expected.abs().max(1.0), "{volume} {expected}");
    assert_eq!(lines("l").iter().map(Vec::len).collect::<Vec<_>>(), [7, 4]);
    assert_eq!(lines("p").len(), 7);
    let names: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("o ")).collect();
    assert_eq!(names, ["cloth", "2_jelly_&_co", "ropes", "dust"]);
}

#[test]
fn ply_has_velocities_channels_faces_and_edges() {
    let (dir, store, topology, seen) = setup("ply");
    let written = export(&store, ExportFormat::Ply, dir.join("scene.ply"), &ExportOptions::default()).unwrap();
    let bytes = fs::read(&written.files[3]).unwrap();
    let end = bytes.windows(11).position(|window| window == b"end_header\n").unwrap() + 11;
    let header = std::str::from_utf8(&bytes[..end]).unwrap();
    let properties: Vec<&str> = header.lines().filter_map(|line| line.strip_prefix("property double ")).collect();
    assert_eq!(properties, ["x", "y", "z", "vx", "vy", "vz", "heat"]);
    let faces = topology.triangles.len() + 6 * 9 * 2;
    for line in [format!("element vertex {}", seen.len()), format!("element face {faces}"), "element edge 9".into()] {
        assert!(header.contains(&line), "{line} is missing in {header}");
    }
    let mut reader = Reader(&bytes[end..]);
    let expected = frame(&topology, 3);
    for &vertex in &seen {
        let [x, y, z, vx, vy, vz, heat] = [(); 7].map(|()| f64::from_le_bytes(reader.take()));
        let vertex = vertex as usize;
        assert_eq!(Vec3::new(x, y, z), expected.positions[vertex]);
        assert_eq!(Vec3::new(vx, vy, vz), expected.velocities.as_ref().unwrap()[vertex]);
        assert_eq!(heat, expected.channels[0].values[vertex]);
    }
    for face in 0..faces {
        assert_eq!(reader.take(), [3]);
        let corners = [(); 3].map(|()| u32::from_le_bytes(reader.take()));
        assert!(topology.triangles.get(face).is_none_or(|triangle| *triangle == corners));
        assert!(corners.iter().all(|corner| (*corner as usize) < seen.len()));
    }
    let start = seen.len() as u32 - 7 - 11;
    let first = [(); 2].map(|()| u32::from_le_bytes(reader.take()));
    assert_eq!(first, [start, start + 1]);
    assert_eq!(reader.0.len(), 8 * 8);
}

fn glb(path: &Path) -> (Value, Vec<u8>) {
    let bytes = fs::read(path).unwrap();
    let mut reader = Reader(&bytes);
    assert_eq!(&reader.take::<4>(), b"glTF");
    assert_eq!(u32::from_le_bytes(reader.take()), 2);
    assert_eq!(u32::from_le_bytes(reader.take()) as usize, bytes.len());
    let mut chunk = |kind: &[u8; 4]| {
        let length = u32::from_le_bytes(reader.take()) as usize;
        assert_eq!(length % 4, 0);
        assert_eq!(&reader.take::<4>(), kind);
        let (chunk, rest) = reader.0.split_at(length);
        reader.0 = rest;
        chunk.to_vec()
    };
    let scene = serde_json::from_slice(&chunk(b"JSON")).unwrap();
    let data = chunk(b"BIN\0");
    assert!(reader.0.is_empty());
    (scene, data)
}

/// The words of an accessor.
fn words(scene: &Value, data: &[u8], accessor: &Value) -> Vec<[u8; 4]> {
    let accessor = &scene["accessors"][accessor.as_u64().unwrap() as usize];
    let view = &scene["bufferViews"][accessor["bufferView"].as_u64().unwrap() as usize];
    let number = |value: &Value| value.as_u64().unwrap_or(0) as usize;
    let start = number(&view["byteOffset"]) + number(&accessor["byteOffset"]);
    let count = number(&accessor["count"]) * if accessor["type"] == "VEC3" { 3 } else { 1 };
    assert!(number(&accessor["byteOffset"]) + 4 * count <= number(&view["byteLength"]));
    data[start..start + 4 * count].chunks(4).map(|word| word.try_into().unwrap()).collect()
}

#[test]
fn glb_adds_up_to_every_frame() {
    let (dir, store, topology, seen) = setup("glb");
    let options = ExportOptions { interpolation: Interpolation::Step, ..ExportOptions::default() };
    export(&store, ExportFormat::Glb, dir.join("scene.glb"), &options).unwrap();
    let (scene, data) = glb(&dir.join("scene.glb"));
    assert_eq!(scene["buffers"][0]["byteLength"], data.len());
    assert_eq!(scene["nodes"].as_array().unwrap().len(), 4);
    let floats =
        |accessor: &Value| -> Vec<f32> { words(&scene, &data, accessor).into_iter().map(f32::from_le_bytes).collect() };
    let animation = &scene["animations"][0];
    let sampler = &animation["samplers"][0];
    assert_eq!(sampler["interpolation"], "STEP");
    let (times, weights) = (floats(&sampler["input"]), floats(&sampler["output"]));
    assert_eq!(animation["channels"].as_array().unwrap().len(), 4);
    for number in 0..FRAMES as usize {
        assert_single(times[number], number as f64 / FRAME_RATE);
        let weights = &weights[number * (FRAMES as usize - 1)..][..FRAMES as usize - 1];
        let mut vertices = seen.iter();
        for (mesh, mode) in scene["meshes"].as_array().unwrap().iter().zip([4, 4, 1, 0]) {
            let primitive = &mesh["primitives"][0];
            assert_eq!(primitive["mode"], mode);
            let mut found = floats(&primitive["attributes"]["POSITION"]);
            for (target, weight) in primitive["targets"].as_array().unwrap().iter().zip(weights) {
                let moved = floats(&target["POSITION"]);
                found.iter_mut().zip(moved).for_each(|(found, moved)| *found += weight * moved);
            }
            for found in found.chunks(3) {
                let rest = topology.rest[*vertices.next().unwrap() as usize];
                for (found, expected) in found.iter().zip(position(rest, number as u64).to_array()) {
                    assert_single(*found, expected);
                }
            }
        }
        assert_eq!(vertices.next(), None);
    }
    let corners = words(&scene, &data, &scene["meshes"][0]["primitives"][0]["indices"]);
    let corners: Vec<u32> = corners.into_iter().map(u32::from_le_bytes).collect();
    assert_eq!(corners, topology.triangles.as_flattened());
    for accessor in scene["accessors"].as_array().unwrap().iter().filter(|accessor| accessor["type"] == "VEC3") {
        assert!(accessor["min"].is_array() && accessor["max"].is_array());
    }
}

#[test]
fn a_single_frame_makes_a_glb_without_animation() {
    let (dir, store, ..) = setup("glb");
    let options = ExportOptions { frames: Some(2..=2), bodies: Some(vec!["cloth".into()]), ..ExportOptions::default() };
    export(&store, ExportFormat::Glb, dir.join("still.glb"), &options).unwrap();
    let (scene, data) = glb(&dir.join("still.glb"));
    assert!(scene.get("animations").is_none() && scene["meshes"][0].get("weights").is_none());
    assert_eq!(data.len(), 12 * 30 + 4 * 3 * 40);
}

#[test]
fn scale_and_axis_move_positions_by_a_rotation() {
    let (dir, store, topology, _) = setup("axis");
    let options = ExportOptions {
        bodies: Some(vec!["dust".into(), "cloth".into()]),
        scale: 100.0,
        up_axis: Some(UpAxis::Z),
        ..ExportOptions::default()
    };
    let written = export(&store, ExportFormat::Npy, dir.join("z.npy"), &options).unwrap();
    assert_eq!(written.vertices, 30 + 7);
    let bytes = fs::read(dir.join("z.npy")).unwrap();
    let mut reader = Reader(&bytes[bytes.len() - FRAMES as usize * 37 * 24..]);
    for vertex in (0..30).chain(topology.bodies[3].vertices.clone()) {
        let p = position(topology.rest[vertex], 0);
        let found = [(); 3].map(|()| f64::from_le_bytes(reader.take()));
        assert_eq!(found, [100.0 * p.x, -100.0 * p.z, 100.0 * p.y]);
    }
    export(&store, ExportFormat::Usda, dir.join("z.usda"), &options).unwrap();
    let text = text(&dir.join("z.usda"));
    assert!(text.contains("upAxis = \"Z\"") && text.contains("metersPerUnit = 0.01"));
    let refused = export(&store, ExportFormat::Glb, dir.join("z.glb"), &options);
    assert!(matches!(refused, Err(ExportError::UpAxis { .. })));

    // A run with z up is turned for glTF.
    let info = RunInfo { up_axis: UpAxis::Z, ..RunInfo::default() };
    let mut z_up = RunStore::create(dir.join("z"), &topology, &info).unwrap();
    z_up.write_frame(0, &frame(&topology, 0)).unwrap();
    export(&z_up, ExportFormat::Glb, dir.join("y.glb"), &ExportOptions::default()).unwrap();
    let (_, data) = glb(&dir.join("y.glb"));
    let indices = 4 * (3 * (40 + 108) + 2 * 9 + 7);
    let mut reader = Reader(&data[indices..]);
    let p = position(topology.rest[0], 0);
    for expected in [p.x, p.z, -p.y] {
        assert_single(f32::from_le_bytes(reader.take()), expected);
    }
}

#[test]
fn every_second_frame_keeps_its_number_and_its_time() {
    let (dir, store, _, seen) = setup("every");
    let options = ExportOptions { every: 2, ..ExportOptions::default() };
    let objs = export(&store, ExportFormat::Obj, dir.join("some.obj"), &options).unwrap();
    let names: Vec<_> = objs.files.iter().map(|file| file.file_name().unwrap().to_str().unwrap()).collect();
    assert_eq!(names, ["some_000000.obj", "some_000002.obj"]);
    export(&store, ExportFormat::Pc2, dir.join("some.pc2"), &options).unwrap();
    let bytes = fs::read(dir.join("some.pc2")).unwrap();
    let float = |at: usize| f32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
    assert_eq!((float(20), float(24)), (0.0, 2.0), "the first frame, and frames per sample");
    let samples = i32::from_le_bytes(bytes[28..32].try_into().unwrap());
    assert_eq!((samples, bytes.len()), (2, 32 + 2 * 12 * seen.len()));
    let none = ExportOptions { every: 0, ..ExportOptions::default() };
    let error = export(&store, ExportFormat::Obj, dir.join("none.obj"), &none).unwrap_err();
    assert!(matches!(error, ExportError::BadStride(0)), "{error}");
}

#[test]
fn what_cannot_be_exported_is_named_and_leaves_no_file() {
    let (dir, store, topology, _) = setup("refused");
    let all = ExportOptions::default();
    let refuse = |options: &ExportOptions| export(&store, ExportFormat::Npy, dir.join("no.npy"), options).unwrap_err();
    let error = refuse(&ExportOptions { bodies: Some(vec!["silk".into()]), ..all.clone() });
    assert!(error.to_string().starts_with("there is no body \"silk\"; there are \"cloth\""), "{error}");
    assert!(matches!(refuse(&ExportOptions { bodies: Some(vec![]), ..all.clone() }), ExportError::NoBodies));
    assert!(matches!(refuse(&ExportOptions { scale: -1.0, ..all.clone() }), ExportError::BadScale(_)));
    let error = refuse(&ExportOptions { frames: Some(7..=9), ..all.clone() });
    assert!(matches!(error, ExportError::NoFrames { .. }), "{error}");

    let huge = ExportOptions { scale: 1e200, ..all.clone() };
    for format in [ExportFormat::Glb, ExportFormat::Pc2, ExportFormat::Mdd, ExportFormat::Usda] {
        let error = export(&store, format, dir.join("huge.out"), &huge).unwrap_err();
        assert!(matches!(error, ExportError::OutOfRange { frame: 0, .. }), "{format}: {error}");
    }
    let still = RunStore::create(dir.join("still"), &topology, &RunInfo::default()).and_then(|mut still| {
        still.write_frame(0, &frame(&topology, 1))?;
        still.write_frame(1, &frame(&topology, 1))?;
        Ok(still)
    });
    let error = export(&still.unwrap(), ExportFormat::Glb, dir.join("still.glb"), &all).unwrap_err();
    assert!(matches!(error, ExportError::TimeOrder { frame: 1, .. }), "{error}");

    fs::write(store.path(Item::Frame(1)), b"short").unwrap();
    let store = RunStore::open(store.dir()).unwrap();
    let error = export(&store, ExportFormat::Npy, dir.join("no.npy"), &all).unwrap_err();
    assert!(matches!(error, ExportError::DamagedFrame { frame: 1, .. }), "{error}");
    let rest = ExportOptions { frames: Some(2..=3), ..all };
    assert_eq!(export(&store, ExportFormat::Npy, dir.join("some.npy"), &rest).unwrap().frames, 2);

    let mut left: Vec<String> =
        fs::read_dir(dir.path()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    left.sort();
    // The mesh of a point cache is whole by itself.
    assert_eq!(left, ["huge.obj", "run", "some.npy", "still"]);
}

#[test]
fn formats_are_found_by_their_names() {
    for format in ExportFormat::ALL {
        assert_eq!(ExportFormat::from_name(format.name()), Some(format));
        assert_eq!(ExportFormat::from_name(&format.extension().to_uppercase()), Some(format));
        assert!(!format.description().is_empty() && !format.carries().is_empty() && !format.lacks().is_empty());
    }
    assert_eq!(ExportFormat::from_name("abc"), None);
}

/// The size of a raw array is its first bytes, and those of some sizes are spaces, tabs or line ends to a reader of text.
#[test]
fn raw_arrays_of_any_length_are_read_back() {
    for count in [4, 9, 10, 12, 13, 32, 36, 1152, 1153] {
        let dir = TempDir::new("lengths");
        let points = PointSet::new((0..count).map(|i| Vec3::new(f64::from(i), 0.5, -1.0)).collect()).unwrap();
        let mut topology = Topology::default();
        topology.add_points("dust", &points);
        let mut store = RunStore::create(dir.join("run"), &topology, &RunInfo::default()).unwrap();
        store.write_frame(0, &Frame::new(0.0, points.positions.clone())).unwrap();
        let written = export(&store, ExportFormat::Vtu, dir.join("dust.pvd"), &ExportOptions::default()).unwrap();
        let file = written.files.iter().find(|file| file.extension().is_some_and(|e| e == "vtu")).unwrap();
        let read = read_mesh(file, &ReadOptions::default()).unwrap_or_else(|error| panic!("{count} points: {error}"));
        assert_eq!(read.positions, points.positions);
    }
}
