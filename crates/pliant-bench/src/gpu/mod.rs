//! Worlds on a GPU: milliseconds per frame, by its own clock and by the wall, beside the CPU in the same run.
//!
//! Cloths hang by two corners, bars are held at one end. A frame of 1/60 s is ten plain local/global iterations with one solve each. The cloths of springs are those of
//! mass-spring systems [Liu 2013], with springs over one vertex against bending; cotton is the preset, and so is rubber with a Poisson ratio of its own.

mod motions;
mod residents;

pub use motions::{MOTIONS, MotionResults, motion_table};
pub use residents::{RESIDENTS, ResidentResults, resident_table};

use std::path::PathBuf;
use std::time::Instant;

use pliant::math::Vec3;
use pliant::mesh::generate::{Sheet, TetBox};
use pliant::solve::ProjectiveParams;
use pliant::{Body, Simulation, SimulationBuilder, SolidMaterial, presets};
use pliant_gpu::device::{Access, Bound, Device, DeviceChoice};
use pliant_gpu::{FactorStorage, GpuMethod, GpuParams, GpuWorld};
use serde::{Deserialize, Serialize};

use crate::BenchError;
use crate::machine;
use crate::results::Results;
use crate::table::{Table, or_dash, three_digits};
use crate::timing::Timing;

/// Iterations of a frame.
const ITERATIONS: usize = 10;
/// Frames of the CPU beside it.
const CPU_FRAMES: usize = 3;
/// Seconds of frames before those that are timed: a device that has waited for its factor runs slower at first.
const WARM_UP: f64 = 0.4;
/// Bytes whose copy tells the speed of memory.
const COPIED: usize = 256 << 20;

/// What is measured.
#[derive(Debug, Clone, clap::Args)]
pub struct Options {
    /// Print the results as JSON.
    #[arg(long)]
    json: bool,
    /// Also put the results into this file of `peers --save`.
    #[arg(long)]
    save: Option<PathBuf>,
    /// Cells along a side of a cloth; may be repeated.
    #[arg(long, default_values_t = [100, 320, 640, 1000])]
    cloth: Vec<usize>,
    /// Tets of a bar, about; may be repeated.
    #[arg(long, default_values_t = [100_000, 1_000_000])]
    bar: Vec<usize>,
    #[command(flatten)]
    motions: motions::Options,
    #[command(flatten)]
    residents: residents::Options,
    /// Frames that are timed.
    #[arg(long, default_value_t = 20)]
    frames: usize,
    /// Leave out the frames on the CPU.
    #[arg(long)]
    no_cpu: bool,
    /// Print the time of every kernel of an iteration.
    #[arg(long)]
    profile: bool,
    /// Part of the name of the adapter.
    #[arg(long)]
    adapter: Option<String>,
}

/// Measures, prints and saves.
pub fn command(options: &Options) -> Result<(), BenchError> {
    let found = measure(options)?;
    if options.json {
        println!("{}", serde_json::to_string_pretty(&found)?);
    } else {
        println!("{}\n\n{}", description(&found), table(&found).to_text());
        println!("{MOTIONS}\n\n{}", motion_table(&found).to_text());
        println!("{RESIDENTS}\n\n{}", resident_table(&found).to_text());
    }
    if let Some(path) = &options.save {
        let mut results = Results::load(path)?;
        results.gpu = Some(found);
        results.save(path)?;
    }
    Ok(())
}

/// What was found.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct GpuResults {
    /// Name of the adapter, its interface and its driver.
    pub adapter: String,
    /// Name of the processor beside it, and its threads.
    pub processor: String,
    /// Threads.
    pub threads: usize,
    /// Bytes that a copy reads and writes in a second.
    pub copy_speed: Option<f64>,
    /// World by world.
    pub worlds: Vec<WorldResults>,
    /// Motions with the default settings.
    #[serde(default)]
    pub motions: Vec<MotionResults>,
    /// Worlds of other solvers.
    #[serde(default)]
    pub residents: Vec<ResidentResults>,
}

