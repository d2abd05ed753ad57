//! Newton's method with two metrics on a device, as the engine's `two_metric`: conjugate gradients over the constant factor and the 3×3 blocks on the diagonal,
//! then a step as far as g falls.
//!
//! The host decides, the device computes, and to wait for it costs as much as a linear iteration. So an iteration is asked for as a whole, with as many linear
//! iterations as the last one took and the full step: mostly that is right, and then it waits once.

mod contacts;
mod linear;
mod matrix;

use pliant::solve::{Objective, TwoMetricParams};

use crate::device::{Access, Bound, Device, Program, Storage};
use crate::error::GpuError;
use crate::fronts::DirectSolve;
use crate::local::{Gathered, LocalStep, MeasuredParts, Measures};
use contacts::Contacts;
pub(crate) use contacts::Touchable;
use linear::{Limits, Linear, Solved};

/// Fraction of the predicted decrease that a step must reach (Armijo).
const SUFFICIENT: f64 = 1e-4;
/// Linear iterations that are asked for at first, and if those were not enough.
const FIRST_EXPECTED: usize = 4;
const MORE: usize = 2;
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
    /// Forces and measures of where they are, at the start of a solve and after a step.
    first_look: Program,
    first_measured: MeasuredParts,
    look: Program,
    measured: MeasuredParts,
    /// Linear iterations that are likely to be enough.
    expected: usize,
    contacts: Option<Contacts>,
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
    /// What the first linear system has begun with.
    pub(crate) begun_with: Option<f64>,
}

/// What an iteration begins with.
struct Begin {
    limits: Limits,
    has_guess: bool,
    /// What was measured there, where it is known; otherwise it is being measured.
    before: Option<Measures>,
}

impl Newton {
    /// Where a guess is put, in the order of the factor: a movement from where vertices are \[m\].
    pub(crate) fn guess(&self) -> &Storage<[f32; 4]> {
        &self.linear.guess
    }

    pub(crate) fn new(
        device: &Device,
        objective: &Objective<'_>,
        (local, gathered): (&LocalStep, &Gathered),
        (forces, factor): (&Storage<[f32; 4]>, &DirectSolve),
        params: &TwoMetricParams,
        touchable: Touchable<'_>,
    ) -> Result<Self, GpuError> {
        let linear = Linear::new(
            device,
            objective,
            (local, gathered),
            (forces, factor),
            params.preconditioner,
            touchable.layers,
        )?;
        let free = local.places.free;
        let count = local.places.vertices.len();
        let origin: Storage<[f32; 4]> = device.zeros("where an iteration began", count)?;
        let kernel =
            device.kernel(include_str!("move.wgsl"), "move_along", &[Access::Read, Access::Write, Access::Write])?;
        let buffers: [&dyn Bound; 3] = [&linear.solution, &origin, &local.offsets];
        let program = |count: usize, begins: u32| {
            let parameters = [count as u32, 1.0_f32.to_bits(), begins, 0];
            device.program(vec![device.dispatch(&kernel, &buffers, parameters, count.div_ceil(128))])
        };
        let contacts = Contacts::new(device, local, &linear, forces, &origin, touchable)?;
        let [before, after] =
            contacts.as_ref().map_or([&[][..]; 2], |contacts| [&contacts.forces[0][..], &contacts.forces[1]]);
        let look = || {
            let (measure, measured) = local.measure(device, &linear.solution, forces)?;
            let all = [&local.with_others(before)[..], after, &[measure]].concat();
            Ok::<_, GpuError>((device.program(all)?, measured))
        };
        let ((first_look, first_measured), (look, measured)) = (look()?, look()?);
        let (note, moves) = (program(count, 1)?, program(free, 0)?);
        Ok(Self { linear, note, moves, first_look, first_measured, look, measured, expected: FIRST_EXPECTED, contacts })
    }

