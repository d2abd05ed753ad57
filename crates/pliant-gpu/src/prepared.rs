//! What is on the device for one matrix, and iterations with it.

use std::ops::Range;

use pliant::contact::Contacts;
use pliant::energy::Memory;
use pliant::math::Vec3;
use pliant::solve::{
    Acceleration, Objective, Preconditioner, ProjectiveParams, SetupSeconds, SolveReport, TwoMetricParams,
};
use pliant::sparse::SymmetricMatrix;
use pliant::{Clock, Model};

use crate::anderson::Anderson;
use crate::contact::{Obstacles, Way};
use crate::device::{Device, Dispatch, Program, Storage};
use crate::error::GpuError;
use crate::fronts::{CostModel, DirectSolve};
use crate::layers::Layers;
use crate::local::{LocalStep, MeasuredParts, Measures};
use crate::newton::{Newton, Outcome, Touchable};
use crate::solver::{GpuMethod, GpuParams};

/// Iterations between two looks at forces: a look waits for the device.
const UNSEEN: usize = 10;
/// Most weight of a contact over the inertia of its vertex, in Newton's method.
const MOST_WEIGHT: f64 = 50.0;

/// What is on the device for one matrix.
#[derive(Debug)]
pub(crate) struct Prepared {
    inertia: f64,
    scales: Vec<f64>,
    pub(crate) device: Device,
    pub(crate) local: LocalStep,
    /// What is in the way, of a world that stays on the device.
    pub(crate) obstacles: Option<Obstacles>,
    /// Surfaces that are kept apart there.
    pub(crate) layers: Option<Layers>,
    /// Bytes of the factor.
    pub(crate) factor_bytes: u64,
    method: Method,
}

#[derive(Debug)]
enum Method {
    Projective(Box<Iterations>),
    Newton(Box<Newton>),
}

/// Programs of local/global iterations.
#[derive(Debug)]
struct Iterations {
    /// Stops vertices where they are predicted to be in what is in the way.
    begin: Option<Program>,
    /// Forces and a solve with them.
    iteration: Program,
    /// Ways to move by what was solved for, by iteration; the last one goes on.
    moves: Vec<Program>,
    /// Iterations with Anderson acceleration, where that is asked for. It goes by g, of which what is touched is no part.
    anderson: Option<Anderson>,
    /// Forces and measures of where vertices are.
    look: Program,
    measured: MeasuredParts,
}

/// Positions and what energies remember.
type Places<'a> = (&'a mut [Vec3], &'a mut [Memory]);

impl Prepared {
    pub(crate) fn new(
        params: &GpuParams,
        objective: &Objective<'_>,
        clock: &Clock,
        setup: &mut SetupSeconds,
        way: Option<&Way<'_>>,
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
        let offsets = device.zeros("offsets", model.rest().len())?;
        // Plain iterations move vertices as they solve.
        let is_plain =
            matches!(&params.method, GpuMethod::Projective(params) if params.acceleration == Acceleration::None);
        let moved = is_plain.then_some(&offsets);
        let factor = DirectSolve::moving(&device, &matrix, &positions, &CostModel::default(), params.storage, moved)?;
        setup.factor = lap();
        let obstacles = way.filter(|way| !way.colliders.is_empty());
        let obstacles = obstacles
            .map(|way| Obstacles::new(&device, way, &contact_weights(way, objective, &matrix, &factor)))
            .transpose()?;
        let mut layers = None;
        let (local, method) = match &params.method {
            GpuMethod::TwoMetric(params) => {
                // Forces have a place of their own: the factor is asked for other things as well.
                let forces = device.zeros("forces", factor.order().len())?;
                let (local, gathered) =
                    LocalStep::new(&device, objective, factor.order(), (offsets, &forces), way.is_some())?;
                if let Some(settings) = way.and_then(|way| way.self_collision) {
                    let at = [&local.anchors, &local.offsets];
                    layers = Some(Layers::new(&device, model, &local.places, settings, objective.inertia, at)?);
                }
                let touchable = Touchable { obstacles: obstacles.as_ref(), layers: layers.as_ref() };
                let parts = ((&local, &gathered), (&forces, &factor));
                let newton = Newton::new(&device, objective, parts.0, parts.1, params, touchable)?;
                (local, Method::Newton(Box::new(newton)))
            }
            other => {
                let plain = ProjectiveParams::plain(1);
                let params = if let GpuMethod::Projective(params) = other { params } else { &plain };
                let (local, _) =
                    LocalStep::new(&device, objective, factor.order(), (offsets, factor.right_hand_side()), false)?;
                let iterations = Iterations::new(&device, &local, &factor, params, obstacles.as_ref())?;
                (local, Method::Projective(Box::new(iterations)))
            }
        };
        setup.pack = lap();
        let (inertia, scales, factor_bytes) = (objective.inertia, objective.scales.to_vec(), factor.bytes());
        Ok(Self { inertia, scales, device, local, obstacles, layers, factor_bytes, method })
    }

