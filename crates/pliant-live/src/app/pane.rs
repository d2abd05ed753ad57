//! What one simulation has told, and what it was asked.

use std::collections::BTreeMap;

use eframe::egui::Rect;
use glam::{DVec2, DVec3, Vec3};

use super::canvas::Canvas;
use super::logic::{Action, Gestures, Notices, Player};
use super::plots::History;
use super::{Link, PaneSetup};
use crate::draw::Camera;
use crate::protocol::{Command, Controls, Event, Frame, Layout, Notice, Severity};

/// What a pointer holds.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Held {
    pub(crate) body: String,
    pub(crate) vertex: u32,
    /// Where it is pulled.
    pub(crate) target: DVec3,
}

pub(crate) struct Pane {
    pub(crate) title: String,
    link: Box<dyn Link>,
    pub(crate) layout: Option<Layout>,
    pub(crate) frame: Option<Frame>,
    pub(crate) controls: Option<Controls>,
    /// What has come while a slider was in the hand.
    waiting: Option<Controls>,
    pub(crate) notices: Notices,
    pub(crate) gestures: Gestures,
    pub(crate) held: BTreeMap<u64, Held>,
    pub(crate) player: Option<Player>,
    pub(crate) history: History,
    pub(crate) canvas: Canvas,
    /// Where its picture is \[points\].
    pub(crate) rect: Rect,
    has_warned: bool,
}

/// What came in that concerns more than the pane.
#[derive(Debug, Default)]
pub(crate) struct Received {
    /// Another world was opened: the camera looks at it anew.
    pub(crate) is_new_world: bool,
    /// What gestures do, now that the simulation has answered.
    pub(crate) actions: Vec<Action>,
}

impl Pane {
    pub(crate) fn new(setup: PaneSetup, canvas: Canvas) -> Self {
        Self {
            title: setup.title,
            link: setup.link,
            layout: None,
            frame: None,
            controls: None,
            waiting: None,
            notices: Notices::default(),
            gestures: Gestures::default(),
            held: BTreeMap::new(),
            player: None,
            history: History::default(),
            canvas,
            rect: Rect::ZERO,
            has_warned: false,
        }
    }

    pub(crate) fn send(&mut self, command: Command) {
        if matches!(command, Command::Reset | Command::Open { .. }) {
            self.notices.restart();
            self.history.clear();
        }
        if matches!(command, Command::Play(true))
            && let Some(player) = &mut self.player
        {
            player.forget_wanted();
        }
        self.link.send(command);
    }

    /// Takes all that has come. While a slider is in the hand, sliders stay where they are.
    pub(crate) fn receive(&mut self, camera: &Camera, time: f64, is_sliding: bool) -> Received {
        let mut received = Received::default();
        let mut newest: Option<Frame> = None;
        for event in self.link.receive() {
            match event {
                Event::Layout(layout) => {
                    received.is_new_world |= layout.is_new || self.layout.is_none();
                    if let Some(frame) = newest.take() {
                        self.send(Command::Shown(frame.number));
                    }
                    self.take_layout(*layout);
                }
                Event::Frame(frame) => {
                    self.history.add(&frame);
                    // Frames that were overtaken are answered too: the simulation counts them.
                    if let Some(older) = newest.replace(*frame) {
                        self.send(Command::Shown(older.number));
                    }
                }
                Event::Controls(controls) => self.waiting = Some(*controls),
                Event::Grabbed { pointer, body, vertex, point } => {
                    self.take_grabbed(camera, pointer, Held { body, vertex, target: point.into() });
                }
                Event::Released { pointer } => {
                    self.held.remove(&pointer);
                    received.actions.extend(self.gestures.released(pointer));
                }
                Event::Notice(notice) => self.notices.add(notice, time),
            }
        }
        if let Some(frame) = newest {
            self.take_frame(frame, time);
        }
        if !is_sliding && let Some(controls) = self.waiting.take() {
            self.controls = Some(controls);
        }
        received
    }

    fn take_layout(&mut self, layout: Layout) {
        self.canvas.set_layout(&layout);
        let is_other = self.layout.as_ref().is_none_or(|before| before.timeline != layout.timeline);
        if is_other {
            self.player = layout.timeline.clone().map(Player::new);
        }
        if layout.is_new {
            self.history.clear();
            self.notices.restart();
        }
        self.layout = Some(layout);
        self.has_warned = false;
    }

    fn take_frame(&mut self, frame: Frame, time: f64) {
        self.link.send(Command::Shown(frame.number));
        if !self.canvas.set_frame(&frame) {
            return;
        }
        if let Some(player) = &mut self.player {
            player.arrive(frame.step);
        }
        self.frame = Some(frame);
        if !self.canvas.fits() && !self.has_warned {
            self.has_warned = true;
            let text = "the graphics device has too little memory for all of this: a part of it is not drawn";
            let notice = Notice { severity: Severity::Refused, text: text.to_owned(), place: None, hint: None };
            self.notices.add(notice, time);
        }
    }

    fn take_grabbed(&mut self, camera: &Camera, pointer: u64, mut held: Held) {
        // A pointer that is up again has let go already.
        let Some(place) = self.gestures.grabbed(pointer) else { return };
        held.target = camera.onto_plane_of(held.target, place, self.size());
        self.send(Command::Drag { pointer, target: held.target.into() });
        self.held.insert(pointer, held);
    }

    /// Pulls what a pointer holds to a place of the picture.
    pub(crate) fn drag(&mut self, camera: &Camera, pointer: u64, place: DVec2) {
        let size = self.size();
        if let Some(held) = self.held.get_mut(&pointer) {
            held.target = camera.onto_plane_of(held.target, place, size);
            let target = held.target.into();
            self.send(Command::Drag { pointer, target });
        }
    }

    /// Size of the picture \[points\].
    pub(crate) fn size(&self) -> DVec2 {
        DVec2::new(f64::from(self.rect.width()), f64::from(self.rect.height()))
    }

    pub(crate) fn vertex(&self, vertex: u32) -> Option<DVec3> {
        let position = self.frame.as_ref()?.positions.get(vertex as usize)?;
        Some(Vec3::from(*position).as_dvec3()).filter(|position| position.is_finite())
    }

    pub(crate) fn is_playing(&self) -> bool {
        self.controls.as_ref().is_some_and(|controls| controls.playing)
    }

    pub(crate) fn is_touchable(&self) -> bool {
        self.controls.as_ref().is_some_and(|controls| controls.is_touchable)
    }

    /// Length of the world \[m\].
    pub(crate) fn scale(&self) -> f64 {
        self.layout.as_ref().map_or(1.0, |layout| {
            let [low, high] = layout.bounds.map(DVec3::from);
            let length = low.distance(high);
            if length.is_finite() && length > 1e-6 { length } else { 1.0 }
        })
    }
}
