//! Newton's method on the same objective: the exact implicit step, a reference for the other solvers.
//!
//! Each iteration assembles ∇²g from element Hessians Aᵀ H A, made positive semi-definite element by element (`system`), solves for a
//! direction (directly or by conjugate gradients) and halves the step until g falls enough (Armijo). Near the solution the
//! true ∇²g is tried first: where it is positive definite, convergence is quadratic, also under compression. Contacts with colliders and between
//! layers, with their friction, are augmented Lagrangians in g, its gradient and its matrix; their forces follow after each iteration.
//!
//! Started at q, with one iteration and no line search, it is the semi-implicit step of Baraff and Witkin that [Liu
//! 2013, §5] compares with; with shifted matrices it is the Newton's method of that comparison.

mod assemble;
mod params;
mod system;

pub(super) use assemble::for_blocks;
#[cfg(test)]
pub(super) use assemble::hessian;
pub use params::{LinearSolver, NewtonCurvature, NewtonParams};
pub(super) use system::System;

use crate::clock::Clock;
use crate::contact::{ContactMode, Contacts, Coupling, exchange};
use crate::energy::{Curvature, Memory};
use crate::math::{Mat3, Vec3};
use crate::sparse::{FactorError, Precision, conjugate_gradient};

use super::objective::largest;
use super::turning::TurningColumns;
use super::{ForceBalance, Objective, Progress, Projective, ProjectiveParams, SolveError, SolveReport, Solver, Start};

/// Newton's method. It keeps the symbolic analysis as long as the model stays the same.
#[derive(Debug)]
pub struct Newton {
    params: NewtonParams,
    system: Option<System>,
    work: Work,
    warm_start: Projective,
}

/// Vectors over the unknowns, kept from stage to stage.
#[derive(Debug, Default)]
struct Work {
    /// ∇g \[N\].
    gradient: Vec<Vec3>,
    downhill: Vec<Vec3>,
    direction: Vec<Vec3>,
    /// Where the iteration began.
    origin: Vec<Vec3>,
    /// Contacts there.
    couplings: Vec<Coupling>,
    corners: Vec<Vec3>,
    scalars: Vec<f64>,
}

/// Movement of a full step, relative to the diagonal of the world, that is rounding.
const SMALL: f64 = 1e-12;
/// Forces of elements are exact to this share of what they would be if a vertex moved by the world's diagonal.
const ROUNDING: f64 = 1e-15;
/// Fraction of the predicted decrease that a step must reach (Armijo).
const SUFFICIENT: f64 = 1e-4;
/// After a step below this fraction of the diagonal the true Hessian is tried before the projected one.
const NEAR: f64 = 1e-3;
/// Where it was indefinite, it is tried again when steps are shorter by this factor: each trial costs a factorisation.
const NEARER: f64 = 1e-2;
/// Halvings before the line search gives up: beyond, the step is below rounding.
const HALVINGS: usize = 50;
/// Weight of a contact with a collider over the diagonal of the constant matrix. The error of a contact falls by about this factor in an iteration; the
/// direct solver does not mind it.
const CONTACT_WEIGHT: f64 = 10.0;
/// Weight of a contact between layers over the one that it comes with, which suits solvers by conjugate gradients.
const LAYER_WEIGHT: f64 = 10.0;
/// New multipliers after every iteration while first steps shrink by this factor; otherwise when steps have shrunk by the other since the last ones.
const SHRINKING: f64 = 0.7;
const NEAR_ENOUGH: f64 = 0.1;
/// The first shift of an indefinite matrix over the mean of its diagonal, and the factor from each to the next.
const FIRST_SHIFT: f64 = 1e-3;
const NEXT_SHIFT: f64 = 4.0;

impl Newton {
    /// A solver with these parameters.
    pub fn new(params: NewtonParams) -> Self {
        let precision = Precision::Double;
        let warm_start = Projective::new(ProjectiveParams { precision, ..ProjectiveParams::plain(params.warm_start) });
        Self { params, system: None, work: Work::default(), warm_start }
    }
}

impl Solver for Newton {
    fn start(&self) -> Start {
        self.params.start
    }

