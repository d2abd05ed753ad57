//! Measures what a substep does to the energy of the world.

use super::{Books, STILL, Works};
use crate::collide::Collider;
use crate::contact::{Contact, ContactMode};
use crate::energy::{MAX_ROWS, Memory, batch_energy};
use crate::math::Vec3;
use crate::matter::kinds::Fluid;
use crate::scratch::Scratch;
use crate::solve::{Objective, Solver};
use crate::step::stages::{Solved, Stages};
use crate::world::model::{EnergyEntry, Model};
use crate::world::state::Inputs;

/// What acts on vertices over a substep.
pub(crate) struct Acting<'a> {
    pub(crate) gravity: Vec3,
    /// Forces by pressure and by the wind \[N\]; empty where there are none.
    pub(crate) pressure: Vec<Vec3>,
    /// See `pressure`.
    pub(crate) by_air: Vec<Vec3>,
    /// Velocities at the start, before they are damped \[m/s\].
    pub(crate) velocities: &'a [Vec3],
    /// Elastic energy at the start \[J\].
    pub(crate) elastic: f64,
}

impl Stages<'_> {
    /// What the substep has done.
    pub(crate) fn books(&mut self, solved: &mut Solved<'_>, contacts: &[Contact], acting: &Acting<'_>) -> Books {
        let mut books = self.flight(solved, acting);
        books.works.colliders = contacts.iter().map(|contact| self.collider_work(contact)).sum();
        books.works.handles = self.handle_work(solved);
        books.works.pins = self.pin_work(solved);
        let has_forces = solved.contacts.iter().all(|contacts| contacts.mode() == ContactMode::Constraint);
        let (mut elastic, mut is_hidden) =
            (0.0, !self.model.matter().is_empty() || self.limiter.is_some() || !has_forces);
        for (model, solver) in self.groups.iter_mut() {
            if !solver.lowers_energies() {
                is_hidden = true;
                continue;
            }
            elastic +=
                stored(model, &mut **solver, (self.inputs, Known::Prepared), &mut solved.x, self.trial, self.scratch);
        }
        let (has_matter, is_driven) = (!self.model.matter().is_empty(), self.is_driven(solved));
        Books { elastic: [acting.elastic, elastic], is_hidden, has_matter, is_driven, ..books }
    }

    /// Whether pins, colliders or handles move, or strain limits move vertices.
    fn is_driven(&self, solved: &Solved<'_>) -> bool {
        let [from, to] = self.part.span;
        let moves = |collider: &Collider| collider.is_deforming() || collider.pose(from) != collider.pose(to);
        let has_moved = |&v: &u32| solved.x[v as usize] != self.start[v as usize];
        self.limiter.is_some()
            || self.around.is_some_and(|around| around.colliders.iter().any(moves))
            || self.model.pinned().iter().any(has_moved)
            || self.inputs.goals_now != self.inputs.substep_goals
            || solved.contacts.iter().any(|contacts| !contacts.ties.list.is_empty())
    }

    /// Kinetic energy, and the work of what acts on free vertices as they go.
    fn flight(&self, solved: &Solved<'_>, acting: &Acting<'_>) -> Books {
        let (model, start) = (self.model, self.start);
        let (masses, forces) = (model.mass().lumped(), &self.inputs.forces);
        let in_pipe = pipes(model);
        let (mut kinetic, mut released, mut works, mut mass) = ([0.0; 2], 0.0, Works::default(), 0.0);
        for &v in model.free() {
            let v = v as usize;
            let (way, m) = (solved.x[v] - start[v], masses[v]);
            let after = 0.5 * m * solved.v[v].length_squared();
            if let Some(pipe) = in_pipe.as_ref().and_then(|pipes| pipes[v]) {
                if pipe.is_out(solved.x[v]) && !pipe.is_out(start[v]) {
                    works.emitters += after;
                    kinetic[1] += after;
                }
                if !pipe.is_out(start[v]) {
                    continue;
                }
            }
            mass += m;
            kinetic[0] += 0.5 * m * acting.velocities[v].length_squared();
            kinetic[1] += after;
            released += m * acting.gravity.dot(way);
            works.forces += forces[v].dot(way);
            works.pressure += acting.pressure.get(v).map_or(0.0, |force| force.dot(way));
            works.wind += acting.by_air.get(v).map_or(0.0, |force| force.dot(way));
        }
        if !model.mass().off_diagonal().is_empty() {
            kinetic = [acting.velocities, &solved.v].map(|v| 0.5 * model.mass().inner(v, v));
        }
        Books { kinetic, released, works, still: 0.5 * mass * STILL * STILL, ..Books::default() }
    }

    fn collider_work(&self, contact: &Contact) -> f64 {
        match self.model.free_index(contact.vertex as u32) {
            Some(_) => contact.force().dot(contact.surface_velocity) * self.part.h,
            None => 0.0,
        }
    }

    fn handle_work(&self, solved: &Solved<'_>) -> f64 {
        let mut work = 0.0;
        for tie in solved.contacts.iter().flat_map(|contacts| &contacts.ties.list) {
            if let Some(point) = tie.point {
                let v = tie.ends[0] as usize;
                work += tie.stiffness * (point - solved.x[v]).dot(solved.x[v] - self.start[v]);
            }
        }
        let goals = self.inputs.goals_now.iter().zip(&self.inputs.substep_goals);
        for ((entry, memory), (now, next)) in self.model.energies().iter().zip(&*self.trial).zip(goals) {
            if now != next {
                let mut memory = memory.clone();
                let mut energy = |goals: &[Vec3]| {
                    entry.batch.project(self.start, goals, &mut memory);
                    batch_energy(entry.batch.as_ref(), self.start, &memory)
                };
                work -= energy(now);
                work += energy(next);
            }
        }
        work
    }

    fn pin_work(&mut self, solved: &Solved<'_>) -> f64 {
        let (start, pinned) = (self.start, self.model.pinned());
        let way = |v: u32| solved.x[v as usize] - start[v as usize];
        if pinned.iter().all(|&v| way(v) == Vec3::ZERO) {
            return 0.0;
        }
        let h = self.part.h;
        let mut work = 0.0;
        let mut loads = vec![Vec3::ZERO; start.len()];
        solved.contacts.iter().for_each(|contacts| contacts.layers.add_forces(&mut loads));
        pinned.iter().for_each(|&v| work -= loads[v as usize].dot(way(v)));
        let is_pinned = |v: u32| self.model.free_index(v).is_none();
        let way = |v: u32| if is_pinned(v) { way(v) } else { Vec3::ZERO };
        let near = self.near_pins.get_or_insert_with(|| near_pins(self.model));
        for (k, ((entry, memory), near)) in self.model.energies().iter().zip(&*self.trial).zip(near).enumerate() {
            let goals = self.inputs.substep_goals.get(k).map_or(&[][..], |goals| goals);
            let scale = entry.damping.map_or(1.0, |beta| beta / h);
            work += scale * power(entry, near, goals, memory, &solved.x, &way);
        }
        work
    }
}

