//! Exported files read by other people's programs, if `PLIANT_PYTHON` names a Python that has them
//! (see `tests/python/requirements.txt`; `./test` sets it up).
#![allow(clippy::unwrap_used)]

use std::path::Path;
use std::process::Command;

use crate::common::{FRAME_RATE, TempDir, frame, info, position, python, real_meshes, run, topology};
use pliant::math::Vec3;
use pliant_io::read::{ReadOptions, read_mesh};
use pliant_io::store::{Frame, RunStore, Topology};
use pliant_io::write::{ExportFormat, ExportOptions, export};
use serde_json::json;

#[test]
fn independent_readers_see_every_position() {
    let Some(python) = python() else { return };
    let frames = 5;
    let kept = std::env::var_os("PLIANT_KEEP_EXPORTS");
    let temporary = TempDir::new("python");
    let dir = kept.as_deref().map_or_else(|| temporary.path(), Path::new);
    let store = run(&dir.join("run"), frames);
    for format in ExportFormat::ALL {
        let out = dir.join(format!("{0}/scene.{1}", format.name(), format.extension()));
        export(&store, format, out, &ExportOptions::default()).unwrap();
    }
    let some = |names: &[&str]| {
        let bodies = names.iter().map(|name| (*name).to_owned()).collect();
        ExportOptions { bodies: Some(bodies), ..ExportOptions::default() }
    };
    export(&store, ExportFormat::Ply, dir.join("ply/cloth.ply"), &some(&["cloth"])).unwrap();
    for format in [ExportFormat::Pc2, ExportFormat::Mdd] {
        let out = dir.join(format!("{format}/meshes.{format}"));
        export(&store, format, out, &some(&["cloth", "2 jelly & co", "ropes"])).unwrap();
    }
    let topology = topology();
    let all: Vec<_> = (0..frames).map(|number| frame(&topology, number)).collect();
    let vectors = |list: &[Vec3]| list.iter().map(|v| v.to_array()).collect::<Vec<_>>();
    let bodies: Vec<_> = topology.bodies.iter().map(|b| json!([b.name, b.vertices.start, b.vertices.end])).collect();
    let expected = json!({
        "frame_rate": FRAME_RATE,
        "times": all.iter().map(|frame| frame.time).collect::<Vec<_>>(),
        "positions": all.iter().map(|frame| vectors(&frame.positions)).collect::<Vec<_>>(),
        "velocities": all.iter().map(|frame| vectors(frame.velocities.as_ref().unwrap())).collect::<Vec<_>>(),
        "channels": all[4].channels.iter().map(|c| (c.name.clone(), json!(c.values))).collect::<serde_json::Map<_, _>>(),
        "triangles": topology.triangles,
        "tets": topology.tets,
        "polylines": topology.polylines.rows().collect::<Vec<_>>(),
        "bodies": bodies,
    });
    std::fs::write(dir.join("expected.json"), expected.to_string()).unwrap();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/python/check_exports.py");
    let output = Command::new(python).arg(script).arg(dir).output().unwrap();
    println!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success());
}

/// Three frames of a real mesh, exported to every format.
fn export_real(file: &Path, dir: &Path) {
    let mesh = read_mesh(file, &ReadOptions::default()).unwrap_or_else(|error| panic!("{error}"));
    let mut topology = Topology::default();
    if mesh.tets.is_empty() {
        topology.add_surface("real", &mesh.triangle_mesh().unwrap());
    } else {
        topology.add_solid("real", &mesh.tet_mesh().unwrap());
    }
    let mut store = RunStore::create(dir.join("run"), &topology, &info()).unwrap();
    for number in 0..3 {
        let moved: Vec<Vec3> = topology.rest.iter().map(|rest| position(*rest, number)).collect();
        store.write_frame(number, &Frame::new(number as f64 / FRAME_RATE, moved)).unwrap();
    }
    for format in ExportFormat::ALL {
        let out = dir.join(format!("{0}/real.{1}", format.name(), format.extension()));
        export(&store, format, out, &ExportOptions::default()).unwrap();
    }
    let raw = |numbers: &[u32]| numbers.iter().flat_map(|number| number.to_le_bytes()).collect::<Vec<u8>>();
    std::fs::write(dir.join("triangles"), raw(topology.triangles.as_flattened())).unwrap();
    std::fs::write(dir.join("tets"), raw(topology.tets.as_flattened())).unwrap();
}

#[test]
fn independent_readers_see_every_position_of_real_meshes() {
    let (Some(python), Some(data)) = (python(), real_meshes()) else { return };
    let folder = TempDir::new("real");
    let files = ["tet/spot_tet_66k.mesh.gz", "garment/tshirt_iso_3.5k.obj", "garment/dress_victor_draped_4.6k.obj"]
        .map(Path::new);
    let dirs = files.map(|file| folder.path().join(file.file_name().unwrap()));
    for (file, dir) in files.iter().zip(&dirs) {
        export_real(&data.join(file), dir);
    }
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/python/check_real.py");
    let output = Command::new(python).arg(script).args(dirs).output().unwrap();
    println!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success());
}
