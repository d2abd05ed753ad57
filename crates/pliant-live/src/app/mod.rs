//! The view: pictures that can be touched, with panels, in whatever window or page eframe opens.
//!
//! `logic` has what can be said without a window (cameras, gestures, time series); `pane` holds what one simulation has told; `canvas` draws it; `viewport` is the picture with what lies over
//! it and what pointers do there; `panel`, `plots` and `bar` are what is around it; `saving` makes pictures and films.
//!
//! A window or page makes a [`LiveApp`] in eframe's creator, with a [`Link`] to each simulation:
//!
//! ```no_run
//! use pliant_live::app::{Link, LiveApp, Options, PaneSetup, native_options};
//! use pliant_live::protocol::{Command, Event};
//!
//! struct Nothing;
//! impl Link for Nothing {
//!     fn send(&mut self, _command: Command) {}
//!     fn receive(&mut self) -> Vec<Event> {
//!         Vec::new()
//!     }
//! }
//!
//! # fn main() -> Result<(), eframe::Error> {
//! eframe::run_native(
//!     "nothing",
//!     native_options("nothing"),
//!     Box::new(|context| {
//!         let panes = vec![PaneSetup { title: String::new(), link: Box::new(Nothing) }];
//!         Ok(Box::new(LiveApp::new(context, panes, Options::default())?))
//!     }),
//! )
//! # }
//! ```

mod bar;
mod canvas;
mod icons;
mod live;
mod logic;
mod overlay;
mod pane;
mod panel;
mod places;
mod plots;
mod saving;
mod theme;
mod viewport;

use eframe::egui;
use thiserror::Error;

use crate::protocol::{Command, Event};

pub use live::{HeldVertex, LiveApp, Snapshot};
#[cfg(not(target_arch = "wasm32"))]
pub use theme::native_options;

/// The way to a simulation. It must not block.
pub trait Link {
    /// Sends a command.
    fn send(&mut self, command: Command);

    /// All events that have come since the last call.
    fn receive(&mut self) -> Vec<Event>;

    /// Is told the view to wake, by [`egui::Context::request_repaint`], whenever an event comes. A link that does not do so is asked only while the user does something, or while its
    /// simulation plays.
    fn wake(&mut self, _view: &egui::Context) {}
}

/// A simulation to show.
pub struct PaneSetup {
    /// What stands over its picture, where there are two.
    pub title: String,
    /// The way to it.
    pub link: Box<dyn Link>,
}

/// What becomes of a film.
pub trait Film {
    /// Begins a film of a width and a height in pixels, with a number of frames at a rate \[1/s\]. What is wrong is shown to the user, and no film is made.
    fn begin(&mut self, width: u32, height: u32, frames: usize, rate: f64) -> Result<(), String>;

    /// Takes the next frame: four bytes for each pixel, in rows from the top.
    fn frame(&mut self, rgba: &[u8]) -> Result<(), String>;

    /// Ends it; returns what the user should know, such as where the film is. A film that was given up is not complete.
    fn end(&mut self, is_complete: bool) -> Result<String, String>;
}

/// Where a picture goes: its width, its height, and four bytes for each pixel in rows from the top. Returns what the user should know, such as where the picture is.
pub type SavePicture = Box<dyn FnMut(u32, u32, &[u8]) -> Result<String, String>>;

/// What the view can do besides showing.
#[derive(Default)]
pub struct Options {
    /// Saves pictures; none: there is no button for it.
    pub save_picture: Option<SavePicture>,
    /// Makes films of stored runs; none: there is no button for it.
    pub film: Option<Box<dyn Film>>,
}

/// Why there is no view.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum AppError {
    /// The window has no graphics that we can draw with.
    #[error(
        "the view draws with wgpu, but the window was opened without it: no graphics driver with Vulkan, Metal, Direct3D 12, OpenGL, WebGPU or WebGL 2 was found"
    )]
    NoGraphics,
    /// There is nothing to show, or too much.
    #[error("a view shows one or two simulations, not {0}")]
    Panes(usize),
}
