//! Shows a simulation of your own in the live view. This one is none: a cloth that waves by a formula, with a rope, balls and a moving collider, and a hand that pulls bulges out of the cloth.
//!
//! `cargo run -p pliant-live --no-default-features --features app --example waves` (then `-- stored` for two stored runs side by side).

use std::collections::BTreeMap;
use std::time::Instant;

use eframe::egui;
use glam::Vec3;
use pliant_live::app::{Film, Link, LiveApp, Options, PaneSetup, native_options};
use pliant_live::protocol::{
    BodyControls, BodyLayout, Change, ColliderLayout, Coloring, Command, Controls, Energies, Event, Frame, Ground,
    Layout, Measured, Notice, Pose, Severity, Sight, SolverKind, Timeline, Viewpoint,
};

const SIDE: u32 = 50;
const ROPE: u32 = 60;
const BALLS: u32 = 40;
const STEP: f64 = 1.0 / 60.0;

/// A simulation that answers in the same thread: it takes its steps when it is asked for events. One that computes for long belongs into a thread of its own.
struct Waves {
    controls: Controls,
    timeline: Option<Timeline>,
    step: u64,
    number: u64,
    /// Whether the last frame was taken in; the next is made only then.
    is_shown: bool,
    clock: Instant,
    answers: Vec<Event>,
    /// What is held: the vertex, where it was, where it is pulled.
    held: BTreeMap<u64, (u32, Vec3, Vec3)>,
    view: Option<egui::Context>,
}

impl Waves {
    fn new(is_stored: bool) -> Self {
        let controls = Controls {
            playing: true,
            speed: 1.0,
            gravity: [0.0, -9.81, 0.0],
            wind: Some([2.0, 0.0, 0.0]),
            solver: (!is_stored).then(|| (SolverKind::Auto, vec![SolverKind::Auto, SolverKind::Newton])),
            solver_text: "none: a formula".to_owned(),
            iterations: Some(10),
            substeps: 1,
            bodies: ["cloth", "rope"].map(|name| BodyControls { name: name.to_owned(), stiffness: Some(1.0) }).to_vec(),
            grip: 1.0,
            coloring: Coloring::Body,
            is_touchable: !is_stored,
        };
        let timeline = is_stored.then(|| Timeline { frames: (0..240).collect(), rate: 60.0 });
        let mut waves = Self {
            controls,
            timeline,
            step: 0,
            number: 0,
            is_shown: true,
            clock: Instant::now(),
            answers: Vec::new(),
            held: BTreeMap::new(),
            view: None,
        };
        waves.answers = vec![Event::Layout(Box::new(waves.layout())), waves.told_controls()];
        let frame = waves.frame();
        waves.answers.push(frame);
        waves
    }

    fn told_controls(&self) -> Event {
        Event::Controls(Box::new(self.controls.clone()))
    }

    fn layout(&self) -> Layout {
        let plain = |name: &str, color: [[u8; 3]; 2], radius| BodyLayout {
            name: name.to_owned(),
            color,
            triangles: Vec::new(),
            segments: Vec::new(),
            points: Vec::new(),
            radius,
            is_fluid: false,
        };
        let cells = (0..SIDE - 1).flat_map(|j| (0..SIDE - 1).map(move |i| j * SIDE + i));
        let triangles = cells.flat_map(|v| [[v, v + SIDE, v + 1], [v + 1, v + SIDE, v + SIDE + 1]]).collect();
        let (rope, balls) = (SIDE * SIDE, SIDE * SIDE + ROPE);
        let bodies = vec![
            BodyLayout { triangles, ..plain("cloth", [[0x2f, 0x6f, 0xb5], [0xa9, 0xae, 0xb7]], 0.0) },
            BodyLayout {
                segments: (rope..balls - 1).map(|v| [v, v + 1]).collect(),
                ..plain("rope", [[0xe2, 0x6d, 0x3d]; 2], 0.012)
            },
            BodyLayout { points: (balls..balls + BALLS).collect(), ..plain("balls", [[0x3f, 0x9b, 0x76]; 2], 0.04) },
        ];
        let positions = (0..8).map(|k| [0, 1, 2].map(|axis| if k >> axis & 1 == 0 { -0.12 } else { 0.12 })).collect();
        let sides = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
        let triangles = sides.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
        let collider = ColliderLayout { color: [0xa3, 0xa8, 0xb0], positions, triangles, is_plane: false };
        Layout {
            name: "waves".to_owned(),
            number: 1,
            is_new: true,
            vertices: SIDE * SIDE + ROPE + BALLS,
            bodies,
            colliders: vec![collider],
            ground: Ground { height: 0.0, color: [0xdf, 0xe2, 0xe6], spacing: 0.2 },
            bounds: [[-0.9, 0.0, -0.6], [0.9, 0.9, 0.6]],
            viewpoint: Viewpoint {
                eye: None,
                target: [0.0; 3],
                direction: [-0.35, -0.5, -1.0],
                up: [0.0, 1.0, 0.0],
                field_of_view: 0.6,
            },
            timeline: self.timeline.clone(),
        }
    }

