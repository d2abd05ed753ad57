//! The view as a whole.

use std::collections::BTreeMap;

use eframe::egui::{
    Align2, Area, CentralPanel, Context, Event, Frame, Id, Margin, Order, Panel, Rect, ScrollArea, Ui, pos2, vec2,
};
use glam::{DVec2, DVec3};

use super::canvas::Canvas;
use super::icons::{self, Icon};
use super::logic::{Action, KeyAction, Rate, Slowness, Tool, action_of};
use super::pane::Pane;
use super::panel::{self, PanelView, Request};
use super::saving::Saving;
use super::viewport::{self, Shared};
use super::{AppError, Options, PaneSetup, bar, overlay, places, theme};
use crate::draw::Camera;
use crate::protocol::{Command, Notice, SolverKind};

/// One or two simulations, side by side, which are looked at from the same place.
pub struct LiveApp {
    panes: Vec<Pane>,
    shared: Shared,
    /// The pane whose sliders are shown.
    selected: usize,
    is_panel_open: bool,
    is_sheet_open: bool,
    is_help_open: bool,
    options: Options,
    saving: Saving,
    drawn: Rate,
    slowness: Slowness,
    is_sliding: bool,
}

/// What the view shows, for tests.
#[derive(Debug, Clone, PartialEq)]
pub struct Snapshot {
    /// The camera.
    pub camera: Camera,
    /// Whether the first simulation plays.
    pub playing: bool,
    /// The number of the frame that the first picture shows.
    pub frame: Option<u64>,
    /// Its step.
    pub step: Option<u64>,
    /// The newest notice that is shown over the first picture.
    pub notice: Option<Notice>,
    /// Where the first picture is \[points\]: left, top, width, height.
    pub picture: [f32; 4],
    /// What pointers hold.
    pub held: Vec<HeldVertex>,
    /// The solver of the first simulation; none in a stored run.
    pub solver: Option<SolverKind>,
    /// How many vertices and triangles there are to draw: cuts and things that come change both.
    pub counts: [usize; 2],
}

/// A vertex that a pointer holds, for tests.
#[derive(Debug, Clone, PartialEq)]
pub struct HeldVertex {
    /// The pointer; 0 is the mouse.
    pub pointer: u64,
    /// The body.
    pub body: String,
    /// The vertex, as frames number them.
    pub vertex: u32,
    /// Where it is in the window \[points\]; none behind the eye.
    pub place: Option<[f32; 2]>,
    /// Where it is pulled \[points\].
    pub target: Option<[f32; 2]>,
}

impl LiveApp {
    /// A view of one or two simulations, in the window or page of an eframe creator.
    pub fn new(
        context: &eframe::CreationContext<'_>,
        panes: Vec<PaneSetup>,
        options: Options,
    ) -> Result<Self, AppError> {
        let state = context.wgpu_render_state.as_ref().ok_or(AppError::NoGraphics)?;
        if panes.is_empty() || panes.len() > 2 {
            return Err(AppError::Panes(panes.len()));
        }
        theme::install(&context.egui_ctx);
        let panes = panes.into_iter().map(|mut setup| {
            setup.link.wake(&context.egui_ctx);
            Pane::new(setup, Canvas::new(state))
        });
        Ok(Self {
            panes: panes.collect(),
            shared: Shared {
                camera: Camera::default(),
                tool: Tool::Hand,
                dropping: None,
                must_look: true,
                looked_in: None,
            },
            selected: 0,
            is_panel_open: true,
            is_sheet_open: false,
            is_help_open: false,
            options,
            saving: Saving::default(),
            drawn: Rate::default(),
            slowness: Slowness::default(),
            is_sliding: false,
        })
    }

    /// What the view shows now, for tests.
    pub fn state(&self) -> Snapshot {
        let pane = &self.panes[0];
        let held = pane.held.iter().map(|(&pointer, held)| HeldVertex {
            pointer,
            body: held.body.clone(),
            vertex: held.vertex,
            place: self.project(held.vertex),
            target: self.in_window(held.target),
        });
        Snapshot {
            camera: self.shared.camera,
            playing: pane.is_playing(),
            frame: pane.frame.as_ref().map(|frame| frame.number),
            step: pane.frame.as_ref().map(|frame| frame.step),
            notice: pane.notices.newest().cloned(),
            picture: [pane.rect.left(), pane.rect.top(), pane.rect.width(), pane.rect.height()],
            held: held.collect(),
            solver: pane.controls.as_ref().and_then(|controls| Some(controls.solver.as_ref()?.0)),
            counts: pane.layout.as_ref().map_or([0; 2], |layout| {
                [layout.vertices as usize, layout.bodies.iter().map(|body| body.triangles.len()).sum()]
            }),
        }
    }

