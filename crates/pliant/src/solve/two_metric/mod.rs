//! Newton's method at the cost of projective iterations.
//!
//! Each iteration approximately solves Newton's system with the positive part of the second derivative, by a few
//! iterations of conjugate gradients that are preconditioned by the constant projective factor and by the 3×3 diagonal
//! blocks (`linear`), and shortens the step until g falls. The factor changes only with topology, weights and time
//! step; nonlinear terms and contacts are in the matrix of the products. The projective matrix resists folding and
//! rotation as it resists stretch, so projective iterations need many steps for these; this method needs two or three.
//!
//! The linear solve is in f32; its right-hand side is the gradient of the projective local step, which has positions in
//! f64.

mod linear;
mod standing;

use crate::clock::Clock;
use crate::contact::{ContactMode, Contacts};
use crate::energy::Memory;
use crate::math::Vec3;
use crate::scratch::fit;
use crate::sparse::Precision;
use crate::world::model::Model;
use crate::world::state::State;

use super::drift::FreeBodies;
use super::projective::contact::Coupled;
use super::projective::local::Point;
use super::projective::prepared::Prepared;
use super::projective::{Projective, ProjectiveParams, REFINED_BELOW, Stopwatch};
use super::{CARE, Objective, Progress, SolveError, SolveReport, Solver, Start};
use linear::{Limits, Linear};

/// The preconditioner of Newton's system.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Preconditioner {
    /// The projective factor alone: as good as both for solids, and the cheapest.
    Factor,
    /// The sum of factor and blocks: one product with the matrix per linear iteration.
    Sum,
    /// Blocks, factor, blocks, each applied to the residual of the one before: three products, fewest iterations.
    #[default]
    Product,
}

/// Parameters of the two-metric solver.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct TwoMetricParams {
    /// Maximum number of iterations in a stage.
    pub iterations: usize,
    /// Maximum number of linear iterations in each; every one takes a solve with the projective factor.
    pub linear_iterations: usize,
    /// Share of the residual, measured by the preconditioner, at which linear iterations end: the last one begins with less.
    pub linear_tolerance: f64,
    /// Stops when the largest unbalanced force on a vertex is at most this share of the largest force in the stage;
    /// with 0 it never stops early.
    pub tolerance: f64,
    /// Adds another iteration only if g differs from what the last one predicted by more than this share of the energy
    /// of the bodies, or if g is higher than it would be if nothing moved; this may take more than `iterations`. With
    /// 0, exactly `iterations` are made. The difference is stretch that rotating elements have caused, and that the
    /// next steps would turn into motion.
    pub energy_tolerance: f64,
    /// Minimum number of iterations with `energy_tolerance`.
    pub least_iterations: usize,
    /// The same while there are contacts: contacts that begin and end within a step are known only after an iteration,
    /// and rebounds depend on them.
    pub contact_iterations: usize,
    /// The preconditioner of the linear systems.
    pub preconditioner: Preconditioner,
    /// Where to start.
    pub start: Start,
    /// Whether to record g at each iteration.
    pub record: bool,
}

impl Default for TwoMetricParams {
    fn default() -> Self {
        Self {
            iterations: 3,
            linear_iterations: 16,
            linear_tolerance: 0.05,
            tolerance: 1e-6,
            energy_tolerance: 0.0,
            least_iterations: 1,
            contact_iterations: 1,
            preconditioner: Preconditioner::default(),
            start: Start::Predicted,
            record: false,
        }
    }
}

impl TwoMetricParams {
    /// Parameters to iterate to convergence, for comparisons with the exact solution.
    pub fn converged() -> Self {
        Self { iterations: 500, linear_iterations: 60, linear_tolerance: 1e-3, tolerance: 1e-10, ..Self::default() }
    }
}

/// Fraction of the predicted decrease that a step must reach (Armijo).
const SUFFICIENT: f64 = 1e-4;
/// Lengths that the line search tries before it gives up: beyond, the step is below rounding.
const MOST_LENGTHS: usize = 20;

/// Share of the kinetic energy in a stage that may be missed without a look, where iterations go by energy: velocities are right to a ten-thousandth.
const NEGLIGIBLE: f64 = 1e-8;

