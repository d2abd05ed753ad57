//! The picture of one simulation, and what pointers do there.

use eframe::egui::{self, Color32, CursorIcon, Event, PointerButton, Rect, Sense, TouchPhase, Ui, pos2};
use glam::DVec2;

use super::logic::{Action, Button, Press, Tool, orbited, panned, zoomed};
use super::pane::Pane;
use crate::draw::Camera;
use crate::protocol::{Command, Thing};

/// The mouse; fingers have larger numbers.
const MOUSE: u64 = 0;
/// Things that are nearer to a line of sight than this are met \[points\].
const NEAR_MOUSE: f64 = 8.0;
const NEAR_FINGER: f64 = 20.0;

/// What the pictures share.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) camera: Camera,
    pub(crate) tool: Tool,
    /// A thing that falls where the next click is.
    pub(crate) dropping: Option<Thing>,
    /// A world was opened, and the camera has not looked at it yet, as the size of the picture was not known.
    pub(crate) must_look: bool,
    /// The size of the picture [points] in which the camera was placed, while nobody has moved it since.
    pub(crate) looked_in: Option<DVec2>,
}

impl Shared {
    pub(crate) fn perform(&mut self, pane: &mut Pane, actions: Vec<Action>) {
        let size = pane.size();
        for action in actions {
            if matches!(action, Action::Orbit(_) | Action::Pan(_) | Action::Zoom(..)) {
                self.looked_in = None;
            }
            match action {
                Action::Orbit(drag) => self.camera = orbited(&self.camera, drag, size.y),
                Action::Pan(drag) => self.camera = panned(&self.camera, drag, size),
                Action::Zoom(factor, place) => {
                    self.camera = zoomed(&self.camera, factor, place, size, pane.scale());
                }
                Action::Frame => self.look_at_all(pane),
                Action::Grab(pointer, place) => {
                    let near = if pointer == MOUSE { NEAR_MOUSE } else { NEAR_FINGER };
                    let radius = near * self.camera.pixel_at(self.camera.target, size);
                    pane.send(Command::Grab { pointer, sight: self.camera.sight(place, size), radius });
                }
                Action::Drag(pointer, place) => pane.drag(&self.camera, pointer, place),
                Action::Release(pointer) => {
                    pane.held.remove(&pointer);
                    pane.send(Command::Release { pointer });
                }
                Action::Cut(places) => {
                    let stroke = places.into_iter().map(|place| self.camera.sight(place, size)).collect();
                    pane.send(Command::Cut { stroke });
                }
            }
        }
    }

    /// Looks at the world as at the beginning.
    pub(crate) fn look_at_all(&mut self, pane: &Pane) {
        let size = pane.size();
        if let Some(layout) = &pane.layout {
            self.camera = Camera::of(&layout.viewpoint, layout.bounds, size.x / size.y.max(1.0));
            self.looked_in = Some(size);
        }
    }

    pub(crate) fn drop_at(&self, pane: &mut Pane, thing: Thing, place: DVec2) {
        let sight = self.camera.sight(place, pane.size());
        pane.send(Command::Drop { thing, sight });
    }
}

/// Shows a picture in a rectangle, and does what pointers do there.
pub(crate) fn show(ui: &mut Ui, rect: Rect, pane: &mut Pane, shared: &mut Shared, is_first: bool) {
    pane.rect = rect;
    let response = ui.allocate_rect(rect, Sense::click_and_drag());
    // A window that gets another shape still shows everything, until the camera is moved by hand.
    let is_reshaped = is_first && shared.looked_in.is_some_and(|size| size != pane.size());
    if (shared.must_look || is_reshaped) && pane.layout.is_some() {
        shared.look_at_all(pane);
        shared.must_look = false;
    }
    take_input(ui, pane, shared, response.contains_pointer());
    let pixels = ui.ctx().pixels_per_point();
    let size = [rect.width(), rect.height()].map(|side| (side * pixels).round().max(1.0) as u32);
    let texture = pane.canvas.show(&shared.camera, size);
    let all = Rect::from_min_max(pos2(0.0, 0.0), pos2(1.0, 1.0));
    ui.painter().image(texture, rect, all, Color32::WHITE);
    if response.contains_pointer() {
        let is_busy = pane.gestures.is_down(MOUSE);
        ui.ctx().set_cursor_icon(match (shared.dropping, shared.tool) {
            (Some(_), _) | (None, Tool::Cut) => CursorIcon::Crosshair,
            _ if !pane.held.is_empty() => CursorIcon::Grabbing,
            _ if is_busy => CursorIcon::Move,
            _ => CursorIcon::Default,
        });
    }
}

