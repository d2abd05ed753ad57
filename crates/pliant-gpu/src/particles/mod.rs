//! Position-based dynamics on a device: the engine's Gauss–Seidel (`solve/pbd` there) with its formulas, in its order, in f32.
//!
//! | file | does |
//! |---|---|
//! | `world` | what is refused |
//! | `laws` | which energies and constraints have kernels; `laws/*.wgsl` are these |
//! | `merge` | makes one pass of those of bodies that are alike |
//! | `schedule` | which elements go at once |
//! | `pass` | brings the elements of one kind to the device |
//! | `blocks`, `levels` | a visit of elements: in the memory of a workgroup, or straight in that of the device |
//! | `contacts` | colliders that are in the way |
//! | `step` | the beginning and the end of a substep |
//!
//! Elements that share a vertex are visited in the engine's order, and nothing is added up by two threads. So results have the same bits in every run on one adapter,
//! and a step differs from that of the CPU by the rounding of f32.

mod contacts;
mod laws;
mod merge;
mod numbers;
mod pass;
mod schedule;
mod world;

use pliant::Simulation;
use pliant::math::Vec3;
use pliant::solve::pbd::visits;
use pliant::solve::{PositionBasedParams, SweepOrder};

use crate::device::{Access, Bound, Device, Program, Storage, Timing};
use crate::error::GpuError;
use crate::resident::{HostSide, PendingState, ResidentState, ResidentWorld};
use crate::world::GpuWorldError;
use contacts::Contacts;
use laws::{Elements, Manner};
use merge::Groups;
use numbers::literal;
use pass::{Kernels, Pass};
use schedule::THREADS;

/// A position-based world whose state stays on a device: cloth, nets, strands and solids, with constraints such as long-range attachments.
///
/// ```
/// use pliant::constraint::LongRangeAttachments;
/// use pliant::prelude::*;
/// use pliant_gpu::{GpuParticles, ResidentWorld};
/// use pliant_gpu::device::{Device, DeviceChoice};
/// # if Device::adapters().is_empty() { return Ok(()) }
/// let sheet = Sheet { columns: 10, rows: 10, ..Sheet::default() };
/// let (mesh, top) = (sheet.mesh()?, [sheet.vertex(0, 10), sheet.vertex(10, 10)]);
/// let threads = LongRangeAttachments::default().build(&mesh, &top)?;
/// let cloth = Body::mass_spring(&mesh, 0.2, mesh.edges(), 1e3)?.pin(top).with_constraints(threads);
/// let sim = Simulation::builder().body(cloth).solver(PositionBasedParams::default()).build()?;
/// let mut world = GpuParticles::new(&Device::open(&DeviceChoice::default())?, sim)?;
/// for _ in 0..10 {
///     world.step()?;
/// }
/// let sim = world.sync()?;
/// assert!((sim.time() - 10.0 / 60.0).abs() < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct GpuParticles {
    host: HostSide,
    state: State,
    /// Whole substeps, the first one first.
    substeps: Vec<Program>,
}

/// The state on the device.
#[derive(Debug)]
struct State {
    device: Device,
    /// The middle of the world at first \[m\], from which positions are counted.
    centre: Vec3,
    /// Positions and inverse masses.
    points: Storage<[f32; 4]>,
    velocities: Storage<[f32; 4]>,
    /// Where pinned vertices are to be at the end of the step.
    targets: Storage<[f32; 4]>,
    inverse_masses: Vec<f32>,
}

impl State {
    /// Brings the state of a simulation to the device.
    fn write(&self, sim: &Simulation) -> Result<(), GpuError> {
        let state = sim.state();
        let rows = state.positions.iter().zip(&self.inverse_masses).map(|(x, w)| quad(*x - self.centre, *w));
        self.device.write(&self.points, 0, &rows.collect::<Vec<_>>())?;
        let speeds: Vec<_> = state.velocities.iter().map(|v| quad(*v, 0.0)).collect();
        self.device.write(&self.velocities, 0, &speeds)?;
        self.aim(sim)
    }

    /// Tells the device where all pins go.
    fn aim(&self, sim: &Simulation) -> Result<(), GpuError> {
        let pinned = sim.model().pinned();
        if pinned.is_empty() {
            return Ok(());
        }
        let mut rows = vec![[0.0; 4]; self.targets.len()];
        let targets = pinned.iter().zip(sim.pin_targets());
        targets.for_each(|(&v, target)| rows[v as usize] = quad(*target - self.centre, 0.0));
        self.device.write(&self.targets, 0, &rows)
    }
}

