//! What changes from step to step.

use crate::math::Vec3;
use crate::matter::Channels;
use crate::matter::matching::Break;
use crate::world::model::Model;

/// Positions, velocities, and the additional channels of matter, at one time.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct State {
    /// Time \[s\].
    pub time: f64,
    /// Steps taken.
    pub step: u64,
    /// Position of each vertex \[m\].
    pub positions: Vec<Vec3>,
    /// Velocity of each vertex \[m/s\].
    pub velocities: Vec<Vec3>,
    /// Additional state of the matter of each body, body by body.
    pub channels: Vec<Channels>,
    /// How far the wind has moved.
    pub air: AirPath,
}

impl State {
    /// Where a body with shape matching has broken, by its number, in chronological order.
    ///
    /// # Panics
    /// If there is no such body.
    pub fn breaks(&self, body: usize) -> Vec<Break> {
        Break::all(&self.channels[body])
    }
}

/// How far the mean wind has moved since the start.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct AirPath {
    /// Displacement by which it has carried its eddies \[m\].
    pub carried: Vec3,
    /// Length of its path \[m\]; eddies change as it grows.
    pub length: f64,
}

impl AirPath {
    /// After h \[s\] of wind with a velocity \[m/s\].
    pub(crate) fn after(self, velocity: Vec3, h: f64) -> Self {
        Self { carried: self.carried + velocity * h, length: self.length + velocity.length() * h }
    }
}

/// One of the equal parts of a step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Substep {
    /// Number of substeps of the step.
    pub count: usize,
    /// Number of substeps that are left, including this one.
    pub left: usize,
    /// Its length \[s\].
    pub h: f64,
    /// Times at its start and its end \[s\]; the last substep ends at exactly the same bits as a whole step would.
    pub span: [f64; 2],
}

/// The state one step earlier, for integrators that look back and for the wind.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct History {
    /// Length of the step from there to the current state \[s\].
    pub(crate) h: f64,
    pub(crate) positions: Vec<Vec3>,
    pub(crate) velocities: Vec<Vec3>,
    /// Accelerations in that step by all but the wind \[m/s²\]; empty where there was none.
    pub(crate) others: Vec<Vec3>,
}

/// What the user sets between steps; it holds until changed. What is set for the end of a step is approached evenly by its substeps.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Inputs {
    /// Where pinned vertices are at the end of the next step, in the order of the model's list of pins \[m\].
    pub(crate) pins: Vec<Vec3>,
    /// Goals of each energy now and at the end of the next step.
    pub(crate) goals_now: Vec<Vec<Vec3>>,
    pub(crate) goals_next: Vec<Vec<Vec3>>,
    /// Force on each vertex \[N\].
    pub(crate) forces: Vec<Vec3>,
    /// Where pinned vertices and goals are at the end of the current substep \[m\]; see [`approach`](Self::approach).
    pub(crate) substep_pins: Vec<Vec3>,
    pub(crate) substep_goals: Vec<Vec<Vec3>>,
}

impl Inputs {
    /// Pins at rest, goals as the energies have them, no forces.
    pub(crate) fn at_rest(model: &Model) -> Self {
        Self { forces: vec![Vec3::ZERO; model.rest().len()], ..Self::without_forces(model) }
    }

    /// Nothing yet.
    pub(crate) fn empty() -> Self {
        let (pins, forces, substep_pins) = (Vec::new(), Vec::new(), Vec::new());
        let [goals_now, goals_next, substep_goals] = [const { Vec::new() }; 3];
        Self { pins, goals_now, goals_next, forces, substep_pins, substep_goals }
    }

    /// The same with an empty list of forces.
    pub(crate) fn without_forces(model: &Model) -> Self {
        let goals: Vec<Vec<Vec3>> = model.energies().iter().map(|e| e.batch.initial_goals().to_vec()).collect();
        Self {
            pins: model.pinned().iter().map(|&v| model.rest()[v as usize]).collect(),
            goals_now: goals.clone(),
            goals_next: goals,
            forces: Vec::new(),
            substep_pins: Vec::new(),
            substep_goals: Vec::new(),
        }
    }

    /// Sets out for the next of the substeps that are left of a step, from where the vertices are: pins and goals go an equal part of the
    /// way that is left. So they move evenly, a pin that was held back catches up evenly, and the last substep ends at what was set.
    pub(crate) fn approach(&mut self, model: &Model, positions: &[Vec3], left: usize) {
        let share = 1.0 / left as f64;
        // A vertex that is there stays there, to the last bit.
        let part = |from: Vec3, to: Vec3| if left == 1 { to } else { from + (to - from) * share };
        let pins = model.pinned().iter().zip(&self.pins);
        self.substep_pins.clear();
        self.substep_pins.extend(pins.map(|(&v, target)| part(positions[v as usize], *target)));
        self.substep_goals.resize(self.goals_now.len(), Vec::new());
        for ((goals, now), next) in self.substep_goals.iter_mut().zip(&self.goals_now).zip(&self.goals_next) {
            goals.clear();
            goals.extend(now.iter().zip(next).map(|(from, to)| part(*from, *to)));
        }
    }

    /// Goals of the energies of a world, or of a group of it, at a fraction of the current substep.
    pub(crate) fn goals_at(&self, model: &Model, moment: f64, goals: &mut Vec<Vec<Vec3>>) {
        goals.resize(model.energies().len(), Vec::new());
        for (energy, goals) in goals.iter_mut().enumerate() {
            let number = model.energy_number(energy);
            goals.clear();
            // Damping, which comes last, has none, and a torn world keeps no place for them.
            if let (Some(now), Some(next)) = (self.goals_now.get(number), self.substep_goals.get(number)) {
                goals.extend(now.iter().zip(next).map(|(a, b)| if moment == 1.0 { *b } else { a.lerp(*b, moment) }));
            }
        }
    }
}
