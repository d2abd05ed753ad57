//! Runs that are killed without warning, at any moment, resume to the same bytes.
#![cfg(unix)]
#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::common::{folder, frames, quiet_run, text};

/// A scene, what it is made of, and the frames that are run of it.
type Case = (&'static str, &'static str, u32);

const CASES: [Case; 7] = [
    ("curtain", "cloth", 24),
    ("jelly-cubes", "solids", 12),
    ("dam-break", "a fluid with a rigid body", 8),
    ("projectile", "cloth that tears", 8),
    ("curls", "hair", 16),
    ("cable", "rods", 30),
    ("jelly-steps", "matched solids", 12),
];

/// Numbers that look random and are the same in every test.
struct Random(u64);

impl Random {
    /// In 0 to 1.
    fn next(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }
}

fn checkpoints(dir: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(dir.join("checkpoints")).map(Iterator::collect::<Vec<_>>).unwrap_or_default();
    let mut names: Vec<String> = entries.into_iter().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.retain(|name| name.ends_with(".bin"));
    names.sort();
    names
}

/// What a number of kills came to.
#[derive(Debug, Default)]
struct Tally {
    kills: u32,
    /// Before there was a folder to resume from.
    before_the_folder: u32,
    /// With a file half written.
    within_a_file: u32,
    /// Runs that came to their end, all with the same bytes.
    finished: u32,
}

fn unfinished_files(dir: &Path) -> usize {
    let count = |folder: &str| {
        let entries = std::fs::read_dir(dir.join(folder)).map(Iterator::collect::<Vec<_>>).unwrap_or_default();
        entries.iter().filter(|e| e.as_ref().unwrap().file_name().to_string_lossy().ends_with(".tmp")).count()
    };
    count("frames") + count("checkpoints") + count("topologies") + count("")
}

/// Starts a run or resumes it; `None` if it was killed after so many seconds, else whether it ended well.
fn attempt(case: Case, out: &Path, after: Option<f64>) -> Option<()> {
    let (scene, _, count) = case;
    // The lock is the first file: from then on `--resume` continues, whatever else there is.
    let more: &[&str] = if out.join("lock").exists() { &["--resume"] } else { &[] };
    let mut command = quiet_run(scene, count, out, &[&["--checkpoint-every", "3"], more].concat());
    let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
    if let Some(seconds) = after {
        let end = Instant::now() + Duration::from_secs_f64(seconds);
        while Instant::now() < end && child.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_micros(500));
        }
        child.kill().unwrap();
    }
    let output = child.wait_with_output().unwrap();
    let code = output.status.code()?;
    // Expectations may fail, as a scene is not run to its end.
    assert!(code < 2, "{scene} {more:?}: {}", text(&output.stderr));
    Some(())
}

fn assert_same(case: Case, whole: &BTreeMap<String, Vec<u8>>, found: &BTreeMap<String, Vec<u8>>) {
    for (name, bytes) in found {
        assert!(whole.get(name) == Some(bytes), "{}: {name} differs from that of an uninterrupted run", case.0);
    }
}

/// Kills runs of a scene at random moments, resumes them and kills them again, until there were so many kills.
fn kill_at_random_moments(case: Case, kills: u32, seed: u64) -> Tally {
    let dir = folder(&format!("killed-{}-{seed}", case.0));
    let (whole, run) = (dir.join("whole"), dir.join("run"));
    let begun = Instant::now();
    attempt(case, &whole, None).unwrap();
    let mut seconds = begun.elapsed().as_secs_f64();
    let whole = frames(&whole);
    assert_eq!(whole.len(), case.2 as usize + 1);
    let (mut tally, mut random) = (Tally::default(), Random(0x2545_f491_4f6c_dd1d ^ seed.wrapping_mul(0x9e37_79b9)));
    for _ in 0..8 {
        random.next();
    }
    let finish = |tally: &mut Tally| {
        assert!(whole == frames(&run), "{}: a frame is missing", case.0);
        assert_eq!(unfinished_files(&run), 0);
        std::fs::remove_dir_all(&run).unwrap();
        tally.finished += 1;
    };
    while tally.kills < kills {
        // Some early, where folders and first files are made.
        let share = if random.next() < 0.25 { 0.2 } else { 1.0 };
        let (before, is_fresh, begun) = (checkpoints(&run), !run.exists(), Instant::now());
        if attempt(case, &run, Some(share * seconds * random.next())).is_some() {
            if is_fresh {
                // The machine was busier when the whole run was timed.
                seconds = begun.elapsed().as_secs_f64();
            }
            finish(&mut tally);
            continue;
        }
        tally.kills += 1;
        tally.before_the_folder += u32::from(!run.join("lock").exists());
        tally.within_a_file += u32::from(unfinished_files(&run) > 0);
        let (left, after) = (frames(&run), checkpoints(&run));
        assert_same(case, &whole, &left);
        // Nothing up to a checkpoint is ever lost again.
        assert!(before.iter().all(|name| after.contains(name)), "{}: {before:?}, then {after:?}", case.0);
        if let Some(last) = after.last() {
            assert!(whole.keys().take_while(|name| *name <= last).all(|name| left.contains_key(name)), "{}", case.0);
        }
    }
    attempt(case, &run, None).unwrap();
    finish(&mut tally);
    std::fs::remove_dir_all(dir).unwrap();
    tally
}

#[test]
fn runs_killed_at_random_moments_resume_to_the_same_bytes() {
    let tearing = (CASES[3].0, CASES[3].1, 4);
    for (case, kills) in [(CASES[0], 4), (CASES[5], 4), (tearing, 2)] {
        let tally = kill_at_random_moments(case, kills, 1);
        println!("{} ({}): {tally:?}", case.0, case.1);
    }
}

#[test]
#[ignore = "long: 50 kills in each of seven scenes, minutes"]
fn fifty_kills_in_scenes_of_every_kind_of_matter_lose_nothing() {
    for case in CASES {
        let tally = kill_at_random_moments(case, 50, 2);
        println!("{} ({}): {tally:?}", case.0, case.1);
        assert!(tally.kills == 50 && tally.finished > 0);
    }
}

#[test]
fn a_run_killed_before_its_first_checkpoint_resumes() {
    // By default the first after the beginning is at frame 30.
    let dir = folder("first-checkpoint");
    let (whole, run) = (dir.join("whole"), dir.join("run"));
    assert_ne!(quiet_run("curtain", 25, &whole, &[]).status().unwrap().code(), Some(2));
    let held = crate::common::Running::held_at(&mut quiet_run("curtain", 25, &run, &[]), &run, 4);
    drop(held);
    assert_eq!(checkpoints(&run), ["000000.bin"]);
    let output = quiet_run("curtain", 25, &run, &["--resume"]).output().unwrap();
    assert_ne!(output.status.code(), Some(2), "{}", text(&output.stderr));
    assert!(frames(&whole) == frames(&run));
    std::fs::remove_dir_all(dir).unwrap();
}
