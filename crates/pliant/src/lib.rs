//! Pliant: deformable bodies by projective dynamics.

pub mod math;
pub mod mesh;
mod parallel;
pub mod sparse;
