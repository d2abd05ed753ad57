//! `pliant gpu` and `--gpu`, on any adapter that there is.
#![cfg(feature = "gpu")]
#![allow(clippy::unwrap_used)]

use std::process::Output;

use pliant_gpu::device::Device;
use serde_json::Value;

use crate::common::{folder, frames, one_line, pliant, text};

/// Runs the command; Mesa complains to standard error where there is no such folder.
fn run(arguments: &[&str]) -> Output {
    pliant().args(arguments).env("XDG_RUNTIME_DIR", std::env::temp_dir()).output().unwrap()
}

fn has_adapter() -> bool {
    let has = !Device::adapters().is_empty();
    if !has {
        eprintln!("skipped: there is no GPU here, nor a program in place of one (on Debian: mesa-vulkan-drivers)");
    }
    has
}

#[test]
fn adapters_are_listed_and_tested() {
    if !has_adapter() {
        let line = one_line(&run(&["gpu"]));
        assert!(line.contains("looked for an adapter of Vulkan, Metal or DirectX 12, found none"), "{line}");
        return;
    }
    let output = run(&["gpu"]);
    let said = text(&output.stdout);
    assert!(output.status.success(), "{said}{}", text(&output.stderr));
    for word in ["MiB", "ok     linear system", "ok     cloth", "ok     solid", "ok     same bits again"] {
        assert!(said.contains(word), "{word}: {said}");
    }
    let listed: Value = serde_json::from_slice(&run(&["gpu", "--list", "--json"]).stdout).unwrap();
    let first = listed["adapters"][0]["name"].as_str().unwrap();
    assert!(said.starts_with(first) && listed["test"].is_null(), "{listed}");
}

#[test]
fn an_adapter_that_is_not_there_is_one_clear_error() {
    for arguments in [vec!["gpu", "--adapter", "voodoo 2", "--json"], vec!["run", "curtain", "--gpu=voodoo 2"]] {
        let line = one_line(&run(&arguments));
        assert!(line.contains("looked for an adapter whose name contains \"voodoo 2\", found"), "{line}");
    }
}

#[test]
fn a_run_goes_to_the_gpu_by_a_flag_and_is_drawn_without_one() {
    if !has_adapter() {
        return;
    }
    let dir = folder("gpu");
    let out = dir.join("run");
    let run = |more: &[&str]| {
        let fixed = ["run", "curtain", "--overwrite", "--no-preview", "--frames", "3", "--out", out.to_str().unwrap()];
        run(&[&fixed[..], more].concat())
    };
    for more in [&["--gpu"][..], &["--gpu", "--solver", "plain", "--iterations", "5"]] {
        let output = run(more);
        // After three frames the curtain cannot have fallen as far as it is expected to.
        assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
        assert!(text(&output.stdout).contains("solver: GPU"), "{}", text(&output.stdout));
        assert_eq!(frames(&out).len(), 4);
    }
    let line = one_line(&run(&["--gpu", "--solver", "newton"]));
    assert!(line.contains("the solver newton does not run on a GPU; auto, plain"), "{line}");
    let output = run(&["--gpu", "--set", "solver.newton={}"]);
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        said.starts_with("error: curtain.toml:") && said.contains("[solver.newton] does not run on a GPU"),
        "{said}"
    );
    // A scene that asks for an adapter that only another machine has.
    let (origin, elsewhere) =
        (out.join("scene.json"), "[solver.gpu]\\nadapter = \\\"Voodoo 2\\\"\\n[world]\\nframes = 120");
    let stored = std::fs::read_to_string(&origin).unwrap();
    assert!(stored.contains("[world]\\nframes = 120"), "{stored}");
    std::fs::write(&origin, stored.replace("[world]\\nframes = 120", elsewhere)).unwrap();
    let drawn = pliant().args(["render", out.to_str().unwrap(), "--frame", "2"]).output().unwrap();
    assert!(drawn.status.success(), "{}", text(&drawn.stderr));
    std::fs::remove_dir_all(dir).unwrap();
}
