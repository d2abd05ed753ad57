//! All tests of the benchmarks: one program links once.

mod agreement;
mod energies;
mod page;
