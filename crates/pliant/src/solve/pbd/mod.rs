//! Position-based dynamics [Bender 2014, Algorithm 1]: vertices move by inertia, then constraints correct their
//! positions one after the other, and velocities are computed from the result.
//!
//! Every energy of the world becomes the constraint ‖A x − p‖ = 0. With [`Stiffness::Physical`] (XPBD, [Macklin 2016])
//! its compliance is 1/w, so that with many iterations the result approaches that of every other solver; with few
//! iterations it is softer. With [`Stiffness::Share`], classic position-based dynamics, a constraint corrects a share
//! of its error, and the resulting stiffness depends on iterations, time step and masses.
//!
//! Bodies with shape matching ([`crate::Matching`]) are pulled to their goals before the first iteration, and limited
//! in each iteration. The regions of matched cloth ([`crate::ClothMatching`]) are processed in each iteration, after
//! the constraints. Oriented particles ([`crate::OrientedParticles`]) are pulled, limited and turned in the same way.
//! The density of fluids is corrected in every iteration, after the constraints
//! ([`crate::matter::fluid`](crate::FluidMaterial)).
//!
//! Constraints of one colour share no vertex and are solved at once (`colouring`), colour after colour, so the result
//! has the same bits on any number of threads. The Jacobi variant solves all constraints at the same positions and
//! takes means: a vertex in n constraints counts as n vertices with an n-th of the mass each, which conserves momentum;
//! a plain mean would not.

mod lanes;
mod late;
mod levels;
mod means;
mod passes;
mod visits;

use std::sync::Arc;

use crate::clock::Clock;
use crate::constraint::Rule;
use crate::contact::Contacts;
use crate::energy::Memory;
use crate::math::Vec3;
use crate::math::lanes::InstructionSet;
use crate::matter::fluid::{Fluid, FluidReadings};
use crate::matter::rigid::RigidSets;
use crate::matter::{Channels, Iteration, Motion, MotionSetting, StageView, StepView, motions};
use crate::parallel::{self, Shared, Team};
use crate::world::error::ModelError;
use crate::world::model::Model;
use crate::world::state::State;
use crate::world::state::Substep;

use super::{Objective, Progress, SolveError, SolveReport, Solver, Start};
use lanes::Points;
use levels::Levels;
use means::Means;
use passes::{Outcome, Pass, Sweep, passes};

pub use levels::StretchLevels;
pub use visits::{VisitSource, Visits, visits};

/// How strongly constraints correct their errors.
#[derive(Debug, Clone, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Stiffness {
    /// XPBD: the physical stiffness of the materials, as in every solver [Macklin 2016].
    #[default]
    Physical,
    /// Classic position-based dynamics: a share k between 0 and 1 for all constraints, and shares for some kinds by
    /// name. An iteration corrects k' = 1 − (1 − k)^(1/n) of the error [Müller 2006]. The stiffness of materials is
    /// ignored.
    Share {
        /// k of all other kinds.
        stiffness: f64,
        /// Kinds with their own k, such as `("hinge", 0.2)`.
        kinds: Vec<(String, f64)>,
    },
}

/// How an iteration processes the constraints.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum SweepKind {
    /// One colour after the other, each from the positions that the last one has changed.
    #[default]
    GaussSeidel,
    /// All at the same positions; each vertex moves by the mean. Converges more slowly, but does not depend on the order.
    Jacobi {
        /// Factor on movements, 1 for none; up to about 1.5 is faster.
        relaxation: f64,
    },
}

/// Which constraints come first in an iteration; errors accumulate in those that come last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum SweepOrder {
    /// In the order in which bodies and their energies were added.
    #[default]
    AsAdded,
    /// In the reverse order.
    Reversed,
    /// Forwards and backwards in turn.
    Alternating,
}

