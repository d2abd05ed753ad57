//! `pliant info`: what is in a mesh, a scene or a run.

use std::error::Error;
use std::path::{Path, PathBuf};

use pliant::math::Vec3;
use pliant::mesh::sdf::SurfaceDistance;
use pliant_io::read::{ReadOptions, read_mesh};
use pliant_io::store::RunStore;
use pliant_scene::Builtin;

use super::load;
use crate::Outcome;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// A mesh file, a scene file, a built-in scene, or the folder of a run.
    file: PathBuf,
}

pub(crate) fn run(arguments: &Arguments) -> Result<Outcome, Box<dyn Error>> {
    let path = &arguments.file;
    let name = path.to_string_lossy();
    if path.is_dir() {
        stored_run(path)
    } else if path.extension().is_some_and(|extension| extension == "toml") || Builtin::find(&name).is_some() {
        scene(&name)
    } else {
        mesh(path)
    }
}

fn stored_run(path: &Path) -> Result<Outcome, Box<dyn Error>> {
    let store = RunStore::open(path)?;
    let frames = store.frames();
    println!("run: {} frames, last checkpoint {:?}", frames.len(), store.checkpoints().last());
    for body in &store.topology().bodies {
        println!("  {:20} {} vertices", body.name, body.vertices.len());
    }
    for (number, error) in store.verify() {
        println!("  frame {number} is damaged: {error}");
    }
    Ok(Outcome::Good)
}

fn scene(name: &str) -> Result<Outcome, Box<dyn Error>> {
    let scene = load(name, &[])?;
    let run = scene.build()?;
    let model = run.sim.model();
    println!("scene: {}", scene.file().description.as_deref().unwrap_or("(no description)"));
    println!("{} frames at {} per second, step {:.5} s", scene.frames(), scene.frame_rate(), run.sim.time_step());
    for body in model.bodies() {
        println!("  {:20} {} vertices, {} surface triangles", body.name, body.vertices.len(), body.surface.len());
    }
    for entry in model.energies() {
        println!("  {:20} {} elements", entry.batch.kind(), entry.batch.operator().len());
    }
    Ok(Outcome::Good)
}

fn mesh(path: &Path) -> Result<Outcome, Box<dyn Error>> {
    let imported = read_mesh(path, &ReadOptions::default())?;
    let (low, high) = imported
        .positions
        .iter()
        .fold((Vec3::INFINITY, Vec3::NEG_INFINITY), |(low, high), p| (low.min(*p), high.max(*p)));
    println!(
        "mesh {}: {} vertices, {} triangles, {} tets, {} lines",
        imported.name,
        imported.positions.len(),
        imported.triangles.len(),
        imported.tets.len(),
        imported.polylines.len(),
    );
    println!("bounds {low} to {high}");
    imported.notes.iter().for_each(|note| println!("note: {note}"));
    let problem = |result: Result<(), pliant::mesh::MeshError>| {
        if let Err(error) = result {
            println!("problem: {error}");
        }
    };
    if !imported.triangles.is_empty() {
        let surface = imported.triangle_mesh()?;
        problem(surface.check_quality());
        problem(surface.check_manifold());
        let closed = surface.check_closed().is_ok();
        println!("surface: area {:.6} m², {}", surface.area(), if closed { "closed" } else { "open" });
        println!("{:?}", SurfaceDistance::new(&surface)?.report());
    }
    if !imported.tets.is_empty() {
        let solid = imported.tet_mesh()?;
        problem(solid.check_quality());
        println!("solid: volume {:.6} m³", solid.volume());
    }
    Ok(Outcome::Good)
}
