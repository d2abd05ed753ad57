//! Which solver and how many substeps suit a world: a rule based on what it contains, derived from measurements with
//! `pliant-bench convergence` (docs/solvers.md).
//!
//! | world | solver | substeps of at most |
//! |---|---|---|
//! | constraints that are not energies, fluids, rods, matched bodies | position-based | the step |
//! | rigid bodies; example poses; contacts by a constant matrix | projective | the step |
//! | cloth, shells, strands, also together with solids | two metrics | 1/240 s |
//! | solids | two metrics with the factor alone, BDF2 | 1/120 s; 1/360 s if there are colliders |
//! | solids with self-collision | the same with implicit Euler | 1/120 s |
//!
//! Iterations continue until one matches its prediction (`TwoMetricParams::energy_tolerance`): one is enough in nearly
//! all substeps, at least two are made in wind. With TR-BDF2 or implicit midpoint there are always two, since these
//! integrators turn the remaining error of a solve into velocity. For sheets as stiff as plates, of paper or metal,
//! linear systems are solved more accurately.
//!
//! Solids use BDF2: implicit Euler damps their rebounds by a third of the height at 1/240 s. An impact can happen
//! anywhere within a substep, so substeps are even shorter if solids may hit colliders; with three iterations during
//! contact, a dropped cube of jelly is within 2 % of its exact motion. With self-collision, BDF2 does not let stacks
//! come to rest. Cloth does not gain from BDF2: its contacts change in every substep, and the error of BDF2's history
//! is worse than the damping of implicit Euler.

use super::{PositionBasedParams, Preconditioner, ProjectiveParams, SolverChoice, TwoMetricParams};
use crate::contact::ContactMode;
use crate::integrate::TimeIntegrator;
use crate::world::islands::Class;
use crate::world::model::Model;

/// Longest substeps of thin bodies, of solids, and of solids that may hit colliders \[s\].
const THIN: f64 = 1.0 / 240.0;
const SOLID: f64 = 1.0 / 120.0;
const TOUCHING_SOLID: f64 = 1.0 / 360.0;
/// Iterations at least while a solid touches something.
const CONTACT_ITERATIONS_OF_SOLIDS: usize = 3;
/// Most substeps that the rule asks for.
const MOST: usize = 8;
/// Most linear iterations of worlds with few vertices, and how many vertices those are: contact on finer meshes takes more.
const LINEAR_OF_FEW: usize = 8;
const FEW: usize = 5000;
/// Share of the residual at which they end in thin bodies, in substeps no longer than the rule's: what it would take to leave less is not seen beside the
/// error of the time step.
const TOLERANCE_OF_THIN: f64 = 0.15;
/// Most iterations, and the share of the energy that bodies have which one may miss of what it promises: cloth and solids take one in nearly all substeps, light
/// and stiff strands, or substeps longer than the rule's, several.
const ITERATIONS: usize = 6;
const MISSED: f64 = 0.01;
/// Iterations at least in wind, which moves light cloth so far in a substep that one leaves it stretched; all iterations for integrators that carry on as
/// velocity what a solve has left, and theirs in substeps longer than the rule's.
const ITERATIONS_OF_ROUGH_MOTION: usize = 2;
const ITERATIONS_OF_LONG_STEPS: usize = 4;
/// Where energy is kept, what iterations leave is motion for ever: with both metrics and four iterations, three springboards were off by 2 % of their energy as they turned
/// round, and with six by 0.01 %; with the factor alone, by 4 %.
const ITERATIONS_OF_KEPT_ENERGY: usize = 6;
/// Where a sheet is stiff as a plate, neither metric is right for its slow bending: the factor resists it as it resists stretch, the blocks as they resist
/// folds between neighbours. Linear systems left at the usual share then lose a third of the force, and a strip swings a fifth too slowly.
const STIFF: f64 = 10.0;
const LINEAR_OF_PLATES: usize = 16;
const TOLERANCE_OF_PLATES: f64 = 0.005;

/// A choice for a world.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Chosen {
    pub(crate) solver: SolverChoice,
    pub(crate) substeps: usize,
    pub(crate) integrator: TimeIntegrator,
    /// Whether substeps are longer than the rule would have them.
    is_long: bool,
    /// Whether an integrator that looks back suits it.
    looks_back: bool,
}

impl Chosen {
    fn by(solver: impl Into<SolverChoice>, substeps: usize) -> Self {
        let (solver, integrator) = (solver.into(), TimeIntegrator::ImplicitEuler);
        Self { solver, substeps, integrator, is_long: false, looks_back: false }
    }

