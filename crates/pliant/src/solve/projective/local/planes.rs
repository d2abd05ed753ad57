//! Planes that push vertices to one side, vertex by vertex, in f64.

use super::{Order, Point, point};
use crate::energy::Operator;
use crate::math::Vec3;

/// All planes of a model, by the vertices that they push.
#[derive(Debug, Default)]
pub(super) struct Planes {
    /// First plane of each vertex in order, and the end; empty for none.
    starts: Vec<u32>,
    /// (batch, element, weight) of each.
    sources: Vec<(usize, usize, f64)>,
    /// Point and unit normal of each, in this stage.
    planes: Vec<[Point; 2]>,
}

impl Planes {
    pub(super) fn new(batches: &[(usize, &Operator, f64)], order: &Order) -> Self {
        let mut listed: Vec<(u32, (usize, usize, f64))> = Vec::new();
        for &(batch, operator, scale) in batches {
            for e in 0..operator.len() {
                let place = order.places[operator.stencil(e)[0] as usize];
                listed.push((place, (batch, e, scale * operator.weight(e))));
            }
        }
        if listed.is_empty() {
            return Self::default();
        }
        listed.sort_by_key(|&(place, (batch, e, _))| (place, batch, e));
        let mut starts = vec![0u32; order.vertices.len() + 1];
        listed.iter().for_each(|(place, _)| starts[*place as usize + 1] += 1);
        (0..order.vertices.len()).for_each(|k| starts[k + 1] += starts[k]);
        let sources: Vec<_> = listed.into_iter().map(|(_, source)| source).collect();
        Self { starts, planes: vec![[Point::default(); 2]; sources.len()], sources }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.starts.is_empty()
    }

    /// Takes the planes of a stage.
    pub(super) fn set_goals(&mut self, goals: &[Vec<Vec3>]) {
        for (plane, &(batch, e, _)) in self.planes.iter_mut().zip(&self.sources) {
            let [at, normal] = [goals[batch][2 * e], goals[batch][2 * e + 1]];
            *plane = [point(at), point(normal.normalize_or_zero())];
        }
    }

    /// Adds the gradient at one vertex, and its energy.
    #[inline(always)]
    pub(super) fn add(&self, place: usize, x: &Point, gradient: &mut Point, energy: &mut f64) {
        for k in self.starts[place] as usize..self.starts[place + 1] as usize {
            let [at, normal] = &self.planes[k];
            let mut depth = 0.0;
            for c in 0..3 {
                depth += normal[c] * (at[c] - x[c]);
            }
            let depth = if depth > 0.0 { depth } else { 0.0 };
            let weight = self.sources[k].2;
            for c in 0..4 {
                gradient[c] -= weight * depth * normal[c];
            }
            *energy += 0.5 * weight * depth * depth;
        }
    }

    /// Visits the normals and weights of planes that push a vertex.
    pub(super) fn for_pushing(&self, place: usize, x: &Point, mut visit: impl FnMut([f64; 3], f64)) {
        for k in self.starts[place] as usize..self.starts[place + 1] as usize {
            let [at, normal] = &self.planes[k];
            if (0..3).map(|c| normal[c] * (at[c] - x[c])).sum::<f64>() > 0.0 {
                visit([normal[0], normal[1], normal[2]], self.sources[k].2);
            }
        }
    }
}