impl GpuParticles {
    /// Brings a world of the position-based solver to a device. Refuses by name what would not be done there as the engine does it.
    pub fn new(device: &Device, sim: Simulation) -> Result<Self, GpuWorldError> {
        Ok(Self::prepare(device, &sim)?(sim))
    }

    /// Refuses what would be left out, as far as it can be seen without a device.
    pub(crate) fn check(sim: &Simulation) -> Result<(), GpuWorldError> {
        Ok(world::params_of(sim).map(|_| ())?)
    }

    /// Does all that may fail, and leaves the simulation to its owner until then.
    pub(crate) fn prepare(
        device: &Device,
        sim: &Simulation,
    ) -> Result<impl FnOnce(Simulation) -> Self + use<>, GpuWorldError> {
        let params = world::params_of(sim)?;
        let model = sim.model();
        let (count, masses) = (model.rest().len(), model.mass().lumped());
        let free = model.free().iter().map(|&v| masses[v as usize]);
        // A world of which nothing moves has no mass to measure by.
        let mass = if model.free().is_empty() { 1.0 } else { free.sum::<f64>() / model.free().len() as f64 };
        let is_free = |v: usize| model.free_index(v as u32).is_some();
        let inverse: Vec<f64> = (0..count).map(|v| if is_free(v) { mass / masses[v] } else { 0.0 }).collect();
        let points = device.zeros("points", count)?;
        let passes = passes(device, sim, &params, &inverse, mass, &points)?;
        let centre = middle(sim.positions());
        let [starts, velocities, targets] =
            ["starts", "velocities", "targets of pins"].map(|what| device.zeros(what, count));
        let (starts, velocities, targets) = (starts?, velocities?, targets?);
        let buffers = [&points, &starts, &velocities, &targets];
        let contacts = Contacts::new(device, sim, centre, [&points, &starts, &velocities])?;
        let substeps = substeps(device, sim, &params, (&passes, contacts.as_ref()), buffers)?;
        let inverse_masses = inverse.iter().map(|&w| w as f32).collect();
        let state = State { device: device.clone(), centre, points, velocities, targets, inverse_masses };
        state.write(sim)?;
        Ok(move |sim| Self { host: HostSide::new(sim), state, substeps })
    }

    /// The device.
    pub fn device(&self) -> &Device {
        &self.state.device
    }

    /// Substeps of a step, for measuring them.
    pub fn programs(&self) -> &[Program] {
        &self.substeps
    }

    /// Asks for a step, without waiting for it.
    pub fn step(&mut self) -> Result<(), GpuWorldError> {
        self.state.device.run(&self.substeps.iter().collect::<Vec<_>>())?;
        self.host.count_step();
        Ok(())
    }

    /// Takes a step, waits for it, and tells how long it took.
    pub fn timed_step(&mut self) -> Result<Timing, GpuWorldError> {
        let timing = self.state.device.time(&self.substeps.iter().collect::<Vec<_>>())?;
        self.host.count_step();
        Ok(timing)
    }

    /// Sets the positions of all pins at the end of the next step, and from then on, by a function of the vertex and its rest position.
    pub fn move_pins(&mut self, target: impl FnMut(u32, Vec3) -> Vec3) -> Result<(), GpuWorldError> {
        self.host.simulation_mut().move_pins(target)?;
        Ok(self.state.aim(self.host.simulation())?)
    }

    /// Puts vertices elsewhere, and gives them velocities: the world goes on from there.
    pub fn set_state(&mut self, positions: &[Vec3], velocities: &[Vec3]) -> Result<(), GpuWorldError> {
        self.host.put(positions, velocities)?;
        Ok(self.state.write(self.host.simulation())?)
    }
}

impl ResidentWorld for GpuParticles {
    fn device(&self) -> &Device {
        &self.state.device
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
        let (points, velocities) = (&self.state.points, &self.state.velocities);
        let rows = vec![
            self.state.device.request(points, points.len())?,
            self.state.device.request(velocities, velocities.len())?,
        ];
        let centre = self.state.centre;
        Ok(PendingState::new(self.host.steps(), rows, Vec::new(), move |parts, _| {
            Ok((parts[0].iter().map(|row| centre + vector(row)).collect(), parts[1].iter().map(vector).collect()))
        }))
    }

