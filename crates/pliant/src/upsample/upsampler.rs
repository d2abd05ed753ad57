//! A model that was learnt, and what it shows.

use std::sync::Arc;

use super::error::UpsampleError;
use super::method::Method;
use super::refinement::Refinement;
use super::training::TrainingSet;
use crate::collide::Moving;
use crate::math::Vec3;

/// Where a model comes from: stored with it, and shown with errors.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Provenance {
    /// The scene that the training data was made from.
    pub scene: String,
    /// When, as the caller writes dates.
    pub date: String,
    /// Anything else worth knowing.
    pub notes: String,
}

/// How well a model fits what it was learnt from.
#[derive(Debug, Clone, PartialEq)]
pub struct FitReport {
    /// Frames in the training data.
    pub frames: usize,
    /// Root mean square distance of the smooth surface from the fine one \[m\].
    pub smooth_l2: f64,
    /// Root mean square distance of the model from the fine one \[m\].
    pub l2: f64,
    /// Sequence and frame of each pose that was chosen (WPSD); the rest shape is not listed.
    pub poses: Vec<(usize, usize)>,
}

/// How far a fit has come.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FitProgress {
    /// What is being done.
    pub stage: &'static str,
    /// Share of the whole that is done, 0 to 1.
    pub done: f64,
}

/// A fine surface from a coarse one, learnt from examples.
#[derive(Debug, Clone)]
pub struct Upsampler {
    refinement: Arc<Refinement>,
    method: Method,
    provenance: Provenance,
}

/// What a model remembers from frame to frame (oscillations), and its buffers. One for each mesh that is shown.
#[derive(Debug, Clone)]
pub struct UpsamplerState {}

impl UpsamplerState {
    /// Forgets the motion so far, as before the first frame.
    pub fn reset(&mut self) {}

    /// What is remembered, as numbers for a checkpoint; empty for methods without oscillations.
    pub fn numbers(&self) -> Vec<f64> {
        Vec::new()
    }

    /// Continues from numbers of an earlier state of the same model.
    pub fn restore(&mut self, numbers: &[f64]) -> Result<(), UpsampleError> {
        let _ = numbers;
        todo!("the skeleton has signatures only")
    }
}

impl Upsampler {
    /// Learns detail from examples.
    pub fn fit(
        refinement: &Arc<Refinement>,
        training: &TrainingSet,
        method: &Method,
    ) -> Result<(Self, FitReport), UpsampleError> {
        Self::fit_with(refinement, training, method, &mut |_| {})
    }

    /// As [`fit`](Self::fit), and says how far it has come.
    pub fn fit_with(
        refinement: &Arc<Refinement>,
        training: &TrainingSet,
        method: &Method,
        progress: &mut dyn FnMut(FitProgress),
    ) -> Result<(Self, FitReport), UpsampleError> {
        let _ = (refinement, training, method, progress);
        todo!("the skeleton has signatures only")
    }

    /// Says where the model comes from.
    pub fn with_provenance(self, provenance: Provenance) -> Self {
        Self { provenance, ..self }
    }

    /// Where the model comes from.
    pub fn provenance(&self) -> &Provenance {
        &self.provenance
    }

    /// The meshes.
    pub fn refinement(&self) -> &Arc<Refinement> {
        &self.refinement
    }

    /// The method with its parameters.
    pub fn method(&self) -> &Method {
        &self.method
    }

    /// A state for a mesh that is shown from now on.
    pub fn state(&self) -> UpsamplerState {
        UpsamplerState {}
    }

    /// Writes the fine surface over these coarse positions \[m\]; `seconds` is the time since the last frame of this state, which only
    /// oscillatory modes look at.
    pub fn apply(
        &self,
        state: &mut UpsamplerState,
        coarse: &[Vec3],
        seconds: f64,
        out: &mut [Vec3],
    ) -> Result<(), UpsampleError> {
        let _ = (state, coarse, seconds, out);
        todo!("the skeleton has signatures only")
    }

    /// The model as bytes: version, provenance, fingerprints of both meshes, parameters, numbers and a checksum.
    pub fn to_bytes(&self) -> Vec<u8> {
        todo!("the skeleton has signatures only")
    }

    /// Reads a model; refuses damaged data, other versions, and models for other meshes.
    pub fn from_bytes(bytes: &[u8], refinement: &Arc<Refinement>) -> Result<Self, UpsampleError> {
        let _ = (bytes, refinement);
        todo!("the skeleton has signatures only")
    }
}

/// Moves fine vertices that are nearer to a collider than `thickness` \[m\], at the end of its step, straight out of it, and returns how many.
pub fn push_outside(positions: &mut [Vec3], colliders: &[Moving<'_>], thickness: f64) -> usize {
    let _ = (positions, colliders, thickness);
    todo!("the skeleton has signatures only")
}
