//! Contacts in Newton's method: with colliders, which are blocks of the matrix, and between layers, which couple vertices.

use pliant::solve::Preconditioner;

use super::linear::Linear;
use crate::contact::Obstacles;
use crate::device::{Access, Bound, Device, Dispatch, Program, Storage};
use crate::error::GpuError;
use crate::layers::{Layers, status};
use crate::local::LocalStep;

/// Threads of a workgroup.
const THREADS: usize = 128;

/// What is in the way of a world.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Touchable<'a> {
    pub(crate) obstacles: Option<&'a Obstacles>,
    pub(crate) layers: Option<&'a Layers>,
}

/// Programs of contacts.
#[derive(Debug)]
pub(super) struct Contacts {
    /// Stops vertices where they meet colliders and each other.
    pub(super) begin: Program,
    /// Contacts take the forces that an iteration has come to, and follow.
    pub(super) settle: Program,
    /// How many press against colliders, by parts; the status of layers.
    parts: Option<Storage<u32>>,
    status: Option<Storage<u32>>,
    /// Contacts between layers that pressed in all iterations so far.
    pressed_before: u32,
    /// How many pressed when they were last counted, in all and between layers.
    pub(super) pressing: u32,
    pub(super) between_layers: u32,
    /// Kernels before and after the one that gathers forces.
    pub(super) forces: [Vec<Dispatch>; 2],
}

impl Contacts {
    /// `origin` is where an iteration has begun, of all places; `forces` is −∇g.
    pub(super) fn new(
        device: &Device,
        local: &LocalStep,
        linear: &Linear,
        forces: &Storage<[f32; 4]>,
        origin: &Storage<[f32; 4]>,
        touchable: Touchable<'_>,
    ) -> Result<Option<Self>, GpuError> {
        let Some(room) = &local.others else { return Ok(None) };
        let Touchable { obstacles, layers } = touchable;
        let (blocks, first) = &linear.own_blocks;
        let (mut begin, mut settle, mut before, mut after) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        if let Some(obstacles) = obstacles {
            before.push(obstacles.respond(device, local, (&room.places, &room.slots), (blocks, *first))?);
            begin.push(obstacles.begin(device, local, &linear.guess)?);
            settle.push(obstacles.settle(device, local, origin)?);
        }
        if let Some(layers) = layers {
            let free = local.places.free;
            let step = device.zeros("steps of vertices", free)?;
            let [first_entry, first_coupling] = layers.coupling_places();
            let adds = if obstacles.is_some() { 1 << 31 } else { 0 };
            let parameters = [free as u32, first_entry, first_coupling, first | adds];
            let kernel = |entry: &str| {
                use Access::{Read, Write};
                let access = [Write, Write, Read, Read, Write];
                let kernel = device.kernel(include_str!("layers.wgsl"), entry, &access)?;
                let buffers: [&dyn Bound; 5] = [layers.couplings(), blocks, origin, &local.offsets, &step];
                Ok::<_, GpuError>(device.dispatch(&kernel, &buffers, parameters, free.div_ceil(THREADS)))
            };
            begin.extend(layers.relax(&linear.guess)?);
            after.extend([layers.respond()?, layers.add_forces(forces)?, kernel("layer_blocks")?]);
            // What presses is told by where the iteration has begun.
            settle.extend([layers.respond_at(origin)?, kernel("step_taken")?, layers.settle(&step)?]);
        }
        Ok(Some(Self {
            begin: device.program(begin)?,
            settle: device.program(settle)?,
            parts: obstacles.map(|obstacles| obstacles.pressing.clone()),
            status: layers.map(|layers| layers.status().clone()),
            pressed_before: 0,
            pressing: 0,
            between_layers: 0,
            forces: [before, after],
        }))
    }

    /// Counts what presses after an iteration.
    pub(super) fn count(&mut self, device: &Device) -> Result<(), GpuError> {
        let parts = self.parts.as_ref().map(|parts| device.request(parts, parts.len())).transpose()?;
        let words = self.status.as_ref().map(|words| device.request(words, words.len())).transpose()?;
        self.pressing = parts.map_or(Ok(Vec::new()), |parts| parts.wait())?.iter().sum();
        if let Some(words) = words {
            let pressed = words.wait()?[status::PRESSING];
            self.between_layers = pressed.wrapping_sub(std::mem::replace(&mut self.pressed_before, pressed));
            self.pressing += self.between_layers;
        }
        Ok(())
    }

    /// Whether a guess helps: where thin bodies touch something, forces change too much from step to step.
    pub(super) fn allows_guess(&self, preconditioner: Preconditioner) -> bool {
        self.pressing == 0 || preconditioner == Preconditioner::Factor
    }
}
