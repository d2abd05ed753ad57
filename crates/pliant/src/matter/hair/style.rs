//! Hair that keeps its style: waves, curls and partings of the rest shape [Han 2012; as in the survey's §4 for other bodies].
//!
//! Local: each segment is drawn to where it would be if its strand were as curved as at rest. With R the rotation that took the segment
//! before it from its rest direction to its direction now, the segment's goal is R e, e its rest vector; so a curl travels with what it
//! hangs from. Both ends of a segment move by half: were it the follower alone, each vertex would shake the next harder than it was
//! shaken itself, and long strands would never come to rest. Global: each vertex is drawn to its place at rest, carried along
//! by the leaders of its body. Lengths are made exact afterwards.
//!
//! Stiffnesses are the shares of the way that are gone in one step, as in position-based dynamics: they are no material's,
//! and with a shorter step the hair is stiffer.

use super::chains::Chains;
use crate::math::{Quat, RigidFit, Vec3};
use crate::world::model::Model;

/// How hair keeps its rest shape.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct HairStyle {
    /// Share of the way to the locally right direction that a vertex goes in an iteration, 0 to 1.
    pub local: f64,
    /// Iterations over the strand of that, in a step.
    pub iterations: usize,
    /// Share of the way to its place at rest that a vertex goes in a step, 0 to 1.
    pub global: f64,
    /// Share of each strand, from the root, that keeps its place at rest, 0 to 1.
    pub global_range: f64,
}

/// The style of hair.
#[derive(Debug)]
pub(super) struct Style {
    params: HairStyle,
    /// For each entry its vertex at rest \[m\].
    rest: Vec<Vec3>,
    /// For each body the vertices that lead, and where they have carried it.
    leaders: Vec<Vec<u32>>,
    carried: Vec<RigidFit>,
    /// For each chain the place of its body among these.
    bodies: Vec<u32>,
}

impl Style {
    pub(super) fn new(params: HairStyle, model: &Model, chains: &Chains) -> Self {
        let rest = chains.vertices.iter().map(|&v| model.rest()[v as usize]).collect();
        let (leaders, bodies) = (chains.leaders.clone(), chains.bodies.clone());
        Self { params, rest, leaders, carried: Vec::new(), bodies }
    }

    /// Looks where the leaders are.
    pub(super) fn follow_leaders(&mut self, model: &Model, x: &[Vec3]) {
        self.carried.clear();
        let fit =
            |leaders: &Vec<u32>| RigidFit::new(leaders.iter().map(|&v| (model.rest()[v as usize], x[v as usize], 1.0)));
        self.carried.extend(self.leaders.iter().map(fit));
    }

    /// Moves the entries of a chain, but not those that are pinned.
    pub(super) fn apply(&self, chains: &Chains, chain: usize, places: &mut [Vec3]) {
        let carried = &self.carried[self.bodies[chain] as usize];
        let (first, last) = (chains.offsets[chain] as usize, places.len() - 1);
        let is_pinned = |k: usize| k == 0 || (k == last && chains.held[chain]);
        let HairStyle { local, iterations, global, global_range } = self.params;
        for k in (1..=last).filter(|&k| !is_pinned(k) && chains.shares[first + k] <= global_range) {
            let goal = carried.place(self.rest[first + k]);
            places[k] += (goal - places[k]) * global;
        }
        if local == 0.0 {
            return;
        }
        let edge = |k: usize| self.rest[first + k] - self.rest[first + k - 1];
        for _ in 0..iterations {
            let mut rotation = carried.rotation;
            for k in 1..=last {
                if k > 1 {
                    let (goal, now) = (rotation * edge(k - 1), places[k - 1] - places[k - 2]);
                    if let (Some(goal), Some(now)) = (goal.try_normalize(), now.try_normalize()) {
                        rotation = (Quat::from_rotation_arc(goal, now) * rotation).normalize();
                    }
                }
                let way = (places[k - 1] + rotation * edge(k) - places[k]) * local;
                let share = if is_pinned(k - 1) || is_pinned(k) { 1.0 } else { 0.5 };
                for (end, way) in [(k - 1, -way), (k, way)] {
                    if !is_pinned(end) {
                        places[end] += way * share;
                    }
                }
            }
        }
    }
}
