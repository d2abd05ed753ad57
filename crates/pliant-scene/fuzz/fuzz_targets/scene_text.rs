//! Any text as a scene: it is built, or refused at a place in it.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pliant_scene::Scene;

fuzz_target!(|text: &str| {
    let built = Scene::parse("fuzz.toml", text, &[]).and_then(|scene| scene.with_most_vertices(2_000).build());
    if let Err(error) = built {
        let (line, column) = error.place.expect("every error names a place");
        assert!(line >= 1 && line <= text.lines().count() + 1 && column >= 1);
    }
});
