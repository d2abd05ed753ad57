//! The picture, in the page.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::{Arc, Mutex, PoisonError};

use eframe::egui;
use eframe::web::WebRunner;
use js_sys::{Object, Uint8Array, Uint8ClampedArray};
use pliant_live::app::{Link, LiveApp, Options, PaneSetup};
use pliant_live::protocol::{Command, Event, decode, encode};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;
use web_sys::HtmlCanvasElement;

use crate::object::{list, object};

#[wasm_bindgen]
extern "C" {
    /// What the view asks of the page.
    pub type Page;

    /// Sends a command to the simulation, as bytes. `restarts`: it makes a simulation that has failed begin anew.
    #[wasm_bindgen(method)]
    fn send(this: &Page, command: Uint8Array, restarts: bool);

    /// Offers a picture of some width and height as a file; returns its name.
    #[wasm_bindgen(method)]
    fn save(this: &Page, width: u32, height: u32, rgba: Uint8ClampedArray) -> String;
}

/// What comes from the simulation, and whom to wake.
#[derive(Default)]
struct Inbox {
    events: Vec<Event>,
    view: Option<egui::Context>,
}

/// The way to the simulation, through the page.
struct PageLink {
    page: Rc<Page>,
    inbox: Rc<RefCell<Inbox>>,
}

impl Link for PageLink {
    fn send(&mut self, command: Command) {
        // Commands are plain data; there is none that has no bytes.
        if let Ok(bytes) = encode(&command) {
            let restarts = matches!(command, Command::Reset);
            self.page.send(Uint8Array::from(bytes.as_slice()), restarts);
        }
    }

    fn receive(&mut self) -> Vec<Event> {
        std::mem::take(&mut self.inbox.borrow_mut().events)
    }

    fn wake(&mut self, view: &egui::Context) {
        self.inbox.borrow_mut().view = Some(view.clone());
    }
}

/// A view in a canvas.
#[wasm_bindgen]
pub struct View {
    runner: WebRunner,
    inbox: Rc<RefCell<Inbox>>,
    /// Why the graphics device has gone.
    lost: Arc<Mutex<Option<String>>>,
}

#[wasm_bindgen]
impl View {
    /// Without a canvas.
    #[wasm_bindgen(constructor)]
    #[expect(clippy::new_without_default, reason = "JavaScript calls it")]
    pub fn new() -> Self {
        Self { runner: WebRunner::new(), inbox: Rc::default(), lost: Arc::default() }
    }

    /// Begins to draw into a canvas. It fails where there is neither WebGPU nor WebGL 2. `uses_webgpu`: where there is a choice.
    pub async fn start(&self, canvas: HtmlCanvasElement, page: Page, uses_webgpu: bool) -> Result<(), JsValue> {
        let page = Rc::new(page);
        let link = PageLink { page: page.clone(), inbox: self.inbox.clone() };
        let save = move |width: u32, height: u32, rgba: &[u8]| {
            Ok(format!("saved {}", page.save(width, height, Uint8ClampedArray::from(rgba))))
        };
        let lost = self.lost.clone();
        let create = move |context: &eframe::CreationContext<'_>| {
            if let Some(state) = &context.wgpu_render_state {
                // Browsers also say "destroyed" of devices that nobody has destroyed; whoever ends a view does not ask it any more.
                state.device.set_device_lost_callback(move |_, text| {
                    *lost.lock().unwrap_or_else(PoisonError::into_inner) = Some(text);
                });
            }
            let panes = vec![PaneSetup { title: String::new(), link: Box::new(link) }];
            let options = Options { save_picture: Some(Box::new(save)), film: None };
            Ok(Box::new(LiveApp::new(context, panes, options)?) as Box<dyn eframe::App>)
        };
        self.runner.start(canvas, options(uses_webgpu), Box::new(create)).await
    }

    /// Takes an event of the simulation.
    pub fn receive(&self, event: &[u8]) -> Result<(), JsValue> {
        let event = decode(event).map_err(|error| JsValue::from(error.to_string()))?;
        let mut inbox = self.inbox.borrow_mut();
        inbox.events.push(event);
        if let Some(view) = &inbox.view {
            view.request_repaint();
        }
        Ok(())
    }

    /// Why there is no picture any more, if it has failed.
    pub fn failure(&self) -> Option<String> {
        let lost = || Some(format!("the graphics device was lost: {}", self.lost.lock().ok()?.as_ref()?));
        self.runner.panic_summary().map(|summary| summary.message()).or_else(lost)
    }

    /// Ends it.
    pub fn stop(&self) {
        self.runner.destroy();
    }

    /// What it shows, for tests.
    pub fn state(&self) -> Option<Object> {
        let app = self.runner.app_mut::<LiveApp>()?;
        let state = app.state();
        let place = |place: Option<[f32; 2]>| place.map_or(JsValue::NULL, list);
        let held = state.held.iter().map(|held| {
            object([
                ("pointer", JsValue::from(held.pointer as f64)),
                ("body", (&held.body).into()),
                ("vertex", held.vertex.into()),
                ("place", place(held.place)),
                ("target", place(held.target)),
            ])
        });
        let number = |number: Option<u64>| number.map_or(JsValue::NULL, |number| (number as f64).into());
        let text = |text: Option<&str>| text.map_or(JsValue::NULL, JsValue::from);
        let places = self.inbox.borrow().view.as_ref().map(LiveApp::places).unwrap_or_default();
        let named = Object::new();
        for (name, rect) in places {
            // Setting a property of a plain object cannot fail.
            let _ = js_sys::Reflect::set(&named, &name.into(), &list(rect));
        }
        Some(object([
            ("playing", state.playing.into()),
            ("frame", number(state.frame)),
            ("step", number(state.step)),
            ("notice", text(state.notice.as_ref().map(|notice| notice.text.as_str()))),
            ("picture", list(state.picture)),
            ("held", list(held)),
            ("solver", text(state.solver.map(|kind| kind.name()))),
            ("vertices", (state.counts[0] as f64).into()),
            ("triangles", (state.counts[1] as f64).into()),
            ("eye", list(state.camera.eye.to_array())),
            ("places", named.into()),
        ]))
    }

    /// Where a vertex is in the canvas \[points\], for tests.
    pub fn project(&self, vertex: u32) -> Option<Vec<f32>> {
        Some(self.runner.app_mut::<LiveApp>()?.project(vertex)?.to_vec())
    }
}

fn options(uses_webgpu: bool) -> eframe::WebOptions {
    let mut options = eframe::WebOptions { dithering: false, ..eframe::WebOptions::default() };
    if let eframe::egui_wgpu::WgpuSetup::CreateNew(setup) = &mut options.wgpu_options.wgpu_setup
        && !uses_webgpu
    {
        setup.instance_descriptor.backends = wgpu::Backends::GL;
    }
    options
}
