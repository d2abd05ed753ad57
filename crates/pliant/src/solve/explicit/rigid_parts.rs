//! Vertices that unstable elements connect, which are put back to their rest shape.

use crate::contact::RigidShape;
use crate::world::model::Model;

/// The rest shape of some vertices.
pub(super) fn part(model: &Model, vertices: Vec<u32>) -> RigidShape {
    let places = vertices.iter().map(|&v| model.rest()[v as usize] - model.rest()[vertices[0] as usize]).collect();
    RigidShape::new(model, vertices, places)
}

/// Sets of vertices that stencils connect, each ascending, in the order of their first vertices.
pub(super) fn connected<'a>(stencils: impl Iterator<Item = &'a [u32]> + Clone, count: usize) -> Vec<Vec<u32>> {
    // Each vertex points to a smaller one of its set, or to itself.
    let mut smaller: Vec<u32> = (0..count as u32).collect();
    fn root(smaller: &mut [u32], mut v: u32) -> u32 {
        while smaller[v as usize] != v {
            smaller[v as usize] = smaller[smaller[v as usize] as usize];
            v = smaller[v as usize];
        }
        v
    }
    let mut is_in = vec![false; count];
    for stencil in stencils {
        for &v in stencil {
            is_in[v as usize] = true;
            let [a, b] = [stencil[0], v].map(|v| root(&mut smaller, v));
            smaller[a.max(b) as usize] = a.min(b);
        }
    }
    let mut sets: Vec<Vec<u32>> = vec![Vec::new(); count];
    for v in (0..count as u32).filter(|&v| is_in[v as usize]) {
        sets[root(&mut smaller, v) as usize].push(v);
    }
    sets.retain(|set| !set.is_empty());
    sets
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stencils_that_share_a_vertex_are_one_set() {
        let stencils: [&[u32]; 4] = [&[7, 2], &[4, 5, 6], &[9, 7], &[5, 1]];
        assert_eq!(connected(stencils.into_iter(), 11), [vec![1, 4, 5, 6], vec![2, 7, 9]]);
    }
}
