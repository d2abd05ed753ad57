//! Worlds whose state stays on a device, whatever they are made of.

use std::fmt::{Debug, Formatter};

use pliant::Simulation;
use pliant::math::Vec3;

use crate::device::{Device, Pending, Timing};
use crate::error::GpuError;
use crate::kinds::no_moving_pins;
use crate::world::GpuWorldError;

/// A world whose state stays on a device. Steps are asked for and done later.
pub trait ResidentWorld: Debug + Send + Sync {
    /// The device.
    fn device(&self) -> &Device;

    /// Asks for a step. What goes wrong in it may be told only when the state comes back.
    fn step(&mut self) -> Result<(), GpuWorldError>;

    /// Takes a step, waits for it, and tells how long it took; none, and no step, where steps are not lists of commands that are known beforehand.
    fn timed_step(&mut self) -> Result<Option<Timing>, GpuWorldError>;

    /// Where pinned vertices are at the end of the next step, and from then on \[m\], in the order of the model's list of pins. Not all worlds have it:
    /// [`check_resident`](crate::check_resident) tells.
    fn move_pins(&mut self, _targets: &[Vec3]) -> Result<(), GpuWorldError> {
        Err(no_moving_pins())
    }

    /// Asks for the state as it is after the steps so far; other steps may be asked for before it arrives.
    fn request_state(&self) -> Result<PendingState, GpuError>;

    /// What of the world is on the host.
    fn host(&self) -> &HostSide;

    /// The same, to be changed.
    fn host_mut(&mut self) -> &mut HostSide;

    /// The same, without what is on the device.
    fn into_host(self: Box<Self>) -> HostSide;

    /// Asks for positions as they are after the steps so far; other steps may be asked for before they arrive.
    fn request_positions(&self) -> Result<PendingPositions, GpuError> {
        Ok(self.request_state()?.positions())
    }

    /// Makes a state that has come back that of the simulation, if it is good; otherwise the last good one stays. States have to be
    /// taken in the order in which they were asked for.
    fn accept(&mut self, state: &ResidentState) -> Result<&Simulation, GpuWorldError> {
        self.host_mut().accept(state)
    }

    /// Waits for all steps and brings the state back to the simulation. A state that is not good is an error, and the last good one stays.
    fn sync(&mut self) -> Result<&Simulation, GpuWorldError> {
        let state = self.request_state()?.wait()?;
        self.accept(&state)
    }

    /// The simulation with the last good state that came back.
    fn last_synced(&self) -> &Simulation {
        self.host().simulation()
    }

    /// The world, to go on with elsewhere.
    fn into_simulation(mut self: Box<Self>) -> Result<Simulation, GpuWorldError> {
        self.sync()?;
        Ok(self.into_last_synced())
    }

    /// The simulation with the last good state that came back, where the device is lost, or what it did is of no use.
    fn into_last_synced(self: Box<Self>) -> Simulation {
        self.into_host().into_simulation()
    }
}

/// What of a world that stays on a device is on the host.
#[derive(Debug)]
pub struct HostSide {
    simulation: Simulation,
    /// Steps that were asked for, and those after which the state of the simulation is.
    asked: u64,
    seen: u64,
}

impl HostSide {
    /// Of a world that has just been brought to a device.
    pub fn new(simulation: Simulation) -> Self {
        Self { simulation, asked: 0, seen: 0 }
    }

    /// The simulation with the last good state that came back.
    pub fn simulation(&self) -> &Simulation {
        &self.simulation
    }

    /// The simulation, to be changed. The device does not know of it: bring the world there anew.
    pub fn simulation_mut(&mut self) -> &mut Simulation {
        &mut self.simulation
    }

    /// The simulation, without the counts of steps.
    pub fn into_simulation(self) -> Simulation {
        self.simulation
    }

    /// Steps that were asked for since the world came to the device.
    pub fn steps(&self) -> u64 {
        self.asked
    }

    /// Time after the steps that were asked for \[s\].
    pub fn time_ahead(&self) -> f64 {
        self.simulation.time() + (self.asked - self.seen) as f64 * self.simulation.time_step()
    }

    /// Notes that a step was asked for.
    pub fn count_step(&mut self) {
        self.asked += 1;
    }

    /// Makes a state that has come back that of the simulation, if it is good.
    pub(crate) fn accept(&mut self, state: &ResidentState) -> Result<&Simulation, GpuWorldError> {
        let ResidentState { steps, positions, velocities } = state;
        let since = steps.saturating_sub(self.seen);
        if !positions.iter().chain(velocities).all(|v| v.is_finite()) {
            return Err(GpuWorldError::NotFinite { steps: since, time: self.simulation.time() });
        }
        self.simulation.set_state_after(since, positions, velocities)?;
        self.seen = self.seen.max(*steps);
        Ok(&self.simulation)
    }

