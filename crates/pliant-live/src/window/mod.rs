//! A window of this machine: each simulation runs on a thread of its own, and the window draws what it was last told.

mod files;
mod thread;

use std::path::PathBuf;

use thiserror::Error;

pub use files::Films;
pub use thread::{Opening, ThreadLink};

use crate::app::{LiveApp, Options, PaneSetup, native_options};

/// Why there is no window.
#[derive(Debug, Error)]
pub enum WindowError {
    /// There is no screen to open it on.
    #[error("there is no display: neither DISPLAY nor WAYLAND_DISPLAY is set")]
    NoDisplay,
    /// The system or its graphics driver refused.
    #[error("the window cannot be opened: {0}")]
    Refused(String),
}

/// A simulation to show, and what stands over it.
#[derive(Debug)]
pub struct Show {
    /// What stands over its picture, where there are two.
    pub title: String,
    /// What to open.
    pub opening: Opening,
}

/// Opens a window on one or two simulations, and returns when it is closed. Pictures and films go into a folder.
pub fn show(title: &str, shows: Vec<Show>, folder: PathBuf) -> Result<(), WindowError> {
    if !has_display() {
        return Err(WindowError::NoDisplay);
    }
    let name = title.to_owned();
    let create = move |context: &eframe::CreationContext<'_>| {
        let panes = shows
            .into_iter()
            .map(|show| PaneSetup { title: show.title, link: Box::new(ThreadLink::open(show.opening)) });
        let options = Options {
            save_picture: Some(files::pictures(folder.clone(), name.clone())),
            film: Some(Box::new(Films::new(folder, name))),
        };
        Ok(Box::new(LiveApp::new(context, panes.collect(), options)?) as Box<dyn eframe::App>)
    };
    let opened = eframe::run_native("pliant", native_options(&format!("{title} – Pliant")), Box::new(create));
    opened.map_err(|error| WindowError::Refused(error.to_string()))
}

/// Whether there is a screen. On systems other than those with X11 or Wayland there always is one, or the window says why not.
fn has_display() -> bool {
    let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    !cfg!(all(unix, not(target_os = "macos"))) || is_set("DISPLAY") || is_set("WAYLAND_DISPLAY")
}
