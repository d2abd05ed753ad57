//! Lanes on AVX2 with FMA.
//!
//! No closures and no adaptors here, nor in kernels: they are functions of their own without these instructions, and what is not
//! inlined all the way calls every single operation.

mod double;
mod single;

pub(crate) use double::Avx2F64;
pub(crate) use single::Avx2F32;