/// Iterations until fluids have their density: stages go on after [`PositionBasedParams::iterations`].
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct DensityTolerance {
    /// Stops when the mean relative excess over the rest density is at most this, before the last push.
    pub excess: f64,
    /// Most iterations of a stage, those that it has anyway included.
    pub iterations: usize,
}

impl Default for DensityTolerance {
    /// A thousandth, with at most 200 iterations.
    fn default() -> Self {
        Self { excess: 1e-3, iterations: 200 }
    }
}

/// Parameters of the position-based solver.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct PositionBasedParams {
    /// Number of iterations in a stage.
    pub iterations: usize,
    /// How strongly constraints correct their errors.
    pub stiffness: Stiffness,
    /// How an iteration processes the constraints.
    pub sweep: SweepKind,
    /// The order of constraints.
    pub order: SweepOrder,
    /// Levels above the mesh that keep bodies from stretching as a whole, solved before each iteration.
    pub levels: Option<StretchLevels>,
    /// Stops when an iteration moves no vertex by more than this fraction of the world's diagonal; with 0, all
    /// iterations are made.
    pub tolerance: f64,
    /// More iterations where the density of fluids needs them; none by default.
    pub density_tolerance: Option<DensityTolerance>,
    /// Whether to record g at each iteration, which costs about as much as an iteration.
    pub record: bool,
}

impl Default for PositionBasedParams {
    /// XPBD, 10 iterations of Gauss–Seidel.
    fn default() -> Self {
        Self {
            iterations: 10,
            stiffness: Stiffness::Physical,
            sweep: SweepKind::GaussSeidel,
            order: SweepOrder::AsAdded,
            levels: None,
            tolerance: 0.0,
            density_tolerance: None,
            record: false,
        }
    }
}

impl PositionBasedParams {
    /// Classic position-based dynamics with one stiffness between 0 and 1 for all constraints.
    pub fn classic(iterations: usize, stiffness: f64) -> Self {
        Self { iterations, stiffness: Stiffness::Share { stiffness, kinds: Vec::new() }, ..Self::default() }
    }

    /// The parameters that are out of range: name, value, what is needed.
    pub(crate) fn problem(&self) -> Option<(&'static str, f64, &'static str)> {
        let fraction = |k: f64| (0.0..=1.0).contains(&k);
        if let Stiffness::Share { stiffness, kinds } = &self.stiffness {
            let all = std::iter::once(stiffness).chain(kinds.iter().map(|(_, k)| k));
            if let Some(k) = all.copied().find(|&k| !fraction(k)) {
                return Some(("stiffness of position-based dynamics", k, "0 to 1"));
            }
        }
        if let Some(levels) = self.levels.filter(|levels| !(levels.most >= 1.0 && levels.most.is_finite())) {
            return Some(("stretch that levels let pass", levels.most, "at least 1"));
        }
        if let Some(density) = self.density_tolerance {
            if !(density.excess > 0.0 && density.excess.is_finite()) {
                return Some(("density tolerance", density.excess, "above 0"));
            }
            if density.iterations < self.iterations {
                let need = "at least the iterations that every stage has";
                return Some(("most iterations for the density", density.iterations as f64, need));
            }
        }
        match self.sweep {
            SweepKind::Jacobi { relaxation } if !(relaxation > 0.0 && relaxation < 2.0) => {
                Some(("Jacobi's relaxation", relaxation, "above 0 and below 2"))
            }
            _ => None,
        }
    }

    /// Refuses a stiffness of its own for a kind that no body has, and a tolerance of densities where there is no fluid.
    pub(crate) fn check_kinds(&self, model: &Model) -> Result<(), ModelError> {
        if let Some(density) = self.density_tolerance.filter(|_| model.matter_of::<Fluid>().next().is_none()) {
            let (name, need) = ("density tolerance", "left out: no body of this solver is a fluid");
            return Err(ModelError::BadParameter { name, value: density.excess, need });
        }
        let Stiffness::Share { kinds, .. } = &self.stiffness else { return Ok(()) };
        let energies = model.energies().iter().map(|entry| entry.batch.kind());
        let mut known: Vec<&str> = energies.chain(model.constraints().iter().map(|batch| batch.kind())).collect();
        known.sort_unstable();
        known.dedup();
        match kinds.iter().find(|(kind, _)| !known.contains(&kind.as_str())) {
            Some((kind, _)) => Err(ModelError::NoSuchKind { kind: kind.clone(), known }),
            None => Ok(()),
        }
    }
}