    /// Iterates from where vertices are. `load` is the largest external force \[N\], `wanted` the kinetic energy that inertia and external forces ask for
    /// \[J\]: by default that of the start, if vertices are predicted to be there.
    /// `beside` is what the first linear system of an earlier round of the stage has begun with: later rounds need not leave less. What `begins` has a guess,
    /// and the first linear system begins with the best share of it: forces that stay as they were, at rest or in a slow swing, are then found whole.
    pub(crate) fn solve(
        &mut self,
        device: &Device,
        local: &LocalStep,
        params: &TwoMetricParams,
        (load, wanted): (f64, Option<f64>),
        beside: f64,
        begins: bool,
    ) -> Result<Outcome, GpuError> {
        let free = local.places.free as u32;
        let mut outcome = Outcome::default();
        let begin = self.contacts.as_ref().filter(|_| begins).map(|contacts| &contacts.begin);
        if let Some(begin) = begin {
            device.run(&[begin])?;
        }
        let has_guess =
            begins && self.contacts.as_ref().is_none_or(|contacts| contacts.allows_guess(params.preconditioner));
        let mut before = None;
        while outcome.iterations < params.iterations {
            if before.is_none() {
                device.run(&[&self.first_look])?;
            }
            // Where the start is not known yet, the kinetic energy that is asked for is not either, and tolerances that go by it wait for the next iteration.
            let asked_for = wanted.or(before.map(|seen: Measures| seen.kinetic)).unwrap_or(0.0);
            let nothing = if params.energy_tolerance > 0.0 && params.linear_tolerance > 0.0 {
                asked_for * NEGLIGIBLE / params.linear_tolerance.powi(2)
            } else {
                0.0
            };
            let limits = Limits { enough: params.linear_tolerance, beside: beside.max(nothing) };
            let begin = Begin { limits, has_guess: has_guess && outcome.iterations == 0, before };
            let (solved, reached, start) = self.full_step(device, free, params.linear_iterations, begin)?;
            let Some(start) = start else { return Ok(outcome) };
            let wanted = wanted.unwrap_or(start.kinetic);
            outcome.begun_with.get_or_insert(solved.begun_with);
            outcome.iterations += 1;
            outcome.linear_iterations += solved.iterations;
            outcome.movement = solved.longest;
            outcome.seen = Some(start);
            // What falls freely is where it should be but for rounding, through which no search sees.
            if params.energy_tolerance > 0.0 && self.is_untouched() && solved.promised < NEGLIGIBLE * wanted {
                outcome.is_converged = true;
                outcome.seen = self.put(device, free, 0.0)?;
                break;
            }
            let value = |seen: &Measures| seen.elastic + seen.inertial;
            let noise = NOISE * value(&start).abs();
            let (mut length, mut taken, mut reached) = (1.0, None, reached);
            for _ in 0..MOST_LENGTHS {
                let change = reached.as_ref().map_or(f64::INFINITY, |reached| value(reached) - value(&start));
                let enough = if -solved.slope * length > noise { SUFFICIENT * length * solved.slope } else { noise };
                if change <= enough {
                    taken = reached;
                    break;
                }
                outcome.rejected += 1;
                // The lowest point of the parabola through what is known, if it is a good deal shorter and not too short.
                let fitted = -0.5 * solved.slope * length * length / (change - solved.slope * length);
                length = if fitted.is_finite() { fitted.clamp(0.1 * length, 0.5 * length) } else { 0.1 * length };
                reached = self.put(device, free, length)?;
            }
            let Some(after) = taken else {
                outcome.seen = self.put(device, free, 0.0)?;
                break;
            };
            let missed = value(&after) - value(&start) + solved.promised;
            (before, outcome.seen) = (Some(after), Some(after));
            outcome.is_converged = after.unbalanced <= params.tolerance * after.largest.max(load);
            let energy = wanted.min(after.kinetic + after.elastic.max(0.0));
            let share = params.energy_tolerance;
            let keeps_promise = length == 1.0 && share > 0.0 && (missed <= noise || missed <= share * energy);
            let mut least = params.least_iterations;
            if let Some(contacts) = &mut self.contacts {
                // Contacts take their forces and follow, so that g is another from here on.
                device.run(&[&contacts.settle])?;
                before = None;
                contacts.count(device)?;
                if contacts.pressing > 0 {
                    least = least.max(params.contact_iterations);
                }
            }
            if outcome.is_converged || (keeps_promise && outcome.iterations >= least) {
                break;
            }
        }
        Ok(outcome)
    }

    /// Whether nothing pressed on anything when it was last looked at.
    fn is_untouched(&self) -> bool {
        self.contacts.as_ref().is_none_or(|contacts| contacts.pressing == 0)
    }

    /// Contacts between layers that pressed when they were last counted.
    pub(crate) fn pressing_layers(&self) -> u32 {
        self.contacts.as_ref().map_or(0, |contacts| contacts.between_layers)
    }

    /// A linear solve and the full step along what it came to; also what was measured there, and where it began.
    #[allow(clippy::type_complexity, reason = "three results that are taken apart at once")]
    fn full_step(
        &mut self,
        device: &Device,
        free: u32,
        most: usize,
        Begin { limits, has_guess, before }: Begin,
    ) -> Result<(Solved, Option<Measures>, Option<Measures>), GpuError> {
        self.moves.set_parameters(device, "move_along", [free, 1.0_f32.to_bits(), 0, 0])?;
        let mut made = self.expected.clamp(1, most.max(1));
        let mut programs = vec![&self.note];
        programs.extend(self.linear.begin(device, limits, has_guess)?);
        let mut next = made;
        loop {
            programs.extend(std::iter::repeat_n(self.linear.iteration(), next));
            programs.extend([self.linear.judge(), &self.moves, &self.look]);
            device.run(&programs)?;
            let (solved, first) = (self.linear.request(device)?, self.first_measured.request(device)?);
            let reached = self.measured.read(device)?;
            let (solved, is_done) = solved.wait()?;
            if is_done || made >= most {
                self.expected = solved.iterations;
                return Ok((solved, reached, before.or(Measures::of(&first.wait()?))));
            }
            // Back to where it began, for the forces there.
            self.put(device, free, 0.0)?;
            self.moves.set_parameters(device, "move_along", [free, 1.0_f32.to_bits(), 0, 0])?;
            next = MORE.min(most - made);
            made += next;
            programs = Vec::new();
        }
    }

    /// Puts vertices a share of the way along the solution, and measures there.
    fn put(&mut self, device: &Device, free: u32, share: f64) -> Result<Option<Measures>, GpuError> {
        self.moves.set_parameters(device, "move_along", [free, (share as f32).to_bits(), 0, 0])?;
        device.run(&[&self.moves, &self.look])?;
        self.measured.read(device)
    }
}
