//! Jacobi's way: all constraints at the same positions, and each vertex moves by the mean of what they ask for.

use super::passes::Pass;
use crate::math::Vec3;
use crate::parallel::{self, Strided};

/// For each vertex the corners that it is moved by.
#[derive(Debug)]
pub(super) struct Means {
    starts: Vec<u32>,
    corners: Vec<u32>,
    pub(super) movements: Vec<Vec3>,
    /// n/m of a vertex in n constraints \[1/kg\].
    pub(super) split_masses: Vec<f64>,
}

impl Means {
    pub(super) fn new(passes: &[Pass], inverse_masses: &[f64]) -> Self {
        let vertices = || passes.iter().flat_map(Pass::corner_vertices).copied();
        let mut starts = vec![0u32; inverse_masses.len() + 1];
        vertices().for_each(|v| starts[v as usize + 1] += 1);
        (1..starts.len()).for_each(|v| starts[v] += starts[v - 1]);
        let mut next = starts.clone();
        let mut corners = vec![0; starts[starts.len() - 1] as usize];
        for (corner, v) in (0u32..).zip(vertices()) {
            corners[next[v as usize] as usize] = corner;
            next[v as usize] += 1;
        }
        let count = |v: usize| f64::from(starts[v + 1] - starts[v]);
        let split_masses = (0..inverse_masses.len()).map(|v| inverse_masses[v] * count(v)).collect();
        Self { movements: vec![Vec3::ZERO; corners.len()], starts, corners, split_masses }
    }

    /// Moves each vertex by the mean of its corners.
    pub(super) fn apply(&self, x: &mut [Vec3]) {
        parallel::for_each(0..x.len(), Strided { entries: x, stride: 1 }, &|range, part| {
            for (x, v) in part.entries.iter_mut().zip(range) {
                let own = &self.corners[self.starts[v] as usize..self.starts[v + 1] as usize];
                if !own.is_empty() {
                    let sum = own.iter().fold(Vec3::ZERO, |sum, &corner| sum + self.movements[corner as usize]);
                    *x += sum / own.len() as f64;
                }
            }
        });
    }
}
