//! The implicit stage of a step as a problem of its own, for comparing solvers.

use std::borrow::Cow;

use crate::clock::Clock;
use crate::contact::{ContactMode, Contacts};
use crate::energy::Memory;
use crate::integrate::Stage;
use crate::math::Vec3;
use crate::scratch::Scratch;
use crate::solve::{Objective, SolveError, SolveReport, SolverChoice, Start, Touchable, choose};
use crate::world::model::Model;
use crate::world::state::Inputs;

/// The largest external force on a free vertex \[N\].
fn largest_load(model: &Model, accelerations: &[Vec3]) -> f64 {
    let mass = model.mass().lumped();
    let squared = |&v: &u32| mass[v as usize].powi(2) * accelerations[v as usize].length_squared();
    model.free().iter().map(squared).fold(0.0, f64::max).sqrt()
}

/// One implicit stage: the objective g with all that it depends on.
#[derive(Debug)]
pub struct Problem<'a> {
    model: &'a Model,
    inertia: f64,
    target: Vec<Vec3>,
    /// Positions to start from, with pinned vertices where they are at the moment of the stage. Empty where they are those of the target, or not wanted.
    predicted: Vec<Vec3>,
    inertial: Vec<Vec3>,
    previous: Vec<Vec3>,
    before: Cow<'a, [Vec3]>,
    scales: Vec<f64>,
    goals: Vec<Vec<Vec3>>,
    load: f64,
    memory: Vec<Memory>,
}

impl<'a> Problem<'a> {
    /// It can be started from the predicted positions and from those of `starts`; `before` are those at which the stage begins.
    pub(crate) fn new(
        model: &'a Model,
        inputs: &Inputs,
        positions: &[Vec3],
        (stage, accelerations): (&Stage, &[Vec3]),
        before: Cow<'a, [Vec3]>,
        starts: &[Start],
        scratch: &mut Scratch,
    ) -> Self {
        let tau = stage.tau;
        let inertial = || stage.base().iter().zip(&stage.velocity).map(|(x, v)| *x + *v * tau);
        let target = scratch.collect(inertial().zip(accelerations).map(|(y, a)| y + *a * (tau * tau)));
        let wanted = |start: Start| starts.contains(&start);
        let beside = !model.mass().off_diagonal().is_empty();
        let mut scales = std::mem::take(&mut scratch.scales);
        scales.clear();
        scales.extend(model.energies().iter().map(|e| e.damping.map_or(1.0, |beta| beta / stage.elapsed)));
        let mut goals = std::mem::take(&mut scratch.goals);
        inputs.goals_at(model, stage.moment, &mut goals);
        let mut problem = Self {
            model,
            inertia: 1.0 / (tau * tau),
            predicted: if beside { scratch.copy(&target) } else { Vec::new() },
            target,
            inertial: if wanted(Start::Inertial) { scratch.collect(inertial()) } else { Vec::new() },
            previous: if wanted(Start::Previous) { scratch.copy(positions) } else { Vec::new() },
            before,
            scales,
            goals,
            load: largest_load(model, accelerations),
            memory: Vec::new(),
        };
        // Wherever it starts, pinned vertices are where they are at the moment of the stage.
        for (&v, target) in model.pinned().iter().zip(&inputs.substep_pins) {
            let v = v as usize;
            let place = if stage.moment == 1.0 { *target } else { positions[v].lerp(*target, stage.moment) };
            for start in [&mut problem.predicted, &mut problem.inertial, &mut problem.previous] {
                if let Some(start) = start.get_mut(v) {
                    *start = place;
                }
            }
            // Their inertia matters only to neighbours that share a mass entry with them; otherwise it is a constant of g.
            if !beside {
                problem.target[v] = place;
            }
        }
        problem
    }

    /// Gives its vectors back.
    pub(crate) fn recycle(self, scratch: &mut Scratch) {
        let vectors = [self.target, self.predicted, self.inertial, self.previous];
        scratch.give(vectors.into_iter().filter(|vector| vector.capacity() > 0));
        (scratch.scales, scratch.goals) = (self.scales, self.goals);
    }

    /// Moves the targets of some vertices from where they are in `targets` \[m\].
    pub(crate) fn shift_target(&mut self, targets: &[Vec3], shifts: impl Iterator<Item = (u32, Vec3)>) {
        for (v, shift) in shifts {
            self.target[v as usize] = targets[v as usize] + shift;
        }
    }

    pub(crate) fn with_memory(self, memory: Vec<Memory>) -> Self {
        Self { memory, ..self }
    }

    /// The objective, for solvers.
    pub fn objective(&self) -> Objective<'_> {
        Objective {
            model: self.model,
            inertia: self.inertia,
            target: &self.target,
            inertial: &self.inertial,
            before: &self.before,
            scales: &self.scales,
            goals: &self.goals,
            load: self.load,
        }
    }

    /// What energies remember from the last step, in the order of [`Model::energies`].
    pub fn memory(&self) -> &[Memory] {
        &self.memory
    }

    /// The world.
    pub fn model(&self) -> &Model {
        self.model
    }

    /// Positions to start from.
    pub fn start(&self, start: Start) -> &[Vec3] {
        match start {
            Start::Predicted if self.predicted.is_empty() => &self.target,
            Start::Predicted => &self.predicted,
            Start::Inertial => &self.inertial,
            Start::Previous => &self.previous,
        }
    }

    /// g(x) \[J\].
    pub fn value(&self, x: &[Vec3]) -> f64 {
        let mut memory = self.memory.clone();
        self.objective().project(x, &mut memory);
        self.objective().value(x, &memory)
    }

    /// ∇g(x) of the free vertices \[N\], in the order of [`Model::free`].
    pub fn gradient(&self, x: &[Vec3]) -> Vec<Vec3> {
        let mut memory = self.memory.clone();
        self.objective().project(x, &mut memory);
        let mut gradient = vec![Vec3::ZERO; self.model.free().len()];
        self.objective().gradient(x, &memory, &mut Vec::new(), &mut gradient);
        gradient
    }

    /// Minimises g with a solver, starting from `x`; the problem itself does not change.
    pub fn solve(&self, solver: &SolverChoice, x: &mut [Vec3]) -> Result<SolveReport, SolveError> {
        let untouched = Touchable { colliders: false, layers: false, mode: ContactMode::Constraint };
        let suited = solver
            .follows_rule()
            .then(|| solver.in_place_of(choose(self.model, untouched, self.inertia.sqrt().recip(), Some(1)).solver));
        let solver = suited.as_ref().unwrap_or(solver);
        if let (false, Some((body, kind))) = (solver.knows_constraints(), self.model.needs_position_based()) {
            return Err(SolveError::UnsupportedConstraint { body: body.name.clone(), kind });
        }
        let mut memory = self.memory.clone();
        let solve = || {
            let mut report = solver.build().finish(
                &self.objective(),
                x,
                &mut memory,
                &mut Contacts::default(),
                &Clock::default(),
            )?;
            report.objective = self.value(x);
            Ok(report)
        };
        crate::parallel::within_pool(solve)
    }
}
