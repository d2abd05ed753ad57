//! The solver of a world, or of a group of its bodies, on a GPU, through the doors that the engine has for solvers from elsewhere.

use std::any::Any;
use std::collections::VecDeque;

use pliant::contact::{ContactMode, Contacts};
use pliant::energy::Memory;
use pliant::math::Vec3;
use pliant::solve::{
    Acceleration, ForceBalance, Objective, Preconditioner, Progress, ProjectiveParams, SolveError, SolveReport, Solver,
    SolverChoice, SolverRecipe, Start, TwoMetricParams,
};
use pliant::{Clock, Model, ModelError, State, TimeIntegrator};

use rayon::prelude::*;

use crate::device::{Device, DeviceChoice};
use crate::error::GpuError;
use crate::fronts::FactorStorage;
use crate::local::{Measures, has_kernel};
use crate::prepared::{Prepared, Touched};

/// Factors kept: integrators with a first step of another kind alternate between two.
const KEPT_FACTORS: usize = 2;
/// How many times the usual iterations a solver makes that takes care.
const CARE: usize = 5;

/// Which of the engine's methods runs on the GPU.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum GpuMethod {
    /// What [`SolverChoice::Auto`] would choose, with its substeps and integrator.
    #[default]
    Auto,
    /// Local/global iterations: plain, or accelerated by Anderson's method or Chebyshev weights.
    Projective(ProjectiveParams),
    /// Newton's method with two metrics.
    TwoMetric(TwoMetricParams),
}

/// Parameters of the solver on a GPU. Pass them to [`SimulationBuilder::solver`](pliant::SimulationBuilder::solver) as any other solver's.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct GpuParams {
    /// The method.
    pub method: GpuMethod,
    /// Which GPU.
    pub device: DeviceChoice,
    /// How the factor is stored.
    pub storage: FactorStorage,
}

impl GpuParams {
    /// Plain local/global with a fixed number of iterations, as in the papers.
    pub fn plain(iterations: usize) -> Self {
        Self { method: GpuMethod::Projective(ProjectiveParams::plain(iterations)), ..Self::default() }
    }

    /// The parameters of a solver, if it is one on a GPU.
    pub fn of(solver: &SolverChoice) -> Option<&Self> {
        let SolverChoice::Custom(own) = solver else { return None };
        let recipe: &dyn Any = own.recipe();
        recipe.downcast_ref()
    }

    /// These parameters for what stands in a solver of the engine, if the GPU has its method.
    ///
    /// ```
    /// use pliant::prelude::*;
    /// use pliant_gpu::{GpuMethod, GpuParams};
    /// let gpu = GpuParams::default().running(&TwoMetricParams::default().into()).expect("it has this method");
    /// assert_eq!(gpu.method, GpuMethod::TwoMetric(TwoMetricParams::default()));
    /// assert!(GpuParams::default().running(&NewtonParams::default().into()).is_none());
    /// ```
    pub fn running(&self, solver: &SolverChoice) -> Option<Self> {
        let method = match solver {
            SolverChoice::Auto => GpuMethod::Auto,
            SolverChoice::Projective(params) => GpuMethod::Projective(params.clone()),
            SolverChoice::TwoMetric(params) => GpuMethod::TwoMetric(params.clone()),
            _ => return None,
        };
        Some(Self { method, ..self.clone() })
    }

    fn refuse(&self, problem: impl std::fmt::Display) -> ModelError {
        ModelError::Solver { solver: self.name().to_owned(), problem: problem.to_string() }
    }

    fn check_parameters(&self) -> Result<(), ModelError> {
        let record = match &self.method {
            GpuMethod::Auto => false,
            GpuMethod::Projective(params) => {
                match params.acceleration {
                    Acceleration::None | Acceleration::Chebyshev { .. } | Acceleration::Anderson { .. } => {}
                    other @ Acceleration::Lbfgs { .. } => {
                        return Err(self.refuse(format!("it has no {other:?}: choose Anderson, Chebyshev or none")));
                    }
                }
                if params.precision != pliant::sparse::Precision::Single {
                    return Err(self.refuse("it computes in single precision"));
                }
                params.record
            }
            GpuMethod::TwoMetric(params) => {
                if params.preconditioner == Preconditioner::Sum {
                    return Err(
                        self.refuse("it has no sum of metrics as preconditioner: choose their product, or the factor")
                    );
                }
                params.record
            }
        };
        if record {
            return Err(self.refuse("it does not record g at each iteration: the solvers on the CPU do"));
        }
        Ok(())
    }
}

