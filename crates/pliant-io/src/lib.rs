//! Meshes of other programs, read into Pliant's own.
//!
//! See [`read`] for the formats and an example.

pub mod read;