/// One world.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct WorldResults {
    /// What it is.
    pub name: String,
    /// Its vertices.
    pub vertices: usize,
    /// Seconds from the world to what is on the device.
    pub setup: f64,
    /// Bytes of the factor.
    pub factor: u64,
    /// A frame by the clock of the device \[ms\].
    pub device: Option<Timing>,
    /// A frame by the wall \[ms\].
    pub wall: Timing,
    /// The solves of a frame by the clock of the device, dispatch by dispatch \[ms\].
    pub solves: Option<f64>,
    /// A frame on the CPU \[ms\].
    pub cpu: Option<Timing>,
    /// Largest distance from the CPU after its frames, over the diagonal.
    pub distance: Option<f64>,
}

fn springs(cells: usize) -> Result<SimulationBuilder, BenchError> {
    let sheet = Sheet { width: 1.0, height: 1.0, columns: cells, rows: cells, ..Sheet::default() };
    let mesh = sheet.mesh()?;
    let at = |i: usize, j: usize| sheet.vertex(i, j);
    let mut edges = mesh.edges();
    for i in 0..=cells {
        for j in 0..cells.saturating_sub(1) {
            edges.push([at(i, j), at(i, j + 2)]);
            edges.push([at(j, i), at(j + 2, i)]);
        }
    }
    let body = Body::mass_spring(&mesh, 0.15, edges, 5000.0)?;
    Ok(Simulation::builder().body(body.pin([at(0, cells), at(cells, cells)])))
}

fn cotton(cells: usize) -> Result<SimulationBuilder, BenchError> {
    let sheet = Sheet { width: 1.0, height: 1.0, columns: cells, rows: cells, ..Sheet::default() };
    let material = presets::cloth("cotton").unwrap_or_default();
    let body = Body::cloth(&sheet.mesh()?, &material)?;
    Ok(Simulation::builder().body(body.pin([sheet.vertex(0, cells), sheet.vertex(cells, cells)])))
}

/// A bar four times as long as it is wide.
fn rubber(tets: usize) -> Result<SimulationBuilder, BenchError> {
    // A cell has six tets, or five.
    let side = ((tets as f64 / 24.0).cbrt().round() as usize).max(1);
    let mesh =
        TetBox { size: Vec3::new(1.0, 0.25, 0.25), cells: [4 * side, side, side], ..TetBox::default() }.mesh()?;
    let material = SolidMaterial { poisson_ratio: 0.4, ..presets::solid("rubber").unwrap_or_default() };
    Ok(Simulation::builder().body(Body::solid(&mesh, &material)?.pin_where(|p| p.x < -0.4999 || p.x.abs() < 1e-9)))
}

/// Bytes that a copy from one end of the memory to another reads and writes in a second.
fn copy_speed(device: &Device) -> Result<Option<f64>, BenchError> {
    let source = "struct Parameters { a: u32, b: u32, c: u32, d: u32 }
@group(1) @binding(0) var<uniform> parameters: Parameters;
@group(0) @binding(0) var<storage, read> source: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> target_: array<vec4<f32>>;
@compute @workgroup_size(256)
fn copy(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let first = (group.x + group.y * groups.x) * 1024u + thread + parameters.a;
    for (var k = 0u; k < 4u; k++) { target_[first + k * 256u] = source[first + k * 256u]; }
}";
    let bytes = COPIED.min(device.adapter().binding_size as usize);
    let count = bytes / 16 / 1024 * 1024;
    let [from, to] = [device.zeros::<[f32; 4]>("copied", count)?, device.zeros::<[f32; 4]>("copies", count)?];
    let kernel = device.kernel(source, "copy", &[Access::Read, Access::Write])?;
    let buffers: [&dyn Bound; 2] = [&from, &to];
    let program = device.program(vec![device.dispatch(&kernel, &buffers, [0; 4], count / 1024)])?;
    let mut best = f64::INFINITY;
    for _ in 0..10 {
        best = best.min(device.time(&[&program; 4])?.device.unwrap_or(f64::INFINITY));
    }
    Ok(best.is_finite().then(|| 4.0 * 32.0 * count as f64 / (best * 1e-3)))
}

