//! What goes with bodies to the next world: memory, inputs and what is known of their energy.

use super::draft::Turnover;
use crate::energy::{Memory, batch_energy};
use crate::math::Vec3;
use crate::step::simulation::Simulation;
use crate::world::model::Model;
use crate::world::state::Inputs;

impl Simulation {
    /// Whether the solver of a world that has one brings energies down.
    pub(super) fn has_watched_solver(&self) -> bool {
        self.groups.iter().all(|group| group.solver.lowers_energies())
    }

    /// Elastic energy of what was not there before \[J\].
    pub(super) fn elastic_energy_of_new(&self, energies: &[Option<usize>]) -> f64 {
        let stored = |(k, old): (usize, &Option<usize>)| {
            if old.is_some() {
                return 0.0;
            }
            let (batch, mut memory) = (self.model.energies()[k].batch.as_ref(), self.memory[k].clone());
            batch.project(&self.state.positions, &self.inputs.goals_now[k], &mut memory);
            batch_energy(batch, &self.state.positions, &memory)
        };
        energies.iter().enumerate().map(stored).sum()
    }

    /// Energies that stay remember what they did.
    pub(super) fn keep_memory(&mut self, model: &Model, energies: &[Option<usize>]) {
        for memory in [&mut self.memory, &mut self.trial] {
            let mut last = std::mem::take(memory);
            let carried = energies.iter().copied().chain(std::iter::repeat(None)).zip(model.energies());
            memory.extend(carried.map(|(old, entry)| match old {
                Some(old) => std::mem::take(&mut last[old]),
                None => Memory::of(entry.batch.as_ref()),
            }));
        }
    }

    /// Pins, goals and forces of what stays; new pins are where their vertices are.
    pub(super) fn carry_inputs_by(&mut self, turnover: &Turnover, model: &Model, energies: &[Option<usize>]) {
        let positions = &self.state.positions;
        let stay = positions.len() - turnover.come;
        let mut before = std::mem::replace(&mut self.inputs, Inputs::empty());
        let mut inputs = Inputs { forces: std::mem::take(&mut before.forces), ..Inputs::empty() };
        turnover.carry(&mut inputs.forces, std::iter::repeat(Vec3::ZERO));
        inputs.pins.resize(model.pinned().len(), Vec3::ZERO);
        for (target, &v) in inputs.pins.iter_mut().zip(model.pinned()) {
            let last = turnover.last(v as usize, stay).map(|old| old as u32);
            let place = last.and_then(|old| self.model.pinned().binary_search(&old).ok());
            *target = place.map_or(positions[v as usize], |place| before.pins[place]);
        }
        for (k, entry) in model.energies().iter().enumerate() {
            let goals = match energies.get(k).copied().flatten() {
                Some(old) => {
                    [&mut before.goals_now, &mut before.goals_next].map(|goals| std::mem::take(&mut goals[old]))
                }
                None => [entry.batch.initial_goals().to_vec(), entry.batch.initial_goals().to_vec()],
            };
            let [now, next] = goals;
            inputs.goals_now.push(now);
            inputs.goals_next.push(next);
        }
        self.inputs = inputs;
    }
}
