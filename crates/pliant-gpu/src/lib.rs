//! Solvers of Pliant that run on a GPU: Vulkan, Metal or DirectX 12, through wgpu.
//!
//! The projective step with its exact, prefactored solve: the matrix is factored once on the CPU, along a tree of separators, and every iteration is then a few
//! dozen kernels on the GPU, without a triangle that would have to be followed entry by entry.
//!
//! ```
//! use pliant::prelude::*;
//! use pliant_gpu::GpuParams;
//! use pliant_gpu::device::Device;
//!
//! # if Device::adapters().is_empty() { return Ok(()) }
//! let mesh = Sheet { columns: 20, rows: 20, ..Sheet::default() }.mesh()?;
//! let cloth = Body::cloth(&mesh, &ClothMaterial::default())?.pin([420, 440]);
//! let mut sim = Simulation::builder().body(cloth).solver(GpuParams::plain(10)).build()?;
//! sim.step()?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod anderson;
mod contact;
pub mod device;
mod error;
mod fluid;
mod fronts;
mod hair;
mod kernels;
mod kinds;
mod layers;
mod local;
mod matching;
mod newton;
mod particles;
mod prepared;
mod resident;
mod self_test;
mod solver;
mod upsample;
mod world;

pub use error::GpuError;
pub use fluid::{
    FluidState, FluidWorld, GpuFluid, MOST_COLLIDERS, PRESSURE_DISPATCHES, PendingFluid, PressureReport, ResidentFluid,
};
pub use fronts::{CostModel, DirectSolve, FactorStorage};
pub use hair::GpuHair;
pub use kinds::{Demands, NotResident, Objections, check_resident, resident};
pub use layers::{GpuLayers, LayerContact, LayersReport};
pub use matching::GpuMatching;
pub use particles::GpuParticles;
pub use resident::{HostSide, PendingPositions, PendingState, ResidentState, ResidentWorld};
pub use self_test::{Comparison, SelfCheck, SelfTest, self_test};
pub use solver::{GpuMethod, GpuParams};
pub use upsample::{GpuUpsampleError, GpuUpsampler};
pub use world::{GpuWorld, GpuWorldError};
