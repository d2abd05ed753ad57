//! What a simulation says of itself.

use crate::energy::{Memory, batch_energy};
use crate::limit::StrainLimitReport;
use crate::math::Vec3;
use crate::matter::Place;
use crate::self_collision::SelfCollisionReport;
use crate::simulation::Simulation;
use crate::solve::SolveReport;

/// How a step went: what its substeps took together, and what is so at its end.
#[derive(Debug, Clone)]
pub struct StepReport {
    /// Number of the step, from 1.
    pub step: u64,
    /// Time at its end \[s\].
    pub time: f64,
    /// What the solver says.
    pub solve: SolveReport,
    /// What keeping surfaces apart took, where they are.
    pub self_collision: Option<SelfCollisionReport>,
    /// What limiting strain took, where it is limited.
    pub strain_limiting: Option<StrainLimitReport>,
    /// Vertices that were doubled after the step, where bodies tear.
    pub torn: usize,
    /// Seconds in prediction and external forces.
    pub seconds_predict: f64,
    /// Seconds in the solver.
    pub seconds_solve: f64,
    /// Seconds in all.
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
        self.torn += later.torn;
        self.seconds_predict += later.seconds_predict;
        self.seconds_solve += later.seconds_solve;
        self.seconds_total += later.seconds_total;
    }
}

/// Physical quantities of the current state.
#[derive(Debug, Clone)]
pub struct Report {
    /// Time \[s\].
    pub time: f64,
    /// Potential energy of each kind of energy \[J\], by name, in the order of the model.
    pub elastic: Vec<(&'static str, f64)>,
    /// ½ vᵀ M v \[J\].
    pub kinetic: f64,
    /// −Σ m g·x \[J\].
    pub gravitational: f64,
    /// Σ m v \[kg·m/s\].
    pub momentum: Vec3,
    /// Σ m x×v about the origin \[kg·m²/s\].
    pub angular_momentum: Vec3,
    /// Centre of mass \[m\].
    pub centre_of_mass: Vec3,
    /// Largest speed of a vertex \[m/s\].
    pub max_speed: f64,
    /// The element with the largest energy.
    pub worst: Option<WorstElement>,
}

/// An element and its energy.
#[derive(Debug, Clone, PartialEq)]
pub struct WorstElement {
    /// Body; none for attachments between bodies.
    pub body: Option<String>,
    /// Kind of energy.
    pub kind: &'static str,
    /// Number of the element within its batch.
    pub element: usize,
    /// Its energy \[J\].
    pub energy: f64,
}

impl Report {
    /// Elastic energies of all kinds \[J\].
    pub fn potential(&self) -> f64 {
        self.elastic.iter().map(|(_, energy)| energy).sum()
    }

    /// Kinetic, elastic and gravitational energy \[J\].
    pub fn total(&self) -> f64 {
        self.kinetic + self.potential() + self.gravitational
    }
}

impl Simulation {
    /// Energies, momenta and extremes of the current state.
    pub fn report(&self) -> Report {
        let (x, v) = (&self.state.positions, &self.state.velocities);
        let (mass, memory) = (self.model.mass(), self.projected());
        let mut elastic: Vec<(&'static str, f64)> = Vec::new();
        let mut worst: Option<WorstElement> = None;
        for (entry, memory) in self.model.energies().iter().zip(&memory).filter(|(e, _)| e.damping.is_none()) {
            let batch = entry.batch.as_ref();
            let energy = batch_energy(batch, x, memory);
            add_to(&mut elastic, batch.kind(), energy);
            for element in 0..batch.operator().len() {
                let energy = batch.operator().element_energy(element, x, &memory.projections);
                if worst.as_ref().is_none_or(|worst| energy > worst.energy) {
                    let body = entry.body.map(|b| self.model.bodies()[b].name.clone());
                    worst = Some(WorstElement { body, kind: batch.kind(), element, energy });
                }
            }
        }
        let (mut turning, mut spin) = (0.0, Vec3::ZERO);
        for entry in self.model.matter() {
            let (at, channels) = (Place::new(&self.model, entry.body), &self.state.channels[entry.body]);
            if let Some(energy) = entry.matter.elastic_energy(&x[at.vertices()], channels) {
                add_to(&mut elastic, entry.matter.kind(), energy);
            }
            let (energy, momentum) = entry.matter.turning(&at, channels);
            (turning, spin) = (turning + energy, spin + momentum);
        }
        let mut momentum_field = vec![Vec3::ZERO; x.len()];
        mass.multiply(v, &mut momentum_field);
        let total: f64 = mass.lumped().iter().sum();
        let weighted = x.iter().zip(mass.lumped()).fold(Vec3::ZERO, |sum, (x, m)| sum + *x * *m);
        Report {
            time: self.state.time,
            elastic,
            kinetic: 0.5 * mass.inner(v, v) + turning,
            gravitational: -self.settings.gravity.dot(weighted),
            momentum: momentum_field.iter().fold(Vec3::ZERO, |sum, p| sum + *p),
            angular_momentum: x.iter().zip(&momentum_field).fold(spin, |sum, (x, p)| sum + x.cross(*p)),
            centre_of_mass: weighted / total,
            max_speed: v.iter().fold(0.0_f64, |m, v| m.max(v.length())),
            worst,
        }
    }

    /// Elastic forces on all vertices at the current state \[N\].
    pub fn elastic_forces(&self) -> Vec<Vec3> {
        let x = &self.state.positions;
        let mut forces = vec![Vec3::ZERO; x.len()];
        for (entry, memory) in self.model.energies().iter().zip(&self.projected()).filter(|(e, _)| e.damping.is_none())
        {
            let operator = entry.batch.operator();
            let mut corners = vec![Vec3::ZERO; operator.corner_vertices().len()];
            operator.gradient(x, &memory.projections, 1.0, &mut corners);
            operator.corner_vertices().iter().zip(&corners).for_each(|(&v, g)| forces[v as usize] -= *g);
        }
        forces
    }

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

/// Adds to what a kind has.
fn add_to(sums: &mut Vec<(&'static str, f64)>, kind: &'static str, energy: f64) {
    match sums.iter_mut().find(|(other, _)| *other == kind) {
        Some((_, sum)) => *sum += energy,
        None => sums.push((kind, energy)),
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
