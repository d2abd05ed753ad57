//! Pliant: deformable bodies by projective dynamics.

pub mod math;
mod parallel;
pub mod sparse;