/// The elements of each energy that have a pinned vertex.
fn near_pins(model: &Model) -> Vec<Vec<u32>> {
    let near = |entry: &EnergyEntry| {
        let operator = entry.batch.operator();
        let is_pinned = |v: &u32| model.free_index(*v).is_none();
        (0..operator.len() as u32).filter(|&e| operator.stencil(e as usize).iter().any(is_pinned)).collect()
    };
    model.energies().iter().map(near).collect()
}

/// Gradient of some elements at x times a movement of their vertices \[J\].
fn power(
    entry: &EnergyEntry,
    elements: &[u32],
    goals: &[Vec3],
    memory: &Memory,
    x: &[Vec3],
    way: &impl Fn(u32) -> Vec3,
) -> f64 {
    let (batch, operator) = (entry.batch.as_ref(), entry.batch.operator());
    let (rows, count) = (operator.rows(), operator.len());
    if elements.is_empty() {
        return 0.0;
    }
    let mut z = vec![Vec3::ZERO; rows * elements.len()];
    elements.iter().zip(z.chunks_mut(rows)).for_each(|(&e, z)| operator.apply(e as usize, x, z));
    let mut projected = z.clone();
    let each = memory.warm.len() / count;
    let mut warm: Vec<f64> =
        elements.iter().flat_map(|&e| &memory.warm[each * e as usize..each * (e as usize + 1)]).copied().collect();
    if each * count != memory.warm.len() || !batch.project_some(elements, &mut projected, goals, &mut warm) {
        let mut memory = memory.clone();
        batch.project(x, goals, &mut memory);
        let of = |&e: &u32| memory.projections[rows * e as usize..rows * (e as usize + 1)].to_vec();
        projected = elements.iter().flat_map(of).collect();
    }
    let mut work = 0.0;
    for (k, &e) in elements.iter().enumerate() {
        let (stencil, coefficients) = (operator.stencil(e as usize), operator.coefficients(e as usize));
        debug_assert!(rows <= MAX_ROWS);
        for (row, coefficients) in coefficients.chunks_exact(stencil.len()).enumerate() {
            let force = (z[rows * k + row] - projected[rows * k + row]) * operator.weight(e as usize);
            let moved = coefficients.iter().zip(stencil).fold(Vec3::ZERO, |sum, (&c, &v)| sum + way(v) * c);
            work += force.dot(moved);
        }
    }
    work
}

