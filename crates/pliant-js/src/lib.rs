//! The compiled half of the JavaScript package `pliant`. The other half, in `package/`, holds what a user describes (meshes, materials, bodies) as
//! plain objects; here they become engine types, and the engine runs.
//!
//! Nothing here computes: what JavaScript needs of the engine, Rust users have too. `cargo run --release -p pliant-js --bin pack` builds the package.
#![cfg(target_arch = "wasm32")]
#![allow(unreachable_pub)] // What JavaScript calls must be public, and no Rust crate sees it.

mod body;
mod collider;
mod core;
mod fault;
mod material;
mod mesh;
mod options;
mod report;
mod scene;
mod settings;
