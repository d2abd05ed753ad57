//! Fine detail from coarse motion: how many frames a second each method shows, on numbers of threads.
//!
//! The survey prints three rates [Bender 2014, §5.3], without processors: 125 frames a second for 25.6 thousand triangles with contact of the coarse
//! mesh (WPSD), 1 kHz for ten thousand vertices (PIU), and 30 a second for a million triangles (PDM). The skirt here is simulated, with contact; what is
//! learnt is made from formulas everywhere, which takes as long to show as anything else would.

use std::sync::Arc;
use std::time::Instant;

use pliant::collide::{Collider, Key, Pose, Shape};
use pliant::math::Vec3;
use pliant::mesh::TriangleMesh;
use pliant::mesh::generate::Cylinder;
use pliant::prelude::{ClothMaterial, Sheet};
use pliant::upsample::{
    Directions, Method, ModesParams, PdmParams, PiuParams, Refinement, TrainingFrame, TrainingSequence, TrainingSet,
    Upsampler, WpsdParams,
};
use pliant::{Body, Simulation};
use serde::{Deserialize, Serialize};

use crate::BenchError;
use crate::machine;
use crate::table::{Table, or_dash, three_digits};
use crate::timing::Timing;

/// Frames a second of a method on a mesh.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct UpsamplingRate {
    /// What is shown.
    pub name: String,
    /// The method.
    pub method: String,
    /// Triangles of the coarse mesh.
    pub coarse_triangles: usize,
    /// Triangles of the fine mesh.
    pub fine_triangles: usize,
    /// Vertices of the fine mesh.
    pub fine_vertices: usize,
    /// Threads.
    pub threads: usize,
    /// A step of the coarse mesh, where it is simulated.
    pub step: Option<Timing>,
    /// Contacts with colliders in a step, on average.
    pub contacts: Option<f64>,
    /// A frame of the fine mesh.
    pub frame: Timing,
    /// Both, one after the other.
    pub both: Timing,
    /// Frames a second that the survey prints.
    pub printed: Option<f64>,
}

/// All rates.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct UpsamplingResults {
    /// Name of the processor.
    pub processor: String,
    /// Programs that wanted to run when it began.
    pub load: Option<f64>,
    /// Frames that were timed of each.
    pub frames: usize,
    /// Method by method.
    pub rates: Vec<UpsamplingRate>,
}

/// A skirt around two legs that swing: 380 triangles, 24 320 after three levels.
fn skirt() -> Result<TriangleMesh, BenchError> {
    let mut mesh = Cylinder { radius: 0.18, height: 0.6, segments: 19, rings: 10, ..Cylinder::default() }.mesh()?;
    mesh.positions.iter_mut().for_each(|p| {
        let wider = 1.0 + 1.2 * (0.3 - p.y);
        *p = Vec3::new(wider * p.x, p.y, wider * p.z);
    });
    Ok(mesh)
}

fn dressed(mesh: &TriangleMesh, threads: usize) -> Result<Simulation, BenchError> {
    let waist = (0u32..).zip(&mesh.positions).filter(|(_, p)| p.y > 0.299).map(|(v, _)| v);
    let body = Body::cloth(mesh, &ClothMaterial::default())?.pin(waist);
    let leg = |side: f64| {
        let shape = Shape::Capsule { radius: 0.11, length: 0.5 };
        let key = |k: usize| {
            let (time, swing) = (0.25 * k as f64, 0.2 * (0.5 * std::f64::consts::PI * k as f64).sin() * side);
            Key { time, pose: Pose { position: Vec3::new(0.11 * side, -0.15, swing), ..Default::default() } }
        };
        Collider::new(shape).moving((0..400).map(key).collect()).friction(0.3)
    };
    Ok(Simulation::builder().body(body).collider(leg(1.0)).collider(leg(-1.0)).threads(threads).build()?)
}

/// Wrinkles that follow how far the coarse mesh is from its shape at rest.
fn example(refinement: &Refinement, coarse: &[Vec3], phase: f64) -> Result<TrainingFrame, BenchError> {
    let mut fine = refinement.fine_mesh().positions.clone();
    refinement.smooth(coarse, &mut fine)?;
    for (x, rest) in fine.iter_mut().zip(&refinement.fine_mesh().positions) {
        *x += 0.01 * x.distance(*rest) * (50.0 * *rest + phase).map(f64::sin);
    }
    Ok(TrainingFrame { coarse: coarse.to_vec(), fine })
}

