//! Pliant: deformable bodies by projective dynamics.

pub mod clock;
pub mod energy;
mod mass;
pub mod math;
pub mod mesh;
mod model;
mod parallel;
pub mod solve;
pub mod sparse;
