//! Vectors and the small dense linear algebra of the local step.
//!
//! Positions are glam's `f64` vectors, so that they pass to glam-based programs (and collision libraries) without
//! conversion; `[f64; 3]` converts both ways with `into()`.

/// A point, direction or force in three dimensions, double precision.
pub type Vec3 = glam::DVec3;

/// A 3×3 matrix, stored by columns, double precision.
pub type Mat3 = glam::DMat3;
