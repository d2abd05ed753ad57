//! The timeline of a stored run, the buttons of a narrow window, and the help.

use eframe::egui::{Align2, Context, Grid, Slider, Ui, Window};

use super::icons::{self, Icon};
use super::logic::{HELP, Player, Tool};
use super::pane::Pane;
use super::panel::{PanelView, Request, run_buttons};
use super::theme::FINGER;

/// A slider over all frames. Returns the place that the hand has moved it to.
pub(crate) fn timeline(ui: &mut Ui, player: &Player) -> Option<usize> {
    let mut place = player.place();
    let last = player.last();
    ui.horizontal(|ui| {
        let time = player.time().map_or(String::new(), |time| format!("{time:.2} s"));
        let label = format!("frame {} of {}   {time}", player.frame().unwrap_or(0), player.last_frame().unwrap_or(0));
        let label_width = 190.0;
        ui.spacing_mut().slider_width = (ui.available_width() - label_width).max(60.0);
        let response = ui.add(Slider::new(&mut place, 0..=last.max(1)).show_value(false));
        ui.label(label);
        response.changed().then_some(place.min(last))
    })
    .inner
}

/// Large buttons at the bottom of a narrow window.
pub(crate) fn buttons(ui: &mut Ui, view: &PanelView, pane: &Pane, is_open: bool, requests: &mut Vec<Request>) {
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = 6.0;
        if let Some(controls) = &pane.controls {
            run_buttons(ui, controls, pane.player.is_some(), FINGER, requests);
            if controls.is_touchable {
                for (tool, icon, name) in [(Tool::Hand, Icon::Hand, "hand"), (Tool::Cut, Icon::Cut, "scissors")] {
                    if icons::button(ui, icon, name, FINGER, view.tool == tool).clicked() {
                        requests.push(Request::Tool(tool));
                    }
                }
            }
        }
        if icons::button(ui, Icon::Panel, "all sliders", FINGER, is_open).clicked() {
            requests.push(Request::Panel);
        }
    });
}

/// What the mouse, fingers and keys do.
pub(crate) fn help(context: &Context, is_open: &mut bool) {
    Window::new("help")
        .open(is_open)
        .anchor(Align2::CENTER_CENTER, [0.0, 0.0])
        .resizable(false)
        .collapsible(false)
        .show(context, |ui| {
            Grid::new("help").num_columns(2).spacing([18.0, 4.0]).show(ui, |ui| {
                for (what, does) in HELP {
                    ui.label(what);
                    ui.label(does);
                    ui.end_row();
                }
            });
        });
}
