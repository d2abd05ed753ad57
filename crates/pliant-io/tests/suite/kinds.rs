//! Every kind of body in every format: its vertices are read back, or it is refused by name. The kinds are those of the engine's table.
#![allow(clippy::unwrap_used)]

use std::fmt::Write;
use std::path::{Path, PathBuf};

use pliant::Simulation;
use pliant::math::Vec3;
use pliant_io::read::{ReadOptions, read_mesh};
use pliant_io::store::{Frame, RunInfo, RunStore, Topology};
use pliant_io::write::{ExportFormat, ExportOptions, Exported, export};

use crate::common::TempDir;

#[allow(dead_code, reason = "the engine's tests use the rest")]
#[path = "../../../pliant/tests/table/kinds.rs"]
mod list;

/// Groups of three numbers.
fn points(numbers: impl IntoIterator<Item = f64>) -> Vec<Vec3> {
    let numbers: Vec<f64> = numbers.into_iter().collect();
    numbers.chunks_exact(3).map(Vec3::from_slice).collect()
}

/// The numbers of all `points` of a USD file.
fn usd_points(text: &str) -> Vec<Vec3> {
    let lists = text.split("point3f[] points").skip(1).map(|rest| {
        let list = &rest[rest.find('[').unwrap() + 1..rest.find(']').unwrap()];
        list.split(|c: char| "(), ".contains(c)).filter(|word| !word.is_empty()).map(|word| word.parse().unwrap())
    });
    points(lists.flatten().collect::<Vec<f64>>())
}

/// The vertices of the only frame of an exported run.
fn vertices(format: ExportFormat, files: &[PathBuf]) -> Vec<Vec3> {
    let with = |extension: &str| -> &Path {
        files.iter().rfind(|file| file.extension().is_some_and(|own| own == extension)).unwrap()
    };
    let bytes = |extension: &str| std::fs::read(with(extension)).unwrap();
    match format {
        ExportFormat::Npy => {
            let bytes = bytes("npy");
            let header = 10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
            points(bytes[header..].as_chunks().0.iter().map(|number| f64::from_le_bytes(*number)))
        }
        ExportFormat::Pc2 => {
            points(bytes("pc2")[32..].as_chunks().0.iter().map(|number| f32::from_le_bytes(*number).into()))
        }
        // Two counts and one time come first.
        ExportFormat::Mdd => {
            points(bytes("mdd")[12..].as_chunks().0.iter().map(|number| f32::from_be_bytes(*number).into()))
        }
        ExportFormat::Usda => usd_points(&std::fs::read_to_string(with("usda")).unwrap()),
        other => read_mesh(with(other.name()), &ReadOptions::default()).unwrap().positions,
    }
}

/// How many of the vertices of a kind a format has, each where the engine has it; what is inside is not seen in all formats.
fn trial(kind: &list::Kind, format: ExportFormat) -> Result<String, String> {
    let mut sim = Simulation::builder().body(kind.body()).build().unwrap();
    (0..5).for_each(|_| drop(sim.step().unwrap()));
    let (dir, topology) = (TempDir::new("kinds"), Topology::of(&sim));
    let mut store = RunStore::create(dir.join("run"), &topology, &RunInfo::default()).unwrap();
    store.write_frame(0, &Frame::of(&sim, &topology)).unwrap();
    let written = export(&store, format, dir.join(&format!("out.{}", format.extension())), &ExportOptions::default());
    let Exported { files, .. } = match written {
        Ok(written) => written,
        Err(error) => return Err(error.to_string()),
    };
    let (found, all) = (vertices(format, &files), sim.positions());
    // A vertex may be in a file several times.
    let is_here = |p: &Vec3| found.iter().any(|q| q.distance(*p) < 1e-6);
    let here = all.iter().filter(|p| is_here(p)).count();
    let strange = found.iter().filter(|q| !all.iter().any(|p| p.distance(**q) < 1e-6)).count();
    assert_eq!(strange, 0, "{} as {format}: vertices that are nowhere in the world", kind.name);
    // Surface formats leave out what is inside.
    let is_seen = |v: usize| !inside(&topology).contains(&(v as u32));
    let missing = (0..all.len()).filter(|&v| is_seen(v) && !is_here(&all[v])).count();
    assert_eq!(missing, 0, "{} as {format}: vertices that are not in the file", kind.name);
    Ok(format!("{here}"))
}

/// Vertices of tets that are not at their surface.
fn inside(topology: &Topology) -> Vec<u32> {
    let solid = pliant::mesh::TetMesh { positions: topology.rest.clone(), tets: topology.tets.clone() };
    let skin = if topology.tets.is_empty() { Vec::new() } else { solid.surface().unwrap().vertices };
    let drawn: Vec<u32> = topology.triangles.iter().flatten().copied().collect();
    let in_tets = topology.tets.iter().flatten().copied();
    // A body with triangles of its own is drawn with them, and its tets are not seen at all.
    in_tets.filter(|v| !drawn.contains(v) && (!drawn.is_empty() || !skin.contains(v))).collect()
}

fn page() -> String {
    let mut out = String::from(
        "# What goes into which file\n\nMade by `crates/pliant-io/tests/suite/kinds.rs` with `PLIANT_WRITE_TABLE=1 cargo test -p pliant-io --test suite kinds`. One frame of each kind of body in [what works with what](support.md) is \
         exported, and its vertices are read back from the file. The number is how many of them the file has, each within 1 µm of where the engine has it; formats of surfaces leave out what is inside. What \
         formats carry besides is said in [export](export.md).\n\n",
    );
    let names: Vec<&str> = list::KINDS.iter().map(|kind| kind.name).collect();
    writeln!(out, "| format | {} |\n|---|{}", names.join(" | "), "---|".repeat(names.len())).unwrap();
    let mut refusals = Vec::new();
    for format in ExportFormat::ALL {
        let cells = list::KINDS.iter().map(|kind| {
            trial(kind, format).unwrap_or_else(|why| {
                assert!(why.contains(kind.name), "{} as {format}: refused without its name: {why}", kind.name);
                refusals.push(format!("- {format}, {}: *{why}*", kind.name));
                "refused".to_owned()
            })
        });
        let cells: Vec<String> = cells.collect();
        writeln!(out, "| {format} | {} |", cells.join(" | ")).unwrap();
    }
    if !refusals.is_empty() {
        writeln!(out, "\n{}", refusals.join("\n")).unwrap();
    }
    out
}

#[test]
fn every_format_has_every_kind_or_refuses_it_by_name() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/support-files.md");
    let now = page();
    if std::env::var_os("PLIANT_WRITE_TABLE").is_some() {
        std::fs::write(&path, &now).unwrap();
    }
    let there = std::fs::read_to_string(path).unwrap_or_default();
    assert_eq!(there, now, "docs/support-files.md is not what is so: PLIANT_WRITE_TABLE=1 writes it");
}
