//! `pliant view` as a person uses it: a real window on a virtual screen, moved by a real pointer and real keys. `PLIANT_SCREENSHOTS` names a folder for pictures.
#![allow(clippy::unwrap_used)]

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::common::{Running, folder, one_line, pliant, quiet_run, run, text};

const SIZE: [f64; 2] = [1280.0, 800.0];
/// How long anything may take: software draws, and other programs may run beside.
const PATIENCE: Duration = Duration::from_secs(90);

/// A virtual screen.
struct Screen {
    _server: Running,
    name: String,
}

impl Screen {
    fn new() -> Self {
        let mut server = Command::new("Xvfb");
        server.args(["-displayfd", "1", "-screen", "0", &format!("{}x{}x24", SIZE[0], SIZE[1])]);
        let mut server: Child = server.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("Xvfb is installed");
        let mut number = String::new();
        std::io::BufRead::read_line(&mut std::io::BufReader::new(server.stdout.take().unwrap()), &mut number).unwrap();
        Self { _server: Running(server), name: format!(":{}", number.trim()) }
    }

    /// Does something with the pointer or with keys.
    fn act(&self, words: &str) {
        let status = Command::new("xdotool").args(words.split(' ')).env("DISPLAY", &self.name).status();
        assert!(status.expect("xdotool is installed").success(), "xdotool {words}");
    }

    /// Saves what is seen, if someone wants to look at it.
    fn picture(&self, name: &str) {
        let Some(folder) = std::env::var_os("PLIANT_SCREENSHOTS") else { return };
        let path = PathBuf::from(folder).join(format!("{name}.png"));
        let status = Command::new("import").args(["-window", "root"]).arg(path).env("DISPLAY", &self.name).status();
        assert!(status.expect("ImageMagick is installed").success());
    }
}

/// A window that tells what it shows.
struct Window<'s> {
    screen: &'s Screen,
    command: Running,
    trace: PathBuf,
}

impl<'s> Window<'s> {
    fn open(screen: &'s Screen, folder: &Path, arguments: &[&str]) -> Self {
        let trace = folder.join("trace.jsonl");
        let _ = std::fs::remove_file(&trace);
        let mut command = pliant();
        command.arg("view").args(arguments).arg("--trace").arg(&trace).arg("--out").arg(folder);
        let command = command.env("DISPLAY", &screen.name).env_remove("WAYLAND_DISPLAY").stderr(Stdio::piped()).spawn();
        let mut window = Self { screen, command: Running(command.unwrap()), trace };
        window.wait("the first picture", |now| now["step"].is_u64());
        screen.act("search --sync --onlyvisible --name Pliant windowfocus");
        window
    }

    /// What the window shows now.
    fn now(&self) -> Value {
        let told = std::fs::read_to_string(&self.trace).unwrap_or_default();
        // The last line may be written just now.
        told.lines().rev().find_map(|line| serde_json::from_str(line).ok()).unwrap_or_default()
    }