    /// The same for a world with or without wind; an integrator that somebody has asked for stays.
    pub(crate) fn suited_to(mut self, has_wind: bool, integrator: Option<TimeIntegrator>) -> Self {
        let own = if self.looks_back { TimeIntegrator::Bdf2 } else { TimeIntegrator::ImplicitEuler };
        self.integrator = integrator.unwrap_or(own);
        let SolverChoice::TwoMetric(params) = &mut self.solver else { return self };
        if self.integrator.is_sensitive() {
            params.iterations = if self.is_long { ITERATIONS_OF_LONG_STEPS } else { ITERATIONS_OF_ROUGH_MOTION };
            if self.integrator == TimeIntegrator::EnergyKeeping {
                (params.iterations, params.preconditioner) = (ITERATIONS_OF_KEPT_ENERGY, Preconditioner::Product);
            }
            params.energy_tolerance = 0.0;
        } else if has_wind {
            params.least_iterations = ITERATIONS_OF_ROUGH_MOTION;
        }
        self
    }
}

/// What there is to touch in a world.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Touchable {
    /// Whether there are colliders.
    pub(crate) colliders: bool,
    /// Whether surfaces are kept apart.
    pub(crate) layers: bool,
    /// How contacts with colliders act.
    pub(crate) mode: ContactMode,
}

/// Chooses for steps of h \[s\]; a number of substeps that somebody has asked for stays.
pub(crate) fn choose(model: &Model, touchable: Touchable, h: f64, substeps: Option<usize>) -> Chosen {
    let given = substeps.unwrap_or(1);
    if model.needs_position_based().is_some() {
        return Chosen::by(PositionBasedParams::default(), given);
    }
    // An energy of no elements says nothing about a world.
    let energies = || model.energies().iter().filter(|entry| entry.nature.elements > 0);
    let is_projective = energies().any(|entry| matches!(entry.nature.class, Class::Posed | Class::Rigid));
    if is_projective || touchable.mode == ContactMode::ConstantMatrix || energies().next().is_none() {
        return Chosen::by(ProjectiveParams::default(), given);
    }
    let is_thin = energies().any(|entry| entry.nature.class != Class::Solid);
    let looks_back = !is_thin && !touchable.layers;
    let (longest, preconditioner) = match (is_thin, looks_back && touchable.colliders) {
        (true, _) => (THIN, Preconditioner::Product),
        (false, false) => (SOLID, Preconditioner::Factor),
        (false, true) => (TOUCHING_SOLID, Preconditioner::Factor),
    };
    // A step of the longest length is one, whatever rounding makes of it.
    let wanted = ((h / longest - 1e-6).ceil() as usize).clamp(1, MOST);
    let substeps = substeps.unwrap_or(wanted);
    let mut params =
        TwoMetricParams { iterations: ITERATIONS, energy_tolerance: MISSED, preconditioner, ..Default::default() };
    if looks_back {
        params.contact_iterations = CONTACT_ITERATIONS_OF_SOLIDS;
    }
    // Solids that stand on each other carry loads through many contacts: eight linear iterations let a tower of three cubes sway for ever, at 7 cm/s.
    let is_stack = !is_thin && touchable.layers;
    if model.free().len() < FEW && !is_stack {
        params.linear_iterations = LINEAR_OF_FEW;
    }
    let is_long = substeps < wanted;
    if is_thin && !is_long {
        params.linear_tolerance = TOLERANCE_OF_THIN;
    }
    if is_thin && has_plates(model, h / substeps as f64) {
        (params.linear_iterations, params.linear_tolerance) = (LINEAR_OF_PLATES, TOLERANCE_OF_PLATES);
    }
    Chosen { is_long, looks_back, ..Chosen::by(params, substeps) }
}

/// Whether a body is a sheet whose stretch at a vertex is stiffer than the inertia of the whole body over substeps of τ \[s\], and whose bending at a
/// vertex is stiffer than the inertia of the vertex.
fn has_plates(model: &Model, tau: f64) -> bool {
    let masses = model.mass().lumped();
    let mut stiffness = vec![[0.0; 2]; model.bodies().len()];
    for entry in model.energies() {
        if let (Some(body), Class::Stretch | Class::Bending) = (entry.body, entry.nature.class) {
            stiffness[body][usize::from(entry.nature.class == Class::Bending)] += entry.nature.stiffness;
        }
    }
    model.bodies().iter().zip(stiffness).filter(|(_, [stretch, _])| *stretch > 0.0).any(|(body, [stretch, bending])| {
        let (count, mass) = (body.vertices.len() as f64, masses[body.vertices.clone()].iter().sum::<f64>());
        let inertia = mass / (tau * tau);
        stretch / count > STIFF * inertia && bending > STIFF * inertia
    })
}