/// Keeps a device busy without touching a world: after it has waited for the CPU, it runs slower at first.
fn warm_up(device: &Device) -> Result<(), BenchError> {
    let begun = Instant::now();
    while begun.elapsed().as_secs_f64() < WARM_UP {
        copy_speed(device)?;
    }
    Ok(())
}

/// Measures all worlds.
fn measure(options: &Options) -> Result<GpuResults, BenchError> {
    let choice = DeviceChoice { name: options.adapter.clone(), ..DeviceChoice::default() };
    let device = Device::open(&choice)?;
    let adapter = device.adapter();
    let mut results = GpuResults {
        adapter: format!("{} ({}, {})", adapter.name, adapter.backend, adapter.driver),
        processor: machine::processor(),
        threads: std::thread::available_parallelism().map_or(1, usize::from),
        copy_speed: copy_speed(&device)?,
        worlds: Vec::new(),
        motions: motions::measure(&options.motions, &choice)?,
        residents: residents::measure(&options.residents, &choice, options.frames, !options.no_cpu)?,
    };
    for storage in [FactorStorage::Single, FactorStorage::Half] {
        let mut add = |name: String, build: &dyn Fn() -> Result<SimulationBuilder, BenchError>| {
            let plain = GpuMethod::Projective(ProjectiveParams::plain(ITERATIONS));
            let params = GpuParams { method: plain, device: choice.clone(), storage };
            let name = if storage == FactorStorage::Half { format!("{name}, half") } else { name };
            results.worlds.push(world(&name, build, params, options)?);
            Ok::<(), BenchError>(())
        };
        for &cells in &options.cloth {
            add(format!("springs {cells}²"), &|| springs(cells))?;
            add(format!("cotton {cells}²"), &|| cotton(cells))?;
        }
        for &tets in &options.bar {
            add(format!("rubber, {tets} tets"), &|| rubber(tets))?;
        }
    }
    Ok(results)
}

fn world(
    name: &str,
    build: &dyn Fn() -> Result<SimulationBuilder, BenchError>,
    solver: GpuParams,
    options: &Options,
) -> Result<WorldResults, BenchError> {
    eprintln!("{name}");
    let plain = ProjectiveParams::plain(ITERATIONS);
    let begun = Instant::now();
    let sim = build()?.substeps(1).integrator(pliant::TimeIntegrator::ImplicitEuler).solver(solver).build()?;
    eprintln!("  built in {:.1} s", begun.elapsed().as_secs_f64());
    let vertices = sim.positions().len();
    let mut gpu = GpuWorld::new(sim)?;
    let setup = begun.elapsed().as_secs_f64();
    eprintln!("  on the device after {setup:.1} s, factor {:.0} MB", gpu.factor_bytes() as f64 * 1e-6);
    let (mut cpu, mut distance) = (None, None);
    if !options.no_cpu {
        let sim = build()?.substeps(1).integrator(pliant::TimeIntegrator::ImplicitEuler).solver(plain).build()?;
        (cpu, distance) = beside(sim, &mut gpu)?;
    }
    let (mut device, mut wall) = (Vec::new(), Vec::new());
    let begun = Instant::now();
    while begun.elapsed().as_secs_f64() < WARM_UP {
        gpu.timed_step()?;
    }
    for _ in 0..options.frames {
        if let Some(timing) = gpu.timed_step()? {
            device.extend(timing.device.map(|ms| 1e-3 * ms));
            wall.push(1e-3 * timing.wall);
        }
    }
    gpu.sync()?;
    let profile = match gpu.iteration() {
        Some(program) => gpu.device().profile(program, 10)?,
        None => Vec::new(),
    };
    let mut solves = None;
    if let (Some(program), false) = (gpu.iteration(), profile.is_empty()) {
        let all = program.dispatches().iter().zip(&profile);
        let is_solve = |name: &str| ["assemble", "forward", "backward"].contains(&name);
        let of_solve: f64 = all.clone().filter(|(dispatch, _)| is_solve(dispatch.name())).map(|(_, ms)| ms).sum();
        solves = Some(ITERATIONS as f64 * of_solve);
        if options.profile {
            for (dispatch, ms) in all {
                let (us, mb) = (1e3 * ms, 1e-6 * dispatch.bytes as f64);
                eprintln!("  {:<12} {us:8.1} µs {mb:9.2} MB {:7.0} GB/s", dispatch.name(), 1e3 * mb / us);
            }
        }
    }
    let factor = gpu.factor_bytes();
    let (device, wall) = (Timing::of(device), Timing::of(wall).unwrap_or(Timing { min: 0.0, median: 0.0, samples: 0 }));
    eprintln!("  {:.3} ms by the device, {:.3} by the wall", device.map_or(f64::NAN, |time| time.min), wall.min);
    Ok(WorldResults { name: name.to_owned(), vertices, setup, factor, device, wall, solves, cpu, distance })
}

