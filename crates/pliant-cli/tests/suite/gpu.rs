//! `pliant gpu` and `--gpu`, on any adapter that there is.
#![cfg(feature = "gpu")]
#![allow(clippy::unwrap_used)]

use std::process::Output;

use pliant_gpu::device::Device;
use serde_json::Value;

use crate::common::{Running, folder, frames, one_line, pliant, text};

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

/// Positions of a frame as they are stored.
fn stored(dir: &std::path::Path, frame: u64) -> Vec<[f64; 3]> {
    let store = pliant_io::store::RunStore::open(dir).unwrap();
    store.read_frame(frame).unwrap().positions.iter().map(|p| p.to_array()).collect()
}

fn furthest(a: &[[f64; 3]], b: &[[f64; 3]]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().flatten().zip(b.iter().flatten()).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

#[test]
fn a_run_says_whether_its_state_stays_on_the_gpu_and_stores_the_same_frames() {
    if !has_adapter() {
        return;
    }
    let dir = folder("gpu_stays");
    let simulate = |name: &str, more: &[&str]| {
        let out = dir.join(name);
        let fixed = [
            "run",
            "curtain",
            "--no-preview",
            "--frames",
            "6",
            "--gpu",
            "--solver",
            "plain",
            "--out",
            out.to_str().unwrap(),
        ];
        let output = run(&[&fixed[..], more].concat());
        let summary = std::fs::read_to_string(out.join("summary.json")).unwrap_or_default();
        (out, text(&output.stdout) + &text(&output.stderr), serde_json::from_str::<Value>(&summary).unwrap_or_default())
    };
    let (stays, said, summary) = simulate("stays", &[]);
    assert!(said.contains("a frame; the state stays on the GPU"), "{said}");
    assert_eq!(summary["state"], "the state stays on the GPU");
    assert_eq!(frames(&stays).len(), 7);
    let log = std::fs::read_to_string(stays.join("log.jsonl")).unwrap();
    assert!(log.lines().count() == 6 && log.contains("stays_on_gpu") && !log.contains("iterations"), "{log}");
    // The same by the engine's steps, which alone report contacts.
    let (comes, said, _) = simulate("comes", &["--set", "expect=[{ quantity = \"contacts\", below = 1 }]"]);
    assert!(said.contains("the state comes back every step: the scene has an expectation of contacts"), "{said}");
    for frame in 0..=6 {
        let gap = furthest(&stored(&stays, frame), &stored(&comes, frame));
        assert!(gap < 1e-5, "frame {frame}: {gap} m");
    }
    // Frames that are waited for one by one, with a checkpoint after each.
    let (each, ..) = simulate("each", &["--checkpoint-every", "1"]);
    assert_eq!(stored(&each, 6), stored(&stays, 6));
    // What has to stay and cannot leaves no folder behind.
    let refused = dir.join("refused");
    let output = run(&["run", "dam-break", "--gpu", "--solver", "xpbd", "--out", refused.to_str().unwrap()]);
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("the state cannot stay on the GPU: body \"wood\" has no fluid in it"), "{said}");
    assert!(!refused.exists());
    std::fs::remove_dir_all(dir).unwrap();
}

#[test]
fn a_killed_run_on_the_gpu_keeps_its_frames_and_goes_on_anywhere() {
    if !has_adapter() {
        return;
    }
    let dir = folder("gpu_kill");
    let out = dir.join("run");
    let arguments = |frames: &str| {
        let all = ["run", "curtain", "--no-preview", "--quiet", "--checkpoint-every", "4", "--solver", "plain"];
        let rest = ["--frames", frames, "--out", out.to_str().unwrap()];
        [&all[..], &rest].concat().into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    let mut command = pliant();
    command.args(arguments("40")).arg("--gpu").env("XDG_RUNTIME_DIR", std::env::temp_dir());
    let mut held = Running::held_at(&mut command, &out, 9);
    held.0.kill().unwrap();
    held.0.wait().unwrap();
    let kept = stored(&out, 8);
    // On the GPU again, then on the CPU.
    for (frames, gpu) in [("42", &["--gpu"][..]), ("44", &[])] {
        let mut command = pliant();
        command.args(arguments(frames)).args(gpu).arg("--resume").env("XDG_RUNTIME_DIR", std::env::temp_dir());
        let output = command.output().unwrap();
        assert_ne!(output.status.code(), Some(2), "{}", text(&output.stderr));
    }
    assert_eq!(stored(&out, 8), kept);
    // As a run on the CPU all the way.
    let here = dir.join("here");
    let simulated = pliant()
        .args(["run", "curtain", "--no-preview", "--quiet", "--solver", "plain", "--frames", "44", "--out"])
        .arg(&here)
        .output()
        .unwrap();
    assert_ne!(simulated.status.code(), Some(2), "{}", text(&simulated.stderr));
    let gap = furthest(&stored(&out, 44), &stored(&here, 44));
    assert!(gap < 2e-3, "{gap} m");
    std::fs::remove_dir_all(dir).unwrap();
}
