//! The command as a user runs it.
#![allow(clippy::unwrap_used)]

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use crate::common::{folder, frames, pliant, run, text};

#[test]
fn a_run_leaves_frames_and_exports_and_tells_whether_expectations_hold() {
    let dir = folder("run");
    let out = dir.join("curtain");
    let arguments =
        ["run", "curtain", "--no-preview", "--frames", "70", "--format", "npy,glb", "--out", out.to_str().unwrap()];
    let output = run(&arguments);
    assert!(output.status.success(), "{}{}", text(&output.stdout), text(&output.stderr));
    assert_eq!(frames(&out).len(), 71);
    assert!(out.join("export/npy/curtain.npy").exists() && out.join("export/glb/curtain.glb").exists());
    assert!(text(&output.stdout).contains("ok     max-stretch"));
    let again = run(&arguments);
    assert_eq!(again.status.code(), Some(2));
    assert!(text(&again.stderr).contains("--resume, --overwrite"));
    std::fs::write(out.join("notes.txt"), "mine").unwrap();
    let replaced = [&arguments[..3], &["--frames", "2", "--quiet", "--overwrite"], &arguments[7..]].concat();
    let replaced = run(&replaced);
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
fn a_scene_says_what_is_made_of_its_frames_and_the_command_line_decides() {
    let dir = folder("output");
    let scene = dir.join("flag.toml");
    let output = "\n[output]\nformats = [\"obj\"]\nevery = 2\npreview = \"poster\"\ncolor = \"strain\"\n";
    let flag = std::fs::read_to_string("../../scenes/flag.toml").unwrap();
    let (flag, _) = flag.split_once("\n[output]").unwrap();
    std::fs::write(&scene, flag.to_owned() + output).unwrap();
    let go = |out: &Path, more: &[&str]| {
        let fixed = ["run", scene.to_str().unwrap(), "--frames", "4", "--quiet", "--out", out.to_str().unwrap()];
        let output = run(&[&fixed, more].concat());
        assert!(output.status.code().is_some_and(|code| code < 2), "{}", text(&output.stderr));
    };
    let (asked, told) = (dir.join("asked"), dir.join("told"));
    go(&asked, &[]);
    let files = |out: &Path, format: &str| out.join("export").join(format).read_dir().map_or(0, Iterator::count);
    assert_eq!((files(&asked, "obj"), asked.join("preview.png").exists()), (3, true), "frames 0, 2 and 4");
    assert!(!asked.join("preview.gif").exists(), "a poster is no animation");
    go(&told, &["--preview=off", "--format", "ply"]);
    assert_eq!((files(&told, "obj"), files(&told, "ply"), told.join("preview.png").exists()), (0, 3, false));
    let colored = dir.join("colored");
    go(&colored, &["--color", "body"]);
    let poster = |out: &Path| std::fs::read(out.join("preview.png")).unwrap();
    assert!(poster(&asked) != poster(&colored), "the scene asks for strains, the command line for bodies");
    std::fs::remove_dir_all(dir).unwrap();
}

#[test]
fn a_failed_expectation_has_its_own_exit_code() {
    let dir = folder("fail");
    let out = dir.join("soft");
    let soft = "body.0.material.cloth.youngs_modulus=2e4";
    let out = out.to_str().unwrap();
    let output = run(&["run", "curtain", "--quiet", "--no-preview", "--frames", "40", "--set", soft, "--out", out]);
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
        ["run", "curtain", "--quiet", "--no-preview", "--frames", "60", "--checkpoint-every", "7", "--out", out]
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
    let names = text(&run(&["scenes", "--json"]).stdout);
    assert!(serde_json::from_str::<serde_json::Value>(&names).unwrap().as_array().unwrap().len() >= 10);
}

#[test]
fn every_shell_gets_completions_of_every_command() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = text(&run(&["completions", shell]).stdout);
        for word in ["compare", "checkpoint-every", "plot"] {
            assert!(script.contains(word), "{shell}: {word} is missing");
        }
    }
}

#[test]
fn the_help_of_every_command_ends_with_examples() {
    let help = text(&run(&["--help"]).stdout);
    let commands: Vec<&str> = help
        .lines()
        .skip_while(|line| *line != "Commands:")
        .skip(1)
        .take_while(|line| line.starts_with("  "))
        .map(|line| line.split_whitespace().next().unwrap())
        .filter(|command| *command != "help")
        .collect();
    assert!(commands.len() >= 8, "{commands:?}");
    for command in commands {
        let help = text(&run(&[command, "--help"]).stdout);
        let (_, examples) = help.split_once("Examples:").unwrap_or_else(|| panic!("{command} has no examples"));
        assert!(examples.contains(&format!("pliant {command}")), "{command}: {examples}");
    }
}

