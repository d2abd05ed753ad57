//! A window of this machine: each simulation runs on a thread of its own, and the window draws what it was last told.

mod files;
mod thread;
mod trace;

use std::path::PathBuf;

use thiserror::Error;

pub use files::Films;
pub use thread::{Opening, ThreadLink};
use trace::Traced;

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

/// Where a window writes.
#[derive(Debug, Clone)]
pub struct Files {
    /// Folder of pictures and films.
    pub folder: PathBuf,
    /// A file that is told what the window shows, in a line of JSON whenever that changes: for programs that drive the window, such as tests.
    pub trace: Option<PathBuf>,
}

/// Opens a window on one or two simulations, and returns when it is closed.
pub fn show(title: &str, shows: Vec<Show>, files: Files) -> Result<(), WindowError> {
    if !has_display() {
        return Err(WindowError::NoDisplay);
    }
    let name = title.to_owned();
    let create = move |context: &eframe::CreationContext<'_>| {
        let panes = shows
            .into_iter()
            .map(|show| PaneSetup { title: show.title, link: Box::new(ThreadLink::open(show.opening)) });
        let options = Options {
            save_picture: Some(files::pictures(files.folder.clone(), name.clone())),
            film: Some(Box::new(Films::new(files.folder, name))),
        };
        let app = LiveApp::new(context, panes.collect(), options)?;
        Ok(match files.trace {
            Some(path) => Box::new(Traced::new(app, &path)?) as Box<dyn eframe::App>,
            None => Box::new(app),
        })
    };
    let opened = eframe::run_native("pliant", native_options(&format!("{title} – Pliant")), Box::new(create));
    opened.map_err(|error| WindowError::Refused(error.to_string()))
}

/// Whether there is a screen. On systems other than those with X11 or Wayland there always is one, or the window says why not.
fn has_display() -> bool {
    let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    !cfg!(all(unix, not(target_os = "macos"))) || is_set("DISPLAY") || is_set("WAYLAND_DISPLAY")
}
