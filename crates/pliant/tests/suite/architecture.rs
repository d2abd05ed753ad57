//! The architecture page is true: its paths exist, and crates depend only upwards on it.
#![allow(clippy::unwrap_used)]

use std::path::{Path, PathBuf};

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Paths of the indented tree in the first code block.
fn listed_paths(page: &str) -> Vec<String> {
    let block = page.split("```").nth(1).unwrap();
    let mut parents: Vec<(usize, String)> = Vec::new();
    let mut paths = Vec::new();
    for line in block.lines().filter(|line| !line.trim().is_empty()) {
        let indent = line.len() - line.trim_start().len();
        let name = line.split_whitespace().next().unwrap();
        parents.retain(|(depth, _)| *depth < indent);
        let path = parents.iter().map(|(_, parent)| parent.as_str()).collect::<String>() + name;
        if name.ends_with('/') {
            parents.push((indent, name.to_owned()));
        }
        paths.push(path);
    }
    paths
}

#[test]
fn every_path_on_the_architecture_page_exists() {
    let page = std::fs::read_to_string(repository().join("ARCHITECTURE.md")).unwrap();
    let paths = listed_paths(&page);
    assert!(paths.len() > 20);
    for path in paths {
        assert!(repository().join(&path).exists(), "{path} is on the page but not in the repository");
    }
}

#[test]
fn every_module_of_the_engine_is_on_the_architecture_page() {
    let page = std::fs::read_to_string(repository().join("ARCHITECTURE.md")).unwrap();
    let listed = listed_paths(&page);
    for entry in std::fs::read_dir(repository().join("crates/pliant/src")).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        let path = format!("crates/pliant/src/{name}{}", if entry.path().is_dir() { "/" } else { "" });
        // The crate root and the clock are explained by their names.
        if !["lib.rs", "clock.rs"].contains(&name.as_str()) {
            assert!(listed.contains(&path), "{path} is missing on the page");
        }
    }
}

/// From the engine outwards; a crate may depend on those before it.
const LAYERS: [&str; 12] = [
    "pliant",
    "pliant-gpu",
    "pliant-io",
    "pliant-scene",
    "pliant-picture",
    "pliant-live",
    "pliant-reproduce",
    "pliant-cli",
    "pliant-web",
    "pliant-js",
    "pliant-py",
    "pliant-bench",
];

/// Pages that a reader goes through: at the top, and in docs.
fn pages() -> Vec<PathBuf> {
    let folders = [repository(), repository().join("docs"), repository().join("docs/decisions")];
    let entries = folders.iter().flat_map(|folder| std::fs::read_dir(folder).unwrap());
    let paths = entries.map(|entry| entry.unwrap().path());
    paths.filter(|path| path.extension().is_some_and(|extension| extension == "md")).collect()
}

#[test]
fn every_link_of_the_docs_to_a_file_leads_somewhere() {
    let mut links = 0;
    for page in pages() {
        let text = std::fs::read_to_string(&page).unwrap();
        for target in text.split("](").skip(1).filter_map(|rest| rest.split([')', '#', ' ']).next()) {
            if !target.is_empty() && !target.contains("://") {
                let path = page.parent().unwrap().join(target);
                assert!(path.exists(), "{} links to {target}, which is not there", page.display());
                links += 1;
            }
        }
    }
    assert!(links > 100, "{links} links");
}

#[test]
fn no_crate_depends_on_one_further_out() {
    let output = std::process::Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--no-deps", "--offline"])
        .current_dir(repository())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let layer = |name: &str| LAYERS.iter().position(|known| *known == name);
    for package in metadata["packages"].as_array().unwrap() {
        let name = package["name"].as_str().unwrap();
        let own = layer(name).unwrap_or_else(|| panic!("{name} has no place in LAYERS"));
        for dependency in package["dependencies"].as_array().unwrap() {
            let dependency = dependency["name"].as_str().unwrap();
            assert!(layer(dependency).is_none_or(|inner| inner < own), "{name} must not depend on {dependency}");
        }
    }
}

