//! The shared battery over every energy in the list, and each energy's own physical claim.
//!
//! Every property is checked where the energy declares it, on many deformations of its specimens. A failure names the
//! energy, the number of the specimen and the sample.

mod errors;
mod gradients;
mod hessians;
mod invariance;
mod physics;
mod projections;
mod support;
