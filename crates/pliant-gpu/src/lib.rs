//! Solvers of Pliant that run on a GPU.

pub mod device;
mod error;
mod fluid;
mod fronts;

pub use error::GpuError;
pub use fluid::{FluidState, FluidWorld, GpuFluid, MOST_COLLIDERS, PRESSURE_DISPATCHES, PendingFluid, PressureReport};
pub use fronts::{CostModel, DirectSolve};
