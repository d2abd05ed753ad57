//! A run in a folder is not destroyed by another one, nor by an interruption, and does not pass for whole where it is not.
#![cfg(unix)]
#![allow(clippy::unwrap_used)]

use std::path::Path;

use crate::common::{Running, folder, frames, one_line, quiet_run, text};

/// Frames of the runs here: enough to be caught in the middle.
const FRAMES: u32 = 60;

#[test]
fn a_second_writer_is_refused_by_name_and_the_first_is_unharmed() {
    let dir = folder("two-writers");
    let (whole, shared) = (dir.join("whole"), dir.join("shared"));
    assert!(quiet_run("curtain", FRAMES, &whole, &[]).status().unwrap().success());
    let first = Running::held_at(&mut quiet_run("curtain", FRAMES, &shared, &[]), &shared, 4);
    let process = format!("process {} (", first.0.id());
    for more in [&[][..], &["--overwrite"], &["--resume"]] {
        let line = one_line(&quiet_run("flag", 3, &shared, more).output().unwrap());
        assert!(line.contains("shared is in use") && line.contains(&process), "{more:?}: {line}");
        assert!(line.contains("run curtain --quiet"), "the command of the writer is named: {line}");
    }
    // A lock that does not say who holds it is as good.
    std::fs::write(shared.join("lock"), "").unwrap();
    let line = one_line(&quiet_run("flag", 3, &shared, &["--overwrite"]).output().unwrap());
    assert!(line.contains("shared is in use: another process"), "{line}");
    let ended = first.let_go();
    assert!(ended.status.success(), "{}", text(&ended.stderr));
    assert!(frames(&whole) == frames(&shared), "all frames, and the same");
    let replaced = quiet_run("curtain", FRAMES, &shared, &["--overwrite"]).status().unwrap();
    assert!(replaced.success(), "a folder that nobody writes to is replaced");
    std::fs::remove_dir_all(dir).unwrap();
}

#[test]
fn two_that_replace_a_run_at_once_do_not_mix() {
    let dir = folder("two-replace");
    let (whole, shared) = (dir.join("whole"), dir.join("shared"));
    assert!(quiet_run("curtain", FRAMES, &whole, &[]).status().unwrap().success());
    quiet_run("flag", 3, &shared, &[]).status().unwrap();
    for _ in 0..3 {
        let start = || {
            quiet_run("curtain", FRAMES, &shared, &["--overwrite"])
                .stderr(std::process::Stdio::piped())
                .spawn()
                .unwrap()
        };
        let ended = [start(), start(), start()].map(|child| child.wait_with_output().unwrap());
        let (won, lost): (Vec<_>, Vec<_>) = ended.iter().partition(|output| output.status.success());
        // One may begin when another has ended.
        assert!(!won.is_empty());
        lost.into_iter().for_each(|output| assert!(one_line(output).contains("is in use")));
        assert!(frames(&whole) == frames(&shared));
    }
    std::fs::remove_dir_all(dir).unwrap();
}

#[test]
fn a_writer_whose_folder_or_frames_are_removed_fails() {
    let dir = folder("removed");
    let out = dir.join("run");
    let remove = |what: &dyn Fn(), missing: &str| {
        let _ = std::fs::remove_dir_all(&out);
        let running = Running::held_at(&mut quiet_run("curtain", FRAMES, &out, &[]), &out, 4);
        what();
        let line = one_line(&running.let_go());
        assert!(line.contains(missing) && line.contains("was removed or replaced by somebody else"), "{line}");
    };
    remove(&|| std::fs::remove_file(out.join("frames/000001.bin")).unwrap(), "frames/000001.bin");
    remove(&|| std::fs::remove_dir_all(&out).unwrap(), "run/lock");
    let elsewhere = dir.join("elsewhere");
    remove(&|| std::fs::rename(&out, &elsewhere).unwrap(), "run/lock");
    // What an earlier version did, which removed the lock with the rest.
    let replace = || {
        std::fs::remove_dir_all(&out).unwrap();
        assert_ne!(quiet_run("curtain", 3, &out, &[]).status().unwrap().code(), Some(2));
    };
    remove(&replace, "run/lock");
    // A writer that is stopped between its look at the folder and its next frame leaves that frame there.
    let own = dir.join("own");
    quiet_run("curtain", 3, &own, &[]).status().unwrap();
    let (own, found) = (frames(&own), frames(&out));
    assert!(
        own.len() == 4 && own.iter().all(|(name, bytes)| found.get(name) == Some(bytes)),
        "its frames are unharmed"
    );
    std::fs::remove_dir_all(dir).unwrap();
}