    /// Where buttons and menus were in the last picture of the window \[points\], by name: left, top, width, height. For tests.
    pub fn places(context: &Context) -> BTreeMap<String, [f32; 4]> {
        let sides = |rect: Rect| [rect.left(), rect.top(), rect.width(), rect.height()];
        places::take(context).into_iter().map(|(name, rect)| (name, sides(rect))).collect()
    }

    /// Where a vertex of the first simulation is in the window \[points\]; none behind the eye.
    pub fn project(&self, vertex: u32) -> Option<[f32; 2]> {
        self.in_window(self.panes[0].vertex(vertex)?)
    }

    fn in_window(&self, point: DVec3) -> Option<[f32; 2]> {
        let pane = &self.panes[0];
        let place = self.shared.camera.project(point, pane.size())?;
        Some([pane.rect.left() + place.x as f32, pane.rect.top() + place.y as f32])
    }

    /// Sends a command to all simulations, as the page does for buttons of its own.
    pub fn send(&mut self, command: &Command) {
        self.panes.iter_mut().for_each(|pane| pane.send(command.clone()));
    }

    fn receive(&mut self, time: f64) {
        for number in 0..self.panes.len() {
            let pane = &mut self.panes[number];
            let before = pane.frame.as_ref().map(|frame| frame.number);
            let received = pane.receive(&self.shared.camera, time, self.is_sliding);
            if number == 0 && pane.frame.as_ref().map(|frame| frame.number) != before {
                self.drawn.tick(time);
            }
            self.shared.perform(pane, received.actions);
            self.shared.must_look |= received.is_new_world && number == 0;
        }
    }

    fn view(&self, button: f32) -> PanelView {
        PanelView {
            titles: self.panes.iter().map(|pane| pane.title.clone()).collect(),
            selected: self.selected,
            tool: self.shared.tool,
            dropping: self.shared.dropping,
            can_save: self.options.save_picture.is_some(),
            can_film: self.options.film.is_some(),
            film: self.saving.progress(),
            button,
        }
    }

    fn do_all(&mut self, context: &Context, requests: Vec<Request>, time: f64) {
        for request in requests {
            match request {
                Request::All(command) => self.send(&command),
                Request::One(command) => self.panes[self.selected].send(command),
                Request::Tool(tool) => (self.shared.tool, self.shared.dropping) = (tool, None),
                Request::Drop(thing) => {
                    self.shared.dropping = (self.shared.dropping != Some(thing)).then_some(thing);
                    self.is_sheet_open = false;
                }
                Request::FrameAll => self.shared.look_at_all(&self.panes[0]),
                Request::Save if self.options.save_picture.is_some() => {
                    self.saving.picture(context, &mut self.panes, self.selected, &self.shared.camera);
                }
                Request::Save => {}
                Request::Film => {
                    if let Some(film) = &mut self.options.film {
                        self.saving.shoot(&mut self.panes, self.selected, &self.shared.camera, film.as_mut(), time);
                    }
                }
                Request::CancelFilm => {
                    if let Some(film) = &mut self.options.film {
                        self.saving.cancel(&mut self.panes, film.as_mut(), time);
                    }
                }
                Request::Help => self.is_help_open = !self.is_help_open,
                Request::Panel => {
                    self.is_panel_open = !self.is_panel_open;
                    self.is_sheet_open = !self.is_sheet_open;
                }
                Request::Select(number) => self.selected = number.min(self.panes.len() - 1),
                Request::Skip(by) => self.seek(|player| player.step(by)),
            }
        }
    }

    /// Goes to another frame in all stored runs.
    fn seek(&mut self, go: impl Fn(&mut super::logic::Player) -> Option<u64>) {
        for pane in &mut self.panes {
            let is_playing = pane.is_playing();
            if let Some(frame) = pane.player.as_mut().and_then(&go) {
                if is_playing {
                    pane.send(Command::Play(false));
                }
                pane.send(Command::Seek(frame));
            }
        }
    }