/// The position-based solver. It keeps its colours as long as the model stays the same.
#[derive(Debug)]
pub struct PositionBased {
    params: PositionBasedParams,
    prepared: Option<Prepared>,
    /// What matter carries at the start of the substep.
    channels: Vec<Channels>,
}

impl PositionBased {
    /// A solver with these parameters.
    pub fn new(params: PositionBasedParams) -> Self {
        Self { params, prepared: None, channels: Vec::new() }
    }
}

/// What is worked out once for a model.
#[derive(Debug)]
struct Prepared {
    passes: Vec<Pass>,
    /// Those that come after the motions.
    late: Vec<Pass>,
    /// Matter that is more than energies and constraints, in the order in which an iteration goes over it.
    motions: Vec<Box<dyn Motion>>,
    /// Rigid bodies, which come last: whatever has moved their vertices, they are in shape again.
    rigid: Option<RigidSets>,
    /// 1/m of each vertex \[1/kg\]; 0 where pinned.
    inverse_masses: Arc<[f64]>,
    /// Of Jacobi's way.
    means: Option<Means>,
    /// Positions for the passes that have kernels.
    points: Points,
    instructions: InstructionSet,
    /// Positions before an iteration that is judged.
    last: Vec<Vec3>,
    levels: Option<Levels>,
}

impl Prepared {
    fn new(model: &Model, params: &PositionBasedParams) -> Self {
        let sweep = params.sweep;
        let inverse_masses = Self::inverse_masses(model);
        let is_jacobi = matches!(sweep, SweepKind::Jacobi { .. });
        let mut points = Points::new(&inverse_masses);
        let (passes, late) = passes(model, is_jacobi, &mut points);
        let means = is_jacobi.then(|| Means::new(&passes, &inverse_masses));
        let (instructions, last) = (InstructionSet::detect(), Vec::new());
        let motions = motions(&MotionSetting { model, inverse_masses: &inverse_masses, iterations: params.iterations });
        let levels = params.levels.map(|levels| Levels::new(model, levels));
        let rigid = RigidSets::new(model);
        Self { passes, late, motions, rigid, inverse_masses, means, points, instructions, last, levels }
    }

    /// Of each vertex \[1/kg\]; 0 for those that do not move.
    fn inverse_masses(model: &Model) -> Arc<[f64]> {
        let mass = model.mass().lumped();
        let movable = |v: usize| model.free_index(v as u32).is_some();
        (0..mass.len()).map(|v| if movable(v) { 1.0 / mass[v] } else { 0.0 }).collect()
    }

    /// Bytes that an iteration goes over, roughly.
    fn bytes(&self) -> usize {
        let levels = self.levels.as_ref().map_or(0, Levels::bytes);
        let motions: usize = self.motions.iter().map(|motion| motion.bytes()).sum();
        levels + motions + self.passes.iter().map(|pass| pass.len() * 200).sum::<usize>()
    }
}

impl Solver for PositionBased {
    fn lowers_energies(&self) -> bool {
        false
    }

    fn begin_step(&mut self, state: &State, _earlier: Option<(&[Vec3], f64)>) {
        Channels::copy_all(&state.channels, &mut self.channels);
    }

    fn finish_step(&mut self, part: &Substep, state: &mut State) {
        if let Some(prepared) = &mut self.prepared {
            let State { step, positions, channels, .. } = state;
            let step = StepView { h: part.h, substeps: part.count, step: *step, positions };
            prepared.motions.iter_mut().for_each(|motion| motion.finish_step(&step, channels));
        }
    }

