//! Edges between few vertices first [Müller 2008; Wang 2010]: a round on a coarse level reaches as far as many on the mesh.

use super::edges::limit_edges;
use super::{edges_and_cells, inverse_masses, triangles};
use crate::math::Vec3;
use crate::mesh::Hierarchy;
use crate::world::model::Model;

/// Levels above the cells of a model.
pub(crate) fn levels_of(model: &Model, most_levels: usize) -> Hierarchy {
    let inverse_masses = inverse_masses(model);
    let (pairs, cells) = edges_and_cells(model, &inverse_masses);
    let (masses, triangles) = (model.mass().lumped(), triangles(&cells));
    Hierarchy::new(model.rest(), masses, &inverse_masses, &pairs, triangles, &[], most_levels)
}

/// Limits all levels in turn; returns the rounds it took.
pub(super) fn limit_levels(hierarchy: &Hierarchy, most: f64, rounds: usize, x: &mut [Vec3]) -> usize {
    let mut sum = 0;
    let start = x.to_vec();
    for level in hierarchy.levels() {
        sum += limit_edges(&level.links, &level.inverse_masses, [0.0, most], rounds, x);
        if sum == 0 {
            continue;
        }
        for (v, parents) in &level.followers {
            let moved = |parent: u32| x[parent as usize] - start[parent as usize];
            let movement = parents.iter().fold(Vec3::ZERO, |sum, &(parent, weight)| sum + moved(parent) * weight);
            x[*v as usize] += movement;
        }
    }
    sum
}