    fn keys(&mut self, ui: &Ui, requests: &mut Vec<Request>) {
        if ui.ctx().egui_wants_keyboard_input() {
            return;
        }
        let events = ui.input(|input| input.events.clone());
        let pointer = ui.input(|input| input.pointer.hover_pos());
        for event in events {
            let Event::Key { key, pressed: true, repeat, modifiers, .. } = event else { continue };
            if modifiers.command || modifiers.ctrl || modifiers.alt {
                continue;
            }
            let Some(action) = action_of(key.name()) else { continue };
            let pane = &mut self.panes[0];
            let (middle, playing) = (0.5 * pane.size(), pane.is_playing());
            match action {
                KeyAction::Orbit(x, y) => self.shared.perform(pane, vec![Action::Orbit(DVec2::new(x, y))]),
                KeyAction::Zoom(factor) => self.shared.perform(pane, vec![Action::Zoom(factor, middle)]),
                KeyAction::Step if pane.player.is_some() => requests.push(Request::Skip(1)),
                KeyAction::Step => requests.push(Request::All(Command::Step)),
                // The others once for each press.
                _ if repeat => {}
                KeyAction::Play => requests.push(Request::All(Command::Play(!playing))),
                KeyAction::Reset => requests.push(Request::All(Command::Reset)),
                KeyAction::Cut => requests.push(Request::Tool(Tool::Cut)),
                KeyAction::Hand => requests.push(Request::Tool(Tool::Hand)),
                KeyAction::Frame => requests.push(Request::FrameAll),
                KeyAction::Save => requests.push(Request::Save),
                KeyAction::Help => requests.push(Request::Help),
                KeyAction::Panel => requests.push(Request::Panel),
                KeyAction::Drop(thing) => {
                    let over = |pane: &&mut Pane| pointer.is_some_and(|place| pane.rect.contains(place));
                    if let Some(pane) = self.panes.iter_mut().find(over).filter(|pane| pane.is_touchable()) {
                        let place = pointer.unwrap_or_default() - pane.rect.min;
                        let place = DVec2::new(f64::from(place.x), f64::from(place.y));
                        self.shared.drop_at(pane, thing, place);
                    }
                }
            }
        }
    }

    fn timeline(&mut self, ui: &mut Ui) {
        let moved = self.panes[0].player.as_ref().and_then(|player| bar::timeline(ui, player));
        if let Some(place) = moved {
            // Runs may have other frames than the first: each goes to the frame of the same number, or the one before.
            let frame = self.panes[0].player.as_ref().and_then(|player| player.frame_at(place));
            self.seek(|player| frame.and_then(|frame| player.seek_to(frame)));
        }
    }

    /// The panel of a wide window.
    fn panel(&mut self, ui: &mut Ui, requests: &mut Vec<Request>) {
        let view = self.view(30.0);
        let pane = &mut self.panes[self.selected];
        let frame = Frame::side_top_panel(ui.style()).inner_margin(Margin::same(10));
        Panel::right("panel").default_size(320.0).min_size(280.0).max_size(520.0).frame(frame).show(ui, |ui| {
            ScrollArea::vertical().auto_shrink([false, false]).show(ui, |ui| panel::show(ui, &view, pane, requests));
        });
    }

    /// The sheet of a narrow window, which lies over the picture.
    fn sheet(&mut self, ui: &Ui, bottom: f32, requests: &mut Vec<Request>) {
        let view = self.view(theme::FINGER);
        let whole = ui.ctx().content_rect();
        let pane = &mut self.panes[self.selected];
        let area = Area::new(Id::unique("sheet"))
            .order(Order::Middle)
            .pivot(Align2::LEFT_BOTTOM)
            .fixed_pos(pos2(whole.left(), bottom))
            .constrain(false);
        area.show(ui.ctx(), |ui| {
            Frame::side_top_panel(ui.style()).inner_margin(Margin::same(12)).show(ui, |ui| {
                ui.set_width(whole.width() - 24.0);
                let height = 0.6 * whole.height();
                ScrollArea::vertical().max_height(height).auto_shrink([false, true]).show(ui, |ui| {
                    panel::show(ui, &view, pane, requests);
                });
            });
        });
    }

