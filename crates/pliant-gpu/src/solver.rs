//! The solver of a world, or of a group of its bodies, on a GPU, through the doors that the engine has for solvers from elsewhere.

use std::collections::VecDeque;

use pliant::contact::{ContactMode, Contacts};
use pliant::energy::Memory;
use pliant::math::Vec3;
use pliant::solve::{
    Acceleration, ForceBalance, Objective, Progress, ProjectiveParams, SetupSeconds, SolveError, SolveReport, Solver,
    SolverChoice, SolverRecipe, Start, TwoMetricParams,
};
use pliant::{Clock, Model, ModelError, TimeIntegrator};

use crate::device::{Device, DeviceChoice, Program};
use crate::error::GpuError;
use crate::fronts::{CostModel, DirectSolve};
use crate::local::{LocalStep, Measures, has_kernel};

/// Factors kept: integrators with a first step of another kind alternate between two.
const KEPT_FACTORS: usize = 2;
/// Iterations between two looks at forces: a look waits for the device.
const UNSEEN: usize = 10;
/// How many times the usual iterations a solver makes that takes care.
const CARE: usize = 5;

/// Which of the engine's methods runs on the GPU.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum GpuMethod {
    /// What [`SolverChoice::Auto`] would choose, with its substeps and integrator.
    #[default]
    Auto,
    /// Local/global iterations, plain or with Chebyshev weights.
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
}

impl GpuParams {
    /// Plain local/global with a fixed number of iterations, as in the papers.
    pub fn plain(iterations: usize) -> Self {
        Self { method: GpuMethod::Projective(ProjectiveParams::plain(iterations)), ..Self::default() }
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
        Some(Self { method, device: self.device.clone() })
    }

    fn iterations(&self) -> ProjectiveParams {
        match &self.method {
            GpuMethod::Projective(params) => params.clone(),
            _ => ProjectiveParams::plain(10),
        }
    }

    fn refuse(&self, problem: impl std::fmt::Display) -> ModelError {
        ModelError::Solver { solver: self.name().to_owned(), problem: problem.to_string() }
    }

    fn check_parameters(&self) -> Result<(), ModelError> {
        let record = match &self.method {
            GpuMethod::Auto => false,
            GpuMethod::Projective(params) => {
                match params.acceleration {
                    Acceleration::None | Acceleration::Chebyshev { .. } => {}
                    other => return Err(self.refuse(format!("it has no {other:?}: choose none or Chebyshev"))),
                }
                if params.precision != pliant::sparse::Precision::Single {
                    return Err(self.refuse("it computes in single precision"));
                }
                params.record
            }
            GpuMethod::TwoMetric(params) => params.record,
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
            // Its world has something without a kernel, which is then refused by name; or nothing to accelerate.
            _ => GpuMethod::Projective(ProjectiveParams::plain(ProjectiveParams::default().iterations)),
        };
        Self { method, device: self.device.clone() }.into()
    }

    fn build(&self) -> Box<dyn Solver> {
        Box::new(GpuSolver { params: self.clone(), usual: None, prepared: VecDeque::new(), ended: None })
    }
}

/// What is on the device for one matrix.
#[derive(Debug)]
struct Prepared {
    inertia: f64,
    scales: Vec<f64>,
    device: Device,
    local: LocalStep,
    /// Forces and a solve with them.
    iteration: Program,
    /// Ways to move by what was solved for, by iteration; the last one goes on.
    moves: Vec<Program>,
    /// Forces and measures of where vertices are.
    look: Program,
}

impl Prepared {
    fn new(
        params: &GpuParams,
        objective: &Objective<'_>,
        clock: &Clock,
        setup: &mut SetupSeconds,
    ) -> Result<Self, GpuError> {
        let device = Device::open(&params.device)?;
        let mut last = clock.now();
        let mut lap = || {
            let now = clock.now();
            now - std::mem::replace(&mut last, now)
        };
        let model = objective.model;
        let matrix = objective.projective_matrix();
        setup.assemble = lap();
        let positions: Vec<Vec3> = model.free().iter().map(|&v| model.rest()[v as usize]).collect();
        let solve = DirectSolve::new(&device, &matrix, &positions, &CostModel::default())?;
        setup.factor = lap();
        let local = LocalStep::new(&device, objective, solve.order(), solve.right_hand_side())?;
        let iteration = device.program([&local.dispatches[..], solve.dispatches()].concat())?;
        let moves = shares(&params.iterations())
            .into_iter()
            .map(|(share, again)| device.program(vec![local.advance(&device, solve.solution(), share, again)?]))
            .collect::<Result<_, _>>()?;
        let measure = local.measure(&device, solve.solution(), solve.right_hand_side())?;
        let look = device.program([&local.dispatches[..], &[measure]].concat())?;
        setup.pack = lap();
        Ok(Self {
            inertia: objective.inertia,
            scales: objective.scales.to_vec(),
            device,
            local,
            iteration,
            moves,
            look,
        })
    }

