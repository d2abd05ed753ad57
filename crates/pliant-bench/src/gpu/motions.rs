//! Cotton in motion with what `auto` chooses, on a GPU and on the CPU, and how far both are from the converged motion.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

use pliant::collide::{Collider, Shape};
use pliant::math::Vec3;
use pliant::mesh::generate::{Plane, Sheet};
use pliant::proximity::{Primitives, intersections};
use pliant::solve::TwoMetricParams;
use pliant::{Body, SelfCollision, Simulation, SimulationBuilder, presets};
use pliant_gpu::device::DeviceChoice;
use pliant_gpu::{FactorStorage, GpuMethod, GpuParams, GpuWorld};
use serde::{Deserialize, Serialize};

use super::GpuResults;
use crate::BenchError;
use crate::table::{Table, or_dash, three_digits};
use crate::timing::Timing;

/// Frames at which a motion is compared with the converged one.
const FRAMES: [usize; 3] = [20, 30, 45];
/// What is measured, in a paragraph.
pub const MOTIONS: &str = "Cotton in motion with what `auto` chooses: Newton's method with two metrics, in substeps. In a swing, a cloth of 1.2 m that is held by two corners swings down; in a drape, one of 1 m falls onto a sphere. Times are medians by the wall. `off by` is the mean distance of vertices from the converged motion at frames 20, 30 and 45. Where layers are kept apart, `intersections` is what the exact test of the engine has found at the end of every tenth of 90 frames.";

/// What is measured of motions.
#[derive(Debug, Clone, clap::Args)]
pub(super) struct Options {
    /// Cells along a side of a cloth that swings with the default settings; may be repeated.
    #[arg(long, default_values_t = [320])]
    swing: Vec<usize>,
    /// Cells along a side of a cloth that falls onto a sphere with the default settings; may be repeated.
    #[arg(long, default_values_t = [320])]
    drape: Vec<usize>,
    /// The same where its layers are kept apart; may be repeated.
    #[arg(long, default_values_t = [320])]
    drape_apart: Vec<usize>,
    /// Frames of drapes whose layers are kept apart: folds come late.
    #[arg(long, default_value_t = 90)]
    apart_frames: usize,
    /// Print the time of every kernel that keeps layers apart.
    #[arg(long)]
    layer_profile: bool,
    /// Substeps in a frame of the converged motion, which takes minutes; 0 for none.
    #[arg(long, default_value_t = 0)]
    reference_substeps: usize,
    /// Folder in which converged motions are kept from run to run.
    #[arg(long)]
    references: Option<PathBuf>,
    /// Leave out motions on the CPU.
    #[arg(long)]
    no_cpu_motions: bool,
}

/// A motion with what `auto` chooses, with all its substeps.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct MotionResults {
    /// What moves.
    pub name: String,
    /// Its vertices.
    pub vertices: usize,
    /// Substeps of a frame.
    pub substeps: usize,
    /// A frame by the wall \[ms\].
    pub wall: Timing,
    /// Intersections that the engine's exact test has found after every tenth frame, where layers are kept apart, and contacts between them at most.
    #[serde(default)]
    pub intersections: Option<[usize; 2]>,
    /// Substeps of a frame of the converged motion on the CPU.
    pub reference_substeps: usize,
    /// Mean distance of vertices from it at frames 20, 30 and 45 \[m\].
    pub distances: Vec<f64>,
    /// The same of the CPU.
    pub cpu_distances: Vec<f64>,
    /// A frame on the CPU \[ms\].
    pub cpu: Option<Timing>,
}

#[derive(Debug, Clone, Copy)]
enum Motion {
    Swing,
    Drape,
    /// The same, and layers are kept apart, with the default number of rounds at least or with one.
    DrapeApart,
    DrapeApartOnce,
}

impl Motion {
    fn name(self) -> &'static str {
        match self {
            Self::Swing => "swing",
            Self::Drape => "drape",
            Self::DrapeApart => "drape, kept apart",
            Self::DrapeApartOnce => "drape, kept apart, `least_rounds` 1",
        }
    }

    /// The world, without a solver.
    fn world(self, cells: usize) -> Result<SimulationBuilder, BenchError> {
        let side = if matches!(self, Self::Swing) { 1.2 } else { 1.0 };
        let sheet =
            Sheet { width: side, height: side, columns: cells, rows: cells, plane: Plane::Xz, ..Sheet::default() };
        let mut mesh = sheet.mesh()?;
        let cotton = presets::cloth("cotton").unwrap_or_default();
        let world = Simulation::builder();
        Ok(match self {
            Self::Swing => {
                let body = Body::cloth(&mesh, &cotton)?;
                world.body(body.pin([sheet.vertex(0, cells), sheet.vertex(cells, cells)]))
            }
            Self::Drape | Self::DrapeApart | Self::DrapeApartOnce => {
                // A little askew, so that nothing balances by symmetry.
                mesh.positions.iter_mut().for_each(|p| *p += Vec3::new(0.02, 0.36, 0.013));
                let sphere = Collider::new(Shape::Sphere { radius: 0.35 }).friction(0.3).thickness(4e-3);
                let world = world.gravity(Vec3::new(0.1, -9.81, 0.05));
                let world = world.body(Body::cloth(&mesh, &cotton)?).collider(sphere);
                match self {
                    Self::DrapeApart => world.self_collision(SelfCollision::default()),
                    Self::DrapeApartOnce => {
                        world.self_collision(SelfCollision { least_rounds: 1, ..SelfCollision::default() })
                    }
                    _ => world,
                }
            }
        })
    }
}

