//! Scene files: bodies, materials, motions and expectations in TOML.
//!
//! A scene is read with its includes and overrides, checked, and built into a [`SceneRun`]. Any error in it becomes one
//! [`SceneError`] that points at the line and column.

#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod attach;
mod body;
mod budget;
mod builtin;
mod collider;
mod course;
mod document;
mod drive;
mod error;
mod expectation;
mod fault;
pub mod folder;
pub mod format;
mod gpu;
mod hair;
mod home;
mod log;
mod look;
mod motion;
mod presence;
mod residence;
mod rider;
mod run;
mod scene;
mod select;
mod sequence;
mod settings;
mod solver;
mod starter;
mod tear;
pub mod train;
mod upsampled;
mod visit;
mod wording;

pub use builtin::{BUILTIN, Builtin};
pub use error::SceneError;
pub use expectation::Verdict;
pub use gpu::{HAS_GPU, NO_GPU};
pub use home::Home;
pub use log::log_entry;
pub use look::{Look, View, Viewpoint};
pub use run::SceneRun;
pub use scene::{Output, Scene};
pub use starter::scene_of_mesh;

/// The JSON Schema of scene files, for editors.
pub fn json_schema() -> String {
    let schema = schemars::schema_for!(format::SceneFile);
    serde_json::to_string_pretty(&schema).unwrap_or_default()
}
