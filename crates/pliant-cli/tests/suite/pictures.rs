//! What the command draws: previews, plots, comparisons.
#![allow(clippy::unwrap_used)]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

fn run(arguments: &[&str]) -> Output {
    let output = Command::new(env!("CARGO_BIN_EXE_pliant")).args(arguments).output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    output
}

/// A fresh folder for one test.
fn folder(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("pliant-pictures-{name}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&path);
    path
}

fn json(path: &Path) -> Value {
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

fn is_png(path: &Path) -> bool {
    std::fs::read(path).is_ok_and(|bytes| bytes.starts_with(b"\x89PNG\r\n\x1a\n"))
}

fn has_ffmpeg() -> bool {
    Command::new("ffmpeg").arg("-version").output().is_ok_and(|output| output.status.success())
}

#[test]
fn a_run_leaves_a_poster_an_animation_and_a_summary() {
    let dir = folder("default");
    let out = dir.join("flag");
    run(&["run", "flag", "--frames", "4", "--quiet", "--out", out.to_str().unwrap()]);
    assert!(is_png(&out.join("preview.png")));
    assert!(std::fs::read(out.join("preview.gif")).unwrap().starts_with(b"GIF89a"));
    let summary = json(&out.join("summary.json"));
    assert_eq!((summary["frames"].as_u64(), summary["all_hold"].as_bool()), (Some(4), Some(true)));
    assert_eq!(summary["preview"]["files"][0], "preview.png");
    assert_eq!(summary["expectations"].as_array().unwrap().len(), 2);
    let times = &summary["milliseconds_per_frame"];
    let number = |key: &str| times[key].as_f64().unwrap();
    let sum: f64 = ["predict", "local", "global", "factor", "other"].map(number).iter().sum();
    assert!(number("local") > 0.0 && (sum - number("total")).abs() < 1e-9 * sum, "{times}");
    assert!(summary["final"]["max_stretch"].as_f64().unwrap() > 1.0);
    std::fs::remove_dir_all(dir).unwrap();
}

#[test]
fn fewer_and_more_pictures_are_drawn_on_demand() {
    let dir = folder("modes");
    let drawn = |mode: &str| {
        let out = dir.join("run");
        let arguments = ["run", "flag", "--frames", "4", "--quiet", "--overwrite", mode];
        run(&[&arguments[..], &["--out", out.to_str().unwrap()]].concat());
        let exists = |name: &str| out.join(name).exists();
        [exists("preview.png"), exists("preview.gif"), exists("preview/000004.png"), exists("summary.json")]
    };
    assert_eq!(drawn("--preview"), [true, true, true, true]);
    assert!(is_png(&dir.join("run/preview/000000.png")));
    assert_eq!(drawn("--preview=poster"), [true, false, false, true], "and what was there before is gone");
    assert_eq!(drawn("--no-preview"), [false, false, false, true]);
    std::fs::remove_dir_all(dir).unwrap();
}

#[test]
fn a_video_is_made_where_ffmpeg_is_installed() {
    let dir = folder("video");
    run(&["run", "flag", "--frames", "6", "--quiet", "--out", dir.to_str().unwrap()]);
    let video = dir.join("preview.mp4");
    if has_ffmpeg() {
        // The second word of an MP4 file names its type.
        assert_eq!(&std::fs::read(&video).unwrap()[4..8], b"ftyp");
    } else {
        println!("skipped: ffmpeg is not installed, so there is no video to look at");
        assert!(!video.exists());
    }
    std::fs::remove_dir_all(dir).unwrap();
}

#[test]
fn colours_show_what_is_asked_for() {
    let dir = folder("colours");
    let poster = |color: &str| {
        let out = dir.join(color);
        let arguments = ["run", "curtain", "--frames", "8", "--quiet", "--preview=poster", "--color", color];
        // The end of the run, where it is fastest.
        let output = Command::new(env!("CARGO_BIN_EXE_pliant"))
            .args(arguments)
            .args(["--set", "output.poster=1", "--out"])
            .arg(&out)
            .output()
            .unwrap();
        assert_ne!(output.status.code(), Some(2), "{}", String::from_utf8_lossy(&output.stderr));
        let file = std::fs::File::open(out.join("preview.png")).unwrap();
        let mut reader = png::Decoder::new(std::io::BufReader::new(file)).read_info().unwrap();
        let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
        reader.next_frame(&mut bytes).unwrap();
        bytes.as_chunks::<3>().0.to_vec()
    };
    // Yellow is the end of the scale: in its legend, and where the curtain is fastest; nothing else is yellow.
    let yellow = |pixels: &[[u8; 3]]| pixels.iter().filter(|[r, g, b]| *r > 150 && *g > 150 && *b < 90).count();
    let (body, strain, speed) = (poster("body"), poster("strain"), poster("speed"));
    assert_eq!(yellow(&body), 0);
    assert!(yellow(&strain) > 50 && yellow(&speed) > yellow(&strain), "{} {}", yellow(&strain), yellow(&speed));
    std::fs::remove_dir_all(dir).unwrap();
}

#[test]
fn a_surface_that_rides_along_is_what_pictures_show() {
    let dir = folder("riding");
    let cells = |count: u32| format!("body.0.shape.sdf.surface_cells={count}");
    let poster = |name: &str, count: u32, color: &str| {
        let out = dir.join(name);
        let fixed = ["run", "gummy", "--frames", "2", "--quiet", "--preview=poster", "--color", color];
        let output = Command::new(env!("CARGO_BIN_EXE_pliant"))
            .args(fixed)
            .args(["--set", &cells(count), "--out"])
            .arg(&out)
            .output()
            .unwrap();
        assert_ne!(output.status.code(), Some(2), "{}", String::from_utf8_lossy(&output.stderr));
        let log = std::fs::read_to_string(out.join("log.jsonl")).unwrap();
        let last: Value = serde_json::from_str(log.lines().last().unwrap()).unwrap();
        (std::fs::read(out.join("preview.png")).unwrap(), last["max_stretch"].as_f64().unwrap())
    };
    let (fine, fine_stretch) = poster("fine", 20, "body");
    let (coarse, coarse_stretch) = poster("coarse", 6, "body");
    assert!(fine != coarse, "another surface is another picture");
    assert_eq!(fine_stretch.to_bits(), coarse_stretch.to_bits(), "of the same simulation");
    assert!(poster("strain", 6, "strain").0 != coarse);
    std::fs::remove_dir_all(dir).unwrap();
}

#[test]
fn the_log_of_a_run_is_plotted() {
    let dir = folder("plot");
    let out = dir.to_str().unwrap();
    run(&["run", "flag", "--frames", "5", "--quiet", "--no-preview", "--out", out]);
    run(&["plot", out]);
    let svg = std::fs::read_to_string(dir.join("plot.svg")).unwrap();
    for word in ["Energy", "kinetic", "Stretch", "largest", "Residual", "Time per frame", "global", "time [s]"] {
        assert!(svg.contains(word), "{word} is missing");
    }
    let only = dir.join("only.png");
    run(&["plot", out, "--out", only.to_str().unwrap(), "--only", "stretch"]);
    assert!(is_png(&only));
    let log = std::fs::read_to_string(dir.join("log.jsonl")).unwrap();
    for line in log.lines() {
        let entry: Value = serde_json::from_str(line).unwrap();
        let number = |key: &str| entry[key].as_f64().unwrap();
        assert!(number("max_stretch") >= number("mean_stretch") && number("mean_stretch") > 0.5);
    }
    std::fs::remove_dir_all(dir).unwrap();
}

#[test]
fn a_comparison_shows_newton_converging_and_others_on_their_way() {
    let dir = folder("compare");
    let arguments = ["compare", "curtain", "--frame", "3,8", "--solvers", "plain,newton", "--iterations", "1,10,60"];
    let more = ["--run-frames", "4", "--set", "body.0.shape.sheet.columns=10", "--set", "body.0.shape.sheet.rows=10"];
    let table = String::from_utf8(run(&[&arguments[..], &more].concat()).stdout).unwrap();
    assert!(table.contains("plain") && table.contains("largest stretch"), "{table}");
    let json_output = run(&[&arguments[..], &more, &["--json", "--out", dir.to_str().unwrap()]].concat()).stdout;
    let printed: Value = serde_json::from_slice(&json_output).unwrap();
    let errors = |solver: &str| -> Vec<f64> {
        let attempts = printed["attempts"].as_array().unwrap();
        attempts.iter().filter(|a| a["solver"] == solver).map(|a| a["error"].as_f64().unwrap()).collect()
    };
    let (plain, newton) = (errors("plain"), errors("newton"));
    assert!(plain[0] > plain[1] && plain[1] > plain[2] && plain[2] > 1e-12, "{plain:?}");
    assert!(*newton.last().unwrap() < 1e-12, "{newton:?}");
    let runs = printed["runs"].as_array().unwrap();
    assert_eq!(
        runs.iter().map(|run| run["solver"].as_str().unwrap()).collect::<Vec<_>>(),
        ["exact", "plain", "newton"]
    );
    assert!(runs[2]["distance"].as_f64().unwrap() < 1e-6 && runs[1]["distance"].as_f64().unwrap() > 1e-6);
    assert!(dir.join("compare.svg").exists() && json(&dir.join("compare.json")) == printed);
    std::fs::remove_dir_all(dir).unwrap();
}