/// How many times the usual iterations a stage may take while g is above what it would be if nothing moved: energy would come from nowhere.
const LONGEST: usize = 5;

/// Share of the energy that may be missed where energy has come from nowhere: any above 0 makes a stage look at what it would be if nothing moved.
const CAREFUL_TOLERANCE: f64 = 1e-3;

/// Most weight of a contact over the inertia m/τ² of its vertex. The diagonal of the constant matrix, which is the projective solver's weight, is up to
/// 1e4 times that on stiff cloth, and Newton's matrix has next to nothing across it: linear iterations in contact then never ended, and the drape of
/// 50 × 50 vertices was farther from the exact motion at more time.
const CONTACT_WEIGHT: f64 = 50.0;

/// The two-metric solver. It keeps its factors as long as the model and the time step stay the same.
#[derive(Debug)]
pub struct TwoMetric {
    params: TwoMetricParams,
    /// The parameters that it was given, while it takes more care.
    usual: Option<TwoMetricParams>,
    base: Projective,
    linear: Linear,
    coupled: Vec<Coupled>,
    origin: Vec<Point>,
    free_bodies: Option<FreeBodies>,
    /// Accelerations of vertices in the last substep \[m/s²\]; empty where they are not known.
    accelerations: Vec<Vec3>,
    /// What the first linear system of a stage began with: later rounds of the stage, in which contacts have changed and little else, need not leave less of it.
    first_residual: f64,
    /// Elastic energy where the last solve has ended \[J\], where its g says so.
    elastic: Option<f64>,
}

impl TwoMetric {
    /// A solver with these parameters.
    pub fn new(params: TwoMetricParams) -> Self {
        let base = ProjectiveParams { precision: Precision::Single, ..ProjectiveParams::default() };
        let (linear, coupled, origin, accelerations) = (Linear::default(), Vec::new(), Vec::new(), Vec::new());
        Self {
            params,
            usual: None,
            base: Projective::new(base),
            linear,
            coupled,
            origin,
            free_bodies: None,
            accelerations,
            first_residual: 0.0,
            elastic: None,
        }
    }
}

impl Solver for TwoMetric {
    fn take_care(&mut self, is_careful: bool) {
        match is_careful {
            true => {
                let usual = self.usual.get_or_insert_with(|| self.params.clone());
                let iterations = CARE * usual.iterations;
                self.params = TwoMetricParams {
                    iterations,
                    linear_iterations: CARE * usual.linear_iterations,
                    linear_tolerance: usual.linear_tolerance / CARE as f64,
                    // All of them, and more while g is above what it would be if nothing moved.
                    least_iterations: iterations,
                    energy_tolerance: CAREFUL_TOLERANCE,
                    ..usual.clone()
                };
            }
            false => self.params = self.usual.take().unwrap_or_else(|| self.params.clone()),
        }
    }

    fn elastic_energy(&mut self, objective: &Objective<'_>, x: &mut [Vec3], memory: &mut [Memory]) -> f64 {
        match self.elastic {
            // Nothing has moved vertices since: it need not be evaluated again.
            Some(elastic) if self.base.is_at(objective.model, x) => elastic,
            _ => self.base.elastic_energy(objective, x, memory),
        }
    }

    fn start(&self) -> Start {
        self.params.start
    }

    fn succeed(&mut self, last: Box<dyn Solver>) {
        let last: Box<dyn std::any::Any> = last;
        if let Ok(last) = last.downcast::<Self>() {
            // Vectors that are filled anew in each solve.
            let Self { base, linear, mut coupled, origin, mut accelerations, .. } = *last;
            self.base.take_islands(base);
            let contacts = coupled.len();
            fit(&mut coupled, contacts);
            coupled.clear();
            accelerations.clear();
            (self.linear, self.coupled, self.origin, self.accelerations) = (linear, coupled, origin, accelerations);
        }
    }

    /// For where its first linear system begins.
    fn reads_inertial(&self) -> bool {
        !self.accelerations.is_empty()
    }

