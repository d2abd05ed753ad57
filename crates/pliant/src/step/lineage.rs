//! What a simulation does when its model is replaced: state, memory and inputs follow.
//!
//! Inputs use the vertices and goals of the first model. A copy of a pinned vertex is pinned and moves with it; a point
//! between pinned vertices moves between them; a force on a vertex is divided between its copies by their masses; a
//! goal applies to all copies of its element.

use crate::energy::Memory;
use crate::math::Vec3;
use crate::step::coupling::HeldForces;
use crate::step::self_collision::{SelfCollider, SelfCollision};
use crate::step::simulation::Simulation;
use crate::world::error::ModelError;
use crate::world::model::Model;
use crate::world::topology::{Cells, Change, Sources, TopologyError, apply, part_rims, parts_of};

/// How the model came to be.
#[derive(Debug, Default)]
pub(crate) struct Lineage {
    /// The model at the beginning, once it was replaced.
    first: Option<Model>,
    /// What has changed since, in order.
    pub(crate) changes: Vec<Change>,
    /// For each goal of each batch the goal of the first model that it is, once the model was replaced.
    pub(crate) goals: Vec<Vec<u32>>,
    /// What a self-collider is made with, where there is one.
    pub(crate) self_collision: Option<SelfCollision>,
    /// Whether positions are about to be replaced by saved ones, so that surfaces may intersect until then.
    pub(crate) is_provisional: bool,
}

impl Lineage {
    /// Where the goals of a batch are that were this one in the first model, and how many that had; none without changes.
    pub(crate) fn goals(&self, model: &Model, batch: usize, goal: usize) -> (usize, Vec<usize>) {
        match &self.first {
            None => (model.energies()[batch].batch.initial_goals().len(), vec![goal]),
            Some(first) => {
                let own = self.goals[batch].iter().enumerate().filter(|(_, first)| **first as usize == goal);
                (first.energies()[batch].batch.initial_goals().len(), own.map(|(place, _)| place).collect())
            }
        }
    }

    /// The model at the beginning.
    pub(crate) fn first<'a>(&'a self, current: &'a Model) -> &'a Model {
        self.first.as_ref().unwrap_or(current)
    }

    /// Keeps a model that is replaced if it is the first; gives it back otherwise.
    pub(crate) fn keep_first(&mut self, replaced: Model) -> Option<Model> {
        if self.first.is_some() {
            return Some(replaced);
        }
        self.first = Some(replaced);
        None
    }

    /// The first model, to be the current one again.
    pub(crate) fn take_first(&mut self) -> Option<Model> {
        self.first.take()
    }
}

/// A model with the goals of the first model that its goals are.
pub(crate) struct Replayed {
    pub(crate) model: Model,
    pub(crate) changes: Vec<Change>,
    goals: Vec<Vec<u32>>,
}

impl Simulation {
    /// Number of changes in which vertices were split or cells divided. If you store elements, read them again when
    /// this number has grown.
    pub fn topology_changes(&self) -> usize {
        self.lineage.changes.len()
    }

    /// Puts the next model in the place of the current one.
    pub(super) fn succeed(&mut self, change: Change) -> Result<(), TopologyError> {
        let limit = u32::MAX as usize / 4;
        let count = self.state.positions.len() + change.vertices.len();
        if count > limit {
            return Err(TopologyError::TooLarge { count, limit });
        }
        let mut parts = parts_of(&self.model, self.damping.stiffness)?;
        let (range, added) = (parts.bodies[change.body].vertices.clone(), change.vertices.len());
        let sources = apply(&mut parts, &change)?;
        let model = Model::new(parts).map_err(in_model)?;
        let carry = |values: &[Vec3]| change.carried(values, range.start, range.len());
        let mut positions = carry(&self.state.positions);
        let mut opened = Vec::new();
        if let Some(settings) = &self.lineage.self_collision {
            opened = part_rims(&model, &change, settings.thickness, &positions)?;
        }
        opened.iter().for_each(|&(v, way)| positions[v as usize] += way);
        let collider = self.collider_for(&model, &positions).map_err(in_model)?;
        let goals = self.lineage.goals.clone();
        self.carry_inputs(&model, &carry, &sources);
        self.state.positions = positions;
        self.state.velocities = carry(&self.state.velocities);
        if let Some(history) = &mut self.history {
            history.positions = carry(&history.positions);
            // Room is no velocity.
            opened.iter().for_each(|&(v, way)| history.positions[v as usize] += way);
            history.velocities = carry(&history.velocities);
            if !history.others.is_empty() {
                history.others = carry(&history.others);
            }
        }
        self.carry_memory(&model, &sources);
        self.replace_model(model, collider, goals);
        self.lineage.changes.push(change);
        if let Some(colliders) = &mut self.colliders {
            colliders.renumber(range.end, added);
        }
        self.grabs.renumber(range.end, added);
        // Pairs and vertices have other numbers; rounds find the forces again.
        self.between = HeldForces { ties: std::mem::take(&mut self.between.ties), ..HeldForces::default() };
        self.forget_factors();
        Ok(())
    }

