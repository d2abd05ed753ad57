//! Groups that meet: contacts and attachments between bodies of different solvers.
//!
//! What one group does to another is a force on both, opposite to the last bit, so that momentum is kept however well rounds converge. Each contact and
//! attachment between two groups is solved for by one of them, its owner, with its matrix; the other side stands, and gives way as the law of the contact
//! says. Then the other groups are solved under the forces that were found, which move their inertial targets, and the next round begins from there. In the
//! end owners are solved once more, under the same forces.
//!
//! ```text
//! solve those that own nothing → [ owners, the others give way → the others, under the forces found ] → owners, under the forces found
//!                                └──────────────────────────── rounds ────────────────────────────┘
//! ```
//!
//! How the other side gives way is learnt from its answer: the movement of its loaded vertices over that of free particles under the same change of forces, α,
//! body by body. It begins at 1, which is never too stiff: light cloth under heavy water does not diverge. Too soft makes rounds slow, and Anderson's
//! acceleration makes them fast. Cloth is stiff along itself and soft across, and fluid gives way in all directions alike, so cloth owns what is between
//! them. Forces and α last from substep to substep.
//!
//! Pairs of groups of which none can own (position-based ones, hair, explicit integration) have forces that are relaxed between solves, from how both give way.

mod saved;
mod wet;

use crate::clock::Clock;
use crate::contact::{Contacts, Layers, PairForce, Tie, Ties, exchange};
use crate::energy::{Arrays, Memory};
use crate::integrate::Stage;
use crate::math::Vec3;
use crate::solve::projective::anderson::Anderson;
use crate::solve::{SolveError, SolveReport, Solver};
use crate::step::problem::Problem;
use crate::step::self_collision::Rounds;
use crate::world::model::Model;
pub(crate) use wet::Wetting;

/// Most rounds of a solve.
const ROUNDS: usize = 6;
/// Rounds that the next one is found from.
const WINDOW: usize = 5;
/// Sweeps over what is between groups without an owner, in a round.
const SWEEPS: usize = 8;
/// Rounds end when a change of forces would move no vertex by more than this share of the world's diagonal.
const SETTLED: f64 = 1e-5;
/// What a body is learnt to give way by is taken larger: too stiff would diverge, too soft only takes longer.
const CAUTION: f64 = 1.5;
/// The least of it: a body that hardly moves at all may be about to.
const STIFFEST: f64 = 1e-4;
/// The least share of what was learnt before that one answer may leave of it: one alone may be chance.
const LEAST_CHANGE: f64 = 0.25;
/// The longest step of acceleration over the plain one: where solves end early, what they leave looks like a way to go.
const LONGEST: f64 = 10.0;
/// A change of forces so many times the smallest one has left what acceleration has learnt.
const LOST: f64 = 2.0;

/// Forces between groups, as they last from substep to substep.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct HeldForces {
    /// Of contacts, ordered by pair.
    pub(crate) contacts: Vec<PairForce>,
    /// On the first end of each attachment \[N\].
    pub(crate) ties: Vec<Vec3>,
    /// α of each body.
    pub(crate) yielding: Vec<f64>,
}

/// A group in a stage.
#[derive(Debug)]
pub(crate) struct Side<'a, 'c> {
    pub(crate) model: &'a Model,
    pub(crate) solver: &'a mut dyn Solver,
    pub(crate) contacts: &'a mut Contacts<'c>,
    pub(crate) problem: Problem<'a>,
    pub(crate) memory: Vec<Memory>,
    /// Which groups own what is between them and others: the larger number of two, if it is not 0.
    pub(crate) rank: u64,
}

/// All groups in a stage.
pub(crate) struct Coupled<'a, 'c> {
    world: &'a Model,
    stage: &'a Stage,
    clock: &'a Clock,
    pub(crate) sides: Vec<Side<'a, 'c>>,
    /// Group and body of each vertex.
    group_of: Vec<u32>,
    body_of: Vec<u32>,
    /// How vertices would give way as free particles, by τ²/m \[m/N\]; 0 where pinned.
    as_particles: Vec<f64>,
    /// α of each body.
    yielding: Vec<f64>,
    /// Forces of contacts that have lasted, until there are contacts.
    lasted: Vec<PairForce>,
    /// Contacts between groups by their owners, those of surfaces and those of fluid with surfaces; at the end those without an owner.
    met: Vec<Layers>,
    wet: Vec<Layers>,
    /// Attachments between groups, in the same way.
    ties: Vec<Ties>,
    /// Inertial targets without forces of other groups \[m\].
    targets: Vec<Vec3>,
    /// The forces under which each group was last solved, and where it came to.
    answers: Vec<Option<[Vec<Vec3>; 2]>>,
}

/// Whether a group solves for what it owns, or takes its forces as they are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Owned {
    Solved,
    Given,
}