impl SolverRecipe for GpuParams {
    fn name(&self) -> &'static str {
        "GPU"
    }

    fn check_world(&self, model: &Model, _integrator: TimeIntegrator, _contact: ContactMode) -> Result<(), ModelError> {
        self.check_parameters()?;
        if let Some((body, kind)) = model.needs_position_based() {
            return Err(ModelError::UnsupportedConstraint { body: body.name.clone(), kind });
        }
        for entry in model.energies().iter().filter(|entry| !entry.batch.operator().is_empty()) {
            if !has_kernel(&entry.batch.arrays()) {
                let body = entry.body.map_or("attachments", |body| model.bodies()[body].name.as_str());
                let kind = entry.batch.kind();
                return Err(self.refuse(format!(
                    "body {body:?} has the energy {kind:?}, for which there is no kernel: choose another solver, or leave it out"
                )));
            }
        }
        if let Some(&(vertex, ..)) = model.mass().off_diagonal().first() {
            let body = model.locate(vertex as usize).0.name.clone();
            return Err(ModelError::ConsistentMasses { body, solver: "GPU" });
        }
        Device::open(&self.device).map(|_| ()).map_err(|error| self.refuse(error))
    }

    fn follows_rule(&self) -> bool {
        self.method == GpuMethod::Auto
    }

    fn in_place_of(&self, chosen: SolverChoice) -> SolverChoice {
        let method = match chosen {
            SolverChoice::TwoMetric(params) => GpuMethod::TwoMetric(params),
            SolverChoice::Projective(params) => GpuMethod::Projective(params),
            // Its world has something without a kernel, which is then refused by name; or nothing to accelerate.
            _ => GpuMethod::Projective(ProjectiveParams::plain(ProjectiveParams::default().iterations)),
        };
        Self { method, ..self.clone() }.into()
    }

    fn is_same_as(&self, other: &dyn SolverRecipe) -> bool {
        let other: &dyn Any = other;
        other.downcast_ref() == Some(self)
    }

    fn build(&self) -> Box<dyn Solver> {
        Box::new(GpuSolver {
            params: self.clone(),
            usual: None,
            prepared: VecDeque::new(),
            ended: None,
            first_residual: None,
            accelerations: Vec::new(),
        })
    }
}

#[derive(Debug)]
struct GpuSolver {
    params: GpuParams,
    /// The method that it was given, while it takes more care.
    usual: Option<GpuMethod>,
    prepared: VecDeque<Prepared>,
    /// Where the last solve has ended, with its elastic energy \[J\].
    ended: Option<(Vec<Vec3>, f64)>,
    /// What the first linear system of the stage began with.
    first_residual: Option<f64>,
    /// Accelerations of vertices in the last substep \[m/s²\]; empty where they are not known.
    accelerations: Vec<Vec3>,
}

impl GpuSolver {
    fn failed(&self, error: GpuError) -> SolveError {
        SolveError::Other { solver: self.params.name().to_owned(), problem: error.to_string() }
    }

    /// Brings what belongs to the objective's coefficients to the front.
    fn prepare(&mut self, objective: &Objective<'_>, clock: &Clock) -> Result<SolveReport, GpuError> {
        let mut report = SolveReport::default();
        match self.prepared.iter().position(|prepared| prepared.fits(objective)) {
            Some(at) => self.prepared.swap(0, at),
            None => {
                // Room for the next one.
                self.prepared.truncate(KEPT_FACTORS - 1);
                let prepared = Prepared::new(&self.params, objective, clock, &mut report.setup, None)?;
                self.prepared.push_front(prepared);
                report.seconds_factor = report.setup.assemble + report.setup.factor + report.setup.pack;
                report.factored = 1;
            }
        }
        Ok(report)
    }

