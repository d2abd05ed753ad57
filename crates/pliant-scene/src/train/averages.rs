//! Which averages of a fine cloth follow the coarse one [Bergou 2007, §3].
//!
//! Fine vertices are divided into patches, one for each coarse vertex: each belongs to the one that it follows most. The
//! mean of a patch, weighted by mass, is to be where that of the smooth surface is. What has the mean zero in every patch
//! is free: that is the detail.
//!
//! Departure: patches are disjoint (test functions are constant), so that the constraints do not depend on each other.

use pliant::math::Vec3;
use pliant::upsample::Refinement;

/// The patches.
#[derive(Debug, Clone)]
pub(crate) struct Averages {
    /// Vertices of each with their weights, which add up to 1.
    pub(crate) patches: Vec<Vec<(u32, f64)>>,
}

impl Averages {
    /// For fine vertices with these masses \[kg\].
    pub(crate) fn new(refinement: &Refinement, masses: &[f64]) -> Self {
        let [coarse, fine] = refinement.vertex_counts();
        let mut patches = vec![Vec::new(); coarse];
        for vertex in 0..fine {
            // The first of equals, so that the result is the same everywhere.
            let most = refinement.weights(vertex).reduce(|a, b| if b.1 > a.1 { b } else { a });
            if let Some((nearest, _)) = most {
                patches[nearest as usize].push((vertex as u32, masses[vertex]));
            }
        }
        patches.retain(|patch| !patch.is_empty());
        for patch in &mut patches {
            let total: f64 = patch.iter().map(|(_, mass)| mass).sum();
            patch.iter_mut().for_each(|(_, mass)| *mass /= total);
        }
        Self { patches }
    }

    /// Averages of positions or velocities at fine vertices.
    pub(crate) fn of(&self, fine: &[Vec3]) -> Vec<Vec3> {
        self.patches.iter().map(|patch| patch.iter().map(|&(v, weight)| fine[v as usize] * weight).sum()).collect()
    }
}
