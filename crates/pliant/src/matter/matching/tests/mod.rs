//! Regions, fits and sums.

mod fast;
mod regions;
mod skin;
