//! `pliant train`: motions, models and the report; interruption; what it refuses.
#![allow(clippy::unwrap_used)]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

/// A strip that swings, in three short motions.
const STRIP: &str = r#"[world]
frames = 8

[[body]]
name = "strip"
shape.sheet = { width = 0.4, height = 0.3, columns = 4, rows = 3 }
material.cloth = { preset = "cotton", youngs_modulus = 1e5 }
upsample = { levels = 1 }
pin = [{ select = { side = "top" } }]

[[train.motion]]
name = "swung"
carry = [{ translate = [0.05, 0, 0.05], period = 0.5 }]

[[train.motion]]
name = "shaken"
random = { seed = 1, period = 0.2, acceleration = 5 }

[[train.motion]]
name = "turned"
held_out = true
carry = [{ degrees = 30, period = 0.5 }]

[train]
poses = 3
"#;

fn folder(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("pliant-train-command-{name}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).unwrap();
    std::fs::write(path.join("strip.toml"), STRIP).unwrap();
    path
}

fn pliant(dir: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_pliant")).current_dir(dir).args(arguments).output().unwrap()
}

fn error(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn training_leaves_models_that_a_run_shows_and_a_report_of_their_errors() {
    let dir = folder("whole");
    let output = pliant(&dir, &["train", "strip.toml", "--json"]);
    assert!(output.status.success(), "{output:?}");
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let out = dir.join("out/train/strip");
    let stored: Value = serde_json::from_str(&std::fs::read_to_string(out.join("report.json")).unwrap()).unwrap();
    assert_eq!(stored, report);
    let methods: Vec<&str> =
        report["held_out"].as_array().unwrap().iter().map(|total| total["method"].as_str().unwrap()).collect();
    assert_eq!(methods, ["smooth", "wrinkle mesh", "wpsd", "pdm", "piu"]);
    assert_eq!(report["motions"].as_array().unwrap().len(), 3);
    for total in report["held_out"].as_array().unwrap() {
        assert!(total["l2"].as_f64().unwrap() > 0.0, "{total}");
    }
    let page = std::fs::read_to_string(out.join("report.md")).unwrap();
    assert!(page.contains("| smooth |") && page.contains("comparison-turned.png"), "{page}");
    for name in ["errors.svg", "errors.png", "comparison-turned.png"] {
        assert!(out.join(name).is_file(), "{name}");
    }
    let model = "body.0.upsample.model=out/train/strip/models/piu.upsample";
    let shown = pliant(&dir, &["run", "strip.toml", "--set", model, "--no-preview", "--format", "obj", "--quiet"]);
    assert!(shown.status.success(), "{shown:?}");
    // Finer by a level: a vertex for each of the 20 and each of their 43 edges.
    let written = std::fs::read_dir(dir.join("out/strip/export/obj")).unwrap().next().unwrap().unwrap();
    let vertices = std::fs::read_to_string(written.path()).unwrap().lines().filter(|l| l.starts_with("v ")).count();
    assert_eq!(vertices, 20 + 43);
    // What is there is not replaced without being asked.
    let again = error(&pliant(&dir, &["train", "strip.toml"]));
    assert!(again.contains("holds training already; give --resume, --overwrite or another --out"), "{again}");
    let other = error(&pliant(&dir, &["train", "strip.toml", "--resume", "--set", "world.frames=9"]));
    assert!(other.contains("holds training of another scene"), "{other}");
    // Other methods from the same motions.
    let before = std::fs::read(out.join("models/piu.upsample")).unwrap();
    let resumed = pliant(&dir, &["train", "strip.toml", "--resume", "--methods", "pdm", "--quiet", "--no-pictures"]);
    assert!(resumed.status.success() && resumed.stdout.is_empty(), "{resumed:?}");
    assert_eq!(std::fs::read(out.join("models/piu.upsample")).unwrap(), before);
    std::fs::remove_dir_all(dir).unwrap();
}

#[test]
fn what_cannot_be_trained_is_refused_and_leaves_nothing() {
    let dir = folder("refused");
    for (arguments, message) in [
        (&["train", "curtain"][..], "the scene has no [train] table"),
        (&["train", "strip.toml", "--resume"], "holds no training; omit --resume"),
        (&["train", "strip.toml", "--methods", "pui"], "pui"),
        (&["train", "strip.toml", "--set", "train.motion.0.held_out=maybe"], "maybe"),
        (&["train", "strip.toml", "--set", "train.motion.0.name=a/b"], "must be of letters, digits, - and _"),
    ] {
        let said = error(&pliant(&dir, arguments));
        assert!(said.contains(message), "{arguments:?}: {said}");
        assert!(!dir.join("out").exists(), "{arguments:?}");
    }
    // One frame cannot decide polynomials without regularisation; models of before stay.
    let first = pliant(&dir, &["train", "strip.toml", "--methods", "pdm", "--quiet", "--no-pictures"]);
    assert!(first.status.success(), "{first:?}");
    let model = dir.join("out/train/strip/models/pdm.upsample");
    let before = std::fs::read(&model).unwrap();
    let singular = ["train", "strip.toml", "--resume", "--methods", "pdm", "--set", "train.pdm_regularisation=0"];
    let said = error(&pliant(&dir, &singular));
    assert!(said.contains("cannot be fitted") || said.contains("frames, but"), "{said}");
    assert_eq!(std::fs::read(&model).unwrap(), before);
    std::fs::remove_dir_all(dir).unwrap();
}

#[test]
fn damaged_frames_are_simulated_again_or_refused() {
    let dir = folder("damaged");
    let whole = pliant(&dir, &["train", "strip.toml", "--methods", "piu", "--quiet", "--no-pictures"]);
    assert!(whole.status.success(), "{whole:?}");
    let sequence = dir.join("out/train/strip/sequences/swung");
    let frames: Vec<PathBuf> = walk(&sequence);
    let last = frames.iter().filter(|p| p.to_string_lossy().contains("frame")).max().unwrap();
    let bytes = std::fs::read(last).unwrap();
    std::fs::write(last, &bytes[..bytes.len() / 2]).unwrap();
    let again = pliant(&dir, &["train", "strip.toml", "--resume", "--methods", "piu", "--quiet", "--no-pictures"]);
    assert!(again.status.success(), "{again:?}");
    assert_eq!(std::fs::read(last).unwrap(), bytes, "the same frame, bit for bit");
    std::fs::remove_dir_all(dir).unwrap();
}

/// All files below a folder.
fn walk(dir: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { files.extend(walk(&path)) } else { files.push(path) }
    }
    files
}