/// A run of so many frames with a checkpoint every 5.
fn finished(out: &Path, count: u32) {
    let status = quiet_run("curtain", count, out, &["--checkpoint-every", "5"]).status().unwrap();
    assert_ne!(status.code(), Some(2));
}

#[test]
fn damaged_checkpoints_are_named_and_the_one_before_is_used() {
    let dir = folder("damaged");
    let (whole, run) = (dir.join("whole"), dir.join("run"));
    finished(&whole, 20);
    for (damaged, used) in [(1, 10), (2, 5), (4, 0)] {
        let _ = std::fs::remove_dir_all(&run);
        finished(&run, 18);
        let checkpoint = |frame: u32| run.join(format!("checkpoints/{frame:06}.bin"));
        std::fs::remove_file(checkpoint(18)).unwrap();
        let names: Vec<u32> = [15, 10, 5, 0].into_iter().take(damaged).filter(|frame| *frame > used).collect();
        for (k, frame) in names.iter().enumerate() {
            let mut bytes = std::fs::read(checkpoint(*frame)).unwrap();
            match k % 2 {
                0 => bytes.truncate(bytes.len() / 2),
                _ => *bytes.last_mut().unwrap() ^= 1,
            }
            std::fs::write(checkpoint(*frame), bytes).unwrap();
        }
        let output = quiet_run("curtain", 20, &run, &["--resume", "--checkpoint-every", "5"]).output().unwrap();
        let notes = text(&output.stderr);
        assert_ne!(output.status.code(), Some(2), "{notes}");
        assert_eq!(notes.lines().count(), names.len(), "{notes}");
        for (line, frame) in notes.lines().zip(names) {
            assert!(line.starts_with(&format!("note: checkpoint {frame} is damaged")), "{line}");
            assert!(line.contains(&format!("checkpoints/{frame:06}.bin")), "{line}");
        }
        assert!(frames(&whole) == frames(&run));
    }
    std::fs::remove_dir_all(dir).unwrap();
}

#[test]
fn a_resumed_run_fills_gaps_among_its_frames() {
    let dir = folder("gaps");
    let (whole, run) = (dir.join("whole"), dir.join("run"));
    finished(&whole, 20);
    finished(&run, 18);
    std::fs::remove_file(run.join("frames/000007.bin")).unwrap();
    std::fs::write(run.join("frames/000012.bin"), "PLIANTFR").unwrap();
    let output = quiet_run("curtain", 20, &run, &["--resume", "--checkpoint-every", "5"]).output().unwrap();
    let notes = text(&output.stderr);
    assert!(notes.contains("frame 7 before it is missing or damaged"), "{notes}");
    assert!(frames(&whole) == frames(&run));
    // Without the first frame there is nothing before the gap.
    std::fs::remove_file(run.join("frames/000000.bin")).unwrap();
    let line = one_line(&quiet_run("curtain", 20, &run, &["--resume"]).output().unwrap());
    assert!(line.contains("no frame 0") && line.contains("--overwrite"), "{line}");
    std::fs::remove_dir_all(dir).unwrap();
}

