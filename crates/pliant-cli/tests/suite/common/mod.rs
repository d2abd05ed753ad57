//! The command as a user runs it, in folders of its own.
#![allow(dead_code, unreachable_pub, clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

pub fn pliant() -> Command {
    Command::new(env!("CARGO_BIN_EXE_pliant"))
}

/// A fresh folder for one test.
pub fn folder(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("pliant-cli-{name}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).unwrap();
    path
}

pub fn run(arguments: &[&str]) -> Output {
    pliant().args(arguments).output().unwrap()
}

pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Contents of all frames of a run.
pub fn frames(dir: &Path) -> BTreeMap<String, Vec<u8>> {
    let Ok(entries) = std::fs::read_dir(dir.join("frames")) else { return BTreeMap::new() };
    let named = |entry: std::fs::DirEntry| (entry.file_name().into_string().unwrap(), entry.path());
    entries
        .map(|entry| named(entry.unwrap()))
        .filter(|(name, _)| name.ends_with(".bin"))
        .map(|(name, path)| (name, std::fs::read(path).unwrap()))
        .collect()
}

/// `pliant run SCENE` for some frames into a folder, without pictures and words.
pub fn quiet_run(scene: &str, frames: u32, out: &Path, more: &[&str]) -> Command {
    let mut command = pliant();
    command
        .args(["run", scene, "--quiet", "--no-preview", "--frames", &frames.to_string(), "--out"])
        .arg(out)
        .args(more);
    command.stdout(Stdio::null());
    command
}

/// Asserts that a command failed with exit code 2 and one line, which it returns.
pub fn one_line(output: &Output) -> String {
    let error = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{error}");
    assert!(error.starts_with("error: ") && error.trim_end().lines().count() == 1, "one clear line: {error}");
    error.trim_end().to_owned()
}

/// A command that is killed if the test ends before it.
pub struct Running(pub Child);

impl Running {
    /// Starts a run and waits until it has written so many frames; then it stands still until it is [let go on](Self::let_go).
    pub fn held_at(command: &mut Command, out: &Path, count: usize) -> Self {
        let mut running = Self(command.stderr(Stdio::piped()).spawn().unwrap());
        let begun = Instant::now();
        while frames(out).len() < count {
            assert!(running.0.try_wait().unwrap().is_none(), "the run ended before it could be held");
            assert!(begun.elapsed() < Duration::from_secs(120), "no frames are written");
            std::thread::sleep(Duration::from_millis(2));
        }
        running.signal("STOP");
        running
    }

    pub fn signal(&self, name: &str) {
        let sent = Command::new("kill").args([format!("-{name}"), self.0.id().to_string()]).status();
        assert!(sent.unwrap().success());
    }

    /// Lets a run that was held go on, and waits for its end.
    pub fn let_go(mut self) -> Output {
        self.signal("CONT");
        let status = self.0.wait().unwrap();
        let mut stderr = Vec::new();
        std::io::Read::read_to_end(self.0.stderr.as_mut().unwrap(), &mut stderr).unwrap();
        Output { status, stdout: Vec::new(), stderr }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
