//! Newton's method on the same objective: the exact implicit step, to judge other solvers by.
//!
//! Each iteration assembles ∇²g from element Hessians Aᵀ H A, made positive semi-definite element by element, solves for a
//! direction (directly or by conjugate gradients) and halves the step until g falls enough (Armijo). Near the solution the
//! true ∇²g is tried first: where it is positive definite, convergence is quadratic, also under compression. From the start at q with
//! one iteration and no line search it is the semi-implicit step of Baraff and Witkin that [Liu 2013, §5] compares with.

mod assemble;

pub(super) use assemble::{for_blocks, hessian};

use crate::clock::Clock;
use crate::contact::Contacts;
use crate::energy::{Curvature, Memory};
use crate::math::{Mat3, Vec3};
use crate::sparse::{Analysis, BlockMatrix, FactorError, Precision, conjugate_gradient};

use super::objective::largest;
use super::turning::TurningColumns;
use super::{Objective, Projective, ProjectiveParams, SolveError, SolveReport, Solver, Start};

/// How Newton's linear systems are solved.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum LinearSolver {
    /// Sparse Cholesky factorisation.
    #[default]
    Direct,
    /// Conjugate gradients with block-diagonal preconditioning.
    ConjugateGradient {
        /// Relative residual to stop at.
        tolerance: f64,
        /// Most iterations.
        max_iterations: usize,
    },
}

/// Parameters of Newton's method.
#[derive(Debug, Clone, PartialEq)]
pub struct NewtonParams {
    /// Most iterations in a stage.
    pub iterations: usize,
    /// Stops when a full step moves no vertex by more than this fraction of the world's diagonal.
    pub tolerance: f64,
    /// Linear solver.
    pub linear_solver: LinearSolver,
    /// Whether to shorten steps until g falls; off only for the semi-implicit step.
    pub line_search: bool,
    /// Treatment of negative curvature.
    pub curvature: Curvature,
    /// Plain local/global iterations before the first Newton iteration [Liu 2013, §5]. On crumpled cloth 30 of them were seen to
    /// save hardly any Newton iteration (2 % over five states).
    pub warm_start: usize,
    /// Where to start.
    pub start: Start,
    /// Whether to record g on the way.
    pub record: bool,
}

impl Default for NewtonParams {
    fn default() -> Self {
        Self {
            iterations: 200,
            tolerance: 1e-10,
            linear_solver: LinearSolver::Direct,
            line_search: true,
            curvature: Curvature::Projected,
            warm_start: 0,
            start: Start::Predicted,
            record: false,
        }
    }
}

impl NewtonParams {
    /// The semi-implicit step [Baraff 1998]: one linearisation at the positions of the last step, taken in full.
    pub fn semi_implicit() -> Self {
        Self { iterations: 1, line_search: false, start: Start::Previous, ..Self::default() }
    }
}

/// Newton's method. It keeps the symbolic analysis as long as the model stays the same.
#[derive(Debug)]
pub struct Newton {
    params: NewtonParams,
    analysis: Option<Analysis>,
    warm_start: Projective,
}

/// Fraction of the predicted decrease that a step must reach (Armijo).
const SUFFICIENT: f64 = 1e-4;
/// After a step below this fraction of the diagonal the true Hessian is tried before the projected one.
const NEAR: f64 = 1e-3;
/// Halvings before the line search gives up: beyond, the step is below rounding.
const HALVINGS: usize = 50;

impl Newton {
    /// A solver with these parameters.
    pub fn new(params: NewtonParams) -> Self {
        let precision = Precision::Double;
        let warm_start = Projective::new(ProjectiveParams { precision, ..ProjectiveParams::plain(params.warm_start) });
        Self { params, analysis: None, warm_start }
    }

    /// A descent direction at x: −(∇²g)⁻¹ ∇g with the true matrix, where that is wanted and positive definite, or with the
    /// projected one.
    fn direction(
        &mut self,
        objective: &Objective<'_>,
        x: &[Vec3],
        memory: &[Memory],
        gradient: &[Vec3],
        matrix: &mut BlockMatrix,
        report: &mut SolveReport,
    ) -> Result<Vec<Vec3>, SolveError> {
        let near = report.iterations > 0 && report.movement < NEAR;
        let turning = TurningColumns::new(objective, x, memory);
        if near && self.params.curvature == Curvature::Projected {
            hessian(objective, x, memory, Curvature::Raw, matrix);
            if let Ok(direction) = self.solve_linear(objective, matrix, &turning, gradient, report) {
                return Ok(direction);
            }
        }
        hessian(objective, x, memory, self.params.curvature, matrix);
        self.solve_linear(objective, matrix, &turning, gradient, report)
    }

