//! Where the simulation of a run is: here, or on a GPU.

use std::ops::{Deref, DerefMut};

use pliant::Simulation;

#[cfg(feature = "gpu")]
pub(crate) use on_gpu::Resident;

/// The simulation of a run. It is used as any other; while its state stays on a GPU, it is what came back last. Whoever changes it then takes it off the GPU: the
/// next frame begins with what was changed.
#[derive(Debug)]
pub struct Home(Place);

#[derive(Debug)]
enum Place {
    Here(Box<Simulation>),
    #[cfg(feature = "gpu")]
    OnGpu(Box<Resident>),
    /// Between two others, within one function.
    #[cfg(feature = "gpu")]
    Moving,
}

impl Home {
    pub(crate) fn new(sim: Simulation) -> Self {
        Self(Place::Here(Box::new(sim)))
    }
}

impl Deref for Home {
    type Target = Simulation;

    fn deref(&self) -> &Simulation {
        match &self.0 {
            Place::Here(sim) => sim,
            #[cfg(feature = "gpu")]
            Place::OnGpu(resident) => resident.world.last_synced(),
            #[cfg(feature = "gpu")]
            Place::Moving => unreachable!("nobody looks at a simulation while it moves"),
        }
    }
}

impl DerefMut for Home {
    fn deref_mut(&mut self) -> &mut Simulation {
        match &mut self.0 {
            Place::Here(sim) => sim,
            #[cfg(feature = "gpu")]
            Place::OnGpu(resident) => {
                resident.is_changed = true;
                resident.world.host_mut().simulation_mut()
            }
            #[cfg(feature = "gpu")]
            Place::Moving => unreachable!("nobody looks at a simulation while it moves"),
        }
    }
}

#[cfg(feature = "gpu")]
mod on_gpu {
    use std::collections::VecDeque;

    use pliant_gpu::device::DeviceChoice;
    use pliant_gpu::{Objections, PendingState, ResidentWorld, resident};

    use super::{Home, Place};

    /// A world that stays on a GPU.
    #[derive(Debug)]
    pub(crate) struct Resident {
        pub(crate) world: Box<dyn ResidentWorld>,
        /// States at the ends of frames that were asked for, in order; the first is that of the next frame.
        pub(crate) under_way: VecDeque<PendingState>,
        /// Whether the simulation has been changed since it came there.
        pub(super) is_changed: bool,
    }

    impl Home {
        /// What stays on a GPU, and is as it was brought there.
        pub(crate) fn resident(&mut self) -> Option<&mut Resident> {
            match &mut self.0 {
                Place::OnGpu(resident) if !resident.is_changed => Some(resident),
                _ => None,
            }
        }

        /// Whether the state stays on a GPU, as it was brought there.
        pub(crate) fn is_on_gpu(&self) -> bool {
            matches!(&self.0, Place::OnGpu(resident) if !resident.is_changed)
        }

        /// Brings the simulation to a GPU, or says why it stays here.
        pub(crate) fn enter(&mut self, choice: &DeviceChoice) -> Result<(), Objections> {
            let sim = match std::mem::replace(&mut self.0, Place::Moving) {
                Place::Here(sim) => *sim,
                Place::OnGpu(resident) => resident.world.into_last_synced(),
                Place::Moving => unreachable!("a simulation moves once at a time"),
            };
            let (place, result) = match resident(sim, choice) {
                Ok(world) => {
                    let under_way = VecDeque::new();
                    (Place::OnGpu(Box::new(Resident { world, under_way, is_changed: false })), Ok(()))
                }
                Err(refused) => (Place::Here(Box::new(refused.simulation)), Err(refused.objections)),
            };
            self.0 = place;
            result
        }
    }
}