impl<'a, 'c> Coupled<'a, 'c> {
    /// `groups` are those of bodies, `held` the forces that have lasted.
    pub(crate) fn new(
        world: &'a Model,
        groups: &[usize],
        stage: &'a Stage,
        sides: Vec<Side<'a, 'c>>,
        held: &HeldForces,
        clock: &'a Clock,
    ) -> Self {
        let count = world.rest().len();
        let (mut group_of, mut body_of) = (vec![0; count], vec![0; count]);
        for (body, info) in world.bodies().iter().enumerate() {
            group_of[info.vertices.clone()].fill(groups[body] as u32);
            body_of[info.vertices.clone()].fill(body as u32);
        }
        let mut yielding = held.yielding.clone();
        yielding.resize(world.bodies().len(), 1.0);
        let (masses, squared) = (world.contact_masses(), stage.tau * stage.tau);
        let particle = |v: usize| if world.free_index(v as u32).is_some() { squared / masses[v] } else { 0.0 };
        let targets = sides[0].problem.objective().target.to_vec();
        let none = || vec![Layers::default(); sides.len() + 1];
        let mut coupled = Self {
            world,
            stage,
            clock,
            as_particles: (0..count).map(particle).collect(),
            group_of,
            body_of,
            yielding,
            lasted: held.contacts.clone(),
            met: none(),
            wet: none(),
            ties: Vec::new(),
            targets,
            answers: vec![None; sides.len()],
            sides,
        };
        coupled.ties = coupled.ties(&held.ties);
        coupled
    }

    /// The owner of what is between two vertices, or the number of groups where there is none.
    fn owner(&self, vertices: [u32; 2]) -> usize {
        let [a, b] = vertices.map(|v| self.group_of[v as usize] as usize);
        let [first, second] = [a, b].map(|side| self.sides[side].rank);
        match (first.max(second), first >= second) {
            (0, _) => self.sides.len(),
            (_, true) => a,
            (_, false) => b,
        }
    }

    /// Attachments between groups, with the forces that have lasted.
    fn ties(&self, forces: &[Vec3]) -> Vec<Ties> {
        let attachments = self.world.energies().iter().filter(|entry| entry.body.is_none());
        let damping = attachments.clone().find_map(|entry| entry.damping).unwrap_or(0.0) / self.stage.elapsed;
        let mut ties = vec![Ties::default(); self.sides.len() + 1];
        let mut number = 0;
        for entry in attachments {
            let (Arrays::EdgeSpring(lengths), operator) = (entry.batch.arrays(), entry.batch.operator()) else {
                continue;
            };
            for (element, &ends) in operator.corner_vertices().as_chunks::<2>().0.iter().enumerate() {
                let [a, b] = ends.map(|v| v as usize);
                if self.group_of[a] == self.group_of[b] {
                    continue;
                }
                let length = lengths[element][0];
                let before = self.stage.origin[a] - self.stage.origin[b];
                let stretched = before - before.normalize_or(Vec3::X) * length;
                ties[self.owner(ends)].list.push(Tie {
                    number,
                    ends,
                    point: None,
                    stiffness: operator.weight(element) * (1.0 + damping),
                    length,
                    slack: stretched * (damping / (1.0 + damping)),
                    force: forces.get(number).copied().unwrap_or_default(),
                    other: None,
                });
                number += 1;
            }
        }
        ties
    }

    /// Takes contacts of fluid with surfaces of other groups.
    pub(crate) fn set_wet(&mut self, contacts: impl FnOnce(&[PairForce]) -> Layers) {
        let layers = contacts(&self.lasted);
        self.wet = layers.split(self.sides.len() + 1, |sides| self.owner(sides));
    }

    /// How a vertex gives way \[m/N\].
    fn gives(&self, vertex: u32) -> f64 {
        self.as_particles[vertex as usize] * self.yielding[self.body_of[vertex as usize] as usize]
    }

    fn owns(&self, side: usize) -> bool {
        !(self.met[side].is_empty() && self.wet[side].is_empty() && self.ties[side].is_empty())
    }

    /// Forces on all vertices, but for those that a group solves for \[N\].
    fn loads(&self, solved_for: Option<usize>) -> Vec<Vec3> {
        let mut loads = vec![Vec3::ZERO; self.group_of.len()];
        for owner in (0..=self.sides.len()).filter(|&owner| Some(owner) != solved_for) {
            self.met[owner].add_forces(&mut loads);
            self.wet[owner].add_forces(&mut loads);
            self.ties[owner].add_forces(&mut loads);
        }
        loads
    }

