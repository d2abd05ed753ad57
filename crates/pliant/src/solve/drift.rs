//! What keeps the momentum of free bodies exact.
//!
//! Blocks on the diagonal know nothing of sums: few linear iterations with them leave a free body a little too slow or too fast as a whole. Along
//! a translation Newton's system is one equation, 1ᵀH 1 t = 1ᵀr with 1ᵀH 1 the body's inertia and its contacts, which is solved at the
//! end. Where nothing touches, the rest is rounding of f32, and goes by the centre of mass in f64.

use crate::math::{Mat3, Vec3};
use crate::solve::projective::contact::Coupled;
use crate::solve::projective::local::{Order, Point};
use crate::world::model::Model;

/// A vertex of no free body.
const HELD: u32 = u32::MAX;

/// Bodies, or parts of them, that nothing but contacts holds.
#[derive(Debug, Default)]
pub(super) struct FreeBodies {
    /// Which one each place belongs to.
    of: Vec<u32>,
    /// Mass of each vertex by place, and of each body \[kg\].
    vertex_masses: Vec<f64>,
    masses: Vec<f64>,
    /// Sums over each body, and its stiffness against moving as a whole.
    sums: Vec<Vec3>,
    stiffness: Vec<Mat3>,
}

impl FreeBodies {
    pub(super) fn new(model: &Model, order: &Order) -> Self {
        let mut groups = Groups { parents: (0..order.vertices.len() as u32).collect() };
        let mut held: Vec<u32> = model.pinned().to_vec();
        for entry in model.energies() {
            let operator = entry.batch.operator();
            let is_free = entry.batch.properties().translation_invariant;
            for e in 0..operator.len() {
                let stencil = operator.stencil(e);
                stencil.iter().for_each(|&v| groups.join(stencil[0], v));
                held.extend(stencil.iter().take(usize::from(!is_free)));
            }
        }
        model.mass().off_diagonal().iter().for_each(|&(i, j, _)| groups.join(i, j));
        let mut numbers = vec![HELD; order.vertices.len()];
        let held: Vec<u32> = held.into_iter().map(|v| groups.first(v)).collect();
        let mut is_held = vec![false; order.vertices.len()];
        held.iter().for_each(|&v| is_held[v as usize] = true);
        let lumped = model.mass().lumped();
        let mut free = Self::default();
        for &v in &order.vertices[..order.free] {
            let first = groups.first(v) as usize;
            if !is_held[first] && numbers[first] == HELD {
                numbers[first] = free.masses.len() as u32;
                free.masses.push(0.0);
            }
            let mass = lumped[v as usize];
            if let Some(sum) = free.masses.get_mut(numbers[first] as usize) {
                *sum += mass;
            }
            free.of.push(numbers[first]);
            free.vertex_masses.push(mass);
        }
        free
    }

    /// Those of several islands, whose places come one after the other.
    pub(super) fn joined<'a>(islands: impl Iterator<Item = &'a Self>) -> Self {
        let mut all = Self::default();
        let islands: Vec<&Self> = islands.collect();
        let count = islands.iter().map(|island| island.of.len()).sum();
        (all.of, all.vertex_masses) = (Vec::with_capacity(count), Vec::with_capacity(count));
        for island in islands {
            let first = all.masses.len() as u32;
            all.of.extend(island.of.iter().map(|&body| if body == HELD { HELD } else { first + body }));
            all.vertex_masses.extend_from_slice(&island.vertex_masses);
            all.masses.extend_from_slice(&island.masses);
        }
        all
    }

    /// Adds to a solution what is missing of it along translations, given the residual that it leaves and 1/τ².
    pub(super) fn translate(&mut self, inertia: f64, contacts: &[Coupled], residual: &[f32], solution: &mut [f32]) {
        if self.masses.is_empty() {
            return;
        }
        let Self { sums, stiffness, .. } = self;
        sums.clear();
        sums.resize(self.masses.len(), Vec3::ZERO);
        for (&body, r) in self.of.iter().zip(residual.as_chunks::<4>().0).filter(|(body, _)| **body != HELD) {
            sums[body as usize] += Vec3::new(r[0].into(), r[1].into(), r[2].into());
        }
        stiffness.clear();
        stiffness.extend(self.masses.iter().map(|mass| Mat3::from_diagonal(Vec3::splat(inertia * mass))));
        for contact in contacts.iter().filter(|contact| contact.response.acts()) {
            for (place, w) in contact.corners() {
                let body = self.of.get(place).copied().unwrap_or(HELD);
                if let Some(own) = stiffness.get_mut(body as usize) {
                    for c in 0..3 {
                        *own.col_mut(c) += contact.response.stiffness_times(Vec3::AXES[c]) * w.abs();
                    }
                }
            }
        }
        sums.iter_mut().zip(stiffness).for_each(|(sum, stiffness)| *sum = stiffness.inverse() * *sum);
        for (&body, row) in self.of.iter().zip(solution.as_chunks_mut::<4>().0) {
            if let Some(by) = sums.get(body as usize).filter(|by| by.is_finite()) {
                (0..3).for_each(|c| row[c] += by[c] as f32);
            }
        }
    }

    /// Puts the centres of mass to where forces from outside alone would bring them: targets are s by places.
    pub(super) fn centre(&mut self, targets: &[Point], points: &mut [Point]) {
        let sums = &mut self.sums;
        sums.clear();
        sums.resize(self.masses.len(), Vec3::ZERO);
        for (k, &body) in self.of.iter().enumerate().filter(|(_, body)| **body != HELD) {
            (0..3).for_each(|c| sums[body as usize][c] += self.vertex_masses[k] * (targets[k][c] - points[k][c]));
        }
        for (k, &body) in self.of.iter().enumerate().filter(|(_, body)| **body != HELD) {
            (0..3).for_each(|c| points[k][c] += sums[body as usize][c] / self.masses[body as usize]);
        }
    }
}

/// Vertices that hang together.
struct Groups {
    parents: Vec<u32>,
}

impl Groups {
    fn first(&mut self, v: u32) -> u32 {
        let mut at = v;
        while self.parents[at as usize] != at {
            // Halves the way for the next who asks.
            self.parents[at as usize] = self.parents[self.parents[at as usize] as usize];
            at = self.parents[at as usize];
        }
        at
    }

    fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.first(a), self.first(b));
        self.parents[b as usize] = a;
    }
}
