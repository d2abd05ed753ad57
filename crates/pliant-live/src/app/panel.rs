//! Buttons and sliders.

use eframe::egui::{Button, CollapsingHeader, ComboBox, RichText, Slider, Ui, vec2};
use glam::DVec3;

use super::icons::{self, Icon};
use super::logic::{Tool, faster, slower};
use super::pane::Pane;
use super::places;
use super::theme::short;
use crate::protocol::{Change, Coloring, Command, Controls, Thing};

/// Bodies with a slider of their own at first; more are behind a header.
const FEW_BODIES: usize = 6;

/// What a button asks for.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Request {
    /// Of all simulations.
    All(Command),
    /// Of the one whose sliders are shown.
    One(Command),
    Tool(Tool),
    /// A thing falls where the next click is.
    Drop(Thing),
    FrameAll,
    Save,
    Film,
    CancelFilm,
    Help,
    Panel,
    Select(usize),
    /// Goes some frames of a stored run forwards or back.
    Skip(isize),
}

/// What the panel shows besides a pane.
#[derive(Debug, Clone)]
pub(crate) struct PanelView {
    pub(crate) titles: Vec<String>,
    pub(crate) selected: usize,
    pub(crate) tool: Tool,
    pub(crate) dropping: Option<Thing>,
    pub(crate) can_save: bool,
    pub(crate) can_film: bool,
    pub(crate) film: Option<f32>,
    /// Height of buttons.
    pub(crate) button: f32,
}

pub(crate) fn show(ui: &mut Ui, view: &PanelView, pane: &mut Pane, requests: &mut Vec<Request>) {
    if view.button > 40.0 {
        ui.spacing_mut().interact_size.y = 36.0;
        ui.spacing_mut().item_spacing.y = 9.0;
        ui.spacing_mut().slider_width = (ui.available_width() - 190.0).clamp(110.0, 400.0);
    }
    if view.titles.len() > 1 {
        ui.horizontal_wrapped(|ui| {
            for (number, title) in view.titles.iter().enumerate() {
                if ui.selectable_label(number == view.selected, title).clicked() {
                    requests.push(Request::Select(number));
                }
            }
        });
    }
    let (history, player) = (pane.history.clone(), pane.player.is_some());
    let Some(controls) = &mut pane.controls else {
        ui.label("waiting for the simulation");
        return;
    };
    ui.horizontal(|ui| run_buttons(ui, controls, player, view.button, requests));
    speed(ui, controls, view.button, requests);
    if controls.is_touchable {
        touch(ui, view, requests);
    }
    ui.separator();
    coloring(ui, controls, requests);
    world(ui, controls, player, requests);
    solver(ui, controls, requests);
    bodies(ui, controls, requests);
    ui.separator();
    CollapsingHeader::new("plots").default_open(view.button < 40.0).show(ui, |ui| history.show(ui));
    ui.separator();
    pictures(ui, view, player, requests);
}

pub(crate) fn run_buttons(ui: &mut Ui, controls: &Controls, is_stored: bool, size: f32, requests: &mut Vec<Request>) {
    if is_stored && icons::button(ui, Icon::Previous, "previous frame", size, false).clicked() {
        requests.push(Request::Skip(-1));
    }
    let (icon, name) = if controls.playing { (Icon::Pause, "stand still") } else { (Icon::Play, "run") };
    if icons::button(ui, icon, name, size, controls.playing).clicked() {
        requests.push(Request::All(Command::Play(!controls.playing)));
    }
    let name = if is_stored { "next frame" } else { "one step" };
    if icons::button(ui, Icon::Next, name, size, false).clicked() {
        requests.push(if is_stored { Request::Skip(1) } else { Request::All(Command::Step) });
    }
    if icons::button(ui, Icon::Reset, "begin anew", size, false).clicked() {
        requests.push(Request::All(Command::Reset));
    }
}

fn speed(ui: &mut Ui, controls: &mut Controls, size: f32, requests: &mut Vec<Request>) {
    ui.horizontal(|ui| {
        let side = size.min(36.0);
        let mut wanted = None;
        if icons::button(ui, Icon::Slower, "slower", side, false).clicked() {
            wanted = Some(slower(controls.speed));
        }
        ui.label(format!("{} × real time", short(controls.speed)));
        if icons::button(ui, Icon::Faster, "faster", side, false).clicked() {
            wanted = Some(faster(controls.speed));
        }
        if let Some(speed) = wanted {
            controls.speed = speed;
            requests.push(Request::All(Command::Speed(speed)));
        }
    });
}

fn touch(ui: &mut Ui, view: &PanelView, requests: &mut Vec<Request>) {
    ui.horizontal(|ui| {
        for (tool, icon, name) in
            [(Tool::Hand, Icon::Hand, "hand: drag bodies"), (Tool::Cut, Icon::Cut, "scissors: draw a cut")]
        {
            if icons::button(ui, icon, name, view.button, view.tool == tool && view.dropping.is_none()).clicked() {
                requests.push(Request::Tool(tool));
            }
        }
    });
    ui.horizontal_wrapped(|ui| {
        ui.label("drop a");
        for thing in Thing::ALL {
            let button = Button::selectable(view.dropping == Some(thing), thing.name());
            if ui.add(button).on_hover_text("then click where it falls").clicked() {
                requests.push(Request::Drop(thing));
            }
        }
    });
}

fn coloring(ui: &mut Ui, controls: &mut Controls, requests: &mut Vec<Request>) {
    ui.horizontal(|ui| {
        ui.label("colours");
        let before = controls.coloring;
        ComboBox::from_id_salt("colours").selected_text(before.name()).show_ui(ui, |ui| {
            for choice in Coloring::ALL {
                ui.selectable_value(&mut controls.coloring, choice, choice.name());
            }
        });
        if controls.coloring != before {
            requests.push(Request::One(Command::Color(controls.coloring)));
        }
    });
}

