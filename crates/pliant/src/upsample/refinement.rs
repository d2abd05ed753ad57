//! From the coarse mesh to the smooth one.

use super::error::UpsampleError;
use crate::math::Vec3;
use crate::mesh::{Edge, TriangleMesh};

/// A fine mesh on a coarse one: each fine vertex follows a few coarse ones, with weights that add up to one.
#[derive(Debug, Clone)]
pub struct Refinement {
    coarse: TriangleMesh,
    fine: TriangleMesh,
}

impl Refinement {
    /// Subdivides by Loop's scheme; `creases` are edges of the coarse mesh that stay sharp, as rims do.
    pub fn loop_subdivision(coarse: &TriangleMesh, levels: u32, creases: &[Edge]) -> Result<Self, UpsampleError> {
        let _ = (coarse, levels, creases);
        todo!("the skeleton has signatures only")
    }

    /// Lays any fine mesh onto a coarse one: each fine vertex follows the nearest point of its subdivision, both at rest.
    pub fn embedded(coarse: &TriangleMesh, fine: &TriangleMesh) -> Result<Self, UpsampleError> {
        let _ = (coarse, fine);
        todo!("the skeleton has signatures only")
    }

    /// The coarse mesh at rest.
    pub fn coarse_mesh(&self) -> &TriangleMesh {
        &self.coarse
    }

    /// The fine mesh at rest.
    pub fn fine_mesh(&self) -> &TriangleMesh {
        &self.fine
    }

    /// Number of coarse and of fine vertices.
    pub fn vertex_counts(&self) -> [usize; 2] {
        [self.coarse.positions.len(), self.fine.positions.len()]
    }

    /// Numbers that distinguish coarse and fine mesh from all others, by topology and shape at rest.
    pub fn fingerprints(&self) -> [u64; 2] {
        todo!("the skeleton has signatures only")
    }

    /// The coarse vertices that a fine one follows, with weights that add up to one.
    ///
    /// # Panics
    /// If there is no such vertex.
    pub fn weights(&self, fine: usize) -> impl Iterator<Item = (u32, f64)> {
        assert!(fine < self.fine.positions.len());
        std::iter::empty()
    }

    /// Writes the smooth surface over these coarse positions \[m\]; at rest it is the fine mesh.
    pub fn smooth(&self, coarse: &[Vec3], out: &mut [Vec3]) -> Result<(), UpsampleError> {
        let _ = (coarse, out);
        todo!("the skeleton has signatures only")
    }
}