    /// The same for a world that keeps where pins are to go in its simulation: those that no step has taken there yet are still to go.
    pub(crate) fn accept_and_aim(&mut self, state: &ResidentState) -> Result<&Simulation, GpuWorldError> {
        let mut targets = self.simulation.pin_targets().to_vec().into_iter();
        self.accept(state)?;
        self.simulation.move_pins(|_, rest| targets.next().unwrap_or(rest))?;
        Ok(&self.simulation)
    }

    /// Puts vertices elsewhere, and gives them velocities, after the steps that were asked for.
    pub(crate) fn put(&mut self, positions: &[Vec3], velocities: &[Vec3]) -> Result<(), GpuWorldError> {
        self.simulation.set_state_after(self.asked - self.seen, positions, velocities)?;
        self.seen = self.asked;
        Ok(())
    }
}

/// The state of a world as it came back from a device.
#[derive(Debug, Clone, PartialEq)]
pub struct ResidentState {
    /// Steps that were taken since the world came to the device.
    pub steps: u64,
    /// Position of each vertex \[m\].
    pub positions: Vec<Vec3>,
    /// Velocity of each vertex \[m/s\].
    pub velocities: Vec<Vec3>,
}

/// What arrays of a device, and words of it, are made into.
type Assemble<T> = Box<dyn FnOnce(Vec<Vec<[f32; 4]>>, Vec<Vec<u32>>) -> Result<T, GpuError> + Send + Sync>;

/// Arrays on their way, and what will be made of them.
struct Arriving<T> {
    rows: Vec<Pending<[f32; 4]>>,
    words: Vec<Pending<u32>>,
    assemble: Assemble<T>,
}

impl<T> Arriving<T> {
    fn is_ready(&self) -> bool {
        self.rows.iter().all(Pending::is_ready) && self.words.iter().all(Pending::is_ready)
    }

    fn wait(self) -> Result<T, GpuError> {
        let rows = self.rows.into_iter().map(Pending::wait).collect::<Result<_, _>>()?;
        let words = self.words.into_iter().map(Pending::wait).collect::<Result<_, _>>()?;
        (self.assemble)(rows, words)
    }
}

/// A state on its way back.
pub struct PendingState {
    steps: u64,
    parts: Arriving<(Vec<Vec3>, Vec<Vec3>)>,
}

impl Debug for PendingState {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PendingState").field("steps", &self.steps).finish_non_exhaustive()
    }
}

impl PendingState {
    /// Arrays and words on their way, and what makes positions and velocities of them; after so many steps.
    pub(crate) fn new(
        steps: u64,
        rows: Vec<Pending<[f32; 4]>>,
        words: Vec<Pending<u32>>,
        assemble: impl FnOnce(Vec<Vec<[f32; 4]>>, Vec<Vec<u32>>) -> Result<(Vec<Vec3>, Vec<Vec3>), GpuError>
        + Send
        + Sync
        + 'static,
    ) -> Self {
        Self { steps, parts: Arriving { rows, words, assemble: Box::new(assemble) } }
    }

    /// Steps after which it is, since the world came to the device.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Whether it has arrived, or never will: [`wait`](Self::wait) does not wait then.
    pub fn is_ready(&self) -> bool {
        self.parts.is_ready()
    }

    /// Waits for it. Steps that were asked for later go on meanwhile.
    pub fn wait(self) -> Result<ResidentState, GpuError> {
        let (positions, velocities) = self.parts.wait()?;
        Ok(ResidentState { steps: self.steps, positions, velocities })
    }

    /// Positions alone.
    fn positions(self) -> PendingPositions {
        let Arriving { rows, words, assemble } = self.parts;
        let assemble = Box::new(|rows, words| assemble(rows, words).map(|(positions, _)| positions));
        PendingPositions(Arriving { rows, words, assemble })
    }
}

/// Positions on their way back, as f32.
pub struct PendingPositions(Arriving<Vec<Vec3>>);

impl Debug for PendingPositions {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PendingPositions").field("rows", &self.0.rows).finish_non_exhaustive()
    }
}

impl PendingPositions {
    /// Arrays on their way, and what makes positions of them.
    pub(crate) fn new(
        rows: Vec<Pending<[f32; 4]>>,
        assemble: impl FnOnce(Vec<Vec<[f32; 4]>>) -> Result<Vec<Vec3>, GpuError> + Send + Sync + 'static,
    ) -> Self {
        Self(Arriving { rows, words: Vec::new(), assemble: Box::new(|rows, _| assemble(rows)) })
    }

    /// Whether they have arrived, or never will: [`wait`](Self::wait) does not wait then.
    pub fn is_ready(&self) -> bool {
        self.0.is_ready()
    }

    /// Waits for them: the position of each vertex \[m\]. Steps that were asked for later go on meanwhile.
    pub fn wait(self) -> Result<Vec<Vec3>, GpuError> {
        self.0.wait()
    }
}
