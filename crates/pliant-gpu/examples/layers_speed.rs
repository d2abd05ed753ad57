//! How long it takes to keep the layers of a folded cloth apart on a GPU, as a whole and kernel by kernel:
//! `cargo run --release -p pliant-gpu --example layers_speed -- [VERTICES] [--moves M] [--size METRES]`. Each move goes on from where the last one came to; the exact test judges the
//! last one.

use std::collections::BTreeMap;
use std::error::Error;

use pliant::SelfCollision;
use pliant::prelude::*;
use pliant::proximity::{Primitives, intersections};
use pliant_gpu::GpuLayers;
use pliant_gpu::device::{Device, DeviceChoice, Program};

/// Runs of a profile.
const PROFILES: usize = 5;
/// Length of the straight pieces of the folds, and the distance between layers \[m\].
const STRAIGHT: f64 = 0.1;
const APART: f64 = 0.003;

struct Options {
    vertices: usize,
    moves: usize,
    size: f64,
}

fn options() -> Result<Options, Box<dyn Error>> {
    let mut options = Options { vertices: 103_041, moves: 10, size: 1e-4 };
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--moves" => options.moves = arguments.next().ok_or("--moves needs a number")?.parse()?,
            "--size" => options.size = arguments.next().ok_or("--size needs a length")?.parse()?,
            number => options.vertices = number.parse()?,
        }
    }
    Ok(options)
}

/// A square cloth in folds, layer upon layer, with edges of 3 mm.
fn folded(vertices: usize) -> Result<(Simulation, Vec<Vec3>), Box<dyn Error>> {
    let cells = ((vertices as f64).sqrt().round() as usize).max(3) - 1;
    let side = cells as f64 * 0.003;
    let sheet = Sheet { width: side, height: side, columns: cells, rows: cells, plane: Plane::Xz, ..Sheet::default() };
    let cloth = Body::cloth(&sheet.mesh()?, &ClothMaterial::default())?;
    let sim = Simulation::builder().body(cloth).build()?;
    let (radius, bend) = (0.5 * APART, std::f64::consts::PI * 0.5 * APART);
    let fold = |p: &Vec3| {
        let along = p.x + 0.5 * side;
        let number = (along / (STRAIGHT + bend)).floor();
        let rest = along - number * (STRAIGHT + bend);
        let (mut x, mut y) = (rest.min(STRAIGHT), 0.0);
        if rest > STRAIGHT {
            let angle = (rest - STRAIGHT) / radius;
            (x, y) = (STRAIGHT + radius * angle.sin(), radius * (1.0 - angle.cos()));
        }
        if number as i64 % 2 == 1 {
            x = STRAIGHT - x;
        }
        // Sheared a little, so that vertices do not lie exactly over each other.
        Vec3::new(x, y + APART * number, p.z + 0.1 * along)
    };
    let x = sim.positions().iter().map(fold).collect();
    Ok((sim, x))
}

/// Waves that go through all layers, stronger in some than in others.
fn wave(p: Vec3, size: f64, number: usize) -> Vec3 {
    let phase = number as f64;
    let up = (60.0 * p.x + phase).sin() * (45.0 * p.z - 2.0 * phase).cos() * (400.0 * p.y + phase).sin();
    p + size * Vec3::new((50.0 * p.z + phase).sin(), 2.0 * up, (55.0 * p.x - phase).cos()) - Vec3::Y * 4.0 * size
}

fn profile(device: &Device, name: &str, program: &Program) -> Result<(), Box<dyn Error>> {
    let times = device.profile(program, PROFILES)?;
    let mut kernels: BTreeMap<&str, (usize, f64)> = BTreeMap::new();
    for (dispatch, time) in program.dispatches().iter().zip(&times) {
        let (count, sum) = kernels.entry(dispatch.name()).or_default();
        (*count, *sum) = (*count + 1, *sum + time);
    }
    println!("{name}: {} dispatches, {:.3} ms one by one", program.dispatches().len(), times.iter().sum::<f64>());
    for (kernel, (count, time)) in kernels {
        println!("  {kernel:20} {count:4} × {:9.4} ms", time / count as f64);
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let options = options()?;
    let (sim, mut x) = folded(options.vertices)?;
    let device = Device::open(&DeviceChoice { name: std::env::var("PLIANT_GPU").ok(), ..DeviceChoice::default() })?;
    let settings = SelfCollision::default();
    let mut layers = GpuLayers::new(&device, sim.model(), &settings, 240.0 * 240.0, &x)?;
    println!("{} vertices on {}", x.len(), device.adapter().name);
    for number in 0..options.moves {
        let wanted: Vec<Vec3> = x.iter().map(|p| wave(*p, options.size, number)).collect();
        let contacts = layers.contacts(&wanted)?.len();
        // The same once more, with a clock.
        let listing = device.time(&[layers.contact_program()])?;
        let (reached, truncating) = layers.timed_truncate(&wanted)?;
        let report = layers.report()?;
        println!(
            "{number}: {contacts} contacts in {:.3} ms, truncated in {:.3} ms; {report:?}",
            listing.device.unwrap_or(listing.wall),
            truncating.device.unwrap_or(truncating.wall),
        );
        x = reached;
    }
    println!("{} intersections", intersections(&Primitives::new(sim.model().bodies()), &x).len());
    profile(&device, "sort", layers.begin_program())?;
    profile(&device, "contacts", layers.contact_program())?;
    let [first, rest] = layers.truncation_programs();
    profile(&device, "first pass of a truncation that has nothing to cut", first)?;
    profile(&device, "its other passes", rest)?;
    Ok(())
}
