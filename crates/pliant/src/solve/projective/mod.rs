//! Projective dynamics [Bouaziz 2014, Algorithm 1], of which fast mass-spring [Liu 2013] is the case of edge springs.
//!
//! Each iteration projects all elements (local), then solves one constant, prefactored system (global). Departure: the global
//! step is in increment form, H δ = −∇g(x), x ← x + δ, with ∇g = M(x − s)/τ² + Σ w Aᵀ(A x − p). The iterates are the same;
//! rounding errors are relative to δ instead of x, and accelerators act on δ.

mod anderson;

use std::collections::VecDeque;

use crate::clock::Clock;
use crate::energy::Memory;
use crate::math::Vec3;
use crate::sparse::{Analysis, Cholesky};

use super::objective::largest;
use super::{Objective, SolveError, SolveReport, Solver, Start};
use anderson::Anderson;

/// How iterations build on each other.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Acceleration {
    /// Plain local/global: g never rises, not even between half-steps.
    None,
    /// Anderson acceleration over the last `window` iterates [Peng 2018]; an iterate that raises g is replaced by the plain one.
    Anderson {
        /// Iterates remembered, 1 to 16.
        window: usize,
    },
    /// Chebyshev semi-iteration [Wang 2015]: no inner products, no promise of descent.
    Chebyshev {
        /// Estimate of the spectral radius of the iteration, below 1.
        rho: f64,
        /// Plain iterations before it sets in.
        delay: usize,
        /// Factor on the plain step, usually 1.
        relaxation: f64,
    },
}

/// Parameters of local/global iterations.
#[derive(Debug, Clone, PartialEq)]
pub struct ProjectiveParams {
    /// Most iterations in a stage. The default 10 suffices to the eye for most scenes.
    pub iterations: usize,
    /// Stops when no vertex moved by more than this fraction of the world's diagonal in an iteration; 0 never stops early.
    pub tolerance: f64,
    /// Acceleration; by default Anderson with a window of 5.
    pub acceleration: Acceleration,
    /// Where to start.
    pub start: Start,
    /// Whether to record g on the way, at the cost of computing it.
    pub record: bool,
}

impl Default for ProjectiveParams {
    fn default() -> Self {
        Self {
            iterations: 10,
            tolerance: 1e-10,
            acceleration: Acceleration::Anderson { window: 5 },
            start: Start::Predicted,
            record: false,
        }
    }
}

impl ProjectiveParams {
    /// Plain local/global with a fixed number of iterations, as in the papers.
    pub fn plain(iterations: usize) -> Self {
        Self { iterations, tolerance: 0.0, acceleration: Acceleration::None, ..Self::default() }
    }

    /// Iterates to convergence: for comparisons with the exact solution.
    pub fn converged() -> Self {
        let acceleration = Acceleration::Anderson { window: 10 };
        Self { iterations: 20_000, tolerance: 1e-13, acceleration, ..Self::default() }
    }
}

/// A factor and the coefficients that it belongs to.
#[derive(Debug)]
struct Factor {
    inertia: f64,
    scales: Vec<f64>,
    cholesky: Cholesky,
}

/// Factors kept: integrators with a first step of another kind alternate between two.
const KEPT_FACTORS: usize = 2;

/// The local/global solver. It keeps factors as long as model and time step stay the same.
#[derive(Debug)]
pub struct Projective {
    params: ProjectiveParams,
    analysis: Option<Analysis>,
    factors: VecDeque<Factor>,
    corners: Vec<Vec3>,
    step: Vec<Vec3>,
}

impl Projective {
    /// A solver with these parameters.
    pub fn new(params: ProjectiveParams) -> Self {
        Self { params, analysis: None, factors: VecDeque::new(), corners: Vec::new(), step: Vec::new() }
    }

    /// Brings the factor for the objective's coefficients to the front.
    fn prepare(&mut self, objective: &Objective<'_>) -> Result<(), SolveError> {
        let fits = |f: &Factor| f.inertia == objective.inertia && f.scales == objective.scales;
        if let Some(at) = self.factors.iter().position(fits) {
            self.factors.swap(0, at);
            return Ok(());
        }
        let analysis = match self.analysis.take() {
            Some(analysis) => analysis,
            None => Analysis::new(objective.model.pattern())?,
        };
        let cholesky = Cholesky::new(self.analysis.insert(analysis), &objective.projective_matrix())?;
        self.factors.truncate(KEPT_FACTORS - 1);
        self.factors.push_front(Factor { inertia: objective.inertia, scales: objective.scales.to_vec(), cholesky });
        Ok(())
    }

    /// δ = −H⁻¹ ∇g(x) into `self.step`.
    fn global_step(&mut self, objective: &Objective<'_>, x: &[Vec3], memory: &[Memory]) {
        self.step.resize(objective.model.free().len(), Vec3::ZERO);
        objective.gradient(x, memory, &mut self.corners, &mut self.step);
        self.step.iter_mut().for_each(|d| *d = -*d);
        self.factors[0].cholesky.solve(&mut self.step);
    }

    /// x of the free vertices.
    fn gather(objective: &Objective<'_>, x: &[Vec3]) -> Vec<Vec3> {
        objective.model.free().iter().map(|&v| x[v as usize]).collect()
    }

