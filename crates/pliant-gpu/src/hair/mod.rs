//! Hair on a device: the engine's follow-the-leader (`solve/follow_leader.rs` and `matter/hair` there) with its formulas and in its order, in f32.
//!
//! | file | does |
//! |---|---|
//! | `world` | which worlds can stay on a device |
//! | `layout` | how strands lie there |
//! | `colliders` | shapes, as the kernels' text, and their poses |
//! | `program` | the buffers, and the kernels of a substep one after the other |
//! | `comb` | prediction, style, and the pass that makes lengths exact: a thread for each strand |
//! | `touch`, `push` | a round around colliders: what vertices have met, and the pass outside of it |
//! | `finish` | velocities |
//! | `count`, `give`, `take`, with `grid` | hair against hair |
//!
//! What the grid adds up are whole numbers, whose sum does not depend on the order; everything else has a fixed one. So results have the same bits in every run on one
//! adapter, and a step differs from that of the CPU by the rounding of f32.

pub(crate) mod colliders;
mod layout;
mod program;
mod world;

use pliant::Simulation;
use pliant::math::{RigidFit, Vec3};

use crate::device::{Device, Program, Timing};
use crate::error::GpuError;
use crate::resident::{HostSide, PendingState, ResidentState, ResidentWorld};
use crate::world::GpuWorldError;
use colliders::poses;
use layout::{Layout, by_vertex};
use program::Buffers;

/// A world of nothing but hair whose state stays on a device.
///
/// ```
/// use pliant::mesh::generate::{Bundle, Roots};
/// use pliant::prelude::*;
/// use pliant_gpu::{GpuHair, ResidentWorld};
/// use pliant_gpu::device::{Device, DeviceChoice};
/// # if Device::adapters().is_empty() { return Ok(()) }
/// let roots = Roots::Disc { radius: 0.05, count: 200 };
/// let hair = Bundle { roots, direction: Vec3::X, length: 0.3, segments: 15 }.strands()?;
/// let roots = hair.strands.rows().map(|strand| strand[0]).collect::<Vec<_>>();
/// let body = Body::strands(&hair, &StrandMaterial::default())?.pin(roots);
/// let sim = Simulation::builder().body(body).solver(FollowLeaderParams::default()).build()?;
/// let mut world = GpuHair::new(&Device::open(&DeviceChoice::default())?, sim)?;
/// for step in 1..=20 {
///     // The head goes up.
///     world.move_pins(|_, rest| rest + Vec3::Y * (0.001 * f64::from(step)))?;
///     world.step()?;
/// }
/// let x = world.sync()?.positions();
/// assert!(hair.segments().all(|[a, b]| (x[a as usize].distance(x[b as usize]) / 0.02 - 1.0).abs() < 1e-4));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct GpuHair {
    host: HostSide,
    device: Device,
    layout: Layout,
    buffers: Buffers,
    /// A substep.
    program: Program,
    /// For each body its pinned vertices, as places among all; none where hair keeps no style.
    carriers: Vec<Vec<usize>>,
    /// Where pinned vertices are after the steps that were asked for, and where they go in the next one \[m\].
    pins: Vec<Vec3>,
    targets: Vec<Vec3>,
    /// What the device knows of the moment.
    told: Vec<[f32; 4]>,
}