    fn advance(
        &mut self,
        objective: &Objective<'_>,
        x: &mut [Vec3],
        memory: &mut [Memory],
        contacts: &mut Contacts<'_>,
        clock: &Clock,
    ) -> Result<Progress, SolveError> {
        let mut report = SolveReport::default();
        if self.params.warm_start > 0 {
            report = self.warm_start.solve(objective, x, memory, contacts, clock)?;
        }
        let mass = objective.model.mass().diagonal();
        let is_free = |vertex: usize| objective.model.free_index(vertex as u32).is_some();
        let inertia = |v: usize| if is_free(v) { objective.inertia * mass[v] } else { f64::INFINITY };
        // Otherwise vertices are moved out of colliders once the solve is done.
        let constrains = contacts.mode() == ContactMode::Constraint;
        if !contacts.is_none() {
            let diagonal = objective.contact_stiffness();
            contacts.weigh(objective.model.free().iter().zip(&diagonal).map(|(&v, entry)| (v, CONTACT_WEIGHT * entry)));
            contacts.layers.stiffen(LAYER_WEIGHT);
            if constrains {
                contacts.meet(&|vertex| x[vertex]);
                contacts.begin(&mut exchange(x), &inertia);
            }
        }
        if !self.system.as_ref().is_some_and(|system| system.fits(objective)) {
            let begun = clock.now();
            self.system = Some(System::new(objective));
            report.seconds_factor += clock.now() - begun;
        }
        if let Some(system) = &mut self.system {
            system.follow(objective);
            let (params, work) = (&self.params, &mut self.work);
            let untried = f64::INFINITY;
            let spread = 1.0 + largest(x) / objective.model.diagonal();
            let mut stage = Stage {
                params,
                objective,
                system,
                work,
                x,
                memory,
                contacts,
                constrains,
                untried,
                pace: Pace::default(),
                has_arrived: false,
                spread,
                value: 0.0,
                report,
            };
            stage.minimise(clock)?;
            report = stage.report;
        }
        if !contacts.is_none() && !constrains {
            contacts.meet(&|vertex| x[vertex]);
            contacts.displace(&mut exchange(x), &inertia);
        }
        report.contacts = contacts.count();
        Ok(Progress::Done(report))
    }
}

/// When contacts take new multipliers. After every iteration is fastest while that converges; where it does not, as contacts come and go, g is brought
/// near its minimum for the multipliers that there are first: then each change brings them nearer to what they should be.
#[derive(Debug)]
struct Pace {
    /// Whether multipliers are those of the last iteration.
    is_fresh: bool,
    /// Steps that the last multipliers, and those before, began with, over the diagonal.
    last: f64,
    before: f64,
}

impl Default for Pace {
    fn default() -> Self {
        Self { is_fresh: true, last: f64::INFINITY, before: f64::INFINITY }
    }
}

impl Pace {
    /// Whether multipliers are due after a step along a direction of this size.
    fn is_due(&mut self, movement: f64, length: f64) -> bool {
        if self.is_fresh {
            self.before = std::mem::replace(&mut self.last, movement);
        }
        let converges = self.is_fresh && length == 1.0 && self.last <= SHRINKING * self.before;
        converges || movement <= NEAR_ENOUGH * self.last
    }
}

/// A stage on its way.
struct Stage<'a, 'c> {
    params: &'a NewtonParams,
    objective: &'a Objective<'a>,
    system: &'a mut System,
    work: &'a mut Work,
    x: &'a mut [Vec3],
    memory: &'a mut [Memory],
    contacts: &'a mut Contacts<'c>,
    /// Whether colliders are met within the solve.
    constrains: bool,
    /// The true Hessian is tried where steps are shorter than this fraction of the diagonal.
    untried: f64,
    pace: Pace,
    /// Whether the last step was a full one, and moved nothing.
    has_arrived: bool,
    /// How much larger rounding is than in a world about the origin: 1 and the farthest vertex in diagonals.
    spread: f64,
    /// g at x with the contacts as they are \[J\].
    value: f64,
    report: SolveReport,
}

impl Stage<'_, '_> {
    /// Goes down to the minimum of g with contacts, or as far as it gets.
    fn minimise(&mut self, clock: &Clock) -> Result<(), SolveError> {
        self.evaluate();
        self.report.objective = self.value;
        if !self.value.is_finite() {
            return Err(SolveError::NonFiniteObjective { value: self.value });
        }
        self.report.converged = self.objective.model.free().is_empty();
        if self.report.converged {
            return Ok(());
        }
        self.report.movement = f64::INFINITY;
        self.find_couplings();
        self.system.couple(self.objective.model, &self.work.couplings);
        self.record();
        let last = self.report.iterations + self.params.iterations;
        let mut is_stuck = false;
        loop {
            let begun = clock.now();
            self.find_gradient();
            self.judge();
            if self.report.converged || is_stuck || self.report.iterations >= last {
                break;
            }
            self.find_direction()?;
            let solved = clock.now();
            self.report.iterations += 1;
            let length = self.search();
            let (movement, was_fresh) = (self.report.movement, self.pace.is_fresh);
            let is_due = self.pace.is_due(movement, length) || movement <= SMALL * self.spread || length == 0.0;
            self.follow_contacts(is_due.then_some(length));
            is_stuck = length == 0.0 && was_fresh;
            // The exact solution of an exact system that moves nothing: forces are rounding.
            self.has_arrived = length == 1.0 && movement <= SMALL * self.spread && was_fresh;
            self.record();
            self.report.seconds_global += solved - begun;
            self.report.seconds_local += clock.now() - solved;
        }
        self.report.objective = self.value;
        Ok(())
    }

