//! Files written by other people's programs, if `PLIANT_PYTHON` names a Python that has them
//! (see `tests/python/requirements.txt`; `./test` sets it up).
#![allow(clippy::unwrap_used)]

use std::path::Path;
use std::process::Command;

use crate::common::{TempDir, python, real_meshes};
use pliant::math::Vec3;
use pliant_io::read::{ImportedMesh, ReadOptions, read_mesh};
use serde_json::Value;

fn numbers<const N: usize>(path: &Path) -> Vec<[u32; N]> {
    let bytes = std::fs::read(path).unwrap();
    let words: Vec<u32> = bytes.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)).collect();
    words.as_chunks::<N>().0.to_vec()
}

fn vectors(path: &Path) -> Vec<Vec3> {
    let bytes = std::fs::read(path).unwrap();
    let words: Vec<f64> = bytes.as_chunks::<8>().0.iter().map(|word| f64::from_le_bytes(*word)).collect();
    words.as_chunks::<3>().0.iter().map(|v| Vec3::from_array(*v)).collect()
}

/// The largest difference of a coordinate.
fn largest_difference(found: &[Vec3], wanted: &[Vec3]) -> f64 {
    assert_eq!(found.len(), wanted.len());
    found.iter().zip(wanted).fold(0.0, |worst, (a, b)| worst.max((*a - *b).abs().max_element()))
}

/// The places of the corners of triangles: all that a format without shared vertices has.
fn corners(positions: &[Vec3], triangles: &[[u32; 3]]) -> Vec<Vec3> {
    triangles.iter().flatten().map(|&vertex| positions[vertex as usize]).collect()
}

fn check(folder: &Path, entry: &Value) -> Result<f64, String> {
    let path = |key: &str| folder.join(entry[key].as_str().unwrap());
    let (positions, triangles, tets) =
        (vectors(&path("positions")), numbers::<3>(&path("triangles")), numbers::<4>(&path("tets")));
    let lines: Vec<Vec<u32>> = serde_json::from_value(entry["lines"].clone()).unwrap();
    let found: ImportedMesh = read_mesh(path("file"), &ReadOptions::default()).map_err(|error| error.to_string())?;
    let same = |what: &str, found: usize, wanted: usize| {
        if found == wanted { Ok(()) } else { Err(format!("{found} {what}, not {wanted}")) }
    };
    same("triangles", found.triangles.len(), triangles.len())?;
    same("tets", found.tets.len(), tets.len())?;
    let difference = if entry["soup"] == true {
        largest_difference(&corners(&found.positions, &found.triangles), &corners(&positions, &triangles))
    } else {
        same("vertices", found.positions.len(), positions.len())?;
        if found.triangles != triangles || found.tets != tets {
            return Err("the elements have other vertices".to_owned());
        }
        if found.polylines != lines {
            return Err(format!("lines {:?}, not {lines:?}", found.polylines));
        }
        largest_difference(&found.positions, &positions)
    };
    if difference <= entry["tolerance"].as_f64().unwrap() {
        Ok(difference)
    } else {
        Err(format!("a position is off by {difference}"))
    }
}

#[test]
fn what_independent_writers_write_is_read_with_every_vertex_and_element() {
    let Some(python) = python() else { return };
    let folder = TempDir::new("writers");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/python/write_meshes.py");
    let output = Command::new(python).arg(script).arg(folder.path()).args(real_meshes()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let manifest = std::fs::read_to_string(folder.path().join("manifest.json")).unwrap();
    let manifest: Vec<Value> = serde_json::from_str(&manifest).unwrap();
    let mut failed = Vec::new();
    for entry in &manifest {
        let name = entry["file"].as_str().unwrap();
        match check(folder.path(), entry) {
            Ok(difference) => println!("{name}: largest difference {difference:e}"),
            Err(message) => failed.push(format!("{name}: {message}")),
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
    assert!(manifest.len() >= 40, "only {} files were written", manifest.len());
}
