//! The simulation behind the view: a running scene or a stored run, which takes commands and tells what happens.
//!
//! A [`Session`] owns no thread and no clock. Whoever runs it calls [`turn`](Session::turn) with the time of day again and again, as soon as a turn asks for it:
//! a thread behind a window, a worker behind a page, a loop in a test.
//!
//! ```
//! use pliant_live::protocol::{Command, Event};
//! use pliant_live::session::Session;
//! use pliant_scene::BUILTIN;
//!
//! let curtain = BUILTIN.iter().find(|scene| scene.name == "curtain").ok_or("it comes with Pliant")?;
//! let mut session = Session::new();
//! session.handle(Command::Open { name: "curtain.toml".into(), text: curtain.text.into() });
//! let events = session.turn(0.0).events;
//! assert!(matches!(&events[0], Event::Layout(layout) if layout.vertices == 625));
//! // A sixtieth of a second later the next step is due.
//! let later = session.turn(1.0 / 60.0).events;
//! assert!(later.iter().any(|event| matches!(event, Event::Frame(frame) if frame.step == 1)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod controls;
mod hands;
mod live;
mod look;
mod outbox;
mod pace;
#[cfg(feature = "runs")]
mod recorded;
mod things;
mod tools;

use pliant::Clock;
use pliant::solve::SolverChoice;
use pliant_io::read::Files;
#[cfg(feature = "runs")]
use pliant_io::store::RunStore;
#[cfg(feature = "runs")]
use pliant_scene::SceneRun;
use pliant_scene::{Scene, SceneError};

use crate::protocol::{Command, Event, Notice, Severity};
use live::Live;
use outbox::Outbox;
use pace::Pace;
#[cfg(feature = "runs")]
use recorded::Recorded;

/// A simulation that someone looks at.
#[derive(Debug)]
pub struct Session {
    stage: Stage,
    pace: Pace,
    outbox: Outbox,
    clock: Clock,
    most_vertices: Option<u64>,
    /// Where scenes that are opened by their text find other files.
    files: Files,
    /// Counts layouts.
    layouts: u64,
    /// Time of the last turn \[s\].
    now: f64,
}

/// What is on.
#[derive(Debug)]
enum Stage {
    /// Nothing yet.
    Empty,
    Live(Box<Live>),
    #[cfg(feature = "runs")]
    Recorded(Box<Recorded>),
}

/// What came of a turn.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Turn {
    /// What happened, in order.
    pub events: Vec<Event>,
    /// Seconds until the next turn is due; none if it waits for a command.
    pub wait: Option<f64>,
}

impl Default for Session {
    fn default() -> Self {
        Self::new()
    }
}

impl Session {
    /// Without a world: it waits for [`Command::Open`].
    pub fn new() -> Self {
        Self {
            stage: Stage::Empty,
            pace: Pace::default(),
            outbox: Outbox::default(),
            clock: Clock::default(),
            most_vertices: None,
            files: Files::on_disk(""),
            layouts: 0,
            now: 0.0,
        }
    }

    /// Takes times of steps from a clock; the system's by default.
    #[must_use]
    pub fn with_clock(self, clock: Clock) -> Self {
        Self { clock, ..self }
    }

    /// Refuses scenes with more vertices.
    #[must_use]
    pub fn with_most_vertices(self, count: u64) -> Self {
        Self { most_vertices: Some(count), ..self }
    }

    /// Scenes that are opened by their text find the files that they name among these, in place of those on the disk.
    pub fn set_files(&mut self, files: Files) {
        self.files = files;
    }

    /// Begins to run a scene.
    pub fn open(&mut self, scene: Scene) -> Result<(), SceneError> {
        self.open_with(scene, None)
    }

    /// Begins to run a scene, by another solver than it asks for.
    pub fn open_with(&mut self, scene: Scene, solver: Option<SolverChoice>) -> Result<(), SceneError> {
        let scene = match self.most_vertices {
            Some(count) => scene.with_most_vertices(count),
            None => scene,
        };
        let live = Live::new(scene, solver, self.clock.clone())?;
        self.begin(Stage::Live(Box::new(live)));
        Ok(())
    }

    #[cfg(feature = "runs")]
    /// Begins to show a stored run, with its scene, if it is known: that says how things look, and has the colliders. A run without frames is an error.
    pub fn open_run(&mut self, store: RunStore, origin: Option<(Scene, SceneRun)>) -> Result<(), String> {
        let recorded = Recorded::open(store, origin)?;
        self.begin(Stage::Recorded(Box::new(recorded)));
        Ok(())
    }

    fn begin(&mut self, stage: Stage) {
        self.stage = stage;
        let (speed, playing) = (self.pace.speed(), true);
        self.pace = Pace::new(speed, playing);
        self.show(true);
    }

    /// Tells everything again, for a view that has just come: the next turn has what there is to draw, where the sliders stand, and where everything is.
    pub fn tell_all(&mut self) {
        self.outbox.forget_sent();
        self.show(true);
    }

    /// Tells what there is to draw, where the sliders stand, and where everything is.
    fn show(&mut self, is_new: bool) {
        self.layouts += 1;
        let layout = match &mut self.stage {
            Stage::Empty => return,
            Stage::Live(live) => live.layout(self.layouts, is_new),
            #[cfg(feature = "runs")]
            Stage::Recorded(recorded) => recorded.layout(self.layouts, is_new),
        };
        match layout {
            Ok(layout) => self.outbox.say(Event::Layout(Box::new(layout))),
            Err(text) => self.outbox.notice(Severity::Stopped, text),
        }
        self.tell_controls();
        self.outbox.frame_is_due();
    }