#[test]
fn info_tells_the_same_of_a_mesh_in_words_and_as_json() {
    let dir = folder("info");
    let path = dir.join("square.obj");
    std::fs::write(&path, "v 0 0 0\nv 2 0 0\nv 2 1 0\nv 0 1 0\nf 1 2 3\nf 1 3 4\n").unwrap();
    let words = text(&run(&["info", path.to_str().unwrap()]).stdout);
    assert!(words.contains("4 vertices, 2 triangles, 0 tets") && words.contains("area 2.000000"), "{words}");
    let data = run(&["info", path.to_str().unwrap(), "--json"]).stdout;
    let data: serde_json::Value = serde_json::from_slice(&data).unwrap();
    assert_eq!((data["vertices"].as_u64(), data["triangles"].as_u64()), (Some(4), Some(2)));
    assert_eq!((data["area"].as_f64(), data["closed"].as_bool()), (Some(2.0), Some(false)));
    assert_eq!(data["bounds"]["max"], serde_json::json!([2.0, 1.0, 0.0]));
    std::fs::remove_dir_all(dir).unwrap();
}

#[test]
fn a_fluid_is_exported_as_particles_and_as_a_surface_where_a_format_can_say_it() {
    let dir = folder("fluid");
    let out = dir.join("dam");
    let out = out.to_str().unwrap();
    let refused = run(&["run", "dam-break", "--frames", "1", "--format", "glb", "--fluid", "surface", "--out", out]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(text(&refused.stderr).contains("a different mesh in every frame"), "{}", text(&refused.stderr));
    assert!(!Path::new(out).exists(), "refused before the run");
    run(&["run", "dam-break", "--no-preview", "--quiet", "--frames", "1", "--format", "obj,glb", "--out", out]);
    let first = std::fs::read_to_string(Path::new(out).join("export/obj/dam_000000.obj")).unwrap();
    let objects: Vec<&str> = first.lines().filter_map(|line| line.strip_prefix("o ")).collect();
    assert_eq!(objects, ["water", "wood", "water_surface"]);
    assert!(Path::new(out).join("export/glb/dam.glb").exists());
    let points = run(&["export", out, "--format", "ply", "--fluid", "particles"]);
    assert!(points.status.success(), "{}", text(&points.stderr));
    std::fs::remove_dir_all(dir).unwrap();
}

#[test]
fn a_run_in_json_is_one_object_per_line() {
    let dir = folder("json");
    let out = dir.to_str().unwrap();
    let output = run(&["run", "flag", "--json", "--no-preview", "--frames", "3", "--overwrite", "--out", out]);
    let lines: Vec<serde_json::Value> =
        text(&output.stdout).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    // Three frames, two expectations, the summary.
    assert_eq!(lines.len(), 6);
    assert_eq!((lines[2]["frame"].as_u64(), lines[3]["expect"].as_str()), (Some(3), Some("centre-z")));
    assert_eq!(lines[5]["summary"]["frames"], 3);
    std::fs::remove_dir_all(dir).unwrap();
}

#[test]
fn a_run_against_colliders_tells_what_contact_came_to() {
    let out = folder("contact").join("run");
    let path = out.to_str().unwrap();
    let sizes = ["--set", "body.0.shape.sheet.columns=8", "--set", "body.0.shape.sheet.rows=8"];
    let arguments = ["run", "cloth-on-spheres", "--no-preview", "--frames", "20", "--out", path];
    let output = run(&[&arguments[..], &sizes[..]].concat());
    assert!(text(&output.stdout).contains("rank-one updates"), "{}{}", text(&output.stdout), text(&output.stderr));
    assert!(text(&output.stdout).contains("self_collision"));
    let log = std::fs::read_to_string(out.join("log.jsonl")).unwrap();
    let entries: Vec<serde_json::Value> = log.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let sum = |key: &str| entries.iter().map(|entry| entry[key].as_f64().unwrap()).sum::<f64>();
    assert!(sum("contacts") > 0.0 && sum("linear_iterations") > 0.0 && sum("seconds_self_collision") > 0.0);
    assert!(sum("penetration") < 20.0 * 5e-4);
    // All that a scene can name has a kernel.
    assert_eq!(sum("one_by_one"), 0.0);
    let summary = std::fs::read_to_string(out.join("summary.json")).unwrap();
    let summary: serde_json::Value = serde_json::from_str(&summary).unwrap();
    let of = |key: &str| summary["contact"][key].as_f64().unwrap();
    assert_eq!((of("rank_one_updates"), of("refactorisations")), (sum("rank_one_updates"), sum("refactorisations")));
    assert!(of("most") > 0.0);
    assert_eq!(summary["solver"], "two-metric Newton, at most 6 × 8 iterations");
    assert_eq!(summary["substeps"], 2);
    std::fs::remove_dir_all(out.parent().unwrap()).unwrap();
}

#[test]
fn a_scene_settles_where_its_forces_balance_and_a_run_goes_on_from_there() {
    let out = folder("settle").join("rest");
    let path = out.to_str().unwrap();
    let small = ["--set", "body.0.shape.sheet.columns=6", "--set", "body.0.shape.sheet.rows=6"];
    let arguments = ["settle", "curtain", "--solver", "newton", "--json", "--out", path];
    let output = run(&[&arguments[..], &small[..]].concat());
    let found: serde_json::Value =
        serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", text(&output.stderr)));
    assert!(found["relative"].as_f64().unwrap() <= 1e-3 && found["residual"].as_f64().unwrap() < 0.01, "{found}");
    let next =
        ["run", "curtain", "--solver", "newton", "--resume", "--no-preview", "--frames", "5", "--json", "--out", path];
    let output = run(&[&next[..], &small[..]].concat());
    let first: serde_json::Value = serde_json::from_str(text(&output.stdout).lines().next().unwrap()).unwrap();
    assert!(first["max_speed"].as_f64().unwrap() < 0.05, "it rests: {first}");
    std::fs::remove_dir_all(out.parent().unwrap()).unwrap();
    let free = run(&["settle", "curtain", "--set", "body.0.pin=[]"]);
    assert_eq!(free.status.code(), Some(2));
    assert!(text(&free.stderr).contains("has no equilibrium"), "{}", text(&free.stderr));
}

#[test]
fn a_torn_run_resumes_bit_for_bit_and_is_exported_where_a_format_can_say_it() {
    let dir = folder("torn");
    let scene = dir.join("strip.toml");
    let strip = r#"
        world.gravity = [0, 0, 0]
        [[body]]
        name = "strip"
        shape.sheet = { width = 0.6, height = 0.2, columns = 12, rows = 4 }
        material.cloth = { preset = "cotton" }
        tear = { stretch = 1.1, noise = 0.1 }
        [[body.pin]]
        select = { side = "left" }
        [[body.pin]]
        select = { side = "right" }
        keyframe = [{ time = 0 }, { time = 0.25, translate = [0.12, 0, 0] }]
        [[expect]]
        quantity = "pieces"
        above = 1.5
    "#;
    std::fs::write(&scene, strip).unwrap();
    let [whole, parts] = ["whole", "parts"].map(|name| dir.join(name));
    let go = |out: &Path, more: &[&str]| {
        let fixed = ["run", scene.to_str().unwrap(), "--out", out.to_str().unwrap(), "--checkpoint-every", "9"];
        run(&[&fixed, more].concat())
    };
    let output = go(&whole, &["--frames", "30", "--format", "pc2,obj", "--preview=poster"]);
    assert!(output.status.success(), "{}{}", text(&output.stdout), text(&output.stderr));
    assert!(
        text(&output.stderr).contains("note: bodies tear, are cut, come or go at frame"),
        "{}",
        text(&output.stderr)
    );
    assert!(whole.join("preview.png").exists() && !whole.join("export/pc2/whole.pc2").exists());
    let vertices = |frame: usize| {
        let file = whole.join(format!("export/obj/whole_{frame:06}.obj"));
        std::fs::read_to_string(file).unwrap().lines().filter(|line| line.starts_with("v ")).count()
    };
    assert!(vertices(30) > vertices(0), "{} vertices, then {}", vertices(0), vertices(30));
    let early = run(&["export", whole.to_str().unwrap(), "--format", "pc2", "--frames", "0-3"]);
    assert!(early.status.success() && whole.join("export/pc2/whole.pc2").exists());
    // Interrupted after the tear has begun.
    assert_eq!(go(&parts, &["--frames", "20", "--no-preview", "--quiet"]).status.code(), Some(0));
    let resumed = go(&parts, &["--frames", "30", "--no-preview", "--resume"]);
    assert!(resumed.status.success(), "{}{}", text(&resumed.stdout), text(&resumed.stderr));
    assert_eq!(frames(&whole), frames(&parts));
    std::fs::remove_dir_all(dir).unwrap();
}
