//! How fast Pliant is, beside the solvers and engines that others use.
//!
//! Timings on a machine that others use too are noisy, so methods are compared within one run: they take turns, and the
//! least and the median time of each are kept. Nothing here asserts a speed; the tests assert that all methods compute the
//! same.
//!
//! `problem` makes the problems, `ours` and the modules behind features solve them, `timing` measures, `peers`, `position_based`, `scaling`,
//! `updates`, `drape`, `fluid`, `attachments`, `matching`, `presets`, `energies`, `newton`, `gpu`, `convergence` and `upsampling` are the measurements, `results` what comes out and `report` the page made of it.

pub mod attachments;
pub mod convergence;
pub mod drape;
pub mod energies;
pub mod equal_time;
mod error;
pub mod fluid;
pub mod frames;
pub mod gpu;
pub mod kernels;
pub mod loops;
pub mod machine;
pub mod matching;
pub mod newton;
pub mod ours;
pub mod peers;
pub mod position_based;
pub mod presets;
pub mod problem;
#[cfg(feature = "rapier")]
pub mod rapier;
#[cfg(feature = "reference")]
pub mod reference;
pub mod report;
pub mod results;
pub mod scaling;
pub mod table;
pub mod timing;
pub mod updates;
pub mod upsampling;

pub use error::BenchError;
