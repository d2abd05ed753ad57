//! Keeps the energy of bodies that nothing touches, for those who want them to ring on [Dinev 2018].
//!
//! After a step, the state is projected onto those with the energy and the momenta that it should have. For bodies that hang together, these are
//!
//! H = K + E at the start + work of gravity, forces, pressure and wind − what damping takes,  P, L likewise,
//!
//! and the nearest velocities with them, in the norm of masses, are v = w + s (v* − w*): w* is the rigid motion with the momenta of v*, w that with P and L, and s ≥ 0
//! is such that K = H − E(x). So there is nothing to iterate: s is a root. Bodies that something holds have no momenta to keep: there w = w* = 0.
//!
//! Departure: Dinev projects positions as well. Here they stay, because surfaces and colliders are kept apart only on the way to where a step ends. So energy that
//! is missing where a body turns round, and hardly moves, is owed, and given back when it moves again. What a body has no motion for is written off: stiff
//! modes that BDF2 has damped away do not come back as noise.
//!
//! Where a contact, a pin, a goal or a user's hand does work on bodies, or takes energy from them, they are left as the step has brought them, and nothing is owed.

use super::books::Acting;
use crate::contact::{Contact, ContactMode};
use crate::energy::batch_energy;
use crate::integrate::TimeIntegrator;
use crate::math::Vec3;
use crate::mesh::{pseudo_inverse_times, spin_of};
use crate::step::stages::{Solved, Stages};
use crate::world::error::ModelError;
use crate::world::islands::Island;
use crate::world::model::Model;

/// The most that the energy of inner motion may grow by in a substep, as a factor. Where a body turns round it has to grow much: with 4 instead of 100, a bar whose
/// lowest mode takes two substeps lost most of its energy, and with 100 none.
const MOST_GROWTH: f64 = 100.0;

/// The most energy of turning that a momentum may ask for, over that of all motion about the centre which a step has come to.
const MOST_TURNING: f64 = 2.0;

/// The energy of bodies that hang together.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Account {
    /// Elastic energy now \[J\].
    elastic: f64,
    /// What was lost, and is to be given back \[J\].
    owed: f64,
}

impl Account {
    /// What accounts are called in a checkpoint.
    pub(crate) const CHANNEL: &str = "energy of islands";

    /// What is owed to all of them \[J\]. What one of them has too much is not, so that a guard sees it.
    pub(crate) fn owed(accounts: &[Self]) -> f64 {
        accounts.iter().map(|account| account.owed.max(0.0)).sum()
    }

    /// Their numbers, for a checkpoint.
    pub(crate) fn numbers(accounts: &[Self]) -> Vec<f64> {
        accounts.iter().flat_map(|account| [account.elastic, account.owed]).collect()
    }

    /// From a checkpoint.
    pub(crate) fn list(numbers: &[f64]) -> Vec<Self> {
        numbers.as_chunks().0.iter().map(|&[elastic, owed]| Self { elastic, owed }).collect()
    }
}

/// Refuses a world that stores, takes or gives energy unseen.
pub(crate) fn check(
    model: &Model,
    integrator: TimeIntegrator,
    limits_strain: bool,
    contact: ContactMode,
) -> Result<(), ModelError> {
    if integrator != TimeIntegrator::EnergyKeeping {
        return Ok(());
    }
    let (unknown, instead) = if let Some(entry) = model.matter().first() {
        let (body, kind) = (&model.bodies()[entry.body].name, entry.matter.kind());
        (format!("the energy of body {body:?}, which is made of {kind}"), "make it of an elastic material")
    } else if limits_strain {
        ("what strain limiting takes".to_owned(), "remove it")
    } else if !model.mass().off_diagonal().is_empty() {
        ("the momenta of consistent masses".to_owned(), "use lumped masses")
    } else if contact != ContactMode::Constraint {
        (format!("what contacts of the mode {contact:?} take"), "choose constraints")
    } else {
        return Ok(());
    };
    Err(ModelError::UnknownEnergy { unknown, instead })
}

/// An island over a substep.
struct Course {
    /// Free vertices.
    vertices: Vec<usize>,
    /// Whether nothing holds it, so that momenta are kept.
    is_free: bool,
    /// Elastic energy at the end \[J\].
    elastic: f64,
    /// Kinetic and elastic energy that it should have \[J\].
    due: f64,
}