    fn record(&mut self) {
        if self.params.record {
            self.report.history.push(self.value);
        }
    }

    /// Projects at x and takes g there.
    fn evaluate(&mut self) {
        self.objective.project(self.x, self.memory);
        self.value = self.objective.value(self.x, self.memory);
        if !self.contacts.is_none() {
            self.value += self.contacts.energy(&|vertex| self.x[vertex]);
        }
    }

    fn find_couplings(&mut self) {
        self.work.couplings.clear();
        if !self.contacts.is_none() {
            self.work.couplings.extend(self.contacts.couplings(&|vertex| self.x[vertex]));
        }
    }

    /// Gradient at x.
    fn find_gradient(&mut self) {
        self.find_couplings();
        let Work { gradient, downhill, couplings, corners, .. } = &mut *self.work;
        gradient.resize(self.objective.model.free().len(), Vec3::ZERO);
        self.objective.gradient(self.x, self.memory, corners, gradient);
        for coupling in &*couplings {
            for (k, w) in system::corners(self.objective.model, coupling) {
                gradient[k] -= coupling.response.force * w;
            }
        }
        downhill.clear();
        downhill.extend(gradient.iter().map(|g| -*g));
    }

    /// Looks at the forces at x.
    fn judge(&mut self) {
        let Objective { model, inertia, target, load, .. } = *self.objective;
        let mass = model.mass().diagonal();
        let acting = |&v: &u32| inertia * mass[v as usize] * self.x[v as usize].distance(target[v as usize]);
        let acting = model.free().iter().map(acting).fold(load, f64::max);
        let forces = ForceBalance { unbalanced: largest(&self.work.gradient), largest: acting };
        self.report.forces = self.constrains.then_some(forces);
        let rounding = ROUNDING * self.system.stiffest * model.diagonal() * self.spread;
        let is_balanced = self.pace.is_fresh && forces.holds(self.params.tolerance, rounding);
        self.report.converged =
            self.report.iterations > 0 && self.params.tolerance > 0.0 && (is_balanced || self.has_arrived);
    }

    /// A direction that leads down, and how far it goes.
    fn find_direction(&mut self) -> Result<(), SolveError> {
        let turning = TurningColumns::new(self.objective, self.x, self.memory);
        self.descend(&turning)?;
        self.report.movement = largest(&self.work.direction) / self.objective.model.diagonal();
        Ok(())
    }

    fn assemble(&mut self, curvature: Curvature) {
        self.system.assemble(self.objective, self.x, self.memory, curvature, &self.work.couplings);
    }

    /// A descent direction: −(∇²g)⁻¹ ∇g with a positive matrix.
    fn descend(&mut self, turning: &TurningColumns) -> Result<(), SolveError> {
        match self.params.curvature {
            NewtonCurvature::Raw => {
                self.assemble(Curvature::Raw);
                self.solve_linear(turning)
            }
            NewtonCurvature::Shifted => self.shifted_direction(turning),
            NewtonCurvature::Projected => {
                let near = self.report.iterations > 0 && self.report.movement < NEAR.min(self.untried);
                if near {
                    self.assemble(Curvature::Raw);
                    if self.solve_linear(turning).is_ok() {
                        return Ok(());
                    }
                    self.untried = NEARER * self.report.movement;
                }
                self.assemble(Curvature::Projected);
                self.solve_linear(turning)
            }
        }
    }

    /// With the true matrix, shifted by more and more until it is positive.
    fn shifted_direction(&mut self, turning: &TurningColumns) -> Result<(), SolveError> {
        self.assemble(Curvature::Raw);
        let (matrix, count) = (self.system.matrix(), self.work.gradient.len());
        let trace: f64 = (0..count).map(|k| matrix.diagonal(k)).map(|d| d.x_axis.x + d.y_axis.y + d.z_axis.z).sum();
        let (mut shift, mut next) = (0.0, FIRST_SHIFT * trace.abs() / (3 * count) as f64);
        loop {
            match self.solve_linear(turning) {
                Err(SolveError::Factor(FactorError::NotPositiveDefinite { .. })) if next.is_finite() && next > 0.0 => {
                    self.system.shift(next - shift);
                    (shift, next) = (next, NEXT_SHIFT * next);
                }
                result => return result,
            }
        }
    }

