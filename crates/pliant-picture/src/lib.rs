//! Pictures, animations and plots of Pliant simulations, drawn on the CPU: no driver, no window, no system library.
//!
//! ```
//! use pliant::prelude::*;
//! use pliant_picture::{Camera, Ground, RenderOptions, Scene, render};
//!
//! let sheet = Sheet { width: 1.0, height: 1.0, columns: 10, rows: 10, ..Sheet::default() };
//! let cloth = Body::cloth(&sheet.mesh()?, &ClothMaterial::default())?.pin([sheet.vertex(0, 10), sheet.vertex(10, 10)]);
//! let mut sim = Simulation::builder().body(cloth).build()?;
//! for _ in 0..30 {
//!     sim.step()?;
//! }
//! let scene = Scene { ground: Some(Ground::at(-1.2)), ..Scene::of(&sim) };
//! let options = RenderOptions { width: 160, height: 100, ..RenderOptions::default() };
//! let bounds = scene.extent().bounds().ok_or("an empty scene")?;
//! let camera = Camera::framing(&bounds, Vec3::new(-0.4, -0.3, -1.0), options.aspect());
//! let png = render(&scene, &camera, &options)?.to_png()?;
//! assert_eq!(&png[1..4], b"PNG");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`Scene`] → [`render`] → [`Image`] → [`Animation`]; and [`plot::Plot`] → [`Image`] or SVG.

mod animation;
mod bodies;
mod camera;
mod canvas;
mod colliders;
mod color;
mod error;
mod font;
mod image;
mod overlay;
pub mod plot;
mod render;
mod scale;
mod scene;

pub use animation::{Animation, VideoWriter};
pub use bodies::{SeenBody, thickness};
pub use camera::{Camera, Extent};
pub use colliders::{ColliderPart, ColliderSurfaces};
pub use color::{Color, ColorMap, PALETTE};
pub use error::ViewError;
pub use image::Image;
pub use render::{RenderOptions, render};
pub use scale::{quantile, two_digits};
pub use scene::{Ground, Legend, Light, Lines, Mesh, Paint, Pattern, Points, Scene, Sky, Wireframe};
