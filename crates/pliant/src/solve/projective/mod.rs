//! Projective dynamics [Bouaziz 2014, Algorithm 1]; fast mass-spring systems [Liu 2013] are its special case of edge
//! springs.
//!
//! Each iteration projects all elements (local), then solves one constant, prefactored system (global). Departure: the global
//! step is in increment form, H δ = −∇g(x), x ← x + δ, with ∇g = M(x − s)/τ² + Σ w Aᵀ(A x − p). The iterates are the same;
//! rounding errors are relative to δ instead of x, and accelerators act on δ.
//!
//! Vectors are in f64 and the solver computes increments, so a factor in f32 costs no accuracy: the error of one
//! iteration is part of the residual of the next. Elements are projected in f32 until the movement of an iteration
//! comes close to its rounding error, then in f64.

mod advance;
pub(crate) mod anderson;
mod balance;
pub(super) mod contact;
mod grow;
mod island;
pub(super) mod islands;
mod lbfgs;
pub(super) mod local;
mod params;
mod prepare;
pub(super) mod prepared;
mod sticking;

pub use params::{Acceleration, ProjectiveParams};

use std::collections::{HashMap, VecDeque};

use crate::clock::Clock;
use crate::contact::{ContactMode, Contacts};
use crate::energy::Memory;
use crate::math::Vec3;
use crate::parallel::with_team_for;
use crate::scratch::fit;
use crate::world::model::Model;

use super::{CARE, Objective, Progress, SolveError, SolveReport, Solver, Start};
use anderson::{Anderson, LARGEST_WINDOW};
use contact::Taken;
use island::BoxedIsland;
use lbfgs::{History, LONGEST_HISTORY};
use prepared::{Prepared, Room};

/// Movement in an iteration, relative to the diagonal of the world, below which projections in f32 say little.
pub(super) const REFINED_BELOW: f64 = 1e-6;

/// Movement below which forces may balance, and are looked at; looking takes a fraction of an iteration.
const JUDGED_BELOW: f64 = 1e-4;

/// The local/global solver. It keeps its factors as long as the model and the time step stay the same.
#[derive(Debug)]
pub struct Projective {
    params: ProjectiveParams,
    /// The iterations that it was given, while it takes more care.
    usual: Option<usize>,
    prepared: VecDeque<Prepared>,
    /// What was prepared for the model before: where bodies have only come, it grows.
    last: Vec<Prepared>,
    /// Islands of models before, as far as they may be used again.
    left: HashMap<Vec<u64>, Vec<BoxedIsland>>,
    room: Room,
    vectors: Vectors,
    accelerator: Anderson,
    history: History,
}

/// Vectors of an iteration, kept from solve to solve.
#[derive(Debug, Default)]
struct Vectors {
    current: Vec<Vec3>,
    previous: Vec<Vec3>,
    step: Vec<Vec3>,
    next: Vec<Vec3>,
}

impl Vectors {
    fn resize(&mut self, len: usize) {
        for vector in [&mut self.current, &mut self.previous, &mut self.step, &mut self.next] {
            fit(vector, len);
            vector.resize(len, Vec3::ZERO);
        }
    }

    /// current = next − step.
    fn step_back(&mut self) {
        for ((x, next), d) in self.current.iter_mut().zip(&self.next).zip(&self.step) {
            *x = *next - *d;
        }
    }
}

impl Projective {
    /// A solver with these parameters.
    pub fn new(params: ProjectiveParams) -> Self {
        let (mut window, mut history) = (1, 1);
        match params.acceleration {
            Acceleration::Anderson { window: asked } => window = asked.clamp(1, LARGEST_WINDOW),
            Acceleration::Lbfgs { history: asked } => history = asked.clamp(1, LONGEST_HISTORY),
            Acceleration::None | Acceleration::Chebyshev { .. } => {}
        }
        let (vectors, accelerator, history) = (Vectors::default(), Anderson::new(window), History::new(history));
        Self {
            params,
            usual: None,
            prepared: VecDeque::new(),
            last: Vec::new(),
            left: HashMap::new(),
            room: Room::default(),
            vectors,
            accelerator,
            history,
        }
    }
}

