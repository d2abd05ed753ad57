//! What matter can see of its body and of the world.

use std::ops::Range;

use crate::math::Vec3;
use crate::world::model::{BodyInfo, Model};

/// A body to add to a world, with its own vertex numbers.
#[derive(Debug, Clone, Copy)]
pub struct BodyView<'a> {
    /// Its name.
    pub name: &'a str,
    /// Rest positions \[m\].
    pub rest: &'a [Vec3],
    /// Positions at the start \[m\].
    pub positions: &'a [Vec3],
    /// Velocities at the start \[m/s\].
    pub velocities: &'a [Vec3],
    /// Triangles of its surface.
    pub surface: &'a [[u32; 3]],
    /// Segments of its strands.
    pub segments: &'a [[u32; 2]],
    /// Whether each vertex is pinned.
    pub pinned: &'a [bool],
}

/// Where matter is: a body within a world.
#[derive(Debug, Clone, Copy)]
pub struct Place<'a> {
    /// The world.
    pub model: &'a Model,
    /// Number of the body.
    pub body: usize,
}

impl<'a> Place<'a> {
    /// The body of a number.
    pub(crate) fn new(model: &'a Model, body: usize) -> Self {
        Self { model, body }
    }

    fn info(&self) -> &'a BodyInfo {
        &self.model.bodies()[self.body]
    }

    /// Name of the body.
    pub fn name(&self) -> &'a str {
        &self.info().name
    }

    /// Its vertices among those of the world.
    pub fn vertices(&self) -> Range<usize> {
        self.info().vertices.clone()
    }

    /// Its rest positions \[m\].
    pub fn rest(&self) -> &'a [Vec3] {
        &self.model.rest()[self.vertices()]
    }

    /// Masses of its vertices \[kg\].
    pub fn masses(&self) -> &'a [f64] {
        &self.model.mass().lumped()[self.vertices()]
    }

    /// Triangles of its surface, in its own vertices.
    pub fn surface(&self) -> Vec<[u32; 3]> {
        let first = self.vertices().start as u32;
        self.info().surface.iter().map(|corners| corners.map(|v| v - first)).collect()
    }

    /// Whether each of its vertices is pinned.
    pub fn pinned(&self) -> Vec<bool> {
        self.vertices().map(|v| self.model.free_index(v as u32).is_none()).collect()
    }
}

/// The matter of one type in one body.
#[derive(Debug, Clone)]
pub struct Portion<'a, M> {
    /// Number of the body.
    pub body: usize,
    /// Its vertices among those of the world.
    pub vertices: Range<usize>,
    /// What it is made of.
    pub matter: &'a M,
}
