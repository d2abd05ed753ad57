//! A world of fluid that stays on a device, with the simulation that it comes from.

use pliant::Simulation;

use super::{FluidWorld, GpuFluid};
use crate::device::{Device, DeviceChoice, Timing};
use crate::error::GpuError;
use crate::resident::{HostSide, PendingState, ResidentWorld};
use crate::world::GpuWorldError;

/// A simulation of fluids whose state stays on a device: a [`GpuFluid`] that goes back to where it came from.
#[derive(Debug)]
pub struct ResidentFluid {
    host: HostSide,
    fluid: GpuFluid,
}

impl ResidentFluid {
    /// Brings a simulation to a device.
    pub fn new(mut sim: Simulation, choice: &DeviceChoice) -> Result<Self, GpuWorldError> {
        Ok(Self::prepare(&mut sim, choice)?(sim))
    }

    /// Refuses what would be left out.
    pub(crate) fn check(sim: &Simulation) -> Result<(), GpuWorldError> {
        FluidWorld::of(sim)?.portions()?;
        Ok(())
    }

    /// Does all that may fail, and leaves the simulation to its owner until then.
    pub(crate) fn prepare(
        sim: &mut Simulation,
        choice: &DeviceChoice,
    ) -> Result<impl FnOnce(Simulation) -> Self + use<>, GpuWorldError> {
        // Refused before there is a device.
        Self::check(sim)?;
        let world = FluidWorld::of(sim)?;
        let fluid = GpuFluid::new(&Device::open(choice)?, &world)?;
        Ok(move |sim| Self { host: HostSide::new(sim), fluid })
    }

    /// The fluid, with what it alone can tell.
    pub fn fluid(&self) -> &GpuFluid {
        &self.fluid
    }
}

impl ResidentWorld for ResidentFluid {
    fn device(&self) -> &Device {
        &self.fluid.device
    }

    fn step(&mut self) -> Result<(), GpuWorldError> {
        self.fluid.step()?;
        self.host.count_step();
        Ok(())
    }

    fn timed_step(&mut self) -> Result<Option<Timing>, GpuWorldError> {
        let timing = self.fluid.device.time(&vec![&self.fluid.program; self.fluid.substeps])?;
        self.fluid.steps += 1;
        self.host.count_step();
        Ok(Some(timing))
    }

    fn request_state(&self) -> Result<PendingState, GpuError> {
        let layout = self.fluid.layout;
        let (state, status) = self.fluid.request_parts()?;
        Ok(PendingState::new(self.host.steps(), vec![state], vec![status], move |rows, words| {
            let found = super::assembled(&layout, &rows[0], &words[0])?;
            Ok((found.positions, found.velocities))
        }))
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
