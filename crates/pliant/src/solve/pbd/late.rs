//! What comes after the motions of matter in an iteration: attachments and handles of rigid and of matched bodies.
//!
//! Their motions put vertices back into shape at the end of every iteration. If ties came before, each iteration would end with vertices away from what they
//! are tied to: a matched cloth of 18 g at a tie that gives way by 1 mm hung 66 mm from it. A rigid body is pulled as a whole, since its vertices have
//! hardly any mass of their own.

use super::Prepared;
use super::passes::{Outcome, Pass, Source, Sweep, apply, correct_energy};
use crate::constraint::{Block, Rule};
use crate::contact::{Exchange, exchange};
use crate::energy::Memory;
use crate::math::Vec3;
use crate::matter::kinds::{ClothMatching, Hair, Matching};
use crate::matter::rigid::RigidSets;
use crate::solve::Objective;
use crate::world::model::Model;

/// Whether a pass comes after all motions: attachments and handles of rigid and of matched bodies, whose motions would take a vertex away from what it
/// is tied to at the end of every iteration.
pub(super) fn comes_late(model: &Model, source: Source) -> bool {
    let Source::Energy { batch, one_by_one: true } = source else { return false };
    let (entry, operator) = (&model.energies()[batch], model.energies()[batch].batch.operator());
    let mut stencils = (0..operator.len()).map(|element| operator.stencil(element));
    let is_tie = entry.damping.is_none() && (entry.body.is_none() || stencils.all(|stencil| stencil.len() == 1));
    let bodies = || operator.corner_vertices().iter().map(|&v| model.body_of(v as usize));
    let is_rigid = |body: usize| {
        let own = &model.bodies()[body].vertices;
        model.rigid_sets().iter().any(|set| set.vertices.iter().any(|&v| own.contains(&(v as usize))))
    };
    let is_matched =
        |body| model.matter_in::<Matching>(body).is_some() || model.matter_in::<ClothMatching>(body).is_some();
    // Hair keeps its lengths exactly, and so comes after what pulls at it.
    let has_hair = || bodies().any(|body| model.matter_in::<Hair>(body).is_some());
    is_tie && bodies().any(|body| is_rigid(body) || is_matched(body)) && !has_hair()
}

impl Prepared {
    /// The passes that come after the motions, through rigid bodies as wholes.
    pub(super) fn tie(
        &mut self,
        objective: &Objective<'_>,
        rules: &[Rule],
        rigid: Option<&mut RigidSets>,
        x: &mut [Vec3],
        memory: &mut [Memory],
    ) {
        if self.late.is_empty() {
            return;
        }
        let inverse_masses = &self.inverse_masses[..];
        let sweep = Sweep { objective, inverse_masses, outcome: Outcome::Move };
        let late = &mut self.late;
        let mut visit = |x: &mut Exchange<'_>, gives: &dyn Fn(usize) -> f64| {
            let passes = late.iter_mut().zip(rules);
            passes.for_each(|(pass, rule)| sweep.run_one_by_one(pass, rule, x, gives, memory));
        };
        match rigid {
            Some(rigid) => rigid.carry(inverse_masses, x, &mut visit),
            None => visit(&mut exchange(x), &|v| inverse_masses[v]),
        }
    }
}

impl Sweep<'_> {
    /// Visits all elements of an energy that can be projected one by one, in order. `x` tells where a vertex is and moves it, and `gives` how it gives way \[1/kg\].
    fn run_one_by_one(
        &self,
        pass: &mut Pass,
        rule: &Rule,
        x: &mut Exchange<'_>,
        gives: &dyn Fn(usize) -> f64,
        memory: &mut [Memory],
    ) {
        let Source::Energy { batch, .. } = pass.source else { return };
        let energy = self.objective.model.energies()[batch].batch.as_ref();
        let (warm, count) = (&mut memory[batch].warm, pass.colouring.order.len());
        let stride = warm.len().checked_div(count).unwrap_or(0);
        let mut projected = Vec::new();
        for (place, &element) in pass.colouring.order.iter().enumerate() {
            let vertices = energy.operator().stencil(element as usize);
            let mut corners: Vec<Vec3> = vertices.iter().map(|&v| x(v as usize, None)).collect();
            let inverse_masses: Vec<f64> = vertices.iter().map(|&v| gives(v as usize)).collect();
            let multipliers = &mut pass.multipliers[place * pass.rows..(place + 1) * pass.rows];
            let (elements, own) = ([element], element as usize * stride..(element as usize + 1) * stride);
            let mut block = Block {
                elements: &elements,
                corners: &mut corners,
                before: &[],
                inverse_masses: &inverse_masses,
                multipliers,
            };
            apply(energy, &block, &mut projected);
            energy.project_some(&elements, &mut projected, &self.objective.goals[batch], &mut warm[own]);
            correct_energy(energy, self.objective.scales[batch], &mut block, &projected, rule);
            for ((&v, corner), gives) in vertices.iter().zip(&corners).zip(&inverse_masses) {
                if *gives > 0.0 {
                    x(v as usize, Some(*corner));
                }
            }
        }
    }
}
