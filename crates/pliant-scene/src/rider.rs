//! Surfaces that are shown together with the simulated mesh, or in its place.

use std::iter::Sum;
use std::ops::Mul;

use pliant::math::Vec3;
use pliant::matter::{ORIENTATIONS, SPINS};
use pliant::mesh::Embedding;
use pliant::upsample::UpsampleError;
use pliant::{MatchedSkin, Simulation, Skin, WrinkleError, WrinkleMesh};
use thiserror::Error;

use crate::upsampled::Upsampled;

/// How the surface that is shown of a body follows it.
#[derive(Debug)]
pub(crate) enum Rider {
    /// By constant weights, on tets. Stored after their vertices.
    Embedded(Embedding),
    /// By the particles that fill it. Stored after them.
    Matched(MatchedSkin),
    /// By oriented vertices. Stored after them.
    Skin(Skin),
    /// With wrinkles of its own, on a coarse surface. Stored instead of it: what hangs at its vertices comes first.
    Wrinkled(Box<WrinkleMesh>),
    /// With learnt detail. Stored instead of it, as wrinkles are.
    Upsampled(Box<Upsampled>),
}

/// Why a surface cannot follow.
#[derive(Debug, Error)]
pub(crate) enum RiderError {
    #[error(transparent)]
    Wrinkles(#[from] WrinkleError),
    #[error(transparent)]
    Upsample(#[from] UpsampleError),
}

impl Rider {
    /// Numbers or vectors at a body's vertices as they are stored.
    pub(crate) fn stored<T>(&self, own: &[T]) -> Vec<T>
    where
        T: Copy + Sum,
        f64: Mul<T, Output = T>,
    {
        match self {
            Self::Embedded(embedding) => [own, &embedding.apply(own)].concat(),
            Self::Matched(skin) => [own, &skin.mix(own)].concat(),
            Self::Skin(skin) => [own, &skin.mix(own)].concat(),
            Self::Wrinkled(wrinkles) => wrinkles.carried(own),
            Self::Upsampled(surface) => surface.carried(own),
        }
    }

    /// Positions as they are stored, for vertices of the world at x \[m\].
    pub(crate) fn stored_positions(&self, sim: &Simulation, body: usize, x: &[Vec3]) -> Vec<Vec3> {
        let vertices = sim.model().bodies()[body].vertices.clone();
        let own = &x[vertices.clone()];
        match self {
            Self::Matched(skin) => [own, &skin.apply(own)].concat(),
            Self::Skin(skin) => {
                let orientations = sim.state().channels[body].quaternions(ORIENTATIONS);
                [own, &skin.apply(own, orientations)].concat()
            }
            Self::Wrinkled(wrinkles) if *own == sim.positions()[vertices.clone()] => wrinkles.positions().to_vec(),
            Self::Upsampled(surface) if *own == sim.positions()[vertices] => surface.positions().to_vec(),
            Self::Upsampled(surface) => surface.elsewhere(own),
            Self::Embedded(_) | Self::Wrinkled(_) => self.stored(own),
        }
    }

    /// Velocities as they are stored, for vertices of the world with these \[m/s\]. Wrinkles and learnt
    /// detail have none beside those of the coarse surface.
    pub(crate) fn stored_velocities(&self, sim: &Simulation, body: usize, velocities: &[Vec3]) -> Vec<Vec3> {
        let own = &velocities[sim.model().bodies()[body].vertices.clone()];
        match self {
            Self::Matched(skin) => {
                let positions = &sim.positions()[sim.model().bodies()[body].vertices.clone()];
                [own, &skin.velocities(positions, own)].concat()
            }
            Self::Skin(skin) => {
                let channels = &sim.state().channels[body];
                let (orientations, spins) = (channels.quaternions(ORIENTATIONS), channels.vectors(SPINS));
                [own, &skin.velocities(own, orientations, spins)].concat()
            }
            Self::Embedded(_) | Self::Wrinkled(_) | Self::Upsampled(_) => self.stored(own),
        }
    }

    /// Follows the body to where it is now \[m\].
    pub(crate) fn follow(&mut self, own: &[Vec3], sim: &Simulation) -> Result<(), RiderError> {
        match self {
            Self::Embedded(_) | Self::Matched(_) | Self::Skin(_) => Ok(()),
            Self::Wrinkled(wrinkles) => Ok(wrinkles.follow(own).map(drop)?),
            Self::Upsampled(surface) => Ok(surface.follow(own, sim)?),
        }
    }

    /// What it goes on from, beside the body's positions.
    pub(crate) fn memory(&self) -> &[Vec3] {
        match self {
            Self::Embedded(_) | Self::Matched(_) | Self::Skin(_) => &[],
            Self::Wrinkled(wrinkles) => wrinkles.positions(),
            Self::Upsampled(surface) => surface.memory(),
        }
    }

    /// Goes on from a memory of as many vectors as it has itself.
    pub(crate) fn resume(&mut self, own: &[Vec3], memory: &[Vec3], sim: &Simulation) -> Result<(), RiderError> {
        match self {
            Self::Embedded(_) | Self::Matched(_) | Self::Skin(_) => Ok(()),
            Self::Wrinkled(wrinkles) => Ok(wrinkles.resume(own, memory)?),
            Self::Upsampled(surface) => Ok(surface.resume(memory, sim.time())?),
        }
    }
}
