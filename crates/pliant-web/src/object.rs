//! Objects of JavaScript.

use js_sys::{Object, Reflect};
use wasm_bindgen::JsValue;

/// An object with some properties.
pub(crate) fn object(properties: impl IntoIterator<Item = (&'static str, JsValue)>) -> Object {
    let object = Object::new();
    for (name, value) in properties {
        // Setting a property of a plain object cannot fail.
        let _ = Reflect::set(&object, &name.into(), &value);
    }
    object
}

/// A list.
#[cfg(feature = "view")]
pub(crate) fn list<T: Into<JsValue>>(items: impl IntoIterator<Item = T>) -> JsValue {
    items.into_iter().map(Into::into).collect::<js_sys::Array>().into()
}
