//! Pliant as a page: the live view of `pliant-live` in a browser.
//!
//! The page has two wasm modules, which are this crate with one feature each. `view` draws, and takes what pointers and keys do; `simulation` runs the scene, in a worker,
//! so that drawing never waits for a step. They send each other the messages of `pliant_live::protocol` as bytes. What is around the picture (the gallery, the editor) is plain
//! HTML and JavaScript, in the folder `page`. The program of this crate builds all of it into a folder that any web server can serve.
#![cfg(target_arch = "wasm32")]

mod object;
#[cfg(feature = "simulation")]
pub mod simulation;
#[cfg(feature = "view")]
pub mod view;