impl Projective {
    /// What was last brought to the front.
    pub(super) fn prepared(&mut self) -> &mut Prepared {
        &mut self.prepared[0]
    }
}

impl Projective {
    /// Whether vertices are where the last solve has brought them.
    pub(in crate::solve) fn is_at(&self, model: &Model, x: &[Vec3]) -> bool {
        let is_there =
            |prepared: &Prepared| model.free().iter().all(|&v| x[v as usize] == prepared.position(v as usize));
        self.prepared.front().is_some_and(is_there)
    }
}

impl Solver for Projective {
    fn take_care(&mut self, is_careful: bool) {
        match is_careful {
            true => {
                let usual = *self.usual.get_or_insert(self.params.iterations);
                self.params.iterations = CARE * usual;
            }
            false => self.params.iterations = self.usual.take().unwrap_or(self.params.iterations),
        }
    }

    fn elastic_energy(&mut self, objective: &Objective<'_>, x: &mut [Vec3], memory: &mut [Memory]) -> f64 {
        match self.prepared.front_mut() {
            Some(prepared) if prepared.free() > 0 => prepared.elastic_energy(objective, x, memory),
            _ => objective.elastic_energy(x, memory),
        }
    }

    fn start(&self) -> Start {
        self.params.start
    }

    fn succeed(&mut self, last: Box<dyn Solver>) {
        let last: Box<dyn std::any::Any> = last;
        if let Ok(last) = last.downcast() {
            self.take_islands(*last);
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
        self.solve(objective, x, memory, contacts, clock).map(Progress::Done)
    }
}

impl Projective {
    /// A whole solve.
    pub(crate) fn solve(
        &mut self,
        objective: &Objective<'_>,
        x: &mut [Vec3],
        memory: &mut [Memory],
        contacts: &mut Contacts<'_>,
        clock: &Clock,
    ) -> Result<SolveReport, SolveError> {
        let mut time = Stopwatch::new(clock);
        // Forces that are not of g would make Anderson's safeguard reject what they do, and L-BFGS's line search has nothing else to go by.
        let is_of_g = contacts.mode() == ContactMode::Constraint;
        if objective.model.free().is_empty() {
            objective.project(x, memory);
            let value = objective.value(x, memory);
            return Ok(SolveReport { converged: true, objective: value, ..SolveReport::default() });
        }
        let report = self.prepare(objective, &mut time)?;
        let prepared = &mut self.prepared[0];
        self.vectors.resize(prepared.free());
        prepared.weigh(contacts);
        let mut iteration = Iteration {
            params: &self.params,
            objective,
            prepared,
            vectors: &mut self.vectors,
            x,
            memory,
            contacts,
            elastic: 0.0,
            value: 0.0,
            report,
        };
        let (precision, acceleration) = (self.params.precision, self.params.acceleration);
        let (accelerator, history) = (&mut self.accelerator, &mut self.history);
        let mut iterate = |iteration: &mut Iteration<'_, '_>| {
            iteration.prepared.begin(objective, iteration.x, iteration.memory, precision);
            iteration.touch();
            iteration.value = iteration.evaluate();
            iteration.judge();
            iteration.record();
            iteration.report.seconds_local += time.lap();
            match acceleration {
                Acceleration::Anderson { .. } if is_of_g => iteration.anderson(accelerator, &mut time),
                Acceleration::Lbfgs { .. } => iteration.lbfgs(history, &mut time),
                _ => iteration.stationary(&mut time),
            }?;
            iteration.prepared.finish(iteration.x, iteration.memory);
            Ok::<(), SolveError>(())
        };
        if iteration.is_all_stages() {
            with_team_for(iteration.prepared.bytes(), |_| iterate(&mut iteration))?;
        } else {
            iterate(&mut iteration)?;
        }
        iteration.report.contacts = iteration.contacts.count();
        iteration.report.one_by_one = iteration.prepared.one_by_one();
        iteration.report.objective = iteration.value;
        Ok(iteration.report)
    }
}

/// A solve on its way.
struct Iteration<'a, 'c> {
    params: &'a ProjectiveParams,
    objective: &'a Objective<'a>,
    prepared: &'a mut Prepared,
    vectors: &'a mut Vectors,
    x: &'a mut [Vec3],
    memory: &'a mut [Memory],
    contacts: &'a mut Contacts<'c>,
    /// g without contacts at the positions last evaluated \[J\].
    elastic: f64,
    /// g at the current positions \[J\].
    value: f64,
    report: SolveReport,
}

impl Iteration<'_, '_> {
    /// Whether helpers may stay for all iterations: nothing in them wants the threads for other loops.
    fn is_all_stages(&self) -> bool {
        self.contacts.is_none() && !self.prepared.has_general()
    }