    fn positions(&self) -> Vec<Vec3> {
        let time = (STEP * self.step as f64) as f32;
        let cloth = (0..SIDE * SIDE).map(|v| {
            let (x, z) = ((v % SIDE) as f32 / 49.0 - 0.5, (v / SIDE) as f32 / 49.0 - 0.5);
            let wave = 0.06 * (9.0 * x + 3.0 * time).sin() * (7.0 * z + 2.0 * time).cos();
            Vec3::new(1.1 * x - 0.3, 0.55 + wave, 0.9 * z)
        });
        let rope = (0..ROPE).map(|k| {
            let (along, turn) = (k as f32 / 59.0, k as f32 * 0.25 + time);
            Vec3::new(0.6 + 0.1 * turn.cos(), 0.05 + 0.7 * along, 0.35 + 0.1 * turn.sin())
        });
        let balls = (0..BALLS).map(|k| {
            let (i, j) = ((k % 8) as f32, (k / 8) as f32);
            let jump = (2.0 * time + 0.7 * i + 0.4 * j).sin().abs();
            Vec3::new(-0.6 + 0.1 * i, 0.04 + 0.25 * jump, -0.2 + 0.1 * j)
        });
        let mut positions: Vec<Vec3> = cloth.chain(rope).chain(balls).collect();
        for &(_, from, to) in self.held.values() {
            for position in &mut positions[..(SIDE * SIDE) as usize] {
                let near = (-60.0 * position.distance_squared(from)).exp();
                *position += near * (to - from);
            }
        }
        positions
    }

    fn frame(&mut self) -> Event {
        self.number += 1;
        self.is_shown = false;
        let started = Instant::now();
        let positions = self.positions();
        let time = STEP * self.step as f64;
        let values = match self.controls.coloring {
            Coloring::Body => Vec::new(),
            _ => positions.iter().map(|position| position.y).collect(),
        };
        let milliseconds = 1e3 * started.elapsed().as_secs_f64();
        let measured = Measured {
            energies: Some(Energies {
                kinetic: 2.0 + time.sin(),
                elastic: 2.0 - time.sin(),
                gravitational: 0.3 * (2.0 * time).cos(),
            }),
            residual: Some(10f64.powf(-4.0 + 2.0 * (3.0 * time).sin())),
            iterations: 10,
            phases: vec![("the formula".to_owned(), 0.9 * milliseconds)],
            milliseconds,
            pace: self.controls.playing.then_some(self.controls.speed.min(1.0)),
            top_speed: 1.0,
        };
        let turn = (0.4 * time) as f32;
        Event::Frame(Box::new(Frame {
            number: self.number,
            layout: 1,
            step: self.step,
            time,
            positions: positions.iter().map(|position| position.to_array()).collect(),
            values,
            most: 0.8,
            liquids: Vec::new(),
            colliders: vec![Pose {
                position: [0.55, 0.12, -0.3 + 0.1 * (2.0 * turn).sin()],
                rotation: [0.0, (0.5 * turn).sin(), 0.0, (0.5 * turn).cos()],
            }],
            measured,
        }))
    }

