//! Explicit integration of the elastic energies, with shape matching for elements that would be unstable [Fierz 2012;
//! Bender 2014, §6].
//!
//! x = s − τ² M⁻¹ ∇E at the positions before the step: symplectic Euler. It is accurate and cheap, and stable as long
//! as h < 2/ω for the highest frequency ω of the world. A few bad elements have the highest frequencies: `bound` finds
//! them, and their forces are ignored. Instead, the vertices that they connect are put back to their rest shape where
//! it fits best (`rigid_parts`). All other elements are integrated as usual. A part that is strained at the start jumps
//! to its rest shape in the first step, and gets the corresponding velocity.

mod bound;
mod rigid_parts;

use crate::clock::Clock;
use crate::contact::{Contacts, RigidShape, RigidShapes, exchange};
use crate::energy::Memory;
use crate::math::{Quat, Vec3};
use crate::world::model::Model;

use super::{Objective, Progress, SolveError, SolveReport, Solver, Start};
use bound::unstable_elements;
use rigid_parts::{connected, part};

pub use bound::stable_time_step;

/// Parameters of explicit integration.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ExplicitParams {
    /// Whether elements that are unstable at the time step use shape matching. Without it, such a world explodes and
    /// the step fails.
    pub stabilise: bool,
    /// An element uses shape matching if the time step is above this share of the longest step that it allows; at most 1.
    pub safety: f64,
}

impl Default for ExplicitParams {
    fn default() -> Self {
        Self { stabilise: true, safety: 0.9 }
    }
}

impl ExplicitParams {
    /// The parameter that is out of range: name, value, what is needed.
    pub(crate) fn problem(&self) -> Option<(&'static str, f64, &'static str)> {
        let holds = self.safety > 0.0 && self.safety <= 1.0;
        (!holds).then_some(("safety of explicit integration", self.safety, "above 0 and at most 1"))
    }
}

/// The explicit solver. It keeps its analysis of elements as long as the model and the time step stay the same.
#[derive(Debug)]
pub struct Explicit {
    params: ExplicitParams,
    prepared: Option<Prepared>,
}

/// What is worked out once for a model and a time step.
#[derive(Debug)]
struct Prepared {
    /// 1/τ² that it is for.
    inertia: f64,
    /// Of each corner of all batches whether its element is left to matching; empty where none is.
    is_left_out: Vec<bool>,
    /// How many elements are.
    elements: usize,
    parts: RigidShapes,
}

impl Explicit {
    /// A solver with these parameters.
    pub fn new(params: ExplicitParams) -> Self {
        Self { params, prepared: None }
    }

    fn prepare(&self, model: &Model, inertia: f64) -> Prepared {
        let mut prepared = Prepared { inertia, is_left_out: Vec::new(), elements: 0, parts: RigidShapes::default() };
        if !self.params.stabilise {
            return prepared;
        }
        let unstable = unstable_elements(model, (self.params.safety * inertia.sqrt()).recip());
        if unstable.is_empty() {
            return prepared;
        }
        prepared.elements = unstable.len();
        prepared.is_left_out = vec![false; model.corner_count()];
        for &(batch, element) in &unstable {
            let corners = model.energies()[batch].batch.operator().corners(element);
            let first = model.batch_corners(batch).start;
            prepared.is_left_out[first + corners.start..first + corners.end].fill(true);
        }
        let stencils =
            unstable.iter().map(|&(batch, element)| model.energies()[batch].batch.operator().stencil(element));
        let vertices = model.rest().len();
        let parts: Vec<RigidShape> = connected(stencils, vertices).into_iter().map(|own| part(model, own)).collect();
        prepared.parts = RigidShapes::new(parts, vertices);
        prepared
    }
}

impl Solver for Explicit {
    fn lowers_energies(&self) -> bool {
        false
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
        let (model, inertia) = (objective.model, objective.inertia);
        let mut report = SolveReport { iterations: 1, converged: true, ..SolveReport::default() };
        let begun = clock.now();
        let mut prepared = match self.prepared.take().filter(|prepared| prepared.inertia == inertia) {
            Some(prepared) => prepared,
            None => self.prepare(model, inertia),
        };
        report.seconds_factor = clock.now() - begun;
        let local = clock.now();
        objective.project(objective.before, memory);
        let mut corners = vec![Vec3::ZERO; model.corner_count()];
        for (batch, (entry, memory)) in model.energies().iter().zip(&*memory).enumerate() {
            let out = &mut corners[model.batch_corners(batch)];
            entry.batch.operator().gradient(objective.before, &memory.projections, objective.scales[batch], out);
        }
        let left_out = corners.iter_mut().zip(&prepared.is_left_out).filter(|(_, is_left_out)| **is_left_out);
        left_out.for_each(|(corner, _)| *corner = Vec3::ZERO);
        for (k, &v) in model.free().iter().enumerate() {
            let v = v as usize;
            let gradient = model.free_corners(k).iter().fold(Vec3::ZERO, |sum, &corner| sum + corners[corner as usize]);
            x[v] = objective.target[v] - gradient / (inertia * model.mass().lumped()[v]);
        }
        report.stabilised = prepared.elements;
        let inverse_masses = || -> Vec<f64> {
            let mass =
                |v: usize| if model.free_index(v as u32).is_some() { model.mass().lumped()[v].recip() } else { 0.0 };
            (0..x.len()).map(mass).collect()
        };
        let inverse_masses = if contacts.is_none() { Vec::new() } else { inverse_masses() };
        contacts.reset_forces();
        if prepared.parts.is_empty() {
            contacts.pull(&inverse_masses, inertia, x);
        }
        // Where a rotation is open, as about a line, it moves nothing.
        prepared.parts.straighten(x, |_, _| Quat::IDENTITY);
        if !contacts.is_none() {
            if prepared.parts.is_empty() {
                contacts.meet(&|vertex| x[vertex]);
                contacts.displace(&mut exchange(x), &|vertex| inertia * model.mass().lumped()[vertex]);
            } else {
                contacts.part_shapes(&mut prepared.parts, &inverse_masses, inertia, x);
            }
            report.contacts = contacts.count();
        }
        self.prepared = Some(prepared);
        report.seconds_local = clock.now() - local;
        Ok(Progress::Done(report))
    }
}
