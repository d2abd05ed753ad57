//! Runs of the engine as files.
//!
//! [`store`] keeps the frames, checkpoints and log of a run in a folder that survives interruption at any moment;
//! [`write`](mod@write) turns a stored run into files that other programs open.

mod atomic;
pub mod store;
pub mod write;
