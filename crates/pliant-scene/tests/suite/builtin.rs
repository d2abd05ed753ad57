//! Every scene in `scenes/` runs, meets its expectations, and fails them under its counterexample. The quick tests take
//! coarser or shorter forms of the slowest.
#![allow(clippy::unwrap_used)]

use pliant_scene::format::Moment;
use pliant_scene::{BUILTIN, Builtin, Verdict};

/// Coarser or shorter forms of the scenes that take longest; what they expect must hold in these as well.
const REDUCED: &[(&str, &[&str])] = &[
    ("balloon", &["world.frames=40"]),
    ("banner", &["world.frames=60"]),
    ("brush", &["body.0.shape.bundle.count=100", "world.frames=60"]),
    ("cars", &["body.0.shape.sdf.cells=7", "body.0.shape.sdf.surface_cells=8", "world.frames=24"]),
    (
        "cloth-on-spheres",
        &[
            "body.0.shape.sheet.columns=16",
            "body.0.shape.sheet.rows=16",
            "collider.1.thickness=0.006",
            // So that it slides off by then whatever the last digits are.
            "body.1.transform.translate=[0.5, 0.585, 0.12]",
            "world.frames=120",
        ],
    ),
    ("curls", &["body.0.shape.hair.count=60"]),
    ("gummy", &["world.frames=24"]),
    ("hair", &["body.0.shape.hair.count=300"]),
    ("hammock", &["body.0.shape.sheet.columns=12", "body.0.shape.sheet.rows=12"]),
    (
        "jelly-cubes",
        &["body.0.shape.box.cells=[3, 3, 3]", "body.1.shape.box.cells=[3, 3, 3]", "body.2.shape.box.cells=[3, 3, 3]"],
    ),
    ("net-ball", &["body.1.shape.particles.spacing=0.048", "world.frames=66"]),
    ("nodding-head", &["body.1.shape.hair.count=100"]),
    ("pressed-balls", &["body.0.shape.sdf.cells=4", "body.0.shape.sdf.surface_cells=5"]),
    ("playground", &["world.frames=36"]),
    ("sleeve", &["body.0.wrinkles.subdivisions=2"]),
    ("press", &["body.0.shape.sdf.cells=7"]),
    (
        "water-hammock",
        &[
            "body.0.shape.sheet.columns=14",
            "body.0.shape.sheet.rows=14",
            "body.1.shape.particles.spacing=0.0534",
            "world.frames=75",
        ],
    ),
];

/// How a scene is run.
#[derive(Clone, Copy, PartialEq)]
enum Form {
    Whole,
    Reduced,
}

/// Verdicts, and how many substeps had gained energy from nowhere: they were redone, or slowed.
fn verdicts(builtin: &Builtin, form: Form, counterexample: Option<&String>) -> (Vec<Verdict>, [usize; 2]) {
    let reductions = REDUCED.iter().filter(|(name, _)| form == Form::Reduced && *name == builtin.name);
    let reductions = reductions.flat_map(|(_, overrides)| overrides.iter().map(|&text| text.to_owned()));
    let overrides: Vec<String> = reductions.chain(counterexample.cloned()).collect();
    let scene = builtin.scene(&overrides).unwrap_or_else(|error| panic!("{error}"));
    let mut run = scene.build().unwrap_or_else(|error| panic!("{error}"));
    let mut gaining = [0; 2];
    for _ in 0..scene.frames() {
        let reports = run.next_frame().unwrap_or_else(|error| panic!("{}: {error}", builtin.name));
        for report in &reports {
            gaining[0] += report.energy.redone;
            gaining[1] += report.energy.slowed;
        }
        // What must always hold and does not is decided.
        let fails = |verdict: &Verdict| verdict.expect.at == Moment::Always && verdict.is_observed && !verdict.holds();
        if run.verdicts().iter().any(fails) {
            break;
        }
    }
    (run.verdicts(), gaining)
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

fn check_all(form: Form) {
    let mut guarded = Vec::new();
    for builtin in BUILTIN {
        let (verdicts, gaining) = verdicts(builtin, form, None);
        if gaining != [0; 2] {
            guarded.push((builtin.name, gaining));
        }
        assert!(!verdicts.is_empty(), "{} expects nothing", builtin.name);
        assert!(verdicts.iter().all(Verdict::holds), "{}: {verdicts:?}", builtin.name);
    }
    assert!(guarded.is_empty(), "gain energy at times: {guarded:?}");
}

#[test]
fn every_scene_meets_its_expectations() {
    check_all(Form::Reduced);
}

#[test]
#[ignore = "long: every scene as it stands"]
fn every_scene_meets_its_expectations_in_full() {
    check_all(Form::Whole);
}

/// What moves things in scenes whose counterexample is about something else, and the scene without it.
const STILL: &[(&str, &str)] = &[
    ("banner", "world.wind.velocity=[0, 0, 0]"),
    ("grass", "body.0.pin.0.keyframe=[]"),
    ("plant", "world.wind.keyframe=[{ time = 0, velocity = [0, 0, 0] }]"),
    ("torn-flag", "world.wind.keyframe=[{ time = 0, velocity = [0, 0, 0] }]"),
    ("washing-line", "world.wind.velocity=[0, 0, 0]"),
];

#[test]
fn a_storm_a_gust_or_a_moving_root_is_seen_in_what_its_scene_expects() {
    for (name, still) in STILL {
        let builtin = BUILTIN.iter().find(|builtin| builtin.name == *name).unwrap();
        let (verdicts, _) = verdicts(builtin, Form::Reduced, Some(&(*still).to_owned()));
        assert!(verdicts.iter().any(|verdict| !verdict.holds()), "{name} holds even with {still}: {verdicts:?}");
    }
}

#[test]
fn every_scene_fails_under_its_counterexample() {
    for builtin in BUILTIN {
        let counterexample = builtin.scene(&[]).unwrap().file().counterexample.clone();
        let counterexample = counterexample.unwrap_or_else(|| panic!("{} has no counterexample", builtin.name));
        let (verdicts, _) = verdicts(builtin, Form::Reduced, Some(&counterexample));
        let failed = verdicts.iter().any(|verdict| !verdict.holds());
        assert!(failed, "{} holds even with {counterexample}: {verdicts:?}", builtin.name);
    }
}
