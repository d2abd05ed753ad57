//! The state to which a simulation returns when an operation cannot be finished.

use crate::contact::{Contact, Held};
use crate::math::Vec3;
use crate::matter::Channels;
use crate::step::coupling::HeldForces;
use crate::step::energy::{Account, Ledger};
use crate::step::grab::Grabs;
use crate::step::groups::{Plan, Wishes};
use crate::step::self_collision::SelfCollider;
use crate::step::simulation::{Settings, Simulation};
use crate::world::model::Model;
use crate::world::state::{History, Inputs, State};
use crate::world::topology::Change;

/// What can come back, and vectors to be had again.
#[derive(Debug, Default)]
pub(crate) struct Rollback {
    /// Attempts under way, one within the other.
    attempts: usize,
    /// Models that were replaced in their course, in order.
    replaced: Vec<Replaced>,
    spare: Vec<Saved>,
}

/// A simulation before an attempt.
#[derive(Debug, Clone)]
struct Saved {
    state: State,
    history: Option<History>,
    inputs: Inputs,
    settings: Settings,
    wishes: Wishes,
    plan: Plan,
    between: HeldForces,
    grabs: Grabs,
    ledger: Ledger,
    accounts: Vec<Account>,
    /// What energies remember.
    warm: Vec<Vec<f64>>,
    touched: Vec<Contact>,
    held: Vec<Held>,
    /// Models that had been replaced.
    replaced: usize,
}

/// A model in whose place another is.
#[derive(Debug)]
struct Replaced {
    /// None where it is the first of the lineage.
    model: Option<Model>,
    collider: Option<SelfCollider>,
    changes: Vec<Change>,
    goals: Vec<Vec<u32>>,
}

impl Rollback {
    /// Whether an attempt is under way.
    pub(crate) fn is_busy(&self) -> bool {
        self.attempts > 0
    }
}

