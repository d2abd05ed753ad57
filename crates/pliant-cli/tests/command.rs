//! The command as a user runs it.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

fn pliant() -> Command {
    Command::new(env!("CARGO_BIN_EXE_pliant"))
}

/// A fresh folder for one test.
fn folder(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("pliant-cli-{name}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).unwrap();
    path
}

fn run(arguments: &[&str]) -> Output {
    pliant().args(arguments).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Contents of all frames of a run.
fn frames(dir: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = std::fs::read_dir(dir.join("frames")).unwrap().map(|entry| entry.unwrap());
    entries.map(|entry| (entry.file_name().into_string().unwrap(), std::fs::read(entry.path()).unwrap())).collect()
}

#[test]
fn a_run_leaves_frames_and_exports_and_tells_whether_expectations_hold() {
    let dir = folder("run");
    let out = dir.join("curtain");
    let arguments = ["run", "curtain", "--frames", "70", "--format", "npy,glb", "--out", out.to_str().unwrap()];
    let output = run(&arguments);
    assert!(output.status.success(), "{}{}", text(&output.stdout), text(&output.stderr));
    assert_eq!(frames(&out).len(), 71);
    assert!(out.join("export/npy/curtain.npy").exists() && out.join("export/glb/curtain.glb").exists());
    assert!(text(&output.stdout).contains("ok     max-stretch"));
    let again = run(&arguments);
    assert_eq!(again.status.code(), Some(2));
    assert!(text(&again.stderr).contains("--resume, --overwrite"));
    std::fs::write(out.join("notes.txt"), "mine").unwrap();
    let replaced = run(&["run", "curtain", "--frames", "2", "--quiet", "--overwrite", "--out", out.to_str().unwrap()]);
    assert_eq!(replaced.status.code(), Some(1), "in two frames it cannot have fallen");
    assert_eq!((frames(&out).len(), out.join("notes.txt").exists()), (3, true));
    assert!(!out.join("export").exists());
    let usda = run(&["export", out.to_str().unwrap(), "--format", "usda"]);
    assert!(usda.status.success() && out.join("export/usda/curtain.usda").exists());
    let info = run(&["info", out.to_str().unwrap()]);
    assert!(text(&info.stdout).contains("run: 3 frames"));
    std::fs::remove_dir_all(dir).unwrap();
}

#[test]
fn a_preview_is_a_picture_and_an_animation() {
    let dir = folder("preview");
    let out = dir.join("flag");
    let output = run(&["run", "flag", "--preview", "--frames", "3", "--out", out.to_str().unwrap()]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(std::fs::read(out.join("preview.png")).unwrap().starts_with(b"\x89PNG\r\n\x1a\n"));
    assert!(std::fs::read(out.join("preview.gif")).unwrap().starts_with(b"GIF89a"));
    std::fs::remove_dir_all(dir).unwrap();
}

#[test]
fn a_scene_says_what_is_made_of_its_frames_and_the_command_line_decides() {
    let dir = folder("output");
    let scene = dir.join("flag.toml");
    let output = "\n[output]\nformats = [\"obj\"]\nevery = 2\npreview = true\ncolour_by = \"stretch\"\n";
    std::fs::write(&scene, std::fs::read_to_string("../../scenes/flag.toml").unwrap() + output).unwrap();
    let go = |out: &Path, more: &[&str]| {
        let fixed = ["run", scene.to_str().unwrap(), "--frames", "4", "--quiet", "--out", out.to_str().unwrap()];
        let output = run(&[&fixed, more].concat());
        assert!(output.status.code().is_some_and(|code| code < 2), "{}", text(&output.stderr));
    };
    let (asked, told) = (dir.join("asked"), dir.join("told"));
    go(&asked, &[]);
    let files = |out: &Path, format: &str| out.join("export").join(format).read_dir().map_or(0, Iterator::count);
    assert_eq!((files(&asked, "obj"), asked.join("preview.png").exists()), (3, true), "frames 0, 2 and 4");
    go(&told, &["--preview=false", "--format", "ply"]);
    assert_eq!((files(&told, "obj"), files(&told, "ply"), told.join("preview.png").exists()), (0, 3, false));
    std::fs::remove_dir_all(dir).unwrap();
}

#[test]
fn a_failed_expectation_has_its_own_exit_code() {
    let dir = folder("fail");
    let out = dir.join("soft");
    let soft = "body.0.material.cloth.youngs_modulus=2e4";
    let output = run(&["run", "curtain", "--quiet", "--frames", "40", "--set", soft, "--out", out.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stdout).starts_with("FAILED max-stretch"), "{}", text(&output.stdout));
    std::fs::remove_dir_all(dir).unwrap();
}

#[test]
fn errors_go_to_standard_error_with_exit_code_2() {
    for (arguments, message) in [
        (vec!["run", "no-such-scene"], "there is no file or built-in scene"),
        (vec!["run", "curtain", "--set", "world.frams=3"], "did you mean `frames`?"),
        (vec!["run", "curtain", "--solver", "magic"], "there is no solver \"magic\""),
        (vec!["run", "curtain", "--format", "docx"], "there is no format \"docx\""),
        (vec!["info", "no-such.obj"], "no-such.obj"),
        (vec!["export", "no-such-run", "--format", "npy"], "no-such-run"),
    ] {
        let output = run(&arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(text(&output.stderr).contains(message), "{arguments:?}: {}", text(&output.stderr));
    }
}

#[test]
fn a_killed_run_resumes_to_the_same_bytes() {
    let dir = folder("kill");
    let (whole, broken) = (dir.join("whole"), dir.join("broken"));
    let arguments = |out: &Path| -> Vec<String> {
        let out = out.to_str().unwrap();
        ["run", "curtain", "--quiet", "--frames", "60", "--checkpoint-every", "7", "--out", out]
            .map(String::from)
            .to_vec()
    };
    assert!(pliant().args(arguments(&whole)).status().unwrap().success());
    let mut child = pliant().args(arguments(&broken)).stdout(Stdio::null()).spawn().unwrap();
    // Wait until it is well under way, then kill it without warning.
    while broken.join("frames").read_dir().map_or(0, Iterator::count) < 25 {
        assert!(child.try_wait().unwrap().is_none(), "the run ended before it could be killed");
        std::thread::sleep(Duration::from_millis(2));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(frames(&broken).len() < 61);
    let mut resumed = arguments(&broken);
    resumed.push("--resume".into());
    assert!(pliant().args(resumed).status().unwrap().success());
    assert_eq!(frames(&whole), frames(&broken));
    std::fs::remove_dir_all(dir).unwrap();
}

#[test]
fn scenes_schema_and_comparison_print_what_they_promise() {
    assert!(text(&run(&["scenes"]).stdout).lines().count() >= 10);
    assert!(text(&run(&["schema"]).stdout).contains("\"title\": \"SceneFile\""));
    let table = text(&run(&["compare", "curtain", "--frame", "3", "--solvers", "plain,newton"]).stdout);
    assert!(table.contains("plain") && table.contains("newton"), "{table}");
}
