//! The hair of some bodies in the course of a step: what both the solver of worlds of hair and hair as matter are made of.

use std::borrow::Cow;

use super::chains::{Chains, NONE};
use super::grid::{Grid, Hair};
use super::pass::{Plane, Rules};
use super::style::Style;
use super::{HairGrid, HairStyle};
use crate::contact::Contacts;
use crate::math::Vec3;
use crate::parallel::{self, ByOffsets, Strided};
use crate::world::model::Model;

/// How hair follows and what it keeps.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Manner {
    pub(crate) correction: f64,
    pub(crate) grid: Option<HairGrid>,
    pub(crate) style: Option<HairStyle>,
}

/// Chains with what a step has done to them.
#[derive(Debug)]
pub(crate) struct Comb {
    manner: Manner,
    chains: Chains,
    style: Option<Style>,
    grid: Grid,
    /// Places of entries, and corrections of their lengths in the last solve \[m\].
    packed: Vec<Vec3>,
    corrections: Vec<Vec3>,
}

impl Comb {
    pub(crate) fn new(manner: Manner, model: &Model, chains: Chains) -> Self {
        let style = manner.style.map(|params| Style::new(params, model, &chains));
        let (packed, corrections) = (Vec::new(), Vec::new());
        Self { manner, chains, style, grid: Grid::default(), packed, corrections }
    }

    /// Forgets the corrections of earlier solves, and looks where those have gone that lead.
    pub(crate) fn begin(&mut self, model: &Model, x: &[Vec3]) {
        if let Some(style) = &mut self.style {
            style.follow_leaders(model, x);
        }
        self.corrections.clear();
        self.corrections.resize(self.chains.vertices.len(), Vec3::ZERO);
    }

    /// Combs all hair: it is drawn to its style, and lengths are exact afterwards.
    pub(crate) fn pass(&mut self, x: &mut [Vec3]) {
        let style = self.style.take();
        self.run(style.as_ref(), &[], x);
        self.style = style;
    }

    /// Makes lengths exact again, where something has moved hair since.
    pub(crate) fn pass_lengths(&mut self, x: &mut [Vec3]) {
        self.run(None, &[], x);
    }

    /// The same for the chains that have planes, outside of these.
    pub(crate) fn pass_outside(&mut self, planes: &[Plane], x: &mut [Vec3]) {
        self.run(None, planes, x);
    }

    fn run(&mut self, style: Option<&Style>, planes: &[Plane], x: &mut [Vec3]) {
        let Self { chains, packed, corrections, .. } = self;
        chains.gather(x, packed);
        pass(chains, style, planes, packed, corrections);
        chains.scatter(packed, x);
    }

    /// The half-spaces that colliders leave to vertices of this hair.
    pub(crate) fn planes(&self, contacts: &Contacts<'_>) -> Vec<Plane> {
        let own = |(vertex, normal, target)| Some(Plane { entry: self.chains.entry(vertex)?, normal, target });
        let mut planes: Vec<Plane> = contacts.planes().filter_map(own).collect();
        planes.sort_by_key(|plane| plane.entry);
        planes
    }

    /// What lengths have taken since the solve began, by entry \[m\].
    pub(crate) fn corrections(&mut self) -> &mut [Vec3] {
        &mut self.corrections
    }

    /// Slows leaders by the corrections of their followers, and lets velocities feel the hair around for a time h \[s\].
    pub(crate) fn correct_velocities(&mut self, masses: &[f64], x: &[Vec3], v: &mut [Vec3], h: f64) {
        let Self { manner, chains, corrections, grid, .. } = self;
        let (corrections, scale) = (&*corrections, manner.correction / h);
        if corrections.len() != chains.vertices.len() {
            return;
        }
        let (count, range) = (chains.vertices.len() as u32, chains.range());
        let (entry_of, v) = (chains.entry_of(), &mut v[range.clone()]);
        parallel::for_each(0..v.len(), Strided { entries: &mut *v, stride: 1 }, &|range, part| {
            for (velocity, &entry) in part.entries.iter_mut().zip(&entry_of[range]) {
                // The entry after a tip is the leader of the next chain, which nothing corrects.
                if entry != NONE && entry + 1 < count && chains.lengths[entry as usize + 1] > 0.0 {
                    *velocity -= corrections[entry as usize + 1] * scale;
                }
            }
        });
        if let Some(params) = &manner.grid {
            let is_free = |vertex: usize| entry_of[vertex] != NONE;
            let mut masses = Cow::from(&masses[range.clone()]);
            // What lies between bodies of hair is no hair.
            chains.gaps().iter().for_each(|gap| masses.to_mut()[gap.clone()].fill(0.0));
            let hair = Hair { x: &x[range], masses: &masses, is_free: &is_free };
            grid.meet(params, &hair, v, h);
        }
    }
}

/// One pass over all chains from where the entries wish to be, or over those with planes where there are any; adds what lengths
/// took to the corrections.
fn pass(chains: &Chains, style: Option<&Style>, planes: &[Plane], packed: &mut [Vec3], corrections: &mut [Vec3]) {
    let offsets = &chains.offsets[..];
    let outputs = (ByOffsets { entries: packed, offsets }, ByOffsets { entries: corrections, offsets });
    parallel::for_each(0..chains.len(), outputs, &|range, (places, moved)| {
        let base = places.offsets[0] as usize;
        for chain in range {
            let (from, to) = (offsets[chain] as usize, offsets[chain + 1] as usize);
            let own = &mut places.entries[from - base..to - base];
            let moved = &mut moved.entries[from - base..to - base];
            let below = |entry: usize| planes.partition_point(|plane| (plane.entry as usize) < entry);
            let own_planes = &planes[below(from)..below(to)];
            if own_planes.is_empty() && !planes.is_empty() {
                continue;
            }
            let planes = own_planes;
            let rules = Rules { lengths: &chains.lengths[from..to], planes, first: from as u32 };
            if let Some(style) = style {
                style.apply(chains, chain, own);
            }
            moved.iter_mut().zip(&*own).for_each(|(moved, wanted)| *moved -= *wanted);
            if chains.held[chain] {
                rules.between(own);
            } else {
                rules.forth(own);
            }
            moved.iter_mut().zip(&*own).for_each(|(moved, reached)| *moved += *reached);
            for plane in planes {
                // What the collider pushed is not what the length took.
                let moved = &mut moved[plane.entry as usize - from];
                *moved -= plane.normal * plane.normal.dot(*moved).max(0.0);
            }
        }
    });
}
