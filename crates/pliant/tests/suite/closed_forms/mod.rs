//! The engine against closed forms: each test is named after a truth and compares with its number.
//!
//! Tests that take long are ignored in a quick run; `./test full` includes them.
#![allow(clippy::unwrap_used)]

mod cantilever;
mod chain;
pub(crate) mod common;
mod damping;
mod drape;
mod dropped;
mod oscillator;
mod patch;
mod plate;
mod plucked;
mod pressure;
mod strip;
mod support;
mod vibration;
mod wind;
mod wind_meshes;
mod wind_strands;