impl Simulation {
    /// Runs an operation of several steps or changes completely or not at all: after an error everything is as it was
    /// before, bit for bit. Matrices may have to be factored again.
    ///
    /// ```
    /// # use pliant::prelude::*;
    /// # let mesh = Sheet { columns: 4, rows: 4, ..Sheet::default() }.mesh()?;
    /// # let mut sim = Simulation::builder().body(Body::cloth(&mesh, &ClothMaterial::default())?.pin([0])).build()?;
    /// let failed = sim.all_or_nothing(|sim| {
    ///     sim.step()?;
    ///     sim.set_gravity(Vec3::X * 1e300)?;
    ///     sim.step()?;
    ///     Ok::<(), Box<dyn std::error::Error>>(())
    /// });
    /// assert!(failed.is_err());
    /// assert_eq!((sim.time(), sim.gravity()), (0.0, Vec3::Y * -9.81));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn all_or_nothing<T, E>(&mut self, work: impl FnOnce(&mut Self) -> Result<T, E>) -> Result<T, E> {
        let saved = self.save();
        self.rollback.attempts += 1;
        let result = work(self);
        self.rollback.attempts -= 1;
        if result.is_err() {
            self.go_back(&saved);
        }
        if self.rollback.attempts == 0 {
            self.rollback.replaced.clear();
        }
        self.rollback.spare.push(saved);
        result
    }

    fn save(&mut self) -> Saved {
        let around = self.colliders.as_ref();
        let (touched, held) = around.map_or((&[][..], &[][..]), |around| (&around.touched, &around.held));
        let replaced = self.rollback.replaced.len();
        match self.rollback.spare.pop() {
            // As long as before: vectors of a large world are not given back and taken again in each step.
            Some(mut saved) => {
                copy_state(&self.state, &mut saved.state);
                match (&self.history, &mut saved.history) {
                    (Some(history), Some(saved)) => copy_history(history, saved),
                    (history, saved) => saved.clone_from(history),
                }
                copy_inputs(&self.inputs, &mut saved.inputs);
                saved.settings.clone_from(&self.settings);
                copy_changed(&self.wishes, &mut saved.wishes);
                copy_changed(&self.plan, &mut saved.plan);
                copy_changed(&self.between, &mut saved.between);
                copy_changed(&self.grabs, &mut saved.grabs);
                saved.warm.resize(self.memory.len(), Vec::new());
                saved.warm.iter_mut().zip(&self.memory).for_each(|(warm, memory)| warm.clone_from(&memory.warm));
                copy(touched, &mut saved.touched);
                copy(held, &mut saved.held);
                saved.accounts.clone_from(&self.accounts);
                Saved { replaced, ledger: self.ledger, ..saved }
            }
            None => Saved {
                state: self.state.clone(),
                history: self.history.clone(),
                inputs: self.inputs.clone(),
                settings: self.settings.clone(),
                wishes: self.wishes.clone(),
                plan: self.plan.clone(),
                between: self.between.clone(),
                grabs: self.grabs.clone(),
                ledger: self.ledger,
                accounts: self.accounts.clone(),
                warm: self.memory.iter().map(|memory| memory.warm.clone()).collect(),
                touched: touched.to_vec(),
                held: held.to_vec(),
                replaced,
            },
        }
    }

    fn go_back(&mut self, saved: &Saved) {
        if self.plan != saved.plan {
            self.plan.clone_from(&saved.plan);
            self.forget_factors();
        }
        self.wishes.clone_from(&saved.wishes);
        let mut replaced = self.rollback.replaced.drain(saved.replaced..);
        let first = replaced.next();
        drop(replaced);
        if let Some(Replaced { model, collider, changes, goals }) = first {
            if let Some(model) = model.or_else(|| self.lineage.take_first()) {
                self.model = model;
            }
            self.self_collider = collider;
            (self.lineage.changes, self.lineage.goals) = (changes, goals);
            self.memory = self.model.initial_memory();
            self.trial = self.memory.clone();
            self.forget_factors();
        }
        self.state.clone_from(&saved.state);
        self.history.clone_from(&saved.history);
        self.inputs.clone_from(&saved.inputs);
        self.settings.clone_from(&saved.settings);
        for (memory, warm) in self.memory.iter_mut().zip(&saved.warm) {
            memory.warm.clone_from(warm);
        }
        if let Some(around) = &mut self.colliders {
            around.touched.clone_from(&saved.touched);
            around.held.clone_from(&saved.held);
        }
        self.between.clone_from(&saved.between);
        self.grabs.clone_from(&saved.grabs);
        self.ledger = saved.ledger;
        self.accounts.clone_from(&saved.accounts);
        // Bounds change nothing that is found.
        self.forget_clearances();
    }

    /// Puts a model in the place of the current one, with what keeps its surfaces apart; the current one comes back if what is attempted fails.
    /// `goals` are those of the lineage so far; its changes are still those that led to the current model.
    pub(crate) fn replace_model(&mut self, model: Model, collider: Option<SelfCollider>, goals: Vec<Vec<u32>>) {
        let before = std::mem::replace(&mut self.model, model);
        let collider = std::mem::replace(&mut self.self_collider, collider);
        let model = self.lineage.keep_first(before);
        if self.rollback.attempts > 0 {
            let changes = self.lineage.changes.clone();
            self.rollback.replaced.push(Replaced { model, collider, changes, goals });
        }
    }
}

/// What hardly ever changes is compared, which takes no memory.
fn copy_changed<T: Clone + PartialEq>(from: &T, to: &mut T) {
    if from != to {
        to.clone_from(from);
    }
}

fn copy<T: Clone>(from: &[T], to: &mut Vec<T>) {
    to.clear();
    to.extend_from_slice(from);
}

fn copy_lists(from: &[Vec<Vec3>], to: &mut Vec<Vec<Vec3>>) {
    to.resize(from.len(), Vec::new());
    from.iter().zip(to).for_each(|(from, to)| copy(from, to));
}

fn copy_state(from: &State, to: &mut State) {
    let State { time, step, positions, velocities, channels, air } = from;
    (to.time, to.step, to.air) = (*time, *step, *air);
    copy(positions, &mut to.positions);
    copy(velocities, &mut to.velocities);
    Channels::copy_all(channels, &mut to.channels);
}

fn copy_history(from: &History, to: &mut History) {
    let History { h, positions, velocities, others } = from;
    to.h = *h;
    copy(positions, &mut to.positions);
    copy(velocities, &mut to.velocities);
    copy(others, &mut to.others);
}

fn copy_inputs(from: &Inputs, to: &mut Inputs) {
    let Inputs { pins, goals_now, goals_next, forces, substep_pins, substep_goals } = from;
    copy(pins, &mut to.pins);
    copy_lists(goals_now, &mut to.goals_now);
    copy_lists(goals_next, &mut to.goals_next);
    copy(forces, &mut to.forces);
    copy(substep_pins, &mut to.substep_pins);
    copy_lists(substep_goals, &mut to.substep_goals);
}