    fn start(&self) -> Start {
        Start::Predicted
    }

    fn advance(
        &mut self,
        objective: &Objective<'_>,
        x: &mut [Vec3],
        memory: &mut [Memory],
        contacts: &mut Contacts<'_>,
        clock: &Clock,
    ) -> Result<Progress, SolveError> {
        let begun = clock.now();
        let (model, params) = (objective.model, &self.params);
        let mut report = SolveReport::default();
        let prepared = self.prepared.get_or_insert_with(|| Prepared::new(model, params));
        report.seconds_factor = clock.now() - begun;
        // Multipliers are those of movements from the prediction, so every solve begins there, whatever was reached before.
        model.free().iter().for_each(|&v| x[v as usize] = objective.target[v as usize]);
        prepared.passes.iter_mut().chain(&mut prepared.late).for_each(|pass| pass.begin(memory));
        prepared.points.others_moved();
        contacts.reset_forces();
        let h = objective.inertia.sqrt().recip();
        let rule = |pass: &Pass| params.rule(pass.kind(model), objective.inertia);
        let rules: Vec<Rule> = prepared.passes.iter().map(rule).collect();
        let late_rules: Vec<Rule> = prepared.late.iter().map(rule).collect();
        let record = |x: &[Vec3], memory: &mut [Memory], report: &mut SolveReport| {
            if params.record {
                objective.project(x, memory);
                report.objective = objective.value(x, memory);
                report.history.push(report.objective);
            }
        };
        record(x, memory, &mut report);
        let scale = model.diagonal();
        let local = clock.now();
        let bytes = prepared.bytes();
        // Out of it for a while: motions and constraints take turns.
        let (mut motions, mut rigid) = (std::mem::take(&mut prepared.motions), prepared.rigid.take());
        let inverse_masses = Arc::clone(&prepared.inverse_masses);
        let stage = StageView { model, inverse_masses: &inverse_masses, before: objective.before, h };
        motions.iter_mut().for_each(|motion| motion.begin(&stage, contacts, &self.channels, x));
        // What works on the solver's own positions between passes.
        let has_others = !motions.is_empty() || rigid.is_some() || !contacts.is_none() || params.record;
        parallel::with_team_for(bytes, |team| {
            let most = params.density_tolerance.map_or(params.iterations, |density| density.iterations);
            for iteration in 0..most {
                let judged = params.tolerance > 0.0 || iteration + 1 >= params.iterations;
                if judged {
                    prepared.points.store(x);
                    prepared.last.clear();
                    prepared.last.extend_from_slice(x);
                }
                let backwards = match params.order {
                    SweepOrder::AsAdded => false,
                    SweepOrder::Reversed => true,
                    SweepOrder::Alternating => iteration % 2 == 1,
                };
                if let Some(levels) = &mut prepared.levels {
                    prepared.points.store(x);
                    levels.sweep(team, x);
                    prepared.points.others_moved();
                }
                prepared.sweep(team, objective, params.sweep, &rules, backwards, x, memory);
                if has_others {
                    prepared.points.store(x);
                    if rigid.is_none() {
                        contacts.pull(stage.inverse_masses, objective.inertia, x);
                    }
                    let (number, count) = (iteration, params.iterations);
                    let mut at = Iteration { stage: &stage, team, contacts: &*contacts, number, count, backwards };
                    motions.iter_mut().for_each(|motion| motion.iterate(&mut at, x));
                    if let Some(rigid) = &mut rigid {
                        rigid.straighten(x, memory);
                    }
                    prepared.tie(objective, &late_rules, rigid.as_mut(), x, memory);
                    match &mut rigid {
                        Some(rigid) => {
                            rigid.part(contacts, stage.inverse_masses, objective.inertia, x);
                        }
                        None => contacts.part(stage.inverse_masses, objective.inertia, x),
                    }
                    motions.iter_mut().for_each(|motion| motion.meet(&stage, contacts, x));
                    record(x, memory, &mut report);
                    prepared.points.others_moved();
                }
                report.iterations += 1;
                if judged {
                    prepared.points.store(x);
                    report.movement = largest_movement(&prepared.last, x) / scale;
                    let is_dense = |density: DensityTolerance| {
                        let mut errors = motions.iter().filter_map(|motion| motion.density_error());
                        errors.all(|error| error <= density.excess)
                    };
                    let dense = params.density_tolerance.is_none_or(is_dense);
                    report.converged = dense && report.movement <= params.tolerance;
                    if report.converged || (dense && iteration + 1 >= params.iterations) {
                        break;
                    }
                }
            }
        });
        prepared.passes.iter().for_each(|pass| pass.finish(memory));
        report.seconds_local = clock.now() - local;
        report.contacts = contacts.count() + motions.iter().map(|motion| motion.contacts()).sum::<usize>();
        report.fluid = motions.iter().find_map(|motion| motion.fluid_report());
        (prepared.motions, prepared.rigid) = (motions, rigid);
        Ok(Progress::Done(report))
    }