/// Rooms of the engine, in the order in which they use each other: a room uses those before it.
const ROOMS: [&str; 21] = [
    "clock",
    "math",
    "parallel",
    "sparse",
    "mesh",
    "proximity",
    "scratch",
    "integrate",
    "energy",
    "constraint",
    "material",
    "presets",
    "collide",
    "upsample",
    "contact",
    "world",
    "matter",
    "force",
    "solve",
    "step",
    "measure",
];

/// What uses a room further down all the same. This list may only shrink: an entry that nothing needs is an error.
const EXCEPTIONS: [(&str, &str); 2] = [
    // Contacts look up masses and rigid sets in the model, and matter meets contacts.
    ("contact", "world"),
    // A model holds matter, and matter looks around in the model.
    ("world", "matter"),
];

fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(rust_files(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files.sort();
    files
}

/// Names that follow `crate::` in a file, but for comments and tests at its end; those in braces too.
fn used(text: &str) -> Vec<String> {
    let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
    let code: String = code.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n");
    let first_word = |text: &str| text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>();
    let mut names = Vec::new();
    for part in code.split("crate::").skip(1) {
        match part.strip_prefix('{').and_then(|list| list.split("};").next()) {
            Some(list) => names.extend(list.split(',').map(|item| first_word(item.trim()))),
            None => names.push(first_word(part)),
        }
    }
    names
}

#[test]
fn no_room_of_the_engine_uses_one_further_down() {
    let source = repository().join("crates/pliant/src");
    // Types that the root hands on, with their rooms.
    let root = std::fs::read_to_string(source.join("lib.rs")).unwrap();
    let mut handed_on = std::collections::BTreeMap::new();
    for statement in root.split("pub use ").skip(1) {
        let statement = statement.split(';').next().unwrap();
        let room = statement.split("::").next().unwrap().to_owned();
        for name in statement.split(|c: char| !c.is_alphanumeric()).filter(|name| name.starts_with(char::is_uppercase))
        {
            handed_on.entry(name.to_owned()).or_insert_with(|| room.clone());
        }
    }
    let place = |room: &str| ROOMS.iter().position(|known| *known == room);
    let mut needed = std::collections::BTreeSet::new();
    for path in rust_files(&source) {
        let inside = path.strip_prefix(&source).unwrap();
        let room = inside.iter().next().unwrap().to_str().unwrap().trim_end_matches(".rs");
        let is_test = inside.to_str().unwrap().contains("test");
        // The root hands everything on; a wrinkled mesh is used by nobody in the engine.
        if ["lib", "wrinkle"].contains(&room) || is_test {
            continue;
        }
        let own = place(room).unwrap_or_else(|| panic!("{room} has no place in ROOMS"));
        for name in used(&std::fs::read_to_string(&path).unwrap()) {
            let target = handed_on.get(&name).unwrap_or(&name);
            let Some(other) = place(target) else { continue };
            if other > own {
                let is_known = EXCEPTIONS.contains(&(room, ROOMS[other]));
                assert!(is_known, "{} uses {target}, which is further down", inside.display());
                needed.insert((room.to_owned(), target.clone()));
            }
        }
    }
    for (room, other) in EXCEPTIONS {
        assert!(needed.contains(&(room.to_owned(), other.to_owned())), "{room} no longer uses {other}");
    }
}

/// A file is read on a few screens. Tests and tables count as well.
#[test]
fn no_source_file_is_longer_than_five_hundred_lines() {
    for entry in std::fs::read_dir(repository().join("crates")).unwrap() {
        let source = entry.unwrap().path().join("src");
        for path in if source.is_dir() { rust_files(&source) } else { Vec::new() } {
            let lines = std::fs::read_to_string(&path).unwrap().lines().count();
            assert!(lines <= 500, "{} has {lines} lines: split it by what it does", path.display());
        }
    }
}
