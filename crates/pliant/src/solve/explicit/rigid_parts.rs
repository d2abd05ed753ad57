//! Puts the vertices that unstable elements connect back to their rest shape.

use crate::math::{Quat, Vec3, fitted_rotation};
use crate::world::model::Model;

/// A held vertex does not give way: in fits it counts as this many times its mass.
const HELD: f64 = 1e3;

/// Vertices that unstable elements connect.
#[derive(Debug)]
pub(super) struct RigidPart {
    vertices: Vec<u32>,
    masses: Vec<f64>,
    is_free: Vec<bool>,
    /// Places at rest from their centre \[m\].
    places: Vec<Vec3>,
    mass: f64,
}

impl RigidPart {
    pub(super) fn new(model: &Model, vertices: Vec<u32>) -> Self {
        let is_free: Vec<bool> = vertices.iter().map(|&v| model.free_index(v).is_some()).collect();
        let lumped = vertices.iter().map(|&v| model.mass().lumped()[v as usize]);
        let masses: Vec<f64> = lumped.zip(&is_free).map(|(m, free)| if *free { m } else { HELD * m }).collect();
        let mass: f64 = masses.iter().sum();
        let first = model.rest()[vertices[0] as usize];
        let mut places: Vec<Vec3> = vertices.iter().map(|&v| model.rest()[v as usize] - first).collect();
        let centre = places.iter().zip(&masses).fold(Vec3::ZERO, |sum, (p, m)| sum + *p * *m) / mass;
        places.iter_mut().for_each(|place| *place -= centre);
        Self { vertices, masses, is_free, places, mass }
    }

    /// Moves free vertices to where the rest shape fits best: in the metric of masses the nearest, which keeps momentum and angular momentum.
    pub(super) fn straighten(&self, x: &mut [Vec3]) {
        let own = || self.vertices.iter().zip(&self.masses).zip(&self.places);
        let first = x[self.vertices[0] as usize];
        let centre = first + own().fold(Vec3::ZERO, |sum, ((&v, m), _)| sum + (x[v as usize] - first) * *m) / self.mass;
        let arms = own().map(|((&v, m), place)| ((x[v as usize] - centre) * *m, *place));
        // Where a rotation is open, as about a line, it moves nothing.
        let rotation = fitted_rotation(arms, Quat::IDENTITY);
        for (((&v, _), place), is_free) in own().zip(&self.is_free) {
            if *is_free {
                x[v as usize] = centre + rotation * *place;
            }
        }
    }
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
