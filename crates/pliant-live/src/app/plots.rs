//! Energies, residual and milliseconds over the last seconds.

use eframe::egui::{Color32, Ui};
use egui_plot::{Corner, Legend, Line, Plot, PlotPoints};

use super::logic::Series;
use super::theme::{LINES, short};
use crate::protocol::Frame;

/// Seconds of the world that plots show.
const SECONDS: f64 = 10.0;
/// Phases with a line of their own at most.
const PHASES: usize = 8;

/// What plots show.
#[derive(Debug, Clone)]
pub(crate) struct History {
    energies: [Series; 3],
    /// Decimal logarithms.
    residual: Series,
    phases: Vec<(String, Series)>,
    step: Series,
}

impl Default for History {
    fn default() -> Self {
        let series = || Series::of_last(SECONDS);
        Self { energies: [series(), series(), series()], residual: series(), phases: Vec::new(), step: series() }
    }
}

impl History {
    pub(crate) fn add(&mut self, frame: &Frame) {
        let (time, measured) = (frame.time, &frame.measured);
        if let Some(energies) = &measured.energies {
            let values = [energies.kinetic, energies.elastic, energies.gravitational];
            self.energies.iter_mut().zip(values).for_each(|(series, value)| series.add(time, value));
        }
        if let Some(residual) = measured.residual.filter(|&residual| residual > 0.0) {
            self.residual.add(time, residual.log10());
        }
        for (name, milliseconds) in &measured.phases {
            let index = self.phases.iter().position(|(known, _)| known == name);
            if index.is_none() && self.phases.len() < PHASES {
                self.phases.push((name.clone(), Series::of_last(SECONDS)));
            }
            if let Some((_, series)) = self.phases.iter_mut().find(|(known, _)| known == name) {
                series.add(time, *milliseconds);
            }
        }
        // Stored runs do not know.
        if measured.milliseconds > 0.0 {
            self.step.add(time, measured.milliseconds);
        }
    }

    pub(crate) fn clear(&mut self) {
        *self = Self::default();
    }

    /// Shows what there is.
    pub(crate) fn show(&self, ui: &mut Ui) {
        if self.energies.iter().any(|series| !series.is_empty()) {
            let names = ["kinetic", "elastic", "gravitational"];
            plot(ui, "energies [J]", names.into_iter().zip(&self.energies), short);
        }
        if !self.residual.is_empty() {
            let power = |value: f64| format!("1e{}", short(value));
            plot(ui, "residual", [("residual", &self.residual)].into_iter(), power);
        }
        if !self.step.is_empty() {
            let phases = self.phases.iter().map(|(name, series)| (&name[..], series));
            plot(ui, "milliseconds a step", [("all", &self.step)].into_iter().chain(phases), short);
        }
    }
}

fn plot<'a>(
    ui: &mut Ui,
    title: &str,
    lines: impl Iterator<Item = (&'a str, &'a Series)>,
    label: impl Fn(f64) -> String + 'static,
) {
    ui.label(title);
    let plot = Plot::new(title)
        .height(130.0)
        .allow_drag(false)
        .allow_zoom(false)
        .allow_scroll(false)
        .allow_boxed_zoom(false)
        .show_x(false)
        .set_margin_fraction(eframe::egui::vec2(0.0, 0.08))
        .y_axis_min_width(36.0)
        .y_axis_formatter(move |mark, _| label(mark.value))
        .legend(Legend::default().position(Corner::LeftTop).background_alpha(0.6));
    plot.show(ui, |plot| {
        for ((name, series), color) in
            lines.zip(LINES.into_iter().cycle()).filter(|((_, series), _)| !series.is_empty())
        {
            let color: Color32 = color;
            let points: PlotPoints<'_> = series.points().collect();
            plot.line(Line::new(name, points).color(color).width(1.5));
        }
    });
}
