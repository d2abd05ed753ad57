//! Shape matching on a lattice on a device: the engine's method (`matter/matching` there) with its formulas and in its order, in f32.
//!
//! | file | does |
//! |---|---|
//! | `world` | which worlds can stay on a device |
//! | `lattice` | what kernels have to know of rows and regions |
//! | `program` | the buffers, and the kernels of a substep one after the other |
//! | `begin` | where particles go by inertia |
//! | `damp`, `keep` | how regions move as wholes, and what damping leaves |
//! | `bars`, `plates`, `fit` | sums over cubes in three passes, and the rotation of each region |
//! | `spread`, `pull` | the same passes back to the goals of particles |
//! | `answer` | how the body answers to limits |
//! | `go`, `finish` | movements, colliders, velocities; with the contacts of `fluid` |
//!
//! Departure: the engine's passes are differences of prefix sums, whose cost does not depend on the width. Here each pass adds up the 2 w + 1 values that it needs: for the widths
//! in use that is as fast as memory, and sums count from the particle itself, so that f32 loses nothing. Every sum has a fixed order, and results have the same bits in every
//! run on one adapter.

mod lattice;
mod program;
mod world;

use pliant::Simulation;
use pliant::math::Vec3;

use crate::device::{Device, Program, Timing};
use crate::error::GpuError;
use crate::resident::{HostSide, PendingState, ResidentState, ResidentWorld};
use crate::world::GpuWorldError;
use program::{Buffers, rows};
use world::Matched;

/// A world of one body that is matched on a lattice, whose state stays on a device.
///
/// ```
/// use pliant::Lattice;
/// use pliant::prelude::*;
/// use pliant_gpu::{GpuMatching, ResidentWorld};
/// use pliant_gpu::device::{Device, DeviceChoice};
/// # if Device::adapters().is_empty() { return Ok(()) }
/// let lattice = Lattice::block([8, 6, 6], 0.05)?;
/// let body = lattice.body(1000.0).with_matching(Matching::new(lattice.regions(2)));
/// let ground = Collider::new(Shape::Plane).at(Vec3::NEG_Y * 0.1);
/// let solver = PositionBasedParams { iterations: 4, ..PositionBasedParams::default() };
/// let sim = Simulation::builder().body(body).collider(ground).solver(solver).build()?;
/// let mut world = GpuMatching::new(&Device::open(&DeviceChoice::default())?, sim)?;
/// for _ in 0..30 {
///     world.step()?;
/// }
/// assert!(world.sync()?.positions().iter().all(|p| p.y > -0.101), "it lies on the ground");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct GpuMatching {
    host: HostSide,
    device: Device,
    matched: Matched,
    buffers: Buffers,
    /// A substep.
    program: Program,
    /// The place from which places are counted \[m\].
    centre: Vec3,
    /// The share of their way that the device knows that pinned particles go.
    told: Option<f64>,
}

impl GpuMatching {
    /// Brings a world there. What is not supported is refused by name.
    pub fn new(device: &Device, sim: Simulation) -> Result<Self, GpuWorldError> {
        Ok(Self::prepare(device, &sim)?(sim))
    }

    /// Refuses what would be left out.
    pub(crate) fn check(sim: &Simulation) -> Result<(), GpuWorldError> {
        Ok(world::check(sim).map(|_| ())?)
    }

    /// Does all that may fail, and leaves the simulation to its owner until then.
    pub(crate) fn prepare(
        device: &Device,
        sim: &Simulation,
    ) -> Result<impl FnOnce(Simulation) -> Self + use<>, GpuWorldError> {
        let matched = world::check(sim)?;
        let (low, high) = sim
            .positions()
            .iter()
            .fold((Vec3::INFINITY, Vec3::NEG_INFINITY), |(low, high), p| (low.min(*p), high.max(*p)));
        let centre = 0.5 * (low + high);
        let buffers = Buffers::new(device, sim, &matched, centre)?;
        let program = buffers.program(device, sim, &matched, centre)?;
        buffers.aim(device, sim, centre)?;
        let device = device.clone();
        Ok(move |sim| {
            let host = HostSide::new(sim);
            Self { host, device, matched, buffers, program, centre, told: None }
        })
    }