    pub(crate) fn fits(&self, objective: &Objective<'_>) -> bool {
        self.inertia == objective.inertia && self.scales == objective.scales
    }

    /// Local/global iterations.
    pub(crate) fn projective(
        &self,
        objective: &Objective<'_>,
        params: &ProjectiveParams,
        touched: &mut Touched<'_, '_>,
        (x, memory): Places<'_>,
        report: &mut SolveReport,
    ) -> Result<Option<Measures>, GpuError> {
        let Method::Projective(iterations) = &self.method else { return Ok(None) };
        let (most, tolerance) = (params.iterations, params.tolerance);
        let mut seen = None;
        while report.iterations < most && !report.converged {
            let next = if touched.is_none() { UNSEEN } else { 1 }.min(most - report.iterations);
            let range = report.iterations..report.iterations + next;
            self.device.run(&iterations.programs(range, most, touched.is_none()))?;
            report.iterations += next;
            self.touch(objective, touched, (x, memory))?;
            if report.iterations == most || (touched.is_none() && tolerance > 0.0) {
                self.device.run(&[&iterations.look])?;
                seen = iterations.measured.read(&self.device)?;
                let is_balanced = |seen: &Measures| seen.unbalanced <= tolerance * seen.largest.max(objective.load);
                report.converged = seen.as_ref().is_some_and(is_balanced);
            }
        }
        report.movement = seen.map_or(0.0, |seen| seen.step) / objective.model.diagonal();
        if let (Some(anderson), true) = (&iterations.anderson, touched.is_none() && report.iterations > 0) {
            report.rejected = anderson.rejected(&self.device)?;
        }
        Ok(seen)
    }

    /// Programs of so many local/global iterations, with what begins them; none for Newton's method.
    pub(crate) fn iterations(&self, count: usize) -> Vec<&Program> {
        match &self.method {
            Method::Projective(iterations) => {
                // What is in the way moves vertices after each iteration, and the acceleration would not know of it.
                let is_alone = self.obstacles.is_none();
                iterations.begin.iter().chain(iterations.programs(0..count, count, is_alone)).collect()
            }
            Method::Newton(_) => Vec::new(),
        }
    }

    /// Where Newton's method finds a guess; none for local/global iterations.
    pub(crate) fn guess(&self) -> Option<&Storage<[f32; 4]>> {
        match &self.method {
            Method::Projective(_) => None,
            Method::Newton(newton) => Some(newton.guess()),
        }
    }

    /// Newton's method from where vertices are predicted to be, with a guess; or from where an earlier round has left them, which began its first linear system with
    /// `beside`. None for local/global iterations.
    pub(crate) fn newton_alone(
        &mut self,
        params: &TwoMetricParams,
        load: f64,
        beside: Option<f64>,
    ) -> Result<Option<Outcome>, GpuError> {
        let Method::Newton(newton) = &mut self.method else { return Ok(None) };
        let is_thin = params.preconditioner != Preconditioner::Factor;
        let (begins, beside) = (beside.is_none(), beside.filter(|_| is_thin).unwrap_or(0.0));
        newton.solve(&self.device, &self.local, params, (load, None), beside, begins).map(Some)
    }