    /// Local step: g and its gradient at the current positions.
    fn evaluate(&mut self) -> f64 {
        // Plain iterations report g once, at their last evaluation.
        let is_descent = matches!(self.params.acceleration, Acceleration::Anderson { .. } | Acceleration::Lbfgs { .. });
        let decides = is_descent || self.params.record;
        let last = self.report.iterations + 1 >= self.params.iterations;
        self.elastic = self.prepared.evaluate(self.objective, self.x, self.memory, decides || last);
        self.with_contacts()
    }

    /// g with the contacts as they are now.
    fn with_contacts(&self) -> f64 {
        if self.contacts.is_none() {
            return self.elastic;
        }
        self.elastic + self.contacts.energy(&|vertex| self.prepared.position(vertex))
    }

    /// Finds what the vertices have met on their way to where they are now, and lets contacts follow surfaces and forces.
    fn touch(&mut self) {
        if self.contacts.is_none() {
            return;
        }
        let prepared = &*self.prepared;
        let position = |vertex: usize| prepared.position(vertex);
        self.contacts.meet(&position);
        if self.report.iterations == 0 {
            self.prepared.displace(self.contacts, true);
        } else if self.contacts.mode() == ContactMode::Displacement {
            self.prepared.displace(self.contacts, false);
        }
    }

    fn record(&mut self) {
        if self.params.record {
            self.report.history.push(self.value);
        }
    }

    /// Global step: solves for δ at the current positions, and adds it.
    fn global_step(&mut self) -> Result<(), SolveError> {
        let begins = self.report.iterations == 0;
        let (longest, taken) = self.prepared.advance(self.contacts, self.objective, begins)?;
        self.report.movement = longest / self.objective.model.diagonal();
        self.count(taken);
        // What is left is near the rounding of f32.
        if self.prepared.is_single() && self.report.movement < REFINED_BELOW && !self.is_last() {
            self.prepared.refine(self.objective, self.memory);
        }
        Ok(())
    }

    /// Notes an iteration, and what its linear solve took.
    fn count(&mut self, taken: Taken) {
        self.report.linear_iterations += taken.linear_iterations;
        self.report.rank_one_updates += taken.factor.updates;
        self.report.refactorisations += taken.factor.factorisations;
        self.report.iterations += 1;
    }

    /// Looks at the forces where g was last evaluated, if they may balance or nobody will look later.
    fn judge(&mut self) {
        let begins = self.report.iterations == 0;
        let is_last_look = self.report.iterations + 1 >= self.params.iterations;
        if !is_last_look && (begins || self.report.movement > JUDGED_BELOW) {
            return;
        }
        let (tolerance, movement) = (self.params.tolerance, self.report.movement);
        let (forces, is_balanced) = self.prepared.judge(self.contacts, self.objective, tolerance, movement);
        self.report.forces = forces;
        // Convergence that is seen through the rounding of f32 is none.
        let is_seen = !self.prepared.is_single() || movement >= REFINED_BELOW;
        self.report.converged = !begins && is_balanced && is_seen;
    }

    /// Positions before the step into `vectors.current`, δ into `vectors.step`, positions after it into `vectors.next`.
    fn take_step(&mut self) {
        self.prepared.step(&mut self.vectors.step);
        self.prepared.positions(&mut self.vectors.next);
        self.vectors.step_back();
    }

    fn is_last(&self) -> bool {
        self.report.converged || self.report.iterations >= self.params.iterations
    }

