//! Nodes that follow updates of the factor.

use super::super::{Cholesky, Touched};
use super::Packed;
use super::fill::{self, Filling};
use super::layout::{Layout, Node};
use super::rank_one::{RankOne, Vectors};
use crate::math::lanes::{InstructionSet, LaneNumber};
use crate::parallel;

/// Updates of a node after which its numbers are made anew: each adds a rounding, which in f32 is felt.
const fn most_updates<S>() -> usize {
    if size_of::<S>() == size_of::<f32>() { 128 } else { 2_000 }
}
/// Updates whose passes take as long as making a node of few columns anew; more for one of many columns, which takes a
/// time of columns² for each row.
const UPDATES_PER_REFILL: usize = 6;
/// Numbers to change below which threads would take longer to wake than to help.
const LEAST_SHARED: usize = 1 << 18;

/// What was done to a packed factor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Repacked {
    /// Nodes that were updated in place.
    pub updated: usize,
    /// Nodes that were made anew from the factor.
    pub refilled: usize,
}

/// A change going through a node: some of its steps.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Visit {
    node: u32,
    change: u32,
    first_step: u32,
    end_step: u32,
}

impl<S: LaneNumber> Packed<S> {
    /// Follows changes of the factor. Each node has its own numbers, so threads change no bit.
    pub(super) fn repack(&mut self, factor: &Cholesky, changes: &[Touched], in_place: bool) -> Repacked {
        let led_to =
            changes.iter().try_fold(self.state, |state, change| (change.before == state).then_some(change.after));
        if led_to != Some(factor.state) {
            self.refill(factor);
            return Repacked { updated: 0, refilled: self.layout.nodes.len() };
        }
        self.follow(factor, changes, in_place)
    }

    /// Brings the nodes that changes went through to the numbers that the factor has now.
    pub(super) fn follow(&mut self, factor: &Cholesky, changes: &[Touched], in_place: bool) -> Repacked {
        self.state = factor.state;
        let width = self.layout.width;
        let visits = visits(&self.layout, changes);
        let mut jobs = Vec::new();
        let (mut rest, mut at, mut work) = (self.values.as_mut_slice(), 0, 0);
        let mut done = Repacked::default();
        for visits in visits.chunk_by(|a, b| a.node == b.node) {
            let k = visits[0].node as usize;
            let node = &self.layout.nodes[k];
            let count = node.value_count(width);
            let (own, others) = std::mem::take(&mut rest).split_at_mut(node.first_value - at).1.split_at_mut(count);
            (rest, at) = (others, node.first_value + count);
            let updates = &mut self.updates[k];
            let few = visits.len() <= UPDATES_PER_REFILL + node.columns / 2;
            let refills = !in_place || !few || *updates as usize + visits.len() > most_updates::<S>();
            if refills {
                *updates = 0;
                done.refilled += 1;
                work += count * node.columns;
            } else {
                *updates += visits.len() as u32;
                done.updated += 1;
                work += count * visits.len();
            }
            jobs.push(Job { k, visits, values: own, refills });
        }
        let repacking = Repacking { layout: &self.layout, factor, changes, instructions: self.instructions };
        if work < LEAST_SHARED {
            let mut scratch = Scratch::default();
            jobs.into_iter().for_each(|job| repacking.run(job, &mut scratch));
        } else {
            parallel::map(jobs, &|job| repacking.run(job, &mut Scratch::default()));
        }
        done
    }
}

/// Which changes go through which nodes, by node and then by change.
fn visits(layout: &Layout, changes: &[Touched]) -> Vec<Visit> {
    let mut visits: Vec<Visit> = Vec::new();
    for (change, touched) in (0..).zip(changes) {
        let before = visits.len();
        for (step, s) in (0..).zip(&touched.steps) {
            let node = layout.node_of[touched.part][s.supernode];
            match visits[before..].last_mut() {
                // Supernodes of a node that are on a path follow each other on it.
                Some(last) if last.node == node => last.end_step = step + 1,
                _ => visits.push(Visit { node, change, first_step: step, end_step: step + 1 }),
            }
        }
    }
    visits.sort_unstable();
    visits
}

struct Job<'a, S> {
    k: usize,
    visits: &'a [Visit],
    values: &'a mut [S],
    refills: bool,
}

#[derive(Default)]
struct Scratch<S> {
    fill: fill::Scratch,
    vectors: Vectors<S>,
}

struct Repacking<'a> {
    layout: &'a Layout,
    factor: &'a Cholesky,
    changes: &'a [Touched],
    instructions: InstructionSet,
}

impl Repacking<'_> {
    fn run<S: LaneNumber>(&self, job: Job<'_, S>, scratch: &mut Scratch<S>) {
        if job.refills {
            let filling = Filling { layout: self.layout, factor: self.factor };
            return filling.node(job.k, &mut scratch.fill, job.values);
        }
        let node = &self.layout.nodes[job.k];
        for visit in job.visits {
            self.prepare(node, visit, scratch);
            S::dispatch(self.instructions, RankOne::new(node, &mut scratch.vectors, job.values));
        }
    }

    /// Vectors of a change within a node.
    fn prepare<S: LaneNumber>(&self, node: &Node, visit: &Visit, scratch: &mut Scratch<S>) {
        let touched = &self.changes[visit.change as usize];
        let places = &self.layout.places[touched.part];
        let steps = &touched.steps[visit.first_step as usize..visit.end_step as usize];
        let height = node.panels * self.layout.width;
        let vectors = &mut scratch.vectors;
        vectors.clear(node.columns, height);
        let (mut a, mut first_column) = (steps[0].before, node.columns);
        for step in steps {
            let supernode = self.factor.supernode(touched.part, step.supernode);
            let first = places[step.first] as usize - node.start;
            first_column = first_column.min(first);
            let p = &touched.p[step.first_p..step.first_p + supernode.end - step.first];
            for (row, &p) in (first..).zip(p) {
                let before = a;
                a += touched.sign * p * p;
                let scale = (before / a).sqrt();
                // √(a·b) = a·√(b/a).
                vectors.set_column(row, p, scale, -touched.sign * p / (a * scale));
            }
        }
        vectors.set_first(first_column);
        let Some(last) = steps.last() else { return };
        let below = self.factor.supernode(touched.part, last.supernode).below.len();
        let found = &touched.below[last.first_below..last.first_below + below];
        let first = node.first_row + node.columns;
        for (slot, &k) in (node.columns..).zip(&self.layout.row_sources[first..first + below]) {
            vectors.set_below(slot, -touched.sign / a * found[k as usize]);
        }
    }
}
