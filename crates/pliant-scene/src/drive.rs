//! What a scene changes over time: pins, handles, forces, wind.

use std::f64::consts::TAU;

use pliant::math::Vec3;
use pliant::math::functions::sin;
use pliant::{InputError, Simulation, Wind};

use crate::format::GustSection;
use crate::motion::{Motion, Track};
use crate::train::RandomField;

/// Something that a scene moves.
#[derive(Debug, Clone)]
pub(crate) enum Driver {
    /// Pinned vertices with their rest positions.
    Pins { body: String, motion: Motion, places: Vec<(u32, Vec3)> },
    /// Goals of handles from a number on, with their rest positions.
    Handles { first_goal: FirstGoal, motion: Motion, places: Vec<Vec3> },
    /// All forces: vertices that any of them acts on, and the forces.
    Forces { targets: Vec<(String, u32)>, forces: Vec<DrivenForce> },
    /// Random forces on all vertices of the world, by their masses and rest positions.
    Random { field: Box<RandomField>, masses: Vec<f64>, rest: Vec<Vec3> },
    /// Wind that changes.
    Wind { track: Track, gust: Option<GustSection>, standard: Wind },
}

/// The first goal of a handle among all of its kind.
#[derive(Debug, Clone)]
pub(crate) enum FirstGoal {
    /// In a world with the same bodies all the time.
    InWorld(usize),
    /// Within a body, where others before it may come and go.
    InBody { body: String, goal: usize },
}

impl FirstGoal {
    /// Its number at the moment; none if its body is not there.
    fn number(&self, sim: &Simulation) -> Option<usize> {
        let (body, goal) = match self {
            Self::InWorld(goal) => return Some(*goal),
            Self::InBody { body, goal } => (body, goal),
        };
        let number = sim.model().bodies().iter().position(|other| other.name == *body)?;
        let energies = sim.model().energies().iter().filter(|entry| entry.batch.kind() == "position");
        let before = energies.filter(|entry| entry.body.is_some_and(|body| body < number));
        Some(goal + before.map(|entry| entry.batch.initial_goals().len()).sum::<usize>())
    }
}

/// A force that is shared by vertices.
#[derive(Debug, Clone)]
pub(crate) struct DrivenForce {
    /// Places in the list of targets.
    pub(crate) targets: Vec<usize>,
    pub(crate) track: Track,
    /// From when to when it acts \[s\].
    pub(crate) window: [f64; 2],
}

impl Driver {
    /// Sets what holds for the next step: pins and goals where they are at its end, forces and wind as in its middle, so
    /// that a force gives the impulse that its course says.
    pub(crate) fn act(&self, sim: &mut Simulation) -> Result<(), InputError> {
        let end = sim.time() + sim.time_step();
        let middle = sim.time() + 0.5 * sim.time_step();
        match self {
            Self::Pins { body, motion, places } => {
                if sim.body(body).is_err() {
                    return Ok(());
                }
                places.iter().try_for_each(|&(vertex, rest)| sim.move_pin(body, vertex, motion.place(end, rest)))
            }
            Self::Handles { first_goal, motion, places } => {
                let Some(first) = first_goal.number(sim) else { return Ok(()) };
                let mut numbered = places.iter().enumerate();
                numbered.try_for_each(|(k, &rest)| sim.set_goal("position", first + k, motion.place(end, rest)))
            }
            Self::Forces { targets, forces } => {
                let mut sums = vec![Vec3::ZERO; targets.len()];
                for force in forces.iter().filter(|force| (force.window[0]..force.window[1]).contains(&middle)) {
                    let share = force.track.at(middle) / force.targets.len() as f64;
                    force.targets.iter().for_each(|&target| sums[target] += share);
                }
                for ((body, vertex), sum) in targets.iter().zip(sums) {
                    if sim.body(body).is_ok() {
                        sim.set_force(body, *vertex, sum)?;
                    }
                }
                Ok(())
            }
            Self::Random { field, masses, rest } => {
                let force = |(mass, place): (&f64, &Vec3)| *mass * field.at(middle, *place);
                sim.set_forces(&masses.iter().zip(rest).map(force).collect::<Vec<_>>())
            }
            Self::Wind { track, gust, standard } => {
                let factor = gust.as_ref().map_or(1.0, |g| 1.0 + g.strength * sin(TAU * middle / g.period));
                sim.set_wind(Some(Wind { velocity: factor * track.at(middle), ..*standard }))
            }
        }
    }
}