#[test]
fn a_run_without_its_first_checkpoint_or_frame_begins_again_without_drama() {
    let dir = folder("early");
    let (whole, run) = (dir.join("whole"), dir.join("run"));
    finished(&whole, 6);
    let resume = || quiet_run("curtain", 6, &run, &["--resume", "--checkpoint-every", "5"]).output().unwrap();
    let again = || quiet_run("curtain", 6, &run, &["--checkpoint-every", "5"]).output().unwrap();
    // By what is still missing when the run is killed, the latest first.
    let early: [&[&str]; 4] = [
        &["checkpoints/000000.bin"],
        &["checkpoints/000000.bin", "frames/000000.bin"],
        &["checkpoints/000000.bin", "frames/000000.bin", "scene.bin"],
        &[
            "checkpoints/000000.bin",
            "frames/000000.bin",
            "scene.bin",
            "log.jsonl",
            "checkpoints",
            "frames",
            "topologies",
        ],
    ];
    for missing in early {
        for begin in [&resume as &dyn Fn() -> std::process::Output, &again] {
            let _ = std::fs::remove_dir_all(&run);
            finished(&run, 0);
            for name in missing {
                let path = run.join(name);
                if path.is_dir() { std::fs::remove_dir(path).unwrap() } else { std::fs::remove_file(path).unwrap() }
            }
            let output = begin();
            let said = text(&output.stderr);
            if output.status.code() == Some(2) {
                // A first frame is a run already; who does not resume it says what to do with it.
                assert!(
                    missing.len() == 1 && one_line(&output).contains("--resume, --overwrite"),
                    "{missing:?}: {said}"
                );
                assert_ne!(resume().status.code(), Some(2));
            } else {
                let is_noted = said.lines().count() == 1 && said.contains("it begins again");
                assert!(said.is_empty() || is_noted, "{missing:?}: {said}");
            }
            assert!(frames(&whole) == frames(&run), "{missing:?}");
        }
    }
    std::fs::remove_dir_all(dir).unwrap();
}

#[test]
fn an_interrupted_removal_is_named_and_can_be_finished() {
    let dir = folder("parts");
    let run = dir.join("run");
    finished(&run, 3);
    std::fs::remove_file(run.join("scene.bin")).unwrap();
    for more in [&[][..], &["--resume"]] {
        let line = one_line(&quiet_run("curtain", 3, &run, more).output().unwrap());
        assert!(line.contains("holds parts of a run") && line.contains("--overwrite"), "{line}");
    }
    assert_eq!(frames(&run).len(), 4);
    let output = quiet_run("curtain", 2, &run, &["--overwrite"]).output().unwrap();
    assert_ne!(output.status.code(), Some(2), "{}", text(&output.stderr));
    assert_eq!(frames(&run).len(), 3);
    // A scene that cannot be read is no reason to keep a run that shall be replaced.
    std::fs::write(run.join("scene.bin"), "PLIANTSC").unwrap();
    assert!(one_line(&quiet_run("curtain", 3, &run, &["--resume"]).output().unwrap()).contains("scene.bin"));
    assert_ne!(quiet_run("curtain", 3, &run, &["--overwrite"]).status().unwrap().code(), Some(2));
    assert_eq!(frames(&run).len(), 4);
    std::fs::remove_dir_all(dir).unwrap();
}

#[test]
fn resuming_with_another_scene_is_refused_and_removes_nothing() {
    let dir = folder("other-scene");
    let run = dir.join("run");
    finished(&run, 8);
    std::fs::remove_file(run.join("checkpoints/000008.bin")).unwrap();
    let before = frames(&run);
    let line = one_line(&quiet_run("flag", 8, &run, &["--resume"]).output().unwrap());
    assert!(line.contains("cannot resume from") && line.contains("000005.bin"), "{line}");
    assert!(before.len() == 9 && before == frames(&run), "frames after the checkpoint stay");
    let line = one_line(&quiet_run("curtain", 8, &dir.join("nothing"), &["--resume"]).output().unwrap());
    assert!(line.contains("holds no run") && line.contains("omit --resume"), "{line}");
    std::fs::remove_dir_all(dir).unwrap();
}
