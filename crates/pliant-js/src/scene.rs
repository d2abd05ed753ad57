//! Scene files: read and checked, and those that come with Pliant.

use pliant_scene::{BUILTIN, Builtin, Scene};
use wasm_bindgen::prelude::*;

use crate::fault::Fault;
use crate::options::{self, items, object};

/// A scene from its text and overrides.
pub(crate) fn scene_of(name: &str, text: &str, overrides: &JsValue) -> Result<Scene, Fault> {
    let overrides = if overrides.is_undefined() { Vec::new() } else { items(overrides, "overrides", options::text)? };
    Ok(Scene::parse(name, text, &overrides)?)
}

/// Sees whether a text is a scene, with errors at their line and column, without building it; its frames and rate.
#[wasm_bindgen(js_name = checkScene)]
pub fn check_scene(name: &str, text: &str, overrides: &JsValue) -> Result<JsValue, JsValue> {
    let scene = scene_of(name, text, overrides)?;
    Ok(object([("frames", scene.frames().into()), ("frameRate", scene.frame_rate().into())]))
}

/// Names of the scenes that come with Pliant.
#[wasm_bindgen(js_name = builtinScenes)]
pub fn builtin_scenes() -> Vec<String> {
    BUILTIN.iter().map(|scene| scene.name.to_owned()).collect()
}

/// The text of a built-in scene.
#[wasm_bindgen(js_name = builtinScene)]
pub fn builtin_scene(name: &str) -> Result<String, JsValue> {
    let found = Builtin::find(name).map(|scene| scene.text.to_owned());
    Ok(found.ok_or_else(|| {
        Fault::new(format!("there is no built-in scene {name:?}; there are {}", builtin_scenes().join(", ")))
    })?)
}
