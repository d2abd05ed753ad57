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
use crate::resident::{PendingPositions, ResidentWorld};
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
/// use pliant_gpu::GpuParticles;
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
    sim: Simulation,
    device: Device,
    /// The middle of the world at first \[m\], from which positions are counted.
    centre: Vec3,
    /// Positions and inverse masses.
    points: Storage<[f32; 4]>,
    velocities: Storage<[f32; 4]>,
    /// Where pinned vertices are to be at the end of the step.
    targets: Storage<[f32; 4]>,
    inverse_masses: Vec<f32>,
    /// Whole substeps, the first one first.
    substeps: Vec<Program>,
    /// Steps since the state of `sim`.
    steps: u64,
}

impl GpuParticles {
    /// Brings a world of the position-based solver to a device. Refuses by name what would not be done there as the engine does it.
    pub fn new(device: &Device, sim: Simulation) -> Result<Self, GpuWorldError> {
        let params = world::params_of(&sim)?;
        let model = sim.model();
        let (count, masses) = (model.rest().len(), model.mass().lumped());
        let free = model.free().iter().map(|&v| masses[v as usize]);
        // A world of which nothing moves has no mass to measure by.
        let mass = if model.free().is_empty() { 1.0 } else { free.sum::<f64>() / model.free().len() as f64 };
        let is_free = |v: usize| model.free_index(v as u32).is_some();
        let inverse: Vec<f64> = (0..count).map(|v| if is_free(v) { mass / masses[v] } else { 0.0 }).collect();
        let points = device.zeros("points", count)?;
        let passes = passes(device, &sim, &params, &inverse, mass, &points)?;
        let centre = middle(sim.positions());
        let [starts, velocities, targets] =
            ["starts", "velocities", "targets of pins"].map(|what| device.zeros(what, count));
        let (starts, velocities, targets) = (starts?, velocities?, targets?);
        let buffers = [&points, &starts, &velocities, &targets];
        let contacts = Contacts::new(device, &sim, centre, [&points, &starts, &velocities])?;
        let substeps = substeps(device, &sim, &params, (&passes, contacts.as_ref()), buffers)?;
        let inverse_masses = inverse.iter().map(|&w| w as f32).collect();
        let (device, steps) = (device.clone(), 0);
        let mut own = Self { sim, device, centre, points, velocities, targets, inverse_masses, substeps, steps };
        own.write_state()?;
        Ok(own)
    }

    /// The device.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// Substeps of a step, for measuring them.
    pub fn programs(&self) -> &[Program] {
        &self.substeps
    }

    /// Asks for a step, without waiting for it.
    pub fn step(&mut self) -> Result<(), GpuWorldError> {
        self.device.run(&self.substeps.iter().collect::<Vec<_>>())?;
        self.steps += 1;
        Ok(())
    }

    /// Takes a step, waits for it, and tells how long it took.
    pub fn timed_step(&mut self) -> Result<Timing, GpuWorldError> {
        let timing = self.device.time(&self.substeps.iter().collect::<Vec<_>>())?;
        self.steps += 1;
        Ok(timing)
    }

    /// Sets the positions of all pins at the end of the next step, and from then on, by a function of the vertex and its rest position.
    pub fn move_pins(&mut self, mut target: impl FnMut(u32, Vec3) -> Vec3) -> Result<(), GpuWorldError> {
        let mut found = Vec::new();
        self.sim.move_pins(|vertex, rest| {
            let position = target(vertex, rest);
            found.push(position);
            position
        })?;
        Ok(self.write_targets(&found)?)
    }

    /// Puts vertices elsewhere, and gives them velocities: the world goes on from there.
    pub fn set_state(&mut self, positions: &[Vec3], velocities: &[Vec3]) -> Result<(), GpuWorldError> {
        self.sim.set_state_after(self.steps, positions, velocities)?;
        self.steps = 0;
        Ok(self.write_state()?)
    }

    /// Brings the state of the simulation to the device.
    fn write_state(&mut self) -> Result<(), GpuError> {
        let state = self.sim.state();
        let rows = state.positions.iter().zip(&self.inverse_masses).map(|(x, w)| quad(*x - self.centre, *w));
        self.device.write(&self.points, 0, &rows.collect::<Vec<_>>())?;
        let speeds: Vec<_> = state.velocities.iter().map(|v| quad(*v, 0.0)).collect();
        self.device.write(&self.velocities, 0, &speeds)?;
        self.write_targets(self.sim.pin_targets())
    }

    /// Of all pins, in the order of the model.
    fn write_targets(&self, pins: &[Vec3]) -> Result<(), GpuError> {
        let pinned = self.sim.model().pinned();
        if pinned.is_empty() {
            return Ok(());
        }
        let mut rows = vec![[0.0; 4]; self.targets.len()];
        pinned.iter().zip(pins).for_each(|(&v, target)| rows[v as usize] = quad(*target - self.centre, 0.0));
        self.device.write(&self.targets, 0, &rows)
    }

    /// Asks for positions as they are after the steps so far; other steps may be asked for before they arrive.
    pub fn request_positions(&self) -> Result<PendingPositions, GpuError> {
        let (points, centre) = (self.device.request(&self.points, self.points.len())?, self.centre);
        Ok(PendingPositions::new(vec![points], move |parts| {
            Ok(parts[0].iter().map(|row| centre + vector(row)).collect())
        }))
    }

    /// Waits for all steps and brings the state back: to look at, for a checkpoint, or to go on with on the CPU. A state that is not finite is an error, and the
    /// last good one stays.
    pub fn sync(&mut self) -> Result<&Simulation, GpuWorldError> {
        self.device.check()?;
        if self.steps == 0 {
            return Ok(&self.sim);
        }
        let positions = self.request_positions()?;
        let velocities: Vec<Vec3> =
            self.device.read(&self.velocities, self.velocities.len())?.iter().map(vector).collect();
        let mut positions = positions.wait()?;
        if !positions.iter().chain(&velocities).all(|v| v.is_finite()) {
            return Err(GpuWorldError::NotFinite { steps: self.steps, time: self.sim.time() });
        }
        // Where a pin was told to be f32 is a rounding of that.
        let pins = self.sim.pin_targets().to_vec();
        for (&v, target) in self.sim.model().pinned().iter().zip(&pins) {
            let position = &mut positions[v as usize];
            if *position == self.centre + vector(&quad(*target - self.centre, 0.0)) {
                *position = *target;
            }
        }
        self.sim.set_state_after(self.steps, &positions, &velocities)?;
        self.steps = 0;
        // Those that no step has taken there yet are still to go.
        let mut pins = pins.into_iter();
        self.sim.move_pins(|_, rest| pins.next().unwrap_or(rest))?;
        Ok(&self.sim)
    }

    /// The world, to go on with elsewhere.
    pub fn into_simulation(mut self) -> Result<Simulation, GpuWorldError> {
        self.sync()?;
        Ok(self.sim)
    }
}

impl ResidentWorld for GpuParticles {
    fn device(&self) -> &Device {
        self.device()
    }

    fn step(&mut self) -> Result<(), GpuWorldError> {
        self.step()
    }

    fn request_positions(&self) -> Result<PendingPositions, GpuError> {
        self.request_positions()
    }

    fn sync(&mut self) -> Result<&Simulation, GpuWorldError> {
        self.sync()
    }

    fn last_synced(&self) -> &Simulation {
        &self.sim
    }

    fn into_simulation(self: Box<Self>) -> Result<Simulation, GpuWorldError> {
        (*self).into_simulation()
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
