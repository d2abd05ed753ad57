//! The order in which Gauss–Seidel visits elements, for solvers elsewhere that want to get the same results.
//!
//! A result depends on the order of visits only where elements share a vertex that moves. So a solver may visit elements at once that share none, whatever
//! the colours are that this one uses, as long as it keeps the order of those that do.

use std::ops::Range;

use super::lanes::Points;
use super::passes::{Pass, Source, passes};
use super::{PositionBasedParams, Prepared};
use crate::world::model::Model;

/// Whose elements are visited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VisitSource {
    /// An energy, by its number in [`Model::energies`].
    Energy(usize),
    /// Constraints, by their number in [`Model::constraints`].
    Constraints(usize),
}

/// Elements of one energy or of one batch of constraints in the order in which an iteration visits them. Those are left out that cannot move anything.
///
/// ```
/// use pliant::prelude::*;
/// use pliant::solve::pbd::{VisitSource, visits};
/// let mesh = Sheet { columns: 8, rows: 8, ..Sheet::default() }.mesh()?;
/// let net = Body::mass_spring(&mesh, 0.2, mesh.edges(), 1e3)?.pin([0]);
/// let sim = Simulation::builder().body(net).solver(PositionBasedParams::default()).build()?;
/// let orders = visits(sim.model());
/// assert_eq!((orders.len(), orders[0].source), (1, VisitSource::Energy(0)));
/// assert_eq!(orders[0].elements.len(), mesh.edges().len());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Visits {
    /// Whose elements they are.
    pub source: VisitSource,
    /// The elements, one visit after the other.
    pub elements: Vec<u32>,
    /// Parts of `elements` that lie together in space, where large bodies are divided into such parts; else one part.
    pub blocks: Vec<Range<usize>>,
    /// Parts of `blocks`. Two blocks of one phase share no vertex that moves, so they can be visited side by side.
    pub phases: Vec<Range<usize>>,
}

/// What an iteration of Gauss–Seidel goes over, one after the other, in the order [`SweepOrder::AsAdded`](super::SweepOrder::AsAdded). Rigid bodies and other
/// matter are not among it, nor are attachments of rigid and of matched bodies, which come after these have moved.
pub fn visits(model: &Model) -> Vec<Visits> {
    let inverse_masses = Prepared::inverse_masses(model);
    let mut points = Points::new(&inverse_masses);
    let (passes, _) = passes(model, false, &mut points);
    let moves = |v: &u32| inverse_masses[*v as usize] > 0.0;
    passes.iter().map(|pass| of_pass(model, pass, moves)).collect()
}

fn of_pass(model: &Model, pass: &Pass, moves: impl Fn(&u32) -> bool) -> Visits {
    let source = match pass.source {
        Source::Energy { batch, .. } => VisitSource::Energy(batch),
        Source::Constraints(batch) => VisitSource::Constraints(batch),
    };
    if let Some(lanes) = &pass.lanes {
        let (elements, blocks, phases) = lanes.visits();
        return Visits { source, elements, blocks, phases };
    }
    let has_weight = |e: usize| match pass.source {
        Source::Energy { batch, .. } => model.energies()[batch].batch.operator().weight(e) > 0.0,
        Source::Constraints(_) => true,
    };
    let counts = |e: &u32| has_weight(*e as usize) && pass.source.stencil(model, *e as usize).iter().any(&moves);
    let elements: Vec<u32> = pass.colouring.order.iter().copied().filter(counts).collect();
    let (all, one) = (0..elements.len(), 0..1);
    Visits { source, elements, blocks: vec![all], phases: vec![one] }
}

impl Visits {
    /// Name of the energy or of the constraints.
    pub fn kind(&self, model: &Model) -> &'static str {
        match self.source {
            VisitSource::Energy(number) => model.energies()[number].batch.kind(),
            VisitSource::Constraints(number) => model.constraints()[number].kind(),
        }
    }
}

impl PositionBasedParams {
    /// How far a visit moves elements of a kind, with `inertia` = 1/τ² \[1/s²\].
    pub fn rule(&self, kind: &str, inertia: f64) -> crate::constraint::Rule {
        use crate::constraint::Rule;
        match &self.stiffness {
            super::Stiffness::Physical => Rule::Compliance { inertia },
            super::Stiffness::Share { stiffness, kinds } => {
                let own = kinds.iter().find(|(name, _)| name == kind).map_or(*stiffness, |(_, own)| *own);
                Rule::share_of(own, self.iterations)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::constraint::LongRangeAttachments;
    use crate::prelude::*;

    #[test]
    fn every_element_is_visited_once_and_blocks_of_a_phase_share_no_vertex_that_moves() {
        let sheet = Sheet { columns: 40, rows: 40, ..Sheet::default() };
        let (mesh, row) = (sheet.mesh().expect("a world"), (0..=40).map(|c| sheet.vertex(c, 40)).collect::<Vec<_>>());
        let threads = LongRangeAttachments::default().build(&mesh, &row).expect("a world");
        let body = Body::mass_spring(&mesh, 0.2, mesh.edges(), 1e3)
            .expect("a world")
            .pin(row.clone())
            .with_constraints(threads);
        let sim = Simulation::builder().body(body).solver(PositionBasedParams::default()).build().expect("a world");
        let orders = visits(sim.model());
        assert_eq!(
            orders.iter().map(|o| o.source).collect::<Vec<_>>(),
            [VisitSource::Energy(0), VisitSource::Constraints(0)]
        );
        // Springs between two pinned vertices move nothing.
        let springs = mesh.edges().iter().filter(|edge| !edge.iter().all(|v| row.contains(v))).count();
        for (order, count) in orders.iter().zip([springs, 40 * 41]) {
            let mut all = order.elements.clone();
            all.sort_unstable();
            all.dedup();
            assert_eq!((all.len(), order.elements.len()), (count, count));
            assert_eq!(order.blocks.last().map(|block| block.end), Some(count));
            assert_eq!(order.phases.last().map(|phase| phase.end), Some(order.blocks.len()));
        }
        let edges = sim.model().energies()[0].batch.operator();
        for phase in &orders[0].phases {
            let mut owner = vec![usize::MAX; mesh.positions.len()];
            for block in phase.clone() {
                let own = orders[0].elements[orders[0].blocks[block].clone()].iter();
                for v in own.flat_map(|&e| edges.stencil(e as usize)).filter(|v| !row.contains(v)) {
                    let other = std::mem::replace(&mut owner[*v as usize], block);
                    assert!(other == usize::MAX || other == block);
                }
            }
        }
    }
}
