//! Colliders, texture coordinates and normals in glTF and USD, read by the file format's own rules and by other people's readers.
#![allow(clippy::unwrap_used)]

use std::path::Path;
use std::process::Command;

use crate::common::{TempDir, python};
use pliant::collide::{Collider, Key, Pose, Shape};
use pliant::math::Vec3;
use pliant::mesh::generate::{Icosphere, Sheet};
use pliant_io::store::{Frame, RunInfo, RunStore, Topology};
use pliant_io::write::{ColliderSurface, ExportError, ExportFormat, ExportOptions, TextureCoordinates, export};
use serde_json::Value;

/// Frames of the run, at 60 frames per second.
const FRAMES: u64 = 3;

/// A ball that grows, so that its normals point away from its centre; a sheet with a seam in its texture; a collider that
/// stands and one that moves by 1 m per second.
fn setup(dir: &Path) -> (RunStore, ExportOptions) {
    let ball = Icosphere { radius: 0.5, subdivisions: 1 }.mesh().unwrap();
    let sheet = Sheet { columns: 1, rows: 1, ..Sheet::default() }.mesh().unwrap();
    let mut topology = Topology::default();
    topology.add_surface("ball", &ball);
    topology.add_surface("sheet", &sheet);
    let mut store = RunStore::create(dir.join("run"), &topology, &RunInfo::default()).unwrap();
    for number in 0..FRAMES {
        let positions: Vec<Vec3> = topology.rest.iter().map(|p| *p * (1.0 + number as f64)).collect();
        let velocities = vec![Vec3::X; positions.len()];
        store.write_frame(number, &Frame::new(number as f64 / 60.0, positions).with_velocities(velocities)).unwrap();
    }
    // The two triangles of the sheet are apart in the plane.
    let textures = vec![TextureCoordinates {
        body: "sheet".to_owned(),
        corners: vec![[[0.0, 0.0], [0.25, 0.0], [0.25, 0.5]], [[0.5, 0.0], [0.75, 0.5], [0.5, 0.5]]],
    }];
    let surface = |name: &str, collider: Collider, is_moving| {
        let (positions, triangles) =
            (vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z], vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]);
        ColliderSurface { name: name.to_owned(), collider, positions, triangles, is_moving }
    };
    let key = |time: f64| Key { time, pose: Pose { position: Vec3::X * time, ..Pose::default() } };
    let still = Collider::new(Shape::Sphere { radius: 1.0 }).at(Vec3::Y);
    let moving = Collider::new(Shape::Sphere { radius: 1.0 }).moving(vec![key(0.0), key(1.0)]);
    let colliders = vec![surface("still", still, false), surface("moving", moving, true)];
    (store, ExportOptions { textures, colliders, normals: true, ..ExportOptions::default() })
}

/// The scene and the numbers of a binary glTF file.
fn glb(path: &Path) -> (Value, Vec<u8>) {
    let bytes = std::fs::read(path).unwrap();
    let length = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
    assert_eq!((length(8), length(8) % 4), (bytes.len(), 0));
    let text = length(12);
    assert_eq!(length(20 + text) + 28 + text, bytes.len());
    (serde_json::from_slice(&bytes[20..20 + text]).unwrap(), bytes[28 + text..].to_vec())
}

fn floats(scene: &Value, data: &[u8], accessor: &Value) -> Vec<f32> {
    let accessor = &scene["accessors"][accessor.as_u64().unwrap() as usize];
    let view = &scene["bufferViews"][accessor["bufferView"].as_u64().unwrap() as usize];
    let number = |value: &Value| value.as_u64().unwrap_or(0) as usize;
    let width = match accessor["type"].as_str().unwrap() {
        "VEC3" => 3,
        "VEC2" => 2,
        _ => 1,
    };
    let (start, count) =
        (number(&view["byteOffset"]) + number(&accessor["byteOffset"]), width * number(&accessor["count"]));
    assert!(number(&accessor["byteOffset"]) + 4 * count <= number(&view["byteLength"]));
    assert!(number(&view["byteOffset"]) + number(&view["byteLength"]) <= data.len());
    data[start..start + 4 * count].chunks(4).map(|word| f32::from_le_bytes(word.try_into().unwrap())).collect()
}

