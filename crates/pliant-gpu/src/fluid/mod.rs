//! Position-based fluids on a device: the engine's method (`matter/fluid` there) with its formulas and in its order, in f32.
//!
//! | file | does |
//! |---|---|
//! | `world` | what a fluid is made from, and what is refused |
//! | `resident` | a simulation of fluids that stays on a device |
//! | `constants`, `colliders` | the numbers and the shapes that kernels begin with |
//! | `program` | the buffers, and the kernels of a step one after the other |
//! | `survey`, `count`, `scan`, `sort` | sort particles by the cells of a grid |
//! | `search` | neighbours |
//! | `begin`, `assemble`, `pressure`, `load` | what a step does to the density, and the pressure of cells that undoes it |
//! | `measure`, `push` | an iteration; `walls`, `contact` and `shapes` are its part about colliders |
//! | `finish`, `mix` | velocities |
//!
//! Cells are numbered as on the CPU and particles within them by their own numbers, every sum has a fixed order, and atomic operations
//! only count. So results have the same bits in every run on one adapter, and a step differs from that of the CPU by the rounding of f32.

mod colliders;
mod constants;
mod program;
mod resident;
mod world;

pub(crate) use colliders::{colliders as collider_functions, is_known};
pub use resident::ResidentFluid;
pub use world::{FluidWorld, MOST_COLLIDERS, PRESSURE_DISPATCHES};

/// Distances from shapes, and the law of contact: other worlds have the same. They need what [`collider_functions`] writes, and some constants.
pub(crate) const SHAPES: &str = include_str!("shapes.wgsl");
pub(crate) const CONTACT: &str = include_str!("contact.wgsl");

use pliant::math::Vec3;

use crate::device::{Device, Pending, Program};
use crate::error::GpuError;
use constants::{Layout, MOST_NEIGHBOURS, status};
use program::Buffers;

/// A fluid whose state stays on a device.
///
/// ```
/// use pliant::mesh::generate::particle_block;
/// use pliant::prelude::*;
/// use pliant_gpu::device::{Device, DeviceChoice};
/// use pliant_gpu::{FluidWorld, GpuFluid};
/// # if Device::adapters().is_empty() { return Ok(()) }
/// let water = FluidMaterial { spacing: 0.05, ..FluidMaterial::default() };
/// let drop = Body::fluid(&particle_block(Vec3::splat(0.25), water.spacing)?, &water)?;
/// let ground = Collider::new(Shape::Plane).at(Vec3::NEG_Y * 0.2);
/// let solver = PositionBasedParams { iterations: 4, ..PositionBasedParams::default() };
/// let sim = Simulation::builder().body(drop).collider(ground).solver(solver).time_step(0.01).build()?;
/// let device = Device::open(&DeviceChoice::default())?;
/// let mut fluid = GpuFluid::new(&device, &FluidWorld::of(&sim)?)?;
/// for _ in 0..20 {
///     fluid.step()?;
/// }
/// assert!(fluid.state()?.positions.iter().all(|p| p.y > -0.2), "it is above the ground");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct GpuFluid {
    device: Device,
    layout: Layout,
    buffers: Buffers,
    /// A substep.
    program: Program,
    substeps: usize,
    steps: u64,
}

/// Where the particles of a fluid are.
#[derive(Debug, Clone, PartialEq)]
pub struct FluidState {
    /// Position of each vertex \[m\].
    pub positions: Vec<Vec3>,
    /// Velocity of each vertex \[m/s\].
    pub velocities: Vec<Vec3>,
    /// How the pressure of cells was found since the fluid was made.
    pub pressure: PressureReport,
}

/// How the pressure of cells was found in all steps so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PressureReport {
    /// Most dispatches that a substep took.
    pub most_dispatches: u32,
    /// Substeps that would have taken more than [`FluidWorld::pressure_dispatches`], and went on with what they had.
    pub unfinished: u32,
}