    /// Contacts between layers that pressed after the last iteration of Newton's method.
    pub(crate) fn pressing_layers(&self) -> u32 {
        match &self.method {
            Method::Newton(newton) => newton.pressing_layers(),
            Method::Projective(_) => 0,
        }
    }

    /// Iterations of Newton's method; while something is touched, one at a time.
    #[allow(clippy::too_many_arguments, reason = "one call")]
    pub(crate) fn newton(
        &mut self,
        objective: &Objective<'_>,
        params: &TwoMetricParams,
        wanted: f64,
        first_residual: &mut Option<f64>,
        touched: &mut Touched<'_, '_>,
        (x, memory): Places<'_>,
        accelerations: &[Vec3],
        report: &mut SolveReport,
    ) -> Result<Option<Measures>, GpuError> {
        let most = params.iterations.max(params.contact_iterations);
        // Where thin bodies touch something, forces change too much from step to step.
        let is_thin = params.preconditioner != Preconditioner::Factor;
        let is_known = [accelerations.len(), objective.inertial.len()] == [x.len(); 2];
        let mut has_guess = is_known && (touched.is_none() || !is_thin);
        if has_guess {
            self.write_guess(objective, accelerations, x)?;
        }
        // Solids that rest on each other want the forces between them in every round, and ask for few of them.
        let beside = first_residual.filter(|_| is_thin).unwrap_or(0.0);
        let mut seen;
        loop {
            let Method::Newton(newton) = &mut self.method else { return Ok(None) };
            let iterations = if touched.is_none() { params.iterations } else { 1 };
            let params = TwoMetricParams { iterations, ..params.clone() };
            let outcome =
                newton.solve(&self.device, &self.local, &params, (objective.load, Some(wanted)), beside, has_guess)?;
            *first_residual = first_residual.or(outcome.begun_with);
            has_guess = false;
            report.iterations += outcome.iterations;
            report.linear_iterations += outcome.linear_iterations;
            report.rejected += outcome.rejected;
            report.converged = outcome.is_converged;
            report.movement = outcome.movement / objective.model.diagonal();
            seen = outcome.seen;
            if touched.is_none() {
                break;
            }
            let moved = self.touch(objective, touched, (x, memory))?;
            let is_enough = report.iterations >= params.contact_iterations.max(params.least_iterations);
            if report.iterations >= most || (!moved && is_enough) {
                break;
            }
        }
        Ok(seen)
    }

    /// Where vertices would be if they were accelerated as in the last substep.
    fn write_guess(&self, objective: &Objective<'_>, accelerations: &[Vec3], x: &[Vec3]) -> Result<(), GpuError> {
        let Method::Newton(newton) = &self.method else { return Ok(()) };
        let places = &self.local.places;
        let movement = |&v: &u32| {
            let v = v as usize;
            let movement = objective.inertial[v] + accelerations[v] / objective.inertia - x[v];
            [movement.x as f32, movement.y as f32, movement.z as f32, 0.0]
        };
        let guess: Vec<[f32; 4]> = places.vertices[..places.free].iter().map(movement).collect();
        self.device.write(newton.guess(), 0, &guess)
    }

    /// What vertices have hit is found by the engine, and moves them. Whether anything was touched.
    fn touch(
        &self,
        objective: &Objective<'_>,
        touched: &mut Touched<'_, '_>,
        (x, memory): Places<'_>,
    ) -> Result<bool, GpuError> {
        if touched.is_none() {
            return Ok(false);
        }
        self.local.finish(&self.device, objective.before, x, memory)?;
        let reached = x.to_vec();
        touched.push_apart(x);
        let moved = reached[..] != *x;
        if moved {
            self.local.begin(&self.device, objective, x, memory)?;
        }
        Ok(moved)
    }
}

