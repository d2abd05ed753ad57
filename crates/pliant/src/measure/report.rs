//! Physical quantities of a simulation.

use crate::energy::batch_energy;
use crate::math::Vec3;
use crate::matter::Place;
use crate::step::simulation::Simulation;

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
}

/// Adds to what a kind has.
fn add_to(sums: &mut Vec<(&'static str, f64)>, kind: &'static str, energy: f64) {
    match sums.iter_mut().find(|(other, _)| *other == kind) {
        Some((_, sum)) => *sum += energy,
        None => sums.push((kind, energy)),
    }
}
