//! Which solver, and how many substeps, suit a world: a rule by what it contains, from the figures of `pliant-bench convergence`
//! (docs/solvers.md).
//!
//! | world | solver | substeps of at most |
//! |---|---|---|
//! | constraints that are no energies, fluids, rods, matched bodies | position-based | the step |
//! | rigid bodies; example poses; contacts by a constant matrix | projective | the step |
//! | cloth, shells, strands, also beside solids | two metrics | 1/240 s |
//! | solids | two metrics, by the factor alone | 1/120 s |

use super::{PositionBasedParams, Preconditioner, ProjectiveParams, SolverChoice, TwoMetricParams};
use crate::contact::ContactMode;
use crate::energy::Arrays;
use crate::model::Model;

/// Longest substeps of thin bodies and of solids \[s\].
const THIN: f64 = 1.0 / 240.0;
const SOLID: f64 = 1.0 / 120.0;
/// Most substeps that the rule asks for.
const MOST: usize = 8;
/// Most linear iterations of worlds with few vertices, and how many vertices those are: contact on finer meshes takes more.
const LINEAR_OF_FEW: usize = 8;
const FEW: usize = 5000;
/// Most iterations, and the share of the kinetic energy that one may miss of what it promises: cloth and solids take one in nearly all substeps, light
/// and stiff strands, or substeps longer than the rule's, several.
const ITERATIONS: usize = 6;
const MISSED: f64 = 0.01;

/// A choice for a world.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Chosen {
    pub(crate) solver: SolverChoice,
    pub(crate) substeps: usize,
}

/// Chooses for steps of h \[s\]; a number of substeps that somebody has asked for stays.
pub(crate) fn choose(model: &Model, mode: ContactMode, h: f64, substeps: Option<usize>) -> Chosen {
    let given = substeps.unwrap_or(1);
    if model.beyond_energies().is_some() {
        return Chosen { solver: PositionBasedParams::default().into(), substeps: given };
    }
    let has = |which: fn(&Arrays) -> bool| model.energies().iter().any(|entry| which(&entry.batch.arrays()));
    let is_posed = has(|arrays| matches!(arrays, Arrays::Examples { .. } | Arrays::GlobalExamples { .. }));
    let is_rigid = has(|arrays| matches!(arrays, Arrays::Rigid(_)));
    if is_posed || is_rigid || mode == ContactMode::ConstantMatrix || model.energies().is_empty() {
        return Chosen { solver: ProjectiveParams::default().into(), substeps: given };
    }
    let is_solid = |arrays: &Arrays| {
        matches!(
            arrays,
            Arrays::TetStrain(_) | Arrays::TetVolume(_) | Arrays::TetFibres(_) | Arrays::Goals | Arrays::Viscous
        )
    };
    let is_thin = model.energies().iter().any(|entry| !is_solid(&entry.batch.arrays()));
    let (longest, preconditioner) =
        if is_thin { (THIN, Preconditioner::Product) } else { (SOLID, Preconditioner::Factor) };
    // A step of the longest length is one, whatever rounding makes of it.
    let wanted = ((h / longest - 1e-6).ceil() as usize).clamp(1, MOST);
    let substeps = substeps.unwrap_or(wanted);
    let mut params =
        TwoMetricParams { iterations: ITERATIONS, energy_tolerance: MISSED, preconditioner, ..Default::default() };
    if model.free().len() < FEW {
        params.linear_iterations = LINEAR_OF_FEW;
    }
    Chosen { solver: params.into(), substeps }
}
