//! `pliant info`: what is in a mesh, a scene or a run.

use std::error::Error;
use std::path::{Path, PathBuf};

use pliant::math::Vec3;
use pliant::mesh::sdf::{SurfaceDistance, SurfaceReport};
use pliant_io::read::{ReadOptions, read_mesh};
use pliant_io::store::RunStore;
use pliant_scene::{Builtin, Scene};
use serde_json::{Value, json};

use crate::Outcome;
use crate::output::say;

#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// A mesh file, a scene file, a built-in scene, or the folder of a run.
    file: PathBuf,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "Examples:
  pliant info bunny.obj             counts, bounds, whether it is closed, problems
  pliant info my.toml               bodies, elements and steps of a scene
  pliant info out/curtain           frames of a run, and which are damaged
  pliant info spot.mesh --json | jq .tets";

/// Facts as text and as data.
struct Facts {
    lines: Vec<String>,
    data: Value,
}

pub(crate) fn run(arguments: &Arguments) -> Result<Outcome, Box<dyn Error>> {
    let path = &arguments.file;
    let name = path.to_string_lossy();
    let facts = if path.is_dir() {
        stored_run(path)
    } else if path.extension().is_some_and(|extension| extension == "toml") || Builtin::find(&name).is_some() {
        scene(&name)
    } else {
        mesh(path)
    }?;
    if arguments.json {
        say!("{}", facts.data);
    } else {
        facts.lines.iter().for_each(|line| say!("{line}"));
    }
    Ok(Outcome::Good)
}

fn stored_run(path: &Path) -> Result<Facts, Box<dyn Error>> {
    let store = RunStore::open(path)?;
    let (frames, checkpoint) = (store.frames().len(), store.checkpoints().last().copied());
    let continues = checkpoint.map_or("no checkpoint".to_owned(), |frame| format!("last checkpoint at frame {frame}"));
    let mut lines = vec![format!("run: {}, {continues}", counted(frames, "frame"))];
    let bodies = &store.topology().bodies;
    lines.extend(bodies.iter().map(|body| format!("  {:20} {} vertices", body.name, body.vertices.len())));
    let damaged: Vec<(u64, String)> =
        store.verify().into_iter().map(|(number, error)| (number, error.to_string())).collect();
    lines.extend(damaged.iter().map(|(number, error)| format!("  frame {number} is damaged: {error}")));
    let data = json!({
        "kind": "run",
        "frames": frames,
        "frame_rate": store.info().frame_rate,
        "last_checkpoint": checkpoint,
        "bodies": bodies.iter().map(|b| json!({ "name": b.name, "vertices": b.vertices.len() })).collect::<Vec<_>>(),
        "damaged": damaged.iter().map(|(frame, error)| json!({ "frame": frame, "error": error })).collect::<Vec<_>>(),
    });
    Ok(Facts { lines, data })
}

fn scene(name: &str) -> Result<Facts, Box<dyn Error>> {
    let scene = Scene::open(name, &[])?;
    let run = scene.build()?;
    let (model, step) = (run.sim.model(), run.sim.time_step());
    let description = scene.file().description.as_deref();
    let mut lines = vec![
        format!("scene: {}", description.unwrap_or("(no description)")),
        format!("{} frames at {} per second, step {step:.5} s", scene.frames(), scene.frame_rate()),
    ];
    for body in model.bodies() {
        let (vertices, triangles) = (body.vertices.len(), body.surface.len());
        lines.push(format!("  {:20} {vertices} vertices, {triangles} surface triangles", body.name));
    }
    for entry in model.energies() {
        lines.push(format!("  {:20} {} elements", entry.batch.kind(), entry.batch.operator().len()));
    }
    let body =
        |b: &pliant::BodyInfo| json!({ "name": b.name, "vertices": b.vertices.len(), "triangles": b.surface.len() });
    let data = json!({
        "kind": "scene",
        "description": description,
        "frames": scene.frames(),
        "frame_rate": scene.frame_rate(),
        "time_step": step,
        "bodies": model.bodies().iter().map(body).collect::<Vec<_>>(),
        "energies": model
            .energies()
            .iter()
            .map(|entry| json!({ "kind": entry.batch.kind(), "elements": entry.batch.operator().len() }))
            .collect::<Vec<_>>(),
    });
    Ok(Facts { lines, data })
}

fn mesh(path: &Path) -> Result<Facts, Box<dyn Error>> {
    let imported = read_mesh(path, &ReadOptions::default())?;
    let (low, high) = imported
        .positions
        .iter()
        .fold((Vec3::INFINITY, Vec3::NEG_INFINITY), |(low, high), p| (low.min(*p), high.max(*p)));
    let (vertices, triangles) = (imported.positions.len(), imported.triangles.len());
    let (tets, strands) = (imported.tets.len(), imported.polylines.len());
    let mut lines = vec![
        format!("mesh {}: {vertices} vertices, {triangles} triangles, {tets} tets, {strands} lines", imported.name),
        format!("bounds {low} to {high}"),
    ];
    lines.extend(imported.notes.iter().map(|note| format!("note: {note}")));
    let mut problems: Vec<String> = Vec::new();
    let mut problem =
        |result: Result<(), pliant::mesh::MeshError>| problems.extend(result.err().map(|e| e.to_string()));
    let (mut area, mut closed, mut volume) = (None, None, None);
    let (mut pieces, mut open_edges) = (None, None);
    let mut measured = Vec::new();
    if triangles > 0 {
        let surface = imported.triangle_mesh()?;
        problem(surface.check_quality());
        problem(surface.check_manifold());
        area = Some(surface.area());
        closed = Some(surface.check_closed().is_ok());
        let word = if closed == Some(true) { "closed" } else { "open" };
        measured.push(format!("surface: area {:.6} m², {word}", surface.area()));
        let report = *SurfaceDistance::new(&surface)?.report();
        measured.extend(described(&report));
        (pieces, open_edges) = (Some(report.pieces), Some(report.open_edges));
    }
    if tets > 0 {
        let solid = imported.tet_mesh()?;
        problem(solid.check_quality());
        volume = Some(solid.volume());
        measured.push(format!("solid: volume {:.6} m³", solid.volume()));
    }
    lines.extend(problems.iter().map(|problem| format!("problem: {problem}")));
    lines.extend(measured);
    let data = json!({
        "kind": "mesh",
        "name": imported.name,
        "vertices": vertices,
        "triangles": triangles,
        "tets": tets,
        "polylines": strands,
        "bounds": { "min": low.to_array(), "max": high.to_array() },
        "area": area,
        "closed": closed,
        "pieces": pieces,
        "open_edges": open_edges,
        "volume": volume,
        "problems": problems,
        "notes": imported.notes,
    });
    Ok(Facts { lines, data })
}

/// How well a surface bounds a solid, in words.
fn described(report: &SurfaceReport) -> Vec<String> {
    let SurfaceReport { open_edges, unclear, overlapping, flipped, pieces } = *report;
    let mut lines = vec![format!("  {}, {}", counted(pieces, "piece"), counted(open_edges, "open edge"))];
    if unclear > 0.0 {
        lines.push(format!("  inside and outside cannot be told apart in {:.1} % of its box", 100.0 * unclear));
    }
    if overlapping > 0.0 {
        lines.push(format!("  its pieces overlap in {:.1} % of its box", 100.0 * overlapping));
    }
    if flipped {
        lines.push("  its triangles face inwards".to_owned());
    }
    lines
}

/// A number of things: 1 frame, 2 frames.
fn counted(count: usize, thing: &str) -> String {
    if count == 1 { format!("1 {thing}") } else { format!("{count} {thing}s") }
}
