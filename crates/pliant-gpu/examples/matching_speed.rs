//! How long a step of shape matching takes on a GPU, as a whole and kernel by kernel: the block of `pliant-bench matching`, 31³ particles, and one of a hundred along
//! each side: `cargo run --release -p pliant-gpu --example matching_speed -- [ALONG...] [--width W] [--steps N] [--cpu]`. With `--cpu` the engine steps beside it.

use std::collections::BTreeMap;
use std::error::Error;
use std::time::Instant;

use pliant::Lattice;
use pliant::prelude::*;
use pliant_gpu::device::{Device, DeviceChoice};
use pliant_gpu::{GpuMatching, ResidentWorld};

/// As in the benchmark.
const SPACING: f64 = 0.02;
const ITERATIONS: usize = 4;
/// Runs of a profile; each is a step.
const PROFILES: usize = 5;

struct Options {
    along: Vec<usize>,
    width: usize,
    steps: usize,
    cpu: bool,
}

fn options() -> Result<Options, Box<dyn Error>> {
    let mut options = Options { along: Vec::new(), width: 3, steps: 60, cpu: false };
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--cpu" => options.cpu = true,
            "--width" => options.width = arguments.next().ok_or("--width needs a number")?.parse()?,
            "--steps" => options.steps = arguments.next().ok_or("--steps needs a number")?.parse()?,
            number => options.along.push(number.parse()?),
        }
    }
    if options.along.is_empty() {
        options.along = vec![31, 100];
    }
    Ok(options)
}

/// Best, median and worst of some times \[ms\].
fn summary(mut times: Vec<f64>) -> String {
    times.sort_by(f64::total_cmp);
    let worst = times.len() - 1;
    format!("{:.3} ms at best, {:.3} median, {:.3} at worst", times[0], times[times.len() / 2], times[worst])
}

/// A block that is stretched and twisted, so that limits are reached.
fn block(along: usize, width: usize) -> Result<Simulation, Box<dyn Error>> {
    let lattice = Lattice::block([along; 3], SPACING)?;
    let bent = |r: &Vec3| {
        let (sin, cos) = (0.8 * r.y).sin_cos();
        Vec3::new(cos * r.x + sin * r.z, 1.3 * r.y, cos * r.z - sin * r.x)
    };
    let start = lattice.points().positions.iter().map(bent).collect();
    let matching = Matching { limit: Some(0.05), ..Matching::new(lattice.regions(width)) };
    let body = Body::points(&lattice.points(), 0.01).with_matching(matching).with_positions(start);
    let solver = PositionBasedParams { iterations: ITERATIONS, ..PositionBasedParams::default() };
    Ok(Simulation::builder().body(body).solver(solver).gravity(Vec3::ZERO).build()?)
}

fn main() -> Result<(), Box<dyn Error>> {
    let options = options()?;
    let choice = DeviceChoice { name: std::env::var("PLIANT_GPU").ok(), ..DeviceChoice::default() };
    let device = Device::open(&choice)?;
    for along in options.along {
        let begun = Instant::now();
        let mut world = GpuMatching::new(&device, block(along, options.width)?)?;
        println!(
            "{} particles in cubes of width {} on {}: made in {:.0} ms, {} dispatches a step",
            along.pow(3),
            options.width,
            device.adapter().name,
            begun.elapsed().as_secs_f64() * 1e3,
            world.program().dispatches().len()
        );
        let (mut by_device, mut by_clock) = (Vec::new(), Vec::new());
        for _ in 0..options.steps {
            let timing = world.timed_step()?;
            by_device.extend(timing.device);
            by_clock.push(timing.wall);
        }
        if !by_device.is_empty() {
            println!("  a step by the clock of the device: {}", summary(by_device));
        }
        println!("  a step from recording it to its end: {}", summary(by_clock));
        let reached = world.sync()?.positions().to_vec();
        // Steps one after the other without waiting, as a program takes them.
        let begun = Instant::now();
        for _ in 0..options.steps {
            world.step()?;
        }
        world.sync()?;
        println!("  without waiting: {:.3} ms a step", begun.elapsed().as_secs_f64() * 1e3 / options.steps as f64);
        let times = device.profile(world.program(), PROFILES)?;
        let mut by_kernel: BTreeMap<&str, (usize, f64)> = BTreeMap::new();
        for (dispatch, time) in world.program().dispatches().iter().zip(&times) {
            let entry = by_kernel.entry(dispatch.name()).or_default();
            *entry = (entry.0 + 1, entry.1 + time);
        }
        for (name, (count, all)) in by_kernel {
            println!("  {name:>13}: {count} of {:.1} µs", all * 1e3 / count as f64);
        }
        if options.cpu {
            let mut sim = block(along, options.width)?;
            let mut times = Vec::new();
            for _ in 0..options.steps {
                let begun = Instant::now();
                sim.step()?;
                times.push(begun.elapsed().as_secs_f64() * 1e3);
            }
            let apart = sim.positions().iter().zip(&reached).map(|(a, b)| a.distance(*b));
            let most = apart.fold(0.0, f64::max) / sim.model().diagonal();
            println!("  a step on the CPU: {}", summary(times));
            println!("  after {} steps particles are {most:.1e} diagonals apart at most", options.steps);
        }
    }
    Ok(())
}
