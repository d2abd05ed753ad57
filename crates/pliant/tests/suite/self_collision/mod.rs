//! Surfaces keep apart, rub as Coulomb says, and pass no momentum to the void.

#![allow(clippy::unwrap_used)]

mod apart;
mod common;
mod newton;
mod response;
mod untangling;
