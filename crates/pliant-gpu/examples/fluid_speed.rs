//! How long a step of the benchmark's dam takes on a GPU, as a whole and kernel by kernel:
//! `cargo run --release -p pliant-gpu --example fluid_speed -- [PARTICLES] [--steps N] [--cpu]`. With `--cpu` the engine steps beside it.

use std::collections::BTreeMap;
use std::error::Error;
use std::time::Instant;

use pliant::mesh::Placed;
use pliant::mesh::generate::particle_block;
use pliant::prelude::*;
use pliant_gpu::device::{Device, DeviceChoice};
use pliant_gpu::{FluidWorld, GpuFluid};

const SPACING: f64 = 0.02;
/// Layers of particles, as in `pliant-bench fluid`.
const LAYERS: f64 = 20.0;
const ITERATIONS: usize = 4;
/// Two steps for a frame.
const TIME_STEP: f64 = 1.0 / 120.0;
/// Runs of a profile; each is a step.
const PROFILES: usize = 5;

struct Options {
    particles: usize,
    steps: usize,
    cpu: bool,
}

fn options() -> Result<Options, Box<dyn Error>> {
    let mut options = Options { particles: 128_000, steps: 120, cpu: false };
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--cpu" => options.cpu = true,
            "--steps" => options.steps = arguments.next().ok_or("--steps needs a number")?.parse()?,
            number => options.particles = number.parse()?,
        }
    }
    Ok(options)
}

/// A dam that breaks in a vessel twice as long.
fn dam(particles: usize) -> Result<(Simulation, Vec3), Box<dyn Error>> {
    let side = (particles as f64 / LAYERS).sqrt().round().max(1.0);
    let size = Vec3::new(side, LAYERS, side) * SPACING;
    let vessel = Vec3::new(2.0 * size.x, size.y, size.z);
    let wall =
        |normal: Vec3, at: Vec3| Collider::new(Shape::Plane).at(at).turned(Quat::from_rotation_arc(Vec3::Y, normal));
    let solver = PositionBasedParams { iterations: ITERATIONS, ..PositionBasedParams::default() };
    let mut builder = Simulation::builder().solver(solver).time_step(TIME_STEP);
    for (normal, at) in [
        (Vec3::Y, Vec3::ZERO),
        (Vec3::X, Vec3::ZERO),
        (Vec3::NEG_X, vessel),
        (Vec3::Z, Vec3::ZERO),
        (Vec3::NEG_Z, vessel),
    ] {
        builder = builder.collider(wall(normal, at));
    }
    let block = particle_block(size, SPACING)?.translated(0.5 * size);
    let water = FluidMaterial { spacing: SPACING, ..FluidMaterial::default() };
    Ok((builder.body(Body::fluid(&block, &water)?.named("water")).build()?, vessel))
}

/// Best, median and worst of some times \[ms\].
fn summary(mut times: Vec<f64>) -> String {
    times.sort_by(f64::total_cmp);
    let worst = times.len() - 1;
    format!("{:.3} ms at best, {:.3} median, {:.3} at worst", times[0], times[times.len() / 2], times[worst])
}

/// How the water stands: height of its centre, its front, and mean excess of the density.
fn shape(positions: &[Vec3], densities: &[f64], vessel: Vec3) -> String {
    let count = positions.len() as f64;
    let height = positions.iter().map(|p| p.y).sum::<f64>() / count;
    let front = positions.iter().fold(f64::NEG_INFINITY, |most, p| most.max(p.x));
    let excess = densities.iter().map(|density| (density - 1.0).max(0.0)).sum::<f64>() / count;
    let is_inside = |p: &&Vec3| p.is_finite() && p.min_element() >= 0.0 && p.x <= vessel.x && p.z <= vessel.z;
    let lost = positions.len() - positions.iter().filter(is_inside).count();
    format!("centre {height:.4} m high, front at {front:.4} m, excess density {:.2} %, lost {lost}", 100.0 * excess)
}

fn main() -> Result<(), Box<dyn Error>> {
    let options = options()?;
    let (mut sim, vessel) = dam(options.particles)?;
    let choice = DeviceChoice { name: std::env::var("PLIANT_GPU").ok(), ..DeviceChoice::default() };
    let device = Device::open(&choice)?;
    let begun = Instant::now();
    let mut fluid = GpuFluid::new(&device, &FluidWorld::of(&sim)?)?;
    fluid.state()?;
    println!("{} particles on {}", fluid.len(), device.adapter().name);
    println!("made in {:.0} ms, {} dispatches a step", begun.elapsed().as_secs_f64() * 1e3, {
        fluid.program().dispatches().len()
    });
    let (mut by_device, mut by_clock) = (Vec::new(), Vec::new());
    for _ in 0..options.steps {
        let timing = device.time(&[fluid.program()])?;
        by_device.extend(timing.device);
        by_clock.push(timing.wall);
    }
    if !by_device.is_empty() {
        println!("a step by the clock of the device: {}", summary(by_device));
    }
    println!("a step from recording it to its end: {}", summary(by_clock));
    let state = fluid.state()?;
    let densities: Vec<f64> = fluid.densities()?.into_iter().map(f64::from).collect();
    println!("after {} steps: {}", options.steps, shape(&state.positions, &densities, vessel));
    println!("pressure of cells: {:?}", state.pressure);
    // Steps one after the other without waiting, as a program takes them.
    let begun = Instant::now();
    for _ in 0..options.steps {
        fluid.step()?;
    }
    fluid.state()?;
    println!("without waiting: {:.3} ms a step", begun.elapsed().as_secs_f64() * 1e3 / options.steps as f64);
    let times = device.profile(fluid.program(), PROFILES)?;
    let mut by_kernel: BTreeMap<&str, (usize, f64)> = BTreeMap::new();
    for (dispatch, time) in fluid.program().dispatches().iter().zip(&times) {
        let entry = by_kernel.entry(dispatch.name()).or_default();
        *entry = (entry.0 + 1, entry.1 + time);
    }
    let mut kernels: Vec<_> = by_kernel.into_iter().collect();
    kernels.sort_by(|a, b| b.1.1.total_cmp(&a.1.1));
    println!("{:>18} {:>10} {:>10} {:>10}", "kernel", "dispatches", "all [µs]", "each [µs]");
    for (name, (count, all)) in kernels {
        println!("{name:>18} {count:>10} {:>10.1} {:>10.2}", all * 1e3, all * 1e3 / count as f64);
    }
    if options.cpu {
        let mut other = GpuFluid::new(&device, &FluidWorld::of(&sim)?)?;
        let mut times = Vec::new();
        for step in 0..options.steps {
            let begun = Instant::now();
            sim.step()?;
            times.push(begun.elapsed().as_secs_f64() * 1e3);
            if step == 0 {
                other.step()?;
                let state = other.state()?;
                let apart = sim.positions().iter().zip(&state.positions).map(|(a, b)| a.distance(*b));
                println!("the first step differs by {:.1e} spacings at most", apart.fold(0.0, f64::max) / SPACING);
            }
        }
        println!("a step on the CPU: {}", summary(times));
        let readings = sim.fluid_readings("water")?.ok_or("it has been stepped")?;
        let rest_density = FluidMaterial::default().density;
        let densities: Vec<f64> = readings.densities.iter().map(|density| density / rest_density).collect();
        println!("after {} steps: {}", options.steps, shape(sim.positions(), &densities, vessel));
    }
    Ok(())
}