    fn solve(
        &mut self,
        objective: &Objective<'_>,
        x: &mut [Vec3],
        memory: &mut [Memory],
        contacts: &mut Contacts<'_>,
        clock: &Clock,
    ) -> Result<SolveReport, GpuError> {
        let mut report = self.prepare(objective, clock)?;
        let begun = clock.now();
        let prepared = &mut self.prepared[0];
        let mut touched = Touched::new(objective, contacts);
        touched.push_apart(x);
        prepared.local.begin(&prepared.device, objective, x, memory)?;
        let seen = match &self.params.method {
            GpuMethod::TwoMetric(params) => {
                let wanted = wanted_energy(objective);
                prepared.newton(
                    objective,
                    params,
                    wanted,
                    &mut self.first_residual,
                    &mut touched,
                    (x, memory),
                    &self.accelerations,
                    &mut report,
                )?
            }
            GpuMethod::Projective(params) => {
                prepared.projective(objective, params, &mut touched, (x, memory), &mut report)?
            }
            // A world has replaced it by what suits it.
            GpuMethod::Auto => None,
        };
        prepared.local.finish(&prepared.device, objective.before, x, memory)?;
        self.ended = None;
        match seen {
            Some(Measures { unbalanced, largest, elastic, inertial, .. }) => {
                report.objective = elastic + inertial;
                report.forces = Some(ForceBalance { unbalanced, largest: largest.max(objective.load) });
                // What is measured has the energy of damping, too.
                let is_damped = objective.model.energies().iter().any(|entry| entry.damping.is_some());
                if !prepared.local.has_goals() && !is_damped {
                    self.ended = Some((x.to_vec(), elastic));
                }
            }
            // Positions have the answer, and the engine names the vertex.
            None => report.objective = f64::NAN,
        }
        report.contacts = contacts.count();
        report.seconds_global = clock.now() - begun;
        Ok(report)
    }
}

/// ½(s − x₀)ᵀM(s − x₀)/τ²: the kinetic energy that inertia and external forces ask for \[J\].
fn wanted_energy(objective: &Objective<'_>) -> f64 {
    let (model, mass) = (objective.model, objective.model.mass().diagonal());
    let squares = model.free().par_iter().with_min_len(4096).map(|&v| {
        let v = v as usize;
        mass[v] * (objective.target[v] - objective.before[v]).length_squared()
    });
    // A guide for tolerances only: the order of its sum does not matter to any bit of a position. It must not depend on threads all the same.
    let squares: Vec<f64> = squares.collect();
    0.5 * objective.inertia * squares.iter().sum::<f64>()
}

impl Solver for GpuSolver {
    fn start(&self) -> Start {
        match &self.params.method {
            GpuMethod::Projective(params) => params.start,
            GpuMethod::TwoMetric(params) => params.start,
            GpuMethod::Auto => Start::default(),
        }
    }

    fn begin_step(&mut self, state: &State, earlier: Option<(&[Vec3], f64)>) {
        self.first_residual = None;
        self.accelerations.clear();
        if let (GpuMethod::TwoMetric(_), Some((before, h))) = (&self.params.method, earlier) {
            self.accelerations.extend(state.velocities.iter().zip(before).map(|(v, before)| (*v - *before) / h));
        }
    }

    fn reads_inertial(&self) -> bool {
        matches!(self.params.method, GpuMethod::TwoMetric(_))
    }

    fn advance(
        &mut self,
        objective: &Objective<'_>,
        x: &mut [Vec3],
        memory: &mut [Memory],
        contacts: &mut Contacts<'_>,
        clock: &Clock,
    ) -> Result<Progress, SolveError> {
        if objective.model.free().is_empty() {
            return Ok(Progress::Done(SolveReport { converged: true, ..SolveReport::default() }));
        }
        // What fails half-way must not be taken for a result.
        let mut reached = x.to_vec();
        match self.solve(objective, &mut reached, memory, contacts, clock) {
            Ok(report) => {
                x.copy_from_slice(&reached);
                Ok(Progress::Done(report))
            }
            Err(error) => Err(self.failed(error)),
        }
    }

    fn take_care(&mut self, is_careful: bool) {
        let method = &mut self.params.method;
        if !is_careful {
            return *method = self.usual.take().unwrap_or_else(|| method.clone());
        }
        *method = self.usual.get_or_insert_with(|| method.clone()).clone();
        match method {
            GpuMethod::Projective(params) => params.iterations *= CARE,
            GpuMethod::TwoMetric(params) => params.iterations *= CARE,
            GpuMethod::Auto => {}
        }
    }

    fn elastic_energy(&mut self, objective: &Objective<'_>, x: &mut [Vec3], memory: &mut [Memory]) -> f64 {
        match &self.ended {
            Some((ended, elastic)) if ended[..] == *x => *elastic,
            _ => objective.elastic_energy(x, memory),
        }
    }
}
