//! Why nothing could be learnt.

use std::path::PathBuf;

use pliant::upsample::UpsampleError;
use pliant::{StepError, WrinkleError};
use pliant_io::store::StoreError;
use thiserror::Error;

use crate::error::SceneError;
use crate::folder::FolderError;

/// What went wrong in training.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum TrainError {
    /// The scene cannot be trained.
    #[error(transparent)]
    Scene(Box<SceneError>),
    /// A step of a motion failed.
    #[error("motion {motion:?}, {which} cloth, frame {frame}: {error}")]
    Step {
        /// The motion.
        motion: String,
        /// `"coarse"` or `"fine"`.
        which: &'static str,
        /// The frame that was to be computed.
        frame: u32,
        /// What went wrong.
        #[source]
        error: Box<StepError>,
    },
    /// The folder of a motion could not be begun or continued.
    #[error(transparent)]
    Folder(Box<FolderError>),
    /// Frames could not be written or read.
    #[error(transparent)]
    Store(Box<StoreError>),
    /// Frames are not those of the motion.
    #[error("{} holds {found} frames of motion {motion:?}, which has {expected}; resume the training", path.display())]
    Unfinished {
        /// The folder.
        path: PathBuf,
        /// The motion.
        motion: String,
        /// Frames that are there.
        found: usize,
        /// Frames that it has.
        expected: usize,
    },
    /// A frame does not have the vertices of both meshes.
    #[error("frame {frame} in {} has {found} vertices, but coarse and fine cloth have {expected}", path.display())]
    Vertices {
        /// The folder.
        path: PathBuf,
        /// The frame.
        frame: u64,
        /// Vertices that it has.
        found: usize,
        /// Vertices that are needed.
        expected: usize,
    },
    /// A model cannot be fitted or shown.
    #[error(transparent)]
    Upsample(Box<UpsampleError>),
    /// A wrinkle mesh, which methods are compared with, cannot be made.
    #[error(transparent)]
    Wrinkles(Box<WrinkleError>),
}

/// Errors are large, and what succeeds should not carry room for them.
macro_rules! boxed {
    ($($variant:ident: $error:ty),*) => {
        $(impl From<$error> for TrainError {
            fn from(error: $error) -> Self {
                Self::$variant(Box::new(error))
            }
        })*
    };
}

boxed!(Scene: SceneError, Folder: FolderError, Store: StoreError, Upsample: UpsampleError, Wrinkles: WrinkleError);
