//! What bodies are made of besides energies: how it moves within a solve, and what it carries from step to step.
//!
//! | file | does |
//! |---|---|
//! | `channels` | named arrays of the state: orientations, spins, rotations of regions, breaks |
//! | `motion` | the share of one kind of matter in a position-based solve |

mod channels;
mod motion;

pub use channels::{Channel, Channels};
pub(crate) use motion::{Iteration, Motion, StageView, motions};

use crate::checkpoint::{Checkpoint, CheckpointError};
use crate::math::Vec3;
use crate::model::Model;
use crate::{matching, oriented, rod};

/// What the matter of a world carries when its vertices are at x and nothing has moved yet.
pub(crate) fn initial(model: &Model, x: &[Vec3]) -> Channels {
    let mut channels = Channels::default();
    matching::initial(model, &mut channels);
    oriented::initial(model, x, &mut channels);
    rod::initial(model, x, &mut channels);
    channels
}

/// What it carries in a checkpoint.
pub(crate) fn restored(model: &Model, saved: &Checkpoint) -> Result<Channels, CheckpointError> {
    let mut channels = Channels::default();
    matching::restore(model, saved, &mut channels)?;
    oriented::restore(model, saved, &mut channels)?;
    rod::restore(model, saved, &mut channels)?;
    Ok(channels)
}