    fn correct_velocities(&mut self, _model: &Model, _before: &[Vec3], x: &[Vec3], v: &mut [Vec3], h: f64) {
        let Some(prepared) = &mut self.prepared else { return };
        let Prepared { motions, inverse_masses, .. } = prepared;
        // Fluids before the bodies that they push.
        motions.iter_mut().rev().for_each(|motion| motion.correct_velocities(inverse_masses, x, v, h));
    }

    fn fluid_readings(&self) -> Vec<FluidReadings> {
        let motions = self.prepared.iter().flat_map(|prepared| &prepared.motions);
        motions.flat_map(|motion| motion.fluid_readings()).collect()
    }
}

impl Prepared {
    #[allow(clippy::too_many_arguments)] // One iteration: what it goes over and what it changes.
    fn sweep(
        &mut self,
        team: &Team<'_>,
        objective: &Objective<'_>,
        kind: SweepKind,
        rules: &[Rule],
        backwards: bool,
        x: &mut [Vec3],
        memory: &mut [Memory],
    ) {
        let movements = Shared(self.means.as_mut().map_or(std::ptr::null_mut(), |means| means.movements.as_mut_ptr()));
        let (inverse_masses, outcome) = match (kind, &self.means) {
            (SweepKind::Jacobi { relaxation }, Some(means)) => {
                (&means.split_masses[..], Outcome::Collect { movements: &movements, relaxation })
            }
            _ => (&self.inverse_masses[..], Outcome::Move),
        };
        let sweep = Sweep { objective, inverse_masses, outcome };
        let (points, instructions) = (&mut self.points, self.instructions);
        let mut visit = |(pass, rule): (&mut Pass, &Rule)| {
            let scale = pass.scale(objective);
            if let Some(lanes) = &mut pass.lanes {
                lanes.run(instructions, team, rule, scale, backwards, x, points);
            } else {
                points.store(x);
                sweep.run(team, pass, rule, backwards, x, memory);
                points.others_moved();
            }
        };
        if backwards {
            self.passes.iter_mut().zip(rules).rev().for_each(&mut visit);
        } else {
            self.passes.iter_mut().zip(rules).for_each(&mut visit);
        }
        if let Some(means) = &self.means {
            means.apply(x);
        }
    }
}

/// The largest distance between points of two lists \[m\]; not a number if one is not.
fn largest_movement(before: &[Vec3], after: &[Vec3]) -> f64 {
    let squared = before.iter().zip(after).fold(0.0_f64, |most, (before, after)| {
        let squared = before.distance_squared(*after);
        // max would drop what is not a number; it must come out.
        if squared > most || squared.is_nan() { squared } else { most }
    });
    squared.sqrt()
}
