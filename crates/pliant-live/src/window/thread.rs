//! A simulation on a thread of its own.

use std::fmt;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::Builder;
use std::time::{Duration, Instant};

use eframe::egui;

use crate::app::Link;
use crate::protocol::{Command, Event, Notice, Severity};
use crate::session::Session;

/// Longest sleep \[s\]: nobody waits for commands for ever.
const NAP: f64 = 0.5;

/// What makes a session: it is called on the thread of the simulation, so that the window is there while a large scene is built. What is wrong is shown in the window.
pub struct Opening(Box<dyn FnOnce() -> Result<Session, Notice> + Send>);

impl Opening {
    /// Opens a session by a function.
    pub fn new(open: impl FnOnce() -> Result<Session, Notice> + Send + 'static) -> Self {
        Self(Box::new(open))
    }
}

impl fmt::Debug for Opening {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Opening")
    }
}

/// What wakes the view when there is something to see.
type Waker = Arc<Mutex<Option<egui::Context>>>;

/// The way to a simulation on a thread of its own, which ends when this is dropped.
#[derive(Debug)]
pub struct ThreadLink {
    commands: Sender<Command>,
    events: Receiver<Event>,
    waker: Waker,
}

impl ThreadLink {
    /// Opens a session on a new thread.
    pub fn open(opening: Opening) -> Self {
        let (commands, received) = channel();
        let (told, events) = channel();
        let waker = Waker::default();
        let telling = Telling { events: told, waker: waker.clone() };
        let lost = telling.clone();
        let work = move || match (opening.0)() {
            Ok(session) => run(session, &received, &telling),
            Err(notice) => drop(telling.say([Event::Notice(notice)])),
        };
        if let Err(error) = Builder::new().name("simulation".to_owned()).spawn(work) {
            let text = format!("the thread of the simulation cannot be started: {error}");
            let notice = Notice { severity: Severity::Stopped, text, place: None, hint: None };
            lost.say([Event::Notice(notice)]);
        }
        Self { commands, events, waker }
    }
}

impl Link for ThreadLink {
    fn send(&mut self, command: Command) {
        // A simulation that has ended has said why.
        let _ = self.commands.send(command);
    }

    fn receive(&mut self) -> Vec<Event> {
        self.events.try_iter().collect()
    }

    fn wake(&mut self, view: &egui::Context) {
        *self.waker.lock().unwrap_or_else(PoisonError::into_inner) = Some(view.clone());
    }
}

/// The way to the view.
#[derive(Debug, Clone)]
struct Telling {
    events: Sender<Event>,
    waker: Waker,
}

impl Telling {
    /// Whether the view is still there.
    fn say(&self, events: impl IntoIterator<Item = Event>) -> bool {
        let (mut is_there, mut is_news) = (true, false);
        for event in events {
            is_news = true;
            is_there &= self.events.send(event).is_ok();
        }
        if is_news && let Some(view) = &*self.waker.lock().unwrap_or_else(PoisonError::into_inner) {
            view.request_repaint();
        }
        is_there
    }
}

/// Turns the session until the view has gone.
fn run(mut session: Session, commands: &Receiver<Command>, telling: &Telling) {
    let begun = Instant::now();
    loop {
        let turn = session.turn(begun.elapsed().as_secs_f64());
        if !telling.say(turn.events) {
            return;
        }
        let nap = Duration::from_secs_f64(turn.wait.unwrap_or(NAP).min(NAP));
        match commands.recv_timeout(nap) {
            Ok(command) => {
                session.handle(command);
                commands.try_iter().for_each(|command| session.handle(command));
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant_scene::Builtin;

    #[test]
    fn a_simulation_runs_beside_and_ends_with_its_link() -> Result<(), Box<dyn std::error::Error>> {
        let mut link = ThreadLink::open(Opening::new(|| {
            let mut session = Session::new();
            let scene = Builtin::find("curtain").and_then(|scene| scene.scene(&[]).ok());
            scene.map(|scene| session.open(scene));
            Ok(session)
        }));
        let begun = Instant::now();
        let mut last = 0;
        while last < 5 {
            assert!(begun.elapsed() < Duration::from_secs(120), "five frames do not come");
            for event in link.receive() {
                if let Event::Frame(frame) = event {
                    last = frame.step;
                    link.send(Command::Shown(frame.number));
                }
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        Ok(())
    }

    #[test]
    fn what_cannot_be_opened_is_told() {
        let wrong = Notice { severity: Severity::Stopped, text: "no such file".to_owned(), place: None, hint: None };
        let told = wrong.clone();
        let mut link = ThreadLink::open(Opening::new(move || Err(told)));
        let begun = Instant::now();
        let events = loop {
            let events = link.receive();
            if !events.is_empty() || begun.elapsed() > Duration::from_secs(60) {
                break events;
            }
            std::thread::sleep(Duration::from_millis(2));
        };
        assert_eq!(events, [Event::Notice(wrong)]);
        // Nobody is there to hear it; that is no reason to fail.
        link.send(Command::Step);
    }
}
