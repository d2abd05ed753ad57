//! The next world, in the making: what stays of the last one, and what is new.

use std::sync::Arc;

use crate::energy::{Batch, Rewiring};
use crate::math::Vec3;
use crate::solve::SolverChoice;
use crate::step::change::ChangeError;
use crate::step::simulation::Simulation;
use crate::world::assemble::{Attachment, World};
use crate::world::body::Body;
use crate::world::model::{EnergyPart, Model, ModelParts};

/// The next world. Attachments and damping are added when it is done.
pub(super) struct Draft {
    pub(super) world: World,
    /// Solvers that bodies name.
    pub(super) named: Vec<Option<SolverChoice>>,
    /// Number that each body has in the last world; none for a new one.
    pub(super) bodies: Vec<Option<usize>>,
    /// The same for energies of bodies.
    pub(super) energies: Vec<Option<usize>>,
    pub(super) attachments: Vec<Attachment>,
}

impl Draft {
    /// The world as it is.
    pub(super) fn of(sim: &Simulation) -> Self {
        let model = &sim.model;
        let own = |k: &usize| model.energies()[*k].body.is_some() && model.energies()[*k].damping.is_none();
        let energies: Vec<usize> = (0..model.energies().len()).filter(own).collect();
        let part = |&k: &usize| {
            let entry = &model.energies()[k];
            EnergyPart { batch: Arc::clone(&entry.batch), body: entry.body }
        };
        let mut pinned = vec![false; model.rest().len()];
        model.pinned().iter().for_each(|&v| pinned[v as usize] = true);
        let parts = ModelParts {
            bodies: model.bodies().to_vec(),
            rest: model.rest().to_vec(),
            mass: model.mass().clone(),
            energies: energies.iter().map(part).collect(),
            constraints: model.constraints().to_vec(),
            matter: model.matter().to_vec(),
            pinned,
            fabrics: model.fabrics().to_vec(),
            diagonal: model.diagonal(),
            stiffness_damping: sim.damping.stiffness,
        };
        let (positions, velocities) = (sim.state.positions.clone(), sim.state.velocities.clone());
        Self {
            world: World { parts, positions, velocities },
            named: sim.wishes.bodies.clone(),
            bodies: (0..model.bodies().len()).map(Some).collect(),
            energies: energies.into_iter().map(Some).collect(),
            attachments: sim.attachments(),
        }
    }

    /// Adds a body at the end.
    pub(super) fn add(&mut self, mut body: Body) -> Result<(), ChangeError> {
        self.named.push(body.take_named_solver());
        self.world.add(body)?;
        self.bodies.push(None);
        self.energies.resize(self.world.parts.energies.len(), None);
        Ok(())
    }

    /// Takes a body out; those after it move up.
    pub(super) fn remove(&mut self, body: usize) -> Result<(), ChangeError> {
        let parts = &mut self.world.parts;
        let range = parts.bodies[body].vertices.clone();
        let by = -(range.len() as i64);
        let refuse = |body: usize, kind| {
            let body = parts.bodies[body].name.clone();
            ChangeError::Unsupported { body, kind }
        };
        let mut energies = Vec::new();
        for (part, old) in parts.energies.iter().zip(&self.energies).filter(|(part, _)| part.body != Some(body)) {
            let number = part.body.unwrap_or_default();
            let batch = match number > body {
                false => Arc::clone(&part.batch),
                true => shifted(part.batch.as_ref(), by).ok_or_else(|| refuse(number, part.batch.kind()))?,
            };
            energies.push((EnergyPart { batch, body: Some(number - usize::from(number > body)) }, *old));
        }
        let mut constraints = Vec::new();
        for batch in &parts.constraints {
            match batch.stencil(0).first().map(|&v| v as usize) {
                Some(v) if range.contains(&v) => {}
                Some(v) if v >= range.end => {
                    let owner = parts.bodies.partition_point(|body| body.vertices.end <= v);
                    constraints.push(batch.shifted(by).map(Arc::from).ok_or_else(|| refuse(owner, batch.kind()))?);
                }
                _ => constraints.push(Arc::clone(batch)),
            }
        }
        (parts.energies, self.energies) = energies.into_iter().unzip();
        parts.constraints = constraints;
        parts.matter.retain(|entry| entry.body != body);
        parts.matter.iter_mut().filter(|entry| entry.body > body).for_each(|entry| entry.body -= 1);
        parts.mass = parts.mass.without_body(range.clone());
        parts.fabrics.remove(body);
        parts.rest.drain(range.clone());
        parts.pinned.drain(range.clone());
        parts.bodies.remove(body);
        for later in &mut parts.bodies[body..] {
            later.vertices = later.vertices.start - range.len()..later.vertices.end - range.len();
            let lists = [later.surface.as_flattened_mut(), later.segments.as_flattened_mut()];
            let corners = lists.into_iter().chain([later.welded.as_flattened_mut()]).flatten();
            corners.for_each(|v| *v -= range.len() as u32);
        }
        for list in [&mut self.world.positions, &mut self.world.velocities] {
            list.drain(range.clone());
        }
        self.named.remove(body);
        self.bodies.remove(body);
        Ok(())
    }

    /// Replaces the first `count` energies of a body, and its masses, by others in the numbers of the body.
    pub(super) fn replace_energies(
        &mut self,
        body: usize,
        count: usize,
        energies: Vec<Box<dyn Batch>>,
        mass: &[(u32, u32, f64)],
    ) {
        let parts = &mut self.world.parts;
        let range = parts.bodies[body].vertices.clone();
        parts.mass = parts.mass.with_body(range.clone(), range.len(), mass);
        let first = parts.energies.iter().position(|part| part.body == Some(body)).unwrap_or(parts.energies.len());
        let made = energies.into_iter().map(|mut batch| {
            batch.operator_mut().shift_vertices(range.start as u32);
            EnergyPart { batch: Arc::from(batch), body: Some(body) }
        });
        let made: Vec<EnergyPart> = made.collect();
        self.energies.splice(first..first + count, made.iter().map(|_| None));
        parts.energies.splice(first..first + count, made);
    }

    /// For each vertex of the next world the one that it was in the last.
    pub(super) fn vertices(&self, last: &Model) -> Vec<Option<u32>> {
        let bodies = self.world.parts.bodies.iter().zip(&self.bodies);
        bodies
            .flat_map(|(body, old)| {
                let first = old.map(|old| last.bodies()[old].vertices.start);
                (0..body.vertices.len()).map(move |k| first.map(|first| (first + k) as u32))
            })
            .collect()
    }
}

/// A copy with other vertex numbers.
fn shifted(batch: &dyn Batch, by: i64) -> Option<Arc<dyn Batch>> {
    let operator = batch.operator();
    let elements = (0..operator.len() as u32).map(|element| (element, 1.0)).collect();
    let vertices = operator.corner_vertices().iter().map(|&v| crate::constraint::moved(v, by)).collect();
    batch.rewired(&Rewiring { elements, vertices }).map(Arc::from)
}

/// Values of the vertices that stay, and others for new ones.
pub(super) fn carried(values: &[Vec3], vertices: &[Option<u32>], new: impl Fn(usize) -> Vec3) -> Vec<Vec3> {
    vertices.iter().enumerate().map(|(k, old)| old.map_or_else(|| new(k), |old| values[old as usize])).collect()
}