    /// The device.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// The kernels of a substep, for measuring them.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// Sets the positions of all pins at the end of the next step, by a function of the vertex and its rest position, as [`Simulation::move_pins`] does.
    pub fn move_pins(&mut self, target: impl FnMut(u32, Vec3) -> Vec3) -> Result<(), GpuWorldError> {
        self.host.simulation_mut().move_pins(target)?;
        Ok(self.buffers.aim(&self.device, self.host.simulation(), self.centre)?)
    }

    /// Tells the device how much of their way pinned particles go in a substep.
    fn tell(&mut self, number: usize) -> Result<(), GpuError> {
        let share = 1.0 / (self.host.simulation().substeps() - number) as f64;
        if self.told != Some(share) {
            self.device.write(&self.buffers.moment, 0, &[[share as f32, 0.0, 0.0, 0.0]])?;
            self.told = Some(share);
        }
        Ok(())
    }

    /// Asks for a step with all its substeps, without waiting for it.
    pub fn step(&mut self) -> Result<(), GpuWorldError> {
        for number in 0..self.host.simulation().substeps() {
            self.tell(number)?;
            self.device.run(&[&self.program])?;
        }
        self.host.count_step();
        Ok(())
    }

    /// Takes a step, waits for it, and tells how long its substeps took together.
    pub fn timed_step(&mut self) -> Result<Timing, GpuWorldError> {
        let mut sum = Timing { device: Some(0.0), wall: 0.0 };
        for number in 0..self.host.simulation().substeps() {
            self.tell(number)?;
            let timing = self.device.time(&[&self.program])?;
            sum.device = sum.device.zip(timing.device).map(|(sum, more)| sum + more);
            sum.wall += timing.wall;
        }
        self.host.count_step();
        Ok(sum)
    }

    /// Puts vertices elsewhere, and gives them velocities; pinned vertices stay where they are put.
    pub fn set_state(&mut self, positions: &[Vec3], velocities: &[Vec3]) -> Result<(), GpuWorldError> {
        self.host.put(positions, velocities)?;
        self.buffers.aim(&self.device, self.host.simulation(), self.centre)?;
        self.device.write(&self.buffers.state, 0, &rows(positions, velocities, &self.matched, self.centre))?;
        Ok(())
    }
}

fn vector(row: &[f32; 4]) -> Vec3 {
    Vec3::new(row[0].into(), row[1].into(), row[2].into())
}

impl ResidentWorld for GpuMatching {
    fn device(&self) -> &Device {
        &self.device
    }

    fn step(&mut self) -> Result<(), GpuWorldError> {
        self.step()
    }

    fn timed_step(&mut self) -> Result<Option<Timing>, GpuWorldError> {
        self.timed_step().map(Some)
    }

    fn move_pins(&mut self, targets: &[Vec3]) -> Result<(), GpuWorldError> {
        let mut targets = targets.iter();
        self.move_pins(|_, rest| targets.next().copied().unwrap_or(rest))
    }

    fn request_state(&self) -> Result<PendingState, GpuError> {
        let (count, centre) = (self.matched.masses.len(), self.centre);
        let rows = self.device.request(&self.buffers.state, 2 * count)?;
        Ok(PendingState::new(self.host.steps(), vec![rows], Vec::new(), move |parts, _| {
            let (positions, velocities) = parts[0].split_at(count);
            Ok((positions.iter().map(|row| centre + vector(row)).collect(), velocities.iter().map(vector).collect()))
        }))
    }

    fn accept(&mut self, state: &ResidentState) -> Result<&Simulation, GpuWorldError> {
        self.host.accept_and_aim(state)
    }

    fn host(&self) -> &HostSide {
        &self.host
    }

    fn host_mut(&mut self) -> &mut HostSide {
        &mut self.host
    }

    fn into_host(self: Box<Self>) -> HostSide {
        self.host
    }
}

impl Buffers {
    /// Tells the device where pinned particles go.
    fn aim(&self, device: &Device, sim: &Simulation, centre: Vec3) -> Result<(), GpuError> {
        if self.pins.is_empty() {
            return Ok(());
        }
        let mut pins = vec![[0.0; 4]; self.pins.len()];
        for (&v, target) in sim.model().pinned().iter().zip(sim.pin_targets()) {
            let [x, y, z] = (*target - centre).to_array().map(|c| c as f32);
            pins[v as usize] = [x, y, z, 0.0];
        }
        device.write(&self.pins, 0, &pins)
    }
}