    /// Solves A d = −∇g.
    fn solve_linear(
        &mut self,
        objective: &Objective<'_>,
        matrix: &BlockMatrix,
        turning: &TurningColumns,
        gradient: &[Vec3],
        report: &mut SolveReport,
    ) -> Result<Vec<Vec3>, SolveError> {
        let downhill: Vec<Vec3> = gradient.iter().map(|g| -*g).collect();
        match self.params.linear_solver {
            LinearSolver::Direct => {
                let analysis = match self.analysis.take() {
                    Some(analysis) => analysis,
                    None => BlockMatrix::analyse(objective.model.pattern())?,
                };
                let mut factor = matrix.factor(self.analysis.insert(analysis))?;
                let mut inverse = |vector: &mut Vec<Vec3>| {
                    let mut scalars: Vec<f64> = vector.iter().flat_map(|v| v.to_array()).collect();
                    factor.solve_scalars(&mut scalars);
                    vector.iter_mut().zip(scalars.chunks_exact(3)).for_each(|(v, s)| *v = Vec3::from_slice(s));
                };
                let mut direction = downhill.clone();
                inverse(&mut direction);
                if !turning.is_empty() {
                    turning.correct(&downhill, &mut direction, inverse);
                }
                Ok(direction)
            }
            LinearSolver::ConjugateGradient { tolerance, max_iterations } => {
                let inverse: Vec<Mat3> = (0..gradient.len()).map(|k| matrix.diagonal(k).inverse()).collect();
                let mut direction = vec![Vec3::ZERO; gradient.len()];
                let solved = conjugate_gradient(
                    |x, y| {
                        matrix.multiply(x, y);
                        turning.subtract(x, y);
                    },
                    |r, z| z.iter_mut().zip(r).zip(&inverse).for_each(|((z, r), m)| *z = *m * *r),
                    &downhill,
                    &mut direction,
                    tolerance,
                    max_iterations,
                );
                report.linear_iterations += solved.iterations;
                if solved.indefinite {
                    return Err(FactorError::NotPositiveDefinite { pivot: 0, size: 3 * gradient.len() }.into());
                }
                Ok(direction)
            }
        }
    }
}

impl Solver for Newton {
    fn start(&self) -> Start {
        self.params.start
    }

    fn solve(
        &mut self,
        objective: &Objective<'_>,
        x: &mut [Vec3],
        memory: &mut [Memory],
        contacts: &mut Contacts<'_>,
        clock: &Clock,
    ) -> Result<SolveReport, SolveError> {
        let mut report = self.minimise(objective, x, memory, clock)?;
        if !contacts.is_none() {
            contacts.meet(&|vertex| x[vertex]);
            let mass = objective.model.mass().diagonal();
            let mut exchange = |vertex: usize, moved: Option<Vec3>| {
                x[vertex] = moved.unwrap_or(x[vertex]);
                x[vertex]
            };
            contacts.displace(&mut exchange, &|vertex| objective.inertia * mass[vertex]);
            report.contacts = contacts.count();
        }
        Ok(report)
    }
}

impl Newton {
    /// The minimum of g, whatever is in the way.
    fn minimise(
        &mut self,
        objective: &Objective<'_>,
        x: &mut [Vec3],
        memory: &mut [Memory],
        clock: &Clock,
    ) -> Result<SolveReport, SolveError> {
        let mut report = SolveReport::default();
        if self.params.warm_start > 0 {
            report = self.warm_start.solve(objective, x, memory, &mut Contacts::default(), clock)?;
        }
        let free = objective.model.free();
        objective.project(x, memory);
        let mut value = objective.value(x, memory);
        report.objective = value;
        report.converged = free.is_empty();
        if !value.is_finite() {
            return Err(SolveError::NonFiniteObjective { value });
        }
        if free.is_empty() {
            return Ok(report);
        }
        if self.params.record {
            report.history.push(value);
        }
        let scale = objective.model.diagonal();
        let mut matrix = BlockMatrix::zero(objective.model.pattern().clone());
        let (mut corners, mut gradient) = (Vec::new(), vec![Vec3::ZERO; free.len()]);
        for _ in 0..self.params.iterations {
            let begun = clock.now();
            objective.gradient(x, memory, &mut corners, &mut gradient);
            let direction = self.direction(objective, x, memory, &gradient, &mut matrix, &mut report)?;
            let solved = clock.now();
            report.iterations += 1;
            report.movement = largest(&direction) / scale;
            let slope: f64 = gradient.iter().zip(&direction).map(|(g, d)| g.dot(*d)).sum();
            let origin: Vec<Vec3> = free.iter().map(|&v| x[v as usize]).collect();
            let mut move_by = |length: f64, x: &mut [Vec3]| {
                for (k, &v) in free.iter().enumerate() {
                    x[v as usize] = origin[k] + direction[k] * length;
                }
                objective.project(x, memory);
                objective.value(x, memory)
            };
            let mut length = 1.0;
            let mut reached = move_by(length, x);
            // Where the predicted decrease drowns in the rounding of g, only the step itself can be judged. Near rest g is a
            // sum of squared rounding errors and says nothing of a step that is within the tolerance already.
            let small = report.movement <= self.params.tolerance;
            let judged = self.params.line_search && !small && slope.abs() > 1e-13 * value.abs();
            let mut halvings = 0;
            while judged && (reached.is_nan() || reached > value + SUFFICIENT * length * slope) && halvings < HALVINGS {
                length *= 0.5;
                halvings += 1;
                reached = move_by(length, x);
            }
            report.seconds_global += solved - begun;
            report.seconds_local += clock.now() - solved;
            if halvings == HALVINGS {
                // No descent at any length: stay where the energy was lowest.
                value = move_by(0.0, x);
                break;
            }
            value = reached;
            if self.params.record {
                report.history.push(value);
            }
            if length == 1.0 && report.movement <= self.params.tolerance {
                report.converged = true;
                break;
            }
        }
        report.objective = value;
        Ok(report)
    }
}
