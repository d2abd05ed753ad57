//! Where a run cannot be written it says so in one line, and keeps what it has.
#![cfg(unix)]
#![allow(clippy::unwrap_used)]

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::common::{folder, frames, one_line, pliant, quiet_run, text};

/// A file system of its own, which goes with it; only the superuser can have one.
struct Mounted(PathBuf);

impl Mounted {
    fn new(at: &Path, options: &[&str]) -> Option<Self> {
        std::fs::create_dir_all(at).unwrap();
        let done = Command::new("mount").args(options).arg(at).stderr(Stdio::null()).status();
        done.is_ok_and(|status| status.success()).then(|| Self(at.to_owned()))
    }

    fn remount(&self, options: &str) {
        let done = Command::new("mount").args(["-o", &format!("remount,{options}")]).arg(&self.0).status().unwrap();
        assert!(done.success());
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(&self.0).status();
    }
}

const FRAMES: u32 = 30;

/// A run of a curtain, with more arguments.
fn curtain(out: &Path, more: &[&str]) -> Command {
    quiet_run("curtain", FRAMES, out, &[&["--checkpoint-every", "4"], more].concat())
}

fn whole(dir: &Path, more: &[&str]) -> PathBuf {
    let out = dir.join("whole");
    assert_ne!(curtain(&out, more).status().unwrap().code(), Some(2));
    out
}

#[test]
fn a_full_disk_is_said_in_one_line_and_the_run_resumes_when_there_is_room() {
    let dir = folder("full-disk");
    let disk = dir.join("disk");
    let Some(mounted) = Mounted::new(&disk, &["-t", "tmpfs", "-o", "size=400k", "tmpfs"]) else {
        eprintln!("skipped: only the superuser can mount a small disk");
        return;
    };
    let (whole, run) = (whole(&dir, &[]), disk.join("run"));
    let expected = frames(&whole);
    // Twice: a resumed run may find no room either.
    for (size, more) in [(400, &[][..]), (480, &["--resume"])] {
        mounted.remount(&format!("size={size}k"));
        let output = curtain(&run, more).output().unwrap();
        let line = one_line(&output);
        assert!(line.contains("No space left on device") && line.contains("disk/run/"), "{line}");
        let left = frames(&run);
        assert!(left.len() > 4 && left.len() < expected.len(), "{} frames", left.len());
        assert!(left.iter().all(|(name, bytes)| expected[name] == *bytes), "finished frames are intact");
    }
    mounted.remount("size=20m");
    let output = curtain(&run, &["--resume"]).output().unwrap();
    assert_ne!(output.status.code(), Some(2), "{}", text(&output.stderr));
    assert!(frames(&run) == expected);
    drop(mounted);
    std::fs::remove_dir_all(dir).unwrap();
}

#[test]
fn a_file_that_grows_too_large_is_said_in_one_line_and_the_run_resumes() {
    // A limit of the shell stands in for a full disk where nobody can mount one; the log is what grows.
    let dir = folder("file-size");
    let small = ["--set", "body.0.shape.sheet.columns=5", "--set", "body.0.shape.sheet.rows=5"];
    let (whole, run) = (whole(&dir, &small), dir.join("run"));
    let expected = frames(&whole);
    let largest = ["frames/000000.bin", "checkpoints/000028.bin", "scene.bin"].map(|name| file_size(&whole.join(name)));
    // In blocks of 512 bytes; the signal that goes with it is ignored, as a full disk sends none.
    let blocks = largest.into_iter().max().unwrap().div_ceil(512) + 1;
    let log = file_size(&whole.join("log.jsonl"));
    assert!(log > 512 * (blocks + 1), "the log of {log} bytes is to reach the limit of {blocks} blocks");
    let run_it = curtain(&run, &small);
    let mut limited = Command::new("sh");
    limited.args(["-c", &format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$@\""), "sh"]);
    limited.arg(run_it.get_program()).args(run_it.get_args());
    let line = one_line(&limited.stdout(Stdio::null()).output().unwrap());
    assert!(line.contains("log.jsonl"), "{line}");
    let left = frames(&run);
    assert!(left.len() > 4 && left.iter().all(|(name, bytes)| expected[name] == *bytes), "{} frames", left.len());
    let output = curtain(&run, &[&small[..], &["--resume"]].concat()).output().unwrap();
    assert_ne!(output.status.code(), Some(2), "{}", text(&output.stderr));
    assert!(frames(&run) == expected);
    std::fs::remove_dir_all(dir).unwrap();
}

fn file_size(path: &Path) -> usize {
    std::fs::metadata(path).unwrap().len() as usize
}

#[test]
fn a_folder_that_cannot_be_written_is_said_in_one_line() {
    let dir = folder("read-only");
    // Below a file there is no folder, not even for the superuser.
    let file = dir.join("file");
    std::fs::write(&file, "mine").unwrap();
    let line = one_line(&quiet_run("curtain", 2, &file.join("run"), &[]).output().unwrap());
    assert!(line.contains("file/run"), "{line}");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "mine");
    let disk = dir.join("disk");
    let Some(mounted) = Mounted::new(&disk, &["-t", "tmpfs", "-o", "size=20m", "tmpfs"]) else {
        eprintln!("skipped: only the superuser can mount a disk and make it read-only");
        return;
    };
    let run = disk.join("run");
    assert_ne!(quiet_run("curtain", 6, &run, &["--checkpoint-every", "4"]).status().unwrap().code(), Some(2));
    let before = frames(&run);
    mounted.remount("ro");
    for more in [&["--resume"][..], &["--overwrite"], &[]] {
        let line = one_line(&quiet_run("curtain", 9, &run, more).output().unwrap());
        assert!(line.contains("Read-only file system") && line.contains("disk/run"), "{more:?}: {line}");
    }
    let line = one_line(&quiet_run("curtain", 2, &disk.join("new"), &[]).output().unwrap());
    assert!(line.contains("Read-only file system"), "{line}");
    // Reading needs no permission to write.
    let info = pliant().arg("info").arg(&run).output().unwrap();
    assert!(info.status.success() && text(&info.stdout).starts_with("run: 7 frames"), "{}", text(&info.stderr));
    assert!(frames(&run) == before);
    drop(mounted);
    std::fs::remove_dir_all(dir).unwrap();
}

#[test]
fn words_that_cannot_be_written_are_an_error() {
    let Ok(full) = std::fs::OpenOptions::new().write(true).open("/dev/full") else {
        eprintln!("skipped: there is no /dev/full");
        return;
    };
    let output =
        pliant().arg("scenes").stdout(full).stderr(Stdio::piped()).spawn().unwrap().wait_with_output().unwrap();
    let line = one_line(&output);
    assert!(line.contains("standard output") && line.contains("No space left"), "{line}");
}
