//! Particles, hair and shape matching whose state stays on a GPU, and the same worlds on the CPU.

use std::time::Instant;

use pliant::collide::{Collider, Key, Pose, Shape};
use pliant::math::{Quat, Vec3, diagonal};
use pliant::mesh::generate::Scalp;
use pliant::prelude::HairGrid;
use pliant::solve::{FollowLeaderParams, SolverChoice};
use pliant::upsample::UpsampleError;
use pliant::{Body, Simulation, StrandMaterial};
use pliant_gpu::device::{Device, DeviceChoice};
use pliant_gpu::{GpuUpsampleError, GpuUpsampler, ResidentWorld, resident};
use serde::{Deserialize, Serialize};

use super::GpuResults;
use crate::table::{Table, or_dash, three_digits};
use crate::timing::Timing;
use crate::upsampling::{self, waved};
use crate::{BenchError, attachments, fluid};

/// Frames before those that are timed, in which dams break and hair begins to swing.
const BEFORE: usize = 15;
/// Frames on the CPU.
const CPU_FRAMES: usize = 4;
/// What is measured, in a paragraph.
pub const RESIDENTS: &str = "Worlds of the position-based solver and of hair: the dam of `pliant-bench fluid` (a frame is 2 steps of 4 iterations), the cloth of `pliant-bench attachments` (a step of 10 iterations), and strands of 16 points on a head that turns, against each other on a grid (a step). A fine surface is shown with detail that was learnt, over coarse positions that are sent in each frame (`pliant-bench upsampling` has the meshes). `apart` is the largest distance between device and CPU after the first frame, over the diagonal. The survey prints 10 ms for 128 thousand particles on a GPU, and 20 frames a second for the cloth.";

/// What is measured of them.
#[derive(Debug, Clone, clap::Args)]
pub(super) struct Options {
    /// Particles of a dam, about; may be repeated.
    #[arg(long, default_values_t = [128_000, 1_000_000])]
    fluid: Vec<usize>,
    /// Cells along a side of a cloth with long-range attachments; may be repeated.
    #[arg(long, default_values_t = [300])]
    attached: Vec<usize>,
    /// Strands of hair; may be repeated.
    #[arg(long, default_values_t = [10_000])]
    hair: Vec<usize>,
    /// Fine surfaces of `pliant-bench upsampling`, by name; may be repeated.
    #[arg(long, default_values_t = ["piu", "pdm", "pdm in three directions", "wpsd of as many"].map(str::to_owned))]
    fine: Vec<String>,
}

/// One world.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ResidentResults {
    /// What it is.
    pub name: String,
    /// Its vertices.
    pub vertices: usize,
    /// A frame by the clock of the device \[ms\].
    pub device: Option<Timing>,
    /// A frame by the wall \[ms\].
    pub wall: Timing,
    /// A frame on the CPU \[ms\].
    pub cpu: Option<Timing>,
    /// Largest distance from the CPU after the first frame, over the diagonal.
    pub distance: Option<f64>,
}

/// Hair on a head that turns to and fro.
fn hair(strands: usize) -> Result<Simulation, BenchError> {
    let scalp = Scalp { radius: 0.101, cover: 0.45, count: strands, length: 0.3, segments: 15, curl: None };
    let set = scalp.strands()?;
    let roots: Vec<u32> = set.strands.rows().map(|strand| strand[0]).collect();
    let grid = HairGrid { cell: 0.01, friction: 10.0, repulsion: 0.02 };
    let params = FollowLeaderParams { grid: Some(grid), ..FollowLeaderParams::default() };
    let key = |frame: u32| {
        let time = f64::from(frame) / 60.0;
        Key { time, pose: Pose { rotation: turn(time), ..Pose::default() } }
    };
    let head = Collider::new(Shape::Sphere { radius: 0.1 }).moving((0..600).map(key).collect());
    let body = Body::strands(&set, &StrandMaterial { density: 1e-5, ..StrandMaterial::default() })?.pin(roots);
    Ok(Simulation::builder().body(body).collider(head).solver(SolverChoice::from(params)).build()?)
}

