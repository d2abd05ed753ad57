//! Newton's method with two metrics on a device, as the engine's `two_metric`: conjugate gradients over the constant factor and the 3×3 blocks on the diagonal,
//! then a step as far as g falls. The host decides, the device computes: an iteration waits for it twice or three times.

mod linear;
mod matrix;

use pliant::solve::{Objective, TwoMetricParams};

use crate::device::{Access, Bound, Device, Program, Storage};
use crate::error::GpuError;
use crate::fronts::DirectSolve;
use crate::local::{Gathered, LocalStep, Measures};
use linear::{Limits, Linear};

/// Fraction of the predicted decrease that a step must reach (Armijo).
const SUFFICIENT: f64 = 1e-4;
/// Lengths that the line search tries before it gives up.
const MOST_LENGTHS: usize = 12;
/// Changes of g below this share cannot be told from the rounding of f32.
const NOISE: f64 = 1e-6;
/// Share of the kinetic energy in a stage that may be missed without a look, where iterations go by energy.
const NEGLIGIBLE: f64 = 1e-8;

/// What is on the device for Newton's method.
#[derive(Debug)]
pub(crate) struct Newton {
    linear: Linear,
    /// Notes where vertices are, and puts them a share of the way along the solution.
    note: Program,
    moves: Program,
    /// Forces and measures of where they are.
    look: Program,
}

/// What a solve has come to.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Outcome {
    pub(crate) iterations: usize,
    pub(crate) linear_iterations: usize,
    pub(crate) rejected: usize,
    pub(crate) is_converged: bool,
    /// Longest movement in the last iteration \[m\].
    pub(crate) movement: f64,
    /// None where something is not finite.
    pub(crate) seen: Option<Measures>,
}

impl Newton {
    pub(crate) fn new(
        device: &Device,
        objective: &Objective<'_>,
        (local, gathered): (&LocalStep, &Gathered),
        (forces, factor): (&Storage<[f32; 4]>, &DirectSolve),
        params: &TwoMetricParams,
    ) -> Result<Self, GpuError> {
        let linear = Linear::new(device, objective, (local, gathered), (forces, factor), params.preconditioner)?;
        let free = local.places.free;
        let origin: Storage<[f32; 4]> = device.zeros("where an iteration began", free)?;
        let kernel =
            device.kernel(include_str!("move.wgsl"), "move_along", &[Access::Read, Access::Write, Access::Write])?;
        let buffers: [&dyn Bound; 3] = [&linear.solution, &origin, &local.offsets];
        let program = |begins: u32| {
            let parameters = [free as u32, 1.0_f32.to_bits(), begins, 0];
            device.program(vec![device.dispatch(&kernel, &buffers, parameters, free.div_ceil(128))])
        };
        let measure = local.measure(device, &linear.solution, forces)?;
        let look = device.program([&local.dispatches[..], &[measure]].concat())?;
        Ok(Self { note: program(1)?, moves: program(0)?, look, linear })
    }

    /// Iterates from where vertices are. `load` is the largest external force \[N\], `wanted` the kinetic energy that inertia and external forces ask for
    /// \[J\]: by default that of the start, if vertices are predicted to be there.
    /// `first_residual` is what the first linear system of the stage began with; later rounds need not leave less.
    pub(crate) fn solve(
        &mut self,
        device: &Device,
        local: &LocalStep,
        params: &TwoMetricParams,
        (load, wanted): (f64, Option<f64>),
        first_residual: &mut Option<f64>,
    ) -> Result<Outcome, GpuError> {
        let mut outcome = Outcome { seen: self.look(device, local)?, ..Outcome::default() };
        let Some(mut before) = outcome.seen else { return Ok(outcome) };
        let wanted = wanted.unwrap_or(before.kinetic);
        while outcome.iterations < params.iterations {
            let nothing = if params.energy_tolerance > 0.0 && params.linear_tolerance > 0.0 {
                wanted * NEGLIGIBLE / params.linear_tolerance.powi(2)
            } else {
                0.0
            };
            let limits = Limits {
                most: params.linear_iterations,
                enough: params.linear_tolerance,
                beside: first_residual.unwrap_or(0.0).max(nothing),
            };
            device.run(&[&self.note])?;
            let solved = self.linear.solve(device, limits)?;
            first_residual.get_or_insert(solved.begun_with);
            outcome.iterations += 1;
            outcome.linear_iterations += solved.iterations;
            outcome.movement = solved.longest;
            // What falls freely is where it should be but for rounding, through which no search sees.
            if params.energy_tolerance > 0.0 && solved.promised < NEGLIGIBLE * wanted {
                outcome.is_converged = true;
                break;
            }
            let value = |seen: &Measures| seen.elastic + seen.inertial;
            let noise = NOISE * value(&before).abs();
            let (mut length, mut taken) = (1.0, None);
            for _ in 0..MOST_LENGTHS {
                self.moves.set_parameters(
                    device,
                    "move_along",
                    [local.places.free as u32, (length as f32).to_bits(), 0, 0],
                )?;
                device.run(&[&self.moves])?;
                let reached = self.look(device, local)?;
                let change = reached.as_ref().map_or(f64::INFINITY, |reached| value(reached) - value(&before));
                let enough = if -solved.slope * length > noise { SUFFICIENT * length * solved.slope } else { noise };
                if change <= enough {
                    taken = reached;
                    break;
                }
                outcome.rejected += 1;
                // The lowest point of the parabola through what is known, if it is a good deal shorter and not too short.
                let fitted = -0.5 * solved.slope * length * length / (change - solved.slope * length);
                length = if fitted.is_finite() { fitted.clamp(0.1 * length, 0.5 * length) } else { 0.1 * length };
            }
            let Some(after) = taken else {
                self.moves.set_parameters(device, "move_along", [local.places.free as u32, 0, 0, 0])?;
                device.run(&[&self.moves])?;
                outcome.seen = self.look(device, local)?;
                break;
            };
            let missed = value(&after) - value(&before) + solved.promised;
            (before, outcome.seen) = (after, Some(after));
            outcome.is_converged = after.unbalanced <= params.tolerance * after.largest.max(load);
            let energy = wanted.min(after.kinetic + after.elastic.max(0.0));
            let share = params.energy_tolerance;
            let keeps_promise = length == 1.0 && share > 0.0 && (missed <= noise || missed <= share * energy);
            if outcome.is_converged || (keeps_promise && outcome.iterations >= params.least_iterations) {
                break;
            }
        }
        Ok(outcome)
    }

    fn look(&self, device: &Device, local: &LocalStep) -> Result<Option<Measures>, GpuError> {
        device.run(&[&self.look])?;
        local.measured(device)
    }
}
