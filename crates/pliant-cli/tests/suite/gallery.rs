//! The gallery of the documentation shows every built-in scene, and is small enough to keep in the repository.
#![allow(clippy::unwrap_used)]

use std::path::{Path, PathBuf};

use pliant_scene::BUILTIN;

/// Most bytes of all pictures of the documentation.
const LIMIT: u64 = 3 << 20;

fn docs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs")
}

#[test]
fn every_built_in_scene_has_its_picture_in_the_gallery() {
    let page = std::fs::read_to_string(docs().join("gallery.md")).unwrap();
    for scene in BUILTIN {
        let picture = format!("images/{}.png", scene.name);
        let advice = "run `cargo run --release -- gallery`";
        assert!(page.contains(&format!("]({picture})")), "{} is not in docs/gallery.md: {advice}", scene.name);
        let bytes = std::fs::read(docs().join(&picture)).unwrap_or_else(|error| panic!("{picture}: {error}: {advice}"));
        assert!(bytes.starts_with(b"\x89PNG\r\n\x1a\n"), "{picture} is no PNG");
    }
}

#[test]
fn every_picture_of_the_pages_exists() {
    for (page, base) in [("gallery.md", docs()), ("../README.md", docs().join(".."))] {
        let text = std::fs::read_to_string(docs().join(page)).unwrap();
        let pictures: Vec<&str> = text
            .split("](")
            .skip(1)
            .filter_map(|rest| rest.split(')').next())
            .filter(|p| p.contains("images/"))
            .collect();
        assert!(!pictures.is_empty(), "{page} has no pictures");
        for picture in pictures {
            assert!(base.join(picture).exists(), "{page} shows {picture}, which is not there");
        }
    }
}

#[test]
fn the_pictures_take_less_than_three_megabytes() {
    let sizes = std::fs::read_dir(docs().join("images")).unwrap().map(|entry| entry.unwrap().metadata().unwrap().len());
    let total: u64 = sizes.sum();
    assert!(total < LIMIT, "{total} bytes");
}
