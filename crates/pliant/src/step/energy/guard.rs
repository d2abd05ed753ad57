//! Takes a substep whose energy is accounted for.

use super::books::{Known, stored};
use super::{Books, EnergyReport, Ledger, REDONE_FROM, SLOWED_FROM, Works};
use crate::integrate::TimeIntegrator;
use crate::math::Vec3;
use crate::mesh::{pseudo_inverse_times, spin_of};
use crate::solve::SolveReport;
use crate::step::error::StepError;
use crate::step::simulation::Simulation;
use crate::step::stages::Reached;
use crate::world::state::{State, Substep};

/// A substep that was solved.
pub(crate) struct Taken {
    pub(crate) reached: Reached,
    pub(crate) solve: SolveReport,
    pub(crate) energy: EnergyReport,
    pub(crate) seconds_predict: f64,
    pub(crate) seconds_solve: f64,
    books: Books,
    ledger: Ledger,
}

impl Taken {
    /// What it has gained beyond a share of all that was turned over \[J\].
    fn excess(&self, share: f64) -> f64 {
        match self.books.is_hidden {
            false => self.ledger.excess(&self.books, share),
            true => self.ledger.kinetic_excess(&self.books, share),
        }
    }

    /// Adds what an attempt before has cost.
    fn follows(&mut self, first: Self) {
        self.solve.add(first.solve);
        self.seconds_predict += first.seconds_predict;
        self.seconds_solve += first.seconds_solve;
    }
}

impl Simulation {
    /// Solves a substep. If an integrator that damps little has gained energy, or cannot solve it, it is solved again by implicit Euler and with
    /// more care; what that has gained as well is taken out.
    pub(crate) fn solve_guarded(&mut self, part: &Substep) -> Result<Taken, StepError> {
        let elastic = self.elastic_energy_now();
        let integrator = self.settings.integrator;
        let keeps_energy = integrator == TimeIntegrator::EnergyKeeping;
        let mut taken = self.attempt(part, elastic, keeps_energy);
        // Implicit Euler is only watched: it loses again what contacts and iterations that end early give it, and there is no other to take over.
        let is_guarded = integrator != TimeIntegrator::ImplicitEuler;
        if is_guarded && !taken.as_ref().is_ok_and(|taken| taken.excess(REDONE_FROM) <= 0.0) {
            let again = self.attempt_carefully(part, elastic, keeps_energy);
            taken = match (taken, again) {
                (first, Ok(mut again)) => {
                    if let Ok(first) = first {
                        again.follows(first);
                    }
                    again.energy.redone = 1;
                    Ok(again)
                }
                // What solvers keep is that of the last attempt.
                (Ok(_), Err(_)) => self.attempt(part, elastic, keeps_energy),
                (first, Err(_)) => first,
            };
        }
        let mut taken = taken?;
        if is_guarded && taken.excess(SLOWED_FROM) > 0.0 {
            taken = self.calm(part, elastic, keeps_energy, taken)?;
        }
        let Books { kinetic, elastic, released, works, .. } = taken.books;
        let EnergyReport { redone, slowed, .. } = taken.energy;
        let gained = taken.books.gained();
        taken.energy =
            EnergyReport { kinetic: kinetic[1], elastic: elastic[1], released, works, gained, redone, slowed };
        self.ledger = taken.ledger;
        self.accounts = std::mem::take(&mut taken.reached.accounts);
        Ok(taken)
    }

    /// Predicts, solves, checks and measures.
    fn attempt(&mut self, part: &Substep, elastic: f64, keeps_energy: bool) -> Result<Taken, StepError> {
        let begun = self.clock.now();
        let prediction = self.predict(part).map_err(|error| self.failed(error.into()))?;
        let predicted = self.clock.now();
        let (reached, solve, books) =
            self.solve(part, prediction, elastic, keeps_energy).map_err(|error| self.failed(error))?;
        let solved = self.clock.now();
        self.check(&reached.positions)?;
        let (seconds_predict, seconds_solve) = (predicted - begun, solved - predicted);
        let (ledger, energy) = (self.ledger.after(&books), EnergyReport::default());
        Ok(Taken { reached, solve, energy, seconds_predict, seconds_solve, books, ledger })
    }