    fn begin_step(&mut self, state: &State, earlier: Option<(&[Vec3], f64)>) {
        self.accelerations.clear();
        fit(&mut self.accelerations, state.velocities.len());
        if let Some((velocities, h)) = earlier {
            let changes = state.velocities.iter().zip(velocities).map(|(now, before)| (*now - *before) / h);
            self.accelerations.extend(changes);
        }
    }

    fn advance(
        &mut self,
        objective: &Objective<'_>,
        x: &mut [Vec3],
        memory: &mut [Memory],
        contacts: &mut Contacts<'_>,
        clock: &Clock,
    ) -> Result<Progress, SolveError> {
        let mut time = Stopwatch::new(clock);
        if objective.model.free().is_empty() {
            objective.project(x, memory);
            let value = objective.value(x, memory);
            return Ok(Progress::Done(SolveReport { converged: true, objective: value, ..SolveReport::default() }));
        }
        let report = self.base.prepare(objective, &mut time)?;
        // Solids that rest on each other want the forces between them in every round, and ask for few of them.
        let is_first = !contacts.begun || self.params.preconditioner == Preconditioner::Factor;
        if is_first {
            self.first_residual = 0.0;
        }
        let prepared = self.base.prepared();
        prepared.weigh_by_inertia(contacts, CONTACT_WEIGHT);
        let free_bodies = self.free_bodies.get_or_insert_with(|| prepared.free_bodies());
        let mut iteration = Iteration {
            params: &self.params,
            objective,
            prepared,
            linear: &mut self.linear,
            coupled: &mut self.coupled,
            origin: &mut self.origin,
            free_bodies,
            accelerations: &self.accelerations,
            first_residual: &mut self.first_residual,
            is_first,
            x,
            memory,
            contacts,
            elastic: 0.0,
            is_stuck: false,
            wanted: 0.0,
            standing: None,
            is_settled: false,
            report,
        };
        iteration.prepared.begin(objective, iteration.x, iteration.memory, Precision::Single);
        if self.params.energy_tolerance > 0.0 {
            iteration.wanted = iteration.prepared.wanted_energy(objective);
        }
        iteration.touch(true);
        let mut value = iteration.evaluate();
        if self.params.energy_tolerance > 0.0 && has_pressure(objective.model) {
            value = iteration.leave_hopeless(value);
        }
        // The line search would refuse every step from here, and the stage would end where it began without a word.
        if !value.is_finite() {
            return Err(SolveError::NonFiniteObjective { value });
        }
        iteration.record();
        iteration.report.seconds_local += time.lap();
        while !iteration.is_last() {
            iteration.newton(&mut time);
        }
        iteration.report.objective = iteration.value();
        let model = objective.model;
        let is_elastic =
            model.energies().iter().all(|entry| entry.damping.is_none()) && model.mass().off_diagonal().is_empty();
        self.elastic = is_elastic.then(|| iteration.stored());
        if iteration.contacts.is_none() {
            let bodies = &mut *iteration.free_bodies;
            iteration.prepared.centre(|targets, points| bodies.centre(targets, points));
        }
        iteration.report.contacts = iteration.contacts.count();
        iteration.report.one_by_one = iteration.prepared.one_by_one();
        iteration.prepared.finish(iteration.x, iteration.memory);
        Ok(Progress::Done(iteration.report))
    }
}

/// A solve on its way.
struct Iteration<'a, 'c> {
    params: &'a TwoMetricParams,
    objective: &'a Objective<'a>,
    prepared: &'a mut Prepared,
    linear: &'a mut Linear,
    coupled: &'a mut Vec<Coupled>,
    origin: &'a mut Vec<Point>,
    free_bodies: &'a mut FreeBodies,
    accelerations: &'a [Vec3],
    first_residual: &'a mut f64,
    /// Whether this is the first round of the stage, or to be solved as if it were.
    is_first: bool,
    x: &'a mut [Vec3],
    memory: &'a mut [Memory],
    contacts: &'a mut Contacts<'c>,
    /// g without contacts at the current positions, where its gradient is in the factor's rows \[J\].
    elastic: f64,
    /// Whether no step leads down, in f64 either, or none that is worth it.
    is_stuck: bool,
    /// The kinetic energy that inertia and external forces ask for \[J\].
    wanted: f64,
    /// g without contacts if nothing moved \[J\], where it had to be looked at.
    standing: Option<f64>,
    /// Whether the last iteration has kept its promise.
    is_settled: bool,
    report: SolveReport,
}