impl Iterations {
    fn new(
        device: &Device,
        local: &LocalStep,
        factor: &DirectSolve,
        params: &ProjectiveParams,
        obstacles: Option<&Obstacles>,
    ) -> Result<Self, GpuError> {
        let push = |begins| obstacles.map(|obstacles| obstacles.push_apart(device, local, begins)).transpose();
        let begin = push(true)?.map(|dispatch| device.program(vec![dispatch])).transpose()?;
        let then = push(false)?;
        let iteration = device.program([&local.dispatches[..], factor.dispatches()].concat())?;
        let moves = match params.acceleration {
            // The solve has moved them.
            Acceleration::None => vec![None],
            _ => local.advances(device, factor.solution(), &shares(params))?.into_iter().map(Some).collect(),
        };
        let both = |advance: Option<Dispatch>| advance.into_iter().chain(then.clone()).collect();
        let moves = moves.into_iter().map(|advance| device.program(both(advance))).collect::<Result<_, _>>()?;
        let (measure, measured) = local.measure(device, factor.solution(), factor.right_hand_side())?;
        let look = device.program([&local.dispatches[..], &[measure]].concat())?;
        let anderson = Anderson::new(device, local, factor, params.acceleration)?;
        Ok(Self { begin, iteration, moves, anderson, look, measured })
    }

    /// Programs of some iterations of so many in all; `is_alone` where nothing is touched.
    fn programs(&self, iterations: Range<usize>, count: usize, is_alone: bool) -> Vec<&Program> {
        if let (Some(anderson), true) = (&self.anderson, is_alone) {
            return iterations.map(|k| anderson.iteration(k, count)).collect();
        }
        let moves = |k: usize| &self.moves[k.min(self.moves.len() - 1)];
        iterations.flat_map(|k| [&self.iteration, moves(k)]).collect()
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

/// Weight of a contact of each free vertex in its place, and its inertia m/τ² \[N/m\].
///
/// The diagonal of the constant matrix is up to 1e4 times the inertia on stiff cloth, and Newton's matrix has next to nothing across it: with contacts as stiff as
/// that, linear iterations would never end. So the engine has it, too.
fn contact_weights(
    way: &Way<'_>,
    objective: &Objective<'_>,
    matrix: &SymmetricMatrix,
    factor: &DirectSolve,
) -> Vec<[f32; 2]> {
    let (model, mass) = (objective.model, objective.model.mass().diagonal());
    let weight = |&unknown: &u32| {
        let inertia = objective.inertia * mass[model.free()[unknown as usize] as usize];
        let entry = matrix.values()[matrix.pattern().diagonal_entry(unknown as usize)];
        [(way.weight * entry.min(MOST_WEIGHT * inertia)) as f32, inertia as f32]
    };
    factor.order().iter().map(weight).collect()
}

/// What is in the way, which the engine looks after.
pub(crate) struct Touched<'a, 'c> {
    contacts: &'a mut Contacts<'c>,
    /// 1/m of all vertices, 0 where they are held.
    inverse_masses: Vec<f64>,
    inertia: f64,
}

impl<'a, 'c> Touched<'a, 'c> {
    pub(crate) fn new(objective: &Objective<'_>, contacts: &'a mut Contacts<'c>) -> Self {
        let inverse_masses = if contacts.is_none() { Vec::new() } else { inverse_masses(objective.model) };
        Self { contacts, inverse_masses, inertia: objective.inertia }
    }

    fn is_none(&self) -> bool {
        self.contacts.is_none()
    }

    pub(crate) fn push_apart(&mut self, x: &mut [Vec3]) {
        if !self.contacts.is_none() {
            self.contacts.push_apart(&self.inverse_masses, self.inertia, x);
        }
    }
}

fn inverse_masses(model: &Model) -> Vec<f64> {
    let mass = model.mass().diagonal();
    (0u32..).zip(mass).map(|(v, mass)| if model.free_index(v).is_some() { 1.0 / mass } else { 0.0 }).collect()
}
