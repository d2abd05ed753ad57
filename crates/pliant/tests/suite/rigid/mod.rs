//! Rigid bodies: the laws of free motion, contact with colliders, with each other and with what is soft.

#![allow(clippy::unwrap_used)]

mod common;
mod coupling;
mod free;
mod ground;
mod held;
mod projectile;