impl Iteration<'_, '_> {
    fn is_last(&mut self) -> bool {
        let TwoMetricParams { iterations, least_iterations, contact_iterations, .. } = *self.params;
        let made = self.report.iterations;
        let is_enough = made >= least_iterations && (made >= contact_iterations || !self.contacts.press());
        let is_settled = self.is_settled && is_enough;
        let is_done = is_settled || made >= iterations;
        self.report.converged || self.is_stuck || (is_done && (made >= LONGEST * iterations || !self.is_above()))
    }

    /// Notes g, with elements one by one in f64: the sums that the line search goes by are of f32.
    fn record(&mut self) {
        if self.params.record {
            let mut memory = self.memory.to_vec();
            self.prepared.finish(self.x, &mut memory);
            self.objective.project(self.x, &mut memory);
            let contacts = self.value() - self.elastic;
            self.report.history.push(self.objective.value(self.x, &memory) + contacts);
        }
    }

    /// Local step at the current positions; returns g.
    fn evaluate(&mut self) -> f64 {
        self.elastic = self.prepared.evaluate(self.objective, self.x, self.memory, true);
        self.value()
    }

    /// g at the current positions, with the contacts as they are.
    fn value(&self) -> f64 {
        if self.contacts.is_none() {
            return self.elastic;
        }
        self.elastic + self.contacts.energy(&|vertex| self.prepared.position(vertex))
    }

    /// Finds what the vertices have met on their way to where they are now, and lets contacts follow surfaces and forces. Whether vertices were moved.
    fn touch(&mut self, begins: bool) -> bool {
        if self.contacts.is_none() {
            return false;
        }
        let prepared = &*self.prepared;
        self.contacts.meet(&|vertex: usize| prepared.position(vertex));
        let displaces = begins || self.contacts.mode() != ContactMode::Constraint;
        if displaces {
            self.prepared.displace(self.contacts, begins);
        }
        displaces
    }

    /// One iteration: a direction, a step along it, new contacts.
    fn newton(&mut self, time: &mut Stopwatch<'_>) {
        self.prepared.bend(self.objective, self.x, self.memory);
        self.report.seconds_local += time.lap();
        self.coupled.clear();
        if !self.contacts.is_none() {
            let (prepared, order) = (&*self.prepared, self.prepared.order());
            let position = |vertex: usize| prepared.position(vertex);
            let couplings = self.contacts.couplings(&position);
            self.coupled.extend(couplings.map(|coupling| Coupled::new(&coupling, order)));
        }
        let limits = Limits {
            most: self.params.linear_iterations,
            enough: self.params.linear_tolerance,
            beside: self.measure(),
            preconditioner: self.params.preconditioner,
            inertia: self.objective.inertia,
        };
        self.guess();
        let solved = self.linear.solve(self.prepared.islands(), self.coupled, self.free_bodies, limits);
        self.report.linear_iterations += solved.iterations;
        if self.is_first && self.report.iterations == 0 {
            *self.first_residual = solved.begun_with;
        }
        let (slope, promised, longest) = (solved.slope, solved.promised, solved.longest);
        self.report.seconds_global += time.lap();
        self.report.iterations += 1;
        self.report.movement = longest / self.objective.model.diagonal();
        // What falls freely is where it should be but for rounding, through which no search sees.
        if self.coupled.is_empty() && promised < NEGLIGIBLE * self.wanted {
            self.is_stuck = true;
            return self.judge(true);
        }
        let length = self.search(slope, promised);
        if !self.coupled.is_empty() {
            let (solution, free) = (&self.linear.solution, self.prepared.free());
            let forces = self.coupled.iter().map(|contact| {
                let moved = linear::offset(contact, solution, free) * length;
                contact.response.force - contact.response.stiffness_times(moved)
            });
            self.contacts.settle(forces);
        }
        let is_fine = !self.prepared.is_single() || (self.report.movement >= REFINED_BELOW && length > 0.0);
        if !is_fine && self.report.iterations < self.params.iterations {
            self.prepared.refine(self.objective, self.memory);
            self.evaluate();
        } else {
            self.is_stuck = length == 0.0;
        }
        // The gradient in the factor's rows is that of elements: contacts that came or went do not change it.
        if self.touch(false) {
            self.evaluate();
        }
        self.judge(is_fine);
        self.record();
        self.report.seconds_local += time.lap();
    }