    /// Elastic energy of the current state, as far as solvers lower it \[J\].
    fn elastic_energy_now(&mut self) -> f64 {
        if let Some(known) = self.ledger.elastic {
            return known;
        }
        let (mut x, mut memory) = (self.state.positions.clone(), self.memory.clone());
        let is_first = self.ledger == Ledger::default();
        let mut sum = 0.0;
        for group in &mut self.groups {
            let (model, solver) = group.parts(&self.model);
            let is_lowered = solver.lowers_energies();
            if is_lowered || is_first {
                let inputs = (&self.inputs, Known::Nothing);
                let energy = stored(model, solver, inputs, &mut x, &mut memory, &mut self.scratch);
                // What other solvers make of a stretched beginning is motion that was there.
                *(if is_lowered { &mut sum } else { &mut self.ledger.turned_over }) += energy;
            }
        }
        sum
    }

    /// Solves a substep by implicit Euler and with more iterations.
    fn attempt_carefully(&mut self, part: &Substep, elastic: f64, keeps_energy: bool) -> Result<Taken, StepError> {
        let integrator = std::mem::replace(&mut self.settings.integrator, TimeIntegrator::ImplicitEuler);
        self.groups.iter_mut().for_each(|group| group.solver.take_care(true));
        let taken = self.attempt(part, elastic, keeps_energy);
        self.groups.iter_mut().for_each(|group| group.solver.take_care(false));
        self.settings.integrator = integrator;
        taken
    }

    /// Solves a substep that gains energy whatever solves it once more, from where its bodies move as wholes: what shakes within them is what is torn where it is held back. What
    /// is gained even so is taken out of velocities, as far as they have it; what is left is out of them later, when it has become motion. Positions stay,
    /// because surfaces are kept apart only on the way to there.
    fn calm(&mut self, part: &Substep, elastic: f64, keeps_energy: bool, first: Taken) -> Result<Taken, StepError> {
        let calmed = self.motion_as_wholes();
        let velocities = std::mem::replace(&mut self.state.velocities, calmed);
        let again = self.attempt_carefully(part, elastic, false);
        self.state.velocities = velocities;
        let Ok(mut taken) = again else {
            // What solvers keep is that of the last attempt.
            return Ok(Taken { energy: first.energy, ..self.attempt_carefully(part, elastic, keeps_energy)? });
        };
        // It began with less than there was.
        taken.books.kinetic[0] = first.books.kinetic[0];
        taken.ledger = self.ledger.after(&taken.books);
        taken.energy = first.energy;
        taken.follows(first);
        taken.energy.slowed = 1;
        let excess = taken.excess(SLOWED_FROM);
        if excess > 0.0 {
            let removed = self.slow_down(&mut taken.reached.velocities, excess);
            taken.books.kinetic[1] -= removed;
            taken.ledger = self.ledger.after(&taken.books);
        }
        if taken.excess(SLOWED_FROM) > 0.0 && !taken.books.is_driven && !taken.books.has_matter {
            self.stand_still(&mut taken);
        }
        Ok(taken)
    }

    /// Leaves a world where it was for a substep in which nothing drives it: where it was, surfaces were apart.
    fn stand_still(&self, taken: &mut Taken) {
        let reached = &mut taken.reached;
        reached.positions.copy_from_slice(&self.state.positions);
        for &v in self.model.free() {
            reached.velocities[v as usize] = Vec3::ZERO;
        }
        reached.stand_still();
        let [stretched, _] = taken.books.elastic;
        let kinetic = [taken.books.kinetic[0], 0.0];
        taken.books = Books { kinetic, elastic: [stretched; 2], released: 0.0, works: Works::default(), ..taken.books };
        taken.ledger = self.ledger.after(&taken.books);
    }

