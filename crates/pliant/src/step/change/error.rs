//! Why a world cannot change.

use thiserror::Error;

use crate::world::error::ModelError;

/// Why a change of a running world was not made. The world has not changed.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum ChangeError {
    /// The world would not be one that can be built.
    #[error(transparent)]
    Model(Box<ModelError>),
    /// What a handle stands for is no longer there.
    #[error("the {what} of handle {slot} is gone")]
    Gone {
        /// What it was.
        what: &'static str,
        /// Number of the handle.
        slot: usize,
    },
    /// No such vertex in the body.
    #[error("body {body:?} has no vertex {vertex}; it has {count}")]
    NoSuchVertex {
        /// Body.
        body: String,
        /// The vertex.
        vertex: u32,
        /// Number of vertices.
        count: usize,
    },
    /// The vertex is not pinned.
    #[error("vertex {vertex} of body {body:?} is not pinned")]
    NotPinned {
        /// Body.
        body: String,
        /// The vertex.
        vertex: u32,
    },
    /// A world has at least one body.
    #[error("body {0:?} is the only one; a world has at least one")]
    LastBody(String),
    /// The body is made of something else.
    #[error("body {body:?} is not made of {wanted}, so its material cannot be replaced by one")]
    OtherSubstance {
        /// Body.
        body: String,
        /// What the new material is for.
        wanted: &'static str,
    },
    /// Energies or constraints that come from elsewhere cannot have other vertex numbers.
    #[error("body {body:?} has {kind:?}, which cannot be renumbered when a body before it leaves")]
    Unsupported {
        /// Body.
        body: String,
        /// Kind of energy or constraint.
        kind: &'static str,
    },
    /// Tears and cuts refer to the bodies of the first model.
    #[error("bodies cannot come, go or change in a world that has been torn or cut")]
    Torn,
    /// An operation that may be undone is under way.
    #[error("bodies and colliders cannot come, go or change within all_or_nothing")]
    WithinAttempt,
}

impl From<ModelError> for ChangeError {
    fn from(error: ModelError) -> Self {
        Self::Model(Box::new(error))
    }
}