impl GpuFluid {
    /// Brings a world to a device.
    ///
    /// # Panics
    /// If there is not a position and a velocity for each vertex of the model.
    pub fn new(device: &Device, world: &FluidWorld<'_>) -> Result<Self, GpuError> {
        let vertices = world.model.rest().len();
        assert_eq!([world.positions.len(), world.velocities.len()], [vertices; 2], "one for each vertex");
        let portions = world.portions()?;
        // That of all fluids: the engine builds no other worlds.
        let spacing = portions.iter().fold(0.0, |most: f64, portion| most.max(portion.material.spacing));
        let layout = Layout::new(world, spacing);
        let buffers = Buffers::new(device, world, &portions, &layout)?;
        let is_viscous = portions.iter().any(|portion| portion.material.viscosity > 0.0);
        let program = buffers.program(device, world, &layout, is_viscous)?;
        let substeps = world.substeps.max(1);
        Ok(Self { device: device.clone(), layout, buffers, program, substeps, steps: 0 })
    }

    /// Number of particles.
    pub fn len(&self) -> usize {
        self.layout.count
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.layout.count == 0
    }

    /// Steps that were asked for.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// The kernels of a substep, for measuring them: a run of it is a substep.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// Asks for a step with all its substeps, without waiting for it. What goes wrong in it, [`state`](Self::state) tells.
    pub fn step(&mut self) -> Result<(), GpuError> {
        self.device.run(&vec![&self.program; self.substeps])?;
        self.steps += 1;
        Ok(())
    }

    /// Asks for the state after all steps so far, without waiting for it.
    pub fn request_state(&self) -> Result<PendingFluid, GpuError> {
        let (state, status) = self.request_parts()?;
        Ok(PendingFluid { layout: self.layout, state, status })
    }

    /// The state and what went wrong, on their way.
    fn request_parts(&self) -> Result<(Pending<[f32; 4]>, Pending<u32>), GpuError> {
        let state = self.device.request(&self.buffers.state, 2 * self.layout.count)?;
        Ok((state, self.device.request(&self.buffers.status, status::LEN)?))
    }

    /// The state after all steps so far.
    pub fn state(&self) -> Result<FluidState, GpuError> {
        self.request_state()?.wait()
    }

    /// Density over rest density of each particle before the last push of the last step; zeros before the first.
    pub fn densities(&self) -> Result<Vec<f32>, GpuError> {
        self.device.read(&self.buffers.densities, self.layout.count)
    }

    /// Puts particles elsewhere, and gives them velocities.
    ///
    /// # Panics
    /// If there are not as many as particles.
    pub fn set_state(&mut self, positions: &[Vec3], velocities: &[Vec3]) -> Result<(), GpuError> {
        assert_eq!([positions.len(), velocities.len()], [self.layout.count; 2], "one for each particle");
        self.buffers.write_state(&self.device, &self.layout, positions, velocities)
    }
}

/// A state on its way back from the device.
#[derive(Debug)]
pub struct PendingFluid {
    layout: Layout,
    state: Pending<[f32; 4]>,
    status: Pending<u32>,
}

impl PendingFluid {
    /// Whether it has arrived, or never will: [`wait`](Self::wait) does not wait then.
    pub fn is_ready(&self) -> bool {
        self.state.is_ready() && self.status.is_ready()
    }

    /// Waits for it. A step that went wrong is an error here.
    pub fn wait(self) -> Result<FluidState, GpuError> {
        assembled(&self.layout, &self.state.wait()?, &self.status.wait()?)
    }
}

/// The state of a fluid from what came back, unless something went wrong.
fn assembled(layout: &Layout, rows: &[[f32; 4]], words: &[u32]) -> Result<FluidState, GpuError> {
    if words[status::LOST] > 0 {
        return Err(GpuError::ParticleLost { particle: words[status::LOST] as usize - 1 });
    }
    if words[status::RUNAWAY] > 0 {
        return Err(GpuError::ParticleRanAway { particle: words[status::RUNAWAY] as usize - 1 });
    }
    if words[status::CROWD] > 0 {
        let (neighbours, limit) = (words[status::CROWD] as usize, MOST_NEIGHBOURS);
        return Err(GpuError::Crowded { neighbours, limit });
    }
    let &Layout { count, centre, radius, .. } = layout;
    let vector = |row: &[f32; 4]| Vec3::new(row[0].into(), row[1].into(), row[2].into()) * radius;
    let (positions, velocities) = rows.split_at(count);
    Ok(FluidState {
        positions: positions.iter().map(|row| centre + vector(row)).collect(),
        velocities: velocities.iter().map(vector).collect(),
        pressure: PressureReport { most_dispatches: words[status::PRESSURE], unfinished: words[status::UNFINISHED] },
    })
}
