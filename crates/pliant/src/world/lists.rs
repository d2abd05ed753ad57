//! The long lists of a model, which the next model of a world that only grows takes over.

use std::sync::Arc;

use crate::math::Vec3;
use crate::world::mass::Mass;
use crate::world::model::{BodyInfo, Common, EnergyEntry, Model, ModelParts};
use crate::world::topology::Fabric;

/// What is known of the first vertices of a world from a model that had them too, with the same pins.
pub(crate) struct Known {
    pub(super) free: Vec<u32>,
    /// As many as there are such vertices.
    pub(super) free_index: Vec<u32>,
    pub(super) pinned: Vec<u32>,
    /// Of rest positions.
    bounds: [Vec3; 2],
}

impl Default for Known {
    fn default() -> Self {
        let bounds = [Vec3::INFINITY, Vec3::NEG_INFINITY];
        Self { free: Vec::new(), free_index: Vec::new(), pinned: Vec::new(), bounds }
    }
}

/// The long lists of a model.
#[derive(Default)]
pub(crate) struct Lists {
    pub(crate) bodies: Vec<BodyInfo>,
    pub(crate) rest: Vec<Vec3>,
    pub(crate) mass: Mass,
    pub(crate) fabrics: Vec<Arc<Fabric>>,
    /// Those of bodies, without damping.
    pub(crate) energies: Vec<EnergyEntry>,
    pub(crate) known: Known,
}

impl ModelParts {
    /// Hands over the long lists.
    pub(crate) fn into_lists(self) -> Lists {
        let Self { bodies, rest, mass, fabrics, energies, known, .. } = self;
        Lists { bodies, rest, mass, fabrics, energies, known }
    }

    /// Diagonal of the rest positions \[m\].
    pub(crate) fn rest_diagonal(&self) -> f64 {
        let [low, high] = self.bounds();
        (high - low).length()
    }

    pub(super) fn bounds(&self) -> [Vec3; 2] {
        let come = self.rest.get(self.known.free_index.len()..).unwrap_or_default();
        come.iter().fold(self.known.bounds, |[low, high], p| [low.min(*p), high.max(*p)])
    }
}

impl Model {
    /// Copies of the long lists.
    pub(crate) fn lists(&self) -> Lists {
        let Common { bodies, rest, mass, fabrics, .. } = &*self.common;
        Lists {
            bodies: bodies.clone(),
            rest: rest.clone(),
            mass: mass.clone(),
            fabrics: fabrics.clone(),
            energies: self.energies.iter().filter(|entry| entry.is_of_body()).cloned().collect(),
            known: Known::default(),
        }
    }

    /// Lends the long lists themselves, if no other model shares them. Until it has them back it is good for little.
    pub(crate) fn lend(&mut self) -> Option<Lists> {
        // Those of bodies come first.
        let own = self.energies.iter().take_while(|entry| entry.is_of_body()).count();
        let Common { bodies, rest, mass, fabrics, pinned, bounds, .. } = Arc::get_mut(&mut self.common)?;
        let others = self.energies.split_off(own);
        let (free, free_index) = (std::mem::take(&mut self.free), std::mem::take(&mut self.free_index));
        Some(Lists {
            bodies: std::mem::take(bodies),
            rest: std::mem::take(rest),
            mass: std::mem::take(mass),
            fabrics: std::mem::take(fabrics),
            energies: std::mem::replace(&mut self.energies, others),
            known: Known { free, free_index, pinned: pinned.clone(), bounds: *bounds },
        })
    }

    /// Takes back what it has lent, without the bodies that were added since.
    pub(crate) fn take_back(&mut self, mut lists: Lists) {
        let (count, Some(common)) = (self.vertex_count, Arc::get_mut(&mut self.common)) else { return };
        let Known { mut free, mut free_index, .. } = std::mem::take(&mut lists.known);
        free.truncate(free.partition_point(|&v| (v as usize) < count));
        free_index.truncate(count);
        (self.free, self.free_index) = (free, free_index);
        lists.energies.truncate(self.corner_starts.len() - 1 - self.energies.len());
        lists.energies.append(&mut self.energies);
        lists.rest.truncate(count);
        lists.mass.truncate(count);
        let bodies = lists.bodies.partition_point(|body| body.vertices.end <= count);
        lists.bodies.truncate(bodies);
        lists.fabrics.truncate(bodies);
        let Lists { bodies, rest, mass, fabrics, energies, .. } = lists;
        (common.bodies, common.rest, common.mass, common.fabrics) = (bodies, rest, mass, fabrics);
        self.energies = energies;
    }
}
