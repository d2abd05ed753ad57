//! Why an export failed.

use std::io;
use std::path::PathBuf;

use pliant::mesh::MeshError;
use thiserror::Error;

use super::ExportFormat;
use crate::store::StoreError;

/// Why an export failed.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ExportError {
    /// The run could not be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The operating system reported an error.
    #[error("cannot write {}: {error}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        #[source]
        error: io::Error,
    },
    /// A file of the run could not be read.
    #[error("cannot read {}: {error}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        #[source]
        error: io::Error,
    },
    /// The file about the fluids of a run says something else.
    #[error("{} does not say what the fluids of the run are", path.display())]
    BadFluids {
        /// The file.
        path: PathBuf,
    },
    /// A frame in the range is damaged.
    #[error("frame {frame} of the range is damaged; choose a range without it ({reason})")]
    DamagedFrame {
        /// The frame.
        frame: u64,
        /// What is wrong with it.
        reason: String,
    },
    /// The range has no frames.
    #[error("the run in {} has no frames in the range {range}", path.display())]
    NoFrames {
        /// The run.
        path: PathBuf,
        /// The requested value.
        range: String,
    },
    /// There is no body of this name.
    #[error("there is no body {name:?}; there are {known}")]
    NoSuchBody {
        /// The name.
        name: String,
        /// The existing names.
        known: String,
    },
    /// No body was chosen.
    #[error("no body is chosen")]
    NoBodies,
    /// The scale is not usable.
    #[error("the scale is {0}, but must be positive and finite")]
    BadScale(f64),
    /// The stride of frames is not usable.
    #[error("every is {0}, but must be at least 1")]
    BadStride(u64),
    /// The format does not support the axis.
    #[error("{format} has {axes} up; omit the axis or choose that")]
    UpAxis {
        /// The format.
        format: ExportFormat,
        /// The axes that it supports.
        axes: &'static str,
    },
    /// Colliders, texture coordinates and normals are not written to the format.
    #[error("colliders, texture coordinates and normals are written to glb and usda only, not to {format}")]
    Extras {
        /// The format.
        format: ExportFormat,
    },
    /// A solid without a valid boundary.
    #[error("body {body:?} has no boundary: {error}")]
    Boundary {
        /// The body.
        body: String,
        /// What is wrong.
        #[source]
        error: MeshError,
    },
    /// A number does not fit into the format's single precision.
    #[error("{name} of vertex {vertex} in frame {frame} is {value} after scaling, too large for {format}")]
    OutOfRange {
        /// The format.
        format: ExportFormat,
        /// Position or velocity.
        name: &'static str,
        /// The frame.
        frame: u64,
        /// The vertex, as the run numbers it.
        vertex: u32,
        /// The coordinate.
        value: f64,
    },
    /// The file would be larger than the format can be.
    #[error("{format} cannot hold {count} {name}; {limit} is the limit, so choose fewer frames or bodies")]
    TooLarge {
        /// The format.
        format: ExportFormat,
        /// What is counted.
        name: &'static str,
        /// Their number in the file.
        count: u64,
        /// The limit.
        limit: u64,
    },
    /// The mesh changes, which the format does not support.
    #[error(
        "bodies tear, are cut, come or go at frame {frame}, and {format} carries one mesh for all frames; export up to frame {last} \
         only, or to obj, ply, vtu or usda, which carry a mesh that changes"
    )]
    ChangingTopology {
        /// The format.
        format: ExportFormat,
        /// The first of the frames with another mesh.
        frame: u64,
        /// The frame before it.
        last: u64,
    },
    /// The surface of a fluid is a different mesh in every frame, which the format does not support.
    #[error(
        "the surface of fluid {body:?} is a different mesh in every frame, and {format} carries one mesh for all frames; export the \
         surface to obj, ply, vtu or usda, or the fluid's particles"
    )]
    ChangingFluid {
        /// The format.
        format: ExportFormat,
        /// The fluid.
        body: String,
    },
    /// A surface could not be made.
    #[error("fluid {body:?} has no surface: {error}")]
    FluidSurface {
        /// The fluid.
        body: String,
        /// What is wrong.
        #[source]
        error: MeshError,
    },
    /// Times do not increase.
    #[error("frame {frame} is at {time} s, not after {before} s of the frame before it")]
    TimeOrder {
        /// The frame.
        frame: u64,
        /// Its time \[s\].
        time: f64,
        /// Time of the frame before it \[s\].
        before: f64,
    },
}
