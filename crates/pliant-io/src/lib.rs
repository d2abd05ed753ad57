//! Reads meshes, stores runs and exports them.
//!
//! [`read`] reads meshes of other programs. [`store`] keeps the frames, checkpoints and log of a run in a folder that survives
//! interruption at any moment; [`write`](mod@write) turns a stored run into files that other programs open.

mod atomic;
mod axis;
pub mod read;
pub mod store;
pub mod write;

pub use atomic::write_whole;
pub use axis::UpAxis;