    fn fits(&self, objective: &Objective<'_>) -> bool {
        self.inertia == objective.inertia && self.scales == objective.scales
    }

    /// Some iterations, from one on, without waiting.
    fn iterate(&self, iterations: std::ops::Range<usize>) -> Result<(), GpuError> {
        let moves = |k: usize| &self.moves[k.min(self.moves.len() - 1)];
        let programs: Vec<&Program> = iterations.flat_map(|k| [&self.iteration, moves(k)]).collect();
        self.device.run(&programs)
    }

    /// Forces and energies where vertices are now.
    fn look(&self) -> Result<Option<Measures>, GpuError> {
        self.device.run(&[&self.look])?;
        self.local.measured(&self.device)
    }
}

/// Shares of the step, and of the movement before it, by iteration: x ← x + ω·relaxation·δ + (ω − 1)(x − x_last) [Wang 2015, eq. 9].
fn shares(params: &ProjectiveParams) -> Vec<(f64, f64)> {
    let Acceleration::Chebyshev { rho, delay, relaxation } = params.acceleration else { return vec![(1.0, 0.0)] };
    let mut omega = 1.0;
    (1..=params.iterations.max(1))
        .map(|k| {
            omega = match k {
                k if k <= delay.max(1) => 1.0,
                k if k == delay.max(1) + 1 => 2.0 / (2.0 - rho * rho),
                _ => 4.0 / (4.0 - rho * rho * omega),
            };
            (omega * relaxation, omega - 1.0)
        })
        .collect()
}

#[derive(Debug)]
struct GpuSolver {
    params: GpuParams,
    /// The iterations that it was given, while it takes more care.
    usual: Option<usize>,
    prepared: VecDeque<Prepared>,
    /// Where the last solve has ended, with its elastic energy \[J\].
    ended: Option<(Vec<Vec3>, f64)>,
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
                let prepared = Prepared::new(&self.params, objective, clock, &mut report.setup)?;
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
        let ProjectiveParams { iterations, tolerance, .. } = self.params.iterations();
        let prepared = &self.prepared[0];
        let inverse_masses = if contacts.is_none() { Vec::new() } else { inverse_masses(objective.model) };
        if !contacts.is_none() {
            contacts.push_apart(&inverse_masses, objective.inertia, x);
        }
        prepared.local.begin(&prepared.device, objective, x, memory)?;
        let mut seen = None;
        while report.iterations < iterations && !report.converged {
            let next = if contacts.is_none() { UNSEEN } else { 1 }.min(iterations - report.iterations);
            prepared.iterate(report.iterations..report.iterations + next)?;
            report.iterations += next;
            if !contacts.is_none() {
                // What vertices have hit is found by the engine, and moves them.
                prepared.local.finish(&prepared.device, x, memory)?;
                contacts.push_apart(&inverse_masses, objective.inertia, x);
                prepared.local.begin(&prepared.device, objective, x, memory)?;
            }
            if report.iterations == iterations || (contacts.is_none() && tolerance > 0.0) {
                seen = prepared.look()?;
                let is_balanced = |seen: &Measures| seen.unbalanced <= tolerance * seen.largest.max(objective.load);
                report.converged = seen.as_ref().is_some_and(is_balanced);
            }
        }
        prepared.local.finish(&prepared.device, x, memory)?;
        self.ended = None;
        match seen {
            Some(Measures { step, unbalanced, largest, elastic, inertial }) => {
                report.movement = step / objective.model.diagonal();
                report.objective = elastic + inertial;
                report.forces = Some(ForceBalance { unbalanced, largest: largest.max(objective.load) });
                if !prepared.local.has_goals() {
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

/// 1/m of all vertices, 0 where they are held.
fn inverse_masses(model: &Model) -> Vec<f64> {
    let mass = model.mass().diagonal();
    (0u32..).zip(mass).map(|(v, mass)| if model.free_index(v).is_some() { 1.0 / mass } else { 0.0 }).collect()
}

impl Solver for GpuSolver {
    fn start(&self) -> Start {
        self.params.iterations().start
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
        let GpuMethod::Projective(ProjectiveParams { iterations, .. }) = &mut self.params.method else { return };
        match is_careful {
            true => *iterations = CARE * *self.usual.get_or_insert(*iterations),
            false => *iterations = self.usual.take().unwrap_or(*iterations),
        }
    }

    fn elastic_energy(&mut self, objective: &Objective<'_>, x: &mut [Vec3], memory: &mut [Memory]) -> f64 {
        match &self.ended {
            Some((ended, elastic)) if ended[..] == *x => *elastic,
            _ => objective.elastic_energy(x, memory),
        }
    }
}