    fn scatter(objective: &Objective<'_>, free: &[Vec3], x: &mut [Vec3]) {
        objective.model.free().iter().zip(free).for_each(|(&v, position)| x[v as usize] = *position);
    }
}

impl Solver for Projective {
    fn start(&self) -> Start {
        self.params.start
    }

    fn solve(
        &mut self,
        objective: &Objective<'_>,
        x: &mut [Vec3],
        memory: &mut [Memory],
        clock: &Clock,
    ) -> Result<SolveReport, SolveError> {
        let mut report = SolveReport { converged: true, ..SolveReport::default() };
        let mut time = Stopwatch::new(clock);
        if !objective.model.free().is_empty() {
            self.prepare(objective)?;
        }
        report.seconds_factor += time.lap();
        objective.project(x, memory);
        report.seconds_local += time.lap();
        if objective.model.free().is_empty() {
            report.objective = objective.value(x, memory);
            return Ok(report);
        }
        match self.params.acceleration {
            Acceleration::Anderson { window } => {
                self.anderson(objective, x, memory, window.clamp(1, 16), &mut report, &mut time);
            }
            _ => self.stationary(objective, x, memory, &mut report, &mut time),
        }
        report.objective = objective.value(x, memory);
        Ok(report)
    }
}

impl Projective {
    /// Plain local/global, or with Chebyshev weights.
    fn stationary(
        &mut self,
        objective: &Objective<'_>,
        x: &mut [Vec3],
        memory: &mut [Memory],
        report: &mut SolveReport,
        time: &mut Stopwatch<'_>,
    ) {
        let scale = objective.model.diagonal();
        let mut omega = 1.0;
        let mut previous = Self::gather(objective, x);
        if self.params.record {
            report.history.push(objective.value(x, memory));
        }
        report.converged = false;
        while report.iterations < self.params.iterations && !report.converged {
            self.global_step(objective, x, memory);
            report.residual = largest(&self.step) / scale;
            report.converged = report.residual <= self.params.tolerance;
            report.iterations += 1;
            let current = Self::gather(objective, x);
            let mut next: Vec<Vec3> = current.iter().zip(&self.step).map(|(x, d)| *x + *d).collect();
            if let Acceleration::Chebyshev { rho, delay, relaxation } = self.params.acceleration {
                omega = match report.iterations {
                    k if k <= delay.max(1) => 1.0,
                    k if k == delay.max(1) + 1 => 2.0 / (2.0 - rho * rho),
                    _ => 4.0 / (4.0 - rho * rho * omega),
                };
                for ((next, x), last) in next.iter_mut().zip(&current).zip(&previous) {
                    *next = ((*next - *x) * relaxation + *x - *last) * omega + *last;
                }
            }
            previous = current;
            Self::scatter(objective, &next, x);
            report.seconds_global += time.lap();
            if self.params.record && self.params.acceleration == Acceleration::None {
                report.history.push(objective.value(x, memory));
            }
            objective.project(x, memory);
            report.seconds_local += time.lap();
            if self.params.record {
                report.history.push(objective.value(x, memory));
            }
        }
    }

    /// Anderson acceleration with the energy safeguard.
    fn anderson(
        &mut self,
        objective: &Objective<'_>,
        x: &mut [Vec3],
        memory: &mut [Memory],
        window: usize,
        report: &mut SolveReport,
        time: &mut Stopwatch<'_>,
    ) {
        let scale = objective.model.diagonal();
        let mut accelerator = Anderson::new(window);
        let mut value = objective.value(x, memory);
        // Below this g cannot tell better from worse; there the length of the step can.
        let noise = 1e-13 * value.abs();
        let (mut drop, mut last_residual) = (f64::INFINITY, f64::INFINITY);
        if self.params.record {
            report.history.push(value);
        }
        report.converged = false;
        while report.iterations < self.params.iterations && !report.converged {
            self.global_step(objective, x, memory);
            report.residual = largest(&self.step) / scale;
            report.converged = report.residual <= self.params.tolerance;
            report.iterations += 1;
            if drop <= noise && report.residual > 2.0 * last_residual {
                accelerator.clear();
            }
            last_residual = report.residual;
            let current = Self::gather(objective, x);
            let plain: Vec<Vec3> = current.iter().zip(&self.step).map(|(x, d)| *x + *d).collect();
            // The last iterate must be one that is known to descend.
            let last = report.converged || report.iterations == self.params.iterations;
            let next = if last { plain.clone() } else { accelerator.next(&self.step, &plain) };
            Self::scatter(objective, &next, x);
            report.seconds_global += time.lap();
            objective.project(x, memory);
            let mut reached = objective.value(x, memory);
            if reached.is_nan() || reached > value + noise {
                report.rejected += 1;
                accelerator.clear();
                Self::scatter(objective, &plain, x);
                objective.project(x, memory);
                reached = objective.value(x, memory);
            }
            drop = value - reached;
            value = reached;
            report.seconds_local += time.lap();
            if self.params.record {
                report.history.push(value);
            }
        }
    }
}

/// Seconds since the last lap.
struct Stopwatch<'a> {
    clock: &'a Clock,
    last: f64,
}

impl<'a> Stopwatch<'a> {
    fn new(clock: &'a Clock) -> Self {
        Self { clock, last: clock.now() }
    }

    fn lap(&mut self) -> f64 {
        let now = self.clock.now();
        now - std::mem::replace(&mut self.last, now)
    }
}
