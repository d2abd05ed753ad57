//! What can be wrong with meshes, training data and models of upsampling.

use thiserror::Error;

use crate::math::Vec3;
use crate::mesh::MeshError;

/// Why a fine surface cannot be made from a coarse one, or cannot be learnt.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum UpsampleError {
    /// A mesh is unusable.
    #[error("the {which} mesh: {error}")]
    Mesh {
        /// `"coarse"` or `"fine"`.
        which: &'static str,
        /// What is wrong with it.
        error: MeshError,
    },
    /// A parameter is out of range.
    #[error("{name} is {value}, but must be {need}")]
    BadParameter {
        /// Name of the value.
        name: &'static str,
        /// The given value.
        value: f64,
        /// The required range.
        need: &'static str,
    },
    /// An edge that is to stay sharp does not exist.
    #[error("crease {index} is the edge ({}, {}), which the coarse mesh does not have", edge[0], edge[1])]
    NoSuchEdge {
        /// Which of the creases.
        index: usize,
        /// Its vertices.
        edge: [u32; 2],
    },
    /// A list of positions has the wrong length.
    #[error("{place}: {found} {which} positions were given, but the {which} mesh has {expected} vertices")]
    LengthMismatch {
        /// Which list: of a frame that is shown, or of a frame of the training data.
        place: String,
        /// `"coarse"` or `"fine"`.
        which: &'static str,
        /// The given number.
        found: usize,
        /// The required number.
        expected: usize,
    },
    /// A position is not finite.
    #[error("{place}: {which} vertex {vertex} is at ({}, {}, {})", value.x, value.y, value.z)]
    NonFinite {
        /// Which list: of a frame that is shown, or of a frame of the training data.
        place: String,
        /// `"coarse"` or `"fine"`.
        which: &'static str,
        /// The vertex.
        vertex: usize,
        /// Its position \[m\].
        value: Vec3,
    },
    /// There is not enough to learn from.
    #[error("the training data has {found} frames, but {method} needs {needed} or more")]
    TooFewFrames {
        /// Frames in all sequences.
        found: usize,
        /// The least number.
        needed: usize,
        /// The method.
        method: &'static str,
    },
    /// Nothing is left to learn from when a sequence is left out.
    #[error("the training data has {found} sequences, but leaving one out needs two or more")]
    TooFewSequences {
        /// Sequences in the training data.
        found: usize,
    },
    /// The training data leaves coefficients undetermined.
    #[error(
        "{method} cannot be fitted at fine vertex {vertex}: the {frames} frames do not determine its coefficients; \
         use more varied motion or a regularisation above {regularisation:e}"
    )]
    SingularFit {
        /// The method.
        method: &'static str,
        /// The first such vertex of the fine mesh.
        vertex: usize,
        /// Frames in the training data.
        frames: usize,
        /// The regularisation with which it failed.
        regularisation: f64,
    },
    /// Sequences of the training data have different frame rates, but oscillations need one.
    #[error("sequence {name:?} has {found} s between frames, but the first sequence has {expected} s")]
    FrameTimes {
        /// Name of the sequence.
        name: String,
        /// Its time between frames \[s\].
        found: f64,
        /// That of the first sequence \[s\].
        expected: f64,
    },
    /// Sequences that are compared have different lengths.
    #[error("{found} {what} are compared with {expected}")]
    Comparison {
        /// What is counted.
        what: &'static str,
        /// The given number.
        found: usize,
        /// The number in the reference.
        expected: usize,
    },
    /// The data does not begin like a model.
    #[error("this is not a Pliant upsampling model")]
    NotAModel,
    /// It was written by another version.
    #[error("the upsampling model has version {found}, but this program reads version {expected}")]
    Version {
        /// In the data.
        found: u64,
        /// The supported version.
        expected: u64,
    },
    /// It ends too early, contains an impossible number, or bytes have changed.
    #[error("the upsampling model is damaged: {what}")]
    Damaged {
        /// What is wrong with it.
        what: String,
    },
    /// It was fitted to other meshes.
    #[error(
        "the upsampling model was made for another {which} mesh: from {scene:?}, fingerprint {found:016x} instead of {expected:016x}"
    )]
    OtherMesh {
        /// `"coarse"` or `"fine"`.
        which: &'static str,
        /// The scene that the model was made from, as its provenance says.
        scene: String,
        /// Fingerprint of the mesh that the model was made for.
        found: u64,
        /// Fingerprint of the mesh at hand.
        expected: u64,
    },
    /// What shows the surface in place of the engine has failed.
    #[error("the fine surface could not be shown: {reason}")]
    Elsewhere {
        /// Why.
        reason: String,
    },
    /// A state belongs to another model.
    #[error("the state has {found} numbers, but this model needs {expected}")]
    OtherState {
        /// The given number.
        found: usize,
        /// The required number.
        expected: usize,
    },
}

/// Refuses positions of another number or that are not finite.
pub(super) fn check_positions(
    place: &dyn Fn() -> String,
    which: &'static str,
    positions: &[Vec3],
    expected: usize,
) -> Result<(), UpsampleError> {
    if positions.len() != expected {
        return Err(UpsampleError::LengthMismatch { place: place(), which, found: positions.len(), expected });
    }
    match positions.iter().position(|p| !p.is_finite()) {
        Some(vertex) => Err(UpsampleError::NonFinite { place: place(), which, vertex, value: positions[vertex] }),
        None => Ok(()),
    }
}

/// The value, if it lies in the range.
pub(super) fn in_range(
    name: &'static str,
    value: f64,
    range: impl std::ops::RangeBounds<f64>,
    need: &'static str,
) -> Result<f64, UpsampleError> {
    // NaN lies in no range.
    if range.contains(&value) { Ok(value) } else { Err(UpsampleError::BadParameter { name, value, need }) }
}
