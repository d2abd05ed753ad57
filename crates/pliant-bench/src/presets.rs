//! What users pick: every named material on boxes, bars and sheets, beside the same body with a Poisson ratio of 0 and the cheapest bending.
//!
//! Each body hangs from one end and takes turns with the others of its mesh, frame by frame, on one thread. An iteration is one of ten plain
//! ones in a frame; a default frame is what somebody gets who chooses no solver. `drape` has the same for cloth that touches something.

pub mod drape;

use std::cell::RefCell;

use pliant::energy::{ExampleBased, ExampleWeights};
use pliant::math::Vec3;
use pliant::mesh::generate::{Plane, Sheet, TetBox};
use pliant::mesh::{Simplices, TetMesh, TriangleMesh};
use pliant::presets;
use pliant::solve::ProjectiveParams;
use pliant::{BendModel, Body, ClothMaterial, Simulation, SimulationBuilder, SolidMaterial};
use serde::{Deserialize, Serialize};

use crate::BenchError;
use crate::machine;
use crate::problem::{ITERATIONS, TIME_STEP};
use crate::table::{Table, three_digits};
use crate::timing::{Contender, Effort, Timing, take_turns};

/// All meshes.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct PresetResults {
    /// Name of the processor.
    pub processor: String,
    /// Programs that wanted to run when it began.
    pub load: Option<f64>,
    /// Mesh by mesh.
    pub meshes: Vec<MeshResults>,
    /// Cloth that falls on a sphere.
    #[serde(default)]
    pub drapes: Vec<drape::DrapeTimes>,
}

/// Materials on one mesh.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct MeshResults {
    /// What it is.
    pub name: String,
    /// Vertices.
    pub vertices: usize,
    /// Triangles or tets.
    pub elements: usize,
    /// Material by material, the baseline first.
    pub materials: Vec<MaterialResults>,
}

/// One material.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct MaterialResults {
    /// Its name.
    pub name: String,
    /// One of ten plain iterations.
    pub iteration: Timing,
    /// A frame of ten plain iterations.
    pub plain_frame: Timing,
    /// A frame with the default solver.
    pub default_frame: Timing,
}

/// A body of one material, for each solver.
struct Entry {
    name: String,
    make: Box<dyn Fn() -> Result<Body, BenchError>>,
}

/// Measures materials whose name, or whose mesh's name, begins with one of these; all if there are none.
pub fn measure(only: &[String], effort: Effort) -> Result<PresetResults, BenchError> {
    let (processor, load) = (machine::processor(), machine::load());
    let mut meshes = Vec::new();
    let wanted = |name: &str| only.is_empty() || only.iter().any(|prefix| name.starts_with(prefix.as_str()));
    for (name, cells) in [("box of 7,680 tets", [20, 8, 8]), ("bar-10k", [39, 15, 15])] {
        if wanted(name) {
            eprintln!("{name}");
            let size = [cells[0], cells[1], cells[2]].map(|n| n as f64 * 0.05);
            let mesh = TetBox { size: Vec3::from_array(size), cells, ..TetBox::default() }.mesh()?;
            meshes.push(compare(name, mesh.positions.len(), mesh.tets.len(), &solids(&mesh), effort)?);
        }
    }
    for (name, along) in [("sheet of 1.7k vertices", 40), ("sheet of 10k vertices", 99)] {
        if wanted(name) {
            eprintln!("{name}");
            let mesh = Sheet { columns: along, rows: along, plane: Plane::Xz, ..Sheet::default() }.mesh()?;
            meshes.push(compare(name, mesh.positions.len(), mesh.triangles.len(), &cloths(&mesh), effort)?);
        }
    }
    let mut drapes = Vec::new();
    if wanted(drape::NAME) {
        eprintln!("{}", drape::NAME);
        drapes = drape::measure(effort)?;
    }
    Ok(PresetResults { processor, load, meshes, drapes })
}

/// The vertices of least x.
fn end(positions: &[Vec3]) -> Vec<u32> {
    let least = positions.iter().fold(f64::INFINITY, |least, p| least.min(p.x));
    (0..).zip(positions).filter(|(_, p)| p.x < least + 1e-6).map(|(v, _)| v).collect()
}

fn solids(mesh: &TetMesh) -> Vec<Entry> {
    let of = |name: &str, material: SolidMaterial| {
        let mesh = mesh.clone();
        let make = move || Ok(Body::solid(&mesh, &material)?.pin(end(&mesh.positions)));
        Entry { name: name.to_owned(), make: Box::new(make) }
    };
    let rubber = presets::solid("rubber").unwrap_or_default();
    let mut entries = vec![of("rubber with ν = 0", SolidMaterial { poisson_ratio: 0.0, ..rubber.clone() })];
    entries.extend(presets::SOLIDS.iter().filter_map(|name| Some(of(name, presets::solid(name)?))));
    for (name, weights) in
        [("examples, local weights", ExampleWeights::Local), ("examples, global weights", ExampleWeights::Global)]
    {
        let (mesh, material) = (mesh.clone(), rubber.clone());
        let make = move || {
            let stretched = |by: Vec3| mesh.positions.iter().map(|p| *p * by).collect::<Vec<_>>();
            let examples = vec![stretched(Vec3::new(1.3, 0.9, 0.9)), stretched(Vec3::new(0.9, 1.2, 0.9))];
            let stiffness = material.youngs_modulus;
            let energy = ExampleBased { tets: mesh.tets.clone(), examples, stiffness, weights };
            let masses = mesh.lumped_masses(material.density)?;
            let masses = (0..).zip(masses).map(|(v, mass)| (v, v, mass)).collect();
            let body = Body::new(mesh.positions.clone(), masses).with_energy(energy.build(&mesh.positions)?);
            Ok(body.pin(end(&mesh.positions)))
        };
        entries.push(Entry { name: name.to_owned(), make: Box::new(make) });
    }
    entries
}