    /// Solves one group under the forces of the others.
    fn solve_side(&mut self, number: usize, owned: Owned, x: &mut [Vec3]) -> Result<SolveReport, SolveError> {
        let gives: Vec<f64> = (0..x.len() as u32).map(|v| self.gives(v)).collect();
        let loads = self.loads((owned == Owned::Solved).then_some(number));
        let is_own = |v: u32| self.group_of[v as usize] as usize == number;
        let side = &mut self.sides[number];
        let (squared, masses) = (self.stage.tau * self.stage.tau, self.world.mass().lumped());
        let shift = |&v: &u32| (v, loads[v as usize] * (squared / masses[v as usize]));
        side.problem.shift_target(&self.targets, side.model.free().iter().map(shift));
        let (within, held) = (side.contacts.layers.clone(), side.contacts.ties.list.len());
        if owned == Owned::Solved {
            for list in [&self.met[number], &self.wet[number]] {
                let mut lent = list.clone();
                lent.lean(is_own, |v| gives[v as usize]);
                side.contacts.layers.append(lent);
            }
            side.contacts.ties.list.extend(self.ties[number].list.iter().map(|tie| {
                let own = usize::from(!is_own(tie.ends[0]));
                Tie { other: Some((own, gives[tie.ends[1 - own] as usize])), ..*tie }
            }));
        }
        let Side { solver, contacts, problem, memory, .. } = side;
        let report = solver.finish(&problem.objective(), x, memory, contacts, self.clock)?;
        // Forces are taken from what was solved; weights are not, which a solver may have changed for its own good.
        let mut solved = std::mem::replace(&mut contacts.layers, within);
        let mut others = solved.split_off(contacts.layers.len());
        contacts.layers.take_forces(&solved);
        if owned == Owned::Solved {
            let wet = others.split_off(self.met[number].len());
            self.met[number].take_forces(&others);
            self.wet[number].take_forces(&wet);
            self.ties[number].list = contacts.ties.list.split_off(held);
            self.ties[number].settle(x);
        }
        self.learn(number, &loads, x);
        self.answers[number] = Some([loads, x.to_vec()]);
        Ok(report)
    }

    /// Learns how the bodies of a group give way, from how their vertices have moved since forces changed.
    fn learn(&mut self, number: usize, loads: &[Vec3], x: &[Vec3]) {
        // What a group solves for moves it too.
        let Some([last_loads, last_x]) = self.answers[number].as_ref().filter(|_| !self.owns(number)) else { return };
        let mut sums = vec![(0.0, 0.0); self.world.bodies().len()];
        for v in self.sides[number].model.free().iter().map(|&v| v as usize) {
            let change = loads[v] - last_loads[v];
            if change != Vec3::ZERO {
                let (answer, free) = &mut sums[self.body_of[v] as usize];
                *answer += change.dot(x[v] - last_x[v]);
                *free += change.length_squared() * self.as_particles[v];
            }
        }
        for (share, (answer, free)) in self.yielding.iter_mut().zip(sums) {
            let found = CAUTION * answer / free;
            if found.is_finite() {
                // Who goes against a force has not been moved by it.
                *share = if found > 0.0 { found.clamp((*share * LEAST_CHANGE).max(STIFFEST), 1.0) } else { 1.0 };
            }
        }
    }

    /// All forces between groups, one after the other \[N\].
    fn vectors(&self) -> Vec<Vec3> {
        let contacts = self.met.iter().chain(&self.wet).flat_map(Layers::vectors);
        contacts.chain(self.ties.iter().flat_map(|ties| ties.list.iter().map(|tie| tie.force))).collect()
    }

    /// Takes such forces, as far as contacts can have them.
    fn take_vectors(&mut self, forces: &[Vec3]) {
        let mut forces = forces.iter().copied();
        self.met.iter_mut().chain(&mut self.wet).for_each(|list| list.take_vectors(&mut forces));
        for tie in self.ties.iter_mut().flat_map(|ties| &mut ties.list) {
            tie.force = forces.next().unwrap_or(tie.force);
        }
    }

    /// Goes on from the forces that a round has found, given those that it began with and the smallest change so far; returns the change \[N\].
    fn accelerate(&mut self, accelerator: &mut Anderson, smallest: f64, before: &[Vec3]) -> f64 {
        let norm = |vectors: &[Vec3]| vectors.iter().map(|v| v.length_squared()).sum::<f64>().sqrt();
        let found = self.vectors();
        let change: Vec<Vec3> = found.iter().zip(before).map(|(found, before)| *found - *before).collect();
        let length = norm(&change);
        if length > LOST * smallest {
            accelerator.clear();
            self.yielding.fill(1.0);
        }
        let next = accelerator.next(&change, &found);
        let step: Vec<Vec3> = next.iter().zip(before).map(|(next, before)| *next - *before).collect();
        if norm(&step) <= LONGEST * length {
            self.take_vectors(next);
        } else {
            accelerator.clear();
        }
        length
    }