    /// What keeps the surfaces of another model apart, in a world with self-collision.
    pub(crate) fn collider_for(&self, model: &Model, positions: &[Vec3]) -> Result<Option<SelfCollider>, ModelError> {
        self.later_self_collision()
            .map(|settings| SelfCollider::new(settings, model, &mut positions.to_vec()))
            .transpose()
    }

    /// How surfaces are kept apart in a world that has begun: only a start is untangled.
    pub(crate) fn later_self_collision(&self) -> Option<SelfCollision> {
        let settings = self.lineage.self_collision.clone();
        settings.map(|settings| SelfCollision { untangle: false, ..settings })
    }

    /// Pins, forces and goals of the next model.
    fn carry_inputs(&mut self, next: &Model, carry: &dyn Fn(&[Vec3]) -> Vec<Vec3>, sources: &[Sources]) {
        let mut targets = self.state.positions.clone();
        for (&v, target) in self.model.pinned().iter().zip(&self.inputs.pins) {
            targets[v as usize] = *target;
        }
        let targets = carry(&targets);
        self.inputs.pins = next.pinned().iter().map(|&v| targets[v as usize]).collect();
        self.inputs.forces = shared_forces(&self.model, next, &self.inputs.forces);
        if self.lineage.goals.is_empty() {
            let count = |goals: &Vec<Vec3>| (0..goals.len() as u32).collect();
            self.lineage.goals = self.inputs.goals_now.iter().map(count).collect();
        }
        let batches = self.model.energies().iter().map(|entry| entry.batch.operator().len()).collect::<Vec<_>>();
        for (k, sources) in sources.iter().enumerate() {
            carry_rows(&mut self.inputs.goals_now[k], batches[k], sources);
            carry_rows(&mut self.inputs.goals_next[k], batches[k], sources);
            carry_rows(&mut self.lineage.goals[k], batches[k], sources);
        }
    }

    /// What energies remember goes with their elements.
    fn carry_memory(&mut self, next: &Model, sources: &[Sources]) {
        let mut memory = next.initial_memory();
        for (k, (entry, memory)) in next.energies().iter().zip(&mut memory).enumerate() {
            // Damping looks at the state when a step begins.
            let (Some(sources), true) = (sources.get(k), entry.damping.is_none()) else { continue };
            let (old, count) = (&self.memory[k], self.model.energies()[k].batch.operator().len());
            carry_warm(old, memory, count, sources);
        }
        self.trial = memory.clone();
        self.memory = memory;
    }

    /// The model after changes of the first one. On an error nothing has changed.
    pub(crate) fn replayed(&self, numbers: &[&[f64]]) -> Result<Option<Replayed>, ModelError> {
        let first = self.lineage.first(&self.model);
        let mut parts = parts_of(first, self.damping.stiffness)?;
        let goals = first.energies().iter().filter(|e| e.damping.is_none());
        let mut goals: Vec<Vec<u32>> =
            goals.map(|entry| (0..entry.batch.initial_goals().len() as u32).collect()).collect();
        let mut changes = Vec::new();
        for numbers in numbers {
            let body_of = |body: usize| {
                let cells: &Cells = &parts.fabrics.get(body)?.cells;
                Some((parts.bodies[body].vertices.len(), cells))
            };
            let Some(change) = Change::decode(numbers, body_of) else { return Ok(None) };
            let counts: Vec<usize> = parts.energies.iter().map(|entry| entry.batch.operator().len()).collect();
            let sources = apply(&mut parts, &change)?;
            for ((goals, count), sources) in goals.iter_mut().zip(counts).zip(&sources) {
                carry_rows(goals, count, sources);
            }
            changes.push(change);
        }
        let model = Model::new(parts)?;
        goals.resize(model.energies().len(), Vec::new());
        Ok(Some(Replayed { model, changes, goals }))
    }

    /// Takes a replayed model, with what keeps its surfaces apart; state, inputs and memory are the caller's to set.
    pub(crate) fn take_replayed(&mut self, replayed: Replayed, collider: Option<SelfCollider>) {
        let Replayed { model, changes, goals } = replayed;
        self.replace_model(model, collider, self.lineage.goals.clone());
        (self.lineage.changes, self.lineage.goals) = (changes, goals);
        self.trial = self.model.initial_memory();
        self.forget_factors();
    }

