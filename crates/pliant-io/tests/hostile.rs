//! Damaged, cut and random files are read or refused; they never panic, hang or take memory beyond their size.
#![allow(clippy::unwrap_used)]

mod samples;

use std::sync::{LazyLock, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use peak_alloc::PeakAlloc;
use pliant_io::read::{MeshFormat, ReadOptions, read_mesh_from_bytes};
use proptest::prelude::*;
use samples::{Holds, Sample, base64, gzip, samples, zlib};

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// Memory is measured for the whole process, so that only one test at a time may take any.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

fn alone() -> MutexGuard<'static, ()> {
    ONE_AT_A_TIME.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

static SAMPLES: LazyLock<Vec<Sample>> = LazyLock::new(samples);

const MAX_BYTES: u64 = 1 << 20;

/// Reads bytes as a sample's format and holds time and memory against their number.
fn survive(sample: &Sample, bytes: &[u8], _alone: &MutexGuard<'_, ()>) {
    let options = ReadOptions { max_bytes: MAX_BYTES, max_elements: 1 << 16, ..ReadOptions::default() };
    MEMORY.reset_peak_usage();
    let (before, start) = (MEMORY.current_usage(), Instant::now());
    let result = sample.read(bytes, &options);
    let used = MEMORY.peak_usage().saturating_sub(before);
    // What is packed may unfold up to the limit, and half as much again while the vector grows.
    let allowed = 4 * MAX_BYTES as usize + 200 * bytes.len();
    assert!(used < allowed, "{}: {used} bytes for a file of {}", sample.name, bytes.len());
    assert!(start.elapsed() < Duration::from_secs(5), "{}: {:?}", sample.name, start.elapsed());
    match result {
        Ok(mesh) => {
            let count = mesh.positions.len() as u32;
            let corners = mesh
                .triangles
                .iter()
                .flatten()
                .chain(mesh.tets.iter().flatten())
                .chain(mesh.polylines.iter().flatten());
            assert!(corners.copied().all(|vertex| vertex < count), "{}", sample.name);
            assert!(mesh.positions.iter().all(|position| position.is_finite()), "{}", sample.name);
            if let Some(material) = mesh.material_coordinates {
                assert_eq!(material.corners.len(), mesh.triangles.len());
                assert!(material.corners.iter().flatten().all(|&point| (point as usize) < material.points.len()));
            }
        }
        Err(error) => assert!(!error.file.is_empty() && error.to_string().len() < 1000, "{error}"),
    }
}

#[test]
fn every_cut_of_every_sample_is_survived() {
    let alone = alone();
    for sample in SAMPLES.iter() {
        for length in 0..sample.bytes.len() {
            survive(sample, &sample.bytes[..length], &alone);
        }
    }
}

#[test]
fn every_byte_may_be_any_of_the_worst() {
    let alone = alone();
    for sample in SAMPLES.iter() {
        let mut bytes = sample.bytes.clone();
        for at in 0..bytes.len() {
            let kept = bytes[at];
            for worst in [0, b'9', b'-', 0xff, b'\n'] {
                bytes[at] = worst;
                survive(sample, &bytes, &alone);
            }
            bytes[at] = kept;
        }
    }
}

#[test]
fn numbers_may_become_huge_or_absurd() {
    let alone = alone();
    for sample in SAMPLES.iter() {
        let starts = (0..sample.bytes.len()).filter(|&i| sample.bytes[i].is_ascii_digit());
        for at in starts {
            let end = at + sample.bytes[at..].iter().take_while(|b| b.is_ascii_digit()).count();
            for absurd in ["1000000000", "18446744073709551615", "-1", "1e400", "nan", ""] {
                let damaged = [&sample.bytes[..at], absurd.as_bytes(), &sample.bytes[end..]].concat();
                survive(sample, &damaged, &alone);
            }
        }
    }
}

/// Files whose cost could grow faster than their size.
#[test]
fn time_grows_no_faster_than_size() {
    let alone = alone();
    let file = |name, bytes: Vec<u8>| Sample { name, bytes, companions: Vec::new(), holds: Holds::All };
    let vertices: String = (0..2000).map(|i| format!("v {} {} {}\n", i % 7, i * i % 11, i % 3)).collect();
    // One huge face, and many of the largest that are cut with care.
    let huge: String = (0..50_000).map(|i| format!(" {}", i % 2000 + 1)).collect();
    let zigzag: String = (0..64).map(|i| format!(" {}", i * 31 % 2000 + 1)).collect();
    let faces = format!("f{zigzag}\n").repeat(500);
    let sections = "$A\n$EndA\n".repeat(20_000);
    // Little data that stands for much, used many times.
    let bomb = zlib(&vec![0; 900_000]);
    let header: Vec<u8> = [1, 900_000, 0, bomb.len() as u32].into_iter().flat_map(u32::to_le_bytes).collect();
    let array = "<Points><DataArray type='Float64' format='appended' offset='0'/></Points>".repeat(2000);
    let vtu = format!(
        "<VTKFile type='UnstructuredGrid' compressor='vtkZLibDataCompressor'><UnstructuredGrid>\
         <Piece NumberOfPoints='0' NumberOfCells='0'>{array}</Piece></UnstructuredGrid>\
         <AppendedData encoding='base64'>_{}{}</AppendedData></VTKFile>",
        base64(&header),
        base64(&bomb)
    );
    let gltf = SAMPLES.iter().find(|sample| sample.name == "embedded.gltf").unwrap();
    let primitives = "{\"attributes\":{\"POSITION\":0},\"indices\":1,\"mode\":0},".repeat(20_000);
    let gltf =
        String::from_utf8_lossy(&gltf.bytes).replace("\"primitives\":[", &format!("\"primitives\":[{primitives}"));
    for sample in [
        file("huge.obj", format!("{vertices}f{huge}\n").into_bytes()),
        file("zigzag.obj", format!("{vertices}{faces}").into_bytes()),
        file("continued.obj", b"v 0 0 0 \\\n".repeat(20_000)),
        file("sections.msh", format!("$MeshFormat\n4.1 0 8\n$EndMeshFormat\n{sections}").into_bytes()),
        file("unclosed.vtu", b"<!-- <VTKFile ".repeat(20_000)),
        file("bomb.vtu", vtu.into_bytes()),
        file("many.gltf", gltf.into_bytes()),
        file("empty.ply", b"ply\nformat ascii 1.0\nelement nothing 4000000000\nend_header\n".to_vec()),
        file("deep.gltf", b"[".repeat(100_000)),
    ] {
        survive(&sample, &sample.bytes, &alone);
    }
}

/// Damage: an index into the file (as a share of its length), and what to do there.
#[derive(Clone, Debug)]
enum Damage {
    Set(u8),
    Remove(usize),
    Repeat(usize),
    Swap(usize),
}

fn damage() -> impl Strategy<Value = (prop::sample::Index, Damage)> {
    let kind = prop_oneof![
        any::<u8>().prop_map(Damage::Set),
        (1..40_usize).prop_map(Damage::Remove),
        (1..200_usize).prop_map(Damage::Repeat),
        (1..40_usize).prop_map(Damage::Swap),
    ];
    (any::<prop::sample::Index>(), kind)
}

fn apply(bytes: &mut Vec<u8>, place: &prop::sample::Index, damage: &Damage) {
    if bytes.is_empty() {
        return;
    }
    let at = place.index(bytes.len());
    let end = |length: usize| (at + length).min(bytes.len());
    match *damage {
        Damage::Set(value) => bytes[at] = value,
        Damage::Remove(length) => drop(bytes.drain(at..end(length))),
        Damage::Repeat(length) => {
            let copy = bytes[at..end(length)].to_vec();
            bytes.splice(at..at, copy);
        }
        Damage::Swap(length) => {
            let other = end(length) - 1;
            bytes.swap(at, other);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn damaged_files_are_survived(damages in prop::collection::vec(damage(), 1..6), packed in any::<bool>()) {
        let alone = alone();
        for sample in SAMPLES.iter() {
            let mut bytes = sample.bytes.clone();
            damages.iter().for_each(|(place, damage)| apply(&mut bytes, place, damage));
            survive(sample, &if packed { gzip(&bytes) } else { bytes }, &alone);
        }
    }

    #[test]
    fn random_bytes_are_survived(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let _alone = alone();
        let options = ReadOptions { max_bytes: MAX_BYTES, ..ReadOptions::default() };
        for format in MeshFormat::ALL {
            let options = ReadOptions { format: Some(format), ..options.clone() };
            let _ = read_mesh_from_bytes("random", &bytes, &options);
        }
        let _ = read_mesh_from_bytes("random", &bytes, &options);
        let _ = read_mesh_from_bytes("random", &[&[0x1f, 0x8b, 8], bytes.as_slice()].concat(), &options);
    }
}

/// Two million corners would be two million triangles around one vertex: minutes for whatever comes next.
#[test]
fn a_face_of_two_million_corners_is_refused_with_its_place() {
    let _alone = alone();
    let count = 2_000_000;
    let angle = |k: usize| std::f64::consts::TAU * k as f64 / count as f64;
    let vertices = |prefix: &str| -> String {
        (0..count).map(|k| format!("{prefix}{:.5} {:.5} 0\n", angle(k).cos(), angle(k).sin())).collect()
    };
    let corners = |first: usize| -> String { (first..first + count).map(|k| format!(" {k}")).collect() };
    let header = format!(
        "ply\nformat ascii 1.0\nelement vertex {count}\nproperty float x\nproperty float y\nproperty float z\n\
         element face 1\nproperty list int int vertex_indices\nend_header\n"
    );
    let polydata = format!("# vtk DataFile Version 3.0\nface\nASCII\nDATASET POLYDATA\nPOINTS {count} double\n");
    let polygons = format!("POLYGONS 1 {}\n{count}{}\n", count + 1, corners(0));
    for (name, text, place) in [
        ("face.obj", format!("{}f{}\n", vertices("v "), corners(1)), format!("line {}", count + 1)),
        ("face.ply", format!("{header}{}{count}{}\n", vertices(""), corners(0)), format!("line {}", count + 10)),
        ("face.vtk", format!("{polydata}{}{polygons}", vertices("")), "at cell 0".to_owned()),
    ] {
        let error = read_mesh_from_bytes(name, text.as_bytes(), &ReadOptions::default()).unwrap_err();
        let message = "a face has 2000000 corners, but must have at most 10000";
        assert_eq!(error.to_string(), format!("{name} {place}: {message}"));
    }
    // The largest that is read.
    let ring: String = (0..10_000).map(|k| format!("v {k} {} 0\n", k * k)).collect();
    let face: String = (1..=10_000).map(|k| format!(" {k}")).collect();
    let mesh = read_mesh_from_bytes("ring.obj", format!("{ring}f{face}\n").as_bytes(), &ReadOptions::default());
    assert_eq!(mesh.unwrap().triangles.len(), 9_998);
}

#[test]
#[cfg(unix)]
fn folders_pipes_and_devices_are_no_meshes() {
    let _alone = alone();
    let folder = std::env::temp_dir().join(format!("pliant-io-pipe-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let pipe = folder.join("pipe.obj");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status().unwrap();
    assert!(made.success());
    for (path, what) in
        [("/dev/zero", "a device"), (folder.to_str().unwrap(), "a folder"), (pipe.to_str().unwrap(), "a pipe")]
    {
        let expected = format!("{path}: is {what}, but must be a file");
        assert_eq!(pliant_io::read::read_mesh(path, &ReadOptions::default()).unwrap_err().to_string(), expected);
        assert_eq!(pliant_io::read::read_motion(path, &ReadOptions::default()).unwrap_err().to_string(), expected);
    }
    std::fs::remove_dir_all(&folder).unwrap();
}
