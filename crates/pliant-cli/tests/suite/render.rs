//! A finished run is drawn again, as it was and differently.
#![allow(clippy::unwrap_used)]

use std::path::Path;

use crate::common::{folder, one_line, pliant, quiet_run, text};

/// A red sheet that hangs still in front of a green ball.
const SCENE: &str = r##"
[world]
frames = 2
gravity = [0, 0, 0]
[[body]]
name = "sheet"
color = "#c01020"
shape.sheet = { width = 1, height = 1, columns = 2, rows = 2 }
material.cloth = {}
[[collider]]
shape.sphere.radius = 0.2
position = [0.9, 0, 0]
color = "#10c020"
[output]
camera = { eye = [0.2, 0, 4], target = [0.2, 0, 0] }
"##;

/// Width, height and pixels of a PNG file.
fn pixels(path: &Path) -> (u32, u32, Vec<[u8; 3]>) {
    let file = std::fs::File::open(path).unwrap();
    let mut reader = png::Decoder::new(std::io::BufReader::new(file)).read_info().unwrap();
    let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut bytes).unwrap();
    (info.width, info.height, bytes.as_chunks::<3>().0.to_vec())
}

/// Columns of the first and the last pixel in which one channel is more than twice the others, and their number.
fn columns(path: &Path, channel: usize) -> (usize, usize, usize) {
    let (width, _, pixels) = pixels(path);
    let strong = |pixel: &[u8; 3]| (0..3).all(|c| c == channel || pixel[channel] / 2 > pixel[c].max(10));
    let found: Vec<usize> = (0..pixels.len()).filter(|k| strong(&pixels[*k])).map(|k| k % width as usize).collect();
    (found.iter().copied().min().unwrap_or(0), found.iter().copied().max().unwrap_or(0), found.len())
}

#[test]
fn a_run_is_drawn_again_by_byte() {
    let dir = folder("render-again");
    let out = dir.join("run");
    let first = ["run", "flag", "--frames", "4", "--quiet", "--preview=poster", "--out"];
    assert!(pliant().args(first).arg(&out).status().unwrap().success());
    let first = std::fs::read(out.join("preview.png")).unwrap();
    std::fs::remove_file(out.join("preview.png")).unwrap();
    // From another folder: the run says where its scene is.
    let again = pliant().current_dir(&dir).args(["render", "run", "--preview", "poster"]).output().unwrap();
    assert!(again.status.success(), "{}", text(&again.stderr));
    assert_eq!(text(&again.stdout).trim(), "run/preview.png");
    assert!(std::fs::read(out.join("preview.png")).unwrap() == first);
    std::fs::remove_dir_all(dir).unwrap();
}

#[test]
fn camera_and_colours_are_those_of_the_scene() {
    let dir = folder("render-look");
    let (scene, out) = (dir.join("look.toml"), dir.join("run"));
    std::fs::write(&scene, SCENE).unwrap();
    assert!(quiet_run(scene.to_str().unwrap(), 2, &out, &[]).status().unwrap().success());
    let draw = |name: &str, more: &[&str]| {
        let path = dir.join(name);
        let output = pliant().arg("render").arg(&out).arg("--out").arg(&path).args(more).output().unwrap();
        assert!(output.status.success(), "{more:?}: {}", text(&output.stderr));
        path
    };
    let front = draw("front.png", &["--size", "400x250", "--frame", "2"]);
    assert_eq!((pixels(&front).0, pixels(&front).1), (400, 250));
    // A pinhole with 35° of height: x metres at a distance of 4 m are 125 x / (4 tan 17.5°) pixels from the middle.
    let column = |x: f64| 200.0 + 125.0 * (x - 0.2) / (4.0 * 17.5f64.to_radians().tan());
    let (left, right, red) = columns(&front, 0);
    assert!((left as f64 - column(-0.5)).abs() < 2.0, "{left} for {}", column(-0.5));
    assert!((right as f64 - column(0.5)).abs() < 2.0, "{right} for {}", column(0.5));
    let side = column(0.5) - column(-0.5);
    assert!((red as f64 / (side * side) - 1.0).abs() < 0.05, "{red} pixels for {}", side * side);
    let (left, right, green) = columns(&front, 1);
    assert!(green > 500 && left > 220 && (right as f64 - column(1.1)).abs() < 3.0, "{left} to {right}");
    // The same run, looked at differently.
    let blue = draw("blue.png", &["--size", "400x250", "--set", "body.0.color=\"#1020c0\""]);
    assert_eq!(columns(&blue, 0).2, 0);
    assert_eq!(columns(&blue, 2).2, red);
    let side = ["--size", "400x250", "--set", "output.camera={direction=[1,0,0]}"];
    assert!(columns(&draw("side.png", &side), 0).2 < red / 50, "the sheet has no width from the side");
    let wide = ["--size", "400x250", "--set", "output.camera.field_of_view=70"];
    let shrunk = (17.5f64.to_radians().tan() / 35f64.to_radians().tan()).powi(2);
    let wide = columns(&draw("wide.png", &wide), 0).2 as f64 / red as f64;
    assert!((wide / shrunk - 1.0).abs() < 0.06, "{wide} for {shrunk}");
    let gif = std::fs::read(draw("motion.gif", &["--size", "40x30"])).unwrap();
    assert_eq!((gif[6], gif[8]), (40, 30), "width and height of the GIF");
    std::fs::remove_dir_all(dir).unwrap();
}

