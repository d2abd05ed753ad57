//! Errors as JavaScript gets them.

use std::cell::RefCell;
use std::fmt::Display;

use js_sys::{Array, Error, Function, Reflect};
use pliant_scene::SceneError;
use wasm_bindgen::prelude::*;

thread_local! {
    /// The class `PliantError` of the package.
    static CLASS: RefCell<Option<Function>> = const { RefCell::new(None) };
}

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_namespace = console, js_name = error)]
    fn print_error(message: &str);
}

/// Tells what errors are made of, and where bugs are reported; to be called once.
#[wasm_bindgen(js_name = begin)]
pub fn begin(class: Function) {
    CLASS.with(|own| *own.borrow_mut() = Some(class));
    std::panic::set_hook(Box::new(|panic| {
        print_error(&format!("This is a bug in Pliant, please report it: {panic}. Load the module again to go on."));
    }));
}

/// What went wrong, with the line and column of a scene where there are such.
#[derive(Debug)]
pub(crate) struct Fault {
    message: String,
    place: Option<(usize, usize)>,
}

impl Fault {
    pub(crate) fn new(message: impl Display) -> Self {
        Self { message: message.to_string(), place: None }
    }

    /// Says where it was, in front.
    pub(crate) fn at(self, place: &str) -> Self {
        Self { message: format!("{place}: {}", self.message), ..self }
    }
}

impl From<SceneError> for Fault {
    fn from(error: SceneError) -> Self {
        Self { message: error.to_string(), place: error.place }
    }
}

impl From<Fault> for JsValue {
    fn from(fault: Fault) -> Self {
        let number = |value: Option<usize>| value.map_or(Self::UNDEFINED, |value| Self::from_f64(value as f64));
        let (line, column) = (fault.place.map(|place| place.0), fault.place.map(|place| place.1));
        let arguments = Array::of3(&fault.message.as_str().into(), &number(line), &number(column));
        let made = CLASS.with(|own| own.borrow().as_ref().map(|class| Reflect::construct(class, &arguments)));
        match made {
            Some(Ok(error)) => error,
            _ => Error::new(&fault.message).into(),
        }
    }
}
