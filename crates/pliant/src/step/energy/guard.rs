//! Takes a substep whose energy is accounted for.

use super::books::{Known, stored};
use super::{Books, EnergyReport, Ledger, REDONE_FROM, SLOWED_FROM};
use crate::integrate::TimeIntegrator;
use crate::math::Vec3;
use crate::mesh::{pseudo_inverse_times, spin_of};
use crate::solve::SolveReport;
use crate::step::error::StepError;
use crate::step::simulation::Simulation;
use crate::step::stages::Reached;
use crate::world::state::Substep;

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
        self.ledger.excess(&self.books, share)
    }
}

impl Simulation {
    /// Solves a substep. If an integrator that damps little has gained energy, or cannot solve it, it is solved again by implicit Euler and with
    /// more care; what that has gained as well is taken out.
    pub(crate) fn solve_guarded(&mut self, part: &Substep) -> Result<Taken, StepError> {
        let elastic = self.elastic_energy_now();
        let integrator = self.settings.integrator;
        let mut taken = self.attempt(part, elastic);
        // Implicit Euler is only watched: it loses again what contacts and iterations that end early give it, and there is no other to take over.
        let is_guarded = integrator != TimeIntegrator::ImplicitEuler;
        if is_guarded && !taken.as_ref().is_ok_and(|taken| taken.excess(REDONE_FROM) <= 0.0) {
            self.settings.integrator = TimeIntegrator::ImplicitEuler;
            self.groups.iter_mut().for_each(|group| group.solver.take_care(true));
            let again = self.attempt(part, elastic);
            self.groups.iter_mut().for_each(|group| group.solver.take_care(false));
            self.settings.integrator = integrator;
            taken = match (taken, again) {
                (first, Ok(mut again)) => {
                    if let Ok(first) = first {
                        again.solve.add(first.solve);
                        again.seconds_predict += first.seconds_predict;
                        again.seconds_solve += first.seconds_solve;
                    }
                    again.energy.redone = 1;
                    Ok(again)
                }
                // What solvers keep is that of the last attempt.
                (Ok(_), Err(_)) => self.attempt(part, elastic),
                (first, Err(_)) => first,
            };
        }
        let mut taken = taken?;
        if is_guarded && taken.excess(SLOWED_FROM) > 0.0 {
            self.calm(&mut taken);
        }
        let Books { kinetic, elastic, released, works, .. } = taken.books;
        let EnergyReport { redone, slowed, .. } = taken.energy;
        let gained = taken.books.gained();
        taken.energy =
            EnergyReport { kinetic: kinetic[1], elastic: elastic[1], released, works, gained, redone, slowed };
        self.ledger = taken.ledger;
        Ok(taken)
    }

    /// Predicts, solves, checks and measures.
    fn attempt(&mut self, part: &Substep, elastic: f64) -> Result<Taken, StepError> {
        let begun = self.clock.now();
        let prediction = self.predict(part).map_err(|error| self.failed(error.into()))?;
        let predicted = self.clock.now();
        let (reached, solve, books) = self.solve(part, prediction, elastic).map_err(|error| self.failed(error))?;
        let solved = self.clock.now();
        self.check(&reached.positions)?;
        let (seconds_predict, seconds_solve) = (predicted - begun, solved - predicted);
        let (ledger, energy) = (self.ledger.after(&books), EnergyReport::default());
        Ok(Taken { reached, solve, energy, seconds_predict, seconds_solve, books, ledger })
    }

    /// Elastic energy of the current state, as far as solvers have one \[J\].
    fn elastic_energy_now(&mut self) -> f64 {
        if let Some(known) = self.ledger.elastic {
            return known;
        }
        let (mut x, mut memory) = (self.state.positions.clone(), self.memory.clone());
        let mut sum = 0.0;
        for group in &mut self.groups {
            let (model, solver) = group.parts(&self.model);
            sum += stored(model, solver, (&self.inputs, Known::Nothing), &mut x, &mut memory, &mut self.scratch);
        }
        sum
    }

    /// Takes what a substep has gained out of velocities, as far as they have it: what is left is out of them later, when it has become motion. Positions stay,
    /// because surfaces are kept apart only on the way to there.
    fn calm(&self, taken: &mut Taken) {
        taken.energy.slowed = 1;
        let wanted = taken.excess(SLOWED_FROM);
        let removed = self.slow_down(&mut taken.reached.velocities, wanted);
        taken.books.kinetic[1] -= removed;
        taken.ledger = self.ledger.after(&taken.books);
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