    /// Relaxes what has no owner.
    fn relax(&mut self, x: &[Vec3]) {
        let (mut moved, none) = (x.to_vec(), self.sides.len());
        let gives: Vec<f64> = (0..x.len() as u32).map(|v| self.gives(v)).collect();
        for _ in 0..SWEEPS {
            self.ties[none].relax(&gives, &mut moved);
            for list in [&mut self.met, &mut self.wet] {
                list[none].relax(&mut exchange(&mut moved), &|v| gives[v]);
            }
        }
    }

    /// Moves particles back that would be beyond a surface, and tells by how much \[m\]: where rounds have left a little, fluid must not seep through.
    pub(crate) fn keep_sides(&self, x: &mut [Vec3]) -> Vec<(u32, Vec3)> {
        let mut moved = Vec::new();
        for contacts in &self.wet {
            for (vertex, way) in Wetting::back(contacts, x) {
                x[vertex as usize] += way;
                moved.push((vertex, way));
            }
        }
        moved
    }

    /// The groups, and the forces between them, when all is solved.
    pub(crate) fn finish(self) -> (Vec<Side<'a, 'c>>, HeldForces) {
        let Self { mut sides, met, wet, ties, yielding, .. } = self;
        let mut contacts = Vec::new();
        for list in met.into_iter().chain(wet) {
            contacts.extend(list.forces());
            // What was struck is looked for among all contacts.
            sides[0].contacts.layers.append(list);
        }
        contacts.sort_unstable_by_key(|force| force.pair);
        let mut ties: Vec<Tie> = ties.into_iter().flat_map(|ties| ties.list).collect();
        ties.sort_unstable_by_key(|tie| tie.number);
        let ties = ties.into_iter().map(|tie| tie.force).collect();
        (sides, HeldForces { contacts, ties, yielding })
    }
}

impl Rounds for Coupled<'_, '_> {
    fn forces(&self) -> Vec<PairForce> {
        let lists = || self.sides.iter().map(|side| &side.contacts.layers).chain(&self.met);
        if lists().all(Layers::is_empty) {
            return self.lasted.clone();
        }
        let mut forces: Vec<PairForce> = lists().flat_map(Layers::forces).collect();
        forces.sort_unstable_by_key(|force| force.pair);
        forces
    }

    fn set_layers(&mut self, layers: Layers) {
        let (count, group) = (self.sides.len(), |v: u32| self.group_of[v as usize] as usize);
        // Contacts within groups first, then those between them by owner.
        let mut parts = layers.split(2 * count + 1, |sides| match sides.map(group) {
            [a, b] if a == b => a,
            _ => count + self.owner(sides),
        });
        self.met = parts.split_off(count);
        self.sides.iter_mut().zip(parts).for_each(|(side, layers)| side.contacts.layers = layers);
    }

    fn pressing(&self) -> usize {
        let own = self.sides.iter().map(|side| side.contacts.layers.pressing());
        own.chain(self.met.iter().map(Layers::pressing)).sum()
    }

    fn is_inside(&self, held: &[u32], x: &[Vec3]) -> bool {
        let obstacles =
            |side: &Side<'_, '_>| side.contacts.obstacles.as_ref().is_some_and(|all| all.is_inside(held, x));
        self.sides.iter().any(obstacles)
    }

    fn solve(&mut self, x: &mut [Vec3]) -> Result<SolveReport, SolveError> {
        let mut sum: Option<SolveReport> = None;
        let mut add = |report: SolveReport| match &mut sum {
            Some(sum) => sum.add(report),
            None => sum = Some(report),
        };
        let (owners, others): (Vec<usize>, Vec<usize>) = (0..self.sides.len()).partition(|&side| self.owns(side));
        self.answers.fill(None);
        for &side in &others {
            add(self.solve_side(side, Owned::Given, x)?);
        }
        let is_loose = self.owns(self.sides.len());
        if owners.is_empty() && !is_loose {
            return Ok(sum.unwrap_or_default());
        }
        let (mut accelerator, mut smallest) = (Anderson::new(WINDOW), f64::INFINITY);
        for _ in 0..ROUNDS {
            let (before, loads) = (self.vectors(), self.loads(None));
            if is_loose {
                self.relax(x);
            }
            for &side in &owners {
                add(self.solve_side(side, Owned::Solved, x)?);
            }
            smallest = smallest.min(self.accelerate(&mut accelerator, smallest, &before));
            let changes = self.loads(None).into_iter().zip(&loads).map(|(now, before)| now.distance(*before));
            let farthest = changes.zip(0..).map(|(change, v)| change * self.gives(v)).fold(0.0, f64::max);
            for &side in &others {
                add(self.solve_side(side, Owned::Given, x)?);
            }
            if farthest <= SETTLED * self.world.diagonal() {
                break;
            }
        }
        for &side in &owners {
            add(self.solve_side(side, Owned::Given, x)?);
        }
        Ok(sum.unwrap_or_default())
    }
}