/// A slider with its name; returns whether it was moved.
fn slide(ui: &mut Ui, name: &str, slider: Slider<'_>) -> bool {
    ui.horizontal(|ui| {
        let is_moved = ui.add(slider.custom_formatter(|value, _| short(value))).changed();
        ui.label(name);
        is_moved
    })
    .inner
}

fn world(ui: &mut Ui, controls: &mut Controls, is_stored: bool, requests: &mut Vec<Request>) {
    // Nothing falls in a stored run.
    if is_stored {
        return;
    }
    let mut change = |change| requests.push(Request::One(Command::Change(change)));
    let gravity = DVec3::from(controls.gravity);
    let mut strength = gravity.length();
    let direction = gravity.try_normalize().unwrap_or(DVec3::NEG_Y);
    let mut wanted = None;
    if slide(ui, "gravity", Slider::new(&mut strength, 0.0..=25.0).suffix(" m/s²")) {
        // Without any strength the direction would be lost.
        wanted = Some(strength.max(1e-9) * direction);
    }
    ui.horizontal_wrapped(|ui| {
        let presets = [
            ("down", DVec3::NEG_Y),
            ("up", DVec3::Y),
            ("left", DVec3::NEG_X),
            ("right", DVec3::X),
            ("forward", DVec3::NEG_Z),
            ("back", DVec3::Z),
        ];
        for (name, preset) in presets {
            if ui.selectable_label(direction.dot(preset) > 0.999, name).clicked() {
                wanted = Some(if strength > 1e-6 { strength } else { 9.81 } * preset);
            }
        }
    });
    if let Some(gravity) = wanted {
        controls.gravity = gravity.into();
        change(Change::Gravity(controls.gravity));
    }
    if let Some(wind) = &mut controls.wind {
        let (level, height) = (DVec3::new(wind[0], 0.0, wind[2]), wind[1]);
        let (mut strength, mut angle) = (level.length(), (-level.z).atan2(level.x).to_degrees());
        let mut is_moved = slide(ui, "wind", Slider::new(&mut strength, 0.0..=25.0).suffix(" m/s"));
        is_moved |= slide(ui, "its direction", Slider::new(&mut angle, -180.0..=180.0).suffix("°"));
        if is_moved {
            let (sin, cos) = angle.to_radians().sin_cos();
            let strength = strength.max(1e-9);
            *wind = [strength * cos, height, -strength * sin];
            change(Change::Wind(*wind));
        }
    }
}

fn solver(ui: &mut Ui, controls: &mut Controls, requests: &mut Vec<Request>) {
    let Some((kind, kinds)) = &mut controls.solver else { return };
    let mut change = |change| requests.push(Request::One(Command::Change(change)));
    let before = *kind;
    ui.horizontal(|ui| {
        ui.label("solver");
        let menu = ComboBox::from_id_salt("solver").selected_text(before.name()).show_ui(ui, |ui| {
            for &choice in kinds.iter() {
                places::note(&ui.selectable_value(kind, choice, choice.name()), choice.name());
            }
        });
        places::note(&menu.response, "solver");
    });
    if *kind != before {
        change(Change::Solver(*kind));
    }
    if !controls.solver_text.is_empty() {
        ui.label(RichText::new(&controls.solver_text).small());
    }
    if let Some(iterations) = &mut controls.iterations {
        let most = (*iterations).max(200);
        if slide(ui, "iterations", Slider::new(iterations, 1..=most).logarithmic(true)) {
            change(Change::Iterations(*iterations));
        }
    }
    if controls.substeps > 0 {
        let most = controls.substeps.max(32);
        if slide(ui, "substeps", Slider::new(&mut controls.substeps, 1..=most)) {
            change(Change::Substeps(controls.substeps));
        }
    }
    if controls.is_touchable && slide(ui, "grip", Slider::new(&mut controls.grip, 0.01..=100.0).logarithmic(true)) {
        change(Change::Grip(controls.grip));
    }
}

fn bodies(ui: &mut Ui, controls: &mut Controls, requests: &mut Vec<Request>) {
    let count = controls.bodies.iter().filter(|body| body.stiffness.is_some()).count();
    if count == 0 {
        return;
    }
    ui.separator();
    let header = CollapsingHeader::new("stiffness, compared with the scene").default_open(count <= FEW_BODIES);
    header.show(ui, |ui| {
        for body in &mut controls.bodies {
            let Some(factor) = &mut body.stiffness else { continue };
            if slide(ui, &body.name, Slider::new(factor, 0.01..=100.0).logarithmic(true)) {
                let (body, factor) = (body.name.clone(), *factor);
                requests.push(Request::One(Command::Change(Change::Stiffness { body, factor })));
            }
        }
    });
}

fn pictures(ui: &mut Ui, view: &PanelView, is_stored: bool, requests: &mut Vec<Request>) {
    ui.horizontal_wrapped(|ui| {
        let mut button = |ui: &mut Ui, name: &str, request: Request| {
            if ui.add(Button::new(name).min_size(vec2(0.0, view.button.min(36.0)))).clicked() {
                requests.push(request);
            }
        };
        button(ui, "see everything", Request::FrameAll);
        if view.can_save {
            button(ui, "save picture", Request::Save);
        }
        if view.can_film && is_stored && view.film.is_none() {
            button(ui, "make a film", Request::Film);
        }
        button(ui, "help", Request::Help);
    });
    if let Some(done) = view.film {
        ui.add(eframe::egui::ProgressBar::new(done).text(format!("film: {:.0} %", 100.0 * done)));
        if ui.button("give up the film").clicked() {
            requests.push(Request::CancelFilm);
        }
    }
}