/// A place in the picture, as cameras count.
fn inside(pane: &Pane, place: egui::Pos2) -> DVec2 {
    let place = place - pane.rect.min;
    DVec2::new(f64::from(place.x), f64::from(place.y))
}

fn take_input(ui: &Ui, pane: &mut Pane, shared: &mut Shared, is_hovered: bool) {
    let (events, time, any_touches) = ui.input(|input| (input.events.clone(), input.time, input.any_touches()));
    let is_touch = |event: &Event| matches!(event, Event::Touch { .. });
    // The first finger is told a second time as a mouse.
    let has_fingers = any_touches || pane.gestures.has_fingers() || events.iter().any(is_touch);
    let own_layer = ui.layer_id();
    let is_free = |pane: &Pane, place: egui::Pos2| {
        pane.rect.contains(place) && ui.ctx().layer_id_at(place).is_none_or(|layer| layer == own_layer)
    };
    for event in events {
        let actions = match event {
            Event::PointerButton { pos, button, pressed: true, modifiers } if !has_fingers && is_free(pane, pos) => {
                let button = match button {
                    PointerButton::Primary => Button::Left,
                    PointerButton::Secondary => Button::Right,
                    PointerButton::Middle => Button::Middle,
                    _ => continue,
                };
                press(pane, shared, MOUSE, pos, (button, modifiers.shift, time))
            }
            Event::PointerButton { pressed: false, .. } | Event::PointerGone if !has_fingers => pane.gestures.up(MOUSE),
            Event::PointerMoved(pos) if !has_fingers => pane.gestures.moved(MOUSE, inside(pane, pos)),
            Event::Touch { id, phase, pos, .. } => {
                let pointer = id.0.wrapping_add(1).max(1);
                match phase {
                    TouchPhase::Start if is_free(pane, pos) => {
                        press(pane, shared, pointer, pos, (Button::Touch, false, time))
                    }
                    TouchPhase::Start => Vec::new(),
                    TouchPhase::Move => pane.gestures.moved(pointer, inside(pane, pos)),
                    TouchPhase::End | TouchPhase::Cancel => pane.gestures.up(pointer),
                }
            }
            Event::WindowFocused(false) => pane.gestures.cancel(),
            _ => continue,
        };
        shared.perform(pane, actions);
    }
    if is_hovered && !has_fingers {
        let (scroll, zoom, place) =
            ui.input(|input| (input.smooth_scroll_delta, input.zoom_delta(), input.pointer.hover_pos()));
        let factor = f64::from(zoom) * (f64::from(scroll.y) * 0.004).exp();
        if let Some(place) = place.filter(|&place| factor != 1.0 && is_free(pane, place)) {
            let place = inside(pane, place);
            shared.perform(pane, vec![Action::Zoom(factor, place)]);
        }
    }
}

fn press(
    pane: &mut Pane,
    shared: &mut Shared,
    pointer: u64,
    pos: egui::Pos2,
    (button, is_shifted, time): (Button, bool, f64),
) -> Vec<Action> {
    let place = inside(pane, pos);
    if matches!(button, Button::Left | Button::Touch)
        && let Some(thing) = shared.dropping.take()
    {
        shared.drop_at(pane, thing, place);
        return Vec::new();
    }
    let is_touchable = pane.is_touchable();
    pane.gestures.down(pointer, place, Press { button, is_shifted, tool: shared.tool, is_touchable, time })
}