    /// Velocities of the rigid motions of bodies; those of bodies that are pinned are 0 \[m/s\].
    fn motion_as_wholes(&self) -> Vec<Vec3> {
        let (model, State { positions, velocities, .. }) = (&self.model, &self.state);
        let masses = model.mass().lumped();
        let mut calmed = vec![Vec3::ZERO; velocities.len()];
        for vertices in model.bodies().iter().map(|body| body.vertices.clone()) {
            if vertices.clone().all(|v| model.free_index(v as u32).is_some()) {
                let [x, v] = [positions, velocities].map(|list| &list[vertices.clone()]);
                calmed[vertices.clone()].copy_from_slice(&rigid_motion(&masses[vertices], x, v));
            }
        }
        calmed
    }

    /// Takes energy out of velocities, first of bodies that have become faster; what bodies do as a whole is kept for last. Returns how much was had \[J\].
    fn slow_down(&self, velocities: &mut [Vec3], wanted: f64) -> f64 {
        let (model, masses) = (&self.model, self.model.mass().lumped());
        let bodies = || model.bodies().iter().map(|body| body.vertices.clone());
        let is_free = |v: usize| model.free_index(v as u32).is_some();
        let kinetic = |of: &[Vec3]| -> Vec<f64> {
            let one = |v: usize| 0.5 * masses[v] * of[v].length_squared();
            bodies().map(|vertices| vertices.filter(|&v| is_free(v)).map(one).sum()).collect()
        };
        let (before, after) = (kinetic(&self.state.velocities), kinetic(velocities));
        let gains: Vec<f64> = before.iter().zip(&after).map(|(before, after)| (after - before).max(0.0)).collect();
        let first = (wanted / gains.iter().sum::<f64>()).min(1.0);
        let mut taken: Vec<f64> = gains.iter().map(|gain| if *gain > 0.0 { gain * first } else { 0.0 }).collect();
        let missing = wanted - taken.iter().sum::<f64>();
        let left: f64 = after.iter().zip(&taken).map(|(after, taken)| after - taken).sum();
        if missing > 0.0 && left > 0.0 {
            let share = (missing / left).min(1.0);
            taken.iter_mut().zip(&after).for_each(|(taken, after)| *taken += (after - *taken) * share);
        }
        for (vertices, taken) in bodies().zip(&taken).filter(|(_, taken)| **taken > 0.0) {
            let all: Vec<usize> = vertices.clone().filter(|&v| is_free(v)).collect();
            let motion = match all.len() == vertices.len() {
                true => {
                    let (masses, x) = (&masses[vertices.clone()], &self.state.positions[vertices.clone()]);
                    rigid_motion(masses, x, &velocities[vertices])
                }
                false => vec![Vec3::ZERO; all.len()],
            };
            let sum = |part: &dyn Fn(usize, usize) -> Vec3| -> f64 {
                all.iter().enumerate().map(|(k, &v)| 0.5 * masses[v] * part(k, v).length_squared()).sum()
            };
            let within = sum(&|k, v| velocities[v] - motion[k]);
            let as_a_whole = sum(&|k, _| motion[k]);
            let scale = |energy: f64, less: f64| if energy > 0.0 { (1.0 - less / energy).max(0.0).sqrt() } else { 0.0 };
            let (inner, outer) = (scale(within, *taken), scale(as_a_whole, (taken - within).max(0.0)));
            for (k, &v) in all.iter().enumerate() {
                velocities[v] = (velocities[v] - motion[k]) * inner + motion[k] * outer;
            }
        }
        taken.iter().sum()
    }
}

/// Velocities of the rigid motion with the momenta of a body.
fn rigid_motion(masses: &[f64], x: &[Vec3], v: &[Vec3]) -> Vec<Vec3> {
    let (momentum, inertia, centre) = spin_of(masses, x, v);
    let turning = pseudo_inverse_times(inertia, momentum);
    let moving = v.iter().zip(masses).fold(Vec3::ZERO, |sum, (v, m)| sum + *v * *m) / masses.iter().sum::<f64>();
    x.iter().map(|x| moving + turning.cross(*x - centre)).collect()
}