fn cloths(mesh: &TriangleMesh) -> Vec<Entry> {
    let of = |name: &str, material: ClothMaterial| {
        let mesh = mesh.clone();
        let make = move || Ok(Body::cloth(&mesh, &material)?.pin(end(&mesh.positions)));
        Entry { name: name.to_owned(), make: Box::new(make) }
    };
    let cotton = presets::cloth("cotton").unwrap_or_default();
    let with =
        |bend_model: BendModel, poisson_ratio: f64| ClothMaterial { bend_model, poisson_ratio, ..cotton.clone() };
    let mut entries = vec![
        of("cotton with ν = 0, mean curvature", with(BendModel::MeanCurvature, 0.0)),
        of("cotton with ν = 0.3, mean curvature", with(BendModel::MeanCurvature, 0.3)),
        of("cotton with ν = 0, hinges", with(BendModel::Hinge, 0.0)),
    ];
    entries.extend(presets::CLOTHS.iter().filter_map(|name| Some(of(name, presets::cloth(name)?))));
    entries
}

fn compare(
    name: &str,
    vertices: usize,
    elements: usize,
    entries: &[Entry],
    effort: Effort,
) -> Result<MeshResults, BenchError> {
    let world = |entry: &Entry| -> Result<SimulationBuilder, BenchError> {
        Ok(Simulation::builder().body((entry.make)()?).time_step(TIME_STEP).threads(1))
    };
    // (simulation, seconds of an iteration in each frame)
    let mut plain = Vec::new();
    let mut default = Vec::new();
    for entry in entries {
        plain.push((world(entry)?.solver(ProjectiveParams::plain(ITERATIONS)).build()?, Vec::new()));
        default.push((world(entry)?.build()?, Vec::new()));
    }
    let failure: RefCell<Option<BenchError>> = RefCell::new(None);
    let frame = |(sim, iterations): &mut (Simulation, Vec<f64>)| {
        let report = sim.step()?.solve;
        iterations.push((report.seconds_local + report.seconds_global) / report.iterations as f64);
        Ok(())
    };
    let mut contenders: Vec<Contender<'_>> = Vec::new();
    for (entry, sim) in entries.iter().chain(entries).zip(plain.iter_mut().chain(&mut default)) {
        contenders.push(Contender::calling(entry.name.clone(), sim, &failure, frame));
    }
    let frames = take_turns(&mut contenders, effort);
    drop(contenders);
    if let Some(error) = failure.into_inner() {
        return Err(error);
    }
    let (plain_frames, default_frames) = frames.split_at(entries.len());
    let mut materials = Vec::new();
    for (k, entry) in entries.iter().enumerate() {
        let iteration = Timing::of(plain[k].1.clone());
        if let (Some(iteration), Some(plain_frame), Some(default_frame)) =
            (iteration, plain_frames[k], default_frames[k])
        {
            materials.push(MaterialResults { name: entry.name.clone(), iteration, plain_frame, default_frame });
        }
    }
    Ok(MeshResults { name: name.to_owned(), vertices, elements, materials })
}

/// The results as a table, ratios to the first material of each mesh.
pub fn table(results: &PresetResults) -> Table {
    let columns = ["mesh", "material", "iteration [ms]", "×", "frame of ten [ms]", "×", "default frame [ms]", "×"];
    let mut table = Table::new(columns);
    for mesh in &results.meshes {
        for material in &mesh.materials {
            let first = &mesh.materials[0];
            let ratio = |own: Timing, baseline: Timing| three_digits(own.min / baseline.min);
            table.row(vec![
                mesh.name.clone(),
                material.name.clone(),
                three_digits(material.iteration.min),
                ratio(material.iteration, first.iteration),
                three_digits(material.plain_frame.min),
                ratio(material.plain_frame, first.plain_frame),
                three_digits(material.default_frame.min),
                ratio(material.default_frame, first.default_frame),
            ]);
        }
    }
    table
}

/// What is measured, in a paragraph.
pub fn description(results: &PresetResults) -> String {
    let load = results.load.map_or_else(|| "unknown".to_owned(), |load| format!("{load:.1}"));
    format!(
        "Every named material on one thread of {}, compared in turns with the same body with a Poisson ratio of 0 and mean-curvature bending; minimum times, \
         load by other programs when it began {load}. Ratios are relative to the first material of each mesh.",
        results.processor
    )
}