impl GpuHair {
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
        let (params, chains) = world::check(sim)?;
        let model = sim.model();
        let mut layout = Layout::new(model, &params, &chains, sim.positions());
        let carriers = |body: &pliant::BodyInfo| {
            let own = model.pinned().iter().enumerate().filter(|(_, v)| body.vertices.contains(&(**v as usize)));
            own.map(|(place, _)| place).collect()
        };
        let is_styled = params.style.is_some();
        let carriers = if is_styled { model.bodies().iter().map(carriers).collect() } else { Vec::new() };
        let pins = model.pinned().iter().map(|&v| sim.positions()[v as usize]).collect();
        let targets = sim.pin_targets().to_vec();
        aim(&mut layout, &targets);
        let buffers = Buffers::new(device, sim, &params, &layout)?;
        let program = buffers.program(device, sim, &params, &layout)?;
        let (device, told) = (device.clone(), Vec::new());
        Ok(move |sim| {
            let host = HostSide::new(sim);
            Self { host, device, layout, buffers, program, carriers, pins, targets, told }
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
        self.targets.copy_from_slice(self.host.simulation().pin_targets());
        aim(&mut self.layout, &self.targets);
        self.device.write(&self.buffers.chains, 0, &self.layout.chains)?;
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

    /// Tells the device what it has to know of a substep: how far leaders go, where they carry bodies, and how colliders move.
    fn tell(&mut self, number: usize) -> Result<(), GpuError> {
        let (count, h) = (self.host.simulation().substeps(), self.host.simulation().time_step());
        let left = count - number;
        let share = 1.0 / left as f64;
        for (pin, target) in self.pins.iter_mut().zip(&self.targets) {
            *pin = if left == 1 { *target } else { *pin + (*target - *pin) * share };
        }
        let mut moment = vec![[share as f32, 0.0, 0.0, 0.0]];
        for body in 0..self.host.simulation().model().bodies().len() {
            moment.extend(self.carriers.get(body).map_or([[0.0; 4]; 2], |own| self.carried(own)));
        }
        let begin = self.host.time_ahead();
        let span = [number, number + 1].map(|number| begin + h * (number as f64 / count as f64));
        for collider in self.host.simulation().colliders() {
            moment.extend(poses(collider, span, self.layout.centre));
        }
        if self.told != moment {
            self.device.write(&self.buffers.moment, 0, &moment)?;
            self.told = moment;
        }
        Ok(())
    }

    /// How a body is carried by its pinned vertices: a rotation, and where it takes the middle of the world.
    fn carried(&self, own: &[usize]) -> [[f32; 4]; 2] {
        let model = self.host.simulation().model();
        let place = |&pin: &usize| (model.rest()[model.pinned()[pin] as usize], self.pins[pin], 1.0);
        let fit = RigidFit::new(own.iter().map(place));
        let [x, y, z] = self.layout.row(fit.place(self.layout.centre));
        [fit.rotation.to_array().map(|c| c as f32), [x, y, z, 0.0]]
    }

    /// Puts vertices elsewhere, and gives them velocities; pinned vertices stay where they are put.
    pub fn set_state(&mut self, positions: &[Vec3], velocities: &[Vec3]) -> Result<(), GpuWorldError> {
        self.host.put(positions, velocities)?;
        self.targets.copy_from_slice(self.host.simulation().pin_targets());
        self.pins.copy_from_slice(&self.targets);
        aim(&mut self.layout, &self.targets);
        self.device.write(&self.buffers.chains, 0, &self.layout.chains)?;
        self.device.write(&self.buffers.state, 0, &self.layout.state(positions, velocities))?;
        Ok(())
    }
}

/// Lets leaders go to these places of pinned vertices.
fn aim(layout: &mut Layout, targets: &[Vec3]) {
    let rows: Vec<[f32; 3]> = layout.leaders.iter().map(|&pin| layout.row(targets[pin as usize])).collect();
    layout.chains.iter_mut().zip(rows).for_each(|(chain, row)| chain.leads_to = row);
}

impl ResidentWorld for GpuHair {
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
        let Layout { count, vertices, centre, .. } = &self.layout;
        let rows = self.device.request(&self.buffers.state, 2 * count)?;
        let (count, vertices, centre) = (*count, vertices.clone(), *centre);
        let len = self.host.simulation().positions().len();
        Ok(PendingState::new(self.host.steps(), vec![rows], Vec::new(), move |parts, _| {
            let (positions, velocities) = parts[0].split_at(count);
            Ok((by_vertex(&vertices, positions, len, centre), by_vertex(&vertices, velocities, len, Vec3::ZERO)))
        }))
    }

    fn accept(&mut self, state: &ResidentState) -> Result<&Simulation, GpuWorldError> {
        let mut state = state.clone();
        if state.steps == self.host.steps() {
            // Of pinned vertices the exact place is known.
            let pinned = self.host.simulation().model().pinned();
            pinned.iter().zip(&self.pins).for_each(|(&v, pin)| state.positions[v as usize] = *pin);
        }
        self.host.accept_and_aim(&state)
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
