//! Energies without kernels of their own, through [`Batch`](crate::energy::Batch).

use super::Order;
use crate::energy::{Memory, batch_energy};
use crate::math::Vec3;
use crate::parallel::{self, Strided};
use crate::solve::Objective;
use crate::world::islands::Class;

/// The batches that have no kernels, and mass entries beside the diagonal.
#[derive(Debug, Default)]
pub(in crate::solve) struct General {
    /// Batches with the first of their corners in `corners`.
    batches: Vec<(usize, usize)>,
    /// Forces on corners.
    corners: Vec<Vec3>,
    /// For each free vertex in order the corners that touch it.
    starts: Vec<u32>,
    list: Vec<u32>,
    /// Sums at each free vertex, in order.
    gradient: Vec<Vec3>,
    beside: bool,
    one_by_one: usize,
}

impl General {
    /// `all` takes batches with kernels too, for a solve that is watched in between.
    pub(in crate::solve) fn new(objective: &Objective<'_>, order: &Order, all: bool) -> Self {
        let energies = objective.model.energies();
        let mut batches = Vec::new();
        let mut corner_vertices = Vec::new();
        let mut one_by_one = 0;
        for (b, entry) in energies.iter().enumerate() {
            if all || !entry.nature.has_lanes() {
                batches.push((b, corner_vertices.len()));
                if entry.nature.class == Class::Opaque {
                    one_by_one += entry.batch.operator().len();
                }
                corner_vertices.extend_from_slice(entry.batch.operator().corner_vertices());
            }
        }
        let beside = !objective.model.mass().off_diagonal().is_empty();
        if batches.is_empty() && !beside {
            return Self::default();
        }
        let place = |corner: usize| order.places[corner_vertices[corner] as usize] as usize;
        let mut starts = vec![0u32; order.free + 1];
        for corner in (0..corner_vertices.len()).filter(|&corner| place(corner) < order.free) {
            starts[place(corner) + 1] += 1;
        }
        (0..order.free).for_each(|k| starts[k + 1] += starts[k]);
        let mut next = starts.clone();
        let mut list = vec![0u32; starts[order.free] as usize];
        for corner in (0..corner_vertices.len()).filter(|&corner| place(corner) < order.free) {
            let slot = &mut next[place(corner)];
            list[*slot as usize] = corner as u32;
            *slot += 1;
        }
        let gradient = vec![Vec3::ZERO; order.free];
        Self { batches, corners: vec![Vec3::ZERO; corner_vertices.len()], starts, list, gradient, beside, one_by_one }
    }

    /// Elements that go one by one because nobody knows more of them than their projection.
    pub(in crate::solve) fn one_by_one(&self) -> usize {
        self.one_by_one
    }

    /// Whether there is nothing to do.
    pub(in crate::solve) fn is_empty(&self) -> bool {
        self.gradient.is_empty()
    }

    /// Projects at x and adds up gradients, to be had from [`gradient`](Self::gradient); returns the energy \[J\].
    pub(in crate::solve) fn evaluate(
        &mut self,
        objective: &Objective<'_>,
        order: &Order,
        x: &[Vec3],
        memory: &mut [Memory],
    ) -> f64 {
        if self.is_empty() {
            return 0.0;
        }
        let mut energy = 0.0;
        for &(b, first) in &self.batches {
            let (batch, memory) = (objective.model.energies()[b].batch.as_ref(), &mut memory[b]);
            batch.project(x, &objective.goals[b], memory);
            energy += objective.scales[b] * batch_energy(batch, x, memory);
            let corners = &mut self.corners[first..first + batch.operator().corner_vertices().len()];
            batch.operator().gradient(x, &memory.projections, objective.scales[b], corners);
        }
        let (corners, starts, list) = (&self.corners, &self.starts, &self.list);
        let outputs = Strided { entries: &mut self.gradient, stride: 1 };
        parallel::for_each(0..order.free, outputs, &|range, part| {
            for (out, k) in part.entries.iter_mut().zip(range) {
                let own = &list[starts[k] as usize..starts[k + 1] as usize];
                *out = own.iter().fold(Vec3::ZERO, |sum, &corner| sum + corners[corner as usize]);
            }
        });
        if self.beside {
            energy += self.add_masses_beside(objective, order, x);
        }
        energy
    }

    fn add_masses_beside(&mut self, objective: &Objective<'_>, order: &Order, x: &[Vec3]) -> f64 {
        let mut energy = 0.0;
        let offset = |v: u32| x[v as usize] - objective.target[v as usize];
        for &(i, j, value) in objective.model.mass().off_diagonal() {
            energy += objective.inertia * value * offset(i).dot(offset(j));
            for (row, column) in [(i, j), (j, i)] {
                let place = order.places[row as usize] as usize;
                if place < order.free {
                    self.gradient[place] += offset(column) * (objective.inertia * value);
                }
            }
        }
        energy
    }

    /// Gradients at the free vertices, in order; empty if there are none \[N\].
    pub(in crate::solve) fn gradient(&self) -> &[Vec3] {
        &self.gradient
    }
}
