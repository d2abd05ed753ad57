//! Rigid bodies: the laws of free motion, contact with colliders, with each other and with what is soft.

mod coupling;
mod free;
mod ground;
mod common;