    fn pictures(&mut self, ui: &mut Ui, is_narrow: bool, time: f64) {
        let whole = ui.available_rect_before_wrap();
        let count = self.panes.len();
        let gap = if count > 1 { 2.0 } else { 0.0 };
        for (number, pane) in self.panes.iter_mut().enumerate() {
            let share = |low: f32, high: f32| {
                let at = |k: usize| low + (high - low + gap) * k as f32 / count as f32;
                (at(number), at(number + 1) - gap)
            };
            // Two pictures lie below each other where there is no room side by side.
            let rect = if is_narrow {
                let (top, bottom) = share(whole.top(), whole.bottom());
                Rect::from_min_max(pos2(whole.left(), top), pos2(whole.right(), bottom))
            } else {
                let (left, right) = share(whole.left(), whole.right());
                Rect::from_min_max(pos2(left, whole.top()), pos2(right, whole.bottom()))
            };
            viewport::show(ui, rect, pane, &mut self.shared, number == 0);
            overlay::show(ui, pane, &self.shared.camera, &self.drawn, time, count > 1);
            overlay::notices(ui, number, pane, time);
        }
    }

    fn open_button(&self, ui: &Ui, requests: &mut Vec<Request>) {
        let corner = ui.ctx().content_rect().right_bottom() - vec2(10.0, 10.0);
        let area =
            Area::new(Id::unique("open panel")).order(Order::Middle).pivot(Align2::RIGHT_BOTTOM).fixed_pos(corner);
        area.show(ui.ctx(), |ui| {
            if icons::button(ui, Icon::Panel, "panel (P)", 34.0, self.is_panel_open).clicked() {
                requests.push(Request::Panel);
            }
        });
    }
}

impl eframe::App for LiveApp {
    fn ui(&mut self, ui: &mut Ui, _frame: &mut eframe::Frame) {
        let context = ui.ctx().clone();
        let time = ui.input(|input| input.time);
        self.receive(time);
        self.saving.go_on(&context, &mut self.panes, &mut self.options, time);
        let mut requests = Vec::new();
        self.keys(ui, &mut requests);
        let is_narrow = context.content_rect().width() < theme::NARROW;
        let has_timeline = self.panes[0].player.is_some();
        let mut bottom = context.content_rect().bottom();
        if is_narrow {
            let view = self.view(theme::FINGER);
            let response = Panel::bottom("buttons").show(ui, |ui| {
                ui.add_space(6.0);
                bar::buttons(ui, &view, &self.panes[self.selected], self.is_sheet_open, &mut requests);
                ui.add_space(6.0);
            });
            bottom = response.response.rect.top();
        } else if self.is_panel_open {
            self.panel(ui, &mut requests);
        }
        if has_timeline {
            Panel::bottom("timeline").show(ui, |ui| {
                ui.add_space(4.0);
                self.timeline(ui);
                ui.add_space(4.0);
            });
        }
        CentralPanel::no_frame().show(ui, |ui| self.pictures(ui, is_narrow, time));
        if is_narrow && self.is_sheet_open {
            self.sheet(ui, bottom, &mut requests);
        }
        if !is_narrow && !self.is_panel_open {
            self.open_button(ui, &mut requests);
        }
        bar::help(&context, &mut self.is_help_open);
        // A slider is in the hand while something other than a picture is dragged.
        self.is_sliding = context.dragged_id().is_some()
            && self.panes.iter().all(|pane| !pane.gestures.has_fingers() && !pane.gestures.is_down(0));
        self.do_all(&context, requests, time);
        // Only while every picture follows the one before.
        let seconds = ui.input(|input| f64::from(input.unstable_dt));
        if self.panes[0].is_playing() && seconds < 2.0 && self.slowness.is_clear_after(seconds) {
            self.panes.iter_mut().for_each(|pane| pane.canvas.spare_effort());
        }
        let is_moving = self.panes.iter().any(Pane::is_playing);
        let is_fading = self.panes.iter_mut().any(|pane| !pane.notices.at(time).is_empty());
        if is_moving {
            context.request_repaint();
        } else if is_fading {
            context.request_repaint_after(std::time::Duration::from_millis(100));
        }
    }

    fn clear_color(&self, visuals: &eframe::egui::Visuals) -> [f32; 4] {
        visuals.panel_fill.to_normalized_gamma_f32()
    }

    #[cfg(target_arch = "wasm32")]
    fn as_any_mut(&mut self) -> Option<&mut dyn std::any::Any> {
        Some(&mut *self)
    }
}