    fn tell_controls(&mut self) {
        let mut controls = match &self.stage {
            Stage::Empty => return,
            Stage::Live(live) => live.controls(),
            #[cfg(feature = "runs")]
            Stage::Recorded(recorded) => recorded.controls(),
        };
        (controls.playing, controls.speed) = (self.pace.is_playing(), self.pace.speed());
        self.outbox.say(Event::Controls(Box::new(controls)));
    }

    /// Does what the view asks for; what comes of it is told by the next turn.
    pub fn handle(&mut self, command: Command) {
        match command {
            Command::Shown(number) => self.outbox.shown(number),
            Command::Open { name, text } => {
                let opened = Scene::parse_among(&name, &text, &[], &self.files).and_then(|scene| self.open(scene));
                if let Err(error) = opened {
                    self.outbox.say(Event::Notice(scene_notice(&error)));
                }
            }
            Command::Play(playing) => {
                #[cfg(feature = "runs")]
                {
                    if let (Stage::Recorded(recorded), true) = (&mut self.stage, playing) {
                        recorded.prepare_to_play();
                    }
                }
                self.pace.play(playing && self.can_go_on());
                self.tell_controls();
            }
            Command::Speed(speed) if speed.is_finite() && speed > 0.0 => {
                self.pace.set_speed(speed);
                self.tell_controls();
            }
            Command::Speed(speed) => {
                let text = format!("the speed is {speed}, but must be positive and finite");
                self.outbox.notice(Severity::Refused, text);
            }
            Command::Step => {
                self.pace.play(false);
                self.advance();
                self.tell_controls();
            }
            Command::Reset => self.reset(),
            other => {
                match &mut self.stage {
                    Stage::Empty => {}
                    Stage::Live(live) => live.handle(other, &mut self.outbox),
                    #[cfg(feature = "runs")]
                    Stage::Recorded(recorded) => recorded.handle(&other, &mut self.outbox),
                }
                self.follow();
            }
        }
    }

    fn reset(&mut self) {
        let begun = match &mut self.stage {
            Stage::Empty => return,
            Stage::Live(live) => live.restart(),
            #[cfg(feature = "runs")]
            Stage::Recorded(recorded) => {
                recorded.rewind();
                Ok(())
            }
        };
        match begun {
            Ok(()) => {
                self.pace = Pace::new(self.pace.speed(), self.pace.is_playing());
                self.show(false);
            }
            Err(error) => self.outbox.say(Event::Notice(scene_notice(&error))),
        }
    }

    /// Whether there is a next step.
    fn can_go_on(&self) -> bool {
        match &self.stage {
            Stage::Empty => false,
            Stage::Live(live) => !live.is_stopped(),
            #[cfg(feature = "runs")]
            Stage::Recorded(_) => true,
        }
    }

    /// Takes a step, or shows the next frame.
    fn advance(&mut self) {
        let goes_on = match &mut self.stage {
            Stage::Empty => false,
            Stage::Live(live) => live.step(&mut self.outbox),
            #[cfg(feature = "runs")]
            Stage::Recorded(recorded) => recorded.next(&mut self.outbox),
        };
        if !goes_on && self.pace.is_playing() {
            self.pace.play(false);
            self.tell_controls();
        }
        self.follow();
    }

    /// Tells what has changed besides positions.
    fn follow(&mut self) {
        let (layout, controls) = match &mut self.stage {
            Stage::Empty => (false, false),
            Stage::Live(live) => live.take_changes(),
            #[cfg(feature = "runs")]
            Stage::Recorded(recorded) => recorded.take_changes(),
        };
        if layout {
            self.show(false);
        } else if controls {
            self.tell_controls();
        }
    }

    /// Seconds of the world in a step.
    fn step_seconds(&self) -> Option<f64> {
        match &self.stage {
            Stage::Empty => None,
            Stage::Live(live) => Some(live.step_seconds()),
            #[cfg(feature = "runs")]
            Stage::Recorded(recorded) => Some(recorded.frame_seconds()),
        }
    }

    /// Goes on: takes a step if one is due at a time of day \[s\], and tells everything that has happened since the last turn.
    pub fn turn(&mut self, now: f64) -> Turn {
        self.now = now;
        let step = self.step_seconds();
        if let Some(seconds) = step
            && self.pace.is_due(now, seconds)
        {
            self.advance();
        }
        if self.outbox.wants_frame() {
            let (number, pace) = (self.outbox.next_number(), self.pace.measured(now));
            let frame = match &mut self.stage {
                Stage::Empty => None,
                Stage::Live(live) => Some(live.frame(number, self.layouts, pace)),
                #[cfg(feature = "runs")]
                Stage::Recorded(recorded) => recorded.frame(number, self.layouts, pace, &mut self.outbox),
            };
            if let Some(frame) = frame {
                self.outbox.send(frame);
            }
        }
        Turn { events: self.outbox.take(), wait: step.and_then(|_| self.pace.wait(now)) }
    }
}

/// An error in a scene, as the view shows it.
pub(crate) fn scene_notice(error: &SceneError) -> Notice {
    let place = error.place.map(|(line, column)| (line as u32, column as u32));
    Notice { severity: Severity::Refused, text: error.message.clone(), place, hint: error.hint.clone() }
}