    /// Plain local/global, or with Chebyshev weights.
    fn stationary(&mut self, time: &mut Stopwatch<'_>) -> Result<(), SolveError> {
        let mut omega = 1.0;
        while !self.is_last() {
            self.global_step()?;
            if let Acceleration::Chebyshev { rho, delay, relaxation } = self.params.acceleration {
                omega = match self.report.iterations {
                    k if k <= delay.max(1) => 1.0,
                    k if k == delay.max(1) + 1 => 2.0 / (2.0 - rho * rho),
                    _ => 4.0 / (4.0 - rho * rho * omega),
                };
                self.chebyshev_step(omega, relaxation);
            }
            self.touch();
            self.report.seconds_global += time.lap();
            if self.params.record && self.params.acceleration == Acceleration::None {
                // Between the half-steps: the new positions with the old projections.
                self.prepared.finish(self.x, self.memory);
                self.value = self.objective.value(self.x, self.memory);
                self.record();
            }
            // After the last step nobody asks for the gradient.
            if self.params.record || !self.is_last() {
                self.value = self.evaluate();
                self.judge();
                self.record();
            }
            self.report.seconds_local += time.lap();
        }
        Ok(())
    }

    /// x ← ω (relaxation·δ + x − x_last) + x_last [Wang 2015, eq. 9].
    fn chebyshev_step(&mut self, omega: f64, relaxation: f64) {
        self.take_step();
        if self.report.iterations == 1 {
            self.vectors.previous.copy_from_slice(&self.vectors.current);
        }
        let Vectors { current, previous, next, .. } = &mut *self.vectors;
        for ((next, x), last) in next.iter_mut().zip(&*current).zip(&*previous) {
            *next = ((*next - *x) * relaxation + *x - *last) * omega + *last;
        }
        self.prepared.set_positions(&self.vectors.next);
        std::mem::swap(&mut self.vectors.previous, &mut self.vectors.current);
    }

    /// Anderson acceleration with the energy safeguard.
    fn anderson(&mut self, accelerator: &mut Anderson, time: &mut Stopwatch<'_>) -> Result<(), SolveError> {
        accelerator.clear();
        let (mut drop, mut last_movement) = (f64::INFINITY, f64::INFINITY);
        while !self.is_last() {
            let was_single = self.prepared.is_single();
            self.global_step()?;
            self.take_step();
            if was_single != self.prepared.is_single() {
                // Values in f32 and f64 do not compare.
                self.prepared.set_positions(&self.vectors.current);
                self.value = self.evaluate();
            }
            let noise = self.noise();
            if drop <= noise && self.report.movement > 2.0 * last_movement {
                accelerator.clear();
            }
            last_movement = self.report.movement;
            // The last iterate must be one that is known to descend.
            if self.is_last() {
                self.prepared.set_positions(&self.vectors.next);
            } else {
                let accelerated = accelerator.next(&self.vectors.step, &self.vectors.next);
                self.prepared.set_positions(accelerated);
            }
            self.report.seconds_global += time.lap();
            let mut reached = self.evaluate();
            if reached.is_nan() || reached > self.value + noise {
                self.report.rejected += 1;
                accelerator.clear();
                self.prepared.set_positions(&self.vectors.next);
                reached = self.evaluate();
            }
            drop = self.value - reached;
            self.value = reached;
            if !self.contacts.is_none() {
                self.touch();
                self.value = self.with_contacts();
            }
            self.judge();
            self.record();
            self.report.seconds_local += time.lap();
        }
        Ok(())
    }

    /// Changes of g below this cannot tell better from worse; there the length of the step can.
    fn noise(&self) -> f64 {
        let relative = if self.prepared.is_single() && !self.params.record { 1e-6 } else { 1e-13 };
        relative * self.value.abs()
    }
}

/// Seconds since the last lap.
pub(super) struct Stopwatch<'a> {
    clock: &'a Clock,
    last: f64,
}

impl<'a> Stopwatch<'a> {
    pub(super) fn new(clock: &'a Clock) -> Self {
        Self { clock, last: clock.now() }
    }

    pub(super) fn lap(&mut self) -> f64 {
        let now = self.clock.now();
        now - std::mem::replace(&mut self.last, now)
    }
}
