//! What was prepared for a world grows with it: bodies that come after all others leave all places as they are.

use super::island::BoxedIsland;
use super::local::{PADDING, Point, padding};
use super::prepared::{Prepared, Watch};
use crate::solve::Objective;
use crate::world::islands::Island;
use crate::world::model::Model;

impl Prepared {
    /// Number of islands.
    pub(super) fn island_count(&self) -> usize {
        self.islands.count()
    }

    /// Whether a world begins with all that it was prepared for, and has nothing that would change its places: then it can [`grow`](Self::grow) into it. A
    /// vertex that is held has its place after all free ones.
    pub(super) fn can_grow(&self, model: &Model, specs: &[Island]) -> bool {
        let is_plain = self.watch == Watch::Off && self.general.is_empty() && model.mass().off_diagonal().is_empty();
        let nobody_held = self.order.free == self.order.vertices.len() && model.free().len() == model.rest().len();
        (2..=specs.len()).contains(&self.island_count())
            && is_plain
            && nobody_held
            && model.energies().iter().all(|entry| entry.nature.has_lanes())
            && self.islands.iter().zip(specs).all(|(island, spec)| island.is_at(spec))
    }

    /// Whether it was prepared for this time step, and so were its islands.
    pub(super) fn has_coefficients(&self, objective: &Objective<'_>, specs: &[Island], watch: Watch) -> bool {
        self.islands.iter().zip(specs).all(|(island, spec)| island.fits(objective, spec, watch))
    }

    /// Takes the islands that have come after all others. Places stay, so that nothing is laid out but these.
    pub(super) fn grow(&mut self, objective: &Objective<'_>, specs: &[Island], come: Vec<BoxedIsland>) {
        let model = objective.model;
        for (mut island, spec) in come.into_iter().zip(&specs[self.island_count()..]) {
            let (first, place) = (spec.vertices.start as u32, self.order.vertices.len());
            let vertices = island.order.vertices.iter().map(|&v| first + v);
            self.order.places.resize(place + vertices.len(), 0);
            for (place, v) in (place..).zip(vertices) {
                self.order.vertices.push(v);
                self.order.places[v as usize] = place as u32;
                self.weight.push(objective.inertia * model.mass().diagonal()[v as usize]);
            }
            self.diagonal.extend_from_slice(&island.diagonal);
            self.stiffest = self.stiffest.max(island.stiffest);
            island.settle(spec, place, &self.order);
            self.islands.push(island);
        }
        self.order.free = self.order.vertices.len();
        self.scales.clear();
        self.scales.extend_from_slice(objective.scales);
        self.contact.fit(self.order.free);
        self.target.resize(self.order.free, Point::default());
        self.points.resize(self.order.free + PADDING, Point::default());
        self.points[self.order.free..].iter_mut().zip(padding()).for_each(|(point, padding)| *point = padding);
    }
}
