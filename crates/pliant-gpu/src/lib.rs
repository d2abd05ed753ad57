//! Solvers of Pliant that run on a GPU.

pub mod device;
mod error;
mod fronts;

pub use error::GpuError;
pub use fronts::{CostModel, DirectSolve};