/// Measures all motions.
pub(super) fn measure(options: &Options, choice: &DeviceChoice) -> Result<Vec<MotionResults>, BenchError> {
    let swings = options.swing.iter().map(|&cells| (Motion::Swing, cells));
    let drapes = options.drape.iter().map(|&cells| (Motion::Drape, cells));
    let apart = options.drape_apart.iter();
    let apart = apart.flat_map(|&cells| [(Motion::DrapeApart, cells), (Motion::DrapeApartOnce, cells)]);
    let all: Vec<_> = swings.chain(drapes).chain(apart).collect();
    let both = [FactorStorage::Single, FactorStorage::Half].into_iter();
    let all = both.flat_map(|storage| all.iter().map(move |&(motion, cells)| ((motion, storage), cells)));
    all.map(|(motion, cells)| measure_one(motion, cells, options, choice)).collect()
}

fn measure_one(
    (motion, storage): (Motion, FactorStorage),
    cells: usize,
    options: &Options,
    choice: &DeviceChoice,
) -> Result<MotionResults, BenchError> {
    let is_half = storage == FactorStorage::Half;
    let name = motion.name();
    eprintln!("{name} {cells}²");
    let solver = GpuParams { method: GpuMethod::Auto, device: choice.clone(), storage };
    let sim = motion.world(cells)?.solver(solver).build()?;
    let (vertices, substeps) = (sim.positions().len(), sim.substeps());
    let mut gpu = GpuWorld::new(sim)?;
    let is_apart = matches!(motion, Motion::DrapeApart | Motion::DrapeApartOnce);
    let (mut frames, mut seconds, mut crossed) = (Vec::new(), Vec::new(), 0);
    for frame in 1..=if is_apart { options.apart_frames } else { FRAMES[2] } {
        let begun = Instant::now();
        gpu.step()?;
        gpu.device().wait()?;
        seconds.push(begun.elapsed().as_secs_f64());
        if FRAMES.contains(&frame) {
            frames.push(gpu.sync()?.positions().to_vec());
        }
        if is_apart && frame % 10 == 0 {
            let sim = gpu.sync()?;
            crossed += intersections(&Primitives::new(sim.model().bodies()), sim.positions()).len();
        }
    }
    let report = gpu.layers_report()?;
    if let Some(report) = &report {
        eprintln!("  {crossed} intersections; {report:?}");
    }
    if options.layer_profile {
        print_profiles(&gpu)?;
    }
    let intersections = report.map(|report| [crossed, report.most_contacts as usize]);
    let worst = 1e3 * seconds.iter().copied().fold(0.0, f64::max);
    let wall = Timing::of(seconds).unwrap_or(Timing { min: 0.0, median: 0.0, samples: 0 });
    eprintln!("  {:.2} ms a frame, {worst:.2} the longest, {substeps} substeps", wall.median);
    let (mut cpu, mut cpu_frames) = (None, None);
    if !options.no_cpu_motions && !is_apart && !is_half {
        let (frames, seconds) = frames_of(motion.world(cells)?.build()?)?;
        cpu = Timing::of(seconds);
        eprintln!("  {:.1} ms a frame on the CPU", cpu.map_or(f64::NAN, |time| time.median));
        cpu_frames = Some(frames);
    }
    let reference = if is_apart { None } else { reference(motion, cells, options)? };
    let mean = |(a, b): (&Vec<Vec3>, &Vec<Vec3>)| -> f64 {
        a.iter().zip(b).map(|(a, b)| a.distance(*b)).sum::<f64>() / a.len() as f64
    };
    let distances_of = |frames: Option<&Vec<Vec<Vec3>>>| -> Vec<f64> {
        frames.zip(reference.as_ref()).map_or_else(Vec::new, |(own, exact)| own.iter().zip(exact).map(mean).collect())
    };
    let (distances, cpu_distances) = (distances_of(Some(&frames)), distances_of(cpu_frames.as_ref()));
    eprintln!("  off by {distances:.4?} m, on the CPU {cpu_distances:.4?}");
    let half = if is_half { ", half" } else { "" };
    let (name, reference_substeps) = (format!("{name} {cells}²{half}"), options.reference_substeps);
    Ok(MotionResults {
        name,
        vertices,
        substeps,
        wall,
        intersections,
        reference_substeps,
        distances,
        cpu_distances,
        cpu,
    })
}