    fn wait(&mut self, what: &str, is_so: impl Fn(&Value) -> bool) -> Value {
        let begun = Instant::now();
        loop {
            let now = self.now();
            if is_so(&now) {
                return now;
            }
            if let Some(status) = self.command.0.try_wait().unwrap() {
                let mut error = String::new();
                let stderr = self.command.0.stderr.as_mut().unwrap();
                std::io::Read::read_to_string(stderr, &mut error).unwrap();
                panic!("the window has closed while waiting for {what}: {status}, {error}");
            }
            assert!(begun.elapsed() < PATIENCE, "{what} does not come: {now}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Waits until so many steps have passed.
    fn pass(&mut self, steps: u64) {
        let begun = self.now()["step"].as_u64().unwrap();
        self.wait("the next steps", |now| now["step"].as_u64().unwrap() >= begun + steps);
    }

    /// Where a button or an entry of a menu is. A menu that opens finds its size in its first pictures.
    fn middle_of(&mut self, place: &str) -> [f64; 2] {
        let mut last = Value::Null;
        loop {
            let now = self.wait(place, |now| now["places"][place].is_array())["places"][place].clone();
            if now == last {
                let side = |k: usize| now[k].as_f64().unwrap();
                return [side(0) + 0.5 * side(2), side(1) + 0.5 * side(3)];
            }
            last = now;
            std::thread::sleep(Duration::from_millis(1000));
        }
    }

    fn click(&mut self, place: &str) {
        let [x, y] = self.middle_of(place);
        self.screen.act(&format!("mousemove {x:.0} {y:.0} sleep 0.5 mousedown 1 sleep 0.5 mouseup 1"));
    }

    /// Presses, moves through points of the picture (as shares of its size), and calls `held` before it lets go.
    fn stroke(&mut self, points: &[[f64; 2]], held: impl FnOnce(&mut Self)) -> [f64; 2] {
        let picture = self.now()["picture"].clone();
        let at = |[x, y]: [f64; 2]| {
            [0, 1].map(|k| picture[k].as_f64().unwrap() + [x, y][k] * picture[k + 2].as_f64().unwrap())
        };
        let [x, y] = at(points[0]);
        self.screen.act(&format!("mousemove {x:.0} {y:.0} mousedown 1"));
        let mut end = [x, y];
        for point in &points[1..] {
            // As a hand does, in many small movements.
            let (from, to) = (end, at(*point));
            for part in 1..=10 {
                let share = f64::from(part) / 10.0;
                end = [0, 1].map(|k| from[k] + share * (to[k] - from[k]));
                self.screen.act(&format!("mousemove {:.0} {:.0}", end[0], end[1]));
                std::thread::sleep(Duration::from_millis(15));
            }
        }
        held(self);
        self.screen.act("mouseup 1");
        end
    }
}

#[test]
#[ignore = "opens windows on a virtual screen, which needs Xvfb, xdotool and a graphics driver"]
fn a_scene_is_dragged_cut_and_solved_otherwise_while_it_runs() {
    let (screen, folder) = (Screen::new(), folder("window"));
    let mut window = Window::open(&screen, &folder, &["curtain"]);
    window.pass(60);
    screen.picture("window-runs");

    // What was met goes where the pointer goes: upwards, as the pins hold it back from below.
    let mut distance = f64::MAX;
    let end = window.stroke(&[[0.62, 0.35], [0.57, 0.25]], |window| {
        window.wait("a vertex in the hand", |now| now["held"][0]["place"].is_array());
        window.pass(60);
        let held = window.now()["held"][0].clone();
        let apart = |k: usize| held["place"][k].as_f64().unwrap() - held["target"][k].as_f64().unwrap();
        distance = apart(0).hypot(apart(1));
        assert_eq!(held["body"], "curtain");
        window.screen.picture("window-drag");
    });
    assert!(distance < 0.02 * SIZE[0], "the vertex is {distance} pixels from the pointer at {end:?}");
    window.wait("an empty hand", |now| now["held"].as_array().is_some_and(Vec::is_empty));

    window.click("solver");
    window.click("Newton, exact");
    window.wait("Newton's method", |now| now["solver"] == "Newton, exact");
    window.pass(20);
    screen.picture("window-newton");

    let before = window.now()["vertices"].as_u64().unwrap();
    screen.act("key c");
    window.stroke(&[[0.3, 0.2], [0.95, 0.2]], |_| ());
    let now = window.wait("the cut", |now| now["vertices"].as_u64().unwrap() > before);
    assert!(text(now["notice"].as_str().unwrap_or_default().as_bytes()).starts_with("cut along"), "{now}");
    window.pass(30);
    screen.picture("window-cut");

    // Drops a ball, stands still, takes one step, begins anew.
    let before = window.now()["vertices"].as_u64().unwrap();
    screen.act("key r");
    window.wait("the start", |now| now["vertices"].as_u64().unwrap() < before);
    let before = window.now()["vertices"].as_u64().unwrap();
    screen.act("mousemove 480 300 key 1");
    window.wait("a ball", |now| now["vertices"].as_u64().unwrap() > before);
    screen.act("key space");
    let still = window.wait("a pause", |now| now["playing"] == false)["step"].as_u64().unwrap();
    screen.act("key period");
    window.wait("one step", |now| now["step"].as_u64().unwrap() > still);
    screen.picture("window-ball");
    screen.act("key s");
    let path = folder.join("curtain-1.png");
    window.wait("the picture", |now| now["notice"].as_str().is_some_and(|notice| notice.contains("curtain-1.png")));
    assert!(path.exists());
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
#[ignore = "opens windows on a virtual screen, which needs Xvfb, xdotool and a graphics driver"]
fn two_finished_runs_play_side_by_side() {
    let (screen, folder) = (Screen::new(), folder("window-runs"));
    let [first, second] = ["first", "second"].map(|name| folder.join(name));
    assert!(quiet_run("curtain", 40, &first, &[]).status().unwrap().success());
    assert!(quiet_run("curtain", 40, &second, &["--solver", "newton"]).status().unwrap().success());
    let mut window = Window::open(&screen, &folder, &[first.to_str().unwrap(), second.to_str().unwrap()]);
    window.wait("the last frame", |now| now["step"].as_u64().unwrap() >= 38);
    screen.picture("window-side-by-side");
    let now = window.now();
    assert_eq!(now["solver"], Value::Null, "a finished run has no solver to choose: {now}");
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_scene_with_an_error_opens_no_window() {
    let folder = folder("window-broken");
    let path = folder.join("broken.toml");
    std::fs::write(&path, "[world]\ngravity = [0, -9.81]\n").unwrap();
    let error = run(&["view", path.to_str().unwrap()]);
    let said = text(&error.stderr);
    assert_eq!(error.status.code(), Some(2), "{said}");
    assert!(said.contains("broken.toml:2:11"), "{said}");
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn without_a_screen_it_says_what_draws_without_one() {
    let output = pliant().args(["view", "curtain"]).env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY").output();
    let said = one_line(&output.unwrap());
    assert!(said.contains("no display") && said.contains("pliant render"), "{said}");
}
