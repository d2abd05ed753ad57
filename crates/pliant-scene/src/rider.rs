//! Surfaces that are shown in place of what is simulated.

use std::iter::Sum;
use std::ops::Mul;

use pliant::math::Vec3;
use pliant::mesh::Embedding;
use pliant::{WrinkleError, WrinkleMesh};

/// How the surface that is shown of a body follows it.
#[derive(Debug)]
pub(crate) enum Rider {
    /// By constant weights, on tets. Stored after their vertices.
    Embedded(Embedding),
    /// With wrinkles of its own, on a coarse surface. Stored instead of it: what hangs at its vertices comes first.
    Wrinkled(Box<WrinkleMesh>),
}

impl Rider {
    /// Numbers or vectors at a body's vertices as they are stored.
    pub(crate) fn stored<T>(&self, own: &[T]) -> Vec<T>
    where
        T: Copy + Sum,
        f64: Mul<T, Output = T>,
    {
        match self {
            Self::Embedded(embedding) => own.iter().copied().chain(embedding.apply(own)).collect(),
            Self::Wrinkled(wrinkles) => wrinkles.carried(own),
        }
    }

    /// Positions as they are stored \[m\], of a body that is where it was at the last step.
    pub(crate) fn stored_positions(&self, own: &[Vec3]) -> Vec<Vec3> {
        match self {
            Self::Embedded(_) => self.stored(own),
            Self::Wrinkled(wrinkles) => wrinkles.positions().to_vec(),
        }
    }

    /// Follows the body to where it is now \[m\].
    pub(crate) fn follow(&mut self, own: &[Vec3]) -> Result<(), WrinkleError> {
        match self {
            Self::Embedded(_) => Ok(()),
            Self::Wrinkled(wrinkles) => wrinkles.follow(own).map(drop),
        }
    }

    /// What it goes on from, beside the body's positions.
    pub(crate) fn memory(&self) -> &[Vec3] {
        match self {
            Self::Embedded(_) => &[],
            Self::Wrinkled(wrinkles) => wrinkles.positions(),
        }
    }

    /// Goes on from a memory of as many vectors as it has itself.
    pub(crate) fn resume(&mut self, own: &[Vec3], memory: &[Vec3]) -> Result<(), WrinkleError> {
        match self {
            Self::Embedded(_) => Ok(()),
            Self::Wrinkled(wrinkles) => wrinkles.resume(own, memory),
        }
    }
}