/// How long the kernels that keep layers apart take, by kernel.
fn print_profiles(gpu: &GpuWorld) -> Result<(), BenchError> {
    for (what, program) in gpu.layer_programs() {
        let times = gpu.device().profile(program, 3)?;
        let mut kernels: BTreeMap<&str, (usize, f64)> = BTreeMap::new();
        for (dispatch, ms) in program.dispatches().iter().zip(&times) {
            let entry = kernels.entry(dispatch.name()).or_default();
            *entry = (entry.0 + 1, entry.1 + ms);
        }
        eprintln!("  {what}: {:.3} ms in {} dispatches", times.iter().sum::<f64>(), times.len());
        for (name, (count, ms)) in kernels {
            eprintln!("    {name:<20} {count:4} {:9.1} µs", 1e3 * ms);
        }
    }
    Ok(())
}

/// Positions at the frames of the converged motion, from the folder if they are there.
fn reference(motion: Motion, cells: usize, options: &Options) -> Result<Option<Vec<Vec<Vec3>>>, BenchError> {
    let substeps = options.reference_substeps;
    if substeps == 0 {
        return Ok(None);
    }
    let file = options.references.as_ref().map(|folder| folder.join(format!("{}-{cells}-{substeps}", motion.name())));
    if let Some(known) = file.as_deref().and_then(read) {
        return Ok(Some(known));
    }
    let solver =
        TwoMetricParams { iterations: 3, linear_iterations: 40, linear_tolerance: 0.02, ..TwoMetricParams::default() };
    let (frames, seconds) = frames_of(motion.world(cells)?.substeps(substeps).solver(solver).build()?)?;
    eprintln!("  converged in {:.0} s", seconds.iter().sum::<f64>());
    if let Some(file) = &file {
        write(file, &frames)?;
    }
    Ok(Some(frames))
}

/// Positions in f32, one frame after the other.
fn write(file: &Path, frames: &[Vec<Vec3>]) -> Result<(), BenchError> {
    let numbers = frames.iter().flatten().flat_map(|p| p.to_array());
    let bytes: Vec<u8> = numbers.flat_map(|value| (value as f32).to_le_bytes()).collect();
    let folder = file.parent().unwrap_or(Path::new("."));
    let failed = |error| BenchError::Write { path: file.to_owned(), error };
    std::fs::create_dir_all(folder).and_then(|()| std::fs::write(file, bytes)).map_err(failed)
}

fn read(file: &Path) -> Option<Vec<Vec<Vec3>>> {
    let bytes = std::fs::read(file).ok()?;
    let numbers: Vec<f64> = bytes.as_chunks::<4>().0.iter().map(|four| f32::from_le_bytes(*four).into()).collect();
    let points: Vec<Vec3> = numbers.as_chunks::<3>().0.iter().map(|p| Vec3::from_array(*p)).collect();
    Some(points.chunks(points.len() / FRAMES.len()).map(<[Vec3]>::to_vec).collect())
}

/// Positions at the frames of a motion, and seconds of all frames but the first, which factors.
#[allow(clippy::type_complexity, reason = "two lists that are taken apart at once")]
fn frames_of(mut sim: Simulation) -> Result<(Vec<Vec<Vec3>>, Vec<f64>), BenchError> {
    let (mut frames, mut seconds) = (Vec::new(), Vec::new());
    for frame in 1..=FRAMES[2] {
        let begun = Instant::now();
        sim.step()?;
        seconds.push(begun.elapsed().as_secs_f64());
        if FRAMES.contains(&frame) {
            frames.push(sim.positions().to_vec());
        }
    }
    seconds.remove(0);
    Ok((frames, seconds))
}

/// Motions as a table.
pub fn motion_table(results: &GpuResults) -> Table {
    let heading = [
        "",
        "vertices",
        "substeps",
        "frame [ms]",
        "off by [m]",
        "CPU [ms]",
        "off by [m]",
        "reference",
        "intersections",
    ];
    let mut table = Table::new(heading);
    let list = |values: &[f64]| match values {
        [] => or_dash(None),
        _ => values.iter().map(|value| format!("{value:.3}")).collect::<Vec<_>>().join(" / "),
    };
    for motion in &results.motions {
        table.row(vec![
            motion.name.clone(),
            motion.vertices.to_string(),
            motion.substeps.to_string(),
            three_digits(motion.wall.median),
            list(&motion.distances),
            or_dash(motion.cpu.map(|time| time.median)),
            list(&motion.cpu_distances),
            if motion.distances.is_empty() { or_dash(None) } else { format!("1/{} s", 60 * motion.reference_substeps) },
            motion.intersections.map_or_else(|| or_dash(None), |[crossed, _]| crossed.to_string()),
        ]);
    }
    table
}