    fn accept(&mut self, state: &ResidentState) -> Result<&Simulation, GpuWorldError> {
        // Where a pin was told to be f32 is a rounding of that.
        let mut state = state.clone();
        let sim = self.host.simulation();
        for (&v, target) in sim.model().pinned().iter().zip(sim.pin_targets()) {
            let position = &mut state.positions[v as usize];
            if *position == self.state.centre + vector(&quad(*target - self.state.centre, 0.0)) {
                *position = *target;
            }
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

fn quad(v: Vec3, fourth: f32) -> [f32; 4] {
    [v.x as f32, v.y as f32, v.z as f32, fourth]
}

fn vector(row: &[f32; 4]) -> Vec3 {
    Vec3::new(row[0].into(), row[1].into(), row[2].into())
}

/// The middle of the box around some points.
fn middle(points: &[Vec3]) -> Vec3 {
    let low = points.iter().fold(Vec3::INFINITY, |low, p| low.min(*p));
    let high = points.iter().fold(Vec3::NEG_INFINITY, |high, p| high.max(*p));
    if points.is_empty() { Vec3::ZERO } else { 0.5 * (low + high) }
}

/// All kinds of elements of a world, in the order of visits.
fn passes(
    device: &Device,
    sim: &Simulation,
    params: &PositionBasedParams,
    inverse_masses: &[f64],
    mass: f64,
    points: &Storage<[f32; 4]>,
) -> Result<Vec<Pass>, GpuError> {
    let (model, kernels, h) = (sim.model(), Kernels::new(device), sim.time_step() / sim.substeps() as f64);
    let moves = |v: u32| inverse_masses[v as usize] > 0.0;
    let mut groups = Groups::new(inverse_masses.len());
    for visits in visits(model) {
        let rule = params.rule(visits.kind(model), 1.0 / (h * h));
        let elements = Elements::new(model, &visits, Manner { rule, inverse_masses, mass })?;
        groups.add(elements, &visits, moves);
    }
    groups.all.iter().map(|group| Pass::new(&kernels, group, &moves, points)).collect()
}

/// The kernels of all substeps of a step.
fn substeps(
    device: &Device,
    sim: &Simulation,
    params: &PositionBasedParams,
    (passes, contacts): (&[Pass], Option<&Contacts>),
    buffers: [&Storage<[f32; 4]>; 4],
) -> Result<Vec<Program>, GpuError> {
    use Access::{Read, Write};
    let (count, parts) = (buffers[0].len(), sim.substeps());
    let h = sim.time_step() / parts as f64;
    let [x, y, z] = (sim.gravity() * (h * h)).to_array().map(literal);
    let drag = literal((-sim.damping().drag * h).exp());
    let head = format!(
        "const COUNT = {count}u;\nconst THREADS = {THREADS}u;\nconst STEP = {};\nconst DRAG = {drag};\n\
         const FALL = vec3<f32>({x}, {y}, {z});\n",
        literal(h)
    );
    let source = [&head, include_str!("step.wgsl")].concat();
    let buffers = buffers.map(|buffer| buffer as &dyn Bound);
    let one = |entry: &str| {
        let kernel = device.kernel(&source, entry, &[Write, Write, Write, Read])?;
        Ok::<_, GpuError>(device.dispatch(&kernel, &buffers, [1, 0, 0, 0], count.div_ceil(THREADS)))
    };
    let (predict, finish) = (one("predict")?, one("finish")?);
    let mut iterations = Vec::new();
    for iteration in 0..params.iterations {
        let backwards = match params.order {
            SweepOrder::AsAdded => false,
            SweepOrder::Reversed => true,
            SweepOrder::Alternating => iteration % 2 == 1,
        };
        let visit = |pass: &Pass| pass.visit(iteration == 0, backwards);
        if backwards {
            iterations.extend(passes.iter().rev().flat_map(visit));
        } else {
            iterations.extend(passes.iter().flat_map(visit));
        }
        iterations.extend(contacts.map(|contacts| contacts.part(iteration == 0)));
    }
    let substep = |number: usize| {
        let begin = predict.with_parameters([(parts - number) as u32, 0, 0, 0]);
        let end = [finish.clone()].into_iter().chain(contacts.map(|contacts| contacts.leave.clone()));
        device.program([begin].into_iter().chain(iterations.iter().cloned()).chain(end).collect())
    };
    (0..parts).map(substep).collect()
}