/// With what an energy is evaluated.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Known {
    /// At the start of a substep, with nothing: a world that was built again has the same.
    Nothing,
    /// At its end, with what was prepared for solving.
    Prepared,
}

/// Elastic energy of what a solver moves \[J\].
pub(super) fn stored(
    model: &Model,
    solver: &mut dyn Solver,
    (inputs, known): (&Inputs, Known),
    x: &mut [Vec3],
    memory: &mut [Memory],
    scratch: &mut Scratch,
) -> f64 {
    let mut goals = std::mem::take(&mut scratch.goals);
    inputs.goals_at(model, if known == Known::Nothing { 0.0 } else { 1.0 }, &mut goals);
    let target = scratch.copy(x);
    let mut scales = std::mem::take(&mut scratch.scales);
    scales.clear();
    scales.extend(model.energies().iter().map(|entry| if entry.damping.is_some() { 0.0 } else { 1.0 }));
    let objective = Objective {
        model,
        inertia: 1.0,
        target: &target,
        inertial: &[],
        before: &target,
        scales: &scales,
        goals: &goals,
        load: 0.0,
    };
    let mut energy = |memory: &mut [Memory]| match known {
        Known::Nothing => objective.elastic_energy(x, memory),
        Known::Prepared => solver.elastic_energy(&objective, x, memory),
    };
    let energy = if model.is_whole() {
        energy(memory)
    } else {
        let own: Vec<usize> = (0..model.energies().len()).map(|energy| model.energy_number(energy)).collect();
        let mut part: Vec<Memory> = own.iter().map(|&number| std::mem::take(&mut memory[number])).collect();
        let energy = energy(&mut part);
        own.iter().zip(part).for_each(|(&number, part)| memory[number] = part);
        energy
    };
    (scratch.scales, scratch.goals) = (scales, goals);
    scratch.give([target]);
    energy
}

/// For each vertex the fluid whose pipe it may be in, where there are pipes.
fn pipes(model: &Model) -> Option<Vec<Option<&Fluid>>> {
    let mut all = None;
    for entry in model.matter() {
        if let Some(fluid) = entry.downcast::<Fluid>().filter(|fluid| fluid.emitter().is_some()) {
            let all = all.get_or_insert_with(|| vec![None; model.rest().len()]);
            all[model.bodies()[entry.body].vertices.clone()].fill(Some(fluid));
        }
    }
    all
}
