//! Every scene in `scenes/` runs, meets its expectations, and fails them under its counterexample.
#![allow(clippy::unwrap_used)]

use pliant_scene::format::Moment;
use pliant_scene::{BUILTIN, Builtin, Verdict};

fn verdicts(builtin: &Builtin, overrides: &[String]) -> Vec<Verdict> {
    let scene = builtin.scene(overrides).unwrap_or_else(|error| panic!("{error}"));
    let mut run = scene.build().unwrap_or_else(|error| panic!("{error}"));
    for _ in 0..scene.frames() {
        run.next_frame().unwrap_or_else(|error| panic!("{}: {error}", builtin.name));
        // What must always hold and does not is decided.
        if run.verdicts().iter().any(|verdict| verdict.expect.at == Moment::Always && !verdict.holds()) {
            break;
        }
    }
    run.verdicts()
}

#[test]
fn every_file_in_the_folder_is_a_built_in_scene() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes");
    let mut files: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .filter_map(|entry| entry.unwrap().file_name().into_string().unwrap().strip_suffix(".toml").map(str::to_owned))
        .collect();
    files.sort();
    assert_eq!(files, BUILTIN.iter().map(|scene| scene.name).collect::<Vec<_>>());
}

#[test]
fn every_scene_meets_its_expectations() {
    for builtin in BUILTIN {
        let begun = std::time::Instant::now();
        let verdicts = verdicts(builtin, &[]);
        println!("{}: {:?}", builtin.name, begun.elapsed());
        assert!(!verdicts.is_empty(), "{} expects nothing", builtin.name);
        for verdict in &verdicts {
            println!("{}: {:?} = {}", builtin.name, verdict.expect.quantity, verdict.value);
        }
        assert!(verdicts.iter().all(Verdict::holds), "{}: {verdicts:?}", builtin.name);
    }
}

#[test]
fn every_scene_fails_under_its_counterexample() {
    for builtin in BUILTIN {
        let counterexample = builtin.scene(&[]).unwrap().file().counterexample.clone();
        let counterexample = counterexample.unwrap_or_else(|| panic!("{} has no counterexample", builtin.name));
        let verdicts = verdicts(builtin, std::slice::from_ref(&counterexample));
        let failed = verdicts.iter().any(|verdict| !verdict.holds());
        assert!(failed, "{} holds even with {counterexample}: {verdicts:?}", builtin.name);
    }
}
