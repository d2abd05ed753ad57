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
const LAYERS: [&str; 10] = [
    "pliant",
    "pliant-io",
    "pliant-scene",
    "pliant-gpu",
    "pliant-view",
    "pliant-reproduce",
    "pliant-cli",
    "pliant-web",
    "pliant-py",
    "pliant-bench",
];

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
