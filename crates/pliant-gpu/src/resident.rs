//! Worlds whose state stays on a device, whatever they are made of.

use std::fmt::{Debug, Formatter};

use pliant::Simulation;
use pliant::math::Vec3;

use crate::device::{Device, Pending};
use crate::error::GpuError;
use crate::world::GpuWorldError;

/// A world whose state stays on a device. Steps are asked for and done later.
pub trait ResidentWorld: Debug + Send {
    /// The device.
    fn device(&self) -> &Device;

    /// Asks for a step. What goes wrong in it may be told only when the state comes back.
    fn step(&mut self) -> Result<(), GpuWorldError>;

    /// Asks for positions as they are after the steps so far; other steps may be asked for before they arrive.
    fn request_positions(&self) -> Result<PendingPositions, GpuError>;

    /// Waits for all steps and brings the state back to the simulation. A state that is not good is an error, and the last good one stays.
    fn sync(&mut self) -> Result<&Simulation, GpuWorldError>;

    /// The simulation as it was at the last [`sync`](Self::sync).
    fn last_synced(&self) -> &Simulation;

    /// The world, to go on with elsewhere.
    fn into_simulation(self: Box<Self>) -> Result<Simulation, GpuWorldError>;
}

/// Turns what came back from the device into the position of each vertex.
type Assemble = Box<dyn FnOnce(Vec<Vec<[f32; 4]>>) -> Result<Vec<Vec3>, GpuError> + Send>;

/// Positions on their way back, as f32.
pub struct PendingPositions {
    parts: Vec<Pending<[f32; 4]>>,
    assemble: Assemble,
}

impl Debug for PendingPositions {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PendingPositions").field("parts", &self.parts).finish_non_exhaustive()
    }
}

impl PendingPositions {
    /// Arrays on their way, and what makes positions of them.
    pub(crate) fn new(
        parts: Vec<Pending<[f32; 4]>>,
        assemble: impl FnOnce(Vec<Vec<[f32; 4]>>) -> Result<Vec<Vec3>, GpuError> + Send + 'static,
    ) -> Self {
        Self { parts, assemble: Box::new(assemble) }
    }

    /// Whether they have arrived, or never will: [`wait`](Self::wait) does not wait then.
    pub fn is_ready(&self) -> bool {
        self.parts.iter().all(Pending::is_ready)
    }

    /// Waits for them: the position of each vertex \[m\].
    pub fn wait(self) -> Result<Vec<Vec3>, GpuError> {
        let parts = self.parts.into_iter().map(Pending::wait).collect::<Result<_, _>>()?;
        (self.assemble)(parts)
    }
}
