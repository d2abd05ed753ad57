//! Anderson acceleration of local/global iterations on a device, as the engine's `projective::anderson`, with its safeguard: an iterate that raises g is replaced by the
//! plain one.
//!
//! The host does not wait for any of it. So an iteration first looks at where the last one has led; where g has risen, it goes back to the plain iterate, and that is all it
//! does: a rejected iterate costs an iteration.

use pliant::solve::Acceleration;

use crate::device::{Access, Bound, Device, Dispatch, Program, Storage};
use crate::error::GpuError;
use crate::fronts::DirectSolve;
use crate::local::LocalStep;

/// Iterates that can be remembered, as in the engine.
const LARGEST_WINDOW: usize = 16;
/// Threads of a workgroup that adds up inner products, and the most of these workgroups.
const THREADS: usize = 256;
const MOST_ADDING: usize = 256;
/// Numbers of the state before its arrays, and the one that counts rejected iterates; see `state.wgsl`.
const HEAD: usize = 12;
const REJECTED: usize = 10;

/// Accelerated iterations of a world.
#[derive(Debug)]
pub(crate) struct Anderson {
    /// The first iteration, others, and the last one of a solve; one that is both first and last.
    first: Program,
    other: Program,
    last: Program,
    only: Program,
    state: Storage<u32>,
}

/// What iterations work on.
struct Parts<'a> {
    device: &'a Device,
    local: &'a LocalStep,
    factor: &'a DirectSolve,
    window: usize,
    /// Workgroups that add up.
    adding: usize,
    state: Storage<u32>,
    last: Storage<[[f32; 4]; 2]>,
    residuals: Storage<[f32; 4]>,
    plain: Storage<[f32; 4]>,
    sums: Storage<[f32; 4]>,
}

impl Anderson {
    /// None where another acceleration is asked for.
    pub(crate) fn new(
        device: &Device,
        local: &LocalStep,
        factor: &DirectSolve,
        acceleration: Acceleration,
    ) -> Result<Option<Self>, GpuError> {
        let Acceleration::Anderson { window } = acceleration else { return Ok(None) };
        let window = window.clamp(1, LARGEST_WINDOW);
        let free = local.places.free;
        let adding = free.div_ceil(THREADS).clamp(1, MOST_ADDING);
        let parts = Parts {
            device,
            local,
            factor,
            window,
            adding,
            state: device.zeros("state of the acceleration", HEAD + window + window * window)?,
            last: device.zeros("last iterates", free)?,
            residuals: device.zeros("changes of residuals", window * free)?,
            plain: device.zeros("changes of iterates", window * free)?,
            sums: device.zeros("sums of the acceleration", (window + 1) * adding)?,
        };
        let (measure, measured) = local.measure(device, factor.solution(), factor.right_hand_side())?;
        let (decide, mix) = (parts.decide(measured.storage())?, parts.mix()?);
        let middle = [factor.dispatches(), &[parts.remember()?, parts.shares()?]].concat();
        // Forces and g, a decision, a solve with them, and the next iterate.
        let iteration = |is_first: bool, is_last: bool| {
            let decide = decide.with_parameters([measured.storage().len() as u32, is_first.into(), 0, 0]);
            let mix = mix.with_parameters([free as u32, is_last.into(), 0, 0]);
            device.program([&local.dispatches[..], &[measure.clone(), decide], &middle, &[mix]].concat())
        };
        let (first, other) = (iteration(true, false)?, iteration(false, false)?);
        let (last, only) = (iteration(false, true)?, iteration(true, true)?);
        Ok(Some(Self { first, other, last, only, state: parts.state }))
    }

    /// The program of an iteration of a solve that has so many.
    pub(crate) fn iteration(&self, k: usize, count: usize) -> &Program {
        match (k == 0, k + 1 == count) {
            (true, true) => &self.only,
            (true, false) => &self.first,
            (false, true) => &self.last,
            (false, false) => &self.other,
        }
    }

    /// How many iterates were rejected in the solve so far.
    pub(crate) fn rejected(&self, device: &Device) -> Result<usize, GpuError> {
        Ok(device.read(&self.state, HEAD)?[REJECTED] as usize)
    }
}

impl Parts<'_> {
    fn kernel(
        &self,
        (source, entry): (&str, &str),
        access: &[Access],
        buffers: &[&dyn Bound],
        parameters: [u32; 4],
        workgroups: usize,
    ) -> Result<Dispatch, GpuError> {
        let state = include_str!("state.wgsl").replace("WINDOW_SIZE", &self.window.to_string());
        let kernel = self.device.kernel(&[&state, source].concat(), entry, access)?;
        Ok(self.device.dispatch(&kernel, buffers, parameters, workgroups))
    }

    fn decide(&self, measures: &Storage<[[f32; 4]; 2]>) -> Result<Dispatch, GpuError> {
        use Access::{Read, Write};
        let source = (include_str!("decide.wgsl"), "decide");
        self.kernel(source, &[Read, Write], &[measures, &self.state], [0; 4], 1)
    }

    fn remember(&self) -> Result<Dispatch, GpuError> {
        use Access::{Read, Write};
        let access = [Read, Read, Read, Write, Write, Write, Write];
        let (step, offsets) = (self.factor.solution(), &self.local.offsets);
        let buffers: [&dyn Bound; 7] =
            [&self.state, step, offsets, &self.last, &self.residuals, &self.plain, &self.sums];
        let parameters = [self.local.places.free as u32, self.adding as u32, 0, 0];
        self.kernel((include_str!("remember.wgsl"), "remember"), &access, &buffers, parameters, self.adding)
    }

    fn shares(&self) -> Result<Dispatch, GpuError> {
        let access = [Access::Read, Access::Write];
        let buffers: [&dyn Bound; 2] = [&self.sums, &self.state];
        self.kernel((include_str!("shares.wgsl"), "shares"), &access, &buffers, [self.adding as u32, 0, 0, 0], 1)
    }

    fn mix(&self) -> Result<Dispatch, GpuError> {
        use Access::{Read, Write};
        let free = self.local.places.free;
        let buffers: [&dyn Bound; 4] = [&self.state, &self.last, &self.plain, &self.local.offsets];
        let source = (include_str!("mix.wgsl"), "mix_iterates");
        self.kernel(source, &[Read, Read, Read, Write], &buffers, [0; 4], free.div_ceil(128))
    }
}
