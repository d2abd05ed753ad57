//! A dam of position-based fluid that breaks: milliseconds per frame over particles and threads.
//!
//! The survey prints one figure of such a fluid, "128k fluid particles simulated in 10ms/frame on the GPU" [Bender 2014, Figure 6], and neither
//! its steps in a frame nor its iterations nor the card. So this is beside it, not against it: as many particles, frames of 1/60 s.

use pliant::collide::{Collider, Shape};
use pliant::math::{Quat, Vec3};
use pliant::mesh::Placed;
use pliant::mesh::generate::particle_block;
use pliant::solve::PositionBasedParams;
use pliant::{Body, FluidMaterial, Simulation};
use serde::{Deserialize, Serialize};

use crate::BenchError;
use crate::frames::Plan;
use crate::machine;
use crate::table::{Table, or_dash, three_digits};
use crate::timing::Timing;

/// Frames in a second.
const FRAME_RATE: f64 = 60.0;
/// Steps of a frame.
const SUBSTEPS: usize = 2;
const ITERATIONS: usize = 4;
/// Distance of particles \[m\].
const SPACING: f64 = 0.02;
/// Layers of particles in the dam: as deep as two steps of four iterations hold.
const LAYERS: usize = 20;
/// The figure that is printed: particles, and \[ms\] per frame on a GPU [Bender 2014, Figure 6].
pub const PRINTED: (usize, f64) = (128_000, 10.0);

/// Dams of some numbers of particles on some numbers of threads.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct FluidResults {
    /// Name of the processor.
    pub processor: String,
    /// Programs that wanted to run when it began.
    pub load: Option<f64>,
    /// Frames before those that are timed, in which the dam breaks.
    pub frames_before: usize,
    /// Dam by dam.
    pub dams: Vec<DamResults>,
}

/// One dam on some threads.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct DamResults {
    /// Particles.
    pub particles: usize,
    /// Threads.
    pub threads: usize,
    /// A frame.
    pub frame: Timing,
    /// Mean excess over the rest density at the end, relative.
    pub mean_excess: f64,
    /// Particles that are out of the vessel or not finite at the end.
    pub lost: usize,
}

/// A dam of about `particles` in a vessel twice as long.
struct Dam {
    size: Vec3,
    vessel: Vec3,
}

impl Dam {
    fn new(particles: usize) -> Self {
        let side = (particles as f64 / LAYERS as f64).sqrt().round().max(1.0);
        let size = Vec3::new(side, LAYERS as f64, side) * SPACING;
        Self { size, vessel: Vec3::new(2.0 * size.x, size.y, size.z) }
    }

    fn simulation(&self, threads: usize) -> Result<Simulation, BenchError> {
        let wall = |normal: Vec3, at: Vec3| {
            Collider::new(Shape::Plane).at(at).turned(Quat::from_rotation_arc(Vec3::Y, normal))
        };
        let solver = PositionBasedParams { iterations: ITERATIONS, ..PositionBasedParams::default() };
        let mut builder = Simulation::builder().solver(solver).time_step(1.0 / (FRAME_RATE * SUBSTEPS as f64));
        for (normal, at) in [
            (Vec3::Y, Vec3::ZERO),
            (Vec3::X, Vec3::ZERO),
            (Vec3::NEG_X, self.vessel),
            (Vec3::Z, Vec3::ZERO),
            (Vec3::NEG_Z, self.vessel),
        ] {
            builder = builder.collider(wall(normal, at));
        }
        let block = particle_block(self.size, SPACING)?.translated(0.5 * self.size);
        let material = FluidMaterial { spacing: SPACING, ..FluidMaterial::default() };
        Ok(builder.body(Body::fluid(&block, &material)?).threads(threads).build()?)
    }

    /// Particles that are not in the vessel.
    fn lost(&self, sim: &Simulation) -> usize {
        let is_inside =
            |p: &Vec3| p.is_finite() && p.min_element() >= 0.0 && p.x <= self.vessel.x && p.z <= self.vessel.z;
        sim.positions().iter().filter(|p| !is_inside(p)).count()
    }
}

/// The world of a dam of about so many particles on one thread, and the steps of a frame.
pub(crate) fn world(particles: usize) -> Result<(Simulation, usize), BenchError> {
    Ok((Dam::new(particles).simulation(1)?, SUBSTEPS))
}

/// Runs dams of these numbers of particles, all threads in turns.
pub fn measure(
    particles: &[usize],
    threads: &[usize],
    frames_before: usize,
    frames: usize,
) -> Result<FluidResults, BenchError> {
    let mut results =
        FluidResults { processor: machine::processor(), load: machine::load(), frames_before, dams: Vec::new() };
    for &particles in particles {
        let dam = Dam::new(particles);
        let plan = Plan { steps: SUBSTEPS, before: frames_before, timed: frames };
        for run in plan.measure(threads, |threads| dam.simulation(threads))? {
            results.dams.push(DamResults {
                particles: run.sim.positions().len(),
                threads: run.threads,
                frame: run.frame,
                mean_excess: run.last.solve.fluid.map_or(0.0, |fluid| fluid.mean_excess),
                lost: dam.lost(&run.sim),
            });
        }
    }
    Ok(results)
}

/// The results as a table, and what the survey prints.
pub fn table(results: &FluidResults) -> Table {
    let heading = ["", "particles", "threads", "frame [ms]", "median", "µs/particle", "excess density", "lost"];
    let mut table = Table::new(heading);
    for dam in &results.dams {
        table.row(vec![
            "Pliant".to_owned(),
            dam.particles.to_string(),
            dam.threads.to_string(),
            three_digits(dam.frame.min),
            three_digits(dam.frame.median),
            three_digits(1e3 * dam.frame.min / dam.particles as f64),
            format!("{:.2} %", 100.0 * dam.mean_excess),
            dam.lost.to_string(),
        ]);
    }
    let (particles, ms) = PRINTED;
    let mut row = vec!["[Bender 2014, Figure 6], a GPU".to_owned(), particles.to_string(), "–".to_owned()];
    row.extend([
        three_digits(ms),
        or_dash(None),
        three_digits(1e3 * ms / particles as f64),
        or_dash(None),
        or_dash(None),
    ]);
    table.row(row);
    table
}

/// What is measured, in a paragraph.
pub fn description(results: &FluidResults) -> String {
    let load = results.load.map_or_else(|| "unknown".to_owned(), |load| format!("{load:.1}"));
    format!(
        "A dam of {LAYERS} layers of particles, {SPACING} m apart, breaks in a container twice as long; a frame of 1/{FRAME_RATE} s is {SUBSTEPS} \
         steps of {ITERATIONS} iterations, timed after {} frames. On {}, load {load}. The survey prints \"128k fluid particles simulated in \
         10ms/frame on the GPU\" but does not give its steps, iterations or graphics card.",
        results.frames_before, results.processor
    )
}