fn set(frames: Vec<TrainingFrame>) -> TrainingSet {
    TrainingSet { sequences: vec![TrainingSequence { name: "formula".into(), frame_seconds: 1.0 / 60.0, frames }] }
}

/// Positions of such a sheet in a frame.
pub(crate) fn waved(mesh: &TriangleMesh, frame: usize) -> Vec<Vec3> {
    let t = 0.1 * frame as f64;
    let wave =
        |p: &Vec3| *p + Vec3::new(0.05 * (2.0 * p.y + t).sin(), 0.02 * t.cos() * p.x, 0.1 * (4.0 * p.x + t).sin());
    mesh.positions.iter().map(wave).collect()
}

/// Times `frames` of a model; `next` gives the coarse positions, and the seconds that a step took where one was made.
fn timed(
    upsampler: &Upsampler,
    threads: usize,
    frames: usize,
    mut next: impl FnMut(usize) -> Result<(Vec<Vec3>, Option<f64>), BenchError> + Send,
) -> Result<[Option<Timing>; 3], BenchError> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
    let mut out = upsampler.refinement().fine_mesh().positions.clone();
    let mut state = upsampler.state();
    let [mut steps, mut shows, mut both] = [const { Vec::new() }; 3];
    for frame in 0..frames + 3 {
        let (coarse, step) = next(frame)?;
        let show = || -> Result<f64, BenchError> {
            let begun = Instant::now();
            upsampler.apply(&mut state, &coarse, 1.0 / 60.0, &mut out)?;
            Ok(begun.elapsed().as_secs_f64())
        };
        let seconds = pool.install(show)?;
        // The first frames reach for memory.
        if frame >= 3 {
            steps.extend(step);
            shows.push(seconds);
            both.push(seconds + step.unwrap_or(0.0));
        }
    }
    Ok([steps, shows, both].map(Timing::of))
}

fn rate(
    name: &str,
    upsampler: &Upsampler,
    threads: usize,
    timings: [Option<Timing>; 3],
    printed: Option<f64>,
) -> Option<UpsamplingRate> {
    let (coarse, fine) = (upsampler.refinement().coarse_mesh(), upsampler.refinement().fine_mesh());
    let [step, frame, both] = timings;
    Some(UpsamplingRate {
        name: name.to_owned(),
        method: upsampler.method().name().to_owned(),
        coarse_triangles: coarse.triangles.len(),
        fine_triangles: fine.triangles.len(),
        fine_vertices: fine.positions.len(),
        threads,
        step,
        contacts: None,
        frame: frame?,
        both: both?,
        printed,
    })
}

/// A sheet that is waved without a simulation.
struct Waved {
    name: &'static str,
    /// Coarse cells along x and y.
    cells: [usize; 2],
    levels: u32,
    method: Method,
    /// Frames a second that the survey prints.
    printed: Option<f64>,
}

impl Waved {
    /// The coarse mesh, and a model that has learnt from formulas.
    fn learn(&self) -> Result<(TriangleMesh, Upsampler), BenchError> {
        let [columns, rows] = self.cells;
        let mesh = Sheet { columns, rows, ..Sheet::default() }.mesh()?;
        let refinement = Arc::new(Refinement::loop_subdivision(&mesh, self.levels, &[])?);
        let count = if self.levels > 3 { 8 } else { 40 };
        let examples: Result<Vec<TrainingFrame>, BenchError> =
            (0..count).map(|k| example(&refinement, &waved(&mesh, 5 * k), k as f64)).collect();
        let (upsampler, _) = Upsampler::fit(&refinement, &set(examples?), &self.method)?;
        Ok((mesh, upsampler))
    }
}

/// The sheet of this name, and its model; none if there is no such sheet.
pub(crate) fn learnt(name: &str) -> Result<Option<(TriangleMesh, Upsampler)>, BenchError> {
    sheets().iter().find(|sheet| sheet.name == name).map(Waved::learn).transpose()
}

