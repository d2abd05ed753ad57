//! Passes that can be one: those of bodies that are alike, so that a hundred bodies take no more dispatches than one.

use std::ops::Range;

use pliant::solve::pbd::Visits;

use super::laws::Elements;

/// Elements of one kind, of one body or of several.
#[derive(Debug)]
pub(super) struct Group {
    pub(super) elements: Elements,
    /// Parts of the elements that lie together, by phases: those of one phase share no vertex that moves.
    pub(super) phases: Vec<Vec<Range<usize>>>,
}

impl Group {
    fn new(elements: Elements, visits: &Visits) -> Self {
        let blocks = |phase: &Range<usize>| visits.blocks[phase.clone()].to_vec();
        Self { elements, phases: visits.phases.iter().map(blocks).collect() }
    }

    /// Takes over elements that share no vertex that moves with those that are here.
    fn append(&mut self, other: Self) {
        let first = self.elements.len();
        self.phases.resize(self.phases.len().max(other.phases.len()), Vec::new());
        for (own, blocks) in self.phases.iter_mut().zip(other.phases) {
            own.extend(blocks.into_iter().map(|block| block.start + first..block.end + first));
        }
        self.elements.corners.extend(other.elements.corners);
        self.elements.numbers.extend(other.elements.numbers);
    }
}

/// All passes of a world, of which as many as possible are one. Those that share a vertex that moves keep their order.
#[derive(Debug)]
pub(super) struct Groups {
    pub(super) all: Vec<Group>,
    /// One more than the number of the last group that each vertex is in.
    last: Vec<usize>,
}

impl Groups {
    pub(super) fn new(vertices: usize) -> Self {
        Self { all: Vec::new(), last: vec![0; vertices] }
    }

    pub(super) fn add(&mut self, elements: Elements, visits: &Visits, moves: impl Fn(u32) -> bool) {
        if elements.len() == 0 {
            return;
        }
        let moving: Vec<u32> = elements.corners.iter().copied().filter(|&v| moves(v)).collect();
        // Before this one there are elements that come before these.
        let first = moving.iter().map(|&v| self.last[v as usize]).max().unwrap_or(0);
        let group = Group::new(elements, visits);
        let like = (first..self.all.len()).find(|&k| self.all[k].elements.law == group.elements.law);
        let number = like.unwrap_or(self.all.len());
        moving.iter().for_each(|&v| self.last[v as usize] = number + 1);
        match self.all.get_mut(number) {
            Some(own) => own.append(group),
            None => self.all.push(group),
        }
    }
}