impl Stages<'_> {
    /// Corrects velocities. Returns the accounts of islands.
    pub(crate) fn keep_energy(
        &mut self,
        solved: &mut Solved<'_>,
        contacts: &[Contact],
        acting: &Acting<'_>,
    ) -> Vec<Account> {
        let model = self.model;
        let islands = model.islands();
        let before = if self.accounts.len() == islands.len() { self.accounts.to_vec() } else { self.first_accounts() };
        let energies = self.energies_at(&solved.x, 1.0);
        let is_worked_on = self.worked_on(solved, contacts);
        let mut accounts = Vec::with_capacity(islands.len());
        for ((island, before), is_worked_on) in islands.iter().zip(before).zip(is_worked_on) {
            let elastic = island.energies.iter().map(|&k| energies[k]).sum();
            let mut owed = 0.0;
            if !is_worked_on {
                let due = before.elastic + before.owed - self.damped_away(island, &solved.x);
                let is_pinned = |v: &usize| model.free_index(*v as u32).is_none();
                let (pinned, vertices): (Vec<usize>, _) = island.vertices.clone().partition(is_pinned);
                let holds = |&k: &usize| !model.energies()[k].batch.properties().translation_invariant;
                let is_free = pinned.is_empty() && !island.energies.iter().any(holds);
                let course = Course { vertices, is_free, elastic, due };
                owed = self.project(course, solved, acting);
            }
            accounts.push(Account { elastic, owed });
        }
        accounts
    }

    /// Puts velocities of an island where energy and momenta are as they should be. Returns what is owed \[J\].
    fn project(&self, course: Course, solved: &mut Solved<'_>, acting: &Acting<'_>) -> f64 {
        let Course { vertices, is_free, elastic, mut due } = course;
        let (lumped, h) = (self.model.mass().lumped(), self.part.h);
        let masses: Vec<f64> = vertices.iter().map(|&v| lumped[v]).collect();
        let pick = |list: &[Vec3]| -> Vec<Vec3> { vertices.iter().map(|&v| list[v]).collect() };
        let (start, x, mut before, mut v) =
            (pick(self.start), pick(&solved.x), pick(&self.velocities), pick(&solved.v));
        let force = |v: &usize| {
            let of = |list: &[Vec3]| list.get(*v).copied().unwrap_or(Vec3::ZERO);
            self.inputs.forces[*v] + of(&acting.pressure) + of(&acting.by_air)
        };
        let mut forces: Vec<Vec3> = vertices.iter().map(force).collect();
        forces.iter_mut().zip(&masses).for_each(|(force, m)| *force += acting.gravity * *m);
        // How a free body moves as a whole is left to momenta: its energy is that about its centre, so that a fall that is a little too short or too
        // long does not make it ring.
        let (mut way, mut moving, mut turning) = (Vec3::ZERO, Vec3::ZERO, vec![Vec3::ZERO; x.len()]);
        let mut reached = 0.0;
        if is_free {
            let (mut spin, _, from) = spin_of(&masses, &start, &before);
            let (spin_now, inertia, to) = spin_of(&masses, &x, &v);
            for ((force, start), x) in forces.iter().zip(&start).zip(&x) {
                spin += ((*start + *x - from - to) * 0.5).cross(*force) * h;
            }
            let mass: f64 = masses.iter().sum();
            let drift = taken_out(&masses, &mut before);
            taken_out(&masses, &mut v);
            reached = kinetic(&masses, &v);
            (way, moving) = (to - from, drift + forces.iter().fold(Vec3::ZERO, |sum, f| sum + *f) * (h / mass));
            let [too_much, rate] = [spin_now, spin].map(|spin| pseudo_inverse_times(inertia, spin));
            for (k, x) in x.iter().enumerate() {
                v[k] -= too_much.cross(*x - to);
                turning[k] = rate.cross(*x - to);
            }
        }
        due += kinetic(&masses, &before);
        for (force, (x, start)) in forces.iter().zip(x.iter().zip(&start)) {
            due += force.dot(*x - *start - way);
        }
        let (as_a_whole, within) = (kinetic(&masses, &turning), kinetic(&masses, &v));
        // What has next to no inertia about an axis, as a straight rope, would have to turn too fast to keep its momentum: it is left as it is.
        if as_a_whole > 0.0 && as_a_whole > due - elastic && as_a_whole > MOST_TURNING * reached {
            return 0.0;
        }
        let wanted = (due - elastic - as_a_whole).clamp(0.0, MOST_GROWTH * within);
        let scale = if within > 0.0 { (wanted / within).sqrt() } else { 1.0 };
        for (k, &vertex) in vertices.iter().enumerate() {
            solved.v[vertex] = moving + turning[k] + v[k] * scale;
        }
        (due - elastic - as_a_whole - wanted).min(elastic + wanted)
    }

    /// Accounts at the start of a substep, where nothing is known of those before.
    fn first_accounts(&self) -> Vec<Account> {
        let energies = self.energies_at(self.start, 0.0);
        let elastic = |island: &Island| island.energies.iter().map(|&k| energies[k]).sum();
        self.model.islands().iter().map(|island| Account { elastic: elastic(island), owed: 0.0 }).collect()
    }

    /// Elastic energy of each entry at x, at a moment of the substep \[J\].
    fn energies_at(&self, x: &[Vec3], moment: f64) -> Vec<f64> {
        let mut goals = Vec::new();
        self.inputs.goals_at(self.model, moment, &mut goals);
        let mut energies = vec![0.0; goals.len()];
        for (k, entry) in self.model.energies().iter().enumerate().filter(|(_, entry)| entry.damping.is_none()) {
            let mut memory = self.trial[k].clone();
            entry.batch.project(x, &goals[k], &mut memory);
            energies[k] = batch_energy(entry.batch.as_ref(), x, &memory);
        }
        energies
    }

    /// What damping in proportion to stiffness takes from an island on its way to x \[J\]: its force at the end times the way, twice the energy β/h w/2 ‖A x − R A x₀‖².
    fn damped_away(&self, island: &Island, x: &[Vec3]) -> f64 {
        let mut sum = 0.0;
        for &k in &island.energies {
            let (entry, mut memory) = (&self.model.energies()[k], self.trial[k].clone());
            if let Some(beta) = entry.damping {
                entry.batch.begin_stage(self.start, &mut memory);
                entry.batch.project(x, &[], &mut memory);
                sum += 2.0 * beta / self.part.h * batch_energy(entry.batch.as_ref(), x, &memory);
            }
        }
        sum
    }

    /// Which islands something from outside does work on, or takes energy from.
    fn worked_on(&self, solved: &Solved<'_>, contacts: &[Contact]) -> Vec<bool> {
        let islands = self.model.islands();
        let mut vertices: Vec<u32> = contacts.iter().map(|contact| contact.vertex as u32).collect();
        let has_moved = |&&v: &&u32| solved.x[v as usize] != self.start[v as usize];
        vertices.extend(self.model.pinned().iter().filter(has_moved));
        for contacts in solved.contacts.iter() {
            vertices.extend(contacts.layers.pressed_vertices());
            // What is tied to a point has that vertex twice.
            vertices.extend(contacts.ties.list.iter().flat_map(|tie| tie.ends));
        }
        let goals = self.inputs.goals_now.iter().zip(&self.inputs.substep_goals);
        let moved = goals.enumerate().filter(|(_, (now, next))| now != next).map(|(k, _)| k);
        let mut worked_on = vec![false; islands.len()];
        for energy in moved {
            let own = |island: &Island| island.energies.binary_search(&energy).is_ok();
            islands.iter().zip(&mut worked_on).for_each(|(island, is)| *is |= own(island));
        }
        for v in vertices {
            let after = islands.partition_point(|island| island.vertices.end <= v as usize);
            if let Some(is) = worked_on.get_mut(after).filter(|_| islands[after].vertices.contains(&(v as usize))) {
                *is = true;
            }
        }
        worked_on
    }
}

fn kinetic(masses: &[f64], v: &[Vec3]) -> f64 {
    masses.iter().zip(v).map(|(m, v)| 0.5 * m * v.length_squared()).sum()
}

/// Takes the mean out of velocities, and returns it.
fn taken_out(masses: &[f64], v: &mut [Vec3]) -> Vec3 {
    let momentum = masses.iter().zip(&*v).fold(Vec3::ZERO, |sum, (m, v)| sum + *v * *m);
    let mean = momentum / masses.iter().sum::<f64>();
    v.iter_mut().for_each(|v| *v -= mean);
    mean
}