fn sheets() -> [Waved; 5] {
    let with_modes = PiuParams { modes: Some(ModesParams::default()), ..PiuParams::default() };
    let normal = PdmParams { directions: Directions::Normal, ..PdmParams::default() };
    let small = |name, method, printed| Waved { name, cells: [13, 12], levels: 3, method, printed };
    let large = |name, method, printed| Waved { name, cells: [64, 32], levels: 4, method, printed };
    [
        small("piu", Method::Piu(PiuParams::default()), Some(1000.0)),
        small("piu with modes", Method::Piu(with_modes), None),
        large("pdm", Method::Pdm(normal), Some(30.0)),
        large("pdm in three directions", Method::Pdm(PdmParams::default()), None),
        large("wpsd of as many", Method::Wpsd(WpsdParams::default()), None),
    ]
}

/// Shows so many frames with each method, on each number of threads.
pub fn measure(threads: &[usize], frames: usize, only: &[String]) -> Result<UpsamplingResults, BenchError> {
    let (processor, load) = (machine::processor(), machine::load());
    let wanted = |name: &str| only.is_empty() || only.iter().any(|prefix| name.starts_with(prefix.as_str()));
    let mut rates = Vec::new();
    if wanted("wpsd") {
        let mesh = skirt()?;
        let refinement = Arc::new(Refinement::loop_subdivision(&mesh, 3, &[])?);
        let mut examples = Vec::new();
        let mut sim = dressed(&mesh, 1)?;
        for frame in 0..90 {
            sim.step()?;
            if frame % 9 == 0 {
                examples.push(example(&refinement, sim.positions(), frame as f64)?);
            }
        }
        let (upsampler, _) = Upsampler::fit(&refinement, &set(examples), &Method::Wpsd(WpsdParams::default()))?;
        for &threads in threads {
            let (mut sim, mut contacts, mut steps) = (dressed(&mesh, threads)?, 0, 0);
            let timings = timed(&upsampler, threads, frames, |_| {
                let begun = Instant::now();
                sim.step()?;
                let seconds = begun.elapsed().as_secs_f64();
                (contacts, steps) = (contacts + sim.contacts().len(), steps + 1);
                Ok((sim.positions().to_vec(), Some(seconds)))
            })?;
            let mut found = rate("skirt with contact, six poses", &upsampler, threads, timings, Some(125.0));
            found.iter_mut().for_each(|rate| rate.contacts = Some(contacts as f64 / steps as f64));
            rates.extend(found);
        }
    }
    for sheet in sheets().into_iter().filter(|sheet| wanted(sheet.name)) {
        let (mesh, upsampler) = sheet.learn()?;
        for &threads in threads {
            let frames = if sheet.levels > 3 { frames.min(50) } else { frames };
            let timings = timed(&upsampler, threads, frames, |frame| Ok((waved(&mesh, frame), None)))?;
            rates.extend(rate(sheet.name, &upsampler, threads, timings, sheet.printed));
        }
    }
    Ok(UpsamplingResults { processor, load, frames, rates })
}

/// The rates as a table.
pub fn table(results: &UpsamplingResults) -> Table {
    let mut table = Table::new([
        "",
        "triangles",
        "fine triangles",
        "fine vertices",
        "threads",
        "coarse step [ms]",
        "contacts",
        "fine frame [ms]",
        "median",
        "frames a second",
        "at the median",
        "the survey's",
    ]);
    for rate in &results.rates {
        table.row(vec![
            rate.name.clone(),
            rate.coarse_triangles.to_string(),
            rate.fine_triangles.to_string(),
            rate.fine_vertices.to_string(),
            rate.threads.to_string(),
            or_dash(rate.step.map(|step| step.median)),
            or_dash(rate.contacts),
            three_digits(rate.frame.min),
            three_digits(rate.frame.median),
            three_digits(1e3 / rate.both.min),
            three_digits(1e3 / rate.both.median),
            or_dash(rate.printed),
        ]);
    }
    table
}

/// What is measured, in a paragraph.
pub fn description(results: &UpsamplingResults) -> String {
    let load = results.load.map_or_else(|| "unknown".to_owned(), |load| format!("{load:.1}"));
    format!(
        "Frames of fine surfaces over coarse ones, {} of each (50 of those of a million triangles), one after the other. The skirt is simulated at 60 steps a \
         second in contact with two legs that swing; its rate is that of a step and a frame. The sheets are waved without a simulation. On {}, load {load}. \
         The survey prints rates without processors or numbers of threads [Bender 2014, §5.3].",
        results.frames, results.processor
    )
}