/// Some frames on both sides: times of the CPU, and how far apart they are.
fn beside(mut cpu: Simulation, gpu: &mut GpuWorld) -> Result<(Option<Timing>, Option<f64>), BenchError> {
    let mut seconds = Vec::new();
    for _ in 0..CPU_FRAMES {
        let begun = Instant::now();
        cpu.step()?;
        seconds.push(begun.elapsed().as_secs_f64());
        gpu.step()?;
    }
    // The first one factors.
    seconds.remove(0);
    let found = gpu.sync()?.positions();
    let gaps = cpu.positions().iter().zip(found).map(|(a, b)| (*a - *b).length());
    Ok((Timing::of(seconds), Some(gaps.fold(0.0, f64::max) / cpu.model().diagonal())))
}

/// The results as a table.
pub fn table(results: &GpuResults) -> Table {
    let heading =
        ["", "vertices", "setup [s]", "factor [MB]", "frame [ms]", "wall [ms]", "GB/s", "of copy", "CPU [ms]", "Δ"];
    let mut table = Table::new(heading);
    for world in &results.worlds {
        let speed = world.solves.map(|ms| ITERATIONS as f64 * world.factor as f64 / (1e-3 * ms));
        let share = speed.zip(results.copy_speed).map(|(speed, copy)| format!("{:.0} %", 100.0 * speed / copy));
        table.row(vec![
            world.name.clone(),
            world.vertices.to_string(),
            three_digits(world.setup),
            three_digits(1e-6 * world.factor as f64),
            or_dash(world.device.map(|time| time.min)),
            three_digits(world.wall.min),
            or_dash(speed.map(|speed| 1e-9 * speed)),
            share.unwrap_or_else(|| or_dash(None)),
            or_dash(world.cpu.map(|time| time.min)),
            world.distance.map_or_else(|| or_dash(None), |gap| format!("{gap:.0e}")),
        ]);
    }
    table
}

/// What is measured, in a paragraph.
pub fn description(results: &GpuResults) -> String {
    let copy = results.copy_speed.map_or_else(|| "an unknown number of".to_owned(), |speed| three_digits(1e-9 * speed));
    format!(
        "On {}, which copies {copy} GB/s (read and written); the CPU beside it is {} with {} threads. A frame of 1/60 s is {ITERATIONS} plain local/global iterations \
         with one exact solve each; `frame` is by the clock of the device, `wall` from recording the commands to seeing them done. `setup` is everything from meshes to \
         what is on the device. `GB/s` is the factor read once in every solve, over the time of its kernels. `Δ` is the largest distance between device and CPU after \
         {CPU_FRAMES} frames, over the diagonal. `half` stores the factor in half precision.",
        results.adapter, results.processor, results.threads
    )
}