#[test]
fn what_cannot_be_drawn_is_refused_in_one_line() {
    let dir = folder("render-refused");
    let (scene, out) = (dir.join("look.toml"), dir.join("run"));
    std::fs::write(&scene, SCENE).unwrap();
    assert!(quiet_run(scene.to_str().unwrap(), 2, &out, &[]).status().unwrap().success());
    let refused = |run: &Path, more: &[&str], words: &[&str]| {
        let line = one_line(&pliant().arg("render").arg(run).args(more).output().unwrap());
        words.iter().for_each(|word| assert!(line.contains(word), "{more:?}: {line}"));
    };
    refused(&dir, &[], &["render-refused", "run"]);
    refused(&dir.join("nothing"), &[], &["nothing"]);
    refused(&out, &["--frame", "7"], &["frame 7", "0", "2"]);
    refused(&out, &["--out", "a.bmp"], &["a.bmp", ".png"]);
    refused(&out, &["--out", "a.gif", "--frame", "1"], &["frame 1", ".png"]);
    refused(&out, &["--set", "world.frames=3"], &["world.frames=3"]);
    let blind = pliant().arg("render").arg(&out).args(["--set", "output.camera.field_of_view=0"]).output().unwrap();
    assert!(text(&blind.stderr).contains("look.toml:15") && text(&blind.stderr).contains("field_of_view is 0"));
    refused(&out, &["--frame", "1", "--size", "90000x90000"], &["90000×90000"]);
    refused(&out, &["--scene", "curtain"], &["is not of this scene"]);
    std::fs::write(out.join("scene.json"), "{}").unwrap();
    refused(&out, &[], &["scene.json", "--scene"]);
    std::fs::remove_file(out.join("scene.json")).unwrap();
    refused(&out, &[], &["scene.json does not exist", "--scene"]);
    let named = pliant().arg("render").arg(&out).arg("--scene").arg(&scene).args(["--frame", "1"]).output().unwrap();
    assert!(named.status.success() && out.join("render/000001.png").exists(), "{}", text(&named.stderr));
    std::fs::remove_dir_all(dir).unwrap();
}

#[test]
fn the_poster_is_the_frame_that_the_scene_names() {
    let dir = folder("render-poster");
    let draw = |share: &str, more: &[&str]| {
        let out = dir.join(share);
        let set = format!("output.poster={share}");
        quiet_run("flag", 4, &out, &["--overwrite", "--set", &set]).status().unwrap();
        let path = dir.join(format!("{share}-{}.png", more.len()));
        let output =
            pliant().arg("render").arg(&out).args(["--size", "160x100", "--out"]).arg(&path).args(more).output();
        assert!(output.unwrap().status.success());
        std::fs::read(path).unwrap()
    };
    let half = draw("0.5", &[]);
    assert!(half == draw("0.5", &["--frame", "2"]), "frames 0 to 4: the middle is 2");
    assert!(half != draw("1", &[]) && draw("1", &[]) == draw("1", &["--frame", "4"]));
    std::fs::remove_dir_all(dir).unwrap();
}

#[test]
fn exports_have_the_colliders_and_normals_of_the_scene() {
    let dir = folder("export-extras");
    let (scene, out) = (dir.join("look.toml"), dir.join("run"));
    std::fs::write(&scene, SCENE.replace("position = ", "name = \"obstacle\"\nposition = ")).unwrap();
    assert!(quiet_run(scene.to_str().unwrap(), 2, &out, &[]).status().unwrap().success());
    let export = |more: &[&str]| {
        let output = pliant().arg("export").arg(&out).args(["--format", "usda,obj"]).args(more).output().unwrap();
        assert!(output.status.success(), "{}", text(&output.stderr));
        (std::fs::read_to_string(out.join("export/usda/run.usda")).unwrap(), text(&output.stderr))
    };
    let (whole, _) = export(&[]);
    assert!(whole.contains("def Mesh \"obstacle\"") && whole.contains("normal3f[] normals.timeSamples"));
    // Two prims with normals, and one sample of what stands still.
    assert_eq!(whole.matches("normal3f[] normals.timeSamples").count(), 2);
    let obstacle = whole.split("def Mesh \"obstacle\"").nth(1).unwrap();
    let points = obstacle.split("points.timeSamples = {").nth(1).unwrap().split('}').next().unwrap();
    assert_eq!(points.lines().filter(|line| line.contains(':')).count(), 1);
    let (bare, _) = export(&["--bare"]);
    assert!(!bare.contains("obstacle") && !bare.contains("normal3f"));
    std::fs::remove_file(out.join("scene.json")).unwrap();
    let (without, notes) = export(&[]);
    assert!(!without.contains("obstacle") && without.contains("normal3f"));
    assert!(
        notes.starts_with("note: colliders and texture coordinates are left out") && notes.lines().count() == 1,
        "{notes}"
    );
    std::fs::remove_dir_all(dir).unwrap();
}
