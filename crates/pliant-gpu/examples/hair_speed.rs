//! How long a frame of hair takes on a GPU, as a whole and kernel by kernel: the engine's `examples/hair.rs`, ten thousand strands of sixteen points on a
//! turning head: `cargo run --release -p pliant-gpu --example hair_speed -- [STRANDS] [--frames N] [--cpu]`. With `--cpu` the engine steps beside it.

use std::collections::BTreeMap;
use std::error::Error;
use std::time::Instant;

use pliant::collide::{Key, Pose};
use pliant::mesh::StrandSet;
use pliant::mesh::generate::Scalp;
use pliant::prelude::*;
use pliant_gpu::device::{Device, DeviceChoice};
use pliant_gpu::{GpuHair, ResidentWorld};

/// Runs of a profile; each is a step.
const PROFILES: usize = 5;

struct Options {
    strands: usize,
    frames: usize,
    cpu: bool,
}

fn options() -> Result<Options, Box<dyn Error>> {
    let mut options = Options { strands: 10_000, frames: 60, cpu: false };
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--cpu" => options.cpu = true,
            "--frames" => options.frames = arguments.next().ok_or("--frames needs a number")?.parse()?,
            number => options.strands = number.parse()?,
        }
    }
    Ok(options)
}

/// How the head is turned at a time \[s\].
fn turn(time: f64) -> Quat {
    Quat::from_rotation_y((4.0 * time).sin())
}

/// Best, median and worst of some times \[ms\].
fn summary(mut times: Vec<f64>) -> String {
    times.sort_by(f64::total_cmp);
    let worst = times.len() - 1;
    format!("{:.3} ms at best, {:.3} median, {:.3} at worst", times[0], times[times.len() / 2], times[worst])
}

fn world(hair: &StrandSet, options: &Options, is_alone: bool, has_head: bool) -> Result<Simulation, Box<dyn Error>> {
    let grid = HairGrid { cell: 0.01, friction: 10.0, repulsion: 0.02 };
    let params = FollowLeaderParams { grid: (!is_alone).then_some(grid), ..FollowLeaderParams::default() };
    let roots = hair.strands.rows().map(|strand| strand[0]);
    let body = Body::strands(hair, &StrandMaterial { density: 1e-5, ..StrandMaterial::default() })?.pin(roots);
    let mut builder = Simulation::builder().body(body).solver(params);
    if has_head {
        let key = |time: f64| Key { time, pose: Pose { rotation: turn(time), ..Pose::default() } };
        let keys = (0..=3 * options.frames).map(|k| key(k as f64 / 60.0)).collect();
        builder = builder.collider(Collider::new(Shape::Sphere { radius: 0.1 }).moving(keys));
    }
    Ok(builder.build()?)
}

/// How hair hangs: height of its centre, its lowest vertex, and the largest error of a length.
fn shape(hair: &StrandSet, x: &[Vec3]) -> String {
    let height = x.iter().map(|p| p.y).sum::<f64>() / x.len() as f64;
    let lowest = x.iter().fold(f64::INFINITY, |low, p| low.min(p.y));
    let length = |x: &[Vec3], [a, b]: [u32; 2]| x[a as usize].distance(x[b as usize]);
    let error = |ends| (length(x, ends) / length(&hair.positions, ends) - 1.0).abs();
    let worst = hair.segments().map(error).fold(0.0, f64::max);
    format!("centre {height:.4} m high, lowest {lowest:.4} m, lengths within {worst:.1e}")
}

fn main() -> Result<(), Box<dyn Error>> {
    let options = options()?;
    let choice = DeviceChoice { name: std::env::var("PLIANT_GPU").ok(), ..DeviceChoice::default() };
    let device = Device::open(&choice)?;
    println!("{} strands of 16 points on {}", options.strands, device.adapter().name);
    let scalp = Scalp { radius: 0.101, cover: 0.45, count: options.strands, length: 0.3, segments: 15, curl: None };
    let hair = scalp.strands()?;
    for (what, is_alone, has_head) in
        [("hair alone", true, false), ("against hair", false, false), ("against hair and head", false, true)]
    {
        let mut sim = world(&hair, &options, is_alone, has_head)?;
        let h = sim.time_step();
        let mut on_device = GpuHair::new(&device, world(&hair, &options, is_alone, has_head)?)?;
        println!("{what}: {} dispatches", on_device.program().dispatches().len());
        let (mut by_device, mut by_clock, mut whole) = (Vec::new(), Vec::new(), Vec::new());
        for frame in 1..=options.frames {
            let (begun, rotation) = (Instant::now(), turn(frame as f64 * h));
            on_device.move_pins(|_, rest| rotation * rest)?;
            let timing = on_device.timed_step()?;
            whole.push(begun.elapsed().as_secs_f64() * 1e3);
            by_device.extend(timing.device);
            by_clock.push(timing.wall);
        }
        if !by_device.is_empty() {
            println!("  a frame by the clock of the device: {}", summary(by_device));
        }
        println!("  a frame from recording it to its end: {}", summary(by_clock));
        println!("  with moving all roots before it: {}", summary(whole));
        println!("  after {} frames: {}", options.frames, shape(&hair, on_device.sync()?.positions()));
        // Frames one after the other without waiting, as a program takes them.
        let begun = Instant::now();
        for frame in 1..=options.frames {
            let rotation = turn((options.frames + frame) as f64 * h);
            on_device.move_pins(|_, rest| rotation * rest)?;
            on_device.step()?;
        }
        on_device.sync()?;
        println!("  without waiting: {:.3} ms a frame", begun.elapsed().as_secs_f64() * 1e3 / options.frames as f64);
        let times = device.profile(on_device.program(), PROFILES)?;
        let mut by_kernel: BTreeMap<&str, (usize, f64)> = BTreeMap::new();
        for (dispatch, time) in on_device.program().dispatches().iter().zip(&times) {
            let entry = by_kernel.entry(dispatch.name()).or_default();
            *entry = (entry.0 + 1, entry.1 + time);
        }
        for (name, (count, all)) in by_kernel {
            println!("  {name:>10}: {count} of {:.1} µs", all * 1e3 / count as f64);
        }
        if options.cpu {
            let mut times = Vec::new();
            for frame in 1..=options.frames {
                let rotation = turn(frame as f64 * h);
                sim.move_pins(|_, rest| rotation * rest)?;
                let begun = Instant::now();
                sim.step()?;
                times.push(begun.elapsed().as_secs_f64() * 1e3);
            }
            println!("  a frame on the CPU: {}", summary(times));
            println!("  after {} frames: {}", options.frames, shape(&hair, sim.positions()));
        }
    }
    Ok(())
}
