//! Every scene in `scenes/` runs, meets its expectations, and fails them under its counterexample.
#![allow(clippy::unwrap_used)]

use std::path::{Path, PathBuf};

use pliant_scene::{Scene, Verdict};

fn scenes() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes");
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "toml"));
    paths.sort();
    paths
}

fn verdicts(path: &Path, overrides: &[String]) -> Vec<Verdict> {
    let scene = Scene::read(path, overrides).unwrap_or_else(|error| panic!("{error}"));
    let mut run = scene.build().unwrap_or_else(|error| panic!("{error}"));
    for _ in 0..scene.frames() {
        run.next_frame().unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    }
    run.verdicts()
}

#[test]
fn every_scene_meets_its_expectations() {
    assert!(scenes().len() >= 10);
    for path in scenes() {
        let begun = std::time::Instant::now();
        let verdicts = verdicts(&path, &[]);
        assert!(!verdicts.is_empty(), "{} expects nothing", path.display());
        for verdict in &verdicts {
            println!("{}: {:?} = {}", path.display(), verdict.expect.quantity, verdict.value);
        }
        println!("{} s", begun.elapsed().as_secs_f64());
        assert!(verdicts.iter().all(Verdict::holds), "{}: {verdicts:?}", path.display());
    }
}

#[test]
fn every_scene_fails_under_its_counterexample() {
    for path in scenes() {
        let scene = Scene::read(&path, &[]).unwrap();
        let counterexample = scene.file().counterexample.clone();
        let counterexample = counterexample.unwrap_or_else(|| panic!("{} has no counterexample", path.display()));
        let verdicts = verdicts(&path, std::slice::from_ref(&counterexample));
        let failed = verdicts.iter().any(|verdict| !verdict.holds());
        assert!(failed, "{} holds even with {counterexample}: {verdicts:?}", path.display());
    }
}
