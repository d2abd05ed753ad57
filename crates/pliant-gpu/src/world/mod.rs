//! A world that stays on the device: its state comes back when it is asked for.

mod held;
mod outside;
mod rounds;

use pliant::contact::ContactMode;
use pliant::math::Vec3;
use pliant::solve::{Objective, SetupSeconds, Start};
use pliant::{Clock, InputError, Simulation, TimeIntegrator};
use rayon::prelude::*;
use thiserror::Error;

use crate::contact::{Ending, Obstacles, Times, Way};
use crate::device::{Access, Bound, Device, Pending, Program, Storage, Timing};
use crate::error::GpuError;
use crate::layers::LayersReport;
use crate::prepared::Prepared;
use crate::resident::{HostSide, PendingPositions, PendingState, ResidentWorld};
use crate::solver::{GpuMethod, GpuParams};
use held::Held;
use outside::{Moving, Outside};
use rounds::Rounds;

/// What is refused together: a pin that moves may have to be held back by what is in its way.
pub(crate) const MOVING_PINS_APART: &str = "pins that move where surfaces are kept apart";
/// Threads of a workgroup.
const THREADS: usize = 128;

/// Why a world cannot stay on the device, or has failed there.
#[derive(Debug, Error)]
pub enum GpuWorldError {
    /// Its solver is not one of the GPU.
    #[error("the world's solver is {solver:?}, but only a world of the GPU's solver can stay on the GPU")]
    OtherSolver {
        /// The solver.
        solver: String,
    },
    /// It has something that is done by the engine in every step.
    #[error(
        "a world that stays on the GPU has no {feature}: step it as any other world, which brings its state back after every solve"
    )]
    Feature {
        /// What it has.
        feature: String,
    },
    /// The device, or its memory.
    #[error(transparent)]
    Gpu(#[from] GpuError),
    /// A solve could not be set up.
    #[error(transparent)]
    Solve(#[from] pliant::solve::SolveError),
    /// The state that came back is not finite.
    #[error("the state on the GPU is not finite after {steps} steps: the last good one is that of time {time} s")]
    NotFinite {
        /// Steps since then.
        steps: u64,
        /// Time of the last good state \[s\].
        time: f64,
    },
    /// The state could not be taken over.
    #[error(transparent)]
    Input(#[from] InputError),
}

/// A world whose state stays on the device. Steps are asked for and done later; [`sync`](Self::sync) waits for them.
///
/// ```
/// use pliant::prelude::*;
/// use pliant_gpu::{GpuParams, GpuWorld};
/// # if pliant_gpu::device::Device::adapters().is_empty() { return Ok(()) }
///
/// let mesh = Sheet { columns: 20, rows: 20, ..Sheet::default() }.mesh()?;
/// let cloth = Body::cloth(&mesh, &ClothMaterial::default())?.pin([420, 440]);
/// let sim = Simulation::builder().body(cloth).solver(GpuParams::plain(10)).build()?;
/// let mut world = GpuWorld::new(sim)?;
/// for _ in 0..10 {
///     world.step()?;
/// }
/// let sim = world.sync()?;
/// assert!((sim.time() - 10.0 / 60.0).abs() < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct GpuWorld {
    host: HostSide,
    method: GpuMethod,
    prepared: Prepared,
    velocities: Storage<[f32; 4]>,
    held: Held,
    rounds: Option<Rounds>,
    /// What begins a substep.
    predict: Vec<Program>,
    /// What contacts with colliders leave at its end, and what ends it.
    leave: Option<Program>,
    finish: Vec<Program>,
    substeps: usize,
    load: f64,
}

impl GpuWorld {
    /// Brings a world with a solver of the GPU there. [`resident`](crate::resident) gives back what it could not bring there.
    pub fn new(mut sim: Simulation) -> Result<Self, GpuWorldError> {
        Ok(Self::prepare(&mut sim)?(sim))
    }

    /// Refuses what would be left out.
    pub(crate) fn check(sim: &Simulation) -> Result<(), GpuWorldError> {
        check(sim, &params_of(sim)?)?;
        Outside::of(sim).map(drop)
    }

    /// Does all that may fail, and leaves the simulation to its owner until then.
    pub(crate) fn prepare(sim: &mut Simulation) -> Result<impl FnOnce(Simulation) -> Self + use<>, GpuWorldError> {
        let params = params_of(sim)?;
        check(sim, &params)?;
        let (outside, is_damped) = (Outside::of(sim)?, sim.damping().stiffness > 0.0);
        let (h, integrator) = (sim.time_step() / sim.substeps() as f64, sim.integrator());
        let looks_back = integrator == TimeIntegrator::Bdf2;
        let tau = if looks_back { 2.0 * h / 3.0 } else { h };
        let (state, gravity, drag) = (sim.state().clone(), sim.gravity(), sim.damping().drag);
        let (colliders, contact, self_collision) =
            (sim.colliders().to_vec(), sim.contact_params(), sim.self_collision().cloned());
        let problem = sim.next_problem()?;
        let objective = problem.objective();
        let objective = Objective { inertia: 1.0 / (tau * tau), before: &state.positions, ..objective };
        let load = objective.load;
        // The same device as what is prepared below, for as long as it is held here.
        let opened = Device::open(&params.device)?;
        let starts = opened.zeros("starts of substeps", objective.model.free().len())?;
        let kept = (-drag * h).exp();
        let way = Way {
            colliders: &colliders,
            weight: contact.weight,
            times: Times { h, tau, kept, looks_back, gravity },
            self_collision: self_collision.as_ref(),
            starts: &starts,
        };
        let way = (!colliders.is_empty() || self_collision.is_some()).then_some(&way);
        let prepared = Prepared::new(&params, &objective, &Clock::default(), &mut SetupSeconds::default(), way)?;
        let memory: Vec<_> = problem.memory().to_vec();
        prepared.local.begin(&prepared.device, &objective, &state.positions, &memory)?;
        let (device, places) = (&prepared.device, &prepared.local.places);
        let free = places.free;
        let of_free = |value: &dyn Fn(usize) -> Vec3| -> Vec<[f32; 4]> {
            let quad = |v: Vec3| [v.x as f32, v.y as f32, v.z as f32, 0.0];
            places.vertices[..free].iter().map(|&v| quad(value(v as usize))).collect()
        };
        let v = &state.velocities;
        let velocities = device.array("velocities", &of_free(&|k| v[k]))?;
        // As if vertices had come the way they go, under the same forces.
        let moved = device.array("movements", &of_free(&|k| v[k] * h))?;
        let earlier = device.array("velocities before", &of_free(&|k| v[k] - gravity * h))?;
        let bases = device.zeros::<[f32; 4]>("where velocities are counted from", free)?;
        let times = [h, tau, kept, f64::from(u8::from(looks_back))].map(|value| value as f32);
        let gravity = [gravity.x as f32, gravity.y as f32, gravity.z as f32, 0.0];
        let clock = device.array("clock", &[times, gravity])?;
        use Access::{Read, Write};
        let access = [Read, Write, Write, Write, Write, Write, Write, Write];
        let program = |sources: &[&str], entry: &str, place: &str, at: &Storage<[f32; 4]>| {
            let source = sources.concat().replace("PLACE", place);
            let kernel = device.kernel(&source, entry, &access)?;
            let offsets = &prepared.local.offsets;
            let buffers: [&dyn Bound; 8] = [&clock, offsets, &velocities, &bases, &starts, &moved, at, &earlier];
            device.program(vec![device.dispatch(&kernel, &buffers, [free as u32, 0, 0, 0], free.div_ceil(THREADS))])
        };
        let begin = include_str!("predict.wgsl");
        let mut predict = vec![program(&[begin], "predict", "targets", &prepared.local.targets)?];
        if let Some(guess) = prepared.guess() {
            let kernel = device.kernel(include_str!("guess.wgsl"), "guess_movement", &[Read, Read, Read, Write])?;
            let buffers: [&dyn Bound; 4] = [&clock, &velocities, &earlier, guess];
            let dispatch = device.dispatch(&kernel, &buffers, [free as u32, 0, 0, 0], free.div_ceil(THREADS));
            // Before velocities of the last substep are gone.
            predict.insert(0, device.program(vec![dispatch])?);
        }
        if is_damped {
            let points = [&prepared.local.anchors, &prepared.local.offsets];
            let shapes: Result<_, _> =
                prepared.local.stars.iter().map(|stars| stars.remember(device, points)).collect();
            predict.insert(0, device.program(shapes?)?);
        }
        let rounds = match (&prepared.layers, &self_collision) {
            (Some(layers), Some(settings)) => Some(Rounds::new(device, layers, settings)?),
            _ => None,
        };
        if let Some(rounds) = &rounds {
            predict.insert(0, rounds.begin.clone());
        }
        let mut leave = None;
        if let Some(obstacles) = &prepared.obstacles {
            let ending = Ending { velocities: &velocities, bases: &bases, earlier: &earlier };
            leave = Some(device.program(vec![obstacles.leave(device, &prepared.local, &ending)?])?);
        }
        let mut finish = Vec::new();
        let source = [begin, include_str!("finish.wgsl")];
        finish.push(program(&source, "finish", "anchors", &prepared.local.anchors)?);
        if let Some(outside) = &outside {
            let (times, guess) = (outside::Times { h, tau, kept }, prepared.guess());
            let moving = Moving { velocities: &velocities, earlier: &earlier, guess };
            let programs = outside.programs(device, &objective, &prepared.local, &times, &moving)?;
            predict.insert(0, programs.before);
            predict.push(programs.after);
            finish.push(programs.end);
        }
        let (substeps, method, held) = (sim.substeps(), params.method, Held::new(sim, h, looks_back));
        Ok(move |sim| Self {
            host: HostSide::new(sim),
            method,
            prepared,
            velocities,
            held,
            rounds,
            predict,
            leave,
            finish,
            substeps,
            load,
        })
    }

    /// The device.
    pub fn device(&self) -> &Device {
        &self.prepared.device
    }

    /// Asks for a step. With local/global iterations it does not wait; Newton's method waits for every iteration.
    pub fn step(&mut self) -> Result<(), GpuWorldError> {
        if let Some(rounds) = &self.rounds {
            rounds.begin_step(&self.prepared.device)?;
        }
        for left in (1..=self.substeps).rev() {
            self.place_colliders(self.substeps - left)?;
            self.held.approach(&self.prepared.device, &self.prepared.local, left)?;
            match &self.method {
                GpuMethod::TwoMetric(params) => {
                    self.prepared.device.run(&self.predict.iter().collect::<Vec<_>>())?;
                    match &self.rounds {
                        Some(rounds) => rounds.solve(&mut self.prepared, params, self.load)?,
                        None => _ = self.prepared.newton_alone(params, self.load, None)?,
                    }
                    self.leave_contacts()?;
                    self.prepared.device.run(&self.finish.iter().collect::<Vec<_>>())?;
                }
                _ => self.prepared.device.run(&self.substep())?,
            }
        }
        self.host.count_step();
        Ok(())
    }

    /// Moves vertices out of colliders, as far as they do not come to other surfaces on the way.
    fn leave_contacts(&self) -> Result<(), GpuError> {
        let device = &self.prepared.device;
        if let Some(leave) = &self.leave {
            device.run(&[leave])?;
        }
        match (&self.rounds, &self.prepared.obstacles) {
            (Some(rounds), Some(obstacles)) if obstacles.has_moved(device)? => rounds.cut_again(device),
            _ => Ok(()),
        }
    }

    /// Puts colliders to where they are in a substep of the step that is asked for.
    fn place_colliders(&mut self, substep: usize) -> Result<(), GpuError> {
        let (step, parts) = (self.host.simulation().time_step(), self.substeps as f64);
        let start = self.host.time_ahead() + step * substep as f64 / parts;
        match &mut self.prepared.obstacles {
            Some(obstacles) => obstacles.place(&self.prepared.device, [start, start + step / parts]),
            None => Ok(()),
        }
    }

    /// Programs of a substep of local/global iterations.
    fn substep(&self) -> Vec<&Program> {
        let iterations = match &self.method {
            GpuMethod::Projective(params) => params.iterations,
            _ => 0,
        };
        let middle = self.prepared.iterations(iterations);
        self.predict.iter().chain(middle).chain(&self.leave).chain(&self.finish).collect()
    }

    /// Takes a step of local/global iterations, waits for it, and tells how long it took; none for Newton's method, whose steps are not one list of commands.
    pub fn timed_step(&mut self) -> Result<Option<Timing>, GpuWorldError> {
        if matches!(self.method, GpuMethod::TwoMetric(_)) {
            return Ok(None);
        }
        // Pins stand still for it; colliders that move are put elsewhere before each substep.
        let together = if self.prepared.obstacles.as_ref().is_none_or(Obstacles::is_still) { self.substeps } else { 1 };
        let mut sum = Timing { device: Some(0.0), wall: 0.0 };
        for substep in (0..self.substeps).step_by(together) {
            self.place_colliders(substep)?;
            let all: Vec<&Program> = (0..together).flat_map(|_| self.substep()).collect();
            let timing = self.prepared.device.time(&all)?;
            sum = Timing { device: sum.device.zip(timing.device).map(|(a, b)| a + b), wall: sum.wall + timing.wall };
        }
        self.host.count_step();
        Ok(Some(sum))
    }

    /// The program of one iteration, for profiles.
    pub fn iteration(&self) -> Option<&Program> {
        self.prepared.iterations(1).into_iter().next()
    }

    /// How surfaces were kept apart so far; none where they are not. It waits for all steps.
    pub fn layers_report(&self) -> Result<Option<LayersReport>, GpuError> {
        self.prepared.layers.as_ref().map(|layers| layers.report()).transpose()
    }

    /// Programs that keep surfaces apart, with what they do, for profiles; none where they are not.
    pub fn layer_programs(&self) -> Vec<(&'static str, &Program)> {
        self.rounds.iter().flat_map(Rounds::programs).collect()
    }

    /// Bytes of the factor.
    pub fn factor_bytes(&self) -> u64 {
        self.prepared.factor_bytes
    }

    /// Asks for positions as they are after the steps so far; other steps may be asked for before they arrive.
    pub fn request_positions(&self) -> Result<PendingPositions, GpuError> {
        let places = self.prepared.local.places.places.clone();
        Ok(PendingPositions::new(self.request_places()?, move |parts| Ok(sums(&places, &parts[0], &parts[1]))))
    }

    /// Anchors and offsets, on their way.
    fn request_places(&self) -> Result<Vec<Pending<[f32; 4]>>, GpuError> {
        let (device, local) = (&self.prepared.device, &self.prepared.local);
        let count = local.places.vertices.len();
        Ok(vec![device.request(&local.anchors, count)?, device.request(&local.offsets, count)?])
    }

    /// Waits for all steps and brings the state back: to look at, for a checkpoint, or to go on with another solver. A state that is not finite is an error, and
    /// the last good one stays.
    pub fn sync(&mut self) -> Result<&Simulation, GpuWorldError> {
        ResidentWorld::sync(self)
    }

    /// The world, to go on with elsewhere.
    pub fn into_simulation(self) -> Result<Simulation, GpuWorldError> {
        Box::new(self).into_simulation()
    }
}

/// Position of each vertex: anchors and offsets by places.
fn sums(places: &[u32], anchors: &[[f32; 4]], offsets: &[[f32; 4]]) -> Vec<Vec3> {
    let sum = |&place: &u32| {
        let (anchor, offset) = (&anchors[place as usize], &offsets[place as usize]);
        Vec3::from_array([0, 1, 2].map(|c| f64::from(anchor[c]) + f64::from(offset[c])))
    };
    places.par_iter().with_min_len(4096).map(sum).collect()
}

impl ResidentWorld for GpuWorld {
    fn device(&self) -> &Device {
        self.device()
    }

    fn step(&mut self) -> Result<(), GpuWorldError> {
        self.step()
    }

    fn timed_step(&mut self) -> Result<Option<Timing>, GpuWorldError> {
        self.timed_step()
    }

    fn move_pins(&mut self, targets: &[Vec3]) -> Result<(), GpuWorldError> {
        if targets.len() != self.held.len() {
            let (found, expected) = (targets.len(), self.held.len());
            return Err(InputError::LengthMismatch { name: "targets of pins", found, expected }.into());
        }
        if let Some(value) = targets.iter().flat_map(|p| p.to_array()).find(|c| !c.is_finite()) {
            return Err(InputError::BadValue { name: "pin target", value, need: "finite" }.into());
        }
        if self.rounds.is_some() && self.held.moves_to(targets) {
            return Err(GpuWorldError::Feature { feature: MOVING_PINS_APART.to_owned() });
        }
        self.held.set_targets(targets);
        Ok(())
    }

    fn request_state(&self) -> Result<PendingState, GpuError> {
        let mut rows = self.request_places()?;
        rows.push(self.prepared.device.request(&self.velocities, self.velocities.len())?);
        let (places, held) = (self.prepared.local.places.places.clone(), self.held.velocities().to_vec());
        Ok(PendingState::new(self.host.steps(), rows, Vec::new(), move |rows, _| {
            let free = rows[2].len();
            let velocity = |&place: &u32| match rows[2].get(place as usize) {
                Some(found) => Vec3::new(found[0].into(), found[1].into(), found[2].into()),
                None => held[place as usize - free],
            };
            let velocities = places.par_iter().with_min_len(4096).map(velocity).collect();
            Ok((sums(&places, &rows[0], &rows[1]), velocities))
        }))
    }

    fn request_positions(&self) -> Result<PendingPositions, GpuError> {
        self.request_positions()
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

fn params_of(sim: &Simulation) -> Result<GpuParams, GpuWorldError> {
    let choice = sim.solver_choice();
    GpuParams::of(choice).cloned().ok_or_else(|| GpuWorldError::OtherSolver { solver: choice.to_string() })
}

/// Refuses what would be left out.
fn check(sim: &Simulation, params: &GpuParams) -> Result<(), GpuWorldError> {
    let refuse = |feature: &str| Err(GpuWorldError::Feature { feature: feature.to_owned() });
    // Of these there are kernels.
    let is_known = |feature: &str| ["wind", "pressure", "colliders", "self-collision"].contains(&feature);
    if let Some(feature) = sim.features().iter().find(|feature| !is_known(feature)) {
        return refuse(feature);
    }
    if !matches!(sim.integrator(), TimeIntegrator::ImplicitEuler | TimeIntegrator::Bdf2) {
        return refuse(&format!("{} (but implicit Euler and BDF2)", sim.integrator()));
    }
    crate::contact::check(sim.colliders())?;
    let is_newton = matches!(params.method, GpuMethod::TwoMetric(_));
    if sim.self_collision().is_some() && !is_newton {
        return refuse("self-collision with local and global iterations (but with Newton's method)");
    }
    let mode = sim.contact_params().mode;
    if !sim.colliders().is_empty() && is_newton && mode != ContactMode::Constraint {
        return refuse(&format!("contact by {mode:?} in Newton's method (but by constraints)"));
    }
    let damping = sim.damping();
    if [damping.deformation, damping.spring, damping.radial].iter().any(|rate| *rate > 0.0) {
        return refuse("damping but drag, and in proportion to stiffness");
    }
    if sim.model().energies().iter().any(|entry| !entry.batch.initial_goals().is_empty()) {
        return refuse("goals");
    }
    let start = match &params.method {
        GpuMethod::Projective(params) => params.start,
        GpuMethod::TwoMetric(params) => params.start,
        GpuMethod::Auto => Start::Predicted,
    };
    if start != Start::Predicted {
        return refuse("start but the predicted one");
    }
    Ok(())
}