/// How the head is turned at a time \[s\].
fn turn(time: f64) -> Quat {
    Quat::from_rotation_y((4.0 * time).sin())
}

/// Where roots are at the end of a frame: on the head.
fn roots(sim: &Simulation, frame: usize) -> Vec<Vec3> {
    let rotation = turn((frame + 1) as f64 / 60.0);
    sim.model().pinned().iter().map(|&v| rotation * sim.model().rest()[v as usize]).collect()
}

/// A world, the steps of a frame, and whether its pins are roots of hair.
type World = (Simulation, usize, bool);

/// Measures all of them.
pub(super) fn measure(
    options: &Options,
    choice: &DeviceChoice,
    frames: usize,
    has_cpu: bool,
) -> Result<Vec<ResidentResults>, BenchError> {
    let mut all = Vec::new();
    let mut one = |name: String, world: &dyn Fn() -> Result<World, BenchError>| {
        all.push(measure_one(name, world, choice, frames, has_cpu)?);
        Ok::<(), BenchError>(())
    };
    for &particles in &options.fluid {
        one(format!("dam, {particles} particles"), &|| {
            fluid::world(particles).map(|(sim, steps)| (sim, steps, false))
        })?;
    }
    for &cells in &options.attached {
        one(format!("attached cloth {cells}²"), &|| attachments::world(cells).map(|sim| (sim, 1, false)))?;
    }
    for &strands in &options.hair {
        one(format!("hair, {strands} × 16"), &|| hair(strands).map(|sim| (sim, 1, true)))?;
    }
    for name in &options.fine {
        all.push(measure_fine(name, choice, frames, has_cpu)?);
    }
    Ok(all)
}

/// A fine surface with detail that was learnt, over a coarse one that comes from the host in each frame.
fn measure_fine(
    name: &str,
    choice: &DeviceChoice,
    frames: usize,
    has_cpu: bool,
) -> Result<ResidentResults, BenchError> {
    eprintln!("fine surface, {name}");
    let Some((mesh, model)) = upsampling::learnt(name)? else {
        return Err(BenchError::NotResident(format!("there is no fine surface named {name:?}")));
    };
    let refused = |error: GpuUpsampleError| BenchError::from(UpsampleError::from(error));
    let seconds = 1.0 / 60.0;
    let mut there = GpuUpsampler::new(&Device::open(choice)?, &model).map_err(refused)?;
    let vertices = model.refinement().fine_mesh().positions.len();
    let (mut shown, mut exact) = (vec![Vec3::ZERO; vertices], vec![Vec3::ZERO; vertices]);
    let mut state = model.state();
    there.apply(&mut state, &waved(&mesh, 0), seconds, &mut shown).map_err(refused)?;
    super::warm_up(there.device())?;
    let (mut by_device, mut by_wall) = (Vec::new(), Vec::new());
    for frame in 1..=frames {
        let coarse = waved(&mesh, frame);
        let begun = Instant::now();
        there.show(&mut state, &coarse, seconds).map_err(refused)?;
        there.device().wait()?;
        by_wall.push(begun.elapsed().as_secs_f64());
        by_device.extend(there.device().time(&[there.program()])?.device.map(|ms| 1e-3 * ms));
    }
    let (mut cpu, mut distance) = (None, None);
    if has_cpu {
        let mut state = model.state();
        model.apply(&mut state, &waved(&mesh, 0), seconds, &mut exact)?;
        let farthest = shown.iter().zip(&exact).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
        distance = Some(farthest / diagonal(&mesh.positions));
        let mut by_cpu = Vec::new();
        for frame in 1..=CPU_FRAMES {
            let coarse = waved(&mesh, frame);
            let begun = Instant::now();
            model.apply(&mut state, &coarse, seconds, &mut exact)?;
            by_cpu.push(begun.elapsed().as_secs_f64());
        }
        cpu = Timing::of(by_cpu);
    }
    let wall = Timing::of(by_wall).unwrap_or(Timing { min: 0.0, median: 0.0, samples: 0 });
    eprintln!("  {:.3} ms by the wall", wall.median);
    Ok(ResidentResults {
        name: format!("fine surface, {name}"),
        vertices,
        device: Timing::of(by_device),
        wall,
        cpu,
        distance,
    })
}

