//! What the command says: to readers that go away, and to people.
#![cfg(unix)]
#![allow(clippy::unwrap_used)]

use std::process::{Output, Stdio};

use crate::common::{folder, frames, one_line, pliant, run, text};

/// Runs a command whose reader has gone away before it says a word.
fn unread(arguments: &[&str]) -> Output {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let child = pliant().args(arguments).stdout(writer).stderr(Stdio::piped()).spawn().unwrap();
    child.wait_with_output().unwrap()
}

#[test]
fn a_closed_pipe_ends_every_command_quietly() {
    let dir = folder("pipe");
    let (out, mesh) = (dir.join("run"), dir.join("square.obj"));
    std::fs::write(&mesh, "v 0 0 0\nv 2 0 0\nv 2 1 0\nv 0 1 0\nf 1 2 3\nf 1 3 4\n").unwrap();
    let (out, mesh) = (out.to_str().unwrap(), mesh.to_str().unwrap());
    // The scene's expectations do not hold yet after so few frames: its own exit code stays.
    for (code, arguments) in [
        (0, vec!["scenes"]),
        (0, vec!["scenes", "--json"]),
        (0, vec!["schema"]),
        (0, vec!["completions", "bash"]),
        (0, vec!["completions", "zsh"]),
        (0, vec!["--help"]),
        (0, vec!["--version"]),
        (0, vec!["run", "--help"]),
        (0, vec!["reproduce", "--list"]),
        (1, vec!["run", "curtain", "--frames", "3", "--no-preview", "--out", out]),
        (1, vec!["run", "curtain", "--frames", "3", "--no-preview", "--json", "--overwrite", "--out", out]),
        (0, vec!["info", out]),
        (0, vec!["info", mesh]),
        (0, vec!["info", "curtain"]),
        (0, vec!["plot", out]),
        (0, vec!["export", out, "--format", "obj"]),
        (0, vec!["compare", "curtain", "--frame", "1", "--iterations", "1", "--run-frames", "0"]),
    ] {
        let output = unread(&arguments);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {}", text(&output.stderr));
        assert_eq!(text(&output.stderr), "", "{arguments:?}");
    }
    assert_eq!(frames(std::path::Path::new(out)).len(), 4, "a run that nobody listens to is done all the same");
    std::fs::remove_dir_all(dir).unwrap();
}

#[test]
fn an_error_that_nobody_reads_keeps_its_exit_code() {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let status = pliant().args(["run", "no-such-scene"]).stderr(writer).status().unwrap();
    assert_eq!(status.code(), Some(2));
}

#[test]
fn the_version_is_that_of_pliant() {
    assert_eq!(text(&run(&["--version"]).stdout), format!("pliant {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn help_names_every_solver_that_the_command_knows() {
    let refused = one_line(&run(&["run", "curtain", "--solver", "magic"]));
    let (_, known) = refused.split_once("there are ").unwrap();
    assert!(known.split(", ").count() >= 7, "{known}");
    for command in ["run", "compare"] {
        let help = text(&run(&[command, "--help"]).stdout);
        let help: String = help.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(help.contains(known), "{command}: {known} are not in {help}");
    }
}

#[test]
fn info_is_in_words() {
    let dir = folder("info-words");
    let (out, mesh) = (dir.join("run"), dir.join("square.obj"));
    std::fs::write(&mesh, "v 0 0 0\nv 2 0 0\nv 2 1 0\nv 0 1 0\nf 1 2 3\nf 1 3 4\n").unwrap();
    let (out, mesh) = (out.to_str().unwrap(), mesh.to_str().unwrap());
    run(&["run", "curtain", "--frames", "3", "--no-preview", "--quiet", "--out", out]);
    let stored = text(&run(&["info", out]).stdout);
    assert!(stored.starts_with("run: 4 frames, last checkpoint at frame 3\n"), "{stored}");
    let surface = text(&run(&["info", mesh]).stdout);
    assert!(surface.contains("surface: area 2.000000 m², open\n  1 piece, 4 open edges\n"), "{surface}");
    for words in [stored, surface, text(&run(&["info", "curtain"]).stdout)] {
        assert!(!words.contains("Some(") && !words.contains(" {") && !words.contains("None"), "{words}");
    }
    std::fs::remove_dir_all(dir).unwrap();
}

#[test]
fn too_many_threads_are_refused_with_the_limit() {
    let dir = folder("threads");
    let out = dir.join("run");
    let run =
        |threads: &str| run(&["run", "curtain", "--frames", "1", "--threads", threads, "--out", out.to_str().unwrap()]);
    for threads in ["1025", "1000000"] {
        let line = one_line(&run(threads));
        assert!(line.contains(threads) && line.contains("1024 is the limit"), "{line}");
        assert!(!out.exists(), "refused before the run");
    }
    assert_eq!(run("18446744073709551616").status.code(), Some(2));
    std::fs::remove_dir_all(dir).unwrap();
}
