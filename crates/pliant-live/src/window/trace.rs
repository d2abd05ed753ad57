//! What the window shows, told to a program that drives it: a line of JSON whenever it changes.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use eframe::egui::{Ui, Visuals};
use serde_json::{Value, json};

use crate::app::LiveApp;

/// The view, with a file that tells what it shows.
pub(super) struct Traced {
    app: LiveApp,
    file: BufWriter<File>,
    last: Value,
}

impl Traced {
    /// Begins a new file.
    pub(super) fn new(app: LiveApp, path: &Path) -> Result<Self, std::io::Error> {
        Ok(Self { app, file: BufWriter::new(File::create(path)?), last: Value::Null })
    }

    fn tell(&mut self, ui: &Ui) -> Result<(), std::io::Error> {
        let state = self.app.state();
        let held = state.held.iter().map(
            |held| json!({ "body": held.body, "vertex": held.vertex, "place": held.place, "target": held.target }),
        );
        let now = json!({
            "playing": state.playing,
            "step": state.step,
            "notice": state.notice.map(|notice| notice.text),
            "picture": state.picture,
            "held": held.collect::<Vec<_>>(),
            "solver": state.solver.map(|kind| kind.name()),
            "vertices": state.counts[0],
            "triangles": state.counts[1],
            "places": LiveApp::places(ui.ctx()),
            "pixels": ui.ctx().pixels_per_point(),
        });
        if now != self.last {
            writeln!(self.file, "{now}")?;
            self.file.flush()?;
            self.last = now;
        }
        Ok(())
    }
}

impl eframe::App for Traced {
    fn ui(&mut self, ui: &mut Ui, frame: &mut eframe::Frame) {
        self.app.ui(ui, frame);
        // Who reads it may have gone; the window goes on.
        let _ = self.tell(ui);
    }

    fn clear_color(&self, visuals: &Visuals) -> [f32; 4] {
        self.app.clear_color(visuals)
    }
}