fn measure_one(
    name: String,
    world: &dyn Fn() -> Result<World, BenchError>,
    choice: &DeviceChoice,
    frames: usize,
    has_cpu: bool,
) -> Result<ResidentResults, BenchError> {
    eprintln!("{name}");
    let (sim, steps, has_roots) = world()?;
    let (vertices, rest) = (sim.positions().len(), sim.model().rest().to_vec());
    let targets: Vec<Vec<Vec3>> = (0..BEFORE + frames).map(|frame| roots(&sim, frame)).collect();
    let mut there = resident(sim, choice).map_err(|error| BenchError::NotResident(error.to_string()))?;
    let aim = |there: &mut dyn ResidentWorld, frame: usize| match has_roots {
        true => there.move_pins(&targets[frame]),
        false => Ok(()),
    };
    // By the clock of the device, step by step; and by the wall, as one asks for them.
    let by_device = |there: &mut dyn ResidentWorld, frame: usize| -> Result<Option<f64>, BenchError> {
        aim(there, frame)?;
        let mut sum = Some(0.0);
        for _ in 0..steps {
            let timing = there.timed_step()?;
            sum = sum.zip(timing.and_then(|timing| timing.device)).map(|(a, b)| a + 1e-3 * b);
        }
        Ok(sum)
    };
    let by_wall = |there: &mut dyn ResidentWorld, frame: usize| -> Result<f64, BenchError> {
        let begun = Instant::now();
        aim(there, frame)?;
        for _ in 0..steps {
            there.step()?;
        }
        there.device().wait()?;
        Ok(begun.elapsed().as_secs_f64())
    };
    by_device(&mut *there, 0)?;
    let first = there.sync()?.positions().to_vec();
    for frame in 1..BEFORE {
        by_device(&mut *there, frame)?;
    }
    super::warm_up(there.device())?;
    let (mut device, mut wall) = (Vec::new(), Vec::new());
    for frame in BEFORE..BEFORE + frames {
        if frame % 2 == 0 {
            device.extend(by_device(&mut *there, frame)?);
        } else {
            wall.push(by_wall(&mut *there, frame)?);
        }
    }
    // What has gone wrong is told now.
    there.sync()?;
    // A device that has waited for the CPU is slower at first, so that comes last.
    let (mut cpu, mut distance) = (None, None);
    if has_cpu {
        let (mut sim, ..) = world()?;
        let diagonal = sim.model().diagonal();
        let mut seconds = Vec::new();
        for frame in 0..CPU_FRAMES {
            if has_roots {
                let rotation = turn((frame + 1) as f64 / 60.0);
                sim.move_pins(|v, _| rotation * rest[v as usize])?;
            }
            let begun = Instant::now();
            for _ in 0..steps {
                sim.step()?;
            }
            seconds.push(begun.elapsed().as_secs_f64());
            if frame == 0 {
                let gaps = sim.positions().iter().zip(&first).map(|(a, b)| a.distance(*b));
                distance = Some(gaps.fold(0.0, f64::max) / diagonal);
            }
        }
        cpu = Timing::of(seconds);
    }
    let (device, wall) = (Timing::of(device), Timing::of(wall).unwrap_or(Timing { min: 0.0, median: 0.0, samples: 0 }));
    eprintln!("  {:.3} ms by the device, {:.3} by the wall", device.map_or(f64::NAN, |time| time.median), wall.median);
    Ok(ResidentResults { name, vertices, device, wall, cpu, distance })
}

/// The results as a table.
pub fn resident_table(results: &GpuResults) -> Table {
    let mut table = Table::new(["", "vertices", "frame [ms]", "wall [ms]", "CPU [ms]", "apart"]);
    for world in &results.residents {
        table.row(vec![
            world.name.clone(),
            world.vertices.to_string(),
            or_dash(world.device.map(|time| time.median)),
            three_digits(world.wall.median),
            or_dash(world.cpu.map(|time| time.median)),
            world.distance.map_or_else(|| or_dash(None), |gap| format!("{gap:.0e}")),
        ]);
    }
    table
}
