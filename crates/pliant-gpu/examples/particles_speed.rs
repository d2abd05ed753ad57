//! How long a frame of a cloth with long-range attachments takes on a GPU, as a whole and kernel by kernel; the world is that of `pliant-bench attachments`:
//! `cargo run --release -p pliant-gpu --example particles_speed -- [CELLS] [--frames N] [--iterations N] [--physical] [--cpu]`.
//! `--physical` takes the stiffness of the springs (XPBD) in place of a share of 1. With `--cpu` the engine steps beside it.

use std::collections::BTreeMap;
use std::error::Error;
use std::time::Instant;

use pliant::constraint::LongRangeAttachments;
use pliant::mesh::generate::Diagonals;
use pliant::prelude::*;
use pliant_gpu::device::{Device, DeviceChoice};
use pliant_gpu::{GpuParticles, ResidentWorld};

/// Frames before those that are timed.
const BEFORE: usize = 10;
/// Runs of a profile; each is a frame.
const PROFILES: usize = 5;

struct Options {
    cells: usize,
    frames: usize,
    iterations: usize,
    physical: bool,
    cpu: bool,
}

fn options() -> Result<Options, Box<dyn Error>> {
    let mut options = Options { cells: 300, frames: 120, iterations: 10, physical: false, cpu: false };
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut number = || arguments.next().ok_or(format!("{argument} needs a number"));
        match argument.as_str() {
            "--cpu" => options.cpu = true,
            "--physical" => options.physical = true,
            "--frames" => options.frames = number()?.parse()?,
            "--iterations" => options.iterations = number()?.parse()?,
            cells => options.cells = cells.parse()?,
        }
    }
    Ok(options)
}

/// A cloth that is held at one row, with every other vertex attached to that row, and swings down from horizontal.
struct Cloth {
    mesh: TriangleMesh,
    row: Vec<u32>,
    cells: usize,
}

impl Cloth {
    fn new(cells: usize) -> Result<Self, Box<dyn Error>> {
        let plane = Plane::Xz;
        let sheet = Sheet { columns: cells, rows: cells, plane, diagonals: Diagonals::Alternating, ..Sheet::default() };
        let row = (0..=cells).map(|column| sheet.vertex(column, cells)).collect();
        Ok(Self { mesh: sheet.mesh()?, row, cells })
    }

    fn world(&self, options: &Options) -> Result<Simulation, Box<dyn Error>> {
        let body = Body::mass_spring(&self.mesh, 0.2, self.mesh.edges(), 1e4)?.pin(self.row.clone());
        let threads = LongRangeAttachments::default().build(&self.mesh, &self.row)?;
        let classic = PositionBasedParams::classic(options.iterations, 1.0);
        let physical = PositionBasedParams { iterations: options.iterations, ..PositionBasedParams::default() };
        let solver = if options.physical { physical } else { classic };
        Ok(Simulation::builder().body(body.with_constraints(threads)).solver(solver).build()?)
    }

    /// Lowest point, mean height, and the largest distance from the row over that at rest.
    fn shape(&self, x: &[Vec3]) -> String {
        let distance = |x: &[Vec3], v: usize| x[v].distance(x[self.row[v % (self.cells + 1)] as usize]);
        let others = 0..self.cells * (self.cells + 1);
        let stretch = others.map(|v| distance(x, v) / distance(&self.mesh.positions, v)).fold(0.0, f64::max);
        let lowest = x.iter().fold(f64::INFINITY, |low, p| low.min(p.y));
        let height = x.iter().map(|p| p.y).sum::<f64>() / x.len() as f64;
        format!(
            "lowest point {lowest:.4} m, mean height {height:.4} m, distance from the row {stretch:.6} of that at rest"
        )
    }
}

/// Best, median and worst of some times \[ms\].
fn summary(mut times: Vec<f64>) -> String {
    times.sort_by(f64::total_cmp);
    let (worst, median) = (times.len() - 1, times[times.len() / 2]);
    format!(
        "{:.3} ms at best, {median:.3} median, {:.3} at worst: {:.0} frames a second",
        times[0],
        times[worst],
        1e3 / median
    )
}

fn main() -> Result<(), Box<dyn Error>> {
    let options = options()?;
    let cloth = Cloth::new(options.cells)?;
    let choice = DeviceChoice { name: std::env::var("PLIANT_GPU").ok(), ..DeviceChoice::default() };
    let device = Device::open(&choice)?;
    let begun = Instant::now();
    let mut world = GpuParticles::new(&device, cloth.world(&options)?)?;
    let (vertices, springs) = (cloth.mesh.positions.len(), cloth.mesh.edges().len());
    println!(
        "{vertices} vertices, {springs} springs, {} threads on {}",
        vertices - cloth.row.len(),
        device.adapter().name
    );
    let dispatches: usize = world.programs().iter().map(|program| program.dispatches().len()).sum();
    println!("made in {:.0} ms, {dispatches} dispatches a frame", begun.elapsed().as_secs_f64() * 1e3);
    (0..BEFORE).try_for_each(|_| world.step())?;
    let (mut by_device, mut by_clock) = (Vec::new(), Vec::new());
    for _ in 0..options.frames {
        let timing = world.timed_step()?;
        by_device.extend(timing.device);
        by_clock.push(timing.wall);
    }
    if !by_device.is_empty() {
        println!("a frame by the clock of the device: {}", summary(by_device));
    }
    println!("a frame from recording it to its end: {}", summary(by_clock));
    // As a program does that draws: frames are asked for one after the other, and nobody waits for each.
    let begun = Instant::now();
    (0..options.frames).try_for_each(|_| world.step())?;
    world.request_positions()?.wait()?;
    let each = begun.elapsed().as_secs_f64() * 1e3 / options.frames as f64;
    println!("a frame of {} in a row, by the wall: {each:.3} ms: {:.0} frames a second", options.frames, 1e3 / each);
    let frames = BEFORE + 2 * options.frames;
    println!("after {frames} frames: {}", cloth.shape(world.sync()?.positions()));
    let program = &world.programs()[0];
    let mut by_kernel: BTreeMap<&str, (usize, f64)> = BTreeMap::new();
    for (dispatch, time) in program.dispatches().iter().zip(device.profile(program, PROFILES)?) {
        let own = by_kernel.entry(dispatch.name()).or_default();
        *own = (own.0 + 1, own.1 + time);
    }
    for (name, (count, time)) in &by_kernel {
        println!("{name:>14}: {count:4} dispatches, {time:.3} ms");
    }
    if options.cpu {
        compare(&cloth, &options, &device)?;
    }
    Ok(())
}

/// Steps the engine beside the device.
fn compare(cloth: &Cloth, options: &Options, device: &Device) -> Result<(), Box<dyn Error>> {
    let mut sim = cloth.world(options)?;
    let mut world = GpuParticles::new(device, cloth.world(options)?)?;
    let mut times = Vec::new();
    for frame in 1..=60 {
        let begun = Instant::now();
        sim.step()?;
        times.push(begun.elapsed().as_secs_f64() * 1e3);
        world.step()?;
        if [1, 10, 60].contains(&frame) {
            let found = world.sync()?.positions();
            let gap = sim.positions().iter().zip(found).fold(0.0, |most: f64, (a, b)| most.max(a.distance(*b)));
            println!("after {frame} frames: {:.1e} of the diagonal from the CPU", gap / sim.model().diagonal());
            println!("  CPU    {}\n  device {}", cloth.shape(sim.positions()), cloth.shape(found));
        }
    }
    println!("a frame of the CPU: {}", summary(times));
    Ok(())
}