    /// A squared residual that linear iterations are to be measured by, where they would begin with less. It is twice what g could fall: what falls freely has
    /// nothing left but rounding, which need not be solved for.
    fn measure(&self) -> f64 {
        let share = self.params.linear_tolerance.powi(2);
        let nothing = if share > 0.0 { self.wanted * NEGLIGIBLE / share } else { 0.0 };
        if self.is_first { nothing } else { self.first_residual.max(nothing) }
    }

    /// Looks at the forces where g was last evaluated; what was seen through the rounding of f32 does not count.
    fn judge(&mut self, is_fine: bool) {
        let (tolerance, movement) = (self.params.tolerance, self.report.movement);
        let (forces, is_balanced) = self.prepared.judge(self.contacts, self.objective, tolerance, movement);
        (self.report.forces, self.report.converged) = (forces, is_balanced && is_fine);
    }

    /// Lets the first linear system begin where vertices would be if they were accelerated as in the last substep. Forces that stay as they are, at rest
    /// or in a slow swing, are then found whole; from nothing, few linear iterations leave out the same share of them in every step. Where thin bodies touch
    /// something, forces change too much from step to step: it took a tenth more linear iterations in the drape, and was no nearer.
    fn guess(&mut self) {
        let guess = self.linear.guess_mut();
        guess.clear();
        let is_thin = self.params.preconditioner != Preconditioner::Factor;
        let is_later = self.report.iterations > 0;
        let is_unknown = [self.accelerations.len(), self.objective.inertial.len()] != [self.x.len(); 2];
        if is_later || is_unknown || (is_thin && !self.coupled.is_empty()) {
            return;
        }
        let (free, prepared) = (self.prepared.free(), &*self.prepared);
        for &v in &prepared.order().vertices[..free] {
            let v = v as usize;
            let place = self.objective.inertial[v] + self.accelerations[v] / self.objective.inertia;
            let [x, y, z] = (place - prepared.position(v)).to_array().map(|value| value as f32);
            guess.extend_from_slice(&[x, y, z, 0.0]);
        }
    }

    /// Moves along the solution, as far as g falls; returns the share of it that was taken. The slope of g along it, and by how much the quadratic model
    /// promises that it falls \[J\].
    fn search(&mut self, slope: f64, promised: f64) -> f64 {
        self.prepared.keep_points(self.origin);
        let before = self.value();
        // Changes of g below this cannot tell better from worse.
        let noise = if self.prepared.is_single() { 1e-6 } else { 1e-13 } * before.abs();
        let mut length = 1.0;
        for _ in 0..MOST_LENGTHS {
            self.prepared.move_from(self.origin, &self.linear.solution, length);
            let reached = self.evaluate();
            let wanted = SUFFICIENT * length * slope;
            if reached <= before + if -slope * length > noise { wanted } else { noise } {
                let missed = reached - before + promised;
                self.is_settled = length == 1.0 && self.is_allowed(missed, noise);
                return length;
            }
            self.report.rejected += 1;
            // The lowest point of the parabola through what is known, if it is a good deal shorter and not too short.
            let fitted = -0.5 * slope * length * length / (reached - before - slope * length);
            length = if fitted.is_finite() { fitted.clamp(0.1 * length, 0.5 * length) } else { 0.1 * length };
        }
        self.prepared.move_from(self.origin, &self.linear.solution, 0.0);
        self.evaluate();
        0.0
    }
}

/// Whether a body that is moved is under pressure.
fn has_pressure(model: &Model) -> bool {
    model.bodies().iter().enumerate().any(|(number, body)| body.pressure != 0.0 && model.has_body(number))
}
