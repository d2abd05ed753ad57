//! Drawing by wgpu, without a window.
//!
//! `geometry` turns a layout and a frame into numbers (with `surface`: normals), `maps` places depth maps around them, `renderer` sends both to the GPU and draws: first the depth maps,
//! from which soft shadows and the darkening near other things come, then the picture. Light, colours and sky are those of the pictures that Pliant draws on the CPU. Only what WebGL 2 has is used.

mod buffers;
mod camera;
mod color;
mod geometry;
mod maps;
mod pipelines;
mod renderer;
mod surface;
mod target;
mod view;

pub use camera::{Axes, Camera};
pub use color::value_color;
pub use renderer::{Effort, Renderer, best_samples};
pub use target::{FORMAT, Pixels, Reading, Target};