    /// The vertex of the cloth that is nearest to a line of sight.
    fn pick(&self, sight: &Sight, radius: f64) -> Option<(u32, Vec3)> {
        let (origin, direction) = (glam::DVec3::from(sight.origin), glam::DVec3::from(sight.direction).normalize());
        let away = |position: &Vec3| {
            let offset = position.as_dvec3() - origin;
            (offset - offset.dot(direction) * direction).length()
        };
        let positions = self.positions();
        let cloth = positions.iter().take((SIDE * SIDE) as usize).enumerate();
        let nearest = cloth.min_by(|a, b| away(a.1).total_cmp(&away(b.1)))?;
        (away(nearest.1) < radius + 0.03).then_some((nearest.0 as u32, *nearest.1))
    }
}

impl Link for Waves {
    fn send(&mut self, command: Command) {
        match command {
            Command::Play(playing) => self.controls.playing = playing,
            Command::Step => self.step += 1,
            Command::Reset => self.step = 0,
            Command::Seek(frame) => self.step = frame,
            Command::Speed(speed) => self.controls.speed = speed,
            Command::Color(coloring) => self.controls.coloring = coloring,
            Command::Change(Change::Gravity(gravity)) => self.controls.gravity = gravity,
            Command::Change(Change::Wind(wind)) => self.controls.wind = Some(wind),
            Command::Grab { pointer, sight, radius } => match self.pick(&sight, radius) {
                Some((vertex, place)) => {
                    self.held.insert(pointer, (vertex, place, place));
                    let point = place.as_dvec3().into();
                    self.answers.push(Event::Grabbed { pointer, body: "cloth".to_owned(), vertex, point });
                }
                None => self.answers.push(Event::Released { pointer }),
            },
            Command::Drag { pointer, target } => {
                if let Some((_, _, to)) = self.held.get_mut(&pointer) {
                    *to = glam::DVec3::from(target).as_vec3();
                }
            }
            Command::Release { pointer } => {
                self.held.remove(&pointer);
            }
            Command::Shown(_) => {
                self.is_shown = true;
                return;
            }
            other => {
                let text = format!("a formula knows nothing of {other:?}");
                let text = text.chars().take(120).collect();
                let notice = Notice { severity: Severity::Refused, text, place: None, hint: None };
                self.answers.push(Event::Notice(notice));
            }
        }
        self.answers.push(self.told_controls());
        let frame = self.frame();
        self.answers.push(frame);
        if let Some(view) = &self.view {
            view.request_repaint();
        }
    }

    fn receive(&mut self) -> Vec<Event> {
        let passed = self.controls.speed * self.clock.elapsed().as_secs_f64();
        if self.controls.playing && self.is_shown && passed >= STEP {
            self.clock = Instant::now();
            self.step += ((passed / STEP) as u64).min(8);
            if let Some(timeline) = &self.timeline {
                self.step %= timeline.frames.len() as u64;
            }
            let frame = self.frame();
            self.answers.push(frame);
        }
        std::mem::take(&mut self.answers)
    }

    fn wake(&mut self, view: &egui::Context) {
        self.view = Some(view.clone());
    }
}

/// Counts frames; a real one writes them.
#[derive(Default)]
struct Count(usize);

impl Film for Count {
    fn begin(&mut self, _width: u32, _height: u32, _frames: usize, _rate: f64) -> Result<(), String> {
        self.0 = 0;
        Ok(())
    }

    fn frame(&mut self, _rgba: &[u8]) -> Result<(), String> {
        self.0 += 1;
        Ok(())
    }

    fn end(&mut self, is_complete: bool) -> Result<String, String> {
        Ok(format!("{} frames were drawn{}", self.0, if is_complete { "" } else { ", and then it was given up" }))
    }
}

fn main() -> eframe::Result {
    let is_stored = std::env::args().any(|argument| argument == "stored");
    let titles = if is_stored { vec!["first run", "second run"] } else { vec!["waves"] };
    eframe::run_native(
        "waves",
        native_options("waves"),
        Box::new(move |context| {
            let pane = |title: &str| PaneSetup { title: title.to_owned(), link: Box::new(Waves::new(is_stored)) };
            let options = Options {
                save_picture: Some(Box::new(|width, height, rgba| {
                    Ok(format!("a picture of {width} by {height} pixels, {} bytes", rgba.len()))
                })),
                film: Some(Box::new(Count::default())),
            };
            Ok(Box::new(LiveApp::new(context, titles.into_iter().map(pane).collect(), options)?))
        }),
    )
}
