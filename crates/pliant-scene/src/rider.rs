//! Surfaces that ride along on a body.

use std::iter::Sum;
use std::ops::Mul;

use pliant::math::Vec3;
use pliant::mesh::Embedding;
use pliant::{Simulation, Skin};

/// How a surface follows what is simulated.
#[derive(Debug)]
pub(crate) enum Rider {
    /// By the tets that it is in.
    Tets(Embedding),
    /// By oriented vertices.
    Skin(Skin),
}

impl Rider {
    /// Where the surface is, for vertices of the world at x \[m\].
    pub(crate) fn positions(&self, sim: &Simulation, body: usize, x: &[Vec3]) -> Vec<Vec3> {
        let own = &x[sim.model().bodies()[body].vertices.clone()];
        match self {
            Self::Tets(embedding) => embedding.apply(own),
            Self::Skin(skin) => skin.apply(own, &sim.state().orientations[sim.model().oriented_particles(body)]),
        }
    }

    /// How fast it is, for vertices of the world with velocities \[m/s\].
    pub(crate) fn velocities(&self, sim: &Simulation, body: usize, velocities: &[Vec3]) -> Vec<Vec3> {
        let (own, turns) = (sim.model().bodies()[body].vertices.clone(), sim.model().oriented_particles(body));
        match self {
            // Points follow by constant weights, and so do their velocities.
            Self::Tets(embedding) => embedding.apply(&velocities[own]),
            Self::Skin(skin) => {
                let state = sim.state();
                skin.velocities(&velocities[own], &state.orientations[turns.clone()], &state.angular_velocities[turns])
            }
        }
    }

    /// Numbers or vectors on it, from those at a body's vertices.
    pub(crate) fn mix<T>(&self, own: &[T]) -> Vec<T>
    where
        T: Copy + Sum,
        f64: Mul<T, Output = T>,
    {
        match self {
            Self::Tets(embedding) => embedding.apply(own),
            Self::Skin(skin) => skin.mix(own),
        }
    }
}