    /// Solves A d = −∇g.
    fn solve_linear(&mut self, turning: &TurningColumns) -> Result<(), SolveError> {
        let (system, Work { downhill, direction, scalars, .. }) = (&mut *self.system, &mut *self.work);
        direction.clone_from(downhill);
        match self.params.linear_solver {
            LinearSolver::Direct => {
                system.factor()?;
                system.solve(direction, scalars);
                if !turning.is_empty() {
                    turning.correct(downhill, direction, |vector| system.solve(vector, scalars));
                }
            }
            LinearSolver::ConjugateGradient { tolerance, max_iterations } => {
                let matrix = system.matrix();
                let inverse: Vec<Mat3> = (0..downhill.len()).map(|k| matrix.diagonal(k).inverse()).collect();
                let solved = conjugate_gradient(
                    |x, y| {
                        matrix.multiply(x, y);
                        turning.subtract(x, y);
                    },
                    |r, z| z.iter_mut().zip(r).zip(&inverse).for_each(|((z, r), m)| *z = *m * *r),
                    downhill,
                    direction,
                    tolerance,
                    max_iterations,
                );
                self.report.linear_iterations += solved.iterations;
                if solved.indefinite {
                    return Err(FactorError::NotPositiveDefinite { pivot: 0, size: 3 * downhill.len() }.into());
                }
            }
        }
        Ok(())
    }

    fn move_by(&mut self, length: f64) {
        for ((&v, origin), d) in self.objective.model.free().iter().zip(&self.work.origin).zip(&self.work.direction) {
            // A direction that is not finite must not spoil the way back.
            self.x[v as usize] = if length == 0.0 { *origin } else { *origin + *d * length };
        }
        self.evaluate();
    }

    /// Moves along the direction, as far as g falls; returns the share of it that was taken, 0 where none leads down.
    fn search(&mut self) -> f64 {
        let Work { gradient, direction, origin, .. } = &mut *self.work;
        let slope: f64 = gradient.iter().zip(direction).map(|(g, d)| g.dot(*d)).sum();
        origin.clear();
        origin.extend(self.objective.model.free().iter().map(|&v| self.x[v as usize]));
        let before = self.value;
        // Where the predicted decrease drowns in the rounding of g, only the step itself can be judged. Near rest g is a
        // sum of squared rounding errors and says nothing of a step that is within the tolerance already.
        let small = self.report.movement <= SMALL * self.spread;
        let judged = self.params.line_search && !small && slope.abs() > 1e-13 * before.abs();
        let mut length = 1.0;
        self.move_by(length);
        for _ in 0..HALVINGS {
            // A step that is below the rounding of x changes nothing, and is none.
            let is_lower = self.value <= before + SUFFICIENT * length * slope && (length == 1.0 || self.value < before);
            if !judged || is_lower {
                return length;
            }
            self.report.rejected += 1;
            length *= 0.5;
            self.move_by(length);
        }
        // No descent at any length: stay where g was lowest.
        self.move_by(0.0);
        0.0
    }

    /// Looks for what was met on the way to x. With the share of the direction that was taken, contacts take the forces that the linear solve came to as
    /// their multipliers.
    fn follow_contacts(&mut self, settles: Option<f64>) {
        if self.contacts.is_none() {
            self.pace.is_fresh = true;
            return;
        }
        self.pace.is_fresh = settles.is_some();
        if let Some(length) = settles {
            self.settle(length);
        }
        if self.constrains {
            self.contacts.meet(&|vertex| self.x[vertex]);
        }
        // Contacts that came, went or press otherwise change g, and not its projections.
        self.value = self.objective.value(self.x, self.memory) + self.contacts.energy(&|vertex| self.x[vertex]);
    }

    fn settle(&mut self, length: f64) {
        let Work { couplings, direction, .. } = &*self.work;
        let model = self.objective.model;
        let forces = couplings.iter().map(|coupling| {
            let moved = |sum, (k, w): (usize, f64)| sum + direction[k] * (w * length);
            let moved = system::corners(model, coupling).fold(Vec3::ZERO, moved);
            coupling.response.force - coupling.response.stiffness_times(moved)
        });
        self.contacts.settle(forces);
    }
}
