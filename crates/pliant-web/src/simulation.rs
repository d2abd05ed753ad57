//! The simulation, in a worker of the page.

use std::cell::RefCell;

use js_sys::{Array, Object, Uint8Array};
use pliant::Clock;
use pliant_io::read::Files;
use pliant_live::protocol::{Command, Event, Notice, Severity, decode, encode};
use pliant_live::session::Session;
use pliant_scene::scene_of_mesh;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::object::object;

#[wasm_bindgen]
extern "C" {
    /// Milliseconds since the worker began.
    #[wasm_bindgen(js_namespace = performance)]
    fn now() -> f64;
}

thread_local! {
    static LAST_PANIC: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// What went wrong when a call ended in a trap; none if memory ran out.
#[wasm_bindgen]
pub fn last_panic() -> Option<String> {
    LAST_PANIC.with_borrow(Clone::clone)
}

/// A simulation that a page looks at.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Simulation {
    session: Session,
    /// Files that scenes can name.
    files: Files,
}

#[wasm_bindgen]
impl Simulation {
    /// Without a world. Scenes with more vertices than this are refused.
    #[wasm_bindgen(constructor)]
    pub fn new(most_vertices: u32) -> Self {
        std::panic::set_hook(Box::new(|info| LAST_PANIC.set(Some(info.to_string()))));
        let mut session =
            Session::new().with_clock(Clock::new(|| 1e-3 * now())).with_most_vertices(u64::from(most_vertices));
        let files = Files::in_memory([]);
        session.set_files(files.clone());
        Self { session, files }
    }

    /// Takes a file that scenes can name.
    pub fn add_file(&mut self, name: &str, bytes: Vec<u8>) {
        self.files.insert(name, bytes);
        self.session.set_files(self.files.clone());
    }

    /// A scene to begin with for a mesh file that was added, or what is wrong with the file.
    pub fn scene_of_mesh(&self, name: &str) -> Result<String, JsValue> {
        scene_of_mesh(name, &self.files).map_err(|error| JsValue::from(error.to_string()))
    }

    /// Replaces what runs by the scene of a text; if there is an error in it, what runs goes on.
    pub fn open(&mut self, name: String, text: String) {
        self.session.handle(Command::Open { name, text });
    }

    /// Does what the view asks for: a command as bytes.
    pub fn handle(&mut self, command: &[u8]) -> Result<(), JsValue> {
        self.session.handle(decode(command).map_err(|error| JsValue::from(error.to_string()))?);
        Ok(())
    }

    /// Tells a new view everything that it needs.
    pub fn tell_all(&mut self) {
        self.session.tell_all();
    }

    /// Goes on, at a time of day \[s\]. Returns `events`, each of which is bytes for the view; `told`, what the page should know: notices, and which scene was `opened`; and `wait`, the seconds until the next turn is due, if there is one.
    pub fn turn(&mut self, now: f64) -> Result<Object, JsValue> {
        let turn = self.session.turn(now);
        let (events, told) = (Array::new(), Array::new());
        for event in &turn.events {
            match event {
                Event::Notice(notice) => drop(told.push(&of_notice(notice))),
                Event::Layout(layout) if layout.is_new => drop(told.push(&object([("opened", (&layout.name).into())]))),
                _ => {}
            }
            let bytes = encode(event).map_err(|error| JsValue::from(error.to_string()))?;
            events.push(&Uint8Array::from(bytes.as_slice()));
        }
        let wait = turn.wait.map_or(JsValue::NULL, JsValue::from);
        Ok(object([("events", events.into()), ("told", told.into()), ("wait", wait)]))
    }
}

/// A notice as the page shows it.
fn of_notice(notice: &Notice) -> Object {
    let severity = match notice.severity {
        Severity::Info => "info",
        Severity::Refused => "refused",
        Severity::Stopped => "stopped",
    };
    let number = |value: Option<u32>| value.map_or(JsValue::NULL, JsValue::from);
    let hint = notice.hint.as_ref().map_or(JsValue::NULL, JsValue::from);
    object([
        ("severity", severity.into()),
        ("text", (&notice.text).into()),
        ("line", number(notice.place.map(|place| place.0))),
        ("column", number(notice.place.map(|place| place.1))),
        ("hint", hint),
    ])
}