#[test]
fn gltf_has_normals_texture_coordinates_and_colliders() {
    let dir = TempDir::new("extras");
    let (store, options) = setup(dir.path());
    let path = dir.path().join("scene.glb");
    export(&store, ExportFormat::Glb, &path, &options).unwrap();
    let (scene, data) = glb(&path);
    let names: Vec<&str> =
        scene["nodes"].as_array().unwrap().iter().map(|node| node["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["ball", "sheet", "still", "moving"]);
    let primitive = |mesh: usize| &scene["meshes"][mesh]["primitives"][0];
    let read = |accessor: &Value| floats(&scene, &data, accessor);
    // Normals of a ball are radial, before and after it has grown.
    let ball = primitive(0);
    let positions = read(&ball["attributes"]["POSITION"]);
    let mut normals = read(&ball["attributes"]["NORMAL"]);
    let turned = read(&ball["targets"][1]["NORMAL"]);
    for _ in 0..2 {
        for (p, n) in positions.chunks(3).zip(normals.chunks(3)) {
            let (p, n) =
                (Vec3::new(p[0].into(), p[1].into(), p[2].into()), Vec3::new(n[0].into(), n[1].into(), n[2].into()));
            assert!((n.length() - 1.0).abs() < 1e-6 && n.dot(p.normalize()) > 0.995, "{p} {n}");
        }
        normals.iter_mut().zip(&turned).for_each(|(n, t)| *n += t);
    }
    // The corners of the seam are there twice, and v is down.
    let sheet = primitive(1);
    let texture = read(&sheet["attributes"]["TEXCOORD_0"]);
    assert_eq!(texture, [0.0, 1.0, 0.25, 1.0, 0.25, 0.5, 0.5, 1.0, 0.75, 0.5, 0.5, 0.5]);
    let corners = read(&sheet["attributes"]["POSITION"]);
    assert_eq!((corners.len(), corners[0..3] == corners[9..12]), (18, true));
    assert!(ball["attributes"].get("TEXCOORD_0").is_none());
    // What stands has no targets; what moves is where its keys say.
    assert!(primitive(2).get("targets").is_none() && scene["meshes"][2].get("weights").is_none());
    assert_eq!(read(&primitive(2)["attributes"]["POSITION"])[0..3], [0.0, 1.0, 0.0]);
    let moved = read(&primitive(3)["targets"][1]["POSITION"]);
    assert!(moved.chunks(3).all(|p| (f64::from(p[0]) - 2.0 / 60.0).abs() < 1e-6 && p[1] == 0.0), "{moved:?}");
    let channels = scene["animations"][0]["channels"].as_array().unwrap();
    assert_eq!(channels.iter().map(|c| c["target"]["node"].as_u64().unwrap()).collect::<Vec<_>>(), [0, 1, 3]);
    // Without them a file is what it was.
    let plain = dir.path().join("plain.glb");
    export(&store, ExportFormat::Glb, &plain, &ExportOptions::default()).unwrap();
    let (scene, _) = glb(&plain);
    assert!(scene["meshes"][0]["primitives"][0]["attributes"].get("NORMAL").is_none());
    assert_eq!(scene["nodes"].as_array().unwrap().len(), 2);
}

#[test]
fn formats_without_them_refuse_colliders_textures_and_normals() {
    let dir = TempDir::new("extras-refused");
    let (store, options) = setup(dir.path());
    for format in ExportFormat::ALL {
        let result = export(&store, format, dir.path().join(format!("scene.{}", format.extension())), &options);
        match format {
            ExportFormat::Glb | ExportFormat::Usda => assert!(result.is_ok(), "{format}"),
            _ => assert!(matches!(result, Err(ExportError::Extras { format: own }) if own == format), "{format}"),
        }
    }
}

#[test]
fn independent_readers_see_normals_texture_coordinates_and_colliders() {
    let dir = TempDir::new("extras-python");
    let (store, options) = setup(dir.path());
    for format in [ExportFormat::Glb, ExportFormat::Usda] {
        export(&store, format, dir.path().join(format!("scene.{}", format.extension())), &options).unwrap();
    }
    let Some(python) = python() else { return };
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/python/check_extras.py");
    let output = Command::new(python).arg(script).arg(dir.path()).output().unwrap();
    println!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success());
}
