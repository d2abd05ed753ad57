//! A model of some bodies of a world, which one solver moves. Vertices, bodies and energies keep their numbers.

use std::sync::Arc;

use crate::world::model::{EnergyEntry, Model};

/// What a model has that is a group of a world.
#[derive(Debug)]
pub(super) struct Group {
    /// Its bodies, ascending.
    pub(super) bodies: Vec<usize>,
    /// Number of each of its energies in the world.
    pub(super) energies: Vec<usize>,
    /// Its vertices that are attached to other groups, ascending.
    pub(super) tied: Vec<u32>,
}

impl Model {
    /// The group of some bodies, ascending. Of attachments it has those between its own bodies.
    pub(crate) fn group(&self, bodies: &[usize]) -> Self {
        let is_own = |body: usize| bodies.binary_search(&body).is_ok();
        let has_vertex = |v: &u32| is_own(self.body_of(*v as usize));
        let own = |&k: &usize| match &self.energies[k] {
            EnergyEntry { body: Some(body), .. } => is_own(*body),
            entry => entry.batch.operator().corner_vertices().iter().all(has_vertex),
        };
        let numbers: Vec<usize> = (0..self.energies.len()).filter(own).collect();
        let others = (0..self.energies.len()).filter(|k| self.energies[*k].body.is_none() && !own(k));
        let ends = others.flat_map(|k| self.energies[k].batch.operator().corner_vertices());
        let mut tied: Vec<u32> = ends.copied().filter(has_vertex).collect();
        tied.sort_unstable();
        tied.dedup();
        let energies = numbers.iter().map(|&k| self.energies[k].clone()).collect();
        let constraints = self.constraints.iter().filter(|batch| {
            !batch.is_empty() && batch.stencil(0).first().is_some_and(|&v| is_own(self.body_of(v as usize)))
        });
        let matter = self.matter.iter().filter(|entry| is_own(entry.body)).cloned().collect();
        let free = self.free.iter().copied().filter(|&v| is_own(self.body_of(v as usize))).collect();
        let group = Group { bodies: bodies.to_vec(), energies: numbers, tied };
        Self::of(Arc::clone(&self.common), energies, constraints.cloned().collect(), matter, free, Some(group))
    }

    /// Takes another length scale \[m\], as in an earlier state of the world. Only a model without groups can.
    pub(crate) fn rescale(&mut self, diagonal: f64) {
        if let Some(common) = Arc::get_mut(&mut self.common) {
            common.diagonal = diagonal;
        }
    }

    /// Whether it is the whole world, not a group of it.
    pub fn is_whole(&self) -> bool {
        self.group.is_none()
    }

    /// Whether it moves a body: all of a world, or those of a group.
    pub fn has_body(&self, body: usize) -> bool {
        self.group.as_ref().is_none_or(|group| group.bodies.binary_search(&body).is_ok())
    }

    /// Whether a vertex of a group is attached to another group.
    pub(crate) fn is_tied(&self, vertex: u32) -> bool {
        self.group.as_ref().is_some_and(|group| group.tied.binary_search(&vertex).is_ok())
    }

    /// Number that an energy of a group has in the world.
    pub(crate) fn energy_number(&self, energy: usize) -> usize {
        self.group.as_ref().map_or(energy, |group| group.energies[energy])
    }
}
