//! How a step went, and which element caused a failure.

use crate::energy::Memory;
use crate::math::Vec3;
use crate::solve::SolveReport;
use crate::solve::limit::StrainLimitReport;
use crate::step::energy::EnergyReport;
use crate::step::self_collision::SelfCollisionReport;
use crate::step::simulation::Simulation;

/// How a step went: sums over its substeps, and values at its end.
#[derive(Debug, Clone)]
pub struct StepReport {
    /// Number of the step, from 1.
    pub step: u64,
    /// Time at its end \[s\].
    pub time: f64,
    /// Report of the solver.
    pub solve: SolveReport,
    /// Report of self-collision, if it is on.
    pub self_collision: Option<SelfCollisionReport>,
    /// Report of strain limiting, if it is on.
    pub strain_limiting: Option<StrainLimitReport>,
    /// What became of its energy.
    pub energy: EnergyReport,
    /// Number of vertices that were split after the step by tearing.
    pub torn: usize,
    /// Seconds in prediction and external forces.
    pub seconds_predict: f64,
    /// Seconds in the solver.
    pub seconds_solve: f64,
    /// Seconds in total.
    pub seconds_total: f64,
}

impl StepReport {
    /// Adds a later substep.
    pub(crate) fn add(&mut self, later: Self) {
        (self.step, self.time) = (later.step, later.time);
        self.solve.add(later.solve);
        match (&mut self.self_collision, later.self_collision) {
            (Some(sum), Some(later)) => sum.add(later),
            (sum, later) => *sum = later,
        }
        match (&mut self.strain_limiting, later.strain_limiting) {
            (Some(sum), Some(later)) => sum.add(later),
            (sum, later) => *sum = later,
        }
        self.energy.add(&later.energy);
        self.torn += later.torn;
        self.seconds_predict += later.seconds_predict;
        self.seconds_solve += later.seconds_solve;
        self.seconds_total += later.seconds_total;
    }
}

impl Simulation {
    /// Projections of all energies at the current state, beside the simulation's own memory.
    pub(crate) fn projected(&self) -> Vec<Memory> {
        self.projected_at(&self.state.positions)
    }

    fn projected_at(&self, x: &[Vec3]) -> Vec<Memory> {
        let mut memory = self.memory.clone();
        for ((entry, goals), memory) in self.model.energies().iter().zip(&self.inputs.goals_now).zip(&mut memory) {
            entry.batch.project(x, goals, memory);
        }
        memory
    }
}

/// Names the element of largest energy (or without a finite one) that touches a vertex.
pub(crate) fn offending_element(simulation: &Simulation, vertex: usize, x: &[Vec3]) -> String {
    let mut worst: Option<(f64, String)> = None;
    for (entry, memory) in simulation.model.energies().iter().zip(&simulation.projected_at(x)) {
        let operator = entry.batch.operator();
        for e in (0..operator.len()).filter(|&e| operator.stencil(e).contains(&(vertex as u32))) {
            let energy = operator.element_energy(e, x, &memory.projections);
            let energy = if energy.is_nan() { f64::INFINITY } else { energy };
            if worst.as_ref().is_none_or(|(most, _)| energy > *most) {
                worst = Some((energy, format!("{} {e}", entry.batch.kind())));
            }
        }
    }
    worst.map_or_else(|| "no element".to_owned(), |(_, name)| name)
}
