//! The next world, in the making: what stays of the last one, and what is new.

use std::ops::Range;
use std::sync::Arc;

use crate::energy::Batch;
use crate::math::Vec3;
use crate::scratch::fit;
use crate::solve::SolverChoice;
use crate::step::change::ChangeError;
use crate::step::simulation::Simulation;
use crate::world::assemble::{Attachment, World};
use crate::world::body::Body;
use crate::world::islands::{Stamp, moved};
use crate::world::lists::Lists;
use crate::world::model::{EnergyEntry, ModelParts};

/// The next world. Attachments and damping are added when it is done.
pub(super) struct Draft {
    /// Positions and velocities in it are those of new bodies, which come last.
    pub(super) world: World,
    /// Vertices of the last world that leave.
    pub(super) gone: Option<Range<usize>>,
    /// Whether its lists are those of the last model, which has to have them back if the draft comes to nothing.
    pub(super) is_lent: bool,
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
        let energies = sim.model.energies();
        let own = (0..energies.len()).filter(|&k| energies[k].is_of_body()).collect();
        Self::with(sim, sim.model.lists(), own)
    }

    /// The same for a world that only grows: the lists of its model are borrowed and grow in place, where no other model shares them.
    pub(super) fn growing(sim: &mut Simulation) -> Self {
        match sim.model.lend() {
            Some(lists) => {
                let energies = (0..lists.energies.len()).collect();
                Self { is_lent: true, ..Self::with(sim, lists, energies) }
            }
            None => Self::of(sim),
        }
    }

    /// `numbers` are those that energies of bodies have in the last world.
    fn with(sim: &Simulation, lists: Lists, numbers: Vec<usize>) -> Self {
        let model = &sim.model;
        let Lists { bodies, rest, mass, fabrics, energies, known } = lists;
        let (count, attachments) = (bodies.len(), sim.roster.named_attachments(&|body| bodies[body].name.clone()));
        let mut pinned = vec![false; rest.len()];
        model.pinned().iter().for_each(|&v| pinned[v as usize] = true);
        let parts = ModelParts {
            bodies,
            rest,
            mass,
            energies,
            constraints: model.constraints().to_vec(),
            matter: model.matter().to_vec(),
            pinned,
            fabrics,
            known,
            diagonal: model.diagonal(),
            stiffness_damping: sim.damping.stiffness,
        };
        Self {
            world: World { parts, ..World::default() },
            gone: None,
            is_lent: false,
            named: sim.wishes.bodies.clone(),
            bodies: (0..count).map(Some).collect(),
            energies: numbers.into_iter().map(Some).collect(),
            attachments,
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
                true => moved(part.batch.as_ref(), by).ok_or_else(|| refuse(number, part.batch.kind()))?,
            };
            let body = Some(number - usize::from(number > body));
            energies.push((EnergyEntry { batch, body, ..part.clone() }, *old));
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
        self.gone = Some(range);
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
            EnergyEntry::new(Arc::from(batch), Some(body))
        });
        let made: Vec<EnergyEntry> = made.collect();
        self.energies.splice(first..first + count, made.iter().map(|_| None));
        parts.energies.splice(first..first + count, made);
        parts.bodies[body].stamp = Stamp::new();
    }
}

/// Which vertices of a world leave, and how many come at its end.
pub(super) struct Turnover {
    pub(super) gone: Option<Range<usize>>,
    pub(super) come: usize,
}

impl Turnover {
    /// Number of a vertex in the next world; none if it is gone.
    pub(super) fn next(&self, vertex: usize) -> Option<usize> {
        match &self.gone {
            Some(gone) if gone.contains(&vertex) => None,
            Some(gone) if vertex >= gone.end => Some(vertex - gone.len()),
            _ => Some(vertex),
        }
    }

    /// Number of a vertex in the last world, of which so many stay; none for a new one.
    pub(super) fn last(&self, vertex: usize, stay: usize) -> Option<usize> {
        let before = match &self.gone {
            Some(gone) if vertex >= gone.start => vertex + gone.len(),
            _ => vertex,
        };
        (vertex < stay).then_some(before)
    }

    /// Brings a value for each vertex to the next world; new vertices have those that are given.
    pub(super) fn carry(&self, values: &mut Vec<Vec3>, come: impl IntoIterator<Item = Vec3>) {
        if let Some(gone) = &self.gone {
            values.drain(gone.clone());
            let left = values.len();
            fit(values, left);
        }
        values.extend(come.into_iter().take(self.come));
    }
}