    /// Copies of pinned vertices go where those go, and points between them between them.
    pub(crate) fn follow_pins(&mut self) {
        if self.lineage.changes.is_empty() {
            return;
        }
        let (model, pins) = (&self.model, &mut self.inputs.pins);
        for (body, fabric) in model.bodies().iter().zip(model.fabrics()) {
            let place = |v: usize| model.pinned().binary_search(&((body.vertices.start + v) as u32)).ok();
            for (k, origin) in fabric.origins.iter().enumerate() {
                let Some(own) = place(fabric.first_vertices + k) else { continue };
                let parents = || origin.parents().filter_map(|(v, weight)| Some((place(v as usize)?, weight)));
                pins[own] = match origin.copied().and_then(|v| place(v as usize)) {
                    Some(copied) => pins[copied],
                    None => parents().fold(Vec3::ZERO, |sum, (parent, weight)| sum + pins[parent] * weight),
                };
            }
        }
    }

    /// Sets the force on a vertex of the first model; its copies have their shares by mass.
    pub(crate) fn share_force(&mut self, vertex: usize, force: Vec3) {
        let (body, own) = self.model.locate(vertex);
        let start = body.vertices.start;
        let at = self.model.bodies().partition_point(|body| body.vertices.end <= vertex);
        let fabric = &self.model.fabrics()[at];
        if fabric.origins.is_empty() || own >= fabric.first_vertices {
            self.inputs.forces[vertex] = force;
            return;
        }
        let copies = (fabric.first_vertices as u32..).zip(&fabric.origins).map(|(v, _)| v);
        let family: Vec<usize> = std::iter::once(own as u32)
            .chain(copies.filter(|&v| fabric.source_of(v) == own as u32))
            .map(|v| start + v as usize)
            .collect();
        let masses = self.model.mass().lumped();
        let total: f64 = family.iter().map(|&v| masses[v]).sum();
        for &v in &family {
            let share = if family.len() == 1 || total <= 0.0 { 1.0 } else { masses[v] / total };
            self.inputs.forces[v] = force * share;
        }
    }
}

fn in_model(error: ModelError) -> TopologyError {
    match error {
        ModelError::Topology(error) => error,
        other => TopologyError::Model(Box::new(other)),
    }
}

/// Rows of the elements that are still there.
fn carry_rows<T: Copy>(rows: &mut Vec<T>, count: usize, sources: &Sources) {
    let stride = rows.len().checked_div(count).unwrap_or(0);
    if stride > 0 {
        let own = sources.iter().flatten().flat_map(|&old| &rows[stride * old as usize..stride * (old as usize + 1)]);
        *rows = own.copied().collect();
    }
}

/// Warm values of the elements that are still there; new ones begin anew.
fn carry_warm(old: &Memory, new: &mut Memory, count: usize, sources: &Sources) {
    if sources.len() == count && (0u32..).zip(sources).all(|(k, source)| *source == Some(k)) {
        new.warm.clone_from(&old.warm);
        return;
    }
    if count == 0 || sources.is_empty() || !old.warm.len().is_multiple_of(count) {
        return;
    }
    let stride = old.warm.len() / count;
    if new.warm.len() != stride * sources.len() {
        return;
    }
    for (k, source) in sources.iter().enumerate() {
        if let Some(source) = source {
            let from = stride * *source as usize;
            new.warm[stride * k..stride * (k + 1)].copy_from_slice(&old.warm[from..from + stride]);
        }
    }
}

/// Forces stay in sum: copies have shares by mass, points between vertices have none.
fn shared_forces(before: &Model, after: &Model, forces: &[Vec3]) -> Vec<Vec3> {
    let mut shared = vec![Vec3::ZERO; after.rest().len()];
    for (k, (old, new)) in before.bodies().iter().zip(after.bodies()).enumerate() {
        let count = old.vertices.len();
        let fabric = &after.fabrics()[k];
        let parent = |v: usize| fabric.origins[v - fabric.first_vertices].copied();
        // The vertex before the change that each vertex is, or is a copy of.
        let mut ancestors: Vec<Option<u32>> = (0..count as u32).map(Some).collect();
        for v in count..new.vertices.len() {
            ancestors.push(parent(v).and_then(|v| ancestors[v as usize]));
        }
        let masses = &after.mass().lumped()[new.vertices.clone()];
        let mut totals = vec![(0.0, 0); count];
        for (ancestor, mass) in ancestors.iter().zip(masses) {
            if let Some(v) = ancestor {
                totals[*v as usize].0 += mass;
                totals[*v as usize].1 += 1;
            }
        }
        for (v, ancestor) in ancestors.iter().enumerate() {
            if let Some(from) = ancestor {
                let (total, copies) = totals[*from as usize];
                let share = if copies == 1 || total <= 0.0 { 1.0 } else { masses[v] / total };
                shared[new.vertices.start + v] = forces[old.vertices.start + *from as usize] * share;
            }
        }
    }
    shared
}
